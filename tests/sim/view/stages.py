# The cycles that `rvsim view --save x.json` shows, beside the O3PipeView trace of the same run:
# stages.py TRACE JSON...
import json, sys

NAMES = 'fetch', 'decode', 'rename', 'dispatch', 'issue', 'complete'
IN_ORDER = 'cva6', 'u74'
machine = sys.argv[1].split('.')[0]
trace, one = {}, None
for line in open(sys.argv[1]):
    field = line.rstrip('\n').split(':')
    if field[0] != 'O3PipeView':
        continue
    if field[1] == 'fetch':
        one = trace[int(field[5])] = {'fetch': int(field[2]) // 1000, 'pc': int(field[3], 16)}
    else:
        one[field[1]] = int(field[2]) // 1000
compared = waiting = gone = 0
for path in sys.argv[2:]:
    m = json.load(open(path))
    now, rows = m['cycle'], {row['id']: row for row in m['instructions']}
    for seq, row in rows.items():
        known = trace.get(seq)
        if known is None:                   # in flight when the program ended
            continue
        assert int(row['pc'], 16) == known['pc'], (path, seq)
        for name in NAMES:
            # The trace has the cycle in which a squashed instruction would have been renamed.
            seen = min(now, row.get('left', now) + 1)
            expected = known[name] if 0 < known[name] < seen else 0
            assert row.get(name, 0) == expected, (path, seq, name, row, known)
            compared += 1
        if known['retire']:
            state = 'committed' if known['retire'] < now else 'in flight'
            assert row['state'] == state, (path, row, known)
            assert state == 'in flight' or row['left'] == known['retire'], (path, row, known)
            gone += state == 'committed'
        waits = row.get('waits_for')
        if waits is not None:
            producer = trace[waits]
            assert row['state'] == 'in flight' and not row.get('issue'), (path, row)
            assert rows[waits]['state'] == 'in flight', (path, row)
            assert waits < seq and (producer['complete'] == 0 or producer['complete'] >= now)
            # An instruction issues when its operand is there. In order, some need the operand only
            # after their issue.
            if known['issue']:
                ready = producer['issue' if machine in IN_ORDER else 'complete']
                assert known['issue'] >= ready, (path, row, known, producer)
            waiting += 1
    # All instructions in flight are shown.
    for seq, known in trace.items():
        if known['retire'] >= now > known['fetch']:
            assert rows[seq]['state'] == 'in flight', (path, seq, known)
    committed = sum(0 < known['retire'] < now for known in trace.values())
    assert m['committed'] == committed, (path, m['committed'], committed)
assert gone and waiting, 'nothing waits or commits in what was looked at'
print('compared', compared > 500)
