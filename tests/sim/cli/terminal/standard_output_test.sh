#!/usr/bin/env bash
# Standard output ("-") gets only the file that is written there: the program's output goes to
# standard error. No file is named "-", two files for standard output are refused, and a full disk
# is a failure.
. tests/sim/cli/lib.sh
cat >says.c <<'END'
#include <stdio.h>

__attribute__((noinline)) int work(int n)
{
    int sum = 0;

    for (volatile int i = 0; i < n; i++)
        sum += i;
    return sum;
}

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 30; i++) {
        puts("a word of the program");
        sum += work(100 + i);
    }
    return sum == 0;
}
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static says.c -o says 2>log ||
    not_ok "the program builds" "$(<log)"
rv --quiet --oracle --profile p.prof says

is_json() { python3 -c 'import json, sys; json.load(sys.stdin); print("JSON")' <rv.out 2>&1; }

# Each command with a file; kind "program": the command runs the program. KIND ARGUMENT...
while read -r kind arguments; do
    rv $arguments says
    same "$arguments: succeeds" 0 "$status"
    case $kind in
    json) same "$arguments: is JSON" JSON "$(is_json)" ;;
    *) same "$arguments: begins as such a file" 1 "$(head -n 1 rv.out | grep -c -- "^$kind")" ;;
    esac
    same "$arguments: without the program's output" 0 "$(grep -ac '^a word' rv.out)"
done <<'END'
json --stats -
json --os kernel --mode fast --stats -
json --profile -
core --quiet --max-insns 2000 --trace commit:-
json stat --json -
event,mean stat --csv -
json record --output -
json compare-profilers --no-bias --json -
scheme, compare-profilers --no-bias --csv -
json tune --json -
json tune --profile -
# tune --output -
json scan --json -
function, scan --by function --output -
json thresholds --top 1 --json -
json mem --json -
pc,symbol mem --csv -
json callers --of work --json -
json branches --json -
address, branches --output -
json whatif --set l1d.kib=64 --json -
json active --section work --json -
{"traceEvents" active --section work --chrome -
json api --json -
<svg api --svg -
<!DOCTYPE api --html -
json sched --json -
{"traceEvents" sched --chrome -
json lock --json -
json idle --json -
json idle --chrome -
json hang --limit work=1M --json -
END
rv --quiet --stats - says
same "the program's output is on standard error then" 30 "$(grep -c '^a word' rv.err)"
rv --quiet says
same "without such a file the program's output is on standard output" \
    30 "$(grep -c '^a word' rv.out)"
build_levels
rv --quiet --stats - levels
same "a bare-metal program's output does not mix with the file" JSON "$(is_json)"
if command -v gnuplot >/dev/null; then
    rv costs --sweep frames --plot - says
    same "costs --plot - is a picture on standard output" 1 "$(head -n 1 rv.out | grep -c '<?xml')"
fi
same "no file is called -" "" "$(ls -- - 2>/dev/null)"

# A reader that leaves early; `| head -1` could leave before a write that is made at once ends.
early=
while read -r arguments; do
    mkfifo gone
    sh -c 'exec <gone; sleep 0.01' &
    "$RVSIM" $arguments >gone 2>rv.err </dev/null
    status=$?
    [ $status = 0 ] && ! grep -q error rv.err || early+=" [$arguments: $status $(tail -1 rv.err)]"
    wait
    rm gone
done <<END
--quiet --stats - says
--quiet --profile - says
--quiet --trace commit:- says
stat says
stat --json - says
mem says
mem --csv - says
api says
costs --sweep rate says
events
config
END
same "a reader that goes early is no error" "" "$early"
rv_full() { "$RVSIM" "$@" 2>&1 >/dev/full | tail -1; }
for arguments in "--quiet --stats -" "--quiet --trace commit:-" "mem --json -" mem; do
    matches "a full disk is one, and names standard output ($arguments)" \
        '^rvsim: error: standard output: ' "$(rv_full $arguments says)"
done

refused "two files cannot be standard output" "-: only one file can be standard output; \
name a file for each of the others" --stats - --profile - says
refused "nor can two of a command" "mem: only one file can be standard output; name a \
file for each of the others" mem --json - --csv - says

# ---- a profile through a pipe ------------------------------------------------------------------

same "report reads a profile from standard input" "$("$RVSIM" report p.prof)" \
    "$("$RVSIM" report - <p.prof)"
same "a standard input without a profile is told" \
    "rvsim: error: -: the file is empty; expected JSON as \`rvsim --profile\` writes it" \
    "$("$RVSIM" report - 2>&1 </dev/null)"

# ---- full disks -------------------------------------------------------------------------------

echo 'work 2 counter' >m.meta
full() {
    "$@" 2>err >/dev/full
    same "${*:2}: a full disk is a failure, and told" "2 1" "$? $(grep -c '^rvsim: error: .*' err)"
}
full "$RVSIM" events
full "$RVSIM" help
full "$RVSIM" config show default
full "$RVSIM" meta check m.meta says
full "$RVSIM" meta convert m.meta says --output -
full "$RVSIM" meta convert m.meta says --output /dev/full
full "$RVSIM" report p.prof
same "a full disk is no failure of a device" "0" "$(grep -c 'Input/output' err)"
full "$RVSIM" --quiet --stats - says
