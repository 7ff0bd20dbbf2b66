"""Reads a Chrome trace: whether begins and ends pair on every track, in order of time; then the names
of its groups, and each section with the number of its calls."""
import collections, json, sys

group, calls, open_, last = {}, collections.Counter(), collections.defaultdict(list), {}
good = True
for event in json.load(open(sys.argv[1]))["traceEvents"]:
    track = event["pid"], event.get("tid")
    if event["ph"] == "M" and event["name"] == "process_name":
        group[event["pid"]] = event["args"]["name"]
    if event["ph"] not in "BE":
        continue
    good &= event["ts"] >= last.get(track, 0)
    last[track] = event["ts"]
    if event["ph"] == "B":
        open_[track].append(event["name"])
        calls[group[event["pid"]], event["name"]] += 1
    else:
        good &= open_[track] != [] and open_[track].pop() == event["name"]
print(good and not any(open_.values()), *sorted(group.values()),
      *(f"{name} {n}" for (of, name), n in sorted(calls.items()) if of == "threads"))
