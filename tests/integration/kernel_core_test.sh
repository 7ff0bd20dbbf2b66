#!/usr/bin/env bash
# A process that dies of a signal leaves a core file where its limit allows one, which gdb reads:
# every thread's registers and stack, and memory as it was.
. tests/integration/lib.sh

"$linux_cc" -std=gnu17 -O1 -g -fno-omit-frame-pointer -Wall -Wextra -Werror -static -pthread \
    $programs/kernel/core.c -o "$tmp/core_maker" || not_ok "core builds"
# Each line once; of the frames only those that have a source.
read_core() {
    timeout -k 5 60 gdb-multiarch -nx -batch -iex 'set auto-load off' \
        -iex 'set debuginfod enabled off' -ex 'thread apply all -q bt' -ex 'print kept' \
        -ex 'print measured' -ex 'print $fa5' -ex 'print $_siginfo.si_signo' \
        "$tmp/core_maker" "$tmp/core" 2>/dev/null |
        sed -nE 's/^#[0-9]+ +(0x[0-9a-f]+ in )?(die_of_null|wait_for_ever|main) .*/\2/p
            /^(\$|Program)/p' | LC_ALL=C sort -u
}
for harts in 1 4; do
    rm -f "$tmp/core"
    run maker --os kernel --mode fast --harts $harts --root "$tmp" "$tmp/core_maker" 0xffffffff
    same "$harts harts: all threads and memory are in the core file" \
        '$1 = {11, 22, 44}
$2 = 43
$3 = {float = 0, double = 43}
$4 = 11
Program terminated with signal SIGSEGV, Segmentation fault.
die_of_null
main
wait_for_ever' "$(read_core)"
done
same "the core file has holes where memory is zero" yes \
    "$([ $(($(stat -c %b "$tmp/core") * 512)) -lt $(($(stat -c %s "$tmp/core") / 4)) ] && echo yes)"
rm -f "$tmp/core"
run none --os kernel --mode fast --root "$tmp" "$tmp/core_maker"
same "without a limit set there is no core file" "139 none" \
    "$status $([ -e "$tmp/core" ] && echo one || echo none)"
