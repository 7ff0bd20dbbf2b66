#!/usr/bin/env bash
# Wherever and for whatever reason a run ends, each profiling interrupt that its instructions raised
# has its record. Rounds of five instructions begin after the ninth.
. tests/integration/lib.sh
build_bare cut_short || not_ok "cut_short builds"
echo 'round 4 counter=2 interrupt' >"$tmp/third.meta"
echo 'stores 4 threshold=1 interrupt' >"$tmp/line.meta"
echo 'round 4 interrupt' >"$tmp/each.meta"

# rounds N: how many have begun after N instructions
rounds() { echo $((($1 + 4 - 9) / 5)); }
# recorded OPTION...: interrupts, records of them, instructions of the program
recorded() {
    run cut --quiet "$@" --stats "$tmp/cut.csv" "$tmp/cut_short"
    awk -F, '/^(events.(indicator_interrupts|insns_retired|insns_monitor)|monitor.interrupts),/ {
            is[$1] = $2 }
        END { print is["events.indicator_interrupts"], is["monitor.interrupts"],
              is["events.insns_retired"] - is["events.insns_monitor"] }' "$tmp/cut.csv"
}

for mode in fast detailed; do
    for monitor in guest host; do
        how="--mode $mode --monitor $monitor"
        for insns in $(seq 12 1 44); do
            thirds=$(($(rounds $insns) / 3))
            echo "$insns: $thirds $thirds $insns, $(recorded $how --max-insns $insns \
                --meta "$tmp/third.meta")"
        done >"$tmp/cuts"
        same "every third round interrupts, and --max-insns cuts anywhere, $mode engine, $(
            )monitor $monitor" "33 " "$(awk -F '[:,] ' '$2 == $3 {n++} $2 != $3 {bad = bad "; " $0}
            END {print n, bad}' "$tmp/cuts")"
        same "--roi-end after the thirteenth round, $mode engine, monitor $monitor" "13 13" \
            "$(recorded $how --meta "$tmp/each.meta" --roi round --roi-end after | cut -d' ' -f1,2)"
        same "an exit whose store interrupts, $mode engine, monitor $monitor" "1 1 83" \
            "$(echo 'fail+16 4 interrupt' >"$tmp/exit.meta"; recorded $how --meta "$tmp/exit.meta")"
        for insns in $(seq 60 23 180); do
            recorded $how --harts 4 --max-insns $insns --meta "$tmp/each.meta"
        done >"$tmp/cuts"
        same "four harts, whose monitors wait for one another, $mode engine, monitor $monitor" 0 \
            "$(awk '$1 == 0 || $1 != $2' "$tmp/cuts" | wc -l)"
    done
done

# The monitor itself is cut by a number of cycles.
for monitor in guest host; do
    for cycles in $(seq 40 53 1400); do
        recorded --monitor $monitor --max-cycles $cycles --meta "$tmp/each.meta"
    done >"$tmp/cuts"
    same "--max-cycles cuts anywhere, monitor $monitor" "26 0" \
        "$(awk '{rounds = int(($3 + 4 - 9) / 5); rounds = rounds > 13 ? 13 : rounds < 0 ? 0 : rounds
                 bad += $1 != $2 || $1 != rounds} END {print NR, bad}' "$tmp/cuts")"
    # The store has committed, and its line comes from memory.
    same "the line of the last store is waited for, monitor $monitor" "1 1 12" \
        "$(recorded --monitor $monitor --max-insns 12 --meta "$tmp/line.meta")"
done

# Samples: the overflow comes with the last instruction.
for mode in fast detailed; do
    for insns in $(seq 12 40); do
        "$RVSIM" record -e insns_retired -c 13 --mode $mode --max-insns $insns -o "$tmp/s.prof" \
            "$tmp/cut_short" 2>&1 | sed -n "s/^rvsim record: \([0-9]*\) samples*.*/$insns \1/p"
    done >"$tmp/cuts"
    same "a sample for each 13 instructions, $mode engine" "29 0" \
        "$(awk '$2 != int($1 / 13) {bad++} END {print NR, bad + 0}' "$tmp/cuts")"
done

# Ctrl-C comes at any time.
cat >"$tmp/endless.S" <<'S'
    .text
    .global program
program:
1:  addi t0, t0, 1
    j 1b
S
"$guest_cc" $isa -mcmodel=medany -nostdlib -static -T $programs/bare.ld "$tmp/endless.S" \
    $programs/start.S -o "$tmp/endless"
echo 'program * interrupt' >"$tmp/all.meta"
for mode in fast detailed; do
    rm -f "$tmp/c.csv"
    timeout -s INT 0.4 "$RVSIM" --quiet --mode $mode --meta "$tmp/all.meta" --stats "$tmp/c.csv" \
        "$tmp/endless"
    same "Ctrl-C waits for the monitor, $mode engine" 1 "$(awk -F, '
        /^(events.indicator_interrupts|monitor.interrupts),/ {is[$2]++}
        END {for (n in is) print (n > 0) * is[n] / 2}' "$tmp/c.csv")"
done
