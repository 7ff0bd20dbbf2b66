#!/usr/bin/env bash
# Statistics in their three formats: complete, exact, and the same numbers in each.
. tests/sim/cli/lib.sh
build_levels
architectural=$here/../../../pmu/event_architectural.def
cat >levels.meta <<'END'
leaf * counter label=2
even 4 counter
odd 4 counter=2 interrupt
down 4 counter interrupt
cell 4 counter
range I0 leaf *
range D0 cell 4
END

for mode in detailed fast; do
    rv --mode $mode --meta levels.meta --stats x.json --stats x.csv --stats x.txt levels
    same "the run ends as the program does, $mode" 7 "$status"
    query valid x.json >log && ok "the JSON has every member, $mode" ||
        not_ok "the JSON has every member, $mode" "$(<log)"
    same "every mark has its exact count, $mode" "$(cat <<'END'
even 5 0
odd 5 1
leaf 25 0
leaf+0x4 25 0
leaf+0x8 25 0
leaf+0xc 25 0
leaf+0x10 25 0
leaf+0x14 25 0
down 5 5
cell 50 0
END
)" "$(query interrupts x.json)"
    same "marks come in order of address, $mode" "$(query marks x.json)" \
        "$(query marks x.json | sort)"
    same "ranges are exact, $mode" "$(printf 'I0 25 150\nD0 10 50')" "$(query ranges x.json)"
    same "callers are exact, $mode" "$(printf 'down down 4\ndown main 1\nodd main 1')" \
        "$(query callers x.json | sort)"
    same "a mark says where it is, $mode" "levels.S:67 2" \
        "$(value x.json marks.2.line) $(value x.json marks.2.label)"
    same "a mark's flags are words, $mode" '["interrupt","counter"] 2' \
        "$(value x.json marks.1.flags) $(value x.json marks.1.limit)"

    # JSON against CSV, number by number.
    awk -F, 'NR > 1 && ($1 ~ /^(events|hart0)\./ || $1 == "cycles" || $1 == "instructions")' \
        x.csv >numbers
    keys=()
    while IFS=, read -r name number; do
        case $name in
        events.* | cycles | instructions) keys+=("$name") ;;
        hart0.cycles | hart0.instructions) keys+=("harts.0.${name#*.}") ;;
        *) keys+=("harts.0.events.${name#*.}") ;;
        esac
    done <numbers
    wrong=
    while IFS=' ,' read -r found name number; do
        [ "$found" = "$number" ] || wrong+="$name "
    done < <(query get x.json "${keys[@]}" | paste -d ' ' - numbers)
    same "CSV and JSON have the same numbers, $mode" "" "$wrong"
    same "the statistics have as many counts as there are events, $mode" \
        $((2 * $(if [ $mode = fast ]; then grep -c '^EVENT_ARCH' "$architectural"; else
            "$RVSIM" events | tail -n +2 | wc -l; fi) + 4)) "$(wc -l <numbers)"
    same "CSV, JSON and config show agree on storage, $mode" \
        "$("$RVSIM" config show | sed -n 's/^; \([a-z0-9_]*\) *\([0-9][0-9]*\)  .*/\1 \2/p')" \
        "$(sed -n 's/^storage_bits\.\([^,]*\),/\1 /p' x.csv)"
    same "the JSON has a predictor's storage, $mode" \
        "$(sed -n 's/^storage_bits.direction,//p' x.csv)" "$(value x.json storage_bits.direction)"
    same "every row of the CSV has a name and a value, $mode" "" \
        "$(awk -F, 'NF != 2 || $1 == "" || $2 == ""' x.csv)"

    # gem5's layout, field by field.
    same "gem5's layout: begin and end, $mode" "$(cat <<'END'
---------- Begin Simulation Statistics ----------
---------- End Simulation Statistics   ----------
END
)" "$(grep -- ------ x.txt)"
    same "gem5's layout: every line is name, value, description, unit, $mode" "" \
        "$(grep -v -e ------ -e '^$' x.txt | grep -vE \
        '^[A-Za-z][A-Za-z0-9_.:]* +[0-9.]+ +([0-9.]+% +[0-9.]+% )?# .+ \([A-Za-z/]+\)$')"
    same "gem5's layout: names at column 1, values to column 53, $mode" "" \
        "$(grep -v -e ------ -e '^$' x.txt | awk 'length($1) <= 40 && length($2) <= 12 &&
            substr($0, 54 - length($2), length($2)) != $2')"
    stat() { awk -v name="$1" '$1 == name {print $2}' x.txt; }
    same "gem5's names mean the same, $mode" \
        "$(value x.json instructions) $(value x.json cycles) $(value x.json cycles)000" \
        "$(stat simInsts) $(stat system.cpu.numCycles) $(stat simTicks)"
    [ $mode = detailed ] || continue     # what follows needs time
    same "gem5's ipc is the ratio, $mode" "$(stat system.cpu.ipc)" \
        "$(awk -v i="$(stat simInsts)" -v c="$(stat system.cpu.numCycles)" \
            'BEGIN {printf "%.6f\n", i / c}')"
    same "gem5's vector sums to its total, $mode" "$(stat system.cpu.slots::total)" \
        "$(awk '/slots::/ && !/total/ {sum += $2} END {print sum + 0}' x.txt)"
    same "gem5's layout has the numbers of the JSON, $mode" \
        "$(value x.json events.slots_retiring)" \
        "$(stat system.cpu.slots::retiring)"
done

rv --meta levels.meta --stats x.json levels
"$RVSIM" --meta levels.meta --stats y.json levels 2>/dev/null
same "two runs differ in nothing but the host's part and the command" \
    "$(query without x.json host command)" "$(query without y.json host command)"
same "settings are typed" "$(cat <<'END'
"fetch.width": 8,
"bpred.kind": "tage_sc_l",
"l1i.kib": 64,
"l1i.hit_under_miss": true,
END
)" "$(sed 's/^ *//' x.json | grep -E '"(l1i.kib|l1i.hit_under_miss|bpred.kind|fetch.width)":')"
"${OBJCOPY:-riscv64-unknown-elf-objcopy}" --add-section .perfinst=levels.meta levels carrier
rv --stats y.json carrier
same "a program can carry its metadata in a section" "$(query interrupts x.json)" \
    "$(query interrupts y.json)"
echo 'leaf 4 interrupt' >leaf.meta
rv --monitor none --meta leaf.meta levels
matches "interrupts that nobody takes are told: eight wait, the others are lost" \
    'nobody took the indicator interrupts: 17 lost' "$err"
rv --set l1i.kib=16 --stats x.json levels
matches "the configuration is the effective one" '"l1i.kib": 16,' "$(<x.json)"

for mode in detailed fast; do
    rv --mode $mode --fast-forward 100 --stats x.json --meta levels.meta levels
    rv --mode $mode --stats y.json levels
    same "fast-forwarded instructions are not measured, $mode" "100 $(value y.json instructions)" \
        "$(value x.json fast_forwarded) $(($(value x.json instructions) -
            $(value x.json events.insns_monitor) + 100))"
    rv --mode $mode --roi down --stats x.json --meta levels.meta --trace commit:x.log levels
    same "the region of interest begins at its first instruction, $mode" \
        "0x$(printf %016x $((0x80000000 + 0x$("${NM:-riscv64-unknown-elf-nm}" levels |
            awk '$3 == "down" {print substr($1, 9)}') - 0x80000000)))" \
        "$(awk 'NR == 1 {print $4}' x.log)"
    same "marks count from there on, $mode" "down 5 5" "$(query interrupts x.json | grep down)"
    same "marks do not count before that, $mode" \
        "leaf 0 0" "$(query interrupts x.json | grep '^leaf ')"
done
