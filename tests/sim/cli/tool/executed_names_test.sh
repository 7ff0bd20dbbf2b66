#!/usr/bin/env bash
# Programs that execute others: each routine has the name and the counts of its own program. Each
# program is also measured alone; among others it must have the same numbers, instruction for
# instruction, whatever lies at the same addresses.
. tests/sim/cli/lib.sh
cc=${LINUX_CC:-riscv64-linux-gnu-gcc}
sysroot=$("$cc" -print-sysroot)
[ -e "$sysroot/lib/libc.so.6" ] || sysroot=/usr/riscv64-linux-gnu
mkdir -p root/lib
cp "$sysroot"/lib/{ld-linux-riscv64-lp64d.so.1,libc.so.6} root/lib/ || exit 1

# Two filters that share all names: each has its own step(), with a known number of instructions of
# user code.
filter() {
    cat <<C
#include <stdio.h>
#include <string.h>
static unsigned sum;
__attribute__((noinline)) void step(unsigned i) { $2; }
__attribute__((noinline)) void work(void) { for (unsigned i = 0; i < $1; i++) step(i); }
int main(void)
{
    char line[64] = "$3";

    if ($4 && fgets(line, sizeof line, stdin) == NULL)
        return 1;
    work();
    printf("%s%zu\\n", line, strlen(line));
    return (int)(sum & 0);
}
C
}
# A shell's pipeline: argv[1] | argv[2].
cat >pipeline.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
static void start(char *file, int from, int to, int other)
{
    if (fork() != 0)
        return;
    dup2(from, 0);
    dup2(to, 1);
    close(other);
    execl(file, file, (char *)0);
    _exit(9);
}
__attribute__((noinline)) void step(int ends[2], char **argv)
{
    start(argv[1], 0, ends[1], ends[0]);
    start(argv[2], ends[0], 1, ends[1]);
}
int main(int argc, char **argv)
{
    int ends[2], status;

    if (argc < 3 || pipe(ends) != 0)
        return 2;
    step(ends, argv);
    close(ends[0]);
    close(ends[1]);
    while (wait(&status) > 0)
        if (status != 0)
            return 3;
    return 0;
}
C
filter 1000 'sum += i' 'from one ' 0 >one.c
filter 300 'sum ^= i; sum *= 3; sum -= i >> 1; sum += sum >> 3' '' 1 >two.c
mkdir -p static dynamic
"$cc" -O1 -static pipeline.c -o static/pipeline 2>log &&
    "$cc" -O1 -static one.c -o static/one 2>>log && "$cc" -O1 -static two.c -o static/two 2>>log &&
    "$cc" -O1 pipeline.c -o dynamic/pipeline 2>>log && "$cc" -O1 one.c -o dynamic/one 2>>log &&
    "$cc" -O1 two.c -o dynamic/two 2>>log || not_ok "the programs build" "$(<log)"
cp static/one root/s-one && cp static/two root/s-two
cp dynamic/one root/d-one && cp dynamic/two root/d-two
echo "a line" >in

# counts PROFILE NAME...: instructions of each routine, from the exact call tree. Each profile is
# reported once.
counts() {
    [ "$1.folded" -nt "$1" ] || "$RVSIM" report --folded - "$1" 2>/dev/null >"$1.folded"
    python3 - "$@" <<'P'
import sys
count = {}
for line in open(sys.argv[1] + ".folded"):
    stack, number = line.rsplit(" ", 1)
    name = stack.split(";")[-1]
    count[name] = count.get(name, 0) + int(number)
print(*[count.get(name, 0) for name in sys.argv[2:]])
P
}
# oracle PROFILE NAME...: the same from the oracle profile
oracle() {
    [ "$1.json" -nt "$1" ] || "$RVSIM" report --json "$1.json" "$1" >log 2>&1
    python3 - "$@" <<'P'
import json, sys
count = {}
for routine in json.load(open(sys.argv[1] + ".json"))["oracle"]["symbols"]:
    count[routine["name"]] = count.get(routine["name"], 0) + routine["instructions"]
print(*[count.get(name, 0) for name in sys.argv[2:]])
P
}

for kind in s d; do
    [ $kind = s ] && shell=static/pipeline || shell=dynamic/pipeline
    names="step work main puts"
    for mode in fast detailed; do
        get=counts option=--quiet
        [ $mode = detailed ] && get=oracle option=--oracle
        run() { "$RVSIM" --root root --os kernel --mode $mode --quiet $option --profile "$@"; }
        run one.prof root/$kind-one >one.out && run two.prof root/$kind-two <in >two.out &&
            run both.prof $shell /$kind-one /$kind-two >out ||
            not_ok "each program ends well, $kind, $mode" "$(<out)"
        same "the pipeline's output, $kind, $mode" "from one 9 11" "$(paste -sd ' ' out)"
        for one in one two; do
            of=$(for name in $names; do echo "$name@$kind-$one"; done)
            same "$one: each routine has the instructions that it has alone, $kind, $mode" \
                "$($get $one.prof $names)" "$($get both.prof $of)"
        done
        read -r step main <<<"$($get both.prof step main)"
        same "the shell has its own, $kind, $mode" yes \
            "$([ "$step" -gt 10 ] && [ "$step" -lt 100 ] && [ "$main" -lt 100 ] && echo yes)"
        same "no routine is shown at another program's addresses, $kind, $mode" "" \
            "$(grep covered both.prof; "$RVSIM" report both.prof 2>&1 | grep 'at addresses of')"
        counts both.prof >/dev/null
        same "no routine of user code is an address, $kind, $mode" "" \
            "$(grep -E '(^|;)0x' both.prof.folded)"
    done
done

# Accesses to the data of each program, and by its code, are those of the program alone.
accesses() {
    python3 - "$@" <<'P'
import json, sys
rows = json.load(open(sys.argv[1]))
for name in sys.argv[2:]:
    def of(table):
        return sum(level["count"] for row in rows[table]
                   if row["name"].split("  ")[0] == name and row["mode"] == "user"
                   for kind in ("load", "store") for level in row[kind].values())
    print(name.split("@")[0], of("data"), of("code"))
P
}
for kind in s d; do
    [ $kind = s ] && shell=static/pipeline || shell=dynamic/pipeline
    rv mem --root root --os kernel --json one.json root/$kind-one
    rv mem --root root --os kernel --json both.json $shell /$kind-one /$kind-two
    matches "an executed program's data have accesses, $kind" '^sum [1-9][0-9]* 0$' \
        "$(accesses both.json sum@$kind-one)"
    same "each datum and routine has the accesses that it has alone, $kind" \
        "$(accesses one.json sum step work main)" \
        "$(accesses both.json {sum,step,work,main}@$kind-one)"
done

# libprofhw: marks and ranges belong to the first program, whatever lies at the same addresses.
cat >client.c <<'C'
#include <inttypes.h>
#include <profhw.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    char error[PROFHW_ERROR] = "";
    struct profhw_program program = {.path = argv[1], .argc = argc - 1, .argv = argv + 1,
                                     .root = "root", .has_kernel = true, .is_fast = true};
    struct profhw *profhw = profhw_open(&program, error);
    struct profhw_range range;
    uint64_t step, bytes;
    if (profhw == NULL || !profhw_mark(profhw, "step * counter\n") ||
        !profhw_range_set(profhw, "I0", 0x10000, 1 << 30) || !profhw_run(profhw, 0) ||
        !profhw_range(profhw, "I0", &range) ||
        !profhw_symbol(profhw, "step", &step, &bytes))
        return puts(profhw != NULL ? profhw_error(profhw) : error);
    printf("%" PRIu64 " %" PRIu64 "\n", profhw_count(profhw, step, bytes), range.inside);
    profhw_close(profhw);
    return 0;
}
C
cc -O1 client.c $(PKG_CONFIG_PATH=$BUILD pkg-config --cflags --libs profhw) -o client 2>log ||
    not_ok "the client of libprofhw builds" "$(<log)"
rv --root root --os kernel --mode fast --quiet --profile both.prof static/pipeline /s-one /s-two
same "libprofhw counts the first program alone" \
    "$(counts both.prof step) $(query get both.prof binary.images.0.instructions)" \
    "$(RVSIM_SHARE=$BUILD ./client static/pipeline /s-one /s-two | grep -E '^[0-9]+ [0-9]+$')"

# A real shell that executes two of them.
shell=$(ls "$DEPS"/busybox-riscv64/{usr/,}bin/busybox 2>/dev/null | head -1)
if [ -n "$shell" ]; then
    rv --root root --os kernel --mode fast --quiet --profile alone.prof root/s-one
    rv --root root --os kernel --mode fast --quiet --profile both.prof "$shell" sh -c \
        '/s-one | /s-two'
    same "a shell's pipeline: the output" "from one 9 11" "$(paste -sd ' ' <<<"$out")"
    same "a shell's pipeline: each routine has what it has alone" \
        "$(counts alone.prof step work main)" \
        "$(counts both.prof step@s-one work@s-one main@s-one)"
    same "a shell's pipeline: three programs" "busybox s-one s-two" \
        "$(query get both.prof binary.images.{0,1,2}.program | paste -sd ' ')"
else
    echo "ok a shell's pipeline # SKIP no busybox for riscv64"
fi

# Stacks of samples, by either monitor: walked by the tables of their own program, and named so.
for run in host,d guest,d host,s guest,s; do
    monitor=${run%,*} kind=${run#*,}
    [ $kind = s ] && shell=static/pipeline || shell=dynamic/pipeline
    rv record -g --root root --os kernel --quiet --monitor $monitor --period 997 -o s.prof \
        $shell /$kind-one /$kind-two
    "$RVSIM" report --folded - s.prof >folded 2>log
    for one in one two; do
        of=@$kind-$one
        matches "$run: a stack of $one from its start to its step" \
            "^_start$of;.*;main$of;work$of;step$of [0-9]+$" "$(<folded)"
    done
    same "$run: no stack is broken" "" "$(grep '^\[broken\]' folded)"
    same "$run: user code of a stack is of one program" "" \
        "$(python3 - folded $kind <<'P'
import sys
for line in open(sys.argv[1]):
    frames = [f for f in line.rsplit(" ", 1)[0].split(";") if not f.endswith("[k]") and f[0] != "["]
    if len({f.rsplit("@", 1)[-1] if f"@{sys.argv[2]}-" in f else "" for f in frames}) > 1:
        print(line)
P
)"
done
