/* Syntax of .meta lines: words, numbers, places as written, flags. */
#include "shadowcache/meta_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/abi.h"

static const struct meta_flag flags[] = {
#define META_FLAG(text, bit, arg, needs, what)                                                     \
    {.name = text, .mark = bit, .argument = arg, .needs_argument = needs, .meaning = what},
#include "shadowcache/meta_flag.def"
#undef META_FLAG
};

enum { FLAG_COUNT = sizeof flags / sizeof flags[0] };

const struct meta_flag *meta_flag(size_t index)
{
    return index < FLAG_COUNT ? &flags[index] : NULL;
}

/* ---- words and numbers ----------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* A word ends at a blank or a comment. Between quotation marks, which are removed, it does not. */
enum err meta_next_token(struct meta_reader *reader, struct meta_token *token)
{
    bool is_quoted = false;
    size_t length = 0;

    while (reader->cursor < reader->line_end && is_blank(*reader->cursor))
        reader->cursor++;
    token->column = (unsigned)(reader->cursor - reader->line_begin) + 1;
    token->quoted = 0;
    for (; reader->cursor < reader->line_end && (is_quoted || !is_blank(*reader->cursor));
         reader->cursor++) {
        if (*reader->cursor == '"') {
            is_quoted = !is_quoted;
            token->quoted = length;
            continue;
        }
        if (*reader->cursor == '#' && !is_quoted) {
            reader->cursor = reader->line_end;
            break;
        }
        if (iscntrl((unsigned char)*reader->cursor))
            return meta_fail(reader, token->column + (unsigned)length,
                             "control character 0x%02x", (unsigned char)*reader->cursor);
        if (length == META_TOKEN_MAX - 1)
            return meta_fail(reader, token->column, "word longer than %d characters",
                             META_TOKEN_MAX - 1);
        token->text[length++] = *reader->cursor;
    }
    token->text[length] = '\0';
    return is_quoted ? meta_fail(reader, token->column, "no quotation mark ends this word")
                     : ERR_OK;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

static bool is_hexadecimal(const char *text)
{
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

bool meta_parse_number(const char *text, uint64_t *number)
{
    unsigned base = is_hexadecimal(text) ? 16 : 10;
    uint64_t value = 0;

    text += base == 16 ? 2 : 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        unsigned digit = (unsigned)digit_value(*text);
        if (digit >= base || value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *number = value;
    return true;
}

/* ---- where and how much ---------------------------------------------------------------------- */

static enum err parse_numeric_where(const struct meta_reader *reader, struct meta_where *where)
{
    const char *text = where->token.text;
    bool is_hex = is_hexadecimal(text);

    if (!meta_parse_number(text, &where->number))
        return meta_fail(reader, where->token.column, "'%s' is no number", text);
    where->kind = WHERE_OFFSET;
    if (is_hex && (!reader->has_section || where->number > reader->section.bytes))
        where->kind = WHERE_ADDRESS;
    else if (!reader->has_section)
        return meta_fail(reader, where->token.column,
                         "offset %s without a 'segment NAME' line above it", text);
    return ERR_OK;
}

/* Parses calls(NAME) and branches(NAME). False: neither. */
static bool parse_group(struct meta_where *where, const char *word, enum meta_where_kind kind)
{
    const char *text = where->token.text;
    size_t length = strlen(text), prefix = strlen(word);

    if (length < prefix + 3 || strncmp(text, word, prefix) != 0 || text[prefix] != '(' ||
        text[length - 1] != ')')
        return false;
    memcpy(where->name, text + prefix + 1, length - prefix - 2);
    where->name[length - prefix - 2] = '\0';
    where->number_column = where->token.column + (unsigned)prefix + 1;
    where->kind = kind;
    return true;
}

/* True for a name of C++, which may have "::" and operators; FILE:LINE has one colon before a
 * number. */
static bool is_cxx_name(const char *text)
{
    const char *colon = strrchr(text, ':');

    return strchr(text, '(') != NULL || (colon != NULL && colon != text && colon[-1] == ':');
}

/* Splits NAME, `separator`, number. False: there is no separator. */
static bool split_number(struct meta_where *where, char separator, bool *is_number)
{
    char *at = strrchr(where->name, separator);

    if (at == NULL || at == where->name || (size_t)(at - where->name) < where->token.quoted)
        return false;
    *is_number = meta_parse_number(at + 1, &where->number);
    where->number_column = where->token.column + (unsigned)(at + 1 - where->name);
    *at = '\0';
    return true;
}

static enum err parse_named_where(const struct meta_reader *reader, struct meta_where *where)
{
    bool is_number = true;

    strcpy(where->name, where->token.text);
    where->kind = WHERE_SYMBOL;
    if (!is_cxx_name(where->name) && split_number(where, ':', &is_number)) {
        where->kind = WHERE_LINE;
        if (!is_number || where->number == 0 || where->number > UINT32_MAX)
            return meta_fail(reader, where->number_column, "expected a line number after ':'");
    } else if (split_number(where, '+', &is_number) && !is_number) {
        if (is_cxx_name(where->token.text)) {
            strcpy(where->name, where->token.text);
            return ERR_OK;
        }
        return meta_fail(reader, where->number_column, "expected a number after '+'");
    }
    return ERR_OK;
}

bool meta_parse_unquoted(struct meta_where *where)
{
    struct meta_where plain = *where;
    bool is_number = false;

    plain.token.quoted = 0;
    if (!is_cxx_name(plain.name) && split_number(&plain, ':', &is_number))
        plain.kind = WHERE_LINE;
    else
        split_number(&plain, '+', &is_number);
    if (!is_number ||
        (plain.kind == WHERE_LINE && (plain.number == 0 || plain.number > UINT32_MAX)))
        return false;
    *where = plain;
    return true;
}

enum err meta_parse_where(struct meta_reader *reader, struct meta_where *where)
{
    enum err err = meta_next_token(reader, &where->token);
    const char *text = where->token.text;

    where->number = 0;
    where->number_column = where->token.column;
    if (err != ERR_OK)
        return err;
    if (*text == '\0')
        return meta_fail(reader, where->token.column,
                         "expected an offset, SYMBOL[+OFFSET], FILE:LINE, 0xADDRESS, "
                         "calls(FUNCTION) or branches(FUNCTION)");
    if (isdigit((unsigned char)*text) && strchr(text, ':') == NULL && where->token.quoted == 0)
        return parse_numeric_where(reader, where);
    if (parse_group(where, "calls", WHERE_CALLS) || parse_group(where, "branches", WHERE_BRANCHES))
        return ERR_OK;
    return parse_named_where(reader, where);
}

enum err meta_parse_length(struct meta_reader *reader, struct meta_length *length)
{
    struct meta_token token;
    enum err err = meta_next_token(reader, &token);

    if (err != ERR_OK)
        return err;
    *length = (struct meta_length){.is_whole = strcmp(token.text, "*") == 0,
                                   .column = token.column};
    if (length->is_whole || meta_parse_number(token.text, &length->bytes))
        return ERR_OK;
    if (token.text[0] == '\0')
        return meta_fail(reader, token.column, "expected a length: a number of bytes, or *");
    return meta_fail(reader, token.column, "'%s' is no length: expected a number of bytes, or *",
                     token.text);
}

/* ---- flags ----------------------------------------------------------------------------------- */

struct flag_word {
    const struct meta_flag *flag;
    const char *argument;       /* NULL: no '=' */
    unsigned column, argument_column;
};

static const char *next_flag_name(void *state)
{
    const struct meta_flag *flag = meta_flag((*(size_t *)state)++);

    return flag != NULL ? flag->name : NULL;
}

static enum err find_flag(const struct meta_reader *reader, struct meta_token *token,
                          struct flag_word *word)
{
    char *equals = strchr(token->text, '=');
    const char *near;
    size_t index = 0;

    word->argument = NULL;
    word->column = word->argument_column = token->column;
    if (equals != NULL) {
        *equals = '\0';
        word->argument = equals + 1;
        word->argument_column = token->column + (unsigned)(equals + 1 - token->text);
    }
    for (size_t i = 0; (word->flag = meta_flag(i)) != NULL; i++)
        if (strcmp(word->flag->name, token->text) == 0)
            return ERR_OK;
    near = nearest_name(token->text, next_flag_name, &index);
    return meta_fail(reader, token->column, "no flag '%s'%s%s%s", token->text,
                     near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                     near != NULL ? "'?" : "");
}

static enum err parse_bounded(const struct meta_reader *reader, const struct flag_word *word,
                              const char *text, uint64_t max, uint64_t *number)
{
    if (meta_parse_number(text, number) && *number >= 1 && *number <= max)
        return ERR_OK;
    return meta_fail(reader, word->argument_column, "%s=%s: expected a number from 1 to %llu",
                     word->flag->name, word->argument, (unsigned long long)max);
}

static enum err parse_threshold(const struct meta_reader *reader, const struct flag_word *word,
                                struct meta_action *action)
{
    const char *bits = word->argument;
    uint64_t cycles = 0;
    enum err err;

    if (strncmp(bits, "bits:", 5) == 0) {
        bits += 5;
        if (strlen(bits) != 3 || strspn(bits, "01") != 3 || strcmp(bits, "000") == 0)
            return meta_fail(reader, word->argument_column,
                             "threshold=%s: expected three binary digits, not all 0",
                             word->argument);
        action->latency_bits = (uint8_t)strtoul(bits, NULL, 2);
        return ERR_OK;
    }
    err = parse_bounded(reader, word, bits, UINT32_MAX, &cycles);
    action->latency_cycles = (uint32_t)cycles;
    return err;
}

/* The limit of an alarm: its upper half is in the field of the threshold. */
static enum err parse_alarm(const struct meta_reader *reader, const struct flag_word *word,
                            struct meta_action *action)
{
    bool is_elapsed = strncmp(word->argument, "elapsed:", 8) == 0;
    uint64_t cycles = 0;
    enum err err = parse_bounded(reader, word, word->argument + (is_elapsed ? 8 : 0),
                                 INT64_MAX, &cycles);

    action->limit = (uint32_t)cycles;
    action->latency_cycles = (uint32_t)(cycles >> 32) | (is_elapsed ? ALARM_ELAPSED : 0);
    return err;
}

static enum err parse_granule(const struct meta_reader *reader, const struct flag_word *word,
                              struct meta_action *action)
{
    uint64_t bytes = 0;

    if (!meta_parse_number(word->argument, &bytes) || bytes == 0 || bytes > 64 ||
        (bytes & (bytes - 1)) != 0)
        return meta_fail(reader, word->argument_column,
                         "granule=%s: expected 1, 2, 4, 8, 16, 32 or 64", word->argument);
    action->granule = (uint32_t)bytes;
    return ERR_OK;
}

static enum err parse_argument(const struct meta_reader *reader, const struct flag_word *word,
                               struct meta_action *action)
{
    uint64_t number = 0;
    enum err err = ERR_OK;

    switch (word->flag->mark) {
    case MARK_ALARM:
        return parse_alarm(reader, word, action);
    case MARK_COUNTER:
        err = parse_bounded(reader, word, word->argument, UINT32_MAX, &number);
        action->limit = (uint32_t)number;
        return err;
    case MARK_LABEL:
        err = parse_bounded(reader, word, word->argument, UINT8_MAX, &number);
        action->label = (uint8_t)number;
        return err;
    case MARK_THRESHOLD:
        return parse_threshold(reader, word, action);
    default:
        return parse_granule(reader, word, action);
    }
}

static enum err parse_flag(const struct meta_reader *reader, const struct flag_word *word,
                           struct meta_entry *entry)
{
    const struct meta_flag *flag = word->flag;
    bool is_repeated = (entry->action.flags & flag->mark) != 0 ||
                       (flag->mark == 0 && entry->granule_column != 0);

    if (is_repeated)
        return meta_fail(reader, word->column, "flag '%s' given twice", flag->name);
    if (word->argument == NULL && flag->needs_argument)
        return meta_fail(reader, word->column, "flag '%s' needs a value: %s=%s", flag->name,
                         flag->name, flag->argument);
    if (word->argument != NULL && flag->argument == NULL)
        return meta_fail(reader, word->argument_column, "flag '%s' takes no value", flag->name);
    entry->action.flags |= (uint16_t)flag->mark;
    if (flag->mark == 0)
        entry->granule_column = word->column;
    return word->argument != NULL ? parse_argument(reader, word, &entry->action) : ERR_OK;
}

static enum err check_action(const struct meta_reader *reader, const struct meta_entry *entry,
                             unsigned end_column)
{
    unsigned toggles = entry->action.flags & (MARK_START | MARK_STOP | MARK_TOGGLE);

    if ((entry->action.flags & ~(unsigned)(MARK_BUNDLE | MARK_TAKEN | MARK_MISPREDICTED)) == 0)
        return meta_fail(reader, end_column, "expected a flag that says what to do: count, "
                                             "counter, interrupt, ...");
    if ((entry->action.flags & (MARK_NEAR | MARK_COUNTER)) == MARK_NEAR)
        return meta_fail(reader, entry->flags_column, "'near' needs 'counter'");
    if ((entry->action.flags & MARK_ALARM) != 0 && (entry->action.flags & MARK_COUNTER) != 0)
        return meta_fail(reader, entry->flags_column,
                         "'alarm' and 'counter' cannot share an instruction");
    if ((entry->action.flags & MARK_ALARM) != 0 && (entry->action.flags & MARK_THRESHOLD) != 0)
        return meta_fail(reader, entry->flags_column,
                         "'alarm' and 'threshold' cannot share an instruction");
    if ((toggles & (toggles - 1)) != 0)
        return meta_fail(reader, entry->flags_column,
                         "only one of 'start', 'stop' and 'toggle' can be given");
    return ERR_OK;
}

enum err meta_parse_action(struct meta_reader *reader, struct meta_entry *entry)
{
    struct meta_token token;
    struct flag_word word;
    enum err err;

    entry->action = (struct meta_action){0};
    entry->flags_column = 0;
    entry->granule_column = 0;
    for (;;) {
        err = meta_next_token(reader, &token);
        if (err != ERR_OK)
            return err;
        if (token.text[0] == '\0')
            return check_action(reader, entry, token.column);
        if (entry->flags_column == 0)
            entry->flags_column = token.column;
        err = find_flag(reader, &token, &word);
        if (err == ERR_OK)
            err = parse_flag(reader, &word, entry);
        if (err != ERR_OK)
            return err;
    }
}
