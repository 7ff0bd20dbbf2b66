#!/usr/bin/env bash
# The exact call tree of a run whose measurement begins inside routines that then return, and of the
# guest kernel's routines: every routine has the instructions that it executed, and callers are the
# real ones.
. tests/integration/lib.sh

build_linux callers || not_ok "the call-graph program builds"

# "routine instructions" of each routine that executed any: from the graph, and from the oracle's
# table
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

# --- longjmp out of all routines entered since the measurement began, and two stacks that take
# turns
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

# --- threads that the guest kernel switches to for the first time since the begin
cat >"$tmp/naps.c" <<'END'
#include <pthread.h>
#include <time.h>

static volatile int sink;

static void nap(long ns)
{
    struct timespec time = {0, ns};

    nanosleep(&time, NULL);
}

__attribute__((noinline)) void begin(void) { sink = 1; }

static void *other(void *arg)
{
    for (int i = 0; i < 6; i++)
        nap(20000 + 1000 * i);
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, other, NULL);
    nap(30000);
    begin();
    for (int i = 0; i < 4; i++)
        nap(25000);
    pthread_join(thread, NULL);
    return 0;
}
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread "$tmp/naps.c" -o "$tmp/naps" ||
    not_ok "the program that naps builds"
# The sum over the tree's nodes, which are rounded, less the routine's own sum.
difference() {
    awk -v name="$1" -v all="$2" '$NF == name && $1 ~ /^[0-9]+$/ { sum += $4 }
        END { all -= sum; print (sum > 0 && all < 5 && all > -5) ? "none" : all }'
}
for harts in 1 2; do
    run "midway.naps.$harts" --harts $harts --oracle --roi begin --profile "$tmp/naps.prof" \
        "$tmp/naps"
    "$RVSIM" report --calltree --top 0 "$tmp/naps.prof" | tr -d , >"$tmp/tree"
    for routine in 'hart_idle_[k]' 'schedule_[k]'; do
        cycles=$("$RVSIM" report --oracle --top 0 "$tmp/naps.prof" | tr -d , |
            awk -v name="$routine" '$NF == name { print $1; exit }')
        same "$harts harts: the tree has the cycles of $routine" none \
            "$(difference "$routine" "$cycles" <"$tmp/tree")"
    done
done
