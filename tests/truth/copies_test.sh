#!/usr/bin/env bash
# Counters of data in drawn programs with processes: those of the commit trace, in both engines.
. tests/sim/cli/lib.sh
PYTHONDONTWRITEBYTECODE=1 python3 "$OLDPWD/tests/truth/copies.py" "$RVSIM" \
    "${LINUX_CC:-riscv64-linux-gnu-gcc}" ${COPIES_SEEDS:-1 4} >copies.out 2>&1
matches "every counter of data is that of the trace" '^[0-9]+ programs, [0-9]{3,} accesses$' \
    "$(<copies.out)"
same "no counter differs" "" "$(grep -v ' accesses$' copies.out)"
