/* Warns of programs that use instruction-set extensions absent from the core that a preset
 * describes. Every machine executes every extension, but the timing of an absent one is a guess. */
#include "sim/run/load/isa_note.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { RV_DIGITS = 4, LETTERS = 32 };
static const char general[] = "imafd";              /* what the letter g stands for */

/* The width and, in the order of the text, the single letters of an ISA string such as
 * "rv64i2p1_m2p0_c2p0_zicsr2p0" (Unprivileged Architecture 20240411, chapter 36). */
static bool read_isa(const char *text, const char *end, char letters[LETTERS])
{
    const char *at = text + RV_DIGITS;
    size_t count = 0;

    if (end - text <= RV_DIGITS || strncmp(text, "rv", 2) != 0)
        return false;
    while (at < end && *at != '\0' && count + sizeof general < LETTERS) {
        if (strchr("zsx", *at) != NULL && (at[-1] == '_' || *at == 'z'))
            break;
        if (*at == 'g') {
            memcpy(letters + count, general, sizeof general - 1);
            count += sizeof general - 1;
            at++;
        } else if (islower((unsigned char)*at)) {
            letters[count++] = *at++;
            while (at < end && (isdigit((unsigned char)*at) || *at == 'p'))
                at++;
        } else {
            at++;
        }
    }
    letters[count] = '\0';
    return true;
}

/* The ISA string in the file's attributes (RISC-V ELF psABI, Tag_RISCV_arch); NULL: none. */
static const char *find_isa(const struct image *image, const char **end)
{
    const struct image_section *section = image_find_section(image, ".riscv.attributes");
    const char *at;

    if (section == NULL || section->content == NULL)
        return NULL;
    at = (const char *)section->content;
    *end = at + section->bytes;
    for (; *end - at > RV_DIGITS; at++)
        if (memcmp(at, "rv32", RV_DIGITS) == 0 || memcmp(at, "rv64", RV_DIGITS) == 0)
            return at;
    return NULL;
}

bool isa_note(const struct image *image, const char *core_isa, char note[ISA_NOTE])
{
    char has[LETTERS], uses[LETTERS], missing[2 * LETTERS] = "";
    const char *end = NULL, *isa;
    size_t length = 0;

    if (!read_isa(core_isa, core_isa + strlen(core_isa), has))
        return false;
    isa = find_isa(image, &end);
    if (isa == NULL || !read_isa(isa, end, uses))
        return false;
    if (strncmp(isa, core_isa, RV_DIGITS) != 0 && isa[2] == '6')
        length += (size_t)sprintf(missing, "64 bits");
    for (const char *letter = uses; *letter != '\0'; letter++)
        if (strchr(has, *letter) == NULL)
            length += (size_t)sprintf(missing + length, "%s%c", length != 0 ? ", " : "",
                                      toupper((unsigned char)*letter));
    if (length == 0)
        return false;
    snprintf(note, ISA_NOTE, "the core that this machine describes is %s; what the program uses "
             "beyond (%s) runs, at costs that no such core was measured for", core_isa, missing);
    return true;
}
