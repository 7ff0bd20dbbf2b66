#!/usr/bin/env bash
# Hints in the instruction stream: each marks exactly its instructions, programs with hints run on
# every machine, and hints cost nothing while the mechanism is off. SPIKE=path/to/spike: Spike, if
# it is not on the PATH.
. tests/integration/lib.sh
machines="default tiny in_order decoupled small_caches"
spike=${SPIKE:-$(command -v spike)}

build_bare hints || not_ok "hints builds"
for machine in $machines; do
    for mode in fast detailed; do
        run hints --mode $mode $(machine_options $machine) "$tmp/hints"
        name="I1, I2, I5, I6, I8: hints mark next, next n, bundles, start, stop, toggle and label"
        if [ $status = 0 ]; then ok "$name, $mode engine, ${machine//_/ }"
        else not_ok "$name, $mode engine, ${machine//_/ }" "$(said hints)"; fi
    done
done

# The same source for Linux and for the bare machine, with indicators and with no-ops instead.
# Names are equally long: a program finds its own on its stack.
for kind in hint nops; do
    plain=
    [ $kind = hint ] || plain=-DPLAIN
    mkdir "$tmp/$kind"
    build_linux hinted -I. $plain || not_ok "hinted builds"
    mv "$tmp/hinted" "$tmp/$kind/linux"
    build_bare hinted -DBARE $plain || not_ok "hinted builds"
    mv "$tmp/hinted" "$tmp/$kind/bare"
done

# 50 rounds of six indicators, 50 * 64 of one; of these two instructions each, and the one after
# each PROF_MARK, count; the bundle's are the compiler's, two at most beside the two hints in it.
for program in linux bare; do
    run $program.off "$tmp/hint/$program"
    same "I8: the $program program counts nothing while the mechanism is off" "7 0 0" \
        "$status $(query get "$tmp/$program.off.json" events.hint_marks) $(
            query get "$tmp/$program.off.json" events.marked_insns)"
    for mode in fast detailed; do
        run $program.$mode --hints --mode $mode "$tmp/hint/$program"
        same "I1: without metadata the $program program's indicators count, $mode engine" \
            "7 $((50 * 6 + 50 * 64))" \
            "$status $(query get "$tmp/$program.$mode.json" events.hint_marks)"
    done
    same "I1: both engines count the same instructions of the $program program" \
        "$(query get "$tmp/$program.fast.json" events.marked_insns)" \
        "$(query get "$tmp/$program.detailed.json" events.marked_insns)"
    marked=$(query get "$tmp/$program.fast.json" events.marked_insns)
    if [ "$marked" -ge $((50 + 50 * 64 * 2)) ] && [ "$marked" -le $((50 * 4 + 50 * 64 * 2)) ]; then
        ok "I1: it is the number that the $program program's source says"
    else
        not_ok "I1: it is the number that the $program program's source says" "$marked"
    fi
done

# Switched off, a hint is a no-op to the bit; switched on, it takes no additional cycle.
for machine in $machines; do
    for kind in linux bare; do
        run nops $(machine_options $machine) "$tmp/nops/$kind"
        run off $(machine_options $machine) "$tmp/hint/$kind"
        same "I8: off, every statistic is that of no-ops, $kind program, ${machine//_/ }" \
            "$(query without "$tmp/nops.json" command host)" \
            "$(query without "$tmp/off.json" command host)"
        run on --hints $(machine_options $machine) "$tmp/hint/$kind"
        same "I1: hints that count cost no cycle, $kind program, ${machine//_/ }" \
            "$(query get "$tmp/off.json" cycles)" "$(query get "$tmp/on.json" cycles)"
    done
done

# On other machines. The program's own output and status are the result.
name="I1: the same Linux program runs unchanged on QEMU"
if command -v qemu-riscv64 >/dev/null; then
    same "$name" "4268530 7" "$(echo $(timeout 60 qemu-riscv64 "$tmp/hint/linux"; echo $?))"
else
    echo "ok $name # SKIP no qemu-riscv64"
fi
name="I1: the same bare-metal program runs unchanged on QEMU"
if command -v qemu-system-riscv64 >/dev/null; then
    timeout 60 qemu-system-riscv64 -M spike -bios none -display none -serial none -monitor none \
        -kernel "$tmp/hint/bare" >/dev/null 2>&1 </dev/null
    same "$name" 7 $?
else
    echo "ok $name # SKIP no qemu-system-riscv64"
fi
name="I1: the same bare-metal program runs unchanged on Spike"
if [ -x "$spike" ]; then
    timeout 60 "$spike" --isa=rv64gc -m64 "$tmp/hint/bare" >/dev/null 2>&1 </dev/null
    same "$name" 7 $?
    run check --check spike:"$spike" "$tmp/hint/bare"
    same "I1: every instruction of it does on Spike what it does here" 7 $status
else
    echo "ok $name # SKIP no spike"
fi
