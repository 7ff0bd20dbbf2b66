#!/usr/bin/env bash
# Pages run as from a fresh clone, whatever a reader of them has made in this one.
set -u
. tests/cases.sh
mkdir -p "$TEST_TMP/clone/try" "$TEST_TMP/build/examples" "$TEST_TMP/scratch"
echo mine >"$TEST_TMP/clone/try/text"
echo tracked >"$TEST_TMP/clone/file"
echo example >"$TEST_TMP/build/examples/text"
cat >"$TEST_TMP/page.md" <<'END'
```console
$ cp -rL build/examples try && cd try
$ cat text ../file
example
tracked
```
END
same "a reader's own try is neither read nor changed" "0
mine" "$(
    python3 tests/docs/pages.py --start "$TEST_TMP/page.md" --clone "$TEST_TMP/clone" \
        --build "$TEST_TMP/build" --scratch "$TEST_TMP/scratch" "$TEST_TMP/page.md" \
        >"$TEST_TMP/log" 2>&1
    grep -c '^not ok' "$TEST_TMP/log"
    cat "$TEST_TMP"/clone/try/*)"
same "the page's commands were run" 2 "$(grep -c '^ok' "$TEST_TMP/log")"
