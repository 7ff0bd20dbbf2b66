"""modes_active.py ACTIVE.json COMMIT.log MODE ADDRESS BYTES: the true active time of the only
section, which calls no function, beside the commit trace of its code."""
import json, re, sys

address, size = (int(word, 16) for word in sys.argv[4:6])
section = json.load(open(sys.argv[1]))["sections"][0]
own = sum(1 for line in open(sys.argv[2])
          if (found := re.match(r"core +\d+: 0 0x([0-9a-f]+)", line)) and
          0 <= int(found[1], 16) - address < size)
wrong = []
for way in ("oracle", "probes", "hardware"):
    row = section[way]
    if row["truth_user"] + row["truth_kernel"] != row["truth"]:
        wrong.append(f"{way}: {row}")
    # A section lasts from its first instruction to its last one: one cycle less in the fast engine.
    if sys.argv[3] == "fast" and row["truth_user"] != own - row["entries"]:
        wrong.append(f"{way}: {row['truth_user']} cycles in user mode, not {own - row['entries']}")
    if sys.argv[3] == "detailed" and not own / 4 < row["truth_user"] < own * 2:
        wrong.append(f"{way}: {row['truth_user']} cycles for {own} instructions")
print("right" if not wrong else "; ".join(wrong))
