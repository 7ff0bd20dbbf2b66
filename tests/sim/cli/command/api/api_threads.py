"""The calls of routines as a commit trace has them: thread by thread, on any harts.

api_threads.py TRACE NAME=START+BYTES... prints, for each routine, its calls, the instructions of
them with all that they call, and the sum of their squares. Threads are told apart by the number
that the kernel writes to CSR_PROF_THREAD."""
import sys

PROF_THREAD, CSRW = 0x5c1, 0x1073

routines, starts, total = [], {}, {}
for text in sys.argv[2:]:
    name, place = text.split("=")
    start, size = (int(number, 16) for number in place.split("+"))
    routines.append((start, start + size))
    starts.setdefault(start, []).append(name)
    total[name] = [0, 0, 0]
registers, thread, stacks = {}, {}, {}
for line in open(sys.argv[1]):              # core N: MODE PC (ENCODING) xREGISTER VALUE ...
    fields = line.split(None, 7)
    if len(fields) < 5 or fields[0] != "core":
        continue
    hart, pc, bits = fields[1], int(fields[3], 16), fields[4]
    running = thread.get(hart, 0)
    stack = stacks.setdefault(running or hart, [])
    if pc in starts:
        stack += [[name, 0] for name in starts[pc]]
    for call in stack:
        call[1] += 1
    if bits == "(0x8082)" and any(start <= pc < end for start, end in routines):
        name, instructions = stack.pop()
        for i in range(3):
            total[name][i] += instructions ** i
    if bits.startswith(f"(0x{PROF_THREAD:x}"):
        encoding = int(bits[1:-1], 16)
        if encoding >> 20 == PROF_THREAD and encoding & 0x707f == CSRW:
            thread[hart] = int(registers.get((hart, f"x{encoding >> 15 & 31}"), "0"), 16)
    if len(fields) > 6 and fields[5][0] == "x":
        registers[hart, fields[5]] = fields[6]
for name, row in sorted(total.items()):
    print(name, *row)
