#!/usr/bin/env bash
# A stripped program: every command names its routines by their addresses, in the same way, and has
# the same results for them as for the program with symbols.
. tests/integration/lib.sh

"$linux_cc" -O2 -static guest/examples/wordindex/wordindex.c -o "$tmp/whole" &&
    "${linux_cc%gcc}strip" -o "$tmp/strip" "$tmp/whole" || not_ok "the program builds"
# Turns names into addresses; fn_0x10430 has its address in the name.
"${linux_cc%gcc}nm" "$tmp/whole" | awk 'tolower($2) ~ /[twi]/ { print $3, "fn_0x" $1 }' |
    sed 's/fn_0x0*/fn_0x/' >"$tmp/names"
tool() {
    local stem=$tmp/$1
    shift
    "$RVSIM" "$@" >"$stem.out" 2>"$stem.err" </dev/null
    status=$?
}
# Lines "NAME NUMBER..." with names as addresses, sorted.
by_address() {
    awk 'NR == FNR { if (!($1 in name)) name[$1] = $2; next }
         $1 in name { $1 = name[$1] } { print }' "$tmp/names" - | sort
}

# --- the instructions of the routines
input=guest/examples/wordindex/wordindex.c
counts() {
    tool "$1.scan" scan --by function --output "$tmp/$1.csv" "$tmp/$1" $input
    tr , ' ' <"$tmp/$1.csv" | awk 'NR > 1 && $2 != 0 { print $1, $2 }' | by_address
}
counts whole >"$tmp/whole.counts"
counts strip >"$tmp/strip.counts"
same "every instruction executed is in a routine, as with symbols" \
    "$(awk '{ n += $2 } END { print (n > 100000), n }' "$tmp/whole.counts")" \
    "$(awk '{ n += $2 } END { print (n > 100000), n }' "$tmp/strip.counts")"
same "more than nine in ten routines start and end where the symbols say" "1" \
    "$(comm -12 "$tmp/whole.counts" "$tmp/strip.counts" | wc -l |
        awk -v all="$(wc -l <"$tmp/whole.counts")" '{ print ($1 > 0.9 * all) }')"
for own in main insert positions_append; do
    grep -q "^$own " "$tmp/names" || continue
    address=$(awk -v own=$own '$1 == own { print $2 }' "$tmp/names")
    same "a routine with call frame information is exact: $own" \
        "$(grep "^$address " "$tmp/whole.counts")" "$(grep "^$address " "$tmp/strip.counts")"
done

# --- the other commands
hot() {
    tool "$1.tune" tune --period 997 --hot 4 --max-insns 300000 "$tmp/$1" $input
    tr -d , <"$tmp/$1.tune.out" | awk 'NF == 7 && $6 ~ /%$/ { print $7, $1, $2 }' | by_address
}
hot whole >"$tmp/whole.hot"
hot strip >"$tmp/strip.hot"
same "tune counts the same calls and instructions of the routines that are hot in both" "1 0" \
    "$(comm -12 "$tmp/whole.hot" "$tmp/strip.hot" | awk 'END { print (NR > 1) }') $(
        comm -3 "$tmp/whole.hot" "$tmp/strip.hot" | awk '{ print $1 }' | sort | uniq -d | wc -l)"
routines() { grep -o 'fn_0x[0-9a-f]*' "$tmp/$1.out" | sort -u | wc -l; }
tool profile --quiet --oracle --max-insns 200000 --profile "$tmp/p" "$tmp/strip" $input
tool report report "$tmp/p"
main=$(awk '$1 == "main" { print $2 }' "$tmp/names")
tool callers callers --of "$main" "$tmp/strip" $input
tool thresholds thresholds --top 4 --max-insns 200000 "$tmp/strip" $input
tool branches branches --max-insns 200000 "$tmp/strip" $input
for command in report callers thresholds branches; do
    same "$command names routines, too" "1" "$(($(routines $command) > 0))"
done
same "a routine is found by the name that was made for it, with its callers" "1 $main 3" \
    "$(awk 'NR == 2 { print $1, $2 } NR > 2 { n++ } END { print n }' "$tmp/callers.out" | xargs)"
echo "$main * counter" >"$tmp/main.meta"
run marked --mode fast --meta "$tmp/main.meta" --profile "$tmp/p" "$tmp/strip" $input
tool marks report --top 1 "$tmp/p"
same "a mark of a routine counts as many instructions as scan" \
    "$(awk -v main="$main" '$1 == main { print $2 }' "$tmp/strip.counts")" \
    "$(tr -d , <"$tmp/marks.out" | awk -v main="$main" '$NF == main { print $1; exit }')"

# --- functions that handle exceptions: their entries name the handler before the addresses
cat >"$tmp/throws.cc" <<'C'
__attribute__((noinline)) int may_throw(int n) { if (n % 7 == 0) throw n; return n; }
__attribute__((noinline)) int catches(int n)
{
    try { return may_throw(n); } catch (int m) { return -m; }
}
int main() { int sum = 0; for (int i = 0; i < 50; i++) sum += catches(i); return sum == 0; }
C
"${linux_cc%gcc}g++" -O1 -static "$tmp/throws.cc" -o "$tmp/throws" &&
    "${linux_cc%gcc}strip" -o "$tmp/throws.bare" "$tmp/throws" || not_ok "the C++ program builds"
catches=$("${linux_cc%gcc}nm" -C "$tmp/throws" |
    sed -n 's/^0*\([0-9a-f]*\) . catches(int)$/fn_0x\1/p')
tool throws scan --by function --top 0 --output "$tmp/throws.csv" "$tmp/throws"
tool bare scan --by function --top 0 --output "$tmp/throws.bare.csv" "$tmp/throws.bare"
same "a function with a handler of exceptions is exact, too" \
    "$catches $(awk -F, '$1 == "catches(int)" { print $2 }' "$tmp/throws.csv")" \
    "$(awk -F, -v name="$catches" '$1 == name { print $1, $2 }' "$tmp/throws.bare.csv")"
seconds=$(TIMEFORMAT=%0U        # seconds of processor time, however busy the machine
    { time tool monitored --quiet --mode fast --monitor host --max-insns 1000 \
        --meta "$tmp/main.meta" "$tmp/throws"; } 2>&1)
same "the table of stacks of a library is there in seconds" "1" "$((seconds < 10))"

# --- routines of a static PIE are named by the addresses at which it runs
"$linux_cc" -O2 -nostdlib -fPIE -Wl,-static,-pie,--no-dynamic-linker \
    tests/sim/run/linux/programs/pie.c -o "$tmp/pie" || not_ok "the PIE builds"
"${linux_cc%gcc}strip" -o "$tmp/pie.bare" "$tmp/pie"
start=$((0x$("${linux_cc%gcc}nm" "$tmp/pie" | awk '$3 == "_start" { print $1 }') + 0x10000000))
tool pie scan --by function --top 0 "$tmp/pie.bare"
same "of a PIE the names are the addresses where it runs" "1" \
    "$(grep -c "$(printf 'fn_0x%x' $start)\$" "$tmp/pie.out")"

# --- a routine after one whose last instruction is meant to trap, called through a pointer only
cat >"$tmp/trap.S" <<'S'
    .globl _start, gives_up, after, tohost
_start:
    la sp, stack
    li s0, 5
1:  la t0, pointer
    ld t0, 0(t0)
    jalr t0
    addi s0, s0, -1
    bnez s0, 1b
    li a0, 1
    beqz sp, 3f
    la t0, tohost
    sd a0, 0(t0)
2:  j 2b
3:  call gives_up
gives_up:
    addi sp, sp, -16
    sd ra, 8(sp)
    ebreak
after:
    addi sp, sp, -16
    sd ra, 8(sp)
    ld ra, 8(sp)
    addi sp, sp, 16
    ret
    .section .tohost, "aw"
tohost: .dword 0
    .data
pointer: .dword after
    .bss
    .skip 256
stack:
S
"$guest_cc" $isa -nostdlib -static -T $programs/bare.ld "$tmp/trap.S" -o "$tmp/trap" &&
    "${linux_cc%gcc}strip" -o "$tmp/trap.bare" "$tmp/trap" || not_ok "a program that traps builds"
after=$("${linux_cc%gcc}nm" "$tmp/trap" | sed -n 's/^0*\([0-9a-f]*\) . after$/fn_0x\1/p')
tool trap scan --by function --top 0 "$tmp/trap.bare"
same "code after an ebreak is a routine of its own" "25 $after" \
    "$(awk '$1 == 25 { print $1, $NF }' "$tmp/trap.out")"
