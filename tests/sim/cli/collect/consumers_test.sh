#!/usr/bin/env bash
# Exports of an oracle profile, of samples and of marks, with stacks, read back by the tools that
# they are for: Go's pprof, speedscope in a browser, callgrind_annotate, KCachegrind, genhtml.
. tests/sim/cli/lib.sh
build_levels
"$RVSIM" --quiet --oracle --profile oracle.prof levels
echo 'leaf 4 counter interrupt' >leaf.meta
"$RVSIM" --quiet --meta leaf.meta --profile marks.prof levels
"$RVSIM" record -g -c 10 -o samples.prof levels 2>record.err
sources=(oracle samples marks)
for source in "${sources[@]}"; do
    "$RVSIM" report $source.prof --folded $source.txt --pprof $source.pb.gz \
        --speedscope $source.json --callgrind $source.callgrind
done
"$RVSIM" report oracle.prof --lcov oracle.info
"$RVSIM" report marks.prof --lcov marks.info

# leaves FILE: "routine value" for each innermost routine of a folded file
leaves() {
    awk '{ n = split($1, frame, ";"); own[frame[n]] += $2 }
        END { for (name in own) if (own[name]) print name, own[name] }' "$1" | LC_ALL=C sort
}

# near A B: the same names, and values at most 1 apart: fractions of cycles are rounded
near() {
    join -a 1 -a 2 -e none -o 0,1.2,2.2 <(LC_ALL=C sort "$1") <(LC_ALL=C sort "$2") |
        awk '{ d = $2 - $3 } $2 == "none" || $3 == "none" || d > 1 || d < -1'
}

# Of samples, folded lines count these, and Go's pprof is asked for the same.
pprof=$(compgen -G '/usr/lib/go*/pkg/tool/*/pprof' | tail -n 1)
for source in "${sources[@]}"; do
    [ -n "$pprof" ] || { ok "Go's pprof # SKIP not installed"; break; }
    index=()
    [ $source != samples ] || index=(-sample_index=samples)
    HOME=$PWD "$pprof" "${index[@]}" -traces $source.pb.gz 2>pprof.err | awk '
        function put() { if (stack != "") sum[stack] += value; stack = "" }
        /^-+\+-/ { put(); is_begun = 1; next }
        !is_begun { next }
        stack == "" { value = $1; stack = $2; next }
        { stack = $1 ";" stack }
        END { put(); for (stack in sum) if (sum[stack]) print stack, sum[stack] }' >$source.traces
    same "Go's pprof has the stacks of $source" "" "$(near $source.txt $source.traces)"
done

# The value of callgrind's last event but mispredictions: cycles, samples or interrupts.
for source in "${sources[@]}"; do
    command -v callgrind_annotate >/dev/null ||
        { ok "callgrind_annotate # SKIP not installed"; break; }
    event=$(sed -n 's/^events: //p' $source.callgrind | tr ' ' '\n' | grep -vx Bm | tail -n 1)
    callgrind_annotate --threshold=100 --auto=no --show=$event --sort=$event $source.callgrind \
        2>&1 | sed -n 's/^ *\([1-9][0-9,]*\) .*levels\.S:\([^ ]*\).*/\2 \1/p' | tr -d , \
        >$source.annotated
    same "callgrind_annotate has the routines of $source" "" \
        "$(near <(leaves $source.txt) $source.annotated)"
done

for source in oracle marks; do
    command -v genhtml >/dev/null || { ok "genhtml # SKIP not installed"; break; }
    genhtml -q $source.info -o $source.html >genhtml.log 2>&1
    matches "genhtml shows how often each line ran, of $source" ' 25 *:|>25 :' \
        "$(sed 's/<[^>]*>//g' $source.html/*/levels.S.gcov.html $source.html/levels.S.gcov.html \
            2>/dev/null)"
done

# ---- speedscope ----------------------------------------------------------------------------------

# The rows of its table of routines for each file: "FILE routine share-of-its-own", in percent.
cat >speedscope.py <<'END'
import base64, html, json, os, re, subprocess, sys
where, files = sys.argv[1], sys.argv[2:]
data = [[name, base64.b64encode(open(name, 'rb').read()).decode()] for name in files]
with open('read.js', 'w') as script:
    script.write('''
const files = %s, told = [], pause = ms => new Promise(go => setTimeout(go, ms));
const tab = text => [...document.querySelectorAll('div')]
    .filter(box => box.innerText.trim().endsWith(text) && box.children.length < 3).pop();
(async () => {
    for (const [name, data] of files) {
        speedscope.loadFileFromBase64(name, data);
        await pause(1500);
        tab('Sandwich')?.click();
        await pause(500);
        window.dispatchEvent(new Event('resize'));
        await pause(500);
        told.push([name, [...document.querySelectorAll('tr')]
            .map(row => [...row.children].map(cell => cell.innerText.trim()))]);
    }
    const box = document.createElement('pre');
    box.id = 'told';
    box.textContent = JSON.stringify(told);
    document.body.append(box);
})();
''' % json.dumps(data))
page = subprocess.run(
    ['chromium', '--headless', '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader',
     '--enable-unsafe-swiftshader', '--allow-file-access-from-files', '--window-size=1200,900',
     '--user-data-dir=' + os.path.abspath('browser'), '--dump-dom',
     '--virtual-time-budget=%d' % (3000 + 3000 * len(files)),
     'file://%s/index.html#localProfilePath=%s' % (where, os.path.abspath('read.js'))],
    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
for name, rows in json.loads(html.unescape(re.search('<pre id="told">(.*?)</pre>', page, re.S)[1])):
    for row in rows:
        own = len(row) == 3 and re.search(r'\(([0-9.]+)%\)', row[1])
        if own and float(own[1]) > 0:
            print(name, row[2], round(float(own[1])))
END
scope=$(compgen -G "${DEPS:-.deps}/node/node_modules/speedscope/dist/release" | head -n 1)
if command -v chromium >/dev/null && [ -n "$scope" ]; then
    files=()
    for source in "${sources[@]}"; do files+=($source.json $source.pb.gz $source.txt); done
    python3 speedscope.py "$scope" "${files[@]}" >scope.txt 2>scope.err
    for file in "${files[@]}"; do
        same "speedscope has the routines of $file, and their shares" \
            "$(leaves "${file%%.*}.txt" | awk '{ name[NR] = $1; own[NR] = $2; all += $2 }
                END { for (i = 1; i <= NR; i++)
                    printf "%s %.0f\n", name[i], 100 * own[i] / all }')" \
            "$(awk -v file="$file" '$1 == file { print $2, $3 }' scope.txt | LC_ALL=C sort)"
    done
else
    ok "speedscope # SKIP no chromium, or not installed"
fi

# ---- KCachegrind ---------------------------------------------------------------------------------

if ! command -v Xvfb xdotool kcachegrind dbus-run-session >/dev/null; then
    ok "KCachegrind # SKIP no Xvfb, xdotool, dbus-daemon, or not installed"
    exit
fi
mkfifo number
exec 9<>number
Xvfb -displayfd 9 -screen 0 1100x800x24 -nolisten tcp -noreset >/dev/null 2>&1 &
server=$!
trap 'kill $server 2>/dev/null' EXIT
read -r -t 20 display <&9
export DISPLAY=:$display XDG_CONFIG_HOME=$PWD/config QT_QPA_PLATFORM=xcb
mkdir -p config
printf '[TipOfDay]\nRunOnStart=false\n' >config/kcachegrindrc
for source in "${sources[@]}"; do
    timeout -k 5 100 dbus-run-session -- kcachegrind $source.callgrind >kcachegrind.log 2>&1 &
    session=$!
    title=
    for _ in $(seq 300); do
        title=$(xdotool search --onlyvisible --class kcachegrind getwindowname 2>/dev/null |
            grep callgrind | head -n 1)
        [ -n "$title" ] && break
        sleep 0.1
    done
    matches "KCachegrind opens that of $source" "$source.callgrind" "$title"
    matches "the reader has no objection" '^$' \
        "$(grep -iE 'unknown|invalid|error|cannot' kcachegrind.log | grep -i callgrind)"
    xdotool search --onlyvisible --class kcachegrind windowclose 2>/dev/null
    kill $session 2>/dev/null
    wait $session 2>/dev/null
done
exit 0
