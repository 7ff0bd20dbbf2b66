#!/usr/bin/env bash
# Wrong input of the user is refused before anything runs: exit status 2, nothing on stdout, and on
# stderr exactly one line, `rvsim: error: ...`, with the place and the reason.
. tests/integration/lib.sh
build_bare loops && build_linux faults || not_ok "the programs build"
cp "$tmp/loops" "$tmp/good"

# refused SENTENCE PATTERN OPTION...: the options are refused as the head says, and the line has the
# pattern
refused() {
    local sentence=$1 pattern=$2 lines
    shift 2
    run refused "$@"
    lines=$(wc -l <"$tmp/refused.err")
    if [ $status = 2 ] && [ "$lines" = 1 ] && [ ! -s "$tmp/refused.out" ] &&
        grep -qE "^rvsim: error: .*($pattern)" "$tmp/refused.err"; then
        ok "$sentence is refused"
    else
        not_ok "$sentence is refused" "status $status, $lines lines, expected: $pattern" \
            "$(head -n 5 "$tmp/refused.err")"
    fi
}

# --- program files
# mutant NAME OFFSET BYTES...: a good program with bytes (octal escapes) put in at OFFSET
mutant() {
    cp "$tmp/good" "$tmp/$1"
    printf "$3" | dd of="$tmp/$1" bs=1 seek="$2" conv=notrunc status=none
}
little_endian() {
    printf '\\%03o' $(for i in 0 1 2 3 4 5 6 7; do echo $(($1 >> 8 * i & 255)); done)
}
size=$(stat -c %s "$tmp/good")
# Program headers of 56 bytes from offset 64; the second and third are loaded.
first=$((64 + 56)) second=$((64 + 2 * 56))
field() { od -A n -t u8 -j "$1" -N 8 "$tmp/good" | tr -d ' '; }
[ "$(od -A n -t u4 -j $first -N 4 "$tmp/good" | tr -d ' ')" = 1 ] &&
    [ "$(od -A n -t u4 -j $second -N 4 "$tmp/good" | tr -d ' ')" = 1 ] ||
    not_ok "the second and third program header are those of segments"
offset=8 vaddr=16 paddr=24 file_bytes=32 mem_bytes=40   # within a program header

: >"$tmp/empty"
mkdir "$tmp/directory"
echo 'echo hello' >"$tmp/script"
refused "an empty file" 'empty' "$tmp/empty"
refused "a directory" 'directory' "$tmp/directory"
refused "a file that is not there" 'nosuch' "$tmp/nosuch"
refused "a text file" 'script' "$tmp/script"
refused "a program of the host" '(true|sh)' "$(command -v sh)"
last_of_first=$(($(field $((first + offset))) + $(field $((first + file_bytes))) - 1))
last_of_second=$(($(field $((second + offset))) + $(field $((second + file_bytes))) - 1))
for length in 1 3 4 5 15 16 17 40 63 64 65 $((first - 1)) $first $((second + 55)) \
    "$(field $((first + offset)))" $((last_of_first / 2)) $last_of_first $last_of_second; do
    head -c "$length" "$tmp/good" >"$tmp/truncated"
    refused "a program truncated to $length bytes" 'truncated' "$tmp/truncated"
done
for length in $((size - 1)) $((size - 64)) $((last_of_second + 1)); do
    head -c "$length" "$tmp/good" >"$tmp/truncated"
    run truncated "$tmp/truncated" --max-insns 100000
    holds "a program whose last $((size - length)) bytes are missing runs or is refused" \
        test $status = 2 -o $status = 0
done
mutant class32 4 '\001' &&
    refused "a 32-bit class around 64-bit headers" 'class32.*header' "$tmp/class32"
mutant class0 4 '\000' && refused "no class" 'class0' "$tmp/class0"
mutant big_endian 5 '\002' && refused "big-endian data" 'big_endian.*endian' "$tmp/big_endian"
mutant encoding9 5 '\011' && refused "an unknown data encoding" 'encoding9' "$tmp/encoding9"
mutant x86 18 '\076\000' && refused "another machine" 'x86.*(machine|RISC-V)' "$tmp/x86"
mutant object 16 '\001\000' && refused "an object file" 'object' "$tmp/object"
mutant core 16 '\004\000' && refused "a core dump" 'core' "$tmp/core"
mutant no_segments 56 '\000\000' && refused "a program without segments" 'no_segments' \
    "$tmp/no_segments"
mutant many 56 '\377\376' && refused "more program headers than bytes" 'many' "$tmp/many"
mutant phentsize 54 '\001\000' && refused "program headers of one byte" 'phentsize' "$tmp/phentsize"
mutant phoff 32 '\000\000\000\000\000\000\000\100' &&
    refused "program headers far past the end" 'phoff' "$tmp/phoff"
mutant overlap $((second + vaddr)) "$(little_endian "$(field $((first + vaddr)))")$(
    little_endian "$(field $((first + paddr)))")" &&
    refused "overlapping segments" 'overlap.*overlap' "$tmp/overlap"
mutant huge $((second + mem_bytes)) "$(little_endian $((1 << 62)))" &&
    refused "a segment of 4 EiB" 'huge' "$tmp/huge"
mutant wraps $((second + mem_bytes)) '\377\377\377\377\377\377\377\377' &&
    refused "a segment that wraps around" 'wraps' "$tmp/wraps"
mutant big_file $((first + file_bytes)) "$(little_endian $((1 << 40)))" &&
    refused "a segment longer than the file" 'big_file' "$tmp/big_file"
mutant shrinks $((first + mem_bytes)) "$(little_endian 16)" &&
    refused "a segment with more bytes in the file than in memory" 'shrinks' "$tmp/shrinks"
mutant far_away $((second + paddr)) "$(little_endian $((1 << 44)))" &&
    refused "a segment outside of memory" 'far_away' "$tmp/far_away"
"$linux_cc" -O1 -pie -fPIE -x c - -o "$tmp/dynamic" <<<'int main(void) {return 0;}' &&
    refused "a dynamic executable" 'dynamic.*(dynamic|static)' "$tmp/dynamic"
"$guest_cc" -march=rv32i -mabi=ilp32 -nostdlib -static -x assembler - -o "$tmp/rv32" <<<'nop' &&
    refused "a program for 32-bit RISC-V" 'rv32.*(32|64)' "$tmp/rv32"
"${linux_cc%gcc}strip" -o "$tmp/stripped" "$tmp/faults"
run stripped "$tmp/stripped" code 5
same "a program without symbols runs" 5 $status
run stripped "$tmp/stripped" jump
same "a program without symbols has its faults diagnosed" 139 $status

# --- metadata: the third line is wrong
# refused_line SENTENCE PATTERN LINE
refused_line() {
    printf '%s\n' '# metadata' 'program 4 count' "$3" 'program 4 counter' >"$tmp/bad.meta"
    refused "metadata with $1" "bad\\.meta:3(:[0-9]+)?: .*($2)" --meta "$tmp/bad.meta" "$tmp/loops"
}
refused_line "an unknown flag" '\bcount' 'program 4 cuont'
refused_line "another unknown flag" 'frobnicate' 'program 4 count frobnicate'
refused_line "a missing length" 'length|bytes' 'program'
refused_line "a missing length before the flags" 'length|count' 'program count'
refused_line "no flags" 'flag' 'program 4'
refused_line "a length that is no number" 'x12|length|number' 'program x12 count'
refused_line "a negative length" '-4|length|number' 'program -4 count'
refused_line "a number with rubbish after it" '4q|length|number' 'program 4q count'
refused_line "a length beyond 64 bits" '99999|length|number|large|range' \
    'program 99999999999999999999999 count'
refused_line "an offset with rubbish after it" '0x4zz|offset|number' 'program+0x4zz 4 count'
refused_line "an unknown symbol, naming the nearest" '\bprogram\b' 'programm 4 count'
refused_line "an unknown symbol, naming the nearest of several" 'across_lines' 'acros_lines * count'
refused_line "an unknown segment, naming the nearest" '\.text\b' 'segment .texx'
refused_line "a segment without a name" 'segment|section|name' 'segment'
refused_line "an unknown source file" 'nosuch\.c' 'nosuch.c:42 * count'
refused_line "a source line that is no number" 'x' 'loops.c:x * count'
refused_line "calls of an unknown function" '\bprogram\b' 'calls(progam) * counter'
refused_line "branches without the closing parenthesis" '\)|branches' 'branches(program * counter'
refused_line "calls with a length" '\*|length' 'calls(program) 4 counter'
refused_line "an argument where none may be" 'count' 'program 4 count=3'
refused_line "another argument where none may be" 'start' 'program 4 start=1'
refused_line "an empty argument" 'counter' 'program 4 counter='
refused_line "a limit that is no number" 'counter|many' 'program 4 counter=many'
refused_line "a limit beyond its range" 'counter|range|large|99999' \
    'program 4 counter=99999999999999999999 interrupt'
refused_line "a threshold without a value" 'threshold' 'program 4 threshold count'
refused_line "a threshold that is no number" 'threshold|slow' 'program 4 threshold=slow count'
refused_line "threshold bits that are no bits" 'bits|threshold' 'program 4 threshold=bits:012 count'
refused_line "a label without a number" 'label' 'program 4 label'
refused_line "label 0" 'label|255' 'program 4 label=0'
refused_line "label 256" 'label|255' 'program 4 label=256'
refused_line "a granule that is no power of two" 'granule|power' 'tohost 8 counter granule=3'
refused_line "a granule beyond 64 bytes" 'granule|64' 'tohost 8 counter granule=128'
refused_line "a granule of nothing" 'granule' 'tohost 8 counter granule=0'
refused_line "range register I8" 'I8|I0|I7|range' 'range I8 program *'
refused_line "range register D99" 'D99|D0|D7|range' 'range D99 tohost 8'
refused_line "range register X0" 'X0|range' 'range X0 program *'
refused_line "a range without a place" 'expected' 'range I0'
refused_line "a range without a length" 'length' 'range I0 program'
refused_line "a range with an unknown symbol" '\bprogram\b' 'range I0 progam *'
refused_line "an address beyond 64 bits" '0xfff|address|number|large|range' \
    '0xffffffffffffffffffff 4 count'
refused_line "bytes that end before they begin" 'last address' '0xfffffffffffffff0 32 count'
refused_line "more bytes than an address may have" '4 GiB' '0x80000000 0x100000000 count'
refused_line "a lone star" '\*|where|symbol|length' '*'
refused_line "bytes that are no text" '.' $'\x01\x02\xff 4 count'
refused "metadata that is not there" 'nosuch\.meta' --meta "$tmp/nosuch.meta" "$tmp/loops"
refused "metadata that is a directory" 'directory' --meta "$tmp/directory" "$tmp/loops"
printf 'program 4 counter' >"$tmp/last.meta"
run last --meta "$tmp/last.meta" "$tmp/loops"
same "metadata whose last line does not end is fine" "0 1" \
    "$status $(query marks "$tmp/last.json" | wc -l)"
printf 'program 4 counter\n' >"$tmp/one.meta"
printf 'program 4 cuonter\n' >"$tmp/two.meta"
refused "a wrong second file" 'two\.meta:1' --meta "$tmp/one.meta" --meta "$tmp/two.meta" \
    "$tmp/loops"

# --- the machine
refused_set() { refused "$1" "$2" --set "$3" "$tmp/loops"; }
refused_set "an unknown setting, naming the nearest" 'rob\.entries' rob.entriez=8
refused_set "a setting of an unknown section" 'robb' robb.entries=8
refused_set "a setting without a section" 'width' width=4
refused_set "a setting without a value" 'rob\.entries' rob.entries
refused_set "a setting with an empty value" 'rob\.entries' rob.entries=
refused_set "an empty setting" '=' =1
refused_set "a value below its range" '4.*1024' rob.entries=2
refused_set "a value above its range" '4.*1024' rob.entries=1025
refused_set "a value beyond 64 bits" '4.*1024' rob.entries=99999999999999999999
refused_set "a negative value" '1.*8' fetch.width=-1
refused_set "a value that is no number" 'rob\.entries.*many|many.*rob\.entries' rob.entries=many
refused_set "a value that is no power of two" 'power' l1d.line_bytes=48
refused_set "a switch that is neither on nor off" 'maybe|true|false' l1i.hit_under_miss=maybe
refused_set "an unknown choice, naming the valid ones" 'gshare' bpred.kind=oracle
contradictory() {
    local sentence=$1 pattern=$2 options=() setting
    shift 2
    for setting in "$@"; do options+=(--set "$setting"); done
    refused "$sentence" "$pattern" "${options[@]}" "$tmp/loops"
}
contradictory "an L2 line shorter than those above it" 'line' l2.line_bytes=32
contradictory "more ways than a cache has lines" 'ways' l1i.kib=1 l1i.ways=32
contradictory "a number of sets that is not whole" 'ways|sets' l1d.ways=3
refused "an unknown preset, naming the nearest" '\btiny\b' --config tinny "$tmp/loops"
refused "a configuration file that is not there" 'nosuch\.ini' --config "$tmp/nosuch.ini" \
    "$tmp/loops"
# refused_ini SENTENCE LINE PATTERN TEXT
refused_ini() {
    printf "$4" >"$tmp/bad.ini"
    refused "a configuration file with $1" "bad\\.ini:$2: .*($3)" --config "$tmp/bad.ini" \
        "$tmp/loops"
}
refused_ini "an unknown key" 4 'entries' '# machine\n\n[rob]\nentreis = 8\n'
refused_ini "an unknown section" '[12]' 'robb|rob' '[robb]\nentries = 8\n'
refused_ini "a value out of range" 2 '4.*1024' '[rob]\nentries = 4096\n'
refused_ini "a line that is no setting" 2 '.' '[rob]\nentries 8\n'
refused_ini "a section that does not end" 1 '.' '[rob\nentries = 8\n'
refused_ini "the same setting twice" 3 'entries' '[rob]\nentries = 8\nentries = 16\n'

# --- the command line
refused "no program" 'program|ELF|usage' --mode fast
refused "an unknown option, naming the nearest" 'stats' --stat "$tmp/x.json" "$tmp/loops"
refused "an unknown engine, naming the valid ones" 'detailed.*fast|fast' --mode quick "$tmp/loops"
refused "a limit that is no number" 'max-insns|many' --max-insns many "$tmp/loops"
refused "a negative limit" 'max-cycles|-5' --max-cycles -5 "$tmp/loops"
refused "a negative time" 'timeout|-1' --timeout -1 "$tmp/loops"
refused "no hart" 'harts' --harts 0 "$tmp/loops"
refused "too many harts" 'harts.*64|64' --harts 65 "$tmp/loops"
refused "memory of no size" 'memory' --memory lots "$tmp/loops"
printf 'program 4 interrupt\n' >"$tmp/interrupt.meta"
refused "a monitor that is not there" 'nosuch\.elf' --monitor "$tmp/nosuch.elf" \
    --meta "$tmp/interrupt.meta" "$tmp/loops"
refused "a monitor that is no program" 'script' --monitor "$tmp/script" \
    --meta "$tmp/interrupt.meta" "$tmp/loops"
refused "a region that begins at an unknown symbol" '\bprogram\b' --roi progam "$tmp/loops"
refused "a trace of unknown kind" 'kanata' --trace "film:$tmp/film" "$tmp/loops"
refused "statistics of unknown format" 'json' --stats "$tmp/stats.xml" "$tmp/loops"
refused "statistics that cannot be written" 'nosuch' --stats "$tmp/nosuch/stats.json" "$tmp/loops"
refused "an environment variable without a value" 'env|=|FOO' --env FOO "$tmp/faults"
