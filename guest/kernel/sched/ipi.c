/* Interrupts between harts, by the machine-mode part of entry.S. */
#include "process/thread.h"

extern uint8_t machine_hart[];

static volatile uint64_t *machine_word(uint32_t hart, unsigned offset)
{
    return (volatile uint64_t *)(void *)(machine_hart + ((size_t)hart << MACHINE_HART_LOG2) +
                                         offset);
}

void ipi_send(uint32_t hart)
{
    volatile uint32_t *msip = (volatile uint32_t *)at_pa(CLINT_PA);

    __asm__ volatile("fence iorw, iorw" : : : "memory");
    msip[hart] = 1;
}

/* Machine mode answers whatever the other hart is doing, so that waiting for it ends. */
void ipi_flush(const struct space *space)
{
    uint64_t asked = 0;
    uint32_t i, self = this_hart()->id;

    __asm__ volatile("sfence.vma\n\tfence.i" : : : "memory");
    for (i = 0; i < boot->harts; i++) {
        if (i == self || harts[i].space == NULL || (space != NULL && harts[i].space != space))
            continue;
        ++*machine_word(i, MACHINE_ASKED);
        ipi_send(i);
        asked |= UINT64_C(1) << i;
    }
    for (i = 0; i < boot->harts; i++)
        while ((asked >> i & 1) != 0 &&
               *machine_word(i, MACHINE_DONE) != *machine_word(i, MACHINE_ASKED))
            ;
    __asm__ volatile("fence" : : : "memory");
}
