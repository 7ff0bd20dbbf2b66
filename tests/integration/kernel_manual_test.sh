#!/usr/bin/env bash
# System calls under the guest kernel do what their manual pages say, on every number of harts. The
# programs compare with the pages themselves, and name what differs.
. tests/integration/lib.sh
# With this clock a millisecond has fewer cycles than with the default.
clock="--set machine.clock_mhz=250"

for name in timers timer_files process_files signal_files signals futexes wakes given_locks \
    scheduling requests local_sockets messages named_files mappings; do
    "$linux_cc" -std=gnu17 -O2 -Wall -Wextra -Werror -Wno-infinite-recursion -static -pthread \
        $programs/kernel/$name.c -o "$tmp/$name" || not_ok "$name builds"
    for harts in 1 2 4 8; do
        run $name --os kernel --mode fast --harts $harts $clock --root "$tmp" \
            "$tmp/$name" $harts
        same "$name, $harts harts: as the manual pages say" right "$(<"$tmp/$name.out")"
    done
done
# Seconds of processor time pass, so the clock makes a second of few cycles.
"$linux_cc" -std=gnu17 -O1 -Wall -Wextra -Werror -static $programs/kernel/limits.c \
    -o "$tmp/limits" || not_ok "limits builds"
for harts in 1 4; do
    run limits --os kernel --mode fast --harts $harts --set machine.clock_mhz=5 "$tmp/limits"
    same "limits, $harts harts: as the manual page says" right "$(<"$tmp/limits.out")"
done
for name in timers futexes process_files; do
    run $name --harts 2 $clock "$tmp/$name" 2
    same "$name, in detail: as the manual pages say" right "$(<"$tmp/$name.out")"
done
