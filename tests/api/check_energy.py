"""check_energy.py - compares the energy of runs with plain sums, and deletes it.

The power of each sample is random. The sums add 13,999 cells of 1 ms. A run without
stored energy, or energy of operators, as from before it was computed, must have none, and
say why.
"""
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.made_steps import made_powered
from talk.raw import check, verdict
from talk.server import Server

OPERATORS_REASON = ("the run was stored before the energy of operators was computed; "
                    "'kernsiftd rebuild' computes it")
REASON = "the run was stored before energy was computed; 'kernsiftd rebuild' computes it"


def uploaded(server, counter, watts):
    """Returns a run with this power, sampled once a second."""
    trace = json.loads(made_powered(0, counter, len(watts)))
    samples = [e for e in trace["traceEvents"] if e["ph"] == "C"]
    for event, value in zip(samples, watts):
        event["args"]["value"] = value
    id = json.loads(server.ask("POST", "/api/v1/uploads",
                               body=json.dumps(trace).encode())[1])["id"]
    while True:
        state = json.loads(server.ask("GET", f"/api/v1/uploads/{id}")[1])
        if state["state"] == "done":
            return state["runs"][0]
        if state["state"] == "failed":
            sys.exit(f"the upload failed: {state['error']}")


def answer(server, path):
    return json.loads(server.ask("GET", f"/api/v1/runs/{path}")[1])


def power(counter, watts, at_s):
    """Returns the power `at_s` seconds after the first sample."""
    before = int(at_s)
    if counter == "gpu_power_mean":
        return watts[before + 1]
    part = at_s - before
    return watts[before] * (1 - part) + watts[before + 1] * part


def summed(server, run, counter, watts):
    """Returns the energy between the start of the first iteration and the end of the
    last one, in J."""
    items = answer(server, f"{run}/iterations")["items"]
    begin_s = items[0]["start_ns"] / 1e9
    end_s = (items[-1]["start_ns"] + items[-1]["dur_ns"]) / 1e9
    cells = round((end_s - begin_s) * 1000)
    check(cells in (13999, 14000), f"{counter}: {cells} cells")
    step = (end_s - begin_s) / cells
    return sum(power(counter, watts, begin_s + (i + 0.5) * step) for i in range(cells)) * step


with Server() as server:
    dice = random.Random(16)
    for counter in ("gpu_power_mean", "gpu_power"):
        watts = [round(dice.uniform(80, 700), 1) for _ in range(16)]
        run = uploaded(server, counter, watts)
        got = answer(server, f"{run}/energy")
        want = summed(server, run, counter, watts)
        is_j = got["energy_j"] * got["iterations"]
        # A cell in which the power changes is wrong by at most its energy.
        check(abs(is_j - want) < 16 * 0.7, f"{counter}: {is_j} J instead of {want} J")
        check(got["low_j"] < got["energy_j"] < got["high_j"], f"{counter}: the interval")
    subprocess.run(["psql", "-Xqt", "-c", "UPDATE run_energy SET operators_reason = NULL"],
                   check=True)
    got = answer(server, f"{run}/energy")
    check(got["devices"][0]["operators_reason"] == OPERATORS_REASON, "an older run")
    check(got["devices"][0]["reason"] is None and got["operators"] == [], "only operators")
    subprocess.run(["psql", "-Xqt", "-c", "DELETE FROM run_energy"], check=True)
    got = answer(server, f"{run}/energy")
    check(got["reason"] == REASON and got["tokens_reason"] == REASON, got["reason"])
    check(got["energy_j"] is None and got["token_j"] is None and got["devices"] == [],
          "unknown energy is not 0")
    check(server.stop() == 0, "a clean stop")
    verdict(server)
