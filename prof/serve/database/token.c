/* See token.h. */
#include "prof/serve/database/token.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <string.h>
#include <time.h>

enum { HASH_BYTES = 32, RANDOM_MAX = 32 };

static const struct { const char *name; enum token_scope bit; } scope[] = {
    {"read", TOKEN_READ}, {"write", TOKEN_WRITE}, {"control", TOKEN_CONTROL},
};

static void to_hex(const unsigned char *byte, size_t count, char *text)
{
    for (size_t i = 0; i < count; i++)
        snprintf(text + 2 * i, 3, "%02x", byte[i]);
}

void token_hash(const char *text, size_t count, char hash[TOKEN_HASH])
{
    unsigned char byte[HASH_BYTES] = {0};

    gnutls_hash_fast(GNUTLS_DIG_SHA256, text, count, byte);
    to_hex(byte, sizeof byte, hash);
}

bool token_random(char *text, size_t count)
{
    unsigned char byte[RANDOM_MAX];

    if (count > sizeof byte || gnutls_rnd(GNUTLS_RND_KEY, byte, count) != 0)
        return false;
    to_hex(byte, count, text);
    return true;
}

unsigned token_scopes(const char *text)
{
    unsigned bits = 0;

    while (*text != '\0') {
        size_t length = strcspn(text, ","), i;

        for (i = 0; i < sizeof scope / sizeof scope[0]; i++)
            if (strlen(scope[i].name) == length && memcmp(scope[i].name, text, length) == 0)
                break;
        if (i == sizeof scope / sizeof scope[0])
            return 0;
        bits |= scope[i].bit;
        text += length + (text[length] == ',');
    }
    return bits;
}

enum err token_add(struct db *db, const char *name, const char *scopes, const char *program,
                   char text[TOKEN_TEXT], struct diag *diag)
{
    char hash[TOKEN_HASH];

    if (token_scopes(scopes) == 0)
        return diag_set(diag, ERR_USAGE, "expected scopes such as read,write,control, found %s",
                        scopes);
    if (*name == '\0' || strlen(program) >= TOKEN_PROGRAM)
        return diag_set(diag, ERR_USAGE, "a token needs a name, and a program's is shorter");
    memcpy(text, "rvs-", 5);
    if (!token_random(text + 4, 24))
        return diag_set(diag, ERR_IO, "no random numbers for a token");
    token_hash(text, strlen(text), hash);
    if (db_run(db, "INSERT INTO token (hash, name, scopes, program, made) VALUES "
               "($1, $2, $3, $4, $5)", "ttttn", hash, name, scopes, program,
               (int64_t)time(NULL)) == ERR_OK)
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "token %s: %s", name, db_error(db));
}

enum err token_revoke(struct db *db, const char *name, struct diag *diag)
{
    int64_t found;
    enum err err = db_number_of(db, &found, "DELETE FROM token WHERE name = $1 RETURNING made",
                                "t", name);

    return err == ERR_OK ? err
                         : diag_set(diag, ERR_USAGE, "token %s: %s", name,
                                    err == ERR_USAGE ? "there is none of this name" : db_error(db));
}

enum err token_list(struct db *db, FILE *out, struct diag *diag)
{
    struct db_rows rows;

    db_query(db, &rows, "SELECT name, scopes, program FROM token ORDER BY name", "");
    while (db_next(&rows))
        fprintf(out, "%-20s %-20s %s\n", db_text(&rows, 0), db_text(&rows, 1),
                *db_text(&rows, 2) != '\0' ? db_text(&rows, 2) : "all programs");
    return db_end(&rows) == ERR_OK ? ERR_OK : diag_set(diag, ERR_IO, "tokens: %s", db_error(db));
}

enum err token_look_up(struct db *db, const char *text, unsigned *scopes,
                       char program[TOKEN_PROGRAM])
{
    char hash[TOKEN_HASH];
    struct db_rows rows;

    *scopes = 0;
    token_hash(text, strlen(text), hash);
    db_query(db, &rows, "SELECT scopes, program FROM token WHERE hash = $1", "t", hash);
    if (db_next(&rows)) {
        *scopes = token_scopes(db_text(&rows, 0));
        snprintf(program, TOKEN_PROGRAM, "%s", db_text(&rows, 1));
    }
    return db_end(&rows);
}
