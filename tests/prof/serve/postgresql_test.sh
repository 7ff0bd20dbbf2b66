#!/usr/bin/env bash
# rvsim serve with PostgreSQL: the same cases as with SQLite, on a cluster of this test's own.
here=$PWD/tests/prof/serve
cd "$TEST_TMP" || exit 1
if ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; then
    echo "ok rvsim serve with PostgreSQL # SKIP PostgreSQL is not installed"
    exit 0
fi
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 python3 "$here/suite.py" postgresql
