/* An address space over a little memory, and an MMU that reads its page tables. */
#ifndef TESTS_SIM_RUN_SPACE_H
#define TESTS_SIM_RUN_SPACE_H

#include "sim/mem/translate/mmu.h"
#include "sim/run/linux/vm.h"

enum { PAGE = PHYS_PAGE_BYTES, RAM_PAGES = 256, RW = VM_READ | VM_WRITE };
#define BASE UINT64_C(0x20000000)
#define MAP_TOP UINT64_C(0x3f00000000)
#define POOL_START (PHYS_RAM_BASE + 16 * PAGE)

static struct phys phys;
static struct vm vm;
static struct hart hart;
static struct mmu mmu;

static inline int set_up(void **state)
{
    (void)state;
    assert_true(phys_init(&phys, RAM_PAGES * PAGE));
    assert_true(vm_init(&vm, &phys, POOL_START, PHYS_RAM_BASE + RAM_PAGES * PAGE, MAP_TOP));
    memset(&hart, 0, sizeof hart);
    hart.priv = PRIV_U;
    hart.satp = vm_satp(&vm);
    hart.pmpcfg[0] = 0x1f;
    hart.pmpaddr[0] = (UINT64_C(1) << 54) - 1;
    hart.pmp_active = 1;
    mmu_init(&mmu, &hart, &phys);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    mmu_free(&mmu);
    vm_free(&vm);
    phys_free(&phys);
    return 0;
}

static inline int map(uint64_t start, uint64_t pages, unsigned prot)
{
    struct vm_region region = {.start = start, .end = start + pages * PAGE, .prot = prot};

    return vm_map(&vm, &region);
}

/* The value that the program itself would read. */
static inline enum trap_cause see(uint64_t va, enum mmu_access access)
{
    uint64_t pa;

    return mmu_probe(&mmu, va, access, PRIV_U, &pa);
}

static inline uint64_t load(uint64_t va)
{
    uint64_t value = 0;

    assert_true(vm_read(&vm, va, &value, sizeof value));
    return value;
}

static inline void store(uint64_t va, uint64_t value)
{
    assert_true(vm_write(&vm, va, &value, sizeof value));
}

#endif
