/* The regions of an address space by address: a list for neighbours, and a tree for finding.
 *
 * The tree is a treap: ordered by address, and a heap by `rank`, which is drawn from the address.
 * Its depth is the logarithm of the number of regions. Each region knows the room in front of it
 * (`gap`), and the largest room in its subtree (`largest`), by which a search for room finds its
 * way. Both change only where a region comes or goes. */
#include "memory/space.h"

static struct region *region_at(struct list *link)
{
    return container_of(link, struct region, link);
}

/* ---- the tree -------------------------------------------------------------------------------- */

static uint64_t largest_of(const struct region *region)
{
    return region != NULL ? region->largest : 0;
}

static struct region *measured(struct region *region)
{
    uint64_t left = largest_of(region->left), right = largest_of(region->right);

    region->largest = left > right ? left : right;
    if (region->gap > region->largest)
        region->largest = region->gap;
    return region;
}

/* Joins two trees; all of `low` is below all of `high`. */
static struct region *merge(struct region *low, struct region *high)
{
    if (low == NULL || high == NULL)
        return low != NULL ? low : high;
    if (low->rank > high->rank) {
        low->right = merge(low->right, high);
        return measured(low);
    }
    high->left = merge(low, high->left);
    return measured(high);
}

/* The parts of a tree below and from an address on. */
static void divide(struct region *at, uint64_t va, struct region **low, struct region **high)
{
    if (at == NULL) {
        *low = *high = NULL;
    } else if (at->start < va) {
        divide(at->right, va, &at->right, high);
        *low = measured(at);
    } else {
        divide(at->left, va, low, &at->left);
        *high = measured(at);
    }
}

static struct region *with(struct region *at, struct region *new)
{
    if (at == NULL || new->rank > at->rank) {
        divide(at, new->start, &new->left, &new->right);
        return measured(new);
    }
    if (new->start < at->start)
        at->left = with(at->left, new);
    else
        at->right = with(at->right, new);
    return measured(at);
}

static struct region *without(struct region *at, const struct region *gone)
{
    if (at == gone)
        return merge(at->left, at->right);
    if (gone->start < at->start)
        at->left = without(at->left, gone);
    else
        at->right = without(at->right, gone);
    return measured(at);
}

/* Updates the sizes above the region, whose gap has changed. */
static void measure_path(struct region *at, const struct region *to)
{
    if (at != to)
        measure_path(to->start < at->start ? at->left : at->right, to);
    measured(at);
}

/* ---- coming and going ------------------------------------------------------------------------ */

static uint64_t end_before(const struct space *space, const struct region *region)
{
    if (region->link.before != &space->regions)
        return region_at(region->link.before)->end;
    return region->start < USER_START ? region->start : USER_START;
}

/* The gap in front of the region at this place of the list has changed: measures it again. */
static void measure_gap(struct space *space, struct list *link)
{
    struct region *region = region_at(link);

    if (link == &space->regions)
        return;
    region->gap = region->start - end_before(space, region);
    measure_path(space->tree, region);
}

void region_add(struct space *space, struct region *region)
{
    struct region *next = space_next(space, region->start);

    list_add(next != NULL ? &next->link : &space->regions, &region->link);
    region->gap = region->start - end_before(space, region);
    region->rank = (uint32_t)((region->start >> 12) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    space->tree = with(space->tree, region);
    measure_gap(space, region->link.next);
}

void region_remove(struct space *space, struct region *region)
{
    struct list *next = region->link.next;

    if (space->last == region)
        space->last = NULL;
    space->tree = without(space->tree, region);
    list_remove(&region->link);
    measure_gap(space, next);
}

/* How far from the region before this one stays: as in Linux. */
static uint64_t guard_bytes(const struct space *space, const struct region *region)
{
    const struct region *before = region->link.before != &space->regions
                                      ? region_at(region->link.before) : NULL;

    return before == NULL || before->prot == 0 || (before->flags & REGION_GROWS)
               ? 0 : 256 * PAGE_BYTES;
}

/* It may become as large as a stack. */
struct region *region_grown(struct space *space, uint64_t va)
{
    struct region *region = space_next(space, va);

    va = page_of(va);
    if (region == NULL || !(region->flags & REGION_GROWS) || va >= region->start ||
        region->end - va > space->stack_limit ||
        va - end_before(space, region) < guard_bytes(space, region))
        return NULL;
    region_remove(space, region);
    region->start = va;
    region_add(space, region);
    return region;
}

/* ---- finding --------------------------------------------------------------------------------- */

static bool is_first_above(const struct space *space, const struct region *region, uint64_t va)
{
    return region != NULL && region->end > va && end_before(space, region) <= va;
}

struct region *space_next(struct space *space, uint64_t va)
{
    struct region *at = space->tree, *found = NULL;

    if (is_first_above(space, space->last, va))
        return space->last;
    while (at != NULL) {
        bool is_above = at->end > va;

        found = is_above ? at : found;
        at = is_above ? at->left : at->right;
    }
    space->last = found != NULL ? found : space->last;
    return found;
}

struct region *space_region(struct space *space, uint64_t va)
{
    struct region *region = space_next(space, va);

    return region != NULL && region->start <= va ? region : NULL;
}

bool space_is_used(struct space *space, uint64_t va, uint64_t bytes)
{
    struct region *region = space_next(space, va);

    return region != NULL && region->start < va + bytes;
}

/* The highest region that starts at `end` or below, with that much room before it. */
static struct region *highest_with_room(struct region *at, uint64_t end, uint64_t bytes)
{
    struct region *found = NULL;

    if (largest_of(at) < bytes)
        return NULL;
    if (at->start <= end)
        found = highest_with_room(at->right, end, bytes);
    if (found == NULL && at->start <= end && at->gap >= bytes)
        found = at;
    return found != NULL ? found : highest_with_room(at->left, end, bytes);
}

/* The highest free place. */
uint64_t space_gap(struct space *space, uint64_t bytes)
{
    const struct region *above = space_next(space, MAP_END - 1), *region;
    uint64_t start = above == NULL || above->start > MAP_END ? MAP_END : above->start;
    uint64_t end = above != NULL ? end_before(space, above)
                   : list_is_empty(&space->regions) ? USER_START
                                                    : region_at(space->regions.before)->end;

    if (start >= end + bytes)
        return start - bytes;
    region = highest_with_room(space->tree, MAP_END, bytes);
    return region != NULL ? region->start - bytes : 0;
}
