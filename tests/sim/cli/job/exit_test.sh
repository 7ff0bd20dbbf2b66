#!/usr/bin/env bash
# How runs end: exit statuses, limits, traps, signals. Whatever happens, statistics are written.
. tests/sim/cli/lib.sh
build_ends

for mode in detailed fast; do
    for code in 0 1 42 124 255; do
        rv --mode $mode ends $code
        same "the program's status $code is the simulator's, $mode" $code "$status"
    done

    rm -f x.json
    rv --mode $mode --stats x.json ends segv
    same "an access to nothing is 128 + 11, $mode" 139 "$status"
    same "the statistics of such a run say so, $mode" "trap 139" \
        "$(value x.json result.reason) $(value x.json result.exit_code)"
    matches "the message names the routine, $mode" 'touch_nothing' "$err"
    matches "the registers are shown, $mode" '  a0 0x0000000000000010' "$err"
    matches "the cause is shown, $mode" 'store page fault' "$err"
    rv --mode $mode --quiet ends segv
    matches "a trap is told also with --quiet, $mode" 'touch_nothing' "$err"
    rv --mode $mode ends ill
    same "an illegal instruction is 128 + 4, $mode" 132 "$status"

    rv --mode $mode --stats x.json --max-insns 10000 ends spin
    same "--max-insns is a normal end, $mode" "0 max_insns" "$status $(value x.json result.reason)"
    insns=$(value x.json instructions)
    same "--max-insns is exact to a commit group, $mode" yes \
        "$([ "$insns" -ge 10000 ] && [ "$insns" -lt 10008 ] && echo yes || echo "$insns")"
    matches "--max-insns is told, $mode" 'stopped at 10000 instructions' "$err"
    rv --mode $mode --stats x.json --max-cycles 20000 ends spin
    same "--max-cycles is a normal end and exact, $mode" "0 max_cycles 20000" \
        "$status $(value x.json result.reason) $(value x.json cycles)"
    rv --mode $mode --stats x.json --timeout 0.2 ends spin
    same "--timeout is status 124, $mode" "124 timeout" "$status $(value x.json result.reason)"

    rm -f x.json x.csv
    env --default-signal=INT timeout --preserve-status -k 5 -s INT 0.5 "$RVSIM" --mode $mode \
        --stats x.json --stats x.csv ends spin 2>rv.err
    same "Ctrl-C is 128 + 2, $mode" "130 interrupted" "$? $(value x.json result.reason)"
    same "Ctrl-C leaves all statistics, $mode" "result.reason,interrupted" \
        "$(grep result.reason x.csv)"
done

rv --stats x.json ends 3
same "a limit that is not reached changes nothing" "$(value x.json cycles)" \
    "$("$RVSIM" --stats y.json --max-insns 1000000000 ends 3 2>/dev/null; value y.json cycles)"
unset RVSIM_PROGRESS
# progress_lines MOMENTS [OPTION...]: the number of lines that a run of more than a second prints:
# waits after that second until there is one, or for MOMENTS of a hundredth of a second
progress_lines() {
    local moments=$1 at
    "$RVSIM" --timeout 60 "${@:2}" ends spin >lines 2>&1 </dev/null &
    pass_second $!
    for ((at = 0; at < moments; at++)); do
        sleep 0.01
        ! grep -q ' s left$' lines || break
    done
    kill -INT $!
    wait $!
    grep -cE '^rvsim: .* MIPS, IPC .* s left$' lines
}
same "a run shows no progress where there is no terminal" 0 "$(progress_lines 30)"
same "with --progress a longer one says it in one plain line until the tenth second" 1 \
    "$(progress_lines 2000 --progress)"
same "RVSIM_PROGRESS=0 silences it, --progress does not let that" "0 1" "$(
    export RVSIM_PROGRESS=0
    echo $(progress_lines 30) $(progress_lines 2000 --progress))"
same "--quiet and --no-progress silence it, --progress does not let --quiet" "0 0 1" "$(
    echo $(progress_lines 30 --quiet) $(progress_lines 30 --no-progress) \
        $(progress_lines 2000 --quiet --progress))"
# Some machines have no pseudo-terminals.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    matches "progress is shown on a terminal" '[0-9]% done|[0-9] % done, .* s left' \
        "$(script -qc "'$RVSIM' --max-insns 100000000 --timeout 1 ends spin" /dev/null </dev/null)"
fi

# ---- commands that run the program -------------------------------------------------------------

for command in stat "record -o x.prof" "top --json x" branches mem scan tune "api --json x" \
    "whatif --set rob.entries=32" "hang --limit main=5M" "callers --of main" \
    "active --section main" idle sched lock; do
    rv $command ends 42
    same "$command has the program's status" 42 "$status"
done
rv --threads --profile x.prof ends 3
same "a program of one thread runs under the guest kernel where its threads are asked for" \
    "3 yes" "$status $(grep -q '^ *"threads": *{' x.prof && echo yes)"
rv record -o x.prof ends segv
same "a program that is ended by a signal ends record with 128 + 11" 139 "$status"
rm -f x.prof
rv record -e insns_retired -c 997 -o x.prof ends segv
insns=$("$RVSIM" --stats y.json ends segv 2>/dev/null; value y.json instructions)
same "the profile of such a run has the samples until then, and the end" "$((insns / 997)) trap" \
    "$(value x.prof monitor.interrupts) $(value x.prof result.reason)"
matches "record reports the samples of such a run" "samples in x.prof$" "$err"
matches "with the place of the signal" "SIGSEGV.*touch_nothing.* until then is kept$" "$err"
rv stat -e insns_retired --json x.json ends segv
same "stat shows what was measured, too" "139 $insns" "$status $(value x.json events.0.mean)"
rv stat -r 2 -e insns_retired --json x.json ends segv
same "so do several runs, if all of them end in this way" "139 $insns $insns" \
    "$status $(value x.json events.0.runs.0) $(value x.json events.0.runs.1)"
rm -f x.json
for command in top mem branches "scan --runs 1" thresholds tune api "whatif --set rob.entries=32" \
    "callers --of main" "active --section main" idle sched lock compare-profilers; do
    rv $command --json x.json ends segv
    same "$command of a program that a signal ends" "139 yes" \
        "$status $([ -s x.json ] && echo yes)"
    matches "$command says how the program ended" "SIGSEGV.*touch_nothing" "$err"
    rm -f x.json
done

rm -f x.prof
rv record --timeout 0.3 -o x.prof ends spin
same "--timeout is status 124 of record, too, with a profile" "124 timeout" \
    "$status $(value x.prof result.reason)"
for command in stat top mem branches scan thresholds tune api "whatif --set rob.entries=32" \
    "callers --of main" "active --section main" idle sched lock compare-profilers \
    "hang --limit main=5M"; do
    rv $command --no-progress --json x.json --timeout 0.1 ends spin
    same "$command shows what it knows at --timeout" "124 1 yes" \
        "$status $(value x.json interrupted.run) $(grep -q . x.json && echo yes)"
    matches "$command says that it is a part" "timeout was reached" "$err"
    rm -f x.json
done

for command in stat sched tune "record -o x.prof"; do
    rv $command --no-progress --fast-forward 900G --timeout 0.1 ends spin
    same "$command: --timeout before the measured part is status 124, too" "124 1" \
        "$status $(grep -c 'not reached: --timeout was reached' rv.err)"
    rv $command --fast-forward 900G ends segv
    same "$command: a signal that ends the program before it is its status" "139 1" \
        "$status $(grep -c 'not reached: ' rv.err)"
done

build_waits
rv lock --harts 2 --stacks --json x.json waits
same "lock shows the locks of a deadlock" "132 1 1" "$status $(grep -c ' left$' rv.out) \
$(grep -c ' right$' rv.out)"
matches "and that there is one" "every hart waits" "$err"

# ---- Ctrl-C before there is anything to show ---------------------------------------------------

# By this time the guest kernel starts or has started.
wrong=""
for delay in 0.01 0.02 0.03 0.05 0.08; do
    for command in --quiet sched idle "active --section main"; do
        env --default-signal=INT timeout --preserve-status -k 5 -s INT $delay "$RVSIM" $command \
            --os kernel --no-progress ends spin >int.out 2>int.err </dev/null
        case $?:$(<int.err) in
        [01]:* | 130:*error*) wrong+="$command, $delay s: $(<int.err)"$'\n' ;;
        130:*) ;;
        *) wrong+="$command, $delay s: another status"$'\n' ;;
        esac
    done
done
same "a signal while the guest kernel starts ends the command as any other does" "" "$wrong"

# A limit in front of instructions that execute alone: those that have had their effects commit,
# too.
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv64ima_zicsr_zifencei -mabi=lp64 -nostdlib -static \
    -Wl,--no-warn-rwx-segments -T "$tools/bare.ld" "$here/job/alone.S" -o alone 2>log ||
    not_ok "the program alone.S builds" "$(<log)"
for config in default u74 c910; do
    wrong=
    for insns in 1 2 3 4 5 6 7 8 9 10 11; do
        timeout -s KILL 60 "$RVSIM" --config $config --quiet --max-insns $insns --stats x.json alone
        [ $? = 0 ] && got=$(value x.json instructions) || got=0
        [ "$got" -ge $insns ] && [ "$got" -le $((insns + 2)) ] || wrong+="$insns: $got "
    done
    same "a limit in front of instructions that execute alone ends the run, $config" "" "$wrong"
done
