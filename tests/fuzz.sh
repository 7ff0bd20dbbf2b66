#!/usr/bin/env bash
# Fuzzes: tests/fuzz.sh BUILD SECONDS tests/fuzz/NAME_fuzz.c...
# Seeds are in tests/fuzz/seeds/NAME/. A run keeps inputs that reach new code in BUILD/corpus/NAME/,
# and inputs that fail in BUILD/NAME-*. Ends with `N passed, N failed`, counting targets.
set -u
cd "$(dirname "$0")/.." || exit 1

build=$1 seconds=$2 passed=0 failed=0
shift 2
for source in "$@"; do
    name=$(basename "$source" _fuzz.c)
    corpus=$build/corpus/$name
    mkdir -p "$corpus"
    seeds=()
    [ -d "tests/fuzz/seeds/$name" ] && seeds=("tests/fuzz/seeds/$name")
    if "$build/${source%.c}" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=10 \
        -artifact_prefix="$build/$name-" -print_final_stats=1 "$corpus" "${seeds[@]}" \
        >"$build/$name.log" 2>&1 </dev/null; then
        passed=$((passed + 1))
        printf 'ok   %-24s %s runs\n' "$name" "$(awk '/number_of_executed_units/ {print $2}' \
            "$build/$name.log")"
    else
        failed=$((failed + 1))
        printf 'FAIL %-24s whole log: %s\n' "$name" "$build/$name.log"
        grep -E 'SUMMARY|ERROR|Test unit written' "$build/$name.log" | sed 's/^/        /'
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
