"""check_sets.py - exports importance as a reference set and imports it again.

If the export is that of a fleet, the imported set has the shapes and times of its runs.
If the export is that of a set, every figure of both sets is equal.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.raw import check, verdict
from talk.server import HERE, Server


def body(name):
    with open(os.path.join(HERE, "data", name), "rb") as f:
        return f.read()


def upload(server, workload, trace=None):
    answer = json.loads(server.ask("POST", f"/api/v1/uploads?workload={workload}",
                                   body=trace or body("importance.json"))[1])
    while True:
        state = json.loads(server.ask("GET", f"/api/v1/uploads/{answer['id']}")[1])
        if state["state"] == "done":
            return
        if state["state"] == "failed":
            sys.exit(f"the upload failed: {state['error']}")


def text(server, path):
    status, got = server.ask("GET", f"/api/v1/{path}")
    check(status == 200, f"{path}: {status} {got[:200]!r}")
    return got


def keep(server, name, document):
    status, got = server.ask("POST", f"/api/v1/reference-sets?name={name}", body=document)
    check(status == 201, f"the export is imported as {name}: {status} {got[:300]!r}")
    return json.loads(got)


def near(a, b):
    return abs(a - b) <= 1e-12 * max(abs(a), abs(b))


def figures(server, name):
    """Returns everything that the API returns about a set's operators and shapes."""
    found = {}
    for item in json.loads(text(server, f"importance?reference_set={name}"))["items"]:
        shapes = json.loads(text(server, f"importance/{item['operator']}/shapes?reference_set={name}"))
        found[item["operator"]] = (item, shapes["items"])
    return found


def set_again(server):
    """The export of a set is equal to the imported document."""
    keep(server, "hand", body("set-small.json"))
    copy = text(server, "importance?reference_set=hand&format=bench")
    keep(server, "copy", copy)
    check(json.loads(copy) == json.loads(body("set-small.json")), "the same document")
    check(figures(server, "hand") == figures(server, "copy"), "the same figures")
    part = json.loads(text(server, "importance?reference_set=hand&format=bench&phase=both"))
    check([o["name"] for o in part["operators"]] == ["rms_norm"],
          "a filtered export has only that operator")


def fleet_again(server):
    """The export of a fleet is a set of its shapes. Operators without a shape are
    missing."""
    upload(server, "a")
    upload(server, "b")
    kept = keep(server, "fleet", text(server, "importance?format=bench"))
    check(kept["runs"] == 2 and kept["operators"] == 2 and kept["shapes"] == 2,
          f"the stored figures: {kept}")
    fleet = {i["operator"]: i for i in json.loads(text(server, "importance"))["items"]}
    for name, (item, shapes) in figures(server, "fleet").items():
        check(near(item["importance"], fleet[name]["importance"]), f"{name}: its importance")
        check(item["runs"] == fleet[name]["runs"] == 2, f"{name}: its runs")
        own = json.loads(text(server, f"importance/{name}/shapes"))["items"]
        check(len(own) == len(shapes) == 1, f"{name}: its shapes")
        for ours, theirs in zip(own, shapes):
            for key in ("shape", "sizes", "flops", "read_bytes", "write_bytes", "calls"):
                check(ours[key] == theirs[key], f"{name}: {key}: {ours[key]} {theirs[key]}")
            for key in ("t_sol_us", "t_prod_us"):
                check(near(ours[key]["H20"], theirs[key]["H20"]), f"{name}: {key}")


def two_types():
    """Returns the small trace with an fp32 gemm added to its bf16 gemm. The fp32 gemm
    takes less time."""
    trace = json.loads(body("importance.json"))
    events = trace["traceEvents"]
    own = [e for e in events if e.get("args", {}).get("External id") == 1]
    for e in json.loads(json.dumps(own)):
        e["ts"] += 10_000
        e["args"]["External id"] = 9
        if "correlation" in e["args"]:
            e["args"]["correlation"] = 9
        if "Input type" in e["args"]:
            e["args"]["Input type"] = ["float", "float"]
        events.append(e)
    return json.dumps(trace)


def types_again(server):
    """An operator with two dtypes is exported with the dtype that takes the most time;
    each shape is exported with its own dtype."""
    upload(server, "t", two_types())
    kept = text(server, "importance?format=bench&workload=t")
    gemm = [o for o in json.loads(kept)["operators"] if o["name"] == "gemm"][0]
    check(gemm["dtype"] == "bf16", f"100 us of bf16, 30 of fp32: {gemm['dtype']}")
    keep(server, "types", kept)
    shapes = json.loads(text(server, "importance/gemm/shapes?reference_set=types"))["items"]
    check([s["dtype"] for s in shapes] == ["bf16", "fp32"], f"the shapes' types: {shapes}")


with Server() as s:
    set_again(s)
    fleet_again(s)
    types_again(s)
    check(s.stop() == 0, "a clean stop")
    verdict(s)
