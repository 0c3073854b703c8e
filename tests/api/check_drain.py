"""check_drain.py - after SIGTERM, an upload in progress completes and no new one
starts.
"""
import os
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import trace
from talk.raw import answer, check, closed, head, opened, verdict
from talk.server import Server


def under_way(server, sock):
    """Sends half of an upload; returns the other half."""
    body = trace()
    sock.sendall(head(server, len(body)) + body[:700])
    time.sleep(0.5)
    return body[700:]


with Server("--drain_s", "20") as server:
    with opened(server) as sock, opened(server) as kept:
        kept.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        check(answer(kept)[0] == 200, "an answer on a keep-alive connection")
        rest = under_way(server, sock)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(1)
        check(server.process.poll() is None, "the server waits for the upload")
        try:
            opened(server, 2).close()
            check(False, "a new connection is refused")
        except OSError:
            check(True, "a new connection is refused")
        sock.sendall(rest)
        status, text = answer(sock)
        check(status == 202, text)
        check("\r\nConnection: close\r\n" in text, text)
        check(server.process.wait(20) == 0, "a clean exit after the upload")

with Server("--drain_s", "1") as impatient:
    with opened(impatient) as sock:
        under_way(impatient, sock)
        began = time.monotonic()
        impatient.process.send_signal(signal.SIGTERM)
        check(impatient.process.wait(30) == 0, "a clean exit with an upload in progress")
        check(1 <= time.monotonic() - began < 15, "the exit comes after the drain time")
        check(closed(sock), "the connection of that upload is closed")
    verdict(server, impatient)
