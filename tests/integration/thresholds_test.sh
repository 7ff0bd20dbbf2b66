#!/usr/bin/env bash
# T4: rvsim thresholds begins with the latencies of the levels of memory, repeats the run with
# larger thresholds, and names the regions that stay slow, and those that only other harts make
# slow.
. tests/integration/lib.sh

thresholds() {
    local stem=$tmp/$1
    shift
    "$RVSIM" thresholds "$@" >"$stem.out" 2>"$stem.err" </dev/null
    status=$?
}
interference() {
    tr -d , <"$tmp/$1.out" | awk '/slow because/ { on = 1; next } on && NF { print $5, $6 }' | sort
}
# Accesses of region $2 slower than threshold $3.
slower() {
    tr -d , <"$tmp/$1.out" | awk -v name="$2" -v limit=">$3" '
        /slowest:/ { for (i = 1; i <= NF; i++) if ($i == limit) at = i - 1; columns = NF - 4 }
        at && $NF == name && NF == columns + 2 { print $at; exit }'
}

# For each of the thresholds $1 the slower loads of a trace, in the $3 bytes at $2 (hexadecimal) or
# everywhere.
slow_loads() {
    awk -F: -v limits="$1" -v from="${2-}" -v bytes="${3-}" '
        function hex(text,    value, i) {
            for (i = 1; i <= length(text); i++)
                value = value * 16 + index("123456789abcdef", substr(text, i, 1))
            return value
        }
        BEGIN { number = split(limits, limit, " "); start = hex(from); end = start + hex(bytes) }
        $2 == "fetch" { name = $7; at = hex(substr($4, 3)) }
        $2 == "issue" { issue = $3 }
        $2 == "complete" { complete = $3 }
        $2 == "retire" && $3 != 0 && (start == 0 || (at >= start && at < end)) &&
            name ~ /^(c\.)?f?l([bhwd]u?|[wd]sp)( |$)|^(amo|lr\.)/ {
            for (i = 1; i <= number; i++)
                slow[i] += complete - issue > limit[i] * 1000
        }
        END { for (i = 1; i <= number; i++) print limit[i], slow[i] + 0 }'
}

"$guest_cc" $isa -nostdlib -static -T $programs/bare.ld $programs/interference.S \
    -o "$tmp/interference" || not_ok "the program of several harts builds"

thresholds two --harts 2 "$tmp/interference"
same "T4: the first thresholds are the configured latencies of each level" "0 4 18 137 205" \
    "$(awk '$1 ~ /^[0-9]+$/ { print $1 }' "$tmp/two.out" | head -5 | xargs)"
same "T4: all accesses of each routine are counted first: 400 each" "400 400 400" \
    "$(for name in walk read_own read_shared; do
        awk -v name=$name '$NF == name { print $2; exit }' "$tmp/two.out"; done | xargs)"
same "T4: a walk through a large table is slower than an L2 hit at each step" "400" \
    "$(slower two walk 18)"
run without_marks --harts 2 --trace "o3pipeview:$tmp/two.trace" "$tmp/interference"
address=$(riscv64-linux-gnu-nm -S "$tmp/interference" | awk '$NF == "read_shared" { print $1, $2 }')
same "T4: a word that another hart writes is slow at nearly each reading, as without marks" \
    "1 $(slower two read_shared 18)" \
    "$(slow_loads 18 $address <"$tmp/two.trace" | awk '{ print ($2 > 380), $2 }')"
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

# Two objects that share a line, beside more data than has a counter for each word.
cat >"$tmp/beside.S" <<'S'
    .globl _start
_start:
    la s0, left
    la s1, right
    li s2, 1000
1:  ld a0, 2040(s0)
    sd a0, 0(s1)
    ld a0, 0(s1)
    addi s2, s2, -1
    bnez s2, 1b
    ld a0, 1024(s1)
    li a0, 1
    la a1, tohost
    sd a0, 0(a1)
2:  j 2b
    .section .tohost, "aw"
    .globl tohost, fromhost
    .balign 64
tohost: .dword 0
fromhost: .dword 0
    .bss
    .balign 64
    .skip 8
    .type left, @object
    .size left, 2048
left: .skip 2048
    .type right, @object
    .size right, 2097152
right: .skip 2097152
S
"$guest_cc" $isa -nostdlib -static -T $programs/bare.ld "$tmp/beside.S" -o "$tmp/beside" ||
    not_ok "two objects in a line build"
thresholds beside --runs 1 "$tmp/beside"
same "T4: accesses of objects that share a line are each their own" "left 1000 right 2001" \
    "$(tr -d , <"$tmp/beside.out" | awk '/slowest: data/ { on = 1 }
        on && $NF ~ /^(left|right)$/ { print $NF, $2 }' | sort | xargs)"

thresholds few --runs 1 "$tmp/interference"
same "T4: --runs is the number of thresholds, beside the count of all" 2 \
    "$(awk '/slower loads/ { on = 1; next } !NF { on = 0 } on' "$tmp/few.out" | wc -l)"
thresholds tiny --config tiny --runs 2 "$tmp/interference"
same "T4: another machine has other first thresholds" \
    "$("$RVSIM" config show tiny | awk '/^\[/ { section = $1 }
        section == "[latency]" && $1 == "load" { load = $3 }
        section == "[l2]" && $1 == "kib" { l2 = $3 } section == "[l2]" && $1 == "cycles" { c = $3 }
        END { print load, l2 ? load + c : "" }' | xargs)" \
    "$(awk '/L1D hit|L2 hit/ { print $1 }' "$tmp/tiny.out" | xargs)"
thresholds word --runs 3 --max-insns 2000000 "$GUEST/wordindex"
same "T4: lines of a Linux program are named" "1" \
    "$(grep -c 'wordindex.c:[0-9]*$' "$tmp/word.out" | awk '{ print ($1 > 0) }')"

# --- in the order of the time of all slow accesses, not of a few very slow ones
cat >"$tmp/order.c" <<'END'
static volatile long table[1 << 16], few[64];
__attribute__((noinline)) long often(void)
{
    long sum = 0;
    unsigned x = 1;

    for (int i = 0; i < 3000; i++) {
        x = x * 1103515245 + 12345 + (unsigned)sum;
        sum += table[x >> 8 & ((1 << 16) - 1)];
    }
    return sum;
}
__attribute__((noinline)) long once(void) { return few[0] + few[32]; }
int main(void) { return often() + once() != 0; }
END
"$linux_cc" -O2 -g -static "$tmp/order.c" -o "$tmp/order" ||
    not_ok "the program of slow loads builds"
thresholds order --top 1 --runs 4 "$tmp/order"
same "W6: the first function and datum are those with the most slow cycles" "often table" \
    "$(awk '/slowest: (function|data)/ { getline; print $NF }' "$tmp/order.out" | xargs)"
same "W6: ordinary accesses of memory are in the column of memory" "1" \
    "$(slower order often 137 | awk '{ print ($1 > 1500) }')"

# --- latencies are those of a run without marks
"$RVSIM" --quiet --trace "o3pipeview:$tmp/order.trace" "$tmp/order" >/dev/null 2>&1
same "T4: at each threshold the slower loads are those of a run without marks" \
    "$(tr -d , <"$tmp/order.out" | awk '$1 ~ /^[0-9]+$/ && $(NF - 1) ~ /^[0-9]+$/ {
        print $1, $(NF - 1) } !NF { exit }')" \
    "$(slow_loads "$(awk '$1 ~ /^[0-9]+$/ { print $1 } !NF { exit }' "$tmp/order.out" | xargs)" \
        <"$tmp/order.trace")"

for set in shadow.latency=300 shadow.placement=mixed shadow.placement=line; do
    thresholds same --top 1 --runs 4 --set $set "$tmp/order"
    same "T4: wherever metadata is, and however late: $set" "$(<"$tmp/order.out")" \
        "$(<"$tmp/same.out")"
done

# --- a program that waits for a hart which is not there, when it is alone
cat >"$tmp/waits.S" <<'END'
        .globl _start
_start: csrr t0, mhartid
        la t1, flag
        li t2, 1
        beqz t0, 2f
        sw t2, 0(t1)
1:      wfi
        j 1b
2:      lw t3, 0(t1)
        beqz t3, 2b
        la t0, tohost
        sd t2, 0(t0)
3:      j 3b
        .data
        .balign 64
        .type flag, @object
        .size flag, 8
flag:   .dword 0
        .section .tohost, "aw", @progbits
        .balign 64
        .globl tohost, fromhost
tohost: .dword 0
fromhost: .dword 0
END
"$guest_cc" $isa -nostdlib -static -T $programs/bare.ld "$tmp/waits.S" -o "$tmp/waits" ||
    not_ok "the program that waits builds"
thresholds waits --harts 2 --runs 3 "$tmp/waits"
same "H1: what was measured is shown, and that alone the program never ends" "0 1 1" \
    "$status $(grep -c ' slowest: data' "$tmp/waits.out") $(grep -c 'did not come to its end' \
        "$tmp/waits.out")"

for wrong in "" "--runs 0 $tmp/interference" "--runs 99 $tmp/interference" \
    "--top x $tmp/interference"; do
    thresholds wrong $wrong
    same "wrong use is refused with one line: thresholds ${wrong//"$tmp/"/}" "2 1" \
        "$status $(wc -l <"$tmp/wrong.err")"
done
