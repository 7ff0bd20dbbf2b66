/* Discrete-event simulation, as omnetpp: the earliest event leaves a heap, changes the state of
 * the module that it is for, and makes others. */
#include "workload.h"

enum { MODULES = 50000, PENDING = 40000, STEPS = 12000, PORTS = 4 };

struct module { uint64_t received, sent; struct module *next[PORTS]; double busy_until; int kind; };
struct event { double time; struct module *target; uint64_t payload[4]; };

static struct module *module;
static struct event **heap;
static uint32_t events;

static void push(struct event *event)
{
    uint32_t at = events++;

    while (at > 0 && heap[(at - 1) / 2]->time > event->time) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = event;
}

static struct event *pop(void)
{
    struct event *first = heap[0], *last = heap[--events];
    uint32_t at = 0, child;

    while ((child = 2 * at + 1) < events) {
        if (child + 1 < events && heap[child + 1]->time < heap[child]->time)
            child++;
        if (heap[child]->time >= last->time)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

static struct event *event_at(double time, struct module *target)
{
    struct event *event = malloc(sizeof *event);

    *event = (struct event){.time = time, .target = target, .payload = {1, 2, 3, 4}};
    return event;
}

static void setup(void)
{
    module = calloc(MODULES, sizeof *module);
    heap = calloc(2 * PENDING, sizeof *heap);
    for (uint32_t i = 0; i < MODULES; i++) {
        module[i].kind = random_below(10) < 8;
        for (uint32_t port = 0; port < PORTS; port++)
            module[i].next[port] = &module[random_below(MODULES)];
    }
    for (uint32_t i = 0; i < PENDING; i++)
        push(event_at(random_real() * 100, &module[random_below(MODULES)]));
}

static void handle(struct event *event)
{
    struct module *at = event->target;
    double delay = at->kind ? 50 : 120;

    at->received += event->payload[0];
    if (at->busy_until > event->time)
        delay += at->busy_until - event->time;
    at->busy_until = event->time + 1;
    at->sent++;
    push(event_at(event->time + delay, at->next[at->received % PORTS]));
}

uint64_t work(void)
{
    uint64_t sum = 0;

    for (uint32_t step = 0; step < STEPS; step++) {
        struct event *event = pop();
        handle(event);
        sum += event->payload[1] + event->target->sent;
        free(event);
    }
    return sum;
}
