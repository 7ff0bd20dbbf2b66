#!/usr/bin/env bash
# rvsim report --html: one page that loads nothing; in a browser it shows the profile's numbers.
. tests/sim/cli/lib.sh
build_levels
rv --quiet --oracle --profile levels.prof levels
rv report levels.prof --html levels.html
same "the page is written" "0||" "$status|$out|$err"
same "the page loads nothing" 0 "$(grep -cE 'https?:|@import|url\(|<link|<img|src=' levels.html)"
same "the page's policy forbids loading, too" \
    1 "$(grep -c "Content-Security-Policy.*default-src 'none'" \
    levels.html)"
"$RVSIM" report levels.prof --html - >again.html
same "- is standard output, with the same page" "" "$(cmp levels.html again.html 2>&1)"

# WCAG AA: 4.5 to 1, dark and light.
cat >contrast.py <<'END'
import re
page = open('levels.html').read()
colour = dict(re.findall(r'--([a-z0-9-]+): light-dark\((.*?)\)', page))
def light(text):
    part = [int(text[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    part = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in part]
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2]
papers = ('page', 'card', 'code', 'accent-soft')
pairs = [(ink, paper) for ink in ('ink', 'quiet') for paper in papers]
pairs += [(ink, paper) for ink in ('accent', 'hot') for paper in ('card', 'code')]
pairs += [('flame-ink', f'flame-{i}') for i in range(5)]
for ink, paper in pairs:
    for scheme in (0, 1):
        two = sorted(light(colour[name].split(', ')[scheme]) for name in (ink, paper))
        if (two[1] + 0.05) / (two[0] + 0.05) < 4.5:
            print(ink, 'on', paper, ('light', 'dark')[scheme])
END
same "the page's texts are dark or light enough" "" "$(python3 contrast.py 2>&1)"

# Names of a program never become part of the page's own text.
"${LINUX_CXX:-riscv64-linux-gnu-g++}" -O1 -g -static "$here/names.cc" -o names 2>log ||
    not_ok "names.cc builds" "$(<log)"
printf '</script><b>\n%.0s' {1..90} >levels.S
rv report levels.prof --html hostile.html
same "source text with a tag ends no script" 2 "$(grep -o '</script>' hostile.html | wc -l)"
rm levels.S

head -c 3000 levels.prof >cut.prof
refused "a file that was cut off is refused" \
    "$(cut_off cut.prof config)" \
    report cut.prof --html cut.html
same "a file that is refused leaves no page" no "$([ -e cut.html ] && echo yes || echo no)"
rv report levels.prof --html nowhere/page.html
same "a folder that is not there is an error" "2 1" "$status $(grep -c 'nowhere' <<<"$err")"

refused "another run is for the page" "report: --beside is for the page of --html; \`rvsim diff\` \
compares profiles as text" report levels.prof --beside levels.prof

# ---- in a browser -----------------------------------------------------------------------------

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
    echo "ok the page in a browser # SKIP no browser is installed"
    exit 0
fi
# dom NAME: writes the page that the script of NAME.html has made to NAME.dom; one browser shows all
# pages
coproc BROWSER { python3 "${here%/sim/cli}/prof/serve/browser.py" "$browser" "$PWD" 2>browser.log; }
dom() {
    local shown
    echo "$1.html" >&"${BROWSER[1]}"
    read -r shown <&"${BROWSER[0]}" || not_ok "the browser shows $1" "$(<browser.log)"
}
cat >check.py <<'PY'
import html, json, re, sys
page, name = open(sys.argv[1]).read(), sys.argv[2]
truth = json.load(open(name + '.json'))
body = page[page.index('<main'):page.index('</main>')]
def part(name):
    return re.search(rf'<section id="{name}">.*?</section>', body, re.S)[0]
def rows(name):
    body = re.search(r'<tbody>.*?</tbody>', part(name), re.S)[0]
    return [[html.unescape(re.sub('<[^>]*>', '', cell)) for cell in
             re.findall(r'<td.*?</td>', row, re.S)]
            for row in re.findall('<tr.*?</tr>', body, re.S)]
wrong = []
def check(what, expected, found):
    if expected != found:
        wrong.append(f'{what}: expected {expected}, found {found}')
total = truth['totals']['program']['cycles']
shares = {row[0]: row[3] for row in rows('routines')}
for routine in truth['routines']:
    if routine['cycles'] and len(shares) < 40:
        check(routine['name'], f'{100 * routine["cycles"] / total:.2f} %',
              shares.get(routine['name']))
percents = [float(row[3].split()[0]) for row in rows('routines')]
check('shares of routines', 100, round(sum(percents)))
check('topdown begins with', ['slots', '100.00 %'], [rows('topdown')[0][0], rows('topdown')[0][2]])
check('the flame graph', True, all(
    f'>{name}</button>' in part('flame') for name in ('_start', 'main')))
check('lines', True, len(rows('lines')) > 3 and 'levels.S:' in rows('lines')[0][0])
check('code', True, 'class="code"' in part('lines') and ' ret' in part('lines'))
check('caches', True, any(row[0] == 'L1I' for row in rows('caches')))
check('call graph', True, 'callers' in part('graph') and 'callees' in part('graph'))
check('the course', True, 'instructions per cycle' in part('time') and '<path' in part('time')
      if truth['totals']['program']['cycles'] > 1000 else 'id="time"' not in body)
check('cards', True, 'instructions per cycle' in part('summary'))
print('\n'.join(wrong[:6]))
PY
rv annotate levels.prof --top 0 --json levels.json
dom levels
same "a browser shows the profile's numbers" "" "$(python3 check.py levels.dom levels 2>&1)"
rv record -g -c 10 -o samples.prof levels
rv report samples.prof --html samples.html
dom samples
same "of samples it shows them" "1 1" "$(grep -c 'id="flame-unit">samples<' samples.dom) $(
    grep -c 'id="lines-box"><div' samples.dom)"
rv report samples.prof --around 5 --html around.html --json around.json
dom around
same "the pipeline around a sample is the rows that the command makes" "True" "$(python3 -c '
import html, json, re
part = re.search("<div[^>]*id=.pipeline-box.*?</section>", open("around.dom").read(), re.S)[0]
rows = [html.unescape(re.sub("<[^>]*>", "", row)) for row in part.split("</div>")]
picture = json.load(open("around.json"))["picture"]
print([row[13:] for row in rows[2:2 + len(picture["instructions"])]] ==
      [insn["line"] + " " + insn["text"] for insn in picture["instructions"]])')"
rv --oracle --quiet --set rob.entries=8 --profile small.prof levels
rv report levels.prof --html beside.html --beside small.prof
dom beside
rv diff levels.prof small.prof -e cycles --top 0 --json beside.json
same "two runs side by side are what diff says of them" "True True True" "$(python3 -c '
import html, json, re
part = re.search("<section id=.beside.*?</section>", open("beside.dom").read(), re.S)[0]
tables = [[[html.unescape(re.sub("<[^>]*>", "", cell))
            for cell in re.findall("<td.*?</td>", row, re.S)]
           for row in re.findall("<tr.*?</tr>", body, re.S)]
          for body in re.findall("<tbody>.*?</tbody>", part, re.S)]
truth = json.load(open("beside.json"))
cycles = [json.load(open(name))["cycles"] for name in ("levels.prof", "small.prof")]
number = lambda text: int(text.replace(",", ""))
routines = {row["name"]: [row["a"]["cycles"], row["b"]["cycles"]] for row in truth["routines"]}
shown = {row[0]: [number(row[1]), number(row[2])] for row in tables[2]}
print([number(cell) for cell in tables[0][1][1:3]] == cycles,
      len(shown) >= min(14, len(routines)) and
      all(abs(a - b) <= 0.5 for name in shown for a, b in zip(shown[name], routines[name])),
      [row for row in tables[3] if row[0] == "rob.entries" and row[2] == "8"] != [])' 2>&1)"
printf 'leaf 12 counter\nleaf 2 interrupt\n' >leaf.meta
rv --quiet --meta leaf.meta --profile marked.prof levels
rv report marked.prof --html marked.html
dom marked
same "marks are those of the profile" "True True" "$(python3 -c '
import html, json, re
part = re.search("<section id=.marks.*?</section>", open("marked.dom").read(), re.S)[0]
body = re.search("<tbody>.*?</tbody>", part, re.S)[0]
rows = [[html.unescape(re.sub("<[^>]*>", "", cell))
         for cell in re.findall("<td.*?</td>", row, re.S)]
        for row in re.findall("<tr.*?</tr>", body, re.S)]
marks = json.load(open("marked.prof"))["marks"]
print([row[4:6] for row in rows] == [[str(mark["count"]) if "count" in mark else "",
                                      str(mark["interrupts"])] for mark in marks],
      part.count("aria-label=\"leaf") == len(marks))' 2>&1)"
"${LINUX_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread -DSTEPS=300 \
    "$here/sched_threads.c" -o threads 2>log ||
    not_ok "the program sched_threads.c builds" "$(<log)"
rv compare-profilers --quiet --harts 2 --threads --period 293 --json schemes.json \
    --profile threads.prof threads
rv report threads.prof --html threads.html
dom threads
cat >threads.py <<'PY'
import html, json, re
def text(cell):
    return html.unescape(re.sub('<[^>]*>', '', cell))
def table(name):
    part = re.search(rf'<section id="{name}">.*?</section>', page, re.S)[0]
    rows = re.findall('<tr.*?</tr>', re.search('<table>.*?</table>', part, re.S)[0], re.S)
    return [[text(cell) for cell in re.findall('<t[hd].*?</t[hd]>', row, re.S)] for row in rows]
page = open('threads.dom').read()
profile = json.load(open('threads.prof'))
all = profile['threads']
def cycles(track, state):
    sum, begin = 0, track['begin']
    for end, what, *rest in track['spans']:
        sum += rest[state] if len(rest) > 1 else end - begin if what == state else 0
        begin = end
    return sum
head, *rows = table('threads')
number = lambda row, name: int(row[head.index(name)].replace(',', '') or 0)
wrong = [row[0] for row, track in zip(rows, all['threads'])
         if [number(row, name) for name in ('running', 'lock', 'sleep', 'switches')] !=
         [cycles(track, all['states'].index(name)) for name in ('running', 'lock', 'sleep')] +
         [track['switches']]]
print(len(rows) == 6, wrong, page.count('class="lane"') == 2 + 6,
      sum(cycles(hart, 0) for hart in all['harts']) == sum(cycles(t, 0) for t in all['threads']))
head, *rows = table('profilers')
schemes = json.load(open('schemes.json'))['schemes']
percent = lambda value: f'{100 * value:.2f} %'
print(len(rows) == len(schemes), [row['scheme'] for row, shown in zip(schemes, rows)
      if not shown[0].startswith(row['scheme']) or shown[head.index('bias')] !=
      percent(row['bias']) or shown[head.index('error')] != percent(row['instruction_error']) or
      (percent(row['interval_high']) if 'interval_high' in row else 'none')
      not in shown[head.index('with noise')]])
PY
same "threads and profilers are those of the profile and of compare-profilers" \
    "True [] True True
True []" "$(python3 threads.py 2>&1)"
rv --mode fast --quiet --profile fast.prof levels
rv report fast.prof --html fast.html
dom fast
same "parts without measurements are left out" "0 0 0 0 0 1" \
    "$(for id in pipeline threads profilers topdown routines flame; do
        grep -c "<section id=\"$id\"" fast.dom; done | xargs)"
rv --oracle --quiet --profile names.prof names
rv report names.prof --html names.html
dom names
same "names with angle brackets are text" yes \
    "$(grep -q 'int geo::twice&lt;int, long&gt;(int, long)' names.dom && echo yes)"

# ---- maps, and a tree to click through ---------------------------------------------------------

cat >maps.py <<'PY'
import html, json, re
part = re.search('<section id="caches.*?</section>', open('marked.dom').read(), re.S)[0]
told = [html.unescape(re.sub('<[^>]*>', '', text)) for text in
        re.findall('<figcaption>.*?</figcaption>', part, re.S)]
maps = json.load(open('marked.prof'))['maps']
lines = [f"{m['name']} {sum(c != '.' for c in m['lines']):,} of {len(m['lines']):,} lines"
         for m in maps]
print(all(text.startswith(line) for text, line in zip(told, lines)), len(told) == len(maps),
      [m['name'] for m in maps if set(m.get('shadows', '')) - {'.'}] ==
      [text.split()[0] for text in told if 'with metadata' in text] != [])
PY
same "maps of caches are those of the profile" "True True True" "$(python3 maps.py 2>&1)"
rv --quiet --meta leaf.meta --profile more.prof --set l1d.kib=16 levels
rv --quiet --meta leaf.meta --oracle --profile all.prof levels
rv report all.prof --html marks.html --beside more.prof --around hottest
cat >click.js <<'JS'
const rows = () => [...document.querySelectorAll('#topdown tbody tr')];
const all = rows().length, parent = rows()[0];
parent.click();
const closed = rows().length;
rows()[0].dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', cancelable: true}));
/* The key that each part's link shows goes there. */
const links = [...document.querySelectorAll('nav a')];
const reached = links.filter(link => {
  const key = link.querySelector('kbd').textContent;
  document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
  return '#' + document.activeElement.closest('section').id === link.getAttribute('href');
});
document.title = `${links.length > 10} ${reached.length === links.length} ` +
    `${all > 1} ${closed} ${rows().length === all} ` +
    `${document.querySelectorAll('#beside-marks tbody tr').length > 0}`;
JS
python3 - <<'PY'
page = open('marks.html').read()
at = page.rindex('</script>')
open('marks.html', 'w').write(page[:at] + open('click.js').read() + page[at:])
PY
dom marks
same "keys reach all parts and open the parts of a row that a click hid; marks are compared" \
    "true true true 1 true true" "$(sed -n 's,.*<title>\(.*\)</title>.*,\1,p' marks.dom | head -1)"
eval "exec ${BROWSER[1]}>&-"
wait $BROWSER_PID
