/* Threads as gdb sees them. Under the guest kernel they are its threads by their own numbers,
 * whether a hart runs them or not; a hart that runs none, and every hart of other programs, is
 * thread hart + 1. Numbers of the kernel's threads begin far above those of harts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/debug/session_internal.h"

unsigned threads_id(const struct session *session, unsigned hart)
{
    uint32_t tid = guests_on(session->machine, hart);

    return tid != 0 ? tid : hart + 1;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* A hart that has not stopped, and executes the kernel's code for a thread. */
static bool is_inside(const struct session *session, unsigned hart)
{
    struct hart view;

    if (hart == session->hart || guests_on(session->machine, hart) == 0)
        return false;
    registers_view(session, hart, &view);
    return guests_is_inside(session->machine, &view);
}

static bool find(const struct session *session, uint64_t id, struct one_thread *one)
{
    struct guest guest;

    *one = (struct one_thread){.hart = NO_HART, .inside = ALL_HARTS};
    for (unsigned i = 0; i < session->machine->harts && one->hart == NO_HART; i++)
        if (id == threads_id(session, i))
            one->hart = i;
    if (one->hart != NO_HART) {
        one->tid = guests_on(session->machine, one->hart);
        if (is_inside(session, one->hart)) {
            one->inside = one->hart;
            one->hart = NO_HART;
        }
        return true;
    }
    if (id > UINT32_MAX || !guests_find(session->machine, (uint32_t)id, &guest))
        return false;
    one->tid = (uint32_t)id;
    return true;
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
                     const struct guest *guest, char text[EXTRA_BYTES])
{
    static const char *const state[] = {"running", "ready", "blocked", "stopped"};
    struct hart view;

    if (one->inside != ALL_HARTS) {
        snprintf(text, EXTRA_BYTES, "hart %u, in the kernel", one->inside);
        return;
    }
    if (one->hart == NO_HART) {
        snprintf(text, EXTRA_BYTES, "%s", state[guest->state]);
        return;
    }
    registers_view(session, one->hart, &view);
    snprintf(text, EXTRA_BYTES, "hart %u, %s%s%s", one->hart, mode_of(&view),
             session->machine->kernel != NULL && one->tid == 0 ? ", idle" : "",
             view.waiting ? ", waiting" : "");
}

/* Of what a program chose as its name. */
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
                       const struct guest *guest, FILE *out)
{
    char extra[EXTRA_BYTES];

    describe(session, one, guest, extra);
    fprintf(out, "<thread id=\"%x\"", one->tid != 0 ? one->tid : one->hart + 1);
    if (guest != NULL && guest->name[0] != '\0') {
        fputs(" name=\"", out);
        put_escaped(guest->name, out);
        fputc('"', out);
    }
    fprintf(out, ">%s</thread>\n", extra);
}

static unsigned list_guests(const struct session *session, FILE *out)
{
    struct guest *guest = calloc(GUESTS_MAX, sizeof *guest);
    unsigned count = guest != NULL ? guests_list(session->machine, guest, GUESTS_MAX) : 0;

    for (unsigned i = 0; i < count; i++) {
        struct one_thread one;

        if (find(session, guest[i].tid, &one))
            put_thread(session, &one, &guest[i], out);
    }
    free(guest);
    return count;
}

/* Harts that run a thread of the kernel's are not listed besides. The caller frees *text. */
static bool make_list(const struct session *session, char **text, size_t *bytes)
{
    FILE *out = open_memstream(text, bytes);
    bool has_guests;

    if (out == NULL)
        return false;
    fputs("<?xml version=\"1.0\"?>\n<threads>\n", out);
    has_guests = list_guests(session, out) != 0;
    for (unsigned i = 0; i < session->machine->harts; i++)
        if (guests_on(session->machine, i) == 0 && (!has_guests || i == session->hart))
            put_thread(session, &(struct one_thread){.hart = i, .inside = ALL_HARTS}, NULL, out);
    fputs("</threads>\n", out);
    return fclose(out) == 0;
}

/* Each piece is of the whole list, which is the same until the machine goes on. */
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

/* For clients that do not read the list above. */
enum outcome handle_thread_first(struct session *session, const char *arguments, size_t length)
{
    struct guest *guest = calloc(GUESTS_MAX, sizeof *guest);
    unsigned count = guest != NULL ? guests_list(session->machine, guest, GUESTS_MAX) : 0;
    char comma = 'm';

    (void)arguments, (void)length;
    for (unsigned i = 0; i < count; i++, comma = ',')
        reply_text(session, "%c%x", comma, guest[i].tid);
    for (unsigned i = 0; i < session->machine->harts; i++)
        if (guests_on(session->machine, i) == 0 && (count == 0 || i == session->hart)) {
            reply_text(session, "%c%x", comma, i + 1);
            comma = ',';
        }
    free(guest);
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
    struct guest guest = {.tid = 0};

    (void)length;
    if (!threads_take(session, &arguments, &one) || one.hart == ALL_HARTS || *arguments != '\0')
        return reply_error(session, FAULT_ARGUMENT);
    if (one.hart == NO_HART && !guests_find(session->machine, one.tid, &guest))
        return reply_error(session, FAULT_ARGUMENT);
    describe(session, &one, &guest, text);
    reply_hex(session, text, strlen(text));
    return OUTCOME_ANSWERED;
}

/* ---- choice ---------------------------------------------------------------------------------- */

/* g: for registers and memory; c: for packets without a thread of their own. */
enum outcome handle_choose_thread(struct session *session, const char *arguments, size_t length)
{
    bool is_general = *arguments == 'g';
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
        session->continued = one.hart != NO_HART ? one.hart : ALL_HARTS;
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
