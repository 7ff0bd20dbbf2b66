#!/usr/bin/env bash
# XLEN = 32: programs that find the standards' profiling hardware as RV32 has it, with upper halves
# in registers of their own. Each ends with status 0, or with the bits of what it found wrong.
. tests/integration/lib.sh
build_tools

# passes PROGRAM MODES SENTENCE [OPTION...]
passes() {
    local program=$1 modes=$2 sentence=$3 mode machine
    shift 3
    build_bare_32 $program || { not_ok "$program builds for RV32"; return; }
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
