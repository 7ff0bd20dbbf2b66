#!/usr/bin/env bash
# S3, S5, S6: counts are exact in every configuration of the shadow frames, and their costs are
# those that follow from the settings.
. tests/integration/lib.sh

# shape N: the N-th configuration; the same ones in every run
shape() {
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        split("bus l2 ideal", traffic); split("0 1 7 60", latency); split("16 0 3", width)
        options = "shadow.traffic=" traffic[1 + int(rand() * 3)]
        options = options " shadow.latency=" latency[1 + int(rand() * 4)]
        options = options " shadow.bytes_per_cycle=" width[1 + int(rand() * 3)]
        if (rand() < 0.6) {
            options = options " shadow.ways=" 2 ^ int(rand() * 3)
            if (rand() < 0.8) options = options " shadow.iframes=" 2 ^ int(rand() * 6)
            if (rand() < 0.8) options = options " shadow.dframes=" 2 ^ int(rand() * 6)
        } else {
            options = options " shadow.placement=" (rand() < 0.5 ? "line" : "mixed")
        }
        if (rand() < 0.3) options = options " shadow.form=full"
        if (rand() < 0.4) options = options " l1d.kib=1 l1d.ways=1"
        if (rand() < 0.3) options = options " l1i.kib=1 l1i.ways=1"
        if (rand() < 0.2) options = options " core.kind=in_order dispatch.width=2"
        if (rand() < 0.2) options = options " fetch.ftq=6"
        gsub(/[^ ]+/, "--set &", options)
        print options
    }'
}

for program in loops data_access recursion misaligned self_modifying read_counts own_counters \
    areas; do
    build_bare $program || { not_ok "$program builds"; continue; }
    bad=
    for n in 1 2 3 4 5 6 7 8 9 10; do
        run shapes --monitor none $(shape $((n + 10 * ${#program}))) --meta "$tmp/$program.meta" \
            "$tmp/$program"
        if [ $status != 0 ]; then
            bad="$bad $n(status $status)"
        elif [ $program != own_counters ] &&
            [ "$(expected marks "$tmp/$program")" != "$(query marks "$tmp/shapes.json")" ]; then
            bad="$bad $n(counts)"
        fi
    done
    same "S3 S6: every count of ${program//_/ } is exact on ten machines" "" "$bad"
done

# A random program, each of whose instructions has a counter, against the fast engine.
${CC:-cc} -std=gnu17 -O1 -I. tests/diff/randprog.c \
    $(objects isa/{decode,insn,fp,fp_convert,fp_host,fp_soft}) -lm -o "$tmp/randprog"
printf '%s\n' 'segment .text' '0 * counter' 'data 4096 counter granule=4' >"$tmp/random.meta"
# A program that polls the console polls as long as the answer takes.
settled() {
    query marks "$tmp/$1.json" |
        awk -v from="$(address put)" -v to="$(address finish)" '$1 < from || $1 >= to'
}
address() {
    "${guest_cc%gcc}nm" "$tmp/random" | awk -v name="$1" '$3 == name {print "0x" substr($1, 9)}'
}
bad=
for seed in 1 2 3 4 5 6 7 8; do
    "$tmp/randprog" $seed 300 M 64 >"$tmp/body.s"
    "$guest_cc" -march=rv64gc -mabi=lp64d -mcmodel=medany -nostdlib -static \
        -Wl,--no-warn-rwx-segments -T tests/diff/frame.ld -I tests/diff \
        -DBODY="\"$tmp/body.s\"" -DROUNDS=4 -DUSER=0 tests/diff/frame.S -o "$tmp/random"
    run random_fast --mode fast --meta "$tmp/random.meta" "$tmp/random"
    run random_shape $(shape $((seed + 500))) --meta "$tmp/random.meta" "$tmp/random"
    [ "$(settled random_fast | cksum)" = "$(settled random_shape | cksum)" ] || bad="$bad $seed"
done
same "S3 S6: random programs count like the fast engine, whatever the shadow frames" "" "$bad"

# Several harts at one routine and one word, with frames that are lost all the time.
for harts in 2 4; do
    build_bare many_harts -DHARTS=$harts
    bad=
    for n in 1 2 3 4 5 6 7 8; do
        run many $(shape $((n + 700))) --harts $harts --meta "$tmp/many_harts.meta" \
            "$tmp/many_harts"
        [ "$status $(expected marks "$tmp/many_harts")" = "0 $(query marks "$tmp/many.json")" ] ||
            bad="$bad $n"
    done
    same "S5: $harts harts lose no count on eight machines" "" "$bad"
done

# More than one hart reaches a limit: every count is in an interrupt or still there.
printf 'work 4 counter\nshared 8 counter=100 interrupt granule=8\n' >"$tmp/limit.meta"
for machine in default small_caches; do
    run limit $(machine_options $machine) --harts 4 --monitor none --meta "$tmp/limit.meta" \
        "$tmp/many_harts"
    same "S5 G1: four harts at one limit: the whole count is there, ${machine//_/ }" "4 4001" \
        "$(query marks "$tmp/limit.json" | awk '{print $2}' | xargs)"
done

# By hand: three lines of data, two shadow frames. Each line is filled once, with its metadata: 8
# bytes of the table, 16 of the block, 8 records of 32 bytes. The third comes before the second has
# committed, and displaces its metadata, since the first was used last. From the second round on
# each access finds that the other two have displaced what it needs. The store that ends the run
# fills a line without metadata: 8 bytes. Every displaced frame has counted once, except the second.
rounds=50
build_bare three_lines -DROUNDS=$rounds
# metadata SENTENCE EXPECTED OPTION...: hit, miss, frame misses, write-backs, bytes
metadata() {
    local sentence=$1 expected=$2 event
    shift 2
    run three --set l1d.prefetch=none "$@" --meta "$tmp/three_lines.meta" "$tmp/three_lines"
    same "S3: $sentence" "$expected $(expected marks "$tmp/three_lines")" "$(
        for event in hit miss frame_miss writeback bytes; do
            printf '%s ' $(query get "$tmp/three.json" events.meta_$event)
        done)$(query marks "$tmp/three.json")"
}
metadata "metadata that has no room is read again, and its counts written back" \
    "3 $((3 * rounds + 1)) $((3 * rounds - 2)) $((3 * rounds - 1)) \
$(((3 * rounds + 1) * 280 + 8 + (3 * rounds - 1) * 32))" --set shadow.dframes=2 --set shadow.ways=2
metadata "metadata that has room is read once" "3 3 0 0 848" \
    --set shadow.dframes=4 --set shadow.ways=4
metadata "metadata in frames beside those of the cache is read once" "3 3 0 0 848"
metadata "metadata in the cache's lines is read once" "3 3 0 0 848" --set shadow.placement=line
cycles() { query get "$tmp/three.json" cycles; }
for traffic in ideal bus; do
    run three --set l1d.prefetch=none --set shadow.dframes=2 --set shadow.ways=2 \
        --set shadow.traffic=$traffic --set shadow.latency=100 --meta "$tmp/three_lines.meta" \
        "$tmp/three_lines"
    holds "S6: each of the misses holds commit for a hundred cycles and more, traffic $traffic" \
        test "$(cycles)" -ge $(((3 * rounds - 2) * 100))
done

# Frames beside the cache's are not waited for, but their bus has only its cycles: lines wait once
# the queue of transfers is full, and the last load does not wait for metadata of a million cycles.
build_bare more_metadata -DROUNDS=8
for machine in default in_order c910 "c910 --set shadow.placement=line"; do
    run more --config $machine --meta "$tmp/more_metadata.meta" "$tmp/more_metadata"
    same "S3: $machine: a program with more metadata than its bus moves goes on" 0 $status
    holds "S3: $machine: metadata takes no more cycles of the bus than the run has" \
        test "$(query get "$tmp/more.json" events.meta_bus)" -le \
        "$(query get "$tmp/more.json" cycles)"
    holds "S3: $machine: each 16 bytes take a cycle, those of write-backs too" \
        test $(($(query get "$tmp/more.json" events.meta_bus) * 16)) -ge \
        "$(query get "$tmp/more.json" events.meta_bytes)"
done

# mixed: a load's line and the dirty line of its count displace each other, each round; the last one
# is displaced by the store that ends the run, whose address begins a page, as theirs do. With other
# placements the counts are in no cache. In a cache that holds all of it, each look-up but the first
# finds its line in the cycle of the commit, and takes the one port.
build_bare mixed_cells -DROUNDS=$rounds
mixed() {
    run mixed --set l1d.ways=1 --set l1d.prefetch=none "$@" --meta "$tmp/mixed_cells.meta" \
        "$tmp/mixed_cells"
    echo $(query get "$tmp/mixed.json" events.$event) $(query marks "$tmp/mixed.json")
}
counted=$(expected marks "$tmp/mixed_cells")
event=l1d_writeback
for placement in mixed separate; do
    same "S6 C3: lines of a work area's counts are written back where placement is $placement" \
        "$([ $placement = mixed ] && echo $rounds || echo 0) $counted" \
        "$(mixed --set l1d.kib=1 --set shadow.placement=$placement)"
done
event=l1_port_busy
for placement in mixed separate; do
    same "S6: a count waits for the port that its look-up took where placement is $placement" \
        "$([ $placement = mixed ] && echo $((rounds - 1)) || echo 0) $counted" \
        "$(mixed --set l1d.ports=1 --set shadow.placement=$placement)"
done
# A look-up of two lines with one port: each is asked for once, or commit never has both.
build_bare data_access
run one_port --set l1d.ports=1 --set shadow.placement=mixed --set shadow.form=full \
    --meta "$tmp/data_access.meta" "$tmp/data_access"
same "S6: a look-up of two lines ends with one port" "0 $(expected marks "$tmp/data_access")" \
    "$status $(query marks "$tmp/one_port.json")"
