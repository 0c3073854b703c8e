#!/usr/bin/python3
"""health.py - `kernsift health` says whether a server is ready, down, silent or
unhealthy.
"""
import socket
import threading
import time

from harness import Server, equal, kernsift, play


def reports(what, r, status, out, err):
    equal(what, (r.status, r.out, r.err), (status, out, err))


def ready(s, _):
    """a healthy server"""
    reports('ready', kernsift('health', server=s), 0, 'ready\n', '')
    reports('a word', kernsift('health', 'x', server=s), 64, '',
         "kernsift: 'x' is one argument too many for 'kernsift health' "
         "(see 'kernsift health --help')\n")


def away(_, __):
    """no server listens"""
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        url = f'http://127.0.0.1:{free.getsockname()[1]}'
        r = kernsift('health', '--server', url)
    equal('away', (r.status, r.out), (69, ''))
    assert r.err.startswith('kernsift: ') and r.err.count('\n') == 1, r.err


def answering(bytes_):
    """Starts a server that sends these bytes to the first client; returns its
    address."""
    s = socket.create_server(('127.0.0.1', 0))

    def talk():
        c = s.accept()[0]
        c.recv(65536)
        c.sendall(bytes_)
        if not bytes_:
            c.recv(1)
        c.close()
        s.close()
    threading.Thread(target=talk, daemon=True).start()
    return f'http://127.0.0.1:{s.getsockname()[1]}'


def unwell(_, __):
    """a database that is down, and a server that sends nothing"""
    body = b'{"error":{"code":"database","message":"the database is away"}}'
    url = answering(b'HTTP/1.1 503 x\r\nContent-Length: %d\r\n\r\n' % len(body)
                    + body)
    reports('unwell', kernsift('health', '--server', url), 69, '',
         'kernsift: the database is away\n')
    began = time.monotonic()
    reports('silent', kernsift('health', '--server', answering(b'')), 69, '',
         'kernsift: the server did not answer in time\n')
    equal('in time', 4 < time.monotonic() - began < 30, True)


def main():
    with Server() as s:
        play([ready, away, unwell], s, None)


if __name__ == '__main__':
    main()
