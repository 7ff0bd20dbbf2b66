/* rvsim mem: loads, stores and atomics by level, datum and place in the code. */
#ifndef SIM_CLI_COMMAND_MEM_MEM_H
#define SIM_CLI_COMMAND_MEM_MEM_H

#include "pmu/exact/accesses.h"
#include "prof/symbols/fields.h"
#include "sim/cli/tool/tool.h"

struct job;

/* What the guest kernel accesses: data of its own by name, its start information, devices, and the
 * memory that it hands out. */
#define MEM_IN_KERNEL "_[k]"
#define MEM_BOOT "(start information)" MEM_IN_KERNEL
#define MEM_DEVICES "(devices)" MEM_IN_KERNEL
#define MEM_KERNEL "(kernel)"

/* Data and areas of memory of a program, as accesses know them. */
struct mem_program {
    uint64_t number;                    /* shifted, as in a key (pmu/key.h) */
    char **name;                        /* [objects] */
    struct accesses_object *place;      /* [objects] */
    size_t objects;
    uint32_t first;                     /* number of its first object */
    struct fields fields;
};

/* A sum of rows: of an object, a field, a line, or all. */
struct mem_sum {
    const char *name;
    const char *data;                   /* of a field: its object */
    bool is_user;                       /* under the guest kernel: of accesses in user mode */
    bool tells_mode;                    /* the name shows the mode, as those of kernel routines */
    uint64_t count[ACCESS_KINDS][ACCESS_LEVELS];
    uint64_t cycles[ACCESS_KINDS][ACCESS_LEVELS];   /* of loads and atomics */
};

struct mem {
    struct tool tool;
    struct mem_program *program;        /* [programs] in the order of their first accesses */
    size_t programs;
    uint32_t objects;                   /* of all programs */
    struct accesses *accesses;
    struct trial_result result;
    size_t top;
    const struct job *job;              /* while it runs; NULL */
    enum err err;                       /* of mem_ask, in `diag` */
    struct diag diag;
};

uint64_t mem_count(const struct mem_sum *sum);      /* all accesses */
uint64_t mem_cycles(const struct mem_sum *sum);

/* ---- mem_data.c ------------------------------------------------------------------------------ */

/* accesses_ask, of the struct mem. */
bool mem_ask(void *mem, uint64_t number, struct accesses_map *map);
/* The program of an object; NULL for ACCESSES_NO_OBJECT. */
const struct mem_program *mem_program_of(const struct mem *mem, uint32_t object);
/* The object's name; "(no symbol)" for ACCESSES_NO_OBJECT. */
const char *mem_object_name(const struct mem *mem, uint32_t object);
void mem_free_data(struct mem *mem);

/* ---- mem_report.c ---------------------------------------------------------------------------- */

enum err mem_print(const struct mem *mem, FILE *out, struct diag *diag);
enum err mem_write_csv(void *mem, FILE *out, struct diag *diag);
enum err mem_write_json(void *mem, FILE *out, struct diag *diag);

#endif
