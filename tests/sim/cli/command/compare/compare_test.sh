#!/usr/bin/env bash
# compare-profilers: its numbers are right, and observing a run changes nothing.
. tests/sim/cli/lib.sh
build_levels
column() { awk -F, -v scheme="$2" -v column="$3" '$1 == scheme {print $column}' "$1"; }

rv --stats plain.json levels
cycles=$(value plain.json cycles)

rv compare-profilers --period 7 --csv x.csv --stats seen.json levels
same "the run ends as the program does" 7 "$status"
same "no statistic changes" "$(query without plain.json host command config)" \
    "$(query without seen.json host command config oracle)"
samples=$((cycles / 7))
matches "the head says how many samples" "^$samples samples in $cycles cycles, one every 7$" "$out"
same "a sample each period, for those that need not wait" "$samples" "$(column x.csv tip 5)"
same "schemes that count take no samples" "0 0" "$(column x.csv counts 5) $(column x.csv latency 5)"
rv compare-profilers --period 1M --no-bias levels
matches "without a sample the errors mean nothing, and the output says so" \
    "warning: no sample, so errors" "$err"
rv compare-profilers --period 7 --csv - levels
same "the same run gives the same figures" "$(<x.csv)" "$out"
rv compare-profilers --period 7 --no-skip --csv - levels
same "the figures are the same without skipping idle cycles" "$(<x.csv)" "$out"

for config in default u74 boom; do
    rv compare-profilers --config $config --period 1 --csv x.csv --json x.json levels
    same "$config: who samples each cycle, in proportion to time, sees the truth" \
        "0.000000 0.000000 0.000000" \
        "$(column x.csv tip 2) $(column x.csv tip 3) $(column x.csv tip 4)"
    same "$config: each cycle has a sample" "$(value x.json cycles)" "$(column x.csv tip 5)"
    same "$config: other schemes do not see it" "" \
        "$(awk -F, '$1 !~ /^(scheme|tip|tea)$/ && $2 < 0.005' x.csv)"
    same "$config: a coarser view errs less" "" "$(awk -F, 'NR > 1 && ($3 > $2 || $4 > $3)' x.csv)"
    rv compare-profilers --config $config --period 13 --set sampling.dither=9 --csv x.csv levels
    rv compare-profilers --config $config --period 13 --set sampling.dither=9 --no-skip --csv - \
        levels
    same "$config: idle cycles may be skipped, with samples in them" "$(<x.csv)" "$out"
    rv compare-profilers --config $config --period 13 --set sampling.dither=9 \
        --set sampling.seed=5 --csv - levels
    if [ "$out" != "$(<x.csv)" ]; then ok "$config: another seed samples elsewhere"; else
        not_ok "$config: another seed samples elsewhere"; fi
done

"${LINUX_CC:-riscv64-linux-gnu-gcc}" -march=rv64g -nostdlib -static "$here/tally.S" -o tally
rv compare-profilers --os kernel --harts 2 --period 1 --csv x.csv --json x.json tally
same "a hart that waits since the boot, in another engine, has its samples there" "yes yes" "$(
    awk -F, '$1 == "tip" {print ($2 < 0.001 ? "yes" : $2)}' x.csv) $(
    [ "$(column x.csv lci 5)" -gt "$(value x.json cycles)" ] && echo yes)"

rv compare-profilers --period 11 --all --top 0 --csv x.csv --json x.json levels
matches "shares of the states of commit, which make a whole, name the class" \
    "commit: computing [0-9.]+ %, stalled [0-9.]+ %, flushed [0-9.]+ %, drained [0-9.]+ %, $(
    )class: (compute|flush|stall)" "$out"
same "the states make a whole" 100 "$(sed -n 's/^commit: //p' <<<"$out" | tr -d '%,' |
    awk '{printf "%.0f", $2 + $4 + $6 + $8}')"
ranks=$(awk -F, '$9 != "" && NR > 1' x.csv | sort -t, -k2,2gr -s | cut -d, -f1,9 | xargs)
matches "ranked schemes are ranked by their error" \
    "^[a-z]+,1 [a-z]+,2 [a-z]+,3 [a-z]+,4 tip,5$" "$ranks"
same "the text says the same order" "$(sed 's/,[0-9]//g; s/ / > /g' <<<"$ranks")" \
    "$(sed -n 's/^order by instruction: //p' <<<"$out" | sed 's/, as published//')"

rv compare-profilers --period 397 --measure-handler --json x.json --all --top 0 levels
measured=$(sed -n 's/^the resident monitor takes \([0-9]*\) cycles.*/\1/p' <<<"$out")
if [ "${measured:-0}" -gt 50 ] && [ "$measured" -lt 3000 ]; then
    ok "paired runs say what a handler takes"
else
    not_ok "paired runs say what a handler takes" "${measured:-nothing} cycles"
fi
same "the cost of a scheme is computed with the handler's" \
    "$((measured * $(grep -o '"samples": [0-9]*' x.json | head -1 | grep -o '[0-9]*')))" \
    "$(grep -o '"handler_cycles": [0-9]*' x.json | head -1 | grep -o '[0-9]*')"
refused "too short a run for a handler to be measured" "--measure-handler: the run of 715 $(
    )cycles had no sampling interrupt; try a smaller --period" \
    compare-profilers --period 900000000 --measure-handler levels
rv compare-profilers --period 11 --schemes counts --all --top 0 levels
same "marked instructions count every execution" "counts, of executions instead of time: 0.00 %" \
    "$(tail -n 1 <<<"$out")"
rv compare-profilers --schemes tip,nci --top 1 levels
same "only the schemes asked for are shown" "nci tip" \
    "$(awk '/^(software|dispatch|lci|nci|nci.ilp|tip.ilp|tip|tea|ctr|counts|latency) / {print $1}' \
        <<<"$out" | xargs)"
same "each scheme has as many instructions as asked for" \
    2 "$(grep -cE '^ +[0-9.]+ % +[0-9.]+ % +[+-]' <<<"$out")"
rv compare-profilers --frequency 10000000 --json - levels
same "a frequency is of the simulated clock" 100 "$(grep -o '"period": [0-9]*' <<<"$out" |
    grep -o '[0-9]*')"
rv compare-profilers --top 0 --env A=b levels --period 3
same "words after the program are its own" 7 "$status"

refused "no program" "compare-profilers: no program; usage: rvsim compare-profilers [options] $(
    )app.elf [arguments]" \
    compare-profilers --period 5
refused "a scheme misspelt" "--schemes: no scheme 'softwear'; did you mean software?" \
    compare-profilers --schemes tip,softwear levels
refused "a period of 0" "--period 0: expected a number from 1 to 1000000000" \
    compare-profilers --period 0 levels
refused "both of period and frequency" "--period and --frequency: give one of them" \
    compare-profilers --period 5 --frequency 5 levels
refused "an engine without cycles" "compare-profilers: needs --mode detailed" \
    compare-profilers --mode fast levels
refused "more dither than period" "sampling.period = 5 is smaller than sampling.dither = 6" \
    compare-profilers --period 5 --set sampling.dither=6 levels
refused "an option of a run misspelt" \
    "compare-profilers: unknown option --max-insn; did you mean --max-insns?" \
    compare-profilers --max-insn 5 levels
refused "an option misspelt" "compare-profilers: unknown option --perod; did you mean --period?" \
    compare-profilers --perod 5 levels

# ---- bias and chance --------------------------------------------------------------------------

# Of the short table: column 2 is the error at the samples, 4 the bias; 6 and 8 the interval, or 8
# its upper end.
table() { sed -n '/^scheme/,/^$/p' <<<"$1" | awk '$3 == "%"'; }
rv compare-profilers --period 7 --csv x.csv --json x.json levels
short=$(table "$out")
same "one short table, with a legend, is all there is by default" "11 18" \
    "$(wc -l <<<"$short") $(wc -l <<<"$out")"
percent() { awk '{printf "%.2f", 100 * $1}'; }
for scheme in software dispatch lci nci tip-ilp tip counts; do
    row=$(awk -v scheme=$scheme '$1 == scheme' <<<"$short")
    same "$scheme: the table's error at the samples and bias are those of the file" \
        "$(column x.csv $scheme 2 | percent) $(column x.csv $scheme 10 | percent)" \
        "$(awk '{print $2, $4}' <<<"$row")"
    rv compare-profilers --period 1 --no-bias --csv one.csv --schemes $scheme levels
    same "$scheme: the bias is the error with a sample in every cycle" \
        "$(column one.csv $scheme 2)" "$(column x.csv $scheme 10)"
done
same "an interval has a lower and an upper end" "" \
    "$(awk '$7 == ".." && !($6 < $8)' <<<"$short")"
same "in the file, too" "$(awk '$7 == ".." {print $1, $6, $8}' <<<"$short")" \
    "$(awk -F, '$11 ~ /^0/ {printf "%s %.2f %.2f\n", $1, 100 * $11, 100 * $12}' x.csv)"
same "schemes that divide samples have a bound" "nci+ilp tip tea" \
    "$(awk '/at most/ {print $1}' <<<"$short" | xargs)"
same "JSON has the same bias" "$(awk -F, 'NR > 1 {printf "%.6f\n", $10}' x.csv)" \
    "$(sed -n 's/.*"bias": *\([0-9.e-]*\).*/\1/p' x.json | awk '{printf "%.6f\n", $1}')"
rv compare-profilers --period 7 levels
same "the same draws every time" "$short" "$(table "$out")"
rv compare-profilers --period 7 --no-bias --csv - levels
same "without the second run nothing is said of bias" ",,," \
    "$(awk -F, '$1 == "tip" {print "," $10 "," $11 "," $12}' <<<"$out")"
