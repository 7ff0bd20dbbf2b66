"""The parts of an ELF file that the truth needs: routines, data, code. Uses no code of the
simulator.

A routine is a function symbol (STT_FUNC) with its size; where a section of code has symbols without
a type or a size, such a symbol ends at the next one. Of symbols at one address the routine is one,
with all their names. A symbol inside the range of another is no routine, but a place in that
routine.
"""
import bisect
import re
import struct
import subprocess

ELFCLASS32, SHT_SYMTAB, SHF_EXECINSTR = 1, 2, 4
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_GNU_IFUNC = 0, 1, 2, 10


def functions_of_frames(path):
    """Starts of the functions that the file's .eh_frame bounds: all that is known of a stripped
    file."""
    done = subprocess.run(["readelf", "--debug-dump=frames", path], capture_output=True, text=True)
    return {int(start, 16) for start in re.findall(r" FDE .* pc=([0-9a-f]+)\.\.", done.stdout)}


PLT_HEAD, PLT_ENTRY = 32, 16            # bytes of a procedure linkage table, psABI


class Elf:
    def __init__(self, path, known=None):
        """known: (name, address where it is loaded) of a routine; None: loaded where it is linked."""
        with open(path, "rb") as file:
            self.image = file.read()
        self.xlen = 32 if self.image[4] == ELFCLASS32 else 64
        self.entry = struct.unpack_from("<I" if self.xlen == 32 else "<Q", self.image, 24)[0]
        self.sections = self._read_sections()
        self.code = [(row[3], self.image[row[4]:row[4] + row[5]]) for row in self.sections
                     if row[2] & SHF_EXECINSTR and row[1] == 1]
        self.routines = []          # [start, end, names], by address
        self.data = {}              # name -> (address, size)
        self.bias = 0
        self._read_symbols()
        self._demangle()
        if known:
            self._read_linkage(path)
            self._move(known[1] - next(start for start, _, names in self.routines
                                       if known[0] in names))
        self._index()
        self.own = set(self.starts)     # starts of this file's routines
        self.frames = {start + self.bias for start in functions_of_frames(path)} if known else set()
        # What a name fn_0xADDRESS@FILE is relative to; without FILE it is the address as loaded.
        self.biases = {None: 0}

    def add(self, other, name):
        """Another file of the same process."""
        self.biases[name] = other.bias
        self.frames |= other.frames
        self.routines = sorted(self.routines + other.routines)
        self.code += other.code
        self._index()

    def _read_linkage(self, path):
        """Each entry of the procedure linkage table is a routine, as disassemblers name it."""
        names = re.findall(r"R_RISCV_JUMP_SLOT +\S+ +([^@\s]+)",
                           subprocess.run(["readelf", "-rW", path], capture_output=True,
                                          text=True).stdout)
        for row in self.sections:
            if row[0] == ".plt":
                self.routines.append([row[3], row[3] + PLT_HEAD, [".plt"]])
                self.routines += [[at, at + PLT_ENTRY, [name + "@plt"]] for name, at in
                                  zip(names, range(row[3] + PLT_HEAD, row[3] + row[5], PLT_ENTRY))]
        self.routines.sort()

    def _move(self, bias):
        self.bias = bias
        self.routines = [[start + bias, end + bias, names] for start, end, names in self.routines]
        self.data = {name: (start + bias, size) for name, (start, size) in self.data.items()}
        self.code = [(start + bias, image) for start, image in self.code]

    def _index(self):
        self.starts = [start for start, _, _ in self.routines]
        self.by_name = {}           # name -> starts; several local functions may have one name
        for start, _, names in self.routines:
            for name in names:
                self.by_name.setdefault(name, []).append(start)

    def _read_sections(self):
        at, word, counts, row = (32, "<I", 46, "<10I") if self.xlen == 32 else \
            (40, "<Q", 58, "<IIQQQQIIQQ")
        offset = struct.unpack_from(word, self.image, at)[0]
        size, number, names_at = struct.unpack_from("<HHH", self.image, counts)
        rows = [struct.unpack_from(row, self.image, offset + i * size)
                for i in range(number)]
        names = rows[names_at][4] if rows else 0
        return [(self._text(names + row[0]),) + row[1:] for row in rows]

    def _text(self, offset):
        return self.image[offset:self.image.index(b"\0", offset)].decode()

    def _symbols(self):
        """(name, value, size, type, section) of each symbol."""
        for _, kind, _, _, offset, size, link, _, _, _ in self.sections:
            if kind != SHT_SYMTAB:
                continue
            strings = self.sections[link][4]
            for at in range(offset, offset + size, 16 if self.xlen == 32 else 24):
                if self.xlen == 32:
                    name, value, bytes_, info, _, section = struct.unpack_from("<IIIBBH",
                                                                               self.image, at)
                else:
                    name, info, _, section, value, bytes_ = struct.unpack_from("<IBBHQQ",
                                                                               self.image, at)
                yield self._text(strings + name), value, bytes_, info & 15, section

    def _demangle(self):
        """A routine of C++ has its name in the source, too."""
        mangled = [name for _, _, names in self.routines for name in names
                   if name.startswith("_Z")]
        if not mangled:
            return
        done = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True)
        plain = dict(zip(mangled, done.stdout.split("\n")))
        for routine in self.routines:
            routine[2] += [plain[name] for name in routine[2] if name in plain]

    def _is_code(self, section):
        return section < len(self.sections) and self.sections[section][2] & SHF_EXECINSTR != 0

    def _read_symbols(self):
        sized, open_ended = {}, {}
        for name, value, size, kind, section in self._symbols():
            if kind == STT_OBJECT and size and section < len(self.sections):
                self.data[name] = (value, size)
            if not name or name.startswith(("$", ".L")) or not self._is_code(section):
                continue
            if kind in (STT_FUNC, STT_GNU_IFUNC) and size:
                start_names = sized.setdefault(value, [0, []])
                start_names[0] = max(start_names[0], size)
                start_names[1].append(name)
            elif kind in (STT_FUNC, STT_NOTYPE):
                open_ended.setdefault(value, (section, []))[1].append(name)
        self._make_routines(sized, open_ended)

    def _make_routines(self, sized, open_ended):
        found = [[start, start + size, names] for start, (size, names) in sized.items()]
        found.sort()
        outer, end = [], 0
        for routine in found:           # a symbol that begins inside another is a place in it
            if routine[0] >= end:
                outer.append(routine)
                end = routine[1]
        starts = [routine[0] for routine in outer]
        limits = sorted(starts + list(open_ended))
        for value, (section, names) in open_ended.items():
            before = bisect.bisect_right(starts, value) - 1
            if before >= 0 and value < outer[before][1]:
                continue
            after = bisect.bisect_right(limits, value)
            section_end = self.sections[section][3] + self.sections[section][5]
            stop = limits[after] if after < len(limits) else section_end
            outer.append([value, min(stop, section_end), names])
        self.routines = sorted(outer)

    def routine_of(self, pc):
        """The start of the routine around pc; None where no symbol tells."""
        at = bisect.bisect_right(self.starts, pc) - 1
        return self.starts[at] if at >= 0 and pc < self.routines[at][1] else None

    def names_of(self, start):
        at = bisect.bisect_left(self.starts, start)
        return self.routines[at][2] if at < len(self.starts) and self.starts[at] == start else []
