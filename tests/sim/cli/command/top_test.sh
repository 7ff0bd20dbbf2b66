#!/usr/bin/env bash
# rvsim top: a table that is drawn and takes keys on a terminal, lines elsewhere, and at the end the
# samples of rvsim record.
. tests/sim/cli/lib.sh
app=${RVSIM%/rvsim}/examples/wordindex
table() { awk '/samples .*routine$/ {on = 1} on'; }

cat >screen.py <<'PY'
"""Runs argv[2:] on a terminal of 20 lines; each line of the file argv[1] is a text to wait for, a
tab, and what is typed then. Prints what the terminal got."""
import fcntl, os, pty, select, struct, sys, termios, time
steps = [line.rstrip('\n').split('\t') for line in open(sys.argv[1])]
steps = [(text.encode(), keys.encode().decode('unicode_escape').encode()) for text, keys in steps]
child, fd = pty.fork()
if child == 0:
    os.environ['TERM'] = 'xterm'
    os.execvp(sys.argv[2], sys.argv[2:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 20, 90, 0, 0))
seen, at, end = b'', 0, time.time() + 60
while time.time() < end:
    if select.select([fd], [], [], 0.2)[0]:
        try:
            piece = os.read(fd, 65536)
        except OSError:             # the other side is closed
            break
        seen += piece
    if steps and steps[0][0] in seen[at:]:
        at = len(seen)
        os.write(fd, steps.pop(0)[1])
sys.stdout.buffer.write(seen.replace(b'\r', b''))
print('left', len(steps), 'status', os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
PY

"$RVSIM" record -c 5003 --max-insns 1M -o top.prof "$app" >/dev/null 2>&1
expected=$("$RVSIM" report --top 0 top.prof | table | sed '/^$/q')
rv top -c 5003 --max-insns 1M -d 0.1 --top 0 "$app"
same "the table at the end has the samples of rvsim record" "0 $expected" \
    "$status $(table <<<"$out")"
matches "before it, each refresh is a line" \
    '^ +[0-9,]+ instructions +[0-9]+ samples  +[0-9.]+% [a-z_]+  +[0-9.]+% [a-z_]+' "$out"
same "samples only grow" "" "$(awk '/instructions/ && $3 < last {print} {last = $3}' <<<"$out")"
same "lines have no terminal sequences" 0 "$(grep -c $'\033' rv.out)"

drawn='routine (h: keys)'
printf '%s\t%s\n' "$drawn" '\x1a' "$drawn" '\x1c' "$drawn" h 'any key goes on' z "$drawn" e \
    'routines:' '2\n' "$drawn" p 'paused' ' ' "$drawn" q >keys
python3 screen.py keys "$RVSIM" top -c 503 -d 0.1 "$app" >screen
same "every key is answered, Ctrl-Z and Ctrl-\\ leave no half of a screen, and q ends the run" \
    "left 0 status 0" "$(tail -1 screen)"
matches "the screen has shares of the moment and of all" '^.*%.* +[0-9.]+% +[0-9,]+  [a-z_]+' \
    "$(<screen)"
same "another page is shown, and left at the end" "1 1" \
    "$(grep -c $'\033\[?1049h' screen) $(grep -c $'\033\[?1049l' screen)"
matches "h lists the keys" '^  z  samples of the moment' "$(<screen)"
same "after e there are two routines, in the last table as well" 2 \
    "$(sed -n '/?1049l/,$p' screen | grep -c '^ *[0-9,]* *[0-9.]*% ')"

rv top -c 503 --max-insns 300k --top 0 --json top.json -d 60 "$app"
same "the JSON has the samples of the last table" True "$(python3 -c '
import json, re
top = json.load(open("top.json"))
rows = re.findall(r"^ +([0-9,]+) +[0-9.]+% +[0-9,]+  (.+)$", open("rv.out").read(), re.M)
shown = [(int(count.replace(",", "")), name) for count, name in rows]
found = [(row["samples"], row["name"]) for row in top["routines"]]
print(sorted(shown) == sorted(found) and len(shown) > 3 and
      top["samples"] == sum(count for count, name in found))')"
rv top -c 503 --max-insns 300k --json - -d 0.1 "$app"
same "alone on standard output" "0 503" "$status $(python3 -c '
import json; print(json.load(open("rv.out"))["period"])')"

rv top --max-insns 100 "$app"
same "a run without a sample says so" \
    "rvsim top: warning: no sample; a smaller --period gives more" "$(grep warning <<<"$err")"
refused "a delay of no time" "top: --delay 0: expected seconds from 0.1 to 86400" top -d 0 "$app"
refused "a monitor that keeps sums" \
    "top: needs --monitor host, which keeps samples one by one" top --monitor guest "$app"
rv top --mode fast -d 0.1 -c 100003 "$app"
matches "the fast engine samples instructions" '^ +samples +insns_retired  routine$' "$out"
