"""The truth about cycles, from an O3PipeView trace alone.

As Gottschall and others define time-proportional profiles (MICRO 2021): a cycle in which n
instructions commit is 1/n of each; one in which none does belongs to the oldest instruction in the
reorder buffer; while that is empty, to the instruction whose misprediction or trap emptied it, and
else to the one that comes next. In units of 1/840 cycle.

Stages run from commit to fetch: in the cycle in which an instruction is dispatched the buffer was
still empty when commit looked. A misprediction shows as instructions that were fetched and thrown
away; one that threw nothing away (no line of the wrong path came in time) looks like a taken branch,
and when an interrupt emptied the buffer is not in the trace. Such cycles are either instruction's:
`spare` holds them, and which instructions may have them.
"""
from collections import Counter

UNITS = 840


class Record:
    __slots__ = ("pc", "order", "fetch", "dispatch", "retire", "text")

    def __init__(self, lines):
        head = lines[0].split(":")
        self.fetch, self.pc, self.order = cycle(head[2]), int(head[3], 16), int(head[5])
        self.text = head[6].strip()
        self.dispatch, self.retire = cycle(lines[3].split(":")[2]), cycle(lines[6].split(":")[2])


def cycle(tick):
    """Tick 0 says that it never was; the first cycle is tick 1000."""
    return int(tick) // 1000 - 1


def records(lines):
    """Each instruction once, in the order of fetch."""
    lines = [line for line in lines if line.startswith("O3PipeView")]
    found = {}
    for at in range(0, len(lines), 7):
        record = Record(lines[at:at + 7])
        found[record.order] = record
    return [found[order] for order in sorted(found)]


class Pipeline:
    """An owner of cycles is (address, path): an instruction below the routines of its stack."""

    def __init__(self, lines, cycles, transfers, vector, paths):
        """`transfers`: addresses of the instructions that are; `vector`: the trap handler's;
        `paths`: of the instructions that committed, in this order."""
        self.transfers, self.vector = transfers, vector
        self.units, self.spare = Counter(), []
        self.commits, self.paths, self.at = Counter(), paths, 0
        last, thrown = None, []
        for record in records(lines):
            if record.retire < 0:
                thrown.append(record)
                continue
            self._wait(last, thrown, record)
            self.commits[record.retire] += 1
            last, thrown, self.at = record, [], self.at + 1
        self._end(last, thrown, cycles)
        for cycle, pc, path in [key for key in self.commits if isinstance(key, tuple)]:
            self.units[pc, path] += self.commits[cycle, pc, path] * (UNITS // self.commits[cycle])

    def _charge(self, owner, cycles):
        self.units[owner] += UNITS * cycles

    def _own(self, record):
        return record.pc, self.paths[self.at]

    def _before(self, last):
        return last.pc, self.paths[self.at - 1]

    def _trapped(self, first):
        """What did not commit stands where its handler was called from."""
        path = self.paths[min(self.at, len(self.paths) - 1)]
        return first.pc, path[:-1] if isinstance(path[-1], tuple) else path

    def _wait(self, last, thrown, record):
        """The cycles without commit between `last` and `record`, and the place of its commit."""
        start = last.retire + 1 if last else 0
        empty = max(0, min(record.dispatch + 1, record.retire) - start)
        self._charge(self._own(record), max(0, record.retire - start - empty))
        if empty:
            owners = self._owners(last, thrown, record)
            if len(owners) == 1:
                self._charge(owners.pop(), empty)
            else:
                self.spare.append((owners, UNITS * empty))
        self.commits[(record.retire, *self._own(record))] += 1

    def _owners(self, last, thrown, record):
        own = self._own(record)
        if last is None:
            return {own}
        before = self._before(last)
        either = {before, own} if last.pc in self.transfers else {own}
        if not thrown:
            return either
        first = thrown[0]
        is_system_call = first.text == "ecall" and first.dispatch >= 0
        if is_system_call and record.pc in (self.vector, first.pc + 4):
            return {self._trapped(first)}
        if record.pc == self.vector:
            return {before, self._trapped(first), own}
        if first.pc == record.pc and first.dispatch >= 0:
            # A load that passed its store is fetched again; or what it follows was mispredicted, and
            # fetch had found the right path by another way.
            return either
        return {before}

    def _end(self, last, thrown, cycles):
        if last and thrown:
            self._charge(self._trapped(thrown[0]), cycles - last.retire - 1)

    def bounds(self, groups):
        """group -> [least, most] units, where groups(pc, path) are those that an owner is in."""
        found = {}
        for owner, units in self.units.items():
            for group in groups(*owner):
                row = found.setdefault(group, [0, 0])
                row[0] += units
                row[1] += units
        for owners, spare in self.spare:
            of_each = [set(groups(*owner)) for owner in owners]
            for group in set().union(*of_each):
                row = found.setdefault(group, [0, 0])
                row[0] += spare * all(group in of for of in of_each)
                row[1] += spare
        return found

    def disagrees(self, groups, rows, rounding):
        """Of rows (group, units) the groups whose units cannot be as shown, each row rounded:
        group -> (least, most, shown)."""
        bounds, shown, spare = self.bounds(groups), Counter(), Counter()
        for group, units in rows:
            shown[group] += units
            spare[group] += rounding
        found = {group: (*bounds.get(group, (0, 0)), shown[group]) for group in {*bounds, *shown}}
        return {group: (least, most, units) for group, (least, most, units) in found.items()
                if not least <= units + max(spare[group], rounding) or
                not units - max(spare[group], rounding) <= most}
