"""modes_range.py STATISTICS.json COMMIT.log ADDRESS BYTES: entries and instructions of the range, and
calls by the mark on its first instruction, beside those of the commit trace of one hart."""
import json, re, sys

address, size = (int(word, 16) for word in sys.argv[3:5])
document = json.load(open(sys.argv[1]))
pcs = [int(found[1], 16) for line in open(sys.argv[2])
       if (found := re.match(r"core +0: \d 0x([0-9a-f]+)", line))]
inside = [0 <= pc - address < size for pc in pcs]
entries = sum(now and not before for before, now in zip([False] + inside, inside))
calls = sum(pc == address for pc in pcs)
told = document["ranges"][0]
mark = next(mark for mark in document["marks"] if int(mark["address"], 16) == address)
wrong = []
if (told["entries"], told["executed"]) != (entries, sum(inside)):
    wrong.append(f"{told}, not {entries} entries and {sum(inside)} instructions")
if not mark["count"] == calls == 6:
    wrong.append(f"{mark['count']} calls by the mark, {calls} by the trace, not 6")
if entries <= calls:
    wrong.append(f"{entries} entries: no trap came inside")
print("right" if not wrong else "; ".join(wrong))
