#!/usr/bin/env bash
# Exports of a program whose functions have names that no compiler gives: each file is one that its
# readers accept, with a function for each name.
. tests/sim/cli/lib.sh

names=('a "q" b' 'back\slash' 'sp ace; semi' 'ümläut✓' '<b>&amp;' 'comma,colon:' 'percent%s%n'
    'fn=(1)' '(2) paren' '[bracket]' '/slash' 'tab_T_here' 'new_N_line' 'esc_E_[31m' 'latin_L_one')
{
    printf '.globl _start\n_start: li s0, 20\n1:\n'
    for i in "${!names[@]}"; do echo "call f$i"; done
    printf 'addi s0, s0, -1\nbnez s0, 1b\nli a0, 0\nli a7, 93\necall\n'
    for i in "${!names[@]}"; do
        printf '.type f%s, @function\nf%s: li t0, %s\n1: addi t0, t0, -1\nbnez t0, 1b\nret\n' \
            "$i" "$i" $((i + 10))
        printf '.size f%s, . - f%s\n' "$i" "$i"
    done
} >odd.s
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -g -nostdlib -static odd.s -o plain || not_ok "it builds"
renames=()
for i in "${!names[@]}"; do renames+=("--redefine-sym=f$i=${names[i]}"); done
"${LINUX_OBJCOPY:-riscv64-linux-gnu-objcopy}" "${renames[@]}" plain odd || not_ok "it is renamed"
LC_ALL=C sed -i -e 's/_T_/_\t_/' -e 's/_E_/_\x1b_/' -e 's/_L_/_\xff_/' odd
python3 -c "import sys
bytes = open('odd', 'rb').read().replace(b'_N_', b'_\n_')
open('odd', 'wb').write(bytes)"

rv --quiet --oracle --profile odd.prof odd
same "the program runs" 0 "$status"
for export in json speedscope chrome html callgrind perf-script lcov; do
    rv report "--$export" "odd.$export" odd.prof
    same "$export is written" "0" "$status"
    same "$export is UTF-8, and has no control characters" "" "$(
        iconv -f UTF-8 -t UTF-8 "odd.$export" 2>&1 >/dev/null
        LC_ALL=C tr -d '\n\t\40-\377' <"odd.$export" | od -An -c | head -2)"
done
for export in json speedscope chrome; do
    same "$export is JSON" "" "$(python3 -c "import json
json.load(open('odd.$export', encoding='utf-8'))" 2>&1 | tail -1)"
done
expected=$(printf '%s\n' "${names[@]}" | sed -e 's/_[TNEL]_/_?_/' | LC_ALL=C sort)
same "speedscope has a frame for each name" "$expected" "$(python3 -c "import json
for frame in json.load(open('odd.speedscope'))['shared']['frames']: print(frame['name'])" |
    grep -v -e ^_start -e '^\[system' | LC_ALL=C sort)"
rv report --folded - odd.prof
same "folded lines have a stack for each name, of two frames" "${#names[@]}" \
    "$(grep -cE '^_start;[^;]+ [0-9]+$' <<<"$out")"
rv report odd.prof
same "no control character reaches the terminal" "" \
    "$(LC_ALL=C tr -d '\n\40-\377' <<<"$out" | od -An -c)"
if [ -n "$(type -p callgrind_annotate)" ]; then
    same "callgrind_annotate reads every line" "" \
        "$(callgrind_annotate odd.callgrind 2>&1 | grep -A1 WARNING)"
fi

# Names of threads and arguments are bytes, too.
cat >named.c <<'C'
#include <pthread.h>
#include <sys/prctl.h>
static void *run(void *arg) { prctl(PR_SET_NAME, "th\"\n\xff\\", 0, 0, 0); return arg; }
int main(void) { pthread_t t; return pthread_create(&t, 0, run, 0) + pthread_join(t, 0); }
C
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -static named.c -o named || not_ok "the program builds"
for command in "sched --json" "sched --chrome" "idle --json" "idle --chrome"; do
    rv $command named.json named $'argument\xff'
    same "$command of a thread with such a name is JSON" "0" "$status$(python3 -c "import json
json.load(open('named.json', encoding='utf-8'))" 2>&1 | tail -1)"
done
rv --quiet --os kernel --threads --profile named.prof --stats named.json named $'argument\xff'
for file in named.prof named.json; do
    same "$file is JSON" "" "$(python3 -c "import json
json.load(open('$file', encoding='utf-8'))" 2>&1 | tail -1)"
done
rv sched named
matches "the thread is named" '  1001 .*  th"[?][?]\\$' "$out"
