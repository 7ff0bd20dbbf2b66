/* The tree of call stacks of a hart's samples, from the outermost frame to the leaf.
 *
 * The walk reads user memory through the page tables of the target's space, without the lock: the
 * target does not run, so that its space stays, and a page that goes meanwhile ends the walk. */
#include "pmu/key.h"
#include "pmu/monitor/monitor.h"
#include "process/process.h"
#include "profile/sampler.h"

enum { REG_S0 = 8, PA_SHIFT = 10 };

static bool read_user(void *root, unsigned long long va, unsigned long long *value)
{
    const uint64_t *entry = va < USER_END ? page_entry(*(const uint64_t *)root, va, false) : NULL;
    uint64_t pte = entry != NULL ? *entry : 0;

    if ((pte & (PTE_V | PTE_R | PTE_U)) != (PTE_V | PTE_R | PTE_U))
        return false;
    *value = *(const uint64_t *)((uint8_t *)at_pa(pte >> PA_SHIFT << 12) + (va & PAGE_MASK));
    return true;
}

/* Of a program whose table is in the list of its own. */
static const struct monitor_frames no_frames;

static void walk(const struct kernel_sampler *area, const struct thread *thread,
                 struct monitor_stack *stack)
{
    const uint64_t *reg = thread->frame->reg;
    uint64_t root = thread->process->space->root;
    const uint64_t *list = at_pa(area->programs_pa);
    uint32_t program = thread->process->program;
    const struct monitor_modules *tables =
        program < SAMPLER_PROGRAMS && list[program] != 0 ? at_pa(list[program]) : NULL;
    struct unwind u = {
        .read = read_user, .arg = &root, .pc = reg[REG_PC], .ra = reg[REG_RA], .sp = reg[REG_SP],
        .fp = reg[REG_S0], .frames = at_pa(area->frames_pa),
    };

    /* Rules kept from earlier walks are the first program's. */
    if (program == 0)
        u.rules = at_pa(area->rules_pa);
    else
        u.frames = &no_frames;
    if (tables != NULL) {
        u.module = (const struct monitor_frames *const *)tables->frames;
        u.modules = (unsigned)tables->count;
    }

    monitor_walk(&u, stack);
}

/* The child of a node with this pc, made if need be; 0: no room. */
static uint32_t child_of(struct sampler *sampler, uint32_t parent, uint64_t pc)
{
    struct kernel_sampler_node *node = sampler->node;
    uint32_t at = node[parent].child;

    while (at != 0 && node[at].pc != pc)
        at = node[at].next;
    if (at != 0 || sampler->area->used == sampler->area->nodes)
        return at;
    at = (uint32_t)sampler->area->used++;
    node[at].pc = pc;
    node[at].next = node[parent].child;
    node[parent].child = at;
    return at;
}

uint32_t sample_tree_add(struct sampler *sampler, const struct thread *thread, bool *is_whole)
{
    struct monitor_stack stack;
    uint64_t program = (uint64_t)thread->process->program << KEY_SHIFT;
    uint32_t leaf = 0;
    unsigned i;

    walk(sampler->area, thread, &stack);
    sampler->area->walks++;
    *is_whole = stack.walk == MONITOR_WALK_OK;
    if (!*is_whole)
        leaf = child_of(sampler, 0, stack.walk == MONITOR_WALK_TRUNCATED ? SAMPLER_CUT_DEEP
                                                                         : SAMPLER_CUT_BROKEN);
    if (*is_whole || leaf != 0)
        for (i = stack.depth; i > 0; i--) {
            leaf = child_of(sampler, leaf, key_of(program, stack.address[i - 1]));
            if (leaf == 0)
                break;
        }
    if (leaf == 0)
        sampler->area->full++;
    return leaf;
}
