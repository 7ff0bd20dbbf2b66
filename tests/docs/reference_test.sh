#!/usr/bin/env bash
# The reference pages in docs/reference are what the tables in the source say.
set -u
make -s O="$BUILD" "$BUILD/docs/generate" >&2 || { echo "not ok the page generator builds"; exit 1; }
"$BUILD/docs/generate" "$TEST_TMP" || { echo "not ok the page generator runs"; exit 1; }
for page in "$TEST_TMP"/*.md; do
    name=$(basename "$page")
    if cmp -s "$page" "docs/reference/$name"; then
        echo "ok docs/reference/$name is up to date"
    else
        echo "not ok docs/reference/$name is up to date (run make docs)"
    fi
done
