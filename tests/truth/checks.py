"""The comparisons: each method runs commands on one program and holds them against the truth."""
import subprocess
from collections import Counter

from tools import Failed, number, table
from truth import Truth

ENGINES = ("detailed", "fast")
# Counters then move without time, so that a run with them is the run without.
FREE = ("--set", "shadow.traffic=ideal")
# What is known to fail: commands in engines that refuse them, and comparisons. With --all only.
REFUSED = {(what, "fast") for what in ("branches", "scan", "tune", "callers")}
STANDING = {"statistics: events of commits, fast",
            "report: calls by routine, detailed", "report: calls by routine, fast",
            "callers: calls of a routine, detailed", "callers: who calls it, detailed",
            "tune: instructions and calls of hot routines, detailed"}


class Checks:
    ALL = ("events", "oracle", "counters", "taken", "ranges", "branches", "scan", "tune", "callers")

    def __init__(self, tools, tally, program, path, elf, is_all):
        self.tools, self.tally, self.program, self.path, self.elf = (tools, tally, program, path,
                                                                     elf)
        self.is_all, self.is_stripped = is_all, False
        self.name = path.rsplit("/", 1)[1]
        self.truths = {}
        # Entered by reset and by traps: what tools say of that is no matter of calls.
        self.not_called = {start for start, _, names in elf.routines
                           if "_start" in names or "trap_entry" in names}
        self.main_routines = [routine for routine in elf.routines
                              if any(name in self._drawn() for name in routine[2])]

    def _drawn(self):
        return {routine.name for routine in self.program.routines} | {"top"}

    # ---- helpers ------------------------------------------------------------------------------
    def each(self, what, compare, engines=ENGINES):
        """compare(engine) for each engine; one that a command refuses does not hide the other."""
        for engine in engines:
            if not self.is_all and (what, engine) in REFUSED:
                continue
            try:
                compare(engine)
            except Failed as failure:
                self.tally.failed(f"{what}: runs, {engine}", str(failure), self.name)

    def options(self, engine):
        return ["--mode", engine, "--harts", str(self.program.harts), *FREE]

    def same(self, what, expected, got):
        if self.is_all or what not in STANDING:
            self.tally.same(what, expected, got, self.name)

    def truth(self, engine):
        if engine not in self.truths:
            log = self.tools.path(f"{engine}.log")
            oracle = ["--oracle", "--profile", self.tools.path("plain.prof")] \
                if engine == "detailed" else []
            self.tools.run("--quiet", *self.options(engine), "--trace", f"commit:{log}", *oracle,
                           "--stats", self.tools.path(f"{engine}.json"), self.path)
            with open(log) as lines:
                self.truths[engine] = Truth(self.elf).read(lines)
        return self.truths[engine]

    def start_of(self, name):
        """The routine that a tool means by this name: its address, or why it is none."""
        name = name.split("  ")[0]
        starts = self.elf.by_name.get(name)
        if starts is None and self.is_stripped:
            try:
                return int(name, 16)
            except ValueError:
                pass
        return starts[0] if starts else name

    def by_name(self, counts):
        """Counts by routine as a tool that knows names can give them: of equal names the sum."""
        found = Counter()
        for start, count in counts.items():
            names = self.elf.names_of(start) if start is not None else []
            found[self.elf.by_name[names[0]][0] if names else start] += count
        return {start: count for start, count in found.items() if count}

    # ---- comparisons --------------------------------------------------------------------------
    def events(self):
        def compare(engine):
            expected = self.truth(engine).events()
            got = self.tools.json(f"{engine}.json")["events"]
            self.same(f"statistics: events of commits, {engine}", expected,
                      {name: got.get(name) for name in expected})
        self.each("statistics", compare)

    def oracle(self):
        truth = self.truth("detailed")
        if self.is_stripped:
            return
        rows = table(self.tools.run("report", "--oracle", "--top", "0",
                                    self.tools.path("plain.prof")), "cycles", "routine")
        got = Counter()
        for row in rows:
            got[self.start_of(row["routine"])] += number(row["instructions"])
        self.same("report --oracle: instructions by routine", self.by_name(truth.exclusive()),
                  {start: count for start, count in got.items() if count})

    def _marked(self, truth, flags):
        """Metadata for all routines that executed, and the one after each."""
        ranges = set()
        for start in {self.elf.routine_of(pc) for pc in truth.executed}:
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
            self.same(f"marks: counters of instructions, {engine}", dict(truth.executed), got)
            if not self.is_stripped:
                self._report(truth, engine)
        self.each("counters", compare)

    def _report(self, truth, engine):
        rows = table(self.tools.run("report", "--top", "0", self.tools.path("marks.prof")),
                     "count", "symbol")
        counts, entered = Counter(), Counter()
        for row in rows:
            start = self.start_of(row["symbol"])
            counts[start] += number(row["count"])
            entered[start] += number(row.get("entered", "0"))
        self.same(f"report: instructions by routine, {engine}", self.by_name(truth.exclusive()),
                  {start: count for start, count in counts.items() if count})
        self.same(f"report: calls by routine, {engine}", self._drawn_calls(truth),
                  {start: entered[start] for start in self._drawn_calls(truth)})

    def _drawn_calls(self, truth):
        calls = truth.calls()
        return {start: calls[start] for start, _, _ in self.main_routines if calls[start]}

    def taken(self):
        def compare(engine):
            truth = self.truth(engine)
            meta = self.tools.write("taken.meta", self._marked(truth, "counter taken"))
            self.tools.run("--quiet", *self.options(engine), "--meta", meta, "--stats",
                           self.tools.path("taken.json"), self.path)
            branches = truth.branches()
            got = {int(mark["address"], 16): mark["count"]
                   for mark in self.tools.json("taken.json")["marks"] if mark["count"]}
            self.same(f"marks: branches taken, {engine}",
                      {pc: taken for pc, (taken, _) in branches.items() if taken},
                      {pc: count for pc, count in got.items() if pc in branches})
        self.each("taken", compare)

    def ranges(self):
        code = self.main_routines[:8]
        data = [(name, *place) for name, place in sorted(self.elf.data.items())
                if name.startswith(("a0_", "a1_", "a2_", "a3_"))]
        text = [f"range I{at} 0x{start:x} {end - start}\n"
                for at, (start, end, _) in enumerate(code)]
        text += [f"range D{at} 0x{start:x} {size}\n" for at, (_, start, size) in enumerate(data)]
        text += [f"0x{start:x} {size} counter granule=8\n" for _, start, size in data]
        meta = self.tools.write("ranges.meta", "".join(text))
        def compare(engine):
            truth = self.truth(engine)
            self.tools.run("--quiet", *self.options(engine), "--meta", meta, "--stats",
                           self.tools.path("ranges.json"), self.path)
            found = self.tools.json("ranges.json")
            self._ranges(truth, engine, code, data, found)
        self.each("ranges", compare)

    def _ranges(self, truth, engine, code, data, found):
        expected = {f"I{at}": truth.code_range(start, end)
                    for at, (start, end, _) in enumerate(code)}
        expected.update({f"D{at}": truth.accesses_of(start, start + size)
                         for at, (_, start, size) in enumerate(data)})
        got = {row["name"]: (row.get("executed", row.get("accesses")), row["entries"])
               for row in found["ranges"]}
        self.same(f"ranges: inside and entries, {engine}", expected, got)
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
            self.same(f"branches: taken and not taken, {engine}", self.truth(engine).branches(),
                      {pc: pair for pc, pair in got.items() if any(pair)})
        self.each("branches", compare)

    def scan(self):
        def compare(engine):
            self.tools.run("scan", *self.options(engine), "--by", "function", "--runs", "1",
                           "--no-cost", "--output", self.tools.path("scan.csv"), self.path)
            if self.is_stripped:
                return
            got = Counter()
            for row in self.tools.csv("scan.csv"):
                got[self.start_of(row["function"])] += int(row["instructions"])
            self.same(f"scan: instructions by function, {engine}",
                      self.by_name(self.truth(engine).exclusive()),
                      {start: count for start, count in got.items() if count})
        self.each("scan", compare)

    def tune(self):
        def compare(engine):
            truth = self.truth(engine)
            text = self.tools.run("tune", *self.options(engine), "--no-cost", "--period", "499",
                                  "--monitor", "host", "--top", "7", self.path)
            exclusive, calls = self.by_name(truth.exclusive()), self.by_name(truth.calls())
            expected, got = {}, {}
            for row in table(text, "entered", "instructions", "hot routine"):
                start = self.start_of(row["hot routine"])
                expected[start] = (exclusive.get(start, 0), calls.get(start, 0))
                entered = number(row.get("entered", "0"))
                got[start] = (number(row["instructions"]),
                              0 if start in self.not_called else entered)
            self.same(f"tune: instructions and calls of hot routines, {engine}", expected, got)

        if not self.is_stripped:
            self.each("tune", compare)

    def callers(self):
        def compare(engine):
            truth = self.truth(engine)
            pairs = truth.pairs()
            for start in self._pick(truth):
                expected = {caller: count for (caller, callee), count in pairs.items()
                            if callee == start}
                self._callers(engine, start, expected)

        if not self.is_stripped:
            self.each("callers", compare)

    def _callers(self, engine, start, expected):
        heading = "routine, and below it its callers"
        text = self.tools.run("callers", *self.options(engine), "--of",
                              self.elf.names_of(start)[0], "--runs", "2", self.path)
        rows = table(text, "entered", heading)
        got = {self.start_of(row[heading].replace(" (above)", "")): number(row["entered"])
               for row in rows if row["_indent"] == 2}
        self.same(f"callers: calls of a routine, {engine}", sum(expected.values()),
                  number(rows[0]["entered"]))
        self.same(f"callers: who calls it, {engine}", expected, got)

    def _pick(self, truth):
        calls = self._drawn_calls(truth)
        return sorted(calls, key=lambda start: (calls[start], start))[-2:]
