"""modes.py PLAIN.csv COMMITTED COMMAND.json SAME: the times of the command's first run. With SAME yes
they are those of the plain run, to the cycle; else of a run with records or samples, whose sums
are right and whose program is the same one. COMMITTED has the plain run's commits: hart, mode, number."""
import collections, json, sys

plain = dict(line.strip().split(",", 1) for line in open(sys.argv[1]))
committed = collections.Counter({(core, mode): int(count) for core, mode, count in
                                 map(str.split, open(sys.argv[2]))})
document = json.load(open(sys.argv[3]))
modes, wrong = document["modes"], []


def check(what, mine, other):
    if mine != other:
        wrong.append(f"{what}: {mine}, not {other}")


for mode in ("user", "kernel", "idle"):
    for unit in ("cycles", "instructions"):
        check(f"sum of {mode} {unit}", modes[mode][unit],
              sum(hart[mode][unit] for hart in modes["harts"]))
for number, hart in enumerate(modes["harts"]):
    if sys.argv[4] != "yes":
        continue
    check(f"cycles of hart {number}", sum(hart[mode]["cycles"] for mode in ("user", "kernel", "idle")),
          int(plain[f"hart{number}.cycles"]))
    check(f"user instructions of hart {number}", hart["user"]["instructions"],
          committed[str(number), "0"])
    check(f"kernel instructions of hart {number}", hart["kernel"]["instructions"],
          sum(count for (core, mode), count in committed.items()
              if core == str(number) and mode != "0"))
user = sum(count for (_, mode), count in committed.items() if mode == "0")
if abs(modes["user"]["instructions"] - user) > user / 50:
    wrong.append(f"user instructions: {modes['user']['instructions']}, not about {user}")
print("right" if not wrong else "; ".join(wrong))
