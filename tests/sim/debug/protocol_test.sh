#!/usr/bin/env bash
# The remote protocol without gdb: every packet's answer by itself, errors, and nonsense.
. tests/sim/debug/lib.sh
build_steps

# talk ARGUMENT...: gives the lines of standard input to `rvsim --gdb`; answers in $seen
talk() {
    local simulator
    rm -f socket
    timeout -k 5 60 "$RVSIM" --quiet --gdb ./socket "$@" >rv.out 2>rv.err </dev/null &
    simulator=$!
    for _ in $(seq 1200); do [ -S socket ] && break; sleep 0.05; done
    seen=$(timeout -k 5 60 python3 "$debug/talk.py" socket)
    wait $simulator
    status=$?
    out=$(<rv.out) err=$(<rv.err)
}
address() { "${LINUX_CC%gcc}nm" steps | awk -v name="$1" '$3 == name { print $1 }'; }
LINUX_CC=${LINUX_CC:-riscv64-linux-gnu-gcc}
work=$(address work | sed 's/^0*//') half=$(address half | sed 's/^0*//')

talk steps <<END
?
qC
qfThreadInfo
qsThreadInfo
qAttached
qOffsets
vMustReplyEmpty
Hg0
Hg1
Hg2
T1
T2
Hx1
m$half,8
m0,4
m$half
mzz,1
m$half,4,
Z0,$work,2
Z0,$work,2
Z9,$work,2
Z0,$work
z0,$work,2
z0,1234,4
p20
p0
p1041
p99999999
p
p1056
P1=
P0=0000000000000000
Pffffff=00
G00
Gxx
M$half,2:0102
M$half,2:01
M0,1:00
X$half,0:
X$half,3:ab
X$half,2:}\x03}\x04
m$half,2
vCont?
vCont;
vCont;x
vCont;c:7
vCont;s:1:
QStartNoAckMode
qXfer:features:read:other.xml:0,10
qXfer:features:read:target.xml:ffffffff,10
qXfer:features:read:target.xml:0,15
k
END
expected='T05thread:1;
QC1
m1
l
0
Text=0;Data=0;Bss=0

OK
OK
E16
OK
E16
E16
000000000000e03f
E0e
E16
E16
E16
OK
OK

E16
OK
OK'
same "questions are answered, and bad ones refused" "$expected" "$(head -n 24 <<<"$seen")"
same "registers have their widths, others are errors" "16 16 16 E16 E16 E16 E16 OK E16 OK E16" \
    "$(echo $(sed -n '25,27p' <<<"$seen" | awk '{ print length }') $(sed -n '28,35p' <<<"$seen"))"
same "memory is written as told, or not at all" "OK E16 E0e OK E16 OK 2324" \
    "$(echo $(sed -n '36,42p' <<<"$seen"))"
same "actions and texts" 'vCont;c;C;s;S E16 E16 E16 E16 OK E16 E16 m<?xml version="1.0"?>' \
    "$(echo $(sed -n '43,51p' <<<"$seen"))"
same "k ends it" "137 " "$status $out"

talk steps <<'END'
raw $g#00
raw }}}###$$$***\x03\x03++--
raw $$$$
raw #####
raw \x00\xff\xfe
?
raw $}
raw }#5d
?
vCont;c
vCont;c
?
g
vKill;1
END
same "after noise the session goes on, to the end and past it" "30 sum 30" "$status $out"
matches "the end is told again" '^W1e$' "$seen"

# Bytes by a fixed rule, some of them in packets: each packet gets an answer, or the next packet
# does.
python3 - >nonsense <<'END'
state = 12345
def next_byte():
    global state
    state = (state * 1103515245 + 12345) % 2**31
    return state >> 16 & 255
names = ["qSupported", "qXfer:features:read:", "vCont", "vCont;", "Z", "z", "m", "M", "X",
         "p", "P", "G", "H", "T", "q", "Q", "v", "qThreadExtraInfo,", "qRcmd,", "bs", "C", "S"]
for i in range(400):
    text = "".join(chr(next_byte() % 96 + 32) for _ in range(next_byte() % 24))
    name = names[next_byte() % len(names)]
    if name in ("vCont;", "C", "S") or (name == "v" and text.startswith("Kill")):
        text = "!" + text
    print((name + text).replace("\\", "/").replace("$", "%").replace("#", "%").replace("}", ")"))
print("?")
print("k")
END
for mode in fast detailed; do
    talk --mode $mode steps <nonsense
    same "nonsense does no harm, $mode" "137 T05thread:1; 401" \
        "$status $(tail -n 1 <<<"$seen") $(wc -l <<<"$seen")"
done

# A socket belongs to the process that still waits at it; a socket that was left behind belongs to
# none.
rm -f socket
timeout -k 5 60 "$RVSIM" --quiet --gdb ./socket steps >rv.out 2>rv.err </dev/null &
simulator=$!
for _ in $(seq 1200); do [ -S socket ] && break; sleep 0.05; done
for _ in 1 2; do
    timeout -k 5 20 "$RVSIM" --quiet --gdb ./socket steps >other.out 2>other.err </dev/null
    same "a socket at which another simulator waits is refused" \
        "2 rvsim: error: --gdb ./socket: in use by another process, which waits for a debugger \
there; expected the name of a new socket" "$? $(<other.err)"
done
seen=$(timeout -k 5 60 python3 "$debug/talk.py" socket <<<'vCont;c')
wait $simulator
same "the first one still waits for its debugger, and serves it" "30 sum 30" "$? $(<rv.out)"
timeout -k 5 60 "$RVSIM" --quiet --gdb ./socket steps >rv.out 2>rv.err </dev/null &
simulator=$!
for _ in $(seq 1200); do [ -S socket ] && break; sleep 0.05; done
kill -KILL "$(pgrep -P $simulator)"
wait $simulator 2>/dev/null
holds "a simulator that is killed leaves its socket" test -S socket
timeout -k 5 60 "$RVSIM" --quiet --gdb ./socket steps >rv.out 2>rv.err </dev/null &
simulator=$!
for _ in $(seq 1200); do
    seen=$(python3 "$debug/talk.py" socket <<<'vCont;c' 2>/dev/null) && break
    sleep 0.05
done
wait $simulator
same "the next one takes the socket over" "30 sum 30" "$? $(<rv.out)"
