/* libprofhw over the machine and its profiler; profhw.h has the contract.
 *
 * The counters of marks that are taken away move to `kept`, by address; the value shown is the sum
 * of those and of the present counters. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/event.h"
#include "sim/base/array.h"
#include "sim/base/config_read.h"
#include "sim/host/paths.h"
#include "sim/host/profhw_internal.h"
#include "sim/run/profiler/profiler_late.h"

enum { METADATA_DEFAULT = 1 << 20 };

/* ---- rows of counters ------------------------------------------------------------------------ */

static bool add_row(struct counts *counts, const struct profhw_count *row)
{
    struct profhw_count *grown = array_grow(counts->row, counts->rows, sizeof *grown);

    if (grown == NULL)
        return false;
    counts->row = grown;
    counts->row[counts->rows++] = *row;
    return true;
}

static int compare_rows(const void *a, const void *b)
{
    const struct profhw_count *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

/* Sorts, and makes one row of those with one address. */
static void fold_rows(struct counts *counts)
{
    size_t rows = 0;

    if (counts->rows != 0)
        qsort(counts->row, counts->rows, sizeof *counts->row, compare_rows);
    for (size_t i = 0; i < counts->rows; i++) {
        struct profhw_count *last = counts->row + rows;

        if (rows != 0 && last[-1].address == counts->row[i].address) {
            last[-1].count += counts->row[i].count;
            last[-1].interrupts += counts->row[i].interrupts;
        } else {
            counts->row[rows++] = counts->row[i];
        }
    }
    counts->rows = rows;
}

/* Adds the hardware's counts since the marks were set. */
static enum err add_current(struct profhw *profhw, struct counts *counts)
{
    const struct profiler_mark *mark;
    enum err err = profiler_collect(profhw->profiler, &profhw->diag);
    size_t marks = err == ERR_OK ? profiler_marks(profhw->profiler, &mark) : 0;

    for (size_t i = 0; i < marks; i++) {
        const struct profhw_count row = {
            .address = mark[i].site->va, .count = mark[i].count,
            .interrupts = mark[i].interrupts, .is_code = mark[i].site->is_code,
        };
        if (!add_row(counts, &row))
            return diag_no_memory(&profhw->diag, "counters");
    }
    fold_rows(counts);
    return err;
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static void serve(void *arg, struct machine *machine, struct cpu *cpu)
{
    struct profhw *profhw = arg;
    const struct pmu *pmu = &cpu->pmu;

    for (unsigned i = 0; i < pmu->queue_length && profhw->on_interrupt != NULL; i++) {
        const struct indicator *indicator = &pmu->queue[(pmu->queue_head + i) % PMU_QUEUE];
        const struct profhw_interrupt interrupt = {
            .hart = (unsigned)cpu->hart.id,
            .instruction_address = indicator->iaddr, .data_address = indicator->daddr,
            .count = indicator->count, .cycles = indicator->cycles, .flags = indicator->flags,
        };
        profhw->on_interrupt(profhw->on_interrupt_arg, &interrupt);
    }
    profiler_serve(profhw->profiler, machine, cpu);
}

void profhw_on_interrupt(struct profhw *profhw,
                         void (*function)(void *arg, const struct profhw_interrupt *interrupt),
                         void *arg)
{
    profhw->on_interrupt = function;
    profhw->on_interrupt_arg = arg;
}

/* ---- opening --------------------------------------------------------------------------------- */

static enum err configure(struct profhw *profhw, const struct profhw_program *program,
                          const char *header)
{
    const char *name = program->config != NULL ? program->config : "default";
    char presets[PATHS_MAX];
    enum err err;

    config_init(&profhw->config);
    paths_of_library(presets, header, "presets");
    err = config_load(&profhw->config, name, presets, &profhw->diag);
    for (const char *const *set = program->set; set != NULL && *set != NULL && err == ERR_OK; set++)
        err = config_set(&profhw->config, *set, &profhw->diag);
    return err == ERR_OK ? config_check_loaded(&profhw->config, name, presets, &profhw->diag) : err;
}

static enum err open_profiler(struct profhw *profhw, size_t metadata_bytes)
{
    const struct profiler_options options = {
        .config = &profhw->config, .image = &profhw->target.image, .meta = &profhw->meta,
        .monitor = MONITOR_HOST,
        .room_bytes = metadata_bytes != 0 ? metadata_bytes : METADATA_DEFAULT,
    };

    return profiler_new(&profhw->profiler, &options, &profhw->diag);
}

/* A library or another program was mapped: stacks lead through it, and its routines have names. */
static uint64_t take_module(void *arg, const char *path, uint64_t bias, bool is_next)
{
    struct profhw *profhw = arg;
    const struct target_module *module;
    uint64_t plain = bias;

    if (profhw->images != NULL)
        bias = images_place(profhw->images, &profhw->target, path, bias, is_next, &plain);
    profiler_module_placed(profhw->profiler, path, bias, plain);
    if (target_add_module(&profhw->target, path, bias, &module, NULL) != ERR_OK || module == NULL)
        return bias;
    profiler_add_module(profhw->profiler, &module->image, NULL);
    target_mark_module(module, &profhw->meta, profhw->profiler, NULL);
    return bias;
}

static void take_page(void *arg, const char *path, uint64_t bias, uint64_t va, uint64_t pa)
{
    struct profhw *profhw = arg;

    profiler_page(profhw->profiler, path, bias, va, pa);
}

static enum err load(struct profhw *profhw, const struct profhw_program *wanted,
                     const char *header)
{
    char kernel[PATHS_MAX];
    char *alone[] = {(char *)(uintptr_t)wanted->path, NULL}, *no_environment[] = {NULL};
    const struct program program = {
        .path = wanted->path, .image = &profhw->target.image,
        .argc = wanted->argc != 0 ? wanted->argc : 1,
        .argv = wanted->argc != 0 ? wanted->argv : alone, .env = no_environment,
        .root = wanted->root, .kernel = kernel,
        .os = wanted->has_kernel ? PROGRAM_OS_KERNEL : PROGRAM_OS_AUTO,
    };
    struct machine *machine = &profhw->machine;
    enum err err = machine_init(machine, &profhw->config, &profhw->diag);

    paths_of_library(kernel, header, "guest/kernel.elf");
    if (err != ERR_OK)
        return err;
    profhw->has_machine = true;
    machine->engine = wanted->is_fast ? ENGINE_FAST : ENGINE_DETAILED;
    machine->counts = true;
    machine->skip = true;
    machine->profiler = profhw->profiler;
    machine->reserve_top_bytes = profiler_reserved_bytes(profhw->profiler);
    machine->monitor = serve;
    machine->monitor_arg = profhw;
    machine->placed = take_module;
    machine->placed_arg = profhw;
    machine->paged = take_page;
    err = machine_load(machine, &program, &profhw->diag);
    if (err == ERR_OK)
        err = copies_follow(&profhw->copies, profhw->profiler, machine, &profhw->diag);
    if (err == ERR_OK)
        err = profiler_attach(profhw->profiler, machine->cpu, machine->harts, &machine->phys,
                              &profhw->diag);
    if (err == ERR_OK && machine->kernel != NULL)
        err = images_open(&profhw->images, machine, wanted->path, NULL, 0, &profhw->diag);
    return err;
}

struct profhw *profhw_open_from(const struct profhw_program *program, const char *header,
                                char error[PROFHW_ERROR])
{
    struct profhw *profhw = calloc(1, sizeof *profhw);
    enum err err;

    if (profhw == NULL) {
        snprintf(error, PROFHW_ERROR, "out of memory");
        return NULL;
    }
    err = configure(profhw, program, header);
    if (err == ERR_OK)
        err = target_open(&profhw->target, program->path, &profhw->diag);
    if (err == ERR_OK)
        err = open_profiler(profhw, program->metadata_bytes);
    if (err == ERR_OK)
        err = load(profhw, program, header);
    if (err == ERR_OK)
        return profhw;
    snprintf(error, PROFHW_ERROR, "%.*s", PROFHW_ERROR - 1, profhw->diag.text);
    profhw_close(profhw);
    return NULL;
}

void profhw_close(struct profhw *profhw)
{
    if (profhw == NULL)
        return;
    images_close(profhw->images);
    copies_free(profhw->copies);
    if (profhw->has_machine)
        machine_free(&profhw->machine);
    profiler_free(profhw->profiler);
    meta_free(&profhw->meta);
    target_close(&profhw->target);
    free(profhw->kept.row);
    free(profhw->shown.row);
    free(profhw);
}

const char *profhw_error(const struct profhw *profhw)
{
    return profhw->diag.text;
}

/* ---- marks and runs -------------------------------------------------------------------------- */

/* Those of profhw->meta, also of libraries that are there. */
static enum err replace_marks(struct profhw *profhw, struct diag *diag)
{
    enum err err = profiler_replace(profhw->profiler, &profhw->meta, diag);

    for (size_t i = 0; i < profhw->target.modules && err == ERR_OK; i++)
        err = target_mark_module(profhw->target.module[i], &profhw->meta, profhw->profiler, diag);
    return err;
}

bool profhw_mark(struct profhw *profhw, const char *metadata)
{
    const struct meta_resolver resolver = target_open_resolver(&profhw->target);
    struct meta old = profhw->meta, meta = {0};
    enum err err = meta_read(&meta, metadata, strlen(metadata), "profhw_mark", &resolver,
                             &profhw->diag);

    if (err == ERR_OK)
        err = add_current(profhw, &profhw->kept);
    if (err != ERR_OK) {
        meta_free(&meta);
        return false;
    }
    profhw->meta = meta;
    err = replace_marks(profhw, &profhw->diag);
    if (err != ERR_OK) {                /* no room: the old marks had some */
        meta_free(&profhw->meta);
        profhw->meta = old;
        replace_marks(profhw, NULL);
    } else {
        meta_free(&old);
    }
    if (err == ERR_OK)
        profhw_follow_ranges(profhw);
    machine_changed(&profhw->machine);
    return err == ERR_OK;
}

bool profhw_run(struct profhw *profhw, uint64_t instructions)
{
    struct machine *machine = &profhw->machine;
    struct limits limits = {0};

    if (instructions != 0)
        limits.max_insns = machine_insns(machine) + instructions;
    if (!machine->ended)
        machine_run(machine, &limits);
    if (machine->result.reason == RESULT_FAILURE) {
        diag_set(&profhw->diag, ERR_INTERNAL, "%s", machine->result.text);
        return false;
    }
    return true;
}

bool profhw_has_ended(const struct profhw *profhw, int *status)
{
    if (!profhw->machine.ended)
        return false;
    *status = profhw->machine.result.exit_code;
    return true;
}

/* ---- results --------------------------------------------------------------------------------- */

bool profhw_counts(struct profhw *profhw, const struct profhw_count **counts, size_t *number)
{
    profhw->shown.rows = 0;
    for (size_t i = 0; i < profhw->kept.rows; i++)
        if (!add_row(&profhw->shown, &profhw->kept.row[i])) {
            diag_no_memory(&profhw->diag, "counters");
            return false;
        }
    if (add_current(profhw, &profhw->shown) != ERR_OK)
        return false;
    *counts = profhw->shown.row;
    *number = profhw->shown.rows;
    return true;
}

uint64_t profhw_count(struct profhw *profhw, uint64_t address, uint64_t bytes)
{
    const struct profhw_count *row;
    uint64_t sum = 0;
    size_t rows;

    if (!profhw_counts(profhw, &row, &rows))
        return 0;
    for (size_t i = 0; i < rows; i++)
        if (row[i].address - address < bytes)
            sum += row[i].count;
    return sum;
}

bool profhw_event(struct profhw *profhw, const char *name, uint64_t *count)
{
    unsigned code = event_by_name(name);

    *count = 0;
    if (code == EVENT_NONE) {
        diag_set(&profhw->diag, ERR_USAGE, "%s: no such event (see rvsim events)", name);
        return false;
    }
    for (unsigned i = 0; i < profhw->machine.harts; i++)
        *count += profhw->machine.cpu[i].pmu.events[code];
    if (profhw->machine.engine == ENGINE_DETAILED || event_is_architectural(code))
        return true;
    diag_set(&profhw->diag, ERR_USAGE, "%s: the fast engine does not count it", name);
    return false;
}

bool profhw_symbol(struct profhw *profhw, const char *name, uint64_t *address, uint64_t *bytes)
{
    const struct symbols_entry *entry = symbols_find(profhw->target.symbols, name);

    if (entry == NULL) {
        diag_set(&profhw->diag, ERR_USAGE, "the program has no symbol '%s'", name);
        return false;
    }
    *address = entry->address;
    *bytes = entry->bytes;
    return true;
}
