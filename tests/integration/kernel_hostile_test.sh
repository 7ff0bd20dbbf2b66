#!/usr/bin/env bash
# Hostile programs under the guest kernel: each ends with a clear message and the status that Linux
# gives it.
. tests/integration/lib.sh

"$linux_cc" -std=gnu17 -O2 -Wall -Wextra -Werror -static -pthread $programs/kernel/abuse.c \
    -o "$tmp/abuse" || not_ok "the program builds"
# ends NAME "STATUS OUTPUT" OPTION... -- ARGUMENT...
ends() {
    local name=$1 expected=$2 options=()
    shift 2
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    run abuse --mode fast "${options[@]}" "$tmp/abuse" "$@"
    same "$name" "$expected" "$status $(tr '\n' ';' <"$tmp/abuse.out")"
}
for harts in 1 4; do
    on="on $harts harts"
    ends "threads that never yield give way, $on" "4 the others get their turn;" \
        --harts $harts -- spin
    ends "exit ends those who sleep, $on" "6 they sleep;" --harts $harts -- asleep 0
    ends "a signal ends those who sleep, $on" "143 they sleep;" --harts $harts -- asleep 1
    ends "a fault ends those who sleep, $on" "139 they sleep;" --harts $harts -- asleep 2
    ends "a bad pointer is EFAULT, $on" "0 0 wrong;" --harts $harts -- pointers
done
for threads in 1:10000 4:1000; do
    ends "${threads#*:} threads are there at a time, harts: ${threads%:*}" "0 all added;" \
        --harts ${threads%:*} --set machine.memory_mib=1024 -- many ${threads#*:}
done
for storm in 1:1000 2:1000 4:1000 16:1000 2:10; do
    ends "a storm of signals ends, and loses none that queues, harts and MHz: $storm" \
        "0 alarms, queued 2000;" --harts ${storm%:*} --set machine.clock_mhz=${storm#*:} -- storm
done
ends "every call comes back from nonsense" "0 1;" --harts 2 -- nonsense
ends "a child that takes all memory is killed, and it comes back" \
    "0 killed by 9;killed by 9;killed by 9;memory is there again;" \
    --set machine.memory_mib=32 -- memory
ends "the program that takes all memory is killed" "137 " --set machine.memory_mib=32 -- all
holds "the summary says why it was killed" grep -q "memory is full" "$tmp/abuse.err"
ends "a mapping larger than memory is refused" "0 no room;" -- huge
ends "processes without end find an end" "0 all gone;" --set machine.memory_mib=16 -- forks
