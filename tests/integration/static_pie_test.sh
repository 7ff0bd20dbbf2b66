#!/usr/bin/env bash
# A static PIE with a C library, at addresses that its file does not have: marks, callers, truth,
# stacks, listings and threads are those of the same program at fixed addresses.
. tests/integration/lib.sh
cat >"$tmp/work.c" <<'END'
#include <pthread.h>
#include <stdio.h>

static __thread int mine = 5;
int shared[64], table[4] = {1, 2, 3, 4};
int (*volatile chosen)(int);

__attribute__((noinline)) static int step(int n)
{
    mine += n;
    table[n & 3]++;
    return mine;
}

__attribute__((noinline)) static int half(int n) { return chosen(n) / 2 + 1; }

static void *work(void *number)
{
    for (int i = 0; i < 300; i++)
        shared[(long)number * 16] += i % 3 != 0 ? step(i) : half(i);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];

    chosen = step;
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return printf("%d %d\n", shared[0], table[1]) < 0;
}
END
place() { "$linux_cc" -print-file-name="$1"; }
"$linux_cc" -O1 -g -static -pthread "$tmp/work.c" -o "$tmp/fixed" || not_ok "the program builds"
if [ -e "$(place rcrt1.o)" ]; then
    "$linux_cc" -O1 -g -fPIE -static-pie -pthread "$tmp/work.c" -o "$tmp/pie"
else
    "$linux_cc" -O1 -g -fPIE -nostartfiles -nodefaultlibs -pie \
        -Wl,-static,--no-dynamic-linker,-z,notext,-e,pie_start -o "$tmp/pie" \
        "$(place Scrt1.o)" "$(place crti.o)" "$(place crtbeginS.o)" "$tmp/work.c" \
        tests/programs/pie_start.c -Wl,--start-group -lc -lgcc -lgcc_eh -Wl,--end-group \
        "$(place crtendS.o)" "$(place crtn.o)"
fi || not_ok "the static PIE builds"
same "the program is a static PIE" \
    "DYN no" "$("${linux_cc%gcc}readelf" -h "$tmp/pie" | awk '/Type:/ {print $2}') \
$("${linux_cc%gcc}readelf" -l "$tmp/pie" | grep -q INTERP && echo yes || echo no)"

cat >"$tmp/work.meta" <<'END'
step 2 counter interrupt
half * counter
table 16 counter
work.c:11 * count
END
# marks PROFILE: of the first instructions and the data, with their counts
marks() {
    python3 - "$1" <<'END'
import json, sys
marks = json.load(open(sys.argv[1]))["marks"]
print(*[f'{m["symbol"]}:{m["count"]}:{m["interrupts"]}' for m in marks
        if m["symbol"] in ("step", "half") or m["symbol"].startswith("table")])
END
}
for mode in fast detailed; do
    for program in fixed pie; do
        "$RVSIM" --mode $mode --quiet --meta "$tmp/work.meta" --profile "$tmp/$program.prof" \
            "$tmp/$program" >"$tmp/$program.out" 2>"$tmp/$program.err"
        same "$program runs, $mode" "0 " "$? $(<"$tmp/$program.err")"
    done
    same "marks by symbol and by line, of code and data, $mode" \
        "$(marks "$tmp/fixed.prof" | tr ' ' '\n' | sort)" \
        "$(marks "$tmp/pie.prof" | tr ' ' '\n' | sort)"
    same "$mode: 600 calls of step, 200 of them by half, 1,200 accesses to the table and one" \
        "step:600:600 half:200:0 1201" "$(marks "$tmp/pie.prof" | tr ' ' '\n' | awk -F: '
            /^table/ {sum += $2; next} {first[$1] = $0}
            END {print first["step"], first["half"], sum}')"
    same "callers, $mode" "200 half 400 work" "$("$RVSIM" report --callers "$tmp/pie.prof" |
        awk '$NF == "half" || $NF == "work" {print $1, $NF}' | sort -n | paste -sd' ')"
done
"$RVSIM" --quiet --oracle --profile "$tmp/pie.prof" --trace "commit:$tmp/trace" "$tmp/pie" \
    >"$tmp/out" 2>&1
base=$((0x10000000))
executed=$(python3 - "$tmp/trace" $base $("${linux_cc%gcc}nm" -S "$tmp/pie" |
    awk '$4 == "step" {print $1, $2}') <<'END'
import sys
start = int(sys.argv[2]) + int(sys.argv[3], 16)
end = start + int(sys.argv[4], 16)
print(sum(start <= int(line.split()[3], 16) < end for line in open(sys.argv[1])
          if line.startswith("core")))
END
)
same "the truth of a routine is the trace's, and the listing's" "$executed $executed" \
    "$("$RVSIM" report --oracle --top 0 "$tmp/pie.prof" | tr -d , |
        awk '$NF == "step" {print $3; exit}') $("$RVSIM" annotate "$tmp/pie.prof" step -e \
        insns_retired | tr -d , | awk '/the routine/ {print $2; exit}')"
same "lines of the listing are the program's" 2 "$("$RVSIM" annotate "$tmp/pie.prof" step |
    grep -c 'work.c:.*table\[n & 3\]++')"
"$RVSIM" record -g --mode fast -c 31 -o "$tmp/pie.prof" "$tmp/pie" >"$tmp/out" 2>&1
same "sampled stacks have names from the start of a thread on" "yes" \
    "$("$RVSIM" report --folded - "$tmp/pie.prof" | grep -q ';work;half;step ' && echo yes)"
"$RVSIM" hang --limit work=100 "$tmp/pie" >"$tmp/out" 2>&1
same "alarms name the routine, and both threads have one" "1 2 alarms in 2 watched calls" \
    "$(grep -c 'alarm .: work: ' "$tmp/out") $(grep 'watched calls' "$tmp/out")"
