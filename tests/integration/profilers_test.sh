#!/usr/bin/env bash
# Profiling schemes observe a run without changing it; time-proportional sampling agrees with the
# truth on every machine; and the schemes have the order of the paper that measured them.
. tests/integration/lib.sh

# compare STEM OPTION... PROGRAM: leaves STEM.csv, and STEM.json with the statistics
compare() {
    local stem=$tmp/$1
    shift
    [ ! -e "$stem.csv" ] && [ ! -e "$stem.json" ] || rm -f "$stem.csv" "$stem.json"
    "$RVSIM" compare-profilers --quiet --no-bias \
        --csv "$stem.csv" --stats "$stem.json" "$@" >"$stem.out" 2>"$stem.err" </dev/null
    status=$?
}
# field STEM SCHEME COLUMN: 2, 3, 4: error by instruction, block, function; 5: samples
field() { awk -F, -v scheme="$2" -v column="$3" '$1 == scheme {print $column}' "$tmp/$1.csv"; }

# With a sample in every cycle nothing is left to chance, so nothing may be wrong.
sees_the_truth() {
    local name=$1 program=$2 plain
    shift 2
    compare seen --period 1 "$@" "$tmp/$program"
    same "$name: time in proportion is the truth" "0.000000 0.000000 0.000000" \
        "$(field seen tip 2) $(field seen tip 3) $(field seen tip 4)"
    compare skipped --period 9 --set sampling.dither=9 "$@" "$tmp/$program"
    compare single --period 9 --set sampling.dither=9 --no-skip "$@" "$tmp/$program"
    same "$name: samples fall into idle cycles as if these were not skipped" \
        "$(<"$tmp/skipped.csv")" "$(<"$tmp/single.csv")"
    run plain "$@" "$tmp/$program"
    same "$name: no statistic changes" "$(query without "$tmp/plain.json" host command config)" \
        "$(query without "$tmp/seen.json" host command config oracle)"
}

for program in traps loops recursion self_modifying data_access; do
    build_bare $program || not_ok "$program builds"
    for machine in default tiny in_order decoupled small_caches; do
        sees_the_truth "$program on ${machine//_/ }" $program $(machine_options $machine)
    done
done
build_bare figure16
sees_the_truth "figure16 with a monitor" figure16 --meta "$tmp/figure16.meta"
sees_the_truth "figure16 in order with a monitor" figure16 --meta "$tmp/figure16.meta" \
    $(machine_options in_order)
build_bare spin_lock
sees_the_truth "four harts" spin_lock --harts 4
build_linux callers
sees_the_truth "a Linux program" callers --max-cycles 400000
sees_the_truth "a Linux program on boom" callers --config boom --max-cycles 400000

compare counted --period 50 "$tmp/callers"
cycles=$(query get "$tmp/counted.json" cycles)
same "a sample each period" "$((cycles / 50))" "$(field counted tip 5)"

# ---- a real interrupt: its handler finds in mepc what the scheme says ---------------------------

skid() { build_bare skid -DDELAY=$1 -DENABLE=$2 && mv "$tmp/skid" "$tmp/$3"; }
skid 0 0 undisturbed
delays=$(seq 3000 7 3210)
for delay in $delays; do skid $delay 1 interrupted$delay; done
for machine in default boom u74; do
    real="" predicted=""
    for delay in $delays; do
        run interrupted --quiet --config $machine --set machine.timebase_divider=1 \
            "$tmp/interrupted$delay"
        real="$real $((4 * status))"
        compare undisturbed --config $machine --set sampling.interrupt=commit --top 1000 \
            --set sampling.interrupt_cycles=1 --period $delay --max-cycles $((delay + 500)) \
            --set machine.timebase_divider=1 --schemes software "$tmp/undisturbed"
        place=$(awk '$3 == "100.00" {sub("loop", "", $7); print $7}' "$tmp/undisturbed.out")
        predicted="$predicted $((place))"
    done
    same "$machine: a timer interrupt is taken where the scheme says" "$real" "$predicted"
done

# ---- the published ranking (MICRO 2021, figure 1) ----------------------------------------------

# Each of these programs ranks the schemes as the paper ranks their means, within a million cycles;
# all are in the table that tests/bench/profilers.sh makes.
published="software>lci>dispatch>nci>tip"
programs="blocks columns document graph puzzle search"
table=$(RVSIM=$RVSIM LINUX_CC=$linux_cc tests/bench/profilers.sh -p 251 -c 1000000 $programs 2>&1)
for name in $programs; do
    same "$name ranks the schemes as published" "$published" \
        "$(awk -v name="$name" '$1 == name {print $NF}' <<<"$table")"
done
same "the mean of the programs ranks the schemes as published" \
    "$published" "$(awk '$1 == "mean" && $2 == "all" {
    print $7, "software"; print $8, "lci"; print $9, "dispatch"; print $10, "nci"; print $13, "tip"
    }' <<<"$table" | sort -gr | awk '{print $2}' | paste -sd ">")"
same "classes of programs" "compute stall stall stall compute stall" \
    "$(awk '$2 ~ /^(compute|flush|stall)$/ && $1 != "mean" {print $2}' <<<"$table" | xargs)"
