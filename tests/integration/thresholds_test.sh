#!/usr/bin/env bash
# T4: rvsim thresholds begins with the latencies of the levels of memory, repeats the run with
# larger ones, and names the regions that stay slow, and those that only other harts make slow.
. tests/integration/lib.sh
build_tools

thresholds() {
    local stem=$tmp/$1
    shift
    timeout -k 5 120 "$RVSIM" thresholds "$@" >"$stem.out" 2>"$stem.err" </dev/null
    status=$?
}
interference() {
    tr -d , <"$tmp/$1.out" | awk '/slow because/ { on = 1; next } on && NF { print $5, $6 }' | sort
}
# Accesses of region $2 slower than threshold $3.
slower() {
    tr -d , <"$tmp/$1.out" | awk -v name="$2" -v limit=">$3" '
        /stays worst/ { for (i = 1; i <= NF; i++) if ($i == limit) at = i; columns = NF - 3 }
        at && $NF == name && NF == columns + 1 { print $at; exit }'
}

"$guest_cc" $isa -nostdlib -static -T $programs/bare.ld $programs/interference.S \
    -o "$tmp/interference" || not_ok "the program of several harts builds"

thresholds two --harts 2 "$tmp/interference"
same "T4: the first thresholds are the configured latencies of each level" "0 4 18 146 219" \
    "$(awk '$1 ~ /^[0-9]+$/ { print $1 }' "$tmp/two.out" | head -5 | xargs)"
same "T4: all accesses of each routine are counted first: 400 each" "400 400 400" \
    "$(for name in walk read_own read_shared; do
        awk -v name=$name '$NF == name { print $1; exit }' "$tmp/two.out"; done | xargs)"
same "T4: a walk through a large table is slower than an L2 hit at each step" "400" \
    "$(slower two walk 18)"
same "T4: a word that another hart writes is slow at nearly each of 400 readings" "1" \
    "$(($(slower two read_shared 18) >= 390))"
same "T4: nothing is slower than the last threshold" "0 0" \
    "$(awk '/half more/ { last = $(NF - 1) " " $NF } END { print last }' "$tmp/two.out")"
same "T4: slow because of other harts are the shared word and who reads it, and nothing else" \
    "data shared
function read_shared" "$(interference two)"
same "T4: the other hart's cache answers nearly all readings of the word by its routine" "1" \
    "$(awk '/function read_shared$/ { print ($4 + 0 > 90 && $4 + 0 <= 100) }' "$tmp/two.out")"
for level in direct through_l2; do
    echo 'read_shared * counter threshold=1' >"$tmp/peers.meta"
    run peers --config classic --harts 2 --set coherence.transfer=$level --set pmu.measure=4 \
        --meta "$tmp/peers.meta" "$tmp/interference"
    counted=$(query marks "$tmp/peers.json" | awk '{ sum += $2 } END { print sum }')
    run all --config classic --harts 2 \
        --set coherence.transfer=$level --meta "$tmp/peers.meta" "$tmp/interference"
    same "T2: what another hart's cache answered exceeds alone, transfer $level" "1 1" \
        "$((counted > 350)) $((counted <= $(query get "$tmp/peers.json" events.transfer_in)))"
done
run alone --set pmu.measure=4 --meta "$tmp/peers.meta" "$tmp/interference"
same "T2: with one hart nothing does" "0" \
    "$(query marks "$tmp/alone.json" | awk '{ sum += $2 } END { print sum + 0 }')"
thresholds one "$tmp/interference"
same "T4: alone the word is slow only when it comes first" "1" \
    "$(slower one read_shared 18 | awk '{ print ($1 < 10) }')"
same "T4: with one hart there is no word of others" "" "$(grep 'other harts' "$tmp/one.out")"

thresholds tiny --config tiny --runs 1 "$tmp/interference"
same "T4: another machine has other first thresholds" \
    "$("$RVSIM" config show tiny | awk '/^\[/ { section = $1 }
        section == "[latency]" && $1 == "load" { load = $3 }
        section == "[l2]" && $1 == "kib" { l2 = $3 } section == "[l2]" && $1 == "cycles" { c = $3 }
        END { print load, l2 ? load + c : "" }' | xargs)" \
    "$(awk '/L1D hit|L2 hit/ { print $1 }' "$tmp/tiny.out" | xargs)"
thresholds word --runs 3 --max-insns 3000000 "$GUEST/wordindex"
same "T4: lines of a Linux program are named" "1" \
    "$(grep -c 'wordindex.c:[0-9]*$' "$tmp/word.out" | awk '{ print ($1 > 0) }')"

for wrong in "" "--runs 0 $tmp/interference" "--runs 99 $tmp/interference" \
    "--top x $tmp/interference"; do
    thresholds wrong $wrong
    same "wrong use is refused with one line: thresholds ${wrong//"$tmp/"/}" "2 1" \
        "$status $(wc -l <"$tmp/wrong.err")"
done
