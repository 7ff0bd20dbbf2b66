# Sourced: runs the console blocks of pages, so that every page does what it shows.
#
# The blocks of a page are taken in order, in a directory of the page's own that holds the example
# programs, their sources and metadata, and in include/ what `make install` puts there.
#   ```console           A line "$ COMMAND" is run; the lines up to the next command are its output
#                        (both streams). A line "..." stands for any number of lines, "~" inside a
#                        line for any text. A command goes on behind a backslash at its line's end.
#   ```console numbers   The same, but a number stands for any number, blanks for any blanks: for
#                        figures that belong to the timing model rather than to the program.
#   ```LANGUAGE FILE     The block is the content of FILE.
set -u
top=$PWD
PATH=$(dirname "$RVSIM"):$PATH
export PKG_CONFIG_PATH=$BUILD RVSIM_SHARE=$BUILD
steps=$TEST_TMP/steps

make_directory() {
    local example
    mkdir -p "$1/include/pmu" "$1/include/isa"
    cp guest/examples/bare.* "$1"
    for example in guest/examples/*/; do
        cp "$GUEST/$(basename "$example")" "$example"* "$1"
    done
    cp -r guest/include/rvsim "$1/include"
    cp pmu/abi*.h "$1/include/pmu"
    cp isa/hint.h "$1/include/isa"
}

# Splits a page into steps: NNN.file (content) with NNN.name, or NNN.command with NNN.expected and,
# in a block of numbers, NNN.numbers.
split_page() {
    awk -v out="$steps/" '
        function step() { return sprintf("%s%03d", out, ++n) }
        /^```$/ { kind = ""; file = ""; next }
        /^```console( numbers)?$/ { kind = "console"; numbers = NF == 2; file = ""; next }
        /^```[a-z]+ [^ ]+$/ { kind = "file"; file = step(); print $2 > (file ".name"); next }
        kind == "file" { print > (file ".file"); next }
        kind == "" { next }
        more { print > (file ".command"); more = /\\$/; next }
        /^\$ / {
            file = step()
            print substr($0, 3) > (file ".command")
            printf "" > (file ".expected")
            if (numbers) printf "" > (file ".numbers")
            more = /\\$/
            next
        }
        file != "" { print > (file ".expected") }' "$1"
}

# Does the file $2 match the pattern in $1? $3 is 1 when numbers do not matter.
matches() {
    awk -v numbers="$3" '
        function plain(text) {
            if (!numbers) return text
            gsub(/0x[0-9a-f]+|[0-9][0-9,]*(\.[0-9]+)?/, "0", text)
            gsub(/[ \t]+/, " ", text)
            return text
        }
        function escape(text) {
            gsub(/[][\\.^$*+?(){}|]/, "\\\\&", text)
            gsub(/~/, ".*", text)
            return text
        }
        NR == FNR { want[++wants] = plain($0); next }
        { have[++haves] = plain($0) }
        function fits(w, h) {
            for (; w <= wants; w++) {
                if (want[w] == "...") {
                    for (; h <= haves + 1; h++) if (fits(w + 1, h)) return 1
                    return 0
                }
                if (h > haves || have[h] !~ ("^" escape(want[w]) "$")) return 0
                h++
            }
            return h > haves
        }
        END { exit !fits(1, 1) }' "$1" "$2"
}

run_step() {
    local step=$1 page=$2 numbers=0 name
    if [ -e "$step.name" ]; then
        cp "$step.file" "$(cat "$step.name")"
        return
    fi
    timeout 120 bash "$step.command" >"$TEST_TMP/output" 2>&1 </dev/null
    [ -e "$step.numbers" ] && numbers=1
    name="$page: $(head -1 "$step.command")"
    if matches "$step.expected" "$TEST_TMP/output" $numbers; then
        echo "ok $name"
    else
        echo "not ok $name"
        diff "$step.expected" "$TEST_TMP/output" | head -20 | sed 's/^/# /'
    fi
}

# run_pages PAGE...
run_pages() {
    local page step
    for page in "$@"; do
        rm -rf "$steps" "$TEST_TMP/work"
        mkdir -p "$steps"
        make_directory "$TEST_TMP/work"
        split_page "$page"
        cd "$TEST_TMP/work" || exit 1
        for step in $(find "$steps" -name '*.name' -o -name '*.command' | sort); do
            run_step "${step%.*}" "$page"
        done
        cd "$top" || exit 1
    done
}
