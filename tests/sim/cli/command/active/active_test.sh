#!/usr/bin/env bash
# rvsim active: active time of the records in files.
. tests/sim/cli/lib.sh

cat >probes.csv <<'END'
time,thread,event
900,1,F-entry
1010,2,S-entry
1200,1,G-entry
1500,1,G-exit
1550,1,F-exit
END
printf '%s\n' time,old,new 1000,1,2 1028,2,3 1190,3,1 1225,1,2 1411,2,1 >switches.csv
printf '%s\n' event,overhead entry,3 exit,2 >overheads.csv
printf '%s\n' 0.5,1,F-entry,1 3,1,switch-out 6,1,switch-in 9.0,1,F-exit,1 >figure1.csv

parts() { awk '$1 ~ /^(elapsed|swapped|overhead|active)$/ {printf "%s ", $(NF - 6)}'; }
same "the section of the three tables was active for 266 cycles (E5)" "650 376 8 266 " \
    "$("$RVSIM" active --section F --from probes.csv --from switches.csv --from overheads.csv |
        parts)"
same "overheads can be given as an option" "650 376 8 266 " \
    "$("$RVSIM" active --section F --from probes.csv --from switches.csv \
        --overhead entry=3,exit=2 | parts)"
same "times may have decimals: 4.5 ms of figure 1" "8.5 3.0 1.0 4.5 " \
    "$("$RVSIM" active --from figure1.csv --unit ms | parts)"
same "records come from standard input, too" "8.5 3.0 1.0 4.5 " \
    "$("$RVSIM" active --from - <figure1.csv | parts)"
same "several sections are shown one by one" "F: 1 activation|G: 1 activation|" \
    "$("$RVSIM" active --section F,G --from probes.csv | grep : | tr '\n' '|')"
same "without a choice, all sections are shown" \
    "F: 1 activation|S: 0 activations, 1 incomplete|G: 1 activation|" \
    "$("$RVSIM" active --from probes.csv | grep : | tr '\n' '|')"

"$RVSIM" active --json x.json --from figure1.csv --unit ms >text
same "JSON has the same numbers" "ms F 4.5 1 0.5 9" "$(value x.json unit) $(
    value x.json sections.0.section) $(value x.json sections.0.active.total) $(
    value x.json sections.0.threads.0.overhead) $(value x.json sections.0.list.0.start) $(
    value x.json sections.0.list.0.end)"
same "the JSON goes to standard output alone" "$(<x.json)" \
    "$("$RVSIM" active --json - --from figure1.csv --unit ms)"

printf '%s\n' 1,1,F-entry 2,1,F-exit 10,1,F-entry 12,1,F-exit >two.csv
same "a mean has a decimal more than the times" "1.5" \
    "$("$RVSIM" active --json x.json --from two.csv --list | awk '$1 == "active" {print $3}')"
same "... in JSON, too" 1.5 "$(value x.json sections.0.active.mean)"

refused "a section without records is refused" "--section H: no record of it" \
    active --section H --from figure1.csv
refused "files are needed" \
    "active: expected --section FUNCTION and a program, or --from FILE" active --section F
refused "a missing file is named" "none.csv: No such file or directory" active --from none.csv
echo 12,1,F-entry,two >wrong.csv
refused "a wrong record is told with its place" \
    "wrong.csv:1: expected an overhead such as 3, found 'two'" active --from wrong.csv
printf 'a\033[31m\007b%s,1,x\n' "$(printf 'y%.0s' $(seq 100))" >wrong.csv
refused "of a file of another kind no control character is shown, and not all" \
    "wrong.csv:1: expected a column time, thread, event, overhead, hart, old, new or order, \
found 'a?[31m?b$(printf 'y%.0s' $(seq 52))'" active --from wrong.csv
: >wrong.csv
refused "nor is a file without a line good" \
    "wrong.csv: has no line; expected time,thread,event or time,old,new" active --from wrong.csv
refused "a directory is told" ".: Is a directory" active --from .
refused "a wrong overhead is refused" "--overhead enter=3: expected entry=N,exit=N" \
    active --from figure1.csv --overhead enter=3

# A large file: time grows with the number of records.
awk 'BEGIN { for (i = 0; i < 300000; i++) {
        thread = i % 1000; section = "F" i % 7
        print 10 * i "," thread "," section "-entry"
        print 10 * i + 4 "," thread "," section "-exit"
    } }' >large.csv
same "600,000 records of 1,000 threads are read" "171428" \
    "$("$RVSIM" active --section F3 --from large.csv | awk '$1 == "active" && !n++ {print $2}')"
