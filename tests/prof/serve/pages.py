"""The pages in a headless browser: what they show is what was submitted, and names stay text."""
import html
import re
import sys

from browser import Browser
from service import *

BROWSER = Browser(sys.argv[1])


def dom(service, page):
    """The page as its script has changed it."""
    found = BROWSER.dom(f'{service.address}/{page}', 8000)
    return found[found.find('<main'):found.find('</main>')]


def cells(text):
    """The texts of a table's rows."""
    body = (re.search(r'<tbody>.*?</tbody>', text, re.S) or [''])[0]
    return [[html.unescape(re.sub(r'<[^>]*>', ' ', cell)).strip() for cell in
             re.findall(r'<td.*?</td>', line, re.S)] for line in re.findall('<tr.*?</tr>', body, re.S)]


FOCUS = 'document.activeElement.textContent'
BACKGROUND = '(getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g) || []).slice(0, 3)'


def keys_and_sizes(service, evil):
    """By keyboard alone; on a phone; in the dark."""
    browser = Browser(sys.argv[1])
    row = "document.querySelector('tbody a') && document.querySelector('tbody a').textContent"
    browser.open(service.address, 1200, 'light')
    browser.wait(row)
    browser.key('/')
    for letter in 'alert':
        browser.key(letter)
    browser.key('ArrowDown')
    found = browser.wait(f"{FOCUS}.endsWith('alert(1)>')")
    same('/ goes to the search, an arrow key to the first row of what is typed',
         (True, True), (found, 'search=alert' in browser.value('location.hash')))
    browser.key('Enter')
    same('Enter opens it', evil,
         browser.wait("document.querySelector('.bars') && document.querySelector('h1').textContent"))
    light = browser.value(BACKGROUND)
    for page in '', '#/function?function=look%3A%3Aup(int)&module=libx.so', '#/compare', '#/hangs', \
            '#/hang?group=1', '#/control':
        browser.open(f'{service.address}/{page}', 390, 'dark')
        browser.wait("document.querySelector('#main h1') && !document.querySelector('[role=status]').textContent")
        wide = browser.value('document.documentElement.scrollWidth - innerWidth')
        if wide > 0:
            not_ok('no page is wider than a phone', page, wide)
            break
    else:
        ok('no page is wider than a phone')
    dark = browser.value(BACKGROUND)
    check('pages are light or dark, as the reader likes it',
          min(map(int, light)) > 200 and max(map(int, dark)) < 60, light, dark)
    browser.close()


def main():
    service = Service(f'{os.getcwd()}/pages.db', '--open')
    evil = '<script>document.title="caught"</script><img src=x onerror=alert(1)>'
    for version, costs in ('1', [5, 6, 100]), ('2', [50, 60, 1000]):
        service.post('/v1/costs', summary(row('look::up(int)', costs, module='libx.so'),
                                          row(evil, [3]), program='wc', version=version))
    service.post('/v1/hangs', hangs(hang('save', 'main', 'save', evil), hang(evil, 'main')))
    found = listed = dom(service, '')
    same('functions are listed with calls, mean and sum (P10)',
         [['look::up(int) libx.so', '6', '204', '1,221'], [evil, '2', '3', '6']],
         [[line[0], line[2], line[3], line[5]] for line in
          ([re.sub(r' +', ' ', c) for c in r] for r in cells(found))])
    same('with a spectrum each, a column for each bucket (P7)', 2, len(re.findall(
        r'role="img" aria-label="spectrum: ', found)))
    same('a search finds a part of a name', [True], ['look' in line[0] for line in cells(
        dom(service, '#/?search=UP(INT'))])
    found = dom(service, '#/function?function=look%3A%3Aup(int)&module=libx.so')
    bars = re.search(r'<div class="bars".*?</div>', found, re.S)[0]
    same('a function has a histogram (P7)',
         [('4 to 7', '2'), ('8 to 15', '0'), ('16 to 31', '0'), ('32 to 63', '2'), ('64 to 127', '1'),
          ('128 to 255', '0'), ('256 to 511', '0'), ('512 to 1,023', '1')],
         re.findall(r'<span>(.*?)</span><span class="number">(.*?)</span>', bars))
    versions = cells(dom(service, '#/compare?function=look%3A%3Aup(int)'))
    same('versions are compared by their means', [('3', '37', 'first'), ('3', '370', '+900.0 %')],
         [tuple(line[2:]) for line in versions])
    for version in '9', '10':
        service.post('/v1/costs', summary(row('aged', [int(version)]), program='age', version=version))
    same('the first version is the oldest, not the first by name', [('9', 'first'), (
        '10', '+11.1 %')], [(line[3], line[4]) for line in cells(dom(service, '#/compare?function=aged'))])
    found = dom(service, '#/hangs')
    same('hangs are listed by tag with their stacks (U8)', [('save wc 1', '1', '2.0 ms'), (
        f'{evil} wc 1', '1', '2.0 ms')],
        [(re.sub(r'\s+', ' ', line[0]), line[1], line[2]) for line in cells(found)])
    found = dom(service, '#/hang?group=1')
    check('a group has its stack and its reports', html.escape(evil, False) in found and
          'report 1' in found, found[:900])
    keys_and_sizes(service, evil)
    same('no name became part of a page', [], re.findall(r'<(?:script|img)', listed + found))
    service.stop()
    service = Service(f'{os.getcwd()}/pages.db')
    same('without a token the pages ask for one', True, 'A token is needed' in dom(service, ''))
    head = service.ask('GET', '/').headers
    check('the page may load nothing from elsewhere', "default-src 'none'" in
          head['Content-Security-Policy'], head)
    service.stop()
    BROWSER.close()


main()
