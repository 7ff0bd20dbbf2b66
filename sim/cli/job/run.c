/* The main job: loads a program, runs it, writes the measurements. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmu/pmu_modes.h"
#include "sim/cli/collect/collect.h"
#include "sim/cli/command/commands.h"
#include "sim/cli/command/compare/compare.h"
#include "sim/cli/job/counts.h"
#include "sim/cli/job/debugging.h"
#include "sim/cli/job/intervals.h"
#include "sim/cli/job/job.h"
#include "sim/cli/job/phases.h"
#include "sim/cli/job/regions.h"
#include "sim/cli/job/tracing.h"
#include "sim/cli/job/untimed.h"
#include "sim/cli/terminal/progress.h"
#include "sim/cli/terminal/signals.h"
#include "sim/cli/tool/kernel_records.h"
#include "sim/host/copies.h"
#include "sim/host/images.h"
#include "sim/host/paths.h"
#include "sim/run/frames/frames_store.h"
#include "sim/run/kernel/kernel.h"
#include "sim/run/kernel/kernel_sampler.h"
#include "sim/run/load/isa_note.h"
#include "sim/run/profiler/profiler_late.h"
#include "sim/run/profiler/profiler_threads.h"

int job_status(const struct job *job)
{
    const struct result *result = &job->machine.result;

    if (job->has_difference)
        return EXIT_DIFFERENCE;
    switch (result->reason) {
    case RESULT_TIMEOUT: return EXIT_TIMEOUT;
    case RESULT_FAILURE: return EXIT_INTERNAL;
    case RESULT_MAX_INSNS:
    case RESULT_MAX_CYCLES: return 0;
    default: return result->exit_code & 0xff;
    }
}

/* ---- setting up ------------------------------------------------------------------------------ */

static bool has_ranges(const struct meta *meta)
{
    bool any = false;

    for (unsigned i = 0; i < PROF_RANGES; i++)
        any |= meta->irange[i].is_set || meta->drange[i].is_set;
    return any;
}

static const char marks_name[] = "(marks)";

/* Reads the marks of a tool. */
static enum err read_marks(struct job *job, struct diag *diag)
{
    struct meta_resolver resolver;

    if (job->marks == NULL)
        return ERR_OK;
    resolver = target_open_resolver(&job->target);
    resolver.has_late_code = job->target.kernel.path != NULL;
    return meta_read(&job->meta, job->marks, strlen(job->marks), marks_name, &resolver, diag);
}

/* Reads the marks and counters of the options. */
static enum err read_wishes(struct job *job, struct diag *diag)
{
    const struct option_list *meta = &job->options->meta;
    enum err err = target_read_meta(&job->target, meta->item, meta->count, &job->meta, diag);

    if (err == ERR_OK)
        err = read_marks(job, diag);
    return err == ERR_OK ? counts_open(job, diag) : err;
}

/* Of the guest kernel that may serve the program; NULL: none. */
static const struct image *kernel_image(const struct job *job)
{
    return job->target.kernel.path != NULL ? &job->target.kernel : NULL;
}

static enum err open_profiler(struct job *job, struct diag *diag)
{
    const struct options *options = job->options;
    char monitor[PATHS_MAX];
    enum err err = read_wishes(job, diag);
    struct profiler_options wanted = {
        .config = &options->config, .image = &job->target.image, .meta = &job->meta,
        .kernel = kernel_image(job),
        .monitor = options->monitor_given ? options->monitor : MONITOR_GUEST,
        .monitor_path = options->monitor_file, .counters = job->counters,
    };

    if (err == ERR_OK && options->monitor_file != NULL)
        err = profiler_check_monitor(options->monitor_file, job->target.image.xlen, diag);
    if (err != ERR_OK ||
        (job->meta.marks == 0 && job->meta.lates == 0 && !has_ranges(&job->meta) &&
         job->counters.count == 0 &&
         !profiler_needs_monitor(&options->config, &job->meta)))
        return err;
    if (wanted.monitor_path == NULL) {
        paths_monitor(monitor, job->target.image.xlen);
        wanted.monitor_path = monitor;
    }
    if (profiler_needs_monitor(&options->config, &job->meta) || job->counters.period != 0)
        job->monitor = wanted.monitor;
    return profiler_new(&job->profiler, &wanted, diag);
}

/* A library was mapped, or another program: from now on its routines have names, in stacks and call
 * trees too. */
static uint64_t take_module(void *arg, const char *path, uint64_t bias, bool is_next)
{
    struct job *job = arg;
    const struct target_module *module;
    uint64_t plain = bias;
    struct diag diag = {""};
    enum err err;

    if (job->images != NULL)
        bias = images_place(job->images, &job->target, path, bias, is_next, &plain);
    if (job->profiler != NULL)
        profiler_module_placed(job->profiler, path, bias, plain);
    err = target_add_module(&job->target, path, bias, &module, &diag);

    if (err == ERR_OK && module != NULL && job->profiler != NULL)
        err = profiler_add_module(job->profiler, &module->image, &diag);
    if (err == ERR_OK && module != NULL)
        err = kernel_sampler_add(&job->machine, &module->image, &diag);
    if (err == ERR_OK && module != NULL)
        err = target_mark_module(module, &job->meta, job->profiler, &diag);
    if (err == ERR_OK && module != NULL && !collect_follow_module(job))
        err = diag_no_memory(&diag, path);
    if (err == ERR_OK && module != NULL)
        phases_module_came(job, module);
    if (err != ERR_OK && (!job->options->quiet || job->meta.lates != 0))
        fprintf(stderr, "rvsim: note: %s\n", diag.text);
    return bias;
}

/* Code of a library comes into memory: from now on its marks act. */
static void take_page(void *arg, const char *path, uint64_t bias, uint64_t va, uint64_t pa)
{
    struct job *job = arg;

    profiler_page(job->profiler, path, bias, va, pa);
}

/* True if the command may begin again with --os kernel: the user did not choose, and nobody has
 * seen the run. A trace on standard output is seen, as is what a debugger or the view shows. */
static bool may_hand_over(const struct job *job)
{
    const struct options *options = job->options;
    bool is_seen = job->is_shown || options->gdb != NULL ||
                   (options->trace.count != 0 && options->gives_stdout);

    return options->os == PROGRAM_OS_AUTO && !is_seen;
}

static enum err load(struct job *job, struct diag *diag)
{
    const struct options *options = job->options;
    char kernel[PATHS_MAX];
    const struct program program = {
        .path = options->program_path, .image = &job->target.image,
        .argc = options->program_argc, .argv = options->program_argv,
        .env = (char **)(uintptr_t)options->env.item,
        .root = options->root, .outside = &options->outside, .kernel = kernel,
        .kernel_image = kernel_image(job),
        .epoch_seconds = options->epoch_seconds,
        .os = options->os, .may_hand_over = may_hand_over(job),
    };
    struct machine *machine = &job->machine;

    paths_kernel(kernel);
    machine->engine = options->engine;
    machine->skip = options->skip;
    machine->stop_request = signals_request();
    machine->profiler = job->profiler;
    machine->wants = job->wants;
    machine->faster = job->faster;
    machine->placed = take_module;
    machine->placed_arg = job;
    machine->paged = job->profiler != NULL &&
                     profiler_has_late(&job->target.image, job->target.kernel.path != NULL ?
                                       &job->target.kernel : NULL, &job->meta) ? take_page : NULL;
    machine->has_limits = (meta_flags(&job->meta) & MARK_ALARM) != 0;
    if (job->profiler != NULL) {
        machine->reserve_top_bytes = profiler_reserved_bytes(job->profiler);
        machine->monitor = profiler_serve;
        machine->monitor_arg = job->profiler;
    }
    if (job->output != NULL) {
        machine->io.out = machine->io.err = job->output;
        machine->io.fds[0] = job->input;
        machine->io.fds[1] = machine->io.fds[2] = fileno(job->output);
    }
    if (job->output == NULL && options->gives_stdout) {
        machine->io.out = stderr;
        machine->io.fds[1] = STDERR_FILENO;
    }
    machine->progress = progress_show;
    machine->progress_arg = job;
    return machine_load(machine, &program, diag);
}

static enum err set_up(struct job *job, struct diag *diag)
{
    enum err err = untimed_check(job->options, diag);

    if (err == ERR_OK)
        err = debugging_open(job, diag);
    if (err == ERR_OK)
        err = target_open(&job->target, job->options->program_path, diag);
    job->target.store = job->target.image.store = job->store;
    if (err == ERR_OK)
        err = phases_find_roi(job, diag);
    if (err == ERR_OK && kernel_is_wanted(&job->target.image, job->options->os))
        err = target_add_kernel(&job->target, job->options->profile != NULL ||
                                job->options->stats.count != 0, diag);
    job->target.kernel.store = job->store;
    if (err == ERR_OK)
        err = open_profiler(job, diag);
    if (err == ERR_OK)
        err = machine_init(&job->machine, &job->options->config, diag);
    if (err == ERR_OK)
        err = load(job, diag);
    if (err == ERR_OK && job->machine.kernel != NULL)
        err = images_open(&job->images, &job->machine, job->target.image.path, job->known,
                          job->knowns, diag);
    if (err == ERR_OK && !regions_open(job))
        err = diag_no_memory(diag, "results");
    if (err == ERR_OK)
        err = outputs_check(job, diag);
    return err;
}

void job_close(struct job *job)
{
    tracing_discard(job);
    debugging_close(job);
    images_close(job->images);
    copies_free(job->copies);
    machine_free(&job->machine);
    profiler_free(job->profiler);
    meta_free(&job->meta);
    profile_free(&job->profile);
    target_close(&job->target);
    regions_close(job);
    counts_close(job);
    collect_forget_time(job);
    collect_forget_threads(job);
    free((void *)(uintptr_t)job->routine);
    free(job->before);
    free(job->after);
    free(job->user_part);
}

/* ---- the run --------------------------------------------------------------------------------- */

static enum err divide_events(struct job *job, struct diag *diag)
{
    job->user_part = calloc(job->machine.harts, sizeof *job->user_part);
    if (job->user_part == NULL)
        return diag_no_memory(diag, "events");
    for (unsigned i = 0; i < job->machine.harts; i++)
        pmu_divide_events(&job->machine.cpu[i].pmu, &job->user_part[i]);
    return ERR_OK;
}

static enum err take_snapshot(struct job *job, struct diag *diag)
{
    if (job->divides_events && divide_events(job, diag) != ERR_OK)
        return ERR_NO_MEMORY;
    job->fast_forwarded = machine_insns(&job->machine);
    job->before = regions_snapshot(&job->machine);
    if (job->images != NULL)
        images_begin(job->images);
    return job->before != NULL ? ERR_OK
                               : diag_no_memory(diag, "results");
}

/* Prints the warnings of the metadata from `first` on. */
static void print_warnings(const struct job *job, size_t first)
{
    for (size_t i = first; i < job->meta.warnings; i++)
        fprintf(stderr, "rvsim: warning: %s\n", job->meta.warning[i]);
}

/* True of an address that a tool marked, since another run had loaded its code. */
static bool is_of_other_run(const struct job *job, const struct meta_late *late)
{
    return late->reason[0] == '\0' && strcmp(job->meta.file[late->file], marks_name) == 0;
}

/* After the run: reports lines of metadata whose library was never loaded. */
static void note_unplaced(const struct job *job)
{
    for (size_t i = 0; i < job->meta.lates; i++) {
        const struct meta_late *late = &job->meta.late[i];

        if (late->is_placed || is_of_other_run(job, late))
            continue;
        if (late->reason[0] != '\0')
            fprintf(stderr, "rvsim: warning: %s; not reached: no library that was loaded and no "
                    "program that was executed has it, either\n", late->reason);
        else
            fprintf(stderr, "rvsim: warning: %s:%" PRIu32 ": not reached: neither a program that "
                    "was executed nor a library that was loaded has this address\n",
                    job->meta.file[late->file], late->line);
    }
}

static enum err attach(struct job *job, struct diag *diag)
{
    struct machine *machine = &job->machine;
    enum err err = copies_follow(&job->copies, job->profiler, machine, diag);

    if (err == ERR_OK)
        err = profiler_attach(job->profiler, machine->cpu, machine->harts, &machine->phys, diag);
    return err == ERR_OK && machine->kernel != NULL ? profiler_follow_threads(job->profiler, diag)
                                                    : err;
}

/* From here on the marks act. */
static enum err begin_measurement(struct job *job, struct diag *diag)
{
    struct machine *machine = &job->machine;
    char note[ISA_NOTE];
    enum err err = take_snapshot(job, diag);

    machine->counts = job->options->stats.count != 0 || job->options->profile != NULL ||
                      job->counts_events;
    if (err == ERR_OK && job->profiler != NULL)
        err = attach(job, diag);
    if (err == ERR_OK && (job->follows_calls || job->options->profile != NULL) &&
        !collect_follow_calls(job))
        err = diag_no_memory(diag, "the call tree");
    if (err == ERR_OK)
        err = collect_follow_threads(job, diag);
    if (err == ERR_OK && (job->counters.keeps_samples || job->options->profile != NULL) &&
        !collect_follow_time(job))
        err = diag_no_memory(diag, "intervals");
    if (err == ERR_OK && (job->profiler != NULL || job->routine != NULL))
        machine_changed(machine);
    if (err == ERR_OK)
        err = untimed_warn_marks(job);
    print_warnings(job, 0);
    counts_warn(job);
    job->warned = job->meta.warnings;
    if (!job->options->quiet && isa_note(machine->image, machine->config.machine_isa, note))
        fprintf(stderr, "rvsim: note: %s\n", note);
    if (machine->harts > 1 && machine->process != NULL && machine->kernel == NULL &&
        !job->options->quiet)
        fprintf(stderr, "rvsim: warning: a program that the host serves (--os host) runs on one "
                "hart; %u of %u stay idle; --os kernel uses all\n", machine->harts - 1,
                machine->harts);
    return err == ERR_OK ? tracing_open(job, diag) : err;
}

static void report_check(struct job *job)
{
    if (job->check == NULL)
        return;
    check_finish(job->check);
    job->has_difference = check_has_failed(job->check);
    if (job->has_difference || !job->options->quiet)
        check_report(job->check, stderr);
}

static enum err run_measured(struct job *job, const struct limits *limits, struct diag *diag)
{
    if (!phases_enter_roi(job))
        return diag_no_memory(diag, "the region of interest");
    if (job->slices != NULL)
        return job->slices(job->slices_arg, job, limits, diag);
    if (job->over_time != NULL)
        return intervals_run(job->over_time, job, limits, diag);
    machine_run(&job->machine, limits);
    return ERR_OK;
}

/* A program that can go on only under the guest kernel ends the run, whatever else went wrong. */
static enum err check_hand_over(const struct job *job, enum err err, struct diag *diag)
{
    const struct result *result = &job->machine.result;

    if (result->reason != RESULT_HAND_OVER)
        return err;
    return diag_set(diag, ERR_HAND_OVER, "%s needs the guest kernel for %s: it begins again, as "
                    "with --os kernel", symbols_base_name(job->target.image.path), result->text);
}

static enum err measure(struct job *job, struct diag *diag)
{
    enum err err = phases_fast_forward(job, diag), closed;
    struct limits limits = phases_limits(job);

    if (err == ERR_OK)
        err = begin_measurement(job, diag);
    if (err == ERR_OK)
        err = run_measured(job, &limits, diag);
    err = check_hand_over(job, err, diag);
    fflush(stdout);
    progress_clear(job);
    if (err != ERR_OK)
        return err;
    if (job->threads != NULL)
        err = kernel_records_end(job->threads, &job->machine, diag);
    if (err != ERR_OK)
        return err;
    report_check(job);
    print_warnings(job, job->warned);
    note_unplaced(job);
    phases_check_end(job);
    untimed_warn_counters(job);
    err = collect_profile(job, diag);
    job->is_measured = err == ERR_OK;
    if (err == ERR_OK && job->options->compare != NULL)
        err = compare_report(job, diag);
    if (err == ERR_OK)
        err = outputs_write(job, diag);
    closed = tracing_close(job, err == ERR_OK ? diag : NULL);
    return err == ERR_OK ? closed : err;
}

enum err job_run(struct job *job, struct diag *diag)
{
    enum err err = set_up(job, diag);

    return err == ERR_OK ? measure(job, diag) : err;
}

static void report_end(const struct job *job)
{
    enum result_reason reason = job->machine.result.reason;

    if (!job->options->quiet)
        summary_print(job);
    if (reason == RESULT_FAILURE)
        fprintf(stderr, "rvsim: error: %s\n", job->machine.result.text);
    if (reason == RESULT_TRAP)
        summary_trap(job);
}

/* The exit status of a run that ended before measurement. */
static int early_status(const struct job *job, int status)
{
    switch (job->machine.result.reason) {
    case RESULT_TRAP:
        summary_trap(job);
        return job_status(job);
    case RESULT_TIMEOUT:
    case RESULT_INTERRUPTED:
        return job_status(job);
    default:
        return status;
    }
}

int command_run(const struct options *options, int argc, char **argv)
{
    struct frames_store store = {.count = 0};
    struct job job = {.options = options, .argc = argc, .argv = argv, .started = job_seconds(),
                      .store = &store};
    struct diag diag = {""};
    enum err err;
    int status;

    signals_catch();
    err = job_run(&job, &diag);
    if (job.is_measured)
        report_end(&job);
    status = err == ERR_OK ? job_status(&job) : command_error(err, &diag);
    if (err != ERR_OK && !job.is_measured)
        status = early_status(&job, status);
    job_close(&job);
    frames_store_free(&store);
    return status;
}
