/* Recognises an ELF file as a resident monitor by the instruction that returns from a monitor. */
#include <elf.h>
#include <string.h>

#include "pmu/abi.h"
#include "sim/run/profiler/profiler_internal.h"

enum { CUSTOM_0 = 0x0b };               /* opcode */

/* Searched at every halfword, where an instruction may begin. */
static bool returns_from_monitor(const struct image_segment *segment)
{
    const uint32_t wanted = PROF_F3_MRET << 12 | CUSTOM_0;

    if ((segment->flags & PF_X) == 0)
        return false;
    for (uint64_t at = 0; at + sizeof wanted <= segment->file_bytes; at += 2)
        if (memcmp(segment->bytes + at, &wanted, sizeof wanted) == 0)
            return true;
    return false;
}

enum err profiler_check_image(const struct image *image, unsigned xlen, struct diag *diag)
{
    bool returns = false;

    for (size_t i = 0; i < image->segment_count; i++)
        returns |= returns_from_monitor(&image->segments[i]);
    if (!returns)
        return diag_set(diag, ERR_USAGE, "%s: no monitor: it lacks the instruction that returns "
                        "from one, PROF_F3_MRET of pmu/abi.h", image->path);
    if (image->xlen != xlen)
        return diag_set(diag, ERR_USAGE, "%s: a %u-bit monitor cannot serve a %u-bit program; "
                        "--monitor host can", image->path, image->xlen, xlen);
    return ERR_OK;
}

enum err profiler_check_monitor(const char *path, unsigned xlen, struct diag *diag)
{
    struct image image;
    enum err err = image_open(&image, path, diag);

    if (err == ERR_OK)
        err = profiler_check_image(&image, xlen, diag);
    image_close(&image);
    return err;
}
