#!/usr/bin/env bash
# Exceptions, interrupts, system calls and the returns from them as indicators without any mark
# (G4), and switches of threads: each makes one record of its kind, in both engines and with both
# monitors.
. tests/integration/lib.sh
build_bare traps || not_ok "traps builds"
build_linux hinted -I. || not_ok "hinted builds"

# kinds PROFILE: "KIND:INTERRUPTS" of all records, summed by kind
kinds() {
    tr -d ' \t' <"$1" | tr ',{' '\n\n' |
        awk -F: '/"records"/ {on = 1} !on {next}
            /"address"/ {kind = 0}
            /"kind"/ {kind = $2}
            /"interrupts"/ {count[kind] += $2}
            END {for (k = 0; k < 9; k++) if (count[k]) printf "%d:%d ", k, count[k]}'
}

# traps.S: 29 exceptions, 5 of them calls; 6 interrupts; it returns from every one of them.
for bits in 1:"1:24 " 2:"2:6 " 4:"3:5 " 8:"4:35 " 15:"1:24 2:6 3:5 4:35 "; do
    for mode in fast detailed; do
        for monitor in guest host; do
            run traps --mode $mode --monitor $monitor --set pmu.transfers=${bits%%:*} \
                --profile "$tmp/$monitor.prof" "$tmp/traps"
            same "G4: transfers ${bits%%:*} are told by kind, $mode engine, monitor $monitor" \
                "0 ${bits#*:}" "$status $(kinds "$tmp/$monitor.prof")"
        done
        same "G4: both monitors store the same records, $mode engine, transfers ${bits%%:*}" \
            "$(sed -n '/"records"/,/"interrupts"/p' "$tmp/guest.prof" | grep -v instructions)" \
            "$(sed -n '/"records"/,/"interrupts"/p' "$tmp/host.prof" | grep -v instructions)"
    done
done

# A Linux program: each trap that the simulator serves makes one record, and its return makes
# another; the system call that ends the program does, too.
for mode in fast detailed; do
    run linux --mode $mode --set pmu.transfers=13 --profile "$tmp/linux.prof" "$tmp/hinted"
    told=$(kinds "$tmp/linux.prof")
    faults=$(echo "$told" | sed 's/^1:\([0-9]*\) .*/\1/')
    calls=$(echo "$told" | sed 's/.*3:\([0-9]*\) .*/\1/')
    same "G4: a Linux program's faults, system calls and returns, $mode engine" \
        "7 1:$faults 3:$calls 4:$((faults + calls)) " "$status $told"
    run calls --mode $mode --set pmu.transfers=4 "$tmp/hinted"
    same "G4: every system call is told, $mode engine" $calls \
        "$(query get "$tmp/calls.json" events.indicator_interrupts)"
done

# --- switches of threads: each write of CSR_PROF_THREAD (0x5c1) by the guest kernel's scheduler
cat >"$tmp/switches.c" <<'END'
#include <pthread.h>

static void *work(void *arg)
{
    for (volatile int i = 0; i < 3000; i++)
        ;
    return arg;
}

int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], 0, work, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], 0);
    return 0;
}
END
"$linux_cc" -O1 -static -pthread "$tmp/switches.c" -o "$tmp/switches" || not_ok "switches builds"
for mode in fast detailed; do
    for monitor in guest host; do
        run switches --os kernel --harts 2 --mode $mode --monitor $monitor \
            --set pmu.transfers=16 --profile "$tmp/switches.prof" \
            --trace "commit:$tmp/switches.trace" "$tmp/switches"
        writes=$(grep -c '(0x5c1[0-9a-f]*73)' "$tmp/switches.trace")
        same "every switch of threads is told, $mode engine, monitor $monitor" \
            "0 8:$writes $(sed -n 's/.* \(0x[^ ]*\) (0x5c1[0-9a-f]*73).*/\1/p' \
                "$tmp/switches.trace" | sort -u)" \
            "$status $(kinds "$tmp/switches.prof")$(grep -o '"address": *"[^"]*' \
                "$tmp/switches.prof" | sed 's/.*"//' | sort -u)"
    done
done

# --- as a tree: a trap stands below what it interrupted, and so does the routine that handled it
for monitor in guest host; do
    run tree --oracle --monitor $monitor --set pmu.transfers=15 --profile "$tmp/tree.prof" \
        "$tmp/traps"
    "$RVSIM" report --callgraph --measured --top 0 "$tmp/tree.prof" | tr -d , >"$tmp/graph"
    same "G4: the call graph has traps by cause and by caller, monitor $monitor" \
        "[breakpoint] program 3
[illegal instruction] program 9
[instruction access fault] 0x10 2
[load access fault] program 7
[machine software interrupt] interrupted 6
[store access fault] program 3
[system call] program 5" "$(awk '$2 == "from" { print name, $3, $1; next }
            { name = match($0, /\[.*\]/) ? substr($0, RSTART, RLENGTH) : $4 }' "$tmp/graph" |
            grep '^\[' | sort)"
    same "G4: and what handled them, below its cause, monitor $monitor" \
        "2 [instruction access fault]
3 [breakpoint]
3 [store access fault]
5 [system call]
6 [machine software interrupt]
7 [load access fault]
9 [illegal instruction]" "$(awk '$2 == "from" && name == "handler" {
            print $1, substr($0, index($0, "[")) }
            $2 != "from" { name = $4 }' "$tmp/graph" | sort)"
    # of 35 traps 15 come right after the return from another one
    same "G4: the handler has the instructions that it committed, monitor $monitor" \
        "$("$RVSIM" report --oracle --top 0 "$tmp/tree.prof" | tr -d , |
            awk '$NF == "handler" { print $(NF - 2) }')" \
        "$(awk '$4 == "handler" { print $2 }' "$tmp/graph")"
done
run tree --set pmu.transfers=12 --profile "$tmp/tree.prof" "$tmp/hinted"
same "G4: system calls of a Linux program are in the tree, all that were told" \
    "$(kinds "$tmp/tree.prof" | sed 's/.*3:\([0-9]*\) .*/\1/')" \
    "$("$RVSIM" report --calltree --measured --top 0 "$tmp/tree.prof" | tr -d , |
        awk '/\[system call/ { sum += $1 } END { print sum }')"
same "G4: they stand there by name, below the routine that made them" "[system call write] write" \
    "$("$RVSIM" report --callgraph --measured --top 0 "$tmp/tree.prof" | grep -A1 'call write' |
        sed 's/.*  \[/[/; s/.*from //' | xargs)"

# --- by number, if the call has no name: an ecall of user mode to a handler of the program's own
cat >"$tmp/numbers.S" <<'END'
    .section .text.start, "ax"
    .global _start
_start:
    la t0, serve
    csrw mtvec, t0
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    la t0, user
    csrw mepc, t0
    csrw mstatus, zero
    mret
    .size _start, . - _start
    .type user, @function
user:
    li a7, 3
    ecall
    li a7, 70000
    ecall
    ecall
    li a7, 3
    ecall
    li a7, 0
    ecall
    .size user, . - user
    .balign 4
    .type serve, @function
serve:
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    beqz a7, 1f
    mret
1:  li t0, 1
    la t1, tohost
    sd t0, 0(t1)
2:  j 2b
    .size serve, . - serve
    .section .tohost, "aw"
    .balign 64
    .global tohost
tohost: .dword 0
END
"$guest_cc" $isa -nostdlib -static -T $programs/bare.ld "$tmp/numbers.S" -o "$tmp/numbers" ||
    not_ok "the program that makes system calls by number builds"
for mode in fast detailed; do
    run numbers --mode $mode --set pmu.transfers=15 --profile "$tmp/numbers.prof" "$tmp/numbers"
    same "G4: system calls by number, and the handler's instructions below each, $mode engine" \
        "2 0 10 [system call 0x11170]
2 0 10 [system call 3]
2 10 10 serve
2 10 10 serve" "$("$RVSIM" report --calltree --measured --top 0 "$tmp/numbers.prof" |
            grep -E 'call (3|0x)|serve' | sed 's/  */ /g; s/^ //' | LC_ALL=C sort -k 4)"
done
