#!/usr/bin/env bash
# rvsim mem: sums by level are the events of the counters, and those by datum and instruction are
# the accesses of the commit trace.
. tests/sim/cli/lib.sh
build_levels
guest=${GUEST_CC:-riscv64-unknown-elf-gcc}
nm=${guest%gcc}nm

cat >check.py <<'PY'
import collections, csv, json, re, subprocess, sys
name, nm = sys.argv[1:]
page, stats = json.load(open(name + '.json')), json.load(open(name + '.stats'))
events = collections.Counter(stats['events'])
wrong = []
def check(what, expected, found):
    if expected != found:
        wrong.append(f'{what}: expected {expected}, found {found}')
def count(sum, kinds=('load', 'store', 'atomic'), levels=None, key='count'):
    return sum_of(one[key] for kind in kinds for level, one in sum[kind].items()
                  if levels is None or level in levels)
sum_of = sum
total = page['total']
for kind, event in ('load', 'loads'), ('store', 'stores'), ('atomic', 'atomics'):
    check(event, events[event], count(total, (kind,)))
waits = 'load', 'atomic'
beyond = 'L2', 'L3', 'DRAM'
check('dcache_hit', events['dcache_hit'], count(total, levels=('L1',)))
check('dcache_miss', events['dcache_miss'], count(total, levels=beyond))
check('l2_hit', events['l2_hit'], count(total, waits, ('L2',)))
check('l2_miss', events['l2_miss'], count(total, waits, ('L3', 'DRAM')))
check('l3_hit', events['l3_hit'], count(total, waits, ('L3',)))
check('store_forwarded', events['store_forwarded'], count(total, levels=('forwarded',)))
rows = list(csv.DictReader(open(name + '.csv')))
for table in 'data', 'code':
    for key in 'count', 'cycles':
        check(f'{table} {key}', count(total, key=key),
              sum(count(row, key=key) for row in page[table]))
check('rows', count(total), sum(int(row['count']) for row in rows))
check('cycles of rows', count(total, key='cycles'), sum(int(row['cycles']) for row in rows))
sums = [[count(row, key='cycles'), count(row, waits), count(row, ('store',)),
         count(row, levels=beyond), row['name']] for row in page['data'] + page['code']]
shown = [re.fullmatch(r' *([\d,]+) +[\d.]+%(?: +[\d.]+)? +([\d,]+) +([\d,]+) +([\d,]+)  (.*)', line)
         for line in open(name + '.text').read().split('\n')]
shown = [[int(n.replace(',', '')) for n in line.groups()[:4]] + [line[5]] for line in shown if line]
check('tables as text', sums, shown)
symbols = []
for line in subprocess.run([nm, '-S', name], capture_output=True, text=True).stdout.split('\n'):
    field = line.split()
    if len(field) == 4 and field[2] in 'bBdDrR':
        symbols.append((int(field[0], 16), int(field[1], 16), field[3]))
truth, found = collections.Counter(), collections.Counter()
for line in open(name + '.trace'):
    access = re.match(r'core +\d+: \d (0x[0-9a-f]+) .* mem (0x[0-9a-f]+)( 0x[0-9a-f]+)?', line)
    if access:
        va = int(access[2], 16)
        names = [n for start, size, n in symbols if start <= va < start + size]
        kind = 'store' if access[3] else 'load'
        truth[int(access[1], 16), names[0] if names else None, kind] += 1
for row in rows:
    if row['kind'] != 'atomic':
        no_size = row['data'] == 'tohost'       # nm knows none
        name = None if row['data'].startswith('(') or no_size else row['data']
        found[int(row['pc'], 16), name, row['kind']] += int(row['count'])
if truth:
    check('accesses by instruction and datum', [], sorted(map(str, set(truth.items()) ^
                                                              set(found.items()))))
print('\n'.join(w[:300] for w in wrong[:6]))
PY
examine() {     # examine NAME OPTION... PROGRAM: mem, counters and trace agree
    local name=$1 end
    shift
    rv mem --json "$name.json" --csv "$name.csv" "$@"
    end="$status $(grep -v '^rvsim mem: run' <<<"$err")"
    rv mem --top 0 "$@"
    echo "$out" >"$name.text"
    rv --quiet --stats "$name.stats.json" "$@"
    same "$name: no error, and the program's status" "$status " "$end"
    mv "$name.stats.json" "$name.stats"
    [ -e "$name.trace" ] || rv --quiet --trace "commit:$name.trace" "$@"
    same "$name: every number is that of counters and trace" "" \
        "$(python3 check.py "$name" "$nm" 2>&1)"
}

cat >walk.c <<'PROGRAM'
#include <stdlib.h>
static volatile long table[1 << 15], small[8];
volatile long total;
int main(void)
{
    volatile long *heap = malloc(1 << 16);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 1 << 15; i += 8) {
            table[i] = i;
            total += table[i] + small[i & 7] + heap[i & 0xfff];
            __atomic_fetch_add(&small[1], 1, __ATOMIC_RELAXED);
        }
    return total == 7;
}
PROGRAM
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static walk.c -o walk 2>log ||
    not_ok "walk.c builds" "$(cat log)"

cp levels plain
examine levels levels
: >walk.trace
examine walk walk
: >shallow.trace
examine shallow --set l1d.kib=4 --set l2.kib=16 --set l3.kib=64 walk
: >ordered.trace
examine ordered --config c906 walk
rv mem walk
matches "data have their names" ' table$' "$out"
matches "so has the heap" ' \(heap\)$' "$out"
matches "code has routine and line" ' main  walk\.c:[0-9]+$' "$out"
rv --quiet --stats a.json walk
same "the run is as long as without" "$(value a.json cycles) $(value a.json instructions)" \
    "$(value walk.json cycles) $(value walk.json instructions)"
rv mem --top 1 walk
same "--top cuts both tables" 2 "$(grep -c 'more; --top 0 shows all' <<<"$out")"
refused "the fast engine has no caches" \
    "mem: is about cycles; it needs --mode detailed" mem --mode fast walk
refused "a region's end is refused" \
    "mem: follows the run to its end; --roi-end is not taken" mem --roi-end main walk
refused "no program is misuse" "mem: expected a program; see rvsim help mem" mem
head -c 3000 walk >cut
rv mem cut
same "a program that was cut off is refused" 2 "$status"
