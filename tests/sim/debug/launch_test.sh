#!/usr/bin/env bash
# The files for Visual Studio Code in the guide: the task starts a server that says what the task
# waits for, and gdb's machine interface, which editors speak, debugs the program at the address.
. tests/sim/debug/lib.sh
page=${here%/tests/sim/cli}/docs/guide/debugger.md
block() { awk -v open="^\`\`\`[a-z]+ $1\$" '$0 ~ open {on = 1; next} /^```/ {on = 0} on' "$page"; }
block steps.c >steps.c
block launch.json >launch.json
block tasks.json >tasks.json
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread steps.c -o steps 2>log ||
    not_ok "the page's program builds" "$(<log)"
mapfile -t field < <(python3 - "$PWD" <<'PY'
import json, sys
launch = json.load(open('launch.json'))['configurations'][0]
task = {one['label']: one for one in json.load(open('tasks.json'))['tasks']}
task = task[launch['preLaunchTask']]
wait = task['problemMatcher']['background']
for text in (launch['program'], launch['miDebuggerPath'], launch['miDebuggerServerAddress'],
             launch['type'] + ' ' + launch['MIMode'], task['command'],
             wait['beginsPattern'], wait['endsPattern']):
    print(text.replace('${workspaceFolder}', sys.argv[1]))
PY
)
same "the kind is gdb's, and the addresses agree" "cppdbg gdb localhost:1234 --gdb 1234" \
    "${field[3]} ${field[2]} $(grep -o -- '--gdb 1234' <<<"${field[4]}")"

# Any free port, since tests run side by side.
command=${field[4]/#rvsim/"$RVSIM"}
timeout -k 5 60 ${command/--gdb 1234/--gdb 0 --os kernel} >rv.out 2>rv.err </dev/null &
for _ in $(seq 1200); do grep -q "${field[6]}" rv.err && break; sleep 0.05; done
matches "the server says that it waits" "${field[5]}" "$(<rv.err)"
port=$(sed -n 's/.*target remote :\([0-9]*\).*/\1/p' rv.err)
timeout -k 5 60 "${field[1]}" --interpreter=mi -nx -q >mi 2>&1 <<END
-gdb-set debuginfod enabled off
-file-exec-and-symbols ${field[0]}
-target-select remote ${field[2]%:*}:$port
-break-insert -c "n == 4" work
-exec-continue
-thread-info
-stack-list-frames 0 0
-interpreter-exec console "monitor stats insns_retired"
-break-delete
-exec-continue
-gdb-exit
END
wait
matches "gdb stops at the breakpoint" 'reason="breakpoint-hit".*func="work".*thread-id="1"' \
    "$(<mi)"
matches "the list has the thread's number and name" \
    'threads=\[.*target-id="Thread 1000",details="hart 0, user mode",name="steps"' "$(<mi)"
matches "monitor commands answer" 'insns_retired' "$(grep '^[@~]' mi)"
same "the program ends" "sum 30" "$(<rv.out)"
