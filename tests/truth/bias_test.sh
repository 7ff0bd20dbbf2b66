#!/usr/bin/env bash
# The errors that compare-profilers shows, each scheme's own and that of chance, agree with the
# pipeline trace of the same run.
. tests/cases.sh
export PYTHONDONTWRITEBYTECODE=1

cat >"$TEST_TMP/waits.c" <<'END_C'
#include <stdint.h>
#include <unistd.h>

enum { CELLS = 1 << 12 };
static uint32_t next[CELLS];

int main(void)
{
    uint32_t at = 1;
    uint64_t random = 1, sum = 0;

    for (uint32_t i = 0; i < CELLS; i += 16)        /* a line each: a miss of the chase */
        next[i] = (i + 16 * 13) % CELLS;
    for (int i = 0; i < 300; i++) {
        at = next[at & ~15u];
        random = random * 6364136223846793005u + 1442695040888963407u;
        if (random >> 63)
            sum += random / (at + 1);
        __asm__ volatile("fence" : "+r"(sum) : : "memory");
    }
    _exit(sum == 0);
}
END_C
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O2 -static "$TEST_TMP/waits.c" -o "$TEST_TMP/waits" ||
    not_ok "the program builds"
for config in classic default; do
    tests/truth/bias.py "$TEST_TMP/waits" $config "$TEST_TMP" "$RVSIM" ||
        not_ok "$config: the comparison ends"
done
