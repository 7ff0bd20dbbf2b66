#!/usr/bin/env bash
# The command line: every wrong use is refused with one line that names the correct use.
. tests/sim/cli/lib.sh
build_levels

refused "a command without a program is a wrong use" \
    "no program; usage: rvsim [options] app.elf [arguments], or see rvsim --help"
refused "an unknown option names the nearest one" "unknown option --stat; did you mean --stats?" \
    --stat x.json levels
refused "an unknown option without a near one points to the help" \
    "unknown option --zzzzzzzz; see rvsim --help" --zzzzzzzz levels
refused "a single dash is no option" "unknown option -v; options start with --" -v levels
refused "an option that needs a value says so" "--stats needs FILE" --stats
refused "an option without a value takes none" "--quiet takes no value" --quiet=yes levels
refused "a wrong engine lists the right ones" "--mode quick: expected detailed, fast or warm" \
    --mode quick levels
refused "a wrong number is refused" \
    "--max-insns 10x: expected a number, such as 500000, 500K or 2M" \
    --max-insns 10x levels
refused "a negative number is refused" \
    "--max-cycles -1: expected a number, such as 500000, 500K or 2M" \
    --max-cycles=-1 levels
refused "a wrong time is refused" "--timeout never: expected a positive number of seconds" \
    --timeout never levels
for date in 2027-02-29 1970-01-01 soon @0 @4294967296; do
    refused "--date $date is refused" "--date $date: expected a day, such as 2027-01-31, \
or @ and a second from 1 to 4294967295, as \`date +%s\` has it" --date $date levels
done
refused "a wrong size is refused" \
    "--memory 12Q: expected a size from 1M to 64G in steps of 1M, such as 512M or 2G" \
    --memory 12Q levels
refused "statistics of unknown format are refused before the run" \
    "--stats x.xml: expected a name that ends in .json, .csv or .txt, or -" \
    --stats x.xml levels
refused "a misspelt command names the nearest one" \
    "reprot: no such file or command; did you mean report?" reprot x.prof
refused "a word that is nothing at all points to the help" \
    "qqqqqqqqqq: no such file, and no such command; see rvsim help" qqqqqqqqqq
refused "a program that is not there is named" "./nothing.elf: No such file or directory" \
    ./nothing.elf
refused "a routine that is not there names the nearest one" \
    "--roi lefa: no such symbol in levels; did you mean leaf?" --roi lefa levels
refused "a setting that is not there names the nearest one and its range" \
    "no setting 'l1d.kb'; did you mean l1d.kib (1..4096)?" --set l1d.kb=4 levels
refused "a setting out of range says the range" \
    "rob.entries = 5000: expected 4..1024, in instructions" \
    --set rob.entries=5000 levels
refused "a preset that is not there is refused" "$("$RVSIM" --config defualt levels 2>&1 |
    sed 's/^rvsim: error: //')" --config defualt levels
matches "a preset that is not there names the nearest one" 'defualt.*default' "$err"
refused "statistics into a folder that is not there are refused before the run" \
    "no/such/x.json: No such file or directory" --stats no/such/x.json levels
refused "a trace of unknown kind names the nearest one" \
    "--trace kanat:x: unknown kind; nearest is kanata" --trace kanat:x levels
refused "a pipeline trace of the fast engine is refused" \
    "--trace kanata:x: needs --mode detailed; the fast engine has no pipeline" \
    --mode fast --trace kanata:x levels

echo 'leaf * conter' >wrong.meta
rv --meta wrong.meta levels
same "wrong metadata stops before the run" "2|" "$status|$out"
matches "wrong metadata is named with file, line and column" \
    "^rvsim: error: wrong.meta:1:8: .*counter" "$err"
echo 'leaf 0 counter' >nothing.meta
rv --meta nothing.meta levels
same "metadata that marks nothing does not stop the run" 7 "$status"
matches "metadata that marks nothing is a warning" "^rvsim: warning: nothing.meta:1:" "$err"

printf '[issue]\nint_queue = 5\n[lsq]\nstores = 8\n' >own.ini
rv --config ./own.ini --set core.kind=in_order --set rename.kind=physical --set inorder.late_alu=1 \
    --max-insns 5 --quiet levels
same "settings of the other back end, of a file and of --set, are told of, and nothing else" \
    "rvsim: warning: issue.int_queue has no meaning without core.kind = out_of_order
rvsim: warning: rename.kind has no meaning without core.kind = out_of_order" "$err"
printf '[rob]\nfold = 3\n[rename]\nkind = physical\n' >old.ini
rv --config ./old.ini --set rename.move_elimination=true --max-insns 5 --quiet levels
same "settings under an old name, of a file and of --set, are told of" \
    "rvsim: warning: rob.fold is c910.fold now
rvsim: warning: rename.move_elimination is rename.eliminates now" "$err"
for preset in "$OLDPWD"/sim/presets/*.ini; do
    rv --config "$preset" --max-insns 5 --quiet levels
    same "$(basename "$preset") has no setting that it has no use for" "" "$err"
done

refused "a bound of a trace without a trace" "--trace-from and --trace-to: need --trace" \
    --trace-from 10 levels
refused "a monitor misspelt names the nearest" \
    "--monitor gues: no such file; did you mean guest?" --monitor gues levels
refused "a monitor that is no file says what is expected" \
    "--monitor x/y.elf: expected guest, host, none or a monitor's ELF file" --monitor x/y.elf levels
cp levels other.elf
for options in "--meta other.meta" "--mode fast" ""; do
    echo 'leaf 2 count' >other.meta
    refused "a program is no monitor, ${options:-in a run that needs none}" \
        "other.elf: no monitor: it lacks the instruction that returns from one, PROF_F3_MRET of \
pmu/abi.h" \
        --monitor other.elf $options levels
done
cp "$BUILD/guest/monitor32.elf" .
refused "a monitor for other registers is refused where none is needed" \
    "monitor32.elf: a 32-bit monitor cannot serve a 64-bit program; --monitor host can" \
    --monitor monitor32.elf levels
while read -r option expected; do
    refused "an empty word for $option is refused" "$option '': expected $expected" \
        $option "" levels
    refused "an empty word after $option= is refused" "$option '': expected $expected" \
        $option= levels
done <<'END'
--meta FILE
--config FILE|PRESET
--monitor guest|host|FILE|none
--root DIR
--stats FILE
--trace KIND:FILE[@marks]
--gdb PORT|PATH|-
--profile FILE
END
refused "an empty file name of a command is refused" "report: --json '': expected FILE" \
    report --json "" x.prof
refused "an empty file name of a command that runs the program is refused" \
    "record: --output '': expected FILE" \
    record -o "" levels
refused "an option of the run, too" "--meta '': expected FILE" record --meta "" levels
refused "an empty word is no file" "report '': expected FILE" report ""
refused "an empty word is no program" "'': no such file, and no such command; see rvsim help" ""
rv -h
same "-h is --help" "0|$("$RVSIM" --help)" "$status|$out"
rv meta -h
same "-h of a command is its --help" "0|$("$RVSIM" meta --help)" "$status|$out"

rv --help
same "--help succeeds, on standard output" "0|" "$status|$err"
for option in meta config set mode stats trace profile roi timeout; do
    matches "--help explains --$option" "^  --$option " "$out"
done
rv --version
matches "--version says the version" '^rvsim [0-9]+\.[0-9]+\.[0-9]+$' "$out"

same "options can be written with an equals sign" \
    "$("$RVSIM" --max-insns=10 levels 2>&1 | head -1)" \
    "$("$RVSIM" --max-insns 10 levels 2>&1 | head -1)"
rv --quiet levels
same "--quiet leaves nothing on standard error" "7||" "$status|$out|$err"
rv --quiet -- levels
same "two dashes end the options" 7 "$status"

cat >date.c <<'END'
#include <stdio.h>
#include <time.h>

int main(void)
{
    return printf("%ld", (long)time(NULL)) < 0;
}
END
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -static date.c -o date || not_ok "date.c builds"
for os in host kernel; do
    same "--date is where the program's clock begins, --os $os" \
        "1798761600 1898467200 1900000000" "$(for date in 2027-01-01 2030-02-28 @1900000000; do
            "$RVSIM" --quiet --mode fast --os $os --date $date date
        done 2>&1 | sed 's/.\{10\}/& /g; s/ $//')"
    same "... at 2027-01-01 unless it is given, --os $os" 1798761600 \
        "$("$RVSIM" --quiet --mode fast --os $os date 2>&1)"
done
