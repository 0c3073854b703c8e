"""check_tls.py - HTTPS: what the server serves, and which settings it rejects.

The certificate is generated here, for 127.0.0.1. It is its own authority.
"""
import http.client
import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import OPEN
from talk.raw import check, verdict
from talk.server import BIN, HERE, Server, conninfo

DIR = tempfile.TemporaryDirectory(prefix="ks-tls.")


def at(name):
    return os.path.join(DIR.name, name)


def made(name):
    """Makes a certificate and its key, as NAME.crt and NAME.key."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=kernsift test", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", at(f"{name}.key"), "-out",
         at(f"{name}.crt")], check=True, capture_output=True)
    os.chmod(at(f"{name}.key"), 0o600)


def refused(cert, key):
    """Returns (exit status, message) of a server that is started with these files."""
    p = subprocess.run(
        [os.path.join(BIN, "kernsiftd"), "serve", "--listen", "127.0.0.1:0", "--db", conninfo(),
         "--data", DIR.name, "--workers", "1", "--tls_cert", cert, "--tls_key", key],
        capture_output=True, text=True, timeout=60)
    return p.returncode, p.stderr.strip().split("\n")[-1].replace(DIR.name, "DIR")


def pairs():
    """Checks files that are not a usable pair of certificate and key."""
    made("other")
    with open(at("empty"), "w"):
        pass
    os.chmod(at("empty"), 0o600)
    subprocess.run(["openssl", "ec", "-in", at("a.key"), "-out", at("locked.key"), "-aes128",
                    "-passout", "pass:secret"], check=True, capture_output=True)
    os.chmod(at("locked.key"), 0o600)
    for cert, key, sentence in (
            (at("a.crt"), "", "--tls-key: the value is missing (--tls-cert and --tls-key require each other)"),
            ("", at("a.key"), "--tls-cert: the value is missing (--tls-cert and --tls-key require each other)"),
            (at("none.crt"), at("a.key"), "--tls-cert: cannot read 'DIR/none.crt': No such file or "
             "directory (name a file, for example server.crt)"),
            (at("a.crt"), at("none.key"), "--tls-key: cannot read 'DIR/none.key': No such file "
             "or directory (name a file, for example server.key)"),
            (DIR.name, at("a.key"), "--tls-cert: cannot read 'DIR': Is a directory (name a file, "
             "for example server.crt)"),
            (at("a.crt"), at("other.key"),
             "'DIR/other.key' is not the key of the certificate 'DIR/a.crt': "),
            (at("a.key"), at("a.key"), "'DIR/a.key' holds no certificate: "),
            (at("empty"), at("a.key"), "'DIR/empty' holds no certificate: "),
            (at("a.crt"), at("a.crt"), None),
            (at("a.crt"), at("empty"), "'DIR/empty' holds no key without a password: "),
            (at("a.crt"), at("locked.key"), "'DIR/locked.key' holds no key without a password: ")):
        status, message = refused(cert, key)
        wanted = sentence or "'DIR/a.crt' holds no key without a password: "
        if sentence is None:
            os.chmod(cert, 0o600)
            status, message = refused(cert, key)
        exact = not wanted.endswith(": ")
        check(status == 2 and (message == f"kernsiftd: {wanted}" if exact else
                               message.startswith(f"kernsiftd: {wanted}")), f"{message} ({status})")
    for mode in 0o644, 0o606, 0o620:
        os.chmod(at("other.key"), mode)
        check(refused(at("other.crt"), at("other.key")) ==
              (2, f"kernsiftd: the key 'DIR/other.key' can be read by others (mode {mode:o}); "
                  "chmod 600 it"), f"a key of mode {mode:o}")


def accepts(server, version):
    """Whether a client that supports only this version can connect."""
    c = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    c.check_hostname, c.verify_mode = False, ssl.CERT_NONE
    c.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old versions are deprecated
        c.minimum_version = c.maximum_version = version
    try:
        with socket.create_connection(("127.0.0.1", server.port), 20) as s_:
            c.wrap_socket(s_).close()
        return True
    except (ssl.SSLError, OSError):
        return False


def plain(server):
    """Returns what a client without TLS receives."""
    c = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        c.request("GET", "/healthz")
        return c.getresponse().status
    except (http.client.HTTPException, OSError):
        return None


def page(server, boss):
    """Signs in to the dashboard over HTTPS."""
    body = json.dumps({"token": boss})
    for scheme, status in ("http", 403), ("https", 200):
        c = server.connect()
        c.request("POST", "/api/v1/session", body=body,
                  headers={"Origin": f"{scheme}://127.0.0.1:{server.port}"})
        r = c.getresponse()
        check(r.status == status, f"a sign-in of a page of {scheme}: {r.status}")
        cookie = r.getheader("Set-Cookie") or ""
        check(cookie == (f"__Host-kernsift_{server.port}={boss}; Path=/; HttpOnly; "
                         "SameSite=Strict; Secure" if status == 200 else ""), f"the cookie: {cookie}")
        r.read()
    for name, status in (f"__Host-kernsift_{server.port}", 404), (f"kernsift_{server.port}", 401):
        got = server.ask("DELETE", "/api/v1/runs/987", headers={
            "Cookie": f"{name}={boss}", "Origin": f"https://127.0.0.1:{server.port}"})[0]
        check(got == status, f"the cookie {name}: {got}")


def warned():
    """The server warns about an unencrypted listener. The address in the test has no
    owner."""
    for more, expected in ([], 1), (["--proxy_tls"], 0):
        p = subprocess.run(
            [os.path.join(BIN, "kernsiftd"), "serve", "--listen", "192.0.2.1:0", "--db",
             conninfo(), "--data", DIR.name, "--start-without-tokens", *more],
            capture_output=True, text=True, timeout=60)
        count = p.stderr.count(" warn serve listens on '192.0.2.1:0' without TLS: other users of "
                               "the network can read tokens and traces; see --tls-cert and "
                               "--proxy-tls\n")
        check(p.returncode != 0 and count == expected, f"plain HTTP, {more}: {p.stderr}")


def uploads(server):
    """Sends bodies so long that their reading is suspended; one is rejected halfway."""
    trace = OPEN + b" " * (24 << 20) + b"]}"
    status, reply = server.ask("POST", "/api/v1/uploads", body=trace)
    check(status == 202 and json.loads(reply)["bytes"] == len(trace), f"24 MiB: {reply}")
    status, reply = server.ask("POST", "/api/v1/uploads", body=b"\x00nothing" * (1 << 20))
    check(status == 415, f"8 MiB that are no trace: {status} {reply}")
    # kernsift trusts only the certificates that it is configured to trust
    send = [os.path.join(BIN, "kernsift"), "upload", "--server", server.url, "--retries", "0",
            os.path.join(HERE, "data/two-kernels.json")]
    p = subprocess.run(send, capture_output=True, text=True, timeout=60)
    check(p.returncode != 0 and "certificate" in p.stderr, f"without the authority: {p.stderr}")
    p = subprocess.run([*send, "--ca_file", at("a.crt"), "--wait"], capture_output=True, text=True,
                       timeout=100)
    check(p.returncode == 0, f"kernsift upload: {p.stdout}{p.stderr}")
    runs = json.loads(server.ask("GET", "/api/v1/runs?q=two-kernels")[1])["items"] or \
        json.loads(server.ask("GET", "/api/v1/runs")[1])["items"]
    status, capture = server.ask("GET", f"/api/v1/runs/{runs[0]['id']}/capture")
    check(status == 200 and len(capture) > 100, f"a streamed answer: {status}")


made("a")
pairs()
warned()
with Server("--tls_cert", at("a.crt"), "--tls_key", at("a.key"), ca=at("a.crt")) as s:
    check(s.url == f"https://127.0.0.1:{s.port}", f"the printed address: {s.url}")
    check(s.ask("GET", "/healthz")[0] == 200, "health by https")
    check(s.ask("GET", "/")[0] == 200, "the page by https")
    check(plain(s) is None, "no answer to plain HTTP")
    accepted = [v.name for v in ssl.TLSVersion if v.value > 0 and accepts(s, v)]
    check(accepted == ["TLSv1_2", "TLSv1_3"], f"accepted versions: {accepted}")
    page(s, s.token("admin"))
    uploads(s)
    check(s.stop() == 0, "a clean stop")
with Server("--proxy_tls") as behind:
    with_http = {"Origin": f"http://127.0.0.1:{behind.port}"}
    with_https = {"Origin": f"https://127.0.0.1:{behind.port}"}
    check(behind.ask("GET", "/api/v1/runs", headers=with_http)[0] == 403, "a page of http")
    check(behind.ask("GET", "/api/v1/runs", headers=with_https)[0] == 200, "a page of https")
    check(behind.stop() == 0, "a clean stop behind a proxy")
DIR.cleanup()
verdict(s, behind)
