/* Settings whose choices are components. Each such setting has a table with one row a component, so
 * the setting, its documentation and the component share one list.
 *
 *   direction.def   bpred.kind          indirect.def      bpred.indirect
 *   prefetch.def    l1i, l1d.prefetch   replacement.def   l1i, l1d, l2, l3.replacement
 * With EXTRAS, the rows of a folder outside the tree follow (docs/extending.md). */
#ifndef SIM_BASE_CHOICE_H
#define SIM_BASE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

/* The names of each table, joined by bars as config.def has choices, with a bar before the first
 * name too. */
extern const char choices_direction[], choices_indirect[], choices_prefetch[],
    choices_replacement[];

/* settings: the settings of the same section that affect this choice but not all others, separated
 * by blanks. asks_pc: the component tells accesses apart by instruction. */
struct choice { const char *name, *settings, *meaning; bool asks_pc; };

/* Choice `index` of the setting with these names (setting->names). NULL: after the last choice, or
 * the names do not come from one of these tables. */
const struct choice *choice_at(const char *names, size_t index);
/* True if the choice's row lists the setting. */
bool choice_has(const struct choice *choice, const char *setting);
/* The choices with asks_pc false, as "a|b". Returns `text`. */
const char *choice_list_without_pc(const char *names, char *text, size_t bytes);

#endif
