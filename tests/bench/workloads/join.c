/* A hash join and a sum by group: the probes fall anywhere into a table larger than the caches. */
#include "workload.h"

enum { BUCKETS = 1 << 17, BUILD = 150000, PROBES = 100000, GROUPS = 512 };

struct row { struct row *next; uint64_t key, amount, group; };

static struct row **bucket, *rows;
static uint64_t total[GROUPS];

static uint32_t hash(uint64_t key)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 47);
}

static void setup(void)
{
    bucket = calloc(BUCKETS, sizeof *bucket);
    rows = calloc(BUILD, sizeof *rows);
    for (uint32_t i = 0; i < BUILD; i++) {
        uint64_t key = random_below(4 * BUILD);
        rows[i] = (struct row){.next = bucket[hash(key)], .key = key, .amount = i % 97,
                               .group = random_below(GROUPS)};
        bucket[hash(key)] = &rows[i];
    }
}

uint64_t work(void)
{
    uint64_t found = 0;

    for (uint32_t i = 0; i < PROBES; i++) {
        uint64_t key = random_below(4 * BUILD);
        for (const struct row *row = bucket[hash(key)]; row != NULL; row = row->next)
            if (row->key == key) {
                total[row->group] += row->amount;
                found++;
            }
    }
    for (uint32_t i = 0; i < GROUPS; i++)
        found ^= total[i];
    return found;
}
