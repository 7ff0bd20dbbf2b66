"""A page in a headless Chromium, over its debugging pipe: texts, keys, sizes, colour schemes.

browser.py PROGRAM FOLDER: for each line of standard input, a file of the folder, NAME.html, writes what
the page has become to NAME.dom, and its own line."""
import json
import os
import select
import subprocess
import sys
import tempfile
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
             f'--user-data-dir={tempfile.mkdtemp(dir=os.getcwd())}', 'about:blank'], preexec_fn=place,
            close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(from_us)
        os.close(to_us)
        self.out, self.answers = os.fdopen(to_browser, 'wb'), os.fdopen(from_browser, 'rb')
        self.session, self.number, self.rest, self.events = None, 0, b'', []
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
            self.events.append(answer.get('method'))

    def read(self, seconds=60):
        while b'\0' not in self.rest:
            if not select.select([self.answers], [], [], seconds)[0]:
                raise RuntimeError('the browser does not answer')
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

    def dom(self, address, milliseconds):
        """What the page has become when that much time has passed for it, which is not waited for."""
        self.ask('Page.navigate', url='about:blank')
        self.ask('Page.navigate', url=address)
        self.events = []
        self.ask('Emulation.setVirtualTimePolicy', policy='pauseIfNetworkFetchesPending',
                 budget=milliseconds)
        while 'Emulation.virtualTimeBudgetExpired' not in self.events:
            self.events.append(self.read().get('method'))
        return self.value('document.documentElement.outerHTML')

    def close(self):
        self.process.kill()
        self.process.wait()


def main():
    browser = Browser(sys.argv[1])
    for line in sys.stdin:
        name = line.strip()
        text = browser.dom(f'file://{sys.argv[2]}/{name}', 3000)
        with open(name.removesuffix('.html') + '.dom', 'w') as file:
            file.write(text)
        print(name, flush=True)
    browser.close()


if __name__ == '__main__':
    main()
