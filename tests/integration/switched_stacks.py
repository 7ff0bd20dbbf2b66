"""NM PROGRAM TRACE: the stacks of a commit trace's instructions in routines that switch stacks, as
ROUTINE;...;LEAF COUNT. Until such a routine writes ra, sp or s0 the stack is the old one; once all
three are written it is the new one; in between it is cut. One that keeps registers on the
stack is on the new one once it has loaded sp. A trace has no ecall: the routines have no branch
that is taken, so a gap of 4 bytes is one."""
import bisect
import collections
import re
import subprocess
import sys

PUSHES = "pushes"
SWITCHES = ("swapcontext", "setcontext", "__longjmp", "swtch", "turns", PUSHES)
BEGINS = ("thread", "task", "fiber")
STACKS = ("main;first;second;third", "main;around;swaps", "main;again;sets",
          "__start_context;body;upper;lower", "main;turn;runs", "[broken];thread;higher;deep",
          "main;give;takes", "[broken];task;wider;broad", "main;weave;spins",
          "[broken];fiber;finer;fine")
RETURN = "(0x8082)"


def names_of(nm, program):
    """The name of each address; where there are several, that of a switch."""
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
        if self.names.get(ra) in BEGINS:
            return "[broken]"
        name = self.routine(ra - 1)     # a call that does not return may end a routine
        return self.above[name]


class Visit:
    """One execution of a routine that switches stacks."""
    def __init__(self, name, ra):
        self.name, self.old, self.ra, self.end = name, ra, ra, 0
        self.states, self.written, self.insn, self.sps = [], set(), None, 0

    def step(self, at, insn, register, value):
        self.written |= {register} & {"1", "2", "8"}
        self.ra = value if register == "1" else self.ra
        self.sps += register == "2"
        if self.name == PUSHES:
            state = "old" if self.sps < 2 else "new"
        else:
            state = {0: "old", 3: "new"}.get(len(self.written), "cut")
        self.states += [state] * (2 if at == self.end + 4 else 1)
        self.end, self.insn = at + (4 if int(insn[1:-1], 16) & 3 == 3 else 2), insn

    def stacks(self, stacks):
        chain = {"old": stacks.callers(self.old) if "old" in self.states else "",
                 "new": stacks.callers(self.ra) if "new" in self.states else "", "cut": "[broken]"}
        found = [";".join(filter(None, (chain[state], self.name))) for state in self.states]
        if chain["new"] == "[broken]" and self.insn == RETURN:
            found[-1] = ";".join((chain["new"], stacks.names[self.ra], self.name))
        return found


def main(nm, program, trace):
    stacks = Stacks(names_of(nm, program))
    counts, ra, visit, inside = collections.Counter(), 0, None, None
    for line in open(trace):
        at, insn = int(line.split()[3], 16), line.split()[4]
        name = stacks.routine(at)
        if name != inside:
            counts.update(visit.stacks(stacks) if visit else ())
            visit, inside = Visit(name, ra) if name in SWITCHES else None, name
        write = re.search(r"\) x(\d+) +(0x[0-9a-f]+)", line)
        register, value = (write[1], int(write[2], 16)) if write else (None, 0)
        ra = value if register == "1" else ra
        if visit:
            visit.step(at, insn, register, value)
    for chain, count in sorted(counts.items()):
        print(chain, count)


main(*sys.argv[1:])
