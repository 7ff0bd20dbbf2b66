#!/usr/bin/env bash
# Counters of several harts act as one counter, when the program reads them and for limits; a
# program without privileges reads its work area.
. tests/integration/lib.sh

for harts in 1 2 4; do
    build_bare shared_counts -DHARTS=$harts || { not_ok "shared_counts builds"; continue; }
    for machine in default tiny short_lines in_order; do
        for mode in fast detailed; do
            run shared --mode $mode --harts $harts $(machine_options $machine) --monitor host \
                --meta "$tmp/shared_counts.meta" "$tmp/shared_counts"
            # Each hart executes it 200 times; every 14th execution on any hart passes the limit of
            # 13.
            same "$harts harts, $mode engine, ${machine/_/ }: what is read, interrupts of a limit" \
                "0 $((harts * 200 / 14))" \
                "$status $(query get "$tmp/shared.json" events.indicator_interrupts)"
        done
    done
done

cat >"$tmp/area.c" <<'C'
#include <stdio.h>
#include "rvsim/profiling.h"
volatile int table[16];
unsigned short counts[8];
__attribute__((noinline)) void touch(int i) { table[i] = i; }
int main(void)
{
    for (int i = 0; i < 16; i++)
        for (int k = 0; k <= i; k++)
            touch(i);
    for (int i = 0; i < 16; i += 2)
        printf("%lu ", prof_data_count((void *)&table[i]));
    for (int i = 0; i < 8; i++)
        printf("%u ", counts[i]);
    return 0;
}
C
"$linux_cc" -O2 -static -I. -Iguest/include "$tmp/area.c" -o "$tmp/area" ||
    not_ok "the Linux program builds"
echo 'area table * granule=8 size=2 counts=counts' >"$tmp/area.meta"
for machine in default tiny small_caches; do
    for mode in fast detailed; do
        run area --mode $mode $(machine_options $machine) --meta "$tmp/area.meta" "$tmp/area"
        same "a Linux program's work area, read and as memory, $mode engine, ${machine/_/ }" \
            "3 7 11 15 19 23 27 31 3 7 11 15 19 23 27 31 " "$(<"$tmp/area.out")"
    done
done
