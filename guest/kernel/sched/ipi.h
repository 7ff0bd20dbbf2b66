/* Translations in page tables, and telling other harts that they changed. */
#ifndef GUEST_KERNEL_SCHED_IPI_H
#define GUEST_KERNEL_SCHED_IPI_H

#include "process/thread.h"

/* A page-table entry with these rights; PROT_NONE keeps the page in an entry that is not valid. */
uint64_t page_bits(uint64_t pa, uint32_t prot);

#endif
