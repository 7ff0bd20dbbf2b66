"""Requests to rvsim lsp by the JSON-RPC library of Python's language server (pylsp_jsonrpc)."""
import os
import subprocess
import sys
import threading

from pylsp_jsonrpc.dispatchers import MethodDispatcher
from pylsp_jsonrpc.endpoint import Endpoint
from pylsp_jsonrpc.exceptions import JsonRpcException
from pylsp_jsonrpc.streams import JsonRpcStreamReader, JsonRpcStreamWriter

RVSIM = os.environ['RVSIM']
URI = 'file:///here/main.cc'


def same(name, expected, found):
    if expected == found:
        print(f'ok {name}')
    else:
        print(f'not ok {name}\n#   expected {expected!r}\n#   found    {found!r}')


class Server:
    def __init__(self, *words):
        self.process = subprocess.Popen([RVSIM, 'lsp', *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.endpoint = Endpoint(MethodDispatcher(),
                                 JsonRpcStreamWriter(self.process.stdin).write)
        reader = JsonRpcStreamReader(self.process.stdout)
        self.thread = threading.Thread(target=reader.listen, args=(self.endpoint.consume,))
        self.thread.start()

    def ask(self, method, **params):
        try:
            return self.endpoint.request(method, params).result(timeout=30)
        except JsonRpcException as error:
            return error.code

    def tell(self, method, **params):
        self.endpoint.notify(method, params)

    def begin(self):
        self.ask('initialize', processId=None, rootUri=None, capabilities={})
        self.tell('initialized')

    def open(self, text):
        self.tell('textDocument/didOpen', textDocument={
            'uri': URI, 'languageId': 'cpp', 'version': 1, 'text': text})

    def at(self, what, line, character):
        return self.ask(f'textDocument/{what}', textDocument={'uri': URI},
                        position={'line': line, 'character': character})

    def hover(self, line, character):
        found = self.at('hover', line, character)
        return found['contents']['value'] if isinstance(found, dict) else found

    def end(self, method='exit'):
        if method:
            self.tell(method)
        self.process.stdin.close()
        self.thread.join(10)
        return self.process.wait(10)


def table(name, *rows):
    return (f'**`{name}`**\n\n| cost | calls | mean | deviation | distribution |\n'
            '|:--|--:|--:|--:|:--|\n' + ''.join(row + '\n' for row in rows) + '\n')


def test_files():
    with open('costs.csv', 'w') as out:
        out.write('lookup,cycles,90\nlookup,cycles,90\nlookup,cycles,130\n'
                  'text::Index::add(int),cycles,600\nadd_all,allocated,16\n')
    server = Server('--from', 'costs.csv')
    same('before initialize nothing is answered', -32002, server.hover(0, 0))
    found = server.ask('initialize', processId=None, rootUri=None, capabilities={})['capabilities']
    same('it can hover and complete', (True, {}, 1),
         (found['hoverProvider'], found['completionProvider'],
          found['textDocumentSync']['change']))
    server.tell('initialized')
    server.open('int n = lookup(x);\n  /* \u00e9\U0001f600 */ index.add(3);\n'
                '  text::Index::add(4); Index::add(5); other::add(6);\n  ad')
    lookup = table('lookup',
                   '| cycles, exclusive | 3 | 103.3 | 18.9 | `\u2588\u2584` 64 to 255 |',
                   '| cycles, inclusive | 3 | 103.3 | 18.9 | `\u2588\u2584` 64 to 255 |')
    same('hover: the costs of the function', lookup, server.hover(0, 10))
    same('hover: at the word\'s first and last letter', (lookup, lookup),
         (server.hover(0, 8), server.hover(0, 14)))
    same('hover: where no function is', (None, None), (server.hover(0, 5), server.hover(9, 0)))
    same('hover: the word that is meant', {'start': {'line': 0, 'character': 8},
                                           'end': {'line': 0, 'character': 14}},
         server.at('hover', 0, 9)['range'])
    add = server.hover(1, 19)
    same('hover: characters are UTF-16 units; a name of C++ by its last part', True,
         add is not None and add.startswith('**`text::Index::add(int)`**'))
    same('hover: or qualified', (add, add, None),
         (server.hover(2, 16), server.hover(2, 32), server.hover(2, 45)))
    items = server.at('completion', 3, 4)['items']
    same('completion: functions that begin so, with their costs',
         [('add_all', 'mean 16.0 bytes allocated, 1 call'),
          ('text::Index::add(int)', 'mean 600.0 cycles, 1 call')],
         sorted((item['label'], item['detail']) for item in items))
    server.tell('textDocument/didChange', textDocument={'uri': URI, 'version': 2},
                contentChanges=[{'text': 'x'}, {'text': 'lookup'}])
    same('the text changes', lookup, server.hover(0, 1))
    server.tell('textDocument/didClose', textDocument={'uri': URI})
    same('a text that is closed is gone', None, server.hover(0, 1))
    same('what it cannot do', -32601, server.ask('textDocument/definition'))
    same('a request without a place', -32602, server.ask('textDocument/hover'))
    same('shutdown', None, server.ask('shutdown'))
    same('after that nothing is answered', -32600, server.hover(0, 1))
    same('exit after shutdown', 0, server.end())


def test_ends():
    server = Server('--from', 'costs.csv')
    server.begin()
    same('exit without shutdown', 1, server.end())
    server = Server('--from', 'costs.csv')
    same('the end of the input without exit', 1, server.end(None))
    for bad in (b'', b'Content-Length: 5\r\n\r\n{', b'Content-Length: 99999999999\r\n\r\nx',
                b'hello\r\n\r\n', b'Content-Length: -1\r\n\r\n'):
        done = subprocess.run([RVSIM, 'lsp', '--from', 'costs.csv'], input=bad,
                              capture_output=True, timeout=10)
        same(f'input that is no message: {bad[:20]}', (1, b''), (done.returncode, done.stdout))
    done = subprocess.run([RVSIM, 'lsp', '--from', 'costs.csv'],
                          input=b'Content-Length: 3\r\n\r\n{"a', capture_output=True, timeout=10)
    same('a message that is no JSON is answered', True, b'-32700' in done.stdout)


def test_service():
    sys.path.insert(0, os.path.join(os.environ['ROOT'], 'tests/prof/serve'))
    from service import Service, row, summary
    service = Service(f'{os.getcwd()}/lsp.db')
    service.post('/v1/costs', summary(row('lookup', [90, 90, 130]), row('lookup_all', [7])))
    os.environ['RVSIM_TOKEN'] = service.token
    server = Server('--service', service.address)
    server.begin()
    server.open('lookup(); look')
    same('P10: hover with the published costs', table(
        'lookup', '| cycles, inclusive | 3 | 103.3 | 18.9 | `\u2588\u2584` 64 to 255 |'),
        server.hover(0, 2))
    items = server.at('completion', 0, 14)['items']
    same('P10: completion with the published costs', ['lookup', 'lookup_all'],
         sorted(item['label'] for item in items))
    service.stop()
    server.open('lookups()')
    same('the service is gone: that is an error, and the server goes on', (-32803, None),
         (server.hover(0, 2), server.ask('shutdown')))
    same('and it exits', 0, server.end())


test_files()
test_ends()
test_service()
