#!/usr/bin/env bash
# The reference pages in docs/reference agree with the tables in the source, and the guide has a
# place for every setting.
set -u
"$BUILD/docs/generate" "$TEST_TMP" >&2 || { echo "not ok the page generator runs"; exit 1; }
for page in "$TEST_TMP"/*.md; do
    name=$(basename "$page")
    if cmp -s "$page" "docs/reference/$name"; then
        echo "ok docs/reference/$name is up to date"
    else
        echo "not ok docs/reference/$name is up to date (run make docs)"
    fi
done

# A setting has a place by its key, or by its name in a line that has the key of another setting of
# the section. Settings that a cache shares with the cache before it have their place there.
missing=$("$RVSIM" config show default | awk '
    NR == FNR { line[++lines] = $0; next }
    function is_named(section, name,    i) {
        for (i = 1; i <= lines; i++)
            if (index(line[i], section "." name) ||
                (index(line[i], "`" section ".") && index(line[i], "`" name "`")))
                return 1
        return 0
    }
    /^\[/ { section = substr($1, 2, length($1) - 2); next }
    function is_as_before(section, name) {
        return (section ~ /^l(1i|2|3)$/ && is_named("l1d", name)) ||
               (section == "l3" && is_named("l2", name))
    }
    /^[a-z]/ && !is_named(section, $1) && !is_as_before(section, $1) { print section "." $1 }
    ' <(cat docs/guide/*.md) -)
if [ -z "$missing" ]; then echo "ok every setting has a place in docs/guide"
else
    echo "not ok every setting has a place in docs/guide"
    printf '%s\n' "$missing" | sed 's/^/#   /'
fi
