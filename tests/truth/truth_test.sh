#!/usr/bin/env bash
# What the commands print about drawn programs is what their commit traces say: twenty programs
# here, five hundred with `make truth`.
. tests/cases.sh
export PYTHONDONTWRITEBYTECODE=1

kinds=linux:0..3,exceptions:3..6,bare:0..4,bare:129..130,assembly:0..5,harts:0..4
tests/truth/check.py --kinds $kinds "$TEST_TMP"
[ $? -lt 2 ] || not_ok "the comparison of twenty programs ends"
