"""conversation.py - reads a .http file and plays it.

    # why this case exists
    serve --uploads 1             options of the server; once, at the top
    token boss admin              creates a token; $boss is replaced by it from here on
    POST /api/v1/uploads @data/a.json
    Authorization: Bearer $boss   headers
    202                           the expected status
    .id > 0                       jq tests that must hold; text answers are a string
    header Location: /api/v1/…    a header with its expected value
    let id = .id                  $id is replaced by it from here on
    let tag = header ETag         the same for a header
    until .state == "done"        repeats the request until it holds, at most 200 s

An answer that the server compressed is decompressed before the checks.

A body is `@file`, `form@file` (a form with the file in it), `chunked@file`,
`made@name` (see bodies.py), `blanks@N` (a trace of N blanks, chunked), or JSON
on the same line.
"""
import gzip
import json
import os
import re
import subprocess
import tempfile
import time

from talk.bodies import MADE, OPEN, form
from talk.server import HERE

WAIT_S = 200
REQUEST = re.compile(r"(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (/\S*)(?: (.+))?$")
HEADER = re.compile(r"[A-Z][A-Za-z0-9-]*: ")


def blanks(n):
    """Yields n bytes that could be a trace, in chunks."""
    yield OPEN
    for i in range(len(OPEN), n, 65536):
        yield b" " * min(65536, n - i)


def body_of(text):
    """Returns (bytes or chunks, headers) for the text after the path."""
    kind, _, what = (text or "").partition("@")
    if not text:
        return None, {}
    if text[0] in '{["':
        return text.encode(), {"Content-Type": "application/json"}
    if kind == "blanks":
        return blanks(int(what)), {}
    if kind == "made":
        return MADE[what](), {}
    with open(os.path.join(HERE, what), "rb") as f:
        data = f.read()
    if kind == "chunked":
        return iter([data[:100], data[100:]]), {}
    if kind == "form":
        return (form(data, os.path.basename(what)),
                {"Content-Type": "multipart/form-data; boundary=cut"})
    return data, {}


def jq(test, value, media):
    """Returns the jq program's output, or None if it fails."""
    raw = [] if media == "application/json" else ["-Rs"]
    p = subprocess.run(["jq", "-ce", *raw, test], input=value, capture_output=True)
    return p.stdout.decode().strip() if p.returncode == 0 else None


def all_hold(checks):
    """Returns whether every (test, value, media) holds. One jq process evaluates all:
    one process per check took most of a conversation's time. Also returns False if jq
    fails; then the checks are made one by one."""
    inputs, tests = [], []
    for test, value, media in checks:
        text = value if media == "application/json" else \
            json.dumps(value.decode(errors="replace")).encode()
        if not inputs or inputs[-1] is not text and inputs[-1] != text:
            inputs.append(text)
        tests.append(f"(try ($values[{len(inputs) - 1}] | [{test}\n] | "
                     "length > 0 and (last | . != null and . != false)) catch false)")
    with tempfile.NamedTemporaryFile("w", suffix=".jq") as program:
        program.write("[inputs] as $values | [" + ",\n".join(tests) + f"] | "
                      f"all and ($values | length) == {len(inputs)}")
        program.flush()
        p = subprocess.run(["jq", "-nce", "-f", program.name], input=b"\n".join(inputs),
                           capture_output=True)
    return p.returncode == 0


class Player:
    """Plays one file against one server."""

    def __init__(self, server, answers):
        self.server, self.answers = server, answers
        self.connection = server.connect()
        self.words = {"port": str(server.port)}
        self.passed, self.faults = 0, []
        self.later = []  # jq tests that no later line depends on
        self.request = None
        self.status, self.headers, self.body, self.media = 0, {}, b"", ""

    def fill(self, text):
        return re.sub(r"\$(\w+)", lambda m: self.words.get(m[1], m[0]), text)

    def fault(self, where, what, came=None):
        status, body = came or (self.status, self.body)
        shown = body[:600].decode(errors="replace")
        self.faults.append(f"{where}: {what}\n  got {status} {shown}")

    def check(self, where, ok, what):
        if ok:
            self.passed += 1
        else:
            self.fault(where, what)

    def send(self, where):
        """Sends the pending request; validates the answer against the schema."""
        method, path, text, headers = self.request
        data, more = body_of(text)
        try:
            self.connection.request(method, path, body=data, headers={**more, **headers})
            r = self.connection.getresponse()
        except OSError:
            # the server may close the connection after an earlier answer
            self.connection.close()
            data, more = body_of(text)
            self.connection.request(method, path, body=data, headers={**more, **headers})
            r = self.connection.getresponse()
        self.status, self.body = r.status, r.read()
        self.headers = r.headers
        if method != "HEAD" and r.getheader("Content-Encoding") == "gzip":
            self.body = gzip.decompress(self.body)
        self.media = (r.getheader("Content-Type") or "").split(";")[0]
        if path.startswith(("/api/", "/healthz", "/readyz", "/metrics", "/openapi")):
            fault = self.answers.fault(method, path, r.status, self.media, self.body)
            self.check(where, not fault, fault)

    def until(self, where, test):
        end, pause = time.monotonic() + WAIT_S, 0.05
        while jq(test, self.body, self.media) is None:
            if time.monotonic() > end:
                return self.fault(where, f"never: {test}")
            time.sleep(pause)
            pause = min(pause * 1.5, 1)
            self.send(where)
        self.passed += 1

    def line(self, where, text, sent):
        """Plays one line; returns whether a request is still to be sent."""
        text = self.fill(text)
        if m := REQUEST.match(text):
            self.request = [m[1], m[2], m[3], {}]
            return False
        if not sent and HEADER.match(text):
            name, _, value = text.partition(": ")
            self.request[3][name] = value
            return False
        if text.startswith("token "):
            _, name, scope = text.split()
            self.words[name] = self.server.token(scope)
            return True
        if not sent:
            self.send(where)
        if re.fullmatch(r"[1-5]\d\d", text):
            self.check(where, self.status == int(text), text)
        elif text.startswith("header "):
            name, _, value = text[7:].partition(": ")
            self.check(where, self.headers.get(name, "") == value,
                       f"{text}; came '{self.headers.get(name)}'")
        elif text.startswith("let "):
            name, _, test = text[4:].partition(" = ")
            if test.startswith("header "):
                value = json.dumps(self.headers.get(test[7:]))
            else:
                value = jq(test, self.body, self.media)
            self.check(where, value not in (None, "null"), text)
            self.words[name] = json.loads(value) if (value or "").startswith('"') else value or ""
        elif text.startswith("until "):
            self.until(where, text[6:])
        else:
            self.later.append((where, self.status, (text, self.body, self.media)))
        return True

    def settle(self):
        """Makes the postponed checks; reports each failure by itself."""
        if not self.later or all_hold([check for *_, check in self.later]):
            self.passed += len(self.later)
            return
        for where, status, (test, body, media) in self.later:
            if jq(test, body, media) is None:
                self.fault(where, test, (status, body))
            else:
                self.passed += 1

    def play(self, name, lines):
        sent = True
        for n, text in lines:
            sent = self.line(f"{name}:{n}", text, sent)
        if not sent:
            self.fault(name, "the last request has no status")
        self.settle()


def read(path):
    """Returns (options of the server, [(line number, text)])."""
    options, lines = [], []
    with open(path) as f:
        for n, text in enumerate(f, 1):
            text = text.rstrip("\n")
            if text.startswith("serve "):
                options = text.split()[1:]
            elif text and not text.startswith("#"):
                lines.append((n, text))
    return options, lines
