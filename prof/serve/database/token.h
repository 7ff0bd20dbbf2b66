/* Tokens: random texts that grant access to the service. The database has only their hashes.
 *
 * A token has a name, by which it is revoked, its scopes, and perhaps the one program that it is
 * for. Its scopes are words with commas between them: "read", "write" (submit), "control". */
#ifndef PROF_SERVE_DATABASE_TOKEN_H
#define PROF_SERVE_DATABASE_TOKEN_H

#include <stdio.h>

#include "prof/serve/database/db.h"

enum { TOKEN_TEXT = 64, TOKEN_HASH = 65, TOKEN_PROGRAM = 256 };
enum token_scope { TOKEN_READ = 1, TOKEN_WRITE = 2, TOKEN_CLIENT = 3, TOKEN_CONTROL = 4 };

/* SHA-256 in hexadecimal. */
void token_hash(const char *text, size_t count, char hash[TOKEN_HASH]);
/* Scopes as bits; 0: invalid. */
unsigned token_scopes(const char *text);
/* `count` random bytes in hexadecimal, with a zero after them. False: no random numbers. */
bool token_random(char *text, size_t count);

/* Makes a token; `program` may be "". An error if the name is in use. */
enum err token_add(struct db *db, const char *name, const char *scopes, const char *program,
                   char text[TOKEN_TEXT], struct diag *diag);
enum err token_revoke(struct db *db, const char *name, struct diag *diag);
/* A line for each: name, scopes, program. */
enum err token_list(struct db *db, FILE *out, struct diag *diag);
/* The scopes of a token as bits, 0 if it does not exist, and the program it is for. */
enum err token_look_up(struct db *db, const char *text, unsigned *scopes,
                       char program[TOKEN_PROGRAM]);

#endif
