"""The service under difficult conditions: TLS, many clients, slow clients."""
import random
import socket
import ssl
import subprocess
import threading
import time

from service import *

LOAD = sys.argv[1]


def load(service, clients, seconds, seed):
    port = service.host.split(':')[1]
    return subprocess.Popen([LOAD, port, service.token, str(clients), str(seconds), '200', '5',
                             str(seed)], stdout=subprocess.PIPE, text=True)


def counted(service):
    groups = service.get('/v1/costs', group='program', cost='cycles').json()['groups']
    return sum(g['count'] for g in groups), sum(int(g['sum']) for g in groups)


def test_load():
    service = Service(f'{os.getcwd()}/load.db')
    found = json.loads(load(service, 32, 3, 1).communicate()[0])
    same('32 clients at once: what they sent is what is there', (found['count'], found['sum']),
         counted(service))
    check('and much was sent', found['acknowledged'] > 100 and found['retries'] == 0, found)
    listed = service.get('/v1/functions', limit=1000).json()['functions']
    same('totals are the sums of the buckets', found['sum'], sum(int(f['sum']) for f in listed))
    # The same with kill -9 at random moments.
    chance, port = random.Random(7), int(service.host.split(':')[1])
    process = load(service, 16, 4, 2)
    for _ in range(5):
        time.sleep(chance.uniform(0.2, 1))
        service.kill()
        service.start(port)
    again = json.loads(process.communicate()[0])
    same('killed at random moments: the same', (found['count'] + again['count'],
                                                found['sum'] + again['sum']), counted(service))
    check('clients had to come again', again['retries'] > 0, again)
    service.stop()


def test_slow():
    service = Service(f'{os.getcwd()}/slow.db', '--connections=200')
    host, port = service.host.split(':')
    slow = [socket.create_connection((host, int(port))) for _ in range(80)]
    for i, one in enumerate(slow):
        one.sendall(b'POST /v1/costs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ' +
                    service.token.encode() + b'\r\nContent-Length: 1000\r\n\r\n{' if i % 2 else b'GE')
    begin = time.time()
    statuses = {service.post('/v1/costs', summary(row('f', [i + 1]))).status for i in range(20)}
    check('80 slow clients keep nobody waiting', statuses == {201} and time.time() - begin < 10,
          statuses, time.time() - begin)
    for one in slow:
        one.close()
    garbage = [b'\x16\x03\x01' + b'\xff' * 300, b'\r\n' * 2000, b'GET / HTTP/9.9\r\n\r\n',
               b'POST /v1/costs HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n',
               b'POST /v1/costs HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n',
               b'POST /v1/costs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
               b'GET ' + b'/' * 60000 + b' HTTP/1.1\r\nHost: x\r\n\r\n',
               b'GET /?' + b'a&' * 15000 + b' HTTP/1.1\r\nHost: x\r\n\r\n', bytes(range(256)) * 40]
    for text in garbage:
        with socket.create_connection((host, int(port)), timeout=5) as one:
            try:
                one.sendall(text)
                one.shutdown(socket.SHUT_WR)
                while one.recv(65536):
                    pass
            except OSError:
                pass
    same('garbage ends nothing', (200, 20), (service.get('/healthz').status,
                                             totals(service)['f', 'cycles', 'inclusive'][0]))
    same('it ends gracefully', 0, service.stop())


def trickle(service, keeps):
    """Seconds until the service closes a connection that sends a byte of a head every 0.2 s; of one
    that `keeps`, from its first answer on."""
    host, port = service.host.split(':')
    begin = time.time()
    with socket.create_connection((host, int(port)), timeout=5) as one:
        one.settimeout(0.2)
        if keeps:
            one.sendall(b'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
            begin = time.time()
            time.sleep(1)
            check('it has an answer', b'200 OK' in one.recv(65536))
        try:
            for byte in b'GET /healthz HTTP/1.1\r\nX: ' + b'y' * 100:
                one.sendall(bytes([byte]))
                try:
                    if one.recv(100) == b'':
                        break
                except TimeoutError:
                    pass
        except OSError:
            pass
    return time.time() - begin


def test_trickle():
    service = Service(f'{os.getcwd()}/trickle.db', '--patience=2', '--connections=4')
    for keeps in False, True:
        seconds = trickle(service, keeps)
        check(f'a head that comes byte by byte has its time{", also a second one" * keeps}',
              1 < seconds < 10, seconds)
    slow = [threading.Thread(target=trickle, args=(service, False)) for _ in range(4)]
    for one in slow:
        one.start()
    time.sleep(6)
    same('slow clients in all places give them up', 200, service.get('/healthz').status)
    for one in slow:
        one.join()
    same('it ends gracefully after that, when its terminal is closed', 0,
         service.stop(signal.SIGHUP))


def test_tls():
    made = subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
                           'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'key.pem', '-out',
                           'cert.pem', '-days', '2', '-subj', '/CN=localhost', '-addext',
                           'subjectAltName=IP:127.0.0.1'], capture_output=True)
    if made.returncode != 0:
        print('ok TLS # SKIP openssl made no certificate')
        return
    service = Service(f'{os.getcwd()}/tls.db', '--certificate=cert.pem', '--key=key.pem')
    same('with a certificate the address is https', 'https', service.address.split(':')[0])
    trusted = ssl.create_default_context(cafile='cert.pem')
    head = {'Authorization': f'Bearer {service.token}'}

    def ask(method, path, body=None):
        connection = http.client.HTTPSConnection(service.host, context=trusted, timeout=20)
        connection.request(method, path, body, head)
        answer = connection.getresponse()
        return answer.status, answer.read()
    same('a client that trusts it submits', 201,
         ask('POST', '/v1/costs', json.dumps(summary(row('f', [1]))))[0])
    try:
        http.client.HTTPSConnection(service.host, timeout=20).request('GET', '/healthz')
        not_ok('one that does not refuses')
    except ssl.SSLError:
        ok('one that does not refuses')
    with open('t.csv', 'w') as out:
        out.write('f,cycles,5\n')
    environment = {**os.environ, 'RVSIM_TOKEN': service.token, 'RVSIM_OUTBOX': f'{os.getcwd()}/o'}
    submit = [RVSIM, 'api', '--from', 't.csv', '--submit-as', 'p', '--submit-wait', '--submit',
              service.address]
    done = subprocess.run(submit, env={**environment, 'RVSIM_CA': 'cert.pem'},
                          capture_output=True, text=True, timeout=100)
    same('rvsim is a client of it, too', (0, True), (
        done.returncode, b'"sum":"5","sum_of_squares":"25"' in ask(
            'GET', '/v1/costs?program=p&scope=exclusive')[1]))
    service.stop()
    refused = subprocess.run([RVSIM, 'serve', '--listen=127.0.0.1:0', '--certificate=key.pem',
                              '--key=cert.pem', '--database=x.db'], capture_output=True, text=True)
    same('a certificate that is none is refused', 2, refused.returncode)
    refused = subprocess.run([RVSIM, 'serve', '--listen=127.0.0.1:0', '--database='], timeout=20,
                             capture_output=True, text=True)
    same('so is a database without a name, which would be gone at the end',
         (2, 'rvsim: error: serve: --database \'\': expected FILE|URL\n'),
         (refused.returncode, refused.stderr))


def test_ends():
    """The service is told to end while clients come and go."""
    statuses = set()
    for _ in range(10):
        service = Service(f'{os.getcwd()}/ends.db')
        host, port = service.host.split(':')
        is_over = threading.Event()

        def come_and_go():
            while not is_over.is_set():
                try:
                    with socket.create_connection((host, int(port)), 5) as one:
                        one.sendall(b'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
                        one.recv(1000)
                except OSError:
                    pass                # it has ended

        clients = [threading.Thread(target=come_and_go) for _ in range(8)]
        for client in clients:
            client.start()
        time.sleep(0.05)
        statuses.add(service.stop())
        is_over.set()
        for client in clients:
            client.join()
    same('it ends while clients come and go', {0}, statuses)


for test in test_ends, test_load, test_slow, test_trickle, test_tls:
    test()
