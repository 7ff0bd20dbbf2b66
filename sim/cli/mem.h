/* rvsim mem: loads, stores and atomics by level, datum and place in the code. */
#ifndef SIM_CLI_MEM_H
#define SIM_CLI_MEM_H

#include "pmu/accesses.h"
#include "prof/fields.h"
#include "sim/cli/tool.h"

/* A datum or an area of memory. */
struct mem_object { const char *name; uint64_t start; };

/* A sum of rows: of an object, a field, a line, or all. */
struct mem_sum {
    const char *name;
    const char *data;                   /* of a field: its object */
    uint64_t count[ACCESS_KINDS][ACCESS_LEVELS];
    uint64_t cycles[ACCESS_KINDS][ACCESS_LEVELS];   /* of loads and atomics */
};

struct mem {
    struct tool tool;
    struct mem_object *object;          /* [map.objects] */
    struct accesses_object *place;      /* of the map */
    struct accesses_map map;
    struct fields fields;
    struct accesses *accesses;
    struct trial_result result;
    size_t top;
};

uint64_t mem_count(const struct mem_sum *sum);      /* all accesses */
uint64_t mem_cycles(const struct mem_sum *sum);
/* "(no symbol)" of ACCESSES_NO_OBJECT. */
const char *mem_object_name(const struct mem *mem, uint32_t object);

/* ---- mem_report.c ---------------------------------------------------------------------------- */

enum err mem_print(const struct mem *mem, FILE *out, struct diag *diag);
enum err mem_write_csv(void *mem, FILE *out, struct diag *diag);
enum err mem_write_json(void *mem, FILE *out, struct diag *diag);

#endif
