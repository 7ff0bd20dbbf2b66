#!/usr/bin/env bash
# Under the guest kernel every command tells user, kernel and idle time apart, on each hart.
. tests/sim/cli/lib.sh
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread "$here/tool/modes.c" -o modes 2>log ||
    not_ok "the program modes.c builds" "$(<log)"

# times NAME yes|no COMMAND OPTION...: checks the times in the JSON, and in the line of the text
times() {
    local name=$1 same=$2
    shift 2
    rm -f x.json
    rv "$@" --mode $mode --harts 2 --no-progress --json x.json modes
    same "$name tells user, kernel and idle time apart, $mode" right \
        "$(python3 "$here/tool/modes.py" plain.csv committed x.json $same 2>&1)"
    [ "$1" = sched ] || [ "$1" = idle ] || [ "$1 $mode" = "stat detailed" ] ||
        [ "$1" = compare-profilers ] && return
    same "the text of $name tells the modes apart, $mode" "$(python3 -c '
import json
modes = json.load(open("x.json"))["modes"]
print(*(modes[mode]["cycles"] for mode in ("user", "kernel", "idle")))')" \
        "$(sed -n 's/^time  *//p' <<<"$out" | tr -d , | grep -oE '[0-9]+ cycles' |
            tr -dc '0-9\n' | xargs)"
}

for mode in fast detailed; do
    rv --quiet --os kernel --mode $mode --harts 2 --stats plain.csv --trace commit:commit.log modes
    awk '$1 == "core" { count[$2 + 0 " " $3]++ } END { for (at in count) print at, count[at] }' \
        commit.log | sort >committed
    timed=$([ $mode = fast ] && echo loads || echo cycles)
    rv --quiet --os kernel --mode $mode --harts 2 --stats counted.csv --count loads:user \
        --count insns_retired:user --count $timed:user modes
    user_cycles=$(sed -n 's/^modes.user.cycles,//p' plain.csv)
    same "cycles in user mode are those of a counter, or as many as instructions, $mode" \
        "$([ $mode = fast ] && grep -c '^core.*: 0 ' commit.log ||
            sed -n 's/^count.cycles:user,//p' counted.csv)" "$user_cycles"
    rv stat --mode $mode --harts 2 -e insns_retired,loads,loads:u,insns_retired:k,loads:uk \
        --csv stat.csv modes
    counted=$(for event in insns_retired loads; do
        sed -n "s/^count.$event:user,//p" counted.csv | head -1; done | xargs)
    same "parts of events are those that the hardware counts, and add up, $mode" \
        "$counted 0 0 same same same" \
        "$(awk -F, '{ n[$1] = $4; rows[$1]++ } END {
            print n["insns_retired:u"], n["loads:u"],
                n["insns_retired"] - n["insns_retired:u"] - n["insns_retired:k"],
                n["loads"] - n["loads:u"] - n["loads:k"] - n["loads:idle"],
                rows["loads:u"] == 2 ? "same" : "not there",
                rows["insns_retired:k"] == 2 ? "same" : "not there",
                n["loads:uk"] == n["loads"] ? "same" : "other" }' stat.csv)"
    rv active --mode $mode --harts 2 --section burn --json a.json modes
    same "active time of a section is user and kernel time, the former of its code, $mode" right \
        "$(python3 "$here/tool/modes_active.py" a.json commit.log $mode $(nm -S modes |
            awk '$4 == "burn" { print $1, $2 }'))"
    rv sched --mode $mode --harts 2 --json s.json modes
    same "in sched a hart's user, kernel and idle cycles are all its cycles, $mode" "True True" \
        "$(python3 -c '
import json
table = json.load(open("s.json"))
print(all(sum(hart[key] for key in ("user", "kernel", "idle", "idle_path")) == hart["cycles"]
          for hart in table["harts"]),
      all(row["user"] + row["kernel"] == row["running"] for row in table["threads"]))')"
    times stat yes stat
    times callers yes callers --of burn
    times "hang" no hang --limit burn=1M
    times "api" no api
    times lock no lock
    times sched no sched
    times idle no idle --period 20000
    times active no active --section burn
    times tune no tune --period 503 --hot 1
    times top no top --period 2003
    if [ $mode = fast ]; then
        times scan yes scan
        times branches yes branches
        continue
    fi
    times scan no scan
    times branches no branches
    times mem yes mem
    same "accesses in user mode and of the kernel have rows of their own" right \
        "$(python3 "$here/tool/modes_mem.py" x.json commit.log 2>&1)"
    rv --quiet --os kernel --harts 2 --set rob.entries=16 --stats changed.json modes
    times whatif yes whatif --perfect l2 --set rob.entries=16 --faster burn=2x \
        --faster trap_user_[k]=inf
    same "each run of whatif tells its parts, as a run of that machine does" right \
        "$(python3 "$here/tool/modes_runs.py" x.json changed.json 2>&1)"
    times costs yes costs --sweep placement
    same "each run of costs tells its parts" right \
        "$(python3 "$here/tool/modes_runs.py" x.json 2>&1)"
    times thresholds no thresholds --runs 2
    times compare-profilers yes compare-profilers --no-bias
done
rv stat -I 5000 -e cycles,loads --harts 2 --os kernel --csv i.csv modes
same "intervals are divided, too, and add up" "cycles:u 0 cycles:k 0 cycles:idle 0 loads:u 0" \
    "$(rv stat -e cycles,loads --harts 2 --os kernel --csv stat.csv modes
       awk -F, 'NR == FNR { sum[$2] += $3; next } { whole[$1] = $4 } END {
           for (i = split("cycles:u cycles:k cycles:idle loads:u", name, " "); i > 0; i--)
               text = name[i] " " sum[name[i]] - whole[name[i]] (text != "" ? " " text : "")
           print text }' i.csv stat.csv)"
rv --os kernel --harts 2 --mode fast --profile p.prof --quiet modes
same "a profile keeps the times for its report" "$(sed -n 's/^modes.user.cycles,//p' <(
    rv --os kernel --harts 2 --mode fast --quiet --stats plain.csv modes; cat plain.csv))" \
    "$("$RVSIM" report p.prof | sed -n 's/^time  *user \([0-9,]*\) .*/\1/p' | tr -d ,)"

# A range is entered whenever the instruction before was outside, also the kernel's; calls are
# counted by a mark.
printf 'burn * counter\nrange I0 burn *\n' >range.meta
for mode in fast detailed; do
    rv --quiet --os kernel --mode $mode --harts 1 --meta range.meta --set machine.clock_mhz=1 \
        --stats range.json --trace commit:commit.log modes
    same "a range is entered after each trap inside, its function called six times, $mode" \
        "right" "$(python3 "$here/tool/modes_range.py" range.json commit.log $(nm -S modes |
            awk '$4 == "burn" { print $1, $2 }'))"
done
