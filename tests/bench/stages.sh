#!/usr/bin/env bash
# Divides the simulator's time: samples of perf by source file (inlined code counts for its own
# file), added up to stages of the pipeline (stages.awk). Takes PROGRAMS, ENGINES, RVSIM, BENCH_O as
# run.sh does.
set -eu
command -v perf >/dev/null ||
    { echo "stages.sh: perf is not installed (Debian: linux-perf)" >&2; exit 1; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
programs=${PROGRAMS:-$(cd "$BENCH_O/rv64gc" && ls ./*.elf | grep -v chase)}
settings() {
    case $1 in
    in_order) echo "--set core.kind=in_order --set dispatch.width=2" ;;
    *) echo "--config $1" ;;
    esac
}
for engine in ${ENGINES:-default in_order}; do
    echo "# engine $engine"
    for program in $programs; do
        # shellcheck disable=SC2046
        perf record -q -F 997 -e cpu-clock:u -o "$scratch/$(basename "$program" .elf)" \
            "$RVSIM" --quiet $(settings "$engine") --max-insns "${INSNS:-10000000}" \
            "$BENCH_O/rv64gc/$(basename "$program" .elf).elf" >/dev/null 2>&1
    done
    for data in "$scratch"/*; do
        perf report -q -i "$data" --sort srcfile --stdio 2>/dev/null
    done | tr -d % | awk -v runs="$(ls "$scratch" | wc -l)" 'NF { sum[NF > 1 ? $2 : "?"] += $1 }
        END { for (file in sum) print sum[file] / runs, file }'
    rm -f "$scratch"/*
done | awk -f "$(dirname "$0")/stages.awk"
