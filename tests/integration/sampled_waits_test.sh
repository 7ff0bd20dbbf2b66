#!/usr/bin/env bash
# Time spent in WFI is sampled as it passes: a counter that overflows interrupts the wait for the
# monitor once a period, at the WFI, and the wait goes on.
. tests/integration/lib.sh
# idle STEM, insns STEM: the idle cycles of a run, and the program's own instructions
idle() { query get "$tmp/$1.json" events.cycles_idle; }
insns() {
    echo $(($(query get "$tmp/$1.json" events.insns_retired) -
            $(query get "$tmp/$1.json" events.insns_monitor)))
}
# build_waits NAME FLAG...
build_waits() { build_bare waits "${@:2}" && mv "$tmp/waits" "$tmp/$1" || not_ok "$1 builds"; }

# --- a monitor of the program's own, in both engines
build_waits once -DROUNDS=1 -DPERIOD=1009
build_waits often -DROUNDS=4 -DPERIOD=1009
build_waits loop -DROUNDS=4 -DPERIOD=1009 -DLOOP
build_waits never_loop -DROUNDS=4 -DPERIOD=1003520 -DLOOP
build_waits never_once -DROUNDS=1 -DPERIOD=1003520
build_waits never_often -DROUNDS=4 -DPERIOD=1003520
for mode in fast detailed; do
    for program in once often loop; do
        run $program --mode $mode "$tmp/$program"
        same "one sample a period, at the WFI, $program, $mode engine" \
            "$(($(idle $program) / 1009))" "$status"
        run never --mode $mode "$tmp/never_$program"
        same "sampling executes no instruction of the program again, $program, $mode engine" \
            "0 $(insns never)" "$status $(insns $program)"
    done
    same "the program waits until the timer comes, $mode engine" 1 \
        "$(($(idle loop) > 4 * 45000 && $(idle loop) <= 4 * 50000))"
done
run never --mode fast "$tmp/never_loop"
run loop --mode fast "$tmp/loop"
same "by hand: in the fast engine the monitor's instructions are what the wait gives up" \
    "$(idle never)" "$(($(idle loop) + $(query get "$tmp/loop.json" events.insns_monitor)))"

for machine in default tiny in_order; do
    name=${machine//_/ }
    run skipped $(machine_options $machine) --oracle --profile "$tmp/$machine.prof" "$tmp/loop"
    query without "$tmp/skipped.json" host command >"$tmp/$machine"
    run single $(machine_options $machine) --oracle --no-skip "$tmp/loop"
    same "without skipping every statistic is the same, $name" "$(<"$tmp/$machine")" \
        "$(query without "$tmp/single.json" host command)"
    charged=$("$RVSIM" report "$tmp/$machine.prof" | awk '$NF == "nap" { gsub(",", "", $1)
        print int($1) }')
    same "the oracle charges every idle cycle to the wait, not to the monitor, $name" 1 \
        "$((charged >= $(idle skipped) && charged < $(idle skipped) + 2000))"
done
run checked --check self "$tmp/loop"
same "the reference follows a wait that is interrupted" "$(($(idle checked) / 1009))" "$status"

# --- the monitors of the tool
tune() { "$RVSIM" tune --period 1009 "$@" 2>/dev/null | tr -d ,; }
build_waits program -DROUNDS=20
run plain "$tmp/program"
same "tune: one sample a period of idle cycles, all in the routine that waits" \
    "$(($(idle plain) / 1009)) nap" "$(tune --monitor host --event cycles_idle "$tmp/program" |
        awk '$NF == "nap" && NF == 5 { print $4, $5 }')"
for monitor in host guest; do
    tune --monitor $monitor "$tmp/program" >"$tmp/tune"
    same "tune: the share of the wait in the samples is its share of the time, $monitor" "" \
        "$(awk '$NF == "nap" && NF == 5 { found = 1; if ($3 + 0 > 2 || $3 + 0 < -2) print }
            END { if (!found) print "not found" }' "$tmp/tune")"
done

# --- a program that sleeps in system calls of the host
build_linux naps || not_ok "naps builds"
run naps "$tmp/naps"
for options in "--monitor host" "--monitor guest" "--monitor guest --harts 2"; do
    tune $options --period 9973 "$tmp/naps" >"$tmp/tune"
    samples=$(awk 'NR == 1 { print $2 }' "$tmp/tune")
    periods=$(($(query get "$tmp/naps.json" events.cycles) / 9973))
    same "six sleeps of 2 ms: a sample a period, $options" 1 \
        "$((samples >= periods - 10 && samples <= periods + 10))"
    same "the share of the routine that sleeps is that of its time, $options" "" \
        "$(awk '$NF == "take" && NF == 5 { found = 1; if ($3 + 0 > 1 || $3 + 0 < -1) print }
            END { if (!found) print "not found" }' "$tmp/tune")"
done

# The period and the start of the stack decide at which point of the monitor's own time a sleep
# ends: no run may wait for ever.
for period in 997 1009 1511 2003 9973; do
    for harts in 1 2; do
        "$RVSIM" tune --monitor guest --no-cost --harts $harts --period $period \
            --env "PAD=$(printf '%*s' $((period % 7 * 8)) x)" "$tmp/naps" 300000 \
            >"$tmp/tune" 2>/dev/null
        same "sleeps end while the monitor runs, period $period, $harts harts" 0 $?
    done
done
