#!/usr/bin/env bash
# Programs executed in every way: by posix_spawn (vfork), after fork, by a thread that is not the
# first of its process, twice each, on one hart and on four. In each profile the instructions at
# addresses of a program are those that its threads executed in user mode.
. tests/sim/cli/lib.sh
cc=${LINUX_CC:-riscv64-linux-gnu-gcc}
cat >many.c <<'C'
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static char **words;
__attribute__((noinline)) unsigned BURN(unsigned n)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += i * i;
    return sum;
}
static void *work(void *argument)
{
    BURN(3000);
    return argument;
}
static void *execute(void *argument)
{
    BURN(1000);
    execl(words[2], words[2], (char *)0);
    return argument;
}
static void start_others(void)
{
    char *alone[] = {words[1], 0};
    pthread_t thread;
    pid_t child;

    for (int i = 0; i < 2; i++)
        posix_spawn(&child, words[1], 0, 0, alone, environ);
    if (fork() == 0) {
        pthread_create(&thread, 0, execute, 0);
        BURN(100000);
        pause();
    }
    if (fork() == 0)
        execute(0);
    if (fork() == 0) {
        BURN(700);
        _exit(0);
    }
}
int main(int argc, char **argv)
{
    pthread_t thread[3];

    words = argv;
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], 0, work, 0);
    if (argc > 2)
        start_others();
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], 0);
    while (argc > 2 && wait(0) > 0)
        ;
    return 0;
}
C
mkdir -p root
for name in many spawned executed; do
    [ $name = many ] && file=many || file=root/$name
    "$cc" -O1 -static -DBURN=burn_$name many.c -o $file -pthread 2>log ||
        not_ok "$name builds" "$(<log)"
done

# told FILE: the instructions of each program, as counted at the switches of its threads
told() { query get "$1" binary.images.{0,1,2}.instructions | paste -sd ' '; }
# at_addresses FILE: the same from the oracle profile, by address
at_addresses() {
    python3 - "$1" <<'P'
import json, sys
count = [0, 0, 0]
for insn in json.load(open(sys.argv[1]))["oracle"]["instructions"]:
    key = int(insn["address"], 16)
    address = key & (1 << 40) - 1
    if not key >> 60 and address < 1 << 38 and not 0x80000000 <= address < 0x80400000:
        count[key >> 40] += insn["count"]
print(*count)
P
}
# at_names FILE: the same from the exact call tree, by names
at_names() {
    "$RVSIM" report --folded - "$1" 2>/dev/null | python3 -c '
import sys
count = {"": 0, "spawned": 0, "executed": 0}
for line in sys.stdin:
    stack, number = line.rsplit(" ", 1)
    name = stack.split(";")[-1]
    if not name.endswith("[k]") and name[0] != "[":
        count[name.partition("@")[2]] += int(number)
print(*count.values())'
}
for harts in 1 4; do
    rv --root root --os kernel --harts $harts --quiet --oracle --profile d.prof \
        many /spawned /executed
    same "the oracle profile counts each program, $harts" "$(told d.prof)" "$(at_addresses d.prof)"
    rv --root root --os kernel --harts $harts --mode fast --quiet --profile f.prof \
        many /spawned /executed
    same "the call tree counts each program, $harts" "$(told f.prof)" "$(at_names f.prof)"
    same "all three executed code, $harts" 3 "$(told f.prof | tr ' ' '\n' | grep -c '^[1-9]')"
done
