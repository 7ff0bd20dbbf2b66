#!/usr/bin/env bash
# Where threads of several programs wait: locks, call stacks and alarms have the names of the
# thread's own program, though the programs lie at the same addresses. Each program is also run
# alone, with the same waits.
. tests/sim/cli/lib.sh
cc=${LINUX_CC:-riscv64-linux-gnu-gcc}

# Two threads take a lock in turn; then the program executes another one, if there is an argument.
cat >locks.c <<'C'
#include <pthread.h>
#include <unistd.h>
pthread_mutex_t LOCK = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static void *WORK(void *argument)
{
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&LOCK);
        usleep(200);
        pthread_mutex_unlock(&LOCK);
        usleep(1);
    }
    return argument;
}
int main(int argc, char **argv)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, WORK, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return argc > 1 ? execl(argv[1], argv[1], (char *)0) : 0;
}
C
# The child executes another program, which waits for ever; the parent runs too long.
cat >hangs.c <<'C'
#include <unistd.h>
__attribute__((noinline)) void LONG(void)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
}
__attribute__((noinline)) void WAIT(void)
{
    int ends[2];
    char byte;

    if (pipe(ends) == 0 && read(ends[0], &byte, 1) == 1)
        _exit(1);
}
int main(int argc, char **argv)
{
    if (argc == 1)
        WAIT();
    else if (fork() == 0)
        _exit(execl(argv[1], argv[1], (char *)0));
    usleep(2000);
    LONG();
    return 0;
}
C
mkdir -p root
"$cc" -O1 -static -DLOCK=table -DWORK=serve -DTURNS=20 locks.c -o first -pthread 2>log &&
    "$cc" -O1 -static -DLOCK=queue -DWORK=drain -DTURNS=15 locks.c -o root/second -pthread \
        2>>log &&
    "$cc" -O1 -static -DLONG=slow -DWAIT=unused hangs.c -o third 2>>log &&
    "$cc" -O1 -static -DLONG=other -DWAIT=await hangs.c -o root/fourth 2>>log ||
    not_ok "the programs build" "$(<log)"

# waits FILE LOCK: the number of waits, and the innermost frame of the program's own
waits() {
    python3 - "$@" <<'P'
import json, sys
for lock in json.load(open(sys.argv[1]))["locks"]:
    if lock["symbol"] == sys.argv[2]:
        names = {frame["function"] for stack in lock["stacks"] for frame in stack["frames"]}
        print(lock["waits"], *sorted(name for name in names if name.split("@")[0] in
                                     ("serve", "drain")))
P
}
rv lock --harts 2 --json first.json first
rv lock --harts 2 --json second.json root/second
rv lock --harts 2 --root root --stacks --json both.json first /second
same "the first program waits as it does alone" "$(waits first.json table)" \
    "$(waits both.json table)"
same "the second program waits as it does alone, under its own names" \
    "$(waits second.json queue | sed 's/drain/drain@second/')" "$(waits both.json queue@second)"
matches "these are waits for its lock" '^[1-9][0-9]* drain@second$' \
    "$(waits both.json queue@second)"
matches "a stack, from its start" 'start_thread@second > drain@second > pthread_mutex_lock@second' \
    "$out"

rv hang --root root --limit slow=100k third /fourth
matches "hang: the thread that is late" '^    slow$' "$out"
matches "hang: a thread of the other program waits in its own routine" '^    await@fourth$' "$out"
matches "hang: below its own start" '^    _start@fourth$' "$out"
same "hang: no stack is of both" "" \
    "$(awk '/^  thread/ {of = ""} /^    [^ ]/ {is = /@fourth/ ? "b" : "a"; if (of != "" && of != is)
        print; of = is}' <<<"$out")"

rv hang --root root --limit slow=100k --elapsed fourth:await=100us third /fourth
matches "hang: a limit of a function of the other program" \
    '^alarm 1: fourth:await: elapsed 100,000 cycles' "$out"
rv callers --root root --of await@fourth --of slow third /fourth
matches "callers: a routine of the other program" '^ +1    main@fourth$' "$out"
rv callers --root root --of otter third /fourth
matches "callers: a near name of the other program is told" 'did you mean other\?$' "$err"

for command in sched lock idle "compare-profilers --os kernel"; do
    rv $command --root root --json x.json third /fourth
    same "${command%% *}: JSON names the programs" "third fourth" \
        "$(value x.json images.0.program) $(value x.json images.1.program)"
done

# The samples of idle harts show for each program the same as when it runs alone: the same stacks to
# their ends, with the program's own frames and names. stacks PATTERN: the stacks of a folded file
# on standard input that match, without their counts
stacks() { sed 's/ [0-9]*$//' | grep -E -- "$1" | sort; }
rv idle --harts 2 --period 1000 --modes to --folded first.folded first
rv idle --harts 2 --period 1000 --modes to --folded second.folded root/second
rv idle --harts 2 --period 1000 --modes to --folded both.folded --root root first /second
same "idle: the stacks of the first program" "$(stacks . <first.folded)" \
    "$(grep -v @second both.folded | stacks .)"
same "idle: the stacks of the second program" "$(stacks . <second.folded)" \
    "$(stacks @second <both.folded | sed 's/@second//g' | sort)"
matches "idle: these are its waits" \
    '^to idle;__thread_start@second;start_thread@second;drain@second;pthread_mutex_lock@second;' \
    "$(<both.folded)"
