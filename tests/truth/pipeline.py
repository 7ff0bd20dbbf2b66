"""The truth about cycles, from an O3PipeView trace alone.

As Gottschall and others define time-proportional profiles (MICRO 2021): a cycle in which n
instructions commit is 1/n of each; one in which none does belongs to the oldest instruction in the
reorder buffer; while that is empty, to the instruction whose misprediction or trap emptied it, and
else to the one that comes next. In units of 1/840 cycle.

Stages run from commit to fetch: in the cycle in which an instruction is dispatched the buffer was
still empty when commit looked. A misprediction shows as instructions that were fetched and thrown
away; one that threw nothing away (no line of the wrong path came in time) looks like a taken branch,
and when an interrupt emptied the buffer is not in the trace. Such cycles are either instruction's:
`spare` holds them, and which instructions may have them. A hart that waits in WFI gives the cycles to
that; the fetch of a page that is not there is no instruction, and has its cycles outside.
"""
from collections import Counter
from itertools import islice

from truth import ECALL_U, FETCH_FAULT

UNITS = 840
WAKING = 400                            # cycles from an interrupt on until its handler begins, at most
SERIAL = ("fence", "sfence", "csr", "amo", "lr.", "sc.", "wfi", "mret", "sret")
DISPATCH, RETIRE = len("O3PipeView:dispatch:"), len("O3PipeView:retire:")
OUTSIDE = "outside"                     # owner of cycles of what was no instruction


class Record:
    __slots__ = ("pc", "text", "dispatch", "retire", "issue", "complete")

    def __init__(self, pc, text, dispatch, retire):
        self.pc, self.text = pc, text
        self.dispatch, self.retire = dispatch, retire


def cycle(line):
    """Tick 0 means never; the first cycle is tick 1000."""
    return int(line.split(":", 3)[2]) // 1000 - 1


def records(lines, has_all=False):
    """Each instruction once, in the order of fetch; a trace has seven lines of each. has_all: with
    the cycles of issue and completion."""
    found, addresses = {}, {}
    for head in lines:
        if not head.startswith("O3PipeView:fetch"):
            continue
        _, _, _, pc, _, order, text = head.split(":", 6)
        _, _, dispatch, issue, complete, retire = islice(lines, 6)
        address = addresses.get(pc)
        if address is None:
            address = addresses[pc] = int(pc, 16)
        record = Record(address, text.rstrip(), int(dispatch[DISPATCH:]) // 1000 - 1,
                        int(retire[RETIRE:retire.index(":", RETIRE)]) // 1000 - 1)
        if has_all:
            record.issue, record.complete = cycle(issue), cycle(complete)
        found[int(order)] = record
    return [found[order] for order in sorted(found)]


class Owners:
    """The owners of the cycles of all harts. An owner is (address, number of a path): an
    instruction below the routines of its stack. `path_of` gives the path of a node; instructions of
    the kernel have none."""

    def __init__(self, path_of):
        self.units, self.spare = Counter(), []
        self.path_of = path_of
        self.paths, self.numbers, self.of_nodes = [()], {(): 0}, {None: 0}

    def owner(self, pc, node):
        number = self.of_nodes.get(node)
        if number is None:
            path = self.path_of(node)
            number = self.of_nodes[node] = self.numbers.setdefault(path, len(self.paths))
            if number == len(self.paths):
                self.paths.append(path)
        return pc, number

    def charge(self, owners, cycles):
        """Charges to one of these instructions."""
        if len(owners) == 1:
            self.units[owners.pop()] += UNITS * cycles
        else:
            self.spare.append((owners, UNITS * cycles))

    def bounds(self, groups):
        """group -> [least, most] units, where groups(pc, path) are those that an owner is in, one more than
        once where several of its rows are shown as one."""
        found, paths = {}, self.paths
        for (pc, number), units in self.units.items():
            for group in groups(pc, paths[number]):
                row = found.setdefault(group, [0, 0])
                row[0] += units
                row[1] += units
        for owners, spare in self.spare:
            of_each = [Counter(groups(pc, paths[number])) for pc, number in owners]
            for group in set().union(*of_each):
                row = found.setdefault(group, [0, 0])
                row[0] += spare * min(of[group] for of in of_each)
                row[1] += spare * max(of[group] for of in of_each)
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


class Pipeline:
    """Charges the cycles of one hart. Until its first commit a hart may sleep in the instruction at
    `asleep`, which it has executed before the trace begins; None: it does not."""

    def __init__(self, lines, cycles, truth, hart, owners, asleep=None):
        self.transfers, self.vector = truth.transfers(), truth.vector()
        self.commits, self.stops = hart.commits, hart.stops
        self.owners, self.at, self.asleep = owners, 0, asleep
        self.group, self.group_cycle = [], None     # owners that commit in this cycle
        last, thrown = None, []
        for record in records(lines):
            if record.retire < 0:
                thrown.append(record)
                continue
            if thrown or last is None or record.retire > last.retire + 1:
                self._wait(last, thrown, record)
                thrown = []
            self._commit(record)
            last, self.at = record, self.at + 1
        self._share()
        self._end(last, thrown, cycles)

    def _commit(self, record):
        if record.retire != self.group_cycle:
            self._share()
            self.group_cycle = record.retire
        self.group.append(self.owners.owner(record.pc, self.commits[self.at]))

    def _share(self):
        """The cycle in which the group commits is a share of each of its instructions."""
        units, group = self.owners.units, self.group
        for owner in group:
            units[owner] += UNITS // len(group)
        group.clear()

    def _owner(self, pc, at):
        return self.owners.owner(pc, self.commits[at])

    def _own(self, record):
        return self._owner(record.pc, self.at)

    def _before(self, last):
        return self._owner(last.pc, self.at - 1)

    def _trapped(self, first):
        """An instruction that did not commit has the place from which its handler was called. An
        instruction whose page was not there is none."""
        stop = self.stops.get(self.at)
        if stop is None:
            return self._owner(first.pc, min(self.at, len(self.commits) - 1))
        return self.owners.owner(OUTSIDE if stop.cause == FETCH_FAULT else stop.pc, stop.node)

    def _stopped(self, thrown):
        """The instruction that a trap stopped here, if it got as far as the reorder buffer; None where
        another one from this address may be it. Thrown away before it may be what fetch found on a
        wrong path, of the handler's return, too."""
        stop = self.stops.get(self.at)
        found = [record for record in thrown if stop is not None and record.pc == stop.pc and
                 record.dispatch >= 0]
        return found[0] if len(found) == 1 or found and found[0] is thrown[0] else None

    def _wait(self, last, thrown, record):
        """The cycles without commit between `last` and `record`."""
        start = last.retire + 1 if last else 0
        end = max(start, min(record.dispatch + 1, record.retire))
        if record.retire > end:
            self.owners.charge({self._own(record)}, record.retire - end)
        trapped = self._stopped(thrown)
        if trapped and not self.stops[self.at].is_interrupt():
            # The oldest in the buffer: from its dispatch on the cycles are its own.
            first = max(start, min(trapped.dispatch + 1, end))
            self.owners.charge({self._trapped(trapped)}, end - first)
            end = first
        sleeper = self._sleeper(last)
        if sleeper and end > start:
            slept = max(0, end - start - WAKING)
            self.owners.charge({sleeper}, slept)
            start += slept
        if end > start:
            self.owners.charge(self._either(last, thrown, record), end - start)

    def _sleeper(self, last):
        """The instruction in which the hart sleeps after `last`, before the trace begins, too."""
        if last is None:
            return None if self.asleep is None else self.owners.owner(self.asleep, None)
        return self._before(last) if last.text == "wfi" else None

    def _either(self, last, thrown, record):
        own, sleeper = self._own(record), self._sleeper(last)
        if sleeper or last is None:
            return {sleeper or own, own}
        before = self._before(last)
        either = {before, own} if last.pc in self.transfers else {own}
        if not thrown:
            return either
        first = thrown[0]
        trapped = self._stopped(thrown)
        if trapped is first and self.stops[self.at].cause == ECALL_U:
            return {self._trapped(trapped)}
        if trapped or record.pc == self.vector:
            return {before, self._trapped(trapped or first), own}
        if first.pc == record.pc and first.dispatch >= 0:
            # A load that passed its store is fetched again; or what it follows was mispredicted, and
            # fetch had found the right path by another way.
            return either
        # An instruction that waits until it is alone in the machine, and until earlier stores are
        # done, may come late.
        return {before, own} if record.text.startswith(SERIAL) else {before}

    def _end(self, last, thrown, cycles):
        if last is None:
            self.owners.charge({self.owners.owner(self.asleep, None)}, cycles)
        elif last.text == "wfi":
            self.owners.charge({self._before(last)}, cycles - last.retire - 1)
        elif thrown:
            self.owners.charge({self._trapped(thrown[0])}, cycles - last.retire - 1)
