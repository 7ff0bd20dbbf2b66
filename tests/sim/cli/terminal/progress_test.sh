#!/usr/bin/env bash
# A command that takes more than a second shows its progress, in plain lines if there is no
# terminal; --quiet silences it.
. tests/sim/cli/lib.sh
unset RVSIM_PROGRESS

"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv64gc -nostdlib -static -Ttext=0x80000000 \
    -x assembler -o endless - <<'S' || not_ok "the program builds"
    .globl _start
_start:
    addi a0, a0, 1
    bnez a0, _start
    j _start
S
# watch MOMENTS COMMAND...: after a second, waits until the command prints, or for MOMENTS of a
# hundredth of a second; then Ctrl-C
watch() {
    local moments=$1 at
    shift
    "$RVSIM" "$@" endless >watch.out 2>watch.err </dev/null &
    pass_second $!
    for ((at = 0; at < moments; at++)); do
        sleep 0.01
        [ ! -s watch.err ] || break
    done
    kill -INT $!
    wait $!
    status=$?
}
stage='^rvsim callers: run 1: callers: [0-9.]+[kMG]? instructions, [0-9]+ s$'
watch 2000 callers --of _start
same "without a terminal a plain line shows progress, and Ctrl-C the rest" "130 1 0" \
    "$status $(grep -cE "$stage" watch.err) $(grep -c $'\r' watch.err)"
for silent in --quiet --no-progress; do
    watch 30 callers --of _start $silent
    same "$silent silences it" "130 0" "$status $(grep -c 'run 1: callers' watch.err)"
done
watch 30
same "a run says nothing where there is no terminal" "130 0" \
    "$status $(grep -c '^rvsim: .* MIPS, IPC' watch.err)"
watch 2000 --progress
same "with --progress a run shows progress without a terminal" \
    "130 1" "$status $(grep -c '^rvsim: .* MIPS, IPC' watch.err)"
watch 2000 tune --period 50021
stage='^rvsim tune: run 1: sampling: [0-9.]+[kMG]? instructions, [0-9.]+[kMG]? cycles, [0-9]+ s$'
same "each command says it of its own stage, with cycles where they are simulated" 1 \
    "$(grep -cE "$stage" watch.err)"
watch 2000 --progress --mode fast
same "without time there are neither cycles nor instructions in one" 1 \
    "$(grep -cE '^rvsim: [0-9.]+[kMG]? instructions, [0-9.]+ MIPS$' watch.err)"
for command in costs branches; do
    watch 2000 $command
    same "$command ends at Ctrl-C with what was measured, and no other run" "130 1 1" \
        "$status $(grep -c "^rvsim $command: run 1" watch.err) $(
            grep -c "^rvsim $command: interrupted in run 1" watch.err)"
done
for command in "hang --limit _start=1G" api; do
    rm -f watch.json
    watch 2000 $command --json watch.json
    same "the JSON of ${command%% *} has the interruption" "130 endless 1" \
        "$status $(query get watch.json program interrupted.run | paste -sd ' ')"
done
same "api says that there was no timing run" 1 \
    "$(grep -c 'instructions in the allocation run; no timing run$' watch.err)"
