#!/usr/bin/env bash
# Random programs give the same digests on QEMU, the fast engine and the detailed engine.
#
# Each program is a random body (randprog.c) in a frame (frame.S) that folds every register, flag,
# trap and memory word into a digest after each round and prints it. Environment: DIFF_SEEDS (number
# of programs, default 6), DIFF_FIRST (first seed), DIFF_ROUNDS, DIFF_INSNS (length of a body). The
# default is a short slice; DIFF_SEEDS=200 DIFF_ROUNDS=60 executes some ten million random
# instructions.
set -u
here=$(dirname "$0")
seeds=${DIFF_SEEDS:-6} first=${DIFF_FIRST:-1} rounds=${DIFF_ROUNDS:-10} insns=${DIFF_INSNS:-600}
qemu=$(command -v qemu-system-riscv64 && command -v qemu-system-riscv32) || qemu=
gcc=$(command -v riscv64-unknown-elf-gcc) || gcc=
if [ -z "$qemu" ] || [ -z "$gcc" ]; then
    echo "ok random programs agree with QEMU # SKIP no qemu-system-riscv or cross compiler"
    exit 0
fi
. tests/cases.sh
${CC:-gcc} -std=gnu17 -O1 -I. "$here/randprog.c" \
    $(objects isa/{decode,insn,fp,fp_convert,fp_host,fp_soft}) -lm -o "$TEST_TMP/randprog" || exit 1

declare -A abi=([64]=lp64d [32]=ilp32d) board=([64]=spike [32]=virt)
build() {       # build SEED MODE XLEN: an ELF with the random body
    "$TEST_TMP/randprog" "$1" "$insns" "$2" "$3" >"$TEST_TMP/body.s" &&
    "$gcc" -march=rv$3gc -mabi=${abi[$3]} -mcmodel=medany -nostdlib -static \
        -Wl,--no-warn-rwx-segments -T "$here/frame.ld" -I "$here" \
        -DBODY="\"$TEST_TMP/body.s\"" -DROUNDS="$rounds" \
        -DUSER=$([ "$2" = U ] && echo 1 || echo 0) "$here/frame.S" -o "$TEST_TMP/$1$2.elf"
}

total=0
for kind in M64 U64 M32 U32; do
    bad= mode=${kind:0:1} xlen=${kind:1}
    for seed in $(seq "$first" $((first + seeds - 1))); do
        build "$seed" $mode $xlen || { bad="$bad $seed(build)"; continue; }
        elf=$TEST_TMP/$seed$mode.elf
        timeout 120 qemu-system-riscv$xlen -M ${board[$xlen]} -bios none -display none \
            -serial stdio -monitor none -kernel "$elf" \
            >"$TEST_TMP/qemu" 2>"$TEST_TMP/qemu.err" </dev/null
        for engine in fast detailed; do
            timeout 300 "$RVSIM" --mode $engine --stats "$TEST_TMP/stats.csv" "$elf" \
                >"$TEST_TMP/$engine" 2>"$TEST_TMP/$engine.err"
            if [ "$(wc -l <"$TEST_TMP/qemu")" != "$rounds" ] ||
               ! cmp -s "$TEST_TMP/qemu" "$TEST_TMP/$engine"; then
                bad="$bad $seed($engine)"
                echo "# seed $seed mode $mode, XLEN $xlen, engine $engine:"
                diff "$TEST_TMP/qemu" "$TEST_TMP/$engine" | head -4 | sed 's/^/#   /'
            fi
        done
        count=$(sed -n 's/^instructions,//p' "$TEST_TMP/stats.csv" 2>/dev/null)
        total=$((total + ${count:-0}))
        rm -f "$elf"
    done
    name="random programs in mode $mode of RV$xlen agree with QEMU in both engines"
    [ -z "$bad" ] && echo "ok $name" || echo "not ok $name: seeds$bad"
done
echo "# $total instructions executed in detail"
