/* Settings whose choices are components: the rows of a table each, and so one list for the setting,
 * its documentation and the component.
 *
 *   direction.def   bpred.kind          indirect.def      bpred.indirect
 *   prefetch.def    l1i, l1d.prefetch   replacement.def   l1i, l1d, l2, l3.replacement
 * With EXTRAS the rows of a folder outside the tree follow (docs/extending.md). */
#ifndef SIM_BASE_CHOICE_H
#define SIM_BASE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

/* Names, as config.def has choices, with a bar before the first as well. */
extern const char choices_direction[], choices_indirect[], choices_prefetch[],
    choices_replacement[];

/* settings: names of settings of the same section that mean something to this choice and not to
 * some of the others, with blanks between them. asks_pc: it tells accesses apart by instruction. */
struct choice { const char *name, *settings, *meaning; bool asks_pc; };

/* Choice `index` of the setting with these names (as setting->names has them); NULL: after the
 * last, or the setting has choices of its own. */
const struct choice *choice_at(const char *names, size_t index);
/* Does it name the setting? */
bool choice_has(const struct choice *choice, const char *setting);
/* The choices that do not ask for the instruction, as "a|b". Returns text. */
const char *choice_list_without_pc(const char *names, char *text, size_t bytes);

#endif
