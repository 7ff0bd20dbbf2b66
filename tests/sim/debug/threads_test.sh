#!/usr/bin/env bash
# A real gdb sees the threads of the guest kernel: their names, the registers and memory of those
# that no hart runs, steps of any of them, forward and back; and the program runs as without gdb.
. tests/sim/debug/lib.sh
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread "$debug/threads.c" -o threads 2>log ||
    not_ok "the program threads.c builds" "$(<log)"
program=threads

# The threads take the lock in the order of their numbers. A thread that waits is in the wait of the
# lock, called by worker with its id.
for mode in fast detailed; do
    session --mode $mode --harts 2 --stats gdb.json threads <<'END'
break spin if id == 2
continue
info threads
printf "names %d\n", $_thread
thread find third
thread 5
printf "sleeper %d\n", $pc == (unsigned long)__lll_lock_wait + 40
p $priv
p $mcause
p share
p $sp != 0
thread 4
finish
stepi
stepi
printf "in %d\n", id
reverse-stepi
reverse-stepi
bt 1
delete
break spin
continue
printf "third %d %d\n", id, turns[2]
thread apply all -s -q p $_thread
delete
continue
END
    name="$mode"
    matches "the running thread has name and hart, $name" \
        '^\* 4 +Thread 1002 "second" \(hart [01], user mode\) +spin \(id=' "$seen"
    matches "a thread that waits has its state and place, $name" \
        '^  5 +Thread 1003 "(third|threads)" \(blocked\) +0x[0-9a-f]+ in __lll_lock_wait' "$seen"
    matches "main waits for the first, $name" '^  1 +Thread 1000 "threads" \((blocked|ready|hart)' \
        "$seen"
    same "a thread's registers are those of user code; only harts have control registers, $name" \
        "sleeper 1|\$1 = 0|\$2 = <unavailable>|\$3 = 0.25|\$4 = 1" \
        "$(shown '^sleeper|^\$[1-4]' | paste -sd'|')"
    matches "finish is the thread's own, $name" 'Value returned is .* = 4000$' "$seen"
    same "steps go back as they went, $name" "in 2" "$(shown '^in 2')"
    same "the next thread comes in its turn, $name" "third 3 4000" "$(shown ^third)"
    same "the program ends as without gdb, $name" "0 1000 4000 9000 1.50" "$status $out"
    "$RVSIM" --mode $mode --harts 2 --quiet --stats plain.json threads >/dev/null
    same "a look at threads costs nothing, $name" \
        "$(value plain.json cycles) $(value plain.json instructions)" \
        "$(value gdb.json cycles) $(value gdb.json instructions)"
done

# A thread that waits steps when it runs again: the others go on until then.
session --harts 2 threads <<'END'
break spin if id == 1
continue
thread 5
stepi
printf "first did %ld, second %ld\n", turns[1], turns[2]
info threads
thread 1
set var $mcause = 1
END
same "a step of a thread that waits ends when the lock is its own" "first did 1000, second 4000" \
    "$(shown '^first did')"
matches "the step stops there" '^\* 5 +Thread 1003 "[a-z]+" \(hart [01], user mode\)' "$seen"
matches "a thread that no hart runs has no control registers to write" \
    'Could not write register "mcause"' "$seen"

# Values written to a thread that waits are there when it goes on, and again on the way back. worker
# keeps its id in s11, and as a factor in fs5.
for mode in fast detailed; do
    session --mode $mode --harts 2 --stats gdb.json threads <<'END'
break spin if id == 2
continue
thread 5
printf "kept %d %.1f\n", $s11, $fs5
set var $fs5 = 2.5
set var $s11 = 1
printf "set %d %.1f\n", $s11, $fs5
delete
break spin
continue
printf "spins %d %d %.1f\n", id, n, $fs5
reverse-stepi
stepi
printf "again %d %.1f\n", id, $fs5
delete
continue
END
    same "a thread that waits goes on with the registers that were written, and so again, $mode" \
        "kept 3 3.0|set 1 2.5|spins 1 1000 2.5|again 1 2.5" \
        "$(shown '^kept|^set|^spins|^again' | paste -sd'|')"
    same "the program computes with the registers that were written, $mode" \
        "0 2000 4000 0 1.25" "$status $out"
done
