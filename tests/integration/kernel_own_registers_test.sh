#!/usr/bin/env bash
# Gates and counters that a program has programmed belong to a thread: they count only this thread,
# on whatever harts it runs and whatever other threads run there.
. tests/integration/lib.sh

"$linux_cc" -std=gnu17 -O2 -Wall -Wextra -Werror -static -pthread -Iguest/include -I. \
    $programs/kernel/own_registers.c -o "$tmp/own_registers" || not_ok "the program builds"
for run in 1:1 1:4 2:4 4:8; do
    for mode in fast detailed; do
        run own --mode $mode --os kernel --harts ${run%:*} "$tmp/own_registers" ${run#*:}
        same "each of ${run#*:} threads counts its own instructions, $mode, harts: ${run%:*}" \
            done "$(<"$tmp/own.out")"
    done
done

# Marks of a file count for one thread, too: the instructions between start and stop are those of a
# run in which there is no other thread.
cat >"$tmp/gated.c" <<'END'
#include <pthread.h>
#include <sched.h>
__attribute__((noinline)) void begin(void) { __asm__ volatile(""); }
__attribute__((noinline)) void end(void) { __asm__ volatile(""); }
static void *other(void *arg)
{
    for (int i = 0; i < 40; i++)
        sched_yield();
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t thread[4];

    for (int i = 1; i < argc; i++)
        pthread_create(&thread[i], NULL, other, argv);
    begin();
    for (int i = 0; i < 20; i++)
        sched_yield();
    end();
    for (int i = 1; i < argc; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
END
"$linux_cc" -O2 -static -pthread "$tmp/gated.c" -o "$tmp/gated" || not_ok "gated builds"
printf '%s\n' 'begin 2 start label=3' 'end 2 stop label=3' >"$tmp/gated.meta"
counted() {
    "$RVSIM" --mode fast --os kernel --harts 1 --meta "$tmp/gated.meta" \
        --count insns_retired:user,toggle --count insns_retired:user,gate=3 "$tmp/gated" "$@" 2>&1 |
        awk '$2 ~ /^insns_retired/ { print $1 }' | xargs
}
alone=$(counted)
[ -n "$alone" ] || not_ok "the gate counts"
same "threads that run between start and stop of another are in no count of it" "$alone" \
    "$(counted 2 3 4)"
