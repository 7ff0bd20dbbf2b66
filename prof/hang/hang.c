/* Alarms and their groups; see hang.h. */
#define _POSIX_C_SOURCE 200809L     /* open_memstream */
#include "prof/hang/hang.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
static void free_alarm(struct hang_alarm *alarm)
{
    free(alarm->thread);
    free(alarm->group);
    free(alarm->dump);
}

enum err hang_add(struct hang *hang, const struct hang_alarm *alarm, struct diag *diag)
{
    struct hang_alarm *grown = array_grow(hang->alarm, hang->alarms, sizeof *grown);
    struct hang_alarm taken = *alarm;

    if (grown == NULL) {
        free_alarm(&taken);
        return diag_no_memory(diag, "alarms");
    }
    hang->alarm = grown;
    hang->alarm[hang->alarms++] = taken;
    return ERR_OK;
}

/* The functions from the root on; a semicolon in a name would be a frame. */
char *hang_group(const struct symbols *symbols, const struct monitor_stack *stack)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return NULL;
    for (unsigned i = stack->depth; i-- > 0;) {
        uint64_t at = i != 0 ? symbols_call_site(symbols, stack->address[i]) : stack->address[i];
        const struct symbols_entry *entry = symbols_at(symbols, at);

        for (const char *c = entry != NULL ? entry->name : "?"; *c != '\0'; c++)
            fputc(*c == ';' ? ':' : *c, out);
        if (i != 0)
            fputc(';', out);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

bool hang_find_limit(struct hang *hang, uint64_t function, unsigned *limit)
{
    const struct symbols_entry *entry = symbols_at(hang->symbols, function);

    for (size_t i = 0; i < hang->limits; i++) {
        const char *awaited = hang->limit[i].awaited;

        if (awaited == NULL ? hang->limit[i].address == function
                            : entry != NULL && symbols_matches(hang->symbols, entry, awaited)) {
            hang->limit[i].address = function;
            *limit = (unsigned)i;
            return true;
        }
    }
    return false;
}

const struct hang_alarm *hang_first(const struct hang *hang, unsigned limit, const char *group)
{
    for (size_t i = 0; i < hang->alarms; i++)
        if (hang->alarm[i].limit == limit && strcmp(hang->alarm[i].group, group) == 0)
            return &hang->alarm[i];
    return NULL;
}

void hang_free(struct hang *hang)
{
    for (size_t i = 0; i < hang->alarms; i++)
        free_alarm(&hang->alarm[i]);
    for (size_t i = 0; i < hang->limits; i++)
        free(hang->limit[i].awaited);
    free(hang->alarm);
    free(hang->limit);
    free(hang->left);
}
