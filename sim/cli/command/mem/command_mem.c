/* rvsim mem: the data accesses of a run by level, duration and datum.
 *
 * Every access of a committed instruction counts, without sampling, so sums by level equal the
 * events of the same names. Under the guest kernel, accesses in user mode and those of the kernel
 * are rows of their own. */
#include "pmu/abi_kernel.h"
#include "sim/cli/command/mem/mem.h"
#include "sim/cli/job/job.h"

enum { TOP_DEFAULT = 12 };

/* ---- the run --------------------------------------------------------------------------------- */

/* Replaces machine_run. */
static enum err run_followed(void *arg, struct job *job, const struct limits *limits,
                             struct diag *diag)
{
    struct mem *mem = arg;
    struct machine *machine = &job->machine;

    mem->job = job;
    mem->accesses = accesses_new(mem_ask, mem);
    if (mem->accesses == NULL)
        return diag_no_memory(diag, "accesses");
    if (machine->kernel != NULL)
        accesses_set_kernel(mem->accesses, KERNEL_MAP);
    for (unsigned i = 0; i < machine->harts; i++) {
        if (!machine_make_engine(machine, i))
            return diag_no_memory(diag, "the machine");
        core_follow_accesses(machine->core[i], mem->accesses);
    }
    machine_run(machine, limits);
    mem->job = NULL;
    return mem->err == ERR_OK ? ERR_OK : diag_set(diag, mem->err, "%s", mem->diag.text);
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
    err = run(&mem, &diag);
    profile_free(&mem.result.profile);
    accesses_free(mem.accesses);
    mem_free_data(&mem);
    return tool_end(&mem.tool, err, &diag);
}
