"""Works out the truth of `rvsim idle` anew from the scheduler's records and demands that each number
is the same: idle_records.py RECORDS.csv TABLES.json [harts|harts_without_samples]. Prints what
differs, and last the number of causes seen."""
import collections
import csv
import json
import sys

SAMPLERS = range(1, 65)
rows = list(csv.DictReader(open(sys.argv[1])))
which = sys.argv[3] if len(sys.argv) > 3 else "harts"
tables = json.load(open(sys.argv[2]))
record = [r for r in rows if r["event"] not in ("begin", "end")]
for r in rows:
    for key in ("hart", "cycle", "thread", "other", "user", "idle"):
        r[key] = int(r[key]) if r[key] else None
    r["value"] = int(r["value"], 0) if r["value"] else None
begin = {r["hart"]: r for r in rows if r["event"] == "begin"}
end = {r["hart"]: r for r in rows if r["event"] == "end"}


def is_program(thread):
    return thread != 0 and thread not in SAMPLERS


# ---- waits: number of the block, of the wake; and by lock the wakes that passed it on
block, wake_of, passed = {}, {}, collections.defaultdict(list)
latest = {}
for number, r in enumerate(record):
    if r["event"] == "block" and is_program(r["thread"]):
        latest[r["thread"]] = number
        block[number] = r
    if r["event"] == "wake" and r["thread"] in latest:
        number_of_block = latest.pop(r["thread"])
        wake_of[number] = number_of_block
        if block[number_of_block]["reason"] == "lock" and not r["reason"]:
            passed[block[number_of_block]["value"]].append((number, r["other"]))

# ---- time: no record happened before an earlier one, even if its hart's clock says so
time, clock = [], 0
for r in record:
    clock = max(clock, r["cycle"])
    time.append(clock)


class Hart:
    def __init__(self, number):
        first = begin[number]
        self.thread, self.start = first["thread"], first["cycle"]
        self.user, self.idle = first["user"], first["idle"]
        self.last = None                # number of the last block of the thread that left last
        self.charged = None             # number of a block
        self.pieces = []                # (first cycle, record, block)
        self.sums = collections.Counter()

    def is_free(self):
        return not is_program(self.thread)

    def charge(self, wait, cycle, number):
        self.charged = wait
        self.pieces.append((cycle, number, wait))

    def close(self, cycle, user, idle):
        """Ends the time of the thread."""
        waited = idle - self.idle
        own = cycle - self.start - waited - (user - self.user)
        self.sums["cycles"] += cycle - self.start
        self.sums["running"] += user - self.user
        self.sums["idle"] += waited
        self.sums["idle_path" if self.thread == 0 else
                  "sampling" if self.thread in SAMPLERS else "kernel"] += own
        assert own >= 0 and (self.thread == 0 or waited == 0), (self.thread, own, waited)
        if self.thread == 0:
            self.divide(cycle, waited)
        self.start, self.user, self.idle = cycle, user, idle

    def divide(self, stop, waited):
        edges = []                      # (from, row)
        for (since, number, wait), after in zip(self.pieces, self.pieces[1:] + [(stop, None, None)]):
            if wait is None or block[wait]["reason"] != "lock":
                edges.append((since, (block[wait]["reason"] if wait is not None else "nothing", 0, 0)))
                continue
            lock, until = block[wait]["value"], after[0]
            for place, holder in passed[lock] + [(None, 0)]:
                if place is not None and place <= number:
                    continue
                edges.append((since, ("lock", lock, holder)))
                if place is None or time[place] >= until:
                    break
                since = max(since, time[place])
        given, length = 0, stop - self.start
        bounds = [min(max(at, self.start), stop) for at, _ in edges] + [stop]
        for (_, row), low, high in zip(edges, bounds, bounds[1:]):
            share = waited * (high - self.start) // length if length else 0
            self.sums["cause", row[0]] += share - given
            self.sums["away", row[0]] += high - low
            table[row] += collections.Counter(cycles=share - given, away=high - low)
            given = share


table = collections.defaultdict(collections.Counter)
harts = [Hart(number) for number in sorted(begin)]
blocked_by, unclaimed = {}, []          # last block of a thread; waits without a hart, oldest first
for hart in harts:
    hart.charge(None, hart.start, -1)
for number, r in enumerate(record):
    if r["event"] == "block" and is_program(r["thread"]):
        blocked_by[r["thread"]] = number
    elif r["event"] == "wake" and number in wake_of:
        done = wake_of[number]
        unclaimed = [w for w in unclaimed if w != done]
        blocked_by.pop(r["thread"], None)
        for hart in harts:
            if hart.charged == done:
                hart.charge(None, time[number], number)
    elif r["event"] == "switch":
        hart = harts[r["hart"]]
        assert r["thread"] == hart.thread, r
        hart.close(r["cycle"], r["user"], r["idle"])
        hart.thread = r["other"]
        if is_program(r["thread"]):
            hart.last = blocked_by.get(r["thread"])
            hart.last_thread = r["thread"]
            if hart.last is not None:
                unclaimed.append(hart.last)
        if not hart.is_free():
            if hart.charged is not None:
                unclaimed.append(hart.charged)
            hart.charged = None
        elif hart.charged is None and hart.last is not None:
            mine = blocked_by.get(hart.last_thread)
            if mine in unclaimed:
                unclaimed.remove(mine)
                hart.charged = mine
        hart.pieces = [(r["cycle"], number, hart.charged)]
    else:
        continue
    for hart in harts:
        if unclaimed and hart.is_free() and hart.charged is None:
            hart.charge(unclaimed.pop(), time[number], number)
for hart, number in zip(harts, sorted(end)):
    hart.close(end[number]["cycle"], end[number]["user"], end[number]["idle"])

# ---- the comparison
for number, (hart, told) in enumerate(zip(harts, tables[which])):
    mine = {key: hart.sums[key] for key in
            ("cycles", "running", "kernel", "sampling", "idle", "idle_path")}
    mine["away"] = hart.sums["idle"] + hart.sums["idle_path"]
    mine["causes"] = {cause: hart.sums["cause", cause] for cause in told["causes"]}
    mine["away_causes"] = {cause: hart.sums["away", cause] for cause in told["causes"]}
    assert sum(mine["causes"].values()) == mine["idle"], number
    assert sum(mine["away_causes"].values()) == mine["away"], number
    for key, value in mine.items():
        if told[key] != value:
            print("hart", number, key, "is", told[key], "and by the records", value)
if len(harts) != len(tables[which]):
    print("harts:", len(harts), len(tables[which]))
if which == "harts":
    told = {(w["cause"], int(w.get("address", "0"), 0), w.get("holder", 0)):
            (w["cycles"], w["away"], w["idle_path"]) for w in tables["waits"]}
    mine = {row: (n["cycles"], n["away"], n["away"] - n["cycles"])
            for row, n in table.items() if n["away"]}
    for row in sorted(set(told) | set(mine)):
        if told.get(row) != mine.get(row):
            print("wait", row, "is", told.get(row), "and by the records", mine.get(row))
print(len({row[0] for row, n in table.items() if n["away"]}), "causes")
