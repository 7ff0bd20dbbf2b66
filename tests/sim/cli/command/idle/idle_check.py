"""Sums and expected values of `rvsim idle --json FILE`, a line for each fact:
idle_check.py FILE PERIOD."""
import json
import sys

idle = json.load(open(sys.argv[1]))
period = int(sys.argv[2])
harts = idle["harts"]
both = harts + idle["harts_without_samples"]


def counts(kind, function, nodes=None):
    """Stacks of a kind that go through a function."""
    total = 0
    for node in idle["tree"] if nodes is None else nodes:
        if node["function"] == function:
            total += below(kind, node)
        else:
            total += counts(kind, function, node["children"])
    return total


def below(kind, node):
    return sum(node[kind]) + sum(below(kind, child) for child in node["children"])


def near(value, expected, part):
    return abs(value - expected) <= part * expected


print("cycles", all(h["running"] + h["kernel"] + h["sampling"] + h["away"] == h["cycles"]
                    for h in both))
print("causes", all(sum(h["causes"].values()) == h["idle"] and
                    sum(h["away_causes"].values()) == h["away"] == h["idle"] + h["idle_path"]
                    for h in both))
print("unsampled", all(h["sampling"] == 0 for h in idle["harts_without_samples"]))
print("waits", all(sum(w[a] for w in idle["waits"]) == sum(h[b] for h in harts) for a, b in
                   (("cycles", "idle"), ("idle_path", "idle_path"), ("away", "away"))))
print("samples", all(h["samples"] == h["busy_samples"] + h["idle_samples"] for h in harts))
to_idle = below("to_idle", idle["tree"][0])
if to_idle:
    print("to idle", to_idle + sum(h["no_thread"] + h["full"] for h in harts) ==
          sum(h["idle_samples"] for h in harts))
if len(sys.argv) > 3 and sys.argv[3] == "causes":
    total = sum(h["cycles"] for h in harts)
    # 200 us in main, 300 and 400 in the thread; a microsecond is 1000 cycles.
    doze = counts("to_idle", "doze") * period
    read = counts("to_idle", "read") * period
    lock = counts("to_idle", "pthread_mutex_lock") * period
    print("sampled sleep", near(doze, 900000, .05))
    print("sampled read", near(read, 300000, .05))
    print("sampled lock", near(lock, 400000, .05))
    held = [w for w in idle["waits"] if w["cause"] == "lock" and w["symbol"] == "lock"]
    print("held", [(w["holder"], w["holder_ran"] < w["cycles"] / 20) for w in held])
