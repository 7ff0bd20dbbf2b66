#!/usr/bin/env bash
# Figures under the guest kernel: no figure includes booting, and all else is user, kernel or idle
# time.
. tests/integration/lib.sh

"$linux_cc" -std=gnu17 -O2 -static $programs/kernel/known_work.c -o "$tmp/known_work" ||
    not_ok "the program builds"
awk_sums='
function bad(text) { print text; wrong = 1 }
NR > 1 { value[$1] = $2 }
END {
    for (i = 0; i < harts; i++) {
        h = "hart" i "."; m = "modes." h; u = "user."; k = "kernel."; d = "idle."
        if (value[m u "cycles"] + value[m k "cycles"] + value[m d "cycles"] != value[h "cycles"])
            bad("hart " i ": cycles")
        if (value[m u "instructions"] + value[m k "instructions"] != value[h "instructions"])
            bad("hart " i ": instructions")
        if (value[m d "cycles"] != value[h "cycles_idle"]) bad("hart " i ": idle")
        user += value[m u "cycles"]; kernel += value[m k "cycles"]; idle += value[m d "cycles"]
    }
    if (user != value["modes.user.cycles"] || kernel != value["modes.kernel.cycles"] ||
        idle != value["modes.idle.cycles"]) bad("sums")
    if (value["modes.hart0.kernel.cycles"] == 0) bad("hart 0: kernel")
    boot = value["modes.boot_instructions"]
    if (!(boot > 1000 && boot < 100000)) bad("boot: " boot)
    if (!wrong) print "right"
}'
sums() { awk -F, -v harts="$2" "$awk_sums" "$1"; }
figure() { sed -n "s/^$2,//p" "$tmp/$1.csv"; }
# measure STEM OPTION... PROGRAM...
measure() {
    local stem=$1
    shift
    run "$stem" --os kernel --stats "$tmp/$stem.csv" "$@"
}

for mode in fast detailed; do
    for harts in 1 2 4; do
        measure less --mode $mode --harts $harts "$tmp/known_work" 20000 2
        measure more --mode $mode --harts $harts "$tmp/known_work" 70000 5
        same "each hart's cycles are user, kernel and idle, $mode, $harts harts" "right right" \
            "$(sums "$tmp/less.csv" $harts) $(sums "$tmp/more.csv" $harts)"
        same "50,000 rounds more of two instructions: 100,000 in user mode, $mode, $harts harts" \
            100000 $(($(figure more modes.user.instructions) -
                      $(figure less modes.user.instructions)))
        idle=$(($(figure more modes.hart0.idle.cycles) - $(figure less modes.hart0.idle.cycles)))
        [ $idle -gt 2950000 ] && [ $idle -lt 3150000 ] &&
            ok "3 ms more of sleep are as many idle cycles, $mode, $harts harts" ||
            not_ok "3 ms more of sleep are as many idle cycles, $mode, $harts harts" "$idle"
    done
    measure region --mode $mode --harts 2 --roi work "$tmp/known_work" 20000 2
    same "a region of interest is user, kernel and idle, too, $mode" right \
        "$(sums "$tmp/region.csv" 2)"
    user=$(figure region modes.user.instructions)
    [ "$user" -ge 40000 ] && [ "$user" -lt 60000 ] &&
        ok "code that ran before the region is in none of its figures, $mode" ||
        not_ok "code that ran before the region is in none of its figures, $mode" "$user"
done
"$RVSIM" --os kernel --mode fast "$tmp/known_work" 20000 2 2>"$tmp/said" >/dev/null
measure quiet --mode fast "$tmp/known_work" 20000 2
holds "the summary tells the instructions of booting" \
    grep -q "booted before in $(figure quiet modes.boot_instructions | sed 's/\(...\)$/,\1/')" \
    "$tmp/said"
"$linux_cc" -O2 -static -x c - -o "$tmp/large" <<'END'
static volatile char text[8 << 20] = {1}, zeros[96 << 20];
int main(void) { return text[5 << 20] + zeros[77 << 20] + text[0] - 1; }
END
measure large --mode fast "$tmp/large"
more=$(($(figure large modes.boot_instructions) - $(figure quiet modes.boot_instructions)))
[ $more -gt -1000 ] && [ $more -lt 1000 ] &&
    ok "booting takes as long for a program of 104 MiB" ||
    not_ok "booting takes as long for a program of 104 MiB" "$more instructions more"
"$linux_cc" -O2 -static -x c - -o "$tmp/plain" <<<'int main(void) { return 0; }'
run plain --stats "$tmp/plain.csv" --mode fast "$tmp/plain"
same "without the kernel there is nothing to tell apart" "" "$(grep modes "$tmp/plain.csv")"
