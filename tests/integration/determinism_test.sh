#!/usr/bin/env bash
# The same inputs give the same statistics, bit for bit, except `host`: run after run, with and
# without skipping idle cycles, and from builds of two compilers. RVSIM_CLANG names the second
# simulator.
. tests/integration/lib.sh

build_bare branches && build_bare data_access && build_bare thirteen && build_linux callers ||
    not_ok "the programs build"
echo 'routine 2 counter=13 interrupt' >"$tmp/thirteen.meta"
for routine in leaf red green shared recurse even odd; do
    echo "$routine * counter"
    echo "$routine 2 counter interrupt"
done >"$tmp/callers.meta"

# statistics PROGRAM OPTION...: the statistics that must not differ, without the command line, which
# may
statistics() {
    local program=$1
    shift
    run same "$@" --meta "$tmp/$program.meta" "$tmp/$program"
    query without "$tmp/same.json" host command
    cat "$tmp/same.out"
}
first() { sum=$(statistics "$@" | tee "$tmp/first" | cksum); }

for program in branches data_access thirteen callers; do
    for machine in default tiny small_caches in_order decoupled; do
        options=$(machine_options $machine)
        name="$program, ${machine//_/ }"
        first $program $options
        [ "$(wc -l <"$tmp/first")" -gt 50 ] || not_ok "statistics are written, $name" "$(said same)"
        same "the same run gives the same statistics, $name" "$sum" \
            "$(statistics $program $options | cksum)"
        same "skipping idle cycles changes no statistic, $name" "$(<"$tmp/first")" \
            "$(statistics $program $options --no-skip)"
        [ -z "${RVSIM_CLANG:-}" ] || same "clang's simulator gives the same statistics, $name" \
            "$(<"$tmp/first")" "$(RVSIM=$RVSIM_CLANG statistics $program $options)"
        query marks "$tmp/same.json" >"$tmp/detailed.marks"
        statistics $program $options --mode fast >/dev/null
        same "both engines agree on every mark, $name" "$(<"$tmp/detailed.marks")" \
            "$(query marks "$tmp/same.json")"
    done
done
first callers --mode fast
same "the fast engine repeats itself" "$sum" "$(statistics callers --mode fast | cksum)"

# The complete file, command line included, except `host`.
run whole --meta "$tmp/callers.meta" "$tmp/callers"
query without "$tmp/whole.json" host >"$tmp/whole.first"
run whole --meta "$tmp/callers.meta" "$tmp/callers"
same "host is the only part of the statistics that may differ" "$(<"$tmp/whole.first")" \
    "$(query without "$tmp/whole.json" host)"
