#!/usr/bin/env bash
# rvsim view --tui: steps forward and back by cycles, instructions, lines and mispredictions; the
# picture does not depend on the way by which a cycle was reached; settings; the end.
. tests/sim/view/lib.sh
if ! command -v tmux >/dev/null || [ ! -e "$BUILD/view/tui.so" ]; then
    ok "the view in a terminal # SKIP no tmux, or built without libncurses-dev"
    exit
fi
build_mixed
trap close_terminal EXIT

# straight CYCLE: the picture of a run straight to this cycle
straight() { rv view --config tiny --at "$1" --save straight.txt mixed; pipeline <straight.txt; }

open_view --config tiny --at 300 mixed
shows "the view begins at the cycle asked for" "cycle 300  "
same "the view shows the same pipeline as a file" "$(straight 300)" "$(pipeline <<<"$seen")"
press Right Right Right
shows "a cycle on, three times" "cycle 303  "
same "the pipeline is that of cycle 303" "$(straight 303)" "$(pipeline <<<"$seen")"
press Left Left
shows "two cycles back" "cycle 301  "
same "the pipeline is that of cycle 301" "$(straight 301)" "$(pipeline <<<"$seen")"

insns=$(number instructions)
press i
await "instructions $((insns + 1)) |instructions $((insns + 2)) "
same "an instruction on" True "$([ "$(number instructions)" -gt "$insns" ] && echo True)"
here=$(number cycle)
press i
await "instructions $(($(number instructions) + 1)) |instructions $(($(number instructions) + 2)) "
press I
shows "an instruction back is where it committed" "cycle $here  "

press b
await "branches_mispredicted +2 "
then=$(number cycle)
press b
await "branches_mispredicted +3 "
press B
shows "goes back to the last misprediction" "cycle $then  "
same "the pipeline is that of that cycle" "$(straight "$then")" "$(pipeline <<<"$seen")"

press l
await 'round\+|helper|even'
line=$(grep -oE '> +[0-9]+ ' <<<"$seen" | head -n 1)
press l
for _ in $(seq 100); do
    seen=$(screen) next=$(grep -oE '> +[0-9]+ ' <<<"$seen" | head -n 1)
    [ "$next" = "$line" ] || break
done
same "a line on" True "$([ "$next" != "$line" ] && echo True)"

press g 9 0 0 Enter
shows "goes to a cycle" "cycle 900  "
press g 3 0 5 Enter
shows "goes far back" "cycle 305  "
press g 9 0 0 Enter
shows "goes ahead again, over cycles that have run before" "cycle 900  "
same "the pipeline is that of cycle 900" "$(straight 900)" "$(pipeline <<<"$seen")"
press e
shows "runs to the end" "the program ended with status 0"
end=$(number cycle)
press Left
shows "goes a cycle back from the end" "cycle $(commas $((end - 1)))  "
press Home
shows "goes back to the start" "cycle 1  |cycle 0  "
press g 3 0 0 Enter
await "cycle 300  "
press '?'
shows "help" "space +run; again: stop here"
press x

# The same instruction on a machine with slower loads: the cycle is that of a run of that machine.
press o
shows "settings" "latency.load +2"
press Down Down Down Down Down Down Down Down Right
shows "a setting is changed, and the effect told" "latency.load = 3: the same instruction commits"
changed=$(number cycle) insns=$(number instructions)
rv view --config tiny --set latency.load=3 --insn "$insns" --save c.json mixed
same "the effect is that of a run with the setting" "$(key c.json 'm["cycle"]')" "$changed"
press Left
shows "the setting is changed back" "latency.load = 2: the same instruction"
press o q
for _ in $(seq 1200); do [ -s view.status ] && break; sleep 0.05; done
same "the view ends with status 0 and without a message" "0|" "$(<view.status)|$(<view.err)"

# In a small terminal neither the help nor the sentence about a waiting instruction is cut.
open_terminal 80 24 "LC_ALL=C.UTF-8 '$RVSIM' view --tui --config tiny --at 300 mixed"
await "^ .* cycle 300 "
press '?'
shows "help in a terminal of 80 by 24: its last line" "q +leave"
same "no line of the help is cut" "" "$(head -n 20 <<<"$seen" | grep '…')"
press x q

# In terminals too small for any of it each page is drawn, and q leaves.
for size in "1 1" "20 5" "12 8" "44 3" "30 12"; do
    rm -f view.status
    open_terminal "${size% *}" "${size#* }" \
        "LC_ALL=C '$RVSIM' view --tui --at 300 mixed 2>view.err; echo \$? >view.status; sleep 60"
    for _ in $(seq 400); do
        press Tab Tab Tab Tab Tab '?' x o Down Right o q
        for _ in 1 2 3 4; do [ -s view.status ] && break 2; sleep 0.05; done
    done
    same "a terminal of ${size/ / by } ends by q" "0|" "$(cat view.status)|$(cat view.err)"
done

# Each signal that asks it to leave restores the terminal first, and is the status.
for signal in INT TERM HUP; do
    rm -f view.status
    open_terminal 100 30 "bash -c \"trap '' HUP
        stty -a >stty.before; (trap - HUP; echo \\\$BASHPID >view.pid
        LC_ALL=C.UTF-8 exec '$RVSIM' view --tui mixed 2>view.err); echo \\\$? >view.status
        stty -a >stty.after; echo left; sleep 60\""
    await "cycle 1  |cycle 0  "
    kill -"$signal" "$(<view.pid)"
    for _ in $(seq 400); do [ -s view.status ] && break; sleep 0.05; done
    await '^left$'
    same "SIG$signal ends it, and leaves the terminal as it was" \
        "$((128 + $(kill -l "$signal")))| yes left" \
        "$(<view.status)|$(<view.err) $(cmp -s stty.before stty.after && echo yes) $(
            grep -v '^$' <<<"$seen")"
done
rv view --tui mixed
same "without a terminal the view says so at once" \
    "2||rvsim: error: view: standard input and output are \
no terminal; --save FILE writes a picture" "$status|$out|$err"

# Marks and interrupts: where the marked instruction commits.
echo 'helper 4 counter=5 interrupt' >mixed.meta
rv --quiet --config tiny --meta mixed.meta --monitor host --trace o3pipeview:marks.o3 mixed
helper=$(riscv64-unknown-elf-nm mixed | awk '$3 == "helper" { print "0x" $1 }')
commits=($(awk -F: -v pc="0x80${helper: -6}" '$2 == "fetch" { at = $4 }
    $2 == "retire" && $3 && at == pc { print $3 / 1000 + 1 }' marks.o3))
open_view --config tiny --meta mixed.meta --monitor host mixed
await "cycle 1  |cycle 0  "
press m m
shows "the second mark" "cycle $(commas "${commits[1]}")  .*"
press m M
shows "a mark back from the third" "cycle $(commas "${commits[1]}")  .*"
press t
shows "the interrupt at the sixth" "interrupts +1 [+]1"
same "comes after its instruction" True \
    "$([ "$(number cycle)" -ge "${commits[5]}" ] && [ "$(number cycle)" -lt "${commits[6]}" ] &&
       echo True)"
press q
