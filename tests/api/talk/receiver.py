"""receiver.py - receives webhooks, for tests, and records every delivery.

It is an HTTP server. The name of a path says how the receiver behaves.
"""
import http.server
import threading
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            self.server.deliveries.append((self.path, dict(self.headers), body, time.monotonic()))
        word = self.path.strip("/").split("/")[0]
        if word.isdigit():
            self.answer(int(word))
        elif word == "again":
            self.answer(200 if self.server.times(self.path) > 1 else 500)
        else:
            getattr(self, word)()

    def answer(self, status, *headers):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def away(self):
        self.answer(307, ("Location", f"http://127.0.0.1:{self.server.server_port}/200/away"))

    def hang(self):
        self.server.stop.wait(60)
        self.close_connection = True

    def pour(self, line):
        try:
            while not self.server.stop.is_set():
                self.wfile.write(line)
        except OSError:
            self.server.gave_up.append(self.path)
        self.close_connection = True

    def body(self):
        self.send_response(200)
        self.end_headers()
        self.pour(b"x" * 65536)

    def head(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        self.pour(b"X-Y: " + b"z" * 1000 + b"\r\n")

    def interim(self):
        self.pour(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")

    def trailer(self):
        self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                         b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n"
                         b"\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n")

    def nonsense(self):
        self.wfile.write(b"\xff\xfe this is no HTTP\r\n\r\n")
        self.close_connection = True

    def log_message(self, *_):
        pass


class Receiver(http.server.ThreadingHTTPServer):
    """A receiver on its own port; use it in a `with`."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.deliveries, self.gave_up = [], []
        self.lock, self.stop = threading.Lock(), threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, *_):
        pass

    def url(self, path, host="127.0.0.1"):
        return f"http://{host}:{self.server_port}{path}"

    def times(self, path):
        with self.lock:
            return sum(p == path for p, *_ in self.deliveries)
