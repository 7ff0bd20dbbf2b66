/* Basic blocks and functions of the executed code; see compare_group.h. */
#include "prof/compare/compare_group.h"

#include <stdlib.h>

#include "isa/insn.h"

struct targets { uint64_t *address; size_t count; };

static int compare_addresses(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static unsigned kind_at(const struct symbols *symbols, const struct compare_row *row,
                        struct insn *insn)
{
    if (row->is_monitor || !symbols_insn(symbols, row->address, insn))
        return KIND_ILLEGAL;
    return insn_info[insn->op].kind;
}

static bool find_targets(struct targets *targets, const struct compare *compare,
                         const struct symbols *symbols)
{
    struct insn insn;

    targets->address = calloc(compare->rows + 1, sizeof targets->address[0]);
    if (targets->address == NULL)
        return false;
    for (size_t i = 0; i < compare->rows; i++) {
        unsigned kind = kind_at(symbols, &compare->row[i], &insn);

        if (kind == KIND_BRANCH || kind == KIND_JAL)
            targets->address[targets->count++] = compare->row[i].address +
                                                 (uint64_t)(int64_t)insn.imm;
    }
    qsort(targets->address, targets->count, sizeof targets->address[0], compare_addresses);
    return true;
}

static bool is_target(const struct targets *targets, uint64_t address)
{
    return bsearch(&address, targets->address, targets->count, sizeof address,
                   compare_addresses) != NULL;
}

static bool ends_block(unsigned kind)
{
    return kind == KIND_BRANCH || kind == KIND_JAL || kind == KIND_JALR || kind == KIND_SYSTEM ||
           kind == KIND_ILLEGAL;
}

/* True if `row`, which follows `before` in address order, begins a block. */
static bool begins_block(const struct targets *targets, const struct symbols *symbols,
                         const struct compare_row *before, const struct compare_row *row)
{
    struct insn insn;
    unsigned kind = kind_at(symbols, before, &insn);

    return ends_block(kind) || before->address + insn.length != row->address ||
           before->count != row->count || is_target(targets, row->address);
}

static bool begins_function(const struct symbols *symbols, const struct compare_row *before,
                            const struct compare_row *row)
{
    if (row->is_monitor || before->is_monitor)
        return row->is_monitor != before->is_monitor;
    if (row->address == SCHEME_NOWHERE)
        return true;
    return symbols_at(symbols, before->address) != symbols_at(symbols, row->address);
}

bool compare_find_groups(struct compare *compare, const struct symbols *symbols)
{
    struct targets targets = {.count = 0};

    if (!find_targets(&targets, compare, symbols))
        return false;
    for (size_t i = 1; i < compare->rows; i++) {
        const struct compare_row *before = &compare->row[i - 1];
        struct compare_row *row = &compare->row[i];
        bool is_new = begins_function(symbols, before, row);

        row->group[COMPARE_INSN] = i;
        row->group[COMPARE_FUNCTION] = before->group[COMPARE_FUNCTION] + is_new;
        is_new = is_new || begins_block(&targets, symbols, before, row);
        row->group[COMPARE_BLOCK] = before->group[COMPARE_BLOCK] + is_new;
    }
    free(targets.address);
    return true;
}
