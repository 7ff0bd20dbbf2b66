#!/usr/bin/env bash
# A program without frame pointers: the resident monitor and the one on the host find the same
# stacks, and a walk that reuses the rules of earlier ones costs a fraction of reading the code
# again. The run is cut at an instruction, so the program's stack must not depend on a folder's
# name.
. tests/integration/lib.sh

"$linux_cc" -O2 -g -fomit-frame-pointer -static guest/examples/wordindex/wordindex.c \
    -o "$tmp/wordindex" || not_ok "the program builds"
cp guest/examples/wordindex/wordindex.c "$tmp"
echo 'calls(*) * interrupt' >"$tmp/calls.meta"
cd "$tmp" || exit 1
for monitor in guest host; do
    run $monitor --mode fast --monitor $monitor --max-insns 300000 --meta calls.meta \
        --profile $monitor.prof ./wordindex wordindex.c
    "$RVSIM" report --callers $monitor.prof | grep -v -e '^command' -e '^monitor' \
        -e '^engine' >$monitor.callers
done
same "the monitors agree on every caller" "$(<host.callers)" "$(<guest.callers)"
same "the monitors agree on every stack" "$(query callers host.json | sort | cksum)" \
    "$(query callers guest.json | sort | cksum)"
event() { sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" guest.json | head -1; }
interrupts=$(event indicator_interrupts) insns=$(event insns_monitor)
name="an interrupt costs fewer than 5000 instructions of the monitor"
if [ "${interrupts:-0}" -gt 5000 ] && [ "$insns" -lt $((interrupts * 5000)) ]; then ok "$name"
else not_ok "$name" "$interrupts interrupts, $insns instructions"; fi
