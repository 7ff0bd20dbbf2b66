#!/usr/bin/env bash
# Without the detailed engine: events that the program alone determines are counted exactly, and
# values that need time are neither shown as zero nor accepted silently.
. tests/sim/cli/lib.sh
build_levels
architectural=$here/../../../pmu/event_architectural.def

# events FILE: "name count" of each architectural event, without those of the clock
events() {
    python3 -c '
import json, re, sys
events = json.load(open(sys.argv[1]))["events"]
for name in re.findall(r"^EVENT_ARCHITECTURAL\((\w+)\)", open(sys.argv[2]).read(), re.M):
    if not name.startswith("CYCLES"):
        print(name.lower(), events[name.lower()])' "$1" "$architectural"
}
# member FILE EXPRESSION: of the JSON `stats`
member() { python3 -c "import json; stats = json.load(open('$1')); print(*$2)"; }

cat >count.c <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf back;
static int words[4096];

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

__attribute__((noinline)) static double halves(double x, int depth)
{
    if (depth == 0)
        longjmp(back, 1);
    return halves(x / 2, depth - 1) * 1.5 + depth;
}

int main(void)
{
    char odd[64] = {0};
    volatile int sum = 0;

    for (int i = 0; i < 4096; i++)
        words[i] = i * 7919 % 4093;
    qsort(words, 4096, sizeof words[0], compare);
    for (int i = 0; i < 200; i++)
        *(volatile unsigned *)(void *)(odd + i % 50) += (unsigned)i;    /* misaligned, most */
    for (int i = 0; i < 50; i++)
        if (setjmp(back) == 0)
            sum += (int)halves(i, i % 7);
    __atomic_fetch_add(&words[1], sum, __ATOMIC_SEQ_CST);
    printf("%d %d\n", words[1] + words[4000], sum);
    return 0;
}
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static count.c -o count 2>log ||
    not_ok "the program count.c builds" "$(<log)"

for program in levels count; do
    for mode in detailed fast warm; do rv --mode $mode --stats $mode.json $program; done
    for mode in fast warm; do
        same "$program: events of the program are those of the detailed engine, $mode" \
            "$(events detailed.json)" "$(events $mode.json)"
    done
    rv --mode fast --max-insns 177 --stats first.json $program
    rv --mode fast --fast-forward 177 --stats rest.json $program
    same "$program, cut in two: the parts add up" "$(events fast.json)" \
        "$(paste -d ' ' <(events first.json) <(events rest.json) | awk '{print $1, $2 + $4}')"
done
same "misaligned accesses are counted" True "$(member fast.json \
    "[stats['events']['misaligned'] >= 200]")"
rv --mode fast --roi halves --stats fast.json count
rv --roi halves --stats detailed.json count
same "from --roi on, too" "$(events detailed.json)" "$(events fast.json)"

rv --mode fast --stats fast.json --stats fast.csv --stats fast.txt --profile fast.prof count
same "statistics that need time are null" "None None None None" "$(member fast.json \
    "[stats['ipc'], stats['slots'], stats['cpi'], stats['summary']['program']['ipc']]")"
same "statistics that need a pipeline or caches are absent" "" "$(member fast.json \
    "[e for e in stats['events'] if 'miss' in e or 'slots' in e or 'fetched' in e]")"
same "statistics that need time are absent in CSV and in gem5's layout" "" \
    "$(grep -E '^(ipc|events\.(slots|dcache|l1d|cpi))|dcache|::|\.ipc' fast.csv fast.txt)"
matches "the summary says so" "^  [0-9,]+ instructions, fast engine: no time is simulated; " "$err"
rv --mode warm --stats warm.json count
same "warming counts accesses of the caches" "True False" "$(member warm.json \
    "[stats['events']['l1d_read'] > 1000, 'fetched' in stats['events']]")"

for table in topdown cpi; do
    refused "a report of time is refused: --$table" "report --$table: the profile is of --mode \
fast, in which no time is simulated; measure with --mode detailed" report --$table fast.prof
done
for mode in fast warm; do
    refused "the oracle is refused, $mode" "--oracle: needs --mode detailed; in --mode $mode no \
time is simulated, and an instruction has no cycles to count" --mode $mode --oracle count
done

cat >timed.meta <<'END'
halves 2 on-miss
main   * counter threshold=3
compare 2 counter mispredicted
words  4 counter
END
rv --mode fast --quiet --meta timed.meta count
same "marks that signal nothing are named" "$(for word in 1:on-miss 2:threshold 3:mispredicted; do
    echo "rvsim: warning: timed.meta:${word%:*}: ${word#*:}: signals nothing in --mode fast, \
which simulates no time; --mode detailed does"; done)" "$err"
rv --quiet --meta timed.meta count
same "the detailed engine has nothing to say about them" "" "$err"

cat >counters.S <<'END'
        .globl  _start
_start: la      t0, down
        csrw    mtvec, t0
        li      t0, 0x08                # loads
        csrw    mhpmevent3, t0
        li      t0, 0x03                # branches taken
        csrw    mhpmevent4, t0
        li      t0, 0x12                # misses of the data cache
        csrw    mhpmevent5, t0
        csrw    mhpmcounter3, zero
        csrw    mhpmcounter4, zero
        la      a0, down
        li      a1, 100
1:      lw      a2, (a0)
        lw      a3, 4(a0)
        addi    a1, a1, -1
        bnez    a1, 1b
        csrr    s0, mhpmcounter3
        csrr    s1, mhpmcounter4
        addi    s0, s0, -200
        addi    s1, s1, -99
        or      a0, s0, s1
        slli    a0, a0, 1
        ori     a0, a0, 1
        la      t0, tohost
        sd      a0, (t0)
        .balign 4
down:   j       down
        .section .tohost, "aw"
        .balign 64
        .globl  tohost
tohost: .dword  0
        .globl  fromhost
fromhost: .dword 0
END
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv64imac_zicsr -mabi=lp64 -nostdlib -static \
    -Wl,--build-id=none -Wl,-Ttext=0x80000000 counters.S -o counters 2>log ||
    not_ok "counters.S builds" "$(<log)"
rv --quiet --mode fast counters
same "a program's counters are exact without statistics, too; one that stays at 0 is named" \
    "0 rvsim: warning: a counter of dcache_miss stayed at 0: --mode fast does not count this \
event; --mode detailed does" "$status $err"
rv --quiet counters
same "the detailed engine counts them all" "0 " "$status $err"

echo 'compare * count' >marked.meta
for mode in detailed fast; do
    rv --mode $mode --count loads --count branches_taken:user --count loads:marked \
        --meta marked.meta --stats $mode.json count
done
same "--count of what the program does is exact" \
    "$(member detailed.json "[count['count'] for count in stats['counts']]")" \
    "$(member fast.json "[count['count'] for count in stats['counts']]")"
