#!/usr/bin/env bash
# rvsim idle: samples of idle harts, beside the causes that the scheduler's records tell.
. tests/sim/cli/lib.sh
for program in idle_causes sched_threads daemon; do
    "${LINUX_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -pthread "$here/$program.c" \
        -o $program 2>log || not_ok "the program $program.c builds" "$(<log)"
done
check() { python3 "$here/command/idle/idle_check.py" "$@"; }

sums="cycles True
causes True
unsampled True
waits True
samples True"
truths="to idle True
sampled sleep True
sampled read True
sampled lock True"

# The program's waits and their lengths are known, so the number of samples times the period is
# known, too.
for mode in fast detailed; do
    for harts in 2 4; do
        rv idle --mode $mode --harts $harts --period 2000 --json i.json idle_causes
        same "the program ends, and sees its own affinity, $mode, $harts harts" 0 "$status"
        same "samples and causes are those of the program, $mode, $harts harts" "$sums
$truths
held [(1001, True)]" "$(check i.json 2000 causes)"
    done
done
cp i.json first.json
"$RVSIM" idle --mode detailed --harts 4 --period 2000 --json i.json idle_causes >again
same "a second run is the same" "$(cksum <first.json)$out" "$(cksum <i.json)$(<again)"

for harts in 1 4; do
    rv idle --harts $harts --period 3000 --json s.json sched_threads
    same "all cycles and causes add up while threads move, $harts harts" "0 $sums
to idle True" "$status $(check s.json 3000)"
done
for modes in to from; do
    rv idle --harts 4 --period 3000 --modes $modes --json s.json sched_threads
    same "--modes $modes takes the other kind of stack never" True "$(python3 -c 'import json
root = json.load(open("s.json"))["tree"][0]
def below(kind, node): return sum(node[kind]) + sum(below(kind, c) for c in node["children"])
print(below("'$modes'_idle", root) > 0 and
      below("'$([ $modes = to ] && echo from || echo to)'_idle", root) == 0)')"
done

# The first thread to run after idleness had waited for the lock, or is new.
"$RVSIM" idle --harts 4 --period 3000 --modes from --folded - sched_threads >folded
same "stacks from idle are those of a wait, or of a thread's start" "" \
    "$(grep -vE '^from idle;.*(__lll_lock_wait|clock_nanosleep|_wait_common|clone) [0-9]+$' folded |
        grep -v '^from idle;__thread_start [0-9]*$')"
matches "... and among them is the lock" \
    '^from idle;__thread_start;start_thread;work;pthread_mutex_lock;__lll_lock_wait [0-9]+$' \
    "$(<folded)"
"$RVSIM" idle --harts 4 --period 2000 --ahead --json a.json idle_causes >/dev/null
"$RVSIM" idle --harts 4 --period 2000 --json b.json idle_causes >/dev/null
same "stacks taken ahead are those taken at the switch" True "$(python3 -c 'import json
def leaves(node, path):
    path = path + (node["function"], node["line"])
    yield path, sum(node["from_idle"])
    for child in node["children"]:
        yield from leaves(child, path)
a, b = ({p: n for p, n in leaves(json.load(open(f))["tree"][0], ()) if n}
        for f in ("a.json", "b.json"))
print(bool(a) and all(p in b and n <= b[p] + 1 for p, n in a.items()))')"

for option in "" --no-daemons; do
    "$RVSIM" idle --period 2000 --modes from --ahead $option --folded - daemon >daemon.folded
    same "stacks taken ahead${option:+, $option}: of the first process${option:- and its daemon}" \
        "work ${option:-serve}" "$(grep -q ';main;work;' daemon.folded && echo -n 'work '
            grep -q ';main;serve;' daemon.folded && echo serve || echo --no-daemons)"
done
rv idle --harts 2 --period 2000 --event cycles --json e.json idle_causes
same "samples by events of the hart: every 2000th cycle, but for stacks that take longer" "$sums
to idle True
True" "$(check e.json 2000; python3 -c 'import json
print(all(abs(h["samples"] - h["cycles"] / 2000) < h["cycles"] / 2000 / 20
    for h in json.load(open("e.json"))["harts"]))')"
rv idle --harts 2 --period 1000 --event insns_retired --json e.json sched_threads
same "an idle hart runs no instructions: few samples find it idle" True "$(python3 -c 'import json
print(all(h["samples"] > 100 and h["idle_samples"] * 5 < h["samples"]
    for h in json.load(open("e.json"))["harts"]))')"
rv idle --harts 2 --period 2000 --thread 1000 --json t.json idle_causes
same "--thread: only stacks of the first thread" "0 400" "$(python3 -c 'import json
root = json.load(open("t.json"))["tree"][0]
names = [c["function"] for c in root["children"]]
print(names.count("__thread_start"), 400 if names == ["_start"] else names)')"

cat >page.py <<'END'
import json, re
page = json.loads(re.search('id="data">(.*?)</script>', open("h.html").read(), re.S)[1])
stacks, sums = page["stacks"], {}
for leaf, count in stacks["samples"]:
    path = []
    while leaf:
        function, leaf = stacks["frames"][leaf - 1]
        path.append(re.sub(r" \(.*\)$", "", stacks["functions"][function]))
    text = ";".join(reversed(path))
    sums[text] = sums.get(text, 0) + count
folded = {text: int(count) for text, count in (line.rsplit(" ", 1) for line in open("h.folded"))}
harts = json.load(open("h.json"))["harts"]
cards = {card["name"]: card["value"] for card in page["summary"]}
idle, cycles = sum(h["idle"] for h in harts), sum(h["cycles"] for h in harts)
lock = sum(h["causes"]["lock"] for h in harts)
print(sums == folded and sum(sums.values()) > 100,
      cards["of idle cycles: lock"] == f"{100 * lock / idle:.2f} %",
      cards["of all harts' cycles idle"] == f"{100 * idle / cycles:.2f} %")
END
"$RVSIM" idle --harts 2 --period 2000 --html h.html --json h.json --folded h.folded idle_causes \
    >/dev/null
same "the page's stacks are those of the folded lines, and its causes those of the table" \
    "True True True" "$(python3 page.py)"
rv idle --harts 2 --period 2000 --by-hart idle_causes
matches "the tree names the line" 'main \(idle_causes.c:55\)$' "$out"
matches "... and the truth the lock and who held it" ' 1001 .*  lock lock$' "$out"
matches "a tree for each hart" '^hart 1$' "$out"
# The trace: an independent reader finds in it the numbers of the tables.
for mode in fast detailed; do
    for harts in 1 2 4; do
        "$RVSIM" idle --mode $mode --harts $harts --period 5000 --chrome c.json --perfetto c.pb \
            --json i.json sched_threads >/dev/null
        same "causes, holders and samples of the trace are those of the tables, $mode, $harts" "" \
            "$(python3 "$here/command/idle/idle_trace.py" c.json i.json | grep False)"
    done
done
cat >idle.proto <<'END'
syntax = "proto2";
message Annotation { optional uint64 uint_value = 3; optional string name = 10; }
message TrackEvent {
  repeated Annotation debug_annotations = 4; optional int32 type = 9; optional string name = 23;
}
message TracePacket { optional TrackEvent track_event = 11; }
message Trace { repeated TracePacket packet = 1; }
END
if command -v protoc >/dev/null; then
    same "Perfetto's trace has as many cycles, and an end for each begin" "$(python3 -c 'import json
print(sum(h["idle"] for h in json.load(open("i.json"))["harts"]), True)')" \
        "$(protoc --decode Trace idle.proto <c.pb | awk '
            $1 == "uint_value:" { cycles += $2 }
            $1 == "type:" { type[$2]++ }
            END { print cycles, type[1] == type[2] ? "True" : "False" }')"
fi

# The change by samples: the table shows the difference of the two runs.
rv idle --harts 4 --period 3000 --json s.json sched_threads
cp rv.out table
cat >change.py <<'END'
import json
idle = json.load(open("s.json"))
with_, without = ([sum(h[k] for h in idle[name])
                  for k in ("cycles", "kernel", "sampling", "idle_path", "idle")]
    for name in ("harts", "harts_without_samples"))
row = [l.split() for l in open("table") if l.split()[:1] == ["change"]][0]
print([abs(float(row[i][:-1]) - 100 * (a - b) / without[0]) < .006
    for i, a, b in zip((1, 3, 4, 5, 6), with_, without)])
END
same "changes by samples are shown as a share of all cycles" "[True, True, True, True, True]" \
    "$(python3 change.py)"
# The usual period hardly changes the run, whereas a short one does.
cost() { python3 -c 'import json
i = json.load(open("s.json"))
print(abs(i["cycles"] / i["cycles_without_samples"] - 1) < .03)'; }
"$RVSIM" idle --harts 4 --json s.json "$GUEST/wordtally" 4 >/dev/null
same "the usual period changes little" True "$(cost)"
"$RVSIM" idle --harts 4 --period 3000 --json s.json "$GUEST/wordtally" 4 >/dev/null
same "a short one changes much" False "$(cost)"

# A program that one lock keeps from scaling: most samples of idle harts name the line that takes
# it, and without it the program scales.
tally=$here/../../../guest/examples/wordtally/wordtally.c
line=$(grep -n -m 2 'pthread_mutex_lock(&table_lock)' "$tally" | sed -n '2s/:.*//p')
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -pthread -DOWN_TABLES \
    "$tally" -o owntables 2>log || not_ok "wordtally.c builds" "$(<log)"
# A hart remembers one thread: `main`, which stopped below another one, is in the truth and in fewer
# samples.
rv idle --harts 4 --json w.json "$GUEST/wordtally" 4
same "the line that takes the lock has the lock's share of the stacks, locks have all idle time" \
    "True True" "$(python3 -c 'import json
idle = json.load(open("w.json"))
def below(node): return sum(node["to_idle"] + node["from_idle"]) + sum(map(below, node["children"]))
def at(node, line):
    return below(node) if node["line"] == line else sum(at(c, line) for c in node["children"])
root, harts = idle["tree"][0], idle["harts"]
waits = [(w["symbol"], w["cycles"]) for w in idle["waits"] if w["cause"] == "lock"]
share = sum(c for s, c in waits if s == "table_lock") / sum(c for s, c in waits)
print(share > .5 and abs(at(root, "wordtally.c:'$line'") / below(root) - share) < .15,
      sum(h["causes"]["lock"] for h in harts) > .9 * sum(h["idle"] for h in harts))')"
# Harts that only count an idle sample do not wait for each other; if they did, the run would take
# half as long again.
rv idle --harts 16 "$GUEST/wordtally" 16
same "samples of sixteen harts cost less than 15 %" True \
    "$(sed -n 's/^the run takes .*(\([-+][0-9.]*\) %)$/\1/p' <<<"$out" |
        awk '{ print $1 < 15 ? "True" : $1 }')"
for mode in fast detailed; do
    for harts in 1 4; do
        for program in "$GUEST/wordtally" owntables; do
            "$RVSIM" --quiet --mode $mode --harts $harts $program $harts 2>/dev/null |
                sed 's/.*: \([0-9]*\) us/\1/'
        done
    done | paste -sd ' ' >times
    same "four harts are no faster with the lock, and more than twice as fast without it, $mode" \
        True "$(python3 -c 'lock1, own1, lock4, own4 = map(int, open("times").read().split())
print(lock4 > .95 * lock1 and own4 * 2.5 < own1)')"
done
# lengths OPTION...: whether the run is as long as its longest hart, and has one to compare with
lengths() {
    rv idle --harts 2 --json l.json "$@" "$GUEST/wordtally" 2
    python3 -c 'import json
idle = json.load(open("l.json"))
print(idle["cycles"] == max(hart["cycles"] for hart in idle["harts"]),
      "cycles_without_samples" in idle)'
}
same "a run has the length of its longest hart" "True True" "$(lengths)"
same "... also if it begins later" "True True" "$(lengths --fast-forward 200000)"
same "a run that ends at a limit is not compared" "True False" "$(lengths --max-cycles 500000)"
refused "a mode is known" "idle: --modes up: expected to, from or both" idle --modes up idle_causes
refused "an event is known" \
    "idle: --event cycle: no such event (see rvsim events); did you mean cycles?" \
    idle --event cycle idle_causes
refused "threads are numbers" \
    "idle: --thread main: expected numbers of threads, as rvsim sched shows them" \
    idle --thread main idle_causes
refused "--ahead needs stacks from idle" \
    "idle: --ahead takes stacks from idle; --modes to has none" idle --modes to --ahead idle_causes
refused "daemons are left out by --ahead" \
    "idle: --no-daemons is of --ahead" idle --no-daemons idle_causes
refused "a program without the kernel has no idle harts" \
    "idle_causes runs without the guest kernel; --os kernel runs it there" \
    idle --os host idle_causes

# ---- programs that wait for long, or for ever ---------------------------------------------------

build_waits
rv idle --harts 2 --json long.json waits
same "a deadlock is shown as far as samples went, and ends" "132 2000000000 1 1 0" \
    "$status $(value long.json cycles) $(grep -c 'lock left$' rv.out) \
$(grep -c 'lock right$' rv.out) $(grep -c '^without' rv.out)"
matches "with its reason" "every hart waits for an interrupt" "$err"
rv idle --json long.json waits sleeping
same "a program that only sleeps for long is sampled to its end, and compared" "3 yes 1" \
    "$status $([ "$(value long.json cycles)" -ge 3000000000 ] && echo yes) \
$(grep -c '^without' rv.out)"
