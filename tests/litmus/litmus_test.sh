#!/usr/bin/env bash
# The memory model: what RVWMO forbids never comes, and a store buffer is seen to be one.
# LITMUS_ROUNDS: races of each test (default 1008).
. tests/integration/lib.sh

rounds=${LITMUS_ROUNDS:-1008}
# litmus MACHINE ROUNDS OPTION...
litmus() {
    local machine=$1 rounds=$2 name runs seen kind
    shift 2
    "$guest_cc" $isa -mcmodel=medany -O2 -ffreestanding -nostdlib -static -DROUNDS="$rounds" \
        -T $programs/bare.ld tests/litmus/litmus.c tests/litmus/start.S -o "$tmp/litmus" ||
        { not_ok "litmus builds"; return; }
    RUN_SECONDS=300 run litmus --harts 4 "$@" "$tmp/litmus"
    [ $status = 0 ] || not_ok "the litmus tests run to their end, $machine" "$(said litmus)"
    while read -r name runs seen kind; do
        case $kind:$seen in
        forbidden:0) ok "$name: never the forbidden outcome, $machine" ;;
        forbidden:*) not_ok "$name: never the forbidden outcome, $machine" "$seen of $runs" ;;
        esac
    done <"$tmp/litmus.out"
    [ "$(grep -c . "$tmp/litmus.out")" = 45 ] || not_ok "every test reports, $machine"
    for name in SB 3.SB R; do
        if grep -q "^$name [0-9]* [1-9]" "$tmp/litmus.out"; then
            ok "$name: the store buffer is seen, $machine"
        else
            not_ok "$name: the store buffer is seen, $machine" "$(grep "^$name " "$tmp/litmus.out")"
        fi
    done
}

litmus default "$rounds"
litmus "small caches" $((rounds / 8)) $(machine_options small_caches)
litmus "turns of one cycle" $((rounds / 8)) --set machine.turn_cycles=1
