#!/usr/bin/env bash
# rvsim view --save: the cycles of every stage are those of the O3PipeView trace of the same run, on
# out-of-order and in-order machines; the picture is well formed and shows the contents of the
# model; requests that cannot be served are refused.
. tests/sim/view/lib.sh
build_mixed

for machine in tiny classic default cva6 u74; do
    rv --quiet --config $machine --trace o3pipeview:$machine.o3 mixed
    end=$(awk -F: '$2 == "retire" && $3 / 1000 > n { n = $3 / 1000 } END { print n }' $machine.o3)
    cycles="$((end / 7)) $((end / 3)) $((end / 2)) $((end / 2 + 1)) $((end * 3 / 4)) $((end - 20))"
    for cycle in $cycles; do
        rv view --config $machine --at $cycle --save $machine.$cycle.json mixed
        [ $status = 0 ] || not_ok "$machine, cycle $cycle is shown" "$err"
    done
    same "$machine: stages are those of the trace" "compared True" \
        "$(python3 "$view/stages.py" $machine.o3 $machine.*.json 2>&1)"
done

rv view --config tiny --insn 300 --save at.json mixed
same "--insn stops when so many have committed" True "$(key at.json '300 <= m["committed"] <= 302')"

rv view --config classic --at 400 --save at.svg mixed
same "the SVG is well formed XML, with the program's text" "True True" "$(python3 - <<'PY'
import xml.etree.ElementTree as tree
root = tree.parse('at.svg')
texts = [''.join(e.itertext()) for e in root.iter('{http://www.w3.org/2000/svg}text')]
print(any('cycle 400' in t for t in texts), 'mul s2, s2, s3' in texts)
PY
)"
rv view --config classic --at 400 --size 120x40 --save at.txt mixed
same "text has the size asked for" "40 True" \
    "$(python3 -c 't = open("at.txt").read().split("\n")[:-1]
print(len(t), max(map(len, t)) <= 120)')"
if [ -e "$BUILD/view/png.so" ]; then
    rv view --config classic --at 400 --size 120x40 --scale 1.5 --save at.png mixed
    same "a PNG has the size and scale asked for" "PNG image data, 1440 x 960" \
        "$(python3 - <<'PY'
import struct, zlib
data = open('at.png', 'rb').read()
width, height = struct.unpack('>II', data[16:24])
at, raw = 8, b''
while at < len(data):
    size, = struct.unpack('>I', data[at:at + 4])
    name, body = data[at + 4:at + 8], data[at + 8:at + 8 + size]
    assert struct.unpack('>I', data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(name + body)
    raw += body if name == b'IDAT' else b''
    at += 12 + size
assert len(zlib.decompress(raw)) == height * (1 + 3 * width)
print(f'PNG image data, {width} x {height}')
PY
)"
else
    ok "a PNG # SKIP built without libfreetype-dev"
fi

# Pictures of two cycles belong to one run: the later one shows the instructions of the earlier one
# further on.
rv view --config tiny --at 300 --save a.json mixed
rv view --config tiny --at 301 --save b.json mixed
same "counters go on" True "$(python3 - <<'PY'
import json
a, b = (json.load(open(n + '.json')) for n in 'ab')
print(b['counters']['cycles'] - a['counters']['cycles'] == 1 and
      all(b['counters'][name] >= a['counters'][name] for name in a['counters']))
PY
)"

rv view --config tiny --at 99999999 --save a.svg mixed
matches "a cycle after the end is refused" "the run ended before, after [0-9]+ cycles" "$err"
same "with status 2" 2 "$status"
refused "a file of no kind is refused" \
    "view: --save a.gif: expected a file that ends with .svg, .png, .txt or .json" \
    view --save a.gif mixed
refused "the fast engine has no pipeline" "view: shows the pipeline; it needs --mode detailed" \
    view --mode fast --save a.svg mixed
refused "a hart that is not there is refused" "view: --hart 3: expected a number below 1" \
    view --hart 3 --save a.svg mixed
refused "two places are refused" "view: --at and --insn are two places; expected one" \
    view --at 3 --insn 4 --save a.svg mixed
refused "a size that cannot be drawn is refused" \
    "view: --size 4x4: expected COLUMNSxROWS, such as 160x48; from 40x12 to 1000x1000" \
    view --size 4x4 --save a.svg mixed
for size in 80x24 100x30 120x34; do
    rv view --config tiny --at 300 --size $size --save small.txt mixed
    same "the legend is whole or has fewer words at $size" 0 \
        "$(grep -c '^.F  fetch.*…' small.txt)"
    cut=
    for at in 290 296 300 305; do
        rv view --config tiny --at $at --size $size --save small.txt mixed
        cut+=$(sed -n '1p; /waits for the result/p' small.txt | grep '…')
    done
    same "title and sentence are not cut off at $size" "" "$cut"
done
