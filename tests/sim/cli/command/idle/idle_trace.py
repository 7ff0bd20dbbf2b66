"""Reads the Chrome trace of `rvsim idle` and compares it with the tables, a line for each fact:
idle_trace.py TRACE.json TABLES.json."""
import collections
import decimal
import json
import sys

trace = json.load(open(sys.argv[1]), parse_float=decimal.Decimal)["traceEvents"]
idle = json.load(open(sys.argv[2]))
group, track = {}, {}
for event in trace:
    if event["ph"] == "M":
        (group if event["name"] == "process_name" else track)[
            event["pid"], event["tid"] if event["name"] == "thread_name" else 0] = \
            event["args"]["name"]

# Pairs of begin and end on each track: (name, from, to, arguments), times in cycles (ns).
spans, open_, last = collections.defaultdict(list), collections.defaultdict(list), {}
pairs = ordered = True
for event in trace:
    if event["ph"] not in "BE":
        continue
    at, time = (event["pid"], event["tid"]), event["ts"] * 1000
    ordered &= last.get(at, 0) <= time
    last[at] = time
    if event["ph"] == "B":
        open_[at].append(event)
    elif open_[at] and open_[at][-1]["name"] == event["name"]:
        begin = open_[at].pop()
        spans[at].append((begin["name"], begin["ts"] * 1000, time, begin.get("args", {})))
    else:
        pairs = False
print("pairs", pairs and not any(open_.values()), ordered)


def of(name):
    """The spans of each hart, by the name of the group."""
    return {at[1] - 1: spans[at] for at in track if group.get((at[0], 0)) == name}


causes = of("idle")
everyone = list(range(len(idle["harts"])))
print("harts", sorted(causes) == everyone or len(everyone) == 1, sorted(of("harts")) == everyone)
for number, hart in enumerate(idle["harts"]):
    sums = collections.Counter()
    for name, begin, end, args in causes.get(number, []):
        sums[name.split()[0]] += args["cycles"]
        assert begin <= end and args["cycles"] <= end - begin, (name, begin, end, args)
    print("causes", +sums == +collections.Counter(hart["causes"]))
    # A hart is never idle for a cause while it runs a thread of the program; samplers may run. The
    # scheduler records a switch up to 200 cycles before the hart's thread changes.
    both = sorted([(b, e) for name, b, e, _ in of("harts")[number] if int(name) >= 1000] +
                  [(b, e) for _, b, e, _ in causes.get(number, [])])
    print("apart", all(x[1] <= y[0] + 200 for x, y in zip(both, both[1:])))
samples = collections.Counter(e["name"] for e in trace if e["ph"] == "i")
print("samples", samples["sample to idle"] + samples["sample from idle"] ==
      sum(h["walks"] for h in idle["harts"]))
waits = collections.Counter()
for wait in idle["waits"]:
    if wait["cause"] == "lock":
        waits["lock %s, held by %d" % (wait["symbol"], wait["holder"])] += wait["cycles"]
drawn = collections.Counter()
for hart in causes.values():
    for name, _, _, args in hart:
        if "held by" in name:
            drawn[name] += args["cycles"]
print("holders", drawn == +collections.Counter({k: v for k, v in waits.items()
                                                if not k.endswith("by 0")}))
