#!/usr/bin/python3
"""terminal.py - the progress bar is drawn on terminals of two widths, and not
elsewhere.
"""
import fcntl
import os
import pty
import re
import struct
import tempfile
import termios

from harness import BIN, CLEAN, Server, equal, ids, play, says, trace, upload


def on_terminal(argv, columns, term='xterm'):
    """Runs with stderr on a terminal; returns (status, stdout, terminal output)."""
    main_end, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ,
                struct.pack('HHHH', 24, columns, 0, 0))
    out_r, out_w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(out_w, 1)
        os.dup2(end, 2)
        os.closerange(3, 64)
        os.execve(argv[0], argv, {**CLEAN, 'TERM': term})
    os.close(end)
    os.close(out_w)
    drawn, out = read_all(main_end), read_all(out_r)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), out, drawn


def read_all(fd):
    all_ = b''
    try:
        while piece := os.read(fd, 65536):
            all_ += piece
    except OSError:  # a terminal raises this when its other end is closed
        pass
    os.close(fd)
    return all_.decode()


def bars(drawn):
    return [x.split('\x1b[K')[0] for x in drawn.split('\r')
            if '\x1b[K' in x and x.split('\x1b[K')[0]]


def wide(s, d):
    """79 columns: name, bar, amount, and the server's own progress"""
    path = trace(d, 'wide.json', '--events', '120000')
    status, out, drawn = on_terminal(
        [f'{BIN}/kernsift', 'upload', '--server', s.url, '--wait', path], 80)
    equal('status', status, 0)
    equal('runs', len(ids(out, 'run')), 1)
    lines = bars(drawn)
    equal('drawn more than once', len(lines) > 1, True)
    equal('longest', max(map(len, lines)) <= 79, True)
    # a fast server has all bytes before the second drawing; the first may show a few
    # KiB
    sent = [x for x in lines if re.search(r'\d+ %  \S+ [KM]iB of 3\d\.\d MiB', x)]
    equal('amounts', len(sent) > 0, True)
    # at the end the bar is removed and one line is left
    says('end', drawn.replace('\r\n', '\n'),
         r'.*\r\x1b\[K[^\r]* sent as \S+ \S+, upload \d+ \w+\n.*')


def narrow(s, d):
    """30 columns: no line ever wraps"""
    path = trace(d, 'narrow.json', '--events', '60000', '--seed', '2')
    status, _, drawn = on_terminal(
        [f'{BIN}/kernsift', 'upload', '--server', s.url, path], 30)
    equal('status', status, 0)
    equal('longest', max(map(len, bars(drawn))) <= 29, True)


def dumb(s, d):
    """a dumb terminal and a pipe get only plain lines"""
    path = trace(d, 'dumb.json', '--events', '60000', '--seed', '3')
    status, _, drawn = on_terminal(
        [f'{BIN}/kernsift', 'upload', '--server', s.url, path], 80, 'dumb')
    equal('status', status, 0)
    says('stderr', drawn, rf'{path}: \S+ MiB sent as [^\r\x1b]*\r\n')
    r = upload(s, path)
    says('stderr', r.err, rf'{path}: \S+ MiB sent as [^\r\x1b]*\n')


def main():
    with Server() as s, tempfile.TemporaryDirectory() as d:
        play([wide, narrow, dumb], s, d)


if __name__ == '__main__':
    main()
