#!/usr/bin/env python3
"""Holds what `compare-profilers` prints against the pipeline trace of the same run.

bias.py PROGRAM CONFIG: a line `ok NAME` or `not ok NAME` for each scheme. The bias is computed from
the trace and the oracle's cycles, with a sample in every cycle; the interval from profiles drawn at
random from that. The schemes' definitions are those of docs/profiling/comparison.md. `ctr` is left
out: its records of transfers are in no trace.
"""
import bisect
import csv
import random
import sys
from collections import Counter
from itertools import groupby

from pipeline import UNITS, records
from tools import Tools

PERIOD, DRAWS, OUTSIDE = "29", 300, None
ALONE = ("fence", "csr", "amo", "lr.", "sc.")       # act alone: an interrupt waits for their end
NEAR = 0.006                                        # of two intervals that were drawn


class Profiles:
    """scheme -> instruction -> time, with a sample in every cycle."""

    def __init__(self, trace, statistics):
        with open(trace) as lines:
            self.all = list(records(lines, has_all=True))
        self.cycles = statistics["cycles"]
        self.interrupt_cycles = statistics["config"]["sampling.interrupt_cycles"]
        self.commits = [record for record in self.all if record.retire >= 0]
        self.groups = [(cycle, [record.pc for record in group]) for cycle, group in
                       groupby(self.commits, key=lambda record: record.retire)]
        oracle = statistics["oracle"]
        self.truth = Counter({OUTSIDE: oracle["outside"] / UNITS})
        for row in oracle["instructions"]:
            self.truth[int(row["address"], 16)] += row["units"] / UNITS

    def of_schemes(self):
        return {"software": self.software(), "dispatch": self.dispatch(), "lci": self.lci(),
                "nci": self.nci(lambda group: group[:1]), "nci+ilp": self.nci(lambda group: group),
                "tip-ilp": self.tip_ilp(), "tip": self.truth, "tea": self.truth,
                "counts": Counter(record.pc for record in self.commits),
                "latency": self.latency()}

    def lci(self):
        found, ends = Counter(), [cycle for cycle, _ in self.groups[1:]] + [self.cycles]
        for (cycle, group), end in zip(self.groups, ends):
            found[group[-1]] += end - cycle
        return found

    def nci(self, charged):
        found, before = Counter(), -1
        for cycle, group in self.groups:
            for pc in charged(group):
                found[pc] += (cycle - before) / len(charged(group))
            before = cycle
        return found

    def tip_ilp(self):
        found = Counter(self.truth)
        for _, group in self.groups:
            for pc in group:
                found[pc] -= 1 / len(group)
            found[group[0]] += 1
        return +found

    def dispatch(self):
        """The first to dispatch in a cycle or, where none does, later; lost when squashed."""
        found, first, before = Counter(), {}, -1
        for record in self.all:
            if record.dispatch >= 0:
                first.setdefault(record.dispatch, record)
        for cycle in sorted(first):
            if first[cycle].retire >= 0:
                found[first[cycle].pc] += cycle - before
            before = cycle
        return found

    def software(self):
        """The next to commit when the interrupt comes, `interrupt_cycles` later."""
        found, retires = Counter(), [record.retire for record in self.commits]
        for cycle in range(self.interrupt_cycles, self.cycles + self.interrupt_cycles):
            at = bisect.bisect_left(retires, cycle)
            while at < len(retires) and self.commits[at].text.startswith(ALONE) and \
                    self.commits[at].dispatch < cycle:
                at += 1
            if at < len(retires):
                found[self.commits[at].pc] += 1
        return found

    def latency(self):
        found = Counter()
        for record in self.commits:
            found[record.pc] += record.complete - record.issue
        return found

    def error(self, profile):
        """The share of time at wrong instructions."""
        total, true = sum(profile.values()), sum(self.truth.values())
        return 1 - sum(min(time / total, self.truth[pc] / true) for pc, time in profile.items())

    def interval(self, profile, samples):
        """The errors of 95 in 100 profiles of as many samples."""
        draw, places, times = random.Random(1), list(profile), list(profile.values())
        errors = sorted(self.error(Counter(draw.choices(places, times, k=samples)))
                        for _ in range(DRAWS))
        return errors[DRAWS // 40], errors[-1 - DRAWS // 40]


def compare(profiles, row, profile):
    """What differs, as text."""
    bias = profiles.error(profile)
    if abs(bias - float(row["bias"])) > 1.5e-6:
        return f"bias {row['bias']}, by the trace {bias:.6f}"
    if not row["interval_high"]:
        return ""
    least, most = profiles.interval(profile, int(row["samples"]))
    printed = [float(row[name] or least) for name in ("interval_low", "interval_high")]
    is_near = abs(printed[0] - least) < NEAR and abs(printed[1] - most) < NEAR
    return "" if is_near else f"interval {printed}, drawn {least:.6f} .. {most:.6f}"


def main():
    path, config, folder = sys.argv[1], sys.argv[2], sys.argv[3]
    tools, about = Tools(sys.argv[4], folder), ["--quiet", "--config", config]
    tools.run(*about, "--oracle", "--trace", f"o3pipeview:{tools.path('o3.trace')}", "--stats",
              tools.path("o3.json"), path)
    text = tools.run("compare-profilers", *about, "--period", PERIOD, "--csv", "-", path)
    rows = {row["scheme"]: row for row in
            csv.DictReader(text[text.index("scheme,"):].splitlines())}
    profiles = Profiles(tools.path("o3.trace"), tools.json("o3.json"))
    for scheme, profile in profiles.of_schemes().items():
        wrong = compare(profiles, rows[scheme], profile)
        print(f"{'not ok' if wrong else 'ok'} {config}: bias and interval of {scheme}")
        if wrong:
            print(f"# {wrong}")


if __name__ == "__main__":
    main()
