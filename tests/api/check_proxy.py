"""check_proxy.py - runs the server behind nginx and Caddy.

Their configurations come from server/README.md. Each proxy is tested if it is
installed.
"""
import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import textwrap
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import OPEN
from talk.raw import check, verdict
from talk.server import HERE, Server

NAME = "kernsift.example"
DIR = tempfile.TemporaryDirectory(prefix="ks-proxy.")
NGINX = """daemon off; pid {dir}/pid; error_log {dir}/nginx.log; worker_processes 1;
events {{}}
http {{
access_log off;
{temps}
{site}}}
"""
TEMPS = "\n".join(f"{what}_temp_path {{dir}}/{what};"
                  for what in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
CADDY = "{{\nadmin off\nauto_https disable_redirects\nskip_install_trust\n}}\n{site}"


def at(name):
    return os.path.join(DIR.name, name)


def shown(first):
    """Returns the block of server/README.md that starts with this line."""
    with open(os.path.join(HERE, "../../server/README.md")) as f:
        found = re.search(rf"^    {re.escape(first)}\n(?:(?:    .*)?\n)+", f.read(), re.M)
    return textwrap.dedent(found[0])


def swap(text, *pairs):
    """Replaces the example values of the text by ours; each example value must
    occur."""
    for old, new in pairs:
        assert old in text, f"server/README.md no longer says '{old}'"
        text = text.replace(old, new)
    return text


def certificate():
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", f"/CN={NAME}", "-addext",
         f"subjectAltName=DNS:{NAME}", "-keyout", at("key"), "-out", at("crt")],
        check=True, capture_output=True)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def nginx(port, behind):
    site = swap(shown("server {"), ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
                ("/etc/ssl/kernsift.crt", at("crt")), ("/etc/ssl/kernsift.key", at("key")),
                ("127.0.0.1:8080", f"127.0.0.1:{behind}"))
    with open(at("nginx.conf"), "w") as f:
        f.write(NGINX.format(dir=DIR.name, temps=TEMPS.format(dir=DIR.name), site=site))
    return ["-p", DIR.name, "-c", at("nginx.conf")]


def caddy(port, behind):
    site = swap(shown(NAME + " {"),
                (NAME + " {", f"https://{NAME}:{port} {{\nbind 127.0.0.1\ntls {at('crt')} {at('key')}"),
                ("127.0.0.1:8080", f"127.0.0.1:{behind}"))
    with open(at("Caddyfile"), "w") as f:
        f.write(CADDY.format(site=site))
    return ["run", "--config", at("Caddyfile"), "--adapter", "caddyfile"]


class Through(http.client.HTTPSConnection):
    """A connection to the proxy, independent of the address of the host name."""

    def __init__(self, port):
        super().__init__(NAME, port, timeout=60,
                         context=ssl.create_default_context(cafile=at("crt")))

    def connect(self):
        raw = socket.create_connection(("127.0.0.1", self.port), 60)
        self.sock = self._context.wrap_socket(raw, server_hostname=NAME)


def ask(port, method, path, body=None, **headers):
    """Returns (status, headers, bytes)."""
    c = Through(port)
    try:
        c.request(method, path, body=body,
                  headers={k.replace("_", "-"): v for k, v in headers.items()})
        r = c.getresponse()
        return r.status, r.headers, r.read()
    finally:
        c.close()


def waited(port, process):
    end = time.monotonic() + 30
    while time.monotonic() < end and process.poll() is None:
        try:
            return ask(port, "GET", "/healthz")[0] == 200
        except (OSError, http.client.HTTPException):
            time.sleep(0.1)
    return False


def chunks():
    """Yields a trace in chunks, to be sent without a length."""
    yield OPEN
    for _ in range(100):
        yield b" " * 65536
    yield b"]}"


def through(what, port, server, boss):
    """Sends the requests that a proxy could break."""
    origin = f"https://{NAME}:{port}"
    check(ask(port, "GET", "/")[0] == 200, f"{what}: the page")
    check(ask(port, "GET", "/api/v1/runs")[0] == 401, f"{what}: no loopback behind a proxy")
    status, headers, _ = ask(port, "POST", "/api/v1/session", json.dumps({"token": boss}),
                             Origin=origin)
    cookie = headers.get("Set-Cookie", "")
    check(status == 200 and cookie == f"__Host-kernsift_{server.port}={boss}; Path=/; HttpOnly; "
          "SameSite=Strict; Secure", f"{what}: the sign-in: {status} {cookie}")
    kept = cookie.split(";")[0]
    check(ask(port, "GET", "/api/v1/runs", Cookie=kept)[0] == 200, f"{what}: reading by cookie")
    check(ask(port, "DELETE", "/api/v1/runs/987", Cookie=kept, Origin=origin)[0] == 404,
          f"{what}: a change by cookie")
    check(ask(port, "DELETE", "/api/v1/runs/987", Cookie=kept, Origin="https://evil.example")[0]
          == 403, f"{what}: a page of another origin")
    token = f"Bearer {boss}"
    trace = OPEN + b" " * (12 << 20) + b"]}"
    status, _, reply = ask(port, "POST", f"/api/v1/uploads?name={what}", trace,
                          Authorization=token)
    check(status == 202 and json.loads(reply)["bytes"] == len(trace), f"{what}: 12 MiB: {reply}")
    status, _, reply = ask(port, "POST", f"/api/v1/uploads?name={what}", chunks(),
                          Authorization=token)
    check(status == 202, f"{what}: a body in chunks: {reply}")


certificate()
with Server("--require_tokens", "--proxy_tls", "--hosts", NAME) as s:
    BOSS = s.token("admin")
    for made in nginx, caddy:
        program = shutil.which(made.__name__, path=os.environ["PATH"] + ":/usr/sbin")
        if not program:
            continue
        PORT = free_port()
        with open(at("log"), "w") as log:
            p = subprocess.Popen([program, *made(PORT, s.port)], stdout=log, stderr=log,
                                 env={**os.environ, "HOME": DIR.name, "XDG_DATA_HOME": DIR.name,
                                      "XDG_CONFIG_HOME": DIR.name})
        try:
            if check(waited(PORT, p), f"{made.__name__} starts"):
                through(made.__name__, PORT, s, BOSS)
            else:
                with open(at("log")) as log:
                    print(log.read())
        finally:
            p.terminate()
            p.wait(20)
    check(s.stop() == 0, "a clean stop")
    if not (shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin") or
            shutil.which("caddy")):
        print("skipped: neither nginx nor caddy is installed")
        sys.exit(77)
    verdict(s)
