#!/usr/bin/env bash
# Measurements of a program with threads, divided by thread: the parts add up to the whole, and
# agree with the commit trace.
. tests/integration/lib.sh

"$linux_cc" -std=gnu17 -O1 -g -Wall -Wextra -Werror -static -pthread \
    $programs/kernel/marked.c -o "$tmp/marked" || not_ok "marked builds"
printf '%s\n' 'work * counter' 'work 4 counter interrupt' 'tally * counter' 'range I0 work *' \
    'range D0 tally *' >"$tmp/marked.meta"

# The instructions of each thread: from the trace, by the numbers written to CSR_PROF_THREAD (5c1,
# from a5), where the write is the first instruction of the new thread; and as the report has them.
traced='
import collections, sys
thread, a5, count = {}, {}, collections.Counter()
for line in open(sys.argv[1]):
    word = line.split()
    hart = word[1]
    if len(word) > 6 and word[5] == "x15":
        a5[hart] = int(word[6], 16)
    if word[4] == "(0x5c179073)":
        thread[hart] = a5[hart]
    count[thread.get(hart, 0)] += 1
print(*("%d:%d" % row for row in sorted(count.items())))'
reported() {
    "$RVSIM" report --sort thread "$1" | tr -d , | sed 's/ (idle)//' |
        awk '$2 ~ /%$/ { print $4 ":" $3 }' | sort -n | xargs
}

# Every share adds up to its whole; the parts of threads are there.
added='
import json, sys
profile = json.load(open(sys.argv[1]))
places = [("marks", ["count", "interrupts"]), ("counts", ["count"]),
          ("records", ["interrupts", "executions", "cycles", "instructions"])]
places += [("ranges", ["entries", "executed"]), ("ranges", ["entries", "accesses"])]
wrong, threads = [], set()
for key, names in places:
    for row in profile.get(key, []):
        if any(name not in row for name in names):
            continue
        shares = row.get("threads", [])
        threads |= {share[0] for share in shares}
        for i, name in enumerate(names):
            if sum(share[1 + i] for share in shares) != row[name]:
                wrong.append((key, row, name))
oracle = profile.get("oracle")
if oracle:
    rows, usual = oracle["instructions"], oracle["thread"]
    threads |= {row.get("thread", usual) for row in rows}
    units = sum(row["units"] for row in rows) + oracle["outside"]
    if units != sum(hart["cycles"] for hart in profile["harts"]) * oracle["units_per_cycle"]:
        wrong.append(units)
print(len(threads - {0}), wrong[:3])'

for harts in 1 3; do
    run oracle --harts $harts --oracle --profile "$tmp/oracle.prof" \
        --trace "commit:$tmp/oracle.tr" "$tmp/marked"
    same "the oracle's instructions of each thread are those of the commit trace, $harts harts" \
        "$(python3 -c "$traced" "$tmp/oracle.tr")" "$(reported "$tmp/oracle.prof")"
    same "the oracle's cycles of five threads and of idle harts are all cycles, $harts harts" \
        "5 []" "$(python3 -c "$added" "$tmp/oracle.prof")"
    for mode in fast detailed; do
        run parts --mode $mode --harts $harts --monitor host --meta "$tmp/marked.meta" \
            --count loads --count insns_retired:user --profile "$tmp/parts.prof" "$tmp/marked"
        same "marks, ranges, counters, interrupts of five threads add up, $mode, $harts harts" \
            "5 []" "$(python3 -c "$added" "$tmp/parts.prof")"
    done
done

# Thread 1002 calls work() a hundred times, with 101 rounds of three instructions, and six outside.
"$RVSIM" report --thread 1002 "$tmp/parts.prof" | tr -d , >"$tmp/thread.txt"
same "each thread has its own calls of the marked routine, two interrupts at each" \
    "100 200" "$(awk '$6 == "work" { print $3, $4 }' "$tmp/thread.txt")"
same "a range has the thread's own instructions, as the marks" \
    "$(awk '$6 == "work" { print $1 }' "$tmp/thread.txt")" \
    "$(awk '$2 == "I0" { print $7 }' "$tmp/thread.txt")"
"$RVSIM" record -g --harts 2 --os kernel --period 997 -o "$tmp/sampled.prof" "$tmp/marked" \
    >"$tmp/sampled.out" 2>&1
all=$("$RVSIM" report --sort thread "$tmp/sampled.prof" | tr -d , |
    awk '$2 ~ /%$/ { print $1 > "/dev/stderr"; sum += $1 } END { print sum }' 2>"$tmp/sampled.rows")
same "the samples of all threads are those of the run" \
    "$(grep -o '[0-9,]* samples' "$tmp/sampled.out" | tr -dc 0-9)" "$all"
same "--thread shows as many samples as --sort thread" "$(head -1 "$tmp/sampled.rows")" \
    "$("$RVSIM" report --thread "$("$RVSIM" report --sort thread "$tmp/sampled.prof" |
        awk '$2 ~ /%$/ { print $3; exit }')" --top 0 "$tmp/sampled.prof" | tr -d , |
        awk '/interrupts$/ { exit } $2 ~ /%$/ { sum += $1 } END { print sum }')"

# --- one thread and a hart that idles: the thread has all marks
run lonely --os kernel --harts 2 --oracle --meta build/examples/wordindex.meta \
    --profile "$tmp/lonely.prof" build/examples/wordindex build/examples/wordindex.c
whole=$("$RVSIM" report --top 0 "$tmp/lonely.prof" | grep -A99 ' symbol$' | grep -m1 compare_words)
same "with one thread, its marks are those of the run" "$whole" \
    "$("$RVSIM" report --thread 1000 --top 0 "$tmp/lonely.prof" | grep -A99 ' symbol$' |
        grep -m1 compare_words)"
[ -n "$whole" ] || not_ok "there is a marked routine"

# --- ranges alone have no column
echo 'range I0 work *' >"$tmp/range.meta"
run range --mode fast --meta "$tmp/range.meta" --profile "$tmp/range.prof" "$tmp/marked"
same "threads that have only ranges are not a table without columns" "2 1" \
    "$("$RVSIM" report --sort thread "$tmp/range.prof" 2>"$tmp/wrong.err"; echo -n "$? ";
        grep -c 'thread [0-9]* shows its ranges' "$tmp/wrong.err")"

# --- one thread: nothing is divided
build_linux callers
run one --os host --oracle --profile "$tmp/one.prof" "$tmp/callers"
same "a profile of one thread says that nothing is kept by thread" "2 1" \
    "$("$RVSIM" report --sort thread "$tmp/one.prof" 2>"$tmp/wrong.err"; echo -n "$? ";
        grep -c 'keeps nothing by thread: one thread ran' "$tmp/wrong.err")"
for wrong in "--thread 7:the profile has no thread 7, but" \
    "--thread x:expected the number of a thread" "--sort cycles:expected routine, object" \
    "--sort thread,hart:know their hart"; do
    same "report ${wrong%%:*} says what is wrong" "2 1" \
        "$("$RVSIM" report ${wrong%%:*} "$tmp/parts.prof" 2>"$tmp/wrong.err"; echo -n "$? ";
            grep -c -F -- "${wrong#*:}" "$tmp/wrong.err")"
done
