"""fake_gates.py - a server that answers POST /gates as a script specifies.

It does what a real server does not do on demand: it returns an invalid answer, fails to
render a document, or has no database for one request.
"""
import copy
import gzip
import http.server
import json
import re
import threading

RULE = {'rule': 'iteration', 'of': None, 'device': None, 'outcome': 'regressed',
        'base_ns': 20000000, 'head_ns': 21400000, 'limit_pct': 2, 'change_pct': 7, 'low_pct': 5.25,
        'high_pct': 8.75, 'iteration_limit_pct': None, 'iteration_change_pct': None,
        'iteration_low_pct': None, 'iteration_high_pct': None, 'p': 0.0004, 'p_family': None,
        'alpha': 0.0028, 'noise_floor': 0.01, 'since_run': None, 'runs_needed': 0,
        'summary': 'the iteration takes 7.0 % longer'}
GATE = {'id': 12, 'outcome': 'regressed', 'exit_status': 1, 'summary': 'the iteration takes 7.0 % longer',
        'runs_needed': 0, 'base': {'query': 'label.branch=main last=20', 'runs': [1, 2, 3],
                                   'units': 3, 'iterations': 90},
        'head': {'query': '4', 'runs': [4], 'units': 1, 'iterations': 30}, 'policy': {},
        'rules': [RULE], 'data_problems': [], 'findings': [], 'compare': '/compare?base=1,2,3&head=4'}
RENDERED = {'md': '# kernsift: regressed\n', 'junit': '<testsuites/>\n', 'svg': '<svg/>\n',
            'github': '::error title=kernsift::the iteration takes 7.0 %25 longer\n'}


def gate(rules=(RULE,), **members):
    return {**copy.deepcopy(GATE), 'rules': [{**RULE, **r} for r in rules], **members}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        body = body.encode()
        self.server.coding = self.headers['Accept-Encoding'] or 'identity'
        self.send_response(status)
        if self.server.coding == 'gzip':
            body = gzip.compress(body)
            self.send_header('Content-Encoding', 'gzip')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        self.server.requests.append((self.path, self.headers['Content-Type'], json.loads(body)))
        script = self.server.script
        self.answer(*(script.pop(0) if len(script) > 1 else script[0]))

    def do_GET(self):
        self.server.requests.append(self.path)
        form = re.search('format=([a-z]+)', self.path)[1]
        self.answer(*self.server.rendered.get(form, (200, RENDERED[form])))


class FakeGates(http.server.ThreadingHTTPServer):
    """Answers each POST with the next entry of the script; the last entry repeats."""
    daemon_threads = True

    def __init__(self, *script, rendered=None):
        super().__init__(('127.0.0.1', 0), Handler)
        self.script, self.rendered, self.requests = list(script), rendered or {}, []

    def handle_error(self, *_):
        """a client that disconnects because an answer is too long"""

    @property
    def url(self):
        return f'http://127.0.0.1:{self.server_port}'

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()
