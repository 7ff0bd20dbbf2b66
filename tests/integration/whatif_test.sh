#!/usr/bin/env bash
# rvsim whatif: a changed setting has the cycles of a run with that setting. A faster routine saves,
# on one hart, the cycles that the oracle profile charges to it, and, also on several harts, about
# the cycles that it saves when its code is really made faster. Tables, files, refusals, Ctrl-C.
. tests/integration/lib.sh

whatif() { "$RVSIM" whatif --no-progress "$@" </dev/null 2>"$tmp/whatif.err"; }
# column STEM CHANGE NAME: of the CSV table
column() {
    awk -F, -v change="$2" -v name="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        $2 == change { print $at }' "$tmp/$1.csv"
}
# alone OPTION...: the cycles of a plain run
alone() {
    run alone --quiet --max-insns 100000 "$@" "$GUEST/wordindex"
    query get "$tmp/alone.json" cycles
}

# ---- settings -----------------------------------------------------------------------------------

changes=(--set rob.entries=32 --set lsq.loads=8 --perfect bpred --perfect dram)
whatif --max-insns 100000 "${changes[@]}" --together --csv "$tmp/one.csv" --json "$tmp/one.json" \
    "$GUEST/wordindex" >"$tmp/one.out"
same "the changes are measured" "0 " "$? $(<"$tmp/whatif.err")"
same "the base is the run without change" "$(alone)" "$(column one lsq.loads=8 base_cycles)"
same "a setting has the cycles of a run with it" "$(alone --set rob.entries=32)" \
    "$(column one rob.entries=32 cycles)"
same "another setting has the cycles of its own run" \
    "$(alone --set lsq.loads=8)" "$(column one lsq.loads=8 cycles)"
same "a perfect predictor has those of that setting" "$(alone --set bpred.kind=perfect)" \
    "$(column one bpred cycles)"
dram=(--set dram.cycles=1 --set dram.line_cycles=0)
same "memory of one cycle has those of its settings" "$(alone "${dram[@]}")" \
    "$(column one dram cycles)"
same "all changes together have the cycles of all settings" \
    "$(alone --set rob.entries=32 --set lsq.loads=8 --set bpred.kind=perfect "${dram[@]}")" \
    "$(column one "all together" cycles)"
same "a gain is the difference to the base" "" "$(awk -F, 'NR > 1 && $7 != $3 - $5' "$tmp/one.csv")"
same "the rows come by gain, and all together last" \
    "bpred dram lsq.loads=8 rob.entries=32 all together" \
    "$(cut -d, -f2 "$tmp/one.csv" | sed 1d | xargs)"
same "the table on the terminal has the same rows" "$(cut -d, -f2 "$tmp/one.csv" | sed 1d)" \
    "$(sed '1,3d; s/.*%  //; s/^set //; s/^perfect //' "$tmp/one.out")"
same "JSON has the same numbers" "$(cut -d, -f5,7 "$tmp/one.csv" | sed 1d)" \
    "$(python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["changes"]:
    print(row["cycles"], row["gain_cycles"], sep=",")' "$tmp/one.json")"

whatif --max-insns 100000 --base rob.entries=32 --set rob.entries=64,lsq.loads=8 --csv - \
    "$GUEST/wordindex" >"$tmp/two.csv"
same "settings with a comma are one change, quoted in the CSV that replaces the table" \
    "kind set" "$(cut -d, -f1 "$tmp/two.csv" | xargs)"
same "--base holds for every run" "$(alone --set rob.entries=32)" \
    "$(awk -F'",' 'NR == 2 { print $2 }' "$tmp/two.csv" | cut -d, -f1)"
same "the tried change comes on top of the settings" \
    "$(alone --set rob.entries=64 --set lsq.loads=8)" \
    "$(awk -F'",' 'NR == 2 { print $2 }' "$tmp/two.csv" | cut -d, -f3)"
whatif --max-insns 30000 --config cva6 --harts 2 --set l1d.kib=64 "$GUEST/wordindex" \
    >"$tmp/many.out"
same "several harts and another machine are no obstacle" "0 1" \
    "$? $(grep -c 'set l1d.kib' "$tmp/many.out")"

failed=
for preset in $("$RVSIM" config | awk '{ print $1 }'); do
    whatif --config "$preset" --max-insns 1000 --csv - "$GUEST/wordindex" >"$tmp/preset.csv" &&
        [ "$(grep -c '^perfect' "$tmp/preset.csv")" -ge 4 ] ||
        failed+="$preset: $(cat "$tmp/whatif.err" "$tmp/preset.csv")"
done
same "every preset can have at least four perfect structures" "" "$failed"

# ---- routines -----------------------------------------------------------------------------------

build_bare two_routines && cp "$tmp/two_routines" "$tmp/two"
build_bare two_routines -DWORKER=2000 && cp "$tmp/two_routines" "$tmp/half"
whatif --faster worker=2x --faster 'w*=4x' --faster worker=inf --csv "$tmp/fast.csv" "$tmp/two" \
    >"$tmp/fast.out"
"$RVSIM" --quiet --oracle --profile "$tmp/two.prof" "$tmp/two"
oracle=$("$RVSIM" report --oracle "$tmp/two.prof" |
    awk '$NF == "worker" { gsub(",", "", $1); print $1 }')
same "twice as fast saves half of the cycles that the oracle charges to the routine" \
    "$(awk "BEGIN { print int($oracle / 2) }")" "$(column fast worker=2x gain_cycles)"
same "without its cycles the rest is left" "${oracle%.*}" "$(column fast worker=inf gain_cycles)"
same "a pattern is all routines that match" yes \
    "$(awk -v all="$(column fast 'w*=4x' gain_cycles)" -v one="$oracle" \
        'BEGIN { print (all > one * 3 / 4) ? "yes" : "no" }')"
run half --quiet "$tmp/half"
same "a routine that holds up commit does gain this if it is rewritten" yes \
    "$(awk -v real="$(query get "$tmp/half.json" cycles)" \
        -v told="$(column fast worker=2x cycles)" 'BEGIN { d = (real - told) / real
            print (d < 0.005 && d > -0.005) ? "yes" : told " for " real }')"
whatif --faster worker=2x --set latency.mul=2 --together --csv "$tmp/both.csv" "$tmp/two" \
    >"$tmp/both.out"
whatif --base latency.mul=2 --faster worker=2x --csv "$tmp/slow.csv" "$tmp/two" >"$tmp/slow.out"
same "together, the routine is faster on the machine of all changes" \
    "$(column slow worker=2x cycles)" "$(column both "all together" cycles)"
whatif "$tmp/two" >"$tmp/all.out"
same "without changes, perfect structures and the hottest routines are tried" \
    "bpred dram l1d l1i l2 tlb waiter=2x worker=2x" \
    "$(awk 'NR > 3 && $NF !~ /^(_start|program|pass|fail)=/ { print $NF }' "$tmp/all.out" |
        sort | xargs)"

# ---- programs that were really made faster -------------------------------------------------------

for speed in 1 2; do
    "$linux_cc" -O1 -falign-functions=64 -falign-loops=32 -static -pthread -DSPEED=$speed \
        $programs/faster.c -o "$tmp/speed$speed" || exit 1
done
# foretold NAME KIND ROUTINE PERCENT OPTION...: the cycles told for the routine at twice its speed
# differ by at most PERCENT from those of the program in which it does half its rounds
foretold() {
    local name=$1 kind=$2 routine=$3 percent=$4 told real
    shift 4
    whatif "$@" --faster "$routine=2x" --csv "$tmp/told.csv" "$tmp/speed1" "$kind" 40 \
        >"$tmp/told.out"
    told=$(column told "$routine=2x" cycles)
    whatif "$@" --set rob.entries=32 --csv - "$tmp/speed2" "$kind" 40 >"$tmp/real.csv"
    real=$(column real rob.entries=32 base_cycles)
    same "$name" yes "$(awk -v told="$told" -v real="$real" -v most="$percent" 'BEGIN {
        off = real != 0 ? 100 * (told - real) / real : 100
        print (off <= most && off >= -most) ? "yes" : told " for " real }')"
}
foretold "a chain of operations" c chain 1.5
foretold "a routine that misses the cache" l misses 3
foretold "two harts under one spin lock" s chain 1 --harts 2
foretold "two threads under one mutex" m chain 1.5 --harts 2
foretold "a routine that another hart outlasts gains nothing" b chain 0.5 --harts 2
# A look at the time of a hart sums what its last turn charged, not all code.
same "a pattern of all routines takes seconds on two harts" 0 "$(
    ulimit -t 15
    whatif --harts 2 --faster '*=2x' "$tmp/speed1" m 40 >"$tmp/pattern.out"
    echo $?)"
same "the time reported is the other hart's" yes "$(awk -F, 'NR == 2 {
    print ($7 < $3 / 200 && $7 > -$3 / 200) ? "yes" : $7 " of " $3 }' "$tmp/told.csv")"

# ---- routines of the guest kernel ---------------------------------------------------------------

kernel=(--os kernel --max-insns 100000 "$GUEST/wordindex")
"$RVSIM" --quiet --oracle --profile "$tmp/kernel.prof" "${kernel[@]}"
read -r oracle hot < <("$RVSIM" report --oracle "$tmp/kernel.prof" |
    awk '$NF ~ /_\[k\]$/ { gsub(",", "", $1); print $1, $NF; exit }')
whatif --faster "$hot=2x" --csv "$tmp/kernel.csv" "${kernel[@]}" >"$tmp/kernel.out"
same "a routine of the kernel can be faster, and saves half of its cycles" \
    "$(awk "BEGIN { print int($oracle / 2) }")" "$(column kernel "$hot=2x" gain_cycles)"
whatif "${kernel[@]}" >"$tmp/kernel.out"
same "the hottest routines are tried, the kernel's too" "0 yes" \
    "$? $(grep -q '_\[k\]=2x' "$tmp/kernel.out" && echo yes)"
# Two threads on two harts; for most of the run one hart waits in hart_idle.
cat >"$tmp/waits.c" <<'END'
#include <pthread.h>
static volatile unsigned long sink;
static void *work(void *rounds)
{
    for (unsigned long i = 0; i < (unsigned long)rounds; i++)
        sink += i;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, (void *)20000);
    pthread_join(thread, 0);
    return 0;
}
END
"$linux_cc" -O1 -static -pthread "$tmp/waits.c" -o "$tmp/waits" || not_ok "waits.c builds"
whatif --harts 2 --faster 'hart_idle_[k]=2x' --faster 'hart_idle_[k]=inf' --faster work=2x \
    --csv "$tmp/waits.csv" "$tmp/waits" >"$tmp/waits.out"
same "the parts of each change add up, that of WFI included" "0 3" \
    "$? $(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["kind"] == "faster" && $at["cycles"] == $at["user_cycles"] + $at["kernel_cycles"] + \
            $at["idle_cycles"] && $at["user_cycles"] < $at["cycles"] { sums++ }
        END { print sums + 0 }' "$tmp/waits.csv")"
whatif --harts 2 "$tmp/waits" >"$tmp/waits.out"
same "a routine that only waits is not tried" "0 1 0" \
    "$? $(grep -c 'faster work=2x' "$tmp/waits.out") $(grep -c hart_idle "$tmp/waits.out")"
whatif --faster trap_user=inf "${kernel[@]}" >"$tmp/none.out"
same "a routine of the kernel without its ending has one that is near" \
    "rvsim: error: whatif: --faster trap_user=inf: no such routine; did you mean trap_user_[k]?" \
    "$(<"$tmp/whatif.err")"

# ---- refusals -----------------------------------------------------------------------------------

# refused NAME MESSAGE WORD...
refused() {
    local name=$1 message=$2
    shift 2
    whatif "$@" "$tmp/two" >"$tmp/none.out"
    same "$name" "2 rvsim: error: whatif: $message" \
        "$? $(<"$tmp/whatif.err")$(<"$tmp/none.out")"
}
refused "an unknown structure" \
    "--perfect l3: expected l1i, l1d, l2, tlb, bpred or dram; did you mean l2?" --perfect l3
refused "an unknown routine" "--faster wroker=2x: no such routine; did you mean worker?" \
    --faster wroker=2x
refused "a factor of nothing" "--faster worker=1x: expected FUNCTION=Nx, N more than 1 and at most`
    ` 1000, or FUNCTION=inf" --faster worker=1x
refused "a setting without meaning" \
    "--set inorder.late_alu=2 has no meaning without core.kind = in_order" \
    --set inorder.late_alu=2
refused "an L2 where there is none" "--perfect l2: the machine has no L2 (l2.kib = 0)" \
    --base l2.kib=0 --perfect l2
refused "changes that contradict each other" \
    "--together: a later change contradicts rob.entries=32" \
    --set rob.entries=32 --set rob.entries=64 --together
worker=$(nm "$tmp/two" | awk '$3 == "worker" { print $1 }' | sed 's/^0*//')
refused "two speeds of one routine at once" \
    "--together: 0x$worker belongs to two of --faster" \
    --faster worker=2x --faster 'w*=3x' --together
refused "one profile of several runs" "--profile is for a single run" --profile "$tmp/several.prof"
refused "an engine without cycles" "is about cycles; it needs --mode detailed" --mode fast

# ---- Ctrl-C -------------------------------------------------------------------------------------

build_bare two_routines -DWORKER=400000000
env --default-signal=INT timeout --preserve-status -s INT 2 "$RVSIM" whatif --max-cycles 100000 \
    --set rob.entries=32 --set rob.entries=64 "$tmp/two_routines" >"$tmp/limited.out" 2>&1
same "runs that a limit ends are compared" "0 2" "$? $(grep -c 'set rob' "$tmp/limited.out")"
same "... and what a limit of time says" 1 "$(grep -c '^--max-cycles ended' "$tmp/limited.out")"
timeout 60 "$RVSIM" whatif --no-progress --max-cycles 100000 --max-insns 1M \
    --faster worker=2x --faster worker=inf "$tmp/two_routines" >"$tmp/limited.out" 2>&1
same "a limit of time also ends a faster routine" "0 2" \
    "$? $(grep -c 'faster worker' "$tmp/limited.out")"
env --default-signal=INT timeout --preserve-status -s INT 1 "$RVSIM" whatif --no-progress \
    --set rob.entries=32 "$tmp/two_routines" >"$tmp/stopped.out" 2>&1
same "Ctrl-C in the first run shows what is known" "130 two_routines: N cycles, N instructions

         N cycles             gain            change
    not measured                             set rob.entries=32
partial: run 1 (as it is) ended after N instructions, N cycles
rvsim whatif: interrupted in run 1: what was measured until then is shown" \
    "$? $(sed 's/[0-9,]* \(instr\|cycle\)/N \1/g' "$tmp/stopped.out")"
env --default-signal=INT timeout --preserve-status -s INT 1 "$RVSIM" whatif --no-progress \
    "$tmp/two_routines" >"$tmp/proposed.out" 2>&1
same "... and without changes that were asked for, those proposed are not measured" "130 1" \
    "$? $(grep -c 'not measured  *faster work' "$tmp/proposed.out")"
