#!/usr/bin/env bash
# A program that the host serves sleeps: `cycle`, `time` and the clocks of the system move together,
# and the hart idles meanwhile.
. tests/integration/lib.sh
build_linux naps || not_ok "the program builds"
naps=$tmp/naps

# field NAME WORD: the number that the program printed after WORD in the line of that call
field() { awk -v name="$1" -v word="$2" '$1 == name { for (i = 2; i < NF; i++)
    if ($i == word) print $(i + 1) }' "$tmp/$3.out"; }
calls="nanosleep clock_nanosleep ppoll pselect6 futex"
idle() { query get "$tmp/$1.json" events.cycles_idle; }
# told STEM WORD: these numbers for each call that sleeps for a span
told() { local call; for call in $calls; do printf '%s ' "$(field $call "$2" "$1")"; done; }

run fast --mode fast --set machine.timebase_divider=1 "$naps"
same "two milliseconds at 1 GHz are 2,000,000 cycles, beside the three instructions, in each call" \
    "2000003 2000003 2000003 2000003 2000003 " "$(told fast cycles)"
same "with the divider 1, time counts the same cycles" \
    "2000001 2000001 2000001 2000001 2000001 " "$(told fast ticks)"
same "a futex times out, and the others are through" "0 0 0 0 -110 " "$(told fast result)"
slept=0
for call in $calls until; do slept=$((slept + $(field $call cycles fast) - 3)); done
same "exactly the cycles that the program saw pass are idle" "$slept" "$(idle fast)"
same "the clock of the processor leaves them out" "1" \
    "$(($(field until processor fast) < 100 && $(field until system fast) > 1990000))"

run odd --mode fast --set machine.clock_mhz=750 "$naps" 1
same "a nanosecond at 750 MHz takes one whole cycle" "4 4 4 4 4 " "$(told odd cycles)"

run awake "$naps" 0
run asleep "$naps"
without=$(told awake cycles) with=$(told asleep cycles)
moved=
for cycles in $without; do moved+="$((cycles + 2000000)) "; done
same "in the detailed engine a sleep adds its own cycles to those of the call" "$moved" "$with"
same "a program that does not sleep has no idle cycle" "0" "$(idle awake)"
apart=0
for call in $calls; do
    by=$(($(field $call cycles asleep) - 100 * $(field $call ticks asleep)))
    [ "${by#-}" -le 200 ] || apart=$((apart + 1))
done
same "time keeps its proportion of one to a hundred, but for the ticks at both ends" "0" "$apart"
same "every dispatch slot of the idle cycles is idle" "$(($(idle asleep) * 6))" \
    "$(query get "$tmp/asleep.json" events.slots_idle)"

query without "$tmp/asleep.json" host command >"$tmp/skipped"
run simulated --no-skip "$naps"
same "without skipping every statistic is the same" "$(<"$tmp/skipped")" \
    "$(query without "$tmp/simulated.json" host command)"

for machine in tiny in_order; do
    run $machine $(machine_options $machine) --oracle --profile "$tmp/$machine.prof" "$naps"
    same "the accounts are exact, ${machine//_/ } machine" "0" "$status"
    holds "the oracle charges the sleep to the routine that calls, ${machine//_/ } machine" \
        grep -q '99\.[0-9]*%.*take' <("$RVSIM" report "$tmp/$machine.prof")
done

run watched --set machine.watchdog=5000 "$naps"
same "a hart that sleeps is not stuck" "0" "$status"
for mode in detailed fast; do
    run cut --mode $mode --max-cycles 1000000 "$naps"
    same "a limit of cycles cuts a sleep where it is, $mode engine" "max_cycles 1000000" \
        "$(query get "$tmp/cut.json" result.reason) $(query get "$tmp/cut.json" events.cycles)"
done
run long "$naps" 900000000
same "six sleeps of 0.9 s take 5,400,000,000 cycles" "1" \
    "$(($(idle long) > 5399000000 && $(idle long) <= 5400000000))"
"$RVSIM" --count cycles:user --count cycles "$naps" >/dev/null 2>"$tmp/counts"
same "cycles of the user are those that are not idle" \
    "$(($(query get "$tmp/asleep.json" events.cycles) - $(idle asleep)))" \
    "$(awk '$2 == "cycles:user" { gsub(",", "", $1); print $1 }' "$tmp/counts")"
run shared --harts 2 "$naps"
same "a hart without work beside it changes none of the sleeps" "$with" "$(told shared cycles)"
