#!/usr/bin/env bash
# Lock-step: runs agree with each reference; a difference ends a run with status 1, and both sides
# are shown.
top=$PWD
. tests/sim/cli/lib.sh
build_levels
build_ends

for mode in detailed fast; do
    rv --mode $mode --check self levels
    matches "a bare-metal program agrees with the second machine, $mode" \
        'check: [1-9][0-9]* instructions and [0-9]+ traps agree$' "$err"
    rv --mode $mode --check self ends 3
    matches "a Linux program agrees, $mode" 'check: [1-9][0-9]{3,} instructions and [1-9]' "$err"
    same "the status of a check is the program's, $mode" 3 "$status"
done

# A script that plays a log back stands in for Spike.
rv --quiet --trace commit:levels.log levels
cat >spike <<'END'
#!/bin/sh
cat "${0%/*}/played.log" >&2
sleep 5
END
chmod +x spike
cp levels.log played.log
rv --check spike:./spike levels
matches "a log that is the same agrees" 'check: [1-9][0-9]* instructions and 0 traps agree$' "$err"
line=$(grep -n ' x1[0-7] ' levels.log | sed -n '$p' | cut -d: -f1)
sed "${line}s/\(.*\)[0-7]\$/\19/; ${line}s/\(.*\)[8a-f]\$/\11/" levels.log >played.log
rv --quiet --check spike:./spike levels
same "a different value in the log is a difference" 1 "$status"
matches "the place of the difference is reported" \
    "hart 0 differs at its instruction $((line - 1))" "$err"
same "the 32 instructions before it are shown, and both sides" 34 \
    "$(grep -c '^  0x0000000080' <<<"$err")"
sed "${line}d" levels.log >played.log
rv --quiet --check spike:./spike levels
same "a missing instruction is a difference" 1 "$status"

# Values that come from an input differ, wherever they go: through a store conditional to memory,
# and as flags of an operation to fflags.
cat >inputs.S <<'END'
        .globl _start
_start: li t0, 0x6000
        csrs mstatus, t0
        csrr t0, mcycle
        la a0, word
        lr.d t1, (a0)
        sc.d t2, t0, (a0)
        ld t3, 0(a0)
        fcvt.s.l fa0, t0
        csrr t4, fflags
        li t0, 1
        la t1, tohost
        sd t0, 0(t1)
1:      j 1b
        .section .tohost, "aw"
        .globl tohost
tohost: .dword 0
word:   .dword 0
END
"${GUEST_CC:-riscv64-unknown-elf-gcc}" -march=rv64gc_zicsr -mabi=lp64d -nostdlib -static \
    -Wl,--build-id=none,--no-warn-rwx-segments -T "$top/tests/programs/bare.ld" inputs.S \
    -o inputs || not_ok "the program of inputs builds"
rv --quiet --mode fast --trace commit:inputs.log inputs
other=0x0000000123456789
sed -E -e "/\(0xb00022f3\)/s/0x[0-9a-f]{16}\$/$other/" \
    -e "/mem 0x[0-9a-f]* 0x[0-9a-f]*\$/{/ x7 /s/0x[0-9a-f]{16}\$/$other/}" \
    -e "/ x28 /s/ x28 0x[0-9a-f]{16}/ x28 $other/" \
    -e "s/ f10 .*/ c1_fflags 0x0000000000000001 f10 0xffffffff4f91a2b4/" \
    -e "/ x29 /s/0x[0-9a-f]{16}\$/0x0000000000000001/" inputs.log >played.log
same "the log that is played differs in five lines" 5 "$(diff inputs.log played.log | grep -c '^>')"
rv --check spike:./spike --mode fast inputs
matches "what depends on an input is no difference" "check: [1-9][0-9]* instructions and 0 traps" \
    "$err"
sed -E -e "/ x7 /s/ x7 .*/ x7  0x0000000000000001/" \
    -e "/ x28 /s/ x28 0x[0-9a-f]{16}/ x28 0x0000000000000000/" inputs.log >played.log
same "the log in which it fails differs in two lines" 2 "$(diff inputs.log played.log |
    grep -c '^>')"
rv --check spike:./spike --mode fast inputs
matches "a store conditional may fail in Spike alone" \
    "check: [1-9][0-9]* instructions and 0 traps" "$err"
head -3 inputs.log >played.log
echo 'core   0: exception trap_illegal_instruction, epc 0x000000008000000a' >>played.log
rv --check spike:./spike --mode fast inputs
matches "a trap that Spike alone takes is named" \
    "at pc 0x8000000a Spike takes trap_illegal_instruction" "$err"
head -5 levels.log >played.log
echo 'spike: something is wrong' >>played.log
sed -i '/^sleep/d' spike
rv --quiet --check spike:./spike levels
same "a log that ends is told, with Spike's words" \
    "1|rvsim: check: after 5 instructions: Spike's log ended: spike: something is wrong" \
    "$status|$err"

# A reference that is silent, and Ctrl-C.
head -5 levels.log >played.log
printf '%s\n' '#!/bin/sh' 'cat "${0%/*}/played.log" >&2' 'exec sleep 60' >silent
chmod +x silent
timeout -k 5 60 "$RVSIM" --quiet --check spike:./silent --stats silent.json levels >rv.out \
    2>rv.err &
sleep 1
kill -INT "$(pgrep -P $!)"
wait $!
same "a signal ends the wait for a reference, and is no difference" "130 interrupted" \
    "$? $(value silent.json result.reason)"

if command -v qemu-system-riscv64 >/dev/null; then
    timeout -k 5 60 "$RVSIM" --quiet --check qemu --stats spin.json ends spin >rv.out 2>rv.err &
    sleep 2
    kill -INT "$(pgrep -P $!)"
    wait $!
    same "a signal ends the wait for QEMU, and is no difference" \
        "130 interrupted" "$? $(value spin.json result.reason)"
    rv --check qemu levels
    matches "a bare-metal program agrees with QEMU" 'check: [1-9][0-9]* instructions and' "$err"
    rv --check qemu --max-insns 2000 ends 0
    matches "a Linux program agrees with QEMU" 'check: 2[0-9]{3} instructions and [1-9]' "$err"
    printf '#!/bin/sh\nexec qemu-system-riscv64 -cpu rv64,c=off "$@"\n' >other
    chmod +x other
    rv --quiet --check qemu:./other --max-insns 2000 ends 0
    same "a QEMU without compressed instructions differs" 1 "$status"
else
    ok "programs agree with QEMU # SKIP qemu-system-riscv64 is missing"
fi

refused "an unknown reference" \
    "--check spik: expected self, spike[:PATH] or qemu[:PATH]; did you mean spike?" \
    --check spik levels
refused "a Spike that is not there" "--check: ./none: No such file or directory" \
    --check spike:./none levels
: >empty
for kind in spike qemu; do
    refused "$kind: a word without a slash is looked for in PATH, not here" \
        "--check: empty: no such program in PATH; a file of this folder is ./empty" \
        --check $kind:empty levels
done
refused "a Linux program on Spike" \
    "--check spike: bare-metal programs only; Spike has no Linux system calls" \
    --check spike:./spike ends
log="Spike's log begins at the program's first instruction"
refused "Spike after a region of interest" \
    "--check spike: $log; leave out --fast-forward and --roi" \
    --roi leaf --check spike levels
refused "a Spike that is none" \
    "--check spike: /bin/true ended without a line of Spike's commit log" \
    --check spike:/bin/true levels
printf '%s\n' '#!/bin/sh' 'echo "not: a spike" >&2' >other
chmod +x other
refused "a Spike that is none, with what it says" \
    "--check spike: ./other ended without a line of Spike's commit log; it says: not: a spike" \
    --check spike:./other levels
refused "a QEMU that is none" "--check qemu: /bin/true does not speak gdb's protocol" \
    --check qemu:/bin/true levels
