#!/usr/bin/env bash
# Routines of libraries and of the dynamic linker have names wherever a profile is shown: their
# files are read at the addresses where the guest kernel mapped them, and a saved profile knows
# them. The instructions of each routine are checked against the commit trace.
. tests/sim/cli/lib.sh
CC_GUEST=${LINUX_CC:-riscv64-linux-gnu-gcc}
sysroot=$("$CC_GUEST" -print-sysroot)
[ -e "$sysroot/lib/libc.so.6" ] || sysroot=/usr/riscv64-linux-gnu
mkdir -p root/lib
cp "$sysroot"/lib/{ld-linux-riscv64-lp64d.so.1,libc.so.6} root/lib/ || exit 1

cat >own.c <<'END'
__attribute__((noinline)) static int inner(int n)
{
    int sum = 0;

    for (volatile int i = 0; i < n; i++)
        sum += i;
    return sum;
}

int own_outer(int n) { return inner(n) + inner(n + 1); }
int own_apply(int (*function)(int), int n) { return function(n) + 1; }
END
cat >uses.c <<'END'
#include <string.h>

int own_outer(int n);
int own_apply(int (*function)(int), int n);

__attribute__((noinline)) int back(int n) { return own_outer(n) * 2; }

int main(void)
{
    volatile int sum = 0;

    for (int i = 0; i < 40; i++)
        sum += own_outer(i) + own_apply(back, i);
    return sum == 0;
}
END
"$CC_GUEST" -O1 -g -fPIC -shared own.c -o root/lib/libown.so &&
    "$CC_GUEST" -O1 -g uses.c -Lroot/lib -lown -o uses || not_ok "the program builds"
rv --root root --quiet --oracle --profile p.prof --trace commit:trace uses
same "the program runs" 0 "$status"

# ---- the profile ------------------------------------------------------------------------------

same "the profile has the modules" "ld-linux-riscv64-lp64d.so.1 libown.so libc.so.6" \
    "$(python3 -c 'import json, os
print(*[os.path.basename(m["path"]) for m in json.load(open("p.prof"))["binary"]["modules"]])')"
bias=$(python3 -c 'import json
print([m["bias"] for m in json.load(open("p.prof"))["binary"]["modules"]
       if m["path"].endswith("libown.so")][0])')

# executed ROUTINE: from the trace alone, by the addresses of the library's symbol
executed() {
    local value bytes
    read -r value bytes < <(riscv64-linux-gnu-readelf -sW root/lib/libown.so |
        awk -v name="$1" '$8 == name && $7 != "UND" {print $2, $3; exit}')
    python3 -c 'import sys
start, end = int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])
print(sum(start <= int(line.split()[3], 16) < end for line in open("trace")))' \
        $((bias + 0x$value)) "$bytes"
}
"$RVSIM" report --json report.json p.prof >/dev/null
routine() {
    python3 -c 'import json, sys
for routine in json.load(open("report.json"))["oracle"]["symbols"]:
    if routine["name"] == sys.argv[1]:
        print(routine[sys.argv[2]])' "$1" "$2"
}
for name in inner own_outer own_apply; do
    same "$name of the library: instructions are those of the trace" "$(executed $name)" \
        "$(routine $name instructions)"
done

# ---- what is shown ----------------------------------------------------------------------------

matches "report names the library's routines" '^ .*[0-9] +inner$' "$("$RVSIM" report p.prof)"
tree=$("$RVSIM" report --calltree --top 0 p.prof)
matches "the call tree: 40 calls from main" '^ +39 .* own_outer$' "$tree"
matches "the call tree: calls through pointers from the library" '^ +39 .* back$' "$tree"
matches "entries of the linkage table have names" '^ +40 .* own_apply@plt$' "$tree"
same "no routine of user code is an address" "" "$(grep -E ' 0x[0-9a-f]+$' <<<"$tree")"
matches "annotate shows the library's code" 'own.c' \
    "$("$RVSIM" annotate p.prof inner 2>&1)"
matches "annotate shows its lines" 'sum \+= i' "$("$RVSIM" annotate p.prof inner 2>&1)"
matches "folded stacks have names" ';own_apply;back;.*own_outer;inner ' \
    "$("$RVSIM" report --folded - p.prof)"

# Samples with stacks, by the monitor on the host: unwound by the libraries' tables.
for monitor in host guest; do
    rv record -g --root root --quiet --monitor $monitor --period 2000 -o s.prof uses
    "$RVSIM" report --folded - s.prof >folded
    matches "$monitor monitor: a stack from the library back to main" \
        'main;own_apply;back;own_outer;inner ' "$(<folded)"
    same "$monitor monitor: no sample of inner has lost its callers" "" \
        "$(grep -E '(^|;)inner ' folded | grep -vE '(^|;)main;')"
    same "$monitor monitor: no stack is broken: exit, lazy binding and the kernel included" "" \
        "$(grep '^\[broken\]' folded)"
    matches "$monitor monitor: a stack of the kernel begins where that is entered" \
        '^trap_framed_\[k\];trap_user_\[k\]' "$(<folded)"
done

# Marks: the whole stack, to where the program starts, the C library's start routine on the way.
echo 'back 2 interrupt' >back.meta
for monitor in host guest; do
    rv --root root --quiet --monitor $monitor --meta back.meta --profile b.prof uses
    "$RVSIM" report --folded - b.prof >$monitor.folded
    matches "$monitor monitor: stacks through the C library end at _start" \
        '^_start;__libc_start_main;[^;]*;main;own_apply;back 40$' "$(<$monitor.folded)"
done
same "the monitors see the same stacks" "$(<host.folded)" "$(<guest.folded)"

# ---- tools ------------------------------------------------------------------------------------

rv tune --root root --no-cost --monitor host --period 501 --hot 1 --top 7 uses
same "tune counts the library's routine as the trace does" "$(executed inner)" \
    "$(awk '$NF == "inner" && NF == 7 {gsub(",", "", $2); print $2}' rv.out)"
rv scan --by function --output s.csv --root root uses
same "scan counts it, too" "$(executed inner)" "$(awk -F, '$1 == "inner" {print $2}' s.csv)"

# Two programs at the same addresses: each routine has the name of its own program's file.
echo 'int main(void) { return 3; }' >second.c
printf '%s\n' '#include <unistd.h>' 'int main(void) { return execl("second", "second", NULL); }' \
    >first.c
"$CC_GUEST" -O1 -static second.c -o second && "$CC_GUEST" -O1 -static first.c -o first
rv --os kernel --mode fast --quiet --profile e.prof first
same "a program that another one executes: its end is the run's" 3 "$status"
tree=$("$RVSIM" report --calltree --top 0 e.prof 2>log)
matches "main of the first" ' main$' "$tree"
matches "main of the second" ' main@second$' "$tree"
mv second gone.second
rv report e.prof
matches "the file of the second is gone: its routines have no names" \
    'note: .*second: No such file.*no names' "$err"

# Libraries at the same addresses, one after the other in a process and in two processes of one
# program: each has its own names, and its own counts, callers and samples.
for one in one two three; do
    case $one in one) pad= ;; two) pad='int pad(int n) { return n / 3; }' ;;
    three) pad='int pad(int n) { return n / 3; } int pad_more(int n) { return n * 7 + n / 5; }' ;;
    esac
    echo "$pad
        static __attribute__((noinline)) int inner_$one(int (*f)(int), int n)
        { return f(n) + f(n + 1); }
        int apply(int (*f)(int), int n) { return inner_$one(f, n) + 1; }" >$one.c
    "$CC_GUEST" -O1 -g -fPIC -fno-optimize-sibling-calls -nostdlib -shared $one.c \
        -o root/lib/lib$one.so || not_ok "$one.c builds"
done
cat >after.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int shared_leaf(int n) { return n * 3 + 1; }

__attribute__((noinline)) static int with(const char *name, int times)
{
    void *library = dlopen(name, RTLD_NOW);
    int (*apply)(int (*)(int), int) = library != NULL ? dlsym(library, "apply") : NULL;
    int sum = 0;

    for (int i = 0; i < times && apply != NULL; i++)
        sum += apply(shared_leaf, i);
    printf("%s %p\n", name, (void *)apply);
    fflush(stdout);
    if (library != NULL)
        dlclose(library);
    return sum;
}

int main(void)
{
    volatile int sum = 0;

    sum += with("/lib/libone.so", 30);
    sum += with("/lib/libtwo.so", 50);
    sum += with("/lib/libthree.so", 70);
    sum += with("/lib/libone.so", 11);
    sum += with("/lib/libtwo.so", 5);
    for (int i = 0; i < 2; i++) {
        if (fork() == 0) {
            with(i == 0 ? "/lib/libthree.so" : "/lib/libtwo.so", 100);
            _exit(0);
        }
        wait(NULL);
    }
    return 0;
}
END
"$CC_GUEST" -O1 -g after.c -o after || not_ok "after.c builds"
rv --root root --quiet --oracle --profile e.prof after
same "the program runs" "0 7" "$status $(wc -l <<<"$out")"
same "the libraries lie at the same addresses" "apart by less than a page" \
    "$(awk '{at = substr($2, 1, length($2) - 3); bad += NR > 1 && at != last; last = at}
        END {print bad ? "elsewhere" : "apart by less than a page"}' <<<"$out")"
# insns NAME: the instructions of one call, from the library's code, without those of its callees
executed_of() {
    "$RVSIM" report --oracle --top 0 e.prof | awk -v name="$1" '$NF == name && $3 ~ /[0-9]/ {
        gsub(",", "", $3); print $3; exit}'
}
length_of() {
    riscv64-linux-gnu-objdump -d root/lib/lib$1.so --no-show-raw-insn |
        awk -v head="<$2>:" '$2 == head {on = 1; next} on && NF == 0 {exit} on {n++}
            END {print n}'
}
for case in "one apply apply 41" "one inner_one inner_one 41" \
    "two apply apply@libtwo.so 155" "two inner_two inner_two@libtwo.so 155" \
    "three apply apply@libthree.so 170" "three inner_three inner_three@libthree.so 170"; do
    set -- $case
    same "$3: the instructions of $4 calls" $(($(length_of $1 $2) * $4)) "$(executed_of $3)"
done
same "of shared_leaf: those of 732 calls" $((732 * 3)) \
    "$(($(executed_of shared_leaf) / ($(riscv64-linux-gnu-objdump -d after --no-show-raw-insn |
        awk '$2 == "<shared_leaf>:" {on = 1; next} on && NF == 0 {exit} on {n++}
            END {print n}')) * 3))"
calls="82 inner_one
310 inner_two@libtwo.so
340 inner_three@libthree.so"
rv callers --root root --of shared_leaf after
same "callers are told apart" "$calls" \
    "$(awk '$NF ~ /^inner_/ {print $1, $NF}' <<<"$out" | sort -n)"
cp after root/after
printf '%s\n' '#include <unistd.h>' \
    'int main(void) { return execl("/after", "/after", NULL); }' >before.c
"$CC_GUEST" -O1 before.c -o before || not_ok "before.c builds"
rv --root root --quiet --oracle --profile e.prof before
same "libraries of a program that another one executes are that program's" \
    "after inner_one@after after inner_three@libthree.so after inner_two@libtwo.so" \
    "$("$RVSIM" report --sort program,routine --top 0 e.prof |
        awk '$NF ~ /^inner_/ {print $(NF - 1), $NF}' | sort | paste -sd' ')"
echo 'shared_leaf 2 interrupt' >leaf.meta
for engine in fast detailed; do
    rv --root root --quiet --mode $engine --monitor host --meta leaf.meta --profile m.prof after
    same "the callers of interrupts have the names of their libraries, $engine" "$calls" \
        "$("$RVSIM" report --callers m.prof | awk '$NF ~ /^inner_/ {print $1, $NF}' | sort -n)"
done
rv --root root --quiet --mode fast --monitor guest --meta leaf.meta --profile m.prof after
same "the resident monitor cannot tell, and says so" "6 732" \
    "$("$RVSIM" report --callers m.prof | awk '$NF ~ /@several$/ {n++; sum += $1}
        END {print n, sum}')"
same "... and shows no wrong name" 0 \
    "$("$RVSIM" report --callers m.prof | grep -c 'inner_\|apply')"
rv record --root root -g -c 53 --mode fast -o r.prof after
same "a sampled stack is in one library" "apply;inner_one
apply@libthree.so;inner_three@libthree.so
apply@libtwo.so;inner_two@libtwo.so" \
    "$("$RVSIM" report --folded - r.prof | grep -o 'apply[^;]*;[^;]*;*inner_[^; ]*' |
        sed 's/;.*;/;/' | sort -u)"
printf 'inner_%s * counter\n' one two three >marks.meta
rv --root root --quiet --mode fast --meta marks.meta --profile m.prof after
same "marks act on each" "41 155 170" "$(python3 -c 'import json
mark = json.load(open("m.prof"))["marks"]
first = {}
for m in mark:
    name = m["symbol"].split("+")[0] if m["symbol"] else "?"
    first.setdefault(name, m["count"])
print(*(first[n] for n in ("inner_one", "inner_two@libtwo.so", "inner_three@libthree.so")))')"

cat >loads.c <<'END'
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    static const char *const library[] = {"/lib/libone.so", "/lib/libtwo.so"};

    for (int i = 0; i < 2; i++) {
        if (fork() == 0)
            _exit(dlopen(library[i], RTLD_NOW) == NULL);
        wait(NULL);
    }
    return 0;
}
END
"$CC_GUEST" -O1 loads.c -o loads
rv --root root --mode fast --quiet --profile e.prof loads
same "no address has another file's names" 0 \
    "$("$RVSIM" report e.prof | grep -c '^names')"

# ---- files that go ----------------------------------------------------------------------------

mv root/lib/libown.so gone.so
rv report p.prof
same "a library that is gone: the profile is shown" 0 "$status"
matches "a library that is gone is noted" 'note: .*libown.so: No such file.*no names' "$err"
"$CC_GUEST" -O2 -g -fPIC -shared own.c -o root/lib/libown.so
rv report p.prof
matches "a library that differs is refused" 'libown.so: not the library that was profiled' "$err"
same "a library that differs is refused with status 2" 2 "$status"
