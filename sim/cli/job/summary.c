/* The summary of a run, on stderr. */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/trap.h"
#include "prof/calls/callgraph.h"
#include "prof/profile/profile_modes.h"
#include "prof/report/report.h"
#include "prof/report/summary.h"
#include "sim/base/output.h"
#include "sim/cli/collect/collect.h"
#include "sim/cli/job/job.h"
#include "sim/cli/terminal/style.h"
#include "sim/run/frames/frames.h"

enum { SUMMARY_ROWS = 20 };

/* ---- the end --------------------------------------------------------------------------------- */

static void print_end(const struct job *job)
{
    const struct result *result = &job->machine.result;
    const struct limits *limits = &job->options->limits;
    struct style style = style_of(stderr);
    bool is_good = result->reason == RESULT_EXIT && result->exit_code == 0;

    fprintf(stderr, "rvsim: %s%s%s: %s", style.bold, symbols_base_name(job->target.image.path),
            style.off, is_good ? style.good : style.bad);
    switch (result->reason) {
    case RESULT_EXIT:
        fprintf(stderr, "exit status %d", result->exit_code & 0xff);
        break;
    case RESULT_MAX_INSNS:
        fprintf(stderr, "stopped at %" PRIu64 " instruction%s (--max-insns)", limits->max_insns,
                report_s(limits->max_insns));
        break;
    case RESULT_MAX_CYCLES:
        fprintf(stderr, "stopped at %" PRIu64 " cycle%s (--max-cycles)", limits->max_cycles,
                report_s(limits->max_cycles));
        break;
    case RESULT_TIMEOUT:
        fprintf(stderr, "stopped after %g s (--timeout)", limits->timeout_seconds);
        break;
    case RESULT_INTERRUPTED:
        fprintf(stderr, "stopped by a signal");
        break;
    case RESULT_FAILURE:
        fprintf(stderr, "the simulation failed");
        break;
    case RESULT_HALTED:
        fprintf(stderr, job->has_difference ? "stopped where the reference differs (--check)"
                                            : "stopped at the end of the region of interest");
        break;
    default:
        fprintf(stderr, "%s", result->text);
        break;
    }
    fprintf(stderr, "%s\n", style.off);
}

static void print_speed(const struct job *job, const struct summary *summary)
{
    const struct profile *profile = &job->profile;
    double seconds = profile->host_seconds;
    double all = (double)(profile->instructions + profile->fast_forwarded);
    char insns[32], cycles[32];

    fprintf(stderr, "  %s instruction%s, ", report_number(summary->instructions, insns),
            report_s(summary->instructions));
    if (summary_is_timed(profile))
        fprintf(stderr, "%s cycle%s, IPC %.3f", report_number(summary->cycles, cycles),
                report_s(summary->cycles), summary->ipc);
    else
        fprintf(stderr, "%s engine: no time is simulated", profile->engine);
    fprintf(stderr, "; %.2f s, %.1f MIPS\n", seconds, seconds > 0 ? all / seconds * 1e-6 : 0);
    if (profile->fast_forwarded != 0)
        fprintf(stderr, "  %s instruction%s before that, fast\n",
                report_number(profile->fast_forwarded, insns), report_s(profile->fast_forwarded));
}

/* Prints the cycles of all harts by mode; a waiting hart is in its kernel's idle thread. */
static void print_modes(const struct profile_modes *modes)
{
    uint64_t user, kernel, idle, all;
    char number[32];

    if (modes == NULL)
        return;
    user = modes->all.user.cycles;
    kernel = modes->all.kernel.cycles;
    idle = modes->all.idle.cycles;
    all = user + kernel + idle;
    fprintf(stderr, "  user %.2f %% of all harts' cycles, kernel %.2f %%, idle %.2f %%; "
            "booted before in %s instructions\n", report_percent(user, all),
            report_percent(kernel, all), report_percent(idle, all),
            report_number(modes->boot_instructions, number));
}

/* ---- where time went ------------------------------------------------------------------------- */

static void print_rates(const struct summary *summary)
{
    char number[32];

    for (unsigned i = 0; i < SUMMARY_RATES; i++) {
        const struct summary_rate *rate = &summary->rate[i];

        if (i == 0)
            fprintf(stderr, "  %s %.2f %% of branches and jumps; missed", rate->label,
                    report_percent(rate->part, rate->whole));
        else if (i < 4 || rate->whole != 0)
            fprintf(stderr, "%s %s %.2f %%", i == 1 ? "" : ",", rate->label,
                    report_percent(rate->part, rate->whole));
    }
    if (summary->order_violations != 0)
        fprintf(stderr, "; %s load%s passed a store wrongly",
                report_number(summary->order_violations, number),
                summary->order_violations == 1 ? "" : "s");
    fputc('\n', stderr);
}

/* "bad_speculation" as "bad speculation" */
static void print_word(unsigned node)
{
    for (const char *name = topdown_row(node).name; *name != '\0'; name++)
        fputc(*name == '_' ? ' ' : *name, stderr);
}

static void print_slots(const struct summary *summary)
{
    bool is_first = true;
    unsigned word;

    for (unsigned i = 0; (word = summary_word(i)) != TOPDOWN_COUNT; i++) {
        if (summary->slots[word] == 0)
            continue;
        fprintf(stderr, "%s", is_first ? "  slots: " : ", ");
        print_word(word);
        fprintf(stderr, " %.1f %%", summary_share(summary, word));
        is_first = false;
    }
    if (!is_first)
        fputc('\n', stderr);
}

/* The command that shows more about the program's main bottleneck. */
static const char *command_for(const struct summary *summary)
{
    static const struct { unsigned node; const char *command; } commands[] = {
        {TOPDOWN_BRANCH, "rvsim branches"}, {TOPDOWN_MEMORY, "rvsim thresholds"},
    };

    for (unsigned i = 0; i < sizeof commands / sizeof commands[0]; i++)
        for (unsigned k = 0; k < summary->depth; k++)
            if (summary->path[k] == commands[i].node)
                return commands[i].command;
    return NULL;
}

/* As shell words; a word with a quote in it is left to the reader to correct. */
static void print_program(const struct options *options)
{
    for (int i = 0; i < options->program_argc; i++) {
        const char *word = options->program_argv[i];
        bool is_plain = word[0] != '\0' && strpbrk(word, " \t\n\"'`$&|;<>()*?[]#~!\\{}") == NULL;

        fprintf(stderr, is_plain ? " %s" : " '%s'", word);
    }
    fputc('\n', stderr);
}

static void print_limit(const struct job *job, const struct summary *summary)
{
    const char *command = command_for(summary), *file = job->options->profile;
    struct style style = style_of(stderr);

    if (summary->depth == 0)
        return;
    fprintf(stderr, "  limited most by: %s", style.word);
    for (unsigned i = 0; i < summary->depth; i++) {
        fputs(i != 0 ? " > " : "", stderr);
        print_word(summary->path[i]);
    }
    fprintf(stderr, "%s, %.1f %%; more: ", style.off,
            summary_share(summary, summary->path[summary->depth - 1]));
    if (file != NULL && !output_is_stdout(file))
        fprintf(stderr, "rvsim report --topdown %s\n", file);
    else if (command != NULL) {
        fputs(command, stderr);
        print_program(job->options);
    } else
        fprintf(stderr, "--oracle --profile FILE, then rvsim report FILE\n");
}

/* ---- marks ----------------------------------------------------------------------------------- */

static int compare_marks(const void *a, const void *b)
{
    const struct profile_mark *x = *(const struct profile_mark *const *)a;
    const struct profile_mark *y = *(const struct profile_mark *const *)b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

static void print_mark(const struct job *job, const struct profile_mark *mark)
{
    char place[SYMBOLS_TEXT], line[SYMBOLS_TEXT] = "", count[32], interrupts[32];

    if (mark->is_code)
        symbols_describe_line(job->target.symbols, mark->address, line);
    fprintf(stderr, "%16s %12s  0x%010" PRIx64 "  %s%s%s\n",
            mark->has_counter ? report_number(mark->count, count) : "-",
            report_number(mark->interrupts, interrupts), mark->address,
            symbols_describe(job->target.symbols, mark->address, place),
            line[0] != '\0' ? "  " : "", line);
}

static void print_marks(const struct job *job)
{
    const struct profile *profile = &job->profile;
    const struct profile_mark **order = calloc(profile->marks + 1, sizeof(*order));
    size_t count = 0;

    for (size_t i = 0; order != NULL && i < profile->marks; i++)
        if (profile->mark[i].count != 0 || profile->mark[i].interrupts != 0)
            order[count++] = &profile->mark[i];
    if (count != 0) {
        qsort(order, count, sizeof(*order), compare_marks);
        fprintf(stderr, "  marks: %zu of %zu reached%s\n%16s %12s  %-12s  %s\n", count,
                profile->marks, count > SUMMARY_ROWS ? "; the highest counts:" : "", "count",
                "interrupts", "address", "place");
    }
    for (size_t i = 0; i < count && i < SUMMARY_ROWS; i++)
        print_mark(job, order[i]);
    free(order);
}

static void print_images(const struct job *job)
{
    char text[REPORT_IMAGE];

    for (size_t i = 0; i < job->profile.images; i++)
        fprintf(stderr, "  %s\n", report_image(job->profile.image, job->profile.images, i, text));
}

static void print_ranges(const struct job *job)
{
    char entries[32], executed[32];

    for (size_t i = 0; i < job->profile.ranges; i++) {
        const struct profile_range *range = &job->profile.range[i];

        fprintf(stderr, "  range %s (%s): entered %s time%s, %s %s%s\n", range->name, range->place,
                report_number(range->entries, entries), report_s(range->entries),
                report_number(range->executed, executed),
                range->is_data ? "access" : "instruction",
                range->executed == 1 ? "" : range->is_data ? "es" : "s");
    }
}

static void print_callers(const struct job *job)
{
    const struct symbols *symbols = job->target.symbols;
    struct callgraph graph;
    char routine[SYMBOLS_TEXT], caller[SYMBOLS_TEXT], count[32];

    if (callgraph_build(&graph, &job->profile, symbols, NULL) != ERR_OK)
        return;
    if (graph.callers != 0)
        fprintf(stderr, "  callers, by interrupts\n%16s  %-8s\n", "interrupts", "at");
    for (size_t i = 0; i < graph.callers && i < SUMMARY_ROWS; i++)
        fprintf(stderr, "%16s  %-8s %s <- %s\n", report_number(graph.caller[i].interrupts, count),
                callgraph_kind_name(graph.caller[i].kind),
                callgraph_name(&job->profile, symbols, graph.caller[i].routine, routine),
                callgraph_name(&job->profile, symbols, graph.caller[i].caller, caller));
    if (graph.callers > SUMMARY_ROWS)
        fprintf(stderr, "  ... and %zu more\n", graph.callers - SUMMARY_ROWS);
    callgraph_free(&graph);
}

static void print_monitor(const struct job *job)
{
    const struct profile *profile = &job->profile;
    uint64_t cycles = collect_event(job, EVENT_CYCLES_MONITOR);
    char interrupts[32], insns[32], text[32];

    if (profile->interrupts == 0 && profile->lost != 0)
        fprintf(stderr, "  nobody took the indicator interrupts: %s lost\n",
                report_number(profile->lost, text));
    if (profile->interrupts == 0)
        return;
    fprintf(stderr, "  monitor (%s): %s interrupt%s, %s of the instructions, %s of the cycles "
            "(%.2f %%)", profile->monitor, report_number(profile->interrupts, interrupts),
            report_s(profile->interrupts),
            report_number(collect_event(job, EVENT_INSNS_MONITOR), insns),
            report_number(cycles, text), report_percent(cycles, collect_event(job, EVENT_CYCLES)));
    if (profile->dropped != 0)
        fprintf(stderr, ", %s not stored", report_number(profile->dropped, text));
    if (profile->lost != 0)
        fprintf(stderr, ", %s lost", report_number(profile->lost, text));
    if (profile->throttled != 0)
        fprintf(stderr, ", %s throttled", report_number(profile->throttled, text));
    fputc('\n', stderr);
}

void summary_print(const struct job *job)
{
    struct summary summary;

    summary_make(&summary, &job->profile);
    print_end(job);
    print_speed(job, &summary);
    print_modes(job->profile.modes);
    if (summary.has_time) {
        print_slots(&summary);
        print_limit(job, &summary);
        print_rates(&summary);
    }
    print_monitor(job);
    print_images(job);
    print_ranges(job);
    report_counts(&job->profile, stderr);
    print_marks(job);
    print_callers(job);
}

/* ---- traps ----------------------------------------------------------------------------------- */

static bool read_trapped(void *arg, unsigned long long va, unsigned long long *value)
{
    const struct cpu *cpu = arg;
    uint64_t pa;

    return mmu_probe(&cpu->mmu, va, MMU_LOAD, cpu->hart.priv, &pa) == TRAP_NONE &&
           phys_copy_out(cpu->phys, pa, value, sizeof *value);
}

static bool is_code(const struct image *image, uint64_t pc)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];

        if ((segment->flags & PF_X) != 0 && pc - segment->vaddr < segment->mem_bytes)
            return true;
    }
    return false;
}

/* The call that led to the code that trapped; 0: unknown. If there is no code at the pc, a call or
 * jump led there, with the return address in ra; or a return, if ra has the pc itself. */
static uint64_t caller_of(const struct job *job, struct cpu *cpu)
{
    const struct hart *hart = &cpu->hart;
    const struct frames_registers at = {
        .pc = cpu->stop_pc, .ra = hart_address(hart, hart->reg[UNWIND_RA]),
        .sp = hart_address(hart, hart->reg[UNWIND_SP]),
        .fp = hart_address(hart, hart->reg[UNWIND_FP]),
    };
    struct monitor_stack stack = {.depth = 1};
    struct frames frames;

    if (!is_code(&job->target.image, at.pc))
        return (at.ra & ~UINT64_C(1)) == at.pc ? 0 : symbols_call_site(job->target.symbols, at.ra);
    if (frames_build(&frames, &job->target.image, NULL) == ERR_OK)
        frames_walk(&frames, &at, read_trapped, cpu, &stack);
    frames_free(&frames);
    return stack.depth > 1 ? symbols_call_site(job->target.symbols, stack.address[1]) : 0;
}

void summary_trap(const struct job *job)
{
    static const char *const abi[] = {
        "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
        "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
        "t5", "t6",
    };
    const struct machine *machine = &job->machine;
    struct cpu *cpu = &machine->cpu[machine->active_hart];
    uint64_t caller = caller_of(job, cpu);
    char place[SYMBOLS_TEXT];

    if (job->options->quiet)
        fprintf(stderr, "rvsim: %s: %s\n", symbols_base_name(job->target.image.path),
                machine->result.text);
    if (machine->kernel != NULL)    /* the harts' registers are the kernel's by now */
        return;
    fprintf(stderr, "  hart %" PRIu64 ", cause %" PRIu64 " (%s), tval 0x%" PRIx64 "\n",
            cpu->hart.id, cpu->stop_cause, trap_name(cpu->stop_cause), cpu->stop_tval);
    fprintf(stderr, "  pc 0x%" PRIx64 " (%s)", cpu->stop_pc,
            symbols_describe(job->target.symbols, cpu->stop_pc, place));
    if (caller != 0)
        fprintf(stderr, ", called from 0x%" PRIx64 " (%s)", caller,
                symbols_describe(job->target.symbols, caller, place));
    fputc('\n', stderr);
    for (unsigned i = 0; i < 32; i++)
        fprintf(stderr, " %4s 0x%016" PRIx64 "%s", abi[i], cpu->hart.reg[i],
                i % 4 == 3 ? "\n" : "");
}
