/* Lists of issue queues and ports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/config_read.h"
#include "sim/base/issue_plan.h"

static struct diag diag;

static enum err make(struct issue_plan *plan, const char *queues, const char *ports)
{
    struct config config;
    config_init(&config);
    snprintf(config.issue_queues, sizeof config.issue_queues, "%s", queues);
    snprintf(config.issue_ports, sizeof config.issue_ports, "%s", ports);
    return issue_plan_make(&config, plan, &diag);
}

static void assert_refused(const char *queues, const char *ports, const char *message)
{
    struct issue_plan plan;
    assert_int_equal(make(&plan, queues, ports), ERR_USAGE);
    assert_string_equal(diag.text, message);
}

static void the_short_form_has_a_queue_for_each_kind_of_unit(void **state)
{
    (void)state;
    struct issue_plan plan;
    assert_int_equal(make(&plan, "auto", "auto"), ERR_OK);
    assert_int_equal(plan.queue_count, 5);
    assert_int_equal(plan.queue[0].size, 32);
    assert_int_equal(plan.queue[0].classes, 1 << CLASS_ALU | 1 << CLASS_SHIFT);
    assert_int_equal(plan.port_count, 3 + 1 + 1 + 2 + 1 + 2);
    assert_int_equal(plan.port[3].classes, 1 << CLASS_BRANCH);
    assert_int_equal(plan.port[3].queues, UINT32_MAX);
}

static void lists_name_classes_sizes_and_queues(void **state)
{
    (void)state;
    struct issue_plan plan;
    assert_int_equal(make(&plan, "int:8 int:8 branch+complex:12  mem:10 fp:9",
                          "int+branch@0,2 int+mul+div@1,2 load store fp"), ERR_OK);
    assert_int_equal(plan.queue_count, 5);
    assert_int_equal(plan.queue[2].size, 12);
    assert_int_equal(plan.queue[2].classes, 1 << CLASS_BRANCH | 1 << CLASS_MUL | 1 << CLASS_DIV);
    assert_int_equal(plan.port_count, 5);
    assert_int_equal(plan.port[0].queues, 1 << 0 | 1 << 2);
    assert_int_equal(plan.port[4].classes, 31 << CLASS_FADD);
    assert_int_equal(make(&plan, "all:16", "auto"), ERR_OK);
    assert_int_equal(plan.queue[0].classes, (1 << CLASS_COUNT) - 1);
}

static void malformed_queues_and_ports_are_refused(void **state)
{
    (void)state;
    assert_refused("ints:8", "auto", "issue.queues: no class of operations 'ints'; did you mean "
                                     "int?");
    assert_refused("all:0", "auto", "issue.queues: 'all:0': expected CLASSES:SIZE with a size of "
                                    "1..512, such as int:8");
    assert_refused("all", "auto", "issue.queues: 'all': expected CLASSES:SIZE with a size of "
                                  "1..512, such as int:8");
    assert_refused("int+:8", "auto", "issue.queues: 'int+:8': expected classes of operations "
                                     "joined by '+', such as int+branch");
    assert_refused("all:8", "all@1", "issue.ports: 'all@1': there are queues 0..0");
    assert_refused("all:8", "all@0,", "issue.ports: 'all@0,': expected CLASSES@QUEUE,... with "
                                      "numbers of queues");
}

static void every_class_needs_a_queue_and_a_port_from_it(void **state)
{
    (void)state;
    assert_refused("int+branch+complex+mem:8", "auto", "issue.queues: no queue holds fadd");
    assert_refused("all:8", "int+branch+mul+mem+fp",
                   "issue.ports: no port takes div from queue 0");
    assert_refused("all:8 int:8", "all@0", "issue.ports: no port takes alu from queue 1");
}

static void store_data_need_a_place_only_where_they_are_issued(void **state)
{
    (void)state;
    struct config config;
    struct issue_plan plan;
    config_init(&config);
    snprintf(config.issue_queues, sizeof config.issue_queues,
             "int+branch+complex+fp:8 load+store:8 int_data:4");
    assert_int_equal(issue_plan_make(&config, &plan, &diag), ERR_OK);
    assert_int_equal(config_set(&config, "lsq.store_data=micro_op", &diag), ERR_OK);
    assert_int_equal(issue_plan_make(&config, &plan, &diag), ERR_USAGE);
    assert_string_equal(diag.text, "issue.queues: no queue holds fp_data");
    snprintf(config.issue_queues, sizeof config.issue_queues,
             "int+branch+complex+fp:8 load+store:8 store_data:4");
    assert_int_equal(issue_plan_make(&config, &plan, &diag), ERR_OK);
    assert_int_equal(plan.queue[2].classes, 1 << CLASS_INT_DATA | 1 << CLASS_FP_DATA);
    snprintf(config.issue_ports, sizeof config.issue_ports, "int+branch+complex+fp mem");
    assert_int_equal(issue_plan_make(&config, &plan, &diag), ERR_USAGE);
    assert_string_equal(diag.text, "issue.ports: no port takes int_data from queue 2");
}

static enum err pair(struct issue_plan *plan, const char *pairs)
{
    struct config config;
    config_init(&config);
    snprintf(config.inorder_pairs, sizeof config.inorder_pairs, "%s", pairs);
    return issue_plan_make(&config, plan, &diag);
}

static void pairs_name_what_may_follow(void **state)
{
    (void)state;
    const uint32_t all = (1u << CLASS_COUNT) - 1;
    struct issue_plan plan;
    assert_int_equal(pair(&plan, "all"), ERR_OK);
    assert_int_equal(plan.after[CLASS_LOAD], all);
    assert_int_equal(pair(&plan, "branch:none load+store:int+mul"), ERR_OK);
    assert_int_equal(plan.after[CLASS_BRANCH], 0);
    assert_int_equal(plan.after[CLASS_STORE], 1 << CLASS_ALU | 1 << CLASS_SHIFT | 1 << CLASS_MUL);
    assert_int_equal(plan.after[CLASS_LOAD], plan.after[CLASS_STORE]);
    assert_int_equal(plan.after[CLASS_FADD], all);
}

static void pairs_that_are_not_well_formed_are_refused(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"load", "inorder.pairs: 'load': expected OLDER:CLASSES, such as load:int+branch, or all"},
        {"alu:none", "inorder.pairs: 'alu:none': expected whole units: int, branch, mul, div, "
                     "load, store, fp"},
        {"int:fadd", "inorder.pairs: 'int:fadd': expected whole units: int, branch, mul, div, "
                     "load, store, fp"},
        {"load:", "inorder.pairs: '': expected classes of operations joined by '+', such as "
                  "int+branch"},
        {"lod:int", "inorder.pairs: no class of operations 'lod'; did you mean load?"},
    };
    struct issue_plan plan;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(pair(&plan, rows[i][0]), ERR_USAGE);
        assert_string_equal(diag.text, rows[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_short_form_has_a_queue_for_each_kind_of_unit),
        cmocka_unit_test(lists_name_classes_sizes_and_queues),
        cmocka_unit_test(malformed_queues_and_ports_are_refused),
        cmocka_unit_test(store_data_need_a_place_only_where_they_are_issued),
        cmocka_unit_test(every_class_needs_a_queue_and_a_port_from_it),
        cmocka_unit_test(pairs_name_what_may_follow),
        cmocka_unit_test(pairs_that_are_not_well_formed_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
