#!/usr/bin/env bash
# The profiling schemes on the programs of tests/bench/workloads: errors at the instruction level,
# the states of commit, the class, and the rank of each scheme, for each program and on the mean of
# a class.
#
# usage: tests/bench/profilers.sh [-m MACHINE] [-p PERIOD] [-r ROUNDS] [-c CYCLES] [-l LEVEL]
#                                 [PROGRAM...]
#   -m: preset or machine file (megaboom); -p: cycles between samples (997); -r: rounds of a program
#   (1); -c: stop each after that many cycles of its work; -l: instruction, block or function
#   (instruction). Without programs: all.
# Environment: RVSIM (build/rvsim), LINUX_CC (riscv64-linux-gnu-gcc). Exit status 1: a program
# does not build or run.
set -u
folder=$(dirname "$0")/workloads
rvsim=${RVSIM:-build/rvsim} cc=${LINUX_CC:-riscv64-linux-gnu-gcc}
machine=megaboom period=997 rounds=1 level=instruction cycles=

while getopts m:p:r:c:l: option; do
    case $option in
    m) machine=$OPTARG ;;
    p) period=$OPTARG ;;
    r) rounds=$OPTARG ;;
    c) cycles=$OPTARG ;;
    l) level=$OPTARG ;;
    *) sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
case $level in
instruction) column=2 ;; block) column=3 ;; function) column=4 ;;
*) echo "profilers.sh: -l $level: expected instruction, block or function" >&2; exit 2 ;;
esac
[ $# -ne 0 ] || set -- $(basename -s .c "$folder"/*.c)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Cycles count from the start, and are instructions until the work begins.
limit() {
    [ -z "$cycles" ] || "$rvsim" --mode fast --roi work "$1" 2>&1 </dev/null |
        sed -n 's/,//g; s/^ *\([0-9]*\) instructions before that.*/\1/p' |
        awk -v cycles="$cycles" '{ print "--max-cycles", $1 + cycles }'
}

measure() {
    "$cc" -O2 -g -static -fno-math-errno "$folder/$1.c" -o "$work/$1" -lm &&
        "$rvsim" compare-profilers --quiet --no-bias --all --config "$machine" \
            --period "$period" --roi work \
            --top 0 --csv "$work/$1.csv" $(limit "$work/$1") "$work/$1" "$rounds" \
            >"$work/$1.out" 2>"$work/$1.err" </dev/null &&
        return
    echo "profilers.sh: $1 failed" >&2
    cat "$work/$1.err" >&2
    return 1
}

# One line: program, class, shares of the four states, the errors, the order.
line() {
    awk -v name="$1" -v column=$column '
        function percent(scheme) { return sprintf("%.1f", 100 * error[scheme]) }
        FNR == NR && /^commit:/ {
            gsub(/[%,]/, "")
            head = name " " $NF " " $3 " " $5 " " $7 " " $9
        }
        FNR == NR { next }
        FNR > 1 { split($0, field, ","); error[field[1]] = field[column] }
        END {
            n = split("software dispatch lci nci tip", ranked, " ")
            for (i = 1; i <= n; i++)
                for (j = i; j > 1 && error[ranked[j - 1]] < error[ranked[j]]; j--) {
                    kept = ranked[j]; ranked[j] = ranked[j - 1]; ranked[j - 1] = kept
                }
            for (i = 1; i <= n; i++) order = order (i > 1 ? ">" : "") ranked[i]
            print head, percent("software"), percent("lci"), percent("dispatch"), percent("nci"),
                percent("nci+ilp"), percent("tip-ilp"), percent("tip"), order
        }' "$work/$1.out" "$work/$1.csv"
}

show='{ printf "%-10s %-8s %9s %8s %8s %8s %9s %6s %9s %6s %8s %8s %6s  %s\n",
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14; fflush() }'
echo "program class computing stalled flushed drained software lci dispatch nci nci+ilp" \
    "tip-ilp tip order" | awk "$show"
for name; do
    measure "$name" || exit 1
    line "$name" >>"$work/lines"
    tail -n 1 "$work/lines" | awk "$show"
done
awk '
    function add(class) {
        count[class]++
        for (i = 3; i <= 13; i++) sum[class, i] += $i
    }
    { add($2); add("all"); published += $14 == "software>lci>dispatch>nci>tip" }
    END {
        classes = split("compute flush stall all", class, " ")
        for (c = 1; c <= classes; c++) {
            if (!count[class[c]]) continue
            printf "mean %s", class[c]
            for (i = 3; i <= 13; i++) printf " %.1f", sum[class[c], i] / count[class[c]]
            printf " %d_programs\n", count[class[c]]
        }
        printf "published_order %d\n", published
    }' "$work/lines" | while read -r first rest; do
    if [ "$first" = mean ]; then echo "mean $rest" | awk "$show"; else
        echo "in the published order: $rest of $#"; fi
done
