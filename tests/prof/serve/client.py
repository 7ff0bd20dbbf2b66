"""rvsim api as a client: --submit and --compare, and the data that leave a machine."""
import getpass
import re
import socket
import subprocess
import time

from service import *

os.environ['RVSIM_OUTBOX'] = f'{os.getcwd()}/outbox'


def api(*words, token=None):
    environment = {**os.environ, 'RVSIM_TOKEN': token or ''}
    return subprocess.run([RVSIM, 'api', *words], capture_output=True, text=True, env=environment,
                          timeout=120)


def waiting():
    return glob.glob('outbox/*/*.json')


def records(name, lines):
    with open(name, 'w') as out:
        out.writelines(f'{stack},{cost},{n}\n' for stack, cost, n in lines)


def free_port():
    with socket.socket() as one:
        one.bind(('127.0.0.1', 0))
        return one.getsockname()[1]


def test_submit(service):
    records('one.csv', [('main;parse', 'cycles', n) for n in (40, 50, 600)] +
            [('main;parse;malloc', 'allocated', 24)])
    done = api('--from', 'one.csv', '--submit', service.address, '--submit-as', 'p,1.0',
               '--submit-wait', token=service.token)
    same('costs are submitted at the end (P8)', (0, []), (done.returncode, waiting()))
    check('which is said', '1 summaries sent, 0 refused, 0 wait' in done.stderr, done.stderr)
    same('they are those of the records',
         {('main', 'cycles', 'inclusive'): (3, 690, 364100),
          ('parse', 'cycles', 'inclusive'): (3, 690, 364100),
          ('parse', 'cycles', 'exclusive'): (3, 690, 364100),
          ('main', 'allocated', 'inclusive'): (1, 24, 576),
          ('parse', 'allocated', 'inclusive'): (1, 24, 576),
          ('malloc', 'allocated', 'inclusive'): (1, 24, 576),
          ('malloc', 'allocated', 'exclusive'): (1, 24, 576)},
         totals(service, program='p', version='1.0'))
    done = api('--from', 'one.csv', '--submit', service.address, token=service.token)
    same('records have no program by themselves', (2, True),
         (done.returncode, '--submit-as' in done.stderr))
    records('many.csv', [(f'a_function_with_quite_a_long_name_number_{i:05}', 'cycles', n)
                         for i in range(1500) for n in (i + 1, 300 * i + 7)])
    done = api('--from', 'many.csv', '--submit', service.address, '--submit-as', 'many',
               '--submit-wait', token=service.token)
    sent = int(re.search(r'(\d+) summaries sent', done.stderr)[1])
    same('many costs are several summaries, and all arrive', (True, 2 * 1500 * 2), (
        sent > 4, sum(v[0] for v in totals(service, program='many').values())))
    records('long.csv', [('f' * 5000, 'cycles', 5), ('short', 'cycles', 7)])
    done = api('--from', 'long.csv', '--submit', service.address, '--submit-as', 'long',
               '--submit-wait', token=service.token)
    same('a name that no service takes keeps no other costs back', (
        True, {'short'}), ('1 summaries sent, 0 refused' in done.stderr, {
            key[0] for key in totals(service, program='long')}))
    done = api('--from', 'many.csv', '--submit', service.address, '--submit-as', 'share',
               '--submit-share', '20', '--submit-wait', token=service.token)
    picked = {key[0] for key in totals(service, program='share')}
    check('a share of the functions is picked at random (P8)', 200 < len(picked) < 400, len(picked))


def test_background(service):
    begin = time.time()
    done = api('--from', 'one.csv', '--submit', service.address, '--submit-as', 'background',
               token=service.token)
    check('by itself the program does not wait', done.returncode == 0 and
          time.time() - begin < 10, done.stderr)


def test_absent():
    """The service is not there: the summary waits, is sent later, and counts once."""
    port = free_port()
    address = f'http://127.0.0.1:{port}'
    process = subprocess.Popen([RVSIM, 'api', '--from', 'one.csv', '--submit', address,
                                '--submit-as', 'later', '--submit-wait'],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, 'RVSIM_TOKEN': 'x'})
    for _ in range(200):
        if glob.glob(f'outbox/*{port}/*.json'):
            break
        time.sleep(0.05)
    files = glob.glob(f'outbox/*{port}/*.json')
    same('without the service a summary waits in the outbox', 1, len(files))
    text = open(files[0]).read()
    secrets = [getpass.getuser(), socket.gethostname(), os.getcwd(), '/']
    same('it has no user, host or path (P8)', [], [s for s in secrets if s in text])
    check('and is not larger than 128 KiB (P8)', all(os.path.getsize(f) <= 128 << 10
                                                     for f in waiting()))
    service = Service(f'{os.getcwd()}/later.db')
    service.stop()
    service.start(port)
    process.wait(60)        # the summary is sent again by itself; but its token is not known
    same('with a wrong token it still waits', 1, len(glob.glob(f'outbox/*{port}/*.json')))
    done = api('--from', 'one.csv', '--submit', address, '--submit-as', 'now', '--submit-wait',
               token=service.token)
    check('what waited goes with the next ones', '2 summaries sent' in done.stderr, done.stderr)
    same('each once', {'later': 13, 'now': 13}, {
        name: sum(v[0] for v in totals(service, program=name).values()) for name in
        ('later', 'now')})
    service.stop()


def test_compare(service):
    records('published.csv', [(f'main;f{i}', 'cycles', 100 + 7 * n) for i in range(6)
                              for n in range(60)])
    api('--from', 'published.csv', '--submit', service.address, '--submit-as', 'base',
        '--submit-wait', token=service.token)
    records('mine.csv', [(f'main;f{i}', 'cycles', (100 + 7 * n) * (8 if i == 3 else 1))
                         for i in range(6) for n in range(40)] + [('main;new', 'cycles', 5)])
    runs = [api('--from', 'mine.csv', '--compare', service.address, '--seed', '5',
                token=service.token) for _ in range(2)]
    marked = [line.split()[1] for line in runs[0].stdout.splitlines() if line.startswith('* ')]
    same('what is worse than published is marked, nothing else (P10)', ['f3', 'f3'], marked)
    check('also in stacks', '  main;*f3\n' in runs[0].stdout, runs[0].stdout)
    same('the same seed gives the same', runs[0].stdout, runs[1].stdout)
    done = api('--from', 'mine.csv', '--compare', service.address, token='wrong')
    same('a token that is not known is told', (2, True), (done.returncode, '401' in done.stderr))
    done = api('--from', 'mine.csv', '--compare', 'ftp://x')
    same('other addresses are refused', (2, True),
         (done.returncode, 'expected the address of a service' in done.stderr))


def main():
    service = Service(f'{os.getcwd()}/client.db')
    test_submit(service)
    test_background(service)
    test_compare(service)
    service.stop()
    test_absent()


main()
