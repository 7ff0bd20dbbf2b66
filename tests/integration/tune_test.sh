#!/usr/bin/env bash
# A1 and A3: rvsim tune finds hot routines by sampling, counts exactly these, and reports the cost
# of both.
. tests/integration/lib.sh

tune() {
    local stem=$tmp/$1
    shift
    "$RVSIM" tune "$@" >"$stem.out" 2>"$stem.err" </dev/null
    status=$?
}
# The table of the counting run as "routine instructions oracle cycles oracle", without separators.
counts() {
    tr -d , <"$tmp/$1.out" | awk '/ hot routine$/ { part++; next } !NF { at = 0; next }
        part == 2 && NF == 7 { print $7, $2, $3, $4, $5 }'
}
# The rows of the table of samples whose share is off by more than two points and three standard
# errors. Two points are the share that an interrupt takes from main, because it names only one
# instruction (docs/profiling/tuning.md). The standard error is that of the number of samples: the
# cycles in which samples fall depend on the length of the program's path, too.
wrong_shares() {
    tr -d ,% <"$tmp/$1.out" | awk '
        /samples +hot routine/ { on = 1; next }
        !NF || /profile is/ { on = 0 }
        on { share = $2 / 100; samples = $4 / ($1 / 100); error = $3 < 0 ? -$3 : $3
            if (error > 2 + 300 * sqrt(share * (1 - share) / samples)) print }'
}
# The rows of the cost table: "name cycles", of column $2.
shares() {
    tr -d , <"$tmp/$1.out" | awk -v column="$2" '
        /^cycles added/ { on = 1 }
        on && NF { n = NF - 4 + 2 * column; name = $1; print name, $n }'
}

# The first part of the program: long enough for its hot routines to show.
part="--max-insns 900000"

# --- two runs, one command
tune word $part --period 701 --output "$tmp/word.meta" --profile "$tmp/word.prof" \
    "$GUEST/wordindex"
same "A1: tune ends well" "0" "$status"
same "A1: the hottest routine by samples is among the hottest by the oracle profile" "1" \
    "$(counts word | awk 'NR == 1 { first = $5 } $5 > most { most = $5 }
        END { print (first > 0.7 * most) }')"
same "A1: each instruction of the hot routines is counted, exactly as the oracle has it" \
    "$(counts word | awk '{ print $1, $3 }')" "$(counts word | awk '{ print $1, $2 }')"
same "A1: the cycles of each hot routine are within a tenth of the oracle's" "" \
    "$(counts word | awk '{ e = ($4 - $5) / $5 } e > 0.1 || e < -0.1')"
same "A1: shares of samples are as the truth, but for chance" "" "$(wrong_shares word)"

# --- nor do the marks change them, even if their metadata would take most of the run
build_bare more_metadata -DROUNDS=8
"$RVSIM" --oracle --profile "$tmp/plain.prof" "$tmp/more_metadata" >"$tmp/plain.out" 2>&1
cycles=$("$RVSIM" report --oracle "$tmp/plain.prof" | tr -d , | awk '$NF == "code" { print $1 }')
tune free --cost --period 997 "$tmp/more_metadata"
holds "A1: the cycles of a hot routine are those that it takes without marks" \
    awk -v marked="$(counts free | awk '$1 == "code" { print $5 }')" -v plain="$cycles" \
    'BEGIN { exit !(plain > 10000 && marked >= plain - 1 && marked <= plain + 1) }'
same "A3: the cost of counting has the time of its metadata, more than the program takes" "1" \
    "$(shares free 2 | awk 'NR == 1 { all = $2 } $1 == "metadata" { print ($2 > all / 2) }')"

# --- the file that it wrote has the marks that it measured
run again $part --meta "$tmp/word.meta" "$GUEST/wordindex"
same "A1: the metadata that tune writes gives the same counts in a run of its own" \
    "$(counts word | awk '{ sum += $2 } END { print sum }')" \
    "$(sed -n 's/.*"has_counter".*//; s/.*"count": *\([0-9]*\).*/\1/p' "$tmp/again.json" |
        awk '{ sum += $1 } END { print sum + 0 }')"
holds "A1: the profile that tune writes is one for rvsim report" \
    "$RVSIM" report "$tmp/word.prof"
tune calls --calls --max-insns 500000 --output "$tmp/calls.meta" "$GUEST/wordindex"
same "A1: --calls marks entries, calls and returns only" "1" \
    "$(($(grep -c '^calls(' "$tmp/calls.meta") > 2))"

# --- the hot routines of the first part, counted in the rest of the same run
for way in "" "--monitor host" "--config tiny"; do
    tune one --one-run --samples 100 --period 1009 $part $way --output "$tmp/one.meta" \
        "$GUEST/wordindex"
    same "A1: in one run, each count of the rest is the oracle's of the rest, ${way:-default}" \
        "0 $(counts one | awk '{ print $1, $3 }')" "$status $(counts one | awk '{ print $1, $2 }')"
    same "A1: the rest has executed what was hot in the first part, ${way:-default}" "1" \
        "$(counts one | awk '{ sum += $2 } END { print (sum > 10000) }')"
    same "A1: in one run, both parts together are the program, ${way:-default}" \
        "$(sed -n 's/^  "instructions": \([0-9]*\).*/\1/p' "$tmp/again.json")" \
        "$(tr -d , <"$tmp/one.out" | awk '/^in one run/ { print $6 + $(NF - 1) }')"
done
run rest $part --meta "$tmp/one.meta" "$GUEST/wordindex"
same "A1: the metadata of one run marks what was hot in its first part" "0" "$status"
tune late --one-run --samples 5000 --max-insns 300000 "$GUEST/wordindex"
same "A1: a run that ends before it has its samples says how many there were" "2 1" \
    "$status $(grep -c 'ended after [1-9][0-9]* samples' "$tmp/late.err")"
tune harts --one-run --samples 30 --period 1009 --set machine.harts=2 \
    --max-insns 300000 "$GUEST/irqs_off"
same "A1: with two harts the switch waits until neither is in the monitor" \
    "0 1 $(counts harts | awk '{ print $1, $3 }')" "$status $(counts harts |
        awk '{ sum += $2 } END { print (sum > 100000) }') $(counts harts | awk '{ print $1, $2 }')"

# --- samples through the monitor on the machine, on the host, and masked
tune host $part --period 251 --monitor host "$GUEST/wordindex"
same "A1: the monitor on the host: shares of samples are as the truth, but for chance" "0" \
    "$status$(wrong_shares host)"
build_bare calls
tune bare --period 101 --hot 1 "$tmp/calls"
same "A1: a bare-metal program is sampled, with its interrupts disabled" "0" "$status"
tune storm --period 1 --hot 1 "$tmp/calls"
same "A1: a period shorter than the monitor: commits are sampled, and the program ends" "0 1" \
    "$status $(sed -n 's/^calls: \([0-9,]*\) samples.*/\1/p' "$tmp/storm.out" |
        awk '{ print ($1 > 566 / 4 && $1 <= 566) }')"
tune short --period 20 "$tmp/more_metadata"
"$RVSIM" record --monitor guest -c 20 -o "$tmp/short.prof" "$tmp/more_metadata" 2>"$tmp/short.err"
same "A1: samples that were throttled are told, as many as by record" \
    "$(sed -n 's/.*warning: \([0-9,]*\) samples were throttled:.*/\1/p' "$tmp/short.err")" \
    "$(sed -n 's/^\([0-9,]*\) more samples were throttled:.*/\1/p' "$tmp/short.out")"
tune masked --period 101 --maskable "$tmp/calls"
same "A1: --maskable: samples wait for interrupts that are never enabled" \
    "2 rvsim: error: tune: 0 samples, and no routine has 5 % of them" \
    "$status $(sed 's/: a smaller.*//' "$tmp/masked.err")"

# --- the cost of monitoring
tune cost --cost --period 2003 --max-insns 150000 "$GUEST/wordindex"
for column in 1 2; do
    same "A3: the shares add up to the cycles added, exactly, column $column" \
        "$(shares cost $column | awk 'NR == 1 { print $2 }')" \
        "$(shares cost $column | awk 'NR > 1 { sum += $2 } END { print sum }')"
done
same "A3: most of what sampling adds are the monitor's instructions" "1" \
    "$(shares cost 1 |
        awk 'NR == 1 { all = $2 } $1 == "monitor" { print ($2 > all / 2) }' | tail -1)"
same "A3: counting adds metadata traffic and nothing else" "0 0 0 0 0" \
    "$(shares cost 2 | awk 'NR > 1 && $1 !~ /metadata|interaction/ { print $2 }' | xargs)"
tune cost.host --cost --monitor host --period 2003 --max-insns 150000 "$GUEST/wordindex"
same "A3: with the monitor on the host only flushes are left" "0 0 0 0" \
    "$(shares cost.host 1 |
        awk 'NR > 1 && $1 ~ /monitor|cache|TLB|predictor/ { print $2 }' | xargs)"

tune cost.one --cost --one-run --samples 50 --period 2003 --max-insns 150000 "$GUEST/wordindex"
same "A3: in one run the shares add up to the cycles added, exactly" \
    "$(shares cost.one 2 | awk 'NR == 1 { print $2 }')" \
    "$(shares cost.one 2 | awk 'NR > 1 { sum += $2 } END { print sum }')"

printf 'int main(void) { for (;;) __asm__ volatile(""); }' >"$tmp/endless.c"
"$linux_cc" -O1 -static "$tmp/endless.c" -o "$tmp/endless" || not_ok "an endless program builds"

# --- phases: routines that become hot later are found while the run goes on, and counted exactly
# from then on
cat >"$tmp/phases.c" <<'END'
static volatile unsigned long sum;
#define PHASE(name, op) __attribute__((noinline)) void name(int n) \
    { for (int i = 0; i < n; i++) sum op (unsigned long)i; }
PHASE(early, +=)
PHASE(later, ^=)
PHASE(last, -=)
int main(void)
{
    for (int i = 0; i < 200; i++) early(100);
    for (int i = 0; i < 200; i++) later(100);
    for (int i = 0; i < LAST; i++) last(100);
    return 0;
}
END
"$linux_cc" -O1 -static -DLAST=200 "$tmp/phases.c" -o "$tmp/phases" &&
    "$linux_cc" -O1 -static -DLAST=400 "$tmp/phases.c" -o "$tmp/long_end" ||
    not_ok "a program of phases builds"
for machine in default in_order small_caches; do
    tune phases --one-run --samples 40 --period 331 --hot 20 \
        $(machine_options $machine) --output "$tmp/phases.meta" "$tmp/phases"
    same "A1: each phase's routine is marked when it becomes hot, and counts exactly, $machine" \
        "early 1 later 1 last 1" "$(tr -d , <"$tmp/phases.out" |
            awk '$NF ~ /^(early|later|last)$/ && NF == 7 {
                print $NF, ($2 == $3 && $1 > 150 && $1 < 200) }' | xargs)"
done
same "A1: with fewer registers than phases the hotter one takes the place of another" "3" \
    "$(tune phases --one-run --samples 40 --period 331 --hot 20 --top 2 "$tmp/long_end"
        awk '$NF ~ /^(early|later|last)$/ && NF == 7' "$tmp/phases.out" | wc -l)"

# The profile has the counts of all marks, also of those that others replaced.
tune kept --one-run --samples 40 --period 331 --hot 20 --top 2 --profile "$tmp/kept.prof" \
    "$tmp/phases"
same "W3: the profile of one run has the counts that tune shows" \
    "$(tr -d , <"$tmp/kept.out" | awk '$NF ~ /^(early|later|last)$/ && NF == 7 {
        print $NF, $2 }' | sort)" \
    "$("$RVSIM" report "$tmp/kept.prof" | tr -d , | awk '/ symbol$/ { on = 1 } /^$/ { on = 0 }
        on && $2 ~ /%$/ && $5 ~ /^[0-9]+$/ { for (i = 5; i <= NF; i++)
            if ($i ~ /^(early|later|last)$/) print $i, $1 }' | sort)"
for column in 1 3; do
    same "W3: and its calls, and instructions in range registers, which others took over, too" \
        "$(tr -d , <"$tmp/kept.out" | awk -v i=$((column == 1 ? 2 : 1)) '
            $NF ~ /^(early|later|last)$/ && NF == 7 { print $NF, $i }' | sort)" \
        "$("$RVSIM" report "$tmp/kept.prof" | tr -d , | awk -v column=$column '
            column == 1 && $1 == "range" { sub(":", "", $3); print $3, $7 }
            / symbol$/ { on = 1 } /^$/ { on = 0 }
            column == 3 && on && $6 ~ /^(early|later|last)$/ { print $6, $3 }' | sort)"
done
same "W3: it says that counts are of a part of the run" "$(
    awk '/^in one run/ { print $6 }' "$tmp/kept.out")" "$("$RVSIM" report "$tmp/kept.prof" |
    awk '/^counted  *marks and ranges only from instruction/ { print $8 }')"
same "A1: the upper table keeps the routines of the first part, whose places others took" \
    "early" "$(awk 'NF == 5 && $NF ~ /^(early|later|last)$/ { print $NF }' "$tmp/kept.out")"

cat >"$tmp/shared.c" <<'END'
#include <pthread.h>

volatile long x;

__attribute__((noinline)) static void early(long n) { for (long i = 0; i < n; i++) x += i; }
__attribute__((noinline)) static void later(long n) { for (long i = 0; i < n; i++) x ^= i; }
__attribute__((noinline)) static void last(long n) { for (long i = 0; i < n; i++) x -= i; }

static void *work(void *arg)
{
    for (int i = 0; i < 60; i++)
        early(*(long *)arg);
    for (int i = 0; i < 60; i++)
        later(400);
    for (int i = 0; i < 60; i++)
        last(700 - *(long *)arg);
    return arg;
}

int main(void)
{
    long rounds[] = {200, 300};
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], 0, work, &rounds[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], 0);
    return 0;
}
END
"$linux_cc" -O1 -static -pthread "$tmp/shared.c" -o "$tmp/shared" || not_ok "threads build"
tune shared --one-run --samples 20 --period 1009 --hot 20 --top 2 --profile "$tmp/shared.prof" \
    "$tmp/shared"
all=$(tr -d , <"$tmp/shared.out" | awk '$NF ~ /^(early|later|last)$/ && NF == 7 { sum += $2 }
    END { print sum }')
same "W3: threads' shares of what was counted in parts add up to it" "1 $all" \
    "$((all > 100000)) $("$RVSIM" report --sort thread "$tmp/shared.prof" | tr -d , |
        awk '$NF == "shared" { sum += $4 } END { print sum }')"
same "the samples of a profile are shown by routine, none as a call, a return or an entry" \
    "True 0" \
    "$("$RVSIM" report --top 0 "$tmp/kept.prof" | tr -d , | awk '
        $1 == "monitor" { all = $3 }
        /^$/ { on = 0 } on { sum += $1 } $1 == "samples" { on = 1 }
        / \((entry|call|return|inside)\): / { callers++ }
        END { print (sum > 100 && sum == all ? "True" : "False " sum " " all), callers + 0 }')"

# --- Ctrl-C: the known results are shown, and the status says so
timeout --preserve-status -s INT 1 "$RVSIM" tune --period 50021 \
    --set machine.clock_mhz=1000 "$tmp/endless" >"$tmp/stop.out" 2>"$tmp/stop.err" </dev/null
same "W13: Ctrl-C shows what was sampled, status 130" "130 1 1" \
    "$? $(grep -c ' hot routine$' "$tmp/stop.out") $(grep -c 'interrupted in run 1' \
        "$tmp/stop.err")"

# --- another event: a column shows how often it happened in each routine
cat >"$tmp/loads.c" <<'C'
static volatile int x = 1;
__attribute__((noinline, noclone)) int twice(int n) { int s = 0; while (n--) s += x + x; return s; }
__attribute__((noinline, noclone)) int once(int n) { int s = 0; while (n--) s += x; return s; }
int main(void) { return twice(5000) + once(3000) != 13000; }
C
"$linux_cc" -O1 -static "$tmp/loads.c" -o "$tmp/loads" || not_ok "the program of loads builds"
loads() { tr -d , <"$tmp/$1.out" | awk 'NF == 8 && $8 ~ /^(twice|once)$/ { print $8, $7 }' | sort; }
tune loads --event loads --period 101 --hot 10 "$tmp/loads"
same "the event sampled has a column, of every routine that is hot" "0 once 3000
twice 10000" "$status $(loads loads)"
tune few --event loads --period 101 --hot 10 --set pmu.counters=2 "$tmp/loads"
same "the sampled event has a column where counters suffice for one event at a time" "0 once 3000
twice 10000" "$status $(loads few)"
tune one --event loads --one-run --samples 20 --period 101 --hot 30 "$tmp/loads"
same "an event sampled in one run has a column" "0 1" \
    "$status $(loads one | awk '$1 == "twice" { print ($2 > 4000 && $2 < 10000) }')"

# --- the fast engine: instructions and what they do, as the detailed engine counts them
tune fast --mode fast --event loads --period 101 --hot 10 "$tmp/loads"
same "the fast engine samples and counts what the program does" "0 once 3000
twice 10000" "$status $(tr -d , <"$tmp/fast.out" | awk 'NF == 4 && $4 ~ /^(twice|once)$/ {
    print $4, $3 }' | sort)"
# Samples of the same instructions in both engines; a routine's instructions are its marks' counts.
counts() {
    tr -d , <"$tmp/$1.out" | awk '/^ *entered/ { on = 1; next }
        on && NF >= 3 && $1 ~ /^[0-9]+$/ { print $NF, $1, $2 }' | sort
}
for event in insns_retired branches_taken stores; do
    for mode in detailed fast; do
        tune $mode --mode $mode --monitor host --event $event --period 1009 --hot 4 \
            --max-insns 400000 "$GUEST/wordindex"
    done
    same "both engines count the hot routines alike: --event $event" "$(counts detailed)" \
        "$(counts fast)"
    same "some hot routines are counted" 1 "$(counts fast | awk 'END { print (NR > 0) }')"
done
for wrong in "--event cycles" "--event dcache_miss" "--cost" "--one-run"; do
    tune wrong --mode fast $wrong "$tmp/loads"
    same "the fast engine has no time: $wrong" "2 1" \
        "$status $(grep -c "needs --mode detailed" "$tmp/wrong.err")"
done

tune none --no-cost --cost --mode detailed --max-insns 100000 "$tmp/loads"
same "--no-cost is the default, and stronger than --cost" "0 0" \
    "$status $(grep -c '^cost' "$tmp/none.out")"

# --- wrong use
for wrong in "--stats x.json $GUEST/wordindex" "--event cycle $GUEST/wordindex" "" \
    "--period 0 $GUEST/wordindex" "--hott 3 $GUEST/wordindex" \
    "--monitor none $GUEST/wordindex" "--samples 9 $GUEST/wordindex" \
    "--one-run --meta $tmp/word.meta $GUEST/wordindex" \
    "--mode detailed --cost --max-cycles 20000 $GUEST/wordindex"; do
    tune wrong $wrong
    same "wrong use is refused with one line: tune ${wrong//"$GUEST/"/}" "2 1" \
        "$status $(wc -l <"$tmp/wrong.err")"
done
