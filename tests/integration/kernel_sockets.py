"""The host's side of tests/programs/kernel/sockets.c: prints its port and one at which no program
listens, then serves until it is ended."""
import socket
import socketserver
import time


class Talk(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            words = line.split()
            if words[0] == b'close':
                return
            if words[0] == b'sink':
                time.sleep(0.05)        # so that the writer has to wait
                self.wfile.write(b'%d' % len(self.rfile.readline()))
                continue
            if words[0] == b'late':
                time.sleep(0.05)
            bytes_ = int(words[-1])
            self.wfile.write((b'0123456789' * (bytes_ // 10 + 1))[:bytes_])


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


# The port is taken, so that no other program can listen there.
with Server(('127.0.0.1', 0), Talk) as server, socket.socket() as silent:
    silent.bind(('127.0.0.1', 0))
    print(server.server_address[1], silent.getsockname()[1], flush=True)
    server.serve_forever()
