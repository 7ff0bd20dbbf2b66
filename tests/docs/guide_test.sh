#!/usr/bin/env bash
# Every console block of the README, the user guide and the labs does what it shows.
. tests/docs/lib.sh
run_pages README.md docs/guide.md docs/labs/*.md
