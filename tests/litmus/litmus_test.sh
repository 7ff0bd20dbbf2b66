#!/usr/bin/env bash
# The memory model: outcomes that RVWMO forbids never occur, and an outcome that only a store buffer
# can cause does occur. LITMUS_ROUNDS: races of each test (default 240).
. tests/integration/lib.sh

rounds=${LITMUS_ROUNDS:-240}
# litmus MACHINE ROUNDS WEAK OPTION...; WEAK: the tests whose weak outcome must be seen
litmus() {
    local machine=$1 rounds=$2 weak=$3 name runs seen kind
    shift 3
    "$guest_cc" $isa -mcmodel=medany -O2 -ffreestanding -nostdlib -static -DROUNDS="$rounds" \
        -T $programs/bare.ld tests/litmus/litmus.c tests/litmus/start.S -o "$tmp/litmus" ||
        { not_ok "litmus builds"; return; }
    run litmus --harts 4 "$@" "$tmp/litmus"
    [ $status = 0 ] || not_ok "the litmus tests run to their end, $machine" "$(said litmus)"
    while read -r name runs seen kind; do
        case $kind:$seen in
        forbidden:0) ok "$name: never the forbidden outcome, $machine" ;;
        forbidden:*) not_ok "$name: never the forbidden outcome, $machine" "$seen of $runs" ;;
        esac
    done <"$tmp/litmus.out"
    [ "$(grep -c . "$tmp/litmus.out")" = 45 ] || not_ok "every test reports, $machine"
    for name in $weak; do
        if grep -q "^$name [0-9]* [1-9]" "$tmp/litmus.out"; then
            ok "$name: the store buffer is seen, $machine"
        else
            not_ok "$name: the store buffer is seen, $machine" "$(grep "^$name " "$tmp/litmus.out")"
        fi
    done
}

litmus default "$rounds" "SB 3.SB R"
litmus "small caches" $((rounds / 2)) "SB R" $(machine_options small_caches)
litmus "turns of one cycle" $((rounds / 2)) "SB R" --set machine.turn_cycles=1
litmus "in order" $((rounds * 3 / 4)) SB $(machine_options in_order)
litmus "slow messages" $((rounds / 2)) "SB R" --set coherence.transfer_cycles=100 \
    --set coherence.invalidate_cycles=100 $(machine_options small_caches)
