#!/usr/bin/env bash
# --trace KIND:FILE@marks: every kind has exactly the instructions from start marks to stop marks.
. tests/sim/cli/lib.sh
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -march=rv64g -nostdlib -static -Wl,--no-relax \
    -Wl,--build-id=none "$here/tally.S" -o tally 2>log || not_ok "tally.S builds" "$(<log)"
# Ten rounds; from each the trace has the two loads, the addition and the store.
printf 'work+8 4 start\nwork+24 4 stop\n' >tally.meta
work=$(nm tally | sed -n 's/^0*\([0-9a-f]*\) t work$/\1/Ip')
expected=$(for i in 1 2 3 4 5 6 7 8 9 10; do
    for at in 8 12 16 20; do printf '0x%x\n' $((0x$work + at)); done; done)
pcs() { sed 's/^core   0: 0 0x0*\([0-9a-f]*\) .*/0x\1/' "$1"; }

for mode in detailed fast; do
    rv --quiet --mode $mode --meta tally.meta --trace commit:$mode.log@marks tally
    same "a commit trace has the marked pieces, $mode" "0 $expected" "$status $(pcs $mode.log)"
    rv --quiet --mode $mode --meta tally.meta --trace commit:whole.log tally
    same "the marked pieces are pieces of the whole, $mode" "" "$(grep -vxFf whole.log $mode.log)"
done
rv --quiet --meta tally.meta --trace o3pipeview:x.o3@marks --trace kanata:x.kanata.gz@marks tally
same "a pipeline trace has the marked pieces" "$expected" "$(awk -F: '
    $2 == "fetch" { pc = $4 } $2 == "retire" && $3 != 0 { print pc }' x.o3 |
    sed 's/0x0*/0x/')"
same "a trace for Konata, compressed, has the marked pieces" 40 \
    "$(zcat x.kanata.gz | awk -F'\t' '$1 == "R" && $4 == 0' | wc -l)"
same "the cycles of the trace for Konata only grow" 0 \
    "$(zcat x.kanata.gz | awk -F'\t' '$1 == "C" && $2 < 1' | wc -l)"
rv --quiet --meta tally.meta --trace commit:-@marks --trace-from 30 --trace-to 60 tally
same "a window of instructions holds beside the marks" 12 "$(wc -l <rv.out)"
rv --stats x.csv --meta tally.meta --trace commit:y.log@marks tally
rv --stats y.csv --meta tally.meta tally
same "a trace of marked pieces changes no statistics" \
    "" "$(diff <(grep -v host x.csv) <(grep -v host y.csv))"

cat >harts.S <<'END'
        .globl _start, tohost, mine
_start: csrr a0, mhartid
        li t0, 7
mine:   addi t0, t0, -1
        bnez t0, mine
stop:   li t2, 1
        la t1, tohost
1:      bnez a0, 1b
        li t3, 100
2:      addi t3, t3, -1
        bnez t3, 2b
        sd t2, (t1)
3:      j 3b
        .data
        .align 6
tohost: .dword 0
END
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv64g -mabi=lp64d -nostdlib -static -Wl,-N \
    -Wl,--no-relax -Wl,-Ttext=0x80000000 harts.S -o harts 2>log ||
    not_ok "harts.S builds" "$(<log)"
printf 'mine 4 start\nstop 4 stop\n' >harts.meta
rv --quiet --harts 2 --meta harts.meta --trace commit:harts.log@marks \
    --trace o3pipeview:pipes@marks harts
same "each hart's marks are its own" "14 14 14 14" \
    "$(grep -c '^core   0' harts.log) $(grep -c '^core   1' harts.log) $(
        grep -c 'retire:[1-9]' pipes) $(grep -c 'retire:[1-9]' pipes.hart1)"

rm -f none.log
refused "a trace that no mark starts is an error" "--trace commit:none.log@marks: not reached: no \
start mark acted, and no trace is written" --quiet --trace commit:none.log@marks tally
same "a trace that no mark starts leaves no file" "" "$(ls none.log 2>/dev/null)"
rv --quiet --harts 2 --trace o3pipeview:all --trace o3pipeview:none@marks \
    --trace commit:none.log@marks --meta harts.meta --trace commit:some.log@marks harts
same "beside others that began it is no error where it did" "0 " "$status $err"
rv --quiet --trace o3pipeview:all --trace commit:none.log@marks tally
same "an empty one beside others is warned of" "0 rvsim: warning: --trace commit:none.log@marks: \
no start mark acted, and the trace is empty" "$status $err"

refused "a file is needed" "--trace commit:@marks: expected KIND:FILE" --trace commit:@marks tally
