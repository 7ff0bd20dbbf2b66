/* Requests of a hart whose clock is ahead of shared time. A request is converted to shared time and
 * its answer to the hart's time. While the request is answered `ahead` is 0, because the further
 * requests that it makes are in shared time already. */
#include "sim/mem/cache/ahead.h"

#include "sim/base/cycle.h"

static uint64_t enter(struct memshared *shared)
{
    uint64_t ahead = shared->ahead;
    shared->ahead = 0;
    return ahead;
}

static struct mem_request in_shared_time(const struct mem_request *request, uint64_t ahead)
{
    struct mem_request shared = *request;
    shared.now = cycles_before(shared.now, ahead);
    return shared;
}

struct mem_answer memshared_read_ahead(struct memshared *shared, const struct mem_request *request,
                                       ahead_read *read)
{
    uint64_t ahead = enter(shared);
    const struct mem_request then = in_shared_time(request, ahead);
    struct mem_answer answer = read(shared, &then);
    answer.first += ahead;
    shared->ahead = ahead;
    return answer;
}

uint64_t memshared_write_ahead(struct memshared *shared, const struct mem_request *request)
{
    uint64_t ahead = enter(shared);
    const struct mem_request then = in_shared_time(request, ahead);
    uint64_t next = memshared_write(shared, &then);
    shared->ahead = ahead;
    return next + ahead;
}

uint64_t memshared_prefetch_ahead(struct memshared *shared, uint64_t pa, uint64_t now,
                                  uint64_t *events)
{
    uint64_t ahead = enter(shared);
    uint64_t arrival = memshared_prefetch(shared, pa, now - ahead, events);
    shared->ahead = ahead;
    return arrival != 0 ? arrival + ahead : 0;
}
