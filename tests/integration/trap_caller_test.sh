#!/usr/bin/env bash
# A program that a trap ends: the caller shown is the call that led there, also where ra still holds
# the address after an earlier call.
. tests/integration/lib.sh

cat >"$tmp/stale.c" <<'C'
volatile int *nowhere;
__attribute__((noinline)) int inner(int a) { return a + 1; }
__attribute__((noinline)) int store(int a) { int k = inner(a); *nowhere = k; return k; }
__attribute__((noinline)) int middle(int a) { return store(a) + 1; }
int main(int argc, char **argv) { (void)argv; return middle(argc); }
C
"$linux_cc" -O1 -static "$tmp/stale.c" -o "$tmp/stale" || not_ok "the program builds"
call=$("${linux_cc%gcc}objdump" -d --disassemble=middle "$tmp/stale" |
    sed -n 's/^ *\([0-9a-f]*\):.*<store>$/\1/p')
caller=$("$RVSIM" --mode fast "$tmp/stale" 2>&1 | sed -n 's/.*called from //p')
same "the caller of code that trapped is the call in front of its return address" \
    "0x$call (middle+" "${caller%0x*}"

cat >"$tmp/returns.c" <<'C'
__attribute__((noinline)) void away(void) { __asm__ volatile("li ra, 0x1231; ret"); }
int main(void) { away(); return 0; }
C
"$linux_cc" -O1 -static "$tmp/returns.c" -o "$tmp/returns" || not_ok "the second program builds"
"$RVSIM" --mode fast "$tmp/returns" >"$tmp/returns.out" 2>&1
same "a return to where no code is has no caller" "  pc 0x1230 (0x1230)" \
    "$(grep '^  pc ' "$tmp/returns.out")"
