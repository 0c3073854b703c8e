"""check_many_uploads.py - simultaneous uploads: 8 succeed, and one too many gets 503.

Readers send requests at the same time, so that a race between the two can show.
"""
import concurrent.futures
import hashlib
import json
import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import OPEN
from talk.raw import answer, check, head, opened, verdict
from talk.server import Server

MIB = 1 << 20


def big(n):
    """Returns 2 MiB and some bytes, different for every sender."""
    events = OPEN + b'{"ph":"X","cat":"kernel","name":"k%d","pid":0,"tid":0,' \
        b'"ts":1,"dur":2,"args":{"device":0}}' % n
    return events + b" " * (2 * MIB + n * 1000) + b"]}"


def send(server, n):
    body = big(n)
    status, text = server.ask("POST", f"/api/v1/uploads?name=n{n}", body=body)
    return status, json.loads(text), hashlib.sha256(body).hexdigest(), len(body)


def read(server, stop):
    """Sends requests until it is stopped; returns how many answers were not 200."""
    wrong, sent = 0, 0
    paths = ("/metrics", "/api/v1/uploads", "/api/v1/runs?q=k", "/", "/readyz")
    while not stop.is_set():
        wrong += server.ask("GET", paths[sent % len(paths)])[0] != 200
        sent += 1
    return wrong, sent


with Server("--uploads", "8", "--writers", "2") as server:
    stop = threading.Event()
    readers = concurrent.futures.ThreadPoolExecutor(4)
    reading = [readers.submit(read, server, stop) for _ in range(4)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for status, reply, sha, length in pool.map(lambda n: send(server, n), range(8)):
            check(status == 202, f"{status} {reply}")
            check(reply.get("sha256") == sha and reply.get("bytes") == length,
                  f"as sent: {reply}")
    end = time.monotonic() + 200
    states = []
    while states != ["done"] * 8 and time.monotonic() < end:
        time.sleep(0.2)
        listed = json.loads(server.ask("GET", "/api/v1/uploads")[1])["items"]
        states = [u["state"] for u in listed]
    check(states == ["done"] * 8, f"all are done: {states}")
    stop.set()
    wrong, sent = map(sum, zip(*(r.result() for r in reading)))
    check(sent > 20 and not wrong, f"{wrong} of {sent} readers' answers were not 200")
    readers.shutdown()

    # eight uploads are in progress: the ninth waits for a slot, the tenth gets 503
    busy = [opened(server) for _ in range(8)]
    for sock in busy:
        sock.sendall(head(server, 1000) + OPEN)
    time.sleep(1)
    with opened(server) as ninth:
        ninth.sendall(head(server, 100) + OPEN + b" " * (100 - len(OPEN)))
        status, text = answer(ninth)
        check(status == 503, text)
        check("\r\nRetry-After: 5\r\n" in text, text)
        check(text.endswith('{"error":{"code":"busy","message":"8 uploads are already being '
                            'received, the maximum; try again later"}}\n'), text)
        check(server.ask("GET", "/healthz")[0] == 200, "others are served")
    for sock in busy:
        sock.close()
    time.sleep(1)
    check(send(server, 99)[0] == 202, "there is room again")
    check(server.stop() == 0, "a clean stop")
    verdict(server)
