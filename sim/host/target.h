/* The program as the tools see it: its ELF file, its symbols and lines, an identity. */
#ifndef SIM_HOST_TARGET_H
#define SIM_HOST_TARGET_H

#include "prof/symbols.h"
#include "shadowcache/meta.h"
#include "sim/run/load/image.h"

enum { TARGET_ID = 72 };
#define META_SECTION ".perfinst"     /* in which a program carries metadata, as text */

struct target {
    struct image image;
    struct symbols *symbols;
    char id[TARGET_ID];             /* build-id in hexadecimal, else "crc32:..." of the file */
    struct image kernel;            /* target_add_kernel */
    struct symbols *kernel_symbols;
    char *kernel_names;
};

/* After a failure nothing is left to close. */
enum err target_open(struct target *target, const char *path, struct diag *diag);
/* The program runs under the guest kernel: addresses of the kernel get names, too, and on request
 * lines, whose reading takes as long as the rest of a short run. target_close is due after a
 * failure. */
enum err target_add_kernel(struct target *target, bool with_lines, struct diag *diag);
void target_close(struct target *target);
/* Of an image (arg) the bytes that a segment of its file has; false: it has none there. */
bool target_read_code(void *arg, uint64_t address, void *bytes, size_t count);

/* Answers the reader of metadata out of the target, which must outlive it. */
struct meta_resolver target_resolver(struct target *target);
/* Reads the files, and the section .perfinst of the program if it has one (the same text). */
enum err target_read_meta(struct target *target, const char *const *file, size_t files,
                          struct meta *meta, struct diag *diag);

#endif
