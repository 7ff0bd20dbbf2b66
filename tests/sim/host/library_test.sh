#!/usr/bin/env bash
# libprofhw as `make install` leaves it: a profiler is compiled with pkg-config, finds presets
# without being told where, and reads and writes counters, ranges, registers and memory.
. tests/sim/cli/lib.sh
top=${here%/tests/sim/cli}
(cd "$top" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -o all O="$BUILD" \
    DESTDIR="$TEST_TMP/root" PREFIX=/usr install) >log 2>&1 ||
    not_ok "make install runs" "$(tail -5 log)"
export PKG_CONFIG_PATH=$TEST_TMP/root/usr/lib/pkgconfig
unset RVSIM_SHARE
mkdir elsewhere
sanitizers=
if grep -qa __asan_init "$BUILD/libprofhw.a"; then sanitizers=-fsanitize=address,undefined; fi
if ${CC:-cc} -std=gnu17 -Wall -Wextra -Werror $sanitizers "$top/tests/sim/host/library.c" \
    $(pkg-config --cflags --libs profhw) -o elsewhere/library 2>log; then
    ok "a profiler is compiled with the installed library"
else
    not_ok "a profiler is compiled with the installed library" "$(<log)"
fi
same "the header is good C++" "" "$(echo '#include <profhw.h>' |
    ${CXX:-c++} -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags profhw) -xc++ - 2>&1)"
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -march=rv64g -nostdlib -static -Wl,--no-relax \
    -Wl,--build-id=none "$here/tally.S" -o tally 2>log || not_ok "tally.S builds" "$(<log)"

# After 51 instructions five of ten rounds are done: ten loads, five of them labelled, five stores;
# each round loads words[1], which is one, and adds it to words[0]. Then there are two more.
expected='s0 5 x8 5 words 5 1
51 51 5 5 35 I0 5 35 D1 5
fa0 7 minstret 1021 counter 521 sum 102
s0 0 x8 0 words 102 1
521 521 7 7 49 I0 7 49 D1 2
harts 1 at end+4
lods: no such event (see rvsim events); did you mean loads?
counter 31 is not open
I8: expected a range, I0 to I7 or D0 to D7
a9: no such register
there is no hart 1
zero: cannot be written
mhartid: cannot be written
the memory at 0x123456789000 is not all mapped
4 more: insns_retired: all 8 counters (pmu.counters) are taken
status 0'
for engine in detailed fast; do
    same "the library reads and writes all of the machine's state, $engine" "$expected" \
        "$(elsewhere/library $engine tally 2>&1)"
done

# --- registers of 32 bits: an address in one is that of the memory, and a written value has a sign
cat >narrow.S <<'S'
        .globl _start
_start: la sp, word
        li s0, -1
        lw t0, 0(sp)
        bltz t1, 1f
        li t0, 0
1:      sw t0, 4(sp)
        li a0, 1
        la a1, tohost
        sw a0, 0(a1)
2:      j 2b
        .section .tohost, "aw"
        .globl tohost, fromhost
        .balign 64
tohost: .dword 0
fromhost: .dword 0
        .data
word:   .word 0x1234567, 0
S
riscv64-unknown-elf-gcc -march=rv32im_zicsr -mabi=ilp32 -nostdlib -static \
    -T "$top/tests/programs/bare.ld" narrow.S -o narrow 2>log ||
    not_ok "narrow.S builds" "$(<log)"
cat >narrow.c <<'C'
#include <inttypes.h>
#include <profhw.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char error[PROFHW_ERROR];
    const struct profhw_program program = {.path = "narrow",
                                           .is_fast = strcmp(argv[argc - 1], "fast") == 0};
    struct profhw *profhw = profhw_open(&program, error);
    uint64_t sp = 0, s0 = 0, pc = 0;
    uint32_t word[2] = {0, 0};

    profhw_run(profhw, 4);
    profhw_register(profhw, 0, "sp", &sp);
    profhw_register(profhw, 0, "s0", &s0);
    profhw_register(profhw, 0, "pc", &pc);
    profhw_memory(profhw, 0, sp, word, sizeof word);
    printf("%d %" PRIx64 " %d %" PRIx32, (int)(sp >> 31), s0, (int)(pc >> 31), word[0]);
    profhw_register_set(profhw, 0, "t1", 0x80000000);
    profhw_register_set(profhw, 0, "pc", pc);
    profhw_run(profhw, 0);
    profhw_memory(profhw, 0, sp, word, sizeof word);
    printf(" %" PRIx32 "\n", word[1]);
    profhw_close(profhw);
    return 0;
}
C
${CC:-cc} -std=gnu17 -Wall -Wextra -Werror $sanitizers narrow.c \
    $(pkg-config --cflags --libs profhw) -o elsewhere/narrow 2>log ||
    not_ok "the profiler of a 32-bit program builds" "$(<log)"
for engine in detailed fast; do
    same "registers of 32 bits are read without a sign, and written with one, $engine" \
        "1 ffffffff 1 1234567 1234567" "$(elsewhere/narrow $engine)"
done
