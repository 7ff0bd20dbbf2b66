#!/usr/bin/env bash
# A2 and A3: rvsim scan covers a program piece by piece, and counts code that a timer never sees.
. tests/integration/lib.sh

scan() {
    local stem=$tmp/$1
    shift
    "$RVSIM" scan "$@" >"$stem.out" 2>"$stem.err" </dev/null
    status=$?
}
# The table as "piece instructions oracle timer oracle", without separators and per cent.
rows() { tr -d ,% <"$tmp/$1.out" | awk 'NF == 6 && $3 ~ /^[+-]/ { print $6, $1, $2, $4, $5 }'; }
row() { rows "$1" | awk -v name="$2" '$1 == name'; }

# --- interrupts off: the timer never samples the critical section
scan off --by function --period 10000 "$GUEST/irqs_off"
same "A2: the timer has no sample in code with interrupts disabled, three quarters of the cycles" \
    "0.00 1" "$(row off update | awk '{ print $4, ($5 > 70 && $5 < 80) }')"
same "A2: it charges that time to the code that enables them" "1" \
    "$(row off leave_section | awk '{ print ($4 > 70 && $5 < 5) }')"
same "A2: the scan counts the same code exactly" "$(rows off | awk '{ print $1, $3 }')" \
    "$(rows off | awk '{ print $1, $2 }')"
same "A2: and says so: how many functions it never saw, with how many instructions" \
    "$(rows off | awk '$4 == 0 { n++; sum += $3 } END { print n, sum }')" \
    "$(tr -d , <"$tmp/off.out" |
        awk '/^the timer never saw/ { print $5, $(NF - 5) }')"
scan slices --by function --period 10000 --slice 5000 "$GUEST/irqs_off"
same "A2: within one run, the counts of slices are within two per cent of the truth" "" \
    "$(rows slices | awk '$3 > 10000 { e = ($2 - $3) / $3 } e > 0.02 || e < -0.02')"
same "A2: within one run every function had its turn" "1 run" \
    "$(sed -n 's/.*all 5 functions covered, each at least [0-9]* times, in //p' "$tmp/slices.out")"

# --- the true cycles are those of the timer's run, not of the runs whose metadata takes time
build_bare more_metadata -DROUNDS=8
"$RVSIM" --stats "$tmp/plain.json" "$tmp/more_metadata" >"$tmp/plain.out" 2>&1
scan slow --by function --period 10000 --output "$tmp/slow.csv" "$tmp/more_metadata"
holds "A2: the true cycles of all functions are those of the program without marks, or 5 % more" \
    awk -F, -v plain="$(query get "$tmp/plain.json" cycles)" '{ sum += $4 }
        END { exit !(sum > 0.95 * plain && sum < 1.05 * plain) }' "$tmp/slow.csv"

scan short --by function --period 20 --max-insns 200000 "$GUEST/wordindex"
same "A2: samples of the timer that were throttled are told" 1 \
    "$(grep -c '^[0-9,]* more samples were throttled: ' "$tmp/short.out")"

# --- in step with the timer
scan step --by function --period 10000 "$GUEST/lockstep"
same "A2: a timer in step with the program misses the waiting, two fifths of the cycles" "1" \
    "$(row step wait_for_tick | awk '{ print ($4 < 5 && $5 > 35) }')"
same "A2: the scan counts both parts exactly" "$(rows step | awk '{ print $1, $3 }')" \
    "$(rows step | awk '{ print $1, $2 }')"

# --- a Linux program, by pages and by modules
scan pages --mode detailed --runs 3 --top 0 --max-insns 1000000 --output "$tmp/pages.csv" \
    "$GUEST/wordindex"
same "A2: all pages of a Linux program are covered in three runs, exactly" "0 3 0.00%" \
    "$status $(sed -n 's/.* covered in \([0-9]*\) runs*.*/\1/p' "$tmp/pages.out") $(
        sed -n 's/^scan: \(.*\) of the instructions.*/\1/p' "$tmp/pages.out")"
same "A2: what the pages executed adds up to the instructions of the run" "1000000" \
    "$(awk -F, 'NR > 1 { sum += $2 } END { print sum }' "$tmp/pages.csv")"
scan modules --mode detailed --by module --runs 2 --max-insns 300000 "$GUEST/wordindex"
same "A2: a module is a source file; what has no source is one, too" "(no wordindex.c" \
    "$(tr -d , <"$tmp/modules.out" | awk '$3 ~ /^[+-]/ { print $6 }' | sort | xargs)"

# --- quickly: the counts alone, in one run of the fast engine
scan quick --by function --top 0 --output "$tmp/quick.csv" "$GUEST/lockstep"
run whole --mode fast "$GUEST/lockstep"
same "all functions together have the instructions of the run, in one run" \
    "0 1 $(query get "$tmp/whole.json" instructions 2>/dev/null ||
        grep -m 1 '"instructions"' "$tmp/whole.json" | tr -dc 0-9)" \
    "$status $(sed -n 's/.*covered in \([0-9]*\) runs*.*/\1/p' "$tmp/quick.out") $(tr -d , \
        <"$tmp/quick.out" | awk '$2 ~ /%$/ { sum += $1 } END { print sum }')"
scan few --by function --period 1000000000 --max-insns 100000 --json "$tmp/few.json" \
    "$GUEST/lockstep"
same "without samples nothing is said of where they are, in JSON neither" "1 0 0 1" \
    "$(grep -c 'timer: no samples' "$tmp/few.out") $(grep -c 'in the wrong function' \
        <(grep timer "$tmp/few.out")) $(grep -c '"timer_misplaced_percent"' "$tmp/few.json") $(
        grep -c '"misplaced_percent"' "$tmp/few.json")"

printf '.globl _start, tohost\n_start: li t0, 2000\n1: addi t0, t0, -1\n bnez t0, 1b\n'"\
"' li a0, 1\n la t0, tohost\n sd a0, 0(t0)\n2: j 2b\n.section .tohost, "aw"\ntohost: .dword 0\n' \
    >"$tmp/deaf.S"
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv64g -mabi=lp64d -nostdlib -static \
    -Wl,-Ttext=0x80000000 "$tmp/deaf.S" -o "$tmp/deaf" 2>"$tmp/log" ||
    not_ok "deaf.S builds" "$(<"$tmp/log")"
scan deaf --by function --period 101 "$tmp/deaf"
same "scan reports a program that never lets a timer interrupt" \
    "timer: no samples, one every 101 cycles: the program keeps its interrupts disabled, and a $(
        )timer waits for them" "$(grep '^timer' "$tmp/deaf.out")"

# --- the cost of monitoring
scan cost --cost --by function --period 5003 --max-insns 300000 "$GUEST/irqs_off"
same "A3: the shares add up to the cycles added, exactly, timer and counting" "0 0" \
    "$(tr -d , <"$tmp/cost.out" | awk '
        /^cycles added/ { a = $(NF - 2); b = $NF; next }
        a != "" && NF > 4 { a -= $(NF - 2); b -= $NF } END { print a, b }')"

# --- wrong use
for wrong in "" "--by line $GUEST/irqs_off" "--runs 0 $GUEST/irqs_off" "--slice 1 $GUEST/irqs_off" \
    "--check self $GUEST/irqs_off" "no-such-file" \
    "--cost --max-cycles 20000 $GUEST/wordindex"; do
    scan wrong $wrong
    same "wrong use is refused with one line: scan ${wrong//"$GUEST/"/}" "2 1" \
        "$status $(wc -l <"$tmp/wrong.err")"
done
