#!/usr/bin/env bash
# rvsim report's and rvsim active's files for other tools, read by these tools or by readers of the
# formats' own definitions.
. tests/sim/cli/lib.sh
build_levels
"$RVSIM" --quiet --oracle --profile levels.prof levels

# Each format's stacks as folded lines, "root;leaf value", of the value to show first.
cat >fold.py <<'END'
import json, re, sys

def pprof(text):
    # protoc's text format: a message a block, "name: value" or "name {" ... "}"
    def block(lines):
        fields = []
        for line in lines:
            line = line.strip()
            if line == "}":
                break
            if line.endswith("{"):
                fields.append((line[:-2], block(lines)))
            else:
                name, value = line.split(": ", 1)
                fields.append((name, json.loads(value)))
        return fields
    def all(fields, name):
        return [value for key, value in fields if key == name]
    def one(fields, name):
        return (all(fields, name) or [0])[0]
    root = block(iter(text.splitlines()))
    string = all(root, "string_table")
    assert string[0] == ""
    types = [string[one(kind, "type")] for kind in all(root, "sample_type")]
    main = types.index(string[one(root, "default_sample_type")])
    function = {one(f, "id"): string[one(f, "name")] for f in all(root, "function")}
    location = {}
    for place in all(root, "location"):
        location[one(place, "id")] = function[one(one(place, "line"), "function_id")]
        assert one(place, "mapping_id") == 1 and one(place, "address") >= 0x80000000
    for sample in all(root, "sample"):
        yield [location[i] for i in reversed(all(sample, "location_id"))], \
            all(sample, "value")[main]

def speedscope(text):
    root = json.loads(text)
    assert root["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    name = [frame["name"] for frame in root["shared"]["frames"]]
    profile = root["profiles"][root["activeProfileIndex"]]
    assert profile["type"] == "sampled" and profile["endValue"] == sum(profile["weights"])
    for stack, weight in zip(profile["samples"], profile["weights"]):
        yield [name[i] for i in stack], weight

def perf(text):
    for sample in text.strip("\n").split("\n\n"):
        head, *frames = sample.split("\n")
        period = re.fullmatch(r"(\S+) \d+/\d+ \[\d{3}\] \d+\.\d{6}: +(\d+) (\w+):", head)
        stack = [re.fullmatch(r"\t +[0-9a-f]+ (.+)\+0x[0-9a-f]+ \(.+\)", f)[1] for f in frames]
        yield stack[::-1], int(period[2])

total = {}
for stack, value in globals()[sys.argv[1]](sys.stdin.read()):
    total[";".join(stack)] = total.get(";".join(stack), 0) + value
for stack, value in sorted(total.items()):
    if value:
        print(stack, value)
END
sum_of() { awk '{n += $NF} END {print n}'; }
without_values() { sed 's/ [0-9]*$//'; }

"$RVSIM" report levels.prof --pprof p.gz --speedscope s.json --perf-script perf.txt \
    --folded folded.txt --lcov levels.info
proto=$(dpkg -L golang-github-google-pprof-dev 2>/dev/null | grep '/proto/profile.proto$')
if command -v protoc >/dev/null && [ -n "$proto" ]; then
    zcat p.gz | protoc -I "$(dirname "$proto")" --decode perftools.profiles.Profile \
        "$proto" >p.txt
    python3 fold.py pprof <p.txt >p.folded
    same "pprof has the stacks of the folded file" "$(without_values <folded.txt)" \
        "$(without_values <p.folded)"
    same "pprof's cycles are all of them" "$(sum_of <folded.txt)" "$(sum_of <p.folded)"
    "$RVSIM" report levels.prof --pprof again.gz
    same "the same profile gives the same bytes" "$(cksum <p.gz)" "$(cksum <again.gz)"
    python3 fold.py speedscope <s.json >s.folded
    same "speedscope has the stacks and values of pprof" "$(<p.folded)" "$(<s.folded)"
    python3 fold.py perf <perf.txt >perf.folded
    same "the text of perf script has them, too" "$(<p.folded)" "$(<perf.folded)"
else
    ok "pprof has the stacks of the folded file # SKIP no protoc, or no profile.proto"
fi

# Interrupts, if these were measured instead.
echo 'leaf 4 counter interrupt' >leaf.meta
"$RVSIM" --quiet --meta leaf.meta --profile leaf.prof levels
same "interrupted code has the stacks of the folded file" \
    "$("$RVSIM" report leaf.prof --measured --folded -)" \
    "$("$RVSIM" report leaf.prof --measured --perf-script - | python3 fold.py perf)"

# lcov: of a source whose counts are known.
lines_of() { sed -n 's/^DA://p' levels.info; }
leaf=$(grep -n '^function leaf\|function leaf' "$here/levels.S" | head -1 | cut -d: -f1)
same "every line of the routine has its executions" 25 \
    "$(lines_of | awk -F, -v line=$((leaf + 1)) '$1 == line {print $2}')"
same "functions have theirs" "leaf 25 odd 5 down 5" \
    "$(for f in leaf odd down; do sed -n "s/^FNDA:\([0-9]*\),$f$/$f \1/p" levels.info; done |
        tr '\n' ' ' | sed 's/ $//')"
same "a branch has both its ways" "1 4|4 1" \
    "$(sed -n 's/^BRDA:.*,\([0-9]*\)$/\1/p' levels.info | paste -sd' ' |
        sed 's/ \([0-9]*\) \([0-9]*\)$/|\1 \2/')"
same "counts of lines and of those that were executed are sums" \
    "$(lines_of | wc -l) $(lines_of | grep -vc ',0$')" \
    "$(sed -n 's/^L[FH]://p' levels.info | paste -sd' ')"
if command -v genhtml >/dev/null; then
    genhtml -q --branch-coverage levels.info -o html >genhtml.log 2>&1
    same "genhtml makes a page of it" "0 yes" "$? $([ -s html/index.html ] && echo yes)"
    matches "lcov reads all lines" "lines.*of $(lines_of | wc -l) lines" \
        "$(lcov --summary levels.info 2>&1)"
fi

# ---- time lines ----------------------------------------------------------------------------------
cat >line.csv <<'END'
time,thread,event,hart
100,a,switch-in,0
110,a,F-entry,0
120,a,G-entry,0
150,a,switch-out,0
150,b,switch-in,0
170,a,switch-in,1
180,a,F-exit,1
190,b,wake,1
200,a,G-exit,1
210,a,switch-out,1
END
"$RVSIM" active --from line.csv --chrome c.json --perfetto t.pb >text
cat >slices.py <<'END'
import json, sys
name, stack, slices = {}, {}, []
for e in json.load(open("c.json"))["traceEvents"]:
    track = (e["pid"], e["tid"])
    if e["ph"] == "M":
        if e["name"] == "thread_name":
            name[track] = e["args"]["name"]
    elif e["ph"] == "B":
        stack.setdefault(track, []).append((e["name"], e["ts"]))
    elif e["ph"] == "E":
        what, start = stack[track].pop()
        slices.append((name[track], what, round(start * 1000), round(e["ts"] * 1000)))
    else:
        slices.append((name[track], e["name"], round(e["ts"] * 1000)))
assert not any(stack.values())
for s in sorted(slices):
    print(*s)
END
slices="a F 10 80
a G 20 80
a G 80 100
b wake 90
hart 0 a 0 50
hart 0 b 50 110
hart 1 a 70 110"
same "Chrome's trace has the slices of threads and harts" "$slices" "$(python3 slices.py)"

cat >trace.proto <<'END'
syntax = "proto2";
message TrackDescriptor {
  optional uint64 uuid = 1; optional string name = 2; optional uint64 parent_uuid = 5;
}
message TrackEvent {
  optional int32 type = 9; optional uint64 track_uuid = 11; repeated string categories = 22;
  optional string name = 23;
}
message TracePacket {
  optional uint64 timestamp = 8; optional uint32 trusted_packet_sequence_id = 10;
  optional TrackEvent track_event = 11; optional uint32 sequence_flags = 13;
  optional TrackDescriptor track_descriptor = 60;
}
message Trace { repeated TracePacket packet = 1; }
END
if command -v protoc >/dev/null; then
    same "Perfetto's trace has the same slices" "$slices" \
        "$(protoc --decode Trace trace.proto <t.pb | tr -d '"' | awk '
            $1 == "packet" { type = 0; name = ""; uuid = 0; track = "" }
            $1 == "timestamp:" { time = $2 }
            $1 == "type:" { type = $2 }
            $1 == "name:" { sub(/^ *name: /, ""); name = $0 }
            $1 == "track_uuid:" { track = $2 }
            $1 == "uuid:" { uuid = $2 }
            $1 == "}" && /^}/ {
                if (uuid) title[uuid] = name
                else if (type == 1) { at = ++depth[track]; open[track, at] = name
                    since[track, at] = time }
                else if (type == 2) { at = depth[track]--
                    print title[track], open[track, at], since[track, at], time }
                else if (type == 3) print title[track], name, time
            }' | LC_ALL=C sort)"
fi

# ---- a profile as a time line ----------------------------------------------------------------

"$RVSIM" record -g -c 10 -o samples.prof levels 2>/dev/null
"$RVSIM" report levels.prof --chrome tree.json --perfetto tree.pb
"$RVSIM" report samples.prof --chrome samples.json
cat >profile_line.py <<'END'
# The contents of a time line: for each open stack its time without the time of the stacks above it;
# for each count its value from a time on.
import json, sys
name, open_, own, since, counts = {}, {}, {}, {}, []
def pass_time(track, now):
    if open_.get(track):
        key = (name[track], ";".join(open_[track]))
        own[key] = own.get(key, 0) + now - since[track]
    since[track] = now
for e in json.load(open(sys.argv[1]))["traceEvents"]:
    track, now = (e["pid"], e["tid"]), round(e.get("ts", 0) * 1000)
    if e["ph"] == "M":
        if e["name"] == "thread_name":
            name[track] = e["args"]["name"]
    elif e["ph"] == "B":
        pass_time(track, now)
        open_.setdefault(track, []).append(e["name"])
    elif e["ph"] == "E":
        pass_time(track, now)
        assert open_[track].pop() == e["name"]
    elif e["ph"] == "C":
        assert name[track] == e["name"]
        counts.append((e["name"], now, e["args"]["value"]))
assert not any(open_.values())
if sys.argv[2] == "stacks":
    for (track, stack), value in sorted(own.items(), key=lambda item: item[0][1].encode()):
        if track.startswith(sys.argv[3]) and value:
            print(stack, value)
else:
    for count in sorted(counts):
        print(*count)
END
same "the time line of a call tree has the stacks and values of speedscope's file" \
    "$(python3 fold.py speedscope <s.json | LC_ALL=C sort)" \
    "$(python3 profile_line.py tree.json stacks cycles | LC_ALL=C sort)"
"$RVSIM" script samples.prof --json - >script.json
same "the time line of samples has each stack until the next sample" "$(python3 -c '
import json, sys
of, own = [s for s in json.load(open("script.json"))["samples"]], {}
end = json.load(open("samples.prof"))["cycles"]
for i, s in enumerate(of):
    leaf = s["symbol"].split("+")[0]
    stack = ";".join([*reversed(s["stack"]), leaf])
    till = of[i + 1]["cycle"] if i + 1 < len(of) else end
    own[stack] = own.get(stack, 0) + till - s["cycle"]
print("\n".join(f"{k} {v}" for k, v in sorted(own.items()) if v))')" \
    "$(python3 profile_line.py samples.json stacks samples | LC_ALL=C sort)"
same "counts over time add up to the events of the profile" "True" "$(python3 profile_line.py \
    tree.json counts | python3 -c '
import json, sys
over = json.load(open("levels.prof"))["over_time"]
ends = [interval[0] for interval in over["intervals"]]
value, told = {}, {}
for line in sys.stdin:
    name, at, count = line.split()
    told[name, int(at)] = int(count)
good = True
for k, name in enumerate(over["events"]):
    for i, interval in enumerate(over["intervals"]):
        value[name] = told.get((name, ends[i - 1] if i else 0), value.get(name))
        good &= value[name] == interval[k + 1]
print(good)')"
if command -v protoc >/dev/null; then
    sed -i 's/optional uint64 parent_uuid = 5;/& optional Counter counter = 8;/
        s/optional string name = 23;/& optional int64 counter_value = 30;/
        1a message Counter {}' trace.proto
    same "Perfetto has the same counts" "$(python3 profile_line.py tree.json counts | md5sum)" \
        "$(protoc --decode Trace trace.proto <tree.pb | tr -d '"' | awk '
            $1 == "packet" { uuid = name = track = value = time = "" }
            $1 == "timestamp:" { time = $2 }
            $1 == "name:" { name = $2 }
            $1 == "track_uuid:" { track = $2 }
            $1 == "uuid:" { uuid = $2 }
            $1 == "counter" { is_count[uuid] = 1 }
            $1 == "counter_value:" { value = $2 }
            /^}/ { if (uuid) title[uuid] = name
                   if (value != "" && is_count[track]) print title[track], time + 0, value }' |
            python3 -c 'import sys
for n, t, v in sorted((n, int(t), int(v)) for n, t, v in (line.split() for line in sys.stdin)):
    print(n, t, v)' | md5sum)"
fi

# ---- the stacks of two profiles -----------------------------------------------------------------

"$RVSIM" --quiet --oracle --set rob.entries=8 --profile small.prof levels
"$RVSIM" report small.prof --folded small.txt
same "the folded difference has the stacks of both" "$(awk '
    { value = $NF; sub(/ [0-9]*$/, ""); if (FNR == NR) a[$0] = value; else b[$0] = value; all[$0] }
    END { for (s in all) print s, a[s] + 0, b[s] + 0 }' folded.txt small.txt | LC_ALL=C sort)" \
    "$("$RVSIM" diff levels.prof small.prof --folded - | LC_ALL=C sort)"
"$RVSIM" --quiet --mode fast --profile fast.prof levels
refused "stacks of other units are refused" "diff --folded: the stacks of A have cycles, those of \
B instructions" diff levels.prof fast.prof --folded -

# ---- deep recursion ---------------------------------------------------------------------------

cat >deep.c <<'END'
volatile long n;
__attribute__((noinline)) long down(long d)
{
    long r = d != 0 ? down(d - 1) : 1;
    n++;
    return r + 1;
}
int main(void) { return down(3000) == 0; }
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static deep.c -o deep 2>log
rv --quiet --oracle --profile deep.prof deep
rv report deep.prof --folded deep.folded --speedscope deep.json
python3 fold.py speedscope <deep.json >s.folded
all=$("$RVSIM" report --top 0 --calltree deep.prof | tr -d , |
    awk '$NF == "_start" { print int($5 + .5) }')
for name in deep s; do
    same "$name: a stack has 1,024 frames and one for all that are deeper, with their cycles" \
        "1025 1 $all" "$(awk -F ';' '{ if (NF > most) most = NF; deeper += /;\[deeper\] / }
            END { print most, deeper }' $name.folded) $(sum_of <$name.folded)"
done
same "--sort children has a recursion's cycles once" "$(tr -d , <<<"$(
    "$RVSIM" report --top 0 --calltree deep.prof)" | awk '$NF == "down" { print int($5); exit }')" \
    "$("$RVSIM" report --top 0 --sort routine,children deep.prof | tr -d , |
        awk '$NF == "down" { print $1 }')"
