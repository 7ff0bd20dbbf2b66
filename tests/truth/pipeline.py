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
    __slots__ = ("pc", "text", "dispatch", "retire")

    def __init__(self, pc, text, dispatch, retire):
        self.pc, self.text = pc, text
        self.dispatch, self.retire = dispatch, retire


class Stacks:
    """Paths of routines, a number for each: an owner of cycles has the number."""

    def __init__(self):
        self.paths, self.numbers = [], {}
        self.of_commits = []            # the number of each instruction that committed, in this order

    def number_of(self, path):
        number = self.numbers.setdefault(path, len(self.paths))
        if number == len(self.paths):
            self.paths.append(path)
        return number


def cycle(line):
    """Tick 0 says that it never was; the first cycle is tick 1000."""
    return int(line.split(":", 3)[2]) // 1000 - 1


def records(lines):
    """Each instruction once, in the order of fetch; a trace has seven lines of each."""
    found = {}
    for head in lines:
        if not head.startswith("O3PipeView:fetch"):
            continue
        _, _, _, pc, _, order, text = head.split(":", 6)
        _, _, dispatch, _, _, retire = (next(lines) for _ in range(6))
        found[int(order)] = Record(int(pc, 16), text.strip(), cycle(dispatch), cycle(retire))
    return [found[order] for order in sorted(found)]


class Pipeline:
    """An owner of cycles is (address, number of a path): an instruction below the routines of its
    stack."""

    def __init__(self, lines, cycles, truth, stacks):
        self.transfers, self.vector = truth.transfers(), truth.vector()
        self.stopped = truth.stopped
        self.units, self.spare = Counter(), []
        self.stacks, self.at = stacks, 0
        self.group, self.group_cycle = [], None     # owners that commit in this cycle
        last, thrown = None, []
        for record in records(lines):
            if record.retire < 0:
                thrown.append(record)
                continue
            self._wait(last, thrown, record)
            self._commit(record)
            last, thrown, self.at = record, [], self.at + 1
        self._share()
        self._end(last, thrown, cycles)

    def _commit(self, record):
        if record.retire != self.group_cycle:
            self._share()
            self.group_cycle = record.retire
        self.group.append(self._own(record))

    def _share(self):
        """The cycle in which the group commits is a share of each of its instructions."""
        for owner in self.group:
            self.units[owner] += UNITS // len(self.group)
        self.group.clear()

    def _charge(self, owner, cycles):
        self.units[owner] += UNITS * cycles

    def _own(self, record):
        return record.pc, self.stacks.of_commits[self.at]

    def _before(self, last):
        return last.pc, self.stacks.of_commits[self.at - 1]

    def _trapped(self, first):
        """What did not commit stands where its handler was called from."""
        numbers, paths = self.stacks.of_commits, self.stacks.paths
        number = numbers[min(self.at, len(numbers) - 1)]
        path = paths[number]
        is_handler = isinstance(path[-1], tuple)
        return first.pc, self.stacks.number_of(path[:-1]) if is_handler else number

    def _stopped(self, thrown):
        """The instruction that a trap stopped here, if it got as far as the reorder buffer. Thrown
        away before it may be what fetch found on a wrong path, of the handler's return, too."""
        pc = self.stopped.get(self.at)
        return next((record for record in thrown if record.pc == pc and record.dispatch >= 0),
                    None)

    def _wait(self, last, thrown, record):
        """The cycles without commit between `last` and `record`."""
        start = last.retire + 1 if last else 0
        empty = max(0, min(record.dispatch + 1, record.retire) - start)
        if record.retire > start + empty:
            self._charge(self._own(record), record.retire - start - empty)
        if empty:
            owners = self._owners(last, thrown, record)
            if len(owners) == 1:
                self._charge(owners.pop(), empty)
            else:
                self.spare.append((owners, UNITS * empty))

    def _owners(self, last, thrown, record):
        own = self._own(record)
        if last is None:
            return {own}
        before = self._before(last)
        either = {before, own} if last.pc in self.transfers else {own}
        if not thrown:
            return either
        first = thrown[0]
        trapped = self._stopped(thrown)
        if trapped and trapped.text == "ecall" and trapped is first:
            return {self._trapped(trapped)}
        if trapped or record.pc == self.vector:
            return {before, self._trapped(trapped or first), own}
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
        found, paths = {}, self.stacks.paths
        for (pc, number), units in self.units.items():
            for group in groups(pc, paths[number]):
                row = found.setdefault(group, [0, 0])
                row[0] += units
                row[1] += units
        for owners, spare in self.spare:
            of_each = [set(groups(pc, paths[number])) for pc, number in owners]
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
