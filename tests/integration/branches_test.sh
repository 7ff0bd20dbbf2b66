#!/usr/bin/env bash
# G5: every branch marked with a counter yields its true numbers of executions that were taken, not
# taken and mispredicted.
. tests/integration/lib.sh

branches() {
    local stem=$tmp/$1
    shift
    "$RVSIM" branches "$@" >"$stem.out" 2>"$stem.err" </dev/null
    status=$?
}

# --- hand-counted: a loop of 1000, a branch taken each fourth time, one never
cat >"$tmp/counted.S" <<'END'
    .section .text.start, "ax"
    .global _start
_start:
    li s0, 1000
    .type loop, @function
loop:
    andi t0, s0, 3
fourth:
    beqz t0, 1f
    nop
1:
never:
    bltz s0, 2f
    addi s0, s0, -1
back:
    bnez s0, loop
    .size loop, . - loop
2:  li t0, 1
    la t1, tohost
    sd t0, 0(t1)
3:  j 3b
    .section .tohost, "aw"
    .balign 64
    .global tohost
tohost: .dword 0
END
"$guest_cc" $isa -nostdlib -static -T $programs/bare.ld "$tmp/counted.S" -o "$tmp/counted" ||
    not_ok "the program of three branches builds"
for machine in tiny in_order small_caches default; do
    branches counted --output "$tmp/counted.csv" $(machine_options $machine) "$tmp/counted"
    same "G5: taken and not taken of three branches, counted by hand, ${machine//_/ }" \
        "0,1000 250,750 999,1" \
        "$(cut -d , -f 2,3 "$tmp/counted.csv" | grep -v taken | sort -n | xargs)"
    same "G5: all three counts of each are the oracle's, ${machine//_/ }" "1" \
        "$(grep -c '^3 of 3 branches executed; the counts of all are' "$tmp/counted.out")"
done

branches order --top 0 --max-insns 200000 "$GUEST/wordindex"
same "branches come in order of the cycles that were lost to them" "1" \
    "$(tr -d , <"$tmp/order.out" | awk '$4 ~ /%$/ { if (n++ && $6 > last) bad = 1; last = $6 }
        END { print (n > 20 && !bad) }')"

# --- labels and performance counters need fewer runs
for counters in 8 5 4; do
    runs=$((counters == 8 ? 1 : counters == 5 ? 2 : 3))
    branches few --output "$tmp/few.csv" --set pmu.counters=$counters "$tmp/counted"
    same "G5: three branches with $counters counters: the same counts in fewer runs" \
        "$(cut -d , -f 1-4 "$tmp/counted.csv" | sort) $runs run" \
        "$(cut -d , -f 1-4 "$tmp/few.csv" | sort) $(grep -o '[0-9] run' "$tmp/few.out")"
done

# --- a Linux program
branches word --max-insns 800000 "$GUEST/wordindex"
same "G5: mispredicted, too, of all branches of a Linux program" "0 1" \
    "$status $(grep -c 'branches executed; the counts of all are the oracle' "$tmp/word.out")"

# --- the fast engine: outcomes, no mispredictions
for mode in detailed fast; do
    branches $mode --mode $mode --max-insns 500000 --top 0 --output "$tmp/$mode.csv" \
        "$GUEST/wordindex"
    cut -d, -f1-3 "$tmp/$mode.csv" | sort >"$tmp/$mode.outcomes"
done
same "G5: both engines count the same outcomes" "" \
    "$(diff "$tmp/detailed.outcomes" "$tmp/fast.outcomes")"
same "G5: the fast engine says what it did not measure, with empty fields" "0 1 0" \
    "$status $(grep -c 'mispredictions and cycles need --mode detailed' "$tmp/fast.out") $(
        awk -F, 'NR > 1 && $4 $5 $6 != ""' "$tmp/fast.csv" | wc -l)"
branches few --mode fast "$tmp/counted"
same "G5: hand-counted, of few branches in one run" "0 1000 250 750 999 1 1" "$(
    awk '/\+|fourth|never|back/ && NF >= 3 { printf "%s %s ", $1, $2 }' <(tr -d , <"$tmp/few.out") |
    xargs -n2 | sort | xargs) $(grep -c '; 1 run;' "$tmp/few.out")"

# --- the marks do not change what they count
branches marked --max-insns 300000 --output "$tmp/marked.csv" "$GUEST/wordindex"
run unmarked --oracle --max-insns 300000 --profile "$tmp/unmarked.prof" "$GUEST/wordindex"
"$RVSIM" report --branches --top 0 "$tmp/unmarked.prof" | tr -d , >"$tmp/unmarked.table"
same "G5: outcomes, mispredictions and their cycles are those of a run without marks" "" "$(
    awk 'NR == FNR { truth[$6] = $1 " " $2 " " $3 " " $5; next }
        FNR > 1 && truth[$7] != $2 " " $3 " " $4 " " $6 {
            print $7 ": " $2, $3, $4, $6 ", without marks " truth[$7] }' \
        "$tmp/unmarked.table" FS=, "$tmp/marked.csv" | head -5)"

# --- the counts of marks, beside the oracle's
for what in executed taken mispredicted; do
    echo "branches(*) * counter ${what/executed/}" >"$tmp/$what.meta"
    run "$what" --oracle --max-insns 800000 --meta "$tmp/$what.meta" --profile "$tmp/$what.prof" \
        "$GUEST/wordindex"
    "$RVSIM" report --branches --top 0 "$tmp/$what.prof" | tr -d , >"$tmp/$what.table"
    same "G5: the report has what was measured beside the oracle, the same for all: $what" \
        "1" "$(awk '/ measured branches have/ { print ($1 == $3 && $1 > 100) }' "$tmp/$what.table")"
done
echo "branches(*) * counter taken" >"$tmp/taken.meta"
run alone --meta "$tmp/taken.meta" --profile "$tmp/alone.prof" "$tmp/counted"
same "G5: without an oracle profile the report has what was measured" "250 taken 999 taken" \
    "$("$RVSIM" report --branches "$tmp/alone.prof" | awk '$2 == "taken" { print $1, $2 }' |
        sort -n | xargs)"

# --- the flags by themselves
printf 'branches(*) * counter=99 interrupt taken\n' >"$tmp/taken.meta"
run taken --meta "$tmp/taken.meta" "$tmp/counted"
same "G5: a branch interrupts when it was taken more than 99 times: 0, 250 and 999 times" \
    "0 2 9" "$(query interrupts "$tmp/taken.json" | awk '{ print $NF }' | sort -n | xargs)"
for wrong in "" "--top x $tmp/counted" "--of nothing $tmp/counted"; do
    branches wrong $wrong
    same "wrong use is refused with one line: branches ${wrong//"$tmp/"/}" "2 1" \
        "$status $(wc -l <"$tmp/wrong.err")"
done
same "a function that is not there is named as it was asked for" 1 \
    "$(grep -c "branches: --of nothing: no such function in" "$tmp/wrong.err")"
