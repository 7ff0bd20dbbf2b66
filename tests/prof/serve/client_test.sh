#!/usr/bin/env bash
# rvsim api --submit and --compare.
here=$PWD/tests/prof/serve
cd "$TEST_TMP" || exit 1
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 python3 "$here/client.py"
