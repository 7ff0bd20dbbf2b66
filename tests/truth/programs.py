"""Draws programs: the same seed, the same program.

A program is a number of routines in layers; a routine calls only those below it, itself or its
partner, so that it ends. Each is drawn as a list of operations and written down twice: in C (and
C++), and in assembly, where frames, links and jumps are what no compiler would write. What a call
costs is estimated while drawing and kept below a budget, so that programs run for some ten thousand
instructions.

Kinds: `linux` (C, static), `exceptions` (C++, static), `bare` (C without a system, traps and
interrupts), `assembly` (the same in assembly), `harts` (C on two to four harts), `rv32bare` and
`rv32assembly` (the same for RV32); under the guest
kernel `signals` (C, static), `threads` (C, static, on one to four harts) and `dynamic` (C, the lower
routines in a shared library).
"""
import random

KINDS = ("linux", "exceptions", "bare", "assembly", "harts", "rv32bare", "rv32assembly",
         "signals", "threads", "dynamic")
KERNEL = ("signals", "threads", "dynamic")
BUDGET = 4000                           # estimated instructions below main
BITS = 6                                # of a routine's argument
LINUX_FLAGS = ("-fno-omit-frame-pointer", "-fomit-frame-pointer")


class Routine:
    def __init__(self, name, kind):
        self.name, self.kind = name, kind   # plain, loop (its head is a loop's), jumper, thrower
        self.ops, self.tail, self.depth, self.partner = [], None, 0, None
        self.cost = 0                   # of one call, with everything below

    def callees(self):
        return [name for op in self.ops if isinstance(op[1], tuple) for name in op[1]] + \
            ([self.tail] if self.tail else [])


class Program:
    """What is drawn; `c()` and `assembly()` write it down."""

    def __init__(self, seed, kind):
        self.random = random.Random(f"{kind} {seed}")
        self.xlen = 32 if kind.startswith("rv32") else 64
        self.seed, self.kind = seed, kind.removeprefix("rv32")
        kind = self.kind
        self.is_linux = kind in ("linux", "exceptions") + KERNEL
        self.has_kernel = kind in KERNEL
        self.harts = self.random.randint(2, 4) if kind == "harts" else 1
        self.level = self.random.choice((0, 1, 2))
        self.frames = self.random.choice(LINUX_FLAGS)
        self.is_stripped = self.random.random() < 0.2
        self.ticks = self.random.randint(1, 6)
        self.routines = []
        if self.has_kernel:
            self._draw_kernel()
        self._draw()

    # ---- drawing ------------------------------------------------------------------------------
    def _draw(self):
        rng = self.random
        for index in range(rng.randint(4, 9)):
            self.routines.append(self._routine(f"r{index}"))
            if rng.random() < 0.2:
                self._pair(index)
        self.main = Routine("top", "plain")
        tries = 0
        while tries < 40 and (self.main.cost < BUDGET // 4 or len(self.main.ops) < 3):
            self._operation(self.main, BUDGET)
            tries += 1
        self._jump_out()

    def _draw_kernel(self):
        self.harts = self.random.randint(1, 4) if self.kind == "threads" else 1
        self.threads = self.random.randint(2, 5)
        self.has_own_stack = self.random.random() < 0.6     # of signal handlers
        self.is_pie, self.is_lazy = self.random.random() < 0.5, self.random.random() < 0.5

    def quiet(self):
        """A routine for signal handlers, which has no non-local jump and sends no signal; None:
        there is none."""
        loud = {routine.name for routine in self.routines if routine.kind == "jumper" or
                any(op[0] in ("signal", "escape", "land") for op in routine.ops)}
        for _ in self.routines:         # what calls a loud one is loud, partners too
            loud |= {routine.name for routine in self.routines
                     if (set(routine.callees()) | {routine.partner}) & loud}
        found = [routine.name for routine in self.routines
                 if routine.name not in loud and not routine.partner]
        return found[-1] if found else None

    def library(self):
        """The routines that a shared library has: the lower half, which call no others."""
        return self.routines[:len(self.routines) // 2] if self.kind == "dynamic" else []

    def _jump_out(self):
        """Most programs leave routines by longjmp or an exception: the start of `top` calls one
        that does."""
        kind, what = ("thrower", "catch") if self.kind == "exceptions" else ("jumper", "land")
        found = [routine.name for routine in self.routines if routine.kind == kind]
        if found and self.random.random() < 0.8:
            self.main.ops.insert(0, (what, (self.random.choice(found),), 1))
        if self.kind == "signals":
            self.main.ops.insert(0, ("escape", None, 1))

    def _routine(self, name):
        rng = self.random
        kinds = ["plain"] * 6 + ["loop"] * 2
        if self.kind in ("linux", "bare", "harts", "signals", "threads"):
            kinds += ["jumper"]
        if self.kind == "exceptions":
            kinds += ["thrower"] * 2
        routine = Routine(name, rng.choice(kinds) if self.routines or self.kind != "exceptions"
                          else "thrower")
        routine.cost = 40 if routine.kind == "loop" else 12
        if routine.kind == "loop":
            return routine
        for _ in range(rng.randint(1, 4)):
            self._operation(routine, BUDGET // 4)
        if self.routines and rng.random() < 0.35:
            routine.tail = rng.choice(self.routines).name
            routine.cost += self._find(routine.tail).cost
        elif routine.kind == "plain" and rng.random() < 0.35:
            routine.depth = rng.randint(1, 6)
            routine.cost *= routine.depth + 1
        return routine

    def _pair(self, index):
        """Two routines that call each other, each time one step deeper."""
        first, second = Routine(f"even{index}", "plain"), Routine(f"odd{index}", "plain")
        first.depth = second.depth = self.random.randint(2, 7)
        first.partner, second.partner = second.name, first.name
        for routine in (first, second):
            self._operation(routine, 200)
        first.cost = second.cost = (first.cost + second.cost + 30) * first.depth
        self.routines += [first, second]

    def _find(self, name):
        return next(routine for routine in self.routines if routine.name == name)

    def _operation(self, routine, budget):
        rng = self.random
        choices = ["work", "data", "data", "call", "call", "call", "when"]
        choices += ["pointer"] if self.routines else []
        choices += {"linux": ["system", "land"], "exceptions": ["system", "catch", "catch"],
                    "bare": ["trap", "trap", "interrupt", "land", "nested"], "harts": ["trap", "trap", "interrupt", "land", "nested"],
                    "assembly": ["trap", "trap", "interrupt", "nested", "millicode"],
                    "signals": ["signal", "signal", "escape", "land", "system"],
                    "threads": ["system", "lock", "yield", "land"],
                    "dynamic": ["system", "copy"]}[self.kind]
        what = rng.choice(choices)
        if what in ("call", "when", "pointer", "catch", "land"):
            if not self.routines:
                return
            names = tuple(rng.choice(self.routines).name
                          for _ in range(2 if what == "pointer" else 1))
            cost = max(self._find(name).cost for name in names) + 12
            times = rng.randint(1, 5) if what != "land" else rng.randint(1, 2)
            if routine.cost + times * cost > budget:
                return
            routine.ops.append((what, names, times))
            routine.cost += times * cost
        elif what in ("work", "data"):
            times = rng.randint(1, 12)
            routine.ops.append((what, rng.randint(0, 3), times))
            routine.cost += times * 8
        else:
            routine.ops.append((what, None, 1))
            routine.cost += 80

    def flags(self):
        debug = ["-g"] if self.random.random() < 0.5 else []
        return [f"-O{self.level}", self.frames] + debug


    def features(self):
        shared = ["shared libraries"] if self.kind == "dynamic" else []
        return shared + ["no frame pointers" if "omit" in self.frames and "no-omit" not in self.frames
                else "frame pointers"]


class CText:
    """A program in C, or C++."""

    def __init__(self, program):
        self.program = program
        self.is_cpp = program.kind == "exceptions"
        self.lines = []

    def text(self):
        program = self.program
        library = program.library()
        self.lines = [f"/* {program.kind}, seed {program.seed} */"]
        self._head()
        self._data("extern " if library else "__thread " if program.kind == "threads" else "")
        for routine in program.routines:
            self._declare(routine)
        self._table()
        if program.kind == "signals":
            self._handlers()
        if program.kind == "dynamic":
            self.lines.append("void *place_of_library(void);")
        for routine in program.routines + [program.main]:
            if routine not in library:
                self._routine(routine)
        self._main()
        return "\n".join(self.lines) + "\n"

    def library(self):
        """The shared library's file."""
        program = self.program
        self.lines = [f"/* {program.kind}, seed {program.seed}: library */"]
        self._head()
        self._data("")
        for routine in program.routines:
            self._declare(routine)
        self.lines.append("extern long (*table[])(long, long);")
        for routine in program.library():
            self._routine(routine)
        self.lines += ["static void anchor(void)", "{", "}", "void *place_of_library(void)", "{",
                       "    return (void *)anchor;", "}"]
        return "\n".join(self.lines) + "\n"

    def _table(self):
        self.lines.append("long (*table[])(long, long) = {" +
                          ", ".join(routine.name for routine in self.program.routines) + "};")

    def _data(self, how):
        self.lines += [f"{how}volatile long a0_[16], a1_[16], sink;",
                       f"{how}volatile int a2_[16];", f"{how}volatile short a3_[16];"]
        # Threads share no data but this, so that each does the same in every run.
        self.lines += ["volatile long shared;"] if self.program.kind == "threads" else []

    def _head(self):
        kind = self.program.kind
        if kind in ("linux",) + KERNEL:
            self.lines += ["#include <setjmp.h>", "#include <stdio.h>", "#include <string.h>", "#include <unistd.h>",
                           "#include <sys/syscall.h>"]
        if kind == "signals":
            self.lines += ["#include <signal.h>"]
        if kind == "threads":
            self.lines += ["#include <pthread.h>", "#include <sched.h>",
                           "static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;"]
        if kind in ("bare", "harts"):
            self.lines += ['#include "runtime.h"']
        per_hart = "[4]" if kind == "harts" else ""
        self.me = "[hart()]" if kind == "harts" else ""
        if kind == "exceptions":
            self.lines += ["#include <unistd.h>", "#include <sys/syscall.h>",
                           "struct Guard { volatile long *on; Guard(volatile long *o) : on(o) "
                           "{ ++*on; } ~Guard() { --*on; } };", "volatile long guarded;",
                           f"volatile long throws = {self.program.random.randint(1, 8)};"]
        per_thread = "__thread " if kind == "threads" else ""
        if kind in ("linux", "bare", "harts") + KERNEL:
            self.lines += [f"static {per_thread}jmp_buf place{per_hart};"]
        self.lines += [f"static {per_thread}volatile long armed{per_hart};",
                       "#define ROUTINE __attribute__((noinline, noclone))"]
        if self.is_cpp:
            self.lines += ['extern "C" {']

    def _handlers(self):
        """SIGUSR1: its handler may send SIGUSR2, and may leave by siglongjmp."""
        program = self.program
        called = program.quiet()
        first, second = (f" + {called}(number, {depth})" if called else "" for depth in (2, 1))
        self.lines += ["static sigjmp_buf outside;", "static char own_stack[65536];",
                       "volatile long escapes, handled;",
                       "ROUTINE void on_second(int number)", "{", f"    handled += number{second};",
                       "}", "ROUTINE void on_first(int number)", "{", "    long leaves = escapes;", "",
                       "    escapes = 0;", f"    handled += number{first};",
                       "    if (handled & 1)", "        raise(SIGUSR2);",
                       "    if (leaves)", "        siglongjmp(outside, 1);", "}",
                       "ROUTINE void set_handlers(void)", "{",
                       "    struct sigaction first = {.sa_handler = on_first}, "
                       "second = {.sa_handler = on_second};",
                       "    stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof own_stack};"]
        if program.has_own_stack:
            self.lines += ["    first.sa_flags = SA_ONSTACK;"]
        self.lines += ["    sigaltstack(&stack, 0);", "    sigaction(SIGUSR1, &first, 0);",
                       "    sigaction(SIGUSR2, &second, 0);", "}"]

    def _declare(self, routine):
        self.lines.append(f"ROUTINE long {routine.name}(long x, long d);")

    def _routine(self, routine):
        put = self.lines.append
        put(f"ROUTINE long {routine.name}(long x, long d)")
        put("{")
        if routine.kind == "loop":
            self.lines += ["    (void)d;", "    do {", "        x -= 3;", "    } while (x > 0);",
                           "    return x;", "}"]
            return
        put("    long s = x;" if routine.kind != "thrower" else
            "    long s = x; Guard guard(&guarded);")
        put("    (void)d;")
        if routine.kind == "jumper":
            put(f"    if (armed{self.me}) {{ armed{self.me} = 0; longjmp(place{self.me}, 1); }}")
        if routine.kind == "thrower":
            put("    if (armed == 1 && throws-- > 0) { armed = 0; throw 1; }")
        for op in routine.ops:
            self._operation(*op)
        if routine.depth:
            name = routine.partner or routine.name
            put(f"    if (d > 0) s += {name}(s & 31, d - 1);")
        put(f"    return {routine.tail}(s & 31, {self._depth(routine.tail)});" if routine.tail
            else "    return s;")
        put("}")

    def _depth(self, name):
        return self.program._find(name).depth

    def _call(self, name):
        return f"{name}(s & 31, {self._depth(name)})"

    def _operation(self, what, which, times):
        put = self.lines.append
        loop = f"    for (long i = 0; i < {times}; i++) " if times > 1 else "    "
        if what == "work":
            put(f"{loop or '    '}{{ s = s * 3 + {which}; if (s & 4) s ^= sink; }}")
        elif what == "data":
            index = f"[(i * {which + 1}) & 15]" if times > 1 else f"[{which}]"
            put(f"{loop}{{ a{which}_{index} += s; s += a{(which + 1) % 4}_[s & 15]; }}")
        elif what == "call":
            put(f"{loop}s += {self._call(which[0])};")
        elif what == "when":
            put(f"{loop}if (s & 1) s += {self._call(which[0])}; else s++;")
        elif what == "pointer":
            both = [f"table[{self._index(name)}]" for name in which]
            depth = min(self._depth(name) for name in which)
            put(f"{loop}s += (s & 2 ? {both[0]} : {both[1]})(s & 31, {depth});")
        else:
            self._special(what, which, loop)

    def _index(self, name):
        return [routine.name for routine in self.program.routines].index(name)

    def _special(self, what, which, loop):
        put = self.lines.append
        if what == "land":
            me = self.me
            put(f"{loop}{{ if (setjmp(place{me}) == 0) {{ armed{me} = 1; sink += "
                f"{which[0]}(3, {self._depth(which[0])}); }} armed{me} = 0; }}")
        elif what == "catch":
            put(f"{loop}{{ armed = 1; try {{ s += {self._call(which[0])}; }} catch (int) "
                f"{{ s++; }} armed = 0; }}")
        elif what == "system":
            put(f"    s += syscall({'SYS_getpid' if self.program.seed % 2 else 'SYS_getppid'}) & 3;")
        elif what == "signal":
            put("    raise(SIGUSR1);")
        elif what == "escape":
            put("    if (sigsetjmp(outside, 1) == 0) { escapes = 1; raise(SIGUSR1); } "
                "escapes = 0;")
        elif what == "lock":
            put("    pthread_mutex_lock(&mutex); shared++; pthread_mutex_unlock(&mutex);")
        elif what == "yield":
            put("    sched_yield();")
        elif what == "copy":
            put("    memcpy((void *)a0_, (void *)a1_, 64);")
        elif what == "trap":
            put("    s += trap(0) & 3;")
        elif what == "nested":
            put("    s += trap(1) & 3;")
        elif what == "interrupt":
            put("    ask_interrupt();")

    def _main(self):
        kind = self.program.kind
        if self.is_cpp:
            self.lines.append("}")
        if kind == "harts":
            self.lines += ["volatile long done;",
                           "int program(long me)", "{", "    long s = top(me + 5, 0);",
                           "    sink += s;", "    __atomic_add_fetch(&done, 1, __ATOMIC_RELEASE);",
                           f"    while (me == 0 && done != {self.program.harts})", "        ;",
                           "    return 0;", "}"]
        elif kind == "bare":
            self.lines += ["int program(long me)", "{", "    (void)me;",
                           f"    start_ticks({self.program.ticks});",
                           "    sink += top(9, 0);", "    return 0;", "}"]
        elif kind == "threads":
            self._threads()
        elif kind == "signals":
            self.lines += ["int main(void)", "{", "    set_handlers();", "    sink += top(9, 0);", "    _exit(7);", "}"]
        elif kind == "dynamic":
            self.lines += ["int main(void)", "{", "    sink += top(9, 0);",
                           '    printf("anchor %p top %p\\n", place_of_library(), (void *)top);',
                           "    fflush(stdout);", "    _exit(7);", "}"]
        else:
            self.lines += ["int main(void)", "{", "    sink += top(9, 0);", "    _exit(7);", "}"]

    def _threads(self):
        threads = self.program.threads
        self.lines += ["ROUTINE void *run(void *argument)", "{", "    sink += top((long)argument, 0);",
                       "    return 0;", "}", "int main(void)", "{", f"    pthread_t thread[{threads}];",
                       f"    for (long i = 0; i < {threads}; i++)",
                       "        pthread_create(&thread[i], 0, run, (void *)(i + 2));",
                       "    sink += top(9, 0);", f"    for (long i = 0; i < {threads}; i++)",
                       "        pthread_join(thread[i], 0);", "    _exit(7);", "}"]
