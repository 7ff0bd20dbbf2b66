#!/usr/bin/env bash
# Hand-counted programs: the count of every marked instruction and datum, and the committed events, are
# exact, in both engines and on machines whose caches lose their shadow frames all the time.
. tests/integration/lib.sh
build_tools

# events_of STEM PROGRAM: the events the program speaks of, as they were counted
events_of() {
    local event
    expected events "$tmp/$2" | while read -r event _; do
        echo "$event $(query get "$tmp/$1.json" "events.$event")"
    done
}
events_expected() {
    local event sum
    expected events "$tmp/$1" | while read -r event sum; do echo "$event $((sum))"; done
}

# in_words NAME: underscores as blanks
in_words() { echo "${1//_/ }"; }

check() {
    local program=$1 mode=$2 machine=$3 name stem=$1.$2.$3
    name="$(in_words "$program"), $mode engine, $(in_words "$machine")"
    run "$stem" --mode "$mode" $(machine_options "$machine") --meta "$tmp/$program.meta" "$tmp/$program"
    if [ $status != 0 ]; then not_ok "$name: the program finds its results right" "$(said "$stem")"
    else ok "$name: the program finds its results right"; fi
    same "$name: every count is the hand-made one" \
        "$(expected marks "$tmp/$program")" "$(query marks "$tmp/$stem.json")"
    [ "$mode" != detailed ] ||
        same "$name: events are exact" "$(events_expected "$program")" "$(events_of "$stem" "$program")"
}

for program in loops calls recursion branches data_access self_modifying misaligned traps \
    read_counts; do
    build_bare "$program" || { not_ok "$program builds"; continue; }
    for machine in default tiny small_caches short_lines long_lines; do
        for mode in fast detailed; do check "$program" $mode $machine; done
    done
done
