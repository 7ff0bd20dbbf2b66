#!/usr/bin/env bash
# Reports go through a pager on a terminal, with their colours, and nowhere else.
. tests/sim/cli/lib.sh
build_levels
"$RVSIM" --quiet --oracle --profile levels.prof levels

# on_terminal COMMAND...: runs the command on a terminal of its own; prints the terminal's output
cat >terminal.py <<'END'
import os, pty, sys
null = os.open('/dev/null', os.O_RDONLY)
os.dup2(null, 0)
status = pty.spawn(sys.argv[1:], lambda fd: os.read(fd, 65536), lambda fd: b'')
sys.exit(os.waitstatus_to_exitcode(status))
END
on_terminal() (
    set -o pipefail
    env TERM=xterm timeout 60 python3 terminal.py "$@" | tr -d '\r'
)

"$RVSIM" annotate levels.prof leaf >plain.txt
plain() { sed 's/\x1b\[[0-9;]*m//g' "$1"; }
export RVSIM_PAGER='cat >paged.txt'
same "on a terminal the pager has all, and the terminal nothing" "0 " \
    "$(shown=$(on_terminal "$RVSIM" annotate levels.prof leaf); echo "$? $shown")"
same "the pager has the same text" "$(<plain.txt)" "$(plain paged.txt)"
same "with colours" True "$(grep -q $'\x1b\\[' paged.txt && echo True)"
rm paged.txt
on_terminal "$RVSIM" annotate --color=never levels.prof leaf >shown.txt
same "without colours, by an option" "$(<plain.txt)" "$(<paged.txt)"
rm paged.txt
NO_COLOR=1 on_terminal "$RVSIM" annotate levels.prof leaf >shown.txt
same "without colours, by NO_COLOR" "$(<plain.txt)" "$(<paged.txt)"
rm paged.txt
"$RVSIM" annotate levels.prof leaf >file.txt
same "a file is no terminal" "no $(cksum <plain.txt)" \
    "$([ -e paged.txt ] && echo yes || echo no) $(cksum <file.txt)"
same "an error stays one" "2 1" \
    "$(shown=$(on_terminal "$RVSIM" annotate levels.prof nothing); echo "$? $(grep -c error \
        <<<"$shown")")"
rm -f paged.txt
same "cat is none" "$(<plain.txt)" \
    "$(RVSIM_PAGER=cat on_terminal "$RVSIM" annotate levels.prof leaf | sed 's/\x1b\[[0-9;]*m//g')"
same "a pager that leaves early ends the command" True \
    "$(RVSIM_PAGER='head -n 1 >first.txt' on_terminal "$RVSIM" script --json - levels.prof \
        >shown.txt 2>&1; [ -e first.txt ] && echo True)"
