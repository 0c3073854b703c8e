"""check_stream.py - answers that are generated while they are sent.

The cases are slow readers, readers that disconnect, a server with one database
connection, and a server that stops or loses its database during the answer.
"""
import gzip
import hashlib
import http.client
import io
import json
import os
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.made_trace import made_trace
from talk.raw import answer, check, closed, opened, verdict
from talk.server import Server

PATHS = ("/api/v1/runs/1/capture", "/api/v1/runs/1/timeline")


def psql(*commands):
    for command in commands:
        subprocess.run(["psql", "-Xqt", "-c", command], check=True,
                       env=dict(os.environ, PGDATABASE="postgres"), capture_output=True)


def upload(server, body):
    server.ask("POST", "/api/v1/uploads", body=body)
    end = time.monotonic() + 1500
    while b'"state":"done"' not in server.ask("GET", "/api/v1/uploads/1")[1]:
        if time.monotonic() > end:
            sys.exit(f"never ingested: {server.text()[-3000:]}")
        time.sleep(0.3)


class Narrow(io.RawIOBase):
    """A reader with a small socket buffer. The server can generate most of the answer
    only when the reader reads."""

    def __init__(self, server, path, version="1.1", coding="identity"):
        self.sock = socket.socket()
        self.sock.settimeout(60)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.sock.connect(("127.0.0.1", server.port))
        self.sock.sendall(f"GET {path} HTTP/{version}\r\nHost: localhost\r\n"
                          f"Accept-Encoding: {coding}\r\n"
                          "Connection: close\r\n\r\n".encode())
        self.begun = self.sock.recv(4000)

    def readable(self):
        return True

    def readinto(self, to):
        piece = self.begun[:len(to)] or self.sock.recv(len(to))
        self.begun = self.begun[len(to):]
        to[:len(piece)] = piece
        return len(piece)

    def makefile(self, *_):
        return io.BufferedReader(self, 1 << 16)

    def close(self):
        self.sock.close()
        super().close()

    def finish(self):
        """Returns the body, or None if its end never came. From here on it reads at
        normal speed: with the buffer of 4 KiB, a whole timeline would take half a
        minute."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        r = http.client.HTTPResponse(self)
        r.begin()
        try:
            return r.read()
        except (http.client.IncompleteRead, ConnectionError):
            return None


def gauge(server, name):
    text = server.ask("GET", "/metrics")[1].decode()
    return int(next(line.split()[1] for line in text.splitlines() if line.startswith(name + " ")))


def until(server, name, value):
    end = time.monotonic() + 150
    while gauge(server, name) != value and time.monotonic() < end:
        time.sleep(0.1)
    check(gauge(server, name) == value, f"{name} is {gauge(server, name)}, not {value}")


def slow_readers(server, whole):
    """The only database connection is available to others while several readers have
    stopped."""
    slow = [Narrow(server, path) for path in PATHS * 3]
    until(server, "kernsift_captures_sending", len(slow))
    check(gauge(server, "kernsift_db_connections_in_use") == 1,
          "only the request for the gauge has one")
    check(server.ask("GET", "/api/v1/runs")[0] == 200,
          "other requests that need a connection are answered")
    for path, sock in zip(PATHS * 3, slow):
        with sock:
            check(hashlib.sha256(sock.finish() or b"").digest() == whole[path],
                  f"{path}: the same, however slowly it is read")
    until(server, "kernsift_captures_sending", 0)


def leavers(server):
    gone = [Narrow(server, path) for path in PATHS * 2]
    until(server, "kernsift_captures_sending", len(gone))
    for sock in gone:
        sock.close()
    until(server, "kernsift_captures_sending", 0)


def too_many(server):
    """The ninth simultaneous timeline gets 'try again later'."""
    eight = [Narrow(server, PATHS[1]) for _ in range(8)]
    status, body = server.ask("GET", PATHS[1])
    check(status == 503 and json.loads(body)["error"]["message"] ==
          "8 timelines are already being sent, the maximum; try again later", body[:300])
    check(server.ask("HEAD", PATHS[0])[0] == 200, "a capture is still available")
    for sock in eight:
        sock.close()
    until(server, "kernsift_captures_sending", 0)
    check(server.ask("HEAD", PATHS[1]) == (200, b""), "a timeline is available again")


def heads(server):
    """HEAD has no body, and nothing follows the head."""
    for path in PATHS:
        with opened(server) as sock:
            sock.sendall(f"HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            status, text = answer(sock)
            check(status == 200 and text.endswith("\r\n\r\n"), text)
            check("\r\nConnection: close\r\n" in text and closed(sock), text)
    until(server, "kernsift_captures_sending", 0)


def old_reader(server, whole):
    """HTTP/1.0 has no chunked encoding: the body ends where the connection ends."""
    for path in PATHS:
        with Narrow(server, path, "1.0") as sock:
            body = sock.finish()
            check(body is not None and hashlib.sha256(body).digest() == whole[path], f"1.0 {path}")


def logged(server, text):
    """The line of a request is written after its last byte."""
    end = time.monotonic() + 60
    while text not in server.text() and time.monotonic() < end:
        time.sleep(0.1)
    check(text in server.text(), f"the log has {text!r}")


def compressed(server, whole):
    """A compressed timeline is the same timeline, for a slow reader, too, and for one of
    HTTP/1.0. Who leaves in the middle takes nothing away from the others."""
    for path, version in ((PATHS[1], "1.1"), (PATHS[1], "1.0")):
        with Narrow(server, path, version, "gzip") as sock:
            check(b"\r\nContent-Encoding: gzip\r\n" in sock.begun, f"{sock.begun[:500]}")
            body = sock.finish() or b""
            check(hashlib.sha256(gzip.decompress(body)).digest() == whole[path],
                  f"{version} {path}: the same after decompression")
        logged(server, f"bytes={len(body)}\n")
    gone = [Narrow(server, PATHS[1], coding="gzip") for _ in range(4)]
    for sock in gone:
        sock.close()
    until(server, "kernsift_captures_sending", 0)


def lost(server):
    """If the database stops during the answer, the answer does not look complete."""
    slow = [Narrow(server, path) for path in PATHS]
    psql("ALTER DATABASE streams ALLOW_CONNECTIONS false",
         "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'streams'")
    for path, sock in zip(PATHS, slow):
        with sock:
            check(sock.finish() is None, f"{path}: the answer is incomplete")
    psql("ALTER DATABASE streams ALLOW_CONNECTIONS true")
    log = server.text()
    check("error capture run=1 text=" in log, "the interrupted capture is logged")
    check(all(f"path={p} status=200" in log for p in PATHS) and "cut=yes" in log,
          "the answers are logged as cut")
    end = time.monotonic() + 20
    while server.ask("GET", "/readyz")[0] != 200 and time.monotonic() < end:
        time.sleep(0.2)
    until(server, "kernsift_captures_sending", 0)


def drained(server, whole):
    """SIGTERM: an answer in progress is sent completely."""
    with Narrow(server, PATHS[0]) as one, Narrow(server, PATHS[1]) as other:
        server.process.send_signal(signal.SIGTERM)
        time.sleep(1)
        check(server.process.poll() is None, "the server waits for the readers")
        for path, sock in zip(PATHS, (one, other)):
            check(hashlib.sha256(sock.finish() or b"").digest() == whole[path], f"whole: {path}")
        check(server.process.wait(30) == 0, "a clean exit after the readers")


def undrained():
    """A stopped reader delays a shutdown by at most --drain-s."""
    with Server("--drain_s", "1") as impatient:
        with Narrow(impatient, PATHS[0]) as one, Narrow(impatient, PATHS[1]) as other:
            impatient.process.send_signal(signal.SIGTERM)
            check(impatient.process.wait(30) == 0, "a clean exit at the end of the drain time")
            check(one.finish() is None and other.finish() is None, "no answer looks complete")
        return impatient


psql("CREATE DATABASE streams")
os.environ["PGDATABASE"] = "streams"
with Server("--db_connections", "1") as server:
    upload(server, made_trace(3, 500, padding=8000))
    whole = {}
    for path in PATHS:
        status, body = server.ask("GET", path)
        check(status == 200 and len(body) > 10 << 20, f"{path}: {status}, {len(body)} bytes")
        whole[path] = hashlib.sha256(body).digest()
    check(f"path={PATHS[1]} status=200" in server.text() and
          f"bytes={len(body)}" in server.text(), "the bytes that went are logged")
    heads(server)
    slow_readers(server, whole)
    leavers(server)
    too_many(server)
    old_reader(server, whole)
    compressed(server, whole)
    lost(server)
    drained(server, whole)
verdict(server, undrained())
