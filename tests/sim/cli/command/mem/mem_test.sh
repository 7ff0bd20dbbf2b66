#!/usr/bin/env bash
# rvsim mem: sums by level equal the events of the counters, and sums by datum and instruction equal
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
failed = 2 if name == 'refused' else 0      # store conditionals access no data then
events['atomics'] -= failed
for kind, event in ('load', 'loads'), ('store', 'stores'), ('atomic', 'atomics'):
    check(event, events[event], count(total, (kind,)))
check('accesses without a cache', 0, count(total, levels=('none',)))
waits = 'load', 'atomic'
beyond = 'L2', 'L3', 'DRAM'
check('dcache_hit', events['dcache_hit'], count(total, levels=('L1',)))
check('dcache_miss', events['dcache_miss'], count(total, levels=beyond))
check('l2_hit', events['l2_hit'], count(total, waits, ('L2',)))
check('l2_miss', events['l2_miss'], count(total, waits, ('L3', 'DRAM')))
check('l3_hit', events['l3_hit'], count(total, waits, ('L3',)))
check('store_forwarded', events['store_forwarded'], count(total, levels=('forwarded',)))
rows = list(csv.DictReader(open(name + '.csv')))
for table in 'data', 'fields', 'code':
    for key in 'count', 'cycles':
        check(f'{table} {key}', count(total, key=key),
              sum(count(row, key=key) for row in page[table]))
check('rows', count(total), sum(int(row['count']) for row in rows))
check('cycles of rows', count(total, key='cycles'), sum(int(row['cycles']) for row in rows))
fields = page['fields'] if '  field\n' in open(name + '.text').read() else []
sums = [[count(row, key='cycles'), count(row, waits), count(row, ('store',)),
         count(row, levels=beyond), row['name']] for row in page['data'] + fields + page['code']]
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
    not_ok "walk.c builds" "$(<log)"

# An atomic while all miss registers are taken, and store conditionals that fail.
cat >refused.S <<'PROGRAM'
        .globl _start
_start: la t0, table
        la t2, word
        .rept 100
        sd t0, 0(t0)
        addi t0, t0, 192
        .endr
        amoadd.d t1, t0, (t2)
        lr.d t1, (t0)
        sc.d t1, t1, (t0)
        sc.d t1, t1, (t0)
        sc.d zero, t1, (t0)
        li a0, 1
        la a1, tohost
        sd a0, 0(a1)
1:      j 1b
        .section .tohost, "aw"
        .globl tohost, fromhost
        .balign 64
tohost: .dword 0
fromhost: .dword 0
        .bss
        .balign 64
        .type table, @object
        .size table, 19264
table:  .skip 19264
        .balign 64
        .type word, @object
        .size word, 64
word:   .skip 64
PROGRAM
"$guest" -march=rv64imac_zicsr -mabi=lp64 -nostdlib -static \
    -T "$here/../../programs/bare.ld" refused.S -o refused 2>log ||
    not_ok "refused.S builds" "$(<log)"

# Fields: the commit trace has the addresses, the ABI gives the offsets of members.
cat >fields.c <<'PROGRAM'
#include <stdlib.h>
struct node {
    struct node *next;
    int key;
    char tag;
    struct { double x, y; } at;
    unsigned ready : 1, count : 12;
    union { int i; float f; };
    union { long l; char c[8]; } both;
    struct { short low, high; };
};
static volatile struct node table[50];
volatile int plain, grid[4][5];
volatile struct tail { int n; struct { short a[3]; int b; } row[3]; int rest[]; } tail =
    {.rest = {1, 2, 3}};
static long read(volatile struct node *node)
{
    static volatile int calls[2];
    calls[1]++;
    return node->both.l + node->i + node->low + node->high;
}
int main(void)
{
    volatile struct node *heap = calloc(4, sizeof *heap);
    volatile struct tail *end = &tail;
    long sum = 0;
    for (int i = 0; i < 50; i++) {
        table[i].next = 0;
        table[i].key += i;
        table[i].at.y = table[i].at.x;
        table[i].ready = 1;
        table[i].count += i;
        ((volatile char *)&table[i])[14] = 1;
        grid[i & 3][i % 5] += plain;
        end->row[i % 3].a[1] += end->rest[i % 3];
        end->row[i % 3].b = end->n++;
        heap[i & 3].key++;
        sum += read(&table[i]);
    }
    return sum == 1;
}
PROGRAM
cat >fields.py <<'PY'
import collections, csv, re, subprocess, sys
name, nm = sys.argv[1:]
node = [(0, 8, 'next'), (8, 12, 'key'), (12, 13, 'tag'), (16, 24, 'at.x'), (24, 32, 'at.y'),
        (32, 34, '(ready|count)'), (36, 40, '(i|f)'), (40, 48, 'both'), (48, 50, 'low'),
        (50, 52, 'high')]
def in_table(at):
    found = [f for low, high, f in node if low <= at % 56 < high]
    return f'table[].{found[0]}' if found else 'table[] (padding)'
def in_tail(at):
    return 'tail.n' if at < 4 else 'tail.rest[]' if at >= 40 else \
           'tail.row[].a[]' if (at - 4) % 12 < 6 else 'tail.row[].b'
of = {'table': in_table, 'tail': in_tail, 'grid': lambda at: 'grid[][]',
      'plain': lambda at: 'plain'}
symbols = []
for line in subprocess.run([nm, '-S', name], capture_output=True, text=True).stdout.split('\n'):
    field = line.split()
    if len(field) == 4 and (field[3] in of or field[3].startswith('calls.')):
        symbols.append((int(field[0], 16), int(field[1], 16), field[3]))
truth, found = collections.Counter(), collections.Counter()
for line in open(name + '.trace'):
    access = re.match(r'core +\d+: \d (0x[0-9a-f]+) .* mem (0x[0-9a-f]+)( 0x[0-9a-f]+)?', line)
    for start, size, symbol in symbols if access else []:
        at = int(access[2], 16) - start
        if 0 <= at < size:
            field = of[symbol](at) if symbol in of else symbol + '[]'
            truth[int(access[1], 16), field, 'store' if access[3] else 'load'] += 1
for row in csv.DictReader(open(name + '.csv')):
    if row['data'] in of or row['data'].startswith('calls.'):
        found[int(row['pc'], 16), row['field'], row['kind']] += int(row['count'])
print(len({f for _, f, _ in truth}), 'fields',
      sorted(map(str, set(truth.items()) ^ set(found.items())))[:6])
PY
for version in 4 5; do
    "${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -gdwarf-$version -static fields.c -o fields \
        2>log || not_ok "fields.c builds" "$(<log)"
    : >fields.trace
    examine fields fields
    rv --quiet --trace commit:fields.trace fields
    same "fields, DWARF $version: those that the trace accessed" "17 fields []" \
        "$(python3 fields.py fields "$nm" 2>&1)"
done
same "the sums of the fields of a symbol are the symbol's" True "$(python3 -c "
import json
page, sums = json.load(open('fields.json')), {}
for field in page['fields']:
    for kind in 'load', 'store', 'atomic':
        for level, one in field[kind].items():
            at = sums.setdefault((field['data'], kind, level), [0, 0])
            at[0] += one['count']
            at[1] += one['cycles']
print(sums == {(d['name'], k, l): [one['count'], one['cycles']] for d in page['data']
               for k in ('load', 'store', 'atomic') for l, one in d[k].items()})")"
same "the heap has no fields" "(heap)" "$(python3 -c "
import json
print(*(f['name'] for f in json.load(open('fields.json'))['fields'] if f['data'] == '(heap)'))")"
rv mem --os kernel --csv kernel.csv fields
rv --quiet --os kernel --trace commit:kernel.trace fields
same "the guest kernel's accesses are those above the program" \
    "$(grep -cE ' mem 0x[89a-f][0-9a-f]{15}( |$)' kernel.trace)" "$(python3 -c "
import csv
rows = csv.DictReader(open('kernel.csv'))
print(sum(int(row['count']) for row in rows if row['data'] == '(kernel)' or
          row['data'].endswith('_[k]') or
          (row['data'] == '(no symbol)' and row['mode'] == 'kernel')))")"
cat >pair.c <<'C'
#include <pthread.h>
#include <sys/mman.h>
static void *run(void *page)
{
    for (int i = 0; i < 20; i++)
        mprotect(page, 4096, i % 2 == 0 ? PROT_READ : PROT_READ | PROT_WRITE);
    return NULL;
}
int main(void)
{
    pthread_t thread;
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, NULL, run, page);
    run(page);
    return pthread_join(thread, NULL);
}
C
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread pair.c -o pair 2>log ||
    not_ok "pair.c builds" "$(<log)"
rv mem --os kernel --harts 2 --top 0 pair
same "accesses in machine mode are to the kernel's own data, or devices" "0 yes" \
    "$(grep -cE '\((heap|mappings|stack)\) \[kernel\]' <<<"$out") \
$(grep -q ' kernel_tickets_\[k\]$' <<<"$out" && echo yes)"
printf '%s\n' 'static volatile int cell[4];' 'int main(void) { return cell[1]; }' >plain.c
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static plain.c -o plain 2>log ||
    not_ok "plain.c builds" "$(<log)"
same "without structures there is no table of fields" "1 0" \
    "$("$RVSIM" mem fields | grep -c '  field$') $("$RVSIM" mem plain | grep -c '  field$')"
cat >classes.cc <<'PROGRAM'
struct empty {};
struct base { int a; virtual int get() { return a; } };
struct derived : empty, base { static int shared; long b; base inner; };
int derived::shared;
namespace names { volatile int count; derived object; }
int main()
{
    derived *volatile where = &names::object;
    where->a = names::count;
    where->b += where->get();
    where->inner.a++;
    return ++derived::shared == 7;
}
PROGRAM
"${LINUX_CXX:-riscv64-linux-gnu-g++}" -O1 -g -static classes.cc -o classes 2>log ||
    not_ok "classes.cc builds" "$(<log)"
rv mem --json classes.json classes
same "members of bases, namespaces and classes" "derived::shared
names::count
names::object._vptr.base
names::object.a
names::object.b
names::object.inner._vptr.base
names::object.inner.a" "$(python3 -c "
import json
print(*sorted(f['name'] for f in json.load(open('classes.json'))['fields']
              if f['data'] in ('names::object', 'names::count', 'derived::shared')), sep='\n')")"
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static fields.c -o bare 2>log
rv mem --csv bare.csv bare
same "without debug information the field is the symbol" "plain table tail" "$(
    python3 -c "
import csv
print(*sorted({r['field'] for r in csv.DictReader(open('bare.csv'))
               if r['data'] in ('table', 'plain', 'tail')}))")"

cp levels plain
examine levels levels
: >walk.trace
examine walk walk
: >refused.trace
examine refused refused
: >shallow.trace
examine shallow --set l1d.kib=4 --set l2.kib=16 --set l3.kib=64 walk
: >ordered.trace
examine ordered --config c906 walk
rv mem walk
matches "data have their names" ' table$' "$out"
matches "the heap has its name" ' \(heap\)$' "$out"
matches "code has routine and line" ' main  walk\.c:[0-9]+$' "$out"
rv --quiet --stats a.json walk
same "the run is as long as without" "$(value a.json cycles) $(value a.json instructions)" \
    "$(value walk.json cycles) $(value walk.json instructions)"
rv mem --top 1 walk
same "--top cuts all tables" 2 "$(grep -c 'more; --top 0 shows all' <<<"$out")"
refused "the fast engine has no caches" \
    "mem: is about cycles; it needs --mode detailed" mem --mode fast walk
refused "a region's end is refused" \
    "mem: follows the run to its end; --roi-end is not taken" mem --roi-end main walk
refused "a call without a program is misuse" "mem: expected a program; see rvsim help mem" mem
printf '.globl _start\n_start: li a7, 93\necall\n' >none.S
printf '.globl _start\n_start: ld a0, (sp)\nli a0, 0\nli a7, 93\necall\n' >one.S
for name in none one; do
    "${LINUX_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static $name.S -o $name 2>>log
    rv mem $name
    same "a program without data has a table, $name" \
        "0 $name: $([ $name = one ] && echo 1 data access || echo 0 data accesses)" \
        "$status $(head -n 1 <<<"$out" | cut -d , -f 1)"
done
head -c 3000 walk >cut
rv mem cut
same "a program that was cut off is refused" 2 "$status"
