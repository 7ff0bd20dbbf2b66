#!/usr/bin/env bash
# Assert timers: alarms of nested timers, time that does not count, the pool, many threads, expiry
# in the middle of construction and destruction; natively, under qemu and on the simulated machine.
set -u
. tests/cases.sh
here=$PWD/tests/guest/lib
warnings="-std=gnu17 -O2 -g -Wall -Wextra -Wpedantic -Wshadow -Werror"
library="guest/lib/assert_timer.c guest/lib/assert_timer_expiry.c"

# build COMPILER NAME SOURCE FLAG...
build() {
    local cc=$1 name=$2 source=$3
    shift 3
    $cc $warnings "$@" -I. -Iguest/include -pthread "$here/$source.c" \
        $([ "$source" != assert_timers ] || echo "$library") -o "$TEST_TMP/$name" \
        2>"$TEST_TMP/log" ||
        not_ok "$name builds" "$(<"$TEST_TMP/log")"
}
native=${CC:-cc} linux=${LINUX_CC:-riscv64-linux-gnu-gcc}
build "$native" native assert_timers -Wconversion -Wstrict-prototypes -Wmissing-prototypes
build "$native" races assert_timers -fsanitize=thread
build "$native" middle assert_timers_middle
build "$native" middle_races assert_timers_middle -fsanitize=thread
build "$linux" guest assert_timers -static
build "$linux" guest_middle assert_timers_middle -static
cd "$TEST_TMP" || exit 1

on_native() { TSAN_OPTIONS=halt_on_error=1 timeout 100 "./$1" "${@:2}" 2>&1; }
on_qemu() { timeout 100 qemu-riscv64 ./guest "$@" 2>&1; }
fast() { timeout 100 "$RVSIM" --quiet --os kernel --mode fast --harts "$@" 2>&1; }
on_rvsim() { fast "$1" ./guest "${@:2}"; }
# On a busy machine an alarm may come late.
without_times() { sed 's/ after [0-9]*//'; }

declare -A expected=(
    [ten]="alarm 1 child depth 1 after 1
alarm 2 parent depth 0 after 1
begun 2 refused 0 expired 2"
    [five-and-a-half]="alarm 1 child depth 1 after 1
begun 2 refused 0 expired 1"
    [later-child]="alarm 1 child depth 1 after 1
begun 2 refused 0 expired 1"
    [quick-child]="alarm 1 parent depth 0 after 1
begun 2 refused 0 expired 1"
    [nothing]="begun 2 refused 0 expired 0"
    [told-child]="alarm 1 outer depth 0 after 1
begun 2 refused 0 expired 1"
    [told-child-expires]="alarm 1 outer depth 0 after 1
alarm 2 inner depth 1 after 2
begun 2 refused 0 expired 2"
    [sleep]="armed again: yes
begun 1 refused 0 expired 0"
    [sleep-and-work]="alarm 1 worker depth 0 after 1
begun 1 refused 0 expired 1"
    [dialog]="begun 1 refused 0 expired 0"
    [dialog-and-work]="alarm 1 in the dialog depth 1 after 1
alarm 2 editor depth 0 after 1
begun 2 refused 0 expired 2"
    [process]="alarm 1 process depth 0 after 1
begun 2 refused 0 expired 1"
    [pool]="fifth: none
alarm 1 again depth 0 after 1
returned: yes
begun 5 refused 1 expired 1"
    [left-behind]="begun 16 refused 0 expired 0"
)
declare -A says=(
    [ten]="a child of 5 limits in a parent of 10: both alarm"
    [five-and-a-half]="a child of 5 limits in a parent of 5.5: only the child alarms"
    [later-child]="nor does a parent that is over its limit before its child is"
    [quick-child]="time of a child that does not expire is its parent's"
    [nothing]="below the limit nothing alarms"
    [told-child]="a child is told of its parent's alarm"
    [told-child-expires]="and counts from there"
    [sleep]="a thread that sleeps is not executing: its timer is armed again"
    [sleep-and-work]="time after a sleep counts"
    [dialog]="waiting for the user does not count"
    [dialog-and-work]="time after that does, and so does a timer within"
    [process]="time of a process is that of all its threads"
    [pool]="an empty pool gives no timer; what is returned is given again"
    [left-behind]="timers that a thread leaves behind return to the pool"
)
# Cases in which a busy machine would change the order of alarms run in the simulator only, where
# time is exact.
for name in ten five-and-a-half later-child quick-child nothing sleep sleep-and-work dialog \
    dialog-and-work process pool left-behind told-child told-child-expires; do
    same "${says[$name]}, two harts" "${expected[$name]}" "$(on_rvsim 2 $name 2000)"
    timeless=$(without_times <<<"${expected[$name]}")
    case $name in told-*) continue ;; esac
    same "${says[$name]}, one hart" "$timeless" "$(on_rvsim 1 $name 2000 | without_times)"
    same "${says[$name]}, under qemu" "$timeless" "$(on_qemu $name 20000 | without_times)"
    same "${says[$name]}, natively, without a race" "$timeless" \
        "$(on_native races $name 20000 | without_times)"
done

threads_are() {
    local name=$1 count=$2
    shift 2
    local shown=$("$@")
    same "$name" "$((21 * count)) calls, an alarm for each slow one with a timer: yes" \
        "$(sed -n 1p <<<"$shown")"
    same "$name: every call has a timer or none" "$((21 * count))" \
        "$(awk '/^begun/ { print $2 + $4 }' <<<"$shown")"
}
threads_are "1,000 threads" 1000 on_native native threads 10000 1000
threads_are "200 threads, without a race" 200 on_native races threads 10000 200
threads_are "1,000 threads on two harts" 1000 on_rvsim 2 threads 1000 1000

# One alarm for each of the two slow calls of eight.
crowd_is() {
    local name=$1 count=$2 unit=$3
    shift 3
    same "$name that share the processors" \
        "$((8 * count)) calls, an alarm for each slow one with a timer: yes" \
        "$("$@" "$unit" "$count" | sed -n 1p)"
}
crowd_is "60 threads" 60 6000 on_native races crowd
crowd_is "60 threads on four harts" 60 100 on_rvsim 4 crowd

declare -A middle=(
    [none]="0 alarms, 0 late
then 0 alarms"
    [constructing]="0 alarms, 0 late
then 0 alarms"
    [destructing]="1 alarms, 0 late
then 0 alarms"
    [ending]="1 alarms, 1 late
then 0 alarms"
    [handling]="1 alarms, 0 late, the end waited
then 0 alarms"
)
# The load of the machine decides which thread finds an alarm and which waits, but not their number.
only_alarms() { sed 's/,.*//'; }
for place in none constructing destructing ending handling; do
    same "expiry while $place" "$(only_alarms <<<"${middle[$place]}")" \
        "$(on_native middle $place 20000 | only_alarms)"
    same "expiry while $place, without a race" "$(only_alarms <<<"${middle[$place]}")" \
        "$(on_native middle_races $place 20000 | only_alarms)"
    same "expiry while $place, two harts" "${middle[$place]}" \
        "$(fast 2 ./guest_middle $place 2000)"
done
same "expiry once armed, in the constructor, is reported once" "1 alarms" \
    "$(on_native middle_races armed 20000 | head -1 | cut -d, -f1)"

# A call that gets no timer costs an atomic load and a call; a timer costs two system calls.
shown=$(timeout 100 "$RVSIM" --quiet --os kernel --harts 2 ./guest cost 1000)
full=$(sed -n 's/pool full: \([0-9]*\).*/\1/p' <<<"$shown")
empty=$(sed -n 's/pool empty: \([0-9]*\).*/\1/p' <<<"$shown")
if [ "${full:-99999}" -lt 20000 ] && [ "${empty:-99999}" -lt 200 ]; then
    ok "a timer costs less than 20,000 cycles, an empty pool less than 200"
else not_ok "a timer costs less than 20,000 cycles, an empty pool less than 200" "$shown"; fi

same "a timer of a large pool costs no more" "costs as much: yes" \
    "$(timeout 100 "$RVSIM" --quiet --os kernel --harts 2 ./guest large-pool 1000 | sed -n 1p)"

# C++: the scope ends with an exception, too.
cat >scopes.cc <<'END'
#include <cstdio>
#include "rvsim/assert_timer.h"
int main()
{
    struct assert_timers_settings settings = {};
    settings.timers = 1;
    struct assert_timers *timers = assert_timers_open(&settings);
    struct assert_timers_counts counts;
    for (int i = 0; i < 3; i++) {
        try {
            ASSERT_TIMER(timers, "throws", ASSERT_TIMER_THREAD, ASSERT_TIMER_S);
            ASSERT_TIMER_WAIT(timers);
            throw 1;
        } catch (int) {
        }
    }
    assert_timers_count(timers, &counts);
    std::printf("%d %d\n", (int)counts.begun, (int)counts.refused);
    assert_timers_close(timers);
}
END
for file in assert_timer assert_timer_expiry; do
    $native $warnings -I"$OLDPWD/guest/include" -c "$OLDPWD/guest/lib/$file.c" -o $file.o
done
${CXX:-g++} -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$OLDPWD/guest/include" scopes.cc \
    assert_timer.o assert_timer_expiry.o -pthread -o scopes 2>log ||
    not_ok "a C++ program builds" "$(<log)"
same "in C++ an exception ends the scope" "3 0" "$(./scopes)"
