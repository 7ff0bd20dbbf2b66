#!/usr/bin/env bash
# Routines whose first instruction leaves them: a return, a jump, a system call. Marks on this
# instruction find the callers that the source has.
. tests/integration/lib.sh

cat >"$tmp/first.c" <<'C'
#define ROUTINE __attribute__((noinline, noclone)) long
#define NAKED __attribute__((naked, noinline, noclone)) long
ROUTINE other(void) { volatile long x = 3; return x; }
NAKED returns(void) { __asm__ volatile("ret"); }
NAKED jumps(void) { __asm__ volatile("j other"); }
NAKED asks(void) { __asm__ volatile("ecall; ret"); }
ROUTINE ask(void)
{
    register long number __asm__("a7") = 172, result __asm__("a0");

    __asm__ volatile("call asks" : "=r"(result) : "r"(number) : "ra", "memory");
    return result;
}
ROUTINE inner(long n) { return returns() + jumps() + n; }
ROUTINE outer(long n) { return returns() + returns() + inner(n) + (ask() == 0); }
int main(void)
{
    volatile long sum = 0;

    for (long i = 0; i < 7; i++)
        sum += outer(i) + inner(i) + jumps();
    return 0;
}
C
"$linux_cc" -O1 -g -fno-optimize-sibling-calls -static "$tmp/first.c" -o "$tmp/first" ||
    not_ok "the program builds"
# The direct callers, "NAME ENTERED": rows one level below the routine's own.
callers() {
    local of=$1
    shift
    "$RVSIM" callers --of "$of" "$@" "$tmp/first" 2>"$tmp/err" </dev/null |
        tr -d , | sed -nE 's/^ +([0-9]+)( +[0-9]+)? {4}([a-z_.0-9]+)( \(above\))?$/\3 \1/p' | sort
}
for how in "" "--monitor host" "--monitor guest" "--monitor host --mode fast" \
    "--monitor guest --mode fast --config tiny"; do
    same "callers of a routine that is one return, ${how:-exactly}" "inner 14 outer 14" \
        "$(callers returns $how | xargs)"
    same "callers of a routine that begins with a jump, ${how:-exactly}" "inner 14 main 7" \
        "$(callers jumps $how | xargs)"
done
same "callers of a routine that begins with a system call" "ask 7" "$(callers asks | xargs)"
