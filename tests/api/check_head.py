"""check_head.py - checks too large request heads, rejected bodies, and keep-alive."""
import os
import select
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import OPEN, MADE
from talk.raw import answer, check, closed, head, opened, verdict
from talk.server import Server

HOST = b"Host: localhost\r\n"
MIB = 1 << 20


def answer_to(server, data):
    with opened(server) as sock:
        sock.sendall(data)
        return answer(sock)


def kept(server):
    """A connection stays usable if a request with a small body is rejected."""
    with opened(server) as sock:
        png = MADE["png"]()
        for _ in range(2):
            sock.sendall(head(server, len(png)) + png)
            status, text = answer(sock)
            check(status == 415, text)
            sock.sendall(head(server, 5, path="/api/v1/runs/1/kernels") + b"hello")
            status, text = answer(sock)
            check(status == 405, text)
        sock.sendall(b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
        check(answer(sock)[0] == 200, "an answer after four rejections")


def rejected_while_sending(server):
    """A large body that is not a trace is rejected at once, before it is completely
    sent."""
    with opened(server) as sock:
        sock.sendall(head(server, 200 * MIB) + MADE["png"]())
        began, zeros = time.monotonic(), b"\0" * MIB
        sock.setblocking(False)
        # Sends until the answer is there, however slowly a busy server reads.
        while time.monotonic() - began < 60 and not select.select([sock], [], [], 0)[0]:
            try:
                if select.select([], [sock], [], 0.01)[1]:
                    sock.send(zeros)
            except OSError:
                break
        sock.settimeout(60)
        status, text = answer(sock)
        check(status == 415, f"rejected during the body: {status}")
        check("Connection: close" in text, text)
        check(time.monotonic() - began < 60, "rejected within a minute")


def to_the_end(server):
    """A sender that sends everything before it reads gets its answer, too."""
    status, body = server.ask("POST", "/api/v1/uploads", body=MADE["png"]() + b"\0" * 20 * MIB)
    check((status, b"PNG image" in body) == (415, True), f"{status} {body}")


def expects_continue(server):
    """Expect: 100-continue: the answer comes before any byte of the body is sent."""
    more = "Expect: 100-continue\r\n"
    with opened(server) as sock:
        sock.sendall(head(server, 1 << 50, more=more))
        status, text = answer(sock)
        check(status == 413, text)
        check("the maximum is 4096 MiB" in text, text)
    with opened(server) as sock:
        sock.sendall(head(server, (1 << 63) - 1, more=more))
        status, text = answer(sock)
        check(status == 413, text)
        check("the upload is 8796093022208 MiB; the maximum is 4096 MiB" in text, text)
    with opened(server) as sock:
        sock.sendall(head(server, len(OPEN) + 2, more=more))
        check(sock.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n", "100 Continue")
        sock.sendall(OPEN + b"]}")
        check(answer(sock)[0] == 202, "and the body is accepted")


with Server() as server:
    for size, what in ((33000, "ours"), (200000, "the library's")):
        status, text = answer_to(server, b"GET /healthz HTTP/1.1\r\n" + HOST +
                            b"X-Long: " + b"x" * size + b"\r\n\r\n")
        check(status == 431, f"{what}: {text[:200]}")
    status, text = answer_to(server, b"GET /api/v1/runs?q=" + b"x" * 9000 + b" HTTP/1.1\r\n" +
                        HOST + b"\r\n")
    check(status == 414, text[:200])
    check(text.endswith('{"error":{"code":"uri_too_long","message":"the address is longer '
                        'than 8 KiB"}}\n'), text)
    status, text = answer_to(server, b"GET /healthz HTTP/1.1\r\n" + HOST +
                        b"X-Long: " + b"x" * 33000 + b"\r\n\r\n")
    check(text.endswith('{"error":{"code":"headers_too_large","message":"the headers are '
                        'longer than 32 KiB"}}\n'), text)
    status, text = answer_to(server, b"GET /healthz HTTP/1.0\r\n\r\n")
    check(status == 421 and "the request has no Host header" in text, text)
    with opened(server) as sock:
        sock.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")
        check(closed(sock), "TLS to a plain port does no harm")
    kept(server)
    rejected_while_sending(server)
    to_the_end(server)
    expects_continue(server)
    check(server.ask("GET", "/healthz")[0] == 200, "the server still answers")
    check(server.stop() == 0, "a clean stop")
    verdict(server)
