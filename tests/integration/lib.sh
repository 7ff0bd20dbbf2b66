# Shared by the tests of this folder: builds programs, runs the simulator, reports cases.
#
# Every script sources this first. Files go to $TEST_TMP. A case is a sentence; the details of a
# failure are printed below `not ok`, as comments. The simulator runs with no input.
set -u
tmp=$TEST_TMP
programs=tests/programs
guest_cc=${GUEST_CC:-riscv64-unknown-elf-gcc}
linux_cc=${LINUX_CC:-riscv64-linux-gnu-gcc}
isa="-march=rv64gc_zicsr_zifencei -mabi=lp64d"

. tests/cases.sh
# holds NAME COMMAND...: it succeeds, quietly
holds() {
    local name=$1 text
    shift
    if text=$("$@" 2>&1); then ok "$name"; else not_ok "$name" "$*" "$text"; fi
}

# expected WHAT PROGRAM: the facts that the program states (programs/expected.c); each program is
# read once
expected() {
    local file=$2.$1.expected
    [ "$file" -nt "$2" ] || "$TOOLS/expected" "$@" >"$file" || return
    [ ! -s "$file" ] || printf '%s\n' "$(<"$file")"
}
query() { "$TOOLS/stats_query" "$@"; }
# counts_of STEM EVENT...: a line each, "EVENT COUNT" of that run
counts_of() {
    local stem=$1 event counts
    shift
    mapfile -t counts < <(query get "$tmp/$stem.json" "${@/#/events.}")
    for event in "$@"; do
        echo "$event ${counts[0]-}"
        counts=("${counts[@]:1}")
    done
}
# events_of STEM PROGRAM: the events that the program names, as that run counted them
events_of() {
    local event sum events=()
    while read -r event sum; do events+=($event); done <<<"$(expected events "$tmp/$2")"
    [ ${#events[@]} = 0 ] || counts_of "$1" "${events[@]}"
}
# events_expected PROGRAM: the counts that the program states, which may be written as sums
events_expected() {
    local event sum
    while read -r event sum; do
        [ -z "$event" ] || echo "$event $((sum))"
    done <<<"$(expected events "$tmp/$1")"
}

# build_bare NAME [FLAG...]: the bare-metal program of that name as $tmp/NAME
build_bare() { build_bare_for "$isa" "$@"; }
# build_bare_32 NAME [FLAG...]: the same with XLEN = 32
build_bare_32() {
    build_bare_for "-march=rv32imafc_zicsr_zifencei -mabi=ilp32f" "$@"
}
build_bare_for() {
    local isa=$1 name=$2 source=$programs/$2.S start="$tmp/start$1.o"
    shift 2
    [ -e "$source" ] || source=$programs/$name.c
    [ -e "$start" ] || "$guest_cc" $isa -c $programs/start.S -o "$start"
    "$guest_cc" $isa -mcmodel=medany -O1 -fno-omit-frame-pointer -ffreestanding -nostdlib -static \
        -I. -T $programs/bare.ld -Wl,--build-id=none "$@" "$source" "$start" -o "$tmp/$name" &&
        expected meta "$tmp/$name" >"$tmp/$name.meta"
}
# build_linux NAME [FLAG...]: the same for static Linux programs
build_linux() {
    local name=$1
    shift
    "$linux_cc" -O1 -g -fno-omit-frame-pointer -fno-inline -fno-optimize-sibling-calls -static \
        "$@" "$programs/$name.c" -o "$tmp/$name"
}

# run STEM OPTION... PROGRAM...: runs the simulator; leaves STEM.json, STEM.out, STEM.err in $tmp
# and the exit status in $status
status=0
run() {
    local stem=$tmp/$1
    shift
    [ ! -e "$stem.json" ] || rm "$stem.json"
    "$RVSIM" --stats "$stem.json" "$@" >"$stem.out" 2>"$stem.err" </dev/null
    status=$?
}
# A summary of a run: its status, and the end of its error output.
said() { echo "exit status $status"; tail -n 5 "$tmp/$1.err"; }
# in_words NAME: underscores as blanks
in_words() { echo "${1//_/ }"; }

# The machines on all of which exact counts must be the same.
machine_options() {
    case $1 in
    default) ;;
    tiny) echo --config tiny ;;
    small_caches) echo --set l1i.kib=1 --set l1i.ways=1 --set l1d.kib=1 --set l1d.ways=1 ;;
    short_lines) echo --set l1i.kib=1 --set l1i.ways=1 --set l1d.kib=1 --set l1d.ways=1 \
        --set l1i.line_bytes=16 --set l1d.line_bytes=16 ;;
    in_order) echo --set core.kind=in_order --set dispatch.width=2 --set rob.entries=8 \
        --set lsq.stores=2 --set cva6.alu_bypass=true ;;
    decoupled) echo --set fetch.ftq=6 ;;
    small_caches_below) echo --set l1i.ways=2 --set l1d.ways=2 --set l1i.kib=1 --set l1d.kib=1 \
        --set l2.kib=1 --set l2.ways=2 --set l2.inclusion=inclusive --set l3.kib=1 --set l3.ways=1 \
        --set l3.inclusion=inclusive ;;
    exclusive_caches) echo --set l1i.kib=1 --set l1i.ways=1 --set l1d.kib=1 --set l1d.ways=1 \
        --set l2.kib=1 --set l2.inclusion=exclusive --set l3.kib=1 --set l3.inclusion=exclusive ;;
    long_lines) echo --set l1i.line_bytes=128 --set l1d.line_bytes=128 --set l2.line_bytes=128 ;;
    esac
}
