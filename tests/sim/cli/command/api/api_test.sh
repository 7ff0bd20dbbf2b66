#!/usr/bin/env bash
# rvsim api: costs of calls, from records.
. tests/sim/cli/lib.sh

# The program of the example: for i from 1 to 100, for j from 1 to 3: A(j) B(j) C(j).
awk 'BEGIN { print "function,cost,n"
    split("A 3 B 107 C 819 A 7 B 120 C 1560 A 22 B 115 C 1800", word, " ")
    for (i = 1; i <= 100; i++)
        for (j = 1; j <= 18; j += 2) print word[j] ",allocated," word[j + 1] }' >calls.csv
# NAME BUCKET=COUNT... of each function, by the table's head.
counts() {
    awk -v want="$1, $2:" '/: calls by/ { on = index($0, want) == 1; next } !on || !NF { next }
        $1 == "function" { for (i = 5; i <= NF; i++) bucket[i - 4] = $i; n = NF - 4; next }
        { printf "%s", $1; for (i = 1; i <= n; i++) { c = $(NF - n + i); if (c) printf " %s=%s",
            bucket[i], c }; print "" }' | sort
}
table1="A 1=100 2=100 4=100
B 6=300
C 9=100 10=200"
same "records give table 1 (P6)" "$table1" \
    "$("$RVSIM" api --from calls.csv | counts allocated inclusive)"
same "exclusive costs equal inclusive ones where nothing calls" "$table1" \
    "$("$RVSIM" api --from calls.csv | counts allocated exclusive)"
"$RVSIM" api --from calls.csv --json once.json >text
same "tables of two runs add" "A 1=200 2=200 4=200
B 6=600
C 9=200 10=400" "$("$RVSIM" api --from once.json --from calls.csv | counts allocated inclusive)"
same "a table as JSON is the table of its records" "$("$RVSIM" api --from calls.csv --json -)" \
    "$("$RVSIM" api --from once.json --json -)"

printf '%s\n' 'main;A;C,cycles,40' 'main;B,cycles,9' 'main;B,cycles,0' >stacks.csv
same "functions of one stack are timed in different runs" \
    "4 functions, 3 runs to time each undisturbed" \
    "$("$RVSIM" api --from stacks.csv --groups | head -1)"
same "a histogram names its buckets" "0:1 1:0 2 to 3:0 4 to 7:0 8 to 15:1 " \
    "$("$RVSIM" api --from stacks.csv --histogram B |
        awk 'NR > 1 && NR < 7 { sub(/ *█.*$/, ""); n = $NF; sub(/ +[0-9]+$/, ""); sub(/^ */, "")
            printf "%s:%s ", $0, n }')"
same "no colour goes into a file" "" "$("$RVSIM" api --from stacks.csv | grep $'\033')"
if command -v script >/dev/null; then
    matches "colour goes to a terminal" $'\033' \
        "$(TERM=xterm NO_COLOR='' script -qec "$RVSIM api --from stacks.csv" /dev/null </dev/null)"
    same "unless NO_COLOR is set" "" "$(NO_COLOR=1 script -qec "$RVSIM api --from stacks.csv" \
        /dev/null </dev/null | grep $'\033')"
fi
"$RVSIM" api --from stacks.csv --svg x.svg --html x.html >text
if command -v xmllint >/dev/null; then
    same "the SVG is well-formed" "" "$(xmllint --noout x.svg 2>&1)"
fi
long=$(printf 'ns::%.0s' {1..30})f
{ echo "$long,cycles,70"; echo 'g<int>(),cycles,5'; } >long.csv
"$RVSIM" api --from long.csv --svg long.svg >text
same "a picture is as wide as its spectra, with their limits, and clips long names" \
    "652 4 to 127 …" "$(sed -n 's/^<svg .* width="\([0-9]*\)" height.*/\1/p' long.svg) $(
        grep -o '4 to 127' long.svg | head -1) $(
        grep -F "<title>$long</title>" long.svg | grep -o '…' | head -1)"
matches "the page shows who called" 'main;A;C' "$(<x.html)"
printf '%s\n' 'main;int geo::twice<int>(int),cycles,40' 'main;geo::Shape::area(),cycles,7' \
    'main;geology(),cycles,3' >names.csv
same "a namespace has its templates, too, whatever they return" \
    'geo::Shape::area()
int geo::twice<int>(int)' "$("$RVSIM" api --from names.csv --function 'geo::*' --json - |
        sed -n 's/^ *"function": *"\(.*\)",*$/\1/p; s/.*"function":"\([^"]*\)".*/\1/p' | sort -u)"
refused "a directory is told" ".: Is a directory" api --from .
refused "a file without a line is reported" "/dev/null: has no line; expected function,cost,n" \
    api --from /dev/null
for number in "submit-share 101 100" "submit-share -1 100" "seed x 18446744073709551615"; do
    read -r option value most <<<"$number"
    refused "--$option $value is refused before the run" \
        "api: --$option $value: expected a whole number from 0 to $most" \
        api --"$option" "$value" no_program
done
refused "files are needed" "api: expected a program, or --from FILE" api
refused "a function without records is refused" \
    "--histogram maim: no record of it; did you mean main?" api --from stacks.csv --histogram maim
