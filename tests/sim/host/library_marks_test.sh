#!/usr/bin/env bash
# Marks on routines and data of shared libraries, which have no address before the guest kernel maps
# them: each mark's count is that of the commit trace, in both engines and with both monitors.
. tests/sim/cli/lib.sh
CC_GUEST=${LINUX_CC:-riscv64-linux-gnu-gcc}
sysroot=$("$CC_GUEST" -print-sysroot)
[ -e "$sysroot/lib/libc.so.6" ] || sysroot=/usr/riscv64-linux-gnu
mkdir -p root/lib
cp "$sysroot"/lib/{ld-linux-riscv64-lp64d.so.1,libc.so.6} root/lib/ || exit 1

cat >linked.c <<'END_C'
__attribute__((noinline)) static int hidden(int n)
{
    int sum = 0;

    for (volatile int i = 0; i < n; i++)
        sum += i;
    return sum;
}

int linked_value = 1;
long linked_calls[1024], linked_first[64] = {1};
void linked_count(int n) { linked_calls[n * 16] += linked_first[n]++; }
int linked_work(int n) { return hidden(n) + hidden(n / 2) + linked_value; }
END_C
cat >opened.c <<'END_C'
__attribute__((aligned(2048))) int opened_work(int n)
{
    return n < 2 ? n : opened_work(n - 1) + opened_work(n - 2);
}
END_C
# At the same offset in its page as opened_work, but in the next page: the place of opened_work is
# free for it.
cat >other.c <<'END_C'
const char page[4096] = "one page more before the code";
__attribute__((aligned(2048))) int other_work(int n) { return n < 2 ? 1 : n * other_work(n - 1); }
END_C
cat >uses.c <<'END_C'
#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int linked_work(int n);
void linked_count(int n);

static int use(const char *path, const char *name, int n)
{
    void *library = dlopen(path, RTLD_NOW);
    int (*routine)(int) = (int (*)(int))dlsym(library, name);
    int sum = 0;

    for (int i = 0; i < 3; i++)
        sum += routine(n + i);
    dlclose(library);
    return sum;
}

int main(int argc, char **argv)
{
    int sum = 0;

    for (int i = 0; i < 30; i++)
        linked_count(i);
    for (int i = 0; i < 30; i++)
        sum += linked_work(i) + (int)strlen(argv[0]);
    if (argc == 1)
        return 0;
    for (int i = 0; i < 2; i++) {
        sum += use("/lib/libopened.so", "opened_work", 4 + i);
        sum += use("/lib/libother.so", "other_work", 5);
    }
    if (fork() == 0) {
        use("/lib/libopened.so", "opened_work", 6);
        linked_count(7);            /* in pages of its own */
        _exit(0);
    }
    wait(NULL);
    return sum == 0;
}
END_C
for name in linked opened other; do
    "$CC_GUEST" -O1 -g -fPIC -shared $name.c -o root/lib/lib$name.so || not_ok "lib$name.so builds"
done
"$CC_GUEST" -O1 -g uses.c -Lroot/lib -llinked -o uses || not_ok "the program builds"

# wrong TRACE PROFILE: the number of marks, and the marks whose count is not that of the trace
wrong() {
    python3 - "$1" "$2" <<'END_PY'
import collections, json, sys
lines, executed = collections.Counter(), collections.Counter()
for line in open(sys.argv[1]):          # core N: MODE PC (ENCODING) ...
    _, _, mode, pc, rest = line.split(None, 4)
    lines[pc] += 1
    if mode == "0" and " mem " in rest:
        lines[rest.split(" mem ")[1].split()[0]] += 1
for address, count in lines.items():
    executed[int(address, 16)] += count
marks = [(int(mark["address"], 16), mark) for mark in json.load(open(sys.argv[2]))["marks"]]
print(len(marks), *[f'{mark["symbol"]}:{mark["count"]}:{executed[at]}' for at, mark in marks
                    if mark["count"] != executed[at]])
END_PY
}

cat >routines.meta <<'END_META'
linked_work   * counter
hidden        2 counter interrupt
opened_work   * counter
strlen        2 counter
linked.c:6    * counter
linked_value  * counter
linked_calls  * counter granule=8
linked_first  * counter granule=8
range I0 hidden *
END_META
for engine in detailed fast; do
    for monitor in host guest; do
        rv --root root --quiet --mode $engine --monitor $monitor --meta routines.meta \
            --trace commit:trace --profile p.prof uses open
        same "$engine, $monitor monitor: the program runs" 0 "$status"
        same "$engine, $monitor monitor: a library at addresses of another one is one more" 1 \
            "$(grep -c '"path": .*libother.so' p.prof)$(grep 'lies at addresses' <<<"$err")"
        read -r marks differences < <(wrong trace p.prof)
        same "$engine, $monitor monitor: counts are those of the trace" "" "$differences"
        same "$engine, $monitor monitor: routines, their calls and their lines are marked" yes \
            "$([ "$marks" -gt 30 ] && echo yes)"
        matches "$engine, $monitor monitor: a static routine of a library, its 60 calls" \
            ' 60 +60 .* hidden' "$("$RVSIM" report p.prof)"
        matches "$engine, $monitor monitor: a range register" 'I0 hidden: entered 60 times' \
            "$("$RVSIM" report p.prof)"
    done
done
matches "interrupts have callers" ' 60 100.00% .* linked_work$' \
    "$("$RVSIM" report --callers p.prof)"

# ---- names that do not come -------------------------------------------------------------------

cat >wrong.meta <<'END_META'
linked_wrok 2 counter
opened_work 2 counter
0x123456 2 counter
END_META
rv --root root --quiet --mode fast --meta wrong.meta uses
same "the program runs with lines that nothing places" 0 "$status"
same "each such line is a warning" "rvsim: warning: wrong.meta:1:1: the program has no symbol \
'linked_wrok'\
; not reached: no library that was loaded and no program that was executed has it, either
rvsim: warning: wrong.meta:2:1: the program has no symbol 'opened_work'\
; not reached: no library that was loaded and no program that was executed has it, either
rvsim: warning: wrong.meta:3: not reached: neither a program that was executed nor a \
library that was loaded has this address" "$err"
rv meta check routines.meta uses
matches "meta check says which lines wait" \
    "note: routines.meta:3:1: .*'opened_work'.*: waits for a library that has it" "$err"

# ---- callers ----------------------------------------------------------------------------------

callers=$(printf '%14s  %s\n' entered 'routine, and below it its callers' 60 hidden \
    60 '  linked_work')
rv callers --of hidden --root root uses
same "callers names a routine of a library" "$callers" "$(head -3 <<<"$out")"
rv callers --of opened_work --mode fast --monitor host --root root uses open
matches "callers by marks finds a library that is opened" '^ +[0-9]+ +[0-9]+  opened_work$' "$out"
matches "callers by marks: called by itself" '^ +[0-9]+ +[0-9]+    opened_work \(above\)$' "$out"
refused "callers refuses what no library has" "callers: --of no_such_one: no such function in uses\
, its libraries and the programs that it executed" callers --of no_such_one --root root uses
