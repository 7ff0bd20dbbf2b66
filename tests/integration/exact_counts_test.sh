#!/usr/bin/env bash
# I3, S5: hand-counted programs. The count of every marked instruction and datum, and the events,
# are exact, in both engines and on machines whose caches lose their shadow frames all the time.
. tests/integration/lib.sh

check() {
    local program=$1 mode=$2 machine=$3 name stem=$1.$2.$3
    name="${program//_/ }, $mode engine, ${machine//_/ }"
    run "$stem" --mode "$mode" $(machine_options "$machine") --meta "$tmp/$program.meta" \
        "$tmp/$program"
    if [ $status != 0 ]; then not_ok "$name: the program finds its results right" "$(said "$stem")"
    else ok "$name: the program finds its results right"; fi
    same "$name: every count is the hand-made one" \
        "$(expected marks "$tmp/$program")" "$(query marks "$tmp/$stem.json")"
    same "$name: events are exact" "$(events_expected "$program")" \
        "$(events_of "$stem" "$program")"
}

for program in loops calls recursion branches data_access self_modifying misaligned traps \
    read_counts; do
    build_bare "$program" || { not_ok "$program builds"; continue; }
    for machine in default tiny small_caches short_lines long_lines; do
        for mode in fast detailed; do check "$program" $mode $machine; done
    done
    for machine in small_caches_below exclusive_caches; do check "$program" detailed $machine; done
    # The counts of a run up to some instruction, and those of a run whose measurement begins at
    # this instruction, add up to the counts of the whole run.
    for first in 1 100 777 1500; do
        options="--config tiny --meta $tmp/$program.meta"
        run first --mode fast --max-insns $first $options "$tmp/$program"
        run rest --fast-forward $first $options "$tmp/$program"
        if grep -q "not reached" "$tmp/rest.err"; then
            same "$(in_words "$program"), which ends before $first instructions: all is counted" \
                "$(expected marks "$tmp/$program")" "$(query marks "$tmp/first.json")"
            continue
        fi
        same "$(in_words "$program"), cut after $first instructions: counts add up" \
            "$(expected marks "$tmp/$program")" \
            "$(paste -d ' ' <(query marks "$tmp/first.json") <(query marks "$tmp/rest.json") |
                awk '$1 == $3 {print $1, $2 + $4}')"
    done
    check "$program" warm default
done

build_bare conditional || not_ok "conditional builds"
for mode in fast warm detailed; do check conditional $mode default; done
check conditional detailed in_order

# The same with registers of 32 bits; rv32 is about nothing else.
for program in loops calls recursion self_modifying traps rv32 sv32; do
    build_bare_32 "$program" || { not_ok "$program builds for RV32"; continue; }
    for machine in default tiny small_caches short_lines; do
        for mode in fast detailed; do
            check "$program" $mode $machine
        done
    done
    check "$program" warm default
    run rv32_64 --set machine.xlen=64 "$tmp/$program"
    same "$(in_words "$program") for RV32: a machine with another XLEN refuses it" 2 $status
done

# Every instruction of a program as the cross-compiler made it: the counts are all that ran.
build_linux callers || not_ok "the Linux program builds"
"${linux_cc%gcc}readelf" -SW "$tmp/callers" | sed 's/^ *\[ *[0-9]*\] *//' |
    awk '$2 == "PROGBITS" && $7 ~ /X/ {print "segment " $1; print "0 0x" $5 " counter"}' \
    >"$tmp/callers.meta"
# Its system calls count, but trap and do not retire.
"${linux_cc%gcc}objdump" -d "$tmp/callers" | sed -n 's/^ *\([0-9a-f]*\):.*\tecall$/0x\1/p' \
    >"$tmp/system_calls"
# whole MODE MACHINE: each instruction's count, to whole.MODE; they add up
whole() {
    run whole --mode $1 $(machine_options $2) --meta "$tmp/callers.meta" "$tmp/callers"
    query marks "$tmp/whole.json" >"$tmp/whole.$1"
    same "a whole Linux program, $1 engine, $(in_words $2): counts add up" \
        "$(sed -n 's/^  "instructions": \([0-9]*\).*/\1/p' "$tmp/whole.json")" \
        "$(grep -vwFf "$tmp/system_calls" "$tmp/whole.$1" | awk '{sum += $2} END {print sum}')"
}
whole fast default
for machine in default tiny small_caches; do
    whole detailed $machine
    same "a whole Linux program, $(in_words $machine): both engines count the same" "" \
        "$(cmp "$tmp/whole.fast" "$tmp/whole.detailed" 2>&1)"
done

# Entries that choose instructions by their kind agree with the events.
echo 'branches(*) * counter' >"$tmp/branches.meta"
echo 'calls(*) * counter' >"$tmp/calls.meta"
for kind in branches calls; do
    run $kind --meta "$tmp/$kind.meta" "$tmp/callers"
    sum=$(query get "$tmp/$kind.json" events.$kind)
    [ $kind = branches ] || sum=$((sum + $(query get "$tmp/$kind.json" events.returns)))
    same "counters on all $kind of a Linux program add up to the events" "$sum" \
        "$(query marks "$tmp/$kind.json" | awk '{sum += $2} END {print sum}')"
done

# An instruction across the end of a line without marks brings marked ones along.
cat >"$tmp/across.S" <<'END'
    .option norelax
    .section .text.start, "ax"
    .global _start
_start:
    li s1, 1000
    j across
    .balign 64
    .skip 60
    c.nop
across:
    lui t0, 1
marked:
    addi s1, s1, -1
    c.addi t1, 1
    bnez s1, across
    li t0, 1
    la t1, tohost
    sd t0, 0(t1)
1:  j 1b
    .section .tohost, "aw"
    .balign 64
    .global tohost
tohost: .dword 0
END
"$guest_cc" $isa -nostdlib -static -T $programs/bare.ld "$tmp/across.S" -o "$tmp/across" ||
    not_ok "the program with an instruction across two lines builds"
echo "marked 6 counter" >"$tmp/across.meta"
for machine in default tiny small_caches short_lines; do
    run across $(machine_options $machine) --meta "$tmp/across.meta" "$tmp/across"
    same "the line that an instruction goes on in is marked, the one before is not, $(
        in_words $machine)" "1000 1000 1000" \
        "$(query marks "$tmp/across.json" | awk '{ print $2 }' | xargs)"
done

for harts in 2 4; do
    build_bare many_harts -DHARTS=$harts || { not_ok "many_harts builds"; continue; }
    for machine in default tiny small_caches; do
        for mode in fast detailed; do
            run many_harts --harts $harts --mode $mode $(machine_options $machine) \
                --meta "$tmp/many_harts.meta" "$tmp/many_harts"
            name="$harts harts, $mode engine, $(in_words $machine)"
            same "$name: the program finds its results right" 0 $status
            same "$name: no count at shared words and code is lost" \
                "$(expected marks "$tmp/many_harts")" "$(query marks "$tmp/many_harts.json")"
        done
    done
done

build_bare mark_kinds
for machine in default tiny small_caches long_lines; do
    for mode in fast detailed; do
        run mark_kinds --mode $mode $(machine_options $machine) --monitor none \
            --meta "$tmp/mark_kinds.meta" "$tmp/mark_kinds"
        same "I2, I4, I5: bundles and data signal exactly, $mode engine, $(in_words $machine)" \
            "$(events_expected mark_kinds)" "$(events_of mark_kinds mark_kinds)"
    done
done
run mark_kinds --set shadow.form=full --monitor none --meta "$tmp/mark_kinds.meta" \
    "$tmp/mark_kinds"
same "S4: bundles and data signal the same from perfinst blocks in the full form" \
    "$(events_expected mark_kinds)" "$(events_of mark_kinds mark_kinds)"
# The marked line is filled once where both lines fit, and always where they push each other out.
on_miss() {
    run mark_kinds --monitor none --meta "$tmp/mark_kinds.meta" --set l1d.prefetch=none \
        "$@" "$tmp/mark_kinds"
    query get "$tmp/mark_kinds.json" events.indicator_interrupts
}
same "I7: a line marked on-miss interrupts once when it stays in the cache" 1 "$(on_miss)"
same "I7: a line marked on-miss interrupts each time it is filled again" 12 \
    "$(on_miss --set l1d.kib=1 --set l1d.ways=1)"
