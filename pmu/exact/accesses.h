/* The data accesses of committed instructions: number and duration by instruction, mode, object,
 * field and level. The oracle profile feeds this table; those of the resident monitor are left out.
 *
 * Levels are those of the events dcache_hit, l2_hit, l3_hit, store_forwarded and their misses, so
 * that sums over rows are these events. Rows lie in a hash table that grows; an object is found by
 * its address when the access commits, in the map of its program. Owned by the machine; NULL while
 * no tool uses it. */
#ifndef PMU_EXACT_ACCESSES_H
#define PMU_EXACT_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_KINDS };
enum access_level {
#define ACCESS_LEVEL(id, name, meaning) ACCESS_##id,
#include "pmu/exact/access_level.def"
#undef ACCESS_LEVEL
    ACCESS_LEVELS
};
#define ACCESSES_NO_OBJECT UINT32_MAX

/* A part of an object or of another part: a member, an array, the whole. */
struct accesses_part {
    uint64_t start, end;            /* bytes of an element of the part around it */
    uint64_t stride;                /* bytes of an element of an array; 0: it is none */
    uint32_t first, parts;          /* what an element consists of, by address; none: a field */
};

/* Objects of a program by address; none overlaps another. */
struct accesses_object {
    uint64_t start, end;            /* keys */
    uint32_t part;                  /* the whole object; 0: its parts are unknown */
};
struct accesses_map {
    const struct accesses_object *object;
    size_t objects;
    const struct accesses_part *part;       /* part[0] is none */
};
/* Asks for the objects of a program, shifted as in a key, at its first access; those of the kernel
 * belong to program 0. The map is zero, and stays valid as long as the table. False: no memory. */
typedef bool accesses_ask(void *arg, uint64_t program, struct accesses_map *map);

struct access {
    uint64_t pc, va;                /* keys (pmu/key.h) */
    uint64_t events;                /* EVENT_BIT mask of the instruction */
    enum access_kind kind;
    bool is_user;                   /* in user mode */
    enum access_level store_level;  /* of a store that missed L1 */
    uint32_t cycles;                /* loads and atomics: from address to data */
};

struct accesses_row {
    uint64_t pc;
    uint32_t object;                /* numbered over all maps, in the order in which they were
                                     * asked for; or ACCESSES_NO_OBJECT */
    uint32_t part;                  /* of its map, the innermost that has the first byte, or 0 */
    uint8_t kind, level;
    bool is_user;
    uint64_t count, cycles;
};

struct accesses;

/* NULL: no memory. */
struct accesses *accesses_new(accesses_ask *ask, void *arg);
void accesses_free(struct accesses *accesses);      /* NULL is allowed */
/* For a kernel that maps all of physical memory from `map` on: addresses of machine mode, which are
 * physical, count as their addresses in that map. */
void accesses_set_kernel(struct accesses *accesses, uint64_t map);

/* The level at which an access found its line. */
enum access_level accesses_level(const struct access *access);
void accesses_add(struct accesses *accesses, const struct access *access);

/* The rows in any order; rows with count 0 are free. False: some rows are missing, for lack of
 * memory. */
bool accesses_rows(const struct accesses *accesses, const struct accesses_row **row, size_t *rows);

/* "L1"; "the L1 data cache, ..." */
const char *access_level_name(unsigned level);
const char *access_level_meaning(unsigned level);

#endif
