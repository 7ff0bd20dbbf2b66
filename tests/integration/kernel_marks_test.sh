#!/usr/bin/env bash
# Marks, callers and profiles of a program with threads, whose instructions, stacks and time are
# kept apart from those of the guest kernel under which it runs.
. tests/integration/lib.sh

"$linux_cc" -std=gnu17 -O1 -g -Wall -Wextra -Werror -static -pthread \
    $programs/kernel/marked.c -o "$tmp/marked" || not_ok "marked builds"
echo 'work * counter' >"$tmp/counted.meta"
echo 'calls(work) * interrupt' >"$tmp/called.meta"
echo 'tally * counter' >"$tmp/data.meta"

# 100 calls a thread; a round of the loop for each of 100 + 101 + 102 + 103, a hundred times.
calls=400 rounds=40600
sum=$((100 * (99 * 100 + 100 * 101 + 101 * 102 + 102 * 103) / 2))

counts() { query marks "$tmp/$1.json" | awk '{ print $2 }'; }
for mode in fast detailed; do
    for harts in 1 2 4; do
        way="$mode, $harts harts"
        run counted --mode $mode --harts $harts --meta "$tmp/counted.meta" \
            --profile "$tmp/counted.prof" "$tmp/marked"
        same "each instruction of the threads' routine counts exactly, $way" \
            "$sum $calls $rounds" \
            "$(<"$tmp/counted.out") $(counts counted | grep -v '^0$' | sort -nu | xargs)"
        run data --mode $mode --harts $harts --meta "$tmp/data.meta" "$tmp/marked"
        same "accesses of the threads' data count exactly, in each of their words, $way" \
            "8 $((2 * calls / 4 + 1))" \
            "$(counts data | uniq -c | xargs)"
        for monitor in guest host; do
            run called --mode $mode --harts $harts --monitor $monitor \
                --meta "$tmp/called.meta" --profile "$tmp/called.prof" "$tmp/marked"
            same "every call interrupts once, and its caller is known, $way, monitor: $monitor" \
                "$calls run" "$("$RVSIM" report --callers "$tmp/called.prof" |
                    awk '$2 == "100.00%" && NF == 6 { print $1, $NF }')"
        done
    done
done

# --- the oracle: every cycle belongs to a routine, and the kernel's routines have their own names
run oracle --harts 2 --oracle --profile "$tmp/oracle.prof" "$tmp/marked"
"$RVSIM" report --top 100000 "$tmp/oracle.prof" | tr -d , >"$tmp/oracle.txt"
same "the instructions of the threads' routine, by the oracle, are those that its marks count" \
    "$(query marks "$tmp/counted.json" | awk '{ sum += $2 } END { print sum }')" \
    "$(awk '$NF == "work" { print $3 }' "$tmp/oracle.txt")"
same "the kernel's routines have names, and nothing is without one" "1 0" \
    "$(grep -c ' schedule_\[k\]$' "$tmp/oracle.txt") $(grep -c ' 0x[0-9a-f]*$' "$tmp/oracle.txt")"
cycles=$(query get "$tmp/oracle.json" cycles)
same "the cycles of all routines are those of both harts" "" \
    "$(awk -v cycles=$cycles '/ line$/ { exit } $2 ~ /%$/ { sum += $1 } END {
        error = sum - 2 * cycles
        if (error > 100 || error < -100) print sum, 2 * cycles }' "$tmp/oracle.txt")"

# --- callers and tune
same "callers, exactly: who calls the routine" "$calls run" \
    "$("$RVSIM" callers --of work "$tmp/marked" 2>/dev/null |
        awk '$NF == "run" { print $(NF - 1), $NF; exit }')"
"$RVSIM" tune --monitor host --period 499 --top 2 "$tmp/marked" >"$tmp/tune.out" 2>"$tmp/tune.err"
same "tune counts the hot routine exactly, in a thread, too" "1" \
    "$(tr -d , <"$tmp/tune.out" | awk '$NF == "work" && NF == 7 { print ($1 == 400 && $2 == $3) }')"
same "tune: the share by samples is the share of all time, the kernel's included" "" \
    "$(awk '$NF == "work" && NF == 5 { if ($3 + 0 > 5 || $3 + 0 < -5) print }' "$tmp/tune.out")"
