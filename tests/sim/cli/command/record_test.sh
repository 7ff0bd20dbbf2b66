#!/usr/bin/env bash
# rvsim record and script: samples are at the instructions that follow from the commit trace, and
# every reader of the profile shows all of them.
. tests/sim/cli/lib.sh
build_levels
fast="--mode fast"
cat >loop.S <<'PROGRAM'
    .globl _start, work, main, tohost
    .type work, @function
    .type main, @function
    .type _start, @function
_start:
    la sp, stack
    jal main
    li a0, 1
    la a1, tohost
    sd a0, 0(a1)
1:  j 1b
    .size _start, . - _start
main:
    addi sp, sp, -16
    sd ra, 8(sp)
    li s0, 200
1:  jal work
    addi s0, s0, -1
    bnez s0, 1b
    ld ra, 8(sp)
    addi sp, sp, 16
    ret
    .size main, . - main
work:
    addi sp, sp, -16
    sd ra, 8(sp)
    li a0, 5
1:  lw a1, 0(sp)
    addi a0, a0, -1
    bnez a0, 1b
    ld ra, 8(sp)
    addi sp, sp, 16
    ret
    .size work, . - work
    .bss
    .balign 64
tohost: .dword 0
    .space 4096
stack:
PROGRAM
build_bare() {
    "${GUEST_CC:-riscv64-unknown-elf-gcc}" -g -march=rv64g -mabi=lp64d -nostdlib -static \
        -Wl,--build-id=none -Wl,-Ttext=0x80000000 "$1.S" -o "$1" 2>log ||
        not_ok "$1.S builds" "$(<log)"
}
build_bare loop
rv --quiet $fast --trace commit:loop.trace loop
same "the program ends well" 0 "$status"
insns=$(grep -c '^core' loop.trace)

# The addresses of the trace before which an event had happened a multiple of N times.
truth() {       # truth PERIOD PATTERN
    python3 - "$@" <<'PY'
import re, sys
period, loads = int(sys.argv[1]), sys.argv[2] == 'loads'
trace = [re.match(r'core +0: \d (0x[0-9a-f]+) \((0x[0-9a-f]+)\)', line)
         for line in open('loop.trace')]
trace = [(int(t[1], 16), int(t[2], 16)) for t in trace if t]
count = 0
for i, (pc, bits) in enumerate(trace[:-1]):
    count += not loads or bits & 0x7f == 3
    if count == period:
        print(f'{trace[i + 1][0]:x}')
        count = 0
PY
}
for case in "insns_retired 97" "insns_retired 7" "loads 13"; do
    set -- $case
    rv record $fast -e $1 -c $2 -o loop.prof loop
    same "$1 by $2: no error, and the number is told" \
        "0||rvsim record: $(printf "%'d" 0 >/dev/null; truth $2 $1 | wc -l |
            sed -E ':a;s/([0-9])([0-9]{3})(,|$)/\1,\2\3/;ta') samples in loop.prof" \
        "$status|$out|$err"
    rv script loop.prof -F ip
    same "$1 by $2: each sample is where the trace says" "$(truth $2 $1 | cksum)" \
        "$(tr -d ' ' <<<"$out" | cksum)"
done

# ---- readers ----------------------------------------------------------------------------------

rv record -g -c 50 -o g.prof loop
samples=$("$RVSIM" script g.prof | wc -l)
same "cycles are sampled once a period" yes \
    "$("$RVSIM" script g.prof -F cycle | awk 'NR > 1 {if ($1 - last < 25) bad = 1} {last = $1}
        END {print (!bad && NR > last / 50 * 0.9 && NR <= last / 50) ? "yes" : "no"}')"
same "samples by line add up" "$samples" "$("$RVSIM" annotate g.prof --top 0 |
    awk '/^ 100.00%.* the program$/ {gsub(",", "", $2); print $2}')"
same "folded stacks have all" "$samples" \
    "$("$RVSIM" report g.prof --folded - | awk '{n += $NF} END {print n}')"
same "the report has all" "$samples" "$("$RVSIM" report g.prof |
    awk '/routine$/ {on = 1; next} !NF {on = 0} on {gsub(",", "", $1); n += $1} END {print n}')"
same "stacks are the program's" "_start|_start;main|_start;main;work" \
    "$( (echo _start; "$RVSIM" report g.prof --folded - | sed 's/ [0-9]*$//') | LC_ALL=C sort -u |
        paste -sd'|')"
matches "a line has its callers" ' work\+0x[0-9a-f]+ \(loop\.S:[0-9]+\) <- main <- _start$' \
    "$("$RVSIM" script g.prof)"
"$RVSIM" script g.prof --json g.json >/dev/null
same "JSON has all" "$samples" "$(python3 -c '
import json; print(len(json.load(open("g.json"))["samples"]))')"
rv record -F 20000000 -o f.prof loop
same "-F is samples a second of the clock" "$(rv --stats s.json loop; python3 -c '
import json; s = json.load(open("s.json")); print(s["config"]["machine.clock_mhz"] // 20)')" \
    "$("$RVSIM" script f.prof -F period | head -1 | tr -d ' ')"

# ---- exports -----------------------------------------------------------------------------------

events=$(python3 -c 'import json; s = json.load(open("g.prof"))["sampling"]
print(s["period"] * len(s["samples"]), s["event"])')
same "callgrind's own costs are the samples, and what they stand for" \
    "${events#* } Samples ${events% *} $samples" "$("$RVSIM" report --callgrind - g.prof | awk '
        /^events:/ { names = $2 " " $3 } /^calls=/ { getline; next }
        /^0x/ { events += $3; n += $4 } END { print names, events, n }')"
same "speedscope has both" "samples $samples
${events#* } ${events% *}" "$("$RVSIM" report --speedscope - g.prof | python3 -c '
import json, sys
for profile in json.load(sys.stdin)["profiles"]:
    print(profile["name"], sum(profile["weights"]))')"
same "the text of perf script has the period" "$events" \
    "$("$RVSIM" report --perf-script - g.prof | awk '/^loop / {
        n += $(NF - 1); event = $NF } END { sub(":", "", event); print n, event }')"
same "... and each sample its own time" True "$("$RVSIM" report --perf-script - g.prof |
    awk '/^loop / { print $4 }' | python3 -c '
import json, sys
own = [sample[0] for sample in json.load(open("g.prof"))["sampling"]["samples"]]
told = [round(float(line.strip().rstrip(":")) * 1e9) for line in sys.stdin]
print(told == own or (told[:5], own[:5]))')"
same "--lines has every sample" "$samples" \
    "$("$RVSIM" report --lines --top 0 g.prof | awk 'NR > 2 { n += $1 } END { print n }')"
rv record -c 100 -e insns_retired --mode fast -o other.prof loop
same "diff tells that the samples stand for different events" 1 \
    "$("$RVSIM" diff g.prof other.prof |
        grep -c '^  samples: one every .*, then one every 100 insns_retired$')"
rv --quiet --mode fast --profile tree.prof loop
refused "no lines without a measurement" "the profile measured no instruction; make one with $(
    )\`rvsim record\`, or with --oracle or --meta" report --lines tree.prof
refused "no callers without interrupts" "report --callers: nothing interrupted: sample with $(
    )\`rvsim record -g\`, or mark with \`interrupt\`; --callgraph has the exact callers" \
    report --callers tree.prof
refused "no coverage without counts" "report --lcov: the profile counted no executions of $(
    )instructions; make one with --oracle, or with --meta and counters" report --lcov - tree.prof

# ---- a monitor on the machine, marks ----------------------------------------------------------

rv record -c 500 --max-cycles 600 -o one.prof loop
same "one sample is written in the singular, where it is taken and where it is shown" \
    "rvsim record: 1 sample in one.prof 1 sample, 100.00 % of the program" \
    "$(grep sample rv.err) $("$RVSIM" annotate one.prof | grep 'of the program')"
rv record -c 500 --monitor guest -o guest.prof loop
same "the monitor on the machine keeps sums: lines without time" "[-] -: -" \
    "$("$RVSIM" script guest.prof -F hart,time,cycle | sort -u | sed 's/^ //')"
for period in 100 211 251; do
    rv record -c $period -g -o host.prof loop
    few=$(sed -n 's/^rvsim record: \(.*\) samples in .*/\1/p' rv.err | tr -d ,)
    rv record -c $period -g --mode detailed --monitor guest --max-cycles 3M -o guest.prof loop
    same "a period shorter than the monitor ends, with samples of the whole program: $period" \
        "0 yes" "$status $(sed -n 's/^rvsim record: \(.*\) samples in .*/\1/p' rv.err | tr -d , |
            awk -v few="$few" '{ print($1 >= few && $1 < 5 * few ? "yes" : $1 " for " few) }')"
done
sed 's/li s0, 200/li s0, 3000/' loop.S >long.S
build_bare long
rv record -c 10 -e insns_retired -o host.prof long
all=$(sed -n 's/^rvsim record: \(.*\) samples in .*/\1/p' rv.err | tr -d ,)
rv --mode detailed --quiet --stats long.json long
for monitor in "" "--monitor host"; do
    rv record -c 2 -e insns_retired --mode detailed $monitor -o host.prof long
    same "periods that end together have one sample, the others are told${monitor:+, $monitor}" \
        "$(sed -n 's/^ *"insns_retired": \([0-9]*\),*$/\1/p' long.json | head -1 |
            awk '{ print int($1 / 2), 1 }')" \
        "$(sed -En 's/^rvsim record: (note: )?([0-9,]+) (samples in|more periods) .*/\2/p' rv.err |
            tr -d , | awk '{ n += $1 } END { print n, (NR == 2) }')"
done
sed 's/^main:/&.rept 30000\naddi t0, t0, 1\n.endr\n/' loop.S >wide.S
build_bare wide
rv record -c 2 -e insns_retired --mode detailed --set machine.memory_mib=1 -o small.prof wide
same "samples for which the table has no room are told, and are not among those in the file" \
    "$("$RVSIM" script small.prof | wc -l) 1" \
    "$(sed -n 's/^rvsim record: \(.*\) samples in .*/\1/p' rv.err | tr -d ,) $(
        grep -c 'samples found no room' rv.err)"
for event in insns_retired loads; do
    rv record -c 2 -e $event --mode detailed --monitor guest -o long.prof long
    same "a period much shorter than the monitor ends soon: samples are throttled, $event" "0 1" \
        "$status $(grep -c 'warning: .* samples were throttled: the monitor takes longer' rv.err)"
done
rv record -c 10 -e insns_retired --mode detailed --monitor guest -o long.prof long
same "each period has a sample or is counted as throttled" yes \
    "$(sed -En 's/^.* ([0-9,]+) samples (in|were throttled).*/\1/p' rv.err | tr -d , |
        awk -v all="$all" '{ n += $1 }
            END { print(n >= all && n < 5 * all ? "yes" : n " of " all) }')"
same "the report has the throttled samples" 1 \
    "$("$RVSIM" report long.prof | grep -c '^monitor .* throttled$')"
echo 'work 4 interrupt' >often.meta
sed 's/li s0, 200/li s0, 30000/' loop.S >longer.S
build_bare longer
rv --mode detailed --meta often.meta --monitor guest --max-cycles 6M longer
same "a monitor that leaves the program hardly anything is told while it runs" 1 \
    "$(grep -c '^rvsim: warning: the resident monitor takes 9[0-9] % of the time, ' rv.err)"
echo 'leaf 4 interrupt' >levels.meta
rv record -e marks --meta levels.meta -o marks.prof levels
same "marks are samples, too" "25 marks:" \
    "$("$RVSIM" script marks.prof -F event | sort | uniq -c | sed 's/^ *//; s/  */ /g')"

build_ends
for monitor in host guest; do
    rv record -c 500 --os kernel --monitor $monitor --max-insns 3M -o kernel.prof ends
    same "under the guest kernel the program is sampled to its end, $monitor" "0 exit yes" \
        "$status $("$RVSIM" report kernel.prof | awk '/^ended/ {sub(",", "", $2); print $2}') $(
            [ "$("$RVSIM" script kernel.prof | wc -l)" -gt 20 ] && echo yes)"
done

# A thread's first steps in the kernel have no caller, although the switch to the thread leads
# there. Between its loads of ra and sp the kernel's switch has no stack.
broken() {
    awk '/^\[broken\]/ && $1 != "[broken];context_switch_[k]" { n += $NF }
        END { print n + 0 }' folded
}
cat >begin.c <<'PROGRAM'
#include <pthread.h>
static void *begin(void *arg) { return arg; }
int main(void)
{
    for (int i = 0; i < 30; i++) {
        pthread_t thread[8];
        for (int j = 0; j < 8; j++)
            pthread_create(&thread[j], 0, begin, 0);
        for (int j = 0; j < 8; j++)
            pthread_join(thread[j], 0);
    }
    return 0;
}
PROGRAM
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O2 -static -pthread begin.c -o begin || not_ok "begin builds"
for monitor in host guest; do
    rv record $fast -g -e insns_retired -c 401 --harts 1 --monitor $monitor -o begin.prof begin
    "$RVSIM" report --folded - begin.prof >folded 2>log
    same "stacks of threads that begin end where they begin, $monitor" "0 yes" \
        "$(broken) $(grep -q '^thread_entry[^;]*;context_switch' folded && echo yes)"
done

# Machine mode answers interrupts between harts: on its stack the interrupted code comes next.
cat >flush.c <<'PROGRAM'
#include <pthread.h>
#include <sys/mman.h>
static volatile int is_over;
__attribute__((noinline)) static int turn(int i) { return i * 3; }
static void *spin(void *arg)
{
    int i = 1;
    while (!is_over)
        i = turn(i);
    return i ? arg : 0;
}
int main(void)
{
    char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t thread;
    pthread_create(&thread, 0, spin, 0);
    for (int i = 0; i < 200; i++) {
        if (i % 2 == 0)
            page[0] = 1;
        mprotect(page, 4096, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ);
    }
    is_over = 1;
    return pthread_join(thread, 0);
}
PROGRAM
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static -pthread flush.c -o flush || not_ok "flush builds"
rv record $fast -g -e insns_retired -c 53 --harts 2 --monitor host -o flush.prof flush
"$RVSIM" report --folded - flush.prof >folded 2>log
same "stacks of interrupts between harts lead to what they interrupted" "0 yes yes" \
    "$(broken) $(
        grep -q ';spin;turn;machine_held' folded && echo yes) $(
        grep -q ';hart_idle[^;]*;machine_held' folded && echo yes)"

# ---- refused ----------------------------------------------------------------------------------

refused "an event that is not there names the nearest" \
    "record: --event cycels: no such event (see rvsim events); did you mean cycles?" \
    record -e cycels loop
refused "-c and -F exclude each other" \
    "record: --period and --frequency: give one of them" record -c 9 -F 9 loop
refused "-F is of cycles" \
    "record: --frequency is of cycles; give --period for another event" record -e loads -F 9 loop
refused "a second event is refused" \
    "record: --event loads and --event stores: a run samples one event; rvsim stat counts several" \
    record -e loads -e stores loop
refused "marks need metadata" \
    "record: --event marks needs --meta FILE or --hints" record -e marks loop
refused "an event of the pipeline needs it" \
    "record: --event l1d_read needs --mode detailed" record --mode fast -e l1d_read loop
refused "a field that is not there names the nearest" \
    "script: --fields: no field 'symb'; did you mean sym?" script -F symb g.prof
rv --quiet --oracle --profile none.prof loop
refused "a profile without samples says so" \
    "the profile has no samples; \`rvsim record\` makes one that has" script none.prof
sed 's/"samples":.*/"samples": [[1, 0, 99999]]/' g.prof >far.prof
refused "a sample of no record is refused" "far.prof: samples: expected numbers of records" \
    script far.prof
sed 's/"samples":.*/"samples": [[1, 0]]/' g.prof >short.prof
refused "a sample without a record is refused" \
    "short.prof: samples: expected arrays of cycle, hart, record and perhaps thread" \
    script short.prof
head -c 2000 g.prof >cut.prof
refused "a file that was cut off is refused" \
    "$(cut_off cut.prof config)" script cut.prof
