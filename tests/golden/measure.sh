#!/usr/bin/env bash
# Runs a set of programs on every preset, with and without skipping idle cycles, and condenses the
# statistics: tests/golden/measure.sh DIR
#
# RVSIM is the simulator. DIR gets
#   skip, step    a line "PRESET PROGRAM STATISTIC VALUE" for each statistic that is not zero, of
#                 runs that skip idle cycles and of runs that do not; of the harts of a machine,
#                 only where there are several
#   table         what statistics.txt holds: skip, condensed by condense.awk
#   failed        "PRESET PROGRAM" of each run that did not end with status 0
# The programs are assembly and are linked without relaxation, so that they are the same bytes with
# every version of the compiler. What belongs to the host, or follows from the settings, is left
# out.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
out=$1
guest_cc=${GUEST_CC:-riscv64-unknown-elf-gcc}
kernels=tests/fidelity/kernels
rv32="-march=rv32imafc_zicsr_zifencei -mabi=ilp32f"
rv64="-march=rv64gc_zicsr_zifencei -mabi=lp64d"

# NAME KIND OPTIONS of the simulator. A kernel is one of tests/fidelity; bare and bare32 are
# hand-counted programs of tests/programs, one of them with marks; user is a Linux program, whose
# pages are translated.
programs='
br_random       kernel
call_deep       kernel
chase_32k       kernel
div_long        kernel
fp_fdiv_chain   kernel
icache_8k       kernel
ijump_random    kernel
ldst_mix        kernel
memdep_alias    kernel
rob_24          kernel
stlf_wide       kernel
stream_cold     kernel
branches        bare
calls           bare    --monitor host --meta tests/golden/calls.meta
data_access     bare
many_harts      bare    --harts 2
misaligned      bare
rv32            bare32
pages           user
'

fail() { echo "golden: $*" >&2; exit 1; }

build() {                   # build NAME KIND
    local flags source
    case $2 in
    kernel) flags="$rv64 -I$kernels/common -T $kernels/common/link.ld"
        source="$kernels/common/crt0.S $kernels/asm/$1.S" ;;
    bare) flags="$rv64 -DHARTS=2 -T tests/programs/bare.ld"
        source="tests/programs/$1.S tests/programs/start.S" ;;
    bare32) flags="$rv32 -T tests/programs/bare.ld"
        source="tests/programs/$1.S tests/programs/start.S" ;;
    user) flags="$rv64 -Wl,-Ttext=0x10000"
        source=tests/golden/$1.S ;;
    esac
    "$guest_cc" $flags -I. -nostdlib -static -mno-relax -Wl,--no-relax,--build-id=none \
        -Wl,--no-warn-rwx-segments $source -o "$out/$1.elf" || fail "$1 does not build"
}

# run FOLDER PRESET NAME OPTION...: the statistics, to FOLDER/PRESET.NAME.csv
run() {
    local csv=$out/$1/$2.$3.csv preset=$2 name=$3
    shift 3
    : >"$csv"
    "$RVSIM" --quiet --config "$preset" "$@" --stats "$csv" "$out/$name.elf" \
        >"$out/run.log" 2>&1 </dev/null
    [ -s "$csv" ] || { echo "result.reason,none" >"$csv"
        echo "golden: $preset, $name: $(head -n 1 "$out/run.log")" >&2; }
}
# statistics FILE...: those that are not zero
statistics() {
    awk -F, '
        FNR == 1 { run = FILENAME; sub(/.*\//, "", run); sub(/[.]csv$/, "", run)
            sub(/[.]/, " ", run); first = "" }
        /^(name|host|storage_bits)/ || $2 == "0" { next }
        /^hart0/ { first = first run " " $1 " " $2 "\n"; next }
        /^hart1/ { printf "%s", first; first = "" }
        { print run, $1, $2 }' "$@"
}

ulimit -S -t 60
mkdir -p "$out" "$out/skipping" "$out/stepping" && : >"$out/binaries" || exit 1
while read -r name kind options; do
    [ -n "$name" ] || continue
    build "$name" $kind
    "${guest_cc%gcc}objcopy" -O binary "$out/$name.elf" "$out/$name.bin" &&
        echo "binary $name $(cksum <"$out/$name.bin" | cut -d' ' -f1)" >>"$out/binaries"
done <<<"$programs"
skipping=() stepping=()
for preset in sim/presets/*.ini; do
    preset=${preset##*/} preset=${preset%.ini}
    "$RVSIM" config show "$preset" >/dev/null ||
        { skipping+=("$out/skipping/$preset.-.csv")
        echo 'result.reason,none' >"${skipping[-1]}"; continue; }
    while read -r name kind options; do
        [ -n "$name" ] || continue
        run skipping "$preset" "$name" $options
        run stepping "$preset" "$name" $options --no-skip
        skipping+=("$out/skipping/$preset.$name.csv") stepping+=("$out/stepping/$preset.$name.csv")
    done <<<"$programs"
done
statistics "${skipping[@]}" >"$out/skip"
statistics "${stepping[@]}" >"$out/step"
{ echo "# Written by make golden; tests/golden/condense.awk says what the lines are."
    cat "$out/binaries"
    awk -f "$here/condense.awk" "$out/skip"
} >"$out/table"
awk '{ runs[$1 " " $2] } $3 == "result.reason" && $4 == "exit" { passed[$1 " " $2] }
    $3 == "result.exit_code" { bad[$1 " " $2] }
    END { for (run in runs) if (!(run in passed) || run in bad) print run }' \
    "$out/skip" | sort >"$out/failed"
