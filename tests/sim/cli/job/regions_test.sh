#!/usr/bin/env bash
# Regions: gem5's magic instructions, --roi and --roi-end measure exactly the code between them, in
# both engines.
. tests/sim/cli/lib.sh
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv64gc -mabi=lp64d -nostdlib -static -Wl,-N \
    -Wl,--no-relax -Wl,--build-id=none -Wl,-Ttext=0x80000000 "$here/job/regions.S" \
        -o regions 2>log ||
    not_ok "the program regions.S builds" "$(<log)"

region() { value x.json "regions.$1.kind"; value x.json "regions.$1.id"
           value x.json "regions.$1.instructions"; }

for mode in detailed fast; do
    rm -f x.json x.txt
    rv --mode $mode --stats x.json --stats x.txt regions
    same "fail ends the run with its code, $mode" 7 "$status"
    matches "a checkpoint is refused once, the run goes on, $mode" \
        'warning: the program asks for a checkpoint; there are none' "$err"
    same "each dump and work item is a region, $mode" \
        "dump 0 3 work 5 4 dump 0 10 dump 0 2 " \
        "$(for i in 0 1 2 3; do region $i; done | tr '\n' ' ')"
    same "a dump is a block of the gem5 text, the last is the whole run, $mode" \
        "3 10 2 $(value x.json instructions)" \
        "$(awk '$1 == "simInsts" { print $2 }' x.txt | tr '\n' ' ' | sed 's/ $//')"
    same "the events of a region are its own, $mode" 2 \
        "$(value x.json regions.3.events.insns_retired)"
    rv --mode $mode --stats x.json --roi begin..end regions
    same "a region of interest ends the run, $mode" "0 halted 201" \
        "$status $(value x.json result.reason) $(value x.json instructions)"
    matches "the end is told, $mode" 'stopped at the end of the region of interest' "$err"
    rv --mode $mode --stats y.json --roi begin --roi-end end regions
    same "--roi-end is the same, $mode" "$(value x.json cycles) 201" \
        "$(value y.json cycles) $(value y.json instructions)"
    rv --mode $mode --check self regions
    matches "the check follows the program through both engines, $mode" \
        'check: 2[0-9]{2} instructions and 0 traps agree' "$err"
    rv --mode $mode --set machine.magic=none --quiet regions
    same "without machine.magic they are illegal, $mode" 132 "$status"
    rv --mode $mode --set machine.magic=none --stats x.json --max-insns 3 --quiet regions
    same "there are no regions then, $mode" 0 "$(grep -c '"regions":' x.json)"
done
refused "a region without an end" "--roi begin..: expected SYMBOL or BEGIN..END" \
    --roi begin.. regions
refused "a region to an unknown end" \
    "--roi-end ende: no such symbol in regions; did you mean end?" --roi begin..ende regions

"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv64gc_zicsr -mabi=lp64d -nostdlib -static -Wl,-N \
    -Wl,--no-relax -Wl,--build-id=none -Wl,-Ttext=0x80000000 "$here/job/roi.S" -o roi 2>log ||
    not_ok "the program roi.S builds" "$(<log)"
# counted OPTION...: instructions, loads, stores and taken branches of a region
counted() {
    rv --stats x.json "$@" roi
    echo "$(value x.json instructions) $(value x.json events.loads) $(value x.json events.stores)" \
        "$(value x.json events.branches_taken)"
}
for mode in detailed fast; do
    options="--mode $mode"
    same "the instruction at the begin is in, the one at the end is not, $mode" "2 1 0 0" \
        "$(counted $options --roi first..second)"
    same "the next region begins with the instruction at the end, $mode" "2 0 1 0" \
        "$(counted $options --roi second..round)"
    same "a region without a begin counts from the start, $mode" \
        "$(counted $options --roi _start..first)" "$(counted $options --roi-end first)"
    same "from one arrival to the next, $mode" "2 0 0 1" "$(counted $options --roi round..round)"
    same "the end is reached by falling into it, by a jump or by a trap, $mode" "10 1 1 2" \
        "$(counted $options --roi first..handler)"
    same "a handler's region ends with its return, $mode" "4 0 0 0" \
        "$(counted $options --roi handler..behind)"
done
