/* Registers by gdb's numbers: x0 to x31, pc, f0 to f31, the control and status registers by their
 * own numbers after those, then the privilege. */
#include <string.h>

#include "isa/csr.h"
#include "sim/core/csr_access.h"
#include "sim/debug/registers.h"
#include "sim/debug/session_internal.h"
#include "sim/host/state.h"

enum { X_COUNT = 32 };

/* The registers of the hart, or of the thread that no hart runs, selected by packet H. */
static bool looked_view(const struct session *session, struct hart *view)
{
    struct asleep asleep;

    if (session->sleeper == 0) {
        state_view(session->machine, session->looked_from, view);
        return true;
    }
    *view = (struct hart){.pc = 0};
    if (!threads_find(session, session->sleeper, &asleep))
        return false;
    memcpy(view->reg, asleep.task.reg, X_COUNT * sizeof view->reg[0]);
    memcpy(&view->reg[REG_F0], asleep.task.fp, X_COUNT * sizeof view->reg[0]);
    view->pc = view->reg[TASKS_PC];
    view->reg[0] = 0;
    return true;
}

static unsigned xlen_bytes(const struct session *session)
{
    return session->machine->xlen / 8;
}

unsigned registers_csr(unsigned xlen, unsigned number, bool *is_high)
{
    unsigned whole = csr_whole(number, is_high);

    return csr_name(number) == NULL || (*is_high && xlen != 32) ? REGISTERS_CSRS : whole;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_csr(const struct session *session, unsigned number, uint64_t *value)
{
    struct cpu *cpu = &session->machine->cpu[session->looked_from];
    bool is_high;
    uint64_t modify;
    unsigned whole = registers_csr(session->machine->xlen, number, &is_high);

    if (whole == REGISTERS_CSRS || session->sleeper != 0 ||
        !cpu_csr_read(cpu, whole, value, &modify))
        return false;
    *value >>= is_high ? 32 : 0;
    return true;
}

/* Reads a register. Returns its size in bytes; 0: no such register. */
static unsigned read(const struct session *session, const struct hart *view, uint64_t number,
                     uint64_t *value)
{
    if (number == REGISTERS_PC)
        *value = view->pc;
    else if (number < X_COUNT)
        *value = view->reg[number];
    else if (number < REGISTERS_CSR)
        *value = view->reg[REG_F0 + number - REGISTERS_F0];
    else if (number == REGISTERS_PRIV)
        *value = view->priv;
    else if (number > REGISTERS_PRIV ||
             !read_csr(session, (unsigned)(number - REGISTERS_CSR), value))
        return 0;
    return number >= REGISTERS_F0 && number < REGISTERS_CSR ? 8 : xlen_bytes(session);
}

enum outcome handle_read_registers(struct session *session, const char *arguments, size_t length)
{
    struct hart view;
    uint64_t value;

    (void)arguments, (void)length;
    if (!looked_view(session, &view))
        return reply_error(session, FAULT_ARGUMENT);
    for (unsigned i = 0; i < REGISTERS_CSR; i++) {
        unsigned bytes = read(session, &view, i, &value);

        reply_value(session, value, bytes);
    }
    return OUTCOME_ANSWERED;
}

enum outcome handle_read_register(struct session *session, const char *arguments, size_t length)
{
    struct hart view;
    uint64_t number, value = 0;
    unsigned bytes;

    (void)length;
    if (!take_hex(&arguments, &number) || *arguments != '\0')
        return reply_error(session, FAULT_ARGUMENT);
    if (!looked_view(session, &view))
        return reply_error(session, FAULT_ARGUMENT);
    bytes = read(session, &view, number, &value);
    if (bytes == 0 && session->sleeper != 0 && number < REGISTERS_PRIV) {
        for (unsigned i = 0; i < xlen_bytes(session); i++)
            reply_text(session, "xx");      /* only harts have control and status registers */
        return OUTCOME_ANSWERED;
    }
    if (bytes == 0)
        return reply_error(session, FAULT_ARGUMENT);
    reply_value(session, value, bytes);
    return OUTCOME_ANSWERED;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool write_csr(const struct session *session, unsigned number, uint64_t value)
{
    struct cpu *cpu = &session->machine->cpu[session->looked_from];
    bool is_high;
    uint64_t old, modify, low = UINT32_MAX;
    unsigned whole = registers_csr(session->machine->xlen, number, &is_high);

    if (whole == REGISTERS_CSRS || !cpu_csr_read(cpu, whole, &old, &modify))
        return false;
    if (is_high)
        value = (old & low) | value << 32;
    else if (session->machine->xlen == 32)
        value = (old & ~low) | (value & low);
    return state_set_csr(cpu, whole, value);
}

/* Sets a register of a thread that waits. False for a thread for which a hart executes kernel code:
 * its saved registers may be changing. */
static bool write_asleep(const struct session *session, uint64_t number, uint64_t value)
{
    struct asleep asleep;

    for (unsigned i = 0; i < session->machine->harts; i++)
        if (threads_on(session, i) == session->sleeper)
            return false;
    if (number >= REGISTERS_CSR || !threads_find(session, session->sleeper, &asleep))
        return false;
    if (number == REGISTERS_PC)
        number = TASKS_PC;
    else if (number >= REGISTERS_F0)
        number = number - REGISTERS_F0 + TASKS_FP;
    else if (number == 0)
        return true;
    return tasks_set_register(session->machine, &asleep.task, (unsigned)number, value);
}

static bool write(const struct session *session, uint64_t number, uint64_t value)
{
    struct cpu *cpu = &session->machine->cpu[session->looked_from];
    struct hart *hart = &cpu->hart;

    if (session->sleeper != 0)
        return write_asleep(session, number, value);
    if (number == REGISTERS_PC) {
        state_set_word(hart, &hart->pc, hart_address(hart, value));
    } else if (number < X_COUNT) {
        if (number != 0)
            state_set_word(hart, &hart->reg[number], hart_value(hart, value));
    } else if (number < REGISTERS_CSR) {
        state_set_word(hart, &hart->reg[REG_F0 + number - REGISTERS_F0], value);
    } else if (number == REGISTERS_PRIV) {
        if (value != PRIV_U && value != PRIV_S && value != PRIV_M)
            return false;
        hart->priv = (uint8_t)value;
        cpu_privilege_changed(cpu);
    } else {
        return number < REGISTERS_PRIV &&
               write_csr(session, (unsigned)(number - REGISTERS_CSR), value);
    }
    return true;
}

static bool take_value(const char **at, unsigned bytes, uint64_t *value)
{
    uint8_t byte[8];

    *value = 0;
    if (!take_bytes(at, byte, bytes))
        return false;
    for (unsigned i = 0; i < bytes; i++)
        *value |= (uint64_t)byte[i] << 8 * i;
    return true;
}

enum outcome handle_write_register(struct session *session, const char *arguments, size_t length)
{
    uint64_t number, value;
    unsigned bytes;

    (void)length;
    if (session->is_inside)
        return OUTCOME_OUTSIDE;
    if (!take_hex(&arguments, &number) || !take_char(&arguments, '='))
        return reply_error(session, FAULT_ARGUMENT);
    bytes = number >= REGISTERS_F0 && number < REGISTERS_CSR ? 8 : xlen_bytes(session);
    if (!take_value(&arguments, bytes, &value) || *arguments != '\0' ||
        !write(session, number, value))
        return reply_error(session, FAULT_ARGUMENT);
    machine_changed(session->machine);
    return reply_ok(session);
}

/* Sets as many registers as the packet has, in the order of `g`. A register that is cut off is not
 * changed. */
enum outcome handle_write_registers(struct session *session, const char *arguments, size_t length)
{
    uint64_t value;

    if (session->is_inside)
        return OUTCOME_OUTSIDE;
    for (size_t i = 0; i < length; i++)
        if (packet_digit(arguments[i]) < 0)
            return reply_error(session, FAULT_ARGUMENT);
    for (unsigned i = 0; i < REGISTERS_CSR; i++) {
        if (!take_value(&arguments, i < REGISTERS_F0 ? xlen_bytes(session) : 8, &value))
            break;
        if (!write(session, i, value))
            return reply_error(session, FAULT_ARGUMENT);
    }
    machine_changed(session->machine);
    return reply_ok(session);
}
