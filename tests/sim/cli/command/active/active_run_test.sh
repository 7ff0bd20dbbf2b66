#!/usr/bin/env bash
# rvsim active --section: a program's sections by probes, by hardware and by the simulator.
. tests/sim/cli/lib.sh
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -pthread \
    "$here/active_threads.c" -o threads 2>log ||
    not_ok "the program active_threads.c builds" "$(<log)"
sections=outer,nested,depth,nap,early,spin

# A turn of spin is 3 instructions, a call of it 4 more: 6 rounds in 4 threads of 20000 + 100 * i
# turns, 5 calls of 300, 7 of 10, 1 of 100, 5 of 50. In the fast engine an instruction takes a
# cycle; the kernel's work in the thread's time is added.
cat >check.py <<'END'
import json, sys
active = {s["section"]: s for s in json.load(open(sys.argv[1]))["sections"]}
is_fast = sys.argv[2] == "fast"
truth = {name: s["oracle"] for name, s in active.items()}
turns = 6 * sum(20000 + 100 * i for i in range(4)) + 5 * 300 + 7 * 10 + 100 + 5 * 50
calls = 6 * 4 + 5 + 7 + 1 + 5
known = 3 * turns + 4 * calls
print("entries", [truth[name]["entries"] for name in active] == [1, 5, 7, 1, 10, calls])
print("entries by all ways", all(s[way]["entries"] == s["oracle"]["entries"]
    for s in active.values() for way in ("probes", "hardware")))
if is_fast:
    print("known", known <= truth["spin"]["active"] <= known * 1.01)
    # ... also while probes or marks change the schedule.
    print("known", all(known <= active["spin"][way]["truth"] <= known * 1.01
        for way in ("oracle", "probes", "hardware")))
print("parts", all(w["elapsed"] == w["swapped_out"] + w["overhead"] + w["active"]
    for s in active.values() for w in (s["oracle"], s["probes"])))
print("sleep", 23750 <= truth["nap"]["swapped_out"] <= 31250, truth["nap"]["active"] < 6000)
error = {way: abs(active["spin"][way]["error_percent"]) for way in ("probes", "hardware")}
print("spin", error["probes"] < (.2 if is_fast else 1), error["hardware"] < (.2 if is_fast else 1))
for name in ("nested", "depth", "early"):       # no interrupt comes in these
    print(name, abs(active[name]["probes"]["error_each"]) < (.01 if is_fast else 150),
          abs(active[name]["hardware"]["error_each"]) < (.01 if is_fast else 20))
print("each", all(abs(s[way]["error_each"] * s[way]["entries"] + s[way]["truth"]
    - s[way]["active"]) < 1e-3 for s in active.values() for way in ("probes", "hardware")))
print("changed", all(abs(s[way]["truth"] / s["oracle"]["active"] * 100 - 100
    - s[way]["changed_percent"]) < 1e-3 for s in active.values() for way in ("probes", "hardware")))
print("one run", len({s["hardware"]["run_cycles"] for s in active.values()}) == 1)
END
facts="entries True
entries by all ways True
known True
known True
parts True
sleep True True
spin True True
nested True True
depth True True
early True True
each True
changed True
one run True"
# A slower clock has more slices in as many cycles.
clock="--set machine.clock_mhz=250"
for harts in 1 2 4; do
    rv active --section $sections --harts $harts $clock --json a.json threads
    same "three ways agree about known sections, $harts harts" "0 $facts" \
        "$status $(python3 check.py a.json fast)"
done
same "a second run is the same" "$(cksum <a.json)" \
    "$("$RVSIM" active --section $sections --harts 4 $clock --json - threads 2>/dev/null | cksum)"
rv active --section $sections --harts 2 $clock --mode detailed --json d.json threads
same "... in detail, too" "0 $(grep -v known <<<"$facts")" \
    "$status $(python3 check.py d.json detailed)"

# A recursion deeper than a page of open sections, in which two functions call each other, while
# other threads take the hart away.
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -fno-optimize-sibling-calls -g -static -pthread \
    "$here/command/active/active_deep.c" \
        -o deep 2>log || not_ok "the program active_deep.c builds" "$(<log)"
cat >deep.py <<'END'
import json
active = {s["section"]: s for s in json.load(open("deep.json"))["sections"]}
print([s[way]["entries"] for s in active.values() for way in ("oracle", "probes", "hardware")])
print(*(all(abs(s[way]["error_percent"]) < 1 for s in active.values())
        for way in ("hardware", "probes")))
END
rv active --section even,odd,fib --harts 2 --json deep.json deep
same "E6: deep and mutual recursion in threads" \
    "0 [7227, 7227, 7227, 7200, 7200, 7200, 2256, 2256, 2256]|True True" \
    "$status $(python3 deep.py | paste -sd'|')"

rv active --section even,odd,fib --set pmu.counters=2 --harts 2 --json deep.json deep
same "more sections than counters take further runs" \
    "[7227, 7227, 7227, 7200, 7200, 7200, 2256, 2256, 2256]" "$(python3 deep.py | head -1)"

# 90,000 turns of three instructions in both processes together, and the kernel's work for them.
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static "$here/command/active/active_fork.c" \
    -o fork 2>log ||
    not_ok "the program active_fork.c builds" "$(<log)"
cat >fork.py <<'END'
import json
for s in json.load(open("fork.json"))["sections"]:
    oracle, probes, hardware = s["oracle"], s["probes"], s["hardware"]
    print(s["section"], oracle["entries"], probes["entries"],
          270000 <= oracle["active"] < 330000,
          abs(probes["error_percent"]) < 1, abs(hardware["error_percent"]) < 2)
END
for harts in 1 2; do
    rv active --section bear,spin --harts $harts --json fork.json fork
    same "a forked child goes on in the sections of its parent, $harts harts" \
        "0 bear 2 2 True True True|spin 2 2 True True True" \
        "$status $(python3 fork.py | paste -sd'|')"
done

# The records alone give the same times as the run.
for harts in 1 4; do
    "$RVSIM" active --section outer,spin --harts $harts --records r.csv threads 2>/dev/null |
        awk '$1 == "probes" && NF > 9 { print $3, $4, $5, $6 }' >probes
    same "records of the probes, read again, have the same times, $harts harts" "$(<probes)" \
        "$("$RVSIM" active --section outer,spin --from r.csv | awk '
            /^  (elapsed|overhead|active) / { printf "%s ", $2 }
            /^  swapped out / { printf "%s ", $3 }
            /^  active / { print "" }' | sed 's/ $//')"
done
"$RVSIM" active --section outer,spin --harts 4 --chrome c.json --list threads >table 2>/dev/null
same "the trace has the sections, and harts that ran the threads" "True True" "$(python3 -c '
import json
events = json.load(open("c.json"))["traceEvents"]
names = {e["name"] for e in events}
harts = {e["args"]["name"] for e in events if e["name"] == "thread_name" and e["pid"] == 3}
print({"outer", "spin"} <= names, harts == {"hart 0", "hart 1", "hart 2", "hart 3"})')"
matches "--list shows each activation as the probes saw it" '^outer: 1 activation$' "$(<table)"
matches "the table has the cost of each way" \
    '^  with marks +4599 +\+0.00% +4599 +0 +[0-9]+ +\+[0-9.]+%$' "$(<table)"
rv active --section nap --os kernel "$GUEST/wordindex"
same "a name that is no function is refused" 2 "$status"
refused "... with the nearest" \
    "--section spim: no such function; did you mean spin?" active --section spim threads
refused "a program needs a section" "active: expected --section FUNCTION" active threads
refused "a program without the kernel has no threads" \
    "threads runs without the guest kernel; --os kernel runs it there" \
    active --section spin --os host threads

# The clock is slow, so that the scheduler's timer comes every some 20,000 cycles. An interrupt that
# comes while a probe works must not count for a section of three instructions. A period that is a
# multiple of the loop with its probes may always meet the section itself: the middle one of three.
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread "$here/command/active/active_short.c" \
    -o short \
    2>log || not_ok "the program active_short.c builds" "$(<log)"
for mhz in 19 21 23; do
    "$RVSIM" active --section leaf --harts 1 --set machine.clock_mhz=$mhz --json short.$mhz.json \
        short >log
done
same "an interrupt beside a probe is in no section" "8000 True" "$(python3 -c 'import json
ways = [json.load(open(f"short.{mhz}.json"))["sections"][0]["probes"] for mhz in (19, 21, 23)]
off = sorted(abs(way["active"] - way["truth"]) for way in ways)
print(min(way["entries"] for way in ways), off[1] <= 8 or off)')"

# Stacks that a thread switches: oracle and probes know the same sections, and the hardware as much
# where they return. 24 of 34 calls of resume come back from body. Of give, 20 return to body, and
# 9 to endless, which has an open one at the end.
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static "$here/command/active/active_stacks.c" \
    -o stacks 2>log || not_ok "the program active_stacks.c builds" "$(cat log)"
cat >stacks.py <<'END'
import json
active = {s["section"]: s for s in json.load(open("stacks.json"))["sections"]}
for name, s in active.items():
    print(name, s["oracle"]["entries"], s["probes"]["entries"],
          abs(s["probes"]["error_percent"]) < (2 if name == "handler" else 1),
          name in ("give", "endless", "handler") or abs(s["hardware"]["error_percent"]) < 1)
print(active["body"]["oracle"]["active"] > 5 * 4 * 1500 * 5,
      active["within"]["oracle"]["active"] // 4)
END
rv active --section body,endless,give,resume,work,within,handler --os kernel --json stacks.json \
    stacks
same "sections go on while their thread is on another stack" "0 body 4 4 True True
endless 0 0 True True
give 29 29 True True
resume 34 34 True True
work 58 58 True True
within 4 4 True True
handler 4 4 True True
True 204" "$status $(python3 stacks.py)"

# An activation whose two instructions commit in the cycle of its caller's: 0 cycles, of which no
# number is a percentage.
cat >instant.S <<'END'
    .globl _start
_start:
    call instant
    li a7, 93
    li a0, 0
    ecall
    .globl instant
    .type instant, @function
instant:
    nop
    ret
    .size instant, . - instant
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static instant.S -o instant ||
    not_ok "the program instant.S builds"
rv active --section instant --mode detailed --json instant.json instant
same "the change from 0 cycles is no percentage" "0 0 True None" "$status $(python3 -c 'import json
at = json.load(open("instant.json"))["sections"][0]
print(at["oracle"]["truth"], at["probes"]["truth"] > 0, at["probes"]["changed_percent"])')"
same "the change from 0 cycles is shown as -" "-" \
    "$("$RVSIM" active --section instant --mode detailed instant 2>/dev/null |
        awk '/^  with probes/ { print $4 }')"

# The measured part of a run is the program's; the calibration is not part of it.
cat >part.py <<'END'
import json
document = json.load(open("part.json"))
section, ways = document["sections"][0], ("oracle", "probes", "hardware")
modes = [sum(run[mode]["cycles"] for mode in ("user", "kernel", "idle"))
         for run in document["runs"]]
print([section[way]["entries"] for way in ways],
      modes == [section[way]["run_cycles"] for way in ways],
      "cost_percent" in section["probes"], "cost_percent" in section["hardware"])
END
# part OPTION...: the result of a measured part
part() {
    rv active --section nested --harts 1 --json part.json "$@" threads
    echo "$status $(python3 part.py)"
}
same "--roi begins the measurement in the program" "0 [5, 5, 5] True True True" \
    "$(part --roi main)"
same "... or with the first instruction of a section" "0 [5, 5, 5] True True True" \
    "$(part --roi nested)"
same "--fast-forward begins it in the middle of a thread" "0 [5, 5, 5] True True True" \
    "$(part --fast-forward 5000)"
same "the hardware's counts of threads that have not ended are unknown" \
    "0 [5, 5, None] True True True" "$(part --roi main..nap)"
same "a run that a limit ends has no cost" "0 [5, 5, None] True False False" \
    "$(part --max-insns 40000)"

# The program ends while a thread is in the section: the hardware counts what the others have no
# end of, which is no error of it.
cat >left.c <<'END'
#include <pthread.h>
#include <unistd.h>
static volatile unsigned long sink;
__attribute__((noinline)) static void burn(unsigned long turns)
{
    for (unsigned long i = 0; i < turns; i++)
        sink += i;
}
static void *forever(void *arg)
{
    burn(1UL << 60);
    return arg;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, forever, 0);
    burn(20000);
    _exit(9);
}
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static -pthread left.c -o left ||
    not_ok "the program left.c builds"
rv active --section burn --harts 2 --json left.json left
same "an activation that the program's end leaves is told" "9 1 1 1 2 True None None" \
    "$status $(grep -c '^  incomplete: 1 entry without an end' rv.out) $(python3 -c 'import json
at = json.load(open("left.json"))["sections"][0]
hardware = at["hardware"]
print(at["oracle"]["entries"], at["oracle"]["incomplete"], hardware["entries"],
      hardware["active"] > 1.5 * hardware["truth"], hardware["error_percent"],
      hardware["error_each"])')"
