/* Writes a report to a service as JSON, in the format of rvsim serve. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "assert_timer_service_internal.h"

enum { ID_WORDS = 2 };

static void put_text(const char *text, FILE *out)
{
    putc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', out);
        putc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
    putc('"', out);
}

/* The number of frames from the leaf to main, or to the function that a thread began with. */
static unsigned root_of(const struct names *names, const struct stack *stack)
{
    static const char *const before[] = {"start_thread", "clone", "__clone", "thread_start",
                                         "__thread_start", "_start", "libc.so"};
    char name[STACK_NAME];
    unsigned root = stack->frames;

    for (unsigned i = stack->frames; i-- > 0;) {
        names_find(names, stack->pc[i], name);
        if (strcmp(name, "main") == 0)
            return i + 1;
        for (size_t k = 0; k < sizeof before / sizeof before[0]; k++)
            root = strncmp(name, before[k], strlen(before[k])) == 0 ? i : root;
    }
    return root;
}

/* The number of frames to leave out at the leaf: a late alarm is raised inside assert_timer_end,
 * whose frames are not the program's. */
static unsigned leaf_of(const struct names *names, const struct stack *stack)
{
    char name[STACK_NAME];
    unsigned leaf = 0;

    for (unsigned i = 0; i < stack->frames; i++) {
        names_find(names, stack->pc[i], name);
        if (strncmp(name, "assert_timer_end", strlen("assert_timer_end")) == 0)
            leaf = i + 1;
    }
    return leaf;
}

/* Writes a stack as an array of names, the root first. */
static void put_stack(const struct names *names, const struct stack *stack, unsigned leaf,
                      FILE *out)
{
    char name[STACK_NAME];
    unsigned root = root_of(names, stack);

    fputs(root <= leaf ? "[\"unknown\"" : "[", out);
    for (unsigned i = root; i-- > leaf;) {
        names_find(names, stack->pc[i], name);
        put_text(name, out);
        fputs(i > leaf ? "," : "", out);
    }
    putc(']', out);
}

static void put_alarm(const struct names *names, const struct alarm *alarm, FILE *out)
{
    unsigned leaf = alarm->is_late ? leaf_of(names, &alarm->own) : 0;
    struct utsname system;

    fputs("{\"tag\":", out);
    put_text(alarm->tag, out);
    fprintf(out, ",\"type\":\"%s\",\"event\":%llu,\"threshold\":%llu,\"executed\":%llu,"
            "\"elapsed\":%llu,\"unit\":\"ns\",\"depth\":%u,\"late\":%s,\"report\":\"%s\",",
            alarm->type == ASSERT_TIMER_THREAD ? "thread" : "process",
            (unsigned long long)alarm->event, (unsigned long long)alarm->threshold_ns,
            (unsigned long long)alarm->executed_ns, (unsigned long long)alarm->elapsed_ns,
            alarm->depth, alarm->is_late ? "true" : "false", alarm->is_full ? "full" : "light");
    if (uname(&system) == 0) {
        fputs("\"machine\":", out);
        put_text(system.machine, out);
    }
    fprintf(out, ",\"processors\":%ld,\"stack\":", sysconf(_SC_NPROCESSORS_ONLN));
    put_stack(names, &alarm->own, leaf, out);
    for (unsigned i = 0; i < alarm->others; i++) {
        fputs(i == 0 ? ",\"threads\":[" : ",", out);
        put_stack(names, &alarm->other[i], 0, out);
    }
    fputs(alarm->others > 0 ? "]}" : "}", out);
}

/* Makes an id from a random number and the text, because a simulated program draws the same number
 * in every run. */
static void make_id(const char *text, uint64_t id[ID_WORDS])
{
    const uint64_t prime = UINT64_C(0x100000001b3);

    if (getrandom(id, ID_WORDS * sizeof id[0], 0) != (ssize_t)(ID_WORDS * sizeof id[0]))
        id[0] = id[1] = service_monotonic();
    for (; *text != '\0'; text++) {
        id[0] = (id[0] ^ (unsigned char)*text) * prime;
        id[1] = (id[1] ^ id[0] >> 32 ^ (unsigned char)*text) * prime;
    }
}

/* The report without its beginning, the schema and the id. NULL: no memory. */
static char *make_hangs(const struct assert_timer_service *service, const struct alarm *alarm,
                        unsigned alarms)
{
    struct names *names = names_open();
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (out != NULL) {
        fputs("\"program\":", out);
        put_text(service->settings.program, out);
        fputs(",\"version\":", out);
        put_text(service->settings.version, out);
        fputs(",\"hangs\":[", out);
        for (unsigned i = 0; i < alarms; i++) {
            fputs(i > 0 ? "," : "", out);
            put_alarm(names, &alarm[i], out);
        }
        fputs("]}\n", out);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    names_close(names);
    return text;
}

char *service_report(const struct assert_timer_service *service, const struct alarm *alarm,
                     unsigned alarms)
{
    char *hangs = make_hangs(service, alarm, alarms), *text = NULL;
    uint64_t id[ID_WORDS];

    if (hangs == NULL)
        return NULL;
    make_id(hangs, id);
    if (asprintf(&text, "{\"schema\":1,\"id\":\"%016llx%016llx\",%s", (unsigned long long)id[0],
                 (unsigned long long)id[1], hangs) < 0)
        text = NULL;
    free(hangs);
    return text;
}
