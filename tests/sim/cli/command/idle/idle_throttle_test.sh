#!/usr/bin/env bash
# Samples that come faster than they can be taken are left out and counted: the program goes on.
. tests/sim/cli/lib.sh
cat >waits.c <<'C'
#include <pthread.h>
#include <time.h>
static volatile long sum;
static void *work(void *arg)
{
    for (int i = 0; i < 5000; i++)
        sum += i;
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    return arg;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    return pthread_join(thread, NULL);
}
C
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static -pthread waits.c -o waits 2>log ||
    not_ok "the program builds" "$(<log)"
# idle PERIOD OPTION...: leaves s.json; the samples taken, those throttled, and how many times
# longer the run took with them, rounded
idle() {
    rv idle --period "$1" "${@:2}" --json s.json waits
    [ $status = 0 ] && python3 - <<'P'
import json
s = json.load(open("s.json"))
harts = s["harts"]
print(sum(h["samples"] for h in harts) > 0, sum(h["throttled"] for h in harts) > 0,
      s["cycles"] < 4 * s["cycles_without_samples"])
P
}
for harts in 1 2; do
    for event in insns_retired cycles; do
        same "a period of 10 $event ends, $harts harts" "True True True" \
            "$(idle 10 --harts $harts --event $event)"
    done
    same "a period of a cycle, by time, ends, $harts harts" "True True True" \
        "$(idle 1 --harts $harts --set machine.timebase_divider=1)"
    same "a long period loses nothing, $harts harts" "True False True" \
        "$(idle 20000 --harts $harts --event insns_retired)"
done
rv idle --period 10 --event insns_retired waits
matches "the table says so" '^[0-9]+ samples were throttled: ' "$out"
rv idle --period 20000 --event insns_retired waits
same "without throttled samples the table names none" "" "$(grep throttled <<<"$out")"
