#!/usr/bin/env bash
# The output of the commands for random programs agrees with their commit traces: twenty-two
# programs here, five hundred with `make truth`.
. tests/cases.sh
export PYTHONDONTWRITEBYTECODE=1

kinds=linux:0..1,linux:6..7,exceptions:6..8,bare:0..4,bare:129..130,assembly:0..5,harts:0..3
kinds+=,rv32bare:0..1,rv32assembly:21..22,signals:4..5,threads:1..2,dynamic:1..2
tests/truth/check.py --kinds $kinds --whole linux0,bare1,signals4 "$TEST_TMP"
[ $? -lt 2 ] || not_ok "the comparison of twenty programs ends"
