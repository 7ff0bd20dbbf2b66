#!/usr/bin/env bash
# The decoder agrees with GNU objdump.
#
# words       random encodings of every row of insn.def that objdump knows, compared as text.
# expansions  assembler source, assembled once compressed and once not: the decoder's text of the
#             compressed code is objdump's text of the other.
set -u
here=$(dirname "$0") as=riscv64-unknown-elf-as objdump=riscv64-unknown-elf-objdump
work=$TEST_TMP
extensions=gc_zba_zbb_zbs_zicsr_zifencei

if ! command -v $as >/dev/null || ! command -v $objdump >/dev/null; then
    echo "ok words of RV64 and RV32 decode as objdump says # SKIP no $objdump"
    echo "ok compressed code is what objdump shows uncompressed # SKIP no $objdump"
    exit 0
fi
. tests/cases.sh
${CC:-gcc} -std=gnu17 -O1 -I. "$here/objdump_text.c" \
    $(objects isa/{decode,insn,csr,pmp,trap,fp,fp_convert,fp_host,fp_soft}) -lm -o "$work/text" ||
    exit 1

# listing SOURCE [XLEN]: "address hex text" an instruction.
listing() {
    $as -march=rv${2:-64}$extensions "$1" -o "$work/code.o" || return 1
    $objdump -d -M no-aliases,numeric "$work/code.o" | tr '\t' ' ' |
        sed -nE 's/ *[<#].*//; s/^ *([0-9a-f]+): +([0-9a-f]+) +([^ ]+) */\1 \2 \3 /p' |
        sed 's/ *$//'
}

report() {      # report NAME EXPECTED ACTUAL LEAST
    local lines
    lines=$(wc -l <"$2")
    if [ "$lines" -ge "$4" ] && cmp -s "$2" "$3"; then
        echo "ok $1"
    else
        echo "# $lines lines of objdump (-), those of the decoder (+):"
        diff -u0 "$2" "$3" | head -40 | sed 's/^/# /'
        echo "not ok $1"
        failed=1
    fi
}

failed=0
for xlen in 64 32; do
    "$work/text" words $xlen >"$work/words.s"
    listing "$work/words.s" $xlen >"$work/words.expected"
    cut -d' ' -f1,2 "$work/words.expected" | "$work/text" decode $xlen >"$work/words.actual"
    report "words of RV$xlen decode as objdump says" "$work/words.expected" \
        "$work/words.actual" 4000
done

# Every instruction that has a compressed form, with operands that the form can hold. Those that
# only RV64 has are left out of RV32's list; what only RV32 has is at its end.
source_of() {
for a in 8 9 12 15; do
    for b in 10 11 14; do
        for n in 0 8 40 64 120 248; do
            echo "addi x$a,x2,$((n + 4))"
            for op in ld sd; do echo "$op x$a,$n(x$b)"; echo "$op x$a,$((n * 2))(x2)"; done
            for op in fld fsd; do echo "$op f$a,$n(x$b)"; echo "$op f$a,$((n * 2))(x2)"; done
            for op in lw sw; do echo "$op x$a,$((n / 2))(x$b)"; echo "$op x$a,$((n / 2))(x2)"; done
        done
        for op in sub xor or and subw addw add; do echo "$op x$a,x$a,x$b"; done
        echo "add x$a,x0,x$b"
        echo "jalr x0,0(x$a)"
        echo "jalr x1,0(x$b)"
    done
    for n in -32 -31 -17 -1 1 5 16 31; do
        for op in addi addiw andi; do echo "$op x$a,x$a,$n"; done
        echo "addi x$((a + 16)),x0,$n"
        echo "lui x$a,$((n < 0 ? n & 0xfffff : n))"
        echo "addi x2,x2,$((n * 16))"
        for op in slli srli srai; do echo "$op x$a,x$a,$((n + 32))"; done
    done
    echo "addiw x$a,x$a,0"
done
for a in 8 9 12 15; do
    for n in 0 4 60 124 252; do
        for op in flw fsw; do echo "$op f$a,$((n / 2 / 4 * 4))(x$a)"; echo "$op f$a,$n(x2)"; done
    done
done
echo ebreak
}
for xlen in 64 32; do
    if [ $xlen = 64 ]; then absent='^s(ll|rl|ra)i .*,0$'
    else absent='^s(ll|rl|ra)i .*,(0|3[2-9]|[4-9].)$|^(ld|sd|subw|addw|addiw) '
    fi
    source_of | grep -vE "$absent" >"$work/plain.s"
    listing "$work/plain.s" $xlen | cut -d' ' -f1,2 | "$work/text" decode $xlen >"$work/decoded"
    cut -d' ' -f3- "$work/decoded" >"$work/rvc.actual"
    { echo ".option norvc"; cat "$work/plain.s"; } >"$work/wide.s"
    listing "$work/wide.s" $xlen | cut -d' ' -f3- >"$work/rvc.expected"
    compressed=$(awk 'length($2) == 4' "$work/decoded" | wc -l)
    [ "$compressed" -gt 500 ] || echo "compressed: $compressed" >>"$work/rvc.actual"
    report "compressed code of RV$xlen is what objdump shows uncompressed" "$work/rvc.expected" \
        "$work/rvc.actual" 500
done
exit $failed
