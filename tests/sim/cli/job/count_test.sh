#!/usr/bin/env bash
# --count: counters with filters have the values that follow from the program's source, in both
# engines, for Linux and bare-metal programs.
. tests/sim/cli/lib.sh
# build NAME COMPILER FLAG...: tally.S
build() {
    local name=$1
    shift
    "$@" -march=rv64g -nostdlib -static -Wl,--no-relax -Wl,--build-id=none "$here/tally.S" \
        -o "$name" 2>log || not_ok "the program $name builds" "$(<log)"
}
build tally "${LINUX_CC:-riscv64-linux-gnu-gcc}"
build bare "${GUEST_CC:-riscv64-unknown-elf-gcc}" -mabi=lp64d -DBARE -Wl,-N \
    -Wl,-Ttext=0x80000000
cat >tally.meta <<'END'
work+8   4  count label=7 start
work+16  4  stop
range I0 work *
END

# counted SPEC...: the counts, in this order, of the run with $options
options=
counted() {
    local spec args=() i=0
    for spec in "$@"; do args+=(--count "$spec"); done
    rm -f x.json
    rv $options --stats x.json "${args[@]}" $program
    for spec in "$@"; do value x.json "counts.$((i++)).count"; done | tr '\n' ' '
}

for mode in detailed fast; do
    for program in tally bare; do
        options="--mode $mode --meta tally.meta --set pmu.counters=12"
        same "marked, label, toggle and range count what they should, $program, $mode" \
            "10 10 20 20 10 70 0 " \
            "$(counted loads:marked loads:label=7 loads:toggle insns_retired:toggle \
                stores:range=I0 insns_retired:range=I0 loads:label=8)"
        counted insns_retired >/dev/null
        same "a counter without a filter is the event, $program, $mode" \
            "$(value x.json events.insns_retired)" "$(value x.json counts.0.count)"
    done
    program=tally options="--mode $mode"
    same "a Linux program is in user mode alone, $mode" "103 103 0 0 0 " \
        "$(counted insns_retired insns_retired:user insns_retired:kernel \
            insns_retired:supervisor insns_retired:machine)"
    program=bare
    same "a bare-metal program is in machine mode alone, $mode" "0 107 0 107 " \
        "$(counted insns_retired:user insns_retired:kernel insns_retired:supervisor \
            insns_retired:machine)"
    program=tally options="--mode $mode --os kernel"
    counted insns_retired:user insns_retired:kernel >/dev/null
    same "under the guest kernel both modes add up to all, $mode" \
        "103 $(value x.json events.insns_retired)" "$(value x.json counts.0.count) $((
            $(value x.json counts.0.count) + $(value x.json counts.1.count)))"
    options="--mode $mode --fast-forward 4"
    same "counting begins where measurement does, $mode" "99 " "$(counted insns_retired)"
    options="--mode $mode --roi work --roi-end end"
    same "counting ends where measurement does, $mode" "99 " \
        "$(counted insns_retired)"
done

program=tally options="--harts 2 --os kernel"
counted insns_retired:user loads:user,sum >/dev/null
same "each hart has its own count, and the sum is there" "103 103 0 20" \
    "$(value x.json counts.0.count) $(value x.json counts.0.harts.0) $(
        value x.json counts.0.harts.1) $(value x.json counts.1.count)"
matches "the summary has each hart's count" \
    '^ *103  insns_retired:user  hart 0 103, hart 1 0$' "$err"
matches "the summary has only the sum where only the sum is wanted" '^ *20  loads:user,sum$' "$err"

rv --count cycles:user --count loads --meta tally.meta --stats x.csv --profile x.prof tally
cycles=$(sed -n 's/^cycles,//p' x.csv)
same "CSV has a row for each counter" "count.cycles:user,$cycles
hart0.count.cycles:user,$cycles
count.loads,20
hart0.count.loads,20" "$(grep 'count\.' x.csv)"
rv --count loads:user,sum --stats x.csv tally
same "a name with commas is quoted" '"count.loads:user,sum",20' "$(grep 'count\.' x.csv)"
rv report x.prof
matches "a report has the counters of its profile" '^ *20  loads$' "$out"

rv --mode fast --count dcache_miss --stats x.json --stats x.csv tally
same "an event that the fast engine does not count is null, and empty" "null|count.dcache_miss," \
    "$(value x.json counts.0.count)|$(grep 'count\.' x.csv)"
matches "the summary names an event that is not counted" '^ *not counted  dcache_miss$' "$err"

same "a machine that counts has the time of one that does not" \
    "$(rv --stats x.json tally; value x.json cycles)" \
    "$(rv --stats x.json --count cycles --count loads:user tally; value x.json cycles)"
rv --meta tally.meta --count loads:range=I1 tally
matches "a range that nobody sets is warned of" \
    '^rvsim: warning: --count loads:range=I1: no metadata sets range I1$' "$err"

rv --count loads:thread=1 tally
matches "threads are the guest kernel's" \
    '^rvsim: warning: --count loads:thread=1: there are threads under the guest kernel only' "$err"

# Two threads at once, on two harts and on one: each atomic counts for its thread, wherever it ran.
cat >threads.c <<'END'
#include <pthread.h>
static void *work(void *times)
{
    static volatile long sink[2];
    for (long n = (long)times; n != 0; n--)
        __asm__ volatile("amoadd.d zero, zero, (%0)" : : "r"(&sink[(long)times & 1]) : "memory");
    return NULL;
}
int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, (void *)30000);
    pthread_create(&second, NULL, work, (void *)10001);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O2 -static threads.c -o threads 2>log ||
    not_ok "threads.c builds" "$(<log)"
# within LEAST N: N has the thread's own LEAST, and a few of its C library
within() { [ "$2" -ge "$1" ] && [ "$2" -lt $(($1 + 60)) ] && echo yes || echo "$2"; }
for harts in 1 2; do
    program=threads options="--os kernel --harts $harts"
    read -r main first second all < <(counted atomics:user,thread=1000 atomics:user,thread=1001 \
        atomics:user,thread=1002 atomics:user)
    same "each thread has its own count, $harts harts" "yes yes $all" "$(
        within 30000 "$first") $(within 10001 "$second") $((main + first + second))"
done

refused "an event that is not there is refused with the nearest one" \
    "--count lods: no such event (see rvsim events); did you mean loads?" --count lods tally
refused "an event that is not there is named beside its filters" \
    "--count lods:user: no such event: lods (see rvsim events); did you mean loads?" \
    --count lods:user tally
refused "the event is named that counts what users may expect under a name" \
    "--count l1d_miss: no such event (see rvsim events); did you mean dcache_miss?" \
    --count l1d_miss tally
refused "the same for a name that is nearly such a name" \
    "--count instruction: no such event (see rvsim events); did you mean \
insns_retired?" --count instruction tally
refused "a filter that is not there is refused with the nearest one" \
    "--count loads:mraked: no such filter: mraked; did you mean marked?" \
    --count loads:mraked tally
refused "counters that do not fit are refused with the number of counters" \
    "--count: 3 counters are wanted; the machine has 2 (pmu.counters)" --set pmu.counters=2 \
    --count loads --count loads --count loads tally
refused "two conditions of one kind are refused" \
    "--count loads:marked,label=3: a counter has one of marked, label, toggle, gate, range and \
thread, and marked comes first" --count loads:marked,label=3 tally
refused "a data range is refused" "--count loads:range=D0: range=D0: expected an instruction \
range, I0 to I7: data ranges count their accesses themselves and gate no counter" \
    --count loads:range=D0 tally
refused "label 0 is none" "--count loads:label=0: label=0: expected a label from 1 to 255" \
    --count loads:label=0 tally
refused "cycles have no marks" "--count cycles:marked: cycles is no event of single \
instructions, so the hardware cannot tell which are marked; toggle and range are possible" \
    --count cycles:marked tally
refused "nothing after the colon is refused" \
    "--count loads:: expected EVENT[:FILTER,...]" --count loads: tally
refused "a command that makes several runs takes no --count" \
    "tune: --count is for a single run" tune --count loads tally
