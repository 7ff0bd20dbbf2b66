#!/usr/bin/env bash
# XLEN = 32: programs that test the standard profiling hardware of RV32, where upper halves are
# registers of their own. Each ends with status 0, or with a bit for each check that failed.
. tests/integration/lib.sh

# passes PROGRAM MODES SENTENCE [OPTION...]; built with $flags
flags=
passes() {
    local program=$1 modes=$2 sentence=$3 mode machine
    shift 3
    build_bare_32 $program $flags || { not_ok "$program builds for RV32"; return; }
    for machine in default tiny small_caches in_order; do
        for mode in $modes; do
            run $program --mode $mode $(machine_options $machine) --monitor none "$@" \
                "$tmp/$program"
            if [ $status = 0 ]; then ok "$sentence, $mode engine, ${machine//_/ }"
            else not_ok "$sentence, $mode engine, ${machine//_/ }" "$(said $program)"; fi
        done
    done
}

passes triggers "fast detailed" "debug triggers break, step, count ranges and traps"
passes trigger_gate "fast detailed" \
    "debug triggers start, stop and toggle counting, and keep to contexts and address spaces"
passes ctr "fast detailed" "control transfers are recorded, and counters delegated in halves"
# The fast engine counts all events for counters with a filter only.
passes counters_32 detailed \
    "counters in halves by CSR, index and window; overflow, filters and timer compare 64 bits" \
    --set pmu.window_base=0x20000000
flags=-DRANGED
passes counters_32 "fast detailed" "counters with a filter do so too, returns included" \
    --set pmu.window_base=0x20000000

# --- tail calls and recursion
build_bare_32 tails_32 || not_ok "the program of tail calls builds for RV32"
for mode in fast detailed; do
    run tails.$mode --mode $mode --profile "$tmp/tails.prof" "$tmp/tails_32"
    same "the call graph has tail calls, $mode engine" "front program 5
last last 5
last middle 5
middle front 5" "$("$RVSIM" report --callgraph --top 0 "$tmp/tails.prof" |
        awk '$2 == "from" { print routine, $3, $1; next } $1 ~ /^[0-9]+$/ { routine = $NF }' |
        grep -E '^(front|last|middle) ' | sort)"
    same "callers count tail calls, $mode engine" "last 10" \
        "$("$RVSIM" callers --mode $mode --of last "$tmp/tails_32" 2>&1 | awk '$2 == "last" {
            print $2, $1; exit }')"
done
