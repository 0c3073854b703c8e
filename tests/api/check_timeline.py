"""check_timeline.py - a run's Chrome trace has the uploaded events, to the nanosecond.

If the Chrome trace is uploaded, its run has the same tables.
"""
import collections
import decimal
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.made_trace import made_trace
from talk.raw import check, verdict
from talk.server import Server

SPANS = ("kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime", "cpu_op", "user_annotation",
         "python_function", "gpu_user_annotation")
ARGS = ("device", "stream", "correlation", "External id", "grid", "block", "bytes",
        "registers per thread", "shared memory", "Input Dims", "Input type", "Concrete Inputs")
KNOWN = set("MXsfbeC")
TABLES = ("kernels?format=csv", "kernels?format=csv&by=device", "kernels?format=csv&by=grid",
          "copies?format=csv&by=device", "launches?format=csv")


def parsed(body):
    return json.loads(body, parse_float=decimal.Decimal)


def spans(trace):
    """Returns every span, with its times in whole nanoseconds since the first span."""
    found = [e for e in trace["traceEvents"] if e["ph"] == "X" and e.get("cat") in SPANS]
    base = min(decimal.Decimal(e["ts"]) for e in found)
    whole = collections.Counter()
    for e in found:
        start, dur = (decimal.Decimal(e["ts"]) - base) * 1000, decimal.Decimal(e["dur"]) * 1000
        check(start == int(start) and dur == int(dur), f"whole nanoseconds: {e}")
        args = tuple((k, json.dumps(e["args"][k])) for k in ARGS if k in e["args"])
        whole[(e["cat"], e["name"], str(e["tid"]), int(start), int(dur), args)] += 1
    return whole


def upload(server, body, name):
    answer = json.loads(server.ask("POST", f"/api/v1/uploads?name={name}", body=body)[1])
    while True:
        upload = json.loads(server.ask("GET", f"/api/v1/uploads/{answer['id']}")[1])
        if upload["state"] == "done":
            return upload["runs"][0]
        if upload["state"] == "failed":
            sys.exit(f"the upload failed: {upload['error']}")


def flows(trace):
    """Every arrow starts at its call and ends at the start of a kernel or copy."""
    at = collections.defaultdict(set)
    for e in trace["traceEvents"]:
        if e["ph"] in "sf":
            at[e["ph"], e["id"]].add((e["pid"], str(e["tid"]), e["ts"]))
        if e["ph"] == "f":
            check(e["bp"] == "e", f"it binds to the enclosing event: {e}")
    for e in trace["traceEvents"]:
        known = e.get("args", {}).get("correlation", 0) > 0
        if known and e.get("cat") in ("kernel", "gpu_memcpy", "cuda_runtime"):
            end = "s" if e["cat"] == "cuda_runtime" else "f"
            check((e["pid"], str(e["tid"]), e["ts"]) in at[end, e["args"]["correlation"]],
                  f"an arrow at {e}")


def processes(trace, pid):
    """GPUs and the host are separate, and every process with an event has a name."""
    named = {e["pid"]: e["args"]["name"] for e in trace["traceEvents"]
             if e["ph"] == "M" and e["name"] == "process_name"}
    check(named.get(pid) == "python", f"the host: {named}")
    for e in trace["traceEvents"]:
        if e["ph"] == "X":
            check(e["pid"] in named, f"its process is named: {e}")
            gpu = e["cat"] in ("kernel", "gpu_memcpy")
            check(not gpu or named[e["pid"]] == f"GPU {e['args']['device']} (NVIDIA H200)", f"{e}")
            check(gpu or e["pid"] == pid, f"on the host: {e}")


def play(server, seed, launches, pid):
    sent = made_trace(seed, launches, pid)
    run = upload(server, sent, f"sent{pid}")
    status, body = server.ask("GET", f"/api/v1/runs/{run}/timeline")
    check(status == 200, f"{status} {body[:200]}")
    got, want = parsed(body), parsed(sent)
    check({e["ph"] for e in got["traceEvents"]} <= KNOWN, "only phases that every reader supports")
    first, second = spans(want), spans(got)
    check(sum(first.values()) > launches, "the trace has kernels to compare")
    check(first == second, f"the same spans: {list((first - second).items())[:3]} became "
                           f"{list((second - first).items())[:3]}")
    flows(got)
    processes(got, pid)
    again = upload(server, body, f"again{pid}")
    for table in TABLES:
        one, other = (server.ask("GET", f"/api/v1/runs/{r}/{table}") for r in (run, again))
        check(one == other and one[0] == 200, f"{table} of the timeline uploaded again")
    for key in ("framework", "pid", "process_name", "started_at", "span_ns", "busy_ns",
                "device_names"):
        one, other = (json.loads(server.ask("GET", f"/api/v1/runs/{r}")[1])[key]
                      for r in (run, again))
        check(one == other, f"{key}: {one} became {other}")


with Server() as server:
    play(server, 1, 3000, 4711)
    play(server, 2, 300, 1)  # as in a container, where GPU 1 has the same number
    check(server.stop() == 0, "a clean stop")
    verdict(server)
