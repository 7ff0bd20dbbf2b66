# Functions with which every script test reports its cases: `ok NAME`, or `not ok NAME` and the
# reasons as comments.

# The limit ends a run that computes for ever, which fails its case. A run that waits for ever ends
# with the test.
ulimit -S -t 300

ok() { echo "ok $1"; }
not_ok() {
    echo "not ok $1"
    shift
    [ $# = 0 ] || printf '%s\n' "$@" | sed 's/^/#   /' | head -n 40
}
# same NAME EXPECTED GOT: the two texts are equal
same() {
    local difference
    [ "$2" != "$3" ] || { ok "$1"; return; }        # the usual case, without a process
    difference=$(diff <(printf '%s\n' "$2") <(printf '%s\n' "$3"))
    not_ok "$1" "expected (<) and found (>):" "$difference"
}
# objects NAME...: the linker's arguments for the build's objects of these sources, named without .c
objects() {
    printf '%s\n' "${@/%/.o}" | sed "s|^|$BUILD/|"
    ! grep -q __asan_init "$BUILD/$1.o" || echo -fsanitize=address,undefined
}
