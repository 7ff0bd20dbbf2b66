#!/usr/bin/env bash
# XLEN = 32: the resident monitor serves programs of 32 bits as that of 64 bits does its own:
# counts, callers and instructions as counted by hand, the same as by the monitor on the host, in
# both engines.
. tests/integration/lib.sh

callers() { query callers "$tmp/$1.json" | sort; }
counts() { query interrupts "$tmp/$1.json" | sed 's/+0x0 / /' | sort; }
# each FUNCTION: with every engine, monitor and machine in $mode, $monitor, $machine, $name, $stem
each() {
    for machine in default tiny small_caches in_order; do
        for mode in fast detailed; do
            for monitor in guest host; do
                stem=$1.$mode.$monitor
                name="$mode engine, monitor $monitor, ${machine//_/ }"
                "$1"
            done
        done
    done
}
go() {
    run "$stem" --mode $mode --monitor $monitor $(machine_options $machine) "$@"
}

build_bare_32 monitor_32 || not_ok "monitor_32 builds"
paged() {
    go --meta "$tmp/monitor_32.meta" --profile "$tmp/paged.prof" "$tmp/monitor_32"
    same "G1, G2: every 7th of 60 executions interrupts, from S-mode under Sv32, $name" \
        "0 leaf first 5 leaf second 3" "$status $(callers $stem | xargs)"
    same "instructions between the interrupts are the program's own, to the last one, $name" \
        "35 242 first 21 116 second" \
        "$("$RVSIM" report --callers "$tmp/paged.prof" |
            awk '/%/ {gsub(",", ""); printf "%s%s %s %s", n++ ? " " : "", $3, $5, $6}')"
    same "no count beside the interrupts is lost, $name" "$(expected marks "$tmp/monitor_32")" \
        "$(query marks "$tmp/$stem.json")"
}
each paged
run default --config default $(machine_options in_order) --meta "$tmp/monitor_32.meta" \
    "$tmp/monitor_32"
same "the monitor of 32 bits is the one that is taken unless another is named" \
    "$(query get "$tmp/paged.detailed.guest.json" events.insns_retired)" \
    "$(query get "$tmp/default.json" events.insns_retired)"
run wrong --monitor "$GUEST/monitor.elf" --meta "$tmp/monitor_32.meta" "$tmp/monitor_32"
same "a monitor of 64 bits is refused" "2 1" \
    "$status $(grep -c 'a 64-bit monitor cannot serve a 32-bit program' "$tmp/wrong.err")"

build_bare_32 thirteen || not_ok "thirteen builds"
echo 'routine 2 counter=13 interrupt' >"$tmp/thirteen.meta"
thirteen() {
    go --meta "$tmp/thirteen.meta" "$tmp/thirteen"
    same "G1, G2: over thirteen times: 45 executions are 3 interrupts, from three callers, $name" \
        "routine 45 3 routine alpha 1 routine beta 1 routine gamma_ 1" \
        "$(counts $stem) $(callers $stem | xargs)"
}
each thirteen

# As in marked_callers_test.sh, where the numbers are derived.
build_bare_32 chain -DBARE || not_ok "chain builds"
echo 'leaf 2 counter=13 interrupt' >"$tmp/chain.meta"
chain() {
    go --set pmu.callers=13 --meta "$tmp/chain.meta" "$tmp/chain"
    same "G3: callers are marked up to the root, $name" \
        "inner 1186 84 leaf 1200 85 middle 390 27 outer 188 13 program 174 12" \
        "$(query interrupts "$tmp/$stem.json" | sed 's/+0x[0-9a-f]*//' | grep -v '^main 0 0$' |
            sort | xargs)"
}
each chain

build_bare_32 undisturbed || not_ok "undisturbed builds"
undisturbed() {
    go --meta "$tmp/undisturbed.meta" "$tmp/undisturbed"
    same "a program finds its state as it was after 1201 interrupts, none lost, $name" "0 1201 0" \
        "$status $(query get "$tmp/$stem.json" events.indicator_interrupts) $(
            query get "$tmp/$stem.json" monitor.lost)"
}
each undisturbed

build_bare_32 storm || not_ok "storm builds"
printf '%s\n' 'program * interrupt' 'handler * interrupt' 'datum 8 interrupt granule=8' \
    >"$tmp/storm.meta"
storm() {
    go --meta "$tmp/storm.meta" --set pmu.transfers=15 --stats "$tmp/storm.csv" "$tmp/storm"
    # As in storms_test.sh.
    same "every instruction and datum interrupts: as many as the source says, $name" \
        "0 $((20 * (8 + 3 + 2 + 7 + 2) + 7 + 20 + 1)) 0" \
        "$status $(awk -F, '/^monitor.(interrupts|lost),/ {printf "%s ", $2}' "$tmp/storm.csv" |
            sed 's/ $//')"
}
each storm

build_bare_32 monitor_memory || not_ok "monitor_memory builds"
for mode in detailed fast; do
    run memory --mode $mode --monitor guest --meta "$tmp/monitor_memory.meta" \
        "$tmp/monitor_memory"
    same "the monitor's memory and registers are out of the program's reach, $mode engine" \
        "0 watched 20 20 watched program 20" "$status $(counts memory) $(callers memory)"
done
