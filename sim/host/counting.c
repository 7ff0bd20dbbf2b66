/* Reads counters as users write them. */
#include "sim/host/counting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/abi.h"
#include "pmu/event.h"

enum { WORD_BYTES = 64, LABEL_MAX = 255 };
enum { MODE_U = 1, MODE_S = 2, MODE_M = 4, MODE_ALL = 7 };
enum filter_kind { KIND_MODE, KIND_ONLY, KIND_SHOW };

#define SELECT_MINH (UINT64_C(1) << 62)
#define SELECT_SINH (UINT64_C(1) << 61)
#define SELECT_UINH (UINT64_C(1) << 60)

enum filter_id {
#define COUNT_FILTER(id, name, argument, kind, bits, meaning) FILTER_##id,
#include "sim/host/count_filter.def"
#undef COUNT_FILTER
    FILTERS
};

static const struct { enum filter_kind kind; unsigned bits; } rule[FILTERS] = {
#define COUNT_FILTER(id, name, argument, kind, bits, meaning) {KIND_##kind, bits},
#include "sim/host/count_filter.def"
#undef COUNT_FILTER
};

static const struct counting_filter rows[FILTERS] = {
#define COUNT_FILTER(id, name, argument, kind, bits, meaning) {name, argument, meaning},
#include "sim/host/count_filter.def"
#undef COUNT_FILTER
};

const struct counting_filter *counting_filter_at(unsigned index)
{
    return index < FILTERS ? &rows[index] : NULL;
}

static const char *next_filter(void *state)
{
    unsigned *at = state;

    return *at < FILTERS ? rows[(*at)++].name : NULL;
}

/* The values read so far. */
struct reading {
    const char *text;               /* the whole */
    struct counting *counting;
    unsigned modes;                 /* MODE_*; 0: none was named */
    enum filter_id only;            /* FILTERS: none yet */
    struct diag *diag;
};

/* Names of events, and those that users may expect. */
static const struct { const char *name; unsigned event; } expected_names[] = {
#define EVENT_EXPECTED(name, id) {name, EVENT_##id},
#include "sim/host/event_expected.def"
#undef EVENT_EXPECTED
};
enum { EXPECTED = sizeof expected_names / sizeof expected_names[0] };

struct names_of_events { unsigned event, expected; };

static const char *next_name(void *state)
{
    struct names_of_events *at = state;

    if (at->expected < EXPECTED)
        return expected_names[at->expected++].name;
    return event_next(&at->event);
}

enum err counting_suggest(struct diag *diag, const char *name)
{
    struct names_of_events at = {EVENT_NONE, 0};
    const char *near = nearest_name(name, next_name, &at);
    unsigned first = EVENT_NONE;

    for (unsigned i = 0; near != NULL && i < EXPECTED; i++)
        if (strcmp(near, expected_names[i].name) == 0)
            name = event_name(expected_names[i].event);
    return diag_suggest(diag, ERR_USAGE, name, event_next, &first);
}

static enum err read_event(struct reading *reading, const char *name)
{
    reading->counting->event = event_by_name(name);
    reading->counting->select = reading->counting->event;
    if (reading->counting->event != EVENT_NONE)
        return ERR_OK;
    if (strcmp(reading->text, name) == 0)
        diag_set(reading->diag, ERR_USAGE, "%s: no such event (see rvsim events)", name);
    else
        diag_set(reading->diag, ERR_USAGE, "%s: no such event: %s (see rvsim events)",
                 reading->text, name);
    return counting_suggest(reading->diag, name);
}

/* A number up to `most`, and nothing after it. */
static bool read_number(const char *text, unsigned most, unsigned *number)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    *number = (unsigned)value;
    return *text >= '0' && *text <= '9' && *end == '\0' && value <= most;
}

static enum err bad_argument(const struct reading *reading, const char *word, const char *expected)
{
    return diag_set(reading->diag, ERR_USAGE, "%s: %s: expected %s", reading->text, word, expected);
}

static enum err read_label(struct reading *reading, const char *word, const char *argument)
{
    unsigned label;

    if (!read_number(argument, LABEL_MAX, &label) || label == 0)
        return bad_argument(reading, word, "a label from 1 to 255");
    reading->counting->select |= (uint64_t)label << PMU_ARGUMENT_SHIFT;
    return ERR_OK;
}

static enum err read_gate(struct reading *reading, const char *word, const char *argument)
{
    unsigned gate;

    if (!read_number(argument, PROF_GATES - 1, &gate) || gate == 0)
        return bad_argument(reading, word, "a label from 1 to 31");
    reading->counting->select |= (uint64_t)gate << PMU_ARGUMENT_SHIFT;
    return ERR_OK;
}

static enum err read_range(struct reading *reading, const char *word, const char *argument)
{
    unsigned range;

    if (argument[0] == 'D' && read_number(argument + 1, PROF_RANGES - 1, &range))
        return bad_argument(reading, word, "an instruction range, I0 to I7: data ranges count "
                            "their accesses themselves and gate no counter");
    if (argument[0] != 'I' || !read_number(argument + 1, PROF_RANGES - 1, &range))
        return bad_argument(reading, word, "an instruction range, I0 to I7");
    reading->counting->select |= (uint64_t)range << PMU_ARGUMENT_SHIFT;
    reading->counting->range = (int)range;
    return ERR_OK;
}

static enum err read_thread(struct reading *reading, const char *word, const char *argument)
{
    unsigned thread;

    if (!read_number(argument, INT32_MAX, &thread))
        return bad_argument(reading, word, "the number of a thread");
    reading->counting->select |= (uint64_t)thread << PMU_ARGUMENT_SHIFT;
    return ERR_OK;
}

/* One of marked, label, toggle, gate, range and thread. */
static enum err read_only(struct reading *reading, enum filter_id id, const char *word,
                          const char *argument)
{
    if (reading->only != FILTERS)
        return diag_set(reading->diag, ERR_USAGE, "%s: a counter has one of marked, label, toggle, "
                        "gate, range and thread, and %s comes first", reading->text,
                        rows[reading->only].name);
    reading->only = id;
    reading->counting->select |= (uint64_t)rule[id].bits << PMU_FILTER_SHIFT;
    if (id == FILTER_LABEL)
        return read_label(reading, word, argument);
    if (id == FILTER_GATE)
        return read_gate(reading, word, argument);
    if (id == FILTER_THREAD)
        return read_thread(reading, word, argument);
    return id == FILTER_RANGE ? read_range(reading, word, argument) : ERR_OK;
}

static enum err find_filter(const struct reading *reading, const char *name, enum filter_id *id)
{
    unsigned at = 0;

    for (*id = 0; *id < FILTERS; ++*id)
        if (strcmp(rows[*id].name, name) == 0)
            return ERR_OK;
    diag_set(reading->diag, ERR_USAGE, "%s: no such filter: %s", reading->text, name);
    return diag_suggest(reading->diag, ERR_USAGE, name, next_filter, &at);
}

static enum err read_filter(struct reading *reading, const char *word)
{
    char name[WORD_BYTES];
    size_t length = strcspn(word, "=");
    const char *argument = word[length] == '=' ? word + length + 1 : NULL;
    enum filter_id id;
    enum err err;

    snprintf(name, sizeof name, "%.*s", (int)length, word);
    err = find_filter(reading, name, &id);
    if (err != ERR_OK)
        return err;
    if ((argument != NULL) != (rows[id].argument != NULL))
        return diag_set(reading->diag, ERR_USAGE, "%s: %s: expected %s%s%s", reading->text, word,
                        name, rows[id].argument != NULL ? "=" : "",
                        rows[id].argument != NULL ? rows[id].argument : "");
    if (rule[id].kind == KIND_ONLY)
        return read_only(reading, id, word, argument);
    if (rule[id].kind == KIND_MODE)
        reading->modes |= rule[id].bits;
    reading->counting->is_sum |= rule[id].kind == KIND_SHOW;
    return ERR_OK;
}

/* The next word up to one of `stops`; false: it is empty or too long. */
static bool take_word(const char **at, const char *stops, char word[WORD_BYTES])
{
    size_t length = strcspn(*at, stops);

    snprintf(word, WORD_BYTES, "%.*s", (int)length, *at);
    *at += length;
    return length != 0 && length < WORD_BYTES;
}

static enum err read_words(struct reading *reading)
{
    const char *at = reading->text;
    char word[WORD_BYTES];
    bool is_whole = take_word(&at, ":", word);
    enum err err = is_whole ? read_event(reading, word) : ERR_OK;

    while (is_whole && err == ERR_OK && *at != '\0') {
        at++;
        is_whole = take_word(&at, ",", word);
        if (is_whole)
            err = read_filter(reading, word);
    }
    return is_whole ? err : diag_set(reading->diag, ERR_USAGE, "%s: expected EVENT[:FILTER,...]",
                                     reading->text);
}

/* Refuses the filters `marked` and `label` on events that belong to no instruction. */
static enum err check_event(const struct reading *reading)
{
    unsigned event = reading->counting->event;

    if ((reading->only != FILTER_MARKED && reading->only != FILTER_LABEL) ||
        event_scope(event) == SCOPE_INSN || event == EVENT_EXEC_CYCLES)
        return ERR_OK;
    return diag_set(reading->diag, ERR_USAGE, "%s: %s is no event of single instructions, so the "
                    "hardware cannot tell which are %s; toggle and range are possible",
                    reading->text, event_name(event),
                    reading->only == FILTER_LABEL ? "labelled" : "marked");
}

enum err counting_parse(struct counting *counting, const char *text, struct diag *diag)
{
    struct reading reading = {
        .text = text, .counting = counting, .only = FILTERS, .diag = diag};
    enum err err;

    *counting = (struct counting){.range = -1};
    err = read_words(&reading);
    if (err == ERR_OK)
        err = check_event(&reading);
    if (reading.modes != 0)
        counting->select |= ((reading.modes & MODE_U) == 0 ? SELECT_UINH : 0) |
                            ((reading.modes & MODE_S) == 0 ? SELECT_SINH : 0) |
                            ((reading.modes & MODE_M) == 0 ? SELECT_MINH : 0);
    return err;
}

bool counting_needs_marks(const struct counting *counting)
{
    unsigned filter = counting->select >> PMU_FILTER_SHIFT & 7;

    return filter != PMU_FILTER_ALL && filter != PMU_FILTER_RANGE && filter != PMU_FILTER_THREAD;
}

bool counting_is_possible(const struct counting *counting, bool is_detailed, bool has_memory)
{
    bool is_filtered = counting->select != counting->event;

    if (is_detailed || (has_memory && event_is_of_memory(counting->event) && !is_filtered))
        return true;
    return event_is_architectural(counting->event) &&
           event_scope(counting->event) != SCOPE_CYCLE;
}
