#!/usr/bin/env bash
# The callers of a marked routine and their numbers of calls: the call graph from the monitor's
# stack walks is the true one, with the monitor on the machine and with the one on the host.
. tests/integration/lib.sh

callers() { query callers "$tmp/$1.json" | sort; }
counts() { query interrupts "$tmp/$1.json" | sed 's/+0x0 / /' | sort; }

# --- more than thirteen times: 45 executions, interrupts at the 14th, 28th and 42nd
build_bare thirteen
printf '%s\n' 'routine 2 counter=13 interrupt' >"$tmp/thirteen.meta"
for machine in default tiny small_caches; do
    for how in "detailed guest" "detailed host" "fast guest" "fast host"; do
        mode=${how% *} monitor=${how#* }
        stem=thirteen.$mode.$monitor.$machine
        run "$stem" --mode "$mode" --monitor "$monitor" $(machine_options $machine) \
            --meta "$tmp/thirteen.meta" "$tmp/thirteen"
        name="$mode engine, monitor $monitor, ${machine//_/ }"
        same "G1, G2: over thirteen times: 45 executions are 3 interrupts and 45 counted, $name" \
            "routine 45 3" "$(counts "$stem")"
        same "G1, G2: more than thirteen times: the callers are the three real ones, $name" \
            "routine alpha 1
routine beta 1
routine gamma_ 1" "$(callers "$stem")"
    done
done

# --- a whole call graph
graph='deep descend 1
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
shared red 32'
# routine, executions, interrupts
executions='deep 1 1
descend 101 101
even 4 4
green 5 5
leaf 89 89
odd 4 4
pointed 6 6
recurse 10 10
red 8 8
shared 67 67'
build_linux callers || not_ok "the call-graph program builds"
for routine in $(cut -d ' ' -f 1 <<<"$executions"); do
    echo "$routine 2 counter interrupt"
done >"$tmp/callers.meta"
for machine in default tiny small_caches; do
    for how in "detailed guest" "detailed host" "fast guest" "fast host"; do
        mode=${how% *} monitor=${how#* }
        stem=callers.$mode.$monitor.$machine
        run "$stem" --mode "$mode" --monitor "$monitor" $(machine_options $machine) \
            --meta "$tmp/callers.meta" "$tmp/callers"
        name="$mode engine, monitor $monitor, ${machine//_/ }"
        same "the program's own output is untouched by profiling, $name" "0 1822" \
            "$status $(<"$tmp/$stem.out")"
        same "every execution is counted and interrupts once, $name" "$executions" \
            "$(counts "$stem")"
        same "the call graph is the real one, $name" "$graph" "$(callers "$stem")"
    done
done
# One marked routine at a time: the same numbers, one by one.
for routine in leaf recurse odd; do
    echo "$routine 2 counter interrupt" >"$tmp/one.meta"
    run one.$routine --meta "$tmp/one.meta" "$tmp/callers"
    same "marked alone, $routine has the same callers" "$(grep "^$routine " <<<"$graph")" \
        "$(callers one.$routine)"
done

# --- chains of frame pointers that lead nowhere
build_linux broken_frames || not_ok "the program with broken frames builds"
echo 'watched 2 counter interrupt' >"$tmp/broken_frames.meta"
for monitor in guest host; do
    run broken.$monitor --monitor $monitor --max-insns 3000000 \
        --meta "$tmp/broken_frames.meta" "$tmp/broken_frames"
    same "a spoilt frame chain does not disturb the program, monitor $monitor" "0 66" \
        "$status $(<"$tmp/broken.$monitor.out")"
    same "a spoilt frame chain loses no count, monitor $monitor" "watched 60 60" \
        "$(counts broken.$monitor)"
    same "the direct caller of code without a frame is known all the same, monitor $monitor" \
        "watched with_frame_pointer 60" "$(callers broken.$monitor)"
    same "stacks that only lack frame pointers are not broken, monitor $monitor" 0 \
        "$(query get "$tmp/broken.$monitor.json" monitor.walks_broken)"
done
timing="command host cycles instructions ipc events slots cpi harts monitor summary"
same "both monitors show broken frames alike" \
    "$(query without "$tmp/broken.guest.json" $timing)" \
    "$(query without "$tmp/broken.host.json" $timing)"

# --- interrupts everywhere
build_bare undisturbed
for machine in default tiny small_caches; do
    for how in "detailed guest" "detailed host" "fast guest" "fast host"; do
        mode=${how% *} monitor=${how#* }
        stem=undisturbed.$mode.$monitor.$machine
        run "$stem" --mode "$mode" --monitor "$monitor" $(machine_options $machine) \
            --meta "$tmp/undisturbed.meta" "$tmp/undisturbed"
        name="$mode engine, monitor $monitor, ${machine//_/ }"
        same "a program finds its state as it was after 1201 interrupts, $name" 0 $status
        same "each of 1201 marked executions interrupts, none is lost, $name" \
            "$(expected marks "$tmp/undisturbed" | awk '{print $2, $2}') 1201 0" \
            "$(query interrupts "$tmp/$stem.json" | cut -d ' ' -f 2,3) $(
                query get "$tmp/$stem.json" events.indicator_interrupts) $(
                query get "$tmp/$stem.json" monitor.lost)"
        same "all calls come from the routine's one caller, $name" "stormy program 1201" \
            "$(callers "$stem" | awk '{n[$1 " " $2] += $3} END {for (i in n) print i, n[i]}')"
    done
done

# --- the monitor's memory is out of the program's reach
build_bare monitor_memory
for mode in detailed fast; do
    run monitor_memory.$mode --mode $mode --monitor guest --meta "$tmp/monitor_memory.meta" \
        "$tmp/monitor_memory"
    same "the monitor's memory and registers are out of the program's reach, $mode engine" 0 \
        $status
    same "the monitor works on after attacks on its memory, $mode engine" "watched 20 20" \
        "$(counts monitor_memory.$mode)"
    same "the attacked monitor still knows callers, $mode engine" "watched program 20" \
        "$(callers monitor_memory.$mode)"
done

# --- a routine whose first instruction calls the one of -msave-restore that saves registers
cat >"$tmp/saving.c" <<'C'
#define ALONE __attribute__((noinline, noclone))
static volatile int sum;
ALONE int kept(int a, int b) { __asm__ volatile("" : "+r"(a)); sum += b; return a + b; }
ALONE int saving(int x) { int y = kept(x, 1); return kept(x + y, y) + x; }
ALONE int odd(int x) { return saving(x) + saving(x + 1) + x; }
ALONE int even(int x) { int y = saving(x); return y + kept(y, x); }
int main(void)
{
    for (int i = 0; i < 20; i++)
        sum += i & 1 ? odd(i) : even(i);
    return 0;
}
C
"$linux_cc" -Os -msave-restore -static "$tmp/saving.c" -o "$tmp/saving" ||
    not_ok "the program with saving routines builds"
for monitor in host guest; do
    for mode in fast detailed; do
        same "callers of a routine that saves registers by a call, $mode engine, monitor $monitor" \
            "30 30 saving
20 20 odd
10 10 main
10 10 even
10 10 main" "$("$RVSIM" callers --mode $mode --monitor $monitor --of saving --runs 3 "$tmp/saving" |
                grep -E ' (saving|even|odd|main)( \(above\))?$' | sed 's/ (above)//' |
                awk '{ print $1, $2, $3 }')"
    done
done
