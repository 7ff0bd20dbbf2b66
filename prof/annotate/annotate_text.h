/* An instruction as text, with absolute targets. */
#ifndef PROF_ANNOTATE_ANNOTATE_TEXT_H
#define PROF_ANNOTATE_ANNOTATE_TEXT_H

#include "prof/annotate/annotate.h"

enum { ANNOTATE_TEXT = 512 };

/* "beq a4, a5, 10910 <compare_words+0xe>", "c.jr ra"; also the routine that a jalr after its auipc
 * jumps to. Returns text. */
const char *annotate_insn_text(struct disasm *disasm, const struct symbols *symbols,
                               const struct annotate *annotate, size_t insn,
                               char text[ANNOTATE_TEXT]);

#endif
