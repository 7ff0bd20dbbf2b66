#!/usr/bin/env bash
# A program whose child executes another one, at the same addresses: every tool names the programs
# that ran, with the numbers of each. The number of instructions of each follows from its source,
# except for a few at start and end.
. tests/sim/cli/lib.sh
# build NAME OPTION...
build() {
    "${LINUX_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static -Wl,--build-id=none "${@:2}" \
        "$here/tool/executed.S" -o "$1" 2>log || not_ok "$1 builds" "$(<log)"
}
build parent -DFORKS -DROUNDS=5000 -DNAME=mine
build child -DROUNDS=15000 -DNAME=other
for mode in fast detailed; do
    rv --mode $mode --os kernel --quiet --profile $mode.prof parent
    # Rounded: the loops, in thousands of instructions
    same "each program has its own instructions, $mode" "parent 10 child 30" \
        "$(python3 -c 'import json, sys
for one in json.load(open(sys.argv[1]))["binary"]["images"]:
    print(one["program"], one["instructions"] // 1000, end=" ")' $mode.prof | sed 's/ $//')"
    report=$("$RVSIM" report $mode.prof 2>log)
    matches "report says so, $mode" \
        '^programs  parent executed 10,0[0-9]+ instructions, 25\.[0-9]+ %' "$report"
    matches "report names the other program, $mode" \
        '^ +child executed 30,0[0-9]+ instructions, 74\.[0-9]+ %' "$report"
done
# tool NAME OPTION...
tool() {
    rv "$@" --os kernel parent
    matches "$1 says which programs ran" \
        '^programs  parent executed 10,0[0-9]+ instructions, 25\.[0-9]+ %$' "$out"
    matches "$1 says what the other one did" '^ +child executed 30,0[0-9]+ instr' "$out"
}
tool callers --of mine
tool branches --mode fast
tool scan
matches "scan counts the other program, too" '^ +30,00[0-9] .* 0x10000@child$' "$out"
tool scan --slice 5000
matches "in slices it leaves that out, and says so" \
    'not that of the programs that it executes$' "$err"
tool sched
tool stat --mode fast
tool top --mode fast -c 1009
tool api
tool thresholds --runs 1
tool tune --period 211 --mode fast
rv scan --os kernel --json x.json parent
same "the JSON of scan names both programs" "parent child" \
    "$(value x.json images.0.program) $(value x.json images.1.program)"

rv --mode fast --os kernel parent
matches "the summary names the other program" \
    '^  child executed 30,0[0-9]+ instructions, 74\.[0-9]+ %$' "$err"
for command in "report --folded -" "annotate --top 5" "diff fast.prof"; do
    rv ${command%% *} fast.prof ${command#* }
    matches "${command%% *} says it of a profile" \
        'note: parent executed 10,0[0-9]+ instructions, 25\.[0-9]+ %$' "$err"
done

# Ranges and marks belong to one program.
cat >both.meta <<'END'
range I0 0x100e8 0x60
range I1 0x100000100e8 0x60
0x100000100ee 4 counter
END
for mode in fast detailed; do
    rv --mode $mode --os kernel --quiet --meta both.meta --profile m.prof parent
    same "marks and ranges of the other program are accepted, $mode" "0 " "$status $err"
    for one in 0 1; do
        same "range I$one counts its program alone, $mode" \
            "$(value m.prof binary.images.$one.instructions)" \
            "$(value m.prof ranges.$one.executed)"
    done
    same "marks on the executed program count its loop, $mode" "15000 15000" \
        "$(value m.prof marks.0.count) $(value m.prof marks.1.count)"
done
rv tune --os kernel --period 211 --mode fast --top 2 --no-cost parent
matches "tune counts each program's routine: the other's" '^ +[0-9]+ +30,00[0-9] +other@child$' \
    "$out"
matches "tune counts each program's routine: the first's" '^ +[0-9]+ +10,00[0-9] +mine$' "$out"

# The executed program forks: its child counts as the same program.
build child -DSPAWNS -DROUNDS=15000 -DNAME=other
rv --mode fast --harts 2 --os kernel --quiet --profile s.prof parent
same "a child of the executed program is of that program" "10 60" \
    "$(($(value s.prof binary.images.0.instructions) / 1000)) $((
        $(value s.prof binary.images.1.instructions) / 1000))"
rv --mode fast --os kernel --quiet --profile alone.prof child
# A program that executes itself is one program: with an argument it only runs its loop.
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static -x c - -o self 2>log <<'C' || not_ok "self builds"
#include <unistd.h>
int main(int argc, char **argv)
{
    return argc > 1 ? 3 : execl(argv[0], argv[0], "again", (char *)0);
}
C
rv --mode fast --os kernel --quiet --profile self.prof ./self
same "a file that executes itself is one program" "3 0" "$status $(grep -c '"images"' self.prof)"
same "a program that is the only one is not mentioned" 0 "$(grep -c '"images"' alone.prof)"
