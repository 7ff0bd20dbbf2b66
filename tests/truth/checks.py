"""The comparisons: each method runs commands on one program and holds them against the truth."""
import os
import re
import subprocess
import sys
from collections import Counter

from elf import Elf, functions_of_frames
from instruction import ATOMIC, LOAD, LR
from pipeline import OUTSIDE, UNITS, Owners, Pipeline
from tools import Failed, number, table, tables
from truth import Hart, Truth

ENGINES = ("detailed", "fast")          # thresholds are about cycles
WFI = b"\x73\x00\x50\x10"
DATA = ("a0_", "a1_", "a2_", "a3_")     # arrays of the drawn programs
PERIOD = {"detailed": "499", "fast": "97"}      # the fast engine makes a cycle of an instruction
# Counters then move without time, so that a run with them is the run without.
FREE = ("--set", "shadow.traffic=ideal")


class Checks:
    ALL = ("events", "oracle", "counters", "taken", "ranges", "branches", "scan", "tune", "callers",
           "stacks", "tree", "graph", "folded", "callgrind", "thresholds", "library", "cycles")

    def __init__(self, tools, tally, program, path, elf, is_stripped=False, is_whole=True):
        """is_whole: with the comparisons that take most of the time."""
        self.tools, self.tally, self.program, self.path, self.elf = (tools, tally, program, path,
                                                                     elf)
        self.is_stripped, self.is_whole = is_stripped, is_whole
        # Of a program without symbols only the functions of .eh_frame are compared.
        self.has_kernel = program.has_kernel
        self.known = self._known_routines()
        self.name = path.rsplit("/", 1)[1]
        self.truths, self.reports = {}, {}
        # Entered by reset and by traps, which are not compared as calls.
        self.not_called = {start for start, _, names in elf.routines
                           if "_start" in names or "trap_entry" in names}
        self.main_routines = [routine for routine in elf.routines
                              if any(name in self._drawn() for name in routine[2])]
        # Routines whose frames every tool knows: in a stripped file those of the source.
        self.sure = self.known & {start for start, _, _ in self.main_routines} if is_stripped \
            else self.known

    def _known_routines(self):
        """The routines that a tool can know and that are compared: all, or in a stripped program
        the functions of .eh_frame; not the kernel, which has a file of its own, and of shared
        libraries only the drawn one."""
        is_dynamic = self.program.kind == "dynamic"
        if self.is_stripped:
            own = functions_of_frames(self.path)        # strip takes .debug_frame away
            return own if not is_dynamic else {start + self.elf.bias for start in own} | \
                (self.elf.frames - self.elf.own)
        if is_dynamic:
            # Both files have the same start files.
            drawn = self._drawn() | {f"{name}@plt" for name in self._drawn()}
            return {start for start, _, names in self.elf.routines if drawn & set(names)}
        return set(self.elf.starts) if self.has_kernel else None

    def _drawn(self):
        return {routine.name for routine in self.program.routines} | {"top"}

    # ---- helpers ------------------------------------------------------------------------------
    def each(self, what, compare, engines=ENGINES):
        """Calls compare(engine) for each engine; an engine that a command refuses does not hide the
        other."""
        for engine in engines:
            try:
                compare(engine)
            except (Failed, ValueError, KeyError, TypeError) as failure:
                self.tally.failed(f"{what}: runs, {engine}", repr(failure), self.name)

    def options(self, engine):
        return ["--mode", engine, "--harts", str(self.program.harts), *FREE,
                *self.tools.system(self.program, self.path)]

    def takes_turns(self, engine):
        """In another run of the detailed engine than the truth's, threads on several harts may take
        other turns: data in memory beside the program move it, and so change the time of
        accesses."""
        return self.program.kind == "threads" and self.program.harts > 1 and engine == "detailed"

    def same_again(self, what, engine, expected, got):
        """Of dictionaries by routine or address, from another run than the truth's."""
        if self.takes_turns(engine):
            drawn = {start for start, _, _ in self.main_routines}
            expected, got = ({at: count for at, count in counts.items()
                              if self.elf.routine_of(at) in drawn} for counts in
                             (expected, {at: count for at, count in got.items()
                                         if isinstance(at, int)}))
        self.same(f"{what}, {engine}", expected, got)

    def same(self, what, expected, got):
        self.tally.same(what, expected, got, self.name)

    def truth(self, engine):
        if engine not in self.truths:
            log = self.tools.path(f"{engine}.log")
            oracle = ["--oracle", "--trace", f"o3pipeview:{self.tools.path('pipeline.trace')}"] \
                if engine == "detailed" else []
            self.tools.run("--quiet", *self.options(engine), "--trace", f"commit:{log}", *oracle,
                           "--profile", self.tools.path(f"{engine}.prof"),
                           "--stats", self.tools.path(f"{engine}.json"), self.path)
            with open(log) as lines:
                self.truths[engine] = Truth(self.elf, self.has_kernel).read(lines)
        return self.truths[engine]

    def report(self, engine, *words):
        """What `rvsim report` prints of the profile of the engine's truth."""
        if (engine, words) not in self.reports:
            self.reports[engine, words] = self.tools.run("report", *words,
                                                         self.tools.path(f"{engine}.prof"))
        return self.reports[engine, words]

    def callgrind_of(self, engine):
        """The file of `rvsim report --callgrind` of that profile."""
        out = self.tools.path(f"callgrind.{engine}.out")
        self.report(engine, "--callgrind", out)
        return out

    def start_of(self, name):
        """The routine that a tool means by this name: its address, or the reason that it is no
        routine."""
        name = name.split("  ")[0]
        starts = self.elf.by_name.get(name)
        if self.is_stripped:
            without = re.fullmatch(r"fn_0x([0-9a-f]+)(?:@(.*))?", name)
            if without and without.group(2) in self.elf.biases:
                return int(without.group(1), 16) + self.elf.biases[without.group(2)]
            # Names with which other files link are left.
            return starts[0] if starts and self.program.kind == "dynamic" else name
        return self.canonical(starts[0]) if starts else name

    def name_of(self, start):
        """What the tools call a routine. A library that is stripped has its names all the same, but no
        local alias."""
        if self.is_stripped and start in self.elf.own:
            return f"fn_0x{start:x}"
        names = self.elf.names_of(start)
        return next((name for name in names if not name.endswith(".localalias")), names[0])

    def canonical(self, start):
        """Of the routines with an equal name the first, because a tool that prints names may mean
        any of them."""
        if self.is_stripped:
            return start
        names = self.elf.names_of(start) if isinstance(start, int) else []
        return min(self.elf.by_name[name][0] for name in names) if names else start

    def by_name(self, counts):
        """Counts by routine as a tool that knows names can give them: of equal names the sum."""
        found = Counter()
        for start, count in counts.items():
            found[self.canonical(start)] += count
        return self.compared(found)

    def compared(self, found):
        """Of a dictionary by routine: the routines that a tool can know and that are not empty."""
        return {start: value for start, value in found.items()
                if value and (self.known is None or start in self.known)}

    def known_pairs(self, pairs):
        return {pair: count for pair, count in pairs.items()
                if self.known is None or set(pair) <= self.known}

    # ---- comparisons --------------------------------------------------------------------------
    def events(self):
        def compare(engine):
            truth, found = self.truth(engine), self.tools.json(f"{engine}.json")
            expected, got = truth.events(), found["events"]
            self.same(f"statistics: events of commits, {engine}", expected,
                      {name: got.get(name) for name in expected})
            self.same(f"statistics: instructions of harts and modes, {engine}",
                      [self._instructions(truth, at) for at in range(len(found["harts"]))],
                      list(map(self._shown_instructions, found["harts"],
                               found["modes"]["harts"] if self.has_kernel else found["harts"])))
        self.each("statistics", compare)

    def _instructions(self, truth, number):
        """Of a hart: all, and under the kernel those of the program and of the kernel."""
        commits = truth.harts.get(f"{number}:", Hart()).commits
        kernels = commits.count(None)
        modes = (len(commits) - kernels, kernels) if self.has_kernel else ()
        return (len(commits), *modes)

    def _shown_instructions(self, hart, modes):
        names = ("user", "kernel") if self.has_kernel else ()
        return (hart["instructions"], *(modes[name]["instructions"] for name in names))

    def oracle(self):
        truth = self.truth("detailed")
        oracle = self.tools.json("detailed.json")["oracle"]
        executed, taken = Counter(), Counter()
        for row in oracle["instructions"]:
            executed[int(row["address"], 16)] += row["count"]
            taken[int(row["address"], 16)] += row.get("taken", 0)
        self.same("oracle: executions of each instruction", +truth.executed, +executed)
        self.same("oracle: taken branches", truth.branches(),
                  {pc: (taken[pc], executed[pc] - taken[pc]) for pc in truth.branches()})
        if self.has_kernel:
            self.same("oracle: instructions of each thread", +truth.of_threads,
                      +Counter({row["thread"]: row["instructions"] for row in oracle["threads"]}))
        rows = table(self.report("detailed", "--oracle", "--top", "0"), "cycles", "routine")
        got = Counter()
        for row in rows:
            got[self.start_of(row["routine"])] += number(row["instructions"])
        self.same("report --oracle: instructions by routine", self.by_name(truth.exclusive()),
                  self.compared(got))

    def cycles(self):
        truth, found = self.truth("detailed"), self.tools.json("detailed.json")
        trace = self.tools.path("pipeline.trace")
        owners = Owners(lambda node: self._canonical_path(node.path))
        cycles = [hart["cycles"] for hart in found["harts"]]
        for number, of_hart in enumerate(cycles):
            hart = truth.harts.get(f"{number}:", Hart())
            with open(trace.replace(".trace", f".hart{number}.trace") if number else trace) as lines:
                pipeline = Pipeline(lines, of_hart, truth, hart, owners,
                                    self._asleep() if number and self.has_kernel else None)
            self.same("o3pipeview: instructions that committed", len(hart.commits), pipeline.at)
        oracle = found["oracle"]
        rows = [(int(row["address"], 16), row["units"]) for row in oracle["instructions"]] + \
            [(OUTSIDE, oracle["outside"])]
        self.same("oracle: cycles of each instruction", {},
                  owners.disagrees(lambda pc, _: [pc], rows, 0))
        self.same("oracle: sum of cycles", sum(cycles) * UNITS, sum(units for _, units in rows))
        self.same("oracle: cycles that the trace gives to one instruction", True,
                  sum(spare for _, spare in owners.spare) <= sum(owners.units.values()))
        if not self.is_stripped or self.is_whole:
            self._cycles_by_stack(owners)

    def _asleep(self):
        """The kernel's WFI, in which harts wait for a thread."""
        kernel = Elf(os.path.join(os.path.dirname(self.tools.rvsim), "guest", "kernel.elf"))
        return next(start + at for start, image in kernel.code for at in range(0, len(image), 2)
                    if image[at:at + 4] == WFI)

    def _cycles_by_stack(self, owners):
        """Tenths or whole cycles are shown; each sum keeps the remainder that the sums before it
        lost."""
        tenth, whole = UNITS // 10, UNITS

        def routine_of(pc, _):
            start = None if pc == OUTSIDE else self.canonical(self.elf.routine_of(pc))
            return [start] if start is not None and self.compared({start: 1}) else []

        def stack_of(_, path):
            path = self._compared_path(path)
            return [path] if path else []

        def above(_, path):
            ends = [self._compared_path(path[:end]) for end in range(1, len(path) + 1)]
            return [path for path in ends if path]

        def same(what, groups, rows, rounding):
            shown = [(group, units) for group, units in self._units(rows) if group]
            self.same(f"report {what}", {}, owners.disagrees(groups, shown, rounding))
        same("--oracle: cycles by routine", routine_of, self._of_known(
            (self.start_of(row["routine"]), row["cycles"]) for row in
            table(self.report("detailed", "--oracle", "--top", "0"), "cycles", "routine")), tenth)
        rows = [(self._compared_path(path), row) for path, row in self._tree_rows("detailed")]
        same("--calltree: own cycles", stack_of, [(path, row["cycles"]) for path, row in rows], tenth)
        if not self.has_kernel:         # its cycles are below the program's routines
            same("--calltree: cycles with callees", above,
                 [(path, row["with callees 2"]) for path, row in rows], tenth)
        same("--folded: cycles by stack", stack_of,
             [(self._compared_path(path), cycles) for path, cycles in
              self._folded_rows("detailed")], whole)
        out = self.callgrind_of("detailed")
        # Of routines with one name the reader shows the sum, but each was rounded.
        shown = self._of_known(self._annotated(out, "--inclusive=no", "Cycles").items())
        same("--callgrind: cycles by routine", routine_of, shown + [
            (start, 0) for start, _ in shown for name in self.elf.names_of(start)[:1]
            for _ in self.elf.by_name[name][1:]], whole)

    def _of_known(self, rows):
        """Of rows (routine, value) those of routines that are compared."""
        return [(start, value) for start, value in rows if self.compared({start: 1})]

    @staticmethod
    def _units(rows):
        """Of rows (group, cycles): rows (group, units)."""
        return [(group, round(UNITS * float(str(cycles).replace(",", ""))))
                for group, cycles in rows]

    def _marked(self, truth, flags):
        """Metadata for all routines that executed, and the one after each."""
        ranges = set()
        for start in {self.elf.routine_of(pc) for pc in truth.executed} - {None}:
            at = self.elf.starts.index(start)
            ranges.update((start, end) for start, end, _ in self.elf.routines[at:at + 2])
        return "".join(f"0x{start:x} 0x{end - start:x} {flags}\n" for start, end in
                       sorted(ranges))

    def counters(self):
        def compare(engine):
            truth = self.truth(engine)
            meta = self.tools.write("all.meta", self._marked(truth, "counter"))
            self.tools.run("--quiet", *self.options(engine), "--meta", meta, "--stats",
                           self.tools.path("marks.json"), "--profile",
                           self.tools.path("marks.prof"), self.path)
            got = {int(mark["address"], 16): mark["count"]
                   for mark in self.tools.json("marks.json")["marks"] if mark["count"]}
            self.same_again("marks: counters of instructions", engine,
                            self._own(truth.signalled()), self._own(got))
            self._report(truth, engine)
        self.each("counters", compare)

    def _own(self, counts):
        """Of counts by address: those of the program's code, without kernel and shared libraries."""
        return {pc: count for pc, count in counts.items()
                if not self.has_kernel or self.elf.routine_of(pc) in self.elf.own}

    def _report(self, truth, engine):
        rows = table(self.tools.run("report", "--top", "0", self.tools.path("marks.prof")),
                     "count", "symbol")
        counts, entered = Counter(), Counter()
        for row in rows:
            start = self.start_of(row["symbol"])
            counts[start] += number(row["count"])
            entered[start] += number(row.get("entered", "0"))
        self.same_again("report: instructions by routine", engine,
                        self.by_name(truth.exclusive(truth.signalled())), self.compared(counts))
        self.same(f"report: calls by routine, {engine}", self._drawn_calls(truth),
                  {start: entered[start] for start in self._drawn_calls(truth)})

    def _drawn_calls(self, truth):
        calls = truth.calls()
        return self.compared({start: calls[start] for start, _, _ in self.main_routines})

    def taken(self):
        def compare(engine):
            truth = self.truth(engine)
            meta = self.tools.write("taken.meta", "".join(
                f"0x{pc:x} 2 counter taken\n" for pc in sorted(self._own(truth.branches()))))
            self.tools.run("--quiet", *self.options(engine), "--meta", meta, "--stats",
                           self.tools.path("taken.json"), self.path)
            branches = self._own(truth.branches())
            got = {int(mark["address"], 16): mark["count"]
                   for mark in self.tools.json("taken.json")["marks"] if mark["count"]}
            self.same_again("marks: branches taken", engine,
                            {pc: taken for pc, (taken, _) in branches.items() if taken},
                            {pc: count for pc, count in got.items() if pc in branches})
        self.each("taken", compare)

    def ranges(self):
        code = self.main_routines[:8]
        data = [(name, *place) for name, place in sorted(self.elf.data.items())
                if name in DATA]
        text = [self._range_lines("I", code), self._range_lines("D", [
            (start, start + size, name) for name, start, size in data])]
        text += [f"0x{start:x} {size} counter granule=8\n" for _, start, size in data]
        meta = self.tools.write("ranges.meta", "".join(text))
        def compare(engine):
            truth = self.truth(engine)
            self.tools.run("--quiet", *self.options(engine), "--meta", meta, "--stats",
                           self.tools.path("ranges.json"), self.path)
            found = self.tools.json("ranges.json")
            self._ranges(truth, engine, code, data, found)
        self.each("ranges", compare)

    @staticmethod
    def _range_lines(kind, ranges):
        """Metadata for ranges (start, end, names) of code or data."""
        return "".join(f"range {kind}{at} 0x{start:x} {end - start}\n"
                       for at, (start, end, _) in enumerate(ranges))

    def same_ranges(self, what, engine, expected, got):
        """Of ranges (inside, entries, ...): entries depend on turns."""
        if self.takes_turns(engine):
            expected, got = ({name: row[:1] + row[2:] for name, row in rows.items()}
                             for rows in (expected, got))
        self.same(f"{what}, {engine}", expected, got)

    def _ranges(self, truth, engine, code, data, found):
        expected = {f"I{at}": row for at, row in enumerate(truth.code_ranges(code))}
        expected.update({f"D{at}": truth.accesses_of(start, start + size)
                         for at, (_, start, size) in enumerate(data)})
        got = {row["name"]: (row.get("executed", row.get("accesses")), row["entries"])
               for row in found["ranges"]}
        self.same_ranges("ranges: inside and entries", engine, expected, got)
        granules = Counter()
        for _, start, size in data:
            granules.update(truth.granules(start, start + size, 8))
        self.same(f"marks: counters of data, {engine}", dict(granules),
                  {int(mark["address"], 16): mark["count"] for mark in found["marks"]
                   if mark["count"]})

    def branches(self):
        def compare(engine):
            self.tools.run("branches", *self.options(engine), "--output",
                           self.tools.path("branches.csv"), self.path)
            got = {int(row["address"], 16): (int(row["taken"]), int(row["not_taken"]))
                   for row in self.tools.csv("branches.csv")}
            self.same_again("branches: taken and not taken", engine,
                            self._own(self.truth(engine).branches()),
                            self._own({pc: pair for pc, pair in got.items() if any(pair)}))
        self.each("branches", compare)

    def scan(self):
        def compare(engine):
            self.tools.run("scan", *self.options(engine), "--by", "function", "--runs", "1",
                           *self.tools.without_cost("scan"), "--output", self.tools.path("scan.csv"), self.path)
            got = Counter()
            for row in self.tools.csv("scan.csv"):
                got[self.start_of(row["function"])] += int(row["instructions"])
            self.same_again("scan: instructions by function", engine,
                            self.by_name(self.truth(engine).exclusive()), self.compared(got))

        self.each("scan", compare)

    def tune(self):
        def compare(engine):
            truth = self.truth(engine)
            text = self.tools.run("tune", *self.options(engine), "--period", PERIOD[engine],
                                  *self.tools.without_cost("tune"), "--monitor", "host",
                                  "--hot", "0" if self.has_kernel else "1", "--top", "7",
                                  self.path)
            exclusive, calls = self.by_name(truth.exclusive()), \
                self.by_name(truth.calls() + truth.signals)
            expected, got = {}, {}
            for row in table(text, "entered", "instructions", "hot routine"):
                start = self.start_of(row["hot routine"])
                expected[start] = (exclusive.get(start, 0), calls.get(start, 0))
                entered = number(row.get("entered", "0"))
                got[start] = (number(row["instructions"]),
                              0 if start in self.not_called else entered)
            self.same_again("tune: instructions and calls of hot routines", engine,
                            self.compared(expected), self.compared(got))

        self.each("tune", compare)

    def callers(self):
        def compare(engine):
            truth = self.truth(engine)
            pairs = truth.pairs()
            for start in self._pick(truth):
                self._callers(engine, start, self._to(start, pairs))

        self.each("callers", compare)

    def _to(self, start, pairs):
        """caller -> calls of this routine."""
        found = Counter()
        for (caller, callee), count in pairs.items():
            if callee == start:
                found[self.canonical(caller)] += count
        return found

    def _callers(self, engine, start, expected, *how):
        heading, count = "routine, and below it its callers", "executed" if how else "entered"
        text = self.tools.run("callers", *self.options(engine), "--of", self.name_of(start), "--runs", "2", *how, self.path)
        rows = table(text, count, heading)
        got = Counter()
        for row in rows:
            if row["_indent"] == 2:
                got[self.start_of(row[heading].replace(" (above)", ""))] += number(row[count])
        what = f"callers {' '.join(how)}" if how else "callers"
        self.same(f"{what}: calls of a routine, {engine}", sum(expected.values()),
                  number(rows[0][count]))
        self.same(f"{what}: who calls it, {engine}", self.compared(expected), self.compared(got))

    def stacks(self):
        """The monitor's stacks: the routines to which each execution of a first instruction
        returns."""
        def compare(engine):
            for start in self._pick(self.truth(engine)):
                truth = self._truth_marked(engine, start)
                if truth.executed[start] != truth.calls()[start]:
                    continue        # a loop's head, an instruction that traps
                for monitor in monitors:
                    self._callers(engine, start, self._to(start, truth.entries), "--monitor",
                                  monitor)

        # The monitor on the machine takes time, in which harts and threads go on.
        takes_time = self.program.harts > 1 or self.program.kind == "threads"
        monitors = ("host", "guest") if self.is_whole and not takes_time else ("host",)
        if not self.is_stripped or self.is_whole:
            self.each("stacks", compare)

    def _truth_marked(self, engine, start):
        """An interrupt empties the pipeline: harts that share data then go on in another order."""
        if engine == "fast" or self.program.harts == 1:
            return self.truth(engine)
        log, meta = self.tools.path("marked.log"), f"0x{start:x} 2 counter interrupt\n"
        self.tools.run("--quiet", *self.options(engine), "--monitor", "host", "--meta",
                       self.tools.write("marked.meta", meta), "--trace", f"commit:{log}", self.path)
        with open(log) as lines:
            return Truth(self.elf, self.has_kernel).read(lines)

    def _pick(self, truth):
        calls = self._drawn_calls(truth)
        return sorted(calls, key=lambda start: (calls[start], start))[-2:]

    # ---- call trees ---------------------------------------------------------------------------
    def _known_path(self, names):
        """A path that a tool shows, as the truth has it: a trap and its handler are one element;
        None for a path that ends in a trap."""
        path = []
        for at, name in enumerate(names):
            if name.startswith("["):
                continue
            start = self.start_of(name)
            path.append(("trap", start) if at and names[at - 1].startswith("[") else start)
        return None if names[-1].startswith("[") else tuple(path)

    def _canonical_path(self, path):
        return tuple(("trap", self.canonical(part[1])) if isinstance(part, tuple)
                     else self.canonical(part) for part in path)

    def _true_tree(self, engine):
        """path -> (calls, instructions, with callees), of which the kernel's are a part."""
        return self._sum_of_paths((self._canonical_path(path), row)
                                  for path, row in self.truth(engine).tree().items())

    def _tree_of_all(self, engine):
        found = {}
        for path, row in self.truth(engine).tree().items():
            path = self._canonical_path(path)
            found[path] = tuple(map(sum, zip(found.get(path, (0, 0, 0)), row)))
        return found

    def _sum_of_paths(self, rows):
        found = {}
        for path, row in rows:
            path = self._compared_path(path)
            if path:
                found[path] = tuple(map(sum, zip(found.get(path, (0,) * len(row)), row)))
        return found

    def _compared_path(self, path):
        """The end of a path from the last routine on that is not compared; all of it where all are."""
        if self.known is None or path is None:
            return path
        at = len(path)
        while at > 0 and (path[at - 1][1] if isinstance(path[at - 1], tuple)
                          else path[at - 1]) in self.sure:
            at -= 1
        return path[at:]

    def _tree_rows(self, engine):
        """(path, row) of each row of the call tree; path None: of a trap, without its handler."""
        text = self.report(engine, "--calltree", "--top", "0")
        names, found = [], []
        for row in table(text, "calls", "instructions", "call tree"):
            depth = row["_indent"] // 2
            names[depth:] = [row["call tree"]]
            found.append((self._known_path(names), row))
        return found

    def tree(self):
        heads = ("calls", "instructions", "with callees")

        def compare(engine):
            rows = self._tree_rows(engine)
            got = self._sum_of_paths((path, tuple(number(row[head]) for head in heads))
                                     for path, row in rows)
            self.same(f"report --calltree: calls, instructions, with callees, {engine}",
                      self._true_tree(engine), got)
            self._sums_of_tree(engine, rows)

        self.truth("detailed"), self.truth("fast")
        self.each("tree", compare)

    def _sums_of_tree(self, engine, rows):
        """Each row's instructions with callees are its own and those of the rows below it."""
        totals, expected, got = [], [], []
        for _, row in rows:
            own, total = number(row["instructions"]), number(row["with callees"])
            depth = row["_indent"] // 2
            while len(totals) > depth:
                totals.pop()
            totals.append(len(expected))
            expected.append(total)
            got.append(0)
            for above in totals:
                got[above] += own
        self.same(f"report --calltree: sums, {engine}", expected, got)

    def graph(self):
        def compare(engine):
            truth = self.truth(engine)
            calls, own = self.by_name(truth.calls()), self.by_name(truth.exclusive())
            calls = Counter(calls) + truth.signals
            not_called = self.not_called - set(truth.signals)
            expected = {start: (calls.get(start, 0), count) for start, count in own.items()
                        if start not in not_called}
            text = self.report(engine, "--callgraph", "--top", "0")
            got, pairs, callee = {}, Counter(), None
            for row in table(text, "calls", "instructions", "call graph"):
                name = row["call graph"]
                if not row["_indent"]:
                    callee = self.start_of(name)
                    if not name.startswith("[") and callee not in not_called:
                        of_name = got.get(callee, (0, 0))
                        got[callee] = (of_name[0] + number(row["calls"]),
                                       of_name[1] + number(row["instructions"]))
                elif not name.startswith("from [") and isinstance(callee, int):
                    pairs[self.start_of(name[5:]), callee] += number(row["calls"])
            self.same(f"report --callgraph: calls and instructions, {engine}", expected,
                      self.compared({start: row for start, row in got.items() if row[1]}))
            true_pairs = Counter()
            for (caller, called), count in truth.pairs().items():
                true_pairs[self.canonical(caller), self.canonical(called)] += count
            self.same(f"report --callgraph: callers, {engine}", self.known_pairs(true_pairs),
                      self.known_pairs(pairs))

        self.truth("detailed"), self.truth("fast")
        self.each("graph", compare)

    def _folded_rows(self, engine):
        """(path, instructions or, of the detailed engine, cycles) of each line."""
        lines = self.report(engine, "--folded", "-")
        for line in lines.splitlines():
            stack, count = line.rsplit(" ", 1)
            yield self._known_path(stack.split(";")), int(count)

    def folded(self):
        def compare(engine):
            expected = {path: row[1] for path, row in self._true_tree(engine).items() if row[1]}
            got = self._sum_of_paths((path, (0, count, 0))
                                     for path, count in self._folded_rows(engine)
                                     if path is not None or not self.has_kernel)
            self.same(f"report --folded: instructions by stack, {engine}", expected,
                      {path: row[1] for path, row in got.items()})

        self.each("folded", compare, ("fast",))

    def callgrind(self):
        def compare(engine):
            truth, out = self.truth(engine), self.callgrind_of(engine)
            own = self._annotated(out, "--inclusive=no")
            self.same(f"report --callgrind: instructions by routine, {engine}",
                      self.by_name(truth.exclusive()), self.compared(own))
            tree = self._tree_of_all(engine)
            # Of a routine with callers the reader shows the sum of its calls: a thread that begins in
            # one, clone, is none of them.
            outer = {path[-1] for path in tree if len(path) == 1}
            left_out = {path[-1] for path in tree if path[-1] in path[:-1] or
                        len(path) > 1 and path[-1] in outer}
            expected = Counter()
            for path, (_, _, total) in tree.items():
                if not isinstance(path[-1], tuple) and path[-1] not in left_out and \
                        (self.known is None or path[-1] in self.sure):
                    expected[path[-1]] += total
            below = self._annotated(out, "--inclusive=yes")
            self.same(f"report --callgrind: with callees, {engine}", dict(expected),
                      {start: below.get(start) for start in expected})

        self.truth("detailed"), self.truth("fast")
        self.each("callgrind", compare)

    def _annotated(self, out, which, event="Ir"):
        """routine -> event, as callgrind_annotate reads them. It takes the current folder off
        the files of routines, but not off those of their calls: it runs where no source is."""
        text = subprocess.run(["callgrind_annotate", "--threshold=100", f"--show={event}",
                               "--auto=no", which, os.path.abspath(out)], capture_output=True, text=True,
                              cwd=os.path.dirname(sys.executable))
        if text.returncode:
            raise Failed(f"callgrind_annotate {out}: {text.stderr}")
        found = Counter()
        for line in text.stdout.splitlines():
            match = re.match(r"\s*([\d,]+) \([^)]*\)  \S+?:(.*?)( \[/[^]]*\])?$", line)
            if match and not match.group(2).startswith("["):
                found[self.start_of(match.group(2))] += number(match.group(1))
        return {start: count for start, count in found.items() if count}

    # ---- data ---------------------------------------------------------------------------------
    def thresholds(self):
        def compare(engine):
            truth = self.truth(engine)
            text = self.tools.run("thresholds", *self.options(engine), "--runs", "1", "--top",
                                  "0", self.path)
            loads = {pc: count for pc, count in truth.executed.items()
                     if pc in truth.of_program and truth.instructions[pc].kind in (LOAD, LR, ATOMIC)}
            rows = table(text, "slower loads", "slower data")
            if not self.takes_turns(engine):
                self.same("thresholds: number of loads", sum(loads.values()),
                          number(rows[0]["slower loads"]))
            by_routine = Counter()
            for pc, count in loads.items():
                by_routine[self.elf.routine_of(pc)] += count
            self._slow(text, "function", self.by_name(by_routine), self.start_of)
            if self.is_stripped:
                return
            self._slow(text, "data", {
                name: truth.accesses_of(start, start + size)[0]
                for name, (start, size) in self.elf.data.items() if name in DATA}, str)

        self.each("thresholds", compare, ("detailed",))

    def _slow(self, text, what, expected, known):
        """A row is shown for each function that is slow at all; a program has such a function, its
        first one, unless libraries start it."""
        head = f"slowest: {what}"
        found = [rows for heads, rows in tables(text) if head in heads]
        if not found and what == "function" and self.program.kind != "dynamic":
            raise Failed(f"no table with {head} in:\n{text[:500]}")
        shown = {known(row[head]): number(row["all"]) for rows in found for row in rows}
        if what == "function":
            shown = self.compared(shown)
            if self.takes_turns("detailed"):
                drawn = {start for start, _, _ in self.main_routines}
                shown = {start: count for start, count in shown.items() if start in drawn}
        self.same(f"thresholds: accesses by {what}",
                  {name: expected.get(name) for name in shown if name in expected or
                   what == "function"},
                  {name: count for name, count in shown.items() if name in expected or
                   what == "function"})

    # ---- libprofhw ----------------------------------------------------------------------------
    def library(self):
        def compare(engine):
            truth = self.truth(engine)
            code = self.main_routines[:8]
            meta = self.tools.write("library.meta", self._marked(truth, "counter") +
                                    self._range_lines("I", code))
            rows = self._client(engine, meta)
            got = {int(row[1], 16): int(row[2]) for row in rows if row[0] == "count"}
            self.same_again("libprofhw: counters of instructions", engine,
                            self._own(truth.signalled()), self._own(got))
            expected = {f"I{at}": (inside, entries, inside)
                        for at, (inside, entries) in enumerate(truth.code_ranges(code))}
            got = {row[1]: tuple(map(int, row[2:])) for row in rows if row[0] == "range"}
            self.same_ranges("libprofhw: ranges and counters", engine, expected, got)
            if self.takes_turns(engine):
                return
            events = {row[1]: int(row[2]) for row in rows if row[0] == "event"}
            expected = truth.events()
            self.same(f"libprofhw: events, {engine}", expected,
                      {name: events.get(name) for name in expected})

        self.each("library", compare)

    def _client(self, engine, meta):
        """The words that the client of libprofhw prints."""
        root = [self.tools.root(self.program, self.path)] if self.has_kernel else []
        done = subprocess.run([self.tools.client(), engine, str(self.program.harts), meta, self.path,
                               *root], capture_output=True, text=True,
                              env={**os.environ,
                                   "RVSIM_SHARE": os.path.dirname(self.tools.rvsim)})
        if done.returncode:
            raise Failed(f"libprofhw: {done.stdout[-300:]} {done.stderr[-300:]}")
        return [line.split() for line in done.stdout.splitlines()]
