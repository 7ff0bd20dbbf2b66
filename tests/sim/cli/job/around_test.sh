#!/usr/bin/env bash
# --around: the pipeline picture of a sample or a place agrees with a trace of the whole run.
. tests/sim/cli/lib.sh
build_levels

# rows of a picture, and of a trace in gem5's layout, as lists of cycles by stage
cat >check.py <<'PY'
import json, sys
STAGES = 'fetch', 'decode', 'rename', 'dispatch', 'issue', 'complete', 'retire'
def trace(name):
    """Committed instructions in their order."""
    rows, row = [], {}
    for line in open(name):
        kind, stage, *rest = line.rstrip().split(':')
        if stage == 'fetch':
            row = {'address': int(rest[1], 16), 'fetch': int(rest[0]) // 1000,
                   'number': int(rest[3])}
        else:
            row[stage] = int(rest[0]) // 1000
        if stage == 'retire' and row['retire']:
            rows.append({key: value for key, value in row.items() if value})
    return sorted(rows, key=lambda row: row['number'])     # stores come later in the file
def picture(name):
    return json.load(open(name))['picture']
def focus(name):
    row = picture(name)['instructions'][picture(name)['focus']]
    return {'address': int(row['address'], 16), **{s: row[s] for s in STAGES if s in row}}
def committed(name):
    return [{'address': int(row['address'], 16), **{s: row[s] for s in STAGES if s in row}}
            for row in picture(name)['instructions'] if row['committed']]
def same(a, b):
    return all(a.get(s) == b.get(s) for s in ('address',) + STAGES if s != 'complete')
PY

# ---- a place ------------------------------------------------------------------------------------

"$RVSIM" --quiet --profile plain.prof --trace o3pipeview:plain.o3 levels
for place in "leaf 1" "leaf 17" "leaf+0xc 25" "down+0x10 3"; do
    read -r where n <<<"$place"
    "$RVSIM" report plain.prof --around "$where@$n" --json place.json
    same "$where when it executes for the ${n}th time is as in the trace, with its neighbours" \
        "True True" "$(python3 - "$where" "$n" <<'PY'
import sys
from check import *
import subprocess
name, _, offset = sys.argv[1].partition('+')
table = subprocess.run(['riscv64-unknown-elf-nm', 'levels'], capture_output=True, text=True).stdout
address = next(int(l.split()[0], 16) for l in table.split('\n') if l.endswith(' ' + name))
address += int(offset or '0', 16)
rows = trace('plain.o3')
at = [i for i, row in enumerate(rows) if row['address'] == address][int(sys.argv[2]) - 1]
shown = committed('place.json')
first = at - [same(row, rows[at]) for row in shown].index(True)
print(same(focus('place.json'), rows[at]),
      all(same(a, b) for a, b in zip(shown, rows[first:])) and len(shown) > 8)
PY
)"
done
same "the first time is the default" "$("$RVSIM" report plain.prof --around leaf@1 | tail -n +3)" \
    "$("$RVSIM" report plain.prof --around leaf | tail -n +3)"

"$RVSIM" --quiet --oracle --profile oracle.prof levels
read -r where n < <(python3 -c '
import json
row = max(json.load(open("oracle.prof"))["oracle"]["instructions"], key=lambda row: row["units"])
print(row["address"], (row["count"] + 1) // 2)')
same "the hottest instruction has the most cycles, in the middle of its executions" \
    "$("$RVSIM" report oracle.prof --around "$where@$n" | tail -n +3)" \
    "$("$RVSIM" report oracle.prof --around hottest | tail -n +3)"
refused "a profile without cycles and samples has none" "report: --around hottest: the profile has \
neither the cycles of --oracle nor samples one by one (\`rvsim record\`)" \
    report plain.prof --around hottest

# ---- samples ------------------------------------------------------------------------------------

# leaf interrupts each time: sample n is its n-th execution.
printf 'leaf 2 interrupt\n' >leaf.meta
"$RVSIM" record -e marks --meta leaf.meta -o marks.prof levels 2>/dev/null
"$RVSIM" --quiet --meta leaf.meta --monitor host --trace o3pipeview:marks.o3 levels
same "without cycles the hottest is the sample in the middle" \
    "$("$RVSIM" report marks.prof --around 13 | tail -n +3)" \
    "$("$RVSIM" report marks.prof --around hottest | tail -n +3)"
for n in 1 2 13 25; do "$RVSIM" script marks.prof --around $n --json marks.$n.json >/dev/null; done
same "samples of marks are the executions that the trace has" "True True True True" "$(python3 -c '
from check import *
rows = [row for row in trace("marks.o3") if row["address"] == focus("marks.1.json")["address"]]
print(*(same(focus(f"marks.{n}.json"), rows[n - 1]) for n in (1, 2, 13, 25)))')"

"$RVSIM" record -c 53 -o cycles.prof levels 2>/dev/null
"$RVSIM" script cycles.prof --json cycles.json >/dev/null
samples=$("$RVSIM" script cycles.prof | wc -l) done=$((samples - 1))
refused "the instruction of the last one does not commit: the store before it ends the run" \
    "script: --around $samples: the run ended before the instruction of this sample committed" \
    script cycles.prof --around "$samples"
for n in $(seq "$done"); do
    "$RVSIM" script cycles.prof --around $n --json cycles.$n.json >/dev/null
done
same "a sample by cycles is of the first instruction that commits after it" "$done True" \
    "$(python3 - <<'PY'
from check import *
samples = json.load(open('cycles.json'))['samples'][:-1]
good = True
for n, sample in enumerate(samples, 1):
    shown, at = picture(f'cycles.{n}.json'), picture(f'cycles.{n}.json')['focus']
    before = [row['leave'] for row in shown['instructions'][:at] if row['committed']]
    good &= shown['instructions'][at]['address'] == sample['address']
    good &= shown['taken'] == sample['cycle']
    good &= shown['instructions'][at]['leave'] >= sample['cycle'] >= max(before, default=0)
print(len(samples), good)
PY
)"
rv annotate cycles.prof --around 3
matches "annotate lists the routine, too" '^leaf:$' "$out"
matches "annotate marks the row" '^> +800000[0-9a-f]{2} ' "$out"

"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread "$here/sched_threads.c" -o threads \
    2>log || not_ok "the program sched_threads.c builds" "$(<log)"
"$RVSIM" record --harts 2 -c 100003 -o threads.prof threads >/dev/null 2>&1
n=$("$RVSIM" script threads.prof -F hart | grep -n 001 | sed -n '3s/:.*//p')
"$RVSIM" script threads.prof --around "$n" --json threads.json >/dev/null
"$RVSIM" script threads.prof --json all.json >/dev/null
same "threads on two harts repeat, too" "1 True" "$(python3 -c '
from check import *
sample = json.load(open("all.json"))["samples"][int('"$n"') - 1]
print(sample["hart"], focus("threads.json")["address"] == int(sample["address"], 16))')"

# ---- what cannot be shown -----------------------------------------------------------------------

refused "a sample that is not there" "report: --around 99: the profile has samples 1 to $samples" \
    report cycles.prof --around 99
refused "an execution that does not come" "report: --around leaf@26: the run ended before that" \
    report plain.prof --around leaf@26
refused "a number without samples" "report: --around 3: the profile has no samples one by one; \
\`rvsim record\` with the monitor on the host keeps them" report plain.prof --around 3
"$RVSIM" --quiet --mode fast --profile fast.prof levels
refused "a run without a pipeline" "annotate: --around: the profile is of --mode fast, which has \
no pipeline" annotate fast.prof --around leaf
first=$("$RVSIM" script cycles.prof -F cycle | head -1 | tr -d ' ')
sed "0,/\[$first, 0,/s//[$((first + 1)), 0,/" cycles.prof >other.prof
refused "a sample that does not come again" "script: --around 1: the run did not repeat: this \
sample came elsewhere; its input or its files have changed" script other.prof --around 1

# ---- threads ------------------------------------------------------------------------------------

"$RVSIM" --quiet --harts 2 --oracle --profile idle.prof threads >/dev/null
same "WFI has the most cycles, but is not the hottest instruction" "wfi work" "$(python3 -c '
import json
cost = json.load(open("idle.prof"))["oracle"]["instructions"]
print(max(cost, key=lambda row: row["units"])["address"])' >most
    "$RVSIM" annotate idle.prof 'hart_idle_[k]' | grep -o "$(sed 's/0x//' most): [a-z]*" |
        sed 's/.*: //' | tr '\n' ' '
    "$RVSIM" report idle.prof --around hottest | sed -nE 's/^hottest: ([a-z_]+).*/\1/p')"
"$RVSIM" record --harts 2 -c 10007 -o waits.prof threads >/dev/null 2>&1
"$RVSIM" script waits.prof -F hart,cycle,sym >waits
n=$(grep -n 'hart_idle_\[k\]' waits | tail -1 | cut -d: -f1)
"$RVSIM" script waits.prof --around "$n" >picture 2>log
same "an idle hart's sample shows the WFI in which it waits, committed before" "1 True" "$(
    grep -c '^>.* wfi$' picture) $(awk '
        FNR == NR { if (FNR == n) cycle = $2; next }
        / committed in cycle / { sub(/.* in cycle /, ""); print ($1 + 0 < cycle ? "True" : $0) }
        ' n="$n" waits picture)"
rv script waits.prof --around "$(grep -n '^ *\[001\].* hart_idle_' waits | head -1 | cut -d: -f1)"
matches "an idle hart's sample shows a wait since before the measurement" \
    "^2 .*hart 1 waits in the WFI" "$status $err"
