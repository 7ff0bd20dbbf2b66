#!/usr/bin/env bash
# Traces: a window is a piece of the whole and changes no statistics; each hart has its own file.
. tests/sim/cli/lib.sh
build_ends

for mode in detailed fast; do
    rv --quiet --mode $mode --trace commit:full.log ends 0
    rv --quiet --mode $mode --stats x.csv --trace commit:part.log --trace-from 2000 \
        --trace-to 3000 ends 0
    same "a window of a commit trace is a piece of it, $mode" \
        "$(sed -n 2001,3000p full.log | cksum)" "$(cksum <part.log)"
    rv --quiet --mode $mode --stats y.csv ends 0
    same "a window changes no statistics, $mode" "" \
        "$(diff <(grep -v -e host x.csv) <(grep -v -e host y.csv))"
done

rv --quiet --trace o3pipeview:full.o3 ends 0
rv --quiet --trace o3pipeview:part.o3 --trace-from 2000 --trace-to 3000 ends 0
same "a window of a pipeline trace is a piece of it, cycle for cycle" "" \
    "$(grep -v :retire: part.o3 | grep -v -F -x -f full.o3 | head -3)"
same "a window has its committed instructions" 1000 \
    "$(grep -c ':retire:[1-9]' part.o3)"
same "instructions have seven lines" 0 "$(($(wc -l <part.o3) % 7))"
same "a store's completion is not before its retirement" 0 "$(awk -F: '
    $2 == "retire" && $5 != 0 && $5 + 0 < $3 + 0' full.o3 | wc -l)"
same "some store completes later" yes "$(awk -F: '
    $2 == "retire" && $5 + 0 > $3 + 0 { late = "yes" } END { print late }' full.o3)"

# Loads that commit early, store data apart from addresses, an in-order core.
disordered() {
    awk -F: '
        $2 == "fetch" { last = $3; next }
        $2 == "retire" && $3 == 0 { next }
        $3 == 0 { next }
        $3 + 0 < last { wrong++ }
        { last = $3 + 0; if ($3 > most) most = $3 }
        $2 == "retire" { ended = $3 }
        END { print wrong + 0, (most <= ended + 1e6 ? "in time" : "later than the run") }' "$1"
}
for preset in c910 boom c906; do
    rv --quiet --config $preset --trace o3pipeview:$preset.o3 ends 0
    same "stages of an instruction come in order, $preset" "0 in time" "$(disordered $preset.o3)"
done

cat >harts.S <<'END'
    .globl _start, tohost
_start:
    csrr a0, mhartid
    li t0, 50
1:  addi t0, t0, -1
    bnez t0, 1b
    la t1, tohost
    li t2, 1
2:  bnez a0, 2b
    sd t2, (t1)
3:  j 3b
    .data
    .align 6
tohost: .dword 0
fromhost: .dword 0
END
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv64gc -mabi=lp64d -nostdlib -static -Wl,-N \
    -Wl,--no-relax -Wl,-Ttext=0x80000000 harts.S -o harts 2>log ||
    not_ok "harts.S builds" "$(<log)"
rv --quiet --harts 3 --trace kanata:h.kanata --trace commit:h.log harts
same "each hart has a pipeline of its own" "h.hart1.kanata h.hart2.kanata h.kanata" \
    "$(echo h*.kanata)"
same "the instructions of a trace carry the hart" "2" \
    "$(awk -F'\t' '$1 == "I" { print $4 }' h.hart2.kanata | sort -u)"
same "a commit trace has the harts in one file" "core   0 core   1 core   2" \
    "$(cut -d: -f1 h.log | sort -u | tr '\n' ' ' | sed 's/ $//')"

# Atomics as Spike's log has them: the value read, then the value written; traps; by hand.
cat >atomics.S <<'END'
    .globl _start, tohost
_start:
    la t0, handler
    csrw mtvec, t0
    la s0, cell
    li a0, 5
    sc.d a1, a0, (s0)
    amoadd.w a1, a0, (s0)
    lr.d a1, (s0)
    sc.d a2, a0, (s0)
    amomaxu.d zero, s0, (s0)
    ecall
    ebreak
    ecall
    la t1, tohost
    li t2, 1
    sd t2, (t1)
3:  j 3b
    .align 2
handler:
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    mret
    .data
    .align 6
cell:   .dword 0xfffffffe
tohost: .dword 0
fromhost: .dword 0
END
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv64ima_zicsr -mabi=lp64 -nostdlib -static -Wl,-N \
    -Wl,--no-relax -Wl,-Ttext=0x80000000 atomics.S -o atomics 2>log ||
    not_ok "atomics.S builds" "$(<log)"
guest_nm=${GUEST_CC:-riscv64-unknown-elf-gcc}
cell=0x$("${guest_nm%gcc}nm" atomics | awk '$3 == "cell" { print $1 }')
expected="x11 0x0000000000000001
x11 0xfffffffffffffffe mem $cell mem $cell 0x00000003
x11 0x0000000000000003 mem $cell
x12 0x0000000000000000 mem $cell 0x0000000000000005
mem $cell mem $cell $cell"
for mode in detailed fast; do
    rv --quiet --mode $mode --trace commit:a.log atomics
    same "atomics read and write in a commit trace, $mode" "$expected" \
        "$(sed -n '7,11s/.*) //p' a.log)"
done
for preset in default u74 tiny; do
    rv --quiet --config $preset --trace o3pipeview:a.o3 atomics
    same "an instruction that traps leaves the pipeline once, $preset" "" \
        "$(awk -F: '$2 == "fetch" { print $6 }' a.o3 | sort -n | uniq -d)"
    same "an instruction that traps does not retire, $preset" 3 \
        "$(awk -F: '$2 == "fetch" { trap = $7 ~ /ecall|ebreak/ }
            $2 == "issue" { issued = $3 != 0 }
            $2 == "retire" && $3 == 0 && trap && issued { n++ } END { print n + 0 }' a.o3)"
done
