#!/usr/bin/env bash
# A marked return to an instruction that executes alone or traps: its interrupt is served before
# that instruction, so that the caller is the routine returned to, on every machine.
. tests/integration/lib.sh

build_bare returns || not_ok "the program builds"
echo 'calls(leaf) * interrupt' >"$tmp/returns.meta"
callers() {
    "$RVSIM" report --callers "$tmp/$1.prof" | tr -d , |
        awk '/^[a-z].*interrupts$/ { what = $1 " " $2 }
             NF == 6 && $2 ~ /%$/ { print what, $6, $1 }' | sort
}
expected=$(for to in add atomic breakpoint csr device fault fence illegal system_call; do
    echo "leaf (return): to_$to 3"
done)
configs=$(cd sim/presets && ls -- *.ini | sed 's/\.ini$//')
for config in $configs; do
    for monitor in guest host; do
        run $config.$monitor --config "$config" --monitor $monitor --meta "$tmp/returns.meta" \
            --profile "$tmp/$config.$monitor.prof" "$tmp/returns"
        same "the interrupt of a return comes before the next instruction: $config, monitor $(
            )$monitor" "0 $expected" "$status $(callers $config.$monitor)"
    done
done
run fast --mode fast --meta "$tmp/returns.meta" --profile "$tmp/fast.prof" "$tmp/returns"
same "in the fast engine the interrupt of a return comes before the next instruction" \
    "0 $expected" "$status $(callers fast)"
