"""server.py - the real kernsiftd serve, with the PostgreSQL of with-postgres."""
import http.client
import os
import re
import shutil
import signal
import ssl
import subprocess
import tempfile
import threading

BIN = os.environ["KERNSIFT_BIN"]
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SANITIZER = re.compile(r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:"
                       r"|Sanitizer has encountered a fatal error")


def conninfo():
    """Returns the connection string of the PostgreSQL that with-postgres started."""
    env = os.environ
    return f"host={env['PGHOST']} user={env['PGUSER']} dbname={env['PGDATABASE']}"


class Server:
    """A server for one test; use it in a `with`. With `ca`, a file of certificates, the
    server uses HTTPS and its certificate is verified with that file."""

    def __init__(self, *options, db=None, program_env=None, ca=None):
        self.dir = tempfile.mkdtemp(prefix="ks-api.")
        os.chmod(self.dir, 0o755)
        self.db = db or conninfo()
        self.tls = ssl.create_default_context(cafile=ca) if ca else None
        self.log = open(os.path.join(self.dir, "log"), "w+")
        self.env = dict(os.environ, **(program_env or {}))
        self.process = subprocess.Popen(
            [os.path.join(BIN, "kernsiftd"), "serve", "--listen", "127.0.0.1:0",
             "--db", self.db, "--data", self.dir, "--workers", "1", *options],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env=self.env)
        line = self._first_line()
        address = re.search(r"https?://[^ ]*:(\d+)", line)
        if not address:
            self.process.kill()
            self.process.wait()
            raise RuntimeError(f"kernsiftd did not start: {line}{self.text()}")
        self.url, self.port = address.group(0), int(address.group(1))

    def _first_line(self):
        alarm = threading.Timer(60, self.process.kill)
        alarm.start()
        line = self.process.stdout.readline()
        alarm.cancel()
        return line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()
        self.log_text = self.text()
        self.log.close()
        shutil.rmtree(self.dir)

    def connect(self, timeout=60):
        if self.tls:
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout,
                                               context=self.tls)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers=None):
        """Returns (status, bytes) of one request on a connection of its own."""
        c = self.connect()
        try:
            c.request(method, path, body=body, headers=headers or {})
            r = c.getresponse()
            return r.status, r.read()
        finally:
            c.close()

    def token(self, scope):
        """Creates a token of the scope and returns it."""
        return subprocess.run(
            [os.path.join(BIN, "kernsiftd"), "token", "--db", self.db,
             "--data", self.dir, "--scope", scope, "--name", f"a test's {scope}"],
            check=True, capture_output=True, text=True, env=self.env).stdout.strip()

    def text(self):
        """Returns what the server has logged so far."""
        if self.log.closed:
            return self.log_text
        with open(self.log.name) as f:
            return f.read()

    def stop(self, timeout=150):
        """Sends SIGTERM; returns the exit status, which is 0 after a clean stop. Prints
        the end of the log after any other."""
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout)
            if status:
                print(f"kernsiftd ended with {status}: {self.text()[-4000:]}", flush=True)
            return status
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def complaints(self):
        """Returns the report of a sanitizer; an empty text if there is none."""
        text = self.text()
        at = SANITIZER.search(text)
        return text[at.start():at.start() + 4000] if at else ""
