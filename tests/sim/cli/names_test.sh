#!/usr/bin/env bash
# Names of C++ functions are those of the source, whole, in every table, and every place that takes
# a routine takes them: whole, without parameters, or as a pattern.
. tests/sim/cli/lib.sh
"${LINUX_CXX:-riscv64-linux-gnu-g++}" -O2 -g -static "$here/names.cc" -o names 2>log ||
    not_ok "the program names.cc builds" "$(<log)"
# The names that binutils give for each mangled name are the truth.
demangled() { "${LINUX_NM:-riscv64-linux-gnu-nm}" -C names | sed 's/^[0-9a-f]* [TtWV] //'; }
long=$(demangled | grep '^geo::length' | head -1)

# ---- shown ------------------------------------------------------------------------------------

rv --oracle --profile names.prof --quiet names
for name in 'geo::area(geo::box const&)' 'geo::area(int, char)' \
    'int geo::twice<int, long>(int, long)' 'geo::box::operator+(geo::box const&) const' "$long"; do
    case $(rv report --oracle --top 0 names.prof; echo "$out") in
    *"  $name"*) ok "the oracle's table shows ${name:0:60}" ;;
    *) not_ok "the oracle's table shows ${name:0:60}" "$out" ;;
    esac
done
same "a name of ${#long} characters is longer than any limit there was" yes \
    "$([ ${#long} -gt 160 ] && echo yes)"
rv report --oracle --top 0 names.prof
same "no mangled name is left" "" "$(grep -o '_Z[A-Za-z0-9_]*' <<<"$out")"

# ---- taken ------------------------------------------------------------------------------------

annotated() { rv report --annotate "$1" names.prof; sed -n 2p <<<"$out"; }
for name in 'geo::area(int, char)' 'geo::area(int,char)' _ZN3geo4areaEic; do
    same "--annotate takes $name" "geo::area(int, char):" "$(annotated "$name")"
done
same "--annotate takes a name without parameters" "int geo::twice<int, long>(int, long):" \
    "$(annotated 'geo::twice<int, long>')"
same "--annotate takes an operator" "geo::box::operator+(geo::box const&) const:" \
    "$(annotated 'geo::box::operator+')"
rv --roi 'geo::area(int, char)' --max-insns 100M names
matches "--roi takes a C++ name" "instructions before that, fast" "$err"
same "--annotate takes the name of a clone of C++" "work(int, int) [clone .constprop.0]:" \
    "$(annotated work)"
cat >clone.c <<'END'
#include <stdio.h>
__attribute__((noinline)) static int work(int a, int b)
{
    int sum = 0;
    for (int i = 0; i < a; i++)
        __asm__ volatile("" : "+r"(sum) : "r"(b));
    return sum + a * b;
}
int main(int argc, char **argv)
{
    return argc > 9 ? printf("%s", argv[0]) : work(argc, 5) == 5;
}
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O2 -static clone.c -o clone
echo 'work * counter' >clone.meta
for command in "branches --of work" "callers --of work" "--roi work" "--meta clone.meta"; do
    rv $command clone
    matches "a clone of C is suggested: $command" "did you mean '?work\.constprop\.0'?\?$" "$err"
done
cat >same1.c <<'END'
void others(void);
volatile int sum;
__attribute__((noinline)) static void step(int n)
{
    for (int i = 0; i < n; i++)
        sum++;
}
int main(void)
{
    step(3);
    step(4);
    others();
    return 0;
}
END
cat >same2.c <<'END'
extern volatile int sum;
void others(void);
__attribute__((noinline)) static void step(int n)
{
    while (n-- != 0)
        sum += 2;
}
void others(void)
{
    for (int i = 0; i < 5; i++)
        step(i);
}
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static same1.c same2.c -o same
rv callers --of step same
same "callers show every function of a name" "2 step
2 main
5 step
5 others" "$(awk '/ (step|main|others)$/ && $1 > 1 { print $1, $2 }' <<<"$out")"
rv branches --mode fast --of step --output - same
same "branches are those of every function of a name" 12 \
    "$(awk -F, '/,step\+/ { taken += $2 } END { print taken }' <<<"$out")"
rv callers --of geo::area names
same "a name without parameters means them all" "$(demangled | grep -c '^geo::area(')" \
    "$(grep -cE '^ +[0-9,]+  geo::area\(' <<<"$out")"
refused "where one routine is needed, the message says how many there are" \
    "--roi geo::area: it means $(demangled | grep -c '^geo::area(') functions in names; $(
    )did you mean geo::area(geo::box const&)?" --roi geo::area names
rv report --annotate twice names.prof
matches "a name without its namespace is put right" "did you mean int geo::twice<int, long>" "$err"
rv branches --of wrok names
matches "a misspelt name is put right" "no such function in names" "$err"

# ---- lists -----------------------------------------------------------------------------------

rv active --section 'geo::area(int, char),main,geo::twice<int, long>' --json sections.json names
same "a list has C++ names with commas" "geo::area(int, char)
int geo::twice<int, long>(int, long)
main" "$(grep -oE '"section":[^"]*"[^"]*' sections.json | cut -d '"' -f 4 | LC_ALL=C sort)"
matches "a misspelt name of a list is shown whole" \
    "--section geo::area\(int, cha\): no such function; did you mean geo::area\(int, char\)" "$(
    rv active --section 'geo::area(int, cha),main' names
    echo "$err")"

# ---- metadata ---------------------------------------------------------------------------------

marks() {
    printf '%s\n' "$1" >one.meta
    rv meta list one.meta names
    [ "$status" = 0 ] || echo "$err"
    grep -oE 'geo::area\([^)]*\)' <<<"$out" | sort -u
}
same "metadata takes a C++ name" "geo::area(int, char)" "$(marks 'geo::area(int,char) * counter')"
same "metadata takes one with blanks in quotation marks" "geo::area(int, char)" \
    "$(marks '"geo::area(int, char)" * counter')"
same "an offset may follow" "geo::area(int, char)" "$(marks '"geo::area(int, char)"+4 2 counter')"
both=$(printf '%s\n' 'geo::area(geo::box const&)' 'geo::area(int, char)')
same "a name without parameters means all that have it" "$both" "$(marks 'geo::area * counter')"
same "a pattern means all that match" "$both" "$(marks 'geo::ar* * counter')"
same "the calls of a pattern are marked" "$both" "$(marks 'calls(geo::ar*) * interrupt')"
same "a pattern is not the whole program" "" "$(marks 'branches(geo::ar*) * counter')"
matches "a wrong name is put right" "did you mean 'geo::area\(int, char\)'" \
    "$(marks 'geo::aera(int,char) * counter')"
matches "quotation marks come in pairs" "1:1: no quotation mark ends this word" \
    "$(marks '"geo::area(int, char) * counter')"
matches "a range register has one place" "means 2 functions; expected one" \
    "$(marks 'range I0 geo::ar* *')"
rv meta create --counter 'geo::*' names
printf '%s\n' "$out" >all.meta
same "meta create takes a pattern of C++ names, with templates" 5 "$(grep -c counter all.meta)"
rv --meta all.meta --quiet --stats all.json names
same "the file that meta create writes is read" 0 "$status"
