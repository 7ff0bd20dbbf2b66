#!/usr/bin/env bash
# --check spike and --check qemu with interrupts and with several harts. A script stands in for
# Spike and prints a log in its format, made from a run of the fast engine, whose interrupts come at
# other places than those of the machine that is compared. SPIKE=path/to/spike names Spike itself,
# if it is not on the PATH.
. tests/integration/lib.sh
spike=${SPIKE:-$(command -v spike)}

# pretend LOG: makes $tmp/pretended, which prints the log as Spike does
pretend() {
    cp "$1" "$tmp/pretended.log"
    printf '#!/bin/sh\ncat %q >&2\n' "$tmp/pretended.log" >"$tmp/pretended"
    chmod +x "$tmp/pretended"
}
# with_interrupts NAME HANDLER: a commit log as Spike writes it: in front of the handler's first
# instruction stands the interrupt, at the place that the handler finds in mepc
with_interrupts() {
    awk -v handler="$2" '
        function flush() { for (i = 1; i <= held; i++) print line[i]; held = 0 }
        $4 == handler { flush(); is_held = 1 }
        is_held { line[++held] = $0 }
        !is_held { print }
        is_held && $5 ~ /^\(0x341022f3\)$/ {
            print "core   0: exception interrupt #7, epc " $7
            flush(); is_held = 0
        }' "$1"
}
check() {
    run check --check "$@"
    head -n 1 "$tmp/check.err"
}

for bits in 64 32; do
    if [ $bits = 64 ]; then build_bare interrupted; else build_bare_32 interrupted; fi ||
        not_ok "interrupted builds"
    handler=$("${guest_cc%gcc}nm" "$tmp/interrupted" | awk '$3 == "handler" {print "0x" $1}')
    run fast --mode fast --trace commit:"$tmp/fast.log" "$tmp/interrupted"
    with_interrupts "$tmp/fast.log" "$handler" >"$tmp/led.log"
    all=$(wc -l <"$tmp/fast.log")
    pretend "$tmp/led.log"
    for machine in default tiny in_order decoupled; do
        same "eight interrupts are taken where the log has them, RV$bits, ${machine//_/ }" \
            "rvsim: check: $all instructions and 8 traps agree" \
            "$(check spike:"$tmp/pretended" $(machine_options $machine) "$tmp/interrupted")"
    done
    same "in the fast engine too, RV$bits" "rvsim: check: $all instructions and 8 traps agree" \
        "$(check spike:"$tmp/pretended" --mode fast "$tmp/interrupted")"

    # The third handler stores another count.
    awk -v handler="$handler" '$4 == handler {entries++}
        entries == 3 && $(NF - 2) == "mem" && $NF ~ /^0x0+3$/ {sub(/3$/, "9")} {print}' \
        "$tmp/led.log" >"$tmp/wrong.log"
    pretend "$tmp/wrong.log"
    check spike:"$tmp/pretended" "$tmp/interrupted" >/dev/null
    same "a difference inside the third handler is found, RV$bits" "1 handler+0x14" \
        "$status $(grep -o 'handler+0x14' "$tmp/check.err" | tail -n 1)"
done

# QEMU goes by single steps, a thousand in a second: the programs are shorter.
for bits in 64 32; do
    name="QEMU: eight interrupts are compared, RV$bits"
    command -v qemu-system-riscv$bits >/dev/null || { echo "ok $name # SKIP no QEMU"; continue; }
    if [ $bits = 64 ]; then build_bare interrupted -DPERIOD=4
    else build_bare_32 interrupted -DPERIOD=4; fi
    check qemu "$tmp/interrupted" >/dev/null
    same "$name" "0 1" "$status $(grep -c 'and 8 traps agree$' "$tmp/check.err")"
done

build_bare spin_lock || not_ok "spin_lock builds"
build_bare many_harts -DHARTS=2 || not_ok "many_harts builds"
build_bare between_harts || not_ok "between_harts builds"
# interrupting REFERENCE: two harts that interrupt each other agree
interrupting() {
    check "$1" --harts 2 "$tmp/between_harts" >/dev/null
    same "two harts interrupt each other, ten times each, --check ${1%%:*}" "0 1" \
        "$status $(grep -c 'and 20 traps agree' "$tmp/check.err")"
}
interrupting self
if [ -x "$spike" ]; then
    interrupting spike:"$spike"
    build_bare interrupted
    for machine in default in_order; do
        check spike:"$spike" $(machine_options $machine) "$tmp/interrupted" >/dev/null
        same "Spike: a program is compared up to its end through eight interrupts, $machine" \
            "0 1" "$status $(grep -c 'and 8 traps agree$' "$tmp/check.err")"
        for program in spin_lock many_harts; do
            harts=$([ $program = spin_lock ] && echo 4 || echo 2)
            check spike:"$spike" --harts $harts $(machine_options $machine) "$tmp/$program" \
                >/dev/null
            same "Spike: $harts harts of $program agree, $machine" "0 1" \
                "$status $(grep -c 'traps agree' "$tmp/check.err")"
        done
    done
else
    echo "ok Spike itself # SKIP no spike"
fi
if command -v qemu-system-riscv64 >/dev/null; then
    interrupting qemu
    build_bare many_harts -DHARTS=2 -DROUNDS=150 || not_ok "many_harts builds"
    for machine in default in_order; do
        check qemu --harts 2 $(machine_options $machine) "$tmp/many_harts" >/dev/null
        same "QEMU: two harts agree to the end, $machine" "0 1" \
            "$status $(grep -c 'instructions and 0 traps agree$' "$tmp/check.err")"
        same "QEMU: four harts that fight for a lock agree, $machine" \
            "rvsim: check: 2000 instructions and 0 traps agree" \
            "$(check qemu --harts 4 --max-insns 2000 $(machine_options $machine) "$tmp/spin_lock" |
                sed 's/200[0-9]/2000/')"
    done
else
    echo "ok several harts on QEMU # SKIP no QEMU"
fi
