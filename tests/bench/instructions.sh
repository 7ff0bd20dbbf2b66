#!/usr/bin/env bash
# The exact cost of a simulated instruction on the host, by callgrind: host instructions, and misses
# of an instruction cache of 32 KiB. Writes a table.
#
#   CALLGRIND=path    valgrind
#   PROGRAM=x.elf     what is simulated (default: the bench's state machines)
#   INSNS=1000000     of its instructions, from the first on
#   PRESETS="a b"     the machines (default: all presets)
#   RVSIM, BENCH_O    as run.sh takes them; the plain build says more than one trained for a program
set -u
insns=${INSNS:-1000000} program=${PROGRAM:-$BENCH_O/rv64gc/states.elf}
presets=${PRESETS:-$(for file in sim/presets/*.ini; do basename "$file" .ini; done)}
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1

echo "Host instructions for each simulated one ($(basename "$program" .elf), first $insns)"
echo
echo "| preset | instructions | misses of a 32-KiB L1I |"
echo "|---|--:|--:|"
for preset in $presets; do
    "$CALLGRIND" --tool=callgrind --cache-sim=yes --I1=32768,8,64 \
        --callgrind-out-file="$scratch/profile" "$RVSIM" --quiet --config "$preset" \
        --max-insns "$insns" "$program" >/dev/null 2>"$scratch/log" </dev/null
    # Ir Dr Dw I1mr ...
    awk -v preset="$preset" -v insns="$insns" '/Collected *:/ {
            sub(/.*Collected *: */, "")
            printf "| %s | %.0f | %.2f |\n", preset, $1 / insns, $4 / insns
            found = 1
        }
        END { exit !found }' "$scratch/log" || { echo "| $preset | - | - |"; failed=1; }
done
exit "${failed:-0}"
