/* See issue_plan.h. */
#include "sim/base/issue_plan.h"

#include <stdbool.h>
#include <string.h>

struct class_name { const char *name; uint32_t classes; };

static const struct class_name class_names[] = {
#define UNIT_CLASS(id, name, what) {name, 1u << CLASS_##id},
#define UNIT_GROUP(name, classes) {name, classes},
#include "sim/base/unit_class.def"
};

enum { CLASS_NAMES = sizeof class_names / sizeof class_names[0] };

/* ---- the short form -------------------------------------------------------------------------- */

static const uint32_t int_classes = 1u << CLASS_ALU | 1u << CLASS_SHIFT;
static const uint32_t complex_classes = 1u << CLASS_MUL | 1u << CLASS_DIV;
static const uint32_t data_classes = 1u << CLASS_INT_DATA | 1u << CLASS_FP_DATA;
static const uint32_t store_classes = 1u << CLASS_STORE | data_classes;
static const uint32_t mem_classes = 1u << CLASS_LOAD | store_classes;
static const uint32_t fp_classes = 1u << CLASS_FADD | 1u << CLASS_FMUL | 1u << CLASS_FMA |
                                   1u << CLASS_FDIV | 1u << CLASS_FMISC;

static void add_queue(struct issue_plan *plan, uint32_t classes, uint32_t size)
{
    plan->queue[plan->queue_count].classes = classes;
    plan->queue[plan->queue_count++].size = size;
}

static void add_ports(struct issue_plan *plan, uint32_t classes, uint32_t count)
{
    while (count-- != 0) {
        plan->port[plan->port_count].classes = classes;
        plan->port[plan->port_count++].queues = UINT32_MAX;
    }
}

static void short_queues(const struct config *config, struct issue_plan *plan)
{
    add_queue(plan, int_classes, config->issue_int_queue);
    add_queue(plan, 1u << CLASS_BRANCH, config->issue_branch_queue);
    add_queue(plan, complex_classes, config->issue_complex_queue);
    add_queue(plan, mem_classes, config->issue_mem_queue);
    add_queue(plan, fp_classes, config->issue_fp_queue);
}

static void short_ports(const struct config *config, struct issue_plan *plan)
{
    add_ports(plan, int_classes, config->unit_ints);
    add_ports(plan, 1u << CLASS_BRANCH, config->unit_branches);
    add_ports(plan, complex_classes, config->unit_complexes);
    add_ports(plan, 1u << CLASS_LOAD, config->unit_loads);
    add_ports(plan, store_classes, config->unit_stores);
    add_ports(plan, fp_classes, config->unit_fps);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* One item of a list. */
struct item { const char *key, *text; size_t length; struct diag *diag; };

static enum err refuse(const struct item *item, const char *expected)
{
    return diag_set(item->diag, ERR_USAGE, "%s: '%.*s': expected %s", item->key, (int)item->length,
                    item->text, expected);
}

static const char *next_class_name(void *state)
{
    size_t *index = state;
    return *index < CLASS_NAMES ? class_names[(*index)++].name : NULL;
}

static enum err unknown_class(const struct item *item, const char *name)
{
    size_t index = 0;
    const char *near = nearest_name(name, next_class_name, &index);
    return diag_set(item->diag, ERR_USAGE,
                    "%s: no class of operations '%s'; %s%s%s", item->key, name,
                    near != NULL ? "did you mean " : "they are int (alu, shift), branch, mul, div, "
                    "load, store, store_data (int_data, fp_data), fp (fadd, fmul, fma, fdiv, "
                    "fmisc), all",
                    near != NULL ? near : "", near != NULL ? "?" : "");
}

/* Parses "alu+branch", `length` characters. */
static enum err parse_classes(const struct item *item, size_t length, uint32_t *classes)
{
    *classes = 0;
    for (size_t at = 0; at <= length;) {
        char name[16] = "";
        size_t count = 0;
        while (at + count < length && item->text[at + count] != '+')
            count++;
        if (count == 0 || count >= sizeof name)
            return refuse(item, "classes of operations joined by '+', such as int+branch");
        memcpy(name, item->text + at, count);
        size_t found = 0;
        while (found < CLASS_NAMES && strcmp(class_names[found].name, name) != 0)
            found++;
        if (found == CLASS_NAMES)
            return unknown_class(item, name);
        *classes |= class_names[found].classes;
        at += count + 1;
    }
    return ERR_OK;
}

/* Parses a number of at most three digits. NULL: there is none. */
static const char *parse_count(const char *at, const char *end, uint32_t *value)
{
    const char *start = at;
    *value = 0;
    while (at < end && at - start < 3 && *at >= '0' && *at <= '9')
        *value = *value * 10 + (uint32_t)(*at++ - '0');
    return at != start ? at : NULL;
}

static enum err parse_queue(const struct item *item, struct issue_plan *plan)
{
    const char *colon = memchr(item->text, ':', item->length), *end = item->text + item->length;
    uint32_t size, classes;
    if (colon == NULL || parse_count(colon + 1, end, &size) != end || size == 0 ||
        size > ISSUE_QUEUE_SIZE_MAX)
        return refuse(item, "CLASSES:SIZE with a size of 1..512, such as int:8");
    if (plan->queue_count == ISSUE_QUEUES_MAX)
        return refuse(item, "at most 16 queues");
    enum err err = parse_classes(item, (size_t)(colon - item->text), &classes);
    if (err == ERR_OK)
        add_queue(plan, classes, size);
    return err;
}

/* Parses "@0,2" after the classes; without it *queues keeps its value. */
static enum err parse_served(const struct item *item, const char *at, const struct issue_plan *plan,
                             uint32_t *queues)
{
    const char *end = item->text + item->length;
    uint32_t number;
    *queues = 0;
    do {
        at = parse_count(at + 1, end, &number);
        if (at == NULL || (at != end && *at != ','))
            return refuse(item, "CLASSES@QUEUE,... with numbers of queues");
        if (number >= plan->queue_count)
            return diag_set(item->diag, ERR_USAGE, "%s: '%.*s': there are queues 0..%u", item->key,
                            (int)item->length, item->text, plan->queue_count - 1);
        *queues |= 1u << number;
    } while (at != end);
    return ERR_OK;
}

static enum err parse_port(const struct item *item, struct issue_plan *plan)
{
    const char *at = memchr(item->text, '@', item->length);
    uint32_t classes, queues = UINT32_MAX;
    if (plan->port_count == ISSUE_PORTS_MAX)
        return refuse(item, "at most 32 ports");
    size_t length = at != NULL ? (size_t)(at - item->text) : item->length;
    enum err err = parse_classes(item, length, &classes);
    if (err == ERR_OK && at != NULL)
        err = parse_served(item, at, plan, &queues);
    if (err == ERR_OK) {
        add_ports(plan, classes, 1);
        plan->port[plan->port_count - 1].queues = queues;
    }
    return err;
}

static enum err parse_list(const char *key, const char *text, struct issue_plan *plan,
                           enum err (*parse)(const struct item *, struct issue_plan *),
                           struct diag *diag)
{
    enum err err = ERR_OK;
    while (err == ERR_OK && *(text += strspn(text, " \t")) != '\0') {
        const struct item item = {key, text, strcspn(text, " \t"), diag};
        err = parse(&item, plan);
        text += item.length;
    }
    return err;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static bool are_whole_units(uint32_t classes)
{
    return ((classes & int_classes) == 0 || (classes & int_classes) == int_classes) &&
           ((classes & fp_classes) == 0 || (classes & fp_classes) == fp_classes);
}

static enum err parse_pair(const struct item *item, struct issue_plan *plan)
{
    const char *colon = memchr(item->text, ':', item->length);
    size_t older_length = colon != NULL ? (size_t)(colon - item->text) : item->length;
    struct item allowed = *item;
    uint32_t older, classes = 0;
    if (colon == NULL)
        return refuse(item, "OLDER:CLASSES, such as load:int+branch, or all");
    allowed.text = colon + 1;
    allowed.length = item->length - older_length - 1;
    enum err err = parse_classes(item, older_length, &older);
    if (err == ERR_OK && (allowed.length != 4 || memcmp(allowed.text, "none", 4) != 0))
        err = parse_classes(&allowed, allowed.length, &classes);
    if (err == ERR_OK && (!are_whole_units(older) || !are_whole_units(classes)))
        return refuse(item, "whole units: int, branch, mul, div, load, store, fp");
    for (unsigned class = 0; err == ERR_OK && class < CLASS_COUNT; class++)
        if (older >> class & 1)
            plan->after[class] = classes;
    return err;
}

static enum err parse_pairs(const char *text, struct issue_plan *plan, struct diag *diag)
{
    for (unsigned class = 0; class < CLASS_COUNT; class++)
        plan->after[class] = (1u << CLASS_COUNT) - 1;
    return strcmp(text, "all") == 0 ? ERR_OK
                                    : parse_list("inorder.pairs", text, plan, parse_pair, diag);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static const char *name_of(unsigned class)
{
    return class_names[class].name;         /* the classes come before the groups */
}

static bool is_served(const struct issue_plan *plan, unsigned queue, unsigned class)
{
    for (unsigned port = 0; port < plan->port_count; port++)
        if ((plan->port[port].queues >> queue & 1) && (plan->port[port].classes >> class & 1))
            return true;
    return false;
}

static enum err check(const struct issue_plan *plan, uint32_t classes, struct diag *diag)
{
    for (unsigned class = 0; class < CLASS_COUNT; class++) {
        bool has_queue = (classes >> class & 1) == 0;
        for (unsigned queue = 0; queue < plan->queue_count; queue++) {
            if ((plan->queue[queue].classes & classes & 1u << class) == 0)
                continue;
            has_queue = true;
            if (!is_served(plan, queue, class))
                return diag_set(diag, ERR_USAGE, "issue.ports: no port takes %s from queue %u",
                                name_of(class), queue);
        }
        if (!has_queue)
            return diag_set(diag, ERR_USAGE, "issue.queues: no queue holds %s", name_of(class));
    }
    return ERR_OK;
}

enum err issue_plan_make(const struct config *config, struct issue_plan *plan, struct diag *diag)
{
    enum err err = ERR_OK;
    memset(plan, 0, sizeof *plan);
    if (strcmp(config->issue_queues, "auto") == 0)
        short_queues(config, plan);
    else
        err = parse_list("issue.queues", config->issue_queues, plan, parse_queue, diag);
    if (err == ERR_OK && strcmp(config->issue_ports, "auto") == 0)
        short_ports(config, plan);
    else if (err == ERR_OK)
        err = parse_list("issue.ports", config->issue_ports, plan, parse_port, diag);
    uint32_t wanted = (1u << CLASS_COUNT) - 1;
    if (!config_is(config, "lsq.store_data", "micro_op"))
        wanted &= ~data_classes;
    if (err == ERR_OK)
        err = check(plan, wanted, diag);
    return err == ERR_OK ? parse_pairs(config->inorder_pairs, plan, diag) : err;
}
