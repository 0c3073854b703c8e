"""check_vacuum.py - runs `kernsiftd vacuum` next to a running server.

It must delete what the dry run listed. All other answers must not change.
"""
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


def vacuum(server, *options):
    """Returns (exit status, lines, error message)."""
    p = subprocess.run([os.path.join(BIN, "kernsiftd"), "vacuum", "--db", server.db, "--data",
                        server.dir, *options], capture_output=True, text=True)
    return p.returncode, p.stdout.splitlines(), p.stderr.strip()


def get(server, path):
    status, body = server.ask("GET", API + path)
    return json.loads(body) if status == 200 else status


def uploaded(server, query, file):
    with open(os.path.join(HERE, "data", file), "rb") as f:
        upload = json.loads(server.ask("POST", f"{API}/uploads?{query}", f.read())[1])["id"]
    end = time.monotonic() + 100
    while get(server, f"/uploads/{upload}")["state"] != "done" and time.monotonic() < end:
        time.sleep(0.05)
    return upload, get(server, f"/uploads/{upload}")["runs"][0]


def rebuild(server):
    return subprocess.run([os.path.join(BIN, "kernsiftd"), "rebuild", "--db", server.db,
                           "--data", server.dir], capture_output=True, text=True).stdout


def settled():
    end = time.monotonic() + 100
    while sql("SELECT count(*) FROM upload WHERE state <> 'done'") != ["0"] and \
            time.monotonic() < end:
        time.sleep(0.05)


def shares(server):
    return [(i["operator"], i["importance"], i["runs"])
            for i in get(server, "/importance")["items"]]


with Server() as server:
    stays = uploaded(server, "project=stays", "importance.json")
    kept = uploaded(server, "project=p&name=kept&label.keep=true", "one-kernel.json")
    alone = shares(server)
    old = uploaded(server, "project=p&name=old", "importance.json")
    older = uploaded(server, "project=p&name=older", "two-kernels.json")
    sql("UPDATE upload SET received_at = now() - interval '40 days' WHERE project = 'p'; "
        "UPDATE run SET created_at = now() - interval '40 days' WHERE project = 'p'; "
        f"UPDATE run SET created_at = now() - interval '90 days' WHERE run_id = {older[1]}")
    check(vacuum(server) == (0, ["deleted: runs=0 uploads=0 gates=0 bytes=0"], ""),
          "without rules nothing is deleted")

    boss = {"Authorization": f"Bearer {server.token('admin')}"}
    rules = {"items": [{"project": "p", "raw_days": 30, "run_days": 60}]}
    check(server.ask("PUT", API + "/retention", json.dumps(rules), boss)[0] == 200,
          "rules are set")
    sizes = {u["id"]: u["bytes"] for u in get(server, "/uploads")["items"]}
    captured = int(sql("SELECT sum(octet_length(bytes)) FROM run_capture "
                       f"WHERE run_id = {older[1]}")[0])
    raw = sizes[old[0]] + sizes[older[0]]
    table = ["         n            bytes  kind     reason   project",
             f"         1 {captured:16}  runs     age      p",
             f"         2 {raw:16}  uploads  age      p"]
    total = f"runs=1 uploads=2 gates=0 bytes={captured + raw}"
    before = sql("SELECT count(*) FROM audit")
    for _ in range(2):
        check(vacuum(server, "--dry-run") == (0, [*table, f"would delete: {total}"], ""),
              f"a dry run: {vacuum(server, '--dry-run')}")
    check(sql("SELECT count(*) FROM audit") == before, "a dry run writes no audit record")
    check(vacuum(server, "--project", "stays")[1] == ["deleted: runs=0 uploads=0 gates=0 bytes=0"],
          "of one project")
    done = vacuum(server)
    check(done == (0, [*table, f"deleted: {total}"], ""), f"the announced rows are deleted: {done}")
    check(vacuum(server, "--dry-run")[1] == ["would delete: runs=0 uploads=0 gates=0 bytes=0"],
          "and no more")
    check(sql("SELECT actor, status FROM audit ORDER BY id DESC LIMIT 1") == ["kernsiftd vacuum|200"],
          "the vacuum is in the audit log")

    check(get(server, f"/runs/{older[1]}") == 404, "the run is gone")
    check(get(server, f"/runs/{old[1]}")["id"] == old[1], "a younger run stays")
    check(get(server, f"/runs/{old[1]}/kernels")["items"], "a younger run keeps its kernels")
    check(get(server, f"/uploads/{old[0]}")["dropped_at"], "the bytes of its upload are deleted")
    check(get(server, f"/uploads/{kept[0]}")["dropped_at"] is None, "a label keeps the upload")
    rebuilt = rebuild(server)
    check(rebuilt == "2 uploads queued\n1 upload left unchanged: its bytes were deleted\n", rebuilt)
    settled()
    # uploading the same file again restores the bytes, under the same id
    check(uploaded(server, "project=p&name=old", "importance.json") == old, "the same upload")
    again = get(server, f"/uploads/{old[0]}")
    check((again["dropped_at"], again["bytes"]) == (None, sizes[old[0]]),
          f"the upload has its bytes again: {again}")
    check(sql(f"SELECT sum(octet_length(bytes)) FROM upload_chunk WHERE upload_id = {old[0]}") ==
          [str(sizes[old[0]])], "all of them")
    check(vacuum(server)[1] == ["deleted: runs=0 uploads=0 gates=0 bytes=0"], "young uploads stay")
    rebuilt = rebuild(server)
    check(rebuilt == "3 uploads queued\n", f"and can be read again: {rebuilt}")
    settled()
    check(vacuum(server, "--run_days", "0", "--project", "p")[0] == 0, "vacuum of one project")
    settled()
    check(shares(server) == alone, f"sums are of what is there: {shares(server)}, once {alone}")
    check(get(server, f"/runs/{kept[1]}")["id"] == kept[1], "the label keeps the run too")
    check(get(server, f"/runs/{stays[1]}")["id"] == stays[1], "the run of another project stays")

    for options, sentence in (
            (["--raw_days", "x"],
             "--raw-days: 'x' is not a whole number from 0 to 36500 (for example 30)"),
            (["--run_days=-1"],
             "--run-days: '-1' is not a whole number from 0 to 36500 (for example 365)"),
            (["--quota_mib", "1099511627777"], "--quota-mib: '1099511627777' is not a whole "
             "number from 0 to 1099511627776 (for example 100000)"),
            (["--project", ""],
             "--project: the value is empty (omit the option for all projects)"),
            (["--dry-run=no"],
             "--dry-run: takes no value, and 'no' is one (use --dry-run alone)"),
            (["now"], "'now' is one argument too many for 'kernsiftd vacuum' (see 'kernsiftd "
                      "vacuum --help')")):
        check(vacuum(server, *options) == (2, [], f"kernsiftd: {sentence}"),
              f"{options}: {vacuum(server, *options)}")
    check(server.stop() == 0, "a clean stop")
    # automatic deletion
    with Server("--vacuum_s", "1") as by_itself:
        boss = {"Authorization": f"Bearer {by_itself.token('admin')}"}
        # if the audit record cannot be written, nothing is deleted
        sql("ALTER TABLE audit ADD CONSTRAINT full_up CHECK (actor <> 'kernsiftd vacuum') NOT VALID")
        check(by_itself.ask("DELETE", f"{API}/runs/{kept[1]}", None, boss)[0] == 204,
              "the run is deleted")
        end = time.monotonic() + 60
        while "full_up" not in by_itself.text() and time.monotonic() < end:
            time.sleep(0.05)
        check("full_up" in by_itself.text(), "the reason is logged")
        check(get(by_itself, f"/uploads/{kept[0]}")["dropped_at"] is None,
              "its bytes are still there")
        sql("ALTER TABLE audit DROP CONSTRAINT full_up")
        end = time.monotonic() + 60
        while not get(by_itself, f"/uploads/{kept[0]}")["dropped_at"] and time.monotonic() < end:
            time.sleep(0.05)
        check(get(by_itself, f"/uploads/{kept[0]}")["dropped_at"], "the server deletes by itself")
        while sql("SELECT count(*) FROM audit WHERE actor = 'kernsiftd vacuum' AND detail = "
                  f"'runs=0 uploads=1 gates=0 bytes={sizes[kept[0]]}'") != ["1"] \
                and time.monotonic() < end:
            time.sleep(0.05)
        check(time.monotonic() < end, "the automatic vacuum is in the audit log")
        start = time.monotonic()
        check(by_itself.stop() == 0 and time.monotonic() - start < 10, "a clean stop")
        check(not by_itself.complaints(), by_itself.complaints())
    verdict(server)
