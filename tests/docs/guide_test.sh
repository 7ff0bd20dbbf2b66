#!/usr/bin/env bash
# Every console block of README, quick starts, guide and labs prints the output that it shows.
shopt -s nullglob
exec tests/docs/pages.sh README.md docs/quickstart/*.md docs/guide/*.md docs/labs/*.md
