#!/usr/bin/env bash
# The monitor marks the callers that it finds, and goes on upward to the root (G3): the same marks,
# counts and records by the monitor on the machine and by the one on the host, in both engines.
. tests/integration/lib.sh
marks() { query interrupts "$tmp/$1.json" | sed 's/+0x[0-9a-f]*//' | sort; }
records() {
    "$RVSIM" report --callers "$tmp/$1.prof" | sort
}

# leaf interrupts at its 14th execution, of 1200: the call in inner is marked, and executes 1186
# times more. It interrupts at its own 14th execution, leaf's 28th, in the 10th of inner's 400
# executions: 390 are left for the call in middle. The call in middle interrupts at inner's 24th
# execution, in the 12th of middle's 200: 188 are left for the call in outer. The call in outer
# interrupts at middle's 26th execution: 174 are left for the call in the root, above which there is
# no call.
expected='inner 1186 84
leaf 1200 85
root 174 12
middle 390 27
outer 188 13'
for kind in bare linux; do
    if [ $kind = bare ]; then build_bare chain -DBARE
    else build_linux chain; fi || not_ok "chain builds"
    echo 'leaf 2 counter=13 interrupt' >"$tmp/chain.meta"
    root=work
    [ $kind = linux ] || root=program
    for machine in default tiny small_caches in_order; do
        for mode in fast detailed; do
            for monitor in guest host; do
                stem=$kind.$mode.$monitor
                run $stem --mode $mode --monitor $monitor $(machine_options $machine) \
                    --set pmu.callers=13 --meta "$tmp/chain.meta" --profile "$tmp/$stem.prof" \
                    "$tmp/chain"
                same "G3: callers are marked up to the root, $kind, $mode engine, $machine, $(
                    )monitor $monitor" "0 $(sed "s/^root/$root/" <<<"$expected" | sort)" \
                    "$status $(marks $stem | grep -v '^main 0 0$\|libc_start\|^_start')"
            done
            same "G3: both monitors keep the same records, $kind, $mode engine, $machine" \
                "$(records $kind.$mode.host)" "$(records $kind.$mode.guest)"
        done
    done
    run off --meta "$tmp/chain.meta" "$tmp/chain"
    same "G3: nobody is marked unless it is asked for, $kind" "leaf 1200 85" "$(marks off)"
done

# As many calls as the program has: leaf is called from 700 places, 20 times each, and every one of
# its executions interrupts.
{
    echo 'static volatile unsigned count;'
    echo '#define ROUTINE __attribute__((noinline, noclone)) void'
    echo 'ROUTINE leaf(void) { count++; }'
    for ((i = 0; i < 700; i++)); do echo "ROUTINE f$i(void) { leaf(); count++; }"; done
    echo 'int main(void) { for (int round = 0; round < 20; round++) {'
    for ((i = 0; i < 700; i++)); do echo "f$i();"; done
    echo '} return 0; }'
} >"$tmp/many.c"
"$linux_cc" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -static "$tmp/many.c" \
    -o "$tmp/many" || not_ok "a program of many callers builds"
echo 'leaf 2 counter interrupt' >"$tmp/many.meta"
for monitor in guest host; do
    run many --mode fast --monitor $monitor --set pmu.callers=1 --meta "$tmp/many.meta" "$tmp/many"
    same "G3: all 700 calls of a routine are marked, and count from then on, monitor $monitor" 700 \
        "$(query interrupts "$tmp/many.json" | grep -c '^f[0-9]*+0x[0-9a-f]* 19 ')"
done

# The instructions of a routine are its own, in all calls from the caller, whatever ran between the
# interrupts. leaf has four instructions, and is called 14 times by first and 28 times by second,
# the latter through front, which jumps to it: 56 and 112 instructions. Between the two, 200,000
# other instructions run.
cat >"$tmp/own.S" <<'END'
        .macro routine name
        .type \name, @function
\name:
        .endm
        .globl main
        routine leaf
        nop
        nop
        nop
        ret
        .size leaf, . - leaf
        routine front
        j leaf
        .size front, . - front
        routine first
        mv t6, ra
        li t0, 14
1:      jal leaf
        addi t0, t0, -1
        bnez t0, 1b
        jr t6
        .size first, . - first
        routine other
        li t0, 100000
1:      addi t0, t0, -1
        bnez t0, 1b
        ret
        .size other, . - other
        routine second
        mv t6, ra
        li t0, 28
1:      jal front
        addi t0, t0, -1
        bnez t0, 1b
        jr t6
        .size second, . - second
        routine main
        mv s11, ra
        jal first
        jal other
        jal second
        li a0, 0
        jr s11
        .size main, . - main
END
"$linux_cc" -static "$tmp/own.S" -o "$tmp/own" || not_ok "a program of counted instructions builds"
echo 'leaf 2 counter=13 interrupt' >"$tmp/own.meta"
for mode in fast detailed; do
    for monitor in guest host; do
        run own --mode $mode --monitor $monitor --meta "$tmp/own.meta" \
            --profile "$tmp/own.prof" "$tmp/own"
        same "a routine's instructions are its own: $mode engine, monitor $monitor" \
            "0 second 2 112 first 1 56" "$status $("$RVSIM" report --callers "$tmp/own.prof" |
                awk '$2 ~ /%$/ { print $6, $1, $4 }' | xargs)"
    done
done
