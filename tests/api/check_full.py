"""check_full.py - a full disk is told 507; what is stored stays, reading goes on.

PostgreSQL's tables lie on a small file system, which needs the right to mount;
its log lies elsewhere, for without a place for that it stops altogether.
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import OPEN, trace
from talk.raw import check, verdict
from talk.server import Server

where = tempfile.mkdtemp(prefix="ks-full.")
mounted = os.geteuid() == 0 and subprocess.run(
    ["mount", "-t", "tmpfs", "-o", "size=90m,mode=755", "ks-full", where],
    capture_output=True).returncode == 0
if not mounted:
    os.rmdir(where)
    shutil.rmtree(wal)
    print("skipped: a small file system cannot be mounted here")
    sys.exit(77)

bin_dir = sorted(os.listdir("/usr/lib/postgresql"), key=int)[-1]
pg = f"/usr/lib/postgresql/{bin_dir}/bin/"
user = ["runuser", "-u", "postgres", "--"]


def as_postgres(*command):
    subprocess.run([*user, *command], check=True, capture_output=True, cwd=where)


try:
    shutil.chown(where, "postgres")
    data = f"{where}/data"
    wal = tempfile.mkdtemp(prefix="ks-wal.")
    shutil.chown(wal, "postgres")
    as_postgres(pg + "initdb", "-D", data, "-U", "kernsift", "-A", "trust", "--no-sync",
                "--encoding=UTF8", "--locale=C", "-X", wal)
    as_postgres(pg + "pg_ctl", "-D", data, "-w", "-l", f"{where}/log", "-o",
                f"-c listen_addresses= -c unix_socket_directories={where} -c fsync=off "
                "-c max_wal_size=32MB -c min_wal_size=32MB", "start")
    with Server(db=f"host={where} user=kernsift dbname=postgres") as server:
        check(server.ask("POST", "/api/v1/uploads", body=trace())[0] == 202, "a small one")
        # random bytes do not shrink; the disk has room for less
        noise = OPEN + b'{"ph":"X"}, ' + os.urandom(100 << 20)
        status, text = server.ask("POST", "/api/v1/uploads", body=noise)
        check(status == 507, f"{status} {text}")
        check(b'"code":"disk_full"' in text, text)
        check(server.ask("GET", "/api/v1/uploads/1")[0] == 200, "reading goes on")
        check(server.stop() == 0, "a clean stop")
        verdict(server)
finally:
    subprocess.run([*user, pg + "pg_ctl", "-D", f"{where}/data", "-m", "immediate", "-w",
                    "stop"], capture_output=True, cwd="/")
    subprocess.run(["umount", "-l", where])
    os.rmdir(where)
    shutil.rmtree(wal)
