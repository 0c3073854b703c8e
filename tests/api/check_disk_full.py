"""check_disk_full.py - a full disk gives 507; stored data stay, and reads still work.

The database is in a tablespace on a small file system of its own, which requires the
permission to mount. PostgreSQL's log is on another file system: without space for the
log, PostgreSQL stops completely.
"""
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import OPEN, trace
from talk.raw import check, verdict
from talk.server import Server

where = tempfile.mkdtemp(prefix="ks-full.")


def psql(*commands):
    for command in commands:
        subprocess.run(["psql", "-Xq", "-c", command], check=True)


def mount():
    try:
        owner = pwd.getpwnam("postgres")
    except KeyError:
        return False
    return os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o",
         f"size=48m,mode=700,uid={owner.pw_uid},gid={owner.pw_gid}", "ks-full", where],
        capture_output=True).returncode == 0


def uploads(server):
    """Sends more bytes than the disk can store, then checks what is stored."""
    check(server.ask("POST", "/api/v1/uploads", body=trace())[0] == 202, "a small one")
    # random bytes do not compress
    noise = OPEN + b'{"ph":"X"}, ' + os.urandom(64 << 20)
    status, text = server.ask("POST", "/api/v1/uploads", body=noise)
    check(status == 507, f"{status} {text}")
    check(b'"code":"disk_full"' in text, text)
    status, text = server.ask("GET", "/api/v1/uploads")
    check(status == 200 and text.count(b'"id":') == 1, f"reads still work: {text}")
    check(server.stop() == 0, "a clean stop")


if not mount():
    os.rmdir(where)
    print("skipped: a small file system cannot be mounted here")
    sys.exit(77)
os.chmod(where, 0o700)
try:
    psql(f"CREATE TABLESPACE small LOCATION '{where}'",
         "CREATE DATABASE small TABLESPACE small")
    os.environ["PGDATABASE"] = "small"
    with Server() as small:
        uploads(small)
    os.environ["PGDATABASE"] = "postgres"
    psql("DROP DATABASE small", "DROP TABLESPACE small")
    verdict(small)
finally:
    subprocess.run(["umount", "-l", where], check=True)
    shutil.rmtree(where)
