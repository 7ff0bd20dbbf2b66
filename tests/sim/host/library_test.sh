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
