#!/usr/bin/env bash
# Real static Linux programs under $RVSIM: their output, their exit status, the files they leave.
# The expected texts in programs/*.expected were checked against qemu-riscv64; busybox is compared
# with the host's own tools.
set -u
. tests/cases.sh
sources=$PWD/tests/sim/run/linux/programs
tmp=$TEST_TMP
gcc=${LINUX_CC:-riscv64-linux-gnu-gcc}
busybox=$DEPS/busybox-riscv64/usr/bin/busybox
[ -e "$busybox" ] || busybox=$DEPS/busybox-riscv64/bin/busybox

skip() { echo "ok $1 # SKIP $2"; }

# in_box DIRECTORY COMMAND...: runs there; standard output, then the exit status
in_box() {
    local status
    mkdir -p "$tmp/$1"
    (cd "$tmp/$1" && shift && "$@" 2>"$tmp/stderr"; echo "exit status $?")
}
fast() { in_box box "$RVSIM" --mode fast "$@" </dev/null; }
detailed() { in_box box "$RVSIM" --mode detailed "$@" </dev/null; }
expected() { cat "$sources/$1.expected"; }
# said NAME WORDS: the last run explained itself on standard error
said() {
    if grep -qE "$2" "$tmp/stderr"; then echo "ok $1"; else
        echo "not ok $1"
        sed 's/^/#   /' "$tmp/stderr"
    fi
}

if ! command -v "$gcc" >/dev/null; then
    skip "Linux programs" "no $gcc"
    exit 0
fi
for name in hello environment library files fault; do
    "$gcc" -O2 -static "$sources/$name.c" -o "$tmp/$name" -lm || echo "not ok $name builds"
done
"$gcc" -O2 -nostdlib -fPIE -Wl,-static,-pie,--no-dynamic-linker "$sources/pie.c" -o "$tmp/pie" ||
    echo "not ok pie builds"

echo 'char large[1 << 21] = {1}; int main(void) { return large[1]; }' >"$tmp/large.c"
"$gcc" -static "$tmp/large.c" -o "$tmp/large" || echo "not ok large builds"

cat >"$tmp/discard.c" <<'EOF'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
enum { PAGE = 4096 };
static char data[3 * PAGE] __attribute__((aligned(PAGE))) = {
    [0] = 'a', [PAGE] = 'b', [2 * PAGE] = 'c'};
static char zeros[2 * PAGE] __attribute__((aligned(PAGE)));
int main(void)
{
    memset(data, 'x', sizeof data);
    memset(zeros, 'x', sizeof zeros);
    madvise(data + PAGE, PAGE, MADV_DONTNEED);
    madvise(zeros, PAGE, MADV_DONTNEED);
    printf("%c%c%d%c %d%c\n", data[0], data[PAGE], data[PAGE + 1], data[2 * PAGE], zeros[0],
           zeros[PAGE]);
    return 0;
}
EOF
"$gcc" -O1 -static "$tmp/discard.c" -o "$tmp/discard" || echo "not ok discard builds"

# ---- programs -----------------------------------------------------------------------------
same "a program prints and returns its status" "$(printf 'hello, world\nexit status 7')" \
    "$(fast "$tmp/hello")"
same "a program prints and returns its status in detail" \
    "$(printf 'hello, world\nexit status 7')" "$(detailed "$tmp/hello")"
same "arguments, environment and auxiliary vector arrive" "$(expected environment)" \
    "$(fast --env COLOUR=red --env EMPTY= "$tmp/environment" one 'two words' '')"
same "the C library works" "$(expected library)" "$(fast "$tmp/library")"
same "the C library works in detail" "$(expected library)" "$(detailed "$tmp/library")"
same "files and mappings work" "$(expected files)" "$(fast "$tmp/files")"
same "files and mappings work in detail" "$(expected files)" "$(detailed "$tmp/files")"
for mode in fast detailed; do
    same "discarded data have the program's contents again, $mode" "xb0x 0x
exit status 0" "$($mode "$tmp/discard")"
done
same "discarded data have the program's contents again under the guest kernel" "xb0x 0x
exit status 0" "$(fast --os kernel "$tmp/discard")"
same "a static PIE runs at its base" "$(printf 'moved\nexit status 5')" "$(fast "$tmp/pie")"
if command -v "${gcc%gcc}g++" >/dev/null &&
    "${gcc%gcc}g++" -O0 -static -std=c++17 "$sources/objects.cc" -o "$tmp/objects"; then
    same "C++ streams, containers and exceptions work" "$(expected objects)" \
        "$(printf 'first\nsecond\n' | in_box box "$RVSIM" --mode fast "$tmp/objects")"
else
    skip "C++ streams, containers and exceptions work" "no C++ compiler"
fi

# ---- ends ---------------------------------------------------------------------------------
# ends WAY STATUS WORDS [OUTPUT]
ends() {
    same "fault $1 ends with status $2" "$(printf 'before\n%sexit status %s' "${4:-}" "$2")" \
        "$(fast "$tmp/fault" "$1")"
    [ -z "$3" ] || said "fault $1 is explained" "$3"
}
ends null 139 'store to 0x0 at pc 0x[0-9a-f]+ \(main'
ends text 139 'the memory there does not allow it'
ends jump 139 'jump to 0x'
ends stack 139 'stack overflow' $'half the stack is there\n'
ends illegal 132 'illegal instruction'
ends break 133 'SIGTRAP'
ends abort 134 'SIGABRT'
ends term 143 'SIGTERM'
ends ignore 3 '' $'after\n'
ends quick 44 ''
same "memory that ends is refused, with a stack left" \
    "$(printf 'before\nmemory ends\nafter\nexit status 3')" \
    "$(fast --memory 16M "$tmp/fault" memory)"
same "a program that does not fit is refused" "exit status 2" \
    "$(fast --memory 1M "$tmp/large")"
said "a program that does not fit is named" 'large: does not fit into memory'
same "a fault is the same in detail" "$(printf 'before\nexit status 139')" \
    "$(detailed "$tmp/fault" text)"
same "a closed pipe ends a program" "$(printf 'before\n141')" \
    "$("$RVSIM" --mode fast "$tmp/fault" pipe 2>/dev/null | head -n 1; echo "${PIPESTATUS[0]}")"

# ---- determinism --------------------------------------------------------------------------
# count OUTPUT: the instructions of a run that prints there
count() {
    "$RVSIM" --mode fast --stats "$tmp/count.json" "$tmp/library" 2>/dev/null >"$1"
    grep -m1 -oE '"instructions":[^,]*' "$tmp/count.json"
}
in_file=$(count "$tmp/count.out")
same "a run does not depend on where its output goes" "$in_file $in_file" \
    "$(count /dev/null) $(count >(cat >"$tmp/count.pipe"))"

# ---- confinement --------------------------------------------------------------------------
mkdir -p "$tmp/cage/in"
echo outside >"$tmp/outside"
echo inside >"$tmp/cage/in/outside"
ln -sf "$tmp/outside" "$tmp/cage/in/absolute"
ln -sf ../../outside "$tmp/cage/in/relative"

# ---- unusable files -----------------------------------------------------------------------
# refused NAME FILE WORDS
refused() {
    same "$1 is refused" "exit status 2" "$(fast "$2")"
    said "$1 is refused with a clear line" "$3"
    same "$1 is refused with one line" 1 "$(wc -l <"$tmp/stderr")"
}
"$gcc" "$sources/hello.c" -o "$tmp/dynamic"
refused "a dynamic program" "$tmp/dynamic" 'link it with -static'
"$gcc" -c "$sources/hello.c" -o "$tmp/hello.o"
refused "an object file" "$tmp/hello.o" 'an object file'
refused "a program of another processor" "$(readlink -f /bin/sh)" 'another processor'
refused "a text file" "$sources/hello.c" 'not an ELF file'
head -c 5000 "$tmp/hello" >"$tmp/short"
refused "a truncated program" "$tmp/short" 'short: truncated: '

# ---- busybox ------------------------------------------------------------------------------
if [ ! -e "$busybox" ]; then
    skip "busybox" "not fetched"
    exit 0
fi
export LC_ALL=C
cage=(in_box cage/in "$RVSIM" --mode fast --root .. "$busybox")
for name in absolute relative ../outside ../../outside /../outside; do
    same "$name does not lead out of the root" "exit status 1" "$("${cage[@]}" cat $name)"
done
same "a name inside the root is found" "$(printf 'inside\nexit status 0')" \
    "$("${cage[@]}" cat /in/outside)"
same "the whole file system is a root on request" "$(printf 'outside\nexit status 0')" \
    "$(in_box box "$RVSIM" --mode fast --root / "$busybox" cat "$tmp/outside")"

mkdir -p "$tmp/box/many"
(cd "$tmp/box" && seq 1 7 3000 | sort -R --random-source=<(yes) >numbers &&
    cp "$sources/library.c" text.c && touch many/{b,a,c,.hidden})
# box NAME REFERENCE... -- APPLET...: standard input is the file `numbers` for both
box() {
    local name=$1 reference=()
    shift
    while [ "$1" != -- ]; do reference+=("$1"); shift; done
    shift
    same "busybox $name" "$(cd "$tmp/box" && "${reference[@]}" <numbers; echo "exit status 0")" \
        "$(in_box box "$RVSIM" --mode fast "$busybox" "$@" <"$tmp/box/numbers")"
}
box "sort" sort -n -- sort -n
box "sort of a file" sort -r numbers -- sort -r numbers
box "md5sum" md5sum numbers text.c -- md5sum numbers text.c
box "sha256sum" sha256sum -- sha256sum
box "wc" wc -c text.c -- wc -c text.c
box "awk" awk '{s += $1 * $1} END {printf "%d %.3f\n", NR, s / 7}' numbers -- \
    awk '{s += $1 * $1} END {printf "%d %.3f\n", NR, s / 7}' numbers
box "sed" sed -n 's/static \([a-z]*\)/<\1>/p' text.c -- sed -n 's/static \([a-z]*\)/<\1>/p' text.c
box "grep" grep -n 'for (' text.c -- grep -n 'for (' text.c
box "ls" ls -A many -- ls -A many
box "find" printf 'many\nmany/.hidden\nmany/a\nmany/b\nmany/c\n' -- find many
"$RVSIM" --mode fast "$busybox" gzip -c <"$tmp/box/text.c" 2>/dev/null | gunzip -c |
    cmp -s - "$tmp/box/text.c" && echo "ok busybox gzip" || echo "not ok busybox gzip"
gzip -c "$tmp/box/text.c" >"$tmp/box/text.gz"
box "gunzip" cat text.c -- gunzip -c text.gz

cat >"$tmp/box/script" <<'SCRIPT'
i=0; while [ $i -lt 50 ]; do i=$((i + 1)); done; echo "counted $i"
product() { if [ $1 -le 1 ]; then r=1; else product $(($1 - 1)); r=$((r * $1)); fi; }
product 10; echo "product $r"
for f in many/*; do echo "file $f"; done
case text.c in *.c) echo "a C file" ;; esac
while read -r n; do [ "$n" != 1 ] || echo "found <$n>"; done <numbers >found
read -r line <found; echo "$line ${#line}"
echo "$1 of $#"; shift; echo "$*"
cd many && pwd
kill -0 $$ && echo alive >&2
exit 9
SCRIPT
same "busybox runs a shell script" "$(printf '%s\n' 'counted 50' 'product 3628800' 'file many/a' \
    'file many/b' 'file many/c' 'a C file' 'found <1> 9' 'x of 3' 'y z' /many 'exit status 9')" \
    "$(fast "$busybox" sh script x y z)"
same "the host refuses a fork" "exit status 2" "$(fast --os host "$busybox" sh -c 'echo a | cat')"
said "a refused fork is named" 'system call 220 \(clone\) is not supported'
