#!/usr/bin/env bash
# rvsim diff: deltas are those of the oracle's own sums, and rows add up to both totals.
. tests/sim/cli/lib.sh
build_levels

measure() {     # measure NAME PROGRAM OPTION...: NAME.prof and NAME.stats
    local name=$1 program=$2
    shift 2
    rv --quiet --oracle --profile "$name.prof" --stats "$name.json" "$@" "$program"
    mv "$name.json" "$name.stats"
}
cat >check.py <<'PY'
import csv, json, sys
page = json.load(open('diff.json'))
wrong = []
def check(what, expected, found):
    if expected != found:
        wrong.append(f'{what}: expected {expected}, found {found}')
stats = {side: json.load(open(name + '.stats')) for side, name in zip('ab', sys.argv[1:])}
for side in 'ab':
    oracle, total = stats[side]['oracle'], page['total'][side]
    check('cycles of ' + side, stats[side]['cycles'] * 840, total['cycle_units'])
    check('instructions of ' + side, stats[side]['instructions'], total['insns_retired'])
    for table, key in (('routines', 'symbols'), ('lines', 'lines')):
        truth = {}
        for row in oracle[key]:
            name = row['name'] if not row['name'].startswith('0x') else '(no routine)'
            units, count = truth.get(name, (0, 0))
            truth[name] = units + row['units'], count + row['instructions']
        if oracle['outside']:
            truth['(no instruction)'] = oracle['outside'], 0
        found = {row['name']: (row[side]['cycle_units'], row[side]['insns_retired'])
                 for row in page[table]}
        for name in set(truth) | set(found):
            check(f'{name} of {side}', truth.get(name, (0, 0)), found.get(name, (0, 0)))
for table in 'routines', 'lines':
    rows = page[table]
    for column in 'cycle_units', 'insns_retired':
        for row in rows:
            check(f'{row["name"]} {column}', row['b'][column] - row['a'][column],
                  row['delta'][column])
        check(f'{table} {column}', page['total']['delta'][column],
              sum(row['delta'][column] for row in rows))
    changes = [abs(row['delta']['cycle_units']) for row in rows]
    check(f'{table} in order', sorted(changes, reverse=True), changes)
table = {(row['by'], row['name']): row for row in csv.DictReader(open('diff.csv'))}
for by, rows in ('routine', page['routines']), ('line', page['lines']), ('total', [page['total']]):
    for row in rows:
        line = table.pop((by, row['name']))
        check(f'csv of {row["name"]}',
              [str(row[side]['cycle_units']) for side in ('a', 'b', 'delta')],
              [line['cycle_units_' + side] for side in ('a', 'b', 'delta')])
check('csv', {}, table)
print('\n'.join(wrong[:5]))
PY
differ() {      # differ A B
    rv diff "$1.prof" "$2.prof" --json diff.json --csv diff.csv
    same "$1 and $2: no error" "0 " "$status $err"
    same "$1 and $2: every delta is the oracle's" "" "$(python3 check.py "$1" "$2" 2>&1)"
}

measure base levels
measure slow levels --config tiny
measure half levels --max-insns 200
echo '* * counter' >levels.meta
measure monitored levels --meta levels.meta --monitor guest
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -g -march=rv64g -mabi=lp64d -nostdlib -static -Wl,-N \
    -Wl,--no-relax -Wl,--build-id=none -Wl,-Ttext=0x80000000 "$here/levels.S" -o wide
measure wide wide
for other in slow half monitored wide; do differ base $other; done

rv diff base.prof slow.prof
matches "settings that differ are named" '^  rob\.entries: [0-9]+, then [0-9]+$' "$out"
rv diff base.prof base.prof
same "a profile does not differ from itself" "0 1" \
    "$(awk '$NF == "total" {print $3}' <<<"$out") $(grep -c ' without a change$' <<<"$out")"
rv diff base.prof wide.prof
matches "other programs are joined by name" '^the programs differ' "$out"
rv diff base.prof slow.prof --top 1 --lines
same "--top cuts both tables" 2 "$(grep -c 'more; --top 0 shows all' <<<"$out")"
rv diff base.prof slow.prof -e l1d_read
matches "an event of no instruction is refused" "has no 'l1d_read' of single instructions" "$err"
rv diff base.prof slow.prof -e dcache_miss
same "-e chooses what is compared" dcache_miss "$(awk '/routine$/ {print $3}' <<<"$out")"
rv --quiet --meta levels.meta --profile marks.prof levels
refused "profiles without a common measure are refused" \
    "the profiles have nothing in common: the first has cycles, the second count" \
    diff base.prof marks.prof
rv --quiet --profile nothing.prof levels
for pair in "base.prof nothing.prof" "nothing.prof base.prof"; do
    rv diff $pair
    matches "the one of $pair that has nothing is named" \
        '^rvsim: error: nothing.prof: the profile measured no instruction; make' "$err"
done
refused "a call with one file is misuse" \
    "diff: expected two files, as \`rvsim --profile FILE\` writes them" diff base.prof
head -c 3000 base.prof >cut.prof
for pair in "cut.prof base.prof" "base.prof cut.prof"; do
    refused "a file that was cut off is refused: $pair" \
        "$(cut_off cut.prof config)" diff $pair
done
