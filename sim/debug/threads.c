/* Threads as gdb sees them. Under the guest kernel they are its threads by their own numbers,
 * whether a hart runs them or not; a hart that runs none, and every hart of other programs, is
 * thread hart + 1. Numbers of the kernel's threads begin far above those of harts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/csr.h"
#include "sim/core/csr_access.h"
#include "sim/debug/session_internal.h"
#include "sim/host/state.h"

uint32_t threads_on(const struct session *session, unsigned hart)
{
    const struct machine *machine = session->machine;
    uint64_t number, modify;

    if (machine->kernel == NULL ||
        !cpu_csr_read(&machine->cpu[hart], CSR_prof_thread, &number, &modify))
        return 0;
    return (uint32_t)number;
}

unsigned threads_id(const struct session *session, unsigned hart)
{
    uint32_t tid = threads_on(session, hart);

    return tid != 0 ? tid : hart + 1;
}

/* Takes the guest kernel's threads; if memory runs out, only those found so far. */
static void take_tasks(const struct session *session, struct tasks *tasks)
{
    struct diag diag = {.text = ""};

    *tasks = (struct tasks){.count = 0};
    if (session->machine->kernel != NULL)
        tasks_take(tasks, session->machine, TASKS_THREADS, &diag);
}

bool threads_find(const struct session *session, uint32_t tid, struct asleep *asleep)
{
    const struct task_view *task;
    struct tasks tasks;

    take_tasks(session, &tasks);
    task = tid != 0 ? tasks_find(&tasks, tid) : NULL;
    if (task != NULL)
        *asleep = (struct asleep){*task, tasks.process[task->process].root_pa};
    tasks_free(&tasks);
    return task != NULL;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* True for a hart that has not stopped and executes kernel code for a thread. */
static bool is_inside(const struct session *session, unsigned hart)
{
    struct hart view;

    if (hart == session->hart || threads_on(session, hart) == 0)
        return false;
    state_view(session->machine, hart, &view);
    return view.priv != PRIV_U && !view.in_monitor;
}

/* Finds the hart that runs the thread with this number. False: none does. */
static bool find_running(const struct session *session, uint64_t id, struct one_thread *one)
{
    *one = (struct one_thread){.hart = NO_HART, .inside = ALL_HARTS};
    for (unsigned i = 0; i < session->machine->harts && one->hart == NO_HART; i++)
        if (id == threads_id(session, i))
            one->hart = i;
    if (one->hart == NO_HART)
        return false;
    one->tid = threads_on(session, one->hart);
    if (is_inside(session, one->hart)) {
        one->inside = one->hart;
        one->hart = NO_HART;
    }
    return true;
}

static bool find(const struct session *session, uint64_t id, struct one_thread *one)
{
    struct asleep asleep;

    if (find_running(session, id, one))
        return true;
    one->tid = (uint32_t)id;
    return id <= UINT32_MAX && threads_find(session, one->tid, &asleep);
}

bool threads_take(struct session *session, const char **at, struct one_thread *one)
{
    uint64_t number;

    *one = (struct one_thread){.hart = ALL_HARTS, .inside = ALL_HARTS};
    if (take_char(at, '-'))
        return take_hex(at, &number) && number == 1;
    if (!take_hex(at, &number))
        return false;
    return find(session, number != 0 ? number : threads_id(session, session->hart), one);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static const char *mode_of(const struct hart *hart)
{
    if (hart->in_monitor)
        return "profiling monitor";
    switch (hart->priv) {
    case PRIV_U: return "user mode";
    case PRIV_S: return "supervisor mode";
    default: return "machine mode";
    }
}

enum { EXTRA_BYTES = 96 };

/* "hart 0, user mode", "hart 1, in the kernel", "hart 0, supervisor mode, idle", "blocked" */
static void describe(const struct session *session, const struct one_thread *one,
                     const struct task_view *task, char text[EXTRA_BYTES])
{
    static const char *const state[] = {"running", "ready", "blocked", "stopped"};
    struct hart view;

    if (one->inside != ALL_HARTS) {
        snprintf(text, EXTRA_BYTES, "hart %u, in the kernel", one->inside);
        return;
    }
    if (one->hart == NO_HART) {
        snprintf(text, EXTRA_BYTES, "%s", state[task->state]);
        return;
    }
    state_view(session->machine, one->hart, &view);
    snprintf(text, EXTRA_BYTES, "hart %u, %s%s%s", one->hart, mode_of(&view),
             session->machine->kernel != NULL && one->tid == 0 ? ", idle" : "",
             view.waiting ? ", waiting" : "");
}

/* Writes a name, which the program chose, with escapes for XML. */
static void put_escaped(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~' || strchr("<>&\"'", *text))
            fputc('?', out);
        else
            fputc(*text, out);
    }
}

static void put_thread(const struct session *session, const struct one_thread *one,
                       const struct task_view *task, FILE *out)
{
    char extra[EXTRA_BYTES];

    describe(session, one, task, extra);
    fprintf(out, "<thread id=\"%x\"", one->tid != 0 ? one->tid : one->hart + 1);
    if (task != NULL && task->name[0] != '\0') {
        fputs(" name=\"", out);
        put_escaped(task->name, out);
        fputc('"', out);
    }
    fprintf(out, ">%s</thread>\n", extra);
}

/* True for a hart that is listed beside the kernel's threads: it runs none of them, and either it
 * has stopped, or there are no such threads. */
static bool is_listed(const struct session *session, unsigned hart, const struct tasks *tasks)
{
    return threads_on(session, hart) == 0 && (tasks->count == 0 || hart == session->hart);
}

/* The caller frees *text. */
static bool make_list(const struct session *session, char **text, size_t *bytes)
{
    FILE *out = open_memstream(text, bytes);
    struct one_thread one;
    struct tasks tasks;

    if (out == NULL)
        return false;
    take_tasks(session, &tasks);
    fputs("<?xml version=\"1.0\"?>\n<threads>\n", out);
    for (size_t i = 0; i < tasks.count; i++) {
        if (!find_running(session, tasks.thread[i].tid, &one))
            one.tid = tasks.thread[i].tid;
        put_thread(session, &one, &tasks.thread[i], out);
    }
    for (unsigned i = 0; i < session->machine->harts; i++)
        if (is_listed(session, i, &tasks))
            put_thread(session, &(struct one_thread){.hart = i, .inside = ALL_HARTS}, NULL, out);
    fputs("</threads>\n", out);
    tasks_free(&tasks);
    return fclose(out) == 0;
}

/* gdb reads the list in pieces; it is made anew for each, and is the same until the machine goes
 * on. */
enum outcome handle_threads(struct session *session, const char *arguments, size_t length)
{
    char *text = NULL;
    size_t bytes = 0;
    enum outcome outcome;

    if (!make_list(session, &text, &bytes))
        return reply_error(session, FAULT_NO_MEMORY);
    outcome = reply_part(session, ":", text, bytes, arguments, length);
    free(text);
    return outcome;
}

/* For clients that do not read the XML list. */
enum outcome handle_thread_first(struct session *session, const char *arguments, size_t length)
{
    struct tasks tasks;
    char comma = 'm';

    (void)arguments, (void)length;
    take_tasks(session, &tasks);
    for (size_t i = 0; i < tasks.count; i++, comma = ',')
        reply_text(session, "%c%x", comma, tasks.thread[i].tid);
    for (unsigned i = 0; i < session->machine->harts; i++)
        if (is_listed(session, i, &tasks)) {
            reply_text(session, "%c%x", comma, i + 1);
            comma = ',';
        }
    tasks_free(&tasks);
    return OUTCOME_ANSWERED;
}

enum outcome handle_thread_next(struct session *session, const char *arguments, size_t length)
{
    (void)arguments, (void)length;
    reply_text(session, "l");
    return OUTCOME_ANSWERED;
}

enum outcome handle_thread_current(struct session *session, const char *arguments, size_t length)
{
    (void)arguments, (void)length;
    reply_text(session, "QC%x", threads_id(session, session->hart));
    return OUTCOME_ANSWERED;
}

enum outcome handle_thread_extra(struct session *session, const char *arguments, size_t length)
{
    char text[EXTRA_BYTES];
    struct one_thread one;
    struct asleep asleep = {.root_pa = 0};

    (void)length;
    if (!threads_take(session, &arguments, &one) || one.hart == ALL_HARTS || *arguments != '\0')
        return reply_error(session, FAULT_ARGUMENT);
    if (one.hart == NO_HART && !threads_find(session, one.tid, &asleep))
        return reply_error(session, FAULT_ARGUMENT);
    describe(session, &one, &asleep.task, text);
    reply_hex(session, text, strlen(text));
    return OUTCOME_ANSWERED;
}

/* ---- choice ---------------------------------------------------------------------------------- */

/* Hg selects the thread for registers and memory, Hc the one for packets that name no thread. gdb
 * sends Hc0 (any thread) once, and means the thread of each later stop. */
enum outcome handle_choose_thread(struct session *session, const char *arguments, size_t length)
{
    bool is_general = *arguments == 'g', is_any = strcmp(arguments, "c0") == 0;
    struct one_thread one;

    (void)length;
    if ((!is_general && *arguments != 'c') || *arguments++ == '\0' ||
        !threads_take(session, &arguments, &one) || *arguments != '\0')
        return reply_error(session, FAULT_ARGUMENT);
    if (is_general) {
        bool is_hart = one.hart < session->machine->harts;

        session->looked_from = is_hart ? one.hart : session->hart;
        session->sleeper = one.hart == NO_HART ? one.tid : 0;
    } else {
        session->continued = one.hart != NO_HART && !is_any ? one.hart : ALL_HARTS;
    }
    return reply_ok(session);
}

enum outcome handle_thread_alive(struct session *session, const char *arguments, size_t length)
{
    struct one_thread one;

    (void)length;
    if (!threads_take(session, &arguments, &one) || *arguments != '\0')
        return reply_error(session, FAULT_ARGUMENT);
    return reply_ok(session);
}
