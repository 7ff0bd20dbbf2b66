#!/usr/bin/env bash
# The answers of rvsim serve agree with its OpenAPI description; Prometheus can read its metrics.
here=$PWD/tests/prof/serve
cd "$TEST_TMP" || exit 1
python=python3
"$python" -c 'import jsonschema' 2>log || python=/usr/bin/python3
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 "$python" "$here/openapi.py"
