#!/usr/bin/env bash
# rvsim api: allocations by each allocator, in a static and in a dynamic program, to the byte.
# (Allocations of the unwinder for an exception are not compared.)
export LC_ALL=C
. tests/sim/cli/lib.sh
cxx=${LINUX_CXX:-riscv64-linux-gnu-g++}
"$cxx" -std=c++17 -O1 -g -static "$here/command/api/api_allocators.cc" -o static 2>log &&
    "$cxx" -std=c++17 -O1 -g "$here/command/api/api_allocators.cc" -o dynamic 2>>log ||
    not_ok "the program api_allocators.cc builds" "$(<log)"
mkdir -p root/lib
for library in ld-linux-riscv64-lp64d.so.1 libc.so.6 libm.so.6 libstdc++.so.6 libgcc_s.so.1; do
    cp -L "$("$cxx" -print-file-name=$library)" root/lib/
done
cat >rows.py <<'END'
import json, sys
table, scope = sys.argv[1:]
for r in json.load(open(table))["functions"]:
    name = r["function"].split("(")[0]
    if r["cost"] == "allocated" and r["scope"] == scope and (
            name.startswith(("by_", "of_", "geo::", "deeper"))):
        print(name, r["count"], r["sum"], r["sum_of_squares"],
              *("%s=%d" % (b.get("bucket", "zero"), b["count"]) for b in r["buckets"]))
END
inclusive="by_aligned 9 4608 2359296 9=9
by_calloc 3 450 67500 7=3
by_library 3 39 507 3=3
by_long_jump 3 120 4800 5=3
by_mmap 3 24576 201326592 13=3
by_realloc 6 1500 510000 6=3 8=3
by_tail_call 3 300 30000 6=3
deeper 10 160 2560 4=10
geo::by_aligned_new 3 576 110592 7=3
geo::by_array 3 99 3267 5=3
geo::by_new 3 96 3072 5=3
geo::own::operator new 3 96 3072 5=3
of_nothing 3 0 0 zero=3"
for kind in static dynamic; do
    rv api --os kernel --root root --json $kind.json $kind
    same "a $kind program: the command succeeds" 0 "$status"
    same "a $kind program: each allocation is charged to all on the stack (P1)" "$inclusive" \
        "$(python3 rows.py $kind.json inclusive | grep -v '^by_throw' | sort)"
    same "a $kind program: and is the own one of who called the allocator" \
        "$( (grep -vE '^(by_library|geo::by_new) ' <<<"$inclusive"; echo by_throw 3 144 6912 5=3) |
            sort)" "$(python3 rows.py $kind.json exclusive | sort)"
done
rv api --os kernel --root root --allocator strdup=1 dynamic
same "an allocator of a library can be named" 0 "$status"
rv api --os kernel --root root --allocator strdupe=1 dynamic
matches "an allocator that is in no library is an error" 'strdupe=1: no such function' "$err"
