/* Inside the .meta reader: one line as syntax (meta_line.c), as places (meta_place.c). */
#ifndef SHADOWCACHE_META_INTERNAL_H
#define SHADOWCACHE_META_INTERNAL_H

#include "shadowcache/meta.h"

enum { META_TOKEN_MAX = 4096 };

/* A word of the line being read. */
struct meta_token {
    char text[META_TOKEN_MAX];
    size_t quoted;              /* characters up to the end of the last quotation; 0: none */
    unsigned column;            /* of its first character, from 1; of the line's end when empty */
};

enum meta_where_kind { WHERE_OFFSET, WHERE_ADDRESS, WHERE_SYMBOL, WHERE_LINE, WHERE_CALLS,
                       WHERE_BRANCHES };

/* WHERE as written. */
struct meta_where {
    enum meta_where_kind kind;
    struct meta_token token;
    char name[META_TOKEN_MAX];  /* symbol, file or function; "*" = the whole program */
    uint64_t number;            /* offset, address or line */
    unsigned number_column;
};

struct meta_length {
    bool is_whole;              /* "*" */
    uint64_t bytes;
    unsigned column;
};

struct meta_entry {
    struct meta_where where;
    struct meta_length length;
    struct meta_action action;
    unsigned flags_column;      /* of the first flag */
    unsigned granule_column;    /* 0: not given */
};

/* State of one meta_read. */
struct meta_reader {
    struct meta *meta;
    const struct meta_resolver *resolver;
    struct diag *diag;
    const char *name;           /* of the file */
    uint32_t file, line;
    const char *cursor, *line_begin, *line_end;
    struct meta_place section;  /* of the last `segment` line */
    char section_name[META_TOKEN_MAX];
    bool has_section;
    uint64_t *start;            /* addresses of code symbols, ascending: instruction starts */
    size_t starts;
    bool is_unknown;            /* the line has a name or address that the program lacks */
    bool is_of_other;           /* its address is a key (pmu/key.h) of another program */
    uint16_t flags;             /* of the line's entry */
    struct meta_place code;     /* the section of the last address in code; bytes 0: none yet */
    uint64_t walked_from, walked_to;    /* last walk of code: its start, and the last instruction
                                         * start it reached */
};

/* True if the line may name something of a file that the program loads or executes later. */
static inline bool meta_waits(const struct meta_reader *reader)
{
    return reader->is_unknown && (reader->resolver->is_open || reader->is_of_other);
}

/* True if the line's address means nothing before a library or another program is loaded. */
static inline bool meta_waits_for_code(const struct meta_reader *reader)
{
    return meta_waits(reader) && (reader->is_of_other || reader->resolver->has_late_code);
}

/* Sets the diagnosis "file:line:column: ..." and returns ERR_USAGE. */
enum err meta_fail(const struct meta_reader *reader, unsigned column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The next word of the line, empty at its end. */
enum err meta_next_token(struct meta_reader *reader, struct meta_token *token);
enum err meta_parse_where(struct meta_reader *reader, struct meta_where *where);
/* A symbol all of which was in quotation marks is read as FILE:LINE or SYMBOL+OFFSET, as if it had
 * none. False: it is neither. */
bool meta_parse_unquoted(struct meta_where *where);
enum err meta_parse_length(struct meta_reader *reader, struct meta_length *length);
enum err meta_parse_action(struct meta_reader *reader, struct meta_entry *entry);
/* Decimal or 0x hexadecimal, the whole text. */
bool meta_parse_number(const char *text, uint64_t *number);

/* Quotation marks around a whole place: read as such if the program has no symbol of that name. */
void meta_place_quoted(const struct meta_reader *reader, struct meta_where *where);
/* Resolves the entry and adds its marks. */
enum err meta_place_entry(struct meta_reader *reader, const struct meta_entry *entry);
/* One piece of memory: for range registers. */
enum err meta_place_range(struct meta_reader *reader, const struct meta_where *where,
                          const struct meta_length *length, struct meta_place *place);
/* Finds the section and makes it the current one. */
enum err meta_place_section(struct meta_reader *reader, const struct meta_token *token);
/* The section around an address: in code often that of the one before. False: none. */
bool meta_section_at(struct meta_reader *reader, uint64_t address, struct meta_place *section);
/* Parses the rest of a line `area`. */
enum err meta_read_area(struct meta_reader *reader);
/* Parses the whole line at the cursor. */
enum err meta_read_line(struct meta_reader *reader);
void meta_late_free(struct meta *meta);
/* Keeps the line, whose name a library may have, until libraries are loaded. */
enum err meta_keep_late(struct meta_reader *reader);
/* Collects reader->start. */
enum err meta_place_begin(struct meta_reader *reader);

#endif
