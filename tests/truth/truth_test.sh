#!/usr/bin/env bash
# What the commands print about drawn programs is what their commit traces say: twenty programs
# here, five hundred with `make truth`.
. tests/cases.sh
export PYTHONDONTWRITEBYTECODE=1

for share in linux:0..2 exceptions:3..3 bare:0..5 assembly:0..5 harts:0..3; do
    tests/truth/check.py --kinds "${share%:*}" --seeds "${share#*:}" "$TEST_TMP" |
        sed -E "s/^((not )?ok .*)/\1; ${share%:*}/"
    [ "${PIPESTATUS[0]}" -lt 2 ] || not_ok "the comparison of ${share%:*} programs ends"
done
