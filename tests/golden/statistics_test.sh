#!/usr/bin/env bash
# H1, H2: an optimisation changes no statistic. Programs on every preset, fig2 too, give the
# statistics whose digests are in statistics.txt, with and without skipping idle cycles. A change of
# the model does change statistics: `make golden` then writes the file anew.
set -u
. tests/cases.sh
golden=tests/golden/statistics.txt

tests/golden/measure.sh "$TEST_TMP" || { not_ok "the programs build"; exit 1; }

# differing PRESET: the first statistics whose digests differ, in the order in which they are
# written
differing() {
    awk -v preset="$1" '
        $1 != "statistic" { next }
        { digest = ""; for (i = 3; i <= NF; i++) if ($i ~ "^" preset "=") digest = $i }
        NR == FNR { want[$2] = digest; next }
        { seen[$2] }
        digest != want[$2] && found++ < 6 { names = names " " $2 }
        END {
            for (name in want)
                if (want[name] != "" && !(name in seen) && found++ < 6) names = names " " name
            print names == "" ? " none but those of single harts" : names
        }' $golden "$TEST_TMP/table"
}

same "the programs are those that the statistics are of, byte for byte" \
    "$(grep '^binary' $golden)" "$(grep '^binary' "$TEST_TMP/table")"
same "every program passes on every preset" "" "$(<"$TEST_TMP/failed")"
for preset in $(awk '$1 == "run" { print $2 }' $golden "$TEST_TMP/table" | sort -u); do
    want=$(grep "^run $preset " $golden)
    got=$(grep "^run $preset " "$TEST_TMP/table")
    if [ "$want" = "$got" ]; then ok "$preset: the statistics are the golden ones"
    else not_ok "$preset: the statistics are the golden ones" \
        "first statistics that differ:$(differing "$preset")" \
        "preset, program, cycles, instructions, digest, expected (<) and found (>):" \
        "$(diff <(echo "$want") <(echo "$got") | grep '^[<>]')"
    fi
    same "$preset: skipping idle cycles changes no statistic" \
        "$(grep "^$preset " "$TEST_TMP/step")" "$(grep "^$preset " "$TEST_TMP/skip")"
done
