"""NM PROGRAM TRACE: the stacks of a commit trace's instructions in routines that switch stacks, as
ROUTINE;...;LEAF COUNT. Until such a routine writes one of ra, sp and s0 the stack is the old one;
once all three are written it is the new one; in between it is cut. A trace has no ecall: the
routines have no branch that is taken, so a gap of 4 bytes is one."""
import bisect
import collections
import re
import subprocess
import sys

SWITCHES = ("swapcontext", "setcontext", "__longjmp", "swtch")
STACKS = ("main;first;second;third", "main;around;swaps", "main;again;sets",
          "__start_context;body;upper;lower", "main;turn;runs", "[broken];thread;higher;deep")
RETURN = "(0x8082)"


def names_of(nm, program):
    """Each address's name: of several that of a switch."""
    names = {}
    for line in subprocess.run([nm, program], capture_output=True, text=True).stdout.splitlines():
        at, kind, name = line.rjust(20).split()[-3:]
        if kind in "TtW" and names.get(int(at, 16)) not in SWITCHES:
            names[int(at, 16)] = name
    return names


class Stacks:
    def __init__(self, names):
        self.names, self.starts = names, sorted(names)
        self.above = {}
        for stack in STACKS:
            for i, name in enumerate(stack.split(";")):
                self.above[name] = ";".join(stack.split(";")[:i + 1])

    def routine(self, at):
        return self.names[self.starts[max(bisect.bisect_right(self.starts, at) - 1, 0)]]

    def callers(self, ra):
        """A new thread begins with a return to its first instruction, which has no call before
        it; a new context without a return address."""
        if ra == 0:
            return ""
        if self.names.get(ra) == "thread":
            return "[broken]"
        name = self.routine(ra - 1)     # a call that does not return may end a routine
        return self.above[name]


def main(nm, program, trace):
    stacks = Stacks(names_of(nm, program))
    counts, ra, inside, old, written, end = collections.Counter(), 0, None, 0, set(), 0
    for line in open(trace):
        at, insn = int(line.split()[3], 16), line.split()[4]
        name = stacks.routine(at)
        if name != inside:
            inside, old, written = name, ra, set()
        write = re.search(r"\) x(\d+) +(0x[0-9a-f]+)", line)
        if write:
            written |= {write[1]} & {"1", "2", "8"}
            ra = int(write[2], 16) if write[1] == "1" else ra
        if name not in SWITCHES:
            continue
        chain = stacks.callers(ra if written else old) if len(written) in (0, 3) else ""
        if chain == "[broken]" and insn == RETURN:
            chain += ";thread"
        counts[";".join(filter(None, (chain, name)))] += 2 if at == end + 4 else 1
        end = at + (4 if int(insn[1:-1], 16) & 3 == 3 else 2)
    for chain, count in sorted(counts.items()):
        print(chain, count)


main(*sys.argv[1:])
