# Shared by the tests of this folder: builds programs, runs the command line, reports cases.
# Files go to $TEST_TMP, which is the current directory afterwards, so that messages name files
# without a path.
set -u
here=$PWD/tests/sim/cli
tools=$PWD/tests/programs
. tests/cases.sh
cd "$TEST_TMP" || exit 1

# matches NAME PATTERN GOT: a line of the text matches
matches() {
    if grep -qE -- "$2" <<<"$3"; then ok "$1"; else not_ok "$1" "no line matches: $2" "$3"; fi
}

build_levels() {
    "${GUEST_CC:-riscv64-unknown-elf-gcc}" -g -march=rv64gc -mabi=lp64d -nostdlib -static -Wl,-N \
        -Wl,--no-relax -Wl,--build-id=none -Wl,-Ttext=0x80000000 "$here/levels.S" -o levels 2>log ||
        not_ok "the program levels.S builds" "$(<log)"
}
build_ends() {
    "${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static "$here/ends.c" -o ends 2>log ||
        not_ok "the program ends.c builds" "$(<log)"
}
build_waits() {
    "${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static -pthread "$here/waits.c" -o waits 2>log ||
        not_ok "the program waits.c builds" "$(<log)"
}
query() { "$TOOLS/stats_query" "$@"; }
# value FILE KEY.KEY...: of the JSON of a run
value() { query get "$1" "$2"; }

# rv ARGUMENT...: runs rvsim without input; leaves $out, $err and $status
rv() {
    "$RVSIM" "$@" >rv.out 2>rv.err </dev/null
    status=$?
    out=$(<rv.out) err=$(<rv.err)
}
# pass_second PROCESS: lets a second pass for a command that has begun; for most of it the command
# is stopped and keeps no processor busy
pass_second() {
    sleep 0.2
    kill -STOP "$1"
    sleep 1
    kill -CONT "$1"
}
# cut_off FILE MEMBER: the reason for which a file that ends in this member of its JSON is refused
cut_off() {
    echo "$1: the file was cut off: it ends after $(wc -c <"$1") bytes in line" \
        "$(($(wc -l <"$1") + 1)), in its member $2"
}
# refused NAME MESSAGE ARGUMENT...: status 2, nothing on stdout, exactly this one line on stderr
refused() {
    local name=$1 message=$2
    shift 2
    rv "$@"
    same "$name" "2||rvsim: error: $message" "$status|$out|$err"
}
