#!/usr/bin/env bash
# H4: every event of pmu/event.def is checked against a program counted by hand, and an event that
# no program counts makes this test fail.
#
# A program states how often an event happens, derived in its comments; a run here must find that
# number, and a number of 0 does not count as a test of the event. Programs that are a loop state it
# for a hundred rounds (tests/programs/rounds.h). Programs whose every cycle is drawn
# (tests/programs/pipeline.h) account for each slot and each cycle: events of the three sums that
# they do not name must not happen. The sums themselves hold in runs of many programs and machines.
. tests/integration/lib.sh
exactly=$tmp/exactly
: >"$exactly"

# events_in STEM: "EVENT COUNT" of the run, sorted
events_in() { query events "$tmp/$1.json"; }
wanted() { events_expected "$1" | LC_ALL=C sort; }

# ---- exactly -------------------------------------------------------------------------------------

# checked SENTENCE WANTED FOUND: a case; an event with the right count is covered, unless the count
# is 0
checked() {
    same "$1" "$2" "$3"
    [ "$2" != "$3" ] || awk '$2 != 0 {print $1}' <<<"$2" >>"$exactly"
}

# more_rounds PROGRAM BODY OPTION...: "EVENT COUNT" of a hundred more rounds of that body, in
# $tmp/more; on failure $tmp/why says why
more_rounds() {
    local program=$1 body=$2 rounds
    shift 2
    for rounds in 200 300; do
        build_rounds $program $rounds $body ||
            { echo "$body does not build" >"$tmp/why"; return 1; }
        run "$body.$rounds" --mode detailed --monitor none "$@" "$tmp/$program"
        [ $status = 0 ] || { said "$body.$rounds" >"$tmp/why"; return 1; }
        events_in "$body.$rounds" >"$tmp/$rounds"
    done
    awk 'NR == FNR {before[$1] = $2; next} $1 in before {print $1, $2 - before[$1]}' \
        "$tmp/200" "$tmp/300" >"$tmp/more"
}
build_rounds() {
    local program=$1 rounds=$2 body=$3
    if [ $program = system_calls ]; then
        "$linux_cc" -nostdlib -static -I. -DROUNDS=$rounds "$programs/$program.S" -o "$tmp/$program"
    else
        build_bare $program -DROUNDS=$rounds -DBODY=$body
    fi
}

# hundred BODY SENTENCE OPTION...: checks the events that a body of event_rounds names
hundred() {
    local body=$1 sentence=$2 want
    shift 2
    more_rounds event_rounds $body --meta "$tmp/event_rounds.meta" "$@" ||
        { not_ok "$sentence" "$(<"$tmp/why")"; return; }
    want=$(wanted event_rounds)
    checked "$sentence" "$want" "$(LC_ALL=C join <(cut -d ' ' -f 1 <<<"$want") "$tmp/more")"
}

# drawn PROGRAM BODY SENTENCE OPTION...: the same on the two-wide machine, and of the slots and
# cycles everything
two_wide="--config $programs/two_wide.ini"
drawn() {
    local program=$1 body=$2 sentence=$3
    shift 3
    more_rounds $program $body $two_wide "$@" ||
        { not_ok "$sentence" "$(<"$tmp/why")"; return; }
    wanted $program >"$tmp/named"
    checked "$sentence" "$(<"$tmp/named")" "$(
        LC_ALL=C join -a 1 -o 0,2.2 -e unnamed "$tmp/more" "$tmp/named" |
            LC_ALL=C join - "$tmp/more" |
            awk '$2 != "unnamed" || ($1 ~ /^(slots|lost|cpi)_/ && $3 != 0) {print $1, $3}')"
}
# counted_by PROGRAM BODY SENTENCE OPTION...: on the two-wide machine, the events that the body
# names
counted_by() {
    local program=$1 body=$2 sentence=$3 want
    shift 3
    more_rounds $program $body $two_wide "$@" ||
        { not_ok "$sentence" "$(<"$tmp/why")"; return; }
    want=$(wanted $program)
    checked "$sentence" "$want" "$(LC_ALL=C join <(cut -d ' ' -f 1 <<<"$want") "$tmp/more")"
}

plain="--set l1d.prefetch=none --set l1i.prefetch=none"
one_way="$plain --set l1d.kib=1 --set l1d.ways=1"
hundred UNITS "what goes through each unit is counted at each stage" --config tiny
for kind in out_of_order in_order; do
    hundred INT_UNITS "each simple integer unit counts its own, ${kind//_/ }" \
        $two_wide --set core.kind=$kind
    hundred DIVISIONS "a division occupies its unit to the end, ${kind//_/ }" \
        $two_wide --set core.kind=$kind --set latency.fdiv=12
done
hundred FP_CHAIN "a chain of floating-point additions" --config tiny
hundred FORWARD "loads that the store queue serves" --config tiny
hundred LATE_STORE "loads that went before a store of their word" --set lsq.speculation=blind
hundred JUMPS "jumps that the target buffer does not know" --config tiny
hundred RETURNS "returns without calls" --config tiny
hundred LINES "lines of straight code" --config tiny --set l2.kib=64
hundred KINDS "kinds of instructions" --config tiny
hundred DECODES "cycles of a decoder that takes one instruction" --config tiny --set decode.width=1
hundred FRESH "lines that no cache holds" $plain --set l3.kib=1024
hundred IN_VAIN "what is issued after a load that misses" $plain --set issue.replay=selective
hundred L2_HITS "lines that L2 holds" $one_way
hundred L3_HITS "lines that L3 holds" $one_way --set l2.kib=1 --set l2.ways=1 --set l3.kib=64
hundred L2_BANKS "accesses that wait for a bank of L2" $plain --set c910.bank_cycles=20
hundred L3_BANKS "accesses that wait for a bank of L3" $plain --set l3.kib=64 \
    --set c910.banks=2 --set c910.bank_cycles=20
hundred UNUSED "lines prefetched in vain" $plain --set l1d.prefetch=next_line \
    --set l1d.prefetch_degree=1 --set l1d.prefetch_into=l1 --set l1d.kib=1 --set l1d.ways=2
hundred HINTS "indicators in the instruction stream, and what they mark" $plain --hints
hundred LIMITS "own counters that pass their limit"
hundred NEAR "own counters near their overflow" --set pmu.counter_bits=8 --set pmu.near=16
hundred TRIGGERS "debug triggers that count"
hundred WAITS "time that passes in WFI" --config tiny
hundred DATA_PAGES "pages that no TLB knows, of data" --set walker.cache_entries=16
hundred CODE_PAGES "pages that no TLB knows, of code" --set walker.cache_entries=16
hundred BARE_LINES "lines without metadata" $plain
hundred MARKED_LINES "lines with metadata" $plain
hundred FRAMES "metadata that has no room" $plain --set shadow.dframes=2 --set shadow.ways=2 \
    --set shadow.latency=100 --set shadow.traffic=ideal

full="--set rob.entries=8"
drawn slots_back ROB "a reorder buffer full after a multiplication" $full
drawn slots_back DIVIDER "... after a division" $full
drawn slots_back L1 "... after a load from L1D" $full --set latency.load=20
drawn slots_back L2 "... after a load from L2" $full --set l2.cycles=18
drawn slots_back L3 "... after a load from L3" $full --set l2.kib=1 --set l2.ways=1 \
    --set l3.kib=64 --set l3.cycles=12
drawn slots_back DRAM "... after a load from memory" $full --set dram.cycles=12
drawn slots_back DTLB "... after a load that misses the data TLB" $full --set dtlb.entries=1 \
    --set l2tlb.cycles=18
drawn slots_back RENAME_INT "no integer rename buffer" --set rename.int_buffers=4
drawn slots_back RENAME_FP "no floating-point rename buffer" --set rename.fp_buffers=4
drawn slots_back CHECKPOINTS "no checkpoint" --set recover.checkpoints=1
drawn slots_back QUEUE_INT "a full queue of integer operations" --set issue.int_queue=2
drawn slots_back QUEUE_BRANCH "a full queue of branches" --set issue.branch_queue=1
drawn slots_back QUEUE_COMPLEX "a full queue of multiplications" --set issue.complex_queue=1
drawn slots_back QUEUE_MEM "a full queue of loads" --set issue.mem_queue=2
drawn slots_back QUEUE_FP "a full queue of conversions" --set issue.fp_queue=1
drawn slots_back PORTS "a full queue of what could issue" --set issue.int_queue=2 --set unit.ints=1
drawn slots_back LOADS "a full load queue" --set lsq.loads=2
drawn slots_back ATOMIC "atomics"
drawn slots_back ATOMIC_DTLB "atomics that miss the data TLB" --set dtlb.entries=1 \
    --set l2tlb.cycles=18
drawn slots_back STORES "a store queue full of committed stores" --set lsq.stores=2 \
    --set lsq.drain_cycles=20

drawn slots_front BANDWIDTH "a decoder that is too narrow" --set decode.width=1
drawn slots_front CUT "a fetch group cut short"
drawn slots_front TAKEN "bubbles of taken transfers" --set bpred.taken_bubble=8
drawn slots_front BTB_MISS "targets found by the decoder" --set bpred.btb_entries=0 \
    --set bpred.btb_miss_stage=8
drawn slots_front ICACHE "lines that come from memory" --set l2.kib=64
drawn slots_front ITLB "pages that the instruction TLB has lost" --set itlb.entries=1 \
    --set l2tlb.cycles=18
drawn slots_front BRANCH "mispredicted branches" --set bpred.kind=not_taken
queued="--set fetch.ftq=4 --set fetch.ftq_prefetch=false"
drawn slots_front BRANCH_FTQ "the same with a fetch-target queue" --set bpred.kind=not_taken \
    $queued
drawn slots_front ICACHE_FTQ "lines that come from memory, for such a queue" --set l2.kib=64 $queued
drawn slots_front ORDER "loads that passed a store wrongly" --set lsq.speculation=blind
drawn slots_front ORDER_AT_COMMIT "the same, noticed when they commit" \
    --set lsq.speculation=blind --set recover.violation=at_commit
drawn slots_front FLUSH "exceptions, and the return from them"
drawn slots_front INTERRUPT "interrupts, and the return from them"
drawn slots_front SLEEP "sleep until the next timer interrupt"
drawn system_calls NONE "system calls of a Linux program"

in_order="--set core.kind=in_order"
drawn slots_in_order OPERAND "in order: a product is waited for" $in_order
drawn slots_in_order LOAD_USE "in order: a loaded value is waited for" $in_order \
    --set latency.load=20
drawn slots_in_order DOOR "in order: the same after a load that has committed" $in_order \
    --set commit.early_loads=true --set l2.cycles=18
drawn slots_in_order DIVIDER "in order: the divider is taken" $in_order
drawn slots_in_order WRITE_PORT "in order: the write port is taken" $in_order \
    --set cva6.write_ports=1
drawn slots_in_order DTLB "in order: a translation is waited for" $in_order \
    --set dtlb.entries=1 --set l2tlb.cycles=18
drawn slots_in_order STORES "in order: the store queue is full" $in_order --set lsq.stores=2 \
    --set lsq.drain_cycles=20
drawn slots_in_order ROB "in order: the reorder buffer is full" $in_order $full
drawn slots_in_order PAIRING "in order: two loads do not go together" $in_order

counted_by memory_events DIRTY "modified lines on their way through three levels" \
    --set l2.kib=2 --set l2.ways=1 --set l3.kib=4 --set l3.ways=1
counted_by memory_events STORES_BELOW "stores whose lines L2 has" --set l2.kib=2 --set l2.ways=1
counted_by memory_events MISS_REGISTERS "loads without a miss register" --set l1d.mshrs=1
counted_by memory_events BLOCKED "loads during a miss" --set l1d.hit_under_miss=false \
    --set l1d.ways=2
counted_by memory_events PORT "two loads for one port" --set unit.loads=2 --set l1d.ports=1
counted_by memory_events BANK "two loads for one bank" --set unit.loads=2 --set l1d.banks=2
through="--set l1d.write=write_through --set l2.kib=0"
counted_by memory_events BUFFER_FULL "a full write buffer" $through --set l1d.write_buffer=1
counted_by memory_events BUFFER_MERGED "stores that meet in the write buffer" $through \
    --set l1d.write_buffer=2
banked="--set dram.kind=banked --set dram.trefi=0"
counted_by memory_events ROWS "rows of memory that stay open" $banked
counted_by memory_events ROWS_CLOSED "rows of memory that are closed" $banked \
    --set dram.policy=closed
one_bank="$banked --set dram.tras=0 --set l2.kib=0 --set l1d.ways=8"
counted_by memory_events PUT_OFF "a read that memory puts off" $one_bank
counted_by memory_events PUT_OFF "the same in order" $one_bank $in_order
ahead="--set l1d.prefetch=next_line --set l1d.prefetch_degree=1 --set l1d.prefetch_into=l1"
counted_by memory_events USEFUL "lines prefetched in time" $ahead
counted_by memory_events LATE "lines prefetched too late" $ahead
counted_by memory_events POLLUTING "lines prefetched in the place of others" $ahead
counted_by memory_events MOVES "moves and zeros that renaming carries out" \
    --set rename.kind=physical --set rename.eliminates=both
split="--set lsq.misaligned_cycles=2 --set lsq.unaligned_cycles=3"
counted_by memory_events MISALIGNED "loads across lines, and misaligned ones within a line" $split
counted_by memory_events MISALIGNED_IN_ORDER "the same in order" $split $in_order
counted_by memory_events STORES_ACROSS "stores across lines and pages" --set l1d.ways=4
counted_by memory_events PAIRS "constants in one operation" --set decode.fusion=pairs

# A monitor of four instructions, whose cycles are drawn as well.
"$guest_cc" -march=rv64ima_zicsr -mabi=lp64 -nostdlib -static -I. -T guest/monitor/monitor.ld \
    -Wl,--build-id=none $programs/short_monitor.S -o "$tmp/short.elf" || not_ok "the monitor builds"
more_rounds event_rounds LIMITS --meta "$tmp/event_rounds.meta" $two_wide \
    --monitor "$tmp/short.elf" || not_ok "a monitor of four instructions" "$(<"$tmp/why")"
want=$(wanted short.elf)
checked "a monitor of four instructions" "$want" \
    "$(LC_ALL=C join <(cut -d ' ' -f 1 <<<"$want") "$tmp/more")"

for program in traps mark_kinds branches; do
    build_bare $program || { not_ok "$program builds"; continue; }
    run $program --mode detailed --monitor none --meta "$tmp/$program.meta" "$tmp/$program"
    want=$(wanted $program)
    checked "the events that $program speaks of" "$want" \
        "$(counts_of $program $(cut -d ' ' -f 1 <<<"$want"))"
done

build_bare ping_pong -DAPART=8 || not_ok "ping_pong builds"
run ping_pong --harts 2 --set machine.turn_cycles=1 "$tmp/ping_pong"
want=$(wanted ping_pong)
checked "the events of two harts that write words of one line" "$want" \
    "$(counts_of ping_pong $(cut -d ' ' -f 1 <<<"$want"))"

# ---- sums ----------------------------------------------------------------------------------------

# The events of each sum, by their prefix; the tree of slots has three leaves among slots_.
sums() {
    awk -v width="$2" '
        {count[$1] = $2}
        $1 ~ /^slots_/ {slots += $2}
        $1 ~ /^lost_/ || $1 ~ /^slots_(retiring|serial|idle)$/ {lost += $2}
        $1 ~ /^cpi_/ {cpi += $2}
        END {
            all = count["cycles"]
            print "slots", slots - width * all
            print "lost", lost - width * all
            print "cpi", cpi - all
            print "commit", count["cycles_no_commit"] + count["cpi_base"] - all
            print "squash", count["insns_retired"] + count["squashed"] - count["dispatched"]
        }' <<<"$1"
}
# identities SENTENCE OPTION... PROGRAM
identities() {
    local sentence=$1 counts width
    shift
    run identity --mode detailed "$@"
    [ -s "$tmp/identity.json" ] || { not_ok "$sentence" "$(said identity)"; return; }
    counts=$(events_in identity)
    width=$(sed -n 's/.*"dispatch.width": \([0-9]*\).*/\1/p' "$tmp/identity.json")
    same "$sentence" "$(printf '%s 0\n' slots lost cpi commit squash)" "$(sums "$counts" "$width")"
}

for program in branches data_access recursion traps loops self_modifying; do
    build_bare $program || { not_ok "$program builds"; continue; }
    for machine in default tiny in_order decoupled; do
        identities "sums hold: $program, $machine" $(machine_options $machine) "$tmp/$program"
    done
done
for body in UNITS LATE_STORE L3_HITS FRESH WAITS CODE_PAGES FP_CHAIN; do
    build_bare event_rounds -DROUNDS=200 -DBODY=$body || { not_ok "$body builds"; continue; }
    for machine in default tiny in_order; do
        identities "sums hold: rounds of $body, $machine" $(machine_options $machine) \
            "$tmp/event_rounds"
    done
    identities "sums hold: rounds of $body, three levels and loads that go ahead" $one_way \
        --set l2.kib=1 --set l2.ways=1 --set l3.kib=64 --set lsq.speculation=blind \
        "$tmp/event_rounds"
done
"$linux_cc" -nostdlib -static tests/golden/pages.S -o "$tmp/pages" || not_ok "pages builds"
build_linux hinted -I. || not_ok "hinted builds"
for machine in default tiny in_order; do
    for program in pages hinted; do
        identities "sums hold: $program, a Linux program, $machine" $(machine_options $machine) \
            "$tmp/$program"
    done
done
for preset in u74 rsd cva6 boom c910; do
    for program in data_access pages; do
        identities "sums hold: $program, preset $preset" --config $preset "$tmp/$program"
    done
done

# ---- every event ---------------------------------------------------------------------------------

# unchecked TABLE: the events of a table that no program counts
unchecked() {
    names "$1" | LC_ALL=C sort | LC_ALL=C comm -23 - <(LC_ALL=C sort -u "$exactly")
}
names() { sed -n 's/^EVENT([A-Z0-9_]*, *0x[0-9a-f]*, *"\([a-z0-9_]*\)".*/\1/p' "$1"; }
rows() { grep -c '^ *EVENT *(' "$1"; }
same "every event is counted by some program" "" "$(unchecked pmu/event.def)"
{
    cat pmu/event.def
    printf '\n%s\n' 'EVENT(ANOTHER, 0xff, "another", EACH, FETCH, "something")'
} >"$tmp/more.def"
same "an event that no program counts is found" another "$(unchecked "$tmp/more.def")"
same "no row of the table is overlooked" "$(rows pmu/event.def)" \
    "$(names pmu/event.def | grep -c .)"
echo "# $(LC_ALL=C sort -u "$exactly" | wc -l) of $(rows pmu/event.def) events"
