/* See serve.h. The machine calls at the end of each requested interval. The viewer's command is
 * read there, and the next interval set, so that a stop does not disturb the run. Going back wakes
 * an earlier copy of the process. A search runs from a copy to the former place of the view and
 * notes the last cycle of the event; then a copy goes there. */
#define _GNU_SOURCE

#include "sim/view/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    COPY_EVERY = 1 << 18,       /* cycles between copies of a run */
    NEAR = 4096,                /* a copy is made this many cycles before a place to go back to */
    REACH = 4096, FARTHER = 64, /* cycles of a search, and the factor by which they grow */
    RUN_CYCLES = 50000,         /* cycles between checks for the viewer's commands */
    LOOKS = 1 << 12,            /* calls between checks whether the viewer still exists */
    COMMITS_MAX = 64,           /* upper bound in a cycle, all harts */
};

struct serve {
    struct view_link *link;
    struct machine *machine;
    const struct target *target;
    FILE *output;
    struct watch *watch;        /* made at the first call */
    bool has_ended;
    unsigned looks;             /* calls of the machine up to now */
};

/* ---- memory ---------------------------------------------------------------------------------- */

struct view_link *link_make(void)
{
    struct view_link *link = mmap(NULL, sizeof *link, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (link == MAP_FAILED)
        return NULL;
    if (sem_init(&link->asked, 1, 0) != 0 || sem_init(&link->answered, 1, 0) != 0) {
        link_unmake(link);
        return NULL;
    }
    link->viewer = getpid();
    return link;
}

void link_unmake(struct view_link *link)
{
    if (link != NULL)
        munmap(link, sizeof *link);
}

/* ---- places ---------------------------------------------------------------------------------- */

static unsigned shown_hart(const struct serve *serve)
{
    unsigned hart = serve->link->command.hart;

    return hart < serve->machine->harts ? hart : 0;
}

/* Cycles of the shown hart's pipeline. */
static uint64_t here(const struct serve *serve)
{
    return watch_now(serve->watch, shown_hart(serve));
}

/* The same count in the numbering of the machine's intervals. */
static uint64_t interval_cycles(const struct machine *machine)
{
    return machine->cpu[machine->interval_hart].pmu.events[EVENT_CYCLES];
}

/* Only the shown hart's turns are cut at the stops of the view, so other harts may be some cycles
 * away. */
static void follow_hart(struct serve *serve)
{
    serve->machine->interval_cuts = true;
    serve->machine->interval_hart = shown_hart(serve);
    serve->machine->next_interval = 0;
}

/* A cycle that no hart has passed yet: from a copy made now each hart can go there. */
static uint64_t farthest(const struct serve *serve)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < serve->machine->harts; i++)
        if (watch_now(serve->watch, i) > most)
            most = watch_now(serve->watch, i);
    return most;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Runs to this cycle of the pipeline, which is later than now, but stops before for a copy that is
 * due. */
static void run_to(struct serve *serve, uint64_t cycle)
{
    uint64_t now = here(serve), copy = serve->link->way.next_copy;

    cycle = least(cycle, copy > now ? copy : now + 1);
    serve->machine->next_interval = interval_cycles(serve->machine) + (cycle - now);
}

/* ---- going back ------------------------------------------------------------------------------ */

static _Noreturn void wake(struct serve *serve, uint64_t before)
{
    struct rewind *rewind = &serve->link->rewind;

    rewind_wake(rewind, rewind_before(rewind, before));
}

static void leave_copy(struct serve *serve)
{
    struct view_way *way = &serve->link->way;

    way->next_copy = here(serve) + COPY_EVERY;
    if (!rewind_mark(&serve->link->rewind, farthest(serve)))
        return;
    serve->has_ended = false;
    way->began = here(serve);
    way->next_copy = way->phase == PHASE_GO && way->target > way->began + 2 * NEAR
                         ? way->target - NEAR : UINT64_MAX;
}

/* Goes to a cycle from here or from a nearer copy: an earlier one, or one of a part that the run
 * has passed before. If the cycle cannot be reached, the machine stays where it is. */
static void go_to(struct serve *serve, uint64_t cycle)
{
    struct view_way *way = &serve->link->way;
    const struct rewind_copy *copy;

    way->target = cycle > way->start ? cycle : way->start;
    way->phase = PHASE_GO;
    copy = rewind_before(&serve->link->rewind, way->target + 1);
    if (copy != NULL && (way->target < here(serve) || copy->position > farthest(serve)))
        wake(serve, way->target + 1);
    if (way->target < here(serve) || serve->has_ended)
        way->phase = PHASE_STAND;
}

static void search(struct serve *serve)
{
    struct view_way *way = &serve->link->way;

    *way = (struct view_way){.phase = PHASE_SEARCH, .limit = here(serve), .reach = REACH,
                             .start = way->start, .next_copy = UINT64_MAX};
    if (rewind_before(&serve->link->rewind, way->limit) != NULL)
        wake(serve, way->limit);
    way->phase = PHASE_STAND;
}

static uint64_t looks_from(const struct view_way *way)
{
    uint64_t from = way->limit > way->reach ? way->limit - way->reach : 0;

    return from > way->began ? from : way->began;
}

/* Ends a search that has reached its limit. */
static void conclude(struct serve *serve)
{
    struct view_way *way = &serve->link->way;
    bool is_all = looks_from(way) == way->began;

    if (way->found != 0 || (is_all && way->began <= way->start)) {
        go_to(serve, way->found != 0 ? way->found : way->start);
        return;
    }
    if (is_all)
        way->limit = way->began;
    way->reach = is_all ? REACH : way->reach * FARTHER;
    wake(serve, way->limit);
}

/* ---- the conversation ------------------------------------------------------------------------ */

static bool viewer_is_there(const struct view_link *link)
{
    return kill(link->viewer, 0) == 0 || errno == EPERM;
}

static void wait_for_wish(struct view_link *link)
{
    struct timespec limit;

    do {
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_sec++;
        if (sem_timedwait(&link->asked, &limit) == 0)
            return;
    } while (viewer_is_there(link));
    link->command.verb = VIEW_QUIT;
}

static void answer(struct serve *serve)
{
    struct view_link *link = serve->link;

    watch_take(serve->watch, shown_hart(serve), &link->model);
    link->model.has_ended = serve->has_ended;
    link->passed = link->model.now;
    link->pause = 0;
    link->way.phase = PHASE_STAND;
    sem_post(&link->answered);
}

static void begin_forward(struct serve *serve)
{
    struct view_link *link = serve->link;
    struct view_way *way = &link->way;

    way->phase = PHASE_FORWARD;
    if (way->next_copy == UINT64_MAX)
        way->next_copy = here(serve) + COPY_EVERY;
    way->left = link->command.count != 0 ? link->command.count : 1;
    way->mark = watch_mark(serve->watch, shown_hart(serve), link->command.until);
    if (link->command.until == VIEW_UNTIL_CYCLE)
        go_to(serve, here(serve) + way->left);
}

static void begin_back(struct serve *serve)
{
    const struct view_command *command = &serve->link->command;
    uint64_t count = command->count != 0 ? command->count : 1, now = here(serve);

    if (command->until == VIEW_UNTIL_CYCLE)
        go_to(serve, now > count ? now - count : 0);
    else
        search(serve);
}

/* Obeys the viewer's next command while the machine stands. False: there is none left. */
static bool obey(struct serve *serve)
{
    struct view_link *link = serve->link;

    do {
        wait_for_wish(link);
        switch (link->command.verb) {
        case VIEW_FORWARD:
            if (!serve->has_ended)
                begin_forward(serve);
            break;
        case VIEW_BACK:
            begin_back(serve);
            break;
        case VIEW_GO:
            go_to(serve, link->command.count);
            break;
        case VIEW_QUIT:
            return false;
        default:
            break;
        }
        if (link->way.phase == PHASE_STAND || serve->has_ended)
            answer(serve);
    } while (link->way.phase == PHASE_STAND);
    return true;
}

/* ---- in the run ------------------------------------------------------------------------------ */

/* The number of occurrences since the last check; instructions are counted, other events count
 * once. */
static uint64_t happened(struct serve *serve)
{
    const struct view_command *command = &serve->link->command;
    struct view_way *way = &serve->link->way;
    uint64_t mark = watch_mark(serve->watch, shown_hart(serve), command->until);
    uint64_t before = way->mark;

    way->mark = mark;
    if (command->until == VIEW_UNTIL_LINE)
        return mark != before && mark != 0;
    return command->until < VIEW_UNTIL_END ? mark - before : 0;
}

/* True: the run stops here. */
static bool go_forward(struct serve *serve)
{
    struct view_way *way = &serve->link->way;
    uint64_t times = happened(serve);
    bool is_counted = serve->link->command.until == VIEW_UNTIL_INSN;

    if (times >= way->left || serve->link->pause != 0)
        return true;
    way->left -= times;
    if (serve->link->command.until == VIEW_UNTIL_END)
        run_to(serve, here(serve) + RUN_CYCLES);
    else
        run_to(serve, here(serve) + 1 + (is_counted ? way->left / COMMITS_MAX : 0));
    return false;
}

static void search_on(struct serve *serve)
{
    struct view_way *way = &serve->link->way;
    uint64_t now = here(serve), from = looks_from(way);

    if (now > from && happened(serve) != 0 && now < way->limit)
        way->found = now;
    if (now >= way->limit) {
        conclude(serve);
        return;
    }
    if (now <= from)
        way->mark = watch_mark(serve->watch, shown_hart(serve), serve->link->command.until);
    run_to(serve, now < from ? from : now + 1);
}

static bool go_on(struct serve *serve)
{
    struct view_way *way = &serve->link->way;
    uint64_t now = here(serve);

    if (way->phase == PHASE_FORWARD)
        return go_forward(serve);
    if (way->phase == PHASE_SEARCH) {
        search_on(serve);
        return false;
    }
    if (way->phase == PHASE_GO && now < way->target && serve->link->pause == 0) {
        run_to(serve, least(way->target, now + RUN_CYCLES));
        return false;
    }
    return true;
}

/* The cores exist, and nothing has run: all steps back end here. */
static bool begin(struct serve *serve)
{
    struct view_way *way = &serve->link->way;

    serve->watch = watch_open(serve->machine, serve->target, serve->output);
    if (serve->watch == NULL)
        return false;
    way->start = here(serve);
    leave_copy(serve);
    return true;
}

static _Noreturn void leave(struct serve *serve)
{
    rewind_end(&serve->link->rewind);
    _exit(0);
}

/* Called at the end of the requested cycle, and before the first cycle. */
static void on_interval(void *arg, struct machine *machine)
{
    struct serve *serve = arg;

    if (serve->watch == NULL && !begin(serve)) {
        machine->halt = true;
        machine->next_interval = UINT64_MAX;
        return;
    }
    serve->link->passed = here(serve);
    if (serve->looks++ % LOOKS == 0 && !viewer_is_there(serve->link))
        leave(serve);
    if (here(serve) >= serve->link->way.next_copy)
        leave_copy(serve);
    follow_hart(serve);
    while (machine->next_interval <= interval_cycles(machine)) {
        if (!go_on(serve))
            continue;
        answer(serve);
        if (!obey(serve))
            leave(serve);
        follow_hart(serve);
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

static void say_end(struct serve *serve)
{
    const struct result *result = &serve->machine->result;
    char *text = serve->link->model.end;

    serve->has_ended = true;
    if (result->reason == RESULT_EXIT)
        snprintf(text, VIEW_WHY, "the program ended with status %d", result->exit_code);
    else if (result->text[0] != '\0')
        snprintf(text, VIEW_WHY, "%.*s", VIEW_WHY - 1, result->text);
    else
        snprintf(text, VIEW_WHY, "the run reached its limit");
}

enum err serve_run(struct view_link *link, struct machine *machine, const struct target *target,
                   const struct limits *limits, FILE *output, struct diag *diag)
{
    struct serve serve = {.link = link, .machine = machine, .target = target, .output = output};

    link->way = (struct view_way){.phase = PHASE_STAND};
    link->rewind.stop_request = machine->stop_request;
    if (!rewind_begin(&link->rewind))
        return diag_no_memory(diag, "the view");
    machine->interval = on_interval;
    /* cppcheck-suppress autoVariables ; the run ends before this function */
    machine->interval_arg = &serve;
    machine->next_interval = 0;
    machine_run(machine, limits);
    if (serve.watch == NULL)
        return diag_no_memory(diag, "the view");
    say_end(&serve);
    if (link->way.phase == PHASE_SEARCH)
        conclude(&serve);
    answer(&serve);
    obey(&serve);
    rewind_end(&link->rewind);
    watch_close(serve.watch);
    return ERR_OK;
}
