/* Tables of values for one statement; see db.h. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "prof/serve/database/db_internal.h"

static enum err make_room(struct db_table *table, size_t columns)
{
    size_t room = 2 * table->room + 16 * columns;
    struct db_value *grown;

    if (table->values + columns <= table->room)
        return ERR_OK;
    grown = realloc(table->value, room * sizeof *grown);
    if (grown == NULL)
        return ERR_NO_MEMORY;
    table->value = grown;
    table->room = room;
    return ERR_OK;
}

enum err db_table_add(struct db_table *table, ...)
{
    size_t columns = strlen(table->types);
    enum err err = make_room(table, columns);
    va_list arguments;

    if (err != ERR_OK)
        return err;
    va_start(arguments, table);
    for (size_t i = 0; i < columns; i++) {
        struct db_value *value = &table->value[table->values + i];

        *value = (struct db_value){.is_text = table->types[i] == 't'};
        if (!value->is_text)
            value->number = va_arg(arguments, int64_t);
        else if ((value->text = strdup(va_arg(arguments, const char *))) == NULL)
            err = ERR_NO_MEMORY;
    }
    va_end(arguments);
    table->values += columns;
    return err;
}

enum err db_table_add_numbers(struct db_table *table, const int64_t *number)
{
    size_t columns = strlen(table->types);
    enum err err = make_room(table, columns);

    for (size_t i = 0; i < columns && err == ERR_OK; i++)
        table->value[table->values++] = (struct db_value){.number = number[i]};
    return err;
}

void db_table_free(struct db_table *table)
{
    for (size_t i = 0; i < table->values; i++)
        if (table->value[i].is_text)
            free((char *)(uintptr_t)table->value[i].text);
    free(table->value);
    *table = (struct db_table){.types = table->types};
}

static enum err read_answers(struct db_rows *rows, db_take *take, void *context)
{
    while (db_next(rows))
        if (take != NULL)
            take(context, rows);
    return db_end(rows);
}

enum err db_run_table(struct db *db, const char *sql, const struct db_table *table, db_take *take,
                      void *context)
{
    bool is_array = db->kind->start_table != NULL;
    size_t columns = strlen(table->types), at_once = is_array ? table->values : columns;
    struct db_rows rows = {.db = db};
    void *statement = NULL;

    if (table->values == 0)
        return ERR_OK;
    rows.err = db_find_statement(db, sql, table->types, &statement);
    for (size_t i = 0; i < table->values && rows.err == ERR_OK; i += at_once) {
        rows.at = -1;
        rows.err = is_array ? db->kind->start_table(db, statement, table, &rows)
                            : db->kind->start(db, statement, &table->value[i], (unsigned)columns,
                                              &rows);
        rows.err = read_answers(&rows, take, context);
    }
    return rows.err;
}
