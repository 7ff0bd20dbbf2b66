#!/usr/bin/env bash
# H4: every event of pmu/event.def is checked, and an event that nothing checks makes this test fail.
#
# An event is checked when one of these holds:
#   exactly    a program says how often it happens, a number that is not 0, and a run here finds it
#   unit test  a test of tests/sim asserts an exact number that is not 0
#   identity   it is part of a sum that holds in every run below, and is not 0 in one of them
. tests/integration/lib.sh
build_tools
exactly=$tmp/exactly by_unit=$tmp/by_unit by_identity=$tmp/by_identity
: >"$exactly"
: >"$by_identity"

# events_in STEM: "EVENT COUNT" of the run, sorted
events_in() {
    query get "$tmp/$1.json" events | tr -d '{}"' | tr ',:' '\n ' | LC_ALL=C sort
}
# of STEM EVENT...: their counts, in the form of what a program expects
of() {
    local stem=$1 event
    shift
    for event; do echo "$event $(query get "$tmp/$stem.json" "events.$event")"; done
}
wanted() {
    local event count
    expected events "$1" | while read -r event count; do echo "$event $((count))"; done
}

# ---- exactly -------------------------------------------------------------------------------------

# checked SENTENCE WANTED FOUND: a case; what it finds right is covered, unless it is 0
checked() {
    same "$1" "$2" "$3"
    [ "$2" != "$3" ] || awk '$2 != 0 {print $1}' <<<"$2" >>"$exactly"
}

# hundred BODY SENTENCE OPTION...: the events of a hundred more rounds of that body
hundred() {
    local body=$1 sentence=$2 rounds stem want
    shift 2
    for rounds in 200 300; do
        stem=$body.$rounds
        build_bare event_rounds -DROUNDS=$rounds -DBODY="$body" ||
            { not_ok "$sentence" "$body does not build"; return; }
        run "$stem" --mode detailed --monitor none --meta "$tmp/event_rounds.meta" "$@" \
            "$tmp/event_rounds"
        [ $status = 0 ] || { not_ok "$sentence" "$(said "$stem")"; return; }
    done
    want=$(wanted "$tmp/event_rounds")
    checked "$sentence" "$want" "$(
        paste -d ' ' <(of "$body.200" $(cut -d ' ' -f 1 <<<"$want")) \
            <(of "$body.300" $(cut -d ' ' -f 1 <<<"$want")) | awk '{print $1, $4 - $2}')"
}

plain="--set l1d.prefetch=none --set l1i.prefetch=none"
one_way="$plain --set l1d.kib=1 --set l1d.ways=1"
hundred UNITS "what goes through each unit is counted at each stage" --config tiny
hundred FP_CHAIN "a chain of floating-point additions" --config tiny
hundred FORWARD "loads that the store queue serves" --config tiny
hundred LATE_STORE "loads that went before a store of their word" --set lsq.speculation=blind
hundred JUMPS "jumps that the target buffer does not know" --config tiny
hundred RETURNS "returns without calls" --config tiny
hundred LINES "lines of straight code" --config tiny --set l2.kib=64
hundred KINDS "kinds of instructions" --config tiny
hundred DECODES "cycles of a decoder that takes one instruction" --config tiny --set decode.width=1
hundred FRESH "lines that no cache holds" $plain --set l3.kib=1024
hundred IN_VAIN "what is issued behind a load that misses" $plain --set issue.replay=selective
hundred L2_HITS "lines that L2 holds" $one_way
hundred L3_HITS "lines that L3 holds" $one_way --set l2.kib=1 --set l2.ways=1 --set l3.kib=64
hundred L2_BANKS "accesses that wait for a bank of L2" $plain --set l2.bank_cycles=20
hundred L3_BANKS "accesses that wait for a bank of L3" $plain --set l3.kib=64 \
    --set l3.bank_cycles=20
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

for program in traps mark_kinds branches; do
    build_bare $program || { not_ok "$program builds"; continue; }
    run $program --mode detailed --monitor none --meta "$tmp/$program.meta" "$tmp/$program"
    want=$(wanted "$tmp/$program")
    checked "the events that $program speaks of" "$want" \
        "$(of $program $(cut -d ' ' -f 1 <<<"$want"))"
done

build_bare ping_pong -DAPART=8 || not_ok "ping_pong builds"
run ping_pong --harts 2 --set machine.turn_cycles=1 "$tmp/ping_pong"
want=$(wanted "$tmp/ping_pong")
checked "the events of two harts that write words of one line" "$want" \
    "$(of ping_pong $(cut -d ' ' -f 1 <<<"$want"))"

# ---- unit tests ----------------------------------------------------------------------------------

# One event and a number other than 0 in an assertion of equality; both patterns print the ID.
counted_by='(event|event_of|events|sys\.events|cost\.events)[^E]*'
{
    sed -nE 's/^ *ASSERT_EVENT\(([A-Z0-9_]+), *([0-9].*)\);.*$/\1 \2/p' tests/sim/*/*_test.c
    sed -nE -e '/EVENT_.*EVENT_/d' \
        -e "s/^ *assert_int_equal\(${counted_by}EVENT_([A-Z0-9_]+)[])], *([0-9].*)\);.*/\2 \3/p" \
        tests/sim/*/*_test.c
} | awk '$2 != "0" {print tolower($1)}' | sort -u >"$by_unit"

# ---- identities ----------------------------------------------------------------------------------

# What each sum is made of, by its prefix; the tree of slots has three leaves among slots_.
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
in_sums() { awk '$2 > 0 && ($1 ~ /^(slots|lost|cpi)_/ || $1 == "cycles_no_commit")
                 $2 > 0 && $1 == "squashed"' <<<"$1" | cut -d ' ' -f 1; }

# identities SENTENCE OPTION... PROGRAM
identities() {
    local sentence=$1 counts width
    shift
    run identity --mode detailed "$@"
    [ -s "$tmp/identity.json" ] || { not_ok "$sentence" "$(said identity)"; return; }
    counts=$(events_in identity)
    width=$(sed -n 's/.*"dispatch.width": \([0-9]*\).*/\1/p' "$tmp/identity.json")
    same "$sentence" "$(printf '%s 0\n' slots lost cpi commit squash)" "$(sums "$counts" "$width")"
    in_sums "$counts" >>"$by_identity"
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

# A hart that sleeps: cycles, slots and commit tell the same.
build_bare event_rounds -DROUNDS=200 -DBODY=WAITS
run sleep --config tiny "$tmp/event_rounds"
idle=$(query get "$tmp/sleep.json" events.cycles_idle)
same "cycles_idle: cpi_idle, and slots_idle over the width of 2" "cpi_idle $idle
slots_idle $((2 * idle))" "$(of sleep cpi_idle slots_idle)"
[ "$idle" = 0 ] || echo cycles_idle >>"$by_identity"

# The monitor's instructions are what a run with it has more; the fast engine's take a cycle each.
build_bare event_rounds -DROUNDS=200 -DBODY=LIMITS
for monitor in guest none; do
    run monitor.$monitor --mode fast --monitor $monitor --meta "$tmp/event_rounds.meta" \
        "$tmp/event_rounds"
done
more() {
    local guest none
    guest=$(query get "$tmp/monitor.guest.json" "$1")
    none=$(query get "$tmp/monitor.none.json" "$1")
    echo $((guest - none))
}
same "insns_monitor, cycles_monitor: what a run with the monitor has more" \
    "insns_monitor $(more instructions)
cycles_monitor $(more cycles)" "$(of monitor.guest insns_monitor cycles_monitor)"
[ "$(more instructions)" -lt 100 ] || printf '%s\n' insns_monitor cycles_monitor >>"$by_identity"

# ---- every event ---------------------------------------------------------------------------------

# unchecked TABLE: the events of a table that none of the three ways reaches
unchecked() {
    names "$1" | LC_ALL=C sort |
        LC_ALL=C comm -23 - <(LC_ALL=C sort -u "$exactly" "$by_unit" "$by_identity")
}
names() { sed -n 's/^EVENT([A-Z0-9_]*, *0x[0-9a-f]*, *"\([a-z0-9_]*\)".*/\1/p' "$1"; }
rows() { grep -c '^ *EVENT *(' "$1"; }
same "every event is checked" "" "$(unchecked pmu/event.def)"
{
    cat pmu/event.def
    printf '\n%s\n' 'EVENT(ANOTHER, 0xff, "another", EACH, FETCH, "something")'
} >"$tmp/more.def"
same "an event without a check is found" another "$(unchecked "$tmp/more.def")"
same "no row of the table is overlooked" "$(rows pmu/event.def)" \
    "$(names pmu/event.def | grep -c .)"
cover() { sort -u "$@" | wc -l; }
echo "# of $(rows pmu/event.def) events $(cover "$exactly") are exact here, $(
    cover "$exactly" "$by_unit") with unit tests; $(cover "$by_identity") are in identities"
