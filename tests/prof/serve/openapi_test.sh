#!/usr/bin/env bash
# What rvsim serve answers is as its OpenAPI description says; metrics are as Prometheus reads them.
here=$PWD/tests/prof/serve
cd "$TEST_TMP" || exit 1
python=python3
"$python" -c 'import jsonschema' 2>log || python=/usr/bin/python3
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 "$python" "$here/openapi.py"
