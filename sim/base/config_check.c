/* Contradictions between settings. Each rule names both settings and their values. */
#include <stdbool.h>
#include <string.h>

#include "sim/base/config_read.h"
#include "sim/base/config_table.h"
#include "sim/base/issue_plan.h"
#include "sim/base/latencies.h"

enum { ARCHITECTURAL = 32, ROB_MAX = 1024, LOOP_WAYS = 4, TOURNAMENT_HISTORY_MAX = 20 };

struct rule { struct diag *diag; enum err err; };

/* Requires first >= second. An earlier broken rule stays the diagnosis. */
static void at_least(struct rule *rule, const char *first, uint32_t first_value, const char *second,
                     uint32_t second_value)
{
    if (rule->err == ERR_OK && first_value < second_value)
        rule->err = diag_set(rule->diag, ERR_USAGE, "%s = %u is smaller than %s = %u", first,
                             first_value, second, second_value);
}

static bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* lines: the cache level that has the setting line_bytes. */
static void cache_shape(struct rule *rule, const char *name, uint32_t kib, uint32_t ways,
                        const char *lines, uint32_t line_bytes)
{
    uint64_t bytes = (uint64_t)kib << 10, way_set = (uint64_t)ways * line_bytes;
    if (rule->err == ERR_OK && bytes % way_set != 0)
        rule->err = diag_set(rule->diag, ERR_USAGE,
                             "%s.kib = %u, %s.ways = %u and %s.line_bytes = %u make %.4g sets; "
                             "expected a whole number", name, kib, name, ways, lines, line_bytes,
                             (double)bytes / (double)way_set);
}

static void shadow_shape(struct rule *rule, const char *name, uint32_t frames,
                         const struct config *config)
{
    uint32_t ways = config->shadow_ways < frames ? config->shadow_ways : frames;

    if (rule->err != ERR_OK || frames == 0)
        return;
    if (!config_is(config, "shadow.placement", "separate"))
        rule->err = diag_set(rule->diag, ERR_USAGE, "%s = %u needs shadow.placement = separate: "
                             "elsewhere there are no shadow frames", name, frames);
    else if (frames % ways != 0)
        rule->err = diag_set(rule->diag, ERR_USAGE, "%s = %u and shadow.ways = %u make %.4g sets; "
                             "expected a whole number", name, frames, ways,
                             (double)frames / ways);
}

enum { DUELING_SETS = 32 };

/* is_drrip: set dueling needs enough sets for leaders of both policies. */
static void dueling(struct rule *rule, const char *name, bool is_drrip, uint32_t kib,
                    uint32_t ways, uint32_t line_bytes)
{
    uint64_t sets = ((uint64_t)kib << 10) / ways / line_bytes;
    if (rule->err == ERR_OK && is_drrip && sets < DUELING_SETS)
        rule->err = diag_set(rule->diag, ERR_USAGE, "%s.replacement = drrip with %u sets; expected "
                             "at least %d, of which some duel", name, (unsigned)sets, DUELING_SETS);
}

/* An exclusive level holds the lines that the level before it evicts, so both need one line
 * size. */
static void exclusive(struct rule *rule, const char *name, bool is_exclusive, uint32_t line_bytes,
                      const char *before, uint32_t before_bytes)
{
    if (rule->err == ERR_OK && is_exclusive && line_bytes != before_bytes)
        rule->err = diag_set(rule->diag, ERR_USAGE, "%s.inclusion = exclusive with %s.line_bytes = "
                             "%u and %s.line_bytes = %u; expected equal lines", name, name,
                             line_bytes, before, before_bytes);
}

static void l3(struct rule *rule, const struct config *config)
{
    if (config->l3_kib == 0)
        return;
    if (rule->err == ERR_OK && config->l2_kib == 0)
        rule->err = diag_set(rule->diag, ERR_USAGE, "l3.kib = %u without an L2 (l2.kib = 0)",
                             config->l3_kib);
    cache_shape(rule, "l3", config->l3_kib, config->l3_ways, "l2", config->l2_line_bytes);
    dueling(rule, "l3", config_is(config, "l3.replacement", "drrip"), config->l3_kib,
            config->l3_ways, config->l2_line_bytes);
}

static void code_prefetcher(struct rule *rule, const struct config *config)
{
    const char *names = setting_find("l1i", "prefetch")->names;
    const struct choice *choice = choice_at(names, config->l1i_prefetch);
    char rest[CONFIG_TEXT_BYTES];
    if (rule->err == ERR_OK && choice->asks_pc)
        rule->err = diag_set(rule->diag, ERR_USAGE, "l1i.prefetch = %s tells accesses apart by "
                             "their instruction; expected %s", choice->name,
                             choice_list_without_pc(names, rest, sizeof rest));
}

static void prefetchers(struct rule *rule, const struct config *config)
{
    if (rule->err == ERR_OK && config_is(config, "l1d.prefetch", "staged") &&
        !config_is(config, "l1d.prefetch_into", "l1"))
        rule->err = diag_set(rule->diag, ERR_USAGE, "l1d.prefetch = staged brings lines into L1, "
                             "and L2; expected l1d.prefetch_into = l1");
    code_prefetcher(rule, config);
}

static void memory(struct rule *rule, const struct config *config)
{
    bool is_banked = config_is(config, "dram.kind", "banked");
    at_least(rule, "l1d.line_bytes", config->l1d_line_bytes, "l1d.write_buffer_bytes",
             config->l1d_write_buffer_bytes);
    if (is_banked && config->dram_trefi != 0)
        at_least(rule, "dram.trefi", config->dram_trefi, "dram.trfc", config->dram_trfc);
    if (rule->err == ERR_OK && is_banked && config->dram_write_high != 0 &&
        config->dram_write_low >= config->dram_write_high)
        rule->err = diag_set(rule->diag, ERR_USAGE, "dram.write_low = %u is not below "
                             "dram.write_high = %u", config->dram_write_low,
                             config->dram_write_high);
}

static void counters(struct rule *rule, const struct config *config)
{
    if (rule->err == ERR_OK && config->bpred_counter_initial >> config->bpred_counter_bits != 0)
        rule->err = diag_set(rule->diag, ERR_USAGE, "bpred.counter_initial = %u does not fit in "
                             "bpred.counter_bits = %u", config->bpred_counter_initial,
                             config->bpred_counter_bits);
}

/* Refuses a front end that would never learn branches: fetch would treat a branch missing from the
 * target buffer as no branch, and so never enter it. */
static void target_buffer(struct rule *rule, const struct config *config)
{
    bool is_direct = config_is(config, "bpred.btb_allocate", "direct");
    if (rule->err == ERR_OK && is_direct && !config_is(config, "bpred.btb_miss", "decode"))
        rule->err = diag_set(rule->diag, ERR_USAGE,
                             "bpred.btb_allocate = direct needs bpred.btb_miss = decode, where "
                             "decode notices what the target buffer does not know");
}

static void thresholds(struct rule *rule, const struct config *config)
{
    uint64_t latency[LATENCIES];

    if (rule->err == ERR_OK && !latencies_read(config->pmu_latency, latency))
        rule->err = diag_set(rule->diag, ERR_USAGE, "pmu.latency = %s; expected three numbers of "
                             "cycles, such as 10 50 100", config->pmu_latency);
}

static void records(struct rule *rule, const struct config *config)
{
    uint32_t depth = config->pmu_ctr_depth;
    if (rule->err == ERR_OK && depth != 0 && (depth < 16 || !is_power_of_two(depth)))
        rule->err = diag_set(rule->diag, ERR_USAGE,
                             "pmu.ctr_depth = %u; expected 0, 16, 32, 64, 128 or 256", depth);
}

static void caches(struct rule *rule, const struct config *config)
{
    cache_shape(rule, "l1i", config->l1i_kib, config->l1i_ways, "l1i", config->l1i_line_bytes);
    cache_shape(rule, "l1d", config->l1d_kib, config->l1d_ways, "l1d", config->l1d_line_bytes);
    at_least(rule, "l1d.line_bytes", config->l1d_line_bytes, "pmu.granule_bytes",
             config->pmu_granule_bytes);
    shadow_shape(rule, "shadow.iframes", config->shadow_iframes, config);
    shadow_shape(rule, "shadow.dframes", config->shadow_dframes, config);
    dueling(rule, "l1i", config_is(config, "l1i.replacement", "drrip"), config->l1i_kib,
            config->l1i_ways, config->l1i_line_bytes);
    dueling(rule, "l1d", config_is(config, "l1d.replacement", "drrip"), config->l1d_kib,
            config->l1d_ways, config->l1d_line_bytes);
    l3(rule, config);
    if (config->l2_kib == 0)
        return;
    cache_shape(rule, "l2", config->l2_kib, config->l2_ways, "l2", config->l2_line_bytes);
    uint32_t line_bytes = config->l2_line_bytes;
    at_least(rule, "l2.line_bytes", line_bytes, "l1i.line_bytes", config->l1i_line_bytes);
    at_least(rule, "l2.line_bytes", line_bytes, "l1d.line_bytes", config->l1d_line_bytes);
    bool is_exclusive = config_is(config, "l2.inclusion", "exclusive");
    dueling(rule, "l2", config_is(config, "l2.replacement", "drrip"), config->l2_kib,
            config->l2_ways, line_bytes);
    exclusive(rule, "l2", is_exclusive, line_bytes, "l1i", config->l1i_line_bytes);
    exclusive(rule, "l2", is_exclusive, line_bytes, "l1d", config->l1d_line_bytes);
}

/* `name` ends with its point or underscore. ways 0: one set, whatever its size. */
static void table_shape(struct rule *rule, const char *name, uint32_t entries, uint32_t ways)
{
    if (rule->err == ERR_OK && ways != 0 && entries % ways != 0)
        rule->err = diag_set(rule->diag, ERR_USAGE, "%sentries = %u and %sways = %u make %.4g "
                             "sets; expected a whole number", name, entries, name, ways,
                             (double)entries / (double)ways);
}

/* Bimode splits the bits of the index. */
static void predictor_tables(struct rule *rule, const struct config *config)
{
    if (rule->err == ERR_OK && config_is(config, "bpred.kind", "bimode") &&
        !is_power_of_two(config->bpred_entries))
        rule->err = diag_set(rule->diag, ERR_USAGE, "bpred.entries = %u: expected a power of two, "
                             "with bpred.kind = bimode", config->bpred_entries);
    if (rule->err == ERR_OK && config_is(config, "bpred.kind", "tournament") &&
        config->bpred_history > TOURNAMENT_HISTORY_MAX)
        rule->err = diag_set(rule->diag, ERR_USAGE, "bpred.history = %u: expected at most %d, with "
                             "bpred.kind = tournament", config->bpred_history,
                             TOURNAMENT_HISTORY_MAX);
    if (rule->err == ERR_OK && config->bpred_loop_entries % LOOP_WAYS != 0)
        rule->err = diag_set(rule->diag, ERR_USAGE, "bpred.loop_entries = %u: expected a multiple "
                             "of %d, its ways", config->bpred_loop_entries, LOOP_WAYS);
}

static void tables(struct rule *rule, const struct config *config)
{
    table_shape(rule, "bpred.btb_", config->bpred_btb_entries, config->bpred_btb_ways);
    predictor_tables(rule, config);
    table_shape(rule, "itlb.", config->itlb_entries, config->itlb_ways);
    table_shape(rule, "dtlb.", config->dtlb_entries, config->dtlb_ways);
    table_shape(rule, "l2tlb.", config->l2tlb_entries, config->l2tlb_ways);
}

static void physical_registers(struct rule *rule, const struct config *config)
{
    uint32_t least = ARCHITECTURAL + config->dispatch_width;
    uint32_t smaller = config->rename_int_buffers < config->rename_fp_buffers
                           ? config->rename_int_buffers : config->rename_fp_buffers;
    if (rule->err != ERR_OK)
        return;
    bool is_physical = config_is(config, "rename.kind", "physical");
    uint32_t in_one = config->part_fold * (config_is(config, "decode.fusion", "pairs") ? 2 : 1);
    if (is_physical && smaller < least)
        rule->err = diag_set(rule->diag, ERR_USAGE,
                             "rename.kind = physical: a file of %u registers holds the %d "
                             "architectural ones and less than dispatch.width = %u more", smaller,
                             ARCHITECTURAL, config->dispatch_width);
    else if (!is_physical && config->rename_eliminates != 0)
        rule->err = diag_set(rule->diag, ERR_USAGE,
                             "rename.eliminates needs rename.kind = physical");
    else if (config->rob_entries * in_one > ROB_MAX)
        rule->err = diag_set(rule->diag, ERR_USAGE,
                             "rob.entries = %u with %u instructions in one make room for more than "
                             "%d", config->rob_entries, in_one, ROB_MAX);
}

static void pipeline(struct rule *rule, const struct config *config)
{
    at_least(rule, "fetch.buffer", config->fetch_buffer, "fetch.width", config->fetch_width);
    at_least(rule, "fetch.buffer", config->fetch_buffer, "decode.width", config->decode_width);
    if (config_is(config, "rename.kind", "buffers")) {
        at_least(rule, "rename.int_buffers", config->rename_int_buffers, "dispatch.width",
                 config->dispatch_width);
        at_least(rule, "rename.fp_buffers", config->rename_fp_buffers, "dispatch.width",
                 config->dispatch_width);
    }
    physical_registers(rule, config);
    at_least(rule, "rob.entries", config->rob_entries, "dispatch.width", config->dispatch_width);
    at_least(rule, "rob.entries", config->rob_entries, "commit.width", config->commit_width);
    at_least(rule, "lsq.loads", config->lsq_loads, "unit.loads", config->unit_loads);
    at_least(rule, "lsq.stores", config->lsq_stores, "unit.stores", config->unit_stores);
}

/* "any", or "rv32" or "rv64", a base and extensions, as "rv64imac_zicsr". */
static void instruction_set(struct rule *rule, const char *isa)
{
    static const char allowed[] = "_0123456789abcdefghijklmnopqrstuvwxyz";
    bool has_width = strncmp(isa, "rv32", 4) == 0 || strncmp(isa, "rv64", 4) == 0;
    bool is_set = has_width && strspn(isa + 4, "eig") != 0 &&
                  isa[4 + strspn(isa + 4, allowed)] == '\0';
    if (rule->err == ERR_OK && !is_set && strcmp(isa, "any") != 0)
        rule->err = diag_set(rule->diag, ERR_USAGE,
                             "machine.isa = %s: expected any, or rv32 or rv64 with i, e or g and "
                             "extensions in small letters, such as rv32imf", isa);
}

enum err config_check(const struct config *config, struct diag *diag)
{
    struct rule rule = {diag, ERR_OK};
    instruction_set(&rule, config->machine_isa);
    caches(&rule, config);
    prefetchers(&rule, config);
    memory(&rule, config);
    tables(&rule, config);
    counters(&rule, config);
    target_buffer(&rule, config);
    thresholds(&rule, config);
    records(&rule, config);
    pipeline(&rule, config);
    if (config->sampling_period != 0)
        at_least(&rule, "sampling.period", config->sampling_period, "sampling.dither",
                 config->sampling_dither);
    if (rule.err == ERR_OK)
        rule.err = config_check_model(config, diag);
    struct issue_plan plan;
    if (rule.err == ERR_OK)
        rule.err = issue_plan_make(config, &plan, diag);
    return rule.err;
}
