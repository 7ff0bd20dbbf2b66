#!/usr/bin/env bash
# Every table with a row for each thread shows the name that the thread had last; samples belong to
# the program in which they were taken.
. tests/sim/cli/lib.sh
cat >named.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/prctl.h>
static volatile long sum;
static void *work(void *name)
{
    pthread_setname_np(pthread_self(), "early");
    for (int i = 0; i < 3000; i++)
        sum += i;
    prctl(PR_SET_NAME, name);
    return NULL;
}
int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, work, "reader");
    pthread_create(&thread[1], NULL, work, "a long writer");
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
C
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static -pthread named.c -o named 2>log ||
    not_ok "the program builds" "$(<log)"
for harts in 1 3; do
    rv record --harts $harts --period 997 -o s.prof named
    matches "report --sort thread: samples, $harts harts" ' 1001 reader$' \
        "$("$RVSIM" report --sort thread s.prof)"
    rv --harts $harts --quiet --oracle --profile o.prof named
    report=$("$RVSIM" report --sort thread,routine o.prof)
    matches "cycles, $harts harts" ' 1002 a long writer  work$' "$report"
    matches "the first thread has its program's name, $harts harts" \
        ' 1000 named  pthread_create$' "$report"
done
rv sched --harts 2 --json s.json named
same "sched: each table has them" 3 "$(grep -cE '^ +1002 .* a long writer$' <<<"$out")"
same "sched: as JSON" "named reader a long writer" \
    "$(query get s.json threads.{0,1,2}.name | paste -sd ' ')"

build() {
    "${LINUX_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static -Wl,--build-id=none "${@:2}" \
        "$here/tool/executed.S" -o "$1" 2>log || not_ok "$1 builds" "$(<log)"
}
build parent -DFORKS -DROUNDS=5000 -DNAME=mine
build child -DROUNDS=15000 -DNAME=other
rv record --os kernel --period 997 -o p.prof parent
report=$("$RVSIM" report --sort program,thread,routine p.prof 2>log)
matches "report --sort program: the executed one's routine is its own" \
    ' child  +1001 child  +other@child$' "$report"
matches "report --sort program: the first one's routine is its own" \
    ' parent  +1000 parent  +mine$' "$report"
