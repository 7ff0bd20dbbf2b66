"""Interrupts each command that runs a program: interrupts.py RVSIM PROGRAM

In the run with a given number the program never ends, so that the signal always comes there. Prints
the result of each command: the status, the place at which it reports its end, and the contents of
its files. Keeps the JSON of each command as kept.COMMAND.RUN.json."""
import json, os, re, shutil, signal, subprocess, sys, time

rvsim, program = sys.argv[1:3]

# NAME: options; the runs in which it is interrupted; files that it writes
COMMANDS = {
    '': ('--stats out.json --profile out.prof --oracle', [1], 'out.json out.prof'),
    'stat': ('-r 3 --json out.json --csv out.csv', [1, 2], 'out.json out.csv'),
    'record': ('-g -o out.prof', [1], 'out.prof'),
    'top': ('--json out.json', [1], 'out.json'),
    'compare-profilers': ('--period 101 --json out.json', [1, 2], 'out.json'),
    'tune': ('--period 101 --json out.json', [1, 2], 'out.json'),
    'scan': ('--period 101 --by function --json out.json --output out.csv', [1, 2],
             'out.json out.csv'),
    'thresholds': ('--json out.json', [1, 2, 3], 'out.json'),
    'mem': ('--json out.json', [1], 'out.json'),
    'callers': ('--of work --monitor host --json out.json', [1, 2], 'out.json'),
    'branches': ('--json out.json --output out.csv', [1, 2, 3], 'out.json out.csv'),
    'costs': ('--sweep rate --json out.json --csv out.csv', [1, 2, 3], 'out.json out.csv'),
    'whatif': ('--set rob.entries=64 --set rob.entries=32 --json out.json', [1, 2, 3], 'out.json'),
    'hang': ('--limit work=100 --json out.json', [1, 2], 'out.json'),
    'active': ('--section work --json out.json', [1, 2, 3], 'out.json'),
    'api': ('--json out.json', [1, 2], 'out.json'),
    'sched': ('--json out.json', [1], 'out.json'),
    'lock': ('--json out.json', [1], 'out.json'),
    'idle': ('--json out.json', [1, 2], 'out.json'),
}
# Their documents do not say it, as files of the same form come from other places.
SILENT = {'', 'record', 'hang', 'api', 'sched', 'lock', 'idle'}

def start(name, options, run):
    for file in os.listdir('.'):
        if file.startswith('out.') or file == 'runs':
            os.unlink(file)
    words = [rvsim] + [name] * (name != '') + options.split() + [program, str(run)]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    while (os.path.getsize('runs') if os.path.exists('runs') else 0) < run:
        if process.poll() is not None:
            break
        time.sleep(0.02)
    time.sleep(0.05)
    return process

def interrupt(name, options, run, signals):
    process = start(name, options, run)
    for number in signals:
        process.send_signal(number)
    try:
        return process.communicate(timeout=30) + (process.returncode,)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate() + ('never ended',)

def read(file):
    if not os.path.exists(file):
        return 'absent'
    text = open(file).read()
    if file.endswith('.csv'):
        return 'good' if text.endswith('\n') else 'cut'
    try:
        return json.loads(text)
    except ValueError:
        return 'cut'

def check(name, run, signals):
    options, _, files = COMMANDS[name]
    out, err, status = interrupt(name, options, run, signals)
    wrong = [] if status == 128 + signals[0] else [f'status {status}']
    table = f'^partial: run {run} \\(.*\\) ended after [0-9,]+ instructions?'
    if name not in ('', 'record') and not re.match(table, out.splitlines()[-1]):
        wrong.append(f'standard output ends with {out[-80:]!r}')
    if name != '' and f'interrupted' not in err and 'stopped by a signal' not in err:
        wrong.append(f'standard error: {err[-80:]!r}')
    for file in files.split():
        document = read(file)
        if file == 'out.json' and name != '' and document not in ('absent', 'cut'):
            shutil.copy(file, f'kept.{name}.{run}.json')
        if document in ('absent', 'cut'):
            wrong.append(f'{file} is {document}')
        elif file.endswith('.json') and name not in SILENT and (
                document['interrupted']['run'] != run or
                document['interrupted']['instructions'] <= 0):
            wrong.append(f'{file}: {document["interrupted"]}')
    return ', '.join(wrong) if wrong else 'good'

def names():
    text = subprocess.run([rvsim, 'help'], capture_output=True, text=True).stdout
    found = re.findall(r'^  ([a-z-]+) .*app\.elf \[arguments\]', text, re.M)
    return set(found) - {'view'} | {''}

print('commands', 'all' if names() == set(COMMANDS) else names() ^ set(COMMANDS))
turn = 0
for name, (_, runs, _) in COMMANDS.items():
    for run in runs:
        turn += 1
        signals = ([signal.SIGINT], [signal.SIGTERM], [signal.SIGINT, signal.SIGINT],
                   [signal.SIGHUP])[turn % 4]
        print(name or 'run', run, check(name, run, signals))

# ---- what is shown is true ----------------------------------------------------------------------

def quietly(name, options, run):
    """The same command, not interrupted, of that run's program."""
    for file in os.listdir('.'):
        if file.startswith('whole.') or file == 'runs':
            os.unlink(file)
    words = [rvsim] + [name] * (name != '') + options.split() + [program, str(run)]
    subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=60)

def branches(file, *keys):
    return [tuple(one[key] for key in keys) for one in sorted(
        json.load(open(file))['branches'], key=lambda one: one['address'])]

interrupt('branches', COMMANDS['branches'][0], 1, [signal.SIGINT])
end = json.load(open('out.json'))['interrupted']['instructions']
quietly('branches', f'--json whole.json --max-insns {end}', 1)
print('executions until an interruption', branches('out.json', 'address', 'executed') ==
      branches('whole.json', 'address', 'executed') != [])
print('no other kind', {key for one in json.load(open('out.json'))['branches'] for key in one} &
      {'taken', 'not_taken', 'mispredicted', 'cycles_lost'} or 'none')

interrupt('costs', COMMANDS['costs'][0], 3, [signal.SIGINT])
document = json.load(open('out.json'))
quietly('', '--quiet --stats whole.json', 9)
whole = json.load(open('whole.json'))
print('cycles of a whole run', document['cycles'] == whole['cycles'])
print('points', [len(sweep['points']) for sweep in document['sweeps']])

# ---- more than one signal -----------------------------------------------------------------------

def wait_for(what):
    end = time.time() + 30
    while not what() and time.time() < end:
        time.sleep(0.02)

class Slow:
    """A run whose statistics go to a pipe that has no reader yet, interrupted a number of times."""
    def __init__(self, name, signals):
        os.mkdir(name)
        os.mkfifo(f'{name}/stats.json')
        self.name, self.signals, self.sent = name, signals, 0
        self.process = subprocess.Popen([rvsim, '--stats', 'stats.json', program, '1'], cwd=name,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
    def is_running(self):
        return os.path.exists(f'{self.name}/runs') and os.path.getsize(f'{self.name}/runs') > 0
    def read(self):
        text = subprocess.run(['timeout', '20', 'cat', f'{self.name}/stats.json'],
                              capture_output=True, text=True).stdout
        return json.loads(text or '{"result": {"reason": "nothing was written"}}')
    def interrupt(self):
        if self.sent < self.signals:
            self.process.send_signal(signal.SIGINT)
        self.sent += 1

slow = {signals: Slow(f'slow{signals}', signals) for signals in (1, 2, 3)}
given = Slow('given', 2)
for one in (given, *slow.values()):
    wait_for(one.is_running)
for turn in range(3):
    for one in (given, *slow.values()):
        one.interrupt()
    time.sleep(1.2)
print('signals: after one signal it waits:', slow[1].process.poll() is None)
print('signals: after a third it ends:', slow[3].process.poll() == -signal.SIGINT)
print('signals: after two it goes on:', given.process.poll() is None and slow[2].process.poll() is None)
document = given.read()
err = given.process.communicate(timeout=30)[1]
print('signals: what it had is written:', document['result']['reason'] == 'interrupted',
      given.process.returncode == 130,
      'interrupted again: at most 5 s are left' in err)
print('signals: for a while:', slow[2].process.wait(timeout=30) == -signal.SIGINT,
      slow[1].read()['result']['reason'] == 'interrupted')

# ---- a closed terminal --------------------------------------------------------------------------

os.path.exists('runs') and os.unlink('runs')
patient = subprocess.Popen([rvsim, '--quiet', program, '1'], stdin=subprocess.DEVNULL,
                           preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
wait_for(lambda: os.path.exists('runs') and os.path.getsize('runs') > 0)
patient.send_signal(signal.SIGHUP)
time.sleep(0.3)
print('signals: under nohup a closed terminal ends nothing:', patient.poll() is None)
patient.send_signal(signal.SIGTERM)
print('signals: something else does:', patient.wait(timeout=30) == 128 + signal.SIGTERM)
