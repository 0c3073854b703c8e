"""check_slow.py - a body that is sent too slowly, or not at all, gets 408.

The connection is then closed. The minimum rate is 4 KiB/s after the first 10 s. In the
first case one byte is sent every half second, in the second case none. A fast upload to
the same server at the same time must succeed.
"""
import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import OPEN, trace
from talk.raw import answer, check, closed, head, opened, verdict
from talk.server import Server

SENTENCE = ('{"error":{"code":"timeout","message":"the body arrives too slowly; '
            'see --upload-min-kib"}}\n')


def slow(server, kind, path, pause, answers):
    with opened(server) as sock:
        sock.sendall(head(server, 100000, path=path) + OPEN)
        sock.settimeout(pause)
        began, data = time.monotonic(), b""
        while time.monotonic() - began < 40 and b"\r\n\r\n" not in data:
            try:
                data += sock.recv(65536)
            except TimeoutError:
                if kind == "trickle":
                    sock.sendall(b" ")
        took = time.monotonic() - began
        sock.settimeout(30)
        answers.append((kind, path, data.decode(), took, closed(sock)))


with Server() as server:
    answers, threads = [], []
    for kind in ("trickle", "silent"):
        for path in ("/api/v1/uploads", "/api/v1/runs/1"):
            threads.append(threading.Thread(target=slow, args=(server, kind, path, 0.5, answers)))
    for t in threads:
        t.start()
    time.sleep(1)
    check(server.ask("POST", "/api/v1/uploads", body=trace())[0] == 202,
          "a fast upload is accepted")
    for t in threads:
        t.join()
    check(len(answers) == 4, "all four were answered")
    for kind, path, data, took, shut in answers:
        what = f"{kind} to {path}: {data!r} after {took:.1f} s"
        check(data.startswith("HTTP/1.1 408 Request Timeout\r\n"), what)
        check(data.endswith(SENTENCE), what)
        check("\r\nConnection: close\r\n" in data, what)
        check(9 < took < 25, what)
        check(shut, f"closed afterwards: {what}")
    status, body = server.ask("GET", "/api/v1/uploads")
    check(body.count(b'"id":') == 1, f"only the fast one is stored: {body}")
    check(server.stop() == 0, "a clean stop")
    verdict(server)
