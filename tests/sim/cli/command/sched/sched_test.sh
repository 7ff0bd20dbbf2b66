#!/usr/bin/env bash
# rvsim sched: the scheduler's records of a program with threads under the guest kernel.
. tests/sim/cli/lib.sh
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread "$here/sched_threads.c" -o threads \
    2>log || not_ok "the program sched_threads.c builds" "$(<log)"

cat >check.py <<'END'
import json, sys
s = json.load(open(sys.argv[1]))
span = s["end"] - s["start"]
print("harts", all(h["running"] + h["away"] == h["cycles"] <= span and
                   h["idle"] + h["idle_path"] == h["away"] for h in s["harts"]))
print("threads", sum(t["running"] for t in s["threads"]) == sum(h["running"] for h in s["harts"]))
print("life", all(t["running"] + t["ready"] + sum(t["blocked"].values()) <= span
                  for t in s["threads"]))
print("six", len(s["threads"]) == 6)
print("lock", any(t["blocked"]["lock"] for t in s["threads"][1:5]))
print("sleep", [t["thread"] for t in s["threads"] if t["blocked"]["sleep"]] ==
      [s["threads"][5]["thread"]])
END
for harts in 1 4; do
    rv sched --harts $harts --json s.json threads
    same "the program ends, $harts harts" 0 "$status"
    same "running and idle time add up, and each wait has its reason, $harts harts" \
        "harts True
threads True
life True
six True
sleep True" "$(python3 check.py s.json | grep -v lock)"
    mv s.json first.json
    "$RVSIM" sched --harts $harts --json s.json threads >again
    same "a second run is the same, $harts harts" "$(cksum <first.json)$out" \
        "$(cksum <s.json)$(<again)"
done
same "with several harts threads wait for the lock" "lock True" \
    "$(python3 check.py s.json | grep lock)"
"$RVSIM" sched --harts 4 --chrome - threads >c.json
same "the trace has a track for each hart" "hart 0 hart 1 hart 2 hart 3" \
    "$(python3 -c 'import json
print(*sorted(e["args"]["name"] for e in json.load(open("c.json"))["traceEvents"]
    if e["name"] == "thread_name" and e["pid"] == 3))')"
cat >runs.py <<'END'
# The running times of threads and harts, from the pairs of the trace.
import collections, decimal, json
trace = json.load(open("r.json"), parse_float=decimal.Decimal)["traceEvents"]
table, open_ = json.load(open("u.json")), {}
thread, hart = collections.Counter(), collections.Counter()
for e in trace:
    if e["pid"] == 3 and e["ph"] == "B":
        open_[e["tid"]] = e
    elif e["pid"] == 3 and e["ph"] == "E":
        begin = open_.pop(e["tid"])
        thread[int(e["name"])] += (e["ts"] - begin["ts"]) * 1000
        hart[e["tid"] - 1] += (e["ts"] - begin["ts"]) * 1000
user = [[row["user"] for row in table[key]] for key in ("threads", "harts")]
print(sum(user[0]) == sum(user[1]) > 0, all(0 <= row["user"] <= row["running"]
      for key in ("threads", "harts") for row in table[key]))
print(not open_, [t["thread"] for t in table["threads"] if thread[t["thread"]] != t["running"]],
      [n for n, h in enumerate(table["harts"]) if hart[n] != h["running"]])
END
for mode in fast detailed; do
    for harts in 1 4; do
        "$RVSIM" sched --mode $mode --harts $harts --chrome r.json --json u.json threads >/dev/null
        same "running times of the trace are those of the tables, with user time, $mode, $harts" \
            "True True|True [] []" "$(python3 runs.py | paste -sd'|')"
    done
done
# Without records the kernel executes fewer instructions, and the program the same.
"$RVSIM" --quiet --mode fast --stats m.json --os kernel "$GUEST/wordtally" 1 >/dev/null
"$RVSIM" sched --json u.json "$GUEST/wordtally" 1 >/dev/null
same "time in user mode is that of the statistics of a run without records" True "$(python3 -c '
import json
user = json.load(open("m.json"))["modes"]["user"]["cycles"]
mine = sum(h["user"] for h in json.load(open("u.json"))["harts"])
print(abs(mine - user) <= user / 1000 or (mine, user))')"
refused "a program without the kernel has no scheduler" \
    "threads runs without the guest kernel; --os kernel runs it there" \
    sched --os host threads

"$RVSIM" lock --harts 4 --json l.json threads >table
same "the lock that threads wait for is named" "lock True" "$(python3 -c 'import json
rows = json.load(open("l.json"))["locks"]
lock = [r for r in rows if r["symbol"] == "lock"][0]
print("lock", lock["waits"] > 0 and lock["longest"] <= lock["cycles"])')"
same "all waits for locks are told: from the block on, as rvsim sched has them from the switch on" \
    True "$(python3 -c 'import json
blocked = sum(t["blocked"]["lock"] for t in json.load(open("s.json"))["threads"])
rows = json.load(open("l.json"))["locks"]
waited, waits = sum(r["cycles"] for r in rows), sum(r["waits"] for r in rows)
print(blocked <= waited <= blocked + 2000 * waits)')"
matches "the table has it, too" ' lock$' "$(<table)"

# Waits by call stack: the program waits twice from one place and once from another.
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -fno-optimize-sibling-calls -g -static -pthread \
    "$here/command/lock/lock_stacks.c" -o stacks 2>log || not_ok "lock_stacks.c builds" "$(<log)"
cat >stacks.py <<'END'
import json
locks = json.load(open("k.json"))["locks"]
print(all(lock[key] == sum(s[key] for s in lock["stacks"]) for lock in locks
          for key in ("waits", "cycles")))
gate = [lock for lock in locks if lock["symbol"] == "gate"][0]
for stack in sorted(gate["stacks"], key=lambda s: -s["waits"]):
    names = [f["function"] for f in stack["frames"]]
    print(stack["waits"], *names[names.index("help"):-1], round(stack["cycles"] / 1e5))
END
for mode in fast detailed; do
    for harts in 1 2; do
        "$RVSIM" lock --mode $mode --harts $harts --json k.json --stacks --folded f stacks >table
        same "waits are divided by call stack, $mode, $harts harts" "True
2 help often pass pthread_mutex_lock 2
1 help seldom pass pthread_mutex_lock 2" "$(python3 stacks.py)"
    done
done
matches "the table has the stacks" \
    '> help \(lock_stacks.c:[0-9]+\) > seldom .*> pass' "$(<table)"
same "folded stacks have the cycles of JSON" True "$(python3 -c 'import json
lines = [l.rsplit(" ", 1) for l in open("f")]
gate = sum(int(n) for stack, n in lines if stack.startswith("gate;"))
locks = json.load(open("k.json"))["locks"]
print([gate] == [l["cycles"] for l in locks if l["symbol"] == "gate"])')"
"$RVSIM" sched --harts 2 --json s.json stacks >/dev/null
"$RVSIM" lock --harts 2 --json k.json stacks >/dev/null
same "stacks take the program no time" True "$(python3 -c 'import json
blocked = sum(t["blocked"]["lock"] for t in json.load(open("s.json"))["threads"])
locks = json.load(open("k.json"))["locks"]
print(0 <= sum(l["cycles"] for l in locks) - blocked <= 2000 * sum(l["waits"] for l in locks))')"

# --- the program switches the records
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static -pthread "$here/command/sched/sched_paused.c" \
    -o paused 2>log ||
    not_ok "the program sched_paused.c builds" "$(<log)"
said() { "$RVSIM" "$@" 2>log | grep -o "on: . on: . on: ."; }
cat >part.py <<'END'
import json, sys
s = json.load(open(sys.argv[1]))
harts, threads = s["harts"], s["threads"]
print("harts", all(h["running"] + h["away"] + h["paused"] == h["cycles"] and
                   h["user"] <= h["running"] and h["idle"] <= h["away"] for h in harts),
      "threads", all(sum(t[part] for t in threads) == sum(h[part] for h in harts)
                     for part in ("running", "user", "kernel")),
      "paused", all(s["paused"] >= h["paused"] > 0 for h in harts),
      "workers", *[t["thread"] for t in s["threads"] if t["running"] > 200000])
END
same "records begin on, and the program reads that" "on: 1 on: 1 on: 0" \
    "$(said sched --harts 2 --show-output --json on.json paused)"
same "after the program has switched them off there are none" \
    "harts True threads True paused True workers 1001 1002 1003 1004" "$(python3 part.py on.json)"
same "with --paused they begin off" "on: 0 on: 1 on: 0" \
    "$(said sched --harts 2 --paused --show-output --json off.json paused)"
same "the records of the part between are there, and no others" \
    "harts True threads True paused True workers 1003 1004" "$(python3 part.py off.json)"
same "a part has the waits of its own threads" True \
    "$("$RVSIM" lock --harts 2 --json all.json paused >log
    "$RVSIM" lock --harts 2 --paused --json part.json paused >log
    python3 -c 'import json
waits = [[r["waits"] for r in json.load(open(f))["locks"] if r["symbol"] == "lock"]
         for f in ("all.json", "part.json")]
print(0 < waits[1][0] < waits[0][0])')"
same "in rvsim idle the program switches the samples" "on: 1 on: 1 on: 0 True" \
    "$(said idle --harts 2 --period 2000 --show-output --json i.json paused) $(python3 -c '
import json
i = json.load(open("i.json"))
taken, possible = sum(h["samples"] for h in i["harts"]), sum(h["cycles"] for h in i["harts"]) / 2000
print(.5 * possible < taken < .8 * possible or (taken, possible))')"
same "with --paused it switches them on first" "on: 0 on: 1 on: 0 True" \
    "$(said idle --harts 2 --period 2000 --paused --show-output --json p.json paused) $(python3 -c '
import json
taken, all = (sum(h["samples"] for h in json.load(open(name))["harts"])
              for name in ("p.json", "i.json"))
print(.3 * all < taken < .7 * all or (taken, all))')"
same "in rvsim active nothing is switched, which it says" "on: 0 on: 0 on: 0 1" \
    "$(said active --section work --harts 2 --show-output paused) $(grep -c 'note: the' log)"
"$RVSIM" --quiet --mode fast --harts 2 --threads --profile off.prof paused >log
"$RVSIM" --quiet --mode fast --harts 1 --max-insns 400k --threads --profile cut.prof paused >log
"$RVSIM" sched --harts 1 --max-insns 400k --json cut.json paused >log
same "a profile keeps the waits that ended, as rvsim sched has them" "True True" "$(python3 -c '
import json
profile, table = json.load(open("cut.prof"))["threads"], json.load(open("cut.json"))["threads"]
waited = {t["number"]: (t["waits"], t["waited"]) for t in profile["threads"]}
ready = profile["states"].index("ready")
print(waited == {t["thread"]: (t["waits"], t["wait"]["total"]) for t in table},
      any(t["ready"] > t["wait"]["total"] for t in table))')"
same "the time line of a profile says what is not known, and each hart has all cycles" \
    "True True True" "$(python3 -c 'import json
t = json.load(open("off.prof"))["threads"]
off, parts = t["states"].index("off"), 0
for track in t["harts"]:
    begin = 0
    for span in track["spans"]:
        parts += (span[0] - begin) * (span[1] == off)
        begin = span[0]
print(begin == t["cycles"], .25 < parts / 2 / t["cycles"] < .45,
      any(span[1] == off for span in t["threads"][0]["spans"]))')"
same "without records the file says so, and what is neither 0 nor 1 is refused" \
    "on: 0 on: 0 on: 0 4096: EINVAL" "$("$RVSIM" --quiet --mode fast --harts 2 paused 4096)"
