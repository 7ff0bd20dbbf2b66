#!/usr/bin/env bash
# Exports of a program with shared libraries: each address is that of its file, and the instructions
# of each file are those of the commit trace.
. tests/sim/cli/lib.sh
CC_GUEST=${LINUX_CC:-riscv64-linux-gnu-gcc}
sysroot=$("$CC_GUEST" -print-sysroot)
[ -e "$sysroot/lib/libc.so.6" ] || sysroot=/usr/riscv64-linux-gnu
mkdir -p root/lib
cp "$sysroot"/lib/{ld-linux-riscv64-lp64d.so.1,libc.so.6} root/lib/ || exit 1
cat >own.c <<'END_C'
int own_work(int n)
{
    int sum = 0;

    for (volatile int i = 0; i < n; i++)
        sum += i;
    return sum;
}
END_C
cat >uses.c <<'END_C'
int own_work(int n);

int main(void)
{
    volatile int sum = 0;

    for (int i = 0; i < 30; i++)
        sum += own_work(i);
    return sum == 0;
}
END_C
"$CC_GUEST" -O1 -g -fPIC -shared own.c -o root/lib/libown.so &&
    "$CC_GUEST" -O1 -g uses.c -Lroot/lib -lown -o uses || not_ok "the program builds"
rv --root root --quiet --oracle --profile p.prof --trace commit:trace uses
same "the program runs" 0 "$status"
"$RVSIM" report --callgrind out.callgrind --pprof out.pprof --perf-script out.script p.prof \
    >/dev/null

# The instructions of a file in the trace, by the addresses of its segments; the kernel's are in the
# upper half.
cat >truth.py <<'END_PY'
import collections, json, os, struct

program = json.load(open("p.prof"))["binary"]
counts = collections.Counter()
with open("trace") as trace:
    for line in trace:
        counts[int(line.split()[3], 16)] += 1

def span(path, bias):
    file = open(path, "rb").read()
    at, = struct.unpack_from("<Q", file, 32)
    size, number = struct.unpack_from("<HH", file, 54)
    loads = [struct.unpack_from("<IIQQQQQQ", file, at + i * size) for i in range(number)]
    loads = [load for load in loads if load[0] == 1]
    return (bias + min(load[3] for load in loads), bias + max(load[3] + load[6] for load in loads))

files = [(os.path.abspath("uses"), int(program["bias"], 16))]
files += [(module["path"], int(module["bias"], 16)) for module in program["modules"]]
truth = {"[kernel]": sum(n for at, n in counts.items() if at >= 1 << 63)}
for path, bias in files:
    low, high = span(path, bias)
    truth[path] = sum(n for at, n in counts.items() if low <= at < high)
bias_of = dict(files)

def show(found):
    for path in sorted(truth):
        print(os.path.basename(path), "as the trace" if found.get(path) == truth[path]
              else f"{found.get(path)} not {truth[path]}")
END_PY
cat >callgrind.py <<'END_PY'
from truth import *
import re
names, found, is_call = {}, collections.Counter(), False
for line in open("out.callgrind"):
    object = re.match(r"(c?)ob=\((\d+)\)(?: (.*))?", line)
    if object:
        names.setdefault(object[2], object[3])
        current = current if object[1] else names[object[2]]
    elif line.startswith("calls="):
        is_call = True
    elif re.match(r"0x[0-9a-f]+ \d+ \d+ ", line):
        found[current] += 0 if is_call else int(line.split()[2])
        is_call = False
show(found)
END_PY
cat >pprof.py <<'END_PY'
from truth import *
import gzip

def number(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at

def fields(data):
    at = 0
    while at < len(data):
        key, at = number(data, at)
        value, at = number(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value

def packed(data):
    at, values = 0, []
    while not isinstance(data, int) and at < len(data):
        value, at = number(data, at)
        values.append(value)
    return [data] if isinstance(data, int) else values

message = collections.defaultdict(list)
for field, value in fields(gzip.open("out.pprof").read()):
    message[field].append(value)
text = [value.decode() for value in message[6]]
mapping = {m[1]: m for m in map(dict, map(fields, message[3]))}
location = {l[1]: l for l in map(dict, map(fields, message[4]))}
found, wrong = collections.Counter(), 0
for sample in message[2]:
    parts = list(fields(sample))
    leaf = [id for field, value in parts if field == 1 for id in packed(value)][0]
    values = [v for field, value in parts if field == 2 for v in packed(value)]
    of = mapping[location[leaf].get(2, 1)]
    found[text[of[5]]] += values[0]
for place in location.values():
    of = mapping[place.get(2, 1)]
    wrong += 3 in place and not of.get(2, 0) <= place[3] < of[3]
show(found)
print(wrong, "addresses outside of their mapping")
print(sum(of.get(2, 0) != bias_of.get(text[of[5]], of.get(2, 0)) for of in mapping.values()),
      "mappings that do not begin at their bias")
END_PY
cat >script.py <<'END_PY'
from truth import *
import re
spans = {path: span(path, bias) for path, bias in files}
wrong = frames = 0
for at, path in re.findall(r"^\t\s*([0-9a-f]+) .* \((.*)\)$", open("out.script").read(), re.M):
    low, high = spans.get(path, (1 << 63, 1 << 64))     # the kernel, and [unknown] for traps
    frames += 1
    wrong += not low <= int(at, 16) < high
print(frames > 500, wrong, "frames in another file")
END_PY
all=$(printf '%s as the trace\n' '[kernel]' ld-linux-riscv64-lp64d.so.1 libc.so.6 \
    libown.so uses | sort)
same "callgrind: instructions of each object" "$all" "$(python3 callgrind.py | sort)"
pprof=$(python3 pprof.py)
same "pprof: instructions of each mapping" "$all" "$(grep trace <<<"$pprof" | sort)"
same "pprof: addresses lie in their mapping" "0 addresses outside of their mapping
0 mappings that do not begin at their bias" "$(grep -v trace <<<"$pprof")"
same "perf script: addresses lie in the file that is named" "True 0 frames in another file" \
    "$(python3 script.py)"
