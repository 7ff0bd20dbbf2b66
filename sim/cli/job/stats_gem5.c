/* Statistics in the layout of gem5's stats.txt, under gem5's names where the meaning is the same.
 * A tick is a picosecond, as gem5 has it. */
#include <inttypes.h>
#include <string.h>

#include "pmu/event.h"
#include "pmu/exact/topdown.h"
#include "prof/report/summary.h"
#include "sim/cli/job/job.h"

#define TICKS_PER_SECOND 1e12

static void line(FILE *out, const char *name, const char *value, const char *what,
                 const char *unit)
{
    fprintf(out, "%-40s %12s %10s %10s # %s (%s)\n", name, value, "", "", what, unit);
}

static void scalar(FILE *out, const char *name, uint64_t value, const char *what, const char *unit)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, value);
    line(out, name, text, what, unit);
}

static void real(FILE *out, const char *name, double value, const char *what, const char *unit)
{
    char text[32];

    snprintf(text, sizeof text, "%.6f", value);
    line(out, name, text, what, unit);
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole != 0 ? (double)part / (double)whole : 0;
}

/* part: the whole run, or a region. */
static void write_simulation(const struct job *job, const struct profile_region *part, FILE *out)
{
    double mhz = job->machine.config.machine_clock_mhz, seconds = part->host_seconds;
    double sim_seconds = (double)part->cycles / (mhz * 1e6);
    uint64_t ticks = (uint64_t)(sim_seconds * TICKS_PER_SECOND + 0.5);
    double insns = (double)part->instructions;

    real(out, "simSeconds", sim_seconds, "Number of seconds simulated", "Second");
    scalar(out, "simTicks", ticks, "Number of ticks simulated", "Tick");
    scalar(out, "simFreq", (uint64_t)TICKS_PER_SECOND,
           "The number of ticks per simulated second", "Tick/Second");
    real(out, "hostSeconds", seconds, "Real time elapsed on the host", "Second");
    scalar(out, "hostTickRate", seconds > 0 ? (uint64_t)((double)ticks / seconds) : 0,
           "The number of ticks simulated per host second (ticks/s)", "Tick/Second");
    scalar(out, "hostInstRate", seconds > 0 ? (uint64_t)(insns / seconds) : 0,
           "Simulator instruction rate (inst/s)", "Count/Second");
    scalar(out, "simInsts", part->instructions, "Number of instructions simulated", "Count");
    scalar(out, "simOps", part->instructions, "Number of ops (including micro ops) simulated",
           "Count");
}

/* ---- one processor --------------------------------------------------------------------------- */

/* prefix: "system.cpu", with a number if there are several. */
struct cpu_writer {
    FILE *out;
    const struct profile *profile;
    const struct profile_hart *hart;
    char prefix[32];
};

static const char *full_name(const struct cpu_writer *writer, const char *name, char text[80])
{
    snprintf(text, 80, "%s.%s", writer->prefix, name);
    return text;
}

static uint64_t event_at(const struct cpu_writer *writer, unsigned event)
{
    size_t place = profile_event_place(writer->profile, event_name(event));

    return place < writer->profile->events ? writer->hart->event[place] : 0;
}

static void write_basics(const struct cpu_writer *writer)
{
    uint64_t cycles = writer->hart->cycles, insns = writer->hart->instructions;
    char name[80];

    scalar(writer->out, full_name(writer, "numCycles", name), cycles,
           "Number of cpu cycles simulated", "Cycle");
    if (summary_is_timed(writer->profile)) {
        real(writer->out, full_name(writer, "cpi", name), ratio(cycles, insns),
             "CPI: cycles per instruction", "Cycle/Count");
        real(writer->out, full_name(writer, "ipc", name), ratio(insns, cycles),
             "IPC: instructions per cycle", "Count/Cycle");
    }
    scalar(writer->out, full_name(writer, "commitStats0.numInsts", name), insns,
           "Number of instructions committed (thread level)", "Count");
}

/* Accesses on any path, as gem5 counts them. */
static void write_cache(const struct cpu_writer *writer, const char *cache, uint64_t accesses,
                        uint64_t misses)
{
    char part[48], name[80];

    snprintf(part, sizeof part, "%s.overallAccesses::total", cache);
    scalar(writer->out, full_name(writer, part, name), accesses,
           "number of overall (read+write) accesses", "Count");
    snprintf(part, sizeof part, "%s.overallMisses::total", cache);
    scalar(writer->out, full_name(writer, part, name), misses, "number of overall misses", "Count");
    snprintf(part, sizeof part, "%s.overallMissRate::total", cache);
    real(writer->out, full_name(writer, part, name), ratio(misses, accesses),
         "miss rate for overall accesses", "Ratio");
}

static void write_caches(const struct cpu_writer *writer)
{
    write_cache(writer, "icache", event_at(writer, EVENT_L1I_ACCESS),
                event_at(writer, EVENT_L1I_MISS));
    write_cache(writer, "dcache",
                event_at(writer, EVENT_L1D_READ) + event_at(writer, EVENT_L1D_WRITE),
                event_at(writer, EVENT_L1D_READ_MISS) + event_at(writer, EVENT_L1D_WRITE_MISS));
}

static const char *unit_of(unsigned scope)
{
    return scope == SCOPE_CYCLE ? "Cycle" : "Count";
}

/* True for slots and cycles by cause, which are vectors. */
static bool is_in_vector(unsigned code)
{
    unsigned scope = event_scope(code);

    return scope == SCOPE_SLOT || scope == SCOPE_LOST || scope == SCOPE_CPI;
}

static void write_events(const struct cpu_writer *writer)
{
    const char *name;
    char full[80];

    for (unsigned code = EVENT_NONE; (name = event_next(&code)) != NULL;)
        if (!is_in_vector(code) && summary_has_event(writer->profile, name))
            scalar(writer->out, full_name(writer, name, full), event_at(writer, code),
                   event_meaning(code), unit_of(event_scope(code)));
}

/* ---- vectors: each element with its share, and the shares so far ----------------------------- */

struct vector { const struct cpu_writer *writer; const char *name; uint64_t total, sum; };

static void element(struct vector *vector, const char *name, uint64_t value, const char *what)
{
    char part[48], full[80];

    vector->sum += value;
    snprintf(part, sizeof part, "%s::%s", vector->name, name);
    fprintf(vector->writer->out, "%-40s %12" PRIu64 " %9.2f%% %9.2f%% # %s (Count)\n",
            full_name(vector->writer, part, full), value, 100 * ratio(value, vector->total),
            100 * ratio(vector->sum, vector->total), what);
}

static void end_vector(const struct vector *vector, const char *what)
{
    char part[48], full[80];

    snprintf(part, sizeof part, "%s::total", vector->name);
    scalar(vector->writer->out, full_name(vector->writer, part, full), vector->total, what,
           "Count");
}

/* "lost_dram" as "dram" */
static const char *short_name(unsigned code)
{
    return strchr(event_name(code), '_') + 1;
}

static void write_scope(const struct cpu_writer *writer, unsigned scope, const char *name,
                        const char *what)
{
    struct vector vector = {.writer = writer, .name = name};

    for (unsigned code = 0; code < EVENT_COUNT; code++)
        vector.total += event_scope(code) == scope ? event_at(writer, code) : 0;
    for (unsigned code = 0; code < EVENT_COUNT; code++)
        if (event_scope(code) == scope)
            element(&vector, short_name(code), event_at(writer, code), event_meaning(code));
    end_vector(&vector, what);
}

/* The leaves, in the order of the tree. */
static void write_topdown(const struct cpu_writer *writer)
{
    struct vector vector = {.writer = writer, .name = "topDown"};

    for (unsigned node = 0; node < TOPDOWN_COUNT; node++)
        if (topdown_row(node).event != EVENT_NONE)
            vector.total += event_at(writer, topdown_row(node).event);
    for (unsigned node = 0; node < TOPDOWN_COUNT; node++) {
        unsigned event = topdown_row(node).event;

        if (event != EVENT_NONE)
            element(&vector, short_name(event), event_at(writer, event), event_meaning(event));
    }
    end_vector(&vector, "dispatch slots: the leaves of the top-down tree");
}

static void write_block(const struct job *job, const struct profile_region *part, FILE *out)
{
    const struct profile *profile = &job->profile;

    fputs("\n---------- Begin Simulation Statistics ----------\n", out);
    write_simulation(job, part, out);
    for (size_t i = 0; i < profile->harts; i++) {
        struct cpu_writer writer = {out, profile, &part->hart[i], "system.cpu"};

        if (profile->harts > 1)
            snprintf(writer.prefix, sizeof writer.prefix, "system.cpu%zu", i);
        write_basics(&writer);
        if (summary_is_timed(profile))
            write_caches(&writer);
        write_events(&writer);
        if (!summary_is_timed(profile))
            continue;
        write_scope(&writer, SCOPE_SLOT, "slots", "dispatch slots, each with its one cause");
        write_topdown(&writer);
        write_scope(&writer, SCOPE_CPI, "cpiStack", "cycles, each with its one cause");
    }
    fputs("\n---------- End Simulation Statistics   ----------\n", out);
}

/* Writes a block for each dump of the program, and one at the end, as gem5 does. */
void stats_write_gem5(const struct job *job, FILE *out)
{
    const struct profile *profile = &job->profile;
    const struct profile_region whole = {
        .cycles = profile->cycles, .instructions = profile->instructions,
        .host_seconds = profile->host_seconds, .hart = profile->hart,
    };

    for (size_t i = 0; i < profile->regions; i++)
        if (strcmp(profile->region[i].kind, "dump") == 0)
            write_block(job, &profile->region[i], out);
    write_block(job, &whole, out);
}
