"""A client of gdb's remote protocol that sends packets which gdb would not send:
talk.py SOCKET < lines.

Each line of standard input is a packet's contents, or `raw BYTES` for bytes as they are, both with
Python's escapes. The answer to each packet is printed; there is none to `k`."""
import socket
import sys


def main():
    link = socket.socket(socket.AF_UNIX)
    link.connect(sys.argv[1])
    link.settimeout(20)
    stream = link.makefile("rb")

    def answer():
        while True:
            byte = stream.read(1)
            if byte == b"":
                return "(closed)"
            if byte == b"$":
                break
        text = b""
        while (byte := stream.read(1)) != b"#":
            text += byte
        stream.read(2)
        return text.decode("latin-1")

    for line in sys.stdin.read().splitlines():
        if line.startswith("raw "):
            link.sendall(line[4:].encode().decode("unicode_escape").encode("latin-1"))
            continue
        body = line.encode().decode("unicode_escape").encode("latin-1")
        link.sendall(b"$" + body + b"#%02x" % (sum(body) % 256))
        if line == "k":
            stream.read()
            break
        print(answer())


main()
