#!/usr/bin/env python3
"""Runs the blocks of documentation pages as a reader would, and compares what they print.

usage: pages.py [--update] --start PAGE --clone DIR --build DIR --scratch DIR PAGE...

A page's blocks are taken in order, in one shell session that begins in DIR of --clone, a checkout
with its build. The first `console` block of the start page, which every reader runs first, is run
before the blocks of a page that does not begin with the same command itself.
  ```console        A line "$ COMMAND" is run; a backslash at a line's end continues it. The lines
                    up to the next command are the output (both streams), compared character by
                    character. "..." stands for any number of lines, "~" within a line for any text;
                    both are for output that depends on the host (seconds, versions).
  ```LANGUAGE FILE  The block is the content of FILE.
The working directory and exported variables last from one command to the next.

Prints "ok ..." or "not ok ..." a command. With --update, the page is rewritten with the output
that its commands print now: "..." and "~" stay where they fit."""
import argparse
import os
import re
import shutil
import subprocess
import sys

LIMIT_SECONDS = 300             # for a machine that is busy with other work
# A command that takes seconds says so when there is no terminal; on one the line goes away.
PROGRESS = re.compile(r"^rvsim( [a-z-]+: run [0-9]+: .*|: [0-9.]+[kMGTPE]? instructions, .* MIPS, IPC .*)\n",
                      re.MULTILINE)
HOST_TIME = re.compile(r"[0-9.]+ s, [0-9.]+ MIPS")
SHOWN_LINES = 24                # of an output that does not fit the page


class Step:
    """A command with the output the page shows, or a file with its content."""

    def __init__(self, kind, name, line):
        self.kind, self.name, self.line = kind, name, line
        self.text, self.shown, self.shown_at = [], [], None


def split_page(lines):
    """The steps of a page; a step's shown_at is the index of its first line of output."""
    steps, block = [], None
    for number, line in enumerate(lines):
        if block is None:
            opening = re.fullmatch(r"```([a-z]+)( [^ ]+)?", line)
            if opening and opening.group(1) == "console":       # whatever words are after it
                block = "console"
            elif opening and opening.group(2):
                block = "file"
                steps.append(Step("file", opening.group(2).strip(), number))
            elif line.startswith("```"):
                block = "other"
        elif line == "```":
            block = None
        elif block == "file":
            steps[-1].text.append(line)
        elif block == "console":
            read_console_line(steps, line, number)
    return steps


def read_console_line(steps, line, number):
    last = steps[-1] if steps and steps[-1].kind == "command" else None
    if last and last.text[-1].endswith("\\") and last.shown_at == number:
        last.text.append(line)
        last.shown_at = number + 1
    elif line.startswith("$ "):
        step = Step("command", line[2:].rstrip("\\").strip(), number)
        step.text, step.shown_at = [line[2:]], number + 1
        steps.append(step)
    elif last:
        last.shown.append(line)


def is_shown(shown, printed, fits):
    """The alignment of the shown lines with the printed ones, a list of indices (None for "..."),
    or None if there is none."""
    reach = {}

    def fit(w, h):
        if (w, h) in reach:
            return reach[w, h]
        reach[w, h] = None
        if w == len(shown):
            result = [] if h == len(printed) else None
        elif shown[w] == "...":
            result = None
            for next_h in range(h, len(printed) + 1):
                rest = fit(w + 1, next_h)
                if rest is not None:
                    result = [None] + rest
                    break
        else:
            result = None
            if h < len(printed) and fits(shown[w], printed[h]):
                rest = fit(w + 1, h + 1)
                if rest is not None:
                    result = [h] + rest
        reach[w, h] = result
        return result

    sys.setrecursionlimit(100000)
    return fit(0, 0)


def exact(want, have):
    return re.fullmatch(".*".join(map(re.escape, want.split("~"))), have) is not None


NUMBER = r"0x[0-9a-f]+|[0-9][0-9,]*(?:\.[0-9]+)?"


def shape_pattern(want):
    """A pattern for lines that differ from `want` in numbers and blanks only; "~" are groups."""
    pieces = []
    for piece in want.split("~"):
        pattern = ""
        for part in re.split(f"({NUMBER}|[ \t]+)", piece):
            if re.fullmatch(NUMBER, part):
                pattern += f"(?:{NUMBER})"
            elif part.strip() == "" and part != "":
                pattern += r"[ \t]+"
            else:
                pattern += re.escape(part)
        pieces.append(pattern)
    return re.compile("(.*)".join(pieces))


def same_shape(want, have):
    return shape_pattern(want).fullmatch(have) is not None


def renewed_line(want, have):
    match = shape_pattern(want).fullmatch(have)
    for group in range(match.re.groups, 0, -1):
        have = have[:match.start(group)] + "~" + have[match.end(group):]
    return have


def renewed(shown, printed):
    """The shown output with the printed numbers; where the shape differs, all of the printed
    output."""
    printed = [HOST_TIME.sub("~ s, ~ MIPS", line) for line in printed]
    fit = is_shown(shown, printed, exact) or is_shown(shown, printed, same_shape)
    if fit is not None:
        return ["..." if h is None else renewed_line(w, printed[h]) for w, h in zip(shown, fit)]
    if len(printed) <= SHOWN_LINES:
        return printed
    return printed[:SHOWN_LINES] + ["..."]


class Session:
    """A shell whose working directory and exported variables last."""

    def __init__(self, clone, build, scratch):
        self.state = os.path.join(scratch, "state")
        self.output = os.path.join(scratch, "output")
        self.directory = os.path.join(scratch, "clone")
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.directory)
        for entry in os.listdir(clone):         # a reader of the pages has made `try` there
            if entry not in (".git", "build", "try"):
                os.symlink(os.path.join(clone, entry), os.path.join(self.directory, entry))
        os.symlink(build, os.path.join(self.directory, "build"))
        with open(self.state, "w") as state:
            state.write(f"cd '{self.directory}'\n")

    def run(self, command):
        script = (f". '{self.state}'\n{command}\nstatus=$?\n"
                  f"{{ export -p; printf 'cd %q\\n' \"$PWD\"; }} >'{self.state}'\nexit $status\n")
        with open(self.output, "wb") as output:
            try:
                subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, stdout=output,
                               stderr=subprocess.STDOUT, timeout=LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                output.write(f"\n(stopped after {LIMIT_SECONDS} s)\n".encode())
        with open(self.output, errors="replace") as output:
            return PROGRESS.sub("", output.read()).split("\n")

    def write(self, name, lines):
        self.run(f"cat >'{name}' <<'END_OF_THE_BLOCK'\n" + "\n".join(lines) + "\nEND_OF_THE_BLOCK")


def without_last_newline(lines):
    return lines[:-1] if lines and lines[-1] == "" else lines


def report_difference(step, printed):
    print(f"# line {step.line + 1} shows, and the command prints:")
    for line in step.shown[:20]:
        print("# -" + line)
    for line in printed[:20]:
        print("# +" + line)


def first_block(page):
    """The commands of a page's first console block."""
    steps = [s for s in split_page(read_lines(page)) if s.kind == "command"]
    last = steps[0].shown_at + len(steps[0].shown)
    block = [steps[0]]
    for step in steps[1:]:
        if step.line != last:
            break
        block.append(step)
        last = step.shown_at + len(step.shown)
    return block


def read_lines(page):
    with open(page) as source:
        return source.read().split("\n")


def run_page(page, options):
    lines = read_lines(page)
    steps = split_page(lines)
    session = Session(options.clone, options.build, options.scratch)
    preparation = first_block(options.start)
    if not any(step.text == preparation[0].text for step in steps):
        for step in preparation:
            session.run("\n".join(step.text))
    changes = []
    for step in steps:
        if step.kind == "file":
            session.write(step.name, step.text)
            continue
        printed = without_last_newline(session.run("\n".join(step.text)))
        good = is_shown(step.shown, printed, exact) is not None
        print(("ok " if good else "not ok ") + f"{page}: {step.name}")
        if not good:
            changes.append((step, renewed(step.shown, printed)))
            if not options.update:
                report_difference(step, printed)
        sys.stdout.flush()
    if options.update and changes:
        for step, output in reversed(changes):
            lines[step.shown_at:step.shown_at + len(step.shown)] = output
        with open(page, "w") as target:
            target.write("\n".join(lines))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--start", required=True)
    parser.add_argument("--clone", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args()
    os.makedirs(options.scratch, exist_ok=True)
    for page in options.pages:
        run_page(page, options)


main()
