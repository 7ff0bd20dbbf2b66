/* Registers of the profiling hardware that are a thread's because it uses them (CSR_PROF_OWN):
 * gates that its start marks have opened, hints in its stream that are pending, counters that its
 * code has programmed. One read tells a switch that there are none. */
#include "process/process.h"
#include "profile/section.h"

enum { FIRST_PAIR = 32, HINT_BIT = 32 };

static unsigned first_register(unsigned bit)
{
    if (bit < FIRST_PAIR)
        return PROF_REG_GATE + PROF_GATE_WORDS * bit + PROF_GATE_OPEN;
    return bit == HINT_BIT ? PROF_REG_HINT + 2 * HINT_AT_SUPERVISOR
                           : PROF_REG_EVENT + bit - PROF_OWN_COUNTER;
}

static unsigned second_register(unsigned bit)
{
    return bit == HINT_BIT ? first_register(bit) + 1 : PROF_REG_COUNTER + bit - PROF_OWN_COUNTER;
}

static uint64_t swap(unsigned number, uint64_t value)
{
    csr_write(CSR_PROF_SINDEX, number);
    return csr_swap(CSR_PROF_SDATA, value);
}

static bool is_used(uint64_t in_use, unsigned bit) { return (in_use >> bit & 1) != 0; }

/* Gates close first, so that their counters do not count the rest. Own NULL: all is lost. */
static void take(struct thread_own *own, uint64_t in_use)
{
    unsigned bit;

    for (bit = 0; bit < OWN_BITS; bit++)
        if (is_used(in_use, bit)) {
            uint64_t first = swap(first_register(bit), 0);
            uint64_t second = bit < FIRST_PAIR ? 0 : swap(second_register(bit), 0);

            if (own != NULL) {
                own->word[2 * bit] = first;
                own->word[2 * bit + 1] = second;
            }
        }
    csr_write(CSR_PROF_OWN, 0);
}

static void give(const struct thread_own *own)
{
    unsigned bit;

    csr_write(CSR_PROF_OWN, own->in_use);
    for (bit = OWN_BITS; bit-- > 0;)
        if (is_used(own->in_use, bit)) {
            swap(first_register(bit), own->word[2 * bit]);
            if (bit >= FIRST_PAIR)
                swap(second_register(bit), own->word[2 * bit + 1]);
        }
}

static struct thread_own *own_of(struct thread *thread)
{
    if (thread->own == NULL)
        thread->own = memory_new(sizeof *thread->own);
    return thread->own;
}

void own_switch(struct thread *from, const struct thread *to, uint64_t in_use)
{
    struct thread_own *own = in_use != 0 ? own_of(from) : from->own;

    if (own != NULL)
        own->in_use = in_use;
    if (in_use != 0)
        take(own, in_use);
    if (to->own != NULL && to->own->in_use != 0)
        give(to->own);
}

void own_inherit(struct thread *child)
{
    uint64_t gates = (uint32_t)own_in_use();
    struct thread_own *own = gates != 0 ? own_of(child) : NULL;
    unsigned bit;

    if (own == NULL)
        return;
    own->in_use = gates;
    for (bit = 0; bit < FIRST_PAIR; bit++) {
        csr_write(CSR_PROF_SINDEX, first_register(bit));
        own->word[2 * bit] = csr_read(CSR_PROF_SDATA);
    }
}

void own_forget(struct thread *thread)
{
    uint64_t in_use = csr_read(CSR_PROF_OWN);

    if (in_use != 0)
        take(NULL, in_use);
    if (thread->own != NULL)
        memory_free(thread->own, sizeof *thread->own);
    thread->own = NULL;
}
