#!/usr/bin/env bash
# Dynamically linked programs as a distribution ships them, with threads and processes, under the
# guest kernel. RISCV64_ROOT names a root with xz, zstd, pigz and busybox and their libraries for
# riscv64; without it the test is skipped. Programs of the host read the results.
. tests/integration/lib.sh

root=${RISCV64_ROOT:-}
[ -n "$root" ] || { echo "ok dynamically linked programs # SKIP no RISCV64_ROOT"; exit; }
cat sim/run/*.c sim/core/*.c | head -c 600000 >"$tmp/text"
# below HARTS PROGRAM ARGUMENT...: reads the text, writes $tmp/packed
below() {
    local harts=$1 program=$2
    shift 2
    "$RVSIM" --quiet --mode fast --harts "$harts" --root "$root" \
        "$root/usr/bin/$program" "$@" <"$tmp/text" >"$tmp/packed" 2>"$tmp/said"
}
for harts in 1 4; do
    while read -r reader program arguments; do
        below $harts $program $arguments
        holds "$program $arguments, $harts harts: exits with 0" [ $? = 0 ]
        holds "$program $arguments, $harts harts: $reader reads what it wrote" \
            cmp <($reader -dc <"$tmp/packed") "$tmp/text"
    done <<'END_OF_LIST'
xz xz -T4 --block-size=128KiB -1 -c
gzip pigz -p 4 -c
END_OF_LIST
    below $harts zstd -q -T4 -3 -c
    cp "$tmp/packed" "$tmp/packed.zst"
    "$RVSIM" --quiet --mode fast --os kernel --root "$root" "$root/usr/bin/zstd" -q -dc \
        <"$tmp/packed.zst" >"$tmp/unpacked"
    holds "zstd -T4, $harts harts: what it wrote is the text again" cmp "$tmp/unpacked" "$tmp/text"
done
while IFS= read -r pipeline; do
    below 2 busybox sh -c "$pipeline"
    same "busybox: $pipeline" "$(LC_ALL=C sh -c "$pipeline" <"$tmp/text")" "$(<"$tmp/packed")"
done <<'END_OF_LIST'
cat | tr a-z A-Z | sort | uniq | md5sum
gzip -c | gunzip -c | md5sum
for i in 1 2 3; do echo $i; done | while read x; do echo $((x * x)); done
seq 1 2000 | xargs -n 50 echo | sed s/1/x/g | md5sum; (exit 3); echo $?
END_OF_LIST
