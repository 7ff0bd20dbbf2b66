#!/usr/bin/env bash
# Machines with random settings execute programs as the fast engine does, and end.
#
# draw_machine.c draws legal values for all settings; on each machine programs run in lock-step with
# the fast engine (--check self), which also checks the sums of slots, cycles and oracle profile.
# The last program runs again without skipping idle cycles, which must change no statistic. Every
# program ends with a known status on every machine; a program that does not end is stopped, and its
# case fails. Environment: DRAWN_MACHINES (number of machines, default 4), DRAWN_FIRST (first seed).
# The machine file of a failure is kept.
set -u
. tests/cases.sh
here=$(dirname "$0") tmp=$TEST_TMP
machines=${DRAWN_MACHINES:-4} first=${DRAWN_FIRST:-1}
guest_cc=${GUEST_CC:-riscv64-unknown-elf-gcc}
isa="-mcmodel=medany -nostdlib -static -Wl,--no-warn-rwx-segments -Wl,--build-id=none -I."

${CC:-gcc} -std=gnu17 -O1 -I. -I"$BUILD" "$here/draw_machine.c" \
    $(objects sim/base/{config{,_file,_check,_model,_renamed,_unused},choice,input,issue_plan} \
        sim/base/{latencies,err}) -lm $(pkg-config --libs inih) -o "$tmp/draw_machine" || exit 1
${CC:-gcc} -std=gnu17 -O1 -I. "$here/randprog.c" \
    $(objects isa/{decode,insn,fp,fp_convert,fp_host,fp_soft}) -lm -o "$tmp/randprog" || exit 1

random_program() {          # random_program XLEN MODE ABI
    "$tmp/randprog" 7 400 "$2" "$1" >"$tmp/body.s" &&
    "$guest_cc" -march=rv$1gc -mabi=$3 $isa -T "$here/frame.ld" -I "$here" \
        -DBODY="\"$tmp/body.s\"" -DROUNDS=4 -DUSER=$([ "$2" = U ] && echo 1 || echo 0) \
        "$here/frame.S" -o "$tmp/random$1"
}
random_program 64 U lp64d && random_program 32 M ilp32d || exit 1
"$guest_cc" -march=rv64gc_zicsr -mabi=lp64d $isa -DHARTS=2 -T tests/programs/bare.ld \
    tests/programs/many_harts.S tests/programs/start.S -o "$tmp/harts" &&
"$guest_cc" -march=rv64gc -mabi=lp64d $isa -Wl,-Ttext=0x10000 tests/golden/pages.S \
    -o "$tmp/pages" &&
"$guest_cc" -march=rv64gc_zicsr -mabi=lp64d $isa -O2 -ffreestanding -DROUNDS=24 \
    -T tests/programs/bare.ld tests/litmus/litmus.c tests/litmus/start.S -o "$tmp/litmus" || exit 1

# run STEM OPTION... PROGRAM
run() {
    local stem=$tmp/$1
    shift
    "$RVSIM" --quiet --oracle --config "$tmp/machine.ini" \
        --stats "$stem.csv" "$@" >"$stem.out" 2>"$stem.err" </dev/null
}
figures() { grep -v -e '^host' -e '^command' "$tmp/$1.csv"; }

# wrong STEM OPTION... PROGRAM: runs the program, and prints the faults found.
wrong() {
    run "$@" || echo "$1: status $?: $(tail -n 2 "$tmp/$1.err")"
}
# All programs on one machine.
try() {
    wrong random64 --check self "$tmp/random64"
    wrong random32 --check self "$tmp/random32"
    wrong harts --check self --harts 2 "$tmp/harts"
    wrong pages "$tmp/pages"
    wrong stepped --no-skip "$tmp/pages"
    diff <(figures pages) <(figures stepped) | head -n 6
}

presets=(sim/presets/*.ini)
for ((seed = first; seed < first + machines; seed++)); do
    base=$(basename "${presets[seed % ${#presets[@]}]}" .ini)
    name="machine $seed, from $base, executes as the fast engine, with and without idle cycles"
    "$tmp/draw_machine" "$seed" "$base" >"$tmp/machine.ini" ||
        { not_ok "$name" "none is drawn"; continue; }
    found=$(try)
    if [ -z "$found" ]; then ok "$name"; continue; fi
    cp "$tmp/machine.ini" "$tmp/machine$seed.ini"
    not_ok "$name" "$found" "$tmp/machine$seed.ini"
done

agrees() {                  # agrees PROGRAM OPTION...: the program ends as on the fast engine
    local program=$1
    shift
    if said=$("$RVSIM" --quiet --check self "$@" "$tmp/$program" 2>&1 >/dev/null)
    then ok "$program agrees with $*"
    else not_ok "$program agrees with $*" "$said"; fi
}

# Each preset as it is.
for preset in "${presets[@]}"; do
    agrees random64 --config "$(basename "$preset" .ini)"
done

# Combinations in which drawn machines have shown faults, one by one: PROGRAM OPTION...
while read -r program options; do
    [ -n "$program" ] && agrees "$program" $options
done <<'END'
pages    --set dtlb.entries=2 --set bus.bytes=128
random64 --set fetch.ftq=1
random64 --set fetch.ftq=1 --set fetch.straddle_wait=true
random64 --set fetch.ftq=8 --set fetch.speculative_miss=false
random64 --config rsd --set commit.stages=3
random64 --config rsd --set latency.store=1
random64 --set lsq.speculation=blind --set rsd.violation_cycles=16 --set commit.stages=0
random64 --set bpred.ras_entries=0 --set bpred.ras_repair=committed
random64 --config rsd --set dtlb.entries=1
random64 --config rsd32k --set rsd.lock_step=false --set recover.checkpoints=4
pages    --config rsd --set l1d.banks=64 --set rsd.misses_lock_set=false
harts    --config rsd32k --set l1d.line_bytes=64 --harts 2
random64 --config c910 --set bpred.entries=16 --set bpred.pc_bits=64
random64 --set issue.select=slot --set c910.queue_bypass=true
pages    --set issue.select=slot_stripes --set issue.release_cycles=2 --set c910.queue_bypass=true
random64 --set issue.select=slot --set lsq.store_data=micro_op --set c910.queue_bypass=true
harts    --config c910 --harts 2
litmus   --config biriscv --set biriscv.rows=8 --set l2.kib=2 --set l2.inclusion=inclusive --harts 4
END

# Rows of fetch move by themselves in cycles that look idle.
sed 's/^rows = .*/rows = 8/' sim/presets/biriscv.ini >"$tmp/machine.ini"
same "rows take the same cycles with and without idle ones" "" \
    "$(wrong rows "$tmp/random32"; wrong walked --no-skip "$tmp/random32"
       diff <(figures walked) <(figures rows) | head -n 6)"
