"""check_cut.py - a sender that disconnects during its upload leaves nothing behind."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import OPEN
from talk.raw import check, head, opened, verdict
from talk.server import Server


def rows():
    """Uploads and chunks in the database."""
    out = subprocess.run(
        ["psql", "-XtA", "-c", "SELECT (SELECT count(*) FROM upload), "
         "(SELECT count(*) FROM upload_chunk)"],
        check=True, capture_output=True, text=True).stdout
    return out.strip()


def settles(what, ok):
    end = time.monotonic() + 150
    while not ok() and time.monotonic() < end:
        time.sleep(0.1)
    check(ok(), what)


with Server() as server:
    def state(want):
        body = json.loads(server.ask("GET", "/api/v1/uploads")[1])
        return [u["state"] for u in body["items"]] == want

    for length in (50 << 20, None):
        piece = OPEN + b" " * ((3 << 20) - len(OPEN))
        with opened(server) as sock:
            sock.sendall(head(server, length))
            if length is None:
                sock.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
            else:
                sock.sendall(piece)
            settles("while it arrives it is seen", lambda: state(["receiving"]))
            settles("chunks are there", lambda: rows().split("|")[1] in "123" and
                    rows() != "1|0")
        settles("cut off, nothing is left", lambda: rows() == "0|0")
    with opened(server) as sock:
        sock.sendall(head(server, 1000))
    with opened(server) as sock:
        sock.sendall(b"POST /api/v1/uploads HT")
    check(server.ask("GET", "/healthz")[0] == 200, "the server still answers")
    check(server.stop() == 0, "a clean stop")
    check(rows() == "0|0", "no part of the uploads is left after the stop")
    verdict(server)
