"""Documents against their schemas: schema_check.py FOLDER NAME=FILE...

Prints `NAME FILE: valid`, or what is wrong, for each document; and for each schema whether it
refuses its last document with a member missing, with one too many, and with another version."""
import copy, json, os, sys, warnings
warnings.simplefilter('ignore')
import jsonschema

folder = sys.argv[1]
schemas = {name[:-5]: json.load(open(os.path.join(folder, name)))
           for name in os.listdir(folder) if name.endswith('.json')}
store = {f'file:///schema/{name}.json': schema for name, schema in schemas.items()}

def validator(name):
    base = f'file:///schema/{name}.json'
    return jsonschema.Draft202012Validator(
        schemas[name], resolver=jsonschema.RefResolver(base, schemas[name], store))

def refuses(name, document, change):
    changed = copy.deepcopy(document)
    change(changed)
    return not validator(name).is_valid(changed)

for schema in schemas.values():
    jsonschema.Draft202012Validator.check_schema(schema)
last = {}
for pair in sys.argv[2:]:
    name, file = pair.split('=')
    document = json.load(open(file))
    errors = sorted(validator(name).iter_errors(document), key=str)
    for error in errors[:3]:
        print(name, file, '/'.join(map(str, error.absolute_path)), error.message[:200])
    if not errors:
        print(f'{name} {file}: valid')
    last[name] = document
for name, document in sorted(last.items()):
    key = [key for key in document if key != 'schema'][-1]
    changes = [lambda d: d.pop('schema'), lambda d: d.update(schema=2),
               lambda d: d.update(unknown=1), lambda d: d.update({key: 'x'})]
    if not all(refuses(name, document, change) for change in changes):
        print(name, 'takes what it should refuse')
for name in sorted(set(schemas) - set(last) - {'common'}):
    print(name, 'has no document')
