#!/usr/bin/env bash
# Runs tests: tests/run.sh LOG_DIR BUILD... -- TEST...
#
# TEST is the path of a source below tests/. A .c file is a cmocka program, run from the last BUILD
# directory: the sanitized one. If it does less when sanitized (it names __SANITIZE_ADDRESS__), and
# with PLAIN=1, it runs once from each; a case passes when it passes in all of them. A .sh file runs
# once, on the first BUILD's simulator, and prints one line `ok NAME`, `not ok NAME` or
# `ok NAME # SKIP REASON` per case.
# Both see, as absolute paths: RVSIM (the simulator), GUEST (guest programs), BUILD, DEPS (fetched
# packages), TOOLS (readers of the files that runs write), TEST_TMP (an empty directory of their
# own); they start in the top folder. The tests of tests/longest.txt begin first, in its order, so
# that no processor waits for them at the end. JOBS tests (default 2) and two more run at a time,
# because tests wait for a third of their time; each runs for TEST_TIMEOUT seconds at most (default
# 1800). A test's line ends with the seconds that it took, and the seconds in which it kept a
# processor busy. RVSIM_PROGRESS=0 keeps progress out of the error output, however slow the machine.
# A BUILD that holds a file build-failed is one more failure. The last line is `N passed, N failed`,
# counting cases; status 1 if any failed or none passed.
set -u
cd "$(dirname "$0")/.." || exit 1

mkdir -p "$1" && logs=$(realpath "$1") && shift || exit 1
builds=() tests=()
while [ "$1" != -- ]; do builds+=("$(realpath -m "$1")"); shift; done
shift
count=$#

total_passed=0 total_failed=0 total_skipped=0 finished=0 running=0
declare -A started name_of is_given
for source in "$@"; do is_given[$source]=1; done
while read -r source; do
    [ -e "$source" ] || { echo "FAIL: tests/longest.txt: no test $source"; ((total_failed++)); }
    [ -z "${is_given[$source]:-}" ] || tests+=("$source")
    unset "is_given[$source]"
done < <(grep -v '^#' tests/longest.txt)
for source in "$@"; do [ -z "${is_given[$source]:-}" ] || tests+=("$source"); done

export DEPS CMOCKA_MESSAGE_OUTPUT=TAP RVSIM_PROGRESS=0
DEPS=$(realpath -m "${DEPS:-.deps}")
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}

# builds_of SOURCE: the builds from which the test runs
builds_of() {
    case $1 in
    *.sh) echo "${builds[0]}" ;;
    *) if [[ -n ${PLAIN:-} || $(<"$1") = *__SANITIZE_ADDRESS__* ]]; then
            printf '%s\n' "${builds[@]}"
        else
            echo "${builds[-1]}"
        fi ;;
    esac
}

# The programs of tests/programs that run on the host.
export TOOLS=$logs/tools
build_tools() {
    local tool
    mkdir -p "$TOOLS/path"
    for tool in expected stats_query; do
        ${CC:-cc} -std=gnu17 -O1 "tests/programs/$tool.c" -o "$TOOLS/$tool" -lelf -lcjson || exit 1
    done
}

# The distribution's python3 comes before others: it sees the packages of tests/setup.sh, and begins
# in a fifth of the time of one that is found through shell scripts.
prefer_python() { [ ! -x /usr/bin/python3 ] || ln -sf /usr/bin/python3 "$TOOLS/path/python3"; }

# tally STATUS IS_PROGRAM < output: "passed failed skipped". A case that was planned but never
# reported, a bad exit, and a test without any case each count as a failure.
tally() {
    awk -v status="$1" -v program="$2" '
        /^1\.\.[0-9]+/ { planned += substr($0, 4) }
        /^(not )?ok .*# SKIP/ { skipped++; next }
        /^ok / { passed++ }
        /^not ok / { failed++ }
        END {
            missing = planned - passed - failed - skipped
            if (missing > 0) failed += missing
            if (!failed && (status || (!passed && !skipped) || (program && missing))) failed = 1
            print passed + 0, failed + 0, skipped + 0
        }'
}

# Runs COMMAND with its output in LOG; appends failures that the test's own lines do not report.
run_logged() {
    local log=$1 status
    shift
    timeout -k 5 "${TEST_TIMEOUT:-1800}" "$@" >"$log" 2>&1 </dev/null
    status=$?
    [ $status != 124 ] || echo "timed out after ${TEST_TIMEOUT:-1800} s" >>"$log"
    [ $status = 0 ] || echo "exit status $status" >>"$log"
    return $status
}

# The times that `times` prints for a shell's children, "1m2.345s 0m6.789s", in seconds.
busy_seconds() {
    local user system
    { read -r; read -r user system; } <"$1"
    echo $((($(milliseconds "$user") + $(milliseconds "$system") + 500) / 1000))
}
milliseconds() {
    local seconds=${1#*m}
    echo $((${1%m*} * 60000 + 10#${seconds//[!0-9]/}))
}

# Runs one test in each build it belongs to; leaves NAME.log and NAME.tally.
run_one() {
    local source=$1 name=$2 log=$logs/$2.log passed=-1 failed=0 skipped=0 build p f s status
    export TEST_TMP=$logs/$name.tmp
    [ ! -e "$TEST_TMP" ] || rm -rf "$TEST_TMP"
    mkdir -p "$TEST_TMP" && : >"$log"
    while read -r build; do
        export BUILD=$build RVSIM=$build/rvsim GUEST=${builds[0]}/guest
        case $source in
        *.c) run_logged "$log.part" "$build/${source%.c}" ;;
        *) run_logged "$log.part" bash "$source" ;;
        esac
        status=$?
        read -r p f s < <(tally $status "$([[ $source = *.c ]] && echo 1)" <"$log.part")
        { echo "# ${source} in $build"; cat "$log.part"; } >>"$log"
        ((passed = passed < 0 || p < passed ? p : passed))
        ((failed = f > failed ? f : failed, skipped = s > skipped ? s : skipped))
    done < <(builds_of "$source")
    times >"$log.part"                  # not in $(...), which has no children yet
    echo "$passed $failed $skipped $(busy_seconds "$log.part")" >"$logs/$name.tally"
    [ "$failed" = 0 ] || TEST_TMP=
    rm -rf "$log.part" ${TEST_TMP:+"$TEST_TMP"}
}

report() {
    local name=$1 passed failed skipped busy verdict=ok
    read -r passed failed skipped busy <"$logs/$name.tally"
    ((total_passed += passed, total_failed += failed, total_skipped += skipped, finished++))
    [ "$failed" = 0 ] || verdict=FAIL
    printf '[%*d/%d] %-4s %-36s %3d passed' \
        ${#count} "$finished" "$count" $verdict "$name" "$passed"
    [ "$failed" = 0 ] || printf ', %d failed' "$failed"
    [ "$skipped" = 0 ] || printf ', %d skipped' "$skipped"
    printf '  %s s, busy %s s\n' $((SECONDS - started[$name])) "$busy"
    [ "$failed" = 0 ] || { grep -E '^not ok' "$logs/$name.log"
        tail -n 25 "$logs/$name.log"; echo "whole log: $logs/$name.log"; } | sed 's/^/        /'
}

reap() {
    local pid
    wait -n -p pid
    report "${name_of[$pid]}"
    ((running--))
}

[[ " ${tests[*]} " != *".sh "* ]] || { build_tools; prefer_python; PATH=$TOOLS/path:$PATH; }
for source in "${tests[@]}"; do
    name=${source#tests/}
    name=${name%.*}
    [ "$running" -lt $((${JOBS:-2} + 2)) ] || reap
    [ ! -e "$logs/$name.tally" ] || rm "$logs/$name.tally"
    started[$name]=$SECONDS
    run_one "$source" "$name" &
    name_of[$!]=$name
    ((running++))
done
while [ "$running" -gt 0 ]; do reap; done
for build in "${builds[@]}"; do
    [ ! -e "$build/build-failed" ] || { echo "FAIL: $build did not build"; ((total_failed++)); }
done

[ "$total_skipped" = 0 ] || echo "$total_skipped skipped"
echo "$total_passed passed, $total_failed failed" | tee "$logs/summary"
[ "$total_failed" = 0 ] && [ "$total_passed" -gt 0 ]
