#!/usr/bin/env bash
# Looks for a run under the guest kernel that never ends: tests/bench/kernel_hang.sh PROGRAM [RUNS]
#
# Runs the program again and again on 1 to 16 harts with another seed and another clock
# each time; says which run did not end within a minute, or ended otherwise than
# the first. RVSIM names the simulator.
set -u
program=$1 runs=${2:-10000} rvsim=${RVSIM:-build/rvsim} failed=0
first=$("$rvsim" --quiet --mode fast "$program" </dev/null; echo "status $?")
for ((i = 1; i <= runs; i++)); do
    options=(--harts $((i % 16 + 1)) --set machine.seed=$i --set machine.clock_mhz=$((i % 997 + 3)))
    said=$(timeout 60 "$rvsim" --quiet --mode fast "${options[@]}" "$program" </dev/null
           echo "status $?")
    [ "$said" = "$first" ] && continue
    echo "run $i (${options[*]}): $said"
    failed=$((failed + 1))
done
echo "$runs runs, $failed failed"
[ $failed = 0 ]
