"""The answers of the service to right and wrong requests agree with its OpenAPI description."""
import re

from jsonschema import Draft202012Validator

from service import *

QUERIES = ('', 'limit=2', 'group=module', 'group=namespace', 'group=version', 'group=program',
           'format=text', 'format=folded&cost=cycles&scope=inclusive',
           'format=pprof&cost=cycles&scope=inclusive', 'nonsense=1', 'search=a&scope=exclusive',
           'since=1', 'part=0&of=2', 'sort=mean&offset=1', 'program=wc&version=1', 'tag=save')


def resolve(value, root):
    """The same without references."""
    if isinstance(value, list):
        return [resolve(one, root) for one in value]
    if not isinstance(value, dict):
        return value
    if '$ref' in value:
        at = root
        for part in value['$ref'].split('/')[1:]:
            at = at[part]
        return resolve(at, root)
    return {key: resolve(one, root) for key, one in value.items()}


def wrong_with(operation, answer):
    """The reason that the answer is not as described; None: the answer is as described."""
    described = operation['responses'].get(str(answer.status))
    if described is None:
        return f'status {answer.status}'
    if 'content' not in described:
        return 'a body' if answer.body else None
    kind = answer.headers['Content-Type'].split(';')[0]
    if kind not in described['content']:
        return kind
    schema = described['content'][kind].get('schema')
    if schema is None:
        return None
    texts = answer.body.decode().splitlines() if kind.endswith('ndjson') else [answer.body]
    for text in texts:
        for error in Draft202012Validator(schema).iter_errors(json.loads(text)):
            return f'{list(error.path)}: {error.message}'[:300]
    return None


def fill(service):
    service.post('/v1/costs', summary(row('a::f(int)', [0, 5, 100], module='libx.so'),
                                      row('g', [7], scope='exclusive')))
    service.post('/v1/costs', summary(row('a::f(int)', [9], 'allocated'), version='2'))
    service.post('/v1/hangs', hangs(hang('save', 'main', 'save'), hang('open', 'main')))
    service.ask('PUT', '/v1/control/wc', {'schema': 1, 'tags': [
        {'tag': 'save', 'threshold': '2ms', 'report': 'full', 'times': 3}]})


def reading(service, path):
    """Answers to requests of all kinds for a path."""
    path = path.replace('{program}', 'wc').replace('{group}', '1')
    for query in QUERIES:
        yield f'{path}?{query}', service.ask('GET', f'{path}?{query}')
    yield f'{path}, another token', service.ask('GET', path, token='none')
    yield f'{path}, none', service.ask('GET', path + ('99' if path.endswith('/1') else ''))


def writing(service, method, path):
    path = path.replace('{program}', 'wc')
    good = {'/v1/costs': summary(row('h', [3])), '/v1/hangs': hangs(hang('t', 'main'))}.get(path)
    bodies = ['{', '{}', b'\xff', 'x' * (2 << 20), json.dumps({'schema': 1, 'tags': []})]
    if good is not None:
        bodies += [good, good, {**good, 'program': 'other'}]
    for body in bodies:
        yield f'{method} {path} {str(body)[:50]}', service.ask(method, path, body)
    yield f'{path}, another token', service.ask(method, path, '{}', token='none')
    yield f'{path}, packed', service.ask(method, path, '{}', headers={'Content-Encoding': 'br'})


def test_answers(service):
    text = service.get('/v1/openapi.json').json()
    for name, schema in text['components']['schemas'].items():
        Draft202012Validator.check_schema(schema)
    wrong, statuses = [], {}
    for path, methods in text['paths'].items():
        for method, operation in methods.items():
            operation = resolve(operation, text)
            answers = (reading(service, path) if method == 'get' else
                       writing(service, method.upper(), path))
            for asked, answer in answers:
                statuses.setdefault(answer.status, []).append(asked)
                why = wrong_with(operation, answer)
                if why:
                    wrong.append(f'{asked}: {why}')
    same('all answers are as they are described', [], wrong)
    same('answers of these kinds', [200, 201, 204, 400, 401, 403, 404, 409, 413, 415],
         sorted(statuses))
    described = resolve(text['paths']['/v1/costs']['post']['requestBody'], text)
    schema = described['content']['application/json']['schema']
    same('a summary is as it is described', [], [error.message for error in Draft202012Validator(
        schema).iter_errors(summary(row('f', [0, 3])))])


def test_metrics(service):
    """The text format 0.0.4: families with HELP and TYPE before their samples, each sample once."""
    answer, types, helps, samples = service.get('/metrics'), {}, set(), set()
    sample = re.compile(r'([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\.)*",?)*\})? (\S+)')
    for line in answer.body.decode().splitlines():
        if line.startswith('# HELP '):
            helps.add(line.split()[2])
        elif line.startswith('# TYPE '):
            _, _, name, kind = line.split()
            if name in types or kind not in ('counter', 'gauge'):
                not_ok('a family has one type', line)
            types[name] = kind
        else:
            match = sample.fullmatch(line)
            if not match or match[1] not in types or match[1] not in helps or \
                    match.group(1, 2) in samples or \
                    (types[match[1]] == 'counter') != match[1].endswith('_total'):
                not_ok('a sample is of a family', line)
                return
            float(match[3])
            samples.add(match.group(1, 2))
    check('metrics are as Prometheus reads them', len(samples) > 10 and answer.headers[
        'Content-Type'].startswith('text/plain; version=0.0.4'), len(samples))


def main():
    service = Service(f'{os.getcwd()}/openapi.db')
    fill(service)
    test_answers(service)
    test_metrics(service)
    same('it ends', 0, service.stop())


main()
