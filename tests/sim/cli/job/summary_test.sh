#!/usr/bin/env bash
# The summary agrees with the statistics and the top-down tree. It is of the program alone, with the
# monitor apart; the bottleneck that it names is in the tree; colours are for terminals.
. tests/sim/cli/lib.sh
cat >work.c <<'END'
#include <math.h>
#include <stdio.h>
#define ALONE __attribute__((noinline))
static unsigned next[1 << 18];
ALONE unsigned chase(unsigned at, int n)
{
    while (n-- != 0)
        at = next[at];
    return at;
}
ALONE double waves(int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += sin(i * 0.1) * exp(-i * 0.001);
    return sum;
}
int main(int argc, char **argv)
{
    for (unsigned i = 0; i < 1u << 18; i++)
        next[i] = (i * 40503u + 12345u) & ((1u << 18) - 1);
    (void)argv;
    printf("%f\n", argc > 1 ? waves(300) : chase(1, 60000) + 0.5);
    return 0;
}
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O2 -static work.c -o work -lm 2>log ||
    not_ok "the program builds" "$(<log)"

# Shares of the summary's line `slots`, one a word: "retiring=38.9".
words() {
    sed -n 's/^  slots: //p' <<<"$1" | tr ',' '\n' |
        sed 's/^ *//; s/ %$//; s/ /_/g; s/_\([0-9.]*\)$/=\1/'
}
# The first level of report's tree, the same way.
level() {
    "$RVSIM" report --topdown "$1" | awk '$1 ~ /^[0-9]/ && $2 ~ /%$/ && match($0, /%  /) {
        name = substr($0, RSTART + 3); depth = match(name, /[a-z]/) - 1
        if (depth == 2) printf "%s=%.1f\n", $NF, $2 }'
}
limit() { sed -n 's/^  limited most by: \(.*\), [0-9.]* %; more: .*/\1/p' <<<"$1"; }

for arguments in "" float; do
    rv --profile p.prof --stats s.json work $arguments
    same "the five words are the first level of the tree (work $arguments)" "$(level p.prof)" \
        "$(words "$err")"
    matches "the summary names the command that shows more (work $arguments)" \
        "; more: rvsim report --topdown p.prof$" "$err"
    same "the largest limit is in the tree (work $arguments)" yes "$("$RVSIM" report --topdown \
        p.prof | grep -q " $(limit "$err" | sed 's/.* > //; s/ /_/g')$" && echo yes)"
    same "the summary's instructions are those of the statistics (work $arguments)" \
        "$(value s.json summary.program.instructions)" \
        "$(awk '/ instructions, / {gsub(/,/, "", $1); print $1}' <<<"$err")"
done
rv work
matches "a chase through memory is limited by memory" "^back end > memory > (l2|dram)" \
    "$(limit "$err")"
matches "thresholds says more about that" "; more: rvsim thresholds work$" "$err"
rv --profile p.prof work float
matches "serialisation belongs to the back end" "^ +[0-9,]+ +[0-9.]+%      serialisation$" \
    "$("$RVSIM" report --topdown p.prof | sed -n '/back_end$/,$p')"
same "the parts of the CPI stack are the same words" "" \
    "$("$RVSIM" report --cpi p.prof | awk '$4 ~ /^[a-z]/ && !/    / {print $4}' |
        grep -vE '^(retiring|bad_speculation|front_end|back_end|idle|total)$')"

# ---- the monitor apart ------------------------------------------------------------------------

echo 'chase 2 counter interrupt
calls(waves) * interrupt' >work.meta
for monitor in guest host; do
    rv --meta work.meta --monitor $monitor --stats $monitor.json --profile $monitor.prof work float
done
same "the program's instructions do not depend on who serves interrupts" \
    "$(value host.json summary.program.instructions)" \
    "$(value guest.json summary.program.instructions)"
same "the monitor's instructions stand apart" "$(value guest.json events.insns_monitor)" \
    "$(value guest.json summary.monitor.instructions)"
same "the monitor's cycles stand apart" "$(value guest.json events.cycles_monitor)" \
    "$(($(value guest.json cycles) - $(value guest.json summary.program.cycles)))"
matches "the monitor's slots stand apart in the tree" "in the monitor, apart$" \
    "$("$RVSIM" report --topdown guest.prof)"
same "the tree's retiring slots are the program's instructions and the monitor's returns" \
    "$(($(value guest.json summary.program.instructions) +
        $(value guest.json monitor.interrupts)))" \
    "$("$RVSIM" report --topdown guest.prof |
        awk '$NF == "retiring" {gsub(/,/, "", $1); print $1}')"

# ---- colours ----------------------------------------------------------------------------------

on_terminal() { script -qec "$1" /dev/null </dev/null; }
if command -v script >/dev/null; then
    matches "a terminal has colours" $'\033\\[32mexit status 0' \
        "$(TERM=xterm on_terminal "$RVSIM --max-insns 0 --mode fast work float")"
    same "NO_COLOR is honoured" "" "$(TERM=xterm NO_COLOR=1 on_terminal \
        "$RVSIM --mode fast --no-progress work float" | grep $'\033')"
fi
rv --mode fast work float
same "a pipe has none" "" "$(grep $'\033' rv.err)"

rv work float
alone=$(grep -E '^  (slots|limited)' <<<"$err")
rv --harts 4 --os host work float
same "harts that never ran are not in the summary" "$alone" \
    "$(grep -E '^  (slots|limited)' <<<"$err" | sed 's/ --harts 4 --os host//')"
matches "a warning says that harts are idle" \
    "^rvsim: warning: a program that the host serves \(--os \
host\) runs on one hart; 3 of 4 stay idle; --os kernel uses all$" "$err"

# Runs that end at once.
rv --stats s.json --max-cycles 77 work float
same "the slots of a run without an instruction are its, too" "slots: front end 100.0 % 100.0" \
    "$(sed -n 's/^  \(slots\)/\1/p' <<<"$err") $(python3 -c '
import json
print(float(sum(json.load(open("s.json"))["summary"]["slots"].values())))')"
rv --max-insns 1 work float
matches "one instruction is written in the singular" '^  1 instruction, [0-9]+ cycles, IPC' "$err"
rv --max-cycles 1 work float
matches "one cycle is written in the singular" '^  0 instructions, 1 cycle, IPC' "$err"
rv --quiet --max-insns 1 --oracle --profile one.prof work float
matches "one instruction is written in the singular in a report" \
    '^engine +detailed: 1 instruction, [0-9]+ cycles$' \
    "$("$RVSIM" report one.prof)"
rv --fast-forward 1 --max-insns 1 work float
matches "the message of a goal that was not reached uses the singular" \
    'reached after 1 instruction, and' "$err"
rv hang --limit waves=1 work float
matches "an alarm uses the singular" \
    '^alarm 1: waves: executed 1 cycle, limit 1 of its thread' "$out"
