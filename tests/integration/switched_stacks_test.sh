#!/usr/bin/env bash
# Stacks measured in the midst of a switch between two of them: at each instruction of longjmp,
# swapcontext, setcontext and a switch of the program's own, the stack is that of the code that left
# or of the code that goes on. While registers of both are mixed, the stack ends at the switch. The
# commit trace tells the instructions of each phase.
. tests/integration/lib.sh

stacks() {
    "$RVSIM" report --measured --folded - "$tmp/$1.prof" |
        sed 's/^_start;.*;main;/main;/' | LC_ALL=C sort
}
for routine in swapcontext setcontext __longjmp swtch turns pushes; do
    echo "$routine * interrupt"
done >"$tmp/switches.meta"
for level in -O1 "-O2 -fomit-frame-pointer"; do
    build_linux switches $level || not_ok "the program builds, $level"
    "$RVSIM" --quiet --mode fast --trace "commit:$tmp/trace" "$tmp/switches"
    expected=$(python3 tests/integration/switched_stacks.py "${linux_cc%gcc}nm" \
        "$tmp/switches" "$tmp/trace" | LC_ALL=C sort)
    for way in "fast host" "fast guest" "detailed guest"; do
        read -r mode monitor <<<"$way"
        run $mode.$monitor --mode $mode --monitor $monitor --meta "$tmp/switches.meta" \
            --profile "$tmp/$mode.$monitor.prof" "$tmp/switches"
        same "no stack mixes two stacks, $level, $mode engine, monitor $monitor" "$expected" \
            "$(stacks $mode.$monitor)"
    done
done
