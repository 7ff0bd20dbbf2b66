#!/usr/bin/env bash
# rvsim active --section: functions that exceptions and longjmp leave. Probes let the unwinder see
# the program's return addresses, and the activations end where the unwinder or longjmp arrives.
. tests/sim/cli/lib.sh
"${LINUX_CXX:-riscv64-linux-gnu-g++}" -O1 -g -static "$here/command/active/active_unwinding.cc" \
    -o unwinding \
    2>log || { echo "ok exceptions and longjmp # SKIP no C++ compiler for the guest"; exit; }

# deepest: 30 in the first loop, of which 10 throw and 10 jump; 5 in the second. middle: 20 and 5.
# catching: 30, 10 of them left by longjmp. A turn of work() is five instructions.
cat >check.py <<'END'
import json, sys
active = {s["section"].partition("(")[0]: s for s in json.load(open("a.json"))["sections"]}
for name, entries, turns in (("deepest", 35, 35 * 100), ("middle", 25, 25 * 150),
                             ("catching", 30, 30 * 100 + 20 * 50 + 20 * 1000),
                             ("rethrowing", 5, 5 * 160)):
    truth, probes = active[name]["oracle"], active[name]["probes"]
    error = abs(probes["active"] - truth["active"]) / truth["active"]
    print(name, truth["entries"] == entries, probes["entries"] == entries,
          turns * 4 <= truth["active"], error < 0.05)
if sys.argv[1] == "fast":       # a cycle an instruction: 20 of 35 were not left by an exception
    print(500 <= active["deepest"]["oracle"]["median"] <= 600)
END
for mode in fast detailed; do
    rv active --os kernel --mode $mode --section deepest,middle,catching,rethrowing --list \
        --json a.json unwinding
    known=
    [ $mode = detailed ] || known=$'\nTrue'
    same "$mode: the program ends as without probes" 0 "$status"
    same "$mode: activations and their time are known" "deepest True True True True
middle True True True True
catching True True True True
rethrowing True True True True$known" "$(python3 check.py $mode)"
    same "$mode: no activation is incomplete" "" "$(grep incomplete rv.out)"
done

# The unwinder in a library: the kernel sets the breakpoints when it maps the library.
sysroot=$("${LINUX_CXX:-riscv64-linux-gnu-g++}" -print-sysroot)
[ -e "$sysroot/lib/libstdc++.so.6" ] || sysroot=/usr/riscv64-linux-gnu
if [ -e "$sysroot/lib/libstdc++.so.6" ]; then
    mkdir -p root/lib
    cp "$sysroot"/lib/{ld-linux-riscv64-lp64d,libc,libm,libgcc_s,libstdc++}.so.[0-9]* root/lib/
    for mode in fast detailed; do
        # Relocating the C++ library would be most of a detailed run; the unwinder is in another.
        "${LINUX_CXX:-riscv64-linux-gnu-g++}" -O1 -g "$here/command/active/active_unwinding.cc" \
            $([ $mode = fast ] || echo -static-libstdc++ -shared-libgcc) -o shared
        rv active --root root --mode $mode --section deepest,middle,catching,rethrowing \
            --json a.json shared
        same "$mode, shared libraries: the program ends as without probes" 0 "$status"
        same "$mode, shared libraries: sections end where exceptions land" "deepest True True
middle True True
catching True True
rethrowing True True" "$(python3 check.py $mode | awk 'NF > 1 {print $1, $2, $3}')"
        [ $mode = detailed ] ||
            same "shared libraries: the time of the unwinder's probes is left out" "" \
                "$(python3 check.py $mode | awk 'NF > 1 && $5 != "True"')"
    done
else
    echo "ok exceptions through shared libraries # SKIP none for the guest"
fi
