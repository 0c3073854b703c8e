"""check_catalog.py - reads the catalog while it is edited.

Each read returns one complete version: the newest, or during the edit the previous
one.
"""
import json
import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.raw import check, verdict
from talk.server import Server

EDITS, READERS = 12, 4


def own(version):
    """Returns operators with the version in their names, so that a reader knows the
    edit."""
    return [{"name": f"op_{version}_{i}", "description": "ours", "group": "ours", "sizes": ["n"]}
            for i in range(3)]


def reads(server, stop, seen):
    connection = server.connect()
    while not stop.is_set():
        connection.request("GET", "/api/v1/operators")
        answer = json.loads(connection.getresponse().read())
        names = sorted(i["name"] for i in answer["items"] if i["site_override"])
        put = sorted(i["name"] for i in answer["site_overrides"])
        seen.append((answer["version"], names, put))
    connection.close()


def edits(server, token):
    for version in range(EDITS):
        body = json.dumps({"version": version, "items": own(version + 1)})
        status, got = server.ask("PUT", "/api/v1/operators", body=body,
                                 headers={"Authorization": f"Bearer {token}"})
        check(status == 200 and json.loads(got)["version"] == version + 1,
              f"edit {version}: {status} {got[:200]!r}")


def main(server):
    token = server.token("admin")
    stop, seen = threading.Event(), []
    threads = [threading.Thread(target=reads, args=(server, stop, seen)) for _ in range(READERS)]
    for t in threads:
        t.start()
    edits(server, token)
    stop.set()
    for t in threads:
        t.join()
    torn = [s for s in seen if s[1] != sorted(i["name"] for i in own(s[0]) if s[0])]
    check(len(seen) >= READERS and not torn, f"{len(seen)} answers; mixed versions in {torn[:2]}")
    last = json.loads(server.ask("GET", "/api/v1/operators")[1])
    check(last["version"] == EDITS and last["site_overrides"] == own(EDITS),
          "the last edit is stored")


with Server() as s:
    main(s)
    check(s.stop() == 0, "a clean stop")
    verdict(s)
