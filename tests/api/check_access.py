"""check_access.py - every route rejects a token without the required scope or project.

The routes come from openapi.json and routes.def, so a new route is tested
automatically. Each is requested without a token; with a token that is malformed,
unknown, expired or of too low a scope; and with a token of another project than that of
the requested object. A new word of REACH must be added here. So must a new request body
that contains a project.
"""
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import OPEN
from talk.raw import check, head, opened, verdict
from talk.server import BIN, HERE, Server

SCOPES = ["none", "read", "upload", "admin"]
OPEN_TO_ALL = {"/healthz", "/readyz", "/openapi.json", "/session"}
UNKNOWN = "ks_" + "A" * 43
MALFORMED = ["", "Bearer", "Bearer ", "Bearer ks_", "Bearer nothing", "Basic a3M6a3M=",
             f"Bearer {UNKNOWN}A", f"ks_{UNKNOWN}", "Bearer ks_" + "\xe4" * 43]
# Parameters for the routes with reach RUNS: those that select runs, and other required
# ones.
RUNS = {"base": "{run}", "head": "{run}", "runs": "{own},{run}", "function": "f"}
# Fields, other than the project, in the request body of the routes with reach SAYS.
SAYS = {"/tokens": {"name": "x", "scope": "read"},
        "/webhooks": {"url": "https://example.com/", "events": ["gate"]}}


def sql(text):
    return subprocess.run(["psql", "-qAtX", "-c", text], check=True, capture_output=True,
                          text=True).stdout.strip()


def read_routes(server):
    """Returns [(method, path without the prefix, scope, reach, names of
    parameters)]."""
    document = json.loads(server.ask("GET", "/openapi.json")[1])
    with open(os.path.join(HERE, "../../server/api/routing/routes.def")) as f:
        reach = {(m, p): r for m, p, r in re.findall(
            r'^ROUTE\((\w+), *"([^"]+)", *\w+, *(\w+)', f.read(), re.M)}
    routes = []
    for path, methods in document["paths"].items():
        for method, is_ in methods.items():
            method = method.upper()
            scope = is_["security"][0]["token"][0] if is_["security"] else "none"
            names = [p["name"] for p in is_["parameters"] if p["in"] == "query"]
            routes.append((method, path, scope, reach.pop((method, path)), names))
    check(not reach, f"openapi.json lists every route; missing: {reach}")
    return routes


class Asker:
    """One connection, and its checks of a route."""

    def __init__(self, server):
        self.server, self.c, self.body = server, server.connect(), b""

    def ask(self, method, path, headers=None, body=None):
        self.c.request(method, path, body=body, headers=headers or {})
        r = self.c.getresponse()
        self.body = r.read()
        try:
            return r.status, json.loads(self.body)["error"]["message"]
        except (ValueError, KeyError, TypeError):
            return r.status, ""

    def bearer(self, method, path, token, body=None):
        return self.ask(method, path, {"Authorization": f"Bearer {token}"}, body)


def with_id(path, number):
    """Returns the path with the id of an object that exists, or of one that does
    not."""
    path = path.replace("{id}", str(number)).replace("{k}", "1")
    return re.sub(r"\{\w+\}", "gemm", path)


def refused_without(a, route, tokens):
    """Requests without a header, with an unknown token, and with a token of too low a
    scope are rejected."""
    method, path, scope, _, _ = route
    at, name = with_id(path, 987654), f"{method} {path}"
    needs = f"this needs a token of scope '{scope}'; send it as 'Authorization: Bearer ks_…'"
    check(a.ask(method, at) == (401, needs), f"{name} without a token")
    if method == "GET":
        check(a.ask("HEAD", at)[0] == 401, f"HEAD {path} without a token")
    for header in MALFORMED:
        got = a.ask(method, at, {"Authorization": header})
        check(got[0] == 401, f"{name} with '{header}': {got}")
    got = a.bearer(method, at, UNKNOWN)
    check(got == (401, "the token is unknown; create one with `kernsiftd token`"),
          f"{name} with an unknown token: {got}")
    got = a.bearer(method, at, tokens["expired"])
    check(got[0] == 401 and got[1].startswith("the token expired at "),
          f"{name} with an expired token: {got}")
    cookie = {"Cookie": f"kernsift_{a.server.port}={tokens['expired']}",
              "Origin": f"http://127.0.0.1:{a.server.port}"}
    check(a.ask(method, at, cookie)[0] == 401, f"{name} with an expired cookie")
    for less in SCOPES[1:SCOPES.index(scope)]:
        got = a.bearer(method, at, tokens[less])
        check(got == (403, f"this needs scope '{scope}'; the token has '{less}'"),
              f"{name} with a token that may {less}: {got}")


def let_in(a, route, tokens):
    """A token of the lowest sufficient scope is not rejected, though the answer may be
    another error. Returns whether the answer contains something of 'theirs'."""
    method, path, scope, _, _ = route
    got = a.bearer(method, with_id(path, 987654), tokens[scope])
    check(got[0] not in (401, 403), f"{method} {path} with scope {scope}: {got}")
    return b"theirs" in a.body


def shown(a, at, token):
    """Returns (status, answer) for a token, without the time of its last use."""
    status = a.bearer("GET", at, token)[0]
    return status, re.sub(rb'"last_used_at":(null|"[^"]*")', b"", a.body)


def all_shown(a, routes, token):
    """Returns the answers that are not about a single object: sums, counts and
    lists."""
    return {path: shown(a, with_id(path, 1), token) for method, path, scope, reach, _ in routes
            if method == "GET" and scope != "none" and reach in ("OPEN", "PROJECT")}


def shows_ours(a, name, at, ours):
    """No answer to a token of 'ours' contains a word of 'theirs'."""
    got = shown(a, at, ours)
    check(got[0] not in (401, 403) and b"theirs" not in got[1],
          f"{name} shows only 'ours': {got[0]} {got[1][:300]}")


def runs_of(route, things, run):
    """Returns (query, body) that select a run of 'ours' and another run."""
    method, path, _, _, names = route
    fill = {n: v.format(run=run, own=things["RUN"][0]) for n, v in RUNS.items()}
    if method != "GET":
        return "", json.dumps({n: fill[n] for n in ("base", "head")})
    known = [n for n in names if n in fill]
    check(known, f"{method} {path}: add the parameters that name runs to RUNS")
    return "?" + "&".join(f"{n}={fill[n]}" for n in known), None


def limited_to_its_project(a, route, tokens, things):
    """Requests the objects of 'theirs' with a token of project 'ours' that has every
    scope."""
    method, path, scope, reach, names = route
    name, ours = f"{method} {path}", tokens["ours"]
    alone = "the token is of project 'ours' alone, not of 'theirs'"
    if reach == "OPEN":
        check(scope == "read", f"{name} changes something that has no project: declare WHOLE")
        if method == "GET":
            shows_ours(a, name, with_id(path, 1), ours)
    elif reach == "WHOLE":
        check(a.bearer(method, with_id(path, 1), ours) ==
              (403, "this is for all projects; the token is limited to project 'ours'"),
              f"{name} is of all projects")
    elif reach == "PROJECT":
        check("project" in names, f"{name} has a parameter project")
        got = a.bearer(method, with_id(path, 1) + "?project=theirs", ours)
        check(got == (403, alone), f"{name} of another project: {got}")
        if method == "GET":
            shows_ours(a, name, with_id(path, 1), ours)
    elif reach == "SAYS":
        body = json.dumps({**SAYS.get(path[7:], {}), "project": "theirs"})
        got = a.bearer(method, with_id(path, 1), ours, body)
        check(got == (403, alone), f"{name} with another project in the body: {got}")
    elif reach == "RUNS":
        for run in things["RUN"][1], 987654:
            query, body = runs_of(route, things, run)
            got = a.bearer(method, path + query, ours, body)
            check(got == (404, f"no run {run}"), f"{name} of run {run}: {got}")
    elif check(reach in things, f"{name}: add reach {reach} to two_of_each()"):
        own, foreign = things[reach]
        word = {"UPLOADED": "upload"}.get(reach, reach.lower())
        for number in foreign, 987654:
            got = a.bearer(method, with_id(path, number), ours)
            check(got == (404, f"no {word} {number}"), f"{name} of {number}: {got}")
        if method == "GET":
            shows_ours(a, name, with_id(path, own), ours)
            check(f"no {word} {own}".encode() not in a.body, f"{name} of our own is there")


def one_of_each(a, boss, project, file, runs):
    """Creates an object of the project for each word of REACH. `runs` is the number of
    runs that the database has afterwards."""
    with open(os.path.join(HERE, "data", file), "rb") as f:
        data = f.read()
    query = "&".join(f"{what}={project}" for what in
                    ("project", "workload", "name", "job", "label.branch", "file"))
    check(a.bearer("POST", f"/api/v1/uploads?{query}", boss, data)[0] == 202, "an upload")
    sql("INSERT INTO gate (created_by, project, workload, name, outcome, document) VALUES "
        f"('boss', '{project}', '{project}', '{project}', 'pass', '{{}}')")
    sql("INSERT INTO token (name, scope, sha256, project) VALUES "
        f"('{project}', 'read', sha256('{project}'), '{project}')")
    sql("INSERT INTO webhook (project, url, secret, events, created_by) VALUES "
        f"('{project}', 'http://127.0.0.1:9/', sha256(''), '{{gate}}', 'boss')")
    end = time.monotonic() + 200
    while sql("SELECT count(*) FROM run") != str(runs) and time.monotonic() < end:
        time.sleep(0.1)


def two_of_each():
    """Returns, by word of REACH, the ids of an object of 'ours' and of one of
    'theirs'."""
    return {reach: [int(sql(f"SELECT max({key}) FROM {table} WHERE project = '{p}'"))
                    for p in ("ours", "theirs")]
            for reach, table, key in (("RUN", "run", "run_id"), ("UPLOADED", "upload", "id"),
                                      ("JOB", "job", "id"), ("GATE", "gate", "id"),
                                      ("TOKEN", "token", "id"), ("WEBHOOK", "webhook", "id"))}


def made(server, a, tokens):
    """Makes two tokens that expire, one with the command and one with the API, and
    stores them in `tokens`."""
    tokens["ours"] = subprocess.run(
        [os.path.join(BIN, "kernsiftd"), "token", "--db", server.db, "--data", server.dir,
         "--scope", "admin", "--name", "head of ours", "--project", "ours", "--expires_days",
         "1"], check=True, capture_output=True, text=True).stdout.strip()
    a.c.request("POST", "/api/v1/tokens", body='{"name": "old", "scope": "admin"}',
                headers={"Authorization": f"Bearer {tokens['admin']}"})
    tokens["expired"] = json.loads(a.c.getresponse().read())["token"]
    sql("UPDATE token SET expires_at = now() WHERE name = 'old'")


def change_without_audit(a, boss, things):
    """If the audit record of a change cannot be written, the change is rejected. Reads
    work."""
    run, before = things["RUN"][0], sql("SELECT count(*) FROM upload")
    sql("ALTER TABLE audit RENAME TO audit_away")
    got = a.bearer("DELETE", f"/api/v1/runs/{run}", boss)
    check(got[0] == 503, f"a deletion without an audit record: {got}")
    with open(os.path.join(HERE, "data/one-kernel.json"), "rb") as f:
        got = a.bearer("POST", "/api/v1/uploads", boss, f.read())
    check(got[0] == 503, f"an upload without an audit record: {got}")
    check(sql("SELECT count(*) FROM upload") == before, "nothing was stored")
    check(a.bearer("GET", f"/api/v1/runs/{run}", boss)[0] == 200, "the run is there")
    sql("ALTER TABLE audit_away RENAME TO audit")


def cut_off(server, boss):
    """An upload is recorded even if its sender disconnects."""
    with opened(server) as sock:
        sock.sendall(head(server, 4 << 20, more=f"Authorization: Bearer {boss}\r\n"))
        sock.sendall(OPEN + b" " * (2 << 20))
        end = time.monotonic() + 60
        while sql("SELECT count(*) FROM upload WHERE state = 'receiving'") == "0" and \
                time.monotonic() < end:
            time.sleep(0.1)
    last = "SELECT path, status FROM audit ORDER BY id DESC LIMIT 1"
    while sql(last) != "/api/v1/uploads|499" and time.monotonic() < end:
        time.sleep(0.1)
    check(sql(last) == "/api/v1/uploads|499", f"a sender that disconnects: {sql(last)}")


with Server("--require_tokens") as s:
    asker = Asker(s)
    TOKENS = {scope: s.token(scope) for scope in SCOPES[1:]}
    made(s, asker, TOKENS)
    ROUTES = read_routes(s)
    one_of_each(asker, TOKENS["admin"], "ours", "two-kernels.json", 1)
    BEFORE = [all_shown(asker, ROUTES, TOKENS[who]) for who in ("ours", "admin")]
    one_of_each(asker, TOKENS["admin"], "theirs", "importance.json", 2)
    AFTER = [all_shown(asker, ROUTES, TOKENS[who]) for who in ("ours", "admin")]
    for at, was in BEFORE[0].items():
        check(AFTER[0][at] == was, f"{at} with and without 'theirs': {was} {AFTER[0][at]}")
    OTHER = sum(AFTER[1][at] != was for at, was in BEFORE[1].items())
    check(OTHER >= 8, f"an admin sees 'theirs' in {OTHER} such routes")
    THINGS = two_of_each()
    SHOWN = 0
    for r in ROUTES:
        if r[2] == "none":
            check(r[1][7:] in OPEN_TO_ALL, f"{r[0]} {r[1]} may be open to all")
            check(asker.ask(r[0], r[1])[0] in (200, 204, 400), f"{r[0]} {r[1]} is open to all")
            continue
        refused_without(asker, r, TOKENS)
        limited_to_its_project(asker, r, TOKENS, THINGS)
        SHOWN += let_in(asker, r, TOKENS)
    check(SHOWN >= 8, f"an admin sees 'theirs' in {SHOWN} routes")
    cut_off(s, TOKENS["admin"])
    change_without_audit(asker, TOKENS["admin"], THINGS)
    check(not re.search(r"ks_[A-Za-z0-9_-]{20}", s.text()), "no token is in the log")
    check(sql("SELECT count(*) FROM audit WHERE audit::text LIKE '%ks\\_%'") == "0",
          "nor in the audit")
    check(s.stop() == 0, "a clean stop")
    verdict(s)
