/* The reader of .meta files: the marks of a program, resolved to addresses.
 *
 * Strict: a wrong line ends the reading with file, line, column, reason and, for names, the nearest
 * valid one. An entry that marks nothing is a warning. Entries on code become one mark for each
 * instruction that starts in them; entries on data stay ranges. Addresses are the program's own
 * (virtual). Knows nothing of ELF: its caller resolves names through struct meta_resolver.
 *
 *   segment NAME                     numbers of the lines below are offsets into this section
 *   WHERE LENGTH FLAG...             an entry; LENGTH a number of bytes, or * for the whole of it
 *   range I0|D0 WHERE LENGTH         a range register
 *   area WHERE LENGTH [granule=BYTES] [size=BYTES] [counts=SYMBOL] [saturate] [near]
 *                                    a work area, and the mark `area` on all of it
 * WHERE: OFFSET, 0xADDRESS, SYMBOL[+OFFSET]; and, with LENGTH * only: FILE:LINE, calls(FUNCTION|*)
 * (every call and return), branches(FUNCTION|*) (every conditional branch). A SYMBOL or FUNCTION
 * may be a pattern (sort*), or a C++ name, in quotes where it has blanks: "f(int, char)". Numbers
 * are decimal or 0x hexadecimal; a hexadecimal one is an offset when a segment is named and it is
 * not more than the section's size, else an address. `bundle` widens an entry to the aligned
 * 16-byte bundles it touches. */
#ifndef SHADOWCACHE_META_H
#define SHADOWCACHE_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/abi.h"
#include "sim/base/err.h"

/* Files of META_BYTES_MAX or more are refused. */
enum { META_BUNDLE_BYTES = 16, META_BYTES_MAX = 1 << 28 };

/* A section, a symbol or a piece of a source line. */
struct meta_place {
    uint64_t address, bytes;
    bool is_code;
};

/* Answers about the program. A member may be NULL: then the program has nothing of the kind. */
struct meta_resolver {
    void *arg;
    /* The `index`-th section or symbol, with its *place; NULL after the last. */
    const char *(*section)(void *arg, size_t index, struct meta_place *place);
    const char *(*symbol)(void *arg, size_t index, struct meta_place *place);
    /* The section, also of a library, around the address. False: none. NULL: `section` says. */
    bool (*around)(void *arg, uint64_t address, struct meta_place *place);
    /* The places of a name or pattern: fills in up to `max`, returns their number. *is_group: all
     * of them are meant; otherwise they only share the name. NULL: names of `symbol` are
     * compared. */
    size_t (*select)(void *arg, const char *name, struct meta_place *place, size_t max,
                     bool *is_group);
    /* The nearest known name, or NULL. A NULL function: the nearest name of `symbol`. */
    const char *(*near)(void *arg, const char *name);
    /* The pieces of code of a source line: fills in up to `max`, returns their number. Line 0: not
     * 0 if the program knows the file. */
    size_t (*line)(void *arg, const char *file, unsigned line, struct meta_place *pieces,
                   size_t max);
    /* Code bytes at the start of the program. False: there are none. */
    bool (*code)(void *arg, uint64_t address, void *bytes, size_t count);
    unsigned xlen;              /* of the code: 32, else 64 */
    bool is_open;               /* the program loads libraries, which may have unknown names */
    bool has_late_code;         /* unknown addresses are code of such libraries */
};

/* Flags as words: expanded from meta_flag.def. */
struct meta_flag {
    const char *name;           /* as written in a file */
    unsigned mark;              /* MARK_* it sets; 0: granule */
    const char *argument;       /* text after '='; NULL: none allowed */
    bool needs_argument;
    const char *meaning;
};
/* The `index`-th flag; NULL after the last. */
const struct meta_flag *meta_flag(size_t index);

/* The request of an entry. */
struct meta_action {
    uint16_t flags;             /* MARK_* of pmu/abi.h */
    uint8_t label;              /* MARK_LABEL: 1..255 */
    uint8_t latency_bits;       /* MARK_THRESHOLD as bits:NNN: 1..7, else 0 */
    uint32_t latency_cycles;    /* MARK_THRESHOLD in cycles; MARK_ALARM: as in a perfinst_item */
    uint32_t limit;             /* counter=N, 0 = none */
    uint32_t granule;           /* data: bytes of an item; 0 = the machine's default */
};

/* MARK_ALARM: the limit in cycles. */
static inline uint64_t meta_action_alarm(const struct meta_action *action)
{
    uint32_t upper = (action->flags & MARK_THRESHOLD) == 0 ? action->latency_cycles : 0;

    return (uint64_t)(upper & ~ALARM_ELAPSED) << 32 | action->limit;
}

/* One marked instruction, or one marked range of data. */
struct meta_mark {
    uint64_t address, bytes;
    bool is_code;
    uint32_t line;              /* of the file, for messages */
    uint32_t file;              /* index into meta->file */
    bool waits;                 /* its line is also in meta->late */
    struct meta_action action;
};

struct meta_range {
    bool is_set;
    uint64_t start, end;        /* end: first address after it */
    char name[64];              /* WHERE, as it was written */
};

/* A work area: accesses to each granule, or executions in it, count in an array. */
struct meta_area {
    uint64_t address, bytes;
    uint64_t counts, count_bytes;   /* the program's own array; 0: one is made */
    uint32_t granule, size;         /* bytes that share a count; bytes of a count */
    uint32_t line, file;
    bool is_code, saturates, is_near;
};
uint64_t meta_area_cells(const struct meta_area *area);

struct meta {
    struct meta_mark *mark;
    size_t marks;
    struct meta_range irange[8], drange[8];
    struct meta_area area[PROF_AREAS];
    size_t areas;
    struct meta_late *late;     /* [lates] lines that wait for libraries (meta_late.h) */
    size_t lates;
    uint64_t late_bytes;        /* of code that is known to wait */
    struct meta_part *part;
    size_t parts;
    char **file;                /* names of the files read */
    size_t files;
    char **warning;             /* "file:line: ..." */
    size_t warnings;
};

/* Parses `count` bytes of text and adds to *meta (zeroed before the first call). `name`: of the
 * file, for messages. After an error *meta may have entries of earlier lines. */
enum err meta_read(struct meta *meta, const char *text, size_t count, const char *name,
                   const struct meta_resolver *resolver, struct diag *diag);
/* As meta_read, from a file. */
enum err meta_read_file(struct meta *meta, const char *path, const struct meta_resolver *resolver,
                        struct diag *diag);
/* Frees all memory of *meta and zeroes it. */
void meta_free(struct meta *meta);

/* Adds a warning, printf-like; repeated ones only once, and at most a thousand. */
enum err meta_warn(struct meta *meta, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
