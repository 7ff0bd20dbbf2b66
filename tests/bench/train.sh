#!/usr/bin/env bash
# The training runs of a profile-guided build, and its check. tests/bench/train.sh run RVSIM BENCH_O
# PRESET... runs half of the bench programs in every engine, on the default machine and on these
# presets. The other half is not used for training, so that its speed shows the gain for other
# programs. tests/bench/train.sh compare RVSIM OTHER BENCH_O PRESET... checks that all statistics
# except those of the host are the same.
set -u
verb=$1
shift
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1

# each COMMAND...: calls it with the options and program of every run.
each() {
    local program preset
    for program in aes strings containers nbody; do
        "$@" --max-insns 4000000 "$bench/rv64gc/$program.elf"
        "$@" --max-insns 2000000 --set core.kind=in_order --set dispatch.width=2 \
            "$bench/rv64gc/$program.elf"
        "$@" --mode fast "$bench/rv64gc/$program.elf"
    done
    for preset in "${presets[@]}"; do
        "$@" --max-insns 500000 --config $preset "$bench/rv64gc/strings.elf"
        "$@" --max-insns 500000 --config $preset "$bench/rv64gc/containers.elf"
    done
    "$@" --max-insns 1000000 --config fig2 "$bench/rv64gc/strings.elf"
    "$@" --max-insns 1000000 --config tiny "$bench/rv64gc/containers.elf"
    "$@" --max-insns 1000000 --set pmu.oracle=true "$bench/rv64gc/strings.elf"
    "$@" --max-insns 1000000 --mode warm "$bench/rv64gc/aes.elf"
    "$@" --max-insns 1000000 "$bench/rv32im/aes.elf"
    echo 'bench_round * counter' >"$scratch/marks.meta"
    "$@" --max-insns 1000000 --meta "$scratch/marks.meta" "$bench/rv64gc/containers.elf"
    "$@" --max-insns 1000000 "$bench/linux/strings.elf"
}

statistics() {
    rm -f "$scratch/all.csv"
    "$1" --stats "$scratch/all.csv" "${@:2}" >/dev/null 2>&1 </dev/null
    grep -v '^host' "$scratch/all.csv"
}
train() { statistics "$RVSIM" --quiet "$@" >/dev/null; }
compare() {
    statistics "$RVSIM" --quiet "$@" >"$scratch/one"
    statistics "$OTHER" --quiet "$@" >"$scratch/other"
    if ! [ -s "$scratch/one" ] || ! cmp -s "$scratch/one" "$scratch/other"; then
        echo "train.sh: statistics differ: $*" >&2
        diff "$scratch/one" "$scratch/other" | head -n 5 >&2
        differ=1
    fi
}

RVSIM=$1
shift
case $verb in
run)
    bench=$1 presets=("${@:2}")
    each train ;;
compare)
    OTHER=$1 differ=0 bench=$2 presets=("${@:3}")
    each compare
    exit $differ ;;
esac
