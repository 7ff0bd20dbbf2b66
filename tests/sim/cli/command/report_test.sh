#!/usr/bin/env bash
# rvsim report: exact counts by routine, line and instruction; callers; other tools' formats.
. tests/sim/cli/lib.sh
build_levels
cat >levels.meta <<'END'
leaf * counter
leaf 4 counter interrupt
even 4 counter
down 4 counter=1 interrupt
cell 4 counter
END
profile() { "$RVSIM" --quiet --meta levels.meta --profile levels.prof "$@" levels; }

for run in "detailed guest" "detailed host" "fast guest" "fast host"; do
    profile --mode ${run% *} --monitor ${run#* }
    same "routines have the sums of their marks, $run" "$(cat <<'END'
150 93.75% 25 25 6 leaf levels.S:67
5 3.12% 5 2 1 down levels.S:75
5 3.12% 5 0 1 even levels.S:52
50 100.00% 0 1 cell
END
)" "$("$RVSIM" report levels.prof | awk '$NF ~ /^levels.S|^cell$/ {$1 = $1; print}')"
    # A leaf has 6 instructions; 4 calls of down have 8 for their frames, 3 of them 3 and one 1.
    same "callers are counted, $run" "$(cat <<'END'
leaf (entry): 25 interrupts
15 60.00% 15 90 159 even
10 40.00% 10 60 115 odd
down (entry): 2 interrupts
2 100.00% 4 42 35 down
END
)" "$("$RVSIM" report levels.prof --callers | grep -v -e 'caller$' -e '^$' |
        awk '/entry/ {print; next} {print $1, $2, $3, $4, $5, $6}')"
    same "folded stacks go from the root to the leaf, $run" "$(cat <<'END'
_start;main;down;down 1
_start;main;down;down;down;down 1
_start;main;even;leaf 15
_start;main;odd;leaf 10
END
)" "$("$RVSIM" report levels.prof --folded -)"
done

profile
# Numbers and mnemonic of each instruction, without percentage and arrows.
instructions() {
    awk '/ 8000[0-9a-f]+: / {n = ""
        for (i = 1; $i !~ /^8000[0-9a-f]+:$/; i++) if ($i ~ /^[0-9,]+$/) n = n $i " "
        print n $(i+1)}'
}
same "annotated disassembly has every instruction of the routine, with its count" "$(cat <<'END'
25 25 auipc
25 addi
25 lw
25 addi
25 sw
25 ret
END
)" "$("$RVSIM" report levels.prof --annotate leaf | instructions)"
same "instructions that are not marked have no count" "5 addi|sd|sd|addi|" \
    "$("$RVSIM" report levels.prof --annotate even | instructions | head -4 | tr '\n' '|')"
same "lines have the counts of their instructions" "50 25 25 2 levels.S:67" \
    "$("$RVSIM" report levels.prof --lines | awk '/levels.S:67$/ {print $1, $3, $4, $5, $6}')"
same "--top cuts a table and says so" "1 ... and 3 more; --top 0 shows all" \
    "$("$RVSIM" report levels.prof --top 1 |
        awk '/levels.S|cell$/ {n++} /more; --top/ {print n, $0}' | head -1)"

"$RVSIM" report levels.prof --callgrind callgrind.out.levels
same "callgrind's summary is the sum of its costs" \
    "$(sed -n 's/^summary: //p' callgrind.out.levels)" \
    "$(awk '/^calls=/ {getline; next} /^0x/ {a += $3; b += $4; c += $5} END {print a, b, c}' \
        callgrind.out.levels)"
same "callgrind's calls are the real ones: leaf was entered 25 times" "25" \
    "$(awk '/^cfn=/ { id = $1; if ($2 == "leaf") leaf = id; next }
        /^calls=/ && id == leaf { split($1, c, "="); sum += c[2] }
        END { print sum }' callgrind.out.levels)"
if command -v callgrind_annotate >/dev/null; then
    mkdir -p elsewhere
    annotated=$(cd elsewhere && callgrind_annotate --threshold=100 --tree=calling \
        ../callgrind.out.levels 2>&1)
    matches "callgrind_annotate reads the totals" \
        '^348 \(100.0%\) 160 \(100.0%\) 27 \(100.0%\)  PROGRAM TOTALS' "$annotated"
    matches "callgrind_annotate reads routines" \
        '^150 \(43.10%\) 150 \(93.75%\) 25 .*levels.S:leaf' "$annotated"
    matches "callgrind_annotate reads calls" '>   .*levels.S:leaf \(15x\)' "$annotated"
else
    echo "ok callgrind_annotate reads the file # SKIP not installed"
fi

refused "a routine that is not there names the nearest one" \
    "no routine 'evn' in $PWD/levels; did you mean even?" report levels.prof --annotate evn
refused "a file that is not there is named" "none.prof: No such file or directory" report none.prof
rv --quiet --stats x.json levels
refused "statistics are not a profile" \
    "x.json: the file: expected a profile (--profile), not statistics (--stats)" report x.json
head -c 1000 levels.prof >cut.prof
refused "a file that was cut off is refused" \
    "$(cut_off cut.prof config)" report cut.prof
sed 's/"interrupts": 25/"interrupts": -25/' levels.prof >negative.prof
refused "a wrong number is refused with its key" \
    "negative.prof: interrupts: expected a whole number, not negative" report negative.prof
sed 's/^  "cycles"/  "cycels"/' levels.prof >unknown.prof
refused "an unknown key is refused" "unknown.prof: unknown key 'cycels'" report unknown.prof
cp levels levels.moved
rv report levels.prof --program levels.moved
same "the program may have moved" 0 "$status"

if command -v script >/dev/null; then
    TERM=xterm RVSIM_PAGER= script -qec "$RVSIM report levels.prof" /dev/null </dev/null >coloured
    matches "a terminal has the program in bold, and large shares in colour" \
        $'^command   \033\\[1mrvsim .* levels\033\\[0m.*\033\\[31m  93.75%\033\\[0m' \
        "$(tr -d '\r\n' <coloured)"
    same "without the colours a terminal shows what a file has" "$("$RVSIM" report levels.prof)" \
        "$(sed -E $'s/\033\\[[0-9]*m//g; s/\r//' coloured)"
fi
echo '* * counter' >all.meta
"$RVSIM" --quiet --mode fast --monitor guest --meta all.meta --stats all.json --profile all.prof \
    levels
same "the pattern * marks every instruction of the program, and none of the monitor" \
    "$(grep -m 1 '"instructions"' all.json | tr -dc 0-9)" "$("$RVSIM" report --top 0 all.prof |
        awk '/ symbol$/ { on = 1 } on && $2 ~ /%$/ { gsub(",", "", $1); n += $1 } END { print n }')"
printf 'even * count\nleaf 4 interrupt\n' >some.meta
rv --mode fast --set shadow.form=full --meta some.meta --profile some.prof levels
same "a mark that counts nothing has no count, and one that does nothing more has no row" \
    "- 1 1 leaf" "$("$RVSIM" report some.prof | sed -n '/ symbol$/,/^$/p' |
        awk 'NR > 1 && NF { print $1, ($2 > 0), $3, $4 }')"
printf '.globl _start\n_start: la t0, second\nld a0, (t0)\nli a0, 0\nli a7, 93\necall\n.data
.balign 32
.type first, @object\n.size first, 8\nfirst: .dword 1\n.type second, @object\n.size second, 24
second: .dword 2, 3, 4\n' >pair.S
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static pair.S -o pair 2>log
echo 'second 24 counter granule=32' >pair.meta
rv --mode fast --meta pair.meta --profile pair.prof pair
same "a granule that begins before the datum has the datum's name" "1 100.00% second" \
    "$("$RVSIM" report pair.prof | awk '/ data$/ { on = 1; next } on { print $1, $2, $NF }')"
printf '\0' >>levels.moved
rv report levels.prof --program levels.moved
matches "another program is refused" \
    'levels.moved: not the program that was profiled \([0-9a-z:]+, not [0-9a-z:]+\)' "$err"
same "another program is a wrong use" 2 "$status"

# A program that a trap ends at its first instruction has cycles, and no instruction.
printf '.globl _start\n.type _start, @function\n_start: ebreak\n.size _start, . - _start\n' >none.S
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static none.S -o none || not_ok "none.S builds"
"$RVSIM" --quiet --oracle --profile none.prof none 2>/dev/null
same "cycles without instructions have no CPI" "0 - _start" \
    "$("$RVSIM" report --oracle none.prof |
        awk '$NF == "_start" { print $(NF - 2), $(NF - 1), $NF }')"
same "a run without cycles has no CPI stack" "-" \
    "$("$RVSIM" report --cpi none.prof | awk '$NF == "total" { print $(NF - 1) }')"
