#!/usr/bin/env bash
# rvsim stat: its counts are those of --stats, for each run and summed over intervals; deviations,
# short options, files, refusals, Ctrl-C.
. tests/integration/lib.sh

stat() { "$RVSIM" stat --no-progress "$@" </dev/null 2>"$tmp/stat.err"; }
limited=(--max-insns 100000 "$GUEST/wordindex")
# truth EVENT OPTION...: the count of a plain run
truth() {
    local event=$1
    shift
    run plain --quiet "$@" "${limited[@]}"
    query get "$tmp/plain.json" "events.$event"
}
# field STEM EVENT COLUMN: of the CSV table
field() { awk -F, -v event="$2" -v at="$3" '$1 == event { print $at }' "$tmp/$1.csv"; }

# ---- counts -------------------------------------------------------------------------------------

all=$("$RVSIM" events | sed 1d | awk '{ print $2 }')
stat -e "$(paste -sd, <<<"$all")" --csv "$tmp/all.csv" "${limited[@]}" >"$tmp/all.out"
same "all events are counted at once" "0 " "$? $(<"$tmp/stat.err")"
run plain --quiet "${limited[@]}"
same "every count is that of --stats" \
    "$(for event in $all; do echo "$event,$(query get "$tmp/plain.json" "events.$event")"; done)" \
    "$(sed 1d "$tmp/all.csv" | cut -d, -f1,4)"
stat --csv "$tmp/usual.csv" "${limited[@]}" >"$tmp/usual.out"
same "the usual set has cycles, instructions, branches, caches and TLBs" \
    "cycles insns_retired branches branches_mispredicted loads stores l1i_access l1i_miss l1d_read`
    ` l1d_read_miss l2_access l2_access_miss itlb_walk dtlb_walk" \
    "$(sed 1d "$tmp/usual.csv" | cut -d, -f1 | xargs)"
same "the text has the same numbers" "$(sed 1d "$tmp/usual.csv" | cut -d, -f4)" \
    "$(awk 'NR > 2 { gsub(",", "", $1); print $1 }' "$tmp/usual.out")"
same "instructions have the IPC beside them" \
    "$(awk "BEGIN { printf \"%.3f\", $(truth insns_retired) / $(truth cycles) }")" \
    "$(awk '$2 == "insns_retired" { print $3 }' "$tmp/usual.out")"
stat -e loads --event=loads,stores -e loads --csv - "${limited[@]}" >"$tmp/twice.csv"
same "an event named twice is counted once" "event loads stores" \
    "$(cut -d, -f1 "$tmp/twice.csv" | xargs)"
stat -e loads,loads --harts 2 --csv "$tmp/harts.csv" "${limited[@]}" >"$tmp/harts.out"
same "counts are sums over the harts" "$(truth loads --harts 2)" "$(field harts loads 4)"
stat --mode fast -e cycles,traps --csv "$tmp/fast.csv" "${limited[@]}" >"$tmp/fast.out"
same "an event that the fast engine does not count is empty" "" "$(field fast cycles 4)"
same "an event that is not counted is named in the output" \
    1 "$(grep -c 'not counted  cycles' "$tmp/fast.out")"
for engine in fast warm; do
    stat --mode $engine -e "$(paste -sd, <<<"$all")" --csv "$tmp/$engine.csv" "${limited[@]}" \
        >"$tmp/$engine.out"
    run plain --quiet --mode $engine "${limited[@]}"
    counted=$(sed 1d "$tmp/$engine.csv" | awk -F, '$4 != "" { print $1 }')
    same "the counts of the $engine engine are those of --stats" \
        "$(for event in $counted; do
            echo "$event,$(query get "$tmp/plain.json" "events.$event")"; done)" \
        "$(sed 1d "$tmp/$engine.csv" | awk -F, '$4 != "" { print $1 "," $4 }')"
    for event in loads stores branches_taken calls; do
        same "$event of the $engine engine are those of the detailed one" \
            "$(field all $event 4)" "$(field $engine $event 4)"
    done
done
same "events that are not counted have no rate" 0 "$(grep -c 'per cycle' "$tmp/fast.out")"
same "the warm engine counts misses" yes "$([ "$(field warm l1d_read_miss 4)" -gt 0 ] && echo yes)"
run counted --mode warm --count l1d_read_miss --count l1d_read_miss:user "${limited[@]}"
same "--count has them, too, without a filter" "$(field warm l1d_read_miss 4) counted" \
    "$(awk '$2 == "l1d_read_miss" { gsub(",", ""); print $1 }
        $3 == "l1d_read_miss:user" { print $2 }' "$tmp/counted.err" | xargs)"

# ---- several runs -------------------------------------------------------------------------------

small=(--set l1d.replacement=random --set l1d.kib=1 --set l1d.ways=4)
stat -e cycles,loads -r 3 "${small[@]}" --csv "$tmp/runs.csv" "${limited[@]}" >"$tmp/runs.out"
for seed in 1 2 3; do
    same "run $seed is that of its seed" "$(truth cycles "${small[@]}" --set machine.seed=$seed)" \
        "$(field runs cycles $((3 + seed)))"
done
same "mean and deviation are those of the runs" yes "$(awk -F, '$1 == "cycles" {
    mean = ($4 + $5 + $6) / 3
    deviation = sqrt((($4 - mean) ^ 2 + ($5 - mean) ^ 2 + ($6 - mean) ^ 2) / 2)
    off = ($2 - mean) ^ 2 + ($3 - deviation) ^ 2
    print (off < 1e-6 && deviation > 0) ? "yes" : mean " " deviation }' "$tmp/runs.csv")"
same "a count without chance has no spread" 0 "$(field runs loads 3)"

# ---- intervals ----------------------------------------------------------------------------------

for harts in 1 2; do
    stat -e cycles,loads,l1i_miss -I 7000 --harts $harts --csv "$tmp/time.csv" \
        --json "$tmp/time.json" "${limited[@]}" >"$tmp/time.out"
    for event in cycles loads l1i_miss; do
        same "intervals of $event add up to the run without them, harts: $harts" \
            "$(truth $event --harts $harts)" \
            "$(awk -F, -v event=$event '$2 == event { n += $3 } END { print n }' "$tmp/time.csv")"
    done
done
stat -e cycles -I 7000 --csv "$tmp/time.csv" "${limited[@]}" >"$tmp/time.out"
same "every interval but the last has its length" "7000" \
    "$(sed '1d; $d' "$tmp/time.csv" | cut -d, -f3 | sort -u)"
same "every interval ends where its cycles say" "" \
    "$(awk -F, 'NR > 1 && $1 != (sum += $3)' "$tmp/time.csv")"
same "JSON has the same intervals" "$(($(wc -l <"$tmp/time.csv") - 1))" \
    "$(stat -e cycles -I 7000 --json - "${limited[@]}" |
        python3 -c 'import json, sys; print(len(json.load(sys.stdin)["intervals"]))')"

# ---- slots --------------------------------------------------------------------------------------

run plain --quiet --profile "$tmp/plain.prof" "${limited[@]}"
stat -e cycles --topdown "${limited[@]}" >"$tmp/topdown.out"
same "the top-down tree is that of the report" \
    "$("$RVSIM" report --topdown "$tmp/plain.prof" | sed -n '/dispatch slots/,$p')" \
    "$(sed -n '/dispatch slots/,$p' "$tmp/topdown.out")"

# ---- refusals, Ctrl-C ---------------------------------------------------------------------------

refused() {
    local name=$1 message=$2
    shift 2
    stat "$@" "${limited[@]}" >"$tmp/none.out"
    same "$name" "2 rvsim: error: $message" "$? $(cat "$tmp/stat.err" "$tmp/none.out")"
}
stat -e loads,loads:u,loads:k --csv "$tmp/parts.csv" "${limited[@]}" >"$tmp/parts.out"
same "without the guest kernel all is in user mode" "$(truth loads) $(truth loads) 0" \
    "$(for row in loads loads:u loads:k; do field parts $row 4; done | xargs)"
refused "other filters are for another option" \
    "stat: --event loads:marked: expected :u, :k or :uk; other filters are for \`rvsim --count\`" \
    -e loads:marked
refused "no run at all" "stat: --repeat 0: expected a whole number from 1 to 10000" -r 0
refused "intervals of several runs" "stat: --interval is for a single run, without --repeat" \
    -I 100 -r 2
refused "one profile of several runs" "stat: --profile is for a single run, without --repeat" \
    --profile "$tmp/several.prof" -r 2
refused "intervals without cycles" \
    "stat: --interval and --topdown are about cycles; they need --mode detailed" \
    --mode fast -I 100
refused "an unknown letter" "stat: unknown option -x; options start with --" -x
refused "an unknown event" \
    "stat: --event cycels: no such event (see rvsim events); did you mean cycles?" -e cycels
refused "an event by its name in perf" \
    "stat: --event branch-misses: no such event (see rvsim events); did you mean \
branches_mispredicted?" -e cycles,branch-misses
refused "a pattern of no event" "stat: --event zz*: no event matches (see rvsim events)" -e 'zz*'
refused "a group without its end" "stat: --event {cycles: expected a } at the end of the group" \
    -e '{cycles'
same "groups in braces, and all events of a pattern, each once" \
    "cycles loads l2_access l2_access_miss" \
    "$(stat -e '{cycles,loads},l2_acc*' -e 'l2_access*' "${limited[@]}" |
        awk '$1 ~ /^[0-9]/ { print $2 }' | xargs)"
stat -e >"$tmp/none.out"
same "a letter without its value" "2 rvsim: error: stat: --event needs EVENT,..." \
    "$? $(cat "$tmp/stat.err" "$tmp/none.out")"

build_bare two_routines -DWORKER=400000000
env --default-signal=INT timeout --preserve-status -s INT 1 "$RVSIM" stat --no-progress -e cycles \
    "$tmp/two_routines" >"$tmp/stopped.out" 2>"$tmp/stopped.err"
same "Ctrl-C shows what was counted until then" "130 1" \
    "$? $(grep -c '[0-9]  cycles' "$tmp/stopped.out")"
