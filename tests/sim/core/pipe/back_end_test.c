/* A setting of which a run warns, because it belongs to the other back end or to a mechanism that
 * another setting leaves out, changes no count, whatever its value. */
#include "sim/base/choice.h"
#include "sim/base/config_table.h"
#include "tests/sim/core/random_program.h"

enum { INSNS = 2000, VALUES_MAX = 12 };

/* One in six is of floating point; f0 to f7. */
static uint32_t with_fp(uint64_t *random)
{
    static const uint8_t f7[] = {0x00, 0x01, 0x08, 0x09, 0x0d, 0x0d};
    if (draw(random, 6) != 0)
        return any_insn(random);
    uint32_t rd = draw(random, 8), a = draw(random, 8), b = draw(random, 8);
    switch (draw(random, 5)) {
    case 0: return r_type((uint32_t)(b << 2 | 1), a, rd, 0, rd, 0x43);      /* fmadd.d */
    case 1: return 8 * draw(random, 16) << 20 | DATA_BASE << 15 | 3 << 12 | rd << 7 | 0x07;
    case 2: return r_type(0x69, 0, 1 + a, 0, rd, 0x53);                     /* fcvt.d.w */
    default: return r_type(f7[draw(random, 6)], b, a, 0, rd, 0x53);
    }
}

/* False: no such machine. */
static bool count(const struct config *config, uint64_t events[EVENT_COUNT])
{
    if (config_check(config, NULL) != ERR_OK)
        return false;
    struct rig *rig = rig_new();
    rig->config = *config;
    write_program_of(rig, 3, with_fp);
    rig_start(rig);
    rig->cpu.hart.mstatus |= MSTATUS_FS;
    assert_int_equal(core_run(rig->core, INSNS, UINT64_MAX, true), STOP_QUOTA);
    memcpy(events, rig->cpu.pmu.events, EVENT_COUNT * sizeof *events);
    rig_free(rig);
    return true;
}

/* The sanitizers take ten times as long, and get every 32nd setting. */
#ifdef __SANITIZE_ADDRESS__
enum { STRIDE = 32 };
#else
enum { STRIDE = 1 };
#endif

/* The ends of its range, small numbers, every choice; 0 for lists, and when there are no more
 * values. */
static unsigned values_of(const struct setting *setting, uint32_t value[VALUES_MAX])
{
    unsigned values = 0;
    if (setting->kind == SETTING_WORDS)
        return 0;
    if (setting->kind == SETTING_ENUM) {
        for (const char *at = setting->names; at != NULL; at = strchr(at + 1, '|')) {
            value[values] = values;
            values++;
        }
        return values;
    }
    value[values++] = setting->min;
    if (setting->kind == SETTING_INT && setting->max - setting->min > 2)
        value[values++] = setting->min + 2;
    value[values++] = setting->max;
    return values;
}

/* Each value of the setting that this machine is warned of; *all takes the last along. */
static unsigned try_setting(const struct config *config, const struct setting *setting,
                            const uint64_t usual[EVENT_COUNT], struct config *all)
{
    uint32_t value[VALUES_MAX], values = values_of(setting, value), tried = 0;
    for (uint32_t n = 0; n < values; n++) {
        struct config changed = *config, more = *all;
        uint64_t events[EVENT_COUNT];
        char told[CONFIG_TEXT_BYTES];
        memcpy((char *)&changed + setting->offset, &value[n], sizeof value[n]);
        if (config_unused(&changed, setting->key, told) == NULL || !count(&changed, events))
            continue;
        if (memcmp(events, usual, sizeof events) != 0)
            fail_msg("%s = %u moves a count", setting->key, value[n]);
        memcpy((char *)&more + setting->offset, &value[n], sizeof value[n]);
        if (config_check(&more, NULL) == ERR_OK)
            *all = more;
        tried++;
    }
    return tried;
}

static void try_machine(const char *preset, unsigned least)
{
    struct config config, all;
    const struct setting *setting;
    uint64_t usual[EVENT_COUNT], events[EVENT_COUNT];
    unsigned tried = 0;
    assert_int_equal(config_load(&config, preset, "sim/presets", NULL), ERR_OK);
    assert_true(count(&config, usual));
    all = config;
    for (size_t i = 0; (setting = setting_at(i)) != NULL; i += STRIDE)
        tried += try_setting(&config, setting, usual, &all);
    assert_true(tried >= (STRIDE == 1 ? least : 1));
    assert_true(count(&all, events));
    assert_memory_equal(events, usual, sizeof usual);
}

static void settings_that_in_order_machines_do_not_use_change_nothing(void **state)
{
    (void)state;
    try_machine("c906", 100);
    try_machine("biriscv", 100);
}

static void settings_that_out_of_order_machines_do_not_use_change_nothing(void **state)
{
    (void)state;
    try_machine("c910", 60);
    try_machine("rsd", 60);
}

static const struct { const char *key, *other; } needs[] = {
#define NEEDS(key, other, values) {key, other},
#include "sim/base/needs.def"
#define MODEL_USES(key, other, values) {key, other},
#include "sim/base/models.def"
};

enum { NEEDS_COUNT = sizeof needs / sizeof needs[0] };

/* True for a setting that means something only with certain values of `other`. */
static bool asks_for(const struct setting *setting, const struct setting *other)
{
    const struct choice *choice;
    const char *point = strchr(setting->key, '.');
    for (unsigned i = 0; i < NEEDS_COUNT; i++)
        if (strcmp(needs[i].other, other->key) == 0 &&
            strncmp(setting->key, needs[i].key, strlen(needs[i].key)) == 0)
            return true;
    if (strncmp(setting->key, other->key, (size_t)(point + 1 - setting->key)) != 0)
        return false;
    for (size_t i = 0; (choice = choice_at(other->names, i)) != NULL; i++)
        if (choice_has(choice, point + 1))
            return true;
    return false;
}

/* Settings that ask for `other`, on a machine whose value of it leaves them out. */
static unsigned try_without(const struct config *config, const struct setting *other)
{
    uint64_t usual[EVENT_COUNT];
    struct config all = *config;
    const struct setting *setting;
    unsigned tried = 0;
    if (!count(config, usual))
        return 0;
    for (size_t i = 0; (setting = setting_at(i)) != NULL; i += STRIDE)
        if (asks_for(setting, other))
            tried += try_setting(config, setting, usual, &all);
    return tried;
}

static bool is_asked_for(const struct setting *other)
{
    const struct setting *setting;
    for (size_t i = 0; (setting = setting_at(i)) != NULL; i++)
        if (asks_for(setting, other))
            return true;
    return false;
}

/* Each pair of values once. */
static void try_needs(const char *preset, unsigned least)
{
    const struct setting *other;
    unsigned tried = 0;
    for (size_t i = 0; (other = setting_at(i)) != NULL; i++) {
        uint32_t value[VALUES_MAX];
        unsigned values = is_asked_for(other) ? values_of(other, value) : 0;
        for (unsigned n = 0; n < values; n++) {
            struct config config;
            assert_int_equal(config_load(&config, preset, "sim/presets", NULL), ERR_OK);
            memcpy((char *)&config + other->offset, &value[n], sizeof value[n]);
            tried += try_without(&config, other);
        }
    }
    assert_true(tried >= (STRIDE == 1 ? least : 1));
}

static void settings_that_another_setting_excludes_change_nothing(void **state)
{
    (void)state;
    try_needs("default", 500);
    try_needs("c906", 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_that_in_order_machines_do_not_use_change_nothing),
        cmocka_unit_test(settings_that_another_setting_excludes_change_nothing),
        cmocka_unit_test(settings_that_out_of_order_machines_do_not_use_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
