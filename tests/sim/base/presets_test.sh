#!/usr/bin/env bash
# Presets are read, and name the source of each number: in a note on the setting, or on a setting
# above it in the same section, unless the head says that the numbers are those of no product.
. tests/cases.sh

for preset in sim/presets/*.ini; do
    name=$(basename "$preset" .ini)
    if said=$("$RVSIM" config show "$name" 2>&1 >/dev/null); then ok "$name is a machine"
    else not_ok "$name is a machine" "$said"; fi
    grep -q "no product's" "$preset" && continue
    same "the settings of $name have a note each, or one above" "" "$(awk '
        /^#/ { noted = 1 }
        /^$/ { noted = 0 }
        /^\[/ { section = $1; next }
        /^[a-z_0-9]+ *=/ && section != "" {
            if (/#/) noted = 1
            if (!noted) print section $1
        }' "$preset")"
done
