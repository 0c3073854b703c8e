"""check_idle.py - silent connections are closed, and the number of connections is
limited."""
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.raw import answer, check, closed, opened, verdict
from talk.server import Server

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

with Server("--idle_s", "2") as server:
    for sent in (b"", b"GET /healthz HT", GET):
        with opened(server, 50) as sock:
            sock.sendall(sent)
            if sent == GET:
                check(answer(sock)[0] == 200, "an answer before the silence")
            began = time.monotonic()
            check(closed(sock), f"silent after {sent!r}")
            check(1 < time.monotonic() - began < 45, "closed after the idle time")
    check(server.stop() == 0, "a clean stop")

with Server("--connections", "8", "--http_threads", "2") as crowded:
    eight = [opened(crowded, 20) for _ in range(8)]
    for sock in eight:
        sock.sendall(GET)
        check(answer(sock)[0] == 200, "an answer on each of eight connections")
    with opened(crowded, 2) as ninth:
        ninth.sendall(GET)
        check(answer(ninth)[0] == 0, "the ninth waits")
        for sock in eight:
            sock.close()
        ninth.settimeout(20)
        check(answer(ninth)[0] == 200, "the ninth is answered once another one is closed")
    check(crowded.stop() == 0, "a clean stop")
    verdict(server, crowded)
