#!/usr/bin/env bash
# rvsim report --sort: measurements by routine, object, file and line; the share of callees.
. tests/sim/cli/lib.sh
build_levels
"$RVSIM" --quiet --oracle --profile levels.prof levels
# table KEYS PROFILE [OPTION...]: its rows, numbers without commas
table() { "$RVSIM" report --top 0 --sort "$1" "${@:3}" "$2" | sed '1,2d' | tr -d ,; }

insns=$("$RVSIM" report --json - levels.prof | python3 -c 'import json, sys
print(json.load(sys.stdin)["instructions"])')
for keys in routine object file line object,file,line; do
    same "the instructions of all rows are those of the run: $keys" "$insns" \
        "$(table $keys levels.prof | awk '{ n += $3 } END { print n }')"
done
same "perf's words are understood" "$(table object,file,line,routine levels.prof)" \
    "$(table dso,srcfile,srcline,symbol levels.prof)"
same "routines have what --oracle says" \
    "$("$RVSIM" report --oracle --top 0 levels.prof | tr -d , |
        awk '/ line$/ { exit } NF == 5 && $3 ~ /^[0-9]+$/ { print $5, $1, $3 }' | sort)" \
    "$(table routine levels.prof | awk '{ print $4, $1, $3 }' | sort)"
same "with callees a routine has what the call tree says" \
    "$("$RVSIM" report --calltree --top 0 levels.prof | tr -d , |
        awk '$NF == "main" { print int($5 + 0.5) }')" \
    "$(table routine,children levels.prof | awk '$NF == "main" { print $1 }')"
same "no routine is below itself: down, which calls itself, counts once" True "$(
    table routine,children levels.prof | awk '$NF == "down" {
        print ($1 == int($3 + 0.5) ? "True" : $0) }')"
same "two keys are a row for each pair" "levels  levels.S" \
    "$("$RVSIM" report --sort object,file levels.prof | awk 'NR == 3' |
        sed -E 's/.*%[ 0-9,]*//; s, /.*/, ,')"

"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread "$here/sched_threads.c" -o threads \
    2>log || not_ok "the program sched_threads.c builds" "$(<log)"
"$RVSIM" --quiet --oracle --harts 2 --profile threads.prof threads >/dev/null
same "the guest kernel is an object of its own" "[kernel] threads" \
    "$(table object threads.prof | awk '{ print $NF }' | sort | grep -v instruction | xargs)"
"$RVSIM" report threads.prof --callgrind threads.callgrind --perf-script threads.txt
same "in other tools' files, too" "threads [kernel]|[kernel]" "$(
    sed -nE 's/^ob=\([0-9]+\) //p' threads.callgrind | sed 's,.*/,,' | xargs)|$(
    grep -oE 'trap_entry_\[k\]\+0x[0-9a-f]+ \(.*' threads.txt | sed -E 's/.*\((.*)\)/\1/' |
        sort -u)"

proto=$(dpkg -L golang-github-google-pprof-dev 2>/dev/null | grep '/proto/profile.proto$')
if command -v protoc >/dev/null && [ -n "$proto" ]; then
    "$RVSIM" report threads.prof --pprof threads.pb.gz
    zcat threads.pb.gz | protoc -I "$(dirname "$proto")" \
        --decode perftools.profiles.Profile "$proto" >threads.pb
    same "pprof has a mapping for each" "threads [kernel]" "$(awk '
        /^mapping/ { inside = 1 } inside && $1 == "filename:" { file[++n] = $2 + 1; inside = 0 }
        /^string_table/ { sub(/^string_table: "/, ""); sub(/"$/, ""); text[++strings] = $0 }
        END { for (i = 1; i <= n; i++) { sub(/.*\//, "", text[file[i]]); print text[file[i]] } }
        ' threads.pb | xargs)"
fi

"$RVSIM" record -e cycles -c 101 -g -o samples.prof levels >/dev/null 2>&1
same "samples, with what is below" "$(table routine,children samples.prof |
    awk '{ n += $3 } END { print n }')" "$(table routine,children samples.prof |
    awk '$NF == "_start" { print $1 }')"
# from_folded CALLTREE FOLDED PERIOD: compares the rows of the tree with the folded stacks
cat >from_folded.py <<'PY'
import collections, re, sys
own, inside = collections.Counter(), collections.Counter()
for line in open(sys.argv[2]):
    stack, count = line.rsplit(' ', 1)
    path = tuple(stack.split(';'))
    own[path] += int(count)
    for depth in range(len(path)):
        inside[path[:depth + 1]] += int(count)
shown, path = {}, []
for line in open(sys.argv[1]):
    row = re.match(r' *([\d,]+) +([\d.]+)% +([\d,]+) +([\d,]+)  ( *)(\S.*)', line)
    if row:
        path = path[:len(row[5]) // 2] + [row[6]]
        shown[tuple(path)] = [int(n.replace(',', '')) for n in (row[1], row[3], row[4])]
period = int(sys.argv[3])
wanted = {path: [inside[path], own[path], own[path] * period] for path in inside}
print(len(wanted) > 3 and wanted == shown or (wanted, shown))
PY
"$RVSIM" record -e cycles -c 1009 -g --harts 2 -o two.prof threads >/dev/null 2>&1
for name in samples:101 two:1009; do
    stem=${name%:*}
    "$RVSIM" report --calltree --top 0 $stem.prof >$stem.tree
    "$RVSIM" report --folded $stem.folded $stem.prof
    same "the call tree of samples is that of the folded stacks: $stem" True \
        "$(python3 from_folded.py $stem.tree $stem.folded "${name#*:}")"
    same "the call graph has the costs of --sort children: $stem" \
        "$(table routine,children $stem.prof | awk '{ print $5, $1, $3 }' | sort)" \
        "$("$RVSIM" report --callgraph --top 0 $stem.prof | tr -d , |
            awk '$2 ~ /%$/ { print $5, $1, $3 }' | sort)"
done
# If a stack begins in a routine, the routine has no caller there.
"$RVSIM" report --callgraph --top 0 two.prof | tr -d , >two.graph
same "a routine's callers have its samples" "" "$(awk '
    function check() { if (n != "" && n != from) print name, n, from }
    FNR == NR { stack = $0; sub(/ [0-9]+$/, "", stack); sub(/;.*/, "", stack)
                root[stack] += $NF; next }
    $2 ~ /%$/ { check(); n = $1; name = $5; from = root[name] }
    $2 == "from" { from += $1 }
    END { check() }' two.folded two.graph)"
# Threads and harts: each thread's part equals the output of --thread, each hart's part that of the
# samples.
plain() { sed -E 's/ [0-9.]+%//g; s/^ +//; s/ +/ /g' | sort; }  # without percentages
threads=$(table thread two.prof | awk '{ print $3 }')
for keys in line routine,children; do
    same "by thread and $keys there is what --thread shows" "$(for thread in $threads; do
            table $keys two.prof --thread $thread | sed "s/\$/ $thread/"
        done | plain)" "$(table $keys,thread two.prof | sed -E 's/ (\(idle\)|threads)$//' | plain)"
done
by_line() { awk '{ key = $4 $5; n[key] += $3 } END { for (key in n) print key, n[key] }'; }
same "the oracle's cycles by thread and line are those by line" \
    "$(table line threads.prof | by_line | sort)" \
    "$(table line,thread threads.prof | sed -E 's/ ([0-9]+ threads|0 \(idle\))$//' |
        by_line | sort)"
"$RVSIM" script --json two.script two.prof
same "by hart and line there are the samples of the script" "$(python3 -c "
import collections, json
print(*sorted(f'{n} {h} {l or \"(no line)\"}' for (h, l), n in collections.Counter(
    (s['hart'], s.get('line')) for s in json.load(open('two.script'))['samples']).items()),
      sep='\n')" | plain)" "$(table cpu,line two.prof | plain)"
same "by thread and hart: all samples" \
    "$(table hart two.prof | awk '{ n += $1 } END { print n }')" \
    "$(table comm,tid,cpu two.prof | awk '$3 == "threads" { n += $1 } END { print n }')"
same "a thread that is the only one has no number" "-" "$(table routine,thread samples.prof |
    awk '{ print $NF }' | sort -u)"
refuses() { rv report --sort "$1" "$2"; matches "$3" "$4" "$status $err"; }
# The columns of --event are those of annotate, for each routine and line.
same "an event by routine is what annotate says" \
    "$("$RVSIM" annotate levels.prof --top 0 -e loads,back_end --json - | python3 -c "
import json, sys
for routine in json.load(sys.stdin)['routines']:
    print(routine['name'], routine['loads'], int(routine['back_end'] * 10 + 1e-6))" | sort)" \
    "$(table routine levels.prof -e loads,back_end | grep -v '(' |
        awk '{ print $4, $1, int($3 * 10 + 0.5) }' | sort)"
same "the sum of an event is that of the statistics, by line and thread" "$(python3 -c '
import json
print(json.load(open("threads.prof"))["events"]["branches_mispredicted"])')" \
    "$(table line,thread threads.prof --event branches_mispredicted |
        awk '{ n += $1 } END { print n }')"
rv report -e loads levels.prof
matches "--event without --sort" '^2 .*chooses the columns of --sort' "$status $err"
rv report -e loads --sort hart two.prof
matches "an event by hart" '^2 .*only samples know their hart' "$status $err"
rv report -e laods --sort line levels.prof
matches "an unknown event" '^2 .*did you mean loads' "$status $err"
refuses rutine levels.prof "an unknown key" '^2 .*expected routine, object.*did you mean routine'
refuses line,children levels.prof "children by line" '^2 .*not with line'
"$RVSIM" record -e cycles -c 101 -o flat.prof levels >/dev/null 2>&1
refuses children flat.prof "children of samples without stacks" '^2 .*record with -g'
refuses routine,hart threads.prof "harts of the oracle's cycles" '^2 .*know their hart'
refuses routine,thread,children threads.prof "the exact call tree by thread" \
    '^2 .*not divided by thread'
rv report --calltree flat.prof
matches "the call tree of samples without stacks" '^2 .*record with -g' "$status $err"
