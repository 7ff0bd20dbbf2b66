/* Instances of the pipe: the right instance runs each core, and instances of presets change no
 * count. A build without these (INSTANCES=, sanitizers) runs every core by the general pipe or a
 * model's. */
#include "sim/core/instance/instance.h"

#include "sim/core/bpred/shape.h"
#include "sim/core/pipe/core_internal.h"
#include "tests/sim/core/random_program.h"

enum { PROGRAMS = 6, INSNS = 2500, RUNS = 5 };

static struct rig *rig_of(const char *preset)
{
    struct rig *rig = rig_new();
    struct diag diag;

    if (config_load(&rig->config, preset, "sim/presets", &diag) != ERR_OK)
        fail_msg("%s", diag.text);
    return rig;
}

static const struct core_instance *instance_of(const struct config *config)
{
    return instance_find(config, core_extras_of(config));
}

/* The instance of a preset comes before that of its model, which has the same name. */
static bool is_second(size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(core_instances[i]->name, core_instances[index]->name) == 0)
            return true;
    return false;
}

static void the_core_of_a_preset_is_run_by_its_instance(void **state)
{
    (void)state;
    for (size_t i = 0; core_instances[i] != NULL; i++) {
        if (is_second(i))
            continue;
        struct rig *rig = rig_of(core_instances[i]->name);

        assert_ptr_equal(instance_of(&rig->config), core_instances[i]);
        rig_start(rig);
        assert_ptr_equal(rig->core->instance, core_instances[i]);
        assert_int_equal(bpred_set_instance(rig->core->bpred, core_instances[i]->predictor),
                         core_instances[i]->config != NULL);
        rig_free(rig);
    }
}

/* The instance for any settings. */
static const struct core_instance *any_of(const char *model)
{
    for (size_t i = 0; core_instances[i] != NULL; i++)
        if (model != NULL && core_instances[i]->config == NULL &&
            strcmp(core_instances[i]->model, model) == 0)
            return core_instances[i];
    return &core_instance_general;
}

static void a_setting_of_the_pipe_asks_for_the_general_one(void **state)
{
    const char *const settings[] = {"fetch.buffer=7", "latency.mul=13", "lsq.stores=2",
                                    "commit.width=7", "issue.int_queue=33"};

    (void)state;
    for (size_t i = 0; core_instances[i] != NULL; i++) {
        for (size_t j = 0; j < sizeof settings / sizeof settings[0]; j++) {
            struct rig *rig = rig_of(core_instances[i]->name);

            rig_set(rig, settings[j]);
            assert_ptr_equal(instance_of(&rig->config), any_of(core_instances[i]->model));
            free(rig);
        }
    }
}

static void a_model_has_an_instance_of_its_own(void **state)
{
    (void)state;
    for (const char *const *model = config_models(); *model != NULL; model++) {
        assert_string_equal(any_of(*model)->name, *model);
        assert_ptr_not_equal(any_of(*model)->run, core_instance_general.run);
    }
}

static void a_setting_beside_the_pipe_keeps_the_instance(void **state)
{
    const char *const settings[] = {"l1d.kib=64", "dram.cycles=17", "pmu.counters=4",
                                    "machine.seed=9", "bpred.ras_entries=2", "pmu.oracle=true"};

    (void)state;
    for (size_t i = 0; core_instances[i] != NULL; i++) {
        for (size_t j = 0; !is_second(i) && j < sizeof settings / sizeof settings[0]; j++) {
            struct rig *rig = rig_of(core_instances[i]->name);

            rig_set(rig, settings[j]);
            assert_ptr_equal(instance_of(&rig->config), core_instances[i]);
            free(rig);
        }
    }
}

static const char *const as_the_preset[] = {NULL};
static const char *const another_predictor[] = {
    "bpred.btb_entries=64", "bpred.ras_entries=12", "bpred.taken_bubble=3", NULL,
};

static struct rig *rig_with(const char *preset, const char *const *settings)
{
    struct rig *rig = rig_of(preset);

    while (*settings != NULL)
        rig_set(rig, *settings++);
    return rig;
}

/* Turns: the pipe that runs the core in each part of the run: 0 the general pipe, 1 the instance, 2
 * both in turn. */
static struct rig *run_by(const struct core_instance *instance, const char *const *settings,
                          uint64_t seed, unsigned turns)
{
    struct rig *rig = rig_with(instance->name, settings);

    write_program(rig, seed);
    rig_start(rig);
    for (unsigned part = 0; part < RUNS; part++) {
        bool is_general = turns == 0 || (turns == 2 && part % 2 == 0);

        rig->core->instance = is_general ? any_of(instance->model) : instance;
        assert_int_equal(core_run(rig->core, INSNS / RUNS, UINT64_MAX, seed % 2 == 0), STOP_QUOTA);
        assert_true(core_is_sane(rig->core));
    }
    return rig;
}

/* A sanitized build has no instances of presets. */
#ifdef __SANITIZE_ADDRESS__
enum { HAS_PRESETS = false };
#else
enum { HAS_PRESETS = true };
#endif

static void compare(const struct core_instance *instance, const char *const *settings,
                    uint64_t seed)
{
    struct rig *general = run_by(instance, settings, seed, 0);

    assert_true(event(general, EVENT_INSNS_RETIRED) >= INSNS);
    for (unsigned turns = 1; turns <= 2; turns++) {
        struct rig *rig = run_by(instance, settings, seed, turns);

        assert_memory_equal(rig->cpu.pmu.events, general->cpu.pmu.events,
                            sizeof rig->cpu.pmu.events);
        assert_memory_equal(rig->cpu.hart.reg, general->cpu.hart.reg, sizeof rig->cpu.hart.reg);
        rig_free(rig);
    }
    rig_free(general);
}

static void an_instance_counts_what_the_general_pipe_does(void **state)
{
    size_t compared = 0;

    (void)state;
    for (size_t i = 0; core_instances[i] != NULL; i++) {
        for (uint64_t seed = 1; core_instances[i]->config != NULL && seed <= PROGRAMS; seed++) {
            compare(core_instances[i], as_the_preset, seed);
            compared++;
        }
    }
    assert_true(HAS_PRESETS ? compared != 0 : compared == 0);
}

/* The instance has the preset's predictor as a constant, and calls the library for any other. */
static void an_instance_works_with_a_predictor_of_another_shape(void **state)
{
    (void)state;
    for (size_t i = 0; core_instances[i] != NULL; i++) {
        const struct core_instance *instance = core_instances[i];

        if (instance->config == NULL)
            continue;
        struct rig *rig = rig_with(instance->name, another_predictor);

        rig_start(rig);
        assert_ptr_equal(rig->core->instance, instance);
        assert_false(bpred_set_instance(rig->core->bpred, instance->predictor));
        rig_free(rig);
        compare(instance, another_predictor, 1);
        compare(instance, another_predictor, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_core_of_a_preset_is_run_by_its_instance),
        cmocka_unit_test(a_setting_of_the_pipe_asks_for_the_general_one),
        cmocka_unit_test(a_model_has_an_instance_of_its_own),
        cmocka_unit_test(a_setting_beside_the_pipe_keeps_the_instance),
        cmocka_unit_test(an_instance_counts_what_the_general_pipe_does),
        cmocka_unit_test(an_instance_works_with_a_predictor_of_another_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
