#!/usr/bin/env bash
# The reference pages in docs/reference are what the tables in the source say.
set -u
unset MAKEFLAGS MAKELEVEL DEPS
make O="$BUILD" docs REFERENCE="$TEST_TMP" >&2 || { echo "not ok the page generator runs"; exit 1; }
for page in "$TEST_TMP"/*.md; do
    name=$(basename "$page")
    if cmp -s "$page" "docs/reference/$name"; then
        echo "ok docs/reference/$name is up to date"
    else
        echo "not ok docs/reference/$name is up to date (run make docs)"
    fi
done
