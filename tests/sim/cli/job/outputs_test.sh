#!/usr/bin/env bash
# The files of a run: complete or absent; "-" is standard output; places that a run did not reach
# are reported. Numbers in options with their suffixes.
. tests/sim/cli/lib.sh
build_levels
build_ends

# ---- complete or not at all ------------------------------------------------------------------

options=(--stats s.json --stats s.csv --profile p.prof --trace commit:t.log.gz --trace kanata:k)
files=(s.json s.csv p.prof t.log.gz k)
old() { for file in "${files[@]}"; do echo old >"$file"; done; }
kept() { for file in "${files[@]}"; do cmp -s "$file" <(echo old) || echo "$file"; done; }

old
rv "${options[@]}" --quiet levels
same "a run replaces its files" "${files[*]}" "$(kept | xargs)"
same "nothing else is left beside them" "" "$(ls | grep -F .part)"

old
"$RVSIM" "${options[@]}" --quiet ends spin >log 2>&1 </dev/null &
pid=$!
sleep 0.5
kill -9 $pid
wait $pid 2>/dev/null
same "a run that is killed leaves the old files" "" "$(kept)"
# A file system that has no files without a name keeps the temporary files.
python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_WRONLY)' 2>log || rm -f ./*.part
same "a run that is killed leaves no other file" "" "$(ls | grep -F .part)"

# The limit on a file's size stands in for a full disk.
old
(ulimit -f 4; "$RVSIM" --stats s.json --profile p.prof --trace kanata:k --quiet \
    ends >log 2>&1)
same "a full disk leaves the old files, with status 2" "2|" "$?|$(kept)"
matches "a full disk is told" "^rvsim: error: .*(cannot be written|not be written)" "$(<log)"
same "a full disk leaves no half file" "" "$(ls | grep -F .part)"
rv --quiet --profile whole.prof levels
(ulimit -f 1; "$RVSIM" report --json r.json whole.prof >log 2>&1)
same "nor does a report" "2|" "$?|$(ls | grep -E '^r\.json|\.part')"

# A file that cannot be written is reported before the program runs; this program never ends.
told=0 silent=
for command in stat record top compare-profilers tune scan thresholds mem "callers --of main" \
    branches costs "whatif --set rob.entries=64" "hang --limit main=100" "active --section main" \
    api sched lock idle; do
    for option in $("$RVSIM" help "${command%% *}" | grep -oE '^  --[a-z-]+ FILE[.a-z]*( |$)' |
        awk '$1 !~ /^--(from|module)$/ {print $1}'); do
        said=$(timeout -k 5 10 "$RVSIM" $command "$option" none/x.svg ends spin 2>&1 </dev/null)
        [ "$?|$said" = "2|rvsim: error: none/x.svg: No such file or directory" ] &&
            told=$((told + 1)) || silent+=" ${command%% *} $option"
    done
done
same "each command tells at once of a file that it could not write" "43|" "$told|$silent"

# Nor does an output replace a program.
cp levels program
for option in "--profile program" "--trace commit:program"; do
    rv --quiet $option program
    same "an output is not written over a program: $option" "2|rvsim: error: program: is a program,\
 which the output would replace; expected the name of another file" "$status|$err"
done
rv record -o program program
same "by no command" "2 1" "$status $(grep -c 'program: is a program' <<<"$err")"
rv --quiet --profile whole.prof program
rv report --folded program whole.prof
same "nor by a report" "2 1" "$status $(grep -c 'program: is a program' <<<"$err")"
echo '_start * counter' >start.meta
rv meta convert start.meta --output marked program
rv meta convert start.meta --output marked program
same "a program that is the output is replaced, and the first one stays" "0|" \
    "$status|$(cmp levels program 2>&1)"

rv --trace kanata:k --max-insns 20 --quiet levels
same "a trace that a limit cuts says so at its end" \
    "// the run was stopped by --max-insns: this trace ends early" "$(tail -n 1 k)"
for kind in kanata o3pipeview; do
    rv --trace $kind:k --trace-from 5 --trace-to 20 --max-insns 40 --quiet levels
    same "a trace whose window was over does not say so, $kind" "" "$(grep 'ends early' k)"
    rv --trace $kind:k --trace-to 21 --max-insns 20 --quiet levels
    matches "a trace that a limit cuts inside its window says so, $kind" "ends early" "$(cat k)"
done
rv --trace o3pipeview:o --quiet levels
same "a trace of the whole run says nothing" "" "$(grep -v ^O3PipeView o)"

# ---- standard output --------------------------------------------------------------------------

rv --trace commit:t --quiet levels
rv --trace commit:- --quiet levels
same "--trace commit:- is standard output" "$(<t)" "$out"
rv --profile p.prof --quiet levels
rv --profile - --quiet levels
same "--profile - is standard output" "$(sed '/"command"/d' p.prof)" \
    "$(sed '/"command"/d' <<<"$out")"
rv --stats - --quiet levels
matches "--stats - is JSON on standard output" '"schema": 1' "$out"
rv meta create --counter '*' --output - levels
matches "meta create --output - is standard output" 'counter' "$out"
same "no file is called -" "" "$(ls -- - 2>/dev/null)"

# ---- what is not reached ----------------------------------------------------------------------

echo old >s.json
insns=$("$RVSIM" --mode fast ends 7 2>&1 | awk '/ instructions,/ {print $1}')
refused "a --roi that is never entered is an error" \
    "--roi touch_nothing: not reached: the program ended with status 7 after ${insns//,/}\
 instructions, and nothing was measured" --roi touch_nothing --stats s.json ends 7
same "such an error leaves the old statistics" old "$(<s.json)"
rv --harts 2 --roi touch_nothing ends 7
matches "of several harts it names the one that has to come there" \
    "^2 rvsim: error: --roi touch_nothing: not reached by hart 0: " "$status $err"
rv --fast-forward 1G levels
matches "a --fast-forward past the end is an error" \
    "^2 rvsim: error: --fast-forward 1000000000: not reached: .* nothing was measured" \
    "$status $err"
rv --fast-forward 1G --max-insns 5 levels
matches "the message names the limit that ended the run" \
    "not reached: --max-insns was reached" "$err"
rv --roi touch_nothing --timeout 0.3 ends spin
same "a time limit before --roi keeps its status" 124 "$status"
rv --roi exit ends segv
same "a trap before --roi keeps its status" 139 "$status"
rm -f t.log
rv --trace-from 1G --trace commit:t.log levels
matches "a --trace-from past the end is an error" \
    "^rvsim: error: --trace-from 1000000000: not" "$err"
same "a --trace-from past the end writes no trace" \
    "2|no" "$status|$([ -e t.log ] && echo yes || echo no)"
for mode in detailed fast; do
    rv --trace-from 20 --trace commit:t.log --max-insns 20 --quiet --mode $mode levels
    same "a --trace-from at the last instruction's end is not reached, $mode" "2|no" \
        "$status|$([ -e t.log ] && echo yes || echo no)"
    rv --trace-from 19 --trace commit:t.log --max-insns 20 --quiet --mode $mode levels
    same "a --trace-from at the last instruction has it, $mode" "0|1" "$status|$(wc -l <t.log)"
    rm -f t.log
done
rv --trace-from 1G --trace commit:t.log levels
matches "the run shows its measurement all the same" " instructions, .* cycles" "$err"
rv --roi main --roi-end touch_nothing ends 3
same "a --roi-end that is not reached keeps the status" 3 "$status"
matches "a --roi-end that is not reached is a warning" \
    "^rvsim: warning: --roi-end touch_nothing: not reached" "$err"

# ---- measured for a file ------------------------------------------------------------------------

rv --oracle --quiet levels
matches "--oracle without a file that has its cycles is said" \
    "^rvsim: warning: --oracle: its cycles are written to --profile FILE or --stats FILE" "$err"
rv --threads --quiet levels
matches "--threads without a profile is said" \
    "^rvsim: warning: --threads: its records are written to --profile FILE" "$err"
for file in "--stats x.csv" "--profile x.prof"; do
    rv --oracle --quiet $file levels
    same "with ${file% *} nothing is said" "7 " "$status $err"
done

# ---- numbers ----------------------------------------------------------------------------------

for pair in 1K=1000 2k=2000 0x10=16; do
    rv --max-insns "${pair%=*}" --mode fast ends spin
    matches "--max-insns ${pair%=*} is ${pair#*=}" "stopped at ${pair#*=} instructions" "$err"
done
for word in 10MM M 1.5M 99999999T 08x +5; do
    rv --max-insns "$word" levels
    same "--max-insns $word is refused" 2 "$status"
done
rv --max-insns 0 --max-cycles 0 levels
matches "a limit of 0 is none" "exit status" "$err"
refused "memory beyond what there can be names the range" \
    "--memory 1T: expected a size from 1M to 64G in steps of 1M, such as 512M or 2G" \
    --memory 1T levels
refused "memory of less than a MiB names the range" \
    "--memory 1600K: expected a size from 1M to 64G in steps of 1M, such as 512M or 2G" \
    --memory 1600K levels
rv --memory 65536K --quiet levels
same "memory may be given in KiB" "" "$err"
rv report --top 1K p.prof
same "a report takes them as well" 0 "$status"
