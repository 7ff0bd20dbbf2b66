"""Runs the simulator and reads the tables that its commands print."""
import csv
import io
import json
import os
import re
import subprocess

SECONDS = 120


class Failed(Exception):
    pass


class Tools:
    def __init__(self, rvsim, folder):
        self.rvsim, self.folder = rvsim, folder
        self.runs = 0
        self.helps = {}                 # command -> its help

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words, status=None):
        """Standard output of the command; a status other than expected is a failure."""
        self.runs += 1
        try:
            done = subprocess.run([self.rvsim, *words], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=SECONDS, errors="replace")
        except subprocess.TimeoutExpired:
            raise Failed(f"no end after {SECONDS} s: rvsim {' '.join(words)}")
        is_fine = done.returncode in (0, 7) if status is None else done.returncode == status
        if not is_fine or "runtime error" in done.stderr:
            raise Failed(f"status {done.returncode}: rvsim {' '.join(words)}\n{done.stderr[-600:]}")
        return done.stdout

    @staticmethod
    def system(program, path):
        """Options for the operating system that the program needs."""
        if not program.has_kernel:
            return []
        return ["--os", "kernel", "--root", Tools.root(program, path)]

    @staticmethod
    def root(program, path):
        """The folder that a program under the guest kernel has its files in."""
        folder = os.path.dirname(path)
        return os.path.join(folder, "root") if program.kind == "dynamic" else folder

    def client(self):
        """The program that measures through libprofhw, built once."""
        target = self.path("client")
        if not os.path.exists(target):
            build = os.environ.get("BUILD", os.path.dirname(self.rvsim))
            found = subprocess.run(["pkg-config", "--cflags", "--libs", "profhw"], text=True,
                                   capture_output=True,
                                   env={**os.environ, "PKG_CONFIG_PATH": build})
            source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "client.c")
            done = subprocess.run([os.environ.get("CC", "cc"), "-O1", source,
                                   *found.stdout.split(), "-o", target], capture_output=True,
                                  text=True)
            if done.returncode:
                raise Failed(f"the client of libprofhw does not build: {done.stderr[-500:]}")
        return target

    def without_cost(self, command):
        """Options that leave out the runs which measure the cost of monitoring."""
        if command not in self.helps:
            self.helps[command] = self.run("help", command)
        return ["--no-cost"] if "--no-cost" in self.helps[command] else []

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def json(self, name):
        with open(self.path(name)) as file:
            return json.load(file)

    def csv(self, name):
        with open(self.path(name), newline="") as file:
            return list(csv.DictReader(file))


def number(text):
    return float(text.replace(",", "")) if "." in text else int(text.replace(",", ""))


def tables(text):
    """Each table of the text: (headings, rows). Numbers stand right-aligned below their headings, the
    last column is text; a row maps headings to cells. `_indent` is how far the text is indented."""
    lines, found, at = text.split("\n"), [], 0
    while at < len(lines):
        heads = [(match.group(), match.start(), match.end())
                 for match in re.finditer(r"\S+(?: \S+)*", lines[at])]
        heads = number_repeated(heads)
        is_head = len(heads) > 1 and lines[at].startswith(" ") and \
            not re.match(r"^[\d,.%+~-]+$", heads[0][0])
        at += 1
        if not is_head:
            continue
        rows = []
        while at < len(lines) and lines[at].strip() and lines[at].startswith(" "):
            row = table_row(lines[at], heads)
            if row:
                rows.append(row)
            at += 1
        found.append(([head for head, _, _ in heads], rows))
    return found


def number_repeated(heads):
    """The second column of a name gets it with a 2."""
    seen, found = set(), []
    for name, start, end in heads:
        found.append((name + " 2" if name in seen else name, start, end))
        seen.add(name)
    return found


def table_row(line, heads):
    name, start, _ = heads[-1]
    if len(line) <= start:
        return None
    row = {name: line[start:].strip(), "_indent": len(line[start:]) - len(line[start:].lstrip())}
    for match in re.finditer(r"\S+", line[:start]):
        for head, _, end in heads[:-1]:
            if end == match.end():
                row[head] = match.group()
    return row


def table(text, *headings):
    """The first table with these headings."""
    for heads, rows in tables(text):
        if all(any(head == wanted or head.endswith(wanted) for head in heads)
               for wanted in headings):
            return rows
    raise Failed(f"no table with {headings} in:\n{text[:500]}")
