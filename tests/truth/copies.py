"""Draws programs whose processes fork, execute themselves, and give memory back, and compares the
counters of marks on their data with the accesses of user code in the commit trace.

copies.py RVSIM CC FIRST COUNT: programs of the seeds from FIRST on, in the current directory. Prints
a line for each program whose counters differ, then the numbers of programs and of accesses."""
import bisect
import json
import random
import re
import subprocess
import sys

HEAD = """#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#define PAGE __attribute__((aligned(4096)))
PAGE volatile unsigned long d0[1024] = {1}, d1[512] = {2}, z0[1024], z1[1536];
volatile unsigned short s0[700] = {3}, s1[300];
static char **self;
static int depth;
static void end(pid_t child)
{
    int status;
    waitpid(child, &status, 0);
}
/* Takes pages that others gave back. */
static void fill(int pages)
{
    volatile unsigned long *at = mmap(NULL, pages * 4096ul, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < pages * 512; i += 4)
        at[i] += i;
    if (pages & 1)
        munmap((void *)at, pages * 4096ul);
}
"""
SIZES = {"d0": 1024, "d1": 512, "z0": 1024, "z1": 1536, "s0": 700, "s1": 300}
WHOLE_PAGES = ("d0", "d1", "z0", "z1")
AGAIN = '{ char *next[] = {self[0], depth ? "xx" : "x", NULL}; execv(self[0], next); _exit(9); }'


class Program:
    """Statements are drawn into blocks; those of threads become functions."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.threads = []

    def touch(self):
        name = self.random.choice(list(SIZES))
        first, step = self.random.randrange(SIZES[name]), self.random.choice([1, 7, 64, 500])
        return (f"for (int i = 0; i < {self.random.randint(1, 6)}; i++) "
                f"{name}[({first} + i * {step}) % {SIZES[name]}] "
                f"{self.random.choice(['+= 3', '= i', '-= i'])};")

    def child(self, kind, text):
        return (f"{{ pid_t child = {kind}(); if (child == 0) {{ {text} _exit(0); }} "
                f"{self.touch() if kind == 'fork' else ''} end(child); }}")

    def thread(self):
        name = f"t{len(self.threads)}"
        self.threads.append(f"static void *{name}(void *arg) {{ {self.touch()} return arg; }}")
        return (f"{{ pthread_t thread; pthread_create(&thread, NULL, {name}, NULL); "
                f"{self.touch()} pthread_join(thread, NULL); }}")

    def statement(self, level):
        name = self.random.choice(WHOLE_PAGES)
        kinds = [(9, self.touch)]
        if level < 3:
            kinds += [
                (5, lambda: self.child("fork", self.block(level + 1))),
                (1, lambda: self.child("vfork", self.touch())),
                (1, lambda: f"if (depth < 2) {self.child('fork', AGAIN)}"),
                (2, lambda: f"fill({self.random.randint(2, 9)});"),
                (1, lambda: f"madvise((void *){name}, 4096, MADV_DONTNEED);"),
                (1, lambda: f"mmap((void *){name}, 4096, PROT_READ | PROT_WRITE, "
                            "MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);"),
                (1, lambda: f"mprotect((void *){name}, 4096, PROT_READ); "
                            f"mprotect((void *){name}, 4096, PROT_READ | PROT_WRITE);"),
                (1, self.thread)]
        return self.random.choices([make for _, make in kinds], [share for share, _ in kinds])[0]()

    def block(self, level):
        return "\n".join(self.statement(level) for _ in range(self.random.randint(2, 6)))

    def text(self):
        body = self.block(0) + "\n" + self.block(0)
        return "\n".join([HEAD, *self.threads, "int main(int argc, char **argv)", "{",
                          "self = argv; depth = argc > 1 ? (int)strlen(argv[1]) : 0;", body,
                          "return 0; }"])


def bytes_of(code):
    """Bytes of a load or store, by its encoding."""
    if code & 3 == 3:
        return 1 << (code >> 12 & 3)
    return {2: 4, 6: 4}.get(code >> 13, 8)


def traced(marks):
    """Accesses of user code to each mark (first address -> bytes)."""
    starts, counts = sorted(marks), dict.fromkeys(marks, 0)
    line = re.compile(r": 0 0x\S+ \(0x(\w+)\).* mem 0x(\w+)")
    for match in filter(None, map(line.search, open("trace"))):
        va, end = int(match[2], 16), int(match[2], 16) + bytes_of(int(match[1], 16))
        at = max(bisect.bisect_right(starts, va) - 1, 0)
        while at < len(starts) and starts[at] < end:
            counts[starts[at]] += starts[at] + marks[starts[at]] > va
            at += 1
    return counts


def main():
    rvsim, cc, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    accesses = 0
    for seed in range(first, first + count):
        draw = random.Random(seed)
        open("drawn.c", "w").write(Program(seed).text())
        subprocess.run([cc, "-w", "-O1", "-static", "-pthread", "drawn.c", "-o", "drawn"],
                       check=True)
        granule = draw.choice([2, 4, 8, 16])
        open("drawn.meta", "w").write("".join(f"{name} * counter granule={granule}\n"
                                              for name in SIZES))
        subprocess.run([rvsim, "--quiet", "--mode", ("fast", "detailed")[seed % 2], "--harts",
                        str(draw.randint(1, 3)), "--os", "kernel", "--root", ".", "--meta",
                        "drawn.meta", "--stats", "drawn.json", "--trace", "commit:trace",
                        "./drawn"], check=True, stdin=subprocess.DEVNULL)
        marks = json.load(open("drawn.json"))["marks"]
        counts = traced({int(mark["address"], 16): mark["size"] for mark in marks})
        wrong = [(mark["symbol"], mark["count"], counts[int(mark["address"], 16)])
                 for mark in marks if mark["count"] != counts[int(mark["address"], 16)]]
        accesses += sum(counts.values())
        if wrong:
            print(f"seed {seed}: {len(wrong)} differ:", *wrong[:5])
    print(count, "programs,", accesses, "accesses")


main()
