#!/usr/bin/env bash
# The oracle profile, the top-down tree and the CPI stack, from the run to the report.
. tests/sim/cli/lib.sh
build_levels
sum() { awk -F'[:,]' -v key="\"$1\"" '$1 ~ key {sum += $2} END {print sum + 0}' "$2"; }

rv --oracle --stats x.json --stats x.txt --profile levels.prof levels
same "the run ends as the program does" 7 "$status"
cycles=$(value x.json cycles) insns=$(value x.json instructions)
same "cycles of all instructions are all cycles, in 1/840" $((cycles * 840)) \
    $(($(sum units levels.prof) + $(value levels.prof oracle.outside)))
same "commits of all instructions are all instructions" "$insns" "$(sum count levels.prof)"
same "the tree holds every slot" "$((cycles * 6)) $((cycles * 6))" \
    "$(value x.json slots.total) $(awk '/topDown::/ && !/total/ {s += $2} END {print s}' x.txt)"
same "the stack holds every cycle" "$cycles $cycles" \
    "$(value x.json cpi.total) $(awk '/cpiStack::/ && !/total/ {s += $2} END {print s}' x.txt)"

rv --stats y.json levels
same "the oracle changes no other statistic" "$(query without y.json host command config)" \
    "$(query without x.json host command config oracle)"
value y.json oracle.units_per_cycle >log && not_ok "without --oracle there is none" "$(<log)" ||
    ok "without --oracle there is none"
rv --mode fast --stats y.json levels
same "the fast engine has no cycles to profile" "7 1" "$status $(grep -c '"cpi":.*null' y.json)"

rv report levels.prof --oracle --top 0
same "routines have their instructions, exactly" "$(printf '%s\n' 'down 53' 'even 55' 'leaf 150' \
    'odd 50')" "$(awk '$NF ~ /^(down|even|leaf|odd)$/ {print $NF, $3}' <<<"$out" | sort)"
same "shares of routines add up" 100 "$(awk '$NF == "routine" {on = 1; next} $NF == "line" {exit}
    on && /%/ {sum += $2} END {printf "%.0f\n", sum}' <<<"$out")"
same "a line of assembler is a line" "$(printf '150')" \
    "$(awk '$NF == "levels.S:67" || $NF == "levels.S:68" || $NF == "levels.S:69" ||
        $NF == "levels.S:70" || $NF == "levels.S:71" {sum += $3} END {print sum}' <<<"$out")"
rv report levels.prof --branches --top 0
same "branches have their directions, exactly" "$(printf '%s\n' 'down+0x10 1 4' 'main+0x20 4 1')" \
    "$(awk '$6 ~ /^(down|main)\+/ && $2 != 0 {print $6, $1, $2}' <<<"$out" | sort)"
rv report levels.prof --annotate leaf
same "annotated code has executions beside" "25 25 25 25 25 25" \
    "$(awk '/ 8000[0-9a-f]+: / {printf "%s%s", n++ ? " " : "", $3}' <<<"$out")"
rv report levels.prof --topdown
same "the tree begins with all slots" "$((cycles * 6)) 100.00% slots" \
    "$(awk '$NF == "slots" && NF == 3 && /%/ {gsub(",", "", $1); print $1, $2, $3}' <<<"$out")"
rv report levels.prof --cpi
same "the stack ends with all cycles" "$cycles" \
    "$(awk '$NF == "total" {gsub(",", "", $1); print $1}' <<<"$out")"

# ---- cycles by cause, of routines and lines ---------------------------------------------------
# Waiting cycles of the rows by cause, and the counts of the run, without the cycles that no
# instruction had.
causes() {
    python3 - "$1" "$2" <<'END'
import json, sys
report, stats = (json.load(open(name)) for name in sys.argv[1:])
run = {cause: count for cause, count in stats["cpi"].items()
       if count and cause not in ("total", "base")}
for key in ("symbols", "lines"):
    rows, units = {}, 0
    for row in report["oracle"][key]:
        units += row["units"]
        assert sum(row["waiting"].values()) * 840 <= row["units"], row
        for cause, count in row["waiting"].items():
            rows[cause] = rows.get(cause, 0) + count
    outside = {cause: run[cause] - rows.get(cause, 0) for cause in run}
    assert set(rows) <= set(run) and min(outside.values(), default=0) >= 0, (rows, run)
    print(key, units + report["oracle"]["outside"] == stats["cycles"] * 840,
          sum(outside.values()) * 840 == report["oracle"]["outside"])
END
}
rv report levels.prof --json levels.json
same "causes of routines and of lines add up to the run's" "$(printf '%s\n' 'symbols True True' \
    'lines True True')" "$(causes levels.json x.json)"
for machine in fig2 u74 rsd cva6; do
    rv --config $machine --oracle --stats other.json --profile other.prof levels
    rv report other.prof --json levels.json
    same "causes add up also on $machine" "$(printf '%s\n' 'symbols True True' 'lines True True')" \
        "$(causes levels.json other.json)"
done

# 1,000 divisions, each of the quotient before, in a loop of their own, and a loop of additions.
cat >waits.S <<'END'
    .globl program, divide, count
program:
    mv s0, ra
    call divide
    call count
    mv ra, s0
    ret
divide:
    li a0, 1000
    li a1, -1
    li a2, 3
1:  div a1, a1, a2
    addi a1, a1, -1
    addi a0, a0, -1
    bnez a0, 1b
    ret
count:
    li a0, 1000
1:  addi a0, a0, -1
    bnez a0, 1b
    ret
END
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -g -march=rv64imac_zicsr_zifencei -mabi=lp64 -nostdlib \
    -static -T "$tools/bare.ld" -Wl,--build-id=none "$tools/start.S" waits.S -o waits
rv --oracle --profile waits.prof waits
rv report waits.prof --cpi
same "the divisions wait for the divider, the additions for the end of their loop" \
    "divide div|count branch" \
    "$(awk '$NF == "divide" || $NF == "count" {
        for (i = NF - 1; $i ~ /%/; i--); print $NF, $i}' <<<"$out" | head -2 | paste -sd'|')"
rv annotate waits.prof -e cycles,cpi_div divide
same "their cycles stand at the instruction that divides" "div" \
    "$(awk '/: div / && $3 > 1000 {print "div"}' <<<"${out//,/}")"
rv annotate waits.prof --json words.json -e cycles,retiring,bad_speculation,front_end,back_end,idle
same "the words of the tree divide the cycles of every instruction, line and routine" \
    "True 0 True" "$(python3 - <<'END'
import json
root = json.load(open("words.json"))
words = "retiring", "bad_speculation", "front_end", "back_end", "idle"
rows = [row for routine in root["routines"] for row in
        [routine] + routine["lines"] + routine.get("instructions", [])]
rows += root["totals"].values()
wrong = [row for row in rows if abs(sum(row[word] for word in words) - row["cycles"]) > 1e-6]
divide = next(row for row in root["routines"] if row["name"] == "divide")
print(len(rows) > 20, len(wrong), divide["back_end"] > 0.5 * divide["cycles"])
END
)"
refused "cycles in which something committed are no cause" "the profile has no 'cpi_base' of \
single instructions; it has cycles, insns_retired, a word of the top-down tree such as back_end, \
or an event of instructions such as l2_miss, or cycles of a cause such as cpi_dram \
(\`rvsim events\`); did you mean cpi_idle?" annotate waits.prof -e cpi_base divide

echo 'leaf 4 counter interrupt' >levels.meta
rv --oracle --meta levels.meta --profile marked.prof levels
same "the monitor's cycles are its own" "25 25" "$(rv report marked.prof --oracle
    awk '$NF == "(monitor)" {n++} END {print n}' <<<"$out" >/dev/null
    rv report marked.prof --annotate leaf
    awk '/ 8000[0-9a-f]+: / {print $3, $4; exit}' <<<"$out")"
rv report marked.prof --oracle
same "the monitor is a row of its own" 2 "$(grep -c '(monitor)$' <<<"$out")"
rv --profile none.prof levels
refused "a profile without oracle says so" \
    "report --oracle: the profile was made without --oracle, or not with --mode detailed" \
    report none.prof --oracle
sed 's/"units_per_cycle": 840/"units_per_cycle": "many"/' levels.prof >wrong.prof
refused "a wrong number is refused with its key" \
    "wrong.prof: units_per_cycle: expected a whole number, not negative" report wrong.prof

# ---- code made at run time ----------------------------------------------------------------------

"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static "$here/collect/made_code.c" -o made_code 2>log ||
    not_ok "the program that makes code builds" "$(<log)"
"$RVSIM" --quiet --oracle --profile made_code.prof made_code
"$RVSIM" report --callgrind made_code.callgrind made_code.prof
# Ten calls each: 2 x (1 + ... + 10) + 10 instructions, and 6 x 10.
routines="0x000 120
0x040 60"
short='s/^0x[0-9a-f]*\(0[04]0\) /0x\1 /'
same "the report has a row for each routine made at run time" "$routines" "$(
    "$RVSIM" report --oracle --top 0 made_code.prof | awk '$NF ~ /^0x/ { print $NF, $3 }' |
        sed "$short" | LC_ALL=C sort)"
same "callgrind's file has the same routines, whole" "$routines" "$(
    awk '/^fn=/ { own = $2 == "" ? name[$1] : $2; name[$1] = own }
        /^cfn=/ { key = $1; sub(/^c/, "", key); if ($2 != "") name[key] = $2 }
        /^calls=/ { getline; next }
        /^0x/ && own ~ /^0x/ { sum[own] += $3 }
        END { for (own in sum) print own, sum[own] }' made_code.callgrind |
        sed "$short" | LC_ALL=C sort)"
same "the call tree, too" "10 120 0x000
10 60 0x040" "$("$RVSIM" report --callgraph --top 0 made_code.prof |
    awk '$NF ~ /^0x/ && !/ from / { print $1, $2, $NF }' | sed 's/0x[0-9a-f]*\(0[04]0\)$/0x\1/' |
    LC_ALL=C sort)"
