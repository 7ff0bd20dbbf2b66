/* Draws a machine: draw_machine SEED BASE, where BASE is a preset or file to begin with, writes a
 * machine file to standard output. Every setting can get any legal value. A value that contradicts
 * earlier ones is drawn again; after eight attempts the setting is left unchanged. The number of
 * settings that change is drawn too, so that some machines are close to the base, and others are
 * such as nobody would build.
 *
 * Settings that the program decides (harts, memory, XLEN, the address of the profiling registers)
 * and settings of sampling do not change; settings that take host memory or many cycles get small
 * values. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/config_read.h"
#include "sim/base/config_table.h"

static uint64_t state;

static uint64_t draw(void)              /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint32_t below(uint32_t limit)
{
    return (uint32_t)(draw() % limit);
}

/* The least and the largest value are drawn often, small numbers more often than large ones. */
static uint64_t draw_int(uint64_t min, uint64_t max)
{
    uint64_t span = max - min;
    unsigned bits = 0;

    switch (below(8)) {
    case 0: return min;
    case 1: return max;
    default:
        while (span >> bits != 0)
            bits++;
        return bits == 0 ? min : min + draw() % (1ull << below(bits + 1)) % (span + 1);
    }
}

/* min is 0 or a power of two, as max is. */
static uint64_t draw_pow2(uint64_t min, uint64_t max)
{
    unsigned low = 0, high = 0;

    if (min == 0 && below(6) == 0)
        return 0;
    while (1ull << low < min)
        low++;
    while (1ull << (high + 1) <= max)
        high++;
    return 1ull << (low + below(high - low + 1));
}

/* ---- lists of queues and ports --------------------------------------------------------------- */

static const char *const class_names[] = {
#define UNIT_CLASS(id, name, what) name,
#include "sim/base/unit_class.def"
};

enum { CLASSES = sizeof class_names / sizeof class_names[0] };

static size_t add_classes(char *text, size_t size, uint32_t classes)
{
    size_t length = 0;

    for (unsigned i = 0; i < CLASSES; i++)
        if (classes >> i & 1)
            length += (size_t)snprintf(text + length, size - length, "%s%s", length ? "+" : "",
                                       class_names[i]);
    return length;
}

/* Each class has a place in one or two of the items. */
static unsigned share_out(uint32_t *items, unsigned most)
{
    unsigned count = 1 + below(most);

    memset(items, 0, most * sizeof *items);
    for (unsigned i = 0; i < CLASSES; i++)
        for (unsigned times = 1 + (below(3) == 0); times != 0; times--)
            items[below(count)] |= 1u << i;
    return count;
}

static void draw_list(bool is_queues, char text[CONFIG_TEXT_BYTES * 4])
{
    uint32_t items[6];
    unsigned count = share_out(items, 6);
    size_t length = 0, size = CONFIG_TEXT_BYTES * 4;

    for (unsigned i = 0; i < count; i++) {
        if (items[i] == 0)
            continue;
        length += (size_t)snprintf(text + length, size - length, "%s", length ? " " : "");
        length += add_classes(text + length, size - length, items[i]);
        if (is_queues)
            length += (size_t)snprintf(text + length, size - length, ":%u", 1 + below(24));
    }
}

/* ---- one setting ----------------------------------------------------------------------------- */

static const char *const left_alone[] = {
    "machine.harts", "machine.memory_mib", "machine.xlen", "machine.magic", "pmu.window_base",
    "sampling.period", "sampling.dither", "pmu.hints", "pmu.transfers", "machine.watchdog",
};

/* Limits for settings that make host memory large or the run long. */
static const struct { const char *key; uint32_t most; } small[] = {
    {"l1i.kib", 256}, {"l1d.kib", 256}, {"l2.kib", 2048}, {"l3.kib", 4096},
    {"dram.cycles", 400}, {"c906.slot_cycles", 200},
    {"l2.cycles", 60}, {"l3.cycles", 100}, {"dram.line_cycles", 60}, {"dram.trcd", 60},
    {"dram.controller_cycles", 100}, {"dram.tcas", 60}, {"dram.trp", 60}, {"dram.tras", 100},
    {"dram.turnaround", 60}, {"shadow.latency", 100}, {"coherence.transfer_cycles", 200},
    {"coherence.invalidate_cycles", 200}, {"machine.syscall_cycles", 1000},
    {"shadow.iframes", 4096}, {"shadow.dframes", 4096},
};

static bool is_left_alone(const char *key)
{
    for (size_t i = 0; i < sizeof left_alone / sizeof left_alone[0]; i++)
        if (strcmp(key, left_alone[i]) == 0)
            return true;
    return false;
}

static uint32_t most_of(const struct setting *setting)
{
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
        if (strcmp(setting->key, small[i].key) == 0)
            return small[i].most;
    return setting->max;
}

static void draw_choice(const char *names, char text[SETTING_TEXT])
{
    unsigned count = 1;

    for (const char *at = names; *at != '\0'; at++)
        count += *at == '|';
    for (count = below(count); count != 0; count--)
        names += strcspn(names, "|") + 1;
    snprintf(text, SETTING_TEXT, "%.*s", (int)strcspn(names, "|"), names);
}

static void draw_value(const struct setting *setting, char text[CONFIG_TEXT_BYTES * 4])
{
    unsigned long long value;

    switch (setting->kind) {
    case SETTING_ENUM: draw_choice(setting->names, text); return;
    case SETTING_BOOL: strcpy(text, below(2) ? "true" : "false"); return;
    case SETTING_WORDS:
        draw_list(strcmp(setting->name, "queues") == 0, text);
        return;
    case SETTING_POW2: value = draw_pow2(setting->min, most_of(setting)); break;
    default: value = draw_int(setting->min, most_of(setting)); break;
    }
    snprintf(text, SETTING_TEXT, "%llu", value);
}

static void draw_setting(struct config *config, const struct setting *setting)
{
    char text[CONFIG_TEXT_BYTES * 4] = "";
    struct diag diag;

    for (int attempt = 0; attempt < 8; attempt++) {
        struct config changed = *config;

        draw_value(setting, text);
        if (setting_set(setting, &changed, text, &diag) == ERR_OK &&
            config_check(&changed, &diag) == ERR_OK) {
            *config = changed;
            return;
        }
    }
}

int main(int argc, char **argv)
{
    static const unsigned shares[] = {2, 10, 40, 100};
    unsigned order[SETTINGS_MAX], count = 0;
    struct config config;
    struct diag diag;

    if (argc != 3 || config_load(&config, argv[2], "sim/presets", &diag) != ERR_OK)
        return 2;
    state = strtoull(argv[1], NULL, 10);
    while (setting_at(count) != NULL) {
        order[count] = count;
        count++;
    }
    unsigned percent = shares[below(4)];
    for (unsigned i = 0; i < count; i++) {
        unsigned other = i + below(count - i), swapped = order[i];

        order[i] = order[other];
        order[other] = swapped;
        const struct setting *setting = setting_at(order[i]);
        if (below(100) < percent && !is_left_alone(setting->key))
            draw_setting(&config, setting);
    }
    config_write(&config, stdout);
    return 0;
}
