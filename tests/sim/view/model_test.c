/* Questions to the view's model: stages by cycle, instructions that wait for others, settings, cut
 * texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/config.h"
#include "sim/view/grid.h"
#include "sim/view/model.h"
#include "sim/view/view_internal.h"

enum { NOW = 20 };

/* A load that executes, its use, and a store that waits for an instruction before it was
 * dispatched. */
static struct view_model *model_of_a_stall(void)
{
    static struct view_model model;

    memset(&model, 0, sizeof model);
    model.now = NOW;
    model.rows = 3;
    model.row[0] = (struct view_insn){.id = 7, .at = {10, 12, 13, 14, 15, 0}, .rd = 13,
                                      .is_access = true, .text = "ld a3, 0(a0)"};
    model.row[1] = (struct view_insn){.id = 8, .at = {10, 12, 13, 14, 0, 0}, .rd = 12,
                                      .producer = {7}, .text = "add a2, a2, a3"};
    model.row[2] = (struct view_insn){.id = 9, .at = {11, 13, 14, 0, 0, 0}, .rd = 64,
                                      .rs = {5, 12}, .text = "sd a2, 0(t0)"};
    return &model;
}

static void an_instruction_is_in_the_stage_that_it_entered_last(void **state)
{
    const struct view_insn *load = &model_of_a_stall()->row[0];

    (void)state;
    assert_int_equal(view_stage_in(load, 9, NOW), VIEW_STAGE_COUNT);
    assert_int_equal(view_stage_in(load, 10, NOW), VIEW_FETCH);
    assert_int_equal(view_stage_in(load, 11, NOW), VIEW_FETCH);
    assert_int_equal(view_stage_in(load, 12, NOW), VIEW_DECODE);
    assert_int_equal(view_stage_in(load, 14, NOW), VIEW_DISPATCH);
    assert_int_equal(view_stage_in(load, 19, NOW), VIEW_ISSUE);
    assert_int_equal(view_stage_in(load, 20, NOW), VIEW_STAGE_COUNT);
}

static void an_instruction_that_left_is_in_no_stage_from_then_on(void **state)
{
    struct view_insn insn = model_of_a_stall()->row[0];

    (void)state;
    insn.at[VIEW_COMPLETE] = 16;
    insn.end = VIEW_COMMITTED;
    insn.left = 18;
    assert_int_equal(view_stage_in(&insn, 17, NOW), VIEW_COMPLETE);
    assert_int_equal(view_stage_in(&insn, 18, NOW), VIEW_STAGE_COUNT);
}

static void the_use_of_a_load_waits_for_it_and_says_so(void **state)
{
    struct view_model *model = model_of_a_stall();
    char why[VIEW_WHY];

    (void)state;
    assert_int_equal(view_awaited(model, 0), -1);
    assert_int_equal(view_awaited(model, 1), 0);
    view_explain(model, 1, why);
    assert_string_equal(why, "add a2, a2, a3 waits for the result of ld a3, 0(a0), which is being "
                             "loaded.");
    model->row[0].at[VIEW_COMPLETE] = 19;
    assert_int_equal(view_awaited(model, 1), -1);
}

static void before_dispatch_registers_tell_which_instruction_is_awaited(void **state)
{
    struct view_model *model = model_of_a_stall();

    (void)state;
    assert_int_equal(view_awaited(model, 2), 1);
    model->row[1].end = VIEW_SQUASHED;
    assert_int_equal(view_awaited(model, 2), -1);
}

static void a_setting_goes_through_its_values(void **state)
{
    static struct scene_look look;
    struct config config;
    char value[VIEW_NAME];

    (void)state;
    config_init(&config);
    settings_open(&look, &config);
    assert_int_equal(look.sliders, SCENE_SLIDERS);
    while (strcmp(look.setting[look.slider].key, "rob.entries") != 0)
        look.slider++;
    assert_true(settings_next(&look, &config, true, value));
    assert_string_equal(value, "256");
    while (strcmp(look.setting[look.slider].key, "bpred.kind") != 0)
        look.slider++;
    assert_string_equal(look.setting[look.slider].value, "gshare");
    assert_true(settings_next(&look, &config, false, value));
    assert_string_equal(value, "bimodal");
    snprintf(look.setting[look.slider].value, VIEW_NAME, "not_taken");
    assert_false(settings_next(&look, &config, false, value));
}

static void a_text_keeps_the_colour_under_it_and_is_cut_where_it_is_long(void **state)
{
    struct grid grid;
    struct draw draw;

    (void)state;
    assert_true(grid_init(&grid, 10, 2));
    draw = grid_draw(&grid);
    draw_box(&draw, 0, 0, 10, 1, TINT_ORANGE);
    draw_text(&draw, 2, 0, 4, TINT_DARK_INK, "%s", "abcdef");
    assert_string_equal(grid.cell[2].character, "a");
    assert_string_equal(grid.cell[5].character, "…");
    assert_string_equal(grid.cell[6].character, " ");
    assert_int_equal(grid.cell[2].ground, TINT_ORANGE);
    assert_int_equal(grid.cell[2].ink, TINT_DARK_INK);
    grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instruction_is_in_the_stage_that_it_entered_last),
        cmocka_unit_test(an_instruction_that_left_is_in_no_stage_from_then_on),
        cmocka_unit_test(the_use_of_a_load_waits_for_it_and_says_so),
        cmocka_unit_test(before_dispatch_registers_tell_which_instruction_is_awaited),
        cmocka_unit_test(a_setting_goes_through_its_values),
        cmocka_unit_test(a_text_keeps_the_colour_under_it_and_is_cut_where_it_is_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
