#!/usr/bin/env bash
# The cost of calls whose thread goes to another hart meanwhile: each is one call, with all
# instructions of its thread in it, as in the commit trace of the same run.
. tests/sim/cli/lib.sh
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread -fno-optimize-sibling-calls \
    "$here/command/api/api_threads.c" "$here/command/api/api_exact.S" -o threads 2>log ||
    not_ok "the program api_threads.c builds" "$(<log)"
cat >rows.py <<'EOF'
import json, sys
table, cost, scope = sys.argv[1:4]
print(*sorted(" ".join(map(str, (r["function"], r["count"], r["sum"], r["sum_of_squares"])))
              for r in json.load(open(table))["functions"]
              if r["cost"] == cost and r["scope"] == scope and r["function"] in sys.argv[4:]),
      sep="\n")
EOF
routines="go inner outer spin work"
read -ra places < <("${LINUX_NM:-riscv64-linux-gnu-nm}" -S threads |
    awk '$4 ~ /^(go|inner|outer|spin|work)$/ {printf "%s=%s+%s ", $4, $1, $2}')
for harts in 2 3; do
    rv --quiet --os kernel --harts $harts --trace commit:trace threads
    expected=$(python3 "$here/command/api/api_threads.py" trace "${places[@]}")
    same "the threads make their calls, $harts harts" "go 100 inner 50 outer 50 spin 100 work 4" \
        "$(cut -d' ' -f1,2 <<<"$expected" | tr '\n' ' ' | sed 's/ $//')"
    rv api --os kernel --harts $harts --allocator go=1 --json costs threads
    same "each call has its thread's instructions on all $harts harts" "$expected" \
        "$(python3 rows.py costs insns_retired inclusive $routines)"
    same "an allocation counts whatever other threads allocate, $harts harts" \
        "go 100,inner 50,outer 100,work 100" \
        "$(echo go 100,"$(python3 rows.py costs allocated inclusive inner outer work |
            cut -d' ' -f1,2 | paste -sd,)")"
done
rv --quiet --os kernel --harts 2 --oracle --profile threads.prof threads
"$RVSIM" report --callgrind - threads.prof >threads.callgrind
cat >edges.py <<'EOF'
import re, sys
names, insns, count, callee = {}, {}, 0, ""
for line in open(sys.argv[1]):
    match = re.match(r"(c?)fn=(\(\d+\))(?: (.*))?", line)
    if match:
        name = names.setdefault(match[2], match[3])
        callee = name if match[1] else ""
    elif line.startswith("calls="):
        count = int(line[6:].split()[0])
    elif count:
        insns[callee] = insns.get(callee, 0) + int(line.split()[2])
        count = 0
print(*("%s %d" % (name, insns[name]) for name in sys.argv[2:]), sep="\n")
EOF
"$RVSIM" --quiet --os kernel --harts 2 --trace commit:trace threads
same "each edge of the call graph has its own count" \
    "$(python3 "$here/command/api/api_threads.py" trace "${places[@]}" | cut -d' ' -f1,3)" \
    "$(python3 edges.py threads.callgrind $routines)"
