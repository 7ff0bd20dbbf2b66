# What every script test reports cases with: `ok NAME`, `not ok NAME` and why, as comments.

# A run that computes for ever ends, and fails its case; one that waits for ever ends with the test.
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
    [ "$2" != "$3" ] || { ok "$1"; return; }        # without a process, as it is nearly always
    difference=$(diff <(printf '%s\n' "$2") <(printf '%s\n' "$3"))
    not_ok "$1" "expected (<) and found (>):" "$difference"
}
# objects NAME...: what links a program with the build's objects of these sources, named without .c
objects() {
    printf '%s\n' "${@/%/.o}" | sed "s|^|$BUILD/|"
    ! grep -q __asan_init "$BUILD/$1.o" || echo -fsanitize=address,undefined
}
