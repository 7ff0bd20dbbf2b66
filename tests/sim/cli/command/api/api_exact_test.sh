#!/usr/bin/env bash
# rvsim api to the bucket: calls whose instructions are known, in threads, recursion, tail calls,
# frames that an exception or longjmp leaves; interception beside the truth; modules.
. tests/sim/cli/lib.sh
"${LINUX_CXX:-riscv64-linux-gnu-g++}" -O1 -g -static -pthread -fno-optimize-sibling-calls \
    "$here/command/api/api_exact.cc" "$here/command/api/api_exact.S" -o exact 2>log ||
    not_ok "the program api_exact.cc builds" "$(<log)"
cat >rows.py <<'END'
import json, sys
table, cost, scope = sys.argv[1:4]
rows = [r for r in json.load(open(table))["functions"] if r["cost"] == cost and r["scope"] == scope]
if len(sys.argv) == 4:
    print(sum(int(r["sum"]) for r in rows))
for name in sys.argv[4:]:
    for r in rows:
        if r["function"].split("(")[0] == name:
            print(name, r["count"], r["sum"], r["sum_of_squares"],
                  *("%d=%d" % (b["bucket"], b["count"]) for b in r["buckets"]))
END
rows() { python3 rows.py "$@"; }

rv api --os kernel --json kernel.json exact
same "the command succeeds" 0 "$status"
read -r cycles < <(sed "s/.* \([0-9]*\) cycles.*/\1/" rv.err)
# spin(n) has 2n + 2 instructions: 500 of n = 10 in four threads, 7 of 20, 35 of 3, 1 of 1 and 100.
same "calls in threads, by jumps, and below frames that are left: exact (P1, P4)" \
    "spin 544 11780 297408 2=1 3=35 4=500 5=7 7=1" \
    "$(rows kernel.json insns_retired exclusive spin)"
same "a recursion, each level on its own" "down 6 46 356 2=1 3=5" \
    "$(rows kernel.json insns_retired exclusive down)"
same "a recursion, each level with those below" "down 6 156 5176 2=1 3=1 4=2 5=2" \
    "$(rows kernel.json insns_retired inclusive down)"
same "a tail call has the callee inclusively, and one instruction of its own" \
    "hop 7 301 12943 5=7
hop 7 7 7 0=7" "$(rows kernel.json insns_retired inclusive hop
        rows kernel.json insns_retired exclusive hop)"
same "frames that exceptions and longjmp leave are calls, and where these land goes on" \
    "thrown 20
jumped 15
work 4
main 1" "$(rows kernel.json cycles inclusive thrown jumped work main | cut -d' ' -f1,2)"
same "own cycles of all functions add up to the run's" "$cycles" \
    "$(rows kernel.json cycles exclusive)"

rv api --intercept --json all.json --module exact --function spin --function down \
    --function 'thrown*' --function 'jumped*' --function 'work*' --function main exact
same "interception succeeds" 0 "$status"
same "api times every call: of threads, recursion, and calls left without a return (P2, P3)" \
    "spin 544
down 6
thrown 20
jumped 15
work 4
main 1" "$(rows all.json intercepted inclusive spin down thrown jumped work main |
        cut -d' ' -f1,2)"
rv api --intercept --function spin --function main --function hop --function down exact
matches "functions on one stack are in different runs" \
    '^intercepted: 4 functions, [23] groups' "$out"
matches "the table names calls that are not timed" '^hop +7 +0 .* not timed' "$out"
matches "the table shows how much each run is disturbed" '^1 +1 +[0-9]+ +[0-9]+ +\+[0-9.]+%' "$out"
difference=$(sed -n 's/^spin .* \([-+0-9.]*\)%$/\1/p' <<<"$out")
if awk -v d="${difference:-1000}" 'BEGIN { exit !(d < 25 && d > -25) }'; then
    ok "the intercepted mean of a short function is near the truth"
else
    not_ok "the intercepted mean of a short function is near the truth" "$out"
fi
rv api --intercept --function spin --fast-forward 20000 exact
modes='^run 3 .*user ([0-9,]*) .*kernel ([0-9,]*) cycles.*idle ([0-9,]*) .*without probes$'
same "runs that begin later have the length of their measured part" \
    "$(($(sed -nE "s/$modes/\1 + \2 + \3/p" <<<"$out" | tr -d ,)))" \
    "$(awk '/^without/ { print $4 }' <<<"$out")"
rv api --intercept --function spin --max-insns 120k exact
matches "runs that end at a limit are not compared" '^1 +1 +1 +[0-9]+ +-$' "$out"

rv api --os kernel --module exact --json module.json exact
same "--module leaves the functions of a file, without those of the kernel" \
    "main 1,0" "$(rows module.json cycles inclusive main | cut -d' ' -f1,2),$(
        rows module.json cycles inclusive '(trap)' syscall_serve | wc -l)"
refused "a module must have run" "api: --module exac: the program ran no code of a file of that \
name; did you mean exact?" api --module exac --max-insns 300k exact
