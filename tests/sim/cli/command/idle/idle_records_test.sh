#!/usr/bin/env bash
# The true causes in rvsim idle follow from the scheduler's records, to the cycle: an independent
# program computes them anew.
. tests/sim/cli/lib.sh
for program in idle_causes sched_threads; do
    "${LINUX_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -pthread "$here/$program.c" \
        -o $program 2>log || not_ok "the program $program.c builds" "$(<log)"
done

# told NAME CAUSES ARGUMENT...: the causes with samples, without samples, and by rvsim sched
told() {
    local name=$1 causes=$2
    shift 2
    rm -f i.* s.*
    "$RVSIM" idle --json i.json --records i.csv "$@" >/dev/null 2>log
    "$RVSIM" sched --json s.json --records s.csv "$@" >/dev/null 2>>log
    same "all numbers follow from the records, $name" "$causes causes
$causes causes
True" "$(python3 "$here/command/idle/idle_records.py" i.csv i.json
        python3 "$here/command/idle/idle_records.py" s.csv i.json harts_without_samples
        python3 -c 'import json
idle = json.load(open("i.json"))["harts_without_samples"]
sched = json.load(open("s.json"))["harts"]
print([h["away"] for h in idle] == [h["away"] for h in sched])')"
}
for mode in fast detailed; do
    for harts in 1 4 16; do
        told "$mode, $harts harts" 4 --mode $mode --harts $harts idle_causes
        told "threads that meet, $mode, $harts harts" $((harts == 1 ? 2 : 3)) --mode $mode \
            --harts $harts sched_threads
    done
done
told "sixteen threads" 2 --harts 4 "$GUEST/wordtally" 16
