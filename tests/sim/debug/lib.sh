# Shared by the tests of this folder: programs, and sessions of a real gdb.
. tests/sim/cli/lib.sh
debug=${here%/cli}/debug

build_steps() {
    "${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static "$debug/steps.c" -o steps 2>log ||
        not_ok "the program steps.c builds" "$(<log)"
}
# build_harts NAME OPTION...: 64 bits, or with other options 32
build_harts() {
    local name=$1
    shift
    "${GUEST_CC:-riscv64-unknown-elf-gcc}" -g "$@" -nostdlib -static -Wl,-N -Wl,--no-relax \
        -Wl,--build-id=none -Wl,-Ttext=0x80000000 "$debug/harts.S" -o "$name" 2>log ||
        not_ok "the program harts.S builds" "$(<log)"
}

# session ARGUMENT...: runs `rvsim --gdb SOCKET ARGUMENT...` and in a gdb the commands of standard
# input; leaves gdb's output in $seen, the simulator's in $out and $err, its status in $status.
session() {
    local simulator
    rm -f socket
    timeout -k 5 "${RUN_SECONDS:-120}" "$RVSIM" --gdb ./socket "$@" >rv.out 2>rv.err </dev/null &
    simulator=$!
    { echo "file $program"; echo "target remote ./socket"; cat; } >commands
    for _ in $(seq 200); do [ -S socket ] && break; sleep 0.05; done
    seen=$(timeout -k 5 "${RUN_SECONDS:-120}" gdb-multiarch -nx -batch -x commands \
        -iex 'set confirm off' -iex 'set auto-load off' -iex 'set debuginfod enabled off' 2>&1)
    wait $simulator
    status=$?
    out=$(<rv.out) err=$(<rv.err)
}
# shown PATTERN: the lines of gdb's output that match, without what echo put before them
shown() { grep -E -- "$1" <<<"$seen"; }
