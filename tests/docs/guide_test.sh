#!/usr/bin/env bash
# Every console block of the user guide and the README does what it shows.
#
# In a block ```console, a line "$ COMMAND" is run in a directory that holds copies of the example
# programs and their metadata; the lines up to the next command are its output (both streams). A line
# "..." stands for any number of lines, "~" inside a line for any text.
set -u
mkdir -p "$TEST_TMP/work" && cd "$TEST_TMP/work" || exit 1
top=$OLDPWD
for example in "$top"/guest/examples/*/; do
    name=$(basename "$example")
    cp "$GUEST/$name" . 2>/dev/null
    cp "$example"*.meta "$example"*.c . 2>/dev/null
done
PATH=$(dirname "$RVSIM"):$PATH

# Splits a page into NNN.command and NNN.expected.
split_page() {
    awk -v out="$TEST_TMP/" '
        /^```console$/ { inside = 1; next }
        /^```$/ { inside = 0; next }
        !inside { next }
        /^\$ / { n++; name = sprintf("%s%03d", out, n); print substr($0, 3) > (name ".command")
                 printf "" > (name ".expected"); next }
        n { print > (name ".expected") }' "$1"
}

# Does FILE match the pattern of EXPECTED?
matches() {
    awk '
        function escape(text) { gsub(/[][\\.^$*+?(){}|]/, "\\\\&", text); gsub(/~/, ".*", text); return text }
        NR == FNR { want[++wants] = $0; next }
        { have[++haves] = $0 }
        function fits(w, h) {
            for (; w <= wants; w++, h++) {
                if (want[w] == "...") {
                    for (; h <= haves + 1; h++) if (fits(w + 1, h)) return 1
                    return 0
                }
                if (h > haves || have[h] !~ ("^" escape(want[w]) "$")) return 0
            }
            return h > haves
        }
        END { exit !fits(1, 1) }' "$1" "$2"
}

for page in README.md docs/guide.md; do
    rm -f "$TEST_TMP"/*.command "$TEST_TMP"/*.expected
    split_page "$top/$page"
    for command in "$TEST_TMP"/*.command; do
        [ -f "$command" ] || continue
        expected=${command%.command}.expected
        timeout 120 bash "$command" >"$TEST_TMP/output" 2>&1 </dev/null
        name="$page: $(head -1 "$command")"
        if matches "$expected" "$TEST_TMP/output"; then
            echo "ok $name"
        else
            echo "not ok $name"
            diff "$expected" "$TEST_TMP/output" | head -20 | sed 's/^/# /'
        fi
    done
done
