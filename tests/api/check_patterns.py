"""check_patterns.py - uploads a run's pattern table as another run, and compares both.

Both runs must have the same functions and rows. A repeated comparison must have an
equal answer. A comparison over a named range has the figures of one over the range that
the server found.
"""
import csv
import io
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import MADE
from talk.raw import check, verdict
from talk.server import HERE, Server


def upload(server, body, name):
    answer = json.loads(server.ask("POST", f"/api/v1/uploads?name={name}", body=body)[1])
    while True:
        state = json.loads(server.ask("GET", f"/api/v1/uploads/{answer['id']}")[1])
        if state["state"] == "done":
            return state["runs"][0]
        if state["state"] == "failed":
            sys.exit(f"the upload failed: {state['error']}")


def text(server, path):
    status, body = server.ask("GET", f"/api/v1/{path}")
    check(status == 200, f"{path}: {status} {body[:200]!r}")
    return body.decode()


def table(server, run):
    return text(server, f"runs/{run}/patterns?format=csv")


def means(server, run):
    """Returns what a pattern table can contain about a run's functions."""
    items = json.loads(text(server, f"runs/{run}/patterns?limit=5000"))["items"]
    return {(i["function"], i["device"]):
            (i["type"], i["launches_per_iteration"], i["iterations"], round(i["ns_per_iteration"], 1),
             [(m["name"], m["iterations"], round(m["mu"] or 0, 3)) for m in i["metrics"]])
            for i in items}


def again(server, run, name):
    """Uploads the run's table as another run, and compares both."""
    first = table(server, run)
    copy = upload(server, first.encode(), name)
    second = table(server, copy)
    check(means(server, copy) == means(server, run), f"{name}: the same functions")
    check(rows(first) == rows(second), f"{name}: the same rows")
    return copy


def rows(body):
    """Returns the rows in a fixed order, because functions with equal totals may swap,
    and with times relative to the first row: one table has Unix times, the other has
    times relative to the first record if the trace has no clock."""
    found = list(csv.DictReader(io.StringIO(body)))
    base = min((float(r["cycle_start_ts"]) for r in found if r["cycle_start_ts"]), default=0)
    for r in found:
        if r["cycle_start_ts"]:
            r["cycle_start_ts"] = round(float(r["cycle_start_ts"]) - base, 3)
    return sorted(tuple(r.items()) for r in found)


def made(server):
    """Uploads a trace of twelve iterations of four functions, without counters, and
    then its table."""
    run = upload(server, MADE["steps"](), "steps")
    found = list(csv.DictReader(io.StringIO(table(server, run))))
    check(len(found) == 48, f"12 iterations of 4 functions: {len(found)}")
    check(len(found[0]) == 17, "17 columns")
    check({r["metric_name"] for r in found} == {"N/A"}, "no counter")
    check({r["instances_count"] for r in found if r["simple_name"] == "norm"} == {"4"},
          "norm runs four times a step")
    again(server, run, "steps-again")


def uploaded_table(server):
    """Uploads a table with its counters, and then the table of that run."""
    with open(os.path.join(HERE, "data", "patterns.csv"), "rb") as f:
        run = upload(server, f.read(), "table")
    again(server, run, "table-again")


def same_bytes(server):
    base, head = (upload(server, MADE[name](), name) for name in ("steps-again", "steps-changed"))
    for more in ("", "&score=published", "&range=ProfilerStep", "&format=md", "&seed=7"):
        path = f"compare?base={base}&head={head}{more}"
        check(text(server, path) == text(server, path), f"two equal answers: {path}")
    named = json.loads(text(server, f"compare?base={base}&head={head}&range=ProfilerStep"))
    found = json.loads(text(server, f"compare?base={base}&head={head}"))
    check(named["base"]["detector"] == "named" and named["range"] == "ProfilerStep",
          "the detector of a named range")
    check([i["delta_ns_per_iteration"] for i in named["items"]] ==
          [i["delta_ns_per_iteration"] for i in found["items"]],
          "the same ranges, found or named, have the same figures")


with Server() as s:
    made(s)
    uploaded_table(s)
    same_bytes(s)
    check(s.stop() == 0, "a clean stop")
    verdict(s)
