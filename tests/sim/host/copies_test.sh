#!/usr/bin/env bash
# Marks on data under the guest kernel: a counter has the accesses of all processes of the program,
# counted by hand, whatever page of memory each of them has for the datum, and no other accesses.
. tests/sim/cli/lib.sh
cat >tally.c <<'C'
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#define PAGE __attribute__((aligned(4096)))
/* In .data and in .bss; each has a page of its own, and is written with a load and a store. */
static PAGE volatile unsigned long tally[512] = {1}, zeros[512], shared[512], given[512];
static PAGE volatile unsigned long words[512], many[16][512];
static void add(volatile unsigned long *at, int times)
{
    for (int i = 0; i < times; i++)
        ++*at;
}
static void end(pid_t child)
{
    int status;
    waitpid(child, &status, 0);
}
/* Gets the pages that others gave back, and touches each word of them. */
static void fill(void)
{
    volatile unsigned long *at = mmap(NULL, 1 << 18, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < (1 << 18) / 8; i++)
        at[i]++;
}
static void *run(void *arg)
{
    add(arg, 10);
    return NULL;
}
/* tally 90, zeros 60, shared 8, given 512, many 32 accesses */
static void work(void)
{
    pthread_t thread;
    pid_t child, last;

    add(&tally[0], 10);
    child = fork();
    if (child == 0) {
        add(&tally[0], 5);          /* a copy, made here, or by the parent's store */
        for (int i = 0; i < 16; i++)
            add(&many[i][0], 1);
        add(&zeros[0], 5);
        last = fork();
        if (last == 0) {
            add(&tally[0], 5);
            _exit(0);
        }
        end(last);
        add(&tally[0], 5);
        _exit(0);
    }
    add(&zeros[0], 5);
    end(child);
    for (int i = 0; i < 3; i++)
        if ((child = vfork()) == 0) {
            add(&tally[0], 5);
            _exit(0);
        } else {
            end(child);
        }
    if ((child = fork()) == 0) {
        fill();
        pthread_create(&thread, NULL, run, (void *)&zeros[0]);
        pthread_join(thread, NULL);
        _exit(0);
    }
    end(child);
    madvise((void *)zeros, sizeof zeros, MADV_DONTNEED);    /* other zeros, for the same address */
    add(&zeros[0], 5);
    mprotect((void *)zeros, sizeof zeros, PROT_READ);
    mprotect((void *)zeros, sizeof zeros, PROT_READ | PROT_WRITE);
    add(&zeros[0], 5);
    add(&shared[0], 4);
    memset((void *)given, 1, sizeof given);
    munmap((void *)given, sizeof given);
    fill();
    add(&tally[0], 5);
}
int main(int argc, char **argv)
{
    static char *next[3];
    pid_t child;
    work();
    if (argc < 2)
        return 0;
    next[0] = argv[1];
    next[1] = argc > 2 ? argv[2] : NULL;
    child = fork();
    if (child == 0) {
        execv(argv[1], next);
        _exit(9);
    }
    end(child);
    add(&words[0], 1);
    return 0;
}
C
cat >stranger.c <<'C'
static volatile unsigned long word[1 << 18];
int main(void)
{
    for (int i = 0; i < 1 << 18; i++)
        word[i]++;
    return 0;
}
C
for one in tally stranger; do
    "${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread $one.c -o $one 2>log ||
        not_ok "$one builds" "$(<log)"
done
printf '%s * counter granule=8\n' many given >data.meta
printf '%s 8 counter granule=8\n' tally zeros shared words >>data.meta

# counted: sums of the named data, of the last run
counted() {
    python3 - "$@" <<'P'
import json, sys
sums = dict.fromkeys(sys.argv[1:], 0)
for mark in json.load(open("s.json"))["marks"]:
    sums[mark["symbol"].split("+")[0]] += mark["count"]
print(*sums.values())
P
}
for mode in fast detailed; do
    for harts in 1 3; do
        way="$mode, $harts harts"
        marked() {
            rv --quiet --mode $mode --harts $harts --os kernel --root . --meta data.meta \
                --stats s.json "$@"
        }
        marked ./tally
        same "copies by fork, vfork, threads, other zeros, $way" "90 60 8 0 512 32" \
            "$(counted tally zeros shared words given many)"
        same "copies cause no warning" "" "$(grep warning <<<"$err")"
        marked ./tally ./tally
        same "the program executed again counts with it, $way" "180 120 16 2 1024 64" \
            "$(counted tally zeros shared words given many)"
        marked ./tally ./stranger
        same "another program does not count with it, $way" "90 60 8 2 512 32" \
            "$(counted tally zeros shared words given many)"
    done
done

# Pages of many processes are scattered, in a large memory, too.
cat >many.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long big[64 * 512];
int main(void)
{
    for (int k = 0; k < 60; k++)
        if (fork() == 0) {
            for (int i = 0; i < 64 * 512; i += 512)
                big[i] += (unsigned long)k;
            usleep(1000);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    return 0;
}
C
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static many.c -o many 2>log ||
    not_ok "many builds" "$(<log)"
echo 'big * counter granule=8' >big.meta
rv --quiet --mode fast --memory 1G --os kernel --root . --meta big.meta --stats s.json ./many
same "sixty processes with 64 pages each" "7680 " "$(counted big) $err"

echo 'area tally 8 granule=8' >area.meta
rv --quiet --mode fast --os kernel --root . --meta area.meta ./tally
matches "a work area has registers for the pages at the start alone, which a warning says" \
    'warning: area.meta:1: a work area counts in the pages that it has at the start' "$err"
