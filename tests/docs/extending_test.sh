#!/usr/bin/env bash
# The commands of docs/extending.md print the output that it shows, and its claims hold: components
# of a folder behave like those of the tree, the plain build does not change, only the necessary
# files are compiled, and errors in a folder are reported.
set -u
. tests/cases.sh
unset MAKEFLAGS MAKELEVEL
build=$BUILD mine=$TEST_TMP/mine
unset O

# If the build has other flags than `make`, all objects would be made anew.
make -s O="$TEST_TMP/flags" "$TEST_TMP/flags/flags.stamp"
flags() { cut -d ' ' -f 2- "$1/flags.stamp"; }     # after the build's folder
if [ "$(flags "$TEST_TMP/flags")" != "$(flags "$build")" ]; then
    echo "ok components of a folder # SKIP the build has flags of its own"
    exit
fi

# The pipe is compiled four times, with these flags; the plain build has it compiled with its own.
export EXTRAS_FLAGS="-O1 -g0"
plain=$(cksum "$build/rvsim" "$build/librvsim.a")
rm -rf "$build/extras/mine"                        # the page shows all that its first make compiles
tests/docs/pages.sh docs/extending.md

# ---- what is compiled ------------------------------------------------------------------------
extras() { make O="$build" EXTRAS="$mine" 2>&1; }
compiled() { awk '$1 == "CC" { print $2 }' | xargs -r -n 1 basename | sort; }

own=$(cd "$mine" && ls ./*.c | xargs -n 1 basename)
tables="choice.c direction.c event.c indirect.c prefetch.c replace.c scheme_row.c"
same "nothing is compiled a second time" "" "$(extras | compiled)"
touch "$mine/clock.c"
same "a file that changes is compiled alone" clock.c "$(extras | compiled)"
echo >>"$mine/prefetch.def"
same "a row that changes is compiled into its tables" "choice.c pairs.c prefetch.c" \
    "$(extras | compiled | xargs)"
mkdir "$TEST_TMP/elsewhere" && mv "$mine" "$TEST_TMP/elsewhere/" && mine=$TEST_TMP/elsewhere/mine
same "of a folder of the same name elsewhere its files and those that have tables are compiled" \
    "$(printf '%s\n' $own $tables | sort)" "$(extras | compiled)"
same "the plain build does not change" "$plain" "$(cksum "$build/rvsim" "$build/librvsim.a")"

# ---- what the components do -------------------------------------------------------------------
rvsim=$build/extras/mine/rvsim
program="$build/examples/wordindex $build/examples/wordindex.c"
cp "$build/examples/wordindex.c" "$TEST_TMP/text"
# events FILE [OPTION...]: the counts of a run, without its settings
events() {
    local file=$TEST_TMP/$1
    shift
    (cd "$TEST_TMP" && "$rvsim" --quiet --max-insns 300000 "$@" --stats "$file" \
        "$build/examples/wordindex" text >/dev/null 2>&1)
    grep ^events. "$file"
}
same "gselect without history is bimodal" \
    "$(events a.csv --set bpred.kind=bimodal --set bpred.entries=256)" \
    "$(events b.csv --set bpred.kind=gselect --set bpred.entries=256 --set bpred.history=0)"
direct="--set l1d.kib=1 --set l1d.ways=1 --set l1d.replacement"
same "with one way the clock has no choice" "$(events a.csv $direct=lru)" \
    "$(events b.csv $direct=clock)"
same "a table of targets without entries leaves the branch target buffer's" \
    "$(events a.csv --set bpred.indirect=btb)" \
    "$(events b.csv --set bpred.indirect=by_path --set bpred.indirect_entries=0)"

# Eight lines from memory; the same lines again, from the cache.
cat >"$TEST_TMP/lines.c" <<'END'
void program(void), pass(void);
static volatile long data[8][512] __attribute__((aligned(4096))) = {{1}};

void program(void)
{
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 8; i++)
            (void)data[i][0];
        __asm__ volatile("fence");
    }
    pass();
}
END
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv64gc_zicsr_zifencei -mabi=lp64d -mcmodel=medany \
    -O1 -ffreestanding -nostdlib -static -T tests/programs/bare.ld -Wl,--build-id=none \
    "$TEST_TMP/lines.c" tests/programs/start.S -o "$TEST_TMP/lines"
same "of two rounds of loads the first is slow" 8 "$("$rvsim" --quiet --set l1d.prefetch=none \
    --stats "$TEST_TMP/a.csv" "$TEST_TMP/lines" >/dev/null 2>&1
    sed -n 's/^events.loads_slow,//p' "$TEST_TMP/a.csv")"

# ---- where they are named ---------------------------------------------------------------------
complete() { "$rvsim" --complete "$@" 2>&1; }
for choice in bpred.kind=gselect bpred.indirect=by_path l1d.prefetch=pairs l1i.prefetch=pairs \
    l1i.replacement=clock l3.replacement=clock; do
    same "completion knows $choice" "$choice" "$(complete --set "${choice%??}" | xargs)"
done
same "completion knows the scheme" skid "$(complete compare-profilers --schemes sk | xargs)"
same "the event is suggested" "did you mean loads_slow?" \
    "$("$rvsim" stat -e loads_slo "$TEST_TMP/lines" 2>&1 | grep -o 'did you mean .*')"
# settings SIMULATOR SECTION: their names
settings() {
    "$1" config show default | sed -n "/^\[$2\]/,\$p" | sed -n 's/^\([a-z_]*\) .*=.*/\1/p'
}
same "the model has a section of settings" "shift_bits" \
    "$(settings "$build/extras/pebble/rvsim" pebble)"
# figures SIMULATOR FILE [OPTION...]: the events of a run of an in-order core
figures() {
    local simulator=$1 file=$TEST_TMP/$2
    shift 2
    (cd "$TEST_TMP" && "$simulator" --quiet --config tiny --set core.kind=in_order \
        --set dispatch.width=1 --max-insns 300000 "$@" --stats "$file" \
        "$build/examples/wordindex" text >/dev/null 2>&1)
    grep ^events. "$file"
}
pebble=$build/extras/pebble/rvsim
same "a shifter for any distance is that of the pipe without a model" \
    "$(figures "$build/rvsim" a.csv)" "$(figures "$pebble" b.csv --set pebble.shift_bits=0)"
same "a shifter by 64 bits is that of the pipe, too" "$(figures "$build/rvsim" a.csv)" \
    "$(figures "$pebble" b.csv --set pebble.shift_bits=64)"
same "a slow one with cycles skipped is the same" \
    "$(figures "$pebble" a.csv --set pebble.shift_bits=2 --no-skip)" \
    "$(figures "$pebble" b.csv --set pebble.shift_bits=2)"
same "the plain simulator has none of them" "" "$("$build/rvsim" config show default |
    grep -oE 'gselect|by_path|staged[|]pairs|[|]clock')"

# ---- what is refused --------------------------------------------------------------------------
told() { make -s O="$build" "$@" 2>&1 | sed -n 's/^Makefile:[0-9]*: \*\*\* //p'; }
known="expected one of direction.def indirect.def prefetch.def replacement.def scheme.def event.def"
known+=" settings.def"
mkdir "$TEST_TMP/empty" "$TEST_TMP/wrong"
touch "$TEST_TMP/wrong/predictors.def"
same "a folder without rows" "$TEST_TMP/empty has no rows; $known.  Stop." \
    "$(told EXTRAS="$TEST_TMP/empty")"
same "rows of no table" "$TEST_TMP/wrong/predictors.def is no table; $known.  Stop." \
    "$(told EXTRAS="$TEST_TMP/wrong")"
same "another target" "EXTRAS= builds a simulator only; make install knows nothing of it.  Stop." \
    "$(told EXTRAS="$mine" install)"
