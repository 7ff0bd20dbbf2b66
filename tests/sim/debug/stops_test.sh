#!/usr/bin/env bash
# A real gdb debugs Linux programs in both engines, by the host and by the guest kernel, and
# bare-metal ones of 64 and 32 bits: breakpoints, steps, registers, memory, ends.
. tests/sim/debug/lib.sh
build_steps
program=steps

# The values that follow from the source: work is called with 1, 2, ...; total is the sum of its
# earlier arguments.
declare -A thread=([host]='Thread 1' [kernel]='Thread 1000 "steps"')
for mode in fast detailed; do
    for os in host kernel; do
        name="$mode, --os $os"
        session --mode $mode --os $os --stats gdb.json steps <<'END'
break work
continue
printf "first %d %d\n", $a0, total
stepi
stepi
printf "in work+%d\n", $pc - (unsigned long)&work
info threads
finish
hbreak work if n == 4
delete 1
continue
printf "fourth %d %d\n", n, total
backtrace
p half
p $priv
p $fcsr
p $instret > 0
delete
next
next
continue
END
        same "the breakpoint stops before the first call, $name" "first 1 0" "$(shown ^first)"
        matches "stepi executes one instruction, $name" '^in work\+[2-8]$' "$seen"
        matches "a hart is a thread, or a thread of the kernel's, $name" \
            "${thread[$os]} \\(hart 0, user mode\\)" "$seen"
        matches "finish ends after the call, $name" 'Value returned is .* = 2$' "$seen"
        same "the fourth call has three before it, $name" "fourth 4 6" "$(shown ^fourth)"
        matches "the backtrace reaches main, $name" '^#1 .* in main ' "$seen"
        same "memory, privilege and control registers are read, $name" "0.5 0 0 1" \
            "$(echo $(sed -n 's/^\$[2-9] = //p' <<<"$seen"))"
        matches "the end is told, $name" 'exited with code 036' "$seen"
        same "the program ends as without gdb, $name" "30 sum 30" "$status $out"
        "$RVSIM" --mode $mode --os $os --quiet --stats plain.json steps >/dev/null
        same "stops cost nothing, $name" \
            "$(value plain.json cycles) $(value plain.json instructions)" \
            "$(value gdb.json cycles) $(value gdb.json instructions)"
    done

    session --mode $mode steps <<'END'
break work
continue
set var total = 1000
set var n = 7
p total
delete
break 27
continue
p total
END
    same "values that gdb writes take effect, $mode" \
        "1000 1021" "$(echo $(sed -n 's/^\$[12] = //p' <<<"$seen"))"

    session --mode $mode steps crash <<'END'
continue
info symbol $pc
p/x *(int *)&total
continue
END
    matches "a crash stops at the instruction, $mode" 'SIGSEGV' "$seen"
    matches "with its state, $mode" '^crash' "$seen"
    matches "a crash ends the program, $mode" 'Program terminated with signal SIGSEGV' "$seen"
    same "with the status of the signal, $mode" 139 "$status"

    session --mode $mode steps <<'END'
kill
END
    same "kill ends the simulator, $mode" "137 " "$status $out"
    session --mode $mode steps <<'END'
break work
continue
delete
detach
END
    same "after detach the program runs on, $mode" "30 sum 30" "$status $out"
    session --mode $mode steps <<'END'
break work
continue
disconnect
END
    same "a lost connection ends the run, $mode" "129 1" \
        "$status $(grep -c 'closed the conn' rv.err)"
done

# Four harts: each adds its number ten times; the third one is number 2.
build_harts harts64 -march=rv64ima_zicsr -mabi=lp64
build_harts harts32 -march=rv32ima_zicsr -mabi=ilp32
for xlen in 64 32; do
    program=harts$xlen
    for mode in fast detailed; do
        session --mode $mode --harts 4 $program <<'END'
break add thread 3
continue
continue
thread
p $s3
p/x $mhartid
p/x $misa
delete
break all
continue
p *(int *)&sum
p *(int *)&done
thread apply all p/x $s0
set var *(int *)&sum = 21
continue
END
        matches "a thread's own breakpoint stops that hart, $xlen, $mode" \
            '^\[Current thread is 3 \(Thread 3\)\]' "$seen"
        same "the breakpoint stops the hart the second time, $xlen, $mode" "9 0x2" \
            "$(echo $(sed -n 's/^\$[12] = //p' <<<"$seen"))"
        same "registers are each hart's own, $xlen, $mode" "0x3 0x2 0x1 0x0" \
            "$(echo $(sed -n 's/^\$[6-9] = //p' <<<"$seen"))"
        same "the sum is that of all, $xlen, $mode" "60 4" \
            "$(echo $(sed -n 's/^\$[45] = //p' <<<"$seen"))"
        same "a written value decides the end, $xlen, $mode" 21 "$status"
    done
done

# A program that never ends: Ctrl-C, from gdb, after a second.
build_ends
program=ends
for mode in fast detailed; do
    session --mode $mode ends spin <<'END'
python import os, signal, threading
python threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
continue
p turns > 0
kill
END
    matches "Ctrl-C stops a running program, $mode" 'SIGINT' "$seen"
    matches "the variables of the program are there, $mode" '^\$1 = 1$' "$seen"
done

# A page that the program has, but has not touched yet, can be read and written.
printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' 'int main(void)' '{' \
    '    char *volatile piece = malloc(1 << 20);' '    return piece[500000];' '}' >untouched.c
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O0 -g -static untouched.c -o untouched
for mode in detailed fast; do
    program=untouched session --mode $mode untouched <<'GDB'
break 6
continue
print (int)piece[500000]
set var piece[500000] = 42
continue
GDB
    matches "a page not touched yet reads as zeros, $mode" '^\$1 = 0$' "$seen"
    same "the program finds what gdb wrote to it, $mode" 42 "$status"
done
program=untouched session --mode fast --os kernel untouched <<'GDB'
break 6
continue
print (int)piece[500000]
set var piece[500000] = 42
GDB
matches "an untouched page reads as zeros under the guest kernel, too" '^\$1 = 0$' "$seen"
matches "only the guest kernel can give a page: the simulator says why gdb cannot write" \
    '^rvsim: debugger: 0x[0-9a-f]+ is not written: the program has not used this page yet' "$err"

# After a fork both processes have one page until one stores to it: a write would be in both.
printf '%s\n' '#include <sys/wait.h>' '#include <unistd.h>' 'volatile int number = 5;' \
    'int main(void)' '{' '    int status;' '    pid_t child = fork();' '    if (child == 0)' \
    '        _exit(number);' '    waitpid(child, &status, 0);' \
    '    number += WEXITSTATUS(status);' '    return number;' '}' >shared.c
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O0 -g -static shared.c -o shared
program=shared session --mode fast --os kernel shared <<'GDB'
break 10
continue
set var number = 40
GDB
matches "gdb does not write a page that another process has, too: the simulator says why" \
    '^rvsim: debugger: 0x[0-9a-f]+ is not written: process 1001 has the same page' "$err"

refused "--gdb and --check exclude each other" \
    "--gdb: --trace, --check and --roi-end watch the same instructions; leave them out" \
    --gdb ./socket --check self steps
refused "a bad place is told" "--gdb nowhere: expected a port from 0 to 65535, a path with a '/' \
for a socket, or -" --gdb nowhere steps
refused "a socket takes no other file's place" "--gdb ./steps: a file of this name is there, and \
is no socket; expected the name of a new one" --gdb ./steps steps
matches "a pipe is a place too" 'exited with code 036' "$(gdb-multiarch -nx -batch \
    -ex 'file steps' -ex "target remote | '$RVSIM' --quiet --gdb - steps" -ex continue 2>&1)"

# waiting SIGNAL: the status and the files of a simulator that waits for gdb and gets the signal
waiting() {
    rm -f socket
    timeout -k 5 60 "$RVSIM" --quiet --gdb ./socket --stats waiting.json steps >rv.out 2>rv.err \
        </dev/null &
    for _ in $(seq 200); do [ -S socket ] && break; sleep 0.05; done
    sleep 0.2
    kill -"$1" "$(pgrep -P $!)"
    wait $!
    echo "$? $(<rv.err) $(ls socket 2>/dev/null) $(value waiting.json result.reason)"
}
same "SIGTERM ends a simulator that waits for gdb" '143   interrupted' "$(waiting TERM)"
same "a closed terminal ends the wait" '129   interrupted' "$(waiting HUP)"
