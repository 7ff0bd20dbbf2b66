#!/usr/bin/env bash
# rvsim sched and lock: every figure equals that of an independent calculation from the kernel's
# records.
. tests/sim/cli/lib.sh
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread "$here/command/sched/sched_mix.c" \
    -o mix 2>log ||
    not_ok "the program sched_mix.c builds" "$(<log)"
sanitizers=
if grep -qa __asan_init "$BUILD/libprofhw.a"; then sanitizers=-fsanitize=address,undefined; fi
${CC:-cc} -std=gnu17 $sanitizers "$here/command/sched/sched_records.c" -o records \
    $(PKG_CONFIG_PATH=$BUILD pkg-config --cflags --libs profhw) 2>log ||
    not_ok "sched_records.c builds" "$(<log)"
for harts in 1 2 4 16; do
    for mode in fast detailed; do
        ./records $harts $mode mix 6 $harts >r
        "$RVSIM" sched --mode $mode --harts $harts --json s.json mix 6 $harts >log
        "$RVSIM" lock --mode $mode --harts $harts --json l.json mix 6 $harts >log
        same "figures are those of an own calculation, $harts harts, $mode" "all compared" \
            "$(python3 "$here/command/sched/sched_own.py" r s.json l.json 2>&1)"
    done
done

# Each of six threads locks `inner` in three rounds, and in three rounds `outer` and then `inner`.
for command in sched "idle --period 20000"; do
    "$RVSIM" $command --harts 4 --section lock,work --chrome t.json mix 6 4 >log
    same "a trace of $command has harts, threads, sections and causes of idle times" \
        "True harts idle threads lock 54 work 6" \
            "$(python3 "$here/command/sched/sched_trace.py" t.json)"
done
