#!/usr/bin/env bash
# rvsim view of several harts, of threads under the guest kernel, and of marks: stages are those of
# each hart's trace, counts are those of the instructions that committed.
. tests/sim/view/lib.sh
build_mixed

"${GUEST_CC:-riscv64-unknown-elf-gcc}" -g -march=rv64gc -mabi=lp64d -nostdlib -static -DHARTS=2 \
    -I "${here%/tests/*}" -T "$tools/bare.ld" "$tools/many_harts.S" "$tools/start.S" -o harts \
    2>log ||
    not_ok "the program many_harts.S builds" "$(<log)"
rv --quiet --config classic --harts 2 --trace o3pipeview:classic.o3 harts
end=$(awk -F: '$2 == "retire" && $3 / 1000 > n { n = $3 / 1000 } END { print n }' classic.hart1.o3)
# In the middle of a turn, too.
for cycle in $((end / 3)) $((end / 20 * 10)) $((end / 20 * 10 + 3)) $((end / 20 * 10 + 9)) \
    $((end * 3 / 4)); do
    for hart in 0 1; do
        rv view --config classic --harts 2 --hart $hart --at $cycle \
            --save hart$hart.$cycle.json harts
    done
done
for hart in 0 1; do
    trace=classic.o3
    [ $hart = 0 ] || trace=classic.hart1.o3
    same "hart $hart: stages are those of its trace" "compared True" \
        "$(python3 "$view/stages.py" $trace hart$hart.*.json 2>&1)"
done
same "the picture is of the cycle that was asked for, on each hart" True "$(python3 - <<'PY'
import glob, json
print(all(json.load(open(name))['cycle'] == int(name.split('.')[1])
          for name in glob.glob('hart[01].*.json')))
PY
)"
middle=$((end / 20 * 10 + 3))
rv view --config classic --harts 2 --hart 1 --at $middle --save middle.json harts
same "the other hart is as far as its turn: at the end of it" "$((end / 20 * 10 + 10))" \
    "$(key middle.json 'm["harts"][0]["cycles"]')"
rv view --config classic --harts 2 --hart 1 --at $middle --set machine.turn_cycles=1 \
    --save single.json harts
same "with turns of a cycle all harts are in the same" "$middle True" \
    "$(key single.json \
        'str(m["cycle"]) + " " + str(m["harts"][0]["cycles"] == m["harts"][1]["cycles"])')"
if command -v tmux >/dev/null && [ -e "$BUILD/view/tui.so" ]; then
    trap close_terminal EXIT
    # straight HART CYCLE: the picture of a run straight to this cycle
    straight() {
        rv view --config classic --harts 2 --hart "$1" --at "$2" --save straight.txt harts
        pipeline <straight.txt
    }
    open_view --config classic --harts 2 --hart 1 --at $middle harts
    await "cycle $(commas $middle)  "
    press Left Left Left Left Left
    shows "back by cycles, over the beginning of a turn" "cycle $(commas $((middle - 5)))  "
    same "the pipeline of the hart is that of the cycle" "$(straight 1 $((middle - 5)))" \
        "$(pipeline <<<"$seen")"
    press Right Right Right Right Right h
    shows "the other hart is shown where it is" "cycle $(commas $((end / 20 * 10 + 11)))  "
    press Left Left Left
    shows "the view goes back by cycles" "cycle $(commas $((end / 20 * 10 + 8)))  "
    same "to what it was then" "$(straight 0 $((end / 20 * 10 + 8)))" "$(pipeline <<<"$seen")"
    press q
fi
same "each hart is told of" "2 True" "$(key hart1.$cycle.json \
    'str(len(m["harts"])) + " " + str(m["harts"][1]["instructions"] == m["committed"])')"

echo 'helper 4 counter=5 interrupt' >mixed.meta
rv --quiet --config classic --meta mixed.meta --monitor host --trace o3pipeview:marks.o3 mixed
helper=$("${guest_nm:-riscv64-unknown-elf-nm}" mixed |
    awk '$3 == "helper" { print $1 }')
for cycle in 500 900 1300; do
    rv view --config classic --meta mixed.meta --monitor host --at $cycle \
        --save marks.$cycle.json mixed
    same "a mark's count and interrupts in cycle $cycle" True "$(python3 - $cycle "$helper" <<'PY'
import json, sys
cycle, helper, pc, count = int(sys.argv[1]), int(sys.argv[2], 16), 0, 0
for line in open('marks.o3'):
    field = line.split(':')
    if field[1] == 'fetch':
        pc = int(field[3], 16)
    elif field[1] == 'retire' and pc == helper:
        count += 0 < int(field[2]) // 1000 < cycle
m = json.load(open(f'marks.{cycle}.json'))
mark, = m['marks']
print(mark['place'] == 'helper' and mark['limit'] == 5 and count > 0 and
      mark['count'] + 6 * mark['interrupts'] == count)
PY
)"
done
same "their shadow frame has metadata" True \
    "$(key marks.1300.json 'm["maps"]["L1I"]["metadata"] >= 1')"

"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread "$here/sched_threads.c" -o threads \
    2>log || not_ok "the program sched_threads.c builds" "$(<log)"
rv view --config classic --harts 2 --at 60000 --save threads.json threads
same "threads of the guest kernel are told of" "0 True" "$status $(key threads.json \
    'any(hart["thread"] for hart in m["harts"])')"

# As long as nothing is replaced, each walk has filled one entry.
rv --quiet --config classic --os host --max-cycles 5000 --stats walks.json threads
rv view --config classic --os host --at 5000 --save tlbs.json threads
same "TLBs have an entry for each walk" "True True True" "$(python3 - <<'PY'
import json
walks = json.load(open('walks.json'))['events']
tlb = json.load(open('tlbs.json'))['queues']
print(0 < tlb['instruction TLB']['used'] == walks['itlb_walk'],
      tlb['second TLB']['used'] == walks['itlb_walk'] + walks['dtlb_walk'],
      tlb['data TLB']['size'] == 48)
PY
)"
