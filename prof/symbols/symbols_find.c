/* Names of symbols: C++ and Rust names demangled by libiberty, and looked up whole, without
 * parameters, or by a pattern. */
#include "prof/symbols/symbols_internal.h"

#include <fnmatch.h>
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- demangling ------------------------------------------------------------------------------ */

/* The demangled name, from malloc; NULL: not mangled. Tries Rust first, as its older names look
 * like C++ ones. */
static char *demangle(const char *name, int options)
{
    char *text = NULL;

    if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
        return NULL;
    text = rust_demangle(name, options);
    return text != NULL ? text : cplus_demangle_v3(name, options);
}

/* "main" of the program "sort" is "main@sort"; a name that has this end keeps it. Takes the text
 * over; NULL: no memory. */
static char *add_program(const struct symbols *symbols, const char *name, char *text)
{
    size_t length, end = strlen(symbols->of) + 1;
    char *whole;

    name = text != NULL ? text : name;
    length = strlen(name);
    if (length > end && name[length - end] == '@' &&
        strcmp(name + length - end + 1, symbols->of) == 0)
        length -= end;
    whole = malloc(length + end + 1);
    if (whole != NULL)
        sprintf(whole, "%.*s@%s", (int)length, name, symbols->of);
    free(text);
    return whole;
}

/* Of a name without its blanks (FNV-1a). */
static uint32_t hash_of(const char *name)
{
    uint32_t hash = 2166136261u;

    for (; *name != '\0'; name++)
        if (*name != ' ')
            hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash;
}

bool symbols_demangle(const struct symbols *symbols)
{
    struct symbols_table *table = symbols->table;

    table->readable = calloc(table->entries + 1, sizeof table->readable[0]);
    table->link_name = calloc(table->entries + 1, sizeof table->link_name[0]);
    table->hash = calloc(table->entries + 1, sizeof table->hash[0]);
    if (table->readable == NULL || table->link_name == NULL || table->hash == NULL)
        return false;
    for (size_t i = 0; i < table->entries; i++) {
        struct symbols_entry *entry = &table->entry[i];
        char *text = demangle(entry->name, DMGL_PARAMS | DMGL_ANSI);

        if (symbols->of != NULL && (text = add_program(symbols, entry->name, text)) == NULL)
            return false;
        table->link_name[i] = entry->name;
        table->readable[i] = text;
        table->hash[i][0] = table->hash[i][1] = hash_of(entry->name);
        if (text == NULL)
            continue;
        entry->name = text;
        table->hash[i][1] = hash_of(text);
    }
    return true;
}

void symbols_free_names(struct symbols_table *table)
{
    for (size_t i = 0; table->readable != NULL && i < table->entries; i++)
        free(table->readable[i]);
    free(table->readable);
    free(table->link_name);
    free(table->hash);
}

/* An entry is of a table that is complete. */
static bool has_entry(const struct symbols *symbols, const struct symbols_entry *entry)
{
    const struct symbols_table *table = symbols->table;

    return table->entry != NULL && entry >= table->entry && entry < table->entry + table->entries;
}

const char *symbols_link_name(const struct symbols *symbols, const struct symbols_entry *entry)
{
    for (size_t i = 0; i < symbols->modules; i++)
        if (has_entry(symbols->module[i], entry))
            return symbols_link_name(symbols->module[i], entry);
    return has_entry(symbols, entry) ? symbols->table->link_name[entry - symbols->table->entry]
                                     : symbols_link_name(symbols->beside, entry);
}

const char *symbols_object(const struct symbols *symbols)
{
    return symbols->object;
}

const char *symbols_of_program(const struct symbols *symbols)
{
    return symbols->of;
}

/* The object of code between symbols: that of the nearest symbol below. */
static const char *object_between(const struct symbols *symbols, uint64_t address)
{
    const struct symbols *nearest = symbols;

    for (size_t i = 0; i < symbols->modules; i++)
        if (symbols_start_below(symbols->module[i], address) >
            symbols_start_below(nearest, address))
            nearest = symbols->module[i];
    return symbols_start_below(nearest, address) != 0 ? nearest->object : NULL;
}

const char *symbols_object_at(const struct symbols *symbols, uint64_t address)
{
    const struct symbols_entry *entry = symbols_at(symbols, address);

    if (entry == NULL)
        return object_between(symbols, address);
    for (size_t i = 0; i < symbols->modules; i++)
        if (has_entry(symbols->module[i], entry))
            return symbols->module[i]->object;
    return has_entry(symbols, entry) ? symbols->object : symbols->beside->object;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Compares names ignoring blanks: "f(int,char)" is "f(int, char)". */
static bool is_same(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b || *a == '\0')
            return *a == *b;
    }
}

enum form { FORM_WHOLE, FORM_SHORT, FORM_PATTERN, FORMS };

/* Compares the name without parameters and return type; false for a name that is not mangled. */
static bool is_short(const char *link_name, const char *name, bool is_pattern)
{
    char *text = demangle(link_name, 0);
    bool is_it = text != NULL &&
                 (is_pattern ? fnmatch(name, text, 0) == 0 : is_same(text, name));

    free(text);
    return is_it;
}

static bool is_meant(const struct symbols *symbols, const struct symbols_entry *entry,
                     const char *name, enum form form)
{
    const char *link_name = symbols_link_name(symbols, entry);

    switch (form) {
    case FORM_WHOLE:
        return strcmp(link_name, name) == 0 || is_same(entry->name, name);
    case FORM_SHORT:
        return is_short(link_name, name, false);
    default:
        return fnmatch(name, link_name, 0) == 0 || fnmatch(name, entry->name, 0) == 0 ||
               is_short(link_name, name, true);
    }
}

/* ---- looking up ------------------------------------------------------------------------------ */

/* "main" of "sort:main" in the program or library sort; the name of a C++ class is none. */
static const char *name_within(const struct symbols *symbols, const char *name)
{
    const char *file = symbols->object != NULL ? symbols_base_name(symbols->object) : "";
    size_t length = strlen(file);
    bool is_of = length != 0 && strncmp(name, file, length) == 0 && name[length] == ':' &&
                 name[length + 1] != ':' && name[length + 1] != '\0';

    return is_of ? name + length + 1 : name;
}

bool symbols_matches(const struct symbols *symbols, const struct symbols_entry *entry,
                     const char *pattern)
{
    const struct symbols *of = symbols;

    for (size_t i = 0; i < symbols->modules; i++)
        if (has_entry(symbols->module[i], entry))
            of = symbols->module[i];
    pattern = name_within(of, pattern);
    return is_meant(symbols, entry, pattern, FORM_WHOLE) ||
           is_meant(symbols, entry, pattern, FORM_PATTERN);
}

/* Selects entries in order of address, so that aliases are adjacent. Objects match only by whole
 * names. */
static size_t select_form(const struct symbols *symbols, const char *name, enum form form,
                          const struct symbols_entry **entry, size_t max)
{
    const struct symbols_table *table = symbols_table(symbols);
    const struct symbols_entry *last = NULL;
    uint32_t hash = hash_of(name);
    size_t count = 0;

    for (size_t i = 0; i < table->entries; i++) {
        const struct symbols_entry *candidate = &table->entry[i];

        if (form != FORM_WHOLE ? !candidate->is_function
                               : table->hash[i][0] != hash && table->hash[i][1] != hash)
            continue;
        if ((last != NULL && last->address == candidate->address) ||
            !is_meant(symbols, candidate, name, form))
            continue;
        if (count < max)
            entry[count] = candidate;
        count++;
        last = candidate;
    }
    return count;
}

size_t symbols_select(const struct symbols *symbols, const char *name,
                      const struct symbols_entry **entry, size_t max, bool *is_group)
{
    const char *own = name_within(symbols, name);
    size_t count = 0;

    *is_group = false;
    for (enum form form = FORM_WHOLE; form < FORMS && count == 0; form++) {
        if (form == FORM_PATTERN && strpbrk(own, "*?[") == NULL)
            break;
        *is_group = form != FORM_WHOLE;
        count = select_form(symbols, own, form, entry, max);
    }
    for (size_t i = 0; i < symbols->modules && count == 0; i++)
        count = symbols_select(symbols->module[i], name, entry, max, is_group);
    return count;
}

const struct symbols_entry *symbols_find(const struct symbols *symbols, const char *name)
{
    const struct symbols_entry *entry = NULL;
    bool is_group;
    size_t count = symbols_select(symbols, name, &entry, 1, &is_group);

    return count == 1 || !is_group ? entry : NULL;
}

const struct symbols_entry **symbols_functions(const struct symbols *symbols, const char *name,
                                               size_t *count)
{
    const struct symbols_entry *first, **entry;
    bool is_group;
    size_t all = symbols_select(symbols, name, &first, 1, &is_group);

    *count = 0;
    entry = calloc(all + 1, sizeof(const struct symbols_entry *));
    if (entry == NULL)
        return NULL;
    symbols_select(symbols, name, entry, all, &is_group);
    for (size_t i = 0; i < all; i++)
        if (entry[i]->is_function)
            entry[(*count)++] = entry[i];
    return entry;
}

const char *symbols_reason(const struct symbols *symbols, const char *name, const char *what,
                           char text[SYMBOLS_REASON])
{
    const struct symbols_entry *first;
    bool is_group;
    size_t count = symbols_select(symbols, name, &first, 1, &is_group);

    if (count > 1)
        snprintf(text, SYMBOLS_REASON, "it means %zu functions", count);
    else
        snprintf(text, SYMBOLS_REASON, "no such %s", what);
    return text;
}

/* ---- suggestions ----------------------------------------------------------------------------- */

/* "work" of "work.constprop.0", "ns::work(int)", "ns::work<int>(int)", "work_[k]", "work@sort". */
static bool is_named(const struct symbols_entry *entry, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = entry->name; (at = strstr(at, name)) != NULL; at++) {
        bool begins = at == entry->name || at[-1] == ':' || at[-1] == ' ';

        if (begins && at[length] != '\0' &&
            (strchr(".(<@", at[length]) != NULL || strcmp(at + length, "_[k]") == 0))
            return true;
    }
    return false;
}

/* The first function with this name plus an ending (is_named); NULL: none. */
static const char *named(const struct symbols *symbols, const char *name)
{
    const struct symbols_table *table = symbols_table(symbols);

    for (size_t i = 0; *name != '\0' && i < table->entries; i++)
        if (table->entry[i].is_function && is_named(&table->entry[i], name))
            return table->entry[i].name;
    return NULL;
}

struct names { const struct symbols *symbols; size_t at; bool with_program; };

/* Names of another program are near without their ending, unless the wanted one has it. */
static const char *next_name(void *state)
{
    struct names *names = state;
    const struct symbols_table *table = symbols_table(names->symbols);

    while (names->at < table->entries) {
        size_t at = names->at++;

        if (table->entry[at].is_function)
            return names->symbols->of == NULL || names->with_program ? table->entry[at].name
                                                                     : table->link_name[at];
    }
    return NULL;
}

/* True for "mian@sort" in the program sort. */
static bool has_program(const struct symbols *symbols, const char *name)
{
    const char *at = strrchr(name, '@');

    return symbols->of != NULL && at != NULL && strcmp(at + 1, symbols->of) == 0;
}

/* The name nearest to "sort:mian" or "mian@sort" within the program or library sort. NULL: the name
 * has neither form, or no name there is near. */
static const char *near_within(const struct symbols *symbols, const char *name)
{
    const struct symbols_table *table = symbols_table(symbols);
    struct names names = {.symbols = symbols, .with_program = true};
    const char *own = name_within(symbols, name);
    const char *near = own != name ? symbols_near(symbols, own)
                       : has_program(symbols, name) ? nearest_name(name, next_name, &names) : NULL;

    for (size_t i = 0; near != NULL && i < table->entries; i++)
        if (table->link_name[i] == near)
            near = table->entry[i].name;
    for (size_t i = 0; i < symbols->modules && near == NULL; i++)
        near = near_within(symbols->module[i], name);
    return near;
}

const char *symbols_near(const struct symbols *symbols, const char *name)
{
    struct names names = {.symbols = symbols, .with_program = strchr(name, '@') != NULL};
    const char *near = near_within(symbols, name);

    if (near == NULL)
        near = named(symbols, name);
    for (size_t i = 0; i < symbols->modules && near == NULL; i++)
        near = named(symbols->module[i], name);
    if (near == NULL)
        near = nearest_name(name, next_name, &names);
    for (size_t i = 0; i < symbols->modules && near == NULL; i++)
        near = symbols_near(symbols->module[i], name);
    return near;
}

enum err symbols_suggest(const struct symbols *symbols, const char *name, enum err err,
                         struct diag *diag)
{
    const char *near = symbols_near(symbols, name);
    size_t used;

    if (diag == NULL || near == NULL)
        return err;
    used = strlen(diag->text);
    snprintf(diag->text + used, sizeof diag->text - used, "; did you mean %s?", near);
    return err;
}
