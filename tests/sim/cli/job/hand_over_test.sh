#!/usr/bin/env bash
# A program that turns out to need the guest kernel begins again under it: without an option, in
# every command, with no output twice. Nothing of its first start may be visible outside.
. tests/sim/cli/lib.sh
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -Wall -Werror "$here/job/hand_over.c" \
    -o ticking ||
    not_ok "hand_over.c builds"
note="rvsim: note: ticking needs the guest kernel for the system call setitimer: it begins again, \
as with --os kernel"
missed="rvsim: note: system call 103 (setitimer) is not supported; the program gets ENOSYS, and \
with --os kernel the call is served"

for mode in fast detailed; do
    rv --os kernel --mode $mode --stats kernel.json ticking
    same "the kernel serves the timer, $mode" "5 begin ticks" "$status $out"
    rv --mode $mode --stats again.json ticking
    same "without the option: status and output, once, $mode" "5 begin ticks" "$status $out"
    same "one line says so, $mode" "$note" "$(grep -E 'note|warning' <<<"$err")"
    same "everything counted is the same, $mode" \
        "$(query get kernel.json instructions cycles events.insns_retired kernel.boot_insns)" \
        "$(query get again.json instructions cycles events.insns_retired kernel.boot_insns)"
    rv --mode $mode --quiet ticking
    same "the line is there with --quiet, too, $mode" "$note" "$err"
    rv --os host --mode $mode --quiet ticking
    same "--os host stays, $mode" "5 begin in vain $missed" "$status $out $err"
done

# Traces that an observer outside may have seen.
rv --mode fast --quiet ticking first
same "after output the program gets ENOSYS" "first
begin in vain $missed" "$out $err"
echo word | "$RVSIM" --mode fast --quiet ticking input >rv.out 2>rv.err
same "after input, too" "begin word
in vain $missed" "$(<rv.out) $(<rv.err)"
rv --mode fast --quiet ticking file
same "after making a directory, too" "begin in vain $missed" "$out $err"
rmdir made
rv --mode fast --quiet --max-insns 60000 --trace commit:- ticking
same "after a trace on standard output, too" "$missed" "$err"
rv --mode fast --quiet --trace commit:trace ticking
same "a trace in a file is that of the run under the kernel" "$note" "$err"

# Each command that runs a program, with the number of times that it says so.
while read -r command; do
    rv $command ticking
    same "rvsim $command: begins again, once" "5 1" "$status $(grep -cF "$note" <<<"$err")"
    same "rvsim $command: nothing else is missed" "" "$(grep -E 'ENOSYS|error' <<<"$err")"
done <<'END_OF_LIST'
record --mode fast
stat
top --mode fast
tune --mode fast
scan --mode fast
branches --mode fast
callers --mode fast --of work
thresholds --runs 2
mem
costs --sweep limit
compare-profilers
compare-profilers --no-bias
api
hang --limit work=1000000
--check self
--harts 4 --mode fast
--fast-forward 2000
--roi work
END_OF_LIST
for command in sched lock idle "active --section work"; do
    rv $command ticking
    same "rvsim $command: has the kernel from the start" "5 0" \
        "$status $(grep -c 'begins again' <<<"$err")"
done
