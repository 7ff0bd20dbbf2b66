/* Ids of texts: of programs, costs, places (module and namespace) and functions; see store.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/serve/store/store.h"

enum { KEY_MAX = SUMMARY_NAME_MAX + SUMMARY_LABEL_MAX + 2 };

/* How texts are found and made. Ids of those that are made follow the last one. */
static const struct {
    const char *find, *last, *make, *types;
} domains[STORE_DOMAINS] = {
    [STORE_PROGRAM] = {
        "SELECT r.column1, p.id FROM (" DB_ROWS ") AS r "
        "JOIN program p ON p.name = r.column2 AND p.version = r.column3",
        "SELECT COALESCE(MAX(id), 0) FROM program",
        "INSERT INTO program (id, name, version) " DB_ROWS, "ntt",
    },
    [STORE_KIND] = {
        "SELECT r.column1, k.id FROM (" DB_ROWS ") AS r JOIN kind k ON k.name = r.column2",
        "SELECT COALESCE(MAX(id), 0) FROM kind",
        "INSERT INTO kind (id, name) " DB_ROWS, "nt",
    },
    [STORE_PLACE] = {
        "SELECT r.column1, p.id FROM (" DB_ROWS ") AS r "
        "JOIN place p ON p.namespace = r.column2 AND p.module = r.column3",
        "SELECT COALESCE(MAX(id), 0) FROM place",
        "INSERT INTO place (id, namespace, module) " DB_ROWS, "ntt",
    },
    [STORE_FUNCTION] = {
        "SELECT r.column1, f.id FROM (" DB_ROWS ") AS r "
        "JOIN function f ON f.name = r.column2 AND f.module = r.column3",
        "SELECT COALESCE(MAX(id), 0) FROM function",
        "INSERT INTO function (id, name, module, namespace) " DB_ROWS, "nttt",
    },
};

/* The two labels of a text. */
struct labels { char first[SUMMARY_NAME_MAX + 1], second[SUMMARY_NAME_MAX + 1]; };

static void split(const char *text, struct labels *labels)
{
    const char *end = strchr(text, '\n');

    snprintf(labels->first, sizeof labels->first, "%.*s", (int)(end - text), text);
    snprintf(labels->second, sizeof labels->second, "%s", end + 1);
}

/* ---- noting texts ---------------------------------------------------------------------------- */

void store_forget_texts(struct store *store)
{
    for (unsigned i = 0; i < STORE_DOMAINS; i++) {
        struct store_texts *texts = &store->texts[i];

        names_free(&texts->text);
        free(texts->id);
        free(texts->changed);
        *texts = (struct store_texts){.room = 0};
    }
}

static enum err make_room(struct store_texts *texts)
{
    size_t room = 2 * texts->room + 64;
    int64_t *id, *changed;

    if (texts->text.count < texts->room)
        return ERR_OK;
    id = realloc(texts->id, room * sizeof *id);
    if (id != NULL)
        texts->id = id;
    changed = realloc(texts->changed, room * sizeof *changed);
    if (changed != NULL)
        texts->changed = changed;
    if (id == NULL || changed == NULL)
        return ERR_NO_MEMORY;
    texts->room = room;
    return ERR_OK;
}

enum err store_text(struct store *store, enum store_domain domain, const char *first,
                    const char *second, int64_t sequence, int64_t *number)
{
    struct store_texts *texts = &store->texts[domain];
    char text[KEY_MAX];
    size_t before = texts->text.count;
    uint32_t at;
    enum err err = make_room(texts);

    snprintf(text, sizeof text, "%s\n%s", first, second);
    if (err == ERR_OK)
        err = names_add(&texts->text, text, &at, NULL);
    if (err != ERR_OK)
        return err;
    if (texts->text.count > before)
        texts->id[at] = 0;
    texts->changed[at] = sequence;
    *number = at;
    return ERR_OK;
}

/* ---- their ids ------------------------------------------------------------------------------- */

static void take_id(void *context, struct db_rows *answer)
{
    struct store_texts *texts = context;

    texts->id[db_number(answer, 0)] = db_number(answer, 1);
}

static enum err find(struct store *store, enum store_domain domain)
{
    struct store_texts *texts = &store->texts[domain];
    struct db_table table = {.types = "ntt"};
    struct labels labels;
    enum err err = ERR_OK;

    for (size_t i = texts->resolved; i < texts->text.count && err == ERR_OK; i++) {
        split(texts->text.text[i], &labels);
        err = db_table_add(&table, (int64_t)i, labels.first, labels.second);
    }
    if (err == ERR_OK)
        err = db_run_table(store->db, domains[domain].find, &table, take_id, texts);
    db_table_free(&table);
    return err;
}

/* A function's row has its namespace, too. */
static enum err add_made(const struct store_texts *texts, enum store_domain domain, size_t at,
                         struct db_table *table)
{
    char space[SUMMARY_NAME_MAX + 1];
    struct labels labels;

    split(texts->text.text[at], &labels);
    if (domain != STORE_FUNCTION)
        return db_table_add(table, texts->id[at], labels.first, labels.second);
    summary_namespace(labels.first, space, sizeof space);
    return db_table_add(table, texts->id[at], labels.first, labels.second, space);
}

static enum err make(struct store *store, enum store_domain domain)
{
    struct store_texts *texts = &store->texts[domain];
    struct db_table table = {.types = domains[domain].types};
    int64_t last = 0;
    enum err err = ERR_OK;

    for (size_t i = texts->resolved; i < texts->text.count && err == ERR_OK; i++) {
        if (texts->id[i] != 0)
            continue;
        if (table.values == 0)
            err = db_number_of(store->db, &last, domains[domain].last, "");
        texts->id[i] = ++last;
        if (err == ERR_OK)
            err = add_made(texts, domain, i, &table);
    }
    if (err == ERR_OK)
        err = db_run_table(store->db, domains[domain].make, &table, NULL, NULL);
    db_table_free(&table);
    return err;
}

/* The functions of the transaction. */
static enum err write_changed(struct store *store)
{
    struct store_texts *texts = &store->texts[STORE_FUNCTION];
    struct db_table table = {.types = "nn"};
    enum err err = ERR_OK;

    for (size_t i = 0; i < texts->text.count && err == ERR_OK; i++) {
        if (texts->changed[i] != 0)
            err = db_table_add(&table, texts->id[i], texts->changed[i]);
        texts->changed[i] = 0;
    }
    if (err == ERR_OK)
        err = db_run_table(store->db, "INSERT INTO change (function, sequence) " DB_ROWS
                           " ON CONFLICT (function) DO UPDATE SET sequence = excluded.sequence",
                           &table, NULL, NULL);
    db_table_free(&table);
    return err;
}

enum err store_resolve(struct store *store)
{
    enum err err = ERR_OK;

    for (unsigned i = 0; i < STORE_DOMAINS && err == ERR_OK; i++) {
        err = find(store, i);
        if (err == ERR_OK)
            err = make(store, i);
        store->texts[i].resolved = store->texts[i].text.count;
    }
    return err == ERR_OK ? write_changed(store) : err;
}
