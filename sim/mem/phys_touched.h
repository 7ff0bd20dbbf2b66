/* The pages of RAM that hold data. RAM is large and mostly untouched, and the first access to a
 * page costs the host more time than a look here. */
#ifndef SIM_MEM_PHYS_TOUCHED_H
#define SIM_MEM_PHYS_TOUCHED_H

#include "sim/mem/phys.h"

/* A byte for each page of RAM: 0 if it was never touched, so that it holds zeros. If the host does
 * not show this, every page counts as touched. For free(); NULL: no memory. */
uint8_t *phys_touched(const struct phys *phys);

/* PHYS_PAGE_BYTES bytes. */
static inline bool phys_page_is_zero(const uint8_t *page)
{
    return page[0] == 0 && memcmp(page, page + 1, PHYS_PAGE_BYTES - 1) == 0;
}

#endif
