"""Documents against their schemas: schema_check.py FOLDER [--some] NAME=FILE...

Prints `NAME FILE: valid`, or what is wrong, for each document; for each schema, if it takes its
last document with a member missing, with one too many, or with another version; and each member of
a schema that no document has (not with --some), and each that nothing describes. Of lists above 100 elements, every n-th is
looked at, and the first with other members or types of them."""
import copy, functools, json, os, re, sys, warnings
warnings.simplefilter('ignore')
import jsonschema

folder, pairs = sys.argv[1], sys.argv[2:]
is_some = pairs[0] == '--some'
pairs = pairs[is_some:]
schemas = {name[:-5]: json.load(open(os.path.join(folder, name)))
           for name in os.listdir(folder) if name.endswith('.json')}
store = {f'file:///schema/{name}.json': schema for name, schema in schemas.items()}

@functools.cache                # keeps the results of look-ups
def validator(name):
    base = f'file:///schema/{name}.json'
    return jsonschema.Draft202012Validator(
        schemas[name], resolver=jsonschema.RefResolver(base, schemas[name], store))

def shape(value):
    """The members that it has, and the types of these."""
    if isinstance(value, dict):
        return tuple((key, type(member)) for key, member in value.items())
    return type(value)

def thinned(document, most=100):
    """Of long lists every n-th element, and the first of each shape."""
    if isinstance(document, dict):
        return {key: thinned(value, most) for key, value in document.items()}
    if isinstance(document, list):
        each, seen = len(document) // most + 1, set()
        return [thinned(value, most) for place, value in enumerate(document)
                if place % each == 0 or shape(value) not in seen and not seen.add(shape(value))]
    return document

def refuses(checker, document, change):
    changed = copy.deepcopy(document)
    change(changed)
    return not checker.is_valid(changed)

def at(name, reference):
    """The schema that a $ref of the schema `name` stands for, with the name of its file."""
    file, path = reference.split('#')
    name = file[:-5] if file else name
    node = schemas[name]
    for part in path.strip('/').split('/'):
        node = node[part]
    return name, node

# Documents with these are made by other tests: of one file at the addresses of another
# (sim/host/target_modules_test.sh), of several programs (executed_test.sh), and of interrupted runs (interrupts_test.sh).
ELSEWHERE = re.compile(r'(profile|report)[.]binary: covered|.*: interrupted|common interrupted: .*|'
                       r'branches: counted|branches[.]counted: .*|branches extent: .*|'
                       r'.*: images|common images: .*')

def meet(name, node, where, document, met):
    """Notes the members that a schema has (False), and those that the document has (True).
    document None: there is none, and so every member is noted once."""
    if '$ref' in node:
        other, target = at(name, node['$ref'])
        place = f"{other} {node['$ref'].split('/')[-1]}"
        if document is not None or place not in met:
            met.setdefault(place, True)
            meet(other, target, place, document, met)
    for choice in node.get('anyOf', []) + node.get('oneOf', []):
        meet(name, choice, where, document, met)
    members = node.get('properties', {})
    if document is None:
        for key, member in members.items():
            met.setdefault(f"{where}: {key}", False)
            meet(name, member, f"{where}.{key}", None, met)
    elif isinstance(document, dict):
        for key, value in document.items():
            if key in members:
                met[f"{where}: {key}"] = True
                meet(name, members[key], f"{where}.{key}", value, met)
    for key in 'items', 'additionalProperties':
        inner = node.get(key)
        if not isinstance(inner, dict):
            continue
        values = [None] if document is None else \
            document if key == 'items' and isinstance(document, list) else \
            document.values() if key != 'items' and isinstance(document, dict) else []
        for value in values:
            meet(name, inner, where, value, met)

def undescribed(name, node, where):
    """Members without description, of their own or of the definition that they refer to."""
    if not isinstance(node, dict):
        return
    for key, member in node.get('properties', {}).items():
        target = at(name, member['$ref'])[1] if '$ref' in member else {}
        if 'description' not in member and 'description' not in target:
            yield f'{where}.{key}'
        yield from undescribed(name, member, f'{where}.{key}')
    inner = [node.get('items'), node.get('additionalProperties'), *node.get('anyOf', []),
             *node.get('oneOf', [])]
    for part in inner:
        yield from undescribed(name, part, where)
    for key, part in node.get('$defs', {}).items():
        yield from undescribed(name, part, f'{where} {key}')

for name, schema in schemas.items():
    for member in undescribed(name, schema, name):
        print(member, 'is not described')
for schema in schemas.values():
    jsonschema.Draft202012Validator.check_schema(schema)
last, met = {}, {}
for name, schema in schemas.items():
    meet(name, schema, name, None, met)
for pair in pairs:
    name, file = pair.split('=')
    document = thinned(json.load(open(file)))
    errors = sorted(validator(name).iter_errors(document), key=str)
    for error in errors[:3]:
        print(name, file, '/'.join(map(str, error.absolute_path)), error.message[:200])
    if not errors:
        print(f'{name} {file}: valid')
    last[name] = document
    meet(name, schemas[name], name, document, met)
for name, document in sorted(last.items()):
    key = [key for key in document if key != 'schema'][-1]
    changes = [lambda d: d.pop('schema'), lambda d: d.update(schema=2),
               lambda d: d.update(unknown=1), lambda d: d.update({key: 'x'})]
    checker, short = validator(name), thinned(document, 20)    # the changes are outside of its lists
    if not checker.is_valid(short) or \
            not all(refuses(checker, short, change) for change in changes):
        print(name, 'takes what it should refuse')
if is_some:
    sys.exit()
for name in sorted(set(schemas) - set(last) - {'common'}):
    print(name, 'has no document')
for member in sorted(key for key, is_met in met.items() if not is_met):
    if not ELSEWHERE.fullmatch(member):
        print(member, 'is in no document')
