/* rvsim mem: the data accesses of a run by level, duration and datum.
 *
 * Every access of a committed instruction counts, without sampling, so sums by level equal the
 * events of the same names. An access belongs to the symbol that contains its address, and to the
 * field of it that has its first byte, or to the heap, the mappings, the stack or the guest kernel
 * of a Linux program. */
#include <stdlib.h>
#include <string.h>

#include "sim/cli/job.h"
#include "sim/cli/mem.h"
#include "sim/run/linux/process.h"

enum { TOP_DEFAULT = 12, AREAS = 4 };
/* Areas of Linux programs: the heap is below the mappings, the mappings are below the stack, and
 * the guest kernel has the upper half. */
#define MAPPINGS UINT64_C(0x2000000000)
#define KERNEL_HALF (UINT64_C(1) << 63)

/* ---- objects --------------------------------------------------------------------------------- */

static void add_object(struct mem *mem, const char *name, uint64_t start, uint64_t end)
{
    size_t count = mem->map.objects;

    if (start >= end)
        return;
    mem->object[count] = (struct mem_object){name, start};
    mem->place[count] = (struct accesses_object){start, end, fields_root_at(&mem->fields, start)};
    mem->map.objects++;
}

/* Where symbols overlap, the addresses belong to the one that begins later. */
static void add_symbols(struct mem *mem, const struct symbols_entry *entry, size_t entries)
{
    for (size_t i = 0; i < entries; i++) {
        struct accesses_object *last = &mem->place[mem->map.objects];

        if (entry[i].is_function || entry[i].bytes == 0)
            continue;
        if (mem->map.objects != 0 && last[-1].start == entry[i].address)
            continue;
        if (mem->map.objects != 0 && last[-1].end > entry[i].address)
            last[-1].end = entry[i].address;
        add_object(mem, entry[i].name, entry[i].address, entry[i].address + entry[i].bytes);
    }
}

static uint64_t image_end(const struct image *image)
{
    uint64_t end = 0;

    for (size_t i = 0; i < image->segment_count; i++) {
        uint64_t last = image->segments[i].vaddr + image->segments[i].mem_bytes;

        end = last > end ? last : end;
    }
    return end;
}

static enum err make_map(struct mem *mem, const struct job *job, struct diag *diag)
{
    const struct symbols_entry *entry;
    size_t entries = symbols_entries(mem->tool.target.symbols, &entry);
    enum err err = fields_read(&mem->fields, mem->tool.target.symbols, diag);

    if (err != ERR_OK)
        return err;
    mem->object = calloc(entries + AREAS, sizeof mem->object[0]);
    mem->place = calloc(entries + AREAS, sizeof mem->place[0]);
    if (mem->object == NULL || mem->place == NULL)
        return diag_no_memory(diag, "data");
    add_symbols(mem, entry, entries);
    if (job->machine.process != NULL) {
        add_object(mem, "(heap)", image_end(&job->target.image), MAPPINGS);
        add_object(mem, "(mappings)", MAPPINGS, PROCESS_STACK_START);
        add_object(mem, "(stack)", PROCESS_STACK_START, PROCESS_STACK_TOP);
        add_object(mem, "(kernel)", KERNEL_HALF, UINT64_MAX);
    }
    mem->map.object = mem->place;
    mem->map.part = mem->fields.part;
    return ERR_OK;
}

const char *mem_object_name(const struct mem *mem, uint32_t object)
{
    return object < mem->map.objects ? mem->object[object].name : "(no symbol)";
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Replaces machine_run. */
static enum err run_followed(void *arg, struct job *job, const struct limits *limits,
                             struct diag *diag)
{
    struct mem *mem = arg;
    struct machine *machine = &job->machine;
    enum err err = make_map(mem, job, diag);

    if (err != ERR_OK)
        return err;
    mem->accesses = accesses_new(&mem->map);
    if (mem->accesses == NULL)
        return diag_no_memory(diag, "accesses");
    for (unsigned i = 0; i < machine->harts; i++) {
        if (!machine_make_engine(machine, i))
            return diag_no_memory(diag, "the machine");
        core_follow_accesses(machine->core[i], mem->accesses);
    }
    machine_run(machine, limits);
    return ERR_OK;
}

static enum err read_options(struct mem *mem, const struct tool_files *files, struct diag *diag)
{
    uint64_t top = TOP_DEFAULT;
    enum err err = tool_files_check(files, diag);

    if (err == ERR_OK && mem->tool.options.profile != NULL)
        err = diag_set(diag, ERR_USAGE, "mem: --profile is for `rvsim record` and a plain run");
    if (err == ERR_OK && mem->tool.options.roi_end != NULL)
        err = diag_set(diag, ERR_USAGE, "mem: follows the run to its end; --roi-end is not taken");
    if (err == ERR_OK)
        err = tool_number(&mem->tool, OPT_MEM_TOP, 0, UINT32_MAX, &top, diag);
    mem->top = top;
    mem->tool.shows_output = command_value(mem->tool.line, OPT_MEM_SHOW_OUTPUT) != NULL;
    return err;
}

static enum err run(struct mem *mem, struct diag *diag)
{
    const struct tool_files files = {command_value(mem->tool.line, OPT_MEM_CSV),
                                     command_value(mem->tool.line, OPT_MEM_JSON)};
    const struct trial trial = {.what = "following accesses", .slices = run_followed,
                                .slices_arg = mem};
    const struct accesses_row *row;
    size_t rows;
    enum err err = read_options(mem, &files, diag);

    if (err == ERR_OK)
        err = tool_run(&mem->tool, &trial, &mem->result, diag);
    if (err == ERR_OK && !accesses_rows(mem->accesses, &row, &rows))
        err = diag_no_memory(diag, "accesses");
    if (err == ERR_OK && !tool_files_take_output(&files))
        err = mem_print(mem, stdout, diag);
    return err == ERR_OK ? tool_files_write(&files, mem_write_csv, mem_write_json, mem, diag)
                         : err;
}

int command_mem(const struct command_line *line)
{
    struct mem mem = {.top = 0};
    struct diag diag = {""};
    enum err err = tool_open(&mem.tool, "mem", line, TOOL_CYCLES, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    mem.tool.takes_any_end = true;
    err = run(&mem, &diag);
    profile_free(&mem.result.profile);
    accesses_free(mem.accesses);
    fields_free(&mem.fields);
    free(mem.object);
    free(mem.place);
    return tool_end(&mem.tool, err, &diag);
}
