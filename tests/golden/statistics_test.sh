#!/usr/bin/env bash
# An optimisation changes no statistic: programs on every preset give the statistics that
# statistics.txt holds digests of, and the same ones when idle cycles are not skipped.
# A change of the model does change them: `make golden` writes the file anew.
set -u
. tests/cases.sh
golden=tests/golden/statistics.txt

tests/golden/measure.sh "$TEST_TMP" || { not_ok "the programs build"; exit 1; }

# first_statistic PRESET: the first one whose digest differs, in the order in which they are written
first_statistic() {
    awk -v preset="$1" '
        $1 != "statistic" { next }
        { digest = ""; for (i = 3; i <= NF; i++) if ($i ~ "^" preset "=") digest = $i }
        NR == FNR { want[$2] = digest; next }
        { seen[$2] }
        !found && digest != want[$2] { found = $2 }
        END {
            for (name in want) if (!found && want[name] != "" && !(name in seen)) found = name
            print found == "" ? "none; a statistic of one hart" : found
        }' $golden "$TEST_TMP/table"
}

same "the programs are those that the statistics are of, byte for byte" \
    "$(grep '^binary' $golden)" "$(grep '^binary' "$TEST_TMP/table")"
same "every program passes on every preset" "" "$(cat "$TEST_TMP/failed")"
for preset in $(awk '$1 == "run" { print $2 }' $golden "$TEST_TMP/table" | sort -u); do
    want=$(grep "^run $preset " $golden)
    got=$(grep "^run $preset " "$TEST_TMP/table")
    if [ "$want" = "$got" ]; then ok "$preset: the statistics are the golden ones"
    else not_ok "$preset: the statistics are the golden ones" \
        "first statistic that differs: $(first_statistic "$preset")" \
        "preset, program, cycles, instructions, digest, expected (<) and found (>):" \
        "$(diff <(echo "$want") <(echo "$got") | grep '^[<>]')"
    fi
    same "$preset: skipping idle cycles changes no statistic" \
        "$(grep "^$preset " "$TEST_TMP/step")" "$(grep "^$preset " "$TEST_TMP/skip")"
done
