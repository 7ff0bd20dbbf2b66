#!/usr/bin/env bash
# Routines of libraries and of the dynamic linker have names wherever a profile is shown: their
# files are read at the addresses where the guest kernel mapped them, and a saved profile knows
# them. What each routine executed is checked against the commit trace.
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

# Two libraries at the same addresses, in two processes of one program: the profile knows the names
# of the first, and says so.
echo 'int own_one(void) { return 1; }' >one.c
echo 'int own_two(void) { return 2; }' >two.c
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
for one in one two; do "$CC_GUEST" -O1 -fPIC -shared $one.c -o root/lib/lib$one.so; done
"$CC_GUEST" -O1 loads.c -o loads
rv --root root --mode fast --quiet --profile e.prof loads
covered='libtwo.so ran at addresses of another file: what it did stands under that file'"'s names"
matches "report names it" "^names +$covered\$" "$("$RVSIM" report e.prof)"
rv callers --root root --of main loads
matches "so does a tool" "note: $covered\$" "$err"

# ---- files that go ----------------------------------------------------------------------------

mv root/lib/libown.so gone.so
rv report p.prof
same "a library that is gone: the profile is shown" 0 "$status"
matches "a library that is gone is noted" 'note: .*libown.so: No such file.*no names' "$err"
"$CC_GUEST" -O2 -g -fPIC -shared own.c -o root/lib/libown.so
rv report p.prof
matches "another library is refused" 'libown.so: not the library that was profiled' "$err"
same "another library is refused with status 2" 2 "$status"
