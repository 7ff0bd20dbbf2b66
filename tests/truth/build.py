"""Builds drawn programs: the parts that they share are compiled once."""
import os
import shutil
import subprocess

from assembly import AssemblyText
from elf import Elf
from programs import CText, Program

HERE = os.path.dirname(os.path.abspath(__file__))
GUEST_CC = os.environ.get("GUEST_CC", "riscv64-unknown-elf-gcc")
LINUX_CC = os.environ.get("LINUX_CC", "riscv64-linux-gnu-gcc")
BARE = ["-mcmodel=medany", "-ffreestanding", "-I", HERE]
ISA = {32: ["-march=rv32imac_zicsr", "-mabi=ilp32"], 64: ["-march=rv64gc_zicsr", "-mabi=lp64d"]}
LINK = ["-nostdlib", "-static", "-Wl,--no-warn-rwx-segments", "-Wl,--build-id=none",
        "-T", os.path.join(HERE, "..", "programs", "bare.ld")]


# A static program sorts every function's table of frames at its first exception, nine tenths of all
# it executes; with the start files of dynamic programs it looks them up in the linker's table.
SEARCHED = ("crt1.o", "crti.o", "crtbegin.o", "crtend.o", "crtn.o")


SHARED = ("ld-linux-riscv64-lp64d.so.1", "libc.so.6")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(" ".join(command) + "\n" + done.stderr)


class Builder:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def _runtime(self, xlen):
        objects = [os.path.join(self.folder, f"{name}{xlen}.o") for name in ("entry", "traps")]
        for name, target in zip(("runtime.S", "runtime.c"), objects):
            if not os.path.exists(target):
                run([GUEST_CC, *ISA[xlen], *BARE, "-O1", "-fno-omit-frame-pointer", "-c",
                     os.path.join(HERE, name), "-o", target])
        return objects

    @staticmethod
    def _link_linux(compiler, program, words):
        if program.kind != "exceptions" or program.seed % 25 == 0:
            run([compiler, *words])
            return
        files = [subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True,
                                text=True).stdout.strip() for name in SEARCHED]
        run([compiler, *words[:-2], "-nostartfiles", "-Wl,--eh-frame-hdr", *files[:3],
             "-Wl,--start-group", "-lstdc++", "-lm", "-lgcc_eh", "-lgcc", "-lc", "-Wl,--end-group", *files[3:], *words[-2:]])

    @staticmethod
    def _share(folder):
        """The C library, below the folder that dynamic programs see as their root."""
        if not os.path.exists(folder):
            os.makedirs(folder)
            for name in SHARED:
                found = subprocess.run([LINUX_CC, f"-print-file-name={name}"], capture_output=True,
                                       text=True).stdout.strip()
                shutil.copy(found, folder)

    @staticmethod
    def _library(path):
        """Of a program: its own library, below the folder that it sees as its root."""
        folder, name = os.path.split(path)
        return os.path.join(folder, "root", "lib", f"lib{name}.so")

    def _build_dynamic(self, program, flags, stem):
        path = self._library(stem)
        self._share(os.path.dirname(path))
        with open(f"{stem}_library.c", "w") as file:
            file.write(CText(program).library())
        binds = ["-Wl,-z,lazy" if program.is_lazy else "-Wl,-z,now"]
        run([LINUX_CC, *flags, "-fPIC", "-shared", f"-Wl,-soname,{os.path.basename(path)}", *binds, f"{stem}_library.c", "-o", path])
        run([LINUX_CC, *flags, "-pie" if program.is_pie else "-no-pie",
             *(["-fPIE"] if program.is_pie else ["-fno-pie"]), *binds, f"{stem}.c", path, "-o", stem])

    @staticmethod
    def elf(tools, program, path):
        """The routines and data of the program, and of its library where they are loaded: the program
        says where two of its functions are."""
        if program.kind != "dynamic":
            return Elf(path)
        text = tools.run("--quiet", "--mode", "fast", *tools.system(program, path), path).split()
        found = Elf(path, (text[2], int(text[3], 16)))
        library = Builder._library(path)
        found.add(Elf(library, (text[0], int(text[1], 16))), os.path.basename(library))
        return found

    def build(self, seed, kind):
        """The program, its path, and that of the twin without symbols (None where there is none)."""
        program = Program(seed, kind)
        suffix = {"exceptions": "cc", "assembly": "S"}.get(program.kind, "c")
        stem = os.path.join(self.folder, f"{kind}{seed}")
        source = f"{stem}.{suffix}"
        text = AssemblyText(program) if program.kind == "assembly" else CText(program)
        with open(source, "w") as file:
            file.write(text.text())
        flags = program.flags()
        if kind == "dynamic":
            self._build_dynamic(program, flags, stem)
        elif program.is_linux:
            compiler = LINUX_CC.replace("gcc", "g++") if kind == "exceptions" else LINUX_CC
            self._link_linux(compiler, program, [*flags, "-static", source, "-o", stem])
        else:
            run([GUEST_CC, *ISA[program.xlen], *BARE, *flags, *LINK, source,
                 *self._runtime(program.xlen), "-o", stem])
        return program, stem, self._strip(program, stem) if program.is_stripped else None

    def _strip(self, program, stem):
        strip, stripped = LINUX_CC.replace("gcc", "strip"), stem + ".stripped"
        keep = [] if program.is_linux else ["-K", "tohost", "-K", "fromhost"]
        if program.kind == "dynamic":       # with a library that is, too, below a root of its own
            library = self._library(stem)
            stripped = os.path.join(self.folder, "stripped", os.path.basename(stripped))
            folder = os.path.join(os.path.dirname(stripped), "root", "lib")
            self._share(folder)
            run([strip, library, "-o", os.path.join(folder, os.path.basename(library))])
        run([strip, *keep, stem, "-o", stripped])
        return stripped
