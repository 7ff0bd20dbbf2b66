/* Threads as gdb sees them: a hart each, numbered from 1. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/csr.h"
#include "sim/core/csr_access.h"
#include "sim/debug/session_internal.h"

bool threads_take(struct session *session, const char **at, unsigned *hart)
{
    uint64_t number;

    *hart = ALL_HARTS;
    if (take_char(at, '-'))
        return take_hex(at, &number) && number == 1;
    if (!take_hex(at, &number) || number > session->machine->harts)
        return false;
    *hart = number != 0 ? (unsigned)number - 1 : session->hart;
    return true;
}

enum outcome handle_thread_first(struct session *session, const char *arguments, size_t length)
{
    (void)arguments, (void)length;
    for (unsigned i = 0; i < session->machine->harts; i++)
        reply_text(session, "%c%x", i == 0 ? 'm' : ',', i + 1);
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
    reply_text(session, "QC%x", session->hart + 1);
    return OUTCOME_ANSWERED;
}

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

enum outcome handle_thread_extra(struct session *session, const char *arguments, size_t length)
{
    char text[96], thread[32] = "";
    uint64_t number, modify;
    struct hart view;
    unsigned hart;

    (void)length;
    if (!threads_take(session, &arguments, &hart) || hart == ALL_HARTS || *arguments != '\0')
        return reply_error(session, FAULT_ARGUMENT);
    registers_view(session, hart, &view);
    if (session->machine->kernel != NULL &&
        cpu_csr_read(&session->machine->cpu[hart], CSR_prof_thread, &number, &modify))
        snprintf(thread, sizeof thread, number != 0 ? ", thread %" PRIu64 : ", idle", number);
    snprintf(text, sizeof text, "hart %u, %s%s%s", hart, mode_of(&view), thread,
             view.waiting ? ", waiting" : "");
    reply_hex(session, text, strlen(text));
    return OUTCOME_ANSWERED;
}

/* g: for registers and memory; c: for packets without a thread of their own. */
enum outcome handle_choose_thread(struct session *session, const char *arguments, size_t length)
{
    bool is_general = *arguments == 'g';
    unsigned hart;

    (void)length;
    if ((!is_general && *arguments != 'c') || *arguments++ == '\0' ||
        !threads_take(session, &arguments, &hart) || *arguments != '\0')
        return reply_error(session, FAULT_ARGUMENT);
    if (is_general)
        session->looked_from = hart != ALL_HARTS ? hart : session->hart;
    else
        session->continued = hart;
    return reply_ok(session);
}

enum outcome handle_thread_alive(struct session *session, const char *arguments, size_t length)
{
    unsigned hart;

    (void)length;
    if (!threads_take(session, &arguments, &hart) || *arguments != '\0')
        return reply_error(session, FAULT_ARGUMENT);
    return reply_ok(session);
}
