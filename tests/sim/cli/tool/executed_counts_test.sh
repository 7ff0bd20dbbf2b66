#!/usr/bin/env bash
# Counts of scan, branches and thresholds by marks in programs that a shell executes: each program
# has the counts of a run alone, which agree with its commit trace. Several processes run the same
# program, one of them the first program: each has pages of its own.
. tests/sim/cli/lib.sh
cat >filter.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long sum;
__attribute__((noinline)) void step(unsigned i)
{
    if (i % STRIDE == 0)
        sum += i;
}
__attribute__((noinline)) void work(void)
{
    for (unsigned i = 0; i < 60; i++)
        step(i);
}
/* Arguments: programs, each executed by a process of its own, one after another. */
int main(int argc, char **argv)
{
    int status = 0, failed = 0;
    work();
    for (int i = 1; i < argc; i++) {
        if (fork() == 0) {
            execl(argv[i], argv[i], (char *)0);
            _exit(9);
        }
        failed |= wait(&status) < 0 || status != 0;
    }
    return failed;
}
C
for one in first:2 other:3 third:5; do
    "${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -DSTRIDE=${one#*:} filter.c \
        -o "${one%:*}" 2>log || not_ok "${one%:*} builds" "$(<log)"
done
all=(./first ./other ./first ./third ./other)

# traced PROGRAM: instructions of step and work in a run of its own
traced() {
    rv --mode fast --os kernel --quiet --trace commit:trace "$1"
    riscv64-linux-gnu-readelf -sW "$1" >symbols
    python3 - <<'P'
at = {}
for line in open("symbols"):
    field = line.split()
    if len(field) == 8 and field[7] in ("step", "work"):
        at[field[7]] = (int(field[1], 16), int(field[1], 16) + int(field[2]))
pcs = [int(line.split()[3], 16) for line in open("trace")]
print(*(sum(start <= pc < end for pc in pcs) for start, end in (at["step"], at["work"])))
P
}
# cell FILE NAME COLUMN: of the row of a routine
cell() { awk -F, -v name="$2" -v column="$3" '$1 == name {print $column}' "$1"; }
# outcomes FILE ROUTINE: how often the branch in it was taken and not taken
outcomes() { awk -F, -v name="^$2[+]" '$7 ~ name {print $2, $3}' "$1"; }
# loads FILE ROUTINE: the number of its loads, by thresholds
loads() {
    python3 - "$@" <<'P'
import json, sys
print(sum(region["slower"][0] for region in json.load(open(sys.argv[1]))["regions"]
          if region["kind"] == "function" and region["name"] == sys.argv[2]))
P
}

for one in first other third; do
    declare $one="$(traced ./$one)"
done
for mode in fast detailed; do
    rv scan --mode $mode --runs 1 --by function --output all.csv --os kernel "${all[@]}"
    same "scan: nothing is left out, $mode" "" "$(grep -E 'note: (code|not counted)' <<<"$err")"
    for one in first:2: other:2:@other third:1:@third; do
        IFS=: read -r name times ending <<<"$one"
        read -r step work <<<"${!name}"
        same "scan: each process of $name has the instructions that it has alone, $mode" \
            "$((times * step)) $((times * work))" \
            "$(cell all.csv step$ending 2) $(cell all.csv work$ending 2)"
    done
    [ $mode = fast ] || same "scan: each count is the oracle's" "" \
        "$(awk -F, 'NR > 1 && $2 != $3' all.csv)"
    rv branches --mode $mode --of other:step --output b.csv --os kernel "${all[@]}"
    same "branches --of a routine of another program: nothing else, by labels, $mode" "80 40 120" \
        "$(awk -F, 'NR > 1 {print $2, $3, $9}' b.csv)"
done
rv branches --mode fast --output b.csv --os kernel "${all[@]}"
same "branches: outcomes of step in each program" "60 60,80 40,48 12" \
    "$(outcomes b.csv step),$(outcomes b.csv step@other),$(outcomes b.csv step@third)"
rv branches --mode fast --of stepp@other --os kernel "${all[@]}"
matches "branches --of: the nearest name" 'did you mean step@other\?' "$err"

rv thresholds --runs 1 --json t.json --os kernel "${all[@]}"
same "thresholds: loads of step in each program" "60 40 12" \
    "$(loads t.json step) $(loads t.json step@other) $(loads t.json step@third)"
for by in page module; do
    rv scan --by $by --output all.csv --os kernel "${all[@]}"
    matches "scan --by $by: pieces have their program" '^[^,]*@other,[1-9]' "$(<all.csv)"
done

# entries: the number of times that the trace enters step in user mode
entries() {
    grep -c ": 0 0x$(riscv64-linux-gnu-nm first | awk '$3 == "step" {print $1}') " trace
}
for roi in step:120 step@other:60 other:step:60; do
    rv --quiet --mode fast --os kernel --root . --roi ${roi%:*} --trace commit:trace \
        ./first ./other
    same "--roi ${roi%:*}: the measurement begins in this program" "${roi##*:}" "$(entries)"
done
rv --mode fast --os kernel --root . --roi stepp@other ./first ./other
matches "--roi: a name that nobody has, and the nearest" \
    'nor a library or program that came; did you mean step@other\?' "$err"
rv active --section step@other --os kernel --root . ./first
matches "active --section refuses routines of others, with the reason" \
    'step@other: no such function of the program itself; a probe is set before' "$err"
rv --quiet --oracle --profile p.prof --os kernel --root . ./first ./other
cycles=$("$RVSIM" report --top 1000 p.prof |
    awk '$NF == "step@other" {gsub(",", ""); print int($1); exit}')
rv whatif --faster other:step=inf --os kernel --root . ./first ./other
same "whatif --faster saves the whole cycles of the routine in that program" "$cycles" \
    "$(awk '/faster other:step=inf$/ {gsub(",", ""); print $5}' <<<"$out")"
