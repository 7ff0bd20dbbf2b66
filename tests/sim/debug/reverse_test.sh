#!/usr/bin/env bash
# Watchpoints and reverse execution: after a step back, registers and memory have their former
# values, in both engines, with and without the guest kernel; output is written once.
. tests/sim/debug/lib.sh
build_steps
program=steps

# total is 0, 1, 3, 6, 10, 15; work adds n and returns 2 * n.
for mode in fast detailed; do
    for os in host kernel; do
        name="$mode, --os $os"
        session --mode $mode --os $os steps <<'END'
break main
continue
watch total
continue
printf "first %d\n", total
continue
printf "second %d\n", total
reverse-continue
printf "before the second %d\n", total
reverse-continue
printf "before the first %d\n", total
delete
break work
continue
continue
continue
printf "third %d %d\n", n, total
set $there = $pc
set $count = $instret
stepi
stepi
stepi
reverse-stepi
reverse-stepi
reverse-stepi
printf "back %d %d %d\n", $pc == $there, $instret == $count, total
reverse-continue
printf "the call before %d %d\n", n, total
reverse-finish
printf "in main %d\n", i
delete
reverse-continue
break main
continue
awatch total
continue
printf "read %d\n", total
delete
continue
END
        same "a watchpoint stops after each change, $name" "first 1 second 3" \
            "$(echo $(shown '^(first|second)'))"
        same "backwards it stops before, $name" "before the second 1 before the first 0" \
            "$(echo $(shown '^before the'))"
        same "steps back undo steps, $name" "third 4 6 back 1 1 6" \
            "$(echo $(shown '^(third|back)'))"
        same "the breakpoint before is that of the call before, $name" \
            "the call before 3 3 in main 3" "$(echo $(shown '^(the call|in main)'))"
        matches "there is nothing before the start, $name" 'No more reverse-execution history' \
            "$seen"
        same "an access is seen again from the start, $name" "read 0" "$(shown '^read')"
        same "the program ends as ever, its output is written once, $name" "30 sum 30" \
            "$status $out"
    done

    # Writes of gdb before the place stay; writes after it are undone.
    session --mode $mode steps <<'END'
break work if n == 2
continue
set var total = 100
break work if n == 4
continue
printf "fourth %d\n", total
set var total = 1000
stepi
stepi
stepi
stepi
reverse-continue
printf "there again %d %d\n", n, total
reverse-stepi
delete
continue
END
    same "writes are repeated on the way, $mode" "fourth 105 there again 4 1000" \
        "$(echo $(shown '^(fourth|there)'))"
    same "the program goes on with repeated writes, $mode" "30 sum 30" "$status $out"
    session --mode $mode steps crash <<'END'
continue
reverse-stepi
reverse-stepi
printf "alive %d\n", total
continue
END
    same "a crash can be left backwards, $mode" "alive 15" "$(shown ^alive)"
    same "a crash that was left backwards comes again, $mode" "2" "$(grep -c SIGSEGV <<<"$seen")"
done

build_harts harts64 -march=rv64ima_zicsr -mabi=lp64
program=harts64
one=54                          # in the fast engine hart 3 has all its turns at the end
for mode in fast detailed; do
    session --mode $mode --harts 4 harts64 <<'END'
break all
continue
watch *(int *)&sum
reverse-continue
printf "last %d\n", *(int *)&sum
thread
reverse-continue
printf "one before %d\n", *(int *)&sum
delete
continue
END
    matches "the last addition was hart 3's, $mode" '^last 57$' "$seen"
    same "the addition before it was that of the hart before, $mode" "one before $one" \
        "$(shown '^one before')"
    same "the end is the same, $mode" 60 "$status"
    one=55                      # in the other one the harts go round
done

# gdb names the hart of its first step back once; a later step back is of the hart of the later
# stop.
session --mode detailed --harts 4 harts64 <<'END'
watch *(int *)&sum
continue
reverse-stepi
printf "first %d\n", $_thread
continue
continue
continue
printf "later %d\n", $_thread
reverse-stepi
printf "back %d\n", $_thread
delete
continue
END
first=$(shown '^first' | cut -d' ' -f2) later=$(shown '^later' | cut -d' ' -f2)
same "a step back is of the hart that stopped, not of the one before" "True True" \
    "$([ "$first" != "$later" ] && echo True) $(
        [ "back $later" = "$(shown '^back')" ] && echo True)"
