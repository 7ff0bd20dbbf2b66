#!/usr/bin/env bash
# The JSON of every command conforms to its schema (docs/reference/schema), by an independent
# validator.
. tests/sim/cli/lib.sh
schemas=${here%/tests/sim/cli}/docs/reference/schema
python=python3
"$python" -c 'import jsonschema' 2>log || python=/usr/bin/python3
sysroot=/usr/riscv64-linux-gnu
build_levels
build_ends
for program in sched_threads idle_causes active_threads hang_threads; do
    "${LINUX_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -pthread "$here/$program.c" -o $program \
        2>log || not_ok "the program $program.c builds" "$(<log)"
done

pairs=()
# document NAME ARGUMENT...: a command's document of this schema
document() {
    local name=$1 file=$1.${#pairs[@]}.json
    shift
    "$RVSIM" "$@" --json $file </dev/null >text 2>&1 || not_ok "rvsim $* ends well" "$(<text)"
    pairs+=("$name=$file")
}
# program NAME OPTION... PROGRAM: the same of a command whose program comes last
program() {
    local name=$1 app=${*: -1} file=$1.${#pairs[@]}.json
    set -- "${@:2:$#-2}"
    "$RVSIM" "$name" "$@" --json $file $app </dev/null >text 2>&1
    [ -s $file ] || not_ok "rvsim $name $* writes JSON" "$(<text)"
    pairs+=("$name=$file")
}

"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g "$here/ends.c" -o ends.dynamic 2>log ||
    not_ok "the program ends.c builds with shared libraries" "$(<log)"
cat >regions.S <<'S'
    .globl _start, tohost
_start:
    .word 0x7b | 0x5a << 25         # gem5's m5_work_begin and m5_work_end
    .word 0x7b | 0x5b << 25
    li a0, 1
    la t0, tohost
    sd a0, 0(t0)
1:  j 1b
    .section .tohost, "aw"
tohost: .dword 0
S
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv64gc -mabi=lp64d -nostdlib -static -Wl,-N \
    -Wl,-Ttext=0x80000000 regions.S -o regions 2>log ||
    not_ok "the program regions.S builds" "$(<log)"

printf '_start * counter\ntohost 8 counter\nrange I0 main *\nrange D0 cell *\n' >levels.meta
printf 'calls(*) * interrupt\n' >calls.meta
printf 'main * counter\nrange I0 main *\n' >main.meta
"$RVSIM" --quiet --meta levels.meta --count loads --oracle --profile a.prof --stats a.json levels
"$RVSIM" --quiet --meta levels.meta --count l2_miss --mode fast --profile b.prof --stats b.json \
    levels
"$RVSIM" --quiet --stats c.json sched_threads >/dev/null
"$RVSIM" record -c 101 -g -o c.prof levels 2>/dev/null
"$RVSIM" record -c 101 --monitor guest -o d.prof levels 2>/dev/null
"$RVSIM" record -c 2 -e insns_retired --monitor guest --max-insns 20K -o m.prof ends >/dev/null 2>&1
"$RVSIM" --quiet --mode fast --harts 2 --threads --profile f.prof sched_threads >/dev/null
"$RVSIM" compare-profilers --quiet --period 101 --profile g.prof levels >/dev/null
# Members that exist only with several threads, libraries, system calls or regions of a program.
"$RVSIM" --quiet --harts 2 --meta main.meta --count loads --oracle --stats d.json --profile l.prof \
    sched_threads >/dev/null
"$RVSIM" --quiet --meta calls.meta --monitor host --stats e.json levels
"$RVSIM" --quiet --stats f.json regions
"$RVSIM" --quiet --meta calls.meta --monitor host --set pmu.transfers=15 --profile i.prof ends \
    >/dev/null
"$RVSIM" --quiet --mode fast --meta main.meta --monitor host --set pmu.transfers=16 --harts 2 \
    --profile j.prof sched_threads >/dev/null
"$RVSIM" --quiet --mode fast --root "$sysroot" --profile k.prof ends.dynamic >/dev/null
"$RVSIM" tune --one-run --samples 10 --period 101 --monitor host --profile n.prof ends \
    >/dev/null 2>&1
pairs+=(statistics={a,b,c,d,e,f}.json profile={a,b,c,d,f,g,i,j,k,l,m,n}.prof)
for profile in a b c d k l m n; do document report report $profile.prof; done
document annotate annotate a.prof
document annotate annotate c.prof
"$RVSIM" --quiet --oracle --profile h.prof sched_threads >/dev/null
document annotate annotate h.prof --top 0                   # libraries have no lines
document script script c.prof
document script script d.prof
document report report a.prof --around leaf
document annotate annotate c.prof --around 2
document script script c.prof --around 3
document diff diff a.prof a.prof
"$RVSIM" --quiet --set l1d.kib=16 --oracle --profile e.prof levels
document diff diff --lines a.prof e.prof
document events events
document config config
document config config show fig2
document meta meta check levels.meta levels
printf 'time,thread,event\n900,1,F-entry\n950,2,S-entry\n1550,1,F-exit\n' >active.csv
document active active --from active.csv
program active --section spin active_threads
program stat --topdown levels
program stat -r 2 -e loads levels
program stat -I 100 -e loads levels
program stat --mode fast levels
program compare-profilers --period 101 --all levels
program compare-profilers --period 101 --no-bias --schemes tip levels
program tune --period 101 --cost levels
program tune --period 11 --mode fast levels
program tune --period 5 --event loads levels
program scan --period 101 --cost levels
program scan levels
program scan --period 2003 --by function --max-insns 100k active_threads
program thresholds levels
program thresholds --harts 2 levels
program mem levels
program callers --of leaf levels
program callers --of leaf --monitor host levels
program branches levels
program branches --mode fast levels
program costs --sweep rate --sweep placement levels
program whatif --perfect l1d --set rob.entries=64 --faster leaf=2x levels
program api levels
printf 'function,cost,n\nmain;leaf,cycles,10\n' >stacks.csv
document api api --from stacks.csv
program sched sched_threads
program lock sched_threads
program idle --harts 2 --period 2000 idle_causes
program hang --limit leaf=1 --mode detailed levels
program hang --limit spin=1000 --harts 2 active_threads
program hang --elapsed nap=50K --mode fast --no-cost sched_threads
program hang --limit slow=100000 --harts 2 --no-cost --dump core hang_threads
"$RVSIM" hang --limit slow=100000 --harts 2 --no-cost --json hang.dead.json hang_threads dead \
    >text 2>&1
pairs+=(hang=hang.dead.json)
program idle --harts 2 --event cycles --period 2000 idle_causes
# Members that exist only under the guest kernel: time in user mode, in the kernel and idle.
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static -pthread "$here/tool/modes.c" -o modes 2>log ||
    not_ok "the program modes.c builds" "$(<log)"
program stat -r 2 -e cycles,loads:k modes
program stat -I 20000 -e cycles modes
for command in "api --mode fast" "branches --mode fast" "callers --mode fast --of burn" \
    "top --mode fast" "tune --mode fast" mem "whatif --perfect l2" "thresholds --runs 2" \
    "costs --sweep placement" "compare-profilers --no-bias"; do
    program $command modes
done
program top -c 101 levels
"$RVSIM" view --meta levels.meta --at 300 --save view.a.json levels
"$RVSIM" view --config c906 --harts 2 --at 500 --save view.b.json levels
pairs+=(view=view.{a,b}.json)

same "each document is as its schema says; a schema refuses what differs and has no idle member" \
    "$(for pair in "${pairs[@]}"; do echo "${pair%%=*} ${pair#*=}: valid"; done)" \
    "$("$python" "$here/schema_check.py" "$schemas" "${pairs[@]}" 2>&1)"
same "each command that writes JSON has a schema of its name" \
    "$(cd "$schemas" && ls -- *.json | sed 's/\.json//' |
        grep -vxE 'common|profile|statistics|view')" \
    "$(for command in $("$RVSIM" --complete ''); do
        "$RVSIM" help $command 2>/dev/null | grep -q -- '--json' && echo $command; done | sort -u)"

# ---- the same numbers as in the other formats ---------------------------------------------------

cat >same.py <<'PY'
import csv, json, sys
def rows(name): return list(csv.DictReader(open(name)))
def is_near(text, value): return abs(float(text) - value) <= 0.051
document, table = json.load(open('branches.json'))['branches'], rows('branches.csv')
print('branches', len(document) == len(table) > 1 and all(
    one['address'] == row['address'] and one['place'] == row['place'] and
    all(is_near(row[key], one[key]) for key in ('taken', 'not_taken', 'mispredicted',
                                                'cycles_lost', 'oracle_cycles_lost'))
    for one, row in zip(document, table)))
document, table = json.load(open('scan.json'))['pieces'], rows('scan.csv')
print('scan', len(document) == len(table) > 3 and all(
    is_near(row[key], one[key]) for one, row in zip(document, table)
    for key in ('instructions', 'oracle_instructions', 'oracle_cycles', 'timer_samples')))
document, table = json.load(open('costs.json')), rows('costs.csv')
points = [(s['sweep'], p) for s in document['sweeps'] for p in s['points']]
print('costs', len(points) == len(table) > 3 and all(
    sweep == row['sweep'] and str(point['value']) == row['value'] and
    document['cycles'] == int(row['base_cycles']) and
    all(point[key] == int(row[key]) for key in ('storage_bits', 'metadata_bytes', 'instructions',
                                                'cycles', 'interrupts'))
    for (sweep, point), row in zip(points, table)))
report, stats = json.load(open('report.json')), json.load(open('a.json'))
same = ['cycles', 'instructions', 'ipc', 'events', 'summary', 'slots', 'cpi', 'harts', 'marks',
        'ranges', 'counts', 'monitor', 'callers', 'oracle']
print('report', all(report[key] == stats[key] for key in same))
measured = report['measured']
routines = {one['name']: one for one in measured['routines']}
print('routines', all(
    routines[one['name']]['cycle_units'] == one['units'] and
    routines[one['name']]['insns_retired'] == one['instructions'] and
    sum(line['cycle_units'] for line in routines[one['name']]['lines']) == one['units']
    for one in stats['oracle']['symbols'] if one['name'] in routines) and
    measured['totals']['program']['cycles'] == stats['cycles'])
names = [one['name'] for one in json.load(open('callers.json'))['routines']]
print('callers', sorted((names[one['routine']], names[one['caller']], one['entered'])
      for one in json.load(open('callers.json'))['callers'] if 'caller' in one) ==
      [('even', 'main', 5), ('leaf', 'even', 15), ('leaf', 'odd', 10), ('main', '_start', 1),
       ('odd', 'main', 5)])
PY
"$RVSIM" branches --output branches.csv --json branches.json levels >/dev/null 2>&1
"$RVSIM" scan --by function --period 101 --output scan.csv --json scan.json levels >/dev/null 2>&1
"$RVSIM" costs --sweep rate --csv costs.csv --json costs.json levels >/dev/null 2>&1
"$RVSIM" report a.prof --json report.json
"$RVSIM" callers --of leaf --json callers.json levels >/dev/null 2>&1
same "JSON has the numbers of CSV, of the statistics, and of the program's source" \
    "$(printf '%s True\n' branches scan costs report routines callers)" "$("$python" same.py)"
for command in "events" "config" "branches levels" "scan levels" "report a.prof"; do
    read -r name words <<<"$command"
    same "rvsim $name --json - writes nothing else" "{ }" \
        "$("$RVSIM" $name --json - $words 2>/dev/null | sed -n '1p;$p' | xargs)"
done
