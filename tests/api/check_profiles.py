"""check_profiles.py - a run that is analyzed again reads its attached files again."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.raw import check, verdict
from talk.server import BIN, HERE, Server
from talk.sql import sql

API = "/api/v1"
FILES = ("ncu-details.csv", "ncu-raw.csv")


def body(name):
    with open(os.path.join(HERE, "data", name), "rb") as f:
        return f.read()


def get(server, path):
    status, got = server.ask("GET", API + path)
    check(status == 200, f"{path}: {status} {got[:300]!r}")
    return json.loads(got)


def done(server, upload):
    end = time.monotonic() + 100
    while time.monotonic() < end:
        got = get(server, f"/uploads/{upload}")
        if got["state"] in ("done", "failed"):
            return got
        time.sleep(0.05)
    return got


def again(server, upload):
    subprocess.run([os.path.join(BIN, "kernsiftd"), "rebuild", "--db", server.db, "--data",
                    server.dir], check=True, stdout=subprocess.DEVNULL)
    got = done(server, upload)
    check(got["state"] == "done", f"the trace is analyzed again: {got}")


def unread(server, run):
    return [n["message"] for n in get(server, f"/runs/{run}/notes")["items"]
            if n["code"] == "profile_unread"]


def several(server):
    """A name that two kernels of the run fit is of the run, and is shown at none."""
    events = [{"ph": "X", "cat": "kernel", "name": f"void gemm<{i}>(float*)", "pid": 0, "tid": 7,
               "ts": 100 * i, "dur": 10, "args": {"device": 0, "stream": 7, "correlation": i,
                                                  "grid": [8, 1, 1], "block": [128, 1, 1]}}
              for i in (1, 2)]
    upload = json.loads(server.ask("POST", f"{API}/uploads?project=several",
                                   json.dumps({"traceEvents": events}))[1])["id"]
    (run,) = done(server, upload)["runs"]
    table = body("ncu-raw.csv").splitlines()
    name = table[2].split(b'"')[9]
    status, got = server.ask("POST", f"{API}/runs/{run}/kernel-profiles",
                             b"\n".join(table[:2] + [table[2].replace(name, b"gemm")]))
    check(status == 201, f"a name that fits several kernels: {status} {got[:300]!r}")
    items = get(server, f"/runs/{run}/kernel-profiles")["items"]
    check([i["matched_by"] for i in items] == ["several"], f"several: {items}")


with Server() as server:
    several(server)
    upload = json.loads(server.ask("POST", f"{API}/uploads?project=p",
                                   body("importance.json"))[1])["id"]
    (run,) = done(server, upload)["runs"]
    for name in FILES:
        status, got = server.ask("POST", f"{API}/runs/{run}/kernel-profiles?file={name}", body(name))
        check(status == 201, f"{name}: {status} {got[:300]!r}")
    before = get(server, f"/runs/{run}/kernel-profiles")
    check(len(before["items"]) == 5, f"rows of two files: {before}")

    again(server, upload)
    check(get(server, f"/runs/{run}/kernel-profiles") == before, "the same rows")
    check(unread(server, run) == [], "without a note")

    # An earlier version may have accepted what this one refuses.
    sql("UPDATE kernel_profile_file SET content = 'no table' WHERE seq = 1")
    again(server, upload)
    after = get(server, f"/runs/{run}/kernel-profiles")
    check((after["items"], after["files"]) == ([], before["files"]), f"no rows: {after}")
    texts = unread(server, run)
    check(len(texts) == 1 and texts[0].startswith(
        "the run has no kernel profiles: 2 attached files"), f"a note: {texts}")
    check(get(server, f"/runs/{run}/kernels")["items"], "the run has its kernels")

    # The run had another number in the trace.
    sql("UPDATE kernel_profile_file SET content = '' WHERE seq = 1; "
        f"UPDATE run_identity SET ordinal = 7 WHERE id = {run}")
    again(server, upload)
    check(server.stop() == 0, "a clean stop")
    verdict(server)
