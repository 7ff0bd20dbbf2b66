#!/usr/bin/env bash
# rvsim meta convert, and the macros of rvsim/perfinst.h: a program carries exactly the metadata of
# a file, in both directions, for 64 and 32 bits.
. tests/sim/cli/lib.sh
top=${here%/tests/sim/cli}
cat >carried.S <<'END'
#include "rvsim/perfinst.h"
        perfinst_range I0, body, *
        perfinst "segment .text"
        perfinst_at 0, 4, "counter"
        .globl _start
_start: li a0, 5
        .type body, @function
body:   perfinst_next each, "counter label=3"
        addi a0, a0, -1
        bnez a0, body
        .size body, . - body
        li t0, 1
        la t1, tohost
        sw t0, 0(t1)
1:      j 1b
        .data
        .balign 8
tohost: .dword 0
END
gcc=("${GUEST_CC:-riscv64-unknown-elf-gcc}" -nostdlib -static -Wl,-N -Wl,--no-relax
    -Wl,--build-id=none -Wl,-Ttext=0x80000000 -I"$top/guest/include")
text='range I0 body *
segment .text
0 4 counter
each 2 counter label=3'
for bits in 64 32; do
    abi="-march=rv${bits}i -mabi=$([ $bits = 64 ] && echo lp64 || echo ilp32)"
    "${gcc[@]}" $abi carried.S -o carried 2>log || not_ok "carried.S builds, $bits" "$(<log)"
    rv meta convert carried
    same "the macros add the lines of a file, $bits bits" "0 $text" "$status $out"
    rv meta convert --output carried.meta carried
    cp carried bare
    "${OBJCOPY:-riscv64-unknown-elf-objcopy}" --remove-section .perfinst bare
    refused "a program that carries nothing is said to, $bits bits" \
        "bare: carries no metadata: it has no section .perfinst" meta convert bare
    rv meta convert --output again carried.meta bare
    same "text becomes a section, $bits bits" 0 "$status$err"
    rv meta convert again
    same "a section becomes text again, $bits bits" "$text" "$out"
    readelf -SW again >sections 2>&1
    same "other programs read the new file, $bits bits" "1 0" \
        "$(grep -c ' \.perfinst ' sections) $(grep -ci 'warning\|error' sections)"
    same "every byte of the old one stays in its place, $bits bits" "" \
        "$(cmp -l bare again 2>/dev/null | awk '$1 > 64')"
    for mode in detailed fast; do
        for program in carried again; do
            rv --mode $mode --count insns_retired:label=3 --stats x.json $program
            same "the program counts as its macros say, $program, $bits bits, $mode" "1 5 10 5" \
                "$(value x.json marks.0.count) $(value x.json marks.1.count) $(
                    value x.json ranges.0.executed) $(value x.json counts.0.count)"
        done
    done
    echo 'range D0 tohost 8' >more.meta
    rv meta convert --output twice more.meta again
    rv meta convert twice
    same "a second conversion adds to the first, $bits bits" "$text
range D0 tohost 8" "$out"
    readelf -SW twice >sections 2>&1
    same "in the one section, $bits bits" 1 "$(grep -c ' \.perfinst ' sections)"
done

cat >carried.c <<'END'
#include "rvsim/perfinst.h"
PERFINST_ENTRY(step, "counter");
PERFINST_ALL(word, "counter");
PERFINST_BRANCHES(step, "label=2");
PERFINST_CALLS(main, "count");
PERFINST_RANGE(I3, step);
PERFINST("# a comment");
volatile int word;
__attribute__((noinline)) void step(void)
{
    if (word < 100)
        word++;
}
int main(void)
{
    for (int i = 0; i < 7; i++)
        step();
    PERFINST_LINE("label=5"); word = 0;
    return 0;
}
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -I"$top/guest/include" carried.c -o linux \
    2>log || not_ok "carried.c builds" "$(<log)"
rv meta convert linux
same "the macros of C add the lines of a file" 'step 2 counter
word * counter
branches(step) * label=2
calls(main) * count
range I3 step *
# a comment
carried.c:18 * label=5' "$out"
rv --mode fast --count branches:label=2 --count stores:label=5 --count calls:marked \
    --stats x.json linux
same "converted lines count as the macros do" "7 7 1 7" "$(value x.json ranges.0.entries) $(
    value x.json counts.0.count) $(value x.json counts.1.count) $(value x.json counts.2.count)"

echo 'nowhere * counter' >wrong.meta
rm -f out
rv meta convert --output out wrong.meta bare
same "a wrong file is refused, and nothing is written" "2 " "$status $(ls out 2>/dev/null)"
refused "a program needs a file to go to" \
    "meta convert: expected --output FILE for the program with metadata" \
    meta convert carried.meta bare
refused "something must be converted" "meta convert: expected [FILE.meta ...] app.elf" meta convert
head -c $(($(wc -c <bare) - 40)) bare >cut
rv meta convert --output out carried.meta cut
same "half a program is refused" 2 "$status"
