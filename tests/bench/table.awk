# Tables of runs.csv (run.sh): medians, spread, means. Variables: engines (their order), csv (a file to
# write). Status 1 when a run failed.
BEGIN { FS = ","; columns = split(engines, engine, " ") }
NR == 1 { next }
{
    key = $1 SUBSEP $4
    if (!($1 in count)) program[++rows] = $1
    count[$1] = $2
    guest[$1] = $3
    if ($8 != 0) {
        if (!(key in failed)) failures = failures "\n* " $4 " failed on " $1 " (status " $8 ")"
        failed[key] = 1
        next
    }
    n = ++runs[key]
    for (; n > 1 && time[key, n - 1] > $6; n--) time[key, n] = time[key, n - 1]    # keeps the order
    time[key, n] = $6
    if ($7 - $3 > beside[$4]) beside[$4] = $7 - $3
    if ($7 > peak[key]) peak[key] = $7
}
function usable(p, e) { return (p, e) in runs && !((p, e) in failed) && median(p, e) > 0 }
function median(p, e,    n) {
    n = runs[p, e]
    return n % 2 ? time[p, e, (n + 1) / 2] : (time[p, e, n / 2] + time[p, e, n / 2 + 1]) / 2
}
function mips(p, e) { return count[p] / median(p, e) / 1e6 }
function spread(p, e) { return (time[p, e, runs[p, e]] - time[p, e, 1]) / median(p, e) * 100 }
# Programs that wait and do not work are shown, and are in no mean.
function is_meant(p) { return p !~ /^chase/ }
# The geometric mean over programs of the speed of a, or of a over b; low and high are the extremes.
function mean(a, b,    i, p, n, sum, x) {
    low = high = 0
    for (i = 1; i <= rows; i++) {
        p = program[i]
        if (!is_meant(p) || !usable(p, a) || (b != "" && !usable(p, b))) continue
        x = b == "" ? mips(p, a) : median(p, b) / median(p, a)
        if (n++ == 0 || x < low) low = x
        if (x > high) high = x
        sum += log(x)
    }
    return n ? exp(sum / n) : 0
}
function largest_spread(e,    i, s) {
    for (i = 1; i <= rows; i++)
        if (usable(program[i], e) && spread(program[i], e) > s) s = spread(program[i], e)
    return s
}
function ratio_row(a, b,    x) {
    x = mean(a, b)
    if (x > 0 && a != b) printf "| %s / %s | %.3f | %.3f – %.3f |\n", a, b, x, low, high
}
END {
    print "program,engine,instructions,runs,user_seconds,user_min,user_max,spread_percent,mips," \
        "peak_kib,beside_guest_kib" >csv
    printf "Millions of instructions per second of user time (medians of %d runs)\n\n", runs[program[1], engine[1]]
    printf "| program | instructions |"
    for (e = 1; e <= columns; e++) printf " %s |", engine[e]
    printf "\n|---|--:|"
    for (e = 1; e <= columns; e++) printf "--:|"
    print ""
    for (i = 1; i <= rows; i++) {
        p = program[i]
        printf "| %s | %.1f M |", p, count[p] / 1e6
        for (e = 1; e <= columns; e++) {
            g = engine[e]
            if (!usable(p, g)) { printf " - |"; continue }
            printf " %.*f |", mips(p, g) < 100 ? 2 : 0, mips(p, g)
            printf "%s,%s,%d,%d,%.3f,%.3f,%.3f,%.1f,%.2f,%d,%d\n", p, g, count[p], runs[p, g],
                median(p, g), time[p, g, 1], time[p, g, runs[p, g]], spread(p, g), mips(p, g),
                peak[p, g], peak[p, g] - guest[p] >csv
        }
        print ""
    }
    printf "| **geometric mean** | |"
    for (e = 1; e <= columns; e++) {
        x = mean(engine[e], "")
        if (x > 0) printf " **%.*f** |", x < 100 ? 2 : 0, x
        else printf " - |"
    }
    printf "\n| largest spread | |"
    for (e = 1; e <= columns; e++) printf " %.0f %% |", largest_spread(engine[e])
    printf "\n| memory beside the guest's | |"
    for (e = 1; e <= columns; e++) printf " %.1f MiB |", beside[engine[e]] / 1024
    print "\n\nchase is in no mean. Speed of one over the other, in this run:\n"
    print "| engines | geometric mean | range |\n|---|--:|--:|"
    for (e = 2; e <= columns; e++) ratio_row(engine[e], engine[1])
    ratio_row("default", "marss")
    ratio_row("in_order", "marss_in_order")
    ratio_row("fast", "spike")
    ratio_row("fast", "libriscv")
    ratio_row("fast", "qemu")
    ratio_row("default", "gem5")
    if (failures != "") print failures
    exit failures != ""
}
