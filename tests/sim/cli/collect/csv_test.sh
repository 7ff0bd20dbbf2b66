#!/usr/bin/env bash
# The CSV files of all commands have exactly the columns that docs/reference/csv.md lists.
. tests/sim/cli/lib.sh
page=${here%/tests/sim/cli}/docs/reference/csv.md
build_levels
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -pthread -DSTEPS=10 "$here/sched_threads.c" \
    -o threads 2>log || not_ok "the program sched_threads.c builds" "$(<log)"
printf 'main * counter\nwork * counter interrupt\nrange I0 main *\nrange D0 sum *\n' >threads.meta

cat >compare.py <<'PY'
"""compare.py PAGE TABLE=FILE...: the first cells of a table of the page against the columns of its
files. TABLE is the title, with #N for the N-th table below it; `names`: the first column of the
files is compared and not the first line. Capital letters of the page stand for any text."""
import csv, re, sys

def tables(page):
    found, title = {}, None
    for line in open(page):
        if line.startswith('## '):
            title, count = line[3:].strip().replace('`', ''), 0
        elif title and line.startswith('|---'):
            count += 1
            rows = found.setdefault(f'{title}#{count}', [])
        elif title and line.startswith('| ') and f'{title}#{count}' in found:
            rows += re.findall(r'`([^`]+)`', line.split('|')[1])
    return found

def pattern(name):
    return re.compile(re.sub(r'[A-Z]+', '.+', name))

page = tables(sys.argv[1])
for pair in sys.argv[2:]:
    title, files = pair.rsplit('=', 1)
    title, of_names = title.removesuffix(' names'), title.endswith(' names')
    shown = page.get(title, [])
    written = []
    for file in files.split(','):
        rows = list(csv.reader(open(file)))
        written += [row[0] for row in rows[1:]] if of_names else rows[0]
        if any(len(row) != len(rows[0]) for row in rows) or len(rows) < 2:
            print(file, 'has no rows, or rows of another width')
        if [name for name in shown if name in rows[0]] != [n for n in rows[0] if n in shown]:
            print(title, 'is in another order than', file)
    patterns = [pattern(name) for name in shown]
    for name in dict.fromkeys(written):
        if not any(one.fullmatch(name) for one in patterns):
            print(title, 'has not', name)
    for name, one in zip(shown, patterns):
        if not any(one.fullmatch(other) for other in written):
            print(title, 'has', name, 'which', files, 'has not')
for title in page:
    if title.startswith('rvsim ') and not any(pair.startswith(title) for pair in sys.argv[2:]):
        print(title, 'is compared with nothing')
PY

quiet() { "$RVSIM" "$@" </dev/null >text 2>&1 || not_ok "rvsim $* ends well" "$(<text)"; }
quiet --quiet --harts 2 --monitor host --meta threads.meta --count loads --stats run.csv threads
# `levels` ends with 7, and so do the commands that run it.
rv stat -r 2 -e cycles,loads --csv stat.csv levels
rv stat -I 100 -e loads --csv interval.csv levels
rv --quiet --oracle --profile a.prof levels
quiet diff --csv diff.csv a.prof a.prof
rv compare-profilers --period 101 --csv compare.csv levels
rv mem --csv mem.csv levels
rv branches --output branches.csv levels
rv scan --by function --output function.csv levels
rv scan --by page --output page.csv levels
rv scan --by module --output module.csv levels
rv costs --sweep rate --csv costs.csv levels
rv whatif --perfect l1d --csv whatif.csv levels
rv sched --harts 2 --records records.csv threads

pairs=("rvsim --stats FILE.csv#1 names=run.csv" "rvsim stat --csv#1=stat.csv"
    "rvsim stat --csv#2=interval.csv" "rvsim diff --csv#1=diff.csv"
    "rvsim compare-profilers --csv#1=compare.csv" "rvsim mem --csv#1=mem.csv"
    "rvsim branches --output#1=branches.csv"
    "rvsim scan --output#1=function.csv,page.csv,module.csv" "rvsim costs --csv#1=costs.csv"
    "rvsim whatif --csv#1=whatif.csv" "Records of the scheduler#1=records.csv")
same "the CSV files have the columns that the reference has" "" \
    "$(python3 compare.py "$page" "${pairs[@]}" 2>&1)"
same "the reference has each command that writes CSV" \
    "$(sed -n 's/^## `rvsim \([a-z-]*\) --\(csv\|output\).*/\1/p' "$page" | sort)" \
    "$(for command in $("$RVSIM" --complete ''); do
        "$RVSIM" help $command 2>/dev/null |
            grep -qE -- '^ *--csv FILE|--output FILE .*CSV' && echo $command; done | sort -u)"
