"""A random program in assembly: links in t0, jumps and branches into other routines, loops at the
first instruction, code without frames, labels that are no routines."""

SAVED = ("ra", "s0", "s1", "s2", "s3")


class AssemblyText:
    def __init__(self, program):
        self.program, self.random = program, program.random
        self.lines, self.labels = [], 0
        self.long = program.xlen // 8
        self.load, self.store, self.word = ("lw", "sw", ".word") if program.xlen == 32 else \
            ("ld", "sd", ".dword")
        self.data = ((self.load, self.store, self.long), ("lw", "sw", 4), ("lhu", "sh", 2),
                     ("lb", "sb", 1))
        self.has_names = self.random.random() < 0.5     # labels stay in the symbol table
        self.has_frames = self.random.random() < 0.5

    def text(self):
        program = self.program
        self.lines = [f"# {program.kind}, seed {program.seed}", "    .text"]
        for routine in program.routines + [program.main]:
            self._routine(routine)
        self._begin("millicode")
        self._put("addi t1, t1, 1", "jr t0")
        self._end("millicode")
        self._begin("program")
        self._put("addi sp, sp, -16", f"{self.store} ra, 8(sp)", f"li a0, {program.ticks}",
                  "call start_ticks", "li a0, 9", "li a1, 0", "call top", "li a0, 0",
                  f"{self.load} ra, 8(sp)", "addi sp, sp, 16", "ret")
        self._end("program")
        self._data()
        return "\n".join(self.lines) + "\n"

    def _put(self, *lines):
        self.lines += ["    " + line for line in lines]

    def _label(self):
        self.labels += 1
        return f"again{self.labels}" if self.has_names else f".L{self.labels}"

    def _begin(self, name):
        self.lines += ["    .balign 2", f"    .global {name}", f"    .type {name}, @function",
                       f"{name}:"]

    def _end(self, name):
        self._put(f".size {name}, . - {name}")

    def _data(self):
        self._put(".data", ".balign 8")
        for index, (_, _, size) in enumerate(self.data):
            name = f"a{index}_"
            self._put(f".type {name}, @object", f".size {name}, {16 * size}",
                      f".global {name}")
            self.lines += [f"{name}:", f"    .skip {16 * size}, {index + 1}", "    .balign 8"]
        self.lines += ["table:"]
        self._put(*[f"{self.word} {routine.name}" for routine in self.program.routines])

    # ---- routines -----------------------------------------------------------------------------
    def _routine(self, routine):
        self._begin(routine.name)
        if routine.kind == "loop":
            self._put("addi a0, a0, -3", f"bgtz a0, {routine.name}", "ret")
        else:
            is_leaf = not routine.depth and all(op[0] in ("work", "data") for op in routine.ops)
            (self._leaf if is_leaf else self._framed)(routine)
        self._end(routine.name)

    def _leaf(self, routine):
        self._put("mv t6, s1", "mv s1, a0")
        for op in routine.ops:
            self._operation(*op)
        self._put("mv a0, s1", "mv s1, t6")
        self._leave(routine)

    def _framed(self, routine):
        self._put("addi sp, sp, -48")
        self._put(*[f"{self.store} {name}, {40 - 8 * at}(sp)" for at, name in enumerate(SAVED)])
        self._put(*(["addi s0, sp, 48"] if self.has_frames else []), "mv s1, a0", "mv s3, a1")
        for op in routine.ops:
            self._operation(*op)
        if routine.depth:
            over = self._label()
            self._put(f"blez s3, {over}", "andi a0, s1, 31", "addi a1, s3, -1",
                      f"call {routine.partner or routine.name}", "add s1, s1, a0")
            self.lines.append(f"{over}:")
        self._put("mv a0, s1")
        self._put(*[f"{self.load} {name}, {40 - 8 * at}(sp)" for at, name in enumerate(SAVED)],
                  "addi sp, sp, 48")
        self._leave(routine)

    def _leave(self, routine):
        if not routine.tail:
            self._put("ret")
            return
        self._put("andi a0, a0, 31", f"li a1, {self.program._find(routine.tail).depth}")
        way = self.random.randint(0, 2)
        self._put(*[(f"tail {routine.tail}",), (f"j {routine.tail}",),
                    (f"beqz zero, {routine.tail}", "ebreak")][way])

    # ---- operations ---------------------------------------------------------------------------
    def _operation(self, what, which, times):
        if what in ("work", "data"):
            self._loop("t1", times, self._work(which) if what == "work" else self._touch(which))
        elif what in ("call", "when", "pointer"):
            body = getattr(self, f"_{what}")(which)
            self._loop("s2", times, body)
        elif what in ("trap", "nested"):
            self._put(f"li a0, {int(what == 'nested')}", "call trap")
        elif what == "interrupt":
            self._put("call ask_interrupt")
        elif what == "millicode":
            self._put("jal t0, millicode" if self.random.random() < 0.5 else
                      "call t0, millicode")

    def _loop(self, counter, times, body):
        again = self._label()
        self._put(f"li {counter}, {times}")
        self.lines.append(f"{again}:")
        self._put(*body, f"addi {counter}, {counter}, -1", f"bnez {counter}, {again}")

    def _work(self, which):
        return ["slli t0, s1, 1", f"add s1, s1, t0", f"addi s1, s1, {which}"]

    def _touch(self, which):
        load, store, size = self.data[which]
        body = [f"la t2, a{which}_", "andi t0, t1, 15", "li t3, %d" % size, "mul t0, t0, t3",
                "add t2, t2, t0"]
        if size >= 4 and self.random.random() < 0.3:
            return body + [f"amoadd.{'d' if size == 8 else 'w'} t4, s1, (t2)"]
        if size >= 4 and self.random.random() < 0.2:
            suffix = "d" if size == 8 else "w"
            return body + [f"lr.{suffix} t4, (t2)", f"sc.{suffix} t5, s1, (t2)",
                           f"sc.{suffix} t5, s1, (t2)"]
        return body + [f"{load} t4, (t2)", "add t4, t4, s1", f"{store} t4, (t2)"]

    def _arguments(self, depth):
        return ["andi a0, s1, 31", f"li a1, {depth}"]

    def _call(self, names):
        return self._arguments(self.program._find(names[0]).depth) + \
            [f"call {names[0]}", "add s1, s1, a0"]

    def _when(self, names):
        over = self._label()
        body = ["addi s1, s1, 1", "andi t0, s1, 1", f"beqz t0, {over}"] + self._call(names)
        body[-1] += f"\n{over}:"
        return body

    def _pointer(self, names):
        routines = [routine.name for routine in self.program.routines]
        first, second = (self.long * routines.index(name) for name in names)
        depth = min(self.program._find(name).depth for name in names)
        return ["la t2, table", f"{self.load} t0, {first}(t2)", "andi t3, s1, 2", "addi s1, s1, 3",
                "mv t4, t0", f"{self.load} t0, {second}(t2)", "snez t3, t3", "neg t3, t3", "xor t4, t4, t0",
                "and t4, t4, t3", "xor t4, t4, t0"] + self._arguments(depth) + \
            ["jalr t4", "add s1, s1, a0"]
