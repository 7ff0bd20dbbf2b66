# Shared by the tests of this folder: their program, and what lies below them.
. tests/sim/cli/lib.sh
view=${here%/cli}/view

build_mixed() {
    "${GUEST_CC:-riscv64-unknown-elf-gcc}" -g -march=rv64im -mabi=lp64 -nostdlib -static -Wl,-N \
        -Wl,--build-id=none -T "$tools/bare.ld" "$view/mixed.S" -o mixed 2>log ||
        not_ok "the program mixed.S builds" "$(<log)"
}
# key FILE EXPRESSION: of the JSON `m`, as Python prints it
key() {
    python3 -c 'import json, sys; m = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"
}

# ---- a terminal ------------------------------------------------------------------------------

# open_terminal WIDTH HEIGHT COMMAND: in place of the one before. Each has a server of its own, with
# a socket of its own: a server that is told to end still takes a next session, and loses it.
terminals=0
open_terminal() {
    close_terminal
    terminals=$((terminals + 1))
    of_server -f /dev/null new-session -d -x "$1" -y "$2" "$3"
}
close_terminal() { of_server kill-server 2>/dev/null; }
of_server() { tmux -S "$PWD/tmux.$terminals" "$@"; }
# open_view ARGUMENT...: in a terminal of 160 by 48
open_view() {
    open_terminal 160 48 \
        "LC_ALL=C.UTF-8 '$RVSIM' view --tui $* 2>view.err; echo \$? >view.status"
}
screen() { of_server capture-pane -p; }
press() { of_server send-keys "$@"; }
# await PATTERN: until the screen has it, and no longer changes; the screen is in $seen
await() {
    local before=
    for _ in $(seq 400); do
        seen=$(screen)
        grep -qE -- "$1" <<<"$seen" && [ "$seen" = "$before" ] && return
        before=$seen
        sleep 0.05
    done
    return 1
}
# shows NAME PATTERN
shows() {
    if await "$2"; then ok "$1"; else not_ok "$1" "the screen has not: $2" "$seen"; fi
}
# 1234 as 1,234
commas() { sed -E ':a;s/([0-9])([0-9]{3})($|,)/\1,\2\3/;ta' <<<"$1"; }
# The number after a word of the title: number cycle
number() { head -n 1 <<<"$seen" | sed -E "s/.* $1 ([0-9,]+).*/\1/; s/,//g"; }
# pipeline: rows of the pipeline, as they are on the screen or in a file; marked rows are the same
pipeline() { sed -n '3,33p' | cut -c 1-112 | sed 's/\./ /g; s/ *$//'; }
