#!/usr/bin/env bash
# Every console block of the pages on the profiling hardware prints the output that it shows, and
# the list of these pages is complete. PAGES="a b": only docs/profiling/a.md and b.md.
set -u
mapfile -t pages < <(printf '%s\n' ${PAGES:-$(ls docs/profiling | grep -v '^README')} |
    sed 's|\(.md\)*$|.md|; s|^|docs/profiling/|')
tests/docs/pages.sh "${pages[@]}"
cd docs/profiling || exit 1
for page in "${pages[@]##*/}"; do
    if grep -qF "]($page)" README.md; then
        echo "ok docs/profiling/README.md lists $page"
    else
        echo "not ok docs/profiling/README.md lists $page"
    fi
done
missing=$(sed -n 's/^| \[[^]]*](\([a-z-]*\.md\)).*/\1/p' README.md | xargs -r ls 2>&1 >/dev/null)
if [ -z "$missing" ]; then
    echo "ok docs/profiling/README.md lists only pages that are there"
else
    echo "not ok docs/profiling/README.md lists only pages that are there"
    printf '# %s\n' "$missing"
fi
