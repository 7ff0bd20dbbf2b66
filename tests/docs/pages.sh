#!/usr/bin/env bash
# Runs the blocks of documentation pages, or with --update rewrites the output that they show:
# tests/docs/pages.sh [--update] [PAGE...]
#
# Without pages, all of them. BUILD is the build folder (default build), TEST_TMP a directory for
# the files that the pages make (default BUILD/pages). See pages.py.
set -u
shopt -s nullglob
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath "${BUILD:-${O:-build}}")
update=()
[ "${1:-}" != --update ] || { update=("$1"); shift; }
[ $# -gt 0 ] || set -- README.md docs/service.md docs/{quickstart,guide,profiling,labs}/*.md
unset MAKEFLAGS MAKELEVEL O
exec python3 tests/docs/pages.py "${update[@]}" --start docs/guide/start.md --clone "$PWD" \
    --build "$build" --scratch "${TEST_TMP:-$build/pages}" "$@"
