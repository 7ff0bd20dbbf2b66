#!/usr/bin/env bash
# Ctrl-C, SIGTERM or SIGHUP in each run of each command that runs a program: no measurement is lost,
# every partial result is marked as partial, and the numbers shown are right.
. tests/sim/cli/lib.sh
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static "$here/terminal/interrupts.c" \
    -o interrupts 2>log ||
    not_ok "the program builds" "$(<log)"
python3 "$here/terminal/interrupts.py" "$RVSIM" "$PWD/interrupts" >seen 2>&1
same "each command keeps what it has, in each of its runs" "all 37 37" \
    "$(sed -n 's/^commands //p' seen) $(grep -cE '^[a-z-]+ [0-9] ' seen) $(
        grep -cE '^[a-z-]+ [0-9] good$' seen)"
schemas=${here%/tests/sim/cli}/docs/reference/schema
python=python3
"$python" -c 'import jsonschema' 2>log || python=/usr/bin/python3
pairs=$(ls kept.*.json | sed -E 's/kept[.]([a-z-]+)[.].*/\1=&/')
same "the JSON that commands keep is valid by its schema" \
    "$(sed 's/=\(.*\)/ \1: valid/' <<<"$pairs")" \
    "$("$python" "$here/schema_check.py" "$schemas" --some $pairs 2>&1)"
same "counts until an interruption are those of a run that ends there" "True none True [1]" \
    "$(sed -nE 's/^(executions until an interruption|no other kind|cycles of a whole run|points) //p
        ' seen | tr '\n' ' ' | sed 's/ $//')"
same "a second signal leaves time to write what was measured, a third does not; nohup holds" \
    "True True True True True True True True True True" \
    "$(sed -n 's/^signals: .*: //p' seen | tr '\n' ' ' | sed 's/ $//')"
grep -vE ' good$| True$|^commands all$|^no other kind none$|^points \[1\]$' seen
true
