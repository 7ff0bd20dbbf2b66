"""A page in a headless Chromium, over its debugging pipe: keys, sizes, colour schemes."""
import json
import os
import subprocess
import time


class Browser:
    def __init__(self, program):
        from_us, to_browser = os.pipe()
        from_browser, to_us = os.pipe()

        def place():                    # Chromium reads descriptor 3 and writes descriptor 4
            kept = os.dup(from_us), os.dup(to_us)
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        self.process = subprocess.Popen(
            [program, '--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe',
             f'--user-data-dir={os.getcwd()}/keys', 'about:blank'], preexec_fn=place,
            close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(from_us)
        os.close(to_us)
        self.out, self.answers = os.fdopen(to_browser, 'wb'), os.fdopen(from_browser, 'rb')
        self.session, self.number, self.rest = None, 0, b''
        page = next(target['targetId'] for target in self.ask('Target.getTargets')['targetInfos']
                    if target['type'] == 'page')
        self.session = self.ask('Target.attachToTarget', targetId=page, flatten=True)['sessionId']

    def ask(self, method, **parameters):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        self.out.write(json.dumps(message).encode() + b'\0')
        self.out.flush()
        while True:
            answer = self.read()
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(answer['error'])
                return answer['result']

    def read(self):
        while b'\0' not in self.rest:
            part = os.read(self.answers.fileno(), 65536)
            if part == b'':
                raise RuntimeError('the browser has ended')
            self.rest += part
        text, _, self.rest = self.rest.partition(b'\0')
        return json.loads(text)

    def value(self, script):
        return self.ask('Runtime.evaluate', expression=script,
                        returnByValue=True)['result'].get('value')

    def wait(self, script, seconds=30):
        """The script's value as soon as it is true; else the last one."""
        end = time.time() + seconds
        while not (found := self.value(script)) and time.time() < end:
            time.sleep(0.05)
        return found

    def key(self, name):
        text = {'Enter': '\r'}.get(name, name if len(name) == 1 else '')
        codes = {'Enter': 13, 'ArrowDown': 40, 'ArrowUp': 38}
        code = {'windowsVirtualKeyCode': codes[name]} if name in codes else {}
        self.ask('Input.dispatchKeyEvent', type='keyDown', key=name, text=text, **code)
        self.ask('Input.dispatchKeyEvent', type='keyUp', key=name, **code)

    def open(self, address, width, scheme):
        self.ask('Emulation.setDeviceMetricsOverride', width=width, height=800,
                 deviceScaleFactor=1, mobile=width < 500)
        self.ask('Emulation.setEmulatedMedia',
                 features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        self.ask('Page.navigate', url='about:blank')
        self.ask('Page.navigate', url=address)

    def close(self):
        self.process.kill()
        self.process.wait()
