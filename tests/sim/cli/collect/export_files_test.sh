#!/usr/bin/env bash
# The files that an export names: a routine has one file, its own, and a file has one name, whatever
# the path by which it was included.
. tests/sim/cli/lib.sh

mkdir -p src inc
cat >inc/sum.h <<'C'
static inline unsigned sum(unsigned x) { unsigned s = 0; while (x) s += x-- ^ 5; return s; }
C
cat >src/first.c <<'C'
#include "../inc/sum.h"
unsigned second(unsigned x);
__attribute__((noinline)) unsigned first(unsigned x) { unsigned s = sum(x); return s * sum(x + 1); }
int main(void) { unsigned s = 0; for (unsigned i = 0; i < 50; i++) s += first(i) + second(i);
    return s == 0; }
C
cat >src/second.c <<'C'
#include "./../inc/sum.h"
__attribute__((noinline)) unsigned second(unsigned x) { return sum(x) + 1; }
C
(cd src &&
    "${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static ./first.c ../src/second.c -o ../two) ||
    not_ok "the program of two files builds"
"$RVSIM" --quiet --oracle --profile two.prof two
"$RVSIM" report --callgrind two.callgrind two.prof
# "ROUTINE FILE" of definitions and of calls.
awk -F= '
    function named(text, names,    id, at) {
        at = index(text, ")"); id = substr(text, 1, at)
        if (length(text) > at) names[id] = substr(text, at + 2)
        return names[id] }
    $1 == "fl" || $1 == "cfi" { own = named($2, file) }
    $1 == "fi" || $1 == "fe" { named($2, file) }
    $1 == "fn" || $1 == "cfn" { print named($2, routine) "\t" own }' two.callgrind | sort -u >pairs
same "every routine has one file" "" "$(cut -f 1 pairs | uniq -d)"
same "a routine's file is that of its source, also where inlined code comes first" \
    "first first.c
main first.c
second ../src/second.c" "$(tr '\t' ' ' <pairs | grep -E '^(first|second|main) ')"
same "a file that was included by two names has one" "../inc/sum.h" \
    "$(grep -oE '[^ ]*sum\.h' two.callgrind | sort -u)"
if [ -n "$(type -p callgrind_annotate)" ]; then
    same "callgrind_annotate shows each routine with its file, and what was inlined" \
        "../inc/sum.h:first ../inc/sum.h:second ../src/second.c:second first.c:first first.c:main" \
        "$(callgrind_annotate --threshold=100 two.callgrind |
            grep -oE '[^ ]+:(first|second|main)\b' | LC_ALL=C sort -u | xargs)"
fi
same "a line is found by the names that its file was given" "0 0" "$(
    for name in ./first.c:3 first.c:3; do
        echo "$name * counter" >line.meta
        "$RVSIM" meta check line.meta two >check.out 2>&1
        echo $?
    done | xargs)"

# Routines of headers, each in a section of its own, which begins where the one before it ends.
for name in plus minus times; do
    echo "__attribute__((noinline)) unsigned $name(unsigned x) { return x + sizeof \"$name\"; }" \
        >"inc/$name.h"
done
cat >src/headers.c <<'C'
#include "../inc/plus.h"
#include "../inc/minus.h"
#include "../inc/times.h"
int main(void) { return plus(minus(times(1))) == 0; }
C
(cd src && "${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -ffunction-sections ./headers.c \
    -o ../headers) || not_ok "the program of three headers builds"
"$RVSIM" --quiet --mode fast --profile headers.prof headers
"$RVSIM" report --callgrind headers.callgrind headers.prof
same "a routine that follows another file's one is in its own file" \
    "../inc/minus.h:minus ../inc/plus.h:plus ../inc/times.h:times headers.c:main" "$(
    awk -F= '$1 ~ /^(fl|cfi)$/ && match($2, / /) {
            file[substr($2, 1, RSTART - 1)] = substr($2, RSTART + 1) }
        $1 == "fl" { own = $2; sub(/ .*/, "", own) }
        $1 == "cfn" && match($2, / /) { name[substr($2, 1, RSTART - 1)] = substr($2, RSTART + 1) }
        $1 == "fn" { id = $2; sub(/ .*/, "", id)
            if (match($2, / /)) name[id] = substr($2, RSTART + 1)
            if (name[id] ~ /^(plus|minus|times|main)$/) print file[own] ":" name[id] }' \
        headers.callgrind | LC_ALL=C sort | xargs)"

# Threads that are in the same routines at once, on two harts, and end in them.
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread "$here/sched_threads.c" -o threads \
    2>log || not_ok "the program sched_threads.c builds" "$(<log)"
"$RVSIM" --quiet --oracle --harts 2 --profile threads.prof threads >/dev/null
"$RVSIM" report --callgraph --top 0 threads.prof | tr -d , >threads.graph
"$RVSIM" report --callgrind threads.callgrind threads.prof
# "ROUTINE INSTRUCTIONS", the latter with all that is below
below() {
    awk '{ if (match($0, /^c?fn=\([0-9]+\)/)) { split($0, part, /[()]/); id = part[2]
            if (NF > 1) name[id] = substr($0, index($0, ")") + 2) } }
        /^cfn=/ { callee = id }
        /^calls=/ { getline; sum[callee] += $3 }
        END { for (id in sum) print name[id], sum[id] }' threads.callgrind
}
routines='^(__thread_start|trap_entry_.k.|.system call (exit|futex).) '
same "code below a call has all threads, and the handler of a trap is below the trap" \
    "$(awk '$1 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+$/ { below = $3; $1 = $2 = $3 = $4 = $5 = ""
        sub(/^ */, ""); print $0, below }' threads.graph | grep -E "$routines" | LC_ALL=C sort)" \
    "$(below | grep -E "$routines" | LC_ALL=C sort)"
