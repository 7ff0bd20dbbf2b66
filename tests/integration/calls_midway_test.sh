#!/usr/bin/env bash
# The exact call tree of a run whose measurement begins inside routines that then return, and of the
# guest kernel's routines: every routine has the instructions that it executed, and callers are the
# real ones.
. tests/integration/lib.sh

build_linux callers || not_ok "the call-graph program builds"

# "routine instructions" of the graph, of those that executed any; and of the oracle's table
own() {
    "$RVSIM" report --callgraph --top 0 "$1" | tr -d , |
        awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[1-9]/ && $3 ~ /^[0-9]/ { print $NF, $2 }' | sort
}
truth() {
    "$RVSIM" report --oracle --top 0 "$1" | tr -d , |
        awk '$NF == "line" { exit } $1 ~ /^[0-9.]+$/ { print $NF, $(NF - 2) }' | sort
}

# --- below main
for begin in leaf recurse odd deep strlen; do
    run "midway.$begin" --oracle --roi $begin --profile "$tmp/midway.prof" "$tmp/callers"
    same "from $begin on, routines have the instructions that committed in them" \
        "$(truth "$tmp/midway.prof")" "$(own "$tmp/midway.prof")"
done
for insns in 6000 7000 8000; do
    run "midway.$insns" --oracle --fast-forward $insns --profile "$tmp/midway.prof" "$tmp/callers"
    same "after $insns instructions, routines have the instructions that committed in them" \
        "$(truth "$tmp/midway.prof")" "$(own "$tmp/midway.prof")"
done
for engine in detailed fast; do
    same "callers that were entered before are found when they go on, $engine engine" \
        "5 pointed
5 main" "$("$RVSIM" callers --mode $engine --of pointed --roi pointed "$tmp/callers" 2>&1 |
        awk 'NR > 1 && $1 ~ /^[0-9]/ { print $1, $2 }')"
done

# --- the kernel's; one of them falls into the next without a jump
run kernel --oracle --os kernel --profile "$tmp/kernel.prof" "$tmp/callers"
same "routines of the guest kernel have theirs, those entered by a jump too" \
    "$(truth "$tmp/kernel.prof" | grep -v '^trap_')" \
    "$(own "$tmp/kernel.prof" | grep -v '^trap_')"
same "no routine is shown from its middle on" 0 \
    "$("$RVSIM" report --callgraph --top 0 "$tmp/kernel.prof" | grep -c '+0x')"

# --- longjmp out of everything that was entered since, and two stacks that take turns
"$linux_cc" -O2 -g -static $programs/transfers_of_control.c -o "$tmp/transfers" ||
    not_ok "the program of tail calls and jumps builds"
own_cycles() {
    python3 -c 'import json, sys
print(sum(int(row["sum"]) for row in json.load(open(sys.argv[1]))["functions"]
          if row["cost"] == "cycles" and row["scope"] == "exclusive"))' "$1"
}
for begin in "" "--roi deepest" "--roi switches"; do
    run jumped $begin "$tmp/transfers"
    "$RVSIM" api $begin --json "$tmp/api.json" "$tmp/transfers" >"$tmp/api.out" 2>&1
    same "own cycles of all calls add up to the run's${begin:+, $begin}" \
        "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["cycles"])' \
            "$tmp/jumped.json")" "$(own_cycles "$tmp/api.json")"
done
run stacks --oracle --profile "$tmp/stacks.prof" "$tmp/transfers"
same "a call has no cycles of the stacks that run while it waits" "seen 0" \
    "$("$RVSIM" report --callgrind - "$tmp/stacks.prof" | awk '
        /^summary:/ { all = $3 }
        match($0, /^c?fn=\([0-9]+\)/) { split($0, part, /[()]/); id = part[2]
            if (NF > 1) name[id] = $2 }
        /^cfn=/ { callee = id }
        /^calls=/ { getline; if (name[callee] == "swap") { seen = "seen"; wrong += $4 > all / 10 } }
        END { print seen, wrong + 0 }')"
