"""check_database_down.py - stops the database, and makes it answer too late.

While the database is stopped, some requests still work. After it starts again, all
work.
"""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import trace
from talk.raw import check, verdict
from talk.server import Server


def psql(*commands):
    for command in commands:
        subprocess.run(["psql", "-Xqt", "-c", command], check=True,
                       env=dict(os.environ, PGDATABASE="postgres"), capture_output=True)


def refused(server, method, path, body=None):
    """The answer is 503 with a message, and arrives without delay."""
    began = time.monotonic()
    status, text = server.ask(method, path, body=body)
    check(status == 503, f"{method} {path}: {status} {text}")
    check(json.loads(text)["error"]["code"] == "database", f"{method} {path}: {text}")
    check(time.monotonic() - began < 60, f"{method} {path}: within a minute")


def late(server):
    """If another session has locked a table, the answer is 504 with a message after one
    second."""
    holder = subprocess.Popen(
        ["psql", "-Xqt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    holder.stdin.write("BEGIN; LOCK TABLE run; SELECT 1;\n")
    holder.stdin.flush()
    holder.stdout.readline()
    began = time.monotonic()
    status, text = server.ask("GET", "/api/v1/runs")
    check(status == 504, f"late: {status} {text}")
    check(json.loads(text)["error"] == {"code": "too_slow", "message":
          "the database took too long; request less, or raise --statement-timeout-s, which is 1"}, f"late: {text}")
    check(1 <= time.monotonic() - began < 30, "after a second")
    check(server.ask("GET", "/api/v1/tokens")[0] == 401, "others are answered")
    holder.communicate()
    check(server.ask("GET", "/api/v1/runs")[0] == 200, "runs are listed again")


psql("CREATE DATABASE away")
os.environ["PGDATABASE"] = "away"
with Server("--statement-timeout-s", "1") as server:
    check(server.ask("POST", "/api/v1/uploads", body=trace())[0] == 202,
          "an upload with a working database")
    late(server)
    psql("ALTER DATABASE away ALLOW_CONNECTIONS false",
         "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'away'")
    refused(server, "GET", "/readyz")
    refused(server, "GET", "/api/v1/runs")
    refused(server, "POST", "/api/v1/uploads?name=b", body=trace())
    refused(server, "POST", "/api/v1/gates", body=b'{"base": "latest", "head": "1"}')
    refused(server, "GET", "/api/v1/badge")
    check(server.ask("GET", "/healthz")[0] == 200, "the server is alive")
    check(server.ask("GET", "/")[0] == 200, "the dashboard is served")
    status, text = server.ask("GET", "/metrics")
    check(status == 200 and b"\nkernsift_database_up 0\n" in text, f"{status} {text}")
    psql("ALTER DATABASE away ALLOW_CONNECTIONS true")
    end = time.monotonic() + 150
    while server.ask("GET", "/readyz")[0] != 200 and time.monotonic() < end:
        time.sleep(0.2)
    check(server.ask("GET", "/readyz")[0] == 200, "the server is ready again")
    check(server.ask("POST", "/api/v1/uploads?name=c", body=trace())[0] == 202,
          "uploads are accepted again")
    check(server.stop() == 0, "a clean stop")
    verdict(server)
