"""Assert timers report to a service (U6, U8): the same program natively, under qemu and simulated."""
import re
import socket

from service import *

SIMULATED = [RVSIM, '--quiet', '--mode', 'fast', '--os', 'kernel', '--harts', '2', '--connect']
WAYS = {
    'natively': lambda host: ['./native'],
    'without a race': lambda host: ['./races'],
    'under qemu': lambda host: ['qemu-riscv64', './guest'],
    'simulated': lambda host: [*SIMULATED, host, './guest'],
}


def run(how, service, program, *words, token=None, address=None, host=None):
    command = WAYS[how](host or service.host)
    return subprocess.run([*command, address or service.address,
                           service.token if token is None else token, program, *words],
                          capture_output=True, text=True, timeout=100)


def counts(alarms, sent=0, silent=0, dropped=0, refused=0, control='yes'):
    return (f'alarms {alarms} sent {sent} silent {silent} dropped {dropped} refused {refused} '
            f'control {control}\n')


def groups(service, program):
    found = service.get('/v1/hangs', program=program).json()['groups']
    return {(group['tag'], ';'.join(group['stack'])): group['reports'] for group in found}


def control(service, program, *tags):
    body = {'schema': 1, 'tags': [dict(zip(('tag', 'threshold', 'report', 'times'), tag))
                                  for tag in tags]}
    path = '/v1/control/' + urllib.parse.quote(program, safe='')
    if service.ask('PUT', path, json.dumps(body).encode()).status != 204:
        not_ok('a control file')


def by_tag(service, program):
    """The place at which an alarm finds the thread depends on the clock; the functions above it do
    not."""
    found = {}
    for (tag, stack), reports in groups(service, program).items():
        under = stack.split(';')[:4]
        found[tag, ';'.join(under)] = found.get((tag, ';'.join(under)), 0) + reports
    return found


def test_once(service):
    for how in WAYS:
        program = how.replace(' ', '-')
        done = run(how, service, program, 'alarms', 'save', '2')
        same(f'alarms are sent, {how} (U6)', counts(2, sent=2), done.stdout + done.stderr)
        found = by_tag(service, program)
        if how in ('under qemu', 'without a race'):     # asking for the time leaves the program's
            same(f'and stored once, {how} (U8)', [2], [sum(found.values())])
        else:
            same(f'and stored once, grouped by tag and stack, {how} (U8)',
                 {('save', 'main;do_alarms;save;save_file'): 2}, found)
    done = run('simulated', service, 'simulated', 'alarms', 'save', '2')
    same('another program gives another group (U8)', 'load',
         (run('simulated', service, 'simulated', 'alarms', 'load', '1'),
          [tag for tag, _ in by_tag(service, 'simulated') if tag != 'save'][0])[1])
    secrets = {os.getcwd(), socket.gethostname(), '/'}
    last = b''.join(service.get(f'/v1/hangs/{group["group"]}').body for group in
                    service.get('/v1/hangs').json()['groups'])
    same('no path and no host leaves (P8)', [], [s for s in secrets if s.encode() in last])


def test_control(service):
    program = 'a "strange" name'
    control(service, program, ('save', '', 'light', 1), ('quick', '10s', 'light', 9),
            ('quiet', '', 'none', 9), ('all', '', 'full', 9), ('*', '', 'light', 9))
    for how in ('natively', 'simulated'):
        out = run(how, service, program, 'alarms', 'save', '3').stdout
        same(f'as many are reported as the control file says, {how} (U6)',
             counts(3, sent=1, silent=2), out)
        out = run(how, service, program, 'alarms', 'quick', '1').stdout
        same(f'its threshold holds, {how} (U6)', counts(0), out)
        out = run(how, service, program, 'alarms', 'quiet', '1').stdout
        same(f'"none" is not watched, {how} (U6)', counts(0), out)
        out = run(how, service, program, 'alarms', 'a tag', '1').stdout
        same(f'"*" is for all others, {how} (U6)', counts(1, sent=1), out)
    threads = {}
    for _ in range(5):              # a busy host may not let the other thread answer in time
        run('natively', service, program, 'threads', 'all')
        last = [service.get(f'/v1/hangs/{group["group"]}').json()['last_reports'][0]['report']
                for group in service.get('/v1/hangs', program=program).json()['groups']]
        threads = {report['tag']: [stack[0] for stack in report.get('threads', [])]
                   for report in last}
        if threads['all']:
            break
    same('"full" has the stacks of the other threads, "light" has not (U6, U7)',
         (['other'], []), (threads['all'], threads['save']))
    for how in ('natively', 'simulated'):
        control(service, how, ('other', '1s', 'light', 1))
        process = subprocess.Popen([*WAYS[how](service.host), service.address, service.token, how,
                                    'change', 'save'], stdout=subprocess.PIPE, text=True)
        time.sleep(0.3)
        control(service, how, ('save', '7ms', 'light', 1))
        same(f'a control file that changes is fetched while the program runs, {how} (U6)',
             'changed to 7000000\n' + counts(0), process.communicate(timeout=100)[0])


def test_refused(service):
    for how in ('natively', 'simulated'):
        done = run(how, service, 'editor', 'alarms', 'save', '1', token='rvs-wrong')
        same(f'with a wrong token all is refused, {how}', counts(1, refused=1, control='no'),
             done.stdout)
        done = run(how, service, 'editor', 'flood', 'save', '1000')
        found = re.search(r'alarms 1000 sent (\d+) silent (\d+) dropped (\d+)', done.stdout)
        check(f'a full queue keeps nobody waiting, {how} (U6)',
              'less than 10 ms: yes' in done.stdout and found and int(found[1]) > 0 and
              sum(map(int, found.groups())) == 1000, done.stdout)
    done = run('simulated', service, 'editor', 'alarms', 'save', '1', host='127.0.0.1:1')
    same('in the simulator no other address is reached than that of --connect',
         counts(1, dropped=1, control='no'), done.stdout)
    check('and a note says so', f'connect to {service.host}: sockets reach the address of '
          '--connect alone' in done.stderr, done.stderr)
    for address in ('https://127.0.0.1', 'http://', 'http://some.where', 'http://127.0.0.1:0',
                    'http://127.0.0.1:99999', 'http://127.0.0.1/path', 'http://[::1'):
        done = run('natively', service, 'editor', 'alarms', 'save', '1', address=address)
        same(f'no service: {address}', (1, 'open: Invalid argument\n'),
             (done.returncode, done.stderr))


def test_down(service):
    host, port = service.host, int(service.host.split(':')[1])
    service.stop()
    for how in ('natively', 'simulated'):
        began = time.monotonic()
        done = run(how, service, 'editor', 'alarms', 'save', '2', host=host)
        took = time.monotonic() - began
        same(f'where no service is the program goes on, and gives up, {how}',
             counts(2, dropped=2, control='no'), done.stdout)
        check(f'after a few times, {how}', took < 20, took)
    process = subprocess.Popen(['./native', f'http://{host}', service.token, 'late', 'alarms',
                                'save', '1'], stdout=subprocess.PIPE, text=True)
    time.sleep(0.2)
    service.start(port)
    same('a report waits for a service that comes back', counts(1, sent=1, control='no'),
         process.communicate(timeout=100)[0])
    same('and is stored once', 1, sum(groups(service, 'late').values()))


service = Service(f'{os.getcwd()}/reports.db')
test_once(service)
test_control(service)
test_refused(service)
test_down(service)
service.stop()
