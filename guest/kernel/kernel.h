/* Used by every part of the kernel: types, lists, the hart's registers, memory, the one lock.
 *
 * One lock, taken at every entry from user code and given back on the way out, guards everything
 * the kernel keeps: no part below has locks of its own. Interrupts are off in S-mode; the kernel
 * itself never traps, since it reads user memory through its own map of physical memory. */
#ifndef GUEST_KERNEL_KERNEL_H
#define GUEST_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errno.h"
#include "layout.h"
#include "pmu/abi.h"
#include "pmu/abi_kernel.h"

enum { PAGE_BYTES = 4096, PAGE_MASK = PAGE_BYTES - 1 };
#define NEVER UINT64_MAX

#define container_of(at, type, member) ((type *)(void *)((char *)(at) - offsetof(type, member)))

/* ---- lists ----------------------------------------------------------------------------------- */
struct list { struct list *next, *before; };

static inline void list_init(struct list *list) { list->next = list->before = list; }
static inline bool list_is_empty(const struct list *list) { return list->next == list; }
/* Puts `item` before `at`: at the end of the list whose head is `at`. */
static inline void list_add(struct list *at, struct list *item)
{
    item->next = at;
    item->before = at->before;
    at->before->next = item;
    at->before = item;
}
/* May also be called for an item that is in no list. */
static inline void list_remove(struct list *item)
{
    item->before->next = item->next;
    item->next->before = item->before;
    list_init(item);
}

/* ---- registers of the hart ------------------------------------------------------------------- */
/* A register's own name, or a macro of its number. */
#define CSR_TEXT_(name) #name
#define CSR_TEXT(name) CSR_TEXT_(name)
#define csr_read(name) \
    __extension__({ \
        uint64_t value_; \
        __asm__ volatile("csrr %0, " CSR_TEXT(name) : "=r"(value_)); \
        value_; \
    })
#define csr_write(name, value) \
    __asm__ volatile("csrw " CSR_TEXT(name) ", %0" : : "r"((uint64_t)(value)) : "memory")
#define csr_clear(name, bits) \
    __asm__ volatile("csrc " CSR_TEXT(name) ", %0" : : "r"((uint64_t)(bits)) : "memory")
#define csr_set(name, bits) \
    __asm__ volatile("csrs " CSR_TEXT(name) ", %0" : : "r"((uint64_t)(bits)) : "memory")
/* Returns the old value. */
#define csr_swap(name, value) \
    __extension__({ \
        uint64_t old_; \
        __asm__ volatile("csrrw %0, " CSR_TEXT(name) ", %z1" \
                         : "=r"(old_) : "rJ"((uint64_t)(value)) : "memory"); \
        old_; \
    })

static inline uint64_t now(void) { return csr_read(time); }     /* in ticks */

/* ---- memory ---------------------------------------------------------------------------------- */
static inline void *at_pa(uint64_t pa) { return (void *)(pa + KERNEL_MAP); }
static inline uint64_t pa_of(const void *at) { return (uint64_t)at - KERNEL_MAP; }
static inline uint64_t page_of(uint64_t va) { return va & ~(uint64_t)PAGE_MASK; }
static inline uint64_t page_up(uint64_t va) { return page_of(va + PAGE_MASK); }

void memory_init(const struct kernel_boot *boot);
/* A zeroed page with one owner; 0: no memory. */
uint64_t frame_new(void);
/* The same without zeros: the caller writes all of it. */
uint64_t frame_new_dirty(void);
void frame_share(uint64_t pa);              /* adds an owner */
void frame_free(uint64_t pa);               /* removes an owner */
bool frame_is_shared(uint64_t pa);
uint64_t frames_left(void);
/* Zeroed; NULL: no memory. At most a page. The size is told again when it is given back. */
void *memory_new(size_t bytes);
void memory_free(void *at, size_t bytes);
void *stack_new(void);                      /* STACK_BYTES; NULL: no memory */
void stack_free(void *stack);
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);

/* ---- the machine ----------------------------------------------------------------------------- */
extern const struct kernel_boot *const boot;

void kernel_lock(void);
void kernel_unlock(void);
/* How often the lock has been released: later for whoever holds it later. */
extern struct kernel_tickets { uint32_t next, serving; } kernel_tickets;
static inline uint32_t kernel_order(void)
{
    return __atomic_load_n(&kernel_tickets.serving, __ATOMIC_RELAXED);
}
_Noreturn void panic(const char *text);
void note(const char *text);                /* a line on the simulator's standard error */

uint64_t ticks_to_ns(uint64_t ticks);
uint64_t ns_to_ticks(uint64_t ns);          /* rounded up; NEVER stays */

/* Performs a call of the host and returns its result. */
int64_t host_call(struct kernel_call *call);
int64_t host_simple(enum kernel_op op, uint64_t a, uint64_t b, uint64_t c, uint64_t d);

#endif
