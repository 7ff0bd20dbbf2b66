#!/usr/bin/env bash
# Every console block of the README, the quick starts, the guide and the labs prints what it shows.
shopt -s nullglob
exec tests/docs/pages.sh README.md docs/quickstart/*.md docs/guide/*.md docs/labs/*.md
