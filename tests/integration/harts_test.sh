#!/usr/bin/env bash
# Several harts: coherence events of hand-counted programs, a lock that every hart gets, work split
# among harts.
. tests/integration/lib.sh

# The work of the harts is counted by hand, so they must see each other's stores at once.
counted() {
    local name=$1 program=$2 machine
    shift 2
    build_bare "$program" "$@" || { not_ok "$program builds"; return; }
    for machine in default tiny in_order small_caches; do
        for transfer in direct through_l2; do
            run "$program" --harts 2 --set machine.turn_cycles=1 $(machine_options $machine) \
                --set coherence.transfer=$transfer "$tmp/$program"
            same "$name, $(in_words $machine), $(in_words $transfer): it ends well" 0 $status
            same "$name, $(in_words $machine), $(in_words $transfer): events are exact" \
                "$(events_expected "$program")" "$(events_of "$program" "$program")"
        done
    done
}
counted "false sharing" ping_pong -DAPART=8
counted "words apart" ping_pong -DAPART=128
counted "producer and consumer" producer

build_bare spin_lock
for machine in default tiny in_order small_caches; do
    for turn in 1 10 1000; do
        run spin_lock --harts 4 $(machine_options $machine) --set machine.turn_cycles=$turn \
            "$tmp/spin_lock"
        same "four harts all get a lock of LR and SC, $(in_words $machine), turns of $turn" \
            0 $status
    done
done

# The order in which harts get a lock does not change when every instruction is compared.
run watched --harts 4 --mode fast --trace commit:/dev/null "$tmp/spin_lock"
run alone --harts 4 --mode fast "$tmp/spin_lock"
same "in the fast engine a trace changes no hart's instructions" \
    "$(grep insns_retired "$tmp/alone.json")" "$(grep insns_retired "$tmp/watched.json")"

for harts in 1 2 4; do
    build_bare split_work -DHARTS=$harts $programs/start_harts.S ||
        { not_ok "split_work builds"; continue; }
    for machine in default tiny in_order small_caches exclusive_caches; do
        for mode in fast detailed; do
            run split_work --harts $harts --mode $mode $(machine_options $machine) \
                "$tmp/split_work"
            same "$harts harts with barriers compute the same, $mode engine, $(in_words $machine)" \
                0 $status
        done
    done
done

# The clock, at the cycle of the hart that reads it: 10 cycles a turn in detail, up to 1000 fast.
for harts in 1 2 4; do
    for mode in fast detailed; do
        turn=$([ $mode = fast ] && echo 1000 || echo 10)
        build_bare harts_clock -DHARTS=$harts -DTURN=$turn $programs/start_harts.S ||
            { not_ok "harts_clock builds"; continue; }
        run harts_clock --harts $harts --mode $mode --set machine.timebase_divider=100 \
            "$tmp/harts_clock"
        same "$harts harts read a clock of their own cycles that never goes back, $mode engine" \
            0 $status
    done
done

# Slower messages take more cycles and change no count.
build_bare ping_pong -DAPART=8
for cycles in 18 60; do
    run slow --harts 2 --set machine.turn_cycles=1 --set coherence.transfer_cycles=$cycles \
        --set coherence.invalidate_cycles=$cycles "$tmp/ping_pong"
    same "messages of $cycles cycles change no count" "$(events_expected ping_pong)" \
        "$(events_of slow ping_pong)"
    declare "cycles_$cycles=$(query get "$tmp/slow.json" cycles)"
done
# Each of the 1000 turns waits for two transfers and an upgrade in a row.
if [ $((cycles_60 - cycles_18)) -gt $((1000 * 2 * 42)) ]; then
    ok "every turn waits for its messages"
else
    not_ok "every turn waits for its messages" "$cycles_18, then $cycles_60 cycles"
fi
