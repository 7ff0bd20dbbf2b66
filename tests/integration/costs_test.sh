#!/usr/bin/env bash
# rvsim costs: each mechanism by its size and by the number of marks, as tables, CSV and plot.
. tests/integration/lib.sh

costs() {
    "$RVSIM" costs --quiet --max-insns 30000 "$@" </dev/null 2>"$tmp/costs.err"
}

costs --csv "$tmp/all.csv" --plot "$tmp/all.svg" "$GUEST/wordindex" >"$tmp/all.out"
status=$?
same "costs of every sweep end well" "0 " "$status $(<"$tmp/costs.err")"
rows=$(awk -F, 'NR > 1 { n[$1]++ } END { for (k in n) print k, n[k] }' "$tmp/all.csv" | sort |
    xargs)
same "the table of every sweep is in the CSV" \
    "frames 7 granule 5 latency 5 limit 5 placement 3 rate 6" "$rows"
# column NAME: of the rows of sweep $1, in order
column() {
    awk -F, -v sweep="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        $1 == sweep { print $at }' "$tmp/all.csv"
}
same "fewer shadow frames take less storage" "$(column frames storage_bits | head -6 | sort -n)" \
    "$(column frames storage_bits | head -6)"
same "fewer shadow frames move more metadata" \
    "$(column frames metadata_bytes | head -6 | sort -nr)" \
    "$(column frames metadata_bytes | head -6)"
same "more marks move more metadata" "$(column rate metadata_bytes | sort -n)" \
    "$(column rate metadata_bytes)"
same "finer granules take more storage" "$(column granule storage_bits | sort -n)" \
    "$(column granule storage_bits)"
# An interrupt moves the accesses after it in time, so that two thresholds between which no access
# lies differ by one or two.
same "lower latency thresholds interrupt more often" "" "$(column latency interrupts |
    awk '$1 < 0.98 * last { print last, $1 } { last = $1 } NR == 1 { first = $1 }
        END { if (last < 2 * first) print first, last }')"
same "lower limits interrupt more often" "$(column limit interrupts | sort -n)" \
    "$(column limit interrupts)"
same "a mark that only counts interrupts nobody" "0" \
    "$(for s in frames placement rate granule; do column $s interrupts; done | sort -u)"
same "the plot has a panel for each sweep" "6" \
    "$(grep -c '<title>gnuplot_plot_1[a-f]' "$tmp/all.svg")"
costs --csv "$tmp/no/such/folder.csv" "$GUEST/wordindex" >"$tmp/none.out"
same "a file that cannot be written is refused before the runs" \
    "2 rvsim: error: $tmp/no/such/folder.csv: No such file or directory " \
    "$? $(<"$tmp/costs.err") $(<"$tmp/none.out")"
costs --max-cycles 20000 --sweep limit "$GUEST/wordindex" >"$tmp/none.out"
same "a limit of cycles, at which every run would end, is refused" \
    "2 rvsim: error: costs: --max-cycles ends every run at the same cycle, so that no cost is seen;`
    ` --max-insns ends it at the same instruction" "$? $(<"$tmp/costs.err")$(<"$tmp/none.out")"
costs --sweep rates "$GUEST/wordindex" >"$tmp/none.out"
same "an unknown sweep is refused, with the nearest one" \
    "2 rvsim: error: costs: --sweep rates: expected frames, placement, rate, granule, latency or`
    ` limit; did you mean rate?" "$? $(<"$tmp/costs.err")"

# --- stores that miss together request more interrupts than the queue holds
cat >"$tmp/burst.S" <<'S'
        .globl _start
        .type _start, @function
_start: la t0, table
        li t2, 400
2:      sd t0, 0(t0)
        sd t0, 8(t0)
        addi t0, t0, 16
        addi t2, t2, -1
        bnez t2, 2b
        li a0, 1
        la a1, tohost
        sd a0, 0(a1)
1:      j 1b
        .size _start, . - _start
        .section .tohost, "aw"
        .globl tohost, fromhost
        .balign 64
tohost: .dword 0
fromhost: .dword 0
        .bss
        .balign 64
table:  .skip 12800
S
"$guest_cc" $isa -nostdlib -static -T $programs/bare.ld "$tmp/burst.S" -o "$tmp/burst" ||
    not_ok "the program of stores that miss together builds"
echo '_start * interrupt threshold=200' >"$tmp/burst.meta"
run burst --meta "$tmp/burst.meta" "$tmp/burst"
wanted=$(query get "$tmp/burst.json" events.indicator_interrupts)
costs --sweep latency --json "$tmp/lost.json" --csv "$tmp/all.csv" "$tmp/burst" >"$tmp/lost.out"
served=$(column latency interrupts | head -1)
lost=$(column latency lost | head -1)
same "interrupts that the queue had no place for are shown as lost" "1 $wanted 1" \
    "$((lost > 0)) $((served + lost)) $(grep -c "^lost, .* full: $lost interrupts at 200\$" \
        "$tmp/lost.out")"
same "CSV and JSON have them" "$(column latency lost | xargs)" \
    "$(grep -o '"lost": [0-9]*' "$tmp/lost.json" | cut -d' ' -f2 | xargs)"
