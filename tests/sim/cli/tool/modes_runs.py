"""modes_runs.py FILE.json [CHANGED.json]: the parts of each run of whatif or costs. With the statistics of
a run with rob.entries=16: those of its longest hart are the change's."""
import json, sys

document, wrong = json.load(open(sys.argv[1])), []
rows = document.get("changes") or document["sweeps"][0]["points"]
parts = ("user_cycles", "kernel_cycles", "idle_cycles")
for row in rows:
    if sum(row[part] for part in parts) != row["cycles"] or min(row[part] for part in parts) <= 0:
        wrong.append(f"{row}")
if len(document["runs"]) != 1 + len(rows):
    wrong.append(f"{len(document['runs'])} runs")
if any(document["runs"][0][mode] != document["modes"][mode] for mode in ("user", "kernel", "idle")):
    wrong.append("the first run is another one")
if len(sys.argv) > 2:
    harts = json.load(open(sys.argv[2]))["modes"]["harts"]
    hart = max(harts, key=lambda hart: sum(hart[mode]["cycles"] for mode in hart))
    row = next(row for row in rows if row["change"] == "rob.entries=16")
    for mode in "user", "kernel", "idle":
        if row[f"{mode}_cycles"] != hart[mode]["cycles"]:
            wrong.append(f"{mode}: {row[f'{mode}_cycles']}, not {hart[mode]['cycles']}")
    kind = {row["change"]: row for row in rows}
    base = {mode: document["runs"][0][mode]["cycles"] for mode in ("user", "kernel")}
    fast = kind["burn=2x"], kind["trap_user_[k]=inf"]
    saved = [base["user"] - fast[0]["user_cycles"], base["kernel"] - fast[1]["kernel_cycles"]]
    if min(saved) <= 0:
        wrong.append(f"saved {saved}")
print("right" if not wrong else "; ".join(wrong))
