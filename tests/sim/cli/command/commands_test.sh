#!/usr/bin/env bash
# The sub-commands other than report: config, meta, events, help.
top=$PWD
. tests/sim/cli/lib.sh
build_levels

list=$("$RVSIM" config)
for preset in "$top"/sim/presets/*.ini; do
    name=$(basename "$preset" .ini)
    matches "config lists the preset $name with a sentence" "^$name +[A-Za-z].{20}" "$list"
    "$RVSIM" config show "$name" >shown.ini
    same "the output of config show of $name reads back as the same" "$(<shown.ini)" \
        "$("$RVSIM" config show ./shown.ini)"
    cp "$preset" copy.ini
    same "a copy of $name is the same machine" "$(<shown.ini)" \
        "$("$RVSIM" config show ./copy.ini)"
    rv --config ./shown.ini --quiet levels
    same "$name runs from the file config show printed" 7 "$status"
done
same "config show applies overrides" 8 \
    "$("$RVSIM" config show default --set l1d.kib=8 | awk '/^\[/ {s = $1}
        s == "[l1d]" && $1 == "kib" {print $3}')"
refused "config refuses contradictions" "$("$RVSIM" --set l1d.ways=3 levels 2>&1 |
    sed 's/^rvsim: error: //')" config show default --set l1d.ways=3
refused "config refuses what it does not know" "config sho: expected show NAME, or nothing" \
    config sho

rv events
same "events lists every event of the table" "$(grep -c '^EVENT(' "$top/pmu/event.def")" \
    "$(($(wc -l <<<"$out") - 1))"
matches "an event is shown with code, name and meaning" \
    '^0x40 +cycles +cycle +cycles of the hart' "$out"

"$RVSIM" meta create --counter 'l*' --counter odd --branches down --interrupt even --limit 3 \
    levels >made.meta
same "meta create writes an entry for each function" "$(cat <<'END'
# levels
leaf  *  counter
odd  *  counter
branches(down)  *  counter
even  2  counter=3 interrupt
END
)" "$(<made.meta)"
same "meta check reads what meta create wrote" \
    "18 instructions and 0 ranges of data marked, 0 warnings" \
    "$("$RVSIM" meta check made.meta levels)"
"$RVSIM" meta create --calls main --output made2.meta levels
same "meta create writes to a file" "calls(main)  *  interrupt" "$(tail -1 made2.meta)"
cat >twin.S <<'END'
    .globl _start
    .type _start, @function
_start: call twin
    .size _start, . - _start
    .type twin, @function
twin: nop
    ret
    .size twin, . - twin
END
cat >twin2.S <<'END'
    .type twin, @function
twin: nop
    beqz a0, 1f
1:  ret
    .size twin, . - twin
END
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv64g -mabi=lp64d -nostdlib -static -Wl,-N \
    -Wl,--no-relax -Wl,-Ttext=0x80000000 twin.S twin2.S -o twins 2>log
"$RVSIM" meta create --counter twin --branches '*' twins >twins.meta
same "functions of one name are marked by address" "$(cat <<'END'
# twins
0x80000008  4  counter  # twin
0x8000000c  4  counter  # twin
0x80000010  4  counter  # twin
0x80000014  4  counter  # twin
0x80000018  4  counter  # twin
0x80000014  4  counter  # twin
END
)" "$(<twins.meta)"
same "a written file is read back" "5 instructions" \
    "$("$RVSIM" meta check twins.meta twins | cut -d ' ' -f 1,2)"
same "meta list resolves symbols, instructions and lines" \
    "leaf+0x8 4 counter levels.S:68" \
    "$("$RVSIM" meta list made.meta levels | awk '$3 == "leaf+0x8" {print $3, $2, $(NF-2), $NF}')"
matches "meta list shows a limit as it is written" ' even .*counter=3' \
    "$("$RVSIM" meta list made.meta levels)"
refused "meta create refuses a pattern without a function" \
    "meta create: no function of levels that matches 'zz*' has anything to mark" \
    meta create --counter 'zz*' levels
refused "meta create refuses a pattern without a branch" \
    "meta create: no function of levels that matches 'leaf' has anything to mark" \
    meta create --branches leaf levels
refused "meta create needs something to mark" \
    "meta create: expected --counter, --interrupt, --branches or --calls with a PATTERN" \
    meta create levels
refused "meta refuses another word" "meta make: expected check, list, create or convert" \
    meta make levels
refused "a command's unknown option names the nearest" \
    "meta: unknown option --conter; did you mean --counter?" meta create --conter x levels
echo 'nobody * counter' >wrong.meta
rv meta check wrong.meta levels
matches "meta check refuses a wrong file like a run" '^rvsim: error: wrong.meta:1:1: ' "$err"

rv help
same "help and --help are the same" "$("$RVSIM" --help)" "$out"
for command in report config meta events help; do
    matches "help knows $command" "^usage: rvsim $command" "$("$RVSIM" help $command)"
    same "$command --help is the same" "$("$RVSIM" help $command)" "$("$RVSIM" $command --help)"
done
refused "help names the nearest command" "no command metta; did you mean meta?" help metta

same "the manual page in docs/ is the one of this version" "$(<"$top/docs/rvsim.1")" \
    "$("$RVSIM" help --man)"
if command -v groff >/dev/null; then
    same "the manual page is good troff" "" \
        "$("$RVSIM" help --man | groff -man -Tascii -ww -z 2>&1)"
fi
same "the manual page's head has a date, and no line ends in a blank" "1 " \
    "$("$RVSIM" help --man | grep -cE '^\.TH RVSIM 1 [0-9]{4}-[0-9]{2}-[0-9]{2} "rvsim ') $(
        "$RVSIM" help --man | grep ' $')"
pages=$("$RVSIM" --help; for command in $("$RVSIM" --complete ''); do "$RVSIM" help $command; done)
same "no line of the help does" "" "$(grep ' $' <<<"$pages")"
same "the page has every option of the help, as often" \
    "$(grep -oE '^  --[a-z-]+' <<<"$pages" | tr -d ' ' | sort)" \
    "$("$RVSIM" help --man | sed -nE 's/\\-/-/g; s/^\.B (--[a-z-]+).*/\1/p' | sort)"
"$RVSIM" help --completion >completion
# The words as bash passes them: bash ends words at = and : too, so $2 would be the last piece.
complete_words() {
    PATH=$(dirname "$RVSIM"):$PATH bash -c '. ./completion
        COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; compopt() { :; }
        _rvsim 2>/dev/null; printf "%s " "${COMPREPLY[@]}"' - "$@"
}
same "completion offers options" "--stats " "$(complete_words rvsim --sta)"
same "completion offers commands" "report " "$(complete_words rvsim rep)"
same "completion offers the choices of an option" "detailed fast warm " \
    "$(complete_words rvsim --mode '')"
same "completion offers the options of a command" "--callers --calltree --callgraph --callgrind " \
    "$(complete_words rvsim report --call)"

for command in report annotate diff compare-profilers mem branches; do
    for top in -1 x 4294967296; do
        refused "$command names the range of --top $top" \
            "$command: --top $top: expected a whole number from 0 to 4294967295" \
            $command --top $top levels $([ $command = report ] || echo levels)
    done
done
