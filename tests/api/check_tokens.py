"""check_tokens.py - the command `token`, and the option --require-tokens.

With that option, requests from loopback need a token like those from other
addresses.
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import OPEN
from talk.raw import check, verdict
from talk.server import BIN, Server
from talk.sql import sql


def token(server, *words):
    """Returns (exit status, output) of `kernsiftd token`."""
    p = subprocess.run([os.path.join(BIN, "kernsiftd"), "token", *words, "--db", server.db,
                        "--data", server.dir], capture_output=True, text=True, timeout=60)
    return p.returncode, (p.stdout if p.returncode == 0 else p.stderr).strip()


def misused(server):
    """The command rejects these arguments before it connects to a database."""
    new = ["--scope", "read", "--name", "x"]
    for words, sentence in (
            ([], "--scope: the value is missing (use --scope read|upload|admin)"),
            (["--scope", "none", "--name", "x"],
             "--scope: 'none' is not one of read, upload, admin"),
            (["--scope", "read"], "--name: the value is missing (name the user of the token, "
                                  "for example --name ci)"),
            ([*new, "--expires_days", "0"],
             "--expires-days: '0' is not a whole number from 1 to 36500 (for example 90)"),
            ([*new, "--expires_days", "9e9"],
             "--expires-days: '9e9' is not a whole number from 1 to 36500 (for example 90)"),
            (["lost"], "'lost' is one argument too many for 'kernsiftd token' (did you mean "
                       "'token list'? see 'kernsiftd token --help')"),
            (["list", "7"], "'7' is one argument too many for 'kernsiftd token list' (see "
                            "'kernsiftd token list --help')"),
            (["revoke", "7", "--name", "x"], "'--name' is an option of other commands, not of "
             "'kernsiftd token revoke' (see 'kernsiftd token revoke --help')"),
            (["revoke"], "'kernsiftd token revoke' needs ID (see 'kernsiftd token revoke "
                         "--help')"),
            (["revoke", "0"], "'0' is not a token id, which is a whole number above 0 "
                              "('kernsiftd token list' shows the ids)")):
        got = token(server, *words)
        check(got == (2, f"kernsiftd: {sentence}"), f"{words}: {got}")
    for words in ([*new, "--project", ""], ["list", "--project", ""]):
        got = token(server, *words)
        check(got == (2, "kernsiftd: --project: the value is empty (omit the option for "
                           "all projects)"),
              f"{words}: {got}")
    for name in ("loopback", "Loopback", "kernsiftd vacuum", "KERNSIFTD token"):
        got = token(server, "--scope", "read", "--name", name)
        check(got == (2, "kernsiftd: a token is not called 'loopback' or 'kernsiftd …': the audit "
                         "calls those so who have none"), f"called {name}: {got}")
    for name in ("a\x1b[2J", "a\x7f", "a\u009b2J", "a\n"):
        got = token(server, "--scope", "read", "--name", name)
        check(got == (2, "kernsiftd: name has control characters"), f"called {name!r}: {got}")
    got = token(server, *new, "--project", "x" * 201)
    check(got == (2, "kernsiftd: a token's project has 1 to 200 bytes"), f"a long project: {got}")
    got = token(server, "revoke", "99")
    check(got == (1, "kernsiftd: no token 99"), f"revoking an unknown token: {got}")


def made_listed_revoked(server):
    status, text = token(server, "--scope", "read", "--name", "ada", "--project", "chat",
                         "--expires_days", "2")
    check(status == 0 and re.fullmatch(r"ks_[A-Za-z0-9_-]{43}", text), f"a token: {text}")
    bearer = {"Authorization": f"Bearer {text}"}
    session = json.loads(server.ask("GET", "/api/v1/session", headers=bearer)[1])
    check((session["name"], session["project"]) == ("ada", "chat"),
          f"the session of the token: {session}")
    token(server, "--scope", "admin", "--name", "boss")
    check(len(token(server, "list")[1].split("\n")) == 3, "the list has a heading and two tokens")
    lines = token(server, "list", "--project", "chat")[1].split("\n")
    check(lines[0].split("\t") == ["id", "scope", "project", "name", "created", "expires",
                                   "used", "created by"], f"a heading: {lines[0]}")
    row = lines[1].split("\t")
    day = r"\d{4}-\d\d-\d\d"
    check(len(lines) == 2 and row[1:4] == ["read", "chat", "ada"] and row[7] == "kernsiftd token"
          and all(re.fullmatch(day, at) for at in row[4:7]), f"its row: {row}")
    check(text not in "".join(lines), "the list has no secret")
    # a token from a version that accepted any character in a name
    sql("UPDATE token SET name = E'a\\x1b[2J\\u009bé' WHERE name = 'ada'")
    odd = token(server, "list", "--project", "chat")[1].split("\n")[1].split("\t")
    check(odd[3] == "a?[2J?é", f"control characters of a name are replaced: {odd}")
    check(token(server, "revoke", row[0]) == (0, ""), "a token is revoked")
    check(server.ask("GET", "/api/v1/runs", headers=bearer)[0] == 401,
          "a revoked token is rejected")


with Server("--require_tokens") as s:
    check(s.ask("GET", "/healthz")[0] == 200, "health requires no token")
    check(s.ask("GET", "/api/v1/runs")[0] == 401, "reading needs a token")
    check(s.ask("POST", "/api/v1/uploads", body=OPEN + b"]}")[0] == 401,
          "uploading needs a token")
    misused(s)
    made_listed_revoked(s)
    check(s.stop() == 0, "a clean stop")
    verdict(s)
