#!/usr/bin/env bash
# rvsim hang --control and --submit: the control file of a service, and reports to it.
here=$PWD/tests/prof/serve
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -nostdlib -Wl,--no-relax \
    "$PWD/tests/sim/cli/command/hang/hang_count.S" -o "$TEST_TMP/count" || exit 1
cd "$TEST_TMP" || exit 1
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 python3 "$here/hangs.py"
