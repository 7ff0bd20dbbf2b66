#!/usr/bin/env bash
# G3 and G4: callers found run by run up to the root; the call tree and the call graph of marked
# calls and returns are the real ones, instructions included.
. tests/integration/lib.sh

build_linux callers || not_ok "the call-graph program builds"

# --- G3: between runs
callers() {
    local stem=$tmp/$1
    shift
    "$RVSIM" callers "$@" >"$stem.out" 2>"$stem.err" </dev/null
    status=$?
}
# "depth entered oracle routine" of each row
rows() {
    tr -d , <"$tmp/$1.out" | awk 'NR > 1 && $2 ~ /^[0-9-]+$/ {
        at = index($0, $3); print (at - 32) / 2, $1, $2, $3 }'
}
leaf_callers="0 89 89 leaf
1 67 67 shared
2 35 35 green
3 5 5 main
2 32 32 red
3 5 5 green
3 3 3 main
1 16 16 red
1 5 5 green
1 1 1 recurse
2 9 9 recurse
2 1 1 main"
for monitor in guest host; do
    callers leaf --of leaf --monitor $monitor --max-insns 40000 "$tmp/callers"
    same "G3: the callers of a routine, theirs, to the program's start, monitor $monitor" \
        "$leaf_callers" "$(rows leaf | grep -vE '_start|__libc')"
done
callers leaf --of leaf "$tmp/callers"
same "G3: the exact ones are the same, found in one run" \
    "$(awk '{ print $1, $2, $4 }' <<<"$leaf_callers")" \
    "$(tr -d , <"$tmp/leaf.out" | awk '$1 ~ /^[0-9]+$/ { print (index($0, $2) - 17) / 2, $1, $2 }' |
        grep -vE '_start|__libc')"
same "G3: the last caller found is where the program begins" "_start" \
    "$(awk 'NR > 1 { at = index($0, $2); if (at > most) { most = at; name = $2 } }
        END { print name }' "$tmp/leaf.out")"
callers limit --of leaf --of shared --limit 13 "$tmp/callers"
same "G3: interrupts after more than thirteen entries: the exact counts of what is asked for" \
    "0 89 89 leaf
0 67 67 shared" "$(rows limit | grep '^0 ')"
same "G3: and callers that stand for whole interrupts" "" \
    "$(rows limit | awk '$1 > 0 && $2 % 14 != 0')"
callers near --of shard "$tmp/callers"
same "G3: a routine that is not there is refused with the nearest name" "2 1" \
    "$status $(grep -c 'did you mean shared?' "$tmp/near.err")"
callers none "$tmp/callers"
same "G3: so is none" "2 1" "$status $(wc -l <"$tmp/none.err")"

# --- G4: from marked calls and returns
echo 'calls(*) * interrupt' >"$tmp/calls.meta"
for monitor in guest host; do
    run "calls.$monitor" --oracle --monitor $monitor --meta "$tmp/calls.meta" \
        --profile "$tmp/calls.$monitor.prof" "$tmp/callers"
    "$RVSIM" report --callgraph --measured --top 0 "$tmp/calls.$monitor.prof" |
        tr -d , >"$tmp/graph.$monitor"
    "$RVSIM" report --calltree --measured --top 0 "$tmp/calls.$monitor.prof" |
        tr -d , >"$tmp/tree.$monitor"
    same "G4: the call graph is the real one, monitor $monitor" "deep descend 1
descend descend 100
descend main 1
even main 1
even odd 3
green main 5
leaf green 5
leaf recurse 1
leaf red 16
leaf shared 67
odd even 4
pointed main 6
recurse main 1
recurse recurse 9
red green 5
red main 3
shared green 35
shared red 32" "$(awk 'NF == 4 { routine = $4 } NF == 3 { print routine, $3, $1 }' \
        "$tmp/graph.$monitor" |
        grep -E '^(deep|descend|even|green|leaf|odd|pointed|recurse|red|shared) ' | sort)"
    same "G4: instructions fall to routines exactly as they committed, monitor $monitor" \
        "$("$RVSIM" report --oracle --top 0 "$tmp/calls.$monitor.prof" | tr -d , | awk '
            $NF ~ /^(deep|descend|even|green|leaf|odd|pointed|recurse|red|shared)$/ {
            print $NF, $(NF - 2) }' | sort)" \
        "$(awk 'NF == 4 && $4 ~ /^(deep|descend|even|green|leaf|odd|pointed|recurse|red|shared)$/ {
            print $4, $2 }' "$tmp/graph.$monitor" | sort)"
done
same "G4: the tree keeps apart what the graph adds up: 89 calls of leaf with seven stacks" "89 7" \
    "$(awk '$NF == "leaf" { sum += $1; n++ } END { print sum, n }' "$tmp/tree.guest")"
same "G4: what the roots hold with callees is what all nodes hold themselves" \
    "$(awk 'NF == 4 && $1 ~ /^[0-9]+$/ { sum += $2 } END { print sum }' "$tmp/tree.guest")" \
    "$(awk '/^ *[0-9]+ +[0-9]+ +[0-9]+  [^ ]/ { sum += $3 } END { print sum }' "$tmp/tree.guest")"
run traps --oracle --meta "$tmp/calls.meta" --set pmu.transfers=15 \
    --profile "$tmp/traps.prof" "$tmp/callers"
"$RVSIM" report --callgraph --measured --top 0 "$tmp/traps.prof" | tr -d , >"$tmp/graph.traps"
routines='^(deep|descend|even|green|leaf|odd|pointed|recurse|red|shared|write|_IO_new_file_write)$'
same "G4: with traps told as well, instructions still fall to routines as they committed" \
    "$("$RVSIM" report --oracle --top 0 "$tmp/traps.prof" | tr -d , | awk -v routines="$routines" '
        $NF ~ routines { print $NF, $(NF - 2) }' | sort)" \
    "$(awk -v routines="$routines" 'NF == 4 && $4 ~ routines { print $4, $2 }' \
        "$tmp/graph.traps" | sort)"
"$RVSIM" report --callgrind - "$tmp/calls.guest.prof" >"$tmp/callgrind"
same "G4: the callgrind export says how often each routine was called, not how often it was seen" \
    "deep 1 descend 101 leaf 89 shared 67" "$(awk '
        { if (match($0, /^c?fn=\([0-9]+\)/)) { split($0, part, /[()]/); id = part[2]
            if (NF > 1) name[id] = $2 } }
        /^cfn=/ { callee = id }
        /^calls=/ { split($1, count, "="); calls[callee] += count[2] }
        END { for (id in calls) print name[id], calls[id] }' "$tmp/callgrind" |
        grep -E '^(deep|descend|leaf|shared) ' | sort | xargs)"

same "marks without a counter count nothing, neither where they are nor in what calls include" "0" \
    "$(awk '/^events:/ { for (i = 2; i <= NF; i++) if ($i == "Count") at = i }
        /^calls=/ { getline; sum += $(at + 1) } /^0x/ { sum += $(at + 1) }
        END { print at ? sum + 0 : "no column" }' "$tmp/callgrind")"
cat >"$tmp/data.S" <<'S'
    .globl _start, tohost
_start:
    la s0, word
    lw a0, 0(s0)
    sw a0, 0(s0)
    li a0, 1
    la t0, tohost
    sd a0, 0(t0)
1:  j 1b
    .section .tohost, "aw"
tohost: .dword 0
    .data
    .balign 64
    .type word, @object
    .size word, 8
word: .dword 0
S
"$guest_cc" $isa -nostdlib -static -T $programs/bare.ld "$tmp/data.S" -o "$tmp/data" ||
    not_ok "a program with data builds"
echo 'word 8 counter interrupt' >"$tmp/data.meta"
run data --meta "$tmp/data.meta" --profile "$tmp/data.prof" "$tmp/data"
same "interrupts of data are those of the instructions that accessed it" "2" \
    "$("$RVSIM" report --callgrind - "$tmp/data.prof" | awk '
        /^events:/ { for (i = 2; i <= NF; i++) if ($i == "Intr") at = i }
        /^summary:/ { print $at }')"

# --- the exact tree: without marks, of both engines
run exact.detailed --oracle --profile "$tmp/exact.detailed.prof" "$tmp/callers"
run exact.fast --mode fast --profile "$tmp/exact.fast.prof" "$tmp/callers"
for engine in detailed fast; do
    "$RVSIM" report --callgraph --top 0 "$tmp/exact.$engine.prof" | tr -d , >"$tmp/exact.$engine"
done
# "routine caller calls", and "routine instructions"
edges() {
    awk '$2 == "from" { print routine, $3, $1; next } $1 ~ /^[0-9]+$/ { routine = $NF }' "$1"
}
own() { awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ { print $NF, $2 }' "$1" | sort; }
same "the exact graph has the calls that were measured" \
    "$(edges "$tmp/graph.guest" | grep -E "$routines" | grep -vE ' (_|\[)' | sort)" \
    "$(edges "$tmp/exact.fast" | grep -E "$routines" | grep -vE ' (_|\[)' | sort)"
same "both engines have the same graph" "$(edges "$tmp/exact.fast" | sort)" \
    "$(edges "$tmp/exact.detailed" | sort)"
same "both engines count the same instructions in each routine" "$(own "$tmp/exact.fast")" \
    "$(own "$tmp/exact.detailed")"

# --- tail calls, first instructions that head a loop, longjmp, exceptions, stacks of their own
"$linux_cc" -O2 -g -static -Wl,-z,execstack $programs/transfers_of_control.c -o "$tmp/transfers" ||
    not_ok "the program of tail calls and jumps builds"
for engine in detailed fast; do
    run transfers.$engine --mode $engine --profile "$tmp/transfers.prof" "$tmp/transfers"
    "$RVSIM" report --callgraph --top 0 "$tmp/transfers.prof" | tr -d , >"$tmp/transfers.$engine"
    same "a tail call stands below the routine that jumped, $engine engine" "first main 3
last middle 7
last through 5
middle first 3
middle main 4
through main 5" "$(edges "$tmp/transfers.$engine" | grep -E '^(first|last|middle|through) ' | sort)"
    same "each routine has its own instructions, $engine engine" "first 15
last 24
middle 35
through 275" "$(own "$tmp/transfers.$engine" | grep -E '^(first|last|middle|through) ')"
    same "rounds of a loop that begins the routine are no calls, $engine engine" "skip main 6" \
        "$(edges "$tmp/transfers.$engine" | grep '^skip ')"
    same "after longjmp the routine that called setjmp goes on, $engine engine" "after main 1
deeper jumps 3
deepest deeper 3
jumps main 1" "$(edges "$tmp/transfers.$engine" | grep -E '^(after|deeper|deepest|jumps) ' | sort)"
    same "a jump through a link register may stay in its routine, $engine engine" "picks main 9
picks 76" "$(edges "$tmp/transfers.$engine" | grep '^picks ')
$(own "$tmp/transfers.$engine" | grep '^picks ')"
    same "a nested function stands below the code on the stack, $engine engine" "0x inner 7
outer 0x 7" "$(edges "$tmp/transfers.$engine" | sed -n 's/^\(inner\)[.0-9]* \(0x\).* /\2 \1 /p
        s/^\(0x\)[^ ]* \(outer\) /\2 \1 /p' | sort)"
    same "each of two stacks has its own callers, $engine engine" "swap other 4
swap switches 4
there other 4" "$(edges "$tmp/transfers.$engine" | grep -E '^(swap|there) ' | sort)"
    same "each context of the C library has its own callers, $engine engine" "again contexts 5
context __start_context 2
contexts main 1
continues contexts 8
setcontext __start_context 2
setcontext again 5
step context 6
swapcontext context 6
swapcontext continues 8" "$(edges "$tmp/transfers.$engine" |
        grep -E '^(again|context|continues|contexts|step|swapcontext|setcontext) ' | sort)"
done
same "callers count entries, not rounds" "6 skip" \
    "$("$RVSIM" callers --of skip "$tmp/transfers" 2>&1 | awk '$2 == "skip" { print $1, $2 }')"

# --- exceptions: a landing pad at the address to which an inner activation's call would return
for flags in -Os -O1; do
    "${LINUX_CXX:-riscv64-linux-gnu-g++}" $flags -static $programs/rethrown.cc -o "$tmp/rethrown" ||
        not_ok "the program of exceptions builds"
    run "rethrown$flags" --mode fast --profile "$tmp/rethrown.prof" "$tmp/rethrown"
    "$RVSIM" report --calltree --top 0 "$tmp/rethrown.prof" | tr -d , >"$tmp/rethrown.tree"
    same "each activation that an exception leaves destroys its own object, $flags" \
        "1 2 3 4 5 6" "$(awk '/ guard::~guard\(\)$/ { print $1 }' "$tmp/rethrown.tree" | xargs)"
    same "and was entered by the activation above it, $flags" "6 5 4 3 2 1" \
        "$(awk '/ descend\(long\)$/ { print $1 }' "$tmp/rethrown.tree" | xargs)"
done

# --- signals: a handler stands below what its signal interrupted, on any stack
build_linux handlers || not_ok "the program of signal handlers builds"
for engine in fast detailed; do
    run "handlers.$engine" --mode $engine --harts 2 --profile "$tmp/handlers.$engine.prof" \
        "$tmp/handlers"
    "$RVSIM" report --callgraph --top 0 "$tmp/handlers.$engine.prof" | tr -d , \
        >"$tmp/handlers.$engine"
    # Of both threads together.
    same "handlers are called by signals, $engine engine" "first [signal] 6
leaf first 6
leaf run 2
leaf second 4
leaf work 6
second [signal] 4
work run 8" "$(edges "$tmp/handlers.$engine" | grep -E '^(first|leaf|second|work) ' |
        sort)"
    same "only _start and new threads begin a tree, $engine engine" "" \
        "$("$RVSIM" report --calltree --top 0 "$tmp/handlers.$engine.prof" |
            awk '$1 == "0" && $4 !~ /^\[/ { print $4 }' |
            grep -E '^(first|second|leaf|run|main|work|0x.*)$')"
done

# --- with the oracle: every cycle and instruction in every export, with stacks
run oracle --oracle --profile "$tmp/oracle.prof" "$tmp/transfers"
cycles=$(grep -m 1 '"cycles"' "$tmp/oracle.prof" | tr -dc 0-9)
insns=$(grep -m 1 '"instructions"' "$tmp/oracle.prof" | tr -dc 0-9)
same "folded stacks hold every cycle" "$cycles" \
    "$("$RVSIM" report --folded - "$tmp/oracle.prof" | awk '{ sum += $NF } END { print sum }')"
"$RVSIM" report --callgrind "$tmp/oracle.callgrind" "$tmp/oracle.prof"
same "callgrind's own costs are every instruction and cycle, once" "$insns $cycles" \
    "$(awk '/^calls=/ { getline; next } /^0x/ { i += $3; c += $4 } END { print i, c }' \
        "$tmp/oracle.callgrind")"
same "the roots of the tree hold every instruction" "$insns" \
    "$("$RVSIM" report --calltree --top 0 "$tmp/oracle.prof" | tr -d , |
        awk '/^ *[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9.]+  [^ ]/ { i += $3 } END { print i }')"
same "the report shows the hottest routine and line at once" "2" \
    "$("$RVSIM" report "$tmp/oracle.prof" | grep -cE ' (routine|line)$')"
if command -v callgrind_annotate >/dev/null; then
    same "callgrind_annotate adds them up to all" "1" \
        "$(cd "$tmp" && callgrind_annotate --threshold=100 oracle.callgrind 2>&1 |
            grep -cE '\(100.0%\) .*\(100.0%\) .*PROGRAM TOTALS')"
else
    echo "ok callgrind_annotate adds them up to all # SKIP not installed"
fi
