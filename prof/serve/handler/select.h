/* A selection of costs, from the parameters of a request, as conditions of SQL. Text of a request
 * never becomes part of a statement: it is passed as a parameter. */
#ifndef PROF_SERVE_HANDLER_SELECT_H
#define PROF_SERVE_HANDLER_SELECT_H

#include "prof/serve/server/server.h"

enum { SELECT_TEXT = 2560, SELECT_VALUES = 14 };

struct select {
    char sql[SELECT_TEXT];
    struct db_value value[SELECT_VALUES];
    unsigned values;
};

void select_add(struct select *select, const char *sql);
/* Adds sql, a number for the parameter as "$N", and `after`. */
void select_text(struct select *select, const char *sql, const char *value, const char *after);
void select_number(struct select *select, const char *sql, int64_t value, const char *after);
/* Conditions " AND ..." on `function f`. */
void select_functions(struct select *select, const struct request *request);
/* Conditions on `program p`, and on `table` with columns kind and scope, joined with `kind k`. */
void select_rows(struct select *select, const struct request *request, const char *table);
bool select_has_program(const struct request *request);
void select_run(const struct select *select, struct db *db, struct db_rows *rows);

#endif
