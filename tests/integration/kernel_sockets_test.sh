#!/usr/bin/env bash
# Sockets of a simulated program: they reach the one address of --connect, under the guest kernel
# and without it, and behave as on the host; nothing else is reachable.
. tests/integration/lib.sh

source=$programs/kernel/sockets.c
"${CC:-cc}" -std=gnu17 -O2 -pthread "$source" -o "$tmp/native" 2>"$tmp/log" &&
    "$linux_cc" -std=gnu17 -O2 -static -pthread "$source" -o "$tmp/sockets" 2>>"$tmp/log" ||
    not_ok "the programs build" "$(<"$tmp/log")"
python3 tests/integration/kernel_sockets.py >"$tmp/port" &
server=$!
trap 'kill $server' EXIT
for ((i = 0; i < 600; i++)); do
    [ ! -s "$tmp/port" ] || break
    sleep 0.1
done
read -r port silent <"$tmp/port"

outside() { timeout 100 "$RVSIM" --quiet --connect "127.0.0.1:$port" "$@" 2>&1; }
cases="plain messages big nonblocking epoll signals threads broken"
expected=$(timeout 100 "$tmp/native" "$port" $cases 2>&1)
for harts in 1 2; do
    same "a socket is as on the host, $harts harts" "$expected" \
        "$(outside --os kernel --mode fast --harts $harts "$tmp/sockets" "$port" $cases)"
done
same "a socket is as on the host, in detail" \
    "$(timeout 100 "$tmp/native" "$port" plain broken 2>&1)" \
    "$(outside --os kernel --harts 2 "$tmp/sockets" "$port" plain broken)"
cases="plain messages big nonblocking"
same "a socket is as on the host, without the guest kernel" \
    "$(timeout 100 "$tmp/native" "$port" $cases)" \
    "$(outside --os host --mode fast "$tmp/sockets" "$port" $cases)"

# The kernel does not ask again while nothing comes: a wait takes an interrupt, and some thousand
# instructions.
outside --os kernel --mode fast --stats "$tmp/waits.json" "$tmp/sockets" "$port" waits >/dev/null
insns=$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["events"]["insns_retired"])' "$tmp/waits.json")
if [ "${insns:-1000000}" -lt 120000 ]; then
    ok "a wait costs the machine next to nothing"
else
    not_ok "a wait costs the machine next to nothing" "$insns instructions for five waits"
fi

refused="another port: ENETUNREACH
another host: ENETUNREACH
fast open: EOPNOTSUPP
not connected: EPIPE
cut short: ENETUNREACH
bad address: EFAULT
udp: EPROTONOSUPPORT"
notes="connect to 127.0.0.1:$((port + 1)): sockets reach the address of --connect alone
a socket of domain 2 and type 2: there are sockets for TCP alone"
notes_of() { sed -n 's/^rvsim: note: \(.*\); the program gets.*/\1/p'; }
for os in kernel host; do
    shown=$(outside --os $os --mode fast "$tmp/sockets" "$port" refused)
    same "other addresses and other kinds of sockets are refused: --os $os" \
        "$refused" "$(grep -v ^rvsim <<<"$shown")"
    same "each is said once: --os $os" "$notes" "$(notes_of <<<"$shown")"
done
shown=$(outside --os host --mode fast "$tmp/sockets" "$port" served)
same "there are no servers without the kernel" "unix: EAFNOSUPPORT
bind: EACCES
listen: EACCES
accept: EINVAL
bind of no socket: ENOTSOCK" "$(grep -v ^rvsim <<<"$shown")"
same "each is said once" "a socket of domain 1 and type 1: there are sockets for TCP alone
bind: sockets are there for clients alone
listen: sockets are there for clients alone" "$(notes_of <<<"$shown")"
same "without --connect nothing is reachable" "nobody there: ENETUNREACH" \
    "$(timeout 100 "$RVSIM" --quiet --mode fast --os kernel "$tmp/sockets" "$port" nobody 2>&1 |
        grep -v ^rvsim)"

for os in kernel host; do
    same "a connection without a listener is refused: --os $os" "nobody there: ECONNREFUSED" \
        "$(port=$silent; outside --os $os --mode fast "$tmp/sockets" "$port" nobody)"
done
for bad in 1.2.3.4 :80 1.2.3.4:0 1.2.3.4:65536 1.2.3.4:http '[::1]' '[]:80' ::1:80; do
    same "--connect $bad is refused" \
        "rvsim: error: --connect $bad: expected HOST:PORT, such as 127.0.0.1:8700 or [::1]:8700" \
        "$("$RVSIM" --connect "$bad" "$tmp/sockets" 2>&1)"
done
for where in view "--gdb 0"; do
    same "$where would go back and send again: refused" \
        "rvsim: error: ${where% 0}: goes back, and what was sent by --connect cannot" \
        "$("$RVSIM" $where --connect 127.0.0.1:1 "$tmp/sockets" 2>&1)"
done
