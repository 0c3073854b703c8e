"""check_drain.py - SIGTERM: an upload in progress completes, and no new one starts."""
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
        check(answer(kept)[0] == 200, "a connection that is kept")
        rest = under_way(server, sock)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(1)
        check(server.process.poll() is None, "it waits for the upload")
        try:
            opened(server, 2).close()
            check(False, "a new connection gets in")
        except OSError:
            check(True, "no new connection")
        sock.sendall(rest)
        status, text = answer(sock)
        check(status == 202, text)
        check("\r\nConnection: close\r\n" in text, text)
        check(server.process.wait(20) == 0, "and ends well")

with Server("--drain_s", "1") as impatient:
    with opened(impatient) as sock:
        under_way(impatient, sock)
        began = time.monotonic()
        impatient.process.send_signal(signal.SIGTERM)
        check(impatient.process.wait(30) == 0, "ends well though one is under way")
        check(1 <= time.monotonic() - began < 15, "after the time it was given")
        check(closed(sock), "whose connection is cut")
    verdict(server, impatient)
