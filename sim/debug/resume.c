/* Resuming, and the report of the next stop. */
#include <stdio.h>
#include <string.h>

#include "sim/debug/session_internal.h"
#include "sim/debug/watch.h"
#include "sim/host/state.h"

/* gdb's numbers of signals; of these only SIGBUS has another number on Linux. */
enum { SIGNAL_ABORT = 6, SIGNAL_BUS = 10, SIGNAL_ALARM = 14, LINUX_BUS = 7, EXIT_SIGNAL = 128 };

static uint64_t bit(unsigned hart)
{
    return UINT64_C(1) << hart;
}

static uint64_t all_harts(const struct session *session)
{
    unsigned harts = session->machine->harts;

    return harts >= 64 ? UINT64_MAX : bit(harts) - 1;
}

/* ---- requests -------------------------------------------------------------------------------- */

static enum outcome go(struct session *session, uint64_t stepping, uint64_t going)
{
    uint64_t held = all_harts(session) & ~(stepping | going);

    session->stepping = stepping;
    if (held != session->pauses.held)
        travel_note_held(session, held);
    session->pauses.held = held;
    return OUTCOME_RESUME;
}

enum outcome handle_actions(struct session *session, const char *arguments, size_t length)
{
    (void)arguments, (void)length;
    reply_text(session, "vCont;c;C;s;S");
    return OUTCOME_ANSWERED;
}

/* True for a thread of the guest kernel in user code, which steps to its next user instruction,
 * whatever the harts do meanwhile. In the kernel's own code its hart steps. */
static bool steps_as_thread(const struct session *session, const struct one_thread *one)
{
    struct hart view;

    if (one->tid == 0 || one->hart >= session->machine->harts)
        return one->tid != 0;
    state_view(session->machine, one->hart, &view);
    return view.priv == PRIV_U;
}

/* Parses one of the actions between ';': "c", "s:1", "C05". The signal is ignored. To resume a
 * thread that no hart runs, all harts must be resumed. */
static bool take_action(struct session *session, const char **at, bool *is_step, uint64_t *harts)
{
    uint64_t signal;
    char letter = **at;
    struct one_thread one = {.hart = ALL_HARTS, .inside = ALL_HARTS};

    if (letter == '\0' || strchr("cCsS", letter) == NULL)
        return false;
    ++*at;
    if ((letter == 'C' || letter == 'S') && !take_hex(at, &signal))
        return false;
    if (take_char(at, ':') && !threads_take(session, at, &one))
        return false;
    *is_step = letter == 's' || letter == 'S';
    *harts = one.hart < session->machine->harts ? bit(one.hart)
             : one.inside != ALL_HARTS ? bit(one.inside) : all_harts(session);
    if (*is_step && steps_as_thread(session, &one)) {
        session->step_thread = one.tid;
        *is_step = false;
    }
    return true;
}

/* A hart takes the first action that names it. */
enum outcome handle_resume(struct session *session, const char *arguments, size_t length)
{
    uint64_t left = all_harts(session), stepping = 0, going = 0, harts;
    bool is_step;

    (void)length;
    session->step_thread = 0;
    do {
        if (!take_action(session, &arguments, &is_step, &harts))
            return reply_error(session, FAULT_ARGUMENT);
        harts &= left;
        stepping |= is_step ? harts : 0;
        going |= is_step ? 0 : harts;
        left &= ~harts;
    } while (take_char(&arguments, ';'));
    if (*arguments != '\0')
        return reply_error(session, FAULT_ARGUMENT);
    return go(session, stepping, going);
}

/* arguments: [address], the pc at which to continue. */
static enum outcome go_from(struct session *session, const char *arguments, uint64_t stepping)
{
    struct hart *hart = &session->machine->cpu[session->hart].hart;
    uint64_t pc;

    session->step_thread = 0;
    if (*arguments != '\0') {
        if (session->is_inside)
            return OUTCOME_OUTSIDE;
        if (!take_hex(&arguments, &pc) || *arguments != '\0')
            return reply_error(session, FAULT_ARGUMENT);
        hart->pc = hart_address(hart, pc & ~UINT64_C(1));
        machine_changed(session->machine);
    }
    return go(session, stepping, all_harts(session) & ~stepping);
}

enum outcome handle_continue(struct session *session, const char *arguments, size_t length)
{
    (void)length;
    return go_from(session, arguments, 0);
}

enum outcome handle_step(struct session *session, const char *arguments, size_t length)
{
    unsigned hart = session->continued == ALL_HARTS ? session->hart : session->continued;

    (void)length;
    return go_from(session, arguments, bit(hart));
}

/* signal[;address] */
static bool take_signal(const char **at)
{
    uint64_t signal;

    return take_hex(at, &signal) && (take_char(at, ';') || **at == '\0');
}

enum outcome handle_continue_signal(struct session *session, const char *arguments, size_t length)
{
    return take_signal(&arguments) ? handle_continue(session, arguments, length)
                                   : reply_error(session, FAULT_ARGUMENT);
}

enum outcome handle_step_signal(struct session *session, const char *arguments, size_t length)
{
    return take_signal(&arguments) ? handle_step(session, arguments, length)
                                   : reply_error(session, FAULT_ARGUMENT);
}

static enum outcome go_back(struct session *session, bool is_step)
{
    unsigned hart = session->continued == ALL_HARTS ? session->hart : session->continued;

    if (!travel_is_possible(session))
        return reply_error(session, FAULT_ARGUMENT);
    travel_back(session, is_step, hart);
    resume_stop(session, RESUME_TRAP, "replaylog:begin;");      /* there is nothing before */
    reply_text(session, "%s", session->stop);
    return OUTCOME_ANSWERED;
}

enum outcome handle_back_step(struct session *session, const char *arguments, size_t length)
{
    (void)arguments, (void)length;
    return go_back(session, true);
}

enum outcome handle_back_continue(struct session *session, const char *arguments, size_t length)
{
    (void)arguments, (void)length;
    return go_back(session, false);
}

/* ---- stops ----------------------------------------------------------------------------------- */

void resume_stop(struct session *session, unsigned signal, const char *why)
{
    snprintf(session->stop, sizeof session->stop, "T%02xthread:%x;%s", signal,
             threads_id(session, session->hart), why);
}

static bool runs_stepper(const struct session *session, unsigned hart)
{
    return session->step_thread != 0 &&
           threads_on(session, hart) == session->step_thread;
}

void resume_begin(struct session *session)
{
    struct machine *machine = session->machine;
    struct hart view;

    session->is_interrupted = false;
    session->stepping_user = 0;
    session->sleeper = 0;
    session->pauses.every = session->breaks.has_watch || session->step_thread != 0
                                ? UINT64_MAX : session->stepping | session->alarmed;
    for (unsigned i = 0; i < machine->harts; i++) {
        if (i != session->hart && (session->stepping & bit(i)) == 0 && !runs_stepper(session, i))
            continue;
        state_view(session->machine, i, &view);
        pause_note(&machine->cpu[i], view.pc);
        if (view.priv == PRIV_U)
            session->stepping_user |= session->stepping & bit(i);
    }
    travel_resume(session);
}

void resume_at_start(struct session *session)
{
    session->continued = ALL_HARTS;
    resume_stop(session, RESUME_TRAP, "");
}

/* True if the hart's step is complete. A step from user code ends at the next user instruction, so
 * that traps are stepped over. */
static bool ends_step(const struct session *session, const struct cpu *cpu)
{
    uint64_t hart = bit((unsigned)cpu->hart.id);

    if (session->step_thread != 0)
        return cpu->hart.priv == PRIV_U && runs_stepper(session, (unsigned)cpu->hart.id);
    return (session->stepping & hart) != 0 &&
           ((session->stepping_user & hart) == 0 || cpu->hart.priv == PRIV_U);
}

bool resume_stops(struct session *session, struct cpu *cpu, uint64_t pc)
{
    const struct breaking *point = breaks_find(&session->breaks, pc);
    char why[BREAKS_WHY] = "";
    unsigned signal = RESUME_TRAP;

    if (point == NULL)
        point = watch_find(session, cpu, pc);
    if (point != NULL)
        breaks_why(point, why);
    else if (cpu->hart.in_monitor)
        return false;
    else if ((session->alarmed & bit((unsigned)cpu->hart.id)) != 0)
        signal = RESUME_LIMIT;
    else if (session->is_interrupted)
        signal = RESUME_INTERRUPT;
    else if (!ends_step(session, cpu))
        return false;
    session->hart = session->looked_from = (unsigned)cpu->hart.id;
    session->alarmed &= ~bit(session->hart);
    resume_stop(session, signal, why);
    return true;
}

/* ---- the end --------------------------------------------------------------------------------- */

static unsigned signal_of(const struct result *result)
{
    switch (result->reason) {
    case RESULT_TIMEOUT: return SIGNAL_ALARM;
    case RESULT_FAILURE: return SIGNAL_ABORT;
    default:
        return result->exit_code - EXIT_SIGNAL == LINUX_BUS
                   ? SIGNAL_BUS : (unsigned)(result->exit_code - EXIT_SIGNAL) & 0xff;
    }
}

/* A program killed by a trap first stops with a signal, so that its state can be inspected. Not
 * under the guest kernel, where the state is that of the kernel. */
void resume_ended(struct session *session)
{
    const struct result *result = &session->machine->result;
    bool is_exit = result->reason == RESULT_EXIT || result->reason == RESULT_MAX_INSNS ||
                   result->reason == RESULT_MAX_CYCLES;
    bool is_trap = result->reason == RESULT_TRAP && session->machine->kernel == NULL;

    session->has_ended = true;
    if (is_exit)
        snprintf(session->stop, sizeof session->stop, "W%02x", result->exit_code & 0xff);
    else if (is_trap && !session->is_dead)
        resume_stop(session, signal_of(result), "");
    else
        snprintf(session->stop, sizeof session->stop, "X%02x", signal_of(result));
    session->is_dead = true;
}
