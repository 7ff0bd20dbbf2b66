"""The calls of routines as a commit trace has them: thread by thread, on any harts.

api_threads.py TRACE NAME=START+BYTES... prints, for each routine, its calls, the instructions of
them with all that they call, and the sum of their squares. Threads are told apart by the number
that the kernel writes to CSR_PROF_THREAD."""
import re
import sys

LINE = re.compile(r"core +(\d+): \d 0x([0-9a-f]+) \(0x([0-9a-f]+)\)(?: x(\d+) +0x([0-9a-f]+))?")
PROF_THREAD, CSRW, RET = 0x5c1, 0x1073, 0x8082

routines, total = [], {}
for text in sys.argv[2:]:
    name, place = text.split("=")
    start, size = (int(number, 16) for number in place.split("+"))
    routines.append((start, start + size, name))
    total[name] = [0, 0, 0]
registers, thread, stacks = {}, {}, {}
for line in open(sys.argv[1]):
    match = LINE.match(line)
    if not match:
        continue
    hart, pc, bits = int(match[1]), int(match[2], 16), int(match[3], 16)
    register = registers.setdefault(hart, [0] * 32)
    running = thread.get(hart, 0)
    stack = stacks.setdefault(running or ("idle", hart), [])
    stack += [[name, 0] for start, _, name in routines if pc == start]
    for call in stack:
        call[1] += 1
    if bits == RET and any(start <= pc < end for start, end, _ in routines):
        name, instructions = stack.pop()
        for i in range(3):
            total[name][i] += instructions ** i
    if bits >> 20 == PROF_THREAD and bits & 0x707f == CSRW:
        thread[hart] = register[bits >> 15 & 31]
    if match[4]:
        register[int(match[4])] = int(match[5], 16)
for name, row in sorted(total.items()):
    print(name, *row)
