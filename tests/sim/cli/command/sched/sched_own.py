"""An independent calculation of the tables of rvsim sched and lock, from the kernel's records:
thread by thread and stay by stay on a hart. Arguments: the records, JSON of sched, JSON of lock.
Prints what differs."""
import collections, json, sys

Record = collections.namedtuple("Record", "cycle hart thread other event reason value order")
rows = [Record(*(int(f) if f.lstrip("-").isdigit() and i not in (4, 5) else f
                 for i, f in enumerate(line.split()))) for line in open(sys.argv[1])]
rows.sort(key=lambda r: r.order)                    # stable: each hart's are in order
sched, lock = (json.load(open(name)) for name in sys.argv[2:4])
harts, end = len(sched["harts"]), sched["end"]
seen = collections.Counter()


def differ(what, own, told):
    seen[what.split()[-1]] += 1
    if own != told:
        print(f"{what}: own {own}, told {told}")


def between(first, last):
    return max(0, last - first)


# A stay: from a switch to a thread to the next switch of that hart; positions are those in `rows`.
stays = collections.defaultdict(list)
running = [0] * harts
for hart in range(harts):
    here = [(at, r) for at, r in enumerate(rows) if r.event == "switch" and r.hart == hart]
    for (at, r), (out, left) in zip(here, here[1:] + [(None, None)]):
        until = left.cycle if left else sched["harts"][hart]["cycles"]
        running[hart] += until - r.cycle if r.other else 0
        if r.other:
            stays[r.other].append((at, out, hart, r.cycle, until))
    differ("hart switches", len(here), sched["harts"][hart]["switches"])
    differ("hart running", running[hart], sched["harts"][hart]["running"])
    told = sched["harts"][hart]
    differ("hart away", told["cycles"] - running[hart], told["away"])
    differ("hart away", told["away"], told["idle"] + told["idle_path"])
differ("threads", sorted(stays), [t["thread"] for t in sched["threads"]])

for told in sched["threads"]:
    tid, mine = told["thread"], sorted(stays[told["thread"]])
    left, blocked, waits = collections.Counter(), collections.Counter(), []
    ready, shares = 0, [0] * harts
    for _, _, hart, begin, until in mine:
        shares[hart] += until - begin
    for before, after in zip([None] + mine, mine + [None]):
        first, last = before[1] if before else -1, after[0] if after else len(rows)
        if first is None:
            break                                   # it runs at the end
        now = after[3] if after else end
        why = "preempted"
        if before:
            for r in rows[before[0]:before[1]]:
                if r.thread == tid and r.event in ("block", "exit"):
                    why = r.reason
            left[why] += 1
            if why == "exit":
                continue
        wakes = [r.cycle for r in rows[first + 1:last] if r.thread == tid and r.event == "wake"]
        since = before[4] if before and why == "preempted" else wakes[0] if wakes else None
        if before and why != "preempted":
            blocked[why] += between(before[4], now if since is None else since)
        if since is not None:
            ready += between(since, now)
            if after:
                waits.append(between(since, now))
    differ(f"{tid} running", sum(shares), told["running"])
    differ(f"{tid} shares", shares, told["on_hart"])
    differ(f"{tid} ready", ready, told["ready"])
    differ(f"{tid} waits", waits, told["wait"]["list"])
    differ(f"{tid} longest", max(waits, default=0), told["longest_wait"])
    ranks = sorted(waits)
    for key, percent in ("median", 50), ("p90", 90), ("p99", 99):
        own = [w for w in ranks if 100 * sum(x <= w for x in ranks) >= percent * len(ranks)]
        differ(f"{tid} rank", own[0] if own else 0, told["wait"][key])
    differ(f"{tid} switches", sum(left.values()), told["switches"])
    for reason, number in told["left"].items():
        differ(f"{tid} reason", left[reason], number)
    for reason, cycles in told["blocked"].items():
        differ(f"{tid} blocked", blocked[reason], cycles)
    differ(f"{tid} migrations", sum(a[2] != b[2] for a, b in zip(mine, mine[1:])),
           told["migrations"])

held = collections.defaultdict(list)
for at, r in enumerate(rows):
    if r.event == "block" and r.reason == "lock":
        wakes = [w.cycle for w in rows[at:] if w.thread == r.thread and w.event == "wake"]
        held[r.value].append(between(r.cycle, wakes[0] if wakes else end))
differ("locks", sorted((hex(a), len(w), sum(w), max(w)) for a, w in held.items()),
       sorted((row["address"], row["waits"], row["cycles"], row["longest"])
              for row in lock["locks"]))
enough = all(seen[key] for key in ("running", "waits", "rank", "reason", "blocked", "locks"))
print("all compared" if enough and sum(map(len, stays.values())) > 20 else f"too few: {seen}")
