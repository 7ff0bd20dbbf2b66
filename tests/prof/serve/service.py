"""A service of its own for a test: started, asked, killed. Reports cases as the other tests do.

Databases: "sqlite", a file in the current directory; "postgresql", a cluster of this test's own
(initdb, socket in a directory that an ordinary user may enter), with a database for each service.
"""
import ctypes
import ctypes.util
import glob
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

RVSIM = os.environ['RVSIM']


def ok(name):
    print(f'ok {name}', flush=True)


def not_ok(name, *why):
    print(f'not ok {name}')
    for line in why:
        print(*(f'#   {part}' for part in str(line).splitlines()[:12]), sep='\n')
    sys.stdout.flush()


def same(name, expected, found):
    if expected == found:
        ok(name)
    else:
        not_ok(name, f'expected {expected!r}'[:900], f'found    {found!r}'[:900])


def check(name, holds, *why):
    if holds:
        ok(name)
    else:
        not_ok(name, *why)


_zstd = ctypes.CDLL(ctypes.util.find_library('zstd') or 'libzstd.so.1')
_zstd.ZSTD_compress.restype = ctypes.c_size_t
_zstd.ZSTD_compressBound.restype = ctypes.c_size_t


def zstd(data, level=3):
    room = _zstd.ZSTD_compressBound(ctypes.c_size_t(len(data)))
    out = ctypes.create_string_buffer(room)
    size = _zstd.ZSTD_compress(out, ctypes.c_size_t(room), data, ctypes.c_size_t(len(data)), level)
    return out.raw[:size]


class Cluster:
    """A PostgreSQL of its own. None where the server's programs are missing."""

    def __init__(self):
        self.bin = sorted(glob.glob('/usr/lib/postgresql/*/bin'))[-1]
        self.dir = tempfile.mkdtemp(prefix='rvsim-pg.')
        self.made = 0
        self.user = []
        if os.getuid() == 0:
            shutil.chown(self.dir, 'nobody', 'nogroup')
            self.user = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups']
        self.run('initdb', '-D', 'data', '-U', 't', '-A', 'trust', '-N', '-E', 'UTF8',
                 '--locale=C.UTF-8')
        self.start()

    @staticmethod
    def is_installed():
        return bool(glob.glob('/usr/lib/postgresql/*/bin/initdb'))

    def run(self, program, *words):
        return subprocess.run([*self.user, f'{self.bin}/{program}', *words], cwd=self.dir,
                              env={**os.environ, 'HOME': self.dir}, check=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self):
        self.run('pg_ctl', '-D', 'data', '-w', '-l', 'log', '-o',
                 f"-k {self.dir} -c listen_addresses=''", 'start')

    def stop(self, how='fast'):
        self.run('pg_ctl', '-D', 'data', '-m', how, 'stop')

    def sql(self, text):
        self.run('psql', '-h', self.dir, '-U', 't', '-d', 'postgres', '-qc', text)

    def database(self, tablespace='pg_default'):
        self.made += 1
        self.sql(f'CREATE DATABASE d{self.made} TABLESPACE {tablespace}')
        return f'postgresql:///d{self.made}?host={self.dir}&user=t'

    def database_in(self, directory):
        """A database whose tables are in this directory; all else is not."""
        if self.user:
            shutil.chown(directory, 'nobody', 'nogroup')
        self.sql(f"CREATE TABLESPACE small LOCATION '{directory}'")
        return self.database('small')

    def drop_last(self):
        """Drops the database that database_in made."""
        self.sql(f'DROP DATABASE d{self.made} WITH (FORCE)')
        self.sql('DROP TABLESPACE small')

    def close(self):
        self.stop('immediate')
        shutil.rmtree(self.dir, ignore_errors=True)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


class Service:
    def __init__(self, database, *options, rate=0, user=(), program=RVSIM):
        self.database = database
        self.program = [*user, program]
        self.options = [f'--database={database}', f'--rate={rate}', *options]
        self.token = ''
        self.start()

    def start(self, port=0):
        self.process = subprocess.Popen(
            [*self.program, 'serve', f'--listen=127.0.0.1:{port}', *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith('address: '):
            raise RuntimeError(self.process.stderr.read())
        self.address = line.split()[1]
        self.host = urllib.parse.urlsplit(self.address).netloc
        words = self.process.stdout.readline().split()
        if words[1].startswith('rvs-'):
            self.token = words[1]

    def ask(self, method, path, body=None, token=None, headers=None, timeout=30):
        connection = http.client.HTTPConnection(self.host, timeout=timeout)
        head = dict(headers or {})
        token = self.token if token is None else token
        if token:
            head['Authorization'] = f'Bearer {token}'
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        try:
            try:
                connection.request(method, path, body, head)
            except (BrokenPipeError, ConnectionResetError):
                pass                    # refused before all of it was sent: the answer says why
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def get(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        return self.ask('GET', path + ('?' + query if query else ''))

    def post(self, path, body, **more):
        return self.ask('POST', path, body, **more)

    def stop(self, by=signal.SIGTERM):
        self.process.send_signal(by)
        self.process.wait(30)
        return self.process.returncode

    def kill(self):
        self.process.kill()
        self.process.wait()

    def chore(self, *options):
        return subprocess.run([RVSIM, 'serve', f'--database={self.database}', *options],
                              capture_output=True, text=True)


def bucket(at, *costs):
    """The bucket `at` of these costs, as a submission has it."""
    found = {'count': len(costs), 'sum': str(sum(costs)),
             'sum_of_squares': str(sum(n * n for n in costs))}
    if at is not None:
        found['bucket'] = at
    return found


def row(function, costs, cost='cycles', scope='inclusive', **more):
    """A row of a submission: costs in their buckets."""
    by = {}
    for n in costs:
        by.setdefault(n.bit_length() - 1 if n else None, []).append(n)
    return {'function': function, 'cost': cost, 'scope': scope,
            'buckets': [bucket(at, *by[at]) for at in by], **more}


_ids = 0


def summary(*rows, program='wc', version='1', id=None):
    global _ids
    _ids += 1
    return {'schema': 1, 'id': id or f'test-summary-{os.getpid()}-{_ids:06}', 'program': program,
            'version': version, 'functions': list(rows)}


def hangs(*reports, program='wc', version='1', id=None):
    found = summary(program=program, version=version, id=id)
    del found['functions']
    found['hangs'] = list(reports)
    return found


def hang(tag, *stack, executed=2000000, **more):
    return {'tag': tag, 'threshold': 1000000, 'executed': executed, 'unit': 'ns',
            'stack': list(stack), **more}


def totals(service, **selection):
    """{(function, cost, scope): (count, sum, squares)} of all pages."""
    found, after = {}, 0
    while after is not None:
        page = service.get('/v1/costs', after=after, **selection).json()
        for entry in page['functions']:
            found[entry['function'], entry['cost'], entry['scope']] = (
                entry['count'], int(entry['sum']), int(entry['sum_of_squares']))
        after = page.get('next')
    return found
