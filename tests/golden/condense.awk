# Condenses "PRESET PROGRAM STATISTIC VALUE" lines into
#   run PRESET PROGRAM CYCLES INSTRUCTIONS DIGEST       the digest is that of all statistics
#   statistic NAME PRESET=DIGEST ...                    of that statistic in all programs
# A statistic that is zero does not occur in the input, so new ones that count nothing change no
# digest; neither does the order in which statistics are written.
BEGIN { PRIME = 67108859; for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i }

# A polynomial modulo a prime, then squared, so that one more here and one less there do not cancel
# out in a sum of digests. awk counts in doubles, in which all this is exact.
function digest(text,    i, sum) {
    for (i = 1; i <= length(text); i++)
        sum = (sum * 257 + code[substr(text, i, 1)]) % PRIME
    return sum * sum % PRIME
}

{
    run = $1 " " $2
    if (!(run in sums)) runs[++run_count] = run
    sums[run] = (sums[run] + digest($3 " " $4)) % PRIME
    if ($3 == "cycles" || $3 == "instructions") value[run, $3] = $4
    if ($3 ~ /^hart[0-9]/) next
    if (!($3 in known)) { known[$3]; names[++name_count] = $3 }
    if (!($1 in column)) { column[$1]; presets[++preset_count] = $1 }
    cell[$3, $1] = (cell[$3, $1] + digest($2 " " $4)) % PRIME
}

END {
    for (i = 1; i <= run_count; i++) {
        run = runs[i]
        printf "run %s %s %s %07x\n", run, value[run, "cycles"],
            value[run, "instructions"], sums[run]
    }
    for (i = 1; i <= name_count; i++) {
        printf "statistic %s", names[i]
        for (k = 1; k <= preset_count; k++)
            if ((names[i], presets[k]) in cell)
                printf " %s=%07x", presets[k], cell[names[i], presets[k]]
        print ""
    }
}
