/* Files of this folder embedded in the program unchanged, with a zero at the end. */
#ifndef PROF_SERVE_SITE_ASSET_H
#define PROF_SERVE_SITE_ASSET_H

#define ASSET(name, file)                                                                          \
    __asm__(".pushsection .rodata\n.globl " #name "\n" #name ":\n.incbin \"prof/serve/site/" file  \
            "\"\n.byte 0\n.popsection\n");                                                         \
    extern const char name[]

#endif
