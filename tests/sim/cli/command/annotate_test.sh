#!/usr/bin/env bash
# rvsim annotate: the numbers of each instruction agree with the commit trace, and those of lines,
# routines and the program are their sums.
. tests/sim/cli/lib.sh
guest=${GUEST_CC:-riscv64-unknown-elf-gcc}
addr2line=${guest%gcc}addr2line

# build NAME [FLAG]...: a program of tests/programs, with lines
build() {
    local name=$1
    shift
    (cd "$here/../../.." && "$guest" -g -march=rv64gc_zicsr_zifencei -mabi=lp64d -mcmodel=medany \
        -ffreestanding -nostdlib -static -I. -T tests/programs/bare.ld -Wl,--build-id=none \
        "$@" "tests/programs/$name.S" tests/programs/start.S -o "$TEST_TMP/$name") >log 2>&1 ||
        not_ok "the program $name builds" "$(<log)"
}

# All checks of a program: prints the faults.
cat >check.py <<'PY'
import collections, json, re, subprocess, sys
name, addr2line = sys.argv[1:]
trace = []
for line in open(name + '.trace'):
    found = re.match(r'core +\d+: \d (0x[0-9a-f]+) \((0x[0-9a-f]+)\)', line)
    if found:
        trace.append((int(found[1], 16), int(found[2], 16)))
count, taken, branches, loads = (collections.Counter() for _ in range(4))
for i, (pc, bits) in enumerate(trace):
    count[pc] += 1
    length = 4 if bits & 3 == 3 else 2
    kind, wide = bits & 3, bits >> 13 & 7
    loads[pc] += bits & 0x7f in (3, 7) or kind in (0, 2) and wide in (1, 2, 3)
    if bits & 0x7f == 0x63 or kind == 1 and wide in (6, 7):
        branches[pc] += 1
        taken[pc] += i + 1 < len(trace) and trace[i + 1][0] != pc + length
page = json.load(open(name + '.json'))
stats = json.load(open(name + '.stats'))
wrong = []
def check(what, expected, found):
    if expected != found:
        wrong.append(f'{what}: expected {expected}, found {found}')
columns = ['cycle_units'] + page['events'][1:]
def values(thing):
    return [thing[column] for column in columns]
def total(things):
    return [sum(column) for column in zip(*map(values, things))] or [0] * len(columns)
truth = {'insns_retired': count, 'branches_taken': taken, 'branches': branches, 'loads': loads}
seen = set()
for routine in page['routines']:
    check(routine['name'] + ' by lines', values(routine), total(routine['lines']))
    check(routine['name'] + ' by instructions', values(routine), total(routine['instructions']))
    lines = collections.defaultdict(collections.Counter)
    for insn in routine['instructions']:
        address = int(insn['address'], 16)
        if address in seen:
            wrong.append(f'{address:x} twice')
        seen.add(address)
        for column, expected in truth.items():
            check(f'{column} at {address:x}', expected[address], insn[column])
            lines[insn['line']][column] += expected[address]
    for line in routine['lines']:
        for column in truth:
            check(f'{column} of line {line["line"]}', lines[line['line']][column], line[column])
for pc in set(count) - seen:
    wrong.append(f'{pc:x} is in no routine')
addresses = sorted(seen)
told = subprocess.run([addr2line, '-e', name] + [hex(a) for a in addresses], capture_output=True,
                      text=True).stdout.split('\n')
line_at = {a: text.split(':')[-1].split(' ')[0] for a, text in zip(addresses, told)}
for routine in page['routines']:
    for insn in routine['instructions']:
        expected = line_at[int(insn['address'], 16)]
        if expected not in ('?', '0'):
            check(f'line of {insn["address"]}', expected, str(insn['line']))
parts = page['totals']
check('the program', values(parts['program']),
      [sum(v) for v in zip(total(page['routines']), values(parts['no_routine']),
                           values(parts['monitor']), values(parts['no_instruction']))])
check('cycles', stats['cycles'] * page['units_per_cycle'], parts['program']['cycle_units'])
for column in columns[1:]:
    check(column, stats['events'][column], parts['program'][column])
check('instructions', len(trace), parts['program']['insns_retired'])
print('\n'.join(wrong[:5]))
PY

columns=cycles,insns_retired,loads,branches,branches_taken,dcache_hit,dcache_miss
while read -r program flags; do
    build $program $flags
    rv --quiet --oracle --profile $program.prof --stats $program.stats.json \
        --trace commit:$program.trace $program
    mv $program.stats.json $program.stats
    rv annotate $program.prof --top 0 -e $columns --json $program.json
    same "$program is annotated" "0 " "$status $err"
    same "every number of $program is the trace's" "" \
        "$(python3 check.py $program "$addr2line" 2>&1)"
done <<'LIST'
branches
loops
recursion
returns
slots_back -DROUNDS=9 -DROB
slots_front -DROUNDS=9 -DICACHE
event_rounds -DROUNDS=9 -DFORWARD
LIST

# ---- text -------------------------------------------------------------------------------------

build_levels
echo '* * counter' >levels.meta
rv --quiet --oracle --meta levels.meta --profile levels.prof levels
rv annotate levels.prof down
matches "lines have their text beside" ' 5 *levels.S:76 +beqz a0, 1f$' "$out"
matches "a jump inside leads to its target, which is absolute" \
    ",-.*beq[z]? .*8000[0-9a-f]+ <down\+0x[0-9a-f]+>" "$out"
matches "the head of the arrow is at the target" "'-> *8000[0-9a-f]+:" "$out"
matches "a call has its routine" 'jal 8000[0-9a-f]+ <down>' "$out"
rv annotate levels.prof leaf -e count
same "-e chooses the columns" "count address" "$(awk '/address$/ {print $2, $3}' <<<"$out")"
same "percentages of lines are of the routine" "100" \
    "$(awk '/ line$/ {on = 1; next} /the routine/ {on = 0} on {sum += $1}
        END {printf "%.0f", sum}' <<<"$out")"
rv annotate levels.prof --top 0 -e count
matches "without a routine the last row is the program" '^ 100.00% +348  the program$' \
    "$(tail -1 <<<"$out")"
mkdir -p s
printf '\033[31mred\n%.0s' {1..90} >s/levels.S
rv annotate levels.prof leaf --source s
same "an escape in a source file does not reach the terminal" 0 "$(grep -c $'\033' <<<"$out")"
matches "--source is looked in first" 'levels.S:67  \?\[31mred' "$out"
rv annotate levels.prof leaf --json -
same "with --json - there is no listing" "{ 1" "$(head -c 1 <<<"$out") $(grep -c '"schema": 1' \
    <<<"$out")"

# ---- refused ----------------------------------------------------------------------------------

refused "a routine that is not there names the nearest one" \
    "no routine 'evn' in $PWD/levels; did you mean even?" annotate levels.prof evn
refused "an event of cycles belongs to no instruction" \
    "the profile has no 'l1d_read' of single instructions; it has cycles, insns_retired, count, \
interrupts, a word of the top-down tree such as back_end, or an event of instructions such as \
l2_miss, or cycles of a cause such as cpi_dram (\`rvsim events\`)" \
    annotate levels.prof -e l1d_read
rv --quiet --mode fast --profile none.prof levels
refused "a profile without measurements is refused" \
    "the profile measured no instruction; make one with \`rvsim record\`, or with --oracle \
or --meta" \
    annotate none.prof
refused "a call without a file is misuse" \
    "annotate: expected FILE, as \`rvsim --profile FILE\` writes it, and at most one ROUTINE" \
    annotate
head -c 2000 levels.prof >cut.prof
refused "a file that was cut off is refused" \
    "$(cut_off cut.prof config)" annotate cut.prof
sed '/"oracle"/,$ s/"loads"/"laods"/' levels.prof >unknown.prof
refused "an event that nobody knows is refused" \
    "unknown.prof: laods: expected an event of the profile" annotate unknown.prof leaf
