#!/usr/bin/env bash
# The bench programs verify their own results, and the table of their speed has the measured values.
set -u
. tests/cases.sh
tmp=$TEST_TMP
programs=tests/bench/programs
guest_cc=${GUEST_CC:-riscv64-unknown-elf-gcc}
native="${CC:-cc} -std=gnu17 -O1 -I."

# The checksums come from a run of the same code on the host.
for source in "$programs"/*.c; do
    name=$(basename "$source" .c)
    [ "$name" != main ] || continue
    $native -DBENCH_ROUNDS=1 "$source" $programs/main.c -o "$tmp/native" -lm && "$tmp/native"
    same "$name has the checksum it expects, on the host" 0 $?
    sed -E 's/^(BENCH\([0-9]+, UINT32_C\()([0-9]+)/\1\2 ^ 1/' "$source" >"$tmp/other.c"
    $native -DBENCH_ROUNDS=1 -I$programs "$tmp/other.c" $programs/main.c -o "$tmp/native" -lm &&
        "$tmp/native"
    same "$name refuses another checksum" 1 $?
done

mkdir -p "$tmp/rv64gc" "$tmp/rv32im"
common="-std=gnu17 -O2 -ffreestanding -fno-tree-loop-distribute-patterns -mcmodel=medany -I.
    -nostdlib -static -DBENCH_ROUNDS=10 -Wl,--no-warn-rwx-segments -T $programs/bench.ld
    $programs/states.c $programs/main.c $programs/start.S"
$guest_cc -march=rv64gc_zicsr -mabi=lp64d $common -lgcc -o "$tmp/rv64gc/states.elf" &&
    $guest_cc -march=rv32im_zicsr -mabi=ilp32 $common -lgcc -o "$tmp/rv32im/states.elf" &&
    $native tests/bench/measure.c -o "$tmp/measure" || not_ok "the bench builds"

# bench NAME=VALUE...: leaves the table in $tmp/out and the status in $status
bench() {
    env -u SPIKE -u MARSS -u QEMU -u LIBRISCV -u GEM5 RVSIM="$RVSIM" GUEST_CC="$guest_cc" \
        BENCH_O="$tmp" BENCH_OUT="$tmp/out" MEASURE="$tmp/measure" "$@" \
        tests/bench/run.sh >"$tmp/log" 2>&1 </dev/null
    status=$?
}
printf '#!/bin/sh\nexit 3\n' >"$tmp/fails" && chmod +x "$tmp/fails"

bench REPS=2 ENGINES="default tiny in_order oracle marks fast"
same "the programs run on every engine" "0 " "$status $(grep failed "$tmp/out/bench.md")"
same "each engine has its row, from two runs" \
    "default 2 tiny 2 in_order 2 oracle 2 marks 2 fast 2" \
    "$(awk -F, 'NR > 1 && $5 > 0 && $9 > 0 && $10 > 0 { print $2, $4 }' \
        "$tmp/out/bench.csv" | xargs)"
same "repetitions take turns" "1 1 1 1 1 1 2 2 2 2 2 2" \
    "$(awk -F, 'NR > 1 { print $5 }' "$tmp/out/runs.csv" | xargs)"
same "the speed is instructions by user time" "" "$(awk -F, 'NR > 1 && $5 > 0.2 {
    off = $9 * $5 * 1e6 / $3 - 1
    if (off > 0.02 || off < -0.02) print }' "$tmp/out/bench.csv")"
same "the table names what it skipped" 5 \
    "$(grep -c '^\* skipped: .*name it with' "$tmp/out/bench.md")"

bench REPS=1 ISA=rv32im ENGINES="default fast"
same "RV32 programs are measured too" "0 2" "$status $(grep -c ^states, "$tmp/out/bench.csv")"

# A script stands in for callgrind: it prints a line in callgrind's format, for 1000 simulated
# instructions.
cat >"$tmp/callgrind" <<'END'
#!/bin/sh
for word in "$@"; do [ "$word" != tiny ] || misses=2500; done
echo "==1== Collected : 700000 5 6 ${misses:-100} 7" >&2
END
chmod +x "$tmp/callgrind"
bench REPS=1 ENGINES=fast CALLGRIND="$tmp/callgrind" INSNS=1000 PRESETS="fig2 tiny"
same "the host's instructions have a row for each preset" \
    "0 | fig2 | 700 | 0.10 | | tiny | 700 | 2.50 |" \
    "$status $(grep -E '^\| (fig2|tiny) ' "$tmp/out/bench.md" | xargs -d '\n')"

bench REPS=1 ENGINES="fast spike" SPIKE="$tmp/fails"
same "a run that fails is told and fails the bench" "1 * spike failed on states (status 3)" \
    "$status $(grep failed "$tmp/out/bench.md")"

# A simulator of Linux programs may not end with status 0 unless it has run the program.
mkdir -p "$tmp/linux" && : >"$tmp/linux/states.elf"
printf '#!/bin/sh\necho %s\n' verified >"$tmp/runs" && printf '#!/bin/sh\nexit 0\n' >"$tmp/idles"
chmod +x "$tmp/runs" "$tmp/idles"
bench REPS=1 ENGINES="fast libriscv" LIBRISCV="$tmp/runs"
same "a program that says it was verified was run" 0 "$status"
bench REPS=1 ENGINES="fast libriscv" LIBRISCV="$tmp/idles"
same "a program that did not say so was not run" "1 * libriscv failed on states (status 125)" \
    "$status $(grep failed "$tmp/out/bench.md")"

# Medians, means and ratios of figures that are known.
cat >"$tmp/known.csv" <<'EOF'
program,instructions,guest_kib,engine,repetition,user_seconds,peak_kib,status
a,10000000,100,default,1,1.0,1124,0
a,10000000,100,fast,1,0.1,1124,0
b,40000000,100,default,1,1.0,3172,0
b,40000000,100,fast,1,0.1,1124,0
chase,90000000,100,default,1,1.0,100,0
a,10000000,100,default,2,9.0,1124,0
b,40000000,100,default,2,1.0,1124,0
a,10000000,100,default,3,1.0,1124,0
b,40000000,100,default,3,1.0,1124,0
EOF
awk -f tests/bench/table.awk -v engines="default fast" -v csv="$tmp/known.out" "$tmp/known.csv" \
    >"$tmp/known.md"
same "medians, the geometric mean without the chase, spread, memory, ratios" \
"| a | 10.0 M | 10.00 | 100 |
| b | 40.0 M | 40.00 | 400 |
| chase | 90.0 M | 90.00 | - |
| **geometric mean** | | **20.00** | **200** |
| largest spread | | 800 % | 0 % |
| memory beside the guest's | | 3.0 MiB | 1.0 MiB |
| fast / default | 10.000 | 10.000 – 10.000 |" \
    "$(grep -E '^\| (a|b|chase|\*\*|largest|memory|fast)' "$tmp/known.md")"

# Samples by file become a table of stages, and no file of the pipeline is forgotten.
{
    echo "# engine default"
    printf '%s\n' "60.5 fetch.c" "9.5 fetch_line.c" "20 tage.c" "10 ?"
    echo "# engine fast"
    printf '%s\n' "75 insn.c" "25 phys.h"
} | awk -f tests/bench/stages.awk >"$tmp/stages.md"
same "stages and their shares" \
"| stage, % of the time | default | fast |
| fetch | 70.0 | 0.0 |
| branch prediction | 20.0 | 0.0 |
| execution | 0.0 | 75.0 |
| memory and translation | 0.0 | 25.0 |
| the rest | 10.0 | 0.0 |" "$(grep -E '[1-9].*\||^. stage' "$tmp/stages.md")"
find sim/core -name '*.[ch]' -printf '# engine %f\n100 %f\n' | awk -f tests/bench/stages.awk |
    awk -F ' *[|] *' 'NR == 1 { split($0, file) }
        /the rest/ { for (i = 3; i < NF; i++) if ($i == "100.0") print file[i] }' >"$tmp/forgotten"
same "every file of the pipeline belongs to a stage" "" "$(xargs <"$tmp/forgotten")"
