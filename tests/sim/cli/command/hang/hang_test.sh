#!/usr/bin/env bash
# rvsim hang (U4, U5, U7, U9, U10): alarms at the very cycle, stacks and locks of all threads, ELF
# cores that gdb opens, stops in gdb.
. tests/sim/cli/lib.sh
linux=("${LINUX_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static)
bare=("${GUEST_CC:-riscv64-unknown-elf-gcc}" -g -DBARE -nostdlib -static -Wl,-N -Wl,--no-relax
    -Wl,--build-id=none -Wl,-Ttext=0x80000000)
{
    "${linux[@]}" -nostdlib -Wl,--no-relax "$here/command/hang/hang_count.S" -o count &&
        "${bare[@]}" -march=rv64gc -mabi=lp64d "$here/command/hang/hang_count.S" -o bare &&
        "${bare[@]}" -march=rv32gc -mabi=ilp32d "$here/command/hang/hang_count.S" -o bare32 &&
        "${linux[@]}" -pthread "$here/hang_threads.c" -o threads
} 2>log || not_ok "the programs build" "$(<log)"

# ---- the cycle ---------------------------------------------------------------------------------

# Cycles are instructions here: a function of n expires at n - 1, and not at n.
expiries="f=201 3 alarms
f=202 0 alarms
g=412 1 alarm
g=413 0 alarms
r=85 1 alarm
r=86 0 alarms
t=103 1 alarm
t=104 0 alarms"
count() {
    for limit in f=201 f=202 g=412 g=413 r=85 r=86 t=103 t=104; do
        rv hang --no-cost --limit $limit "$@"
        echo "$limit $(grep -o '^[0-9]* alarms\?' <<<"$out")"
    done
}
same "U10: limits count callees, recursion and tail calls to the cycle" "$expiries" \
    "$(count count)"
same "U10: the same under the guest kernel" "$expiries" "$(count --os kernel count)"
same "U10: the same of a bare-metal program" "$expiries" "$(count bare)"
same "U10: the same of a program of 32 bits" "$expiries" "$(count bare32)"

stacks() { "$RVSIM" hang --no-cost --limit f=50,child=100 "$1" 2>/dev/null | sed 's/ (.*//'; }
same "the stacks of a program of 32 bits are those of one of 64 bits" \
    "$(stacks bare) 1" "$(stacks bare32) $(stacks bare32 | grep -A1 '^    child$' | grep -c parent)"

# The detailed engine: the alarm comes 50 cycles after the function's first instruction committed,
# at the oldest instruction that had not committed. The run with the trace has the same cycles.
address=0x$(nm count | awk '$3 == "f" { print $1 }')
echo "$address 2 alarm=50" >f.meta
rv hang --mode detailed --alarms 1 --limit f=50 --json f.json count
rv --quiet --mode detailed --meta f.meta --monitor host --trace o3pipeview:f.trace count
expected=$(python3 - "$((address))" <<'END'
import re, sys
text = open("f.trace").read()
entry, pairs = int(sys.argv[1]), re.findall(r"fetch:\d+:(0x\w+):.*?retire:(\d+)", text, re.S)
retired = [(int(pc, 16), int(tick) // 1000 - 1) for pc, tick in pairs if tick != "0"]
began = next(cycle for pc, cycle in retired if pc == entry)         # the trace counts from 1
print(began + 50, next(hex(pc) for pc, cycle in retired if cycle >= began + 50))
END
)
same "U10: in the detailed engine, too, at that cycle and that instruction" "$expected" \
    "$(value f.json alarms.0.cycle) $(value f.json alarms.0.threads.0.stack.0.address)"
for skip in "" --no-skip; do
    rv hang --mode detailed $skip --limit f=50,g=100,child=700,parent=700 count
    echo "$out" >skip$skip
done
same "whether idle cycles are skipped or not" "$(<skip)" "$(<skip--no-skip)"

# ---- limits inside limits ----------------------------------------------------------------------

rv hang --limit child=1000,parent=1000 count
same "U5: a child of 5 in a parent of 10 makes two alarms, in one of 5.5 one" \
    "alarm 1: child: executed 1,000 cycles, limit 1,000 of its thread
  1 more with this stack
alarm 2: parent: executed 1,000 cycles, limit 1,000 of its thread
3 alarms in 4 watched calls" "$(grep -oE '^alarm.*thread|.* stack|.*calls$' <<<"$out")"
matches "limits cost nothing where no time is simulated" \
    '^the run takes ([0-9,]*) cycles, unwatched \1 \(\+0.00 %\)$' "$out"
rv hang --fast-forward 1000 --limit child=1000,parent=1000 count
matches "... also if the measurement begins later" \
    '^the run takes ([0-9,]*) cycles, unwatched \1 \(\+0.00 %\)$' "$out"
rv hang --max-insns 2000 --limit child=1000,parent=1000 count
same "runs that end at a limit are not compared" 0 "$(grep -c '^the run takes' <<<"$out")"
rv hang --limit main=1ms --json - threads x
same "time is that of the simulated clock" 1000000 "$(value rv.out limits.0.cycles)"

# ---- threads -----------------------------------------------------------------------------------

for mode in fast detailed; do
    rv hang --mode $mode --harts 2 --limit slow=1M,quick=1M --dump core --json t.json threads
    same "U10: of threads on two harts the one is named that is over, $mode" \
        "slow 1000000 1005, 1 alarm" \
        "$(value t.json alarms.0.tag) $(value t.json alarms.0.executed) \
$(value t.json alarms.0.thread), $(python3 -c \
            'import json; print(len(json.load(open("t.json"))["alarms"]))') alarm"
    same "U4: only time executed counts, $mode" yes \
        "$([ "$(value t.json alarms.0.waited)" -gt 100000 ] && echo yes)"
    same "the report says which thread waits for which, and for which lock, $mode" \
        "thread 1000 \"threads\", waits for the end of thread 1005
thread 1001 \"threads\", waits for lock gate, held by thread 1000" \
        "$(sed -n 's/^  \(thread 100[01] \)/\1/p' <<<"$out")"
done

# The oracle's active time, which the simulator sees from outside: a limit below it raises an alarm,
# a limit above it raises none. The margin of 500 cycles is for the work of a switch, which counts
# for no function.
rv active --section slow --harts 2 --json a.json threads
active=$(value a.json sections.0.oracle.active)
for limit in $((active - 500)) $((active + 500)); do
    rv hang --no-cost --harts 2 --limit slow=$limit threads
    grep -o '^[0-9]* alarms\?' <<<"$out"
done >found
same "U10: what a thread executed is what the oracle saw" "1 alarm
0 alarms" "$(<found)"

rv hang --limit main=10M --harts 2 threads x
same "a deadlock ends the run, and is told" "132
the run ended: every hart waits for an interrupt, and none can come
  thread 1000 \"threads\", waits for lock other_gate, held by thread 1001
  thread 1001 \"threads\", waits for lock gate, held by thread 1000
  deadlock: thread 1000 waits for thread 1001, which waits for thread 1000" \
    "$status
$(grep -E '^the run ended|^  [a-z]' <<<"$out")"

# ---- cores -------------------------------------------------------------------------------------

# core PROGRAM FILE COMMAND...: gdb's answers
core() {
    local command=()
    for each in "${@:3}"; do command+=(-ex "$each"); done
    gdb-multiarch -nx -batch -iex 'set auto-load off' -iex 'set debuginfod enabled off' \
        "${command[@]}" "$1" "$2" 2>&1
}
# Of the last run above.
core threads core 'info threads' bt 'p list' 'p *list.next' 'p ratio' 'p gate.__data.__owner' \
    'printf "pc %#lx\n", $pc' 'thread 2' bt 'info auxv' 'info proc mappings' >seen
same "U7: gdb opens the core: the thread that hangs is the first of all" \
    "SIGXCPU, 3 threads, slow" \
    "$(grep -o SIGXCPU seen | head -1), $(sed -n '/ Id /,/^#0/p' seen | grep -c 'LWP 10') threads, \
$(sed -n 's/^#0 .* in \([a-z]*\) .*/\1/p' seen | head -1)"
same "U7: stacks" "#0 slow #1 work #2 start_thread #3 __thread_start" \
    "$(echo $(sed -n '/ Id /,/^\$1/s/^\(#[0-9]\) .* in \([a-z_]*\) .*/\1 \2/p' seen))"
same "U7: memory" '$1 = {value = 12, next = $2 = {value = 34, next = $3 = 2.5 $4 = 1000' \
    "$(echo $(grep -o '^\$[12] = .* next =\|^\$[34] = .*' seen))"
same "U7: registers" "pc $(value t.json alarms.0.threads.0.stack.0.address)" "$(grep '^pc' seen)"
same "U7: memory that was not touched is zero, and takes no room" \
    '$1 = 0 $2 = 77 $3 = 0 large, small' \
    "$(core threads core 'p reserve[0]' 'p reserve[3000000]' 'p reserve[8388607]' |
        grep '^\$' | paste -sd' ') $([ "$(stat -c %s core)" -gt 67000000 ] && echo large,) $(
        [ "$(stat -c %b core)" -lt 4000 ] && echo small)"
same "U7: the auxiliary vector and the mapped file" "AT_PAGESZ AT_ENTRY $PWD/threads" \
    "$(echo $(grep -o 'AT_PAGESZ\|AT_ENTRY' seen) $(grep -o "$PWD/threads" seen | tail -1))"

rv hang --no-cost --limit f=201 --dump two.core --dumps 2 count
same "U7: of three alarms of a function as many are dumped as asked for" "two.2.core two.core 2" \
    "$(echo two*core) $(grep -c dump: <<<"$out")"
same "a core of a program that the host serves" "f () at" \
    "$(core count two.2.core bt | grep -o 'f () at' | head -1)"
rv hang --no-cost --limit f=201 --dump one.core.zst count
same "U7: a core may be compressed" "$(core count two.core bt 'info registers')" \
    "$(zstd -dqf one.core.zst -o two.core && core count two.core bt 'info registers')"
rv hang --no-cost --limit f=201 --dump bare.core bare
same "a core of a bare-metal program, which is sparse" "f () at 1" \
    "$(core bare bare.core bt | grep -o 'f () at' | head -1) $((
        $(stat -c %s bare.core) > 100000000 && $(stat -c %b bare.core) < 1000))"

rv hang --no-cost --limit f=201 --dump bare32.core --json bare32.json bare32
same "U7: a core of a program of 32 bits: its stack, registers, floating point" \
    "f f _start pc $(value bare32.json alarms.0.threads.0.stack.0.address) ELF32" \
    "$(core bare32 bare32.core bt 'printf "pc %#010x\n", $pc' 'p $fa0.double' >seen
        echo $(sed -n 's/^#.* \([f_][a-z]*\) () at.*/\1/p' seen) $(grep '^pc' seen) \
            $(readelf -h bare32.core | grep -o ELF32))"
same "U7: which are as wide as its calls make them" '$1 = 0' "$(grep '^\$1' seen)"

# ---- elapsed time ------------------------------------------------------------------------------

# The thread waits at the gate until main opens it, near the end.
for mode in fast detailed; do
    rv hang --mode $mode --no-cost --elapsed wait_at_gate=300K --json e.json threads
    same "elapsed time: a thread that waits is seen in the very cycle, $mode" \
        "elapsed 300000 lock 1000 none" \
        "$(value e.json alarms.0.type) $(value e.json alarms.0.elapsed) \
$(value e.json alarms.0.threads.0.state) $(value e.json alarms.0.threads.0.held_by) \
$(value e.json alarms.0.hart 2>&1 | grep -q '^[0-9]' || echo none)"
    rv hang --mode $mode --no-cost --harts 2 --elapsed wait_at_gate=300K --json e.json threads
    late=$(($(value e.json alarms.0.elapsed) - 300000))
    same "elapsed time: on two harts within a turn, $mode" yes \
        "$([ $late -ge 0 ] && [ $late -le 1000 ] && echo yes || echo "late by $late")"
done
rv hang --no-cost --limit wait_at_gate=300K threads
same "elapsed time: executed time is another limit" "0 alarms" \
    "$(grep -o '^[0-9]* alarms' <<<"$out")"
rv hang --no-cost --elapsed f=201,g=413 count
same "elapsed time: of a thread alone it is that executed" \
    "alarm 1: f: elapsed 201 cycles, limit 201 of the clock, executed 201" \
    "$(grep -o '^alarm 1.*executed 201' <<<"$out")"
same "elapsed time: three calls of f are over, none of g" "3 alarms" \
    "$(grep -o '^[0-9]* alarms' <<<"$out")"
rv hang --no-cost --limit main=5000000000 threads
same "limits above 32 bits: none is over" "0 alarms" "$(grep -o '^[0-9]* alarms' <<<"$out")"
printf '%s 2 alarm=elapsed:5000000123\n' "$address" >wide.meta
rv meta list wide.meta count
matches "limits above 32 bits are whole in metadata" 'alarm=elapsed:5000000123' "$out"

# ---- reports -----------------------------------------------------------------------------------

rv hang --json one.json --limit f=201,g=300 count
cp one.json two.json
rv hang --json one.json --limit f=201,g=300 count
same "U8: a report of the same run has the same identity" "$(value two.json id)" \
    "$(value one.json id)"
rv hang --json other.json --limit f=200,g=300 count
same "U8: one of another run has another" different \
    "$([ "$(value one.json id)" = "$(value other.json id)" ] && echo same || echo different)"
same "U8: there are no paths in it" 0 "$(grep -c / <(sed 's/;/ /g' t.json))"
rv hang --limit f=201 --meta f.meta --quiet count
same "marks of the user stay" 0 "$status"

# ---- the debugger ------------------------------------------------------------------------------

for mode in fast detailed; do
    rm -f socket
    timeout -k 5 60 "$RVSIM" hang --mode $mode --break --gdb ./socket --limit child=1000 count \
        >rv.out 2>rv.err </dev/null &
    for _ in $(seq 1200); do [ -S socket ] && break; sleep 0.05; done
    seen=$(timeout -k 5 60 gdb-multiarch -nx -batch -iex 'set auto-load off' \
        -iex 'set debuginfod enabled off' -ex 'target remote ./socket' -ex c -ex bt -ex c \
        -ex 'p $a1' -ex c count 2>&1)
    wait $!
    same "U9: the program stops in gdb where it hangs, $mode" \
        "SIGXCPU child parent SIGXCPU \$1 = 250 exited" \
        "$(echo $(grep -oE 'SIGXCPU|child \(\)|parent \(\)|^\$1 = .*|exited' <<<"$seen" |
            sed 's/ ()//' | awk '!(/child|parent/ && seen[$0]++)'))"
    same "U9: and the alarms are told, $mode" "2 alarms in 2 watched calls" \
        "$(tail -1 rv.out)"
done
rm -f socket
timeout -k 5 60 "$RVSIM" hang --harts 2 --break --gdb ./socket --limit slow=1M threads \
    >rv.out 2>rv.err </dev/null &
for _ in $(seq 1200); do [ -S socket ] && break; sleep 0.05; done
seen=$(timeout -k 5 60 gdb-multiarch -nx -batch -iex 'set auto-load off' \
    -iex 'set debuginfod enabled off' -ex 'target remote ./socket' -ex c -ex 'p reserve[0]' \
    -ex 'p reserve[3000000]' -ex 'thread 2' -ex 'p reserve[5]' -ex 'p *(int *)64' -ex kill \
    threads 2>&1)
wait $!
same "U9: memory that was not touched reads as zero, and what is not there not at all" \
    '$1 = 0 $2 = 77 $3 = 0 Cannot access memory at address 0x40' \
    "$(echo $(grep -E '^\$|Cannot access' <<<"$seen"))"

# ---- wrong use ---------------------------------------------------------------------------------

form="expected FUNCTION=CYCLES or FUNCTION=TIME, such as sort=5M or sort=2ms, at least 1 cycle"
refused "no limit" "hang: expected --limit FUNCTION=CYCLES" hang count
refused "a limit without a number" "hang: --limit f: $form" hang --limit f count
refused "a limit of 0" "hang: --limit f=0: $form" hang --limit f=0 count
refused "a limit too large" "hang: --limit f=99999999999s: $form" \
    hang --limit f=99999999999s count
refused "a unit that there is not" "hang: --limit f=5min: $form" hang --limit f=5min count
refused "a function that there is not" \
    "hang: --limit chidl: no such function; did you mean child?" hang --limit f=1,chidl=2 count
refused "--break without gdb" "hang: --break needs a debugger: --gdb PORT" \
    hang --break --limit f=1 count
refused "gdb without --break" "hang: --gdb needs --break" hang --gdb 0 --limit f=1 count
refused "--dumps without --dump" "hang: --dumps needs --dump FILE" \
    hang --dumps 2 --limit f=1 count
refused "a place where no file can be" "no/x: No such file or directory" \
    hang --dump no/x --limit f=1 count

# Functions of libraries, which the program loads after its limits are set.
root=$("${LINUX_CC:-riscv64-linux-gnu-gcc}" -print-file-name=libc.so.6)
mkdir -p root/lib && cp -L "$root" "${root%/*}/ld-linux-riscv64-lp64d.so.1" root/lib/
cat >sorts.c <<'END'
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    int number[1000];

    for (int i = 0; i < 1000; i++)
        number[i] = i * 7919 % 1009;
    qsort(number, 1000, sizeof number[0], compare);
    return 0;
}
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g sorts.c -o sorts
rv hang --os kernel --root root --no-cost --limit qsort=20K,qsrot=5 --json sorts.json sorts
same "a function of a library has a limit (U10)" 0 "$status"
matches "the alarm of a library's function is of the cycle" \
    '^alarm 1: qsort: executed 20,000 cycles, limit 20,000' "$out"
matches "with the callers in the program" 'main \(sorts\.c:1[0-9]\)' "$out"
matches "the alarm of a library's function is in the report" '"tag": *"qsort"' "$(<sorts.json)"
matches "a limit that no library has a function for is told" "no symbol 'qsrot'" "$err"

# While no code near a function with a limit runs, the processor looks nothing up.
cat >apart.c <<'END'
static volatile unsigned long work;

__attribute__((noinline, used, section(".never"), aligned(64))) void never(void) { work++; }
__attribute__((noinline, aligned(64))) static void spin(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        work += i;
}

int main(void)
{
    spin(1000);
    return 0;
}
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static apart.c -o apart
for name in never spin; do
    echo "$name 2 alarm=1000000" >$name.meta
    "$RVSIM" --quiet --mode detailed --meta $name.meta --stats $name.json apart
done
"$RVSIM" --quiet --mode detailed --stats without.json apart
same "watching a function that is not called costs no cycle, and moves no metadata (U10)" \
    "$(value without.json cycles) 0 0" "$(value never.json cycles) $(
        value never.json events.meta_none) $(value never.json events.meta_bytes)"
same "watching a function that is called moves its line's metadata, once" "1 0" \
    "$(value spin.json events.meta_hit) $(value spin.json events.meta_none)"
