"""conversation.py - reads a .http file and plays it.

    # why this case exists
    serve --uploads 1             options of the server; once, at the top
    token boss admin              makes a token; $boss stands for it from here on
    POST /api/v1/uploads @data/a.json
    Authorization: Bearer $boss   headers
    202                           the status that must come
    .id > 0                       jq tests that must hold; text answers are a string
    header Location: /api/v1/…    a header that must come, whole
    let id = .id                  $id stands for it from here on
    let tag = header ETag         the same of a header
    until .state == "done"        asks again until it holds, at most 200 s

A body is `@file`, `form@file` (a form with the file in it), `chunked@file`,
`made@name` (see bodies.py), `blanks@N` (a trace of N blanks, chunked), or JSON
on the same line.
"""
import json
import os
import re
import subprocess
import time

from talk.bodies import MADE, OPEN, form
from talk.server import HERE

WAIT_S = 200
REQUEST = re.compile(r"(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (/\S*)(?: (.+))?$")
HEADER = re.compile(r"[A-Z][A-Za-z0-9-]*: ")


def blanks(n):
    """n bytes that could be a trace, in pieces."""
    yield OPEN
    for i in range(len(OPEN), n, 65536):
        yield b" " * min(65536, n - i)


def body_of(text):
    """(bytes or pieces, headers) of what stands after the path."""
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
    """The jq program's output, or None where it fails."""
    raw = [] if media == "application/json" else ["-Rs"]
    p = subprocess.run(["jq", "-ce", *raw, test], input=value, capture_output=True)
    return p.stdout.decode().strip() if p.returncode == 0 else None


class Player:
    """Plays one file against one server."""

    def __init__(self, server, answers):
        self.server, self.answers = server, answers
        self.connection = server.connect()
        self.words = {"port": str(server.port)}
        self.passed, self.faults = 0, []
        self.request = None
        self.status, self.headers, self.body, self.media = 0, {}, b"", ""

    def fill(self, text):
        return re.sub(r"\$(\w+)", lambda m: self.words.get(m[1], m[0]), text)

    def fault(self, where, what):
        shown = self.body[:600].decode(errors="replace")
        self.faults.append(f"{where}: {what}\n  got {self.status} {shown}")

    def check(self, where, ok, what):
        if ok:
            self.passed += 1
        else:
            self.fault(where, what)

    def send(self, where):
        """The pending request goes out; its answer is held against the schema."""
        method, path, text, headers = self.request
        data, more = body_of(text)
        try:
            self.connection.request(method, path, body=data, headers={**more, **headers})
            r = self.connection.getresponse()
        except OSError:
            # closed after an earlier answer, as a server may
            self.connection.close()
            data, more = body_of(text)
            self.connection.request(method, path, body=data, headers={**more, **headers})
            r = self.connection.getresponse()
        self.status, self.body = r.status, r.read()
        self.headers = r.headers
        self.media = (r.getheader("Content-Type") or "").split(";")[0]
        if path.startswith(("/api/", "/healthz", "/readyz", "/metrics", "/openapi")):
            fault = self.answers.fault(method, path, r.status, self.media, self.body)
            self.check(where, not fault, fault)

    def until(self, where, test):
        end = time.monotonic() + WAIT_S
        while jq(test, self.body, self.media) is None:
            if time.monotonic() > end:
                return self.fault(where, f"never: {test}")
            time.sleep(0.1)
            self.send(where)
        self.passed += 1

    def line(self, where, text, sent):
        """One line; whether a request is still to be sent."""
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
            self.check(where, jq(text, self.body, self.media) is not None, text)
        return True

    def play(self, name, lines):
        sent = True
        for n, text in lines:
            sent = self.line(f"{name}:{n}", text, sent)
        if not sent:
            self.fault(name, "the last request has no status")


def read(path):
    """(options of the server, [(line number, text)])"""
    options, lines = [], []
    with open(path) as f:
        for n, text in enumerate(f, 1):
            text = text.rstrip("\n")
            if text.startswith("serve "):
                options = text.split()[1:]
            elif text and not text.startswith("#"):
                lines.append((n, text))
    return options, lines
