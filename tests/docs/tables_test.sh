#!/usr/bin/env bash
# The tables of all pages render: to a Markdown parser each row has as many cells as its header, and
# the tables of settings and events agree with the program's own.
set -u
. tests/cases.sh
"$RVSIM" config show default >"$TEST_TMP/settings"
"$RVSIM" events >"$TEST_TMP/events"
# Debian's own interpreter has the parser; another one may come first in PATH.
/usr/bin/python3 - "$TEST_TMP" README.md docs/*.md docs/*/*.md >"$TEST_TMP/found" 2>&1 <<'PYTHON'
import html, re, sys
import markdown

def text(cell):
    return html.unescape(re.sub(r'<[^>]*>', '', cell)).strip()

def tables(page):
    """Rows of the rendered page: lists of cells."""
    rendered = markdown.markdown(page, extensions=['tables'])
    return [[text(cell) for cell in re.findall(r'<t[dh][^>]*>(.*?)</t[dh]>', row, re.S)]
            for row in re.findall(r'<tr>(.*?)</tr>', rendered, re.S)]

def without_blocks(page):
    """The page with empty lines in place of code: the parser knows no blocks with a file's name."""
    return re.sub(r'(?ms)^```.*?^```$', lambda block: '\n' * block[0].count('\n'), page)

def bars(line):
    return len(re.findall(r'(?<!\\)\|', line))

def check_widths(name, page):
    """Each block of lines with bars is a table, of a row less than it has lines."""
    width, rows = None, 0
    for number, line in enumerate(page.split('\n'), 1):
        if not line.startswith('|'):
            width = None
            continue
        rows += width is not None
        if width is None:
            width = bars(line)
        elif bars(line) != width:
            print(f'{name}:{number}: {bars(line) - 1} cells below a header of {width - 1}')
    if rows != len(tables(page)):
        print(f'{name}: {rows} rows of tables, of which {len(tables(page))} render')

def check_settings(directory, rows):
    shown = {row[0]: row for row in rows if len(row) == 5}
    sources = {row[0]: row for row in rows if len(row) == 3}
    section = ''
    count = 0
    for line in open(directory + '/settings'):
        head = re.match(r'\[(.*)\]', line)
        setting = re.match(r'(\w+) += (.*?) *; (.*) \((.*)\)$', line)
        if head:
            section = head[1]
        if not setting:
            continue
        key, count = f'{section}.{setting[1]}', count + 1
        row = shown.get(key, [''] * 5)
        limits = row[2] + (', in ' + row[3] if row[3] else '')
        said = [setting[2], setting[4], setting[3].replace('`', '')]
        if [row[1], limits, row[4]] != said:
            print(f'{key}: the page has {[row[1], limits, row[4]]}, the program {said}')
        source = sources.pop(key, ['', row[1], '-'])
        if source[1] != row[1] or source[2] == '':
            print(f'{key}: the table of sources has {source}')
    sources.pop('setting', None)
    if count < 400 or len(sources) != 0:
        print(f'{count} settings; sources of unknown ones: {list(sources)}')

def check_events(directory, rows):
    shown = {row[1]: row for row in rows if len(row) > 5}
    for line in list(open(directory + '/events'))[1:]:
        code, name = line.split()[:2]
        row = shown.get(name, [''] * 6)
        if row[0] != code or not line.rstrip().endswith(row[5]):
            print(f'{name}: the page has {row}')

directory = sys.argv[1]
for name in sys.argv[2:]:
    page = without_blocks(open(name).read())
    check_widths(name, page)
    if name == 'docs/reference/settings.md':
        check_settings(directory, tables(page))
    if name == 'docs/reference/events.md':
        check_events(directory, tables(page))
PYTHON
if [ -s "$TEST_TMP/found" ]; then
    not_ok "every table of the documentation renders as it was meant" \
        "$(head -20 "$TEST_TMP/found")"
else ok "every table of the documentation renders as it was meant"; fi
