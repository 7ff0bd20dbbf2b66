/* The tables, and their upgrade from each version to the next one.
 *
 * Numbers that add are kept in two parts, high and low, of 32 bits below and the rest above
 * (wide.h): sums of all 64 bits stay exact in databases whose integers have a sign. Ids are
 * assigned by the writer that holds the row `sequence` of `state`. Every writer changes that row
 * first, so there is one writer at a time, even if several services share a database. */
#ifndef PROF_SERVE_DATABASE_SCHEMA_H
#define PROF_SERVE_DATABASE_SCHEMA_H

#include "prof/serve/database/db.h"

enum { SCHEMA_VERSION = 4 };

/* Makes the tables of `version`, or upgrades older ones to it, in one transaction. An error if the
 * database has a newer version. *is_new: there were no tables. */
enum err schema_upgrade(struct db *db, int version, bool *is_new, struct diag *diag);

#endif
