"""rvsim hang as a client (U6, U8): its limits from a control file, its alarms to the service."""
import getpass
import socket
import subprocess

from service import *

os.environ['RVSIM_OUTBOX'] = f'{os.getcwd()}/outbox'


def hang(service, *words):
    return subprocess.run([RVSIM, 'hang', '--no-cost', '--json', 'report.json', *words, 'count'],
                          capture_output=True, text=True, timeout=120,
                          env={**os.environ, 'RVSIM_TOKEN': service.token})


def alarms():
    with open('report.json') as report:
        return [(a['tag'], a['limit']) for a in json.load(report)['alarms']]


def control(service, program, *tags):
    body = {'schema': 1, 'tags': [dict(zip(('tag', 'threshold', 'report', 'times'), tag))
                                  for tag in tags]}
    return service.ask('PUT', f'/v1/control/{program}', json.dumps(body).encode()).status


def test_control(service):
    done = hang(service, '--limit', 'f=201', '--control', service.address)
    same('without a control file the limits are those of the command line (U6)',
         (0, [('f', 201)] * 3), (done.returncode, alarms()))
    done = hang(service, '--control', service.address)
    same('and there must be some', (2, True), (done.returncode, 'has no limit' in done.stderr))
    same('a control file', 204, control(service, 'count', ('f', '202', 'full', 9),
                                        ('g', '300', 'light', 9), ('elsewhere', '5', 'full', 9)))
    done = hang(service, '--limit', 'f=201', '--control', service.address)
    same('it changes a limit and adds one; tags of other versions are left (U6)',
         (0, [('g', 300)]), (done.returncode, alarms()))
    control(service, 'count', ('f', '', 'full', 2), ('*', '100', 'full', 9))
    done = hang(service, '--limit', 'f=201', '--control', service.address)
    same('"*" is for all others; so many are reported, the rest is counted (U6)',
         ([('f', 100)] * 2, True), (alarms(), 'more alarms not reported' in done.stdout))
    control(service, 'count', ('f', '', 'none', 9), ('g', '', 'light', 9))
    done = hang(service, '--limit', 'f=201,g=300', '--control', service.address,
                '--dump', 'light.core')
    same('"none" watches nothing, "light" writes no core (U6)', ([('g', 300)], False),
         (alarms(), os.path.exists('light.core')))
    control(service, 'count', ('g', '', 'full', 9))
    hang(service, '--limit', 'g=300', '--control', service.address, '--dump', 'full.core')
    check('"full" writes one (U6, U7)', os.path.exists('full.core'))


def test_submit(service):
    done = hang(service, '--limit', 'f=201,g=300', '--submit', service.address, '--submit-wait',
                '--submit-as', 'editor,2.0')
    same('alarms are submitted (U8)', (0, True),
         (done.returncode, '1 summaries sent' in done.stderr))
    groups = service.get('/v1/hangs', program='editor').json()['groups']
    same('and are grouped by tag and stack (U8)', [('f', 1), ('f', 2)],
         sorted((g['tag'], g['reports']) for g in groups))
    done = hang(service, '--limit', 'f=201,g=300', '--submit', service.address, '--submit-wait',
                '--submit-as', 'editor,2.0')
    groups = service.get('/v1/hangs', program='editor').json()['groups']
    same('the same report again counts once', 3, sum(g['reports'] for g in groups))
    last = service.get(f'/v1/hangs/{groups[0]["group"]}').body
    secrets = {os.getcwd(), getpass.getuser() + '@', socket.gethostname(), '/'}
    same('no path, host or user leaves (P8)', [], [s for s in secrets if s.encode() in last])
    hang(service, '--limit', 'f=9999999', '--submit', service.address, '--submit-wait')
    same('without an alarm nothing is sent', [],
         service.get('/v1/hangs', program='count').json()['groups'])


service = Service(f'{os.getcwd()}/hangs.db')
test_control(service)
test_submit(service)
service.stop()
