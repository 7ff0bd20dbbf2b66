"""The truth about a run, from its commit trace and its ELF alone.

Definitions, from the guide and the standard, not from the tools:

executed    how often the instruction at an address committed. What traps does not commit: an ecall
            that is served, the instruction that faults.
signalled   how often it acted on its mark: it committed, or is an ecall or ebreak that trapped.
branch      a conditional branch is taken when the next instruction of its hart is its target, as its
            operands say where a trap comes between, or the run ends.
call        control comes to a routine by an instruction that the standard's hints call a call (JAL or
            JALR that writes x1 or x5), a recursive one too; or by a tail jump: an instruction that
            links nothing and is no return leads from one routine to another's first instruction.
            A loop's branch to the first instruction of its own routine is no call, nor is falling
            into a routine, a return into it, a landing pad, or a trap.
caller      the routine that the call or tail jump stands in.
frame       made by a call or tail jump and named by the routine it leads to; that of a tail jump
            stands below the frame of the routine that jumped, and both end when either returns.
            A return ends the frame with its return address at its stack pointer. Other returns
            (longjmp, exceptions) end all frames that began at or below the new stack pointer.
            A trap begins a frame, named by its handler, that its xRET ends, with all above it.
            So does a signal, which rt_sigreturn ends.
            A return to a call that has returned before (setjmp) ends all frames above its caller's.
exclusive   of a routine: instructions committed in its range of addresses. Of a frame: those
            committed while it was innermost.
inclusive   of a frame: its own, and of all frames called from it; of a routine: of its outermost
            frames, so that recursion counts once.
access      a load, store or atomic that committed; a store conditional that failed is none. It
            touches every byte from its address on. An access of a range touches one of its bytes.
entry       of a range: an instruction (access) inside, the one before it, of the same hart, outside.

Under the guest kernel each thread has frames of its own, made by its instructions in user mode; the
register CSR_PROF_THREAD says which thread a hart runs. Instructions of the kernel are counted, and
are in no frame.
"""
from collections import Counter
from operator import itemgetter

from instruction import ATOMIC, BRANCH, CALL, JUMP, LOAD, LR, RETURN, SC, STORE, XRET, Instruction

TOP_OF_STACK = 1 << 64
READS_SCAUSE, WRITES_THREAD = (0x142, 2), (0x5c1, 1)    # CSR number and funct3
SUPERVISOR, MACHINE, SRET = "1", "3", 0x10200073
ECALL_U, FETCH_FAULT, INTERRUPT = 8, 12, 1 << 63    # causes of traps
CALLS_SIGRETURN = 0x08b00893            # li a7, 139
NEAR = 16384                            # of a signal's frame to the stack that it interrupted


class Node:
    """A routine (or trap) with one stack above it. kernel: instructions that the kernel executed below
    it."""
    __slots__ = ("name", "parent", "below", "calls", "own", "kernel", "path")

    def __init__(self, name, parent):
        self.name, self.parent, self.below = name, parent, {}
        self.calls = self.own = self.kernel = 0
        self.path = parent.path + (name,) if parent else ()

    def child(self, name):
        node = self.below.get(name)
        if node is None:
            node = self.below[name] = Node(name, self)
        return node


class Frame:
    __slots__ = ("node", "back", "sp", "is_trap", "is_tail")

    def __init__(self, node, back, sp, is_trap, is_tail=False):
        self.node, self.back, self.sp, self.is_trap, self.is_tail = node, back, sp, is_trap, is_tail


class Stop:
    """A trap in place of an instruction: its address, the node of its frame, and the cause."""
    __slots__ = ("pc", "node", "cause")

    def __init__(self, pc, node, cause):
        self.pc, self.node, self.cause = pc, node, cause

    def is_interrupt(self):
        return self.cause >> 31 != 0    # the highest bit, of RV32 too


class Hart:
    """Registers, and the context that runs."""

    def __init__(self):
        self.registers = {}
        self.commits = []               # the node of each instruction; of the kernel's: None
        self.stops = {}                 # place in `commits` -> Stop: the trap before it
        self.stop = None                # the last of them
        self.last = None                # instruction, of the kernel too
        self.context = None
        self.in_kernel = self.is_entered = False
        self.thread = 0                 # that it runs, 0: none
        self.below = None               # the node that its last instruction of the kernel was below
        self.known = {}                 # address, as the trace has it -> instruction, (hart, pc)
        self.mode, self.epc = SUPERVISOR, {}    # of the kernel's last instruction

    def value(self, register):
        return 0 if register == 0 else int(self.registers.get(f"x{register}", "0x0"), 16)

    def sp(self):
        text = self.registers.get("x2")
        return int(text, 16) if text else TOP_OF_STACK


class Context:
    """An owner of frames: a hart without a kernel, a thread with one."""

    def __init__(self, hart):
        self.hart = hart
        self.last = None
        self.frames = []
        self.vector = self.epc = None
        self.jump_target = None         # of the last indirect jump
        self.stopped = None             # the instruction in whose place the kernel was entered
        self.stopped_sp = 0
        self.called = False             # it was a system call
        self.callers = {}               # (return address, stack pointer) -> frame that called last

    def value(self, register):
        return self.hart.value(register)

    def sp(self):
        return self.hart.sp()


class Truth:
    def __init__(self, elf, has_kernel=False):
        self.elf, self.has_kernel, self.mask = elf, has_kernel, (1 << elf.xlen) - 1
        self.executed, self.taken = Counter(), Counter()
        self.of_program = set()         # addresses executed outside the kernel
        self.trapped = Counter()        # ecall and ebreak: address -> traps
        self.sites = Counter()          # (address of a call, routine called)
        self.tails = Counter()          # (address of a jump, routine jumped to)
        self.entries = Counter()        # (routine returned to, routine entered)
        self.accesses = []              # (hart, pc, address, bytes, kind) in order of commits
        self.order = []                 # (hart, pc) in order of commits
        self.instructions = {}          # pc -> Instruction
        self.words = {}                 # pc -> encoding
        self.root = Node(None, None)
        self.harts, self.threads = {}, {}
        self.signals = Counter()        # handler -> signals delivered to it
        self.syscalls = self.interrupts = 0
        self.alternate_stacks = self.left_handlers = 0
        self.vectors = {}               # mode -> where the kernel is entered
        self.of_threads = Counter()     # number of a thread, 0: none -> instructions
        self.code = elf.code

    # ---- reading ------------------------------------------------------------------------------
    def read(self, lines):
        known = {}
        for line in lines:
            field = line.split()
            name, at = field[1], field[3]
            hart = self.harts.get(name)
            if hart is None:
                hart = self.harts[name] = Hart()
            found = hart.known.get(at)
            if found is None:
                if at not in known:
                    known[at] = self._learn(int(at, 16), int(field[4][1:-1], 16))
                found = hart.known[at] = known[at], (name, known[at].pc)
            instruction, place = found
            if self.has_kernel and field[2] != "0":
                self._kernel(hart, instruction, field)
                if instruction.bytes:
                    self._access(hart, name, instruction, field)
            else:
                self._program(hart, name, instruction, field)
            self.of_threads[hart.thread] += 1
            self.order.append(place)
            if len(field) > 6 and field[5][0] == "x":
                hart.registers[field[5]] = field[6]
            hart.last = instruction
        self.executed.update(map(itemgetter(1), self.order))
        for hart in self.harts.values():
            if hart.last.kind == BRANCH:        # another hart ended the run: nothing comes after it
                self.taken[hart.last.pc] += self._holds(hart, hart.last)
            for node, own in Counter(hart.commits).items():
                if node is not None:
                    node.own += own
        if not self.has_kernel:
            self._end()
        return self

    def _end(self):
        """A system call that ends the program."""
        for hart in self.harts.values():
            context = hart.context
            ways = self._ways(context, context.last)
            if context.vector is None and self._word_at(ways[0]) == 0x73:
                self.trapped[ways[0]] += 1
                self._stopped(hart, ways[0], hart.commits[-1], ECALL_U)

    def _program(self, hart, name, instruction, field):
        context = hart.context
        if context is None:
            context = hart.context = self.threads.setdefault(name, Context(hart))
        context.hart, hart.in_kernel = hart, False
        self.of_program.add(instruction.pc)
        last = context.last
        if last is None or last.is_transfer or last.next != instruction.pc or \
                context.stopped is not None:
            self._arrive(context, last, instruction)
        hart.commits.append(self._node(context, instruction))
        if hart.commits[-1] is self.root:
            self._node_below(context, instruction).kernel += 1
        if instruction.bytes:
            self._access(hart, name, instruction, field)
        elif instruction.is_indirect:
            context.jump_target = hart.value(instruction.rs1) + instruction.offset & ~1 & \
                self.mask
        if len(field) > 6 and field[5] == "c773_mtvec":
            context.vector = int(field[6], 16) & ~3
        elif len(field) > 6 and field[5] == "c833_mepc":
            context.epc = int(field[6], 16)
        context.last = instruction

    def _kernel(self, hart, instruction, field):
        """An instruction of the kernel, or of machine mode below it."""
        last, mode, context = hart.last, field[2], hart.context
        if hart.in_kernel and instruction.is_plain and last.is_plain and mode == hart.mode and \
                instruction.pc != self.vectors.get(mode) and \
                (context is None or context.hart is hart):      # as the one before it
            hart.commits.append(None)
            if hart.below is not None:
                hart.below.kernel += 1
            return
        word = self.words[instruction.pc]
        if not hart.in_kernel:
            hart.in_kernel = True
            if hart.context is not None:
                self._stop(hart.context)
                self._enter(hart, mode, instruction, hart.context.stopped)
            hart.is_entered = True
        else:
            if last.kind == BRANCH:
                is_known = instruction.pc in (last.target, last.next) and last.target != last.next
                self.taken[last.pc] += instruction.pc == last.target if is_known else \
                    branch_holds(self.words[last.pc], hart.value, self.elf.xlen)
            if instruction.pc == self.vectors.get(mode) or mode > hart.mode or \
                    last.kind == XRET and instruction.pc != self._after(hart, last):
                self._enter(hart, mode, instruction, self._after(hart, last))
        hart.mode = mode
        if len(field) > 6 and field[5] == "c321_sepc":
            hart.epc[SUPERVISOR] = int(field[6], 16)
        system = (word >> 20, word >> 12 & 7) if word & 127 == 0x73 else None
        hart.commits.append(None)
        self._charge_kernel(hart)
        if system == READS_SCAUSE and hart.is_entered:
            hart.is_entered = False
            cause = int(field[6], 16)
            if hart.stop is not None:
                hart.stop.cause = cause
            if cause == ECALL_U:
                hart.context.called = True
                self.trapped[hart.context.stopped] += 1
        elif system == WRITES_THREAD:
            thread = hart.thread = hart.value(word >> 15 & 31)
            hart.context = self.threads.setdefault(thread, Context(hart)) if thread else None

    def _charge_kernel(self, hart):
        """What the kernel executes for a thread is below the routine that it entered the kernel from; of
        the end of a signal, below the routine that was interrupted."""
        hart.below = None
        if hart.context is not None and hart.context.frames:
            hart.below = self._node_below(hart.context, hart.context.last)
            hart.below.kernel += 1

    def _node_below(self, context, instruction):
        frames, at = context.frames, len(context.frames) - 1
        if not self._calls_sigreturn(instruction):
            return frames[at].node
        while at > 0 and not frames[at].is_trap:
            at -= 1
        return frames[at].node.parent

    def _enter(self, hart, mode, instruction, stopped):
        """A trap, in place of the instruction at `stopped`, of the program or of the kernel's."""
        hart.is_entered, hart.epc[mode], self.vectors[mode] = True, stopped, instruction.pc
        is_program = hart.context is not None and stopped >> 63 == 0
        if is_program:
            self._begin(hart.context, stopped)
        self._stopped(hart, stopped, self._node(hart.context) if is_program else None)

    @staticmethod
    def _stopped(hart, pc, node, cause=INTERRUPT):
        hart.stop = hart.stops[len(hart.commits)] = Stop(pc, node, cause)

    def _after(self, hart, last):
        """The place to which control went from `last`, an instruction of the kernel."""
        if last.kind == XRET:
            return hart.epc.get(SUPERVISOR if self.words[last.pc] == SRET else MACHINE)
        if last.kind == BRANCH and branch_holds(self.words[last.pc], hart.value, self.elf.xlen):
            return last.target
        if last.kind not in (CALL, RETURN, JUMP):
            return last.next
        return last.target if last.target is not None else \
            hart.value(last.rs1) + last.offset & ~1 & self.mask

    def _stop(self, context):
        """The kernel is entered in place of the thread's next instruction: the effect of its last
        instruction is applied first."""
        last = context.last
        if last is not None and context.stopped is None:
            ways = self._ways(context, last)
            to = last.target if last.kind == BRANCH and self._holds(context, last) else ways[0]
            self._transfer(context, last, to)
            context.stopped, context.stopped_sp, context.called = to, context.sp(), False

    def _node(self, context, instruction=None):
        """Of the instruction, or of what comes after the context's last one: a call of sigreturn is in
        no frame."""
        instruction = instruction or context.last
        is_outside = self.has_kernel and self._calls_sigreturn(instruction)
        return self.root if is_outside else context.frames[-1].node

    def _calls_sigreturn(self, instruction):
        return instruction is not None and instruction.routine is None and \
            self.words[instruction.pc] == CALLS_SIGRETURN

    def _learn(self, pc, word):
        instruction = self.instructions[pc] = Instruction(pc, word, self.elf.xlen)
        self.words[pc] = word
        instruction.routine = self.elf.routine_of(pc)
        return instruction

    def _word_at(self, pc):
        for start, image in self.code:
            if start <= pc < start + len(image):
                return int.from_bytes(image[pc - start:pc - start + 4], "little")
        return 0

    def _access(self, hart, name, instruction, field):
        if instruction.kind == SC and "mem" not in field:
            return
        if instruction.is_amo:
            address = hart.value(instruction.rs1)
        else:
            address = int(field[field.index("mem") + 1], 16)
        self.accesses.append((name, instruction.pc, address, instruction.bytes, instruction.kind))

    # ---- control ------------------------------------------------------------------------------
    def _arrive(self, hart, last, instruction):
        """Control came from `last` to `instruction`, of one hart."""
        pc = instruction.pc
        if last is None:
            self._begin(hart, pc)
            return
        if hart.stopped is not None:
            self._resume(hart, last, instruction)
            return
        ways = self._ways(hart, last)
        for way in ways:
            if way == pc:
                self._transfer(hart, last, way)
                return
        for way in ways:                # a system call that the host served
            if pc == way + 4 and self._word_at(way) == 0x73 and hart.vector is None:
                self.syscalls += 1
                self.trapped[way] += 1
                self._transfer(hart, last, way)
                self._stopped(hart.hart, way, hart.frames[-1].node, ECALL_U)
                return
        self._trap(hart, last, instruction, ways)

    def _begin(self, context, pc):
        """The first routine, unless the kernel was entered before its first instruction committed."""
        if not context.frames:
            node = self.root.child(self._name(pc))
            context.frames.append(Frame(node, None, TOP_OF_STACK, False))

    def _resume(self, context, last, instruction):
        """The kernel lets the thread go on: where it stopped, after a system call, in a signal handler,
        or where a signal stopped it."""
        pc, to, context.stopped = instruction.pc, context.stopped, None
        if pc == to or context.called and pc == to + 4:
            self.syscalls += pc != to
            return
        frames = context.frames
        if self._calls_sigreturn(last):
            while not frames[-1].is_trap:
                frames.pop()
            to = frames.pop().back
            if pc in (to, to + 4):
                return
        self.signals[self._name(pc)] += 1
        self.alternate_stacks += not 0 < context.stopped_sp - context.sp() < NEAR
        node = frames[-1].node.child(("trap", self._name(pc)))
        node.calls += 1
        frames.append(Frame(node, to, context.sp(), True))

    def _ways(self, hart, last):
        """The places to which control can go from `last` without a trap."""
        kind = last.kind
        if kind == BRANCH:
            return (last.next, last.target) if last.next != last.target else (last.next,)
        if kind in (CALL, RETURN, JUMP):
            return (last.target,) if last.target is not None else (hart.jump_target,)
        return (last.next,) if kind != XRET else (hart.epc,)

    def _name(self, pc):
        start = self.elf.routine_of(pc)
        return start if start is not None else pc

    def _transfer(self, hart, last, to):
        kind = last.kind
        if kind == BRANCH:
            if self._holds(hart, last) if last.next == last.target else to == last.target:
                self.taken[last.pc] += 1
            if to != last.next:
                self._tail(hart, last, to)
        elif kind == CALL:
            self._call(hart, last, to)
        elif kind == RETURN:
            self._return(hart, to)
        elif kind == JUMP:
            self._tail(hart, last, to)
        elif kind == XRET:
            self._end_trap(hart)

    def _call(self, hart, last, to):
        callee = self._name(to)
        self.sites[last.pc, callee] += 1
        self.entries[self._name(last.pc), callee] += 1
        node = hart.frames[-1].node.child(callee)
        node.calls += 1
        hart.callers[last.next, hart.sp()] = hart.frames[-1]
        hart.frames.append(Frame(node, last.next, hart.sp(), False))

    def _tail(self, hart, last, to):
        target = self.elf.routine_of(to)
        if target is not None and target == to and last.routine != target:
            self.tails[last.pc, target] += 1
            top = hart.frames[-1]
            back = self._name(top.back) if top.back else None
            self.entries[back, target] += 1
            node = top.node.child(target)
            node.calls += 1
            hart.frames.append(Frame(node, top.back, top.sp, False, True))

    def _return(self, hart, to):
        frames, sp = hart.frames, hart.sp()
        base = len(frames) - 1
        while base >= 0 and not frames[base].is_trap:
            base -= 1
        for at in range(len(frames) - 1, max(base, 0), -1):
            if frames[at].back == to and frames[at].sp == sp:
                while frames[at].is_tail:
                    at -= 1
                del frames[max(at, 1):]
                return
        caller = hart.callers.get((to, sp))
        if caller in frames:
            self.left_handlers += base > frames.index(caller)
            del frames[frames.index(caller) + 1:]
            return
        while len(frames) - 1 > max(base, 0) and frames[-1].sp <= sp:
            frames.pop()

    @staticmethod
    def _is_call_of_environment(word):
        return word in (0x73, 0x100073) or word & 0xffff == 0x9002

    # ---- traps --------------------------------------------------------------------------------
    def _trap(self, hart, last, instruction, ways):
        """The next instruction is a handler's: the effect of `last` is applied first."""
        if last.kind == BRANCH:
            to = last.target if self._holds(hart, last) else last.next
        else:
            to = ways[0]
        self._transfer(hart, last, to)
        hart.epc = to
        is_call = self._is_call_of_environment(self._word_at(to))
        self._stopped(hart.hart, to, hart.frames[-1].node, ECALL_U if is_call else INTERRUPT)
        if is_call:
            self.trapped[to] += 1
        else:
            self.interrupts += 1
        node = hart.frames[-1].node.child(("trap", self._name(instruction.pc)))
        node.calls += 1
        hart.frames.append(Frame(node, to, 0, True))

    def _end_trap(self, hart):
        frames = hart.frames
        while len(frames) > 1:
            if frames.pop().is_trap:
                return

    def _holds(self, hart, branch):
        return branch_holds(self.words[branch.pc], hart.value, self.elf.xlen)

    # ---- sums ---------------------------------------------------------------------------------
    def calls(self):
        """routine -> calls of it, tail jumps included."""
        found = Counter()
        for pairs in (self.sites, self.tails):
            for (_, callee), number in pairs.items():
                found[callee] += number
        return found

    def pairs(self):
        """(caller, callee) -> calls, tail jumps included."""
        found = Counter()
        for pairs in (self.sites, self.tails):
            for (pc, callee), number in pairs.items():
                found[self._name(pc), callee] += number
        return found

    def exclusive(self, counts=None):
        found = Counter()
        for pc, number in (self.executed if counts is None else counts).items():
            found[self.elf.routine_of(pc)] += number
        return found

    def signalled(self):
        return self.executed + self.trapped

    def branches(self):
        """address -> (taken, not taken) of each branch that executed."""
        return {pc: (self.taken[pc], number - self.taken[pc])
                for pc, number in self.executed.items()
                if self.instructions[pc].kind == BRANCH}

    def tree(self):
        """path of routines -> (calls, own instructions, with callees)."""
        rows = {}

        def walk(node):
            total = node.own + node.kernel + sum(walk(child) for child in node.below.values())
            if node.path:
                rows[node.path] = (node.calls, node.own, total)
            return total
        walk(self.root)
        return rows

    def inclusive(self):
        """routine -> instructions of its outermost frames and all below."""
        found = Counter()
        for path, (_, _, total) in self.tree().items():
            if path[-1] not in path[:-1]:
                found[path[-1]] += total
        return found

    def of_kind(self, *kinds):
        return sum(number for pc, number in self.executed.items()
                   if self.instructions[pc].kind in kinds)

    def features(self):
        """The kinds of control flow that the program really executed."""
        paths = [node.path for node in self._walk(self.root)]
        routines = [tuple(part for part in path if not isinstance(part, tuple)) for path in paths]
        traps = [sum(isinstance(part, tuple) for part in path) for path in paths]
        calls = self.calls()
        found = {
            "calls": bool(self.sites), "tail calls": bool(self.tails),
            "recursion": any(path[-2:-1] == path[-1:] for path in routines),
            "mutual recursion": any(path[-3:-2] == path[-1:] != path[-2:-1] for path in routines),
            "loop heads as first instructions": any(self.executed[start] > number
                                                    for start, number in calls.items()),
            "calls through pointers": any(self.instructions[pc].is_indirect
                                          for pc, _ in self.sites),
            "longjmp": self._has_executed("longjmp", "__longjmp"),
            "exceptions": self._has_executed("__cxa_throw"), "system calls": self.syscalls > 0, "traps": max(traps) > 0,
            "nested handlers": max(traps) > 1, "interrupts": self.interrupts > 0,
            "several harts": len(self.harts) > 1 and not self.has_kernel,
            "signals": bool(self.signals), "alternate stacks": self.alternate_stacks > 0,
            "longjmp out of a handler": self.left_handlers > 0 and bool(self.signals),
            "threads": len(self.threads) > 1 and self.has_kernel,
            "threads on several harts": min(len(self.threads), len(self.harts)) > 1 and
            self.has_kernel,
        }
        return [name for name, is_so in found.items() if is_so]

    def _walk(self, node):
        for child in node.below.values():
            yield child
            yield from self._walk(child)

    def _has_executed(self, *names):
        return any(self.executed[start] for name in names
                   for start in self.elf.by_name.get(name, []))

    def transfers(self):
        return {pc for pc, instruction in self.instructions.items() if instruction.is_transfer}

    def vector(self):
        return self.vectors.get(SUPERVISOR) or next(iter(self.threads.values())).vector

    def events(self):
        """Events of the event table that are architectural."""
        loads, stores = self.of_kind(LOAD), self.of_kind(STORE)
        return {
            "insns_retired": sum(self.executed.values()),
            "branches": self.of_kind(BRANCH), "branches_taken": sum(self.taken.values()),
            "calls": self.of_kind(CALL), "returns": self.of_kind(RETURN),
            "jumps": self.of_kind(JUMP), "loads": loads, "stores": stores,
            "atomics": self.of_kind(ATOMIC, LR, SC),
            "compressed_insns": sum(number for pc, number in self.executed.items()
                                    if self.instructions[pc].length == 2),
        }

    def accesses_of(self, start, end):
        """(accesses, entries) of a range of data, over all harts."""
        inside, accesses, entries = {}, 0, 0
        for hart, _, address, size, _ in self.accesses:
            touches = address < end and start < address + size
            accesses += touches
            entries += touches and not inside.get(hart, False)
            inside[hart] = touches
        return accesses, entries

    def granules(self, start, end, granule):
        """granule's address -> accesses that touch it."""
        found = Counter()
        for _, _, address, size, _ in self.accesses:
            if address < end and start < address + size:
                first = max(address, start) & -granule
                for at in range(first, min(address + size, end), granule):
                    found[at] += 1
        return found

    def code_ranges(self, ranges):
        """(instructions, entries) of each of these ranges of code, of which none overlap, over all
        harts."""
        range_of = {pc: at for pc in self.instructions
                    for at, (start, end, _) in enumerate(ranges) if start <= pc < end}
        inside, executed, entries = {}, Counter(), Counter()
        for hart, pc in self.order:
            at = range_of.get(pc)
            if at is not None:
                executed[at] += 1
                if inside.get(hart) != at:
                    entries[at] += 1
            inside[hart] = at
        return [(executed[at], entries[at]) for at in range(len(ranges))]


def branch_holds(word, value, xlen):
    """True if the branch would be taken with these registers."""
    if word & 3 != 3:
        is_zero = value(8 + (word >> 7 & 7)) == 0
        return is_zero if word >> 13 & 7 == 6 else not is_zero
    left, right, funct3 = value(word >> 15 & 31), value(word >> 20 & 31), word >> 12 & 7
    if funct3 & 4 and not funct3 & 2:
        left, right = left ^ 1 << xlen - 1, right ^ 1 << xlen - 1
    holds = left < right if funct3 & 4 else left == right
    return holds != bool(funct3 & 1)
