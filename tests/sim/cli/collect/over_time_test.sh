#!/usr/bin/env bash
# The course of a run in its profile: the counts of `rvsim stat --interval`, in at most 256
# intervals, without any effect on the run.
. tests/sim/cli/lib.sh
build_levels
words=${RVSIM%/rvsim}/examples/wordindex
cp "$words.c" text

# course FILE.prof FILE.json: checks that the two agree; prints the number of intervals and their
# cycles
course() {
    python3 - "$@" <<'END'
import json, sys
profile, stat = (json.load(open(name)) for name in sys.argv[1:])
course = profile["over_time"]
rows = [[row["cycles"]] + [row["counts"][event] for event in course["events"]]
        for row in stat["intervals"]]
sums = [sum(row[k + 1] for row in course["intervals"]) for k in range(len(course["events"]))]
print(len(rows), rows[0][0], rows == course["intervals"],
      sums == [profile["events"][event] for event in course["events"]],
      rows[-1][0] == profile["cycles"])
END
}
events() { python3 -c 'import json, sys
print(",".join(json.load(open(sys.argv[1]))["over_time"]["events"]))' "$1"; }

rv --stats with.json --profile levels.prof levels
rv --stats without.json levels
same "a profile changes no statistic" "$(query without without.json host command)" \
    "$(query without with.json host command)"
rv stat -I 1000 -e "$(events levels.prof)" --json stat.json levels
same "a short run has the intervals of stat" "$(python3 -c 'import json
cycles = json.load(open("levels.prof"))["cycles"]
print(-(-cycles // 1000), min(cycles, 1000))') True True True" \
    "$(course levels.prof stat.json)"

rv --quiet --profile long.prof "$words" text
period=$(python3 -c 'import json
print(json.load(open("long.prof"))["over_time"]["intervals"][0][0])')
rv stat -I "$period" -e "$(events long.prof)" --json stat.json "$words" text
got=$(course long.prof stat.json)
same "a long run has intervals of a longer period" "$period True True True" "${got#* }"
if [ "${got%% *}" -le 256 ] && [ "${got%% *}" -ge 128 ]; then
    ok "the number of intervals fits a picture"
else not_ok "the number of intervals fits a picture" "$got"; fi
same "several harts, too" "True True" "$(rv --set machine.harts=2 --os kernel --profile harts.prof \
    "$words" text
    python3 - <<'END'
import json
profile = json.load(open("harts.prof"))
course = profile["over_time"]
sums = [sum(row[k + 1] for row in course["intervals"]) for k in range(len(course["events"]))]
ends = [row[0] for row in course["intervals"]]
print(sums == [profile["events"][event] for event in course["events"]], ends == sorted(set(ends)))
END
)"
rv record -o samples.prof levels
same "record has it, too" "$(python3 -c 'import json
print(json.load(open("levels.prof"))["over_time"]["events"])')" "$(python3 -c 'import json
print(json.load(open("samples.prof"))["over_time"]["events"])')"
rv --mode fast --profile fast.prof levels
same "the fast engine has no time" 0 "$(grep -c '"over_time":' fast.prof)"
for wrong in "an event that is none" "a count too many"; do
    python3 - "$wrong" <<'END'
import json, sys
profile = json.load(open("levels.prof"))
if "event" in sys.argv[1]:
    profile["over_time"]["events"][0] = "nothing"
else:
    profile["over_time"]["intervals"][0].append(1)
json.dump(profile, open("wrong.prof", "w"))
END
    rv report wrong.prof --html wrong.html
    same "$wrong is refused" "2 1" "$status $(grep -c '^rvsim: error: wrong.prof:' <<<"$err")"
done
