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
    def __init__(self, lines, cycles, transfers, vector):
        """`transfers`: addresses of the instructions that are; `vector`: the trap handler's."""
        self.transfers, self.vector = transfers, vector
        self.units, self.spare = Counter(), []
        self.commits = Counter()
        last, thrown = None, []
        for record in records(lines):
            if record.retire < 0:
                thrown.append(record)
                continue
            self._wait(last, thrown, record)
            self.commits[record.retire] += 1
            last, thrown = record, []
        self._end(last, thrown, cycles)

    def _charge(self, pc, cycles):
        self.units[pc] += UNITS * cycles

    def _wait(self, last, thrown, record):
        """The cycles without commit between `last` and `record`, and the place of its commit."""
        start = last.retire + 1 if last else 0
        empty = max(0, min(record.dispatch + 1, record.retire) - start)
        self._charge(record.pc, max(0, record.retire - start - empty))
        if empty:
            owners = self._owners(last, thrown, record)
            if len(owners) == 1:
                self._charge(owners.pop(), empty)
            else:
                self.spare.append((owners, UNITS * empty))
        self.commits[record.retire, record.pc] += 1

    def _owners(self, last, thrown, record):
        if last is None:
            return {record.pc}
        if not thrown:
            return {last.pc, record.pc} if last.pc in self.transfers else {record.pc}
        first = thrown[0]
        is_system_call = first.text == "ecall" and first.dispatch >= 0
        if is_system_call and record.pc in (self.vector, first.pc + 4):
            return {first.pc}
        if record.pc == self.vector:
            return {last.pc, first.pc, record.pc}
        if first.pc == record.pc and first.dispatch >= 0:
            # A load that passed its store is fetched again; or what it follows was mispredicted, and
            # fetch had found the right path by another way.
            return {record.pc, last.pc} if last.pc in self.transfers else {record.pc}
        return {last.pc}

    def _end(self, last, thrown, cycles):
        if last and thrown:
            self._charge(thrown[0].pc, cycles - last.retire - 1)
        for key, number in list(self.commits.items()):
            if isinstance(key, tuple):
                self.units[key[1]] += number * (UNITS // self.commits[key[0]])

    def agrees(self, units):
        """Addresses where these units cannot be: address -> (least, most, got)."""
        more = Counter()
        for owners, spare in self.spare:
            for owner in owners:
                more[owner] += spare
        return {hex(pc): (self.units[pc], self.units[pc] + more[pc], units.get(pc, 0))
                for pc in set(self.units) | set(units) | set(more)
                if not self.units[pc] <= units.get(pc, 0) <= self.units[pc] + more[pc]}
