#!/usr/bin/env python3
"""Compares what rvsim's commands print about drawn programs with the truth of their commit traces.

check.py [--seeds FROM..TO] [--kinds KIND[:FROM..TO],...] [--only CHECK,...] [--whole PROGRAM,...]
         [--jobs N] FOLDER
RVSIM names the simulator. A line `ok NAME` or `not ok NAME` for each comparison, with the first
differences; FOLDER keeps the programs. `--whole bare0,signals3`: only these have the comparisons
that take most of the time (stacks of the monitor on the machine, stacks of stripped files).
`--jobs N` checks N programs at a time. Ctrl-C ends the run, and the results until then are shown
(status 130).
"""
import argparse
import gc
import os
import signal
import sys
from collections import Counter
from multiprocessing import Pool, current_process

from build import Builder
from checks import Checks
from programs import KINDS
from tools import Failed, Tools


FEATURES = ("calls", "tail calls", "recursion", "mutual recursion",
            "loop heads as first instructions", "calls through pointers", "longjmp", "exceptions",
            "system calls", "traps", "nested handlers", "interrupts", "several harts", "signals",
            "alternate stacks", "longjmp out of a handler", "threads", "threads on several harts",
            "shared libraries", "stripped", "frame pointers", "no frame pointers")


class Tally:
    def __init__(self):
        self.compared, self.wrong, self.examples = Counter(), Counter(), {}
        self.programs, self.features = Counter(), Counter()
        self.is_cut = False             # by Ctrl-C

    def same(self, what, expected, got, where):
        self.compared[what] += 1
        if expected == got:
            return
        self.wrong[what] += 1
        self.examples.setdefault(what, []).append(f"{where}: {difference(expected, got)}")

    def failed(self, what, why, where):
        self.compared[what] += 1
        self.wrong[what] += 1
        self.examples.setdefault(what, []).append(f"{where}: {why}")

    def add(self, other):
        for mine, others in ((self.compared, other.compared), (self.wrong, other.wrong),
                             (self.programs, other.programs), (self.features, other.features)):
            mine.update(others)
        for what, examples in other.examples.items():
            self.examples.setdefault(what, []).extend(examples)

    def show(self):
        for what in sorted(self.compared):
            wrong, number = self.wrong[what], self.compared[what]
            print(f"{'not ok' if wrong else 'ok'} {what}")
            if wrong:
                print(f"#   {wrong} of {number} programs differ")
            for example in self.examples.get(what, [])[:4]:
                print("\n".join("#   " + line for line in example.split("\n")[:12]))
        self._show_features()
        kinds = ", ".join(f"{number} {kind}" for kind, number in self.programs.items())
        print(f"# {sum(self.programs.values())} programs ({kinds}), "
              f"{sum(self.compared.values())} comparisons, {sum(self.wrong.values())} differ")


    def _show_features(self):
        """Twenty programs and more have all kinds of control flow among them."""
        if set(self.programs) != set(KINDS) or sum(self.programs.values()) < 20:
            return
        missing = [name for name in FEATURES if not self.features[name]]
        print(f"{'not ok' if missing else 'ok'} drawn programs: each kind of control flow is executed")
        print("# programs with " + ", ".join(f"{name} {self.features[name]}" for name in FEATURES))


def difference(expected, got):
    if not isinstance(expected, dict) or not isinstance(got, dict):
        return f"expected {expected}, got {got}"
    keys = [key for key in {**expected, **got} if expected.get(key) != got.get(key)]
    lines = [f"{key}: expected {expected.get(key)}, got {got.get(key)}" for key in keys[:6]]
    return f"{len(keys)} of {len(expected)} differ\n" + "\n".join(lines)


def check_program(builder, tools, options, seed, kind):
    tally = Tally()
    program, path, stripped = builder.build(seed, kind)
    tally.programs[kind] += 1
    tally.features.update(program.features() + (["stripped"] if stripped else []))
    for image in [path] + ([stripped] if stripped else []):
        checks = Checks(tools, tally, program, image, builder.elf(tools, program, path), image != path,
                        f"{kind}{seed}" in options.whole or not options.whole)
        for name in Checks.ALL:
            if options.only and name not in options.only:
                continue
            try:
                getattr(checks, name)()
            except (Failed, ValueError, KeyError, TypeError, OSError) as failure:
                tally.failed(f"{name}: its commands run", repr(failure), os.path.basename(image))
        if image == path and "fast" in checks.truths:
            tally.features.update(checks.truths["fast"].features())
    return tally


def drawn(options):
    """(seed, kind) of each program, the kinds in turn."""
    ranges = []
    for kind in options.kinds.split(","):
        kind, _, seeds = kind.partition(":")
        ranges.append((kind, range(*map(int, (seeds or options.seeds).split("..")))))
    return sorted(((seed, kind) for kind, seeds in ranges for seed in seeds),
                  key=lambda program: program[0])


def begin_worker(options):
    """A process of `--jobs`, with a folder of its own. Ctrl-C is for the first process alone."""
    global worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()                        # the garbage would live as long as the program
    folder = os.path.join(options.folder, str(current_process()._identity[0] - 1))
    worker = options, Builder(folder), Tools(os.environ["RVSIM"], folder)


def check_drawn(drawn_program):
    options, builder, tools = worker
    seed, kind = drawn_program
    name = f"{kind}{seed}"
    try:
        tally = check_program(builder, tools, options, seed, kind)
    except OSError as failure:          # the host is at a limit; what others found is still shown
        tally = Tally()
        tally.failed("programs are built", repr(failure), name)
    gc.collect()
    return name, tally


def check_all(options):
    """The sum of all programs; after Ctrl-C of those that are done."""
    tally = Tally()
    with Pool(options.jobs, begin_worker, (options,)) as pool:
        try:
            for name, of_one in pool.imap_unordered(check_drawn, drawn(options)):
                tally.add(of_one)
                if sys.stderr.isatty():
                    print(name, *sorted(of_one.wrong), file=sys.stderr)
        except KeyboardInterrupt:
            tally.is_cut = True
    return tally


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0..4")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--only", default="")
    parser.add_argument("--whole", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("folder")
    options = parser.parse_args()
    options.whole = [name for name in options.whole.split(",") if name]
    options.only = [name for name in options.only.split(",") if name]
    tally = check_all(options)
    tally.show()
    return 1 if tally.wrong else 130 if tally.is_cut else 0


if __name__ == "__main__":
    sys.exit(main())
