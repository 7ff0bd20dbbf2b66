#!/usr/bin/env bash
# The guest kernel: programs with threads and processes, on every number of harts and both engines.
. tests/integration/lib.sh

kernel_programs=$programs/kernel
build_linux_program() {
    local name=$1
    shift
    "$linux_cc" -std=gnu17 -O2 -Wall -Wextra -Werror -static "$@" "$kernel_programs/$name.c" \
        -o "$tmp/$name" 2>"$tmp/$name.log" || { not_ok "$name builds" "$(<"$tmp/$name.log")"; }
}
build_linux_program threads -pthread
build_linux_program processes
build_linux_program stencil -fopenmp
build_linux_program hostile -Wno-infinite-recursion

threads_say="total 200 own 200
wait in vain: timed out
lock of the dead: owner died"
processes_say="child has 2, parent has 1, both 42, status 5
again word
exec: status 7
signal: 10
alarms: enough
slept: as long as asked
killed by: 11"
# The sum, worked out on the host.
cc -std=gnu17 -O0 -fopenmp "$kernel_programs/stencil.c" -o "$tmp/stencil.host"
stencil_says() { OMP_NUM_THREADS=$1 "$tmp/stencil.host"; }

for harts in 1 2 4 8; do
    run threads --mode fast --harts $harts "$tmp/threads"
    same "threads, $harts harts: they do what they should" "$threads_say" \
        "$(<"$tmp/threads.out")"
    same "threads, $harts harts: the status is the program's" 3 $status
    run processes --mode fast --harts $harts "$tmp/processes"
    same "processes, $harts harts: they do what they should" "$processes_say" \
        "$(<"$tmp/processes.out")"
    run stencil --mode fast --harts $harts "$tmp/stencil"
    same "OpenMP, $harts harts: a thread a hart, the host's sum" "$(stencil_says $harts)" \
        "$(<"$tmp/stencil.out")"
done

run hostile --mode fast --harts 2 "$tmp/hostile"
same "hostile programs end as under Linux, and the rest goes on" \
    "overflow -11, jump -11, read -11, csr -4, bad pointers 11, handlers -11" \
    "$(<"$tmp/hostile.out")"

run detailed --harts 2 "$tmp/threads"
same "threads, in detail: the output is the fast engine's" "$threads_say" \
    "$(<"$tmp/detailed.out")"
run again --harts 2 "$tmp/threads"
same "threads, in detail: the same run twice is the same" \
    "$(grep instructions "$tmp/detailed.err" | sed 's/;.*//')" \
    "$(grep instructions "$tmp/again.err" | sed 's/;.*//')"

"$linux_cc" -O2 -static -x c - -o "$tmp/plain" <<<'#include <stdio.h>
int main(void) { puts("plain"); return 0; }'
run plain_host --mode fast "$tmp/plain"
run plain_kernel --mode fast --os kernel "$tmp/plain"
same "a program without threads: both say the same" "plain plain" \
    "$(<"$tmp/plain_host.out") $(<"$tmp/plain_kernel.out")"

