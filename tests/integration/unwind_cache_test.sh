#!/usr/bin/env bash
# A program without frame pointers: the resident monitor and the one on the host find the same
# stacks, and a walk where earlier ones passed costs a fraction of reading the code again.
. tests/integration/lib.sh
build_tools

"$linux_cc" -O2 -g -fomit-frame-pointer -static guest/examples/wordindex/wordindex.c \
    -o "$tmp/wordindex" || not_ok "the program builds"
echo 'calls(*) * interrupt' >"$tmp/calls.meta"
for monitor in guest host; do
    run $monitor --mode fast --monitor $monitor --max-insns 300000 --meta "$tmp/calls.meta" \
        --profile "$tmp/$monitor.prof" "$tmp/wordindex" guest/examples/wordindex/wordindex.c
    "$RVSIM" report --callers "$tmp/$monitor.prof" | grep -v -e '^command' -e '^monitor' \
        -e '^engine' >"$tmp/$monitor.callers"
done
same "the monitors agree on every caller" "$(cat "$tmp/host.callers")" \
    "$(cat "$tmp/guest.callers")"
same "and on every stack" "$(query callers "$tmp/host.json" | sort | cksum)" \
    "$(query callers "$tmp/guest.json" | sort | cksum)"
event() { sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$tmp/guest.json" | head -1; }
interrupts=$(event indicator_interrupts) insns=$(event insns_monitor)
name="an interrupt costs fewer than 5000 instructions of the monitor"
if [ "${interrupts:-0}" -gt 5000 ] && [ "$insns" -lt $((interrupts * 5000)) ]; then ok "$name"
else not_ok "$name" "$interrupts interrupts, $insns instructions"; fi
