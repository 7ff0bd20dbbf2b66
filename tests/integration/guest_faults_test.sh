#!/usr/bin/env bash
# Programs that crash or do not end: the exit status shows the kind of end, one message names the
# place, and the statistics are written and valid in every case.
. tests/integration/lib.sh
build_linux faults || not_ok "the faulty program builds"

reason() { query get "$tmp/$1.json" result.reason; }
written() { holds "$1: the statistics are written and valid" query valid "$tmp/$2.json"; }
# ends SENTENCE STEM STATUS REASON: how the run ended
ends() {
    same "$1: status $3 and reason $4" "$3 $4" "$status $(reason "$2")"
    [ "$status" = "$3" ] || said "$2" | sed 's/^/#   /'
    written "$1" "$2"
}
# says SENTENCE STEM PATTERN...: the error output contains each
says() {
    local sentence=$1 stem=$2 pattern
    shift 2
    for pattern in "$@"; do
        holds "$sentence: the message has $pattern" grep -qiE -- "$pattern" "$tmp/$stem.err"
    done
}

for mode in detailed fast; do
    m="$mode engine"
    run end.$mode --mode $mode "$tmp/faults" end
    ends "a program that ends well, $m" end.$mode 0 exit
    run code.$mode --mode $mode "$tmp/faults" code 42
    ends "a program's exit status is the simulator's, $m" code.$mode 42 exit
    run jump.$mode --mode $mode "$tmp/faults" jump
    ends "a jump to nowhere, $m" jump.$mode $((128 + 11)) trap
    says "a jump to nowhere, $m" jump.$mode '0x0*10\b' 'fetch|jump|instruction' '\bra\b.*0x' \
        'jump_nowhere'
    same "a jump to nowhere, $m: what was written before it is seen" jump \
        "$(<"$tmp/jump.$mode.out")"
    run store.$mode --mode $mode "$tmp/faults" store
    ends "a store to nowhere, $m" store.$mode $((128 + 11)) trap
    says "a store to nowhere, $m" store.$mode 'store_nowhere' 'store' '0x0*18\b' 'sp\b.*0x'
    run illegal.$mode --mode $mode "$tmp/faults" illegal
    ends "an illegal instruction, $m" illegal.$mode $((128 + 4)) trap
    says "an illegal instruction, $m" illegal.$mode 'illegal_instruction' 'illegal instruction'
    run recurse.$mode --mode $mode "$tmp/faults" recurse
    ends "recursion until the stack ends, $m" recurse.$mode $((128 + 11)) trap
    says "recursion until the stack ends, $m" recurse.$mode 'recurse_forever'
    run abort.$mode --mode $mode "$tmp/faults" abort
    same "abort, $m: status 134" 134 "$status"
    written "abort, $m" abort.$mode

    run insns.$mode --mode $mode --max-insns 200000 "$tmp/faults" spin
    ends "endless, --max-insns, $m" insns.$mode 0 max_insns
    says "endless, --max-insns, $m" insns.$mode 'max-insns|instructions'
    same "endless, --max-insns, $m: it stops there, within a commit group" yes \
        "$(awk -v n="$(query get "$tmp/insns.$mode.json" instructions)" \
            'BEGIN {if (n >= 200000 && n < 200008) print "yes"; else print n}')"
    run cycles.$mode --mode $mode --max-cycles 200000 "$tmp/faults" spin
    ends "endless, --max-cycles, $m" cycles.$mode 0 max_cycles
    run timeout.$mode --mode $mode --timeout 1 "$tmp/faults" spin
    ends "endless, --timeout, $m" timeout.$mode 124 timeout
    # A test may itself run with SIGINT ignored, as background jobs do.
    rm -f "$tmp/interrupt.json"
    env --default-signal=INT timeout --preserve-status -s INT 1 "$RVSIM" --mode $mode \
        --stats "$tmp/interrupt.json" "$tmp/faults" spin \
        >"$tmp/interrupt.out" 2>"$tmp/interrupt.err" </dev/null
    status=$?
    same "endless, Ctrl-C, $m: status 130" 130 "$status"
    written "endless, Ctrl-C, $m" interrupt
done

# The same without an operating system. The origin of a jump without a link is not known.
for how in JUMP:11:fetch:0x0*10 STORE:11:store:program ILLEGAL:4:illegal:program; do
    IFS=: read -r name signal cause place <<<"$how"
    build_bare bare_faults -DHOW=$name || not_ok "the bare-metal program builds"
    for mode in detailed fast; do
        run bare.$mode --mode $mode "$tmp/bare_faults"
        ends "bare metal, ${name,,}, $mode engine" bare.$mode $((128 + signal)) trap
        says "bare metal, ${name,,}, $mode engine" bare.$mode "$cause|instruction" "$place\\b"
    done
done
build_bare bare_faults -DHOW=SPIN
run bare.spin --max-cycles 100000 "$tmp/bare_faults"
ends "bare metal, endless" bare.spin 0 max_cycles

# Metadata that the program has overwritten is no metadata, or nonsense, but never a crash.
build_bare wild_tables || not_ok "the program that spoils its metadata builds"
for machine in default tiny short_lines; do
    for mode in detailed fast warm; do
        run wild --mode $mode $(machine_options $machine) --monitor host \
            --meta "$tmp/wild_tables.meta" "$tmp/wild_tables"
        ends "spoilt metadata, $mode engine, ${machine//_/ }" wild 0 exit
    done
done

# Metadata outside of memory is ignored: nothing is counted there, and no earlier count is lost. The
# program says how often its instruction and its datum were accessed while their tables were in
# their right places.
build_bare lost_tables || not_ok "the program that moves its tables builds"
for machine in default tiny short_lines in_order; do
    for mode in detailed fast; do
        run lost --mode $mode $(machine_options $machine) --monitor host \
            --meta "$tmp/lost_tables.meta" "$tmp/lost_tables"
        same "tables, blocks and ends of segments outside memory, $mode engine, ${machine//_/ }" \
            "0 18 18" "$status $(query marks "$tmp/lost.json" | awk '{print $2}' | xargs)"
    done
done
for setting in placement=mixed placement=line dframes=4 traffic=l2; do
    run lost --set shadow.$setting --monitor host --meta "$tmp/lost_tables.meta" "$tmp/lost_tables"
    same "tables, blocks and ends of segments outside memory with shadow.$setting" "0 18 18" \
        "$status $(query marks "$tmp/lost.json" | awk '{print $2}' | xargs)"
done

# Pages without memory are not marked, and an unmapped page loses its marks.
build_linux unmapped || not_ok "the program that unmaps its page builds"
printf '%s\n' 'page 8 counter granule=8' '0x5000000 8 counter granule=8' \
    '0x3fffffff000 4096 count interrupt' >"$tmp/unmapped.meta"
for mode in detailed fast; do
    run unmapped --mode $mode --meta "$tmp/unmapped.meta" "$tmp/unmapped"
    same "a marked page is unmapped, $mode engine: what comes there later is not counted" "0 10" \
        "$status $(query marks "$tmp/unmapped.json" | awk '{print $2}' | xargs)"
    same "pages that are not mapped are not marked, and each line says so, $mode engine" "2 3" \
        "$(sed -n 's/.*warning: .*unmapped.meta:\([0-9]*\): no memory at .*: not marked/\1/p' \
            "$tmp/unmapped.err" | xargs)"
done

# Marks are counted up to the end of the run, whatever its cause.
printf '%s\n' 'recurse_forever 2 counter' >"$tmp/faults.meta"
run marked --meta "$tmp/faults.meta" "$tmp/faults" recurse
holds "counts before a trap are in the statistics" \
    test "$(query marks "$tmp/marked.json" | awk '{print $2}')" -gt 1000
printf '%s\n' 'spin * counter' >"$tmp/faults.meta"
run marked --max-insns 300000 --meta "$tmp/faults.meta" "$tmp/faults" spin
holds "counts before a limit are in the statistics" \
    test "$(query marks "$tmp/marked.json" | awk '$2 > n {n = $2} END {print n}')" -gt 10000
