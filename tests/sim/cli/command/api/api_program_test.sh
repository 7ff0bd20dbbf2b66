#!/usr/bin/env bash
# rvsim api on a program: allocations by caller, cycles and instructions of every call.
. tests/sim/cli/lib.sh
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -fno-optimize-sibling-calls \
    "$here/command/api/api_calls.c" \
        -o calls 2>log || not_ok "the program api_calls.c builds" "$(<log)"

rv api --json costs.json --allocator pool_get=2 calls
same "the command succeeds" 0 "$status"
matches "the command prints the sizes of its runs" \
    'functions; [0-9]+ instructions in the allocation run, [0-9]+ cycles in the timing run' "$err"
read -r instructions cycles < <(sed "s/.*; \([0-9]*\) instr[^0-9]*\([0-9]*\) cycles.*/\1 \2/" \
    rv.err)

cat >rows.py <<'END'
import json, sys
rows = json.load(open("costs.json"))["functions"]
cost, scope, what = sys.argv[1:4]
rows = [r for r in rows if r["cost"] == cost and r["scope"] == scope]
if what == "sum":
    print(sum(int(r["sum"]) for r in rows))
for name in sys.argv[4:]:
    for r in rows:
        if r["function"] == name:
            print(name, r["count"], *("%d=%d" % (b["bucket"], b["count"]) for b in r["buckets"])
                  if what == "buckets" else [r["sum"]])
END
rows() { python3 rows.py "$@"; }
same "allocations give table 1 (P6)" "A 300 1=100 2=100 4=100
B 300 6=300
C 300 9=100 10=200" "$(rows allocated inclusive buckets A B C)"
same "the allocations are the functions' own" "$(rows allocated inclusive buckets A B C)" \
    "$(rows allocated exclusive buckets A B C)"
same "main has them inclusively, and none itself" "main 908" \
    "$(rows allocated inclusive buckets main | cut -d' ' -f1-2; rows allocated exclusive sum main |
        grep main)"
same "an allocator that is named counts by its argument" "user 8 36" \
    "$(echo "$(rows allocated inclusive buckets user | cut -d' ' -f1-2) $(
        rows allocated inclusive sum user | awk '/user/ {print $3}')")"
same "each call is timed, of a recursion, too, and of what longjmp ends" \
    "A 300
fib 25
thrower 4
main 1" "$(rows cycles inclusive buckets A fib thrower main | cut -d' ' -f1-2)"
same "own cycles add up to all cycles" "$cycles" "$(rows cycles exclusive sum)"
same "own instructions add up to all instructions" "$instructions" \
    "$(rows insns_retired exclusive sum)"
own_of() { rows cycles "$1" sum "$2" | awk -v f="$2" '$1 == f { print $3 }'; }
same "a function without calls has its own cycles inclusively, to the cycle" \
    "$(own_of exclusive pool_get)" "$(own_of inclusive pool_get)"
same "a function with calls has the cycles of its callees, too" \
    $(($(own_of exclusive user) + $(own_of exclusive pool_get))) "$(own_of inclusive user)"
same "the first function has all cycles" "$cycles" "$(own_of inclusive _start)"

"$RVSIM" --quiet --set pmu.oracle=true --monitor none --stats plain.json calls
same "the timing of a function does not disturb it" "$(value plain.json cycles)" "$cycles"
mv costs.json first.json
rv api --json costs.json --allocator pool_get=2 calls
same "a second run is the same" "$(cksum <first.json)" "$(cksum <costs.json)"
matches "--groups needs fewer runs than there are functions" \
    '^[0-9]+ functions, [0-9]+ runs to time each undisturbed' "$("$RVSIM" api --groups calls)"
same "a run keeps main apart from its callees" "run 1: main" \
    "$("$RVSIM" api --groups calls | grep -w main | grep -vw -e A -e B -e C -e fib |
        sed 's/^run [0-9]*:.*\bmain\b.*/run 1: main/')"
rv api --json costs.json --event loads,branches_mispredicted --event dcache_miss --io calls
for event in loads branches_mispredicted dcache_miss; do
    same "P5: occurrences of $event of all functions are all of the run" \
        "$(value plain.json events.$event)" "$(rows $event exclusive sum)"
done
rv api --json costs.json --event l1i_miss,lost_icache --event cpi_dram calls
for event in l1i_miss lost_icache cpi_dram; do
    same "P5: $event, which is of no instruction: all of the run" \
        "$(value plain.json events.$event)" "$(rows $event exclusive sum)"
    same "P5: $event: inclusively the first function has them all" \
        "$(value plain.json events.$event)" "$(rows $event inclusive sum _start |
            awk '$1 == "_start" { print $3 }')"
done
rv api --function 'thr*' --function fib --json some.json calls
same "functions are selected by name and pattern" "fib thrower" \
    "$(python3 -c 'import json; print(*sorted({r["function"] for r in json.load(open("some.json"))[
        "functions"]}))')"
same "only the runs of selected functions are made" "2 functions, 1 run to time each undisturbed" \
    "$("$RVSIM" api --groups --function A --function B calls 2>/dev/null | head -1)"
line=$(($(sed -n '/ A(int j)/=' "$here/command/api/api_calls.c") + 1))
rv api --function A --histogram A --html page.html calls
same "a function's place in the source is shown" "A: cycles, inclusive (api_calls.c:$line)" \
    "$(grep '^A: cycles, incl' <<<"$out")"
same "the page shows a function's place, without its path" "1 0" \
    "$(grep -c "<code>api_calls.c:$line</code>" page.html | sed 's/[1-9][0-9]*/1/') $(
        grep -c "$here" page.html)"
same "a submission has no place in the source" 0 "$(grep -c 'api_calls\.c' some.json)"
refused "no such function" "api: --function nobody: no such function has costs" \
    api --from some.json --function nobody
refused "an event that is counted anyhow" "api: --event cycles: expected an event other than \
cycles and insns_retired, such as dcache_miss (rvsim events lists all)" api --event cycles calls
refused "an event that there is not" "api: --event loas: expected an event other than \
cycles and insns_retired, such as dcache_miss (rvsim events lists all)" api --event loas calls

cat >io.c <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) void reader(void) { char b[100]; if (read(0, b, 70) != 5) _exit(1); }
__attribute__((noinline)) void writer(int n)
{
    char b[100] = {0};
    if (write(1, b, n) != n)
        _exit(2);
}
int main(void) { reader(); writer(3); writer(90); writer(64); return 0; }
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static io.c -o io
printf hello >five
"$RVSIM" api --io --json costs.json io <five >/dev/null 2>&1
same "P5: bytes of I/O, those that were moved" "main 4 1=1 2=1 6=2
reader 1 2=1
writer 3 1=1 6=2" "$(rows io inclusive buckets main reader writer)"
refused "a size needs its argument" "--allocator A: expected FUNCTION=N, the argument from 1 to 8 \
that is the size" api --allocator A calls
refused "an allocator must be there" \
    "--allocator pool_gt=1: no such function; did you mean pool_get?" \
    api --allocator pool_gt=1 calls
