"""modes_mem.py MEM.json COMMIT.log: the accesses by mode, beside those of the commit trace."""
import collections, json, re, sys

document, wrong = json.load(open(sys.argv[1])), []
committed = collections.Counter("user" if found[1] == "0" else "kernel" for found in
                                (re.match(r"core +\d+: (\d) .* mem 0x", line)
                                 for line in open(sys.argv[2])) if found)


def of(row, key):
    return sum(level[key] for kind in ("load", "store", "atomic") for level in row[kind].values())


for mode in "user", "kernel":
    if of(document[mode], "count") != committed[mode]:
        wrong.append(f"{mode}: {of(document[mode], 'count')} accesses, not {committed[mode]}")
    for table in "data", "fields", "code":
        for key in "count", "cycles":
            told = sum(of(row, key) for row in document[table] if row["mode"] == mode)
            if told != of(document[mode], key):
                wrong.append(f"{table}: {told} {key} in {mode}, not {of(document[mode], key)}")
for key in "count", "cycles":
    if of(document["user"], key) + of(document["kernel"], key) != of(document["total"], key):
        wrong.append(f"{key} of user and kernel are not those of all")
print("right" if not wrong else "; ".join(wrong))
