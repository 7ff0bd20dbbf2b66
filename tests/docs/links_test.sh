#!/usr/bin/env bash
# Every link of the pages to a file of the tree leads to a file that is there, and every link to a
# heading to one that the page has.
set -u
. tests/cases.sh
python3 - README.md docs/*.md docs/*/*.md >"$TEST_TMP/found" 2>&1 <<'PYTHON'
import os, re, sys

def without_blocks(name):
    return re.sub(r'(?ms)^```.*?^```$', '', open(name).read())

def anchor(heading):
    """As GitHub makes it: letters, digits, hyphens, and a hyphen for each blank."""
    heading = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading).strip().lower()
    return re.sub(r'[^\w\- ]', '', heading).replace(' ', '-')

pages = sys.argv[1:]
anchors = {page: {anchor(line) for line in re.findall(r'(?m)^#+ (.*)$', without_blocks(page))}
           for page in pages}
links = 0
for page in pages:
    for target in re.findall(r'\]\(([^)\s]+)\)', without_blocks(page)):
        if re.match(r'[a-z]+:', target):
            continue
        links += 1
        path, _, heading = target.partition('#')
        file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(file):
            print(f'{page}: {target}: there is no {file}')
        elif heading and heading not in anchors.get(file, set()):
            print(f'{page}: {target}: {file} has no such heading')
if links < 400:
    print(f'only {links} links')
PYTHON
if [ -s "$TEST_TMP/found" ]; then
    not_ok "every link of the documentation leads somewhere" "$(head -20 "$TEST_TMP/found")"
else ok "every link of the documentation leads somewhere"; fi
