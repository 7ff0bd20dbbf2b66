/* See select.h. */
#include "prof/serve/handler/select.h"

#include <stdio.h>
#include <string.h>

void select_add(struct select *select, const char *sql)
{
    size_t length = strlen(select->sql);

    snprintf(select->sql + length, sizeof select->sql - length, "%s", sql);
}

static void add_value(struct select *select, const char *sql, struct db_value value,
                      const char *after)
{
    char number[16];

    select->value[select->values++] = value;
    snprintf(number, sizeof number, "$%u", select->values);
    select_add(select, sql);
    select_add(select, number);
    select_add(select, after);
}

void select_text(struct select *select, const char *sql, const char *value, const char *after)
{
    add_value(select, sql, (struct db_value){.is_text = true, .text = value}, after);
}

void select_number(struct select *select, const char *sql, int64_t value, const char *after)
{
    add_value(select, sql, (struct db_value){.number = value}, after);
}

static void if_given(struct select *select, const struct request *request, const char *name,
                     const char *sql, const char *after)
{
    const char *value = request_value(request, name);

    if (*value != '\0')
        select_text(select, sql, value, after);
}

/* A name contains the searched part if removing the part with replace() changes it; LIKE differs
 * between databases. */
void select_functions(struct select *select, const struct request *request)
{
    const char *space = request_value(request, "namespace");

    if_given(select, request, "function", " AND f.name = ", "");
    if_given(select, request, "module", " AND f.module = ", "");
    if_given(select, request, "search", " AND REPLACE(LOWER(f.name), LOWER(CAST(",
             " AS TEXT)), '') <> LOWER(f.name)");
    if (*space == '\0')
        return;
    select_text(select, " AND (f.namespace = ", space, "");
    select_text(select, " OR SUBSTR(f.namespace, 1, LENGTH(CAST(", space, " AS TEXT)) + 2) = ");
    select_text(select, "CAST(", space, " AS TEXT) || '::')");
}

bool select_has_program(const struct request *request)
{
    return *request_value(request, "program") != '\0' || *request_value(request, "version") != '\0';
}

void select_rows(struct select *select, const struct request *request, const char *table)
{
    const char *scope = request_value(request, "scope");
    char condition[64];

    if_given(select, request, "program", " AND p.name = ", "");
    if_given(select, request, "version", " AND p.version = ", "");
    if_given(select, request, "cost", " AND k.name = ", "");
    snprintf(condition, sizeof condition, " AND %s.scope = ", table);
    if (*scope != '\0')
        select_number(select, condition, strcmp(scope, "exclusive") == 0, "");
}

void select_run(const struct select *select, struct db *db, struct db_rows *rows)
{
    db_query_values(db, rows, select->sql, select->value, select->values);
}
