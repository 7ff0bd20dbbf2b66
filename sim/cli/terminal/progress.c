/* Progress of a run, or of a command with several: see progress.h. */
#include "sim/cli/terminal/progress.h"

#include <unistd.h>

#include "pmu/pmu_modes.h"
#include "sim/cli/job/job.h"

enum { FIRST_SECONDS = 1, NEXT_SECONDS = 10 };
/* The monitor's share of the cycles that is told, and the cycles after which it is. They are the
 * machine's, so that a slow host prints no more than a quick one. */
enum { BURDEN_PERCENT = 80, BURDEN_CYCLES = 5000000 };

/* 12.3M */
static const char *short_number(uint64_t number, char text[16])
{
    static const char unit[] = " kMGTPE";
    double value = (double)number;
    unsigned step = 0;

    for (; value >= 999.5; step++)
        value /= 1000;
    if (step == 0)
        snprintf(text, 16, "%.0f", value);
    else
        snprintf(text, 16, "%.*f%c", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, unit[step]);
    return text;
}

/* The share of the nearest limit, 0 to 1; negative without limits. */
static double share_done(const struct job *job, const struct machine *machine, double seconds)
{
    const struct limits *limits = &job->options->limits;
    double share = -1, next;

    if (limits->max_insns != 0)
        share = (double)machine_insns(machine) / (double)limits->max_insns;
    next = limits->max_cycles == 0
               ? -1 : (double)machine_cycles(machine) / (double)limits->max_cycles;
    share = next > share ? next : share;
    next = limits->timeout_seconds > 0 ? seconds / limits->timeout_seconds : -1;
    share = next > share ? next : share;
    return share > 1 ? 1 : share;
}

bool progress_is_wanted(const struct options *options)
{
    return options->progress > 0 || (options->progress != 0 && !options->quiet);
}

/* Without time a cycle is an instruction, which says nothing. */
static bool is_timed(const struct options *options)
{
    return options->engine == ENGINE_DETAILED;
}

/* Without a terminal: true if a plain line is due. Only with --progress, so that the summary of a
 * run read through a pipe has no other text, even on a slow host. */
static bool is_line_due(struct job *job, double seconds)
{
    if (job->options->progress <= 0 ||
        seconds < (job->progress_due > 0 ? job->progress_due : FIRST_SECONDS))
        return false;
    job->progress_due = seconds + NEXT_SECONDS;
    return true;
}

static void show(struct job *job, const struct machine *machine)
{
    bool is_plain = !isatty(STDERR_FILENO);
    double seconds = job_seconds() - job->started;
    double share = share_done(job, machine, seconds);
    uint64_t insns = machine_insns(machine), cycles = machine_cycles(machine);
    char text[16];

    if (is_plain && !is_line_due(job, seconds))
        return;
    fprintf(stderr, "%s%s instructions", is_plain ? "rvsim: " : "\r\033[K",
            short_number(insns, text));
    if (is_timed(job->options))
        fprintf(stderr, ", %s cycles", short_number(cycles, text));
    fprintf(stderr, ", %.1f MIPS", (double)insns / seconds * 1e-6);
    if (is_timed(job->options))
        fprintf(stderr, ", IPC %.2f", cycles != 0 ? (double)insns / (double)cycles : 0);
    if (share > 0)
        fprintf(stderr, ", %.0f %% done, %.0f s left", 100 * share,
                seconds * (1 - share) / share);
    if (is_plain)
        fputc('\n', stderr);
    fflush(stderr);
    job->has_progress_line = !is_plain;
}

/* ---- a monitor that leaves nothing ----------------------------------------------------------- */

struct burden { uint64_t cycles, of_monitor, insns; };

static struct burden burden_of(const struct machine *machine)
{
    struct burden burden = {0};

    for (unsigned i = 0; i < machine->harts; i++) {
        const struct pmu *pmu = &machine->cpu[i].pmu;

        burden.cycles += pmu->events[EVENT_CYCLES] - pmu->events[EVENT_CYCLES_IDLE];
        burden.of_monitor += pmu_monitor_event(pmu, EVENT_CYCLES);
        burden.insns += pmu_program_insns(pmu);
    }
    return burden;
}

/* Says once in a run that the resident monitor takes nearly all cycles: the run will take many
 * times as long as without it. */
static void warn_of_monitor(struct job *job, const struct machine *machine)
{
    const struct burden burden = burden_of(machine);
    char cycles[16], of_monitor[16], insns[16];

    if (job->has_warned_of_monitor || burden.cycles < BURDEN_CYCLES ||
        burden.of_monitor < burden.cycles / 100 * BURDEN_PERCENT)
        return;
    job->has_warned_of_monitor = true;
    progress_clear(job);
    fprintf(stderr, "rvsim: warning: the resident monitor takes %.0f %% of the time, %s of %s "
            "cycles up to now; the program has executed %s instructions; a longer period, fewer "
            "marks that interrupt, or --monitor host leave it more\n",
            100.0 * (double)burden.of_monitor / (double)burden.cycles,
            short_number(burden.of_monitor, of_monitor), short_number(burden.cycles, cycles),
            short_number(burden.insns, insns));
}

void progress_show(void *arg, const struct machine *machine)
{
    struct job *job = arg;

    if (job->monitor == MONITOR_GUEST)
        warn_of_monitor(job, machine);
    if (job->options->stages != NULL)
        progress_run(job->options->stages, machine);
    else if (progress_is_wanted(job->options))
        show(job, machine);
}

void progress_clear(struct job *job)
{
    if (job->has_progress_line)
        fputs("\r\033[K", stderr);
    job->has_progress_line = false;
    if (job->options->stages != NULL)
        progress_end(job->options->stages);
}

/* ---- of a command ---------------------------------------------------------------------------- */

void progress_open(struct progress *progress, const char *command, const struct options *options)
{
    *progress = (struct progress){.command = command, .is_on = progress_is_wanted(options),
                                  .is_timed = is_timed(options),
                                  .is_plain = !isatty(STDERR_FILENO), .said = job_seconds()};
}

/* machine: NULL before it exists. */
static void say(struct progress *progress, const struct machine *machine, double now)
{
    char text[16];

    fprintf(stderr, "%srvsim %s: run %u: %s", progress->is_plain ? "" : "\r\033[K",
            progress->command, progress->run, progress->stage);
    if (machine != NULL)
        fprintf(stderr, ": %s instructions", short_number(machine_insns(machine), text));
    if (machine != NULL && progress->is_timed)
        fprintf(stderr, ", %s cycles", short_number(machine_cycles(machine), text));
    if (machine != NULL)
        fprintf(stderr, ", %.0f s", now - progress->begun);
    if (progress->is_plain)
        fputc('\n', stderr);
    fflush(stderr);
    progress->has_line = !progress->is_plain;
    progress->is_said = true;
    progress->said = now;
}

void progress_stage(struct progress *progress, const char *stage, unsigned run)
{
    double now = job_seconds();

    progress->stage = stage;
    progress->run = run;
    progress->begun = now;
    progress->is_said = false;
    if (progress->is_on && (!progress->is_plain || now - progress->said >= FIRST_SECONDS))
        say(progress, NULL, now);
}

void progress_run(struct progress *progress, const struct machine *machine)
{
    double now = job_seconds();
    int seconds = progress->is_said ? NEXT_SECONDS : FIRST_SECONDS;

    if (progress->is_on && (!progress->is_plain || now - progress->said >= seconds))
        say(progress, machine, now);
}

void progress_end(struct progress *progress)
{
    if (progress->has_line)
        fputs("\r\033[K", stderr);
    progress->has_line = false;
}
