#!/usr/bin/python3
"""view.py - `kernsift runs`, `show`, `open`, `login` and `logout`, `kernsiftd inspect`, and colors
on a terminal."""
import csv
import fcntl
import io
import json
import os
import pty
import re
import stat
import struct
import subprocess
import tempfile
import termios
import time
import unicodedata

from harness import BIN, CLEAN, DB, Server, equal, ids, kernsift, play, says, trace, upload

# A name that a terminal would execute, that changes the direction of a line, and whose
# characters have two columns.
ODD = 'a\u202eb\x1b[31mc 日本語の名前がとても長いときには短くする 🔥'


def on_terminal(argv, columns, env=None, typed=b''):
    """Runs with all streams on a terminal; returns (status, output)."""
    pid, end = pty.fork()
    if pid == 0:
        os.execve(argv[0], argv, {**CLEAN, 'TERM': 'xterm', **(env or {})})
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    out = b''
    try:
        while piece := os.read(end, 65536):
            out += piece
            if typed and b': ' in out:
                os.write(end, typed)
                typed = b''
    except OSError:  # a terminal raises this when its other end is closed
        pass
    os.close(end)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), out.decode().replace('\r\n', '\n')


def width(line):
    line = re.sub(r'\x1b\[\d+m', '', line)
    return sum(2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in line)


def make_token():
    p = subprocess.run([f'{BIN}/kernsiftd', 'token', '--db', DB, '--scope', 'read', '--name',
                        'reader'], stdout=subprocess.PIPE, check=True)
    return p.stdout.decode().split()[-1]


def listed(s, d):
    """runs as a table, as CSV, as JSON and as Markdown; filters; more than are listed"""
    equal('none', kernsift('runs', server=s).out, 'no runs\n')
    for i, name in enumerate(('first', ODD, 'a|b*c')):
        r = upload(s, '--wait', '--project', 'p', '--name', name, '--label', f'n={i}',
                   trace(d, f'{i}.json', '--events', '200', '--seed', str(i + 1)))
        equal('upload', (r.status, len(ids(r.out, 'run'))), (0, 1))
    r = kernsift('runs', server=s)
    head, *rows = r.out.splitlines()
    equal('head', head.split()[:5], ['run', 'name', 'project', 'workload', 'device'])
    equal('order', [row.split()[0] for row in rows], ['3', '2', '1'])
    equal('nothing that a terminal executes', [c for c in '\x1b\u202e' if c in r.out], [])
    r = kernsift('runs', '--format', 'csv', server=s)
    got = list(csv.DictReader(io.StringIO(r.out)))
    stored = s.get('/api/v1/runs')['items']
    equal('csv', [(int(x['id']), int(x['kernel_ns']), int(x['launches'])) for x in got],
          [(x['id'], x['kernel_ns'], x['launches']) for x in stored])
    equal('json', [x['id'] for x in json.loads(kernsift('runs', '--format', 'json',
                                                        server=s).out)], [3, 2, 1])
    r = kernsift('runs', '--format', 'md', '--limit', '1', server=s)
    equal('md', r.out.splitlines()[2].split(' | ')[:2], [f'| [3]({s.url}/runs/3)', 'a\\|b\\*c'])
    equal('filter', [x['id'] for x in csv.DictReader(io.StringIO(
        kernsift('runs', '--label', 'n=1', '--format', 'csv', server=s).out))], ['2'])
    equal('limit', kernsift('runs', '--limit', '2', server=s).out.splitlines()[-1],
          'older runs are not listed (--limit)')
    r = kernsift('runs', '--since', 'tomorrow', server=s)
    equal('refused', (r.status, r.out), (1, ''))
    says('refused', r.err, "kernsift: since: 'tomorrow' .*\n")


def fits(s, _):
    """on terminals of three widths no line is wider; long names lose their middle"""
    for columns in (120, 100, 80):
        status, out = on_terminal([f'{BIN}/kernsift', 'runs', '--server', s.url], columns)
        equal('status', status, 0)
        equal(f'{columns} columns', max(map(width, out.splitlines())) <= columns, True)
        equal('cut', '…' in out, True)
        equal('aligned', len({width(line) for line in out.splitlines()[1:]}), 1)


def colors(s, _):
    """colors on a terminal, not with NO_COLOR, TERM=dumb or in a pipe, always with always"""
    argv = [f'{BIN}/kernsift', 'runs', '--server', s.url]
    for what, env, more, wanted in (
            ('terminal', {}, [], True), ('NO_COLOR', {'NO_COLOR': '1'}, [], False),
            ('an empty NO_COLOR', {'NO_COLOR': ''}, [], True), ('dumb', {'TERM': 'dumb'}, [], False),
            ('never', {}, ['--color', 'never'], False),
            ('always', {'NO_COLOR': '1'}, ['--color', 'always'], True)):
        equal(what, '\x1b[1m' in on_terminal([*argv, *more], 100, env)[1], wanted)
    equal('pipe', '\x1b' in kernsift('runs', server=s).out, False)
    r = kernsift('compare', '--color', 'always', '1', '3', server=s)
    equal('compare', (r.status, r.out.startswith('\x1b[1m')), (0, True))
    plain = kernsift('compare', '1', '3', server=s)
    equal('the same text', re.sub(r'\x1b\[\d+m', '', r.out), plain.out)


def inspected(_, d):
    """inspect: tables that fit on a terminal, CSV in a pipe, every column in a table in a pipe"""
    path = trace(d, 'inspected.json', '--events', '400', '--seed', '7')
    argv = [f'{BIN}/kernsiftd', 'inspect', '--by', 'kernels,launches', path]
    piped = [subprocess.run([*argv, *more], stdout=subprocess.PIPE, check=True).stdout.decode()
             for more in ([], ['--format', 'csv'], ['--format', 'table'])]
    equal('csv', piped[0], piped[1])
    heads = [next(csv.reader([line])) for line in piped[1].splitlines()
             if line.startswith(('Time (%)', 'PID'))]
    equal('columns', [line.split() for line in piped[2].splitlines()
                      if line.lstrip().startswith(('Time (%)', 'PID'))],
          [' '.join(head).split() for head in heads])
    for columns in (160, 100):
        status, out = on_terminal(argv, columns)
        equal('status', status, 0)
        tables = [line for block in out.split('\n\n') if block.startswith('\x1b')
                  for line in block.splitlines()]
        equal('tables', sum(line.startswith('\x1b') for line in tables), len(heads))
        equal(f'{columns} columns', max(map(width, tables)) <= columns, True)


def shown(s, _):
    """the overview of a run, of one whose name is odd, and of none"""
    r = kernsift('show', '1', server=s)
    equal('status', (r.status, r.err), (0, ''))
    run = s.get('/api/v1/runs/1')
    kernels = s.get('/api/v1/runs/1/kernels?limit=10')['items']
    equal('head', r.out.splitlines()[:2], ['run 1: first', f'{s.url}/runs/1'])
    says('facts', r.out, fr'.*\nproject     p\nlabels      n=0\n.*\nwork        '
         fr'{run["kernels"]} kernels, \S+ \S+ in {run["launches"]} launches.*')
    table = r.out[r.out.index('kernels with the most time'):].splitlines()[2:]
    equal('kernels', [float(row.split()[0]) for row in table],
          [round(k['time_pct'], 1) for k in kernels])
    r = kernsift('show', '2', server=s)
    equal('odd', (r.status, '\x1b' in r.out), (0, False))
    r = kernsift('show', '99', server=s)
    equal('none', (r.status, r.out), (1, ''))
    r = kernsift('show', 'first', server=s)
    equal('no id', (r.status, r.err), (64, "kernsift: show: 'first' is not the id of a run "
                                           "('kernsift runs' lists them)\n"))


def opened(s, d):
    """addresses of pages; a browser only if there is a display"""
    for words, path in (([], '/'), (['7'], '/runs/7'), (['job:3'], '/jobs/3'),
                        (['gate:5'], '/gates/5'), (['gates'], '/gates'),
                        (['compare', 'label.branch=main last=5', '9'],
                         '/compare?base=label.branch%3Dmain%20last%3D5&head=9')):
        r = kernsift('open', *words, server=s, env={'DISPLAY': '', 'WAYLAND_DISPLAY': ''})
        equal(path, (r.status, r.out, r.err), (0, s.url + path + '\n', ''))
    for words in (['gate:x'], ['nothing'], ['7', '8'], ['compare', '1']):
        equal(words, kernsift('open', *words, server=s).status, 64)
    seen = os.path.join(d, 'seen')
    with open(os.path.join(d, 'xdg-open'), 'w') as f:
        f.write(f'#!/bin/sh\necho "$*" >{seen}.part && mv {seen}.part {seen}\n')
    os.chmod(f.name, 0o755)
    r = kernsift('open', '7', server=s, env={'DISPLAY': ':0', 'PATH': f'{d}:{os.environ["PATH"]}'})
    equal('with a display', (r.status, r.out), (0, f'{s.url}/runs/7\n'))
    for _ in range(200):
        if os.path.exists(seen):
            break
        time.sleep(0.05)
    equal('browser', open(seen).read(), f'{s.url}/runs/7\n')
    r = kernsift('open', '7', server=s, env={'DISPLAY': ':0', 'PATH': '/nonexistent'})
    equal('without a browser', (r.status, r.out), (0, f'{s.url}/runs/7\n'))


def signed_in(s, d, token):
    """login stores what the server accepts, for this server and this user only"""
    config = os.path.join(d, 'config')
    home = {'XDG_CONFIG_HOME': config}
    path = f'{config}/kernsift/login.json'
    r = kernsift('login', '--server', s.url, stdin=b'wrong\n', env=home)
    equal('wrong token', (r.status, os.path.exists(path)), (64, False))
    r = kernsift('login', '--server', s.url, stdin=token.encode() + b'\n', env=home)
    equal('login', (r.status, r.out, r.err),
          (0, f'signed in to {s.url} as reader, scope read\n', ''))
    equal('mode', stat.S_IMODE(os.stat(path).st_mode), 0o600)
    equal('stored', kernsift('runs', env=home).status, 0)
    equal('address', kernsift('open', '1', env={**home, 'DISPLAY': ''}).out, f'{s.url}/runs/1\n')
    equal('the option has priority', kernsift('runs', '--server', 'http://127.0.0.1:1',
                                              '--retries', '0', env=home).status, 69)
    equal('the variable has priority', kernsift('runs', '--retries', '0', env={
        **home, 'KERNSIFT_SERVER': 'http://127.0.0.1:1'}).status, 69)
    equal('another token has priority',
          kernsift('runs', env={**home, 'KERNSIFT_TOKEN': 'wrong'}).status, 64)
    # localhost is another name, so the token is not for it
    r = kernsift('runs', '--server', f'http://localhost:{s.port}', env=home)
    equal('another server', r.status, 64)
    os.chmod(path, 0o640)
    r = kernsift('runs', env=home)
    equal('readable by others', (r.status, r.out), (64, ''))
    says('readable by others', r.err, r"kernsift: other users can read '.*' .*\n")
    equal('help needs no file', kernsift('help', env=home).status, 0)
    for _ in range(2):
        equal('logout', kernsift('logout', env=home).status, 0)
    equal('deleted', os.path.exists(path), False)


def typed(s, d, token):
    """a token typed on a terminal is not shown; ^C stores nothing"""
    config = os.path.join(d, 'typed')
    argv = [f'{BIN}/kernsift', 'login', '--server', s.url]
    status, out = on_terminal(argv, 80, {'XDG_CONFIG_HOME': config}, b'abc\x03')
    equal('interrupted', (status, os.path.exists(config)), (64, False))
    status, out = on_terminal(argv, 80, {'XDG_CONFIG_HOME': config},
                              b'x\x7f' + token.encode() + b'\r')
    equal('status', status, 0)
    equal('shown', token in out, False)
    with open(f'{config}/kernsift/login.json') as f:
        equal('stored', json.load(f), {'server': s.url, 'token': token})


def main():
    with tempfile.TemporaryDirectory() as d:
        with Server() as s:
            play([listed, fits, colors, inspected, shown, opened], s, d)
        token = make_token()
        with Server('--require-tokens') as s:
            play([signed_in, typed], s, d, token)


if __name__ == '__main__':
    main()
