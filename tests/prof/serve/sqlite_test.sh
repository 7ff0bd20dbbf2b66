#!/usr/bin/env bash
# rvsim serve with SQLite.
here=$PWD/tests/prof/serve
cd "$TEST_TMP" || exit 1
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 python3 "$here/suite.py" sqlite
