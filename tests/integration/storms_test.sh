#!/usr/bin/env bash
# Hostile programs and metadata: interrupts from everywhere, marks in handlers and in the monitor, a
# monitor that serves nothing, items that the program writes itself. Nothing hangs, programs have
# their usual results, and all numbers that are promised to be exact are exact.
. tests/integration/lib.sh
machines="default tiny in_order"
mon() { query get "$tmp/$1.json" "events.$2"; }
# monitored STEM: interrupts the monitor took, and those lost
monitored() { awk -F, '/^monitor.(interrupts|lost),/ {printf "%s ", $2}' "$tmp/$1.csv"; }

build_bare storm || not_ok "storm builds"
everywhere() {
    echo 'program * interrupt'
    echo 'handler * interrupt'
    echo 'datum 8 interrupt granule=8'
}
everywhere >"$tmp/storm.meta"
# The engines agree on the number, and so do the monitors.
for machine in $machines; do
    for monitor in guest host; do
        for mode in fast detailed; do
            run storm --mode $mode $(machine_options $machine) --monitor $monitor \
                --meta "$tmp/storm.meta" --set pmu.transfers=15 --stats "$tmp/storm.csv" \
                "$tmp/storm"
            same "every instruction and datum interrupts: the program goes on, $mode engine, $(
                )$machine, monitor $monitor" 0 $status
            eval "$mode=\$(monitored storm)"
        done
        same "a storm loses no interrupt; both engines take as many, $machine, monitor $monitor" \
            "$fast|${fast%% *} 0 " "$detailed|$fast"
        [ $monitor = guest ] && guest=$fast
    done
    same "the monitor in the guest and on the host take as many, $machine" "$guest" "$fast"
    # 20 rounds: 7 instructions that commit, an ecall, and 3 accesses, a call and its return, a
    # handler of 7 instructions, two of which hints mark once more. Before and after them: 7 + 20,
    # and an access.
    same "the number of interrupts is that of the source, $machine" \
        $((20 * (8 + 3 + 2 + 7 + 2) + 7 + 20 + 1)) "${fast%% *}"
done

# An own counter with the limit 1 interrupts at every second execution.
echo 'program * counter=1 interrupt' >"$tmp/one.meta"
for monitor in guest host; do
    for mode in fast detailed; do
        run one --mode $mode --monitor $monitor --meta "$tmp/one.meta" "$tmp/storm"
        same "G1: a limit of 1 interrupts every second time, $mode engine, monitor $monitor" "0 0" \
            "$status $(query interrupts "$tmp/one.json" | awk '$3 != int($2 / 2)' | wc -l)"
    done
done

# A latency threshold of 1 cycle marks everything that takes longer. Longer are loads, atomics and
# CSR instructions: 20 rounds with a load, an atomic and an ecall, one load or atomic besides, and
# as many accesses, without the ecalls and the CSR; a store a round, whose line comes later, by its
# own mark and that of its datum. The hints of the handler, which have no threshold, mark two more
# instructions in each round.
printf '%s\n' 'program * threshold=1 interrupt' 'datum 8 threshold=1 interrupt granule=8' \
    >"$tmp/slow.meta"
for machine in $machines; do
    for monitor in guest host; do
        run slow --mode detailed $(machine_options $machine) --monitor $monitor \
            --meta "$tmp/slow.meta" --stats "$tmp/slow.csv" "$tmp/storm"
        same "a threshold of 1 cycle: nothing is lost, $machine, monitor $monitor" \
            "0 $((20 * 3 + 2 + 20 * 2 + 1 + 20 * 2 + 20 * 2)) 0 " "$status $(monitored slow)"
    done
done

# The monitor's own instructions carry no marks, whatever the metadata says.
{ cat "$tmp/one.meta"; echo '0x8fe00000 0x1ff000 count interrupt'; } >"$tmp/inside.meta"
for mode in fast detailed; do
    run inside --mode $mode --meta "$tmp/inside.meta" "$tmp/storm"
    same "marks inside the monitor do nothing, $mode engine" \
        "$(query interrupts "$tmp/one.json" | cksum) $(mon one indicator_interrupts)" \
        "$(query interrupts "$tmp/inside.json" | cksum) $(mon inside indicator_interrupts)"
done

# A monitor that acknowledges nothing is entered again and again, and in between the program runs:
# an instruction that retires, or one of the 20 ecalls.
"$guest_cc" -march=rv64ima_zicsr -mabi=lp64 -nostdlib -static -I. -T guest/monitor/monitor.ld \
    -Wl,--build-id=none $programs/lazy_monitor.S -o "$tmp/lazy.elf" || not_ok "lazy_monitor builds"
for machine in $machines; do
    for mode in fast detailed; do
        run lazy --mode $mode $(machine_options $machine) --monitor "$tmp/lazy.elf" \
            --meta "$tmp/storm.meta" --set pmu.transfers=15 "$tmp/storm"
        entries=$(mon lazy interrupts) insns=$(mon lazy insns_retired)
        name="a monitor that acknowledges nothing cannot stop the program, $mode engine, $machine"
        if [ $status = 0 ] && [ "$entries" -le $((insns - entries + 20 + 1)) ]; then ok "$name"
        else not_ok "$name" "$(said lazy)" "$entries entries, $insns instructions"; fi
    done
done

for program in claimed_storm own_items; do build_bare $program || not_ok "$program builds"; done
for machine in $machines small_caches; do
    for mode in fast detailed; do
        run claimed --mode $mode $(machine_options $machine) --meta "$tmp/claimed_storm.meta" \
            --max-insns 1000000 "$tmp/claimed_storm"
        same "a handler that is marked itself does not stop its program, $mode engine, $machine" \
            "0 exit" "$status $(query get "$tmp/claimed.json" result.reason)"
        run items --mode $mode $(machine_options $machine) --meta "$tmp/own_items.meta" \
            --max-insns 1000000 "$tmp/own_items"
        same "S8: a program changes its own metadata by stores, $mode engine, $machine" \
            "0 exit" "$status $(query get "$tmp/items.json" result.reason)"
    done
done

# --- a limit of instructions counts the program's own, however often the monitor runs
build_linux callers || not_ok "the Linux program builds"
echo 'calls(*) * interrupt' >"$tmp/limit.meta"
for mode in fast detailed; do
    for monitor in guest host; do
        run limit --mode $mode --monitor $monitor --max-insns 4000 --meta "$tmp/limit.meta" \
            "$tmp/callers"
        same "--max-insns 4000 counts the program's instructions, $mode engine, monitor $monitor" \
            "4000 1" "$(($(mon limit insns_retired) - $(mon limit insns_monitor))) $((
                $(mon limit indicator_interrupts) > 20))"
    done
done
