"""check_metrics.py - /metrics is well formed, and has every series that
docker/alerts.yml reads.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import trace
from talk.raw import check, verdict
from talk.server import HERE, Server

SAMPLE = re.compile(r'(kernsift_\w+)(\{\w+="[^"]*"(,\w+="[^"]*")*\})? (-?[0-9.e+]+)\n?')
WORDS = re.compile(r"kernsift_\w+")
ALERTS = os.path.join(HERE, "../../docker/alerts.yml")


def read(text):
    """Returns {sample: value}. Each metric must have its help and its type once, before
    its samples."""
    types, values = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            name, kind = line.split()[2:]
            check(name not in types, f"{name} is introduced once")
            types[name] = kind
        elif not line.startswith("# HELP "):
            found = SAMPLE.fullmatch(line)
            if check(found, f"a sample: {line}"):
                name = re.sub(r"_(bucket|sum|count)$", "", found[1]) \
                    if found[1] not in types else found[1]
                check(name in types, f"{name} is introduced")
                values[found[1] + (found[2] or "")] = float(found[4])
    return types, values


def gates_of(samples):
    return [samples[f'kernsift_gates_total{{outcome="{word}"}}']
            for word in ("pass", "regressed", "undecided", "bad_data")]


def promtool(*words, text=None):
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", *words], input=text, text=True,
                              capture_output=True)
        check(done.returncode == 0, done.stdout + done.stderr)


def metrics(server):
    status, text = server.ask("GET", "/metrics")
    check(status == 200, f"{status}")
    return text.decode()


with Server() as server:
    for _ in range(2):
        check(server.ask("POST", "/api/v1/uploads", body=trace())[0] in (200, 202), "an upload")
    while server.ask("GET", "/api/v1/uploads?state=done")[1].count(b'"id":') == 0:
        time.sleep(0.05)
    check(server.ask("GET", "/api/v1/tokens")[0] == 401, "no token")
    exposition = metrics(server)
    kinds, samples = read(exposition)
    promtool("metrics", text=exposition)
    promtool("rules", ALERTS)
    with open(ALERTS) as f:
        read_by_alerts = set(WORDS.findall(f.read()))
    known = set(kinds) | {f"{k}_{end}" for k, kind in kinds.items() if kind == "histogram"
                          for end in ("bucket", "sum", "count")}
    check(len(read_by_alerts) > 10, "the alerts are read")
    check(read_by_alerts <= known,
          f"alerts.yml reads series that do not exist: {read_by_alerts - known}")
    check(samples["kernsift_database_bytes"] > samples["kernsift_raw_bytes"] > 0,
          "the database is larger than the uploads in it")
    check(samples["kernsift_raw_bytes"] >= 8192 and samples["kernsift_capture_bytes"] >= 8192,
          "the upload and its capture are there")
    check(gates_of(samples) == [0, 0, 0, 0], "no gate yet")
    check(samples["kernsift_webhook_deliveries_waiting"] == 0, "no delivery is pending")
    check(samples["kernsift_db_refused_total"] == 0, "no request was refused a database connection")
    check(samples['kernsift_requests_total{method="GET",path="/api/v1/tokens",status="401"}'] == 1,
          "the rejected request is counted")
    check(0 < samples["kernsift_transaction_age"] < 2.1e9,
          "the transaction age is far from its limit")
    for wanted in 201, 404:
        got = server.ask("POST", "/api/v1/gates", body=json.dumps(
            {"base": "1", "head": "1" if wanted == 201 else "77"}).encode())
        check(got[0] == wanted, f"a gate: {got}")
    boss = {"Authorization": f"Bearer {server.token('admin')}"}
    check(server.ask("DELETE", "/api/v1/gates/1", headers=boss)[0] == 204, "the gate is deleted")
    check(gates_of(read(server.ask("GET", "/metrics", headers=boss)[1].decode())[1])
          == [0, 0, 0, 1], "a deleted gate is still counted")
    check(server.stop() == 0, "a clean stop")
    verdict(server)
