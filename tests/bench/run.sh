#!/usr/bin/env bash
# Speed of the simulator: rvsim fast and detailed on the same programs in the same run, beside Spike and
# MARSS-RISCV when a path to them is given. Prints user-time ratios; absolute times only as scale.
#   SPIKE=/path/to/spike     (a bare-metal program is then run there too)
#   BENCH_ELFS="a.elf b.elf" bare-metal programs to use instead of the examples
#   BENCH_RUNS=3             repetitions; the median counts
set -u
runs=${BENCH_RUNS:-3}
elfs=${BENCH_ELFS:-$(ls "$GUEST"/* 2>/dev/null | grep -vE '\.(o|d|elf|ld)$|monitor$')}
spike=${SPIKE:-$(command -v spike || true)}
table=${O:-build}/bench.txt

user_seconds() {    # user_seconds COMMAND...: the median of the runs
    for _ in $(seq "$runs"); do
        { TIMEFORMAT=%U; time "$@" >/dev/null 2>&1 </dev/null; } 2>&1
    done | sort -n | sed -n "$(((runs + 1) / 2))p"
}

instructions() {
    "$RVSIM" --mode fast --quiet --stats "$O/bench.csv" "$1" >/dev/null 2>&1 </dev/null
    sed -n 's/^instructions,//p' "$O/bench.csv"
}

rate() { awk -v n="$1" -v s="$2" 'BEGIN { printf "%.1f", s > 0 ? n / s / 1e6 : 0 }'; }

{
    printf '%-20s %12s %10s %10s %10s %14s %14s\n' program instructions fast detailed spike \
        'fast/spike' 'detailed/spike'
    for elf in $elfs; do
        [ -f "$elf" ] && [ -x "$elf" ] || continue
        n=$(instructions "$elf")
        fast=$(user_seconds "$RVSIM" --mode fast --quiet "$elf")
        detailed=$(user_seconds "$RVSIM" --quiet "$elf")
        reference=-
        if [ -n "$spike" ] && [[ $elf == *.elf ]]; then
            reference=$(user_seconds "$spike" --isa=rv64gc_zba_zbb_zbs_zicntr "$elf")
        fi
        awk -v name="$(basename "$elf")" -v n="$n" -v f="$fast" -v d="$detailed" -v s="$reference" '
            function mips(t) { return t > 0 ? sprintf("%.1f", n / t / 1e6) : "-" }
            function ratio(t) { return s > 0 && t > 0 ? sprintf("%.3f", s / t) : "-" }
            BEGIN { printf "%-20s %12d %10s %10s %10s %14s %14s\n", name, n, mips(f), mips(d), mips(s),
                           ratio(f), ratio(d) }'
    done
    echo "(millions of instructions per second of user time; ratios from this run)"
} | tee "$table"
