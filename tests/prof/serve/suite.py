"""The service as its clients see it; the same cases on each database: suite.py sqlite|postgresql."""
import gzip
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from service import *


def databases(kind):
    """A function that makes an empty database, a function that ends all of them, and a server."""
    if kind == 'sqlite':
        made = []

        def make():
            made.append(1)
            return f'{os.getcwd()}/d{len(made)}.db'
        return make, lambda: None, None
    cluster = Cluster()
    return cluster.database, cluster.close, cluster


# ---- adding, P8 --------------------------------------------------------------------------------

def test_adding(service):
    text = summary(row('parse', [1, 5, 5, 100], module='libx.so'), row('parse', [3, 3], 'allocated'),
                   row('ns::parse(int)', [0, 9], scope='exclusive'))
    answer = service.post('/v1/costs', text)
    same('a summary is added (P8)', (201, {'status': 'added'}), (answer.status, answer.json()))
    expected = {('parse', 'cycles', 'inclusive'): (4, 111, 10051),
                ('parse', 'allocated', 'inclusive'): (2, 6, 18),
                ('ns::parse(int)', 'cycles', 'exclusive'): (2, 9, 81)}
    same('its totals are those that were sent', expected, totals(service))
    answer = service.post('/v1/costs', text)
    same('sent twice it counts once', (200, {'status': 'known'}, expected),
         (answer.status, answer.json(), totals(service)))
    answer = service.post('/v1/costs', {**text, 'functions': []})
    same('its id is refused for something else', 409, answer.status)
    packed = zstd(json.dumps(summary(row('parse', [5], module='libx.so'))).encode())
    answer = service.post('/v1/costs', packed, headers={'Content-Encoding': 'zstd'})
    same('a packed one is added to the buckets (P8)',
         (201, [{'bucket': 0, 'count': 1, 'sum': '1', 'sum_of_squares': '1'},
                {'bucket': 2, 'count': 3, 'sum': '15', 'sum_of_squares': '75'},
                {'bucket': 6, 'count': 1, 'sum': '100', 'sum_of_squares': '10000'}]),
         (answer.status, service.get('/v1/costs', function='parse', cost='cycles').json()
          ['functions'][0]['buckets']))
    large = 2 ** 64 - 1
    for _ in range(2):
        service.post('/v1/costs', summary({
            'function': 'huge', 'cost': 'cycles', 'scope': 'inclusive', 'buckets': [
                {'bucket': 63, 'count': 1, 'sum': str(2 ** 63 + 5), 'sum_of_squares': str(large)}]}))
    same('sums stay at their largest value', (2, large, large),
         totals(service, function='huge')['huge', 'cycles', 'inclusive'])
    service.post('/v1/costs', summary(row('wide', [2 ** 31 + 1] * 3)))
    service.post('/v1/costs', summary(row('wide', [2 ** 31 + 1] * 3)))
    n = 2 ** 31 + 1
    same('numbers of more than 63 bits stay exact', (6, 6 * n, min(6 * n * n, large)),
         totals(service, function='wide')['wide', 'cycles', 'inclusive'])


# ---- questions, P9 and P10 ---------------------------------------------------------------------

def test_questions(service):
    service.post('/v1/costs', summary(
        row('a::b::f(int)', [10], module='m1'), row('a::g<x::y>()', [20], module='m1'),
        row('int a::t<int>(a::b)', [40], module='m2'), row('plain', [80], module='m2'),
        row('ab::h()', [160]), program='p', version='1'))
    service.post('/v1/costs', summary(row('plain', [90], module='m2'), program='p', version='2'))
    service.post('/v1/costs', summary(row('plain', [95], module='m2'), program='q'))

    def sums(**selection):
        return {key[0]: value[1] for key, value in totals(service, **selection).items()}
    same('by function (P9)', {'plain': 265}, sums(function='plain'))
    same('by module (P9)', {'a::b::f(int)': 10, 'a::g<x::y>()': 20}, sums(module='m1'))
    same('by namespace, with those in it (P9)',
         {'a::b::f(int)': 10, 'a::g<x::y>()': 20, 'int a::t<int>(a::b)': 40}, sums(namespace='a'))
    same('by the inner namespace (P9)', {'a::b::f(int)': 10}, sums(namespace='a::b'))
    same('by program', {'plain': 95}, sums(program='q'))
    same('by version', {'plain': 90}, sums(program='p', version='2'))
    same('by part of a name, without capitals', {'a::b::f(int)': 10}, sums(search='B::F'))
    same('signs of patterns are texts', {}, sums(search='%'))
    same('nothing is nothing', {}, sums(function="' OR 1=1 --"))

    def groups(by, **more):
        found = service.get('/v1/costs', group=by, cost='cycles', scope='inclusive', program='p',
                            **more)
        return {tuple(str(value) for key, value in g.items() if key in
                      ('module', 'namespace', 'program', 'version')): int(g['sum'])
                for g in found.json()['groups']}
    same('a report by module (P10)', {('',): 160, ('m1',): 30, ('m2',): 210}, groups('module'))
    same('a report by module of some functions', {('m1',): 20, ('m2',): 40},
         groups('module', search='<'))
    same('a report by namespace (P10)',
         {('',): 170, ('a',): 60, ('a::b',): 10, ('ab',): 160}, groups('namespace'))
    same('a report by version', {('p', '1'): 310, ('p', '2'): 90}, groups('version'))
    listed = service.get('/v1/functions', program='p', cost='cycles', limit=2).json()['functions']
    same('lists begin with the largest sums', [('plain', '170'), ('ab::h()', '160')],
         [(f['function'], f['sum']) for f in listed])
    same('and go on after them', ['int a::t<int>(a::b)'], [f['function'] for f in service.get(
        '/v1/functions', program='p', cost='cycles', limit=1, offset=2).json()['functions']])
    same('lists of some functions have all scopes and costs', [('a::b::f(int)', '10')], [
        (f['function'], f['sum']) for f in service.get('/v1/functions', search='B::F').json()
        ['functions']])
    for sort, first in ('name', 'a::b::f(int)'), ('count', 'plain'), ('mean', 'ab::h()'):
        same(f'lists by {sort}', first, service.get('/v1/functions', program='p', sort=sort).json()
             ['functions'][0]['function'])
    names = service.get('/v1/names').json()
    check('names are listed', {'program': 'p', 'version': '2'} in names['programs'] and
          'm1' in names['modules'] and 'cycles' in names['costs'], names)
    pages, after = [], 0
    while after is not None:
        page = service.get('/v1/costs', program='p', limit=1, after=after).json()
        pages.append(len(page['functions']))
        after = page.get('next')
    same('pages have every function once', 5, sum(pages))
    same('unknown parameters are refused', 400, service.get('/v1/costs', functon='x').status)
    same('folded lines of a selection', b'm1;a::b::f(int) 10\nm1;a::g<x::y>() 20\n',
         service.get('/v1/costs', module='m1', cost='cycles', scope='inclusive',
                     format='folded').body)
    answer = service.get('/v1/costs', module='m1', cost='cycles', scope='inclusive',
                         format='pprof')
    same('pprof of a selection, as protoc reads it: stacks, calls and cycles of the folded lines',
         [(['m1', 'a::b::f(int)'], 1, 10), (['m1', 'a::g<x::y>()'], 1, 20)],
         pprof_stacks(answer.body))
    same('its types', ['calls', 'count', 'cycles', 'count'], pprof_types(answer.body))


def decode_pprof(body):
    """The message as protoc's text; a test without protoc or its schema of pprof fails."""
    files = subprocess.run(['dpkg', '-L', 'golang-github-google-pprof-dev'], capture_output=True,
                           text=True).stdout.split()
    proto = next(f for f in files if f.endswith('/proto/profile.proto'))
    return subprocess.run(['protoc', '-I', os.path.dirname(proto), '--decode',
                           'perftools.profiles.Profile', proto], input=gzip.decompress(body),
                          capture_output=True, check=True).stdout.decode()


def pprof_strings(text):
    return [json.loads(s) for s in re.findall(r'^string_table: (".*")$', text, re.M)]


def pprof_types(body):
    text = decode_pprof(body)
    strings, parts = pprof_strings(text), re.findall(r'^sample_type \{(.*?)^\}', text, re.M | re.S)
    return [strings[int(n)] for part in parts for n in re.findall(r': (\d+)', part)]


def pprof_stacks(body):
    """[([root, ..., leaf], calls, costs)], by falling name."""
    text = decode_pprof(body)
    strings = pprof_strings(text)
    found = []
    for sample in re.findall(r'^sample \{(.*?)^\}', text, re.M | re.S):
        at = [int(n) for n in re.findall(r'location_id: (\d+)', sample)]
        calls, cost = [int(n) for n in re.findall(r'value: (\d+)', sample)]
        found.append(([function_at(text, strings, n) for n in reversed(at)], calls, cost))
    return sorted(found)


def function_at(text, strings, location):
    for part in re.findall(r'^location \{(.*?)^\}', text, re.M | re.S):
        if re.search(rf'^  id: {location}$', part, re.M):
            function = re.search(r'function_id: (\d+)', part)[1]
    for part in re.findall(r'^function \{(.*?)^\}', text, re.M | re.S):
        if re.search(rf'^  id: {function}$', part, re.M):
            return strings[int(re.search(r'^  name: (\d+)$', part, re.M)[1])]


def lines_of(answer):
    head, *lines = [json.loads(line) for line in answer.body.splitlines()]
    return head['sequence'], lines


def test_slices(service):
    for i in range(30):
        service.post('/v1/costs', summary(row(f'f{i}', [i + 1, 2 * i + 1]), row(f'g{i}', [7])))
    sequence, whole = lines_of(service.get('/v1/database'))
    same('the whole database (P9)', sum(n + 1 + 2 * n + 1 for n in range(30)) + 210,
         sum(int(line['sum']) for line in whole))
    parts = [lines_of(service.get('/v1/database', part=part, of=7))[1] for part in range(7)]
    key = lambda line: json.dumps(line, sort_keys=True)
    same('its slices are the whole (P9)', sorted(map(key, whole)),
         sorted(key(line) for part in parts for line in part))
    same('nothing changed since', [], lines_of(service.get('/v1/database', since=sequence))[1])
    service.post('/v1/costs', summary(row('f3', [1000])))
    later, changed = lines_of(service.get('/v1/database', since=sequence))
    same('what changed is sent, whole functions (P9)', ({'f3'}, 1000 + 4 + 7, True),
         ({line['function'] for line in changed}, sum(int(line['sum']) for line in changed),
          later > sequence))


# ---- hangs, U6 and U8 --------------------------------------------------------------------------

def test_hangs(service):
    text = hangs(hang('save', 'main', 'save', 'fsync', executed=3000000),
                 hang('save', 'main', 'save', 'fsync', executed=9000000, core='c.1'),
                 hang('save', 'main', 'write'), hang('open', 'main', 'save', 'fsync'))
    same('a hang report is stored (U8)', 201, service.post('/v1/hangs', text).status)
    same('sent twice it counts once', 200, service.post('/v1/hangs', text).status)
    service.post('/v1/hangs', hangs(hang('save', 'main', 'write'), hang('save', 'main', 'write')))
    found = service.get('/v1/hangs').json()['groups']
    same('groups are by tag and stack, the frequent first (U8)',
         [('save', 'main;write', 3), ('save', 'main;save;fsync', 2), ('open', 'main;save;fsync', 1)],
         [(g['tag'], ';'.join(g['stack']), g['reports']) for g in found])
    same('a group knows its longest', 9000000, found[1]['longest'])
    reports = service.get(f'/v1/hangs/{found[1]["group"]}').json()['last_reports']
    same('and its last reports, with all they had', [(2, 'c.1'), (1, None)],
         [(r['number'], r['report'].get('core')) for r in reports])
    same('a group that is not there', 404, service.get('/v1/hangs/999').status)
    same('hangs by tag', ['open'], [g['tag'] for g in service.get('/v1/hangs', tag='open').json()
                                    ['groups']])
    same('hangs by a frame', 2, len(service.get('/v1/hangs', search='FSYNC').json()['groups']))
    same('hangs as folded lines', b'main;write 3\nmain;save;fsync 2\nmain;save;fsync 1\n',
         service.get('/v1/hangs', format='folded').body)
    for _ in range(30):
        service.post('/v1/hangs', hangs(hang('many', 'main')))
    group = service.get('/v1/hangs', tag='many').json()['groups'][0]
    kept = service.get(f'/v1/hangs/{group["group"]}').json()['last_reports']
    same('of many reports the last are kept, all are counted', (30, 20, 30),
         (group['reports'], len(kept), kept[0]['number']))
    frame = lambda name, at: {'address': hex(at), **({'function': name} if name else {})}
    service.post('/v1/hangs', {
        'schema': 1, 'id': '00112233445566ff', 'kind': 'hang', 'program': 'app', 'build': 'b1',
        'alarms': [{'tag': 'work', 'limit': 100, 'executed': 101, 'thread': 7, 'group': 'g',
                    'threads': [{'thread': 3, 'stack': [frame('wait', 1)]},
                                {'thread': 7, 'stack': [frame('leaf', 2), frame(None, 3),
                                                        frame('main', 4)]}]},
                   {'tag': 'work', 'limit': 100, 'executed': 250, 'thread': 7, 'group': 'g'}]})
    same('alarms of rvsim hang are grouped by the stack of their thread (U8)',
         [(['main', '0x3', 'leaf'], 2, 250, 'cycles', 'b1')],
         [(g['stack'], g['reports'], g['longest'], g['unit'], g['version'])
          for g in service.get('/v1/hangs', program='app').json()['groups']])
    service.stop()
    service.start()
    same('groups outlive a restart', 30, service.get('/v1/hangs', tag='many').json()
         ['groups'][0]['reports'])


def test_control(service):
    control = {'schema': 1, 'tags': [
        {'tag': 'save', 'threshold': '2ms', 'report': 'full', 'times': 3},
        {'tag': '*', 'threshold': '', 'report': 'light', 'times': 100},
        {'tag': 'two words', 'threshold': '5M', 'report': 'none', 'times': 0}]}
    same('a control file is stored (U6)', 204, service.ask('PUT', '/v1/control/wc', control).status)
    found = service.get('/v1/control/wc').json()
    same('and read again, by tag (U6)', sorted(control['tags'], key=lambda t: t['tag']),
         found['tags'])
    same('as a text for small readers (U6)',
         b'* - light 100\nsave 2ms full 3\ntwo%20words 5M none 0\n',
         service.get('/v1/control/wc', format='text').body)
    same('another program has none', [], service.get('/v1/control/other').json()['tags'])
    service.ask('PUT', '/v1/control/wc', {'schema': 1, 'tags': []})
    same('an empty one replaces it', [], service.get('/v1/control/wc').json()['tags'])
    if '://' not in service.database:
        half_control(service, control)
    for name, tag in (('threshold', {'threshold': '2 weeks'}), ('report', {'report': 'loud'}),
                      ('times', {'times': -1}), ('tag', {'tag': ''})):
        tag = {'tag': 't', 'threshold': '', 'report': 'light', 'times': 1, **tag}
        same(f'a wrong {name} is refused', 400, service.ask(
            'PUT', '/v1/control/wc', {'schema': 1, 'tags': [tag]}).status)


def half_control(service, control):
    """A tag that the database does not take, as on a full disk."""
    service.ask('PUT', '/v1/control/half', control)
    with sqlite3.connect(service.database) as database:
        database.execute("CREATE TRIGGER full BEFORE INSERT ON control WHEN NEW.tag = 'zz' "
                         "BEGIN SELECT RAISE(ABORT, 'full'); END")
    database.close()
    tag = {'tag': 'zz', 'threshold': '', 'report': 'light', 'times': 1}
    same('half a control file leaves the one that was there', (503, 3), (
        service.ask('PUT', '/v1/control/half', {'schema': 1, 'tags': [
            {**tag, 'tag': 'a'}, tag]}).status,
        len(service.get('/v1/control/half').json()['tags'])))


# ---- tokens ------------------------------------------------------------------------------------

def test_tokens(service):
    def made(*options):
        return service.chore(*options).stdout.strip()
    write = made('--add-token=w')
    only = made('--add-token=only', '--program=wc')
    read = made('--add-token=r', '--scopes=read')
    one = lambda token, program='wc': service.post(
        '/v1/costs', summary(row('f', [1]), program=program), token=token).status
    ask = lambda token, method, path, body=None: service.ask(method, path, body, token=token).status
    same('without a token nothing is written', 401, one('none-at-all'))
    same('nor read', 401, ask('', 'GET', '/v1/costs') if not service.token else
         service.ask('GET', '/v1/costs', token='x').status)
    same('a token writes, and reads nothing', (201, 403),
         (one(write), ask(write, 'GET', '/v1/costs')))
    same('a token of a program writes for no other', (201, 403), (one(only), one(only, 'other')))
    same('a reading token does not write', (403, 200), (one(read), ask(read, 'GET', '/v1/costs')))
    same('neither changes control files', (403, 403),
         tuple(ask(t, 'PUT', '/v1/control/wc', {'schema': 1, 'tags': []}) for t in (write, read)))
    same('a client reads the control file of its program', (200, 403),
         (ask(only, 'GET', '/v1/control/wc'), ask(only, 'GET', '/v1/control/other')))
    same('names are used once', 2, service.chore('--add-token=w').returncode)
    listed = service.chore('--list-tokens').stdout
    check('tokens are listed by name, without themselves', 'only' in listed and 'rvs-' not in listed,
          listed)
    service.chore('--revoke-token=w')
    same('a revoked token is worthless at once', 401, one(write))
    same('a cookie reads', (204, 200), (
        service.post('/login', read, token='').status,
        service.ask('GET', '/v1/costs', token='', headers={'Cookie': f'rvsim={read}'}).status))
    same('a token that does not read makes none', 403, service.post('/login', only, token='').status)
    if '://' not in service.database:
        data = b''.join(open(service.database + end, 'rb').read() for end in ('', '-wal')
                        if os.path.exists(service.database + end))
        check('the database has no token, only hashes', read.encode() not in data and
              only.encode() not in data)


# ---- bad input ---------------------------------------------------------------------------------

def test_names(service):
    """Any text is a valid name."""
    names = ["x'; DROP TABLE cost; --", '"; DELETE FROM function; --', '<script>alert(1)</script>',
             '$1', '%s%n', '\u202e\U0001f600', '\\', '{}', "Robert'); --", 'a' * 4096, '?1', "''",
             '{"a",\\"b\\"}', 'NULL', ' a ']
    chance = random.Random(3)           # long ones that cannot be packed, without and with a namespace
    names += [end.join(str(chance.getrandbits(64)) for _ in range(170)) for end in ('', '::')]
    for i, name in enumerate(names):
        label = name[:200]
        answer = service.post('/v1/costs', summary(row(name, [i + 1], module=label),
                                                   program=label, version=label))
        if answer.status != 201 or totals(service, function=name, module=label, program=label,
                                          version=label) != {
                (name, 'cycles', 'inclusive'): (1, i + 1, (i + 1) ** 2)}:
            not_ok(f'a name stays itself: {name[:40]}', answer.status, answer.body)
            break
        service.post('/v1/hangs', hangs(hang(label, name), program=label))
        found = service.get('/v1/hangs', tag=label, program=label).json()['groups']
        if [g['stack'] for g in found] != [[name.replace(';', ':')]]:
            not_ok(f'a frame stays itself: {name[:40]}', found)
            break
    else:
        ok('names that look like SQL, HTML and formats stay names')
    folded = service.get('/v1/costs', cost='cycles', scope='inclusive', format='folded')
    same('all are there', len(names), len(folded.body.splitlines()))


def send_all(service, method, head, size=4 << 20):
    """The status that a client gets which reads nothing before it has sent a body of that size."""
    host, port = service.host.split(':')
    if 'Authorization' not in head:
        head += f'Authorization: Bearer {service.token}\r\n'
    with socket.create_connection((host, int(port)), 20) as one:
        one.sendall(f'{method} /v1/costs HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n'
                    f'{head}\r\n'.encode() + b' ' * size)
        return int(one.recv(100).split()[1])


def test_refusals(service):
    good = row('f', [4])
    bad = {
        'no JSON': '{"schema": 1', 'no object': '[]', 'a number': '7', 'nothing': '',
        'another schema': {**summary(good), 'schema': 2}, 'a short id': {**summary(good), 'id': 'x'},
        'no program': {**summary(good), 'program': ''},
        'more after it': json.dumps(summary(good)) + 'x',
        'a wrong scope': summary({**good, 'scope': 'both'}),
        'no function': summary({**good, 'function': ''}),
        'a function with a line end': summary({**good, 'function': 'a\nb'}),
        'a long function': summary({**good, 'function': 'a' * 4097}),
        'a zero in a name': json.dumps(summary(good)).replace('"f"', '"f\\u0000g"'),
        'half a surrogate': json.dumps(summary(good)).replace('"f"', '"\\ud800"'),
        'no UTF-8': json.dumps(summary(good)).encode().replace(b'"f"', b'"\xff\xfe"'),
        'bucket 64': summary({**good, 'buckets': [{**bucket(2, 4), 'bucket': 64}]}),
        'bucket -1': summary({**good, 'buckets': [{**bucket(2, 4), 'bucket': -1}]}),
        'a count of 0': summary({**good, 'buckets': [{**bucket(2, 4), 'count': 0}]}),
        'a count of half': summary({**good, 'buckets': [{**bucket(2, 4), 'count': 0.5}]}),
        'a count of 2^60': summary({**good, 'buckets': [{**bucket(2, 4), 'count': 2 ** 60}]}),
        'a sum that is too small': summary({**good, 'buckets': [{**bucket(2, 4), 'sum': '3'}]}),
        'a sum that is too large': summary({**good, 'buckets': [{**bucket(2, 4), 'sum': '8'}]}),
        'a sum of 2^64': summary({**good, 'buckets': [{**bucket(2, 4), 'sum': str(2 ** 64)}]}),
        'squares that are too small':
            summary({**good, 'buckets': [{**bucket(2, 4, 7), 'sum_of_squares': '60'}]}),
        'squares of no sum':
            summary({**good, 'buckets': [{**bucket(2, 4), 'sum_of_squares': '40'}]}),
        'deep nesting': '[' * 100000, 'many keys twice': '{"schema":1,"schema":1}',
    }
    refused = {name: service.post('/v1/costs', text).status for name, text in bad.items()}
    same('summaries that are wrong are refused', {name: 400 for name in bad}, refused)
    wrong_hangs = {
        'no stack': {**hang('t'), 'stack': []}, 'no tag': hang('', 'f'),
        'a unit': {**hang('t', 'f'), 'unit': 'weeks'}, 'a frame that is a number':
        {**hang('t'), 'stack': [7]}, 'too deep': hang('t', *['f'] * 1025),
        'negative time': hang('t', 'f', executed=-1)}
    same('hang reports that are wrong are refused', {name: 400 for name in wrong_hangs},
         {name: service.post('/v1/hangs', hangs(report)).status
          for name, report in wrong_hangs.items()})
    same('nothing of them is stored', ({}, []),
         (totals(service), service.get('/v1/hangs').json()['groups']))
    bomb = zstd(b' ' * (1 << 26), 19)
    packed = {'Content-Encoding': 'zstd'}
    same('a bomb of zstd is refused', (413, True),
         (service.post('/v1/costs', bomb, headers=packed).status, len(bomb) < 10000))
    same('cut zstd is refused', 400, service.post('/v1/costs', zstd(b'{}' * 999)[:-4],
                                                   headers=packed).status)
    same('zstd that is none is refused', 400, service.post('/v1/costs', b'{}',
                                                            headers=packed).status)
    same('another packing is refused', 415, service.post(
        '/v1/costs', b'{}', headers={'Content-Encoding': 'gzip'}).status)
    same('who sends all before it reads has the answer', [413, 401, 405, 415] * 10,
         [send_all(service, *what) for _ in range(10) for what in (
             ('POST', ''), ('POST', 'Authorization: Bearer x\r\n', 1 << 20), ('PUT', ''),
             ('POST', 'Content-Encoding: gzip\r\n', 1 << 20))])
    same('too much is refused before it is sent', 413, service.post(
        '/v1/costs', b' ' * (2 << 20)).status)
    paths = {'/nothing': 404, '/v1/costs/': 404, '/v1/hangs/': 404, '/v1/hangs/x': 404,
             '/../../etc/passwd': 404, '/v1/costs?limit=x': 400, '/v1/costs?limit=-1': 400,
             '/v1/costs?limit=99999999': 400, '/v1/costs?after=99999999999': 400,
             '/v1/costs?group=x': 400, '/v1/functions?sort=x': 400, '/v1/database?part=2&of=2': 400,
             '/v1/database?of=0': 200, '/v1/costs?function=%ff': 400, '/v1/control/%ff': 400,
             '/v1/costs?format=pprof': 400, '/v1/costs?format=x': 400, '/v1/costs?scope=x': 400,
             '/v1/functions?scope=both': 400, '/v1/hangs?format=text': 400, '/v1/control/' + 'x' * 5000: 200}
    same('wrong questions are refused', paths,
         {path: service.ask('GET', path).status for path in paths})
    many = {'/healthz': 200, '/healthz%00': 400, '/%00': 400, '/healthz?%00=1': 400,
            '/v1/costs?group=%00program': 400, '/v1/costs?group%00=program': 400}
    many.update({f'/v1/costs?{"&".join(["group=program"] * n)}': status for n, status in (
        (64, 200), (65, 400), (500, 400), (2000, 400))})
    many.update({f'/v1/costs?{"&".join(["x"] * n)}': 400 for n in (65, 3000, 9000)})
    many.update({f'{page}?{"&" * 3000}': status for page, status in (('/nothing', 404),
                                                                     ('/healthz', 400))})
    same('addresses with zero bytes or too many parameters are answered, and refused', many,
         {path: service.ask('GET', path).status for path in many})
    same('and who has too many is told', '{"error":"more than 64 parameters"}',
         service.ask('GET', '/v1/costs?' + 'a&' * 3000).body.decode().strip())
    refused = [service.ask(method, path) for method, path in (
        ('DELETE', '/v1/costs'), ('PUT', '/v1/costs'), ('GET', '/login'), ('POST', '/v1/control/x'))]
    same('methods that are not meant are refused, and the others named',
         [(405, 'POST, GET, HEAD'), (405, 'POST, GET, HEAD'), (405, 'POST'), (405, 'GET, HEAD, PUT')],
         [(answer.status, answer.headers['Allow']) for answer in refused])
    same('huge headers are refused', True, service.ask(
        'GET', '/healthz', headers={'X': 'x' * 100000}).status in (413, 431))


def test_limits(make):
    service = Service(make(), '--max-bytes=2048', rate=20)
    statuses = [service.ask('GET', '/healthz').status for _ in range(150)]
    check('a client that asks too often is told so', statuses[0] == 200 and 429 in statuses and
          statuses.index(429) >= 100, statuses)
    service.stop()
    service = Service(make(), '--open', '--max-bytes=2048')
    same('an open service is read without a token, not written', (200, 401), (
        service.ask('GET', '/v1/costs', token='').status,
        service.post('/v1/costs', summary(row('f', [1])), token='').status))
    same('the limit of a submission holds', (201, 413), (
        service.post('/v1/costs', summary(row('f', [1]))).status,
        service.post('/v1/costs', summary(row('f' * 3000, [1]))).status))
    same('and what is packed keeps it, too', 413, service.post(
        '/v1/costs', zstd(json.dumps(summary(row('f' * 3000, [1]))).encode()),
        headers={'Content-Encoding': 'zstd'}).status)
    service.stop()


# ---- ends --------------------------------------------------------------------------------------

def test_kill(make):
    """Acknowledged summaries survive kill -9; a summary that is sent again counts once."""
    service = Service(make())
    acknowledged, sent, lock = [], [], threading.Lock()
    ends = threading.Event()

    def client(number):
        chance = random.Random(number)
        while not ends.is_set():
            text = summary(row(f'f{chance.randrange(20)}', [chance.randrange(1, 1 << 20)]),
                           id=f'kill-{number}-{chance.randrange(10 ** 12):012}')
            with lock:
                sent.append(text)
            for _ in range(400):
                try:
                    if service.post('/v1/costs', text, timeout=5).status in (200, 201):
                        with lock:
                            acknowledged.append(text)
                        break
                except OSError:
                    time.sleep(0.02)
                except Exception:
                    time.sleep(0.02)
    clients = [threading.Thread(target=client, args=(i,)) for i in range(6)]
    for one in clients:
        one.start()
    port = int(service.host.split(':')[1])
    for _ in range(4):
        time.sleep(0.4)
        service.kill()
        service.start(port)
    time.sleep(0.3)
    ends.set()
    for one in clients:
        one.join()
    service.kill()
    service.start()
    counted = sum(int(r['buckets'][0]['sum']) for text in acknowledged for r in text['functions'])
    same('acknowledged and killed four times: all is there, once',
         (len(acknowledged), counted),
         (sum(v[0] for v in totals(service).values()), sum(v[1] for v in totals(service).values())))
    check('and some were acknowledged', len(acknowledged) > 10 and len(acknowledged) == len(sent),
          len(acknowledged), len(sent))
    again = {service.post('/v1/costs', text).status for text in acknowledged[:20]}
    same('sent again after that it is known', {200}, again)
    same('a signal ends it gracefully', 0, service.stop())


def test_lost(cluster):
    """PostgreSQL goes away and comes back; so does the service."""
    service = Service(cluster.database())
    text = summary(row('f', [1]))
    same('with its server it works', 201, service.post('/v1/costs', text).status)
    cluster.stop('immediate')
    other = summary(row('f', [2]))
    same('without its server it says so', 503, service.post('/v1/costs', other).status)
    cluster.start()
    statuses = [service.post('/v1/costs', other).status for _ in range(12)]
    check('with it again it goes on', 201 in statuses and statuses[-1] == 200, statuses)
    same('and has all once', (2, 3, 5), totals(service)['f', 'cycles', 'inclusive'])
    same('it ends gracefully', 0, service.stop())


def test_full_disk(cluster):
    """A database in a file system that is filled, and then grows."""
    small, pages = tempfile.mkdtemp(prefix='rvsim-small.'), 10 if cluster else 1
    if subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={pages}m', 'tmpfs', small],
                      capture_output=True).returncode != 0:
        print('ok a full disk # SKIP no small file system could be mounted')
        os.rmdir(small)
        return
    try:
        fill_disk(Service(cluster.database_in(small) if cluster else f'{small}/full.db'), small,
                  100 if cluster else 20)
    finally:
        if cluster:
            cluster.drop_last()
        subprocess.run(['umount', small])
        os.rmdir(small)


def fill_disk(service, small, rows):
    """With summaries of this number of rows."""
    acknowledged, refused = 0, []
    for i in range(2000):
        text = summary(*[row(f'function_{i}_{j}', [j + 1]) for j in range(rows)])
        answer = service.post('/v1/costs', text)
        if answer.status != 201:
            refused.append((text, answer))
            if len(refused) == 3:
                break
        else:
            acknowledged += rows
    same('a full disk is told, and to come again', [(503, '1', True)] * 3,
         [(answer.status, answer.headers['Retry-After'],
           b'disk is full' in answer.body or b'No space left' in answer.body)
          for _, answer in refused])
    same('what was acknowledged is there, nothing else', acknowledged,
         sum(v[0] for v in totals(service).values()))
    same('reading goes on', [1, 20], sorted(
        int(service.get('/v1/costs', function=f'function_0_{j}').json()['functions'][0]['sum'])
        for j in (0, 19)))
    subprocess.run(['mount', '-o', 'remount,size=48m', small], check=True)
    same('with room again it is added', [201] * 3,
         [service.post('/v1/costs', text).status for text, _ in refused])
    service.kill()
    service.start()
    same('and is there after kill -9', acknowledged + 3 * rows,
         sum(v[0] for v in totals(service).values()))
    service.stop()


def test_root():
    """A database that root makes belongs to the service, whose user owns the directory."""
    if os.getuid() != 0:
        print('ok a database made by root # SKIP not run by root')
        return
    directory = tempfile.mkdtemp(prefix='rvsim-state.')
    shutil.chown(directory, 'nobody', 'nogroup')
    database = f'{directory}/state.db'
    made = subprocess.run([RVSIM, 'serve', f'--database={database}', '--add-token=early'],
                          capture_output=True, text=True)
    for program in RVSIM, RVSIM + '-service':       # where the user may execute them
        shutil.copy(program, directory)
    service = Service(database, program=f'{directory}/rvsim', user=[
        'setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'])
    same('a token that root made before the first start is good', 201, service.post(
        '/v1/costs', summary(row('f', [1])), token=made.stdout.strip()).status)
    late = service.chore('--add-token=late').stdout.strip()
    same('one that root makes while the service runs is, too', 201, service.post(
        '/v1/costs', summary(row('f', [1])), token=late).status)
    owners = {os.stat(f'{directory}/{name}').st_uid for name in os.listdir(directory)
              if name.startswith('state.db')}
    same('all files are those of the directory\'s owner', {os.stat(directory).st_uid}, owners)
    same('it ends', 0, service.stop())
    shutil.rmtree(directory)


def test_other_role(cluster):
    """The service does not take tables of another role."""
    database = cluster.database()
    Service(database).stop()
    cluster.sql('CREATE ROLE other LOGIN')
    refused = subprocess.run([RVSIM, 'serve', '--listen=127.0.0.1:0', '--database=' +
                              database.replace('user=t', 'user=other')], capture_output=True,
                             text=True)
    check('a service that may not read the tables says so', refused.returncode == 2 and
          'permission denied for table state' in refused.stderr, refused.stderr)


def test_about(service):
    same('it is well', (200, b'ok\n'), (service.get('/healthz').status,
                                       service.get('/healthz').body))
    text = service.get('/v1/openapi.json').json()
    same('the description has every path', True, text['openapi'].startswith('3.1') and
         {'/v1/costs', '/v1/hangs', '/v1/control/{program}', '/metrics'} <= set(text['paths']))
    found = []

    def walk(value):
        if isinstance(value, dict):
            if '$ref' in value:
                at = text
                for part in value['$ref'].split('/')[1:]:
                    at = at.get(part, {})
                found.append(bool(at))
            for part in value.values():
                walk(part)
        elif isinstance(value, list):
            for part in value:
                walk(part)
    walk(text)
    check('its references lead somewhere', found and all(found))
    wrong = [(path, method) for path, methods in text['paths'].items() for method in methods
             if method == 'get' and '{' not in path and
             service.ask('GET', path).status != 200]
    same('what it describes answers', [], wrong)
    service.post('/v1/costs', summary(row('f', [1])))
    metrics = service.get('/metrics').body.decode()
    values = {line.rpartition(' ')[0]: float(line.rpartition(' ')[2])
              for line in metrics.splitlines() if line and line[0] != '#'}
    same('metrics count requests and submissions', (1, 1), (
        values['rvsim_requests_total{route="submit_costs",status="2xx"}'],
        values['rvsim_submissions_added_total']))
    check('and know the database', values['rvsim_database_bytes'] > 10000, values)


def main():
    make, end, cluster = databases(sys.argv[1])
    chosen = sys.argv[2:]
    try:
        for test in (test_adding, test_questions, test_slices, test_hangs, test_control,
                     test_tokens, test_names, test_refusals, test_about):
            if chosen and test.__name__ not in chosen:
                continue
            service = Service(make())
            test(service)
            same(f'it is still there after {test.__name__[5:]}, and ends', (200, 0),
                 (service.get('/healthz').status, service.stop()))
        for test in test_limits, test_kill:
            if not chosen or test.__name__ in chosen:
                test(make)
        if not cluster and (not chosen or 'test_root' in chosen):
            test_root()
        if cluster and (not chosen or 'test_lost' in chosen):
            test_lost(cluster)
        if cluster and (not chosen or 'test_other_role' in chosen):
            test_other_role(cluster)
        if not chosen or 'test_full_disk' in chosen:
            test_full_disk(cluster)
    finally:
        end()


main()
