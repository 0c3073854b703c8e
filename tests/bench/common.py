"""common.py - the code that all benches share: traces, a server, a result line."""
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

SRC = os.environ['KERNSIFT_SRC']
BIN = os.environ['KERNSIFT_BIN']
BENCH_BIN = os.environ['KERNSIFT_BENCH_BIN']
REAL = os.path.join(SRC, '..', 'shared', 'traces', 'kineto')
# name of a trace, and the options of the generated trace that replaces a missing one
TRACES = (
    ('resnet-ddp_v100_54mb', ['--events', '160000']),
    ('owlv2-large_h100', ['--events', '165000', '--stacks']),
    ('merged-4ranks_140mb', ['--events', '390000', '--ranks', '4',
                             '--dialect', 'rocm']),
)


def tell(name, value, unit, goal=None, met=None):
    """Prints `name value unit (goal …, met)`, a line for people and for grep."""
    text = f'{value:.3g}' if isinstance(value, float) and value < 100 \
        else f'{value:.0f}'
    end = '' if goal is None else f' (goal {goal}, {"met" if met else "missed"})'
    print(f'{name} {text} {unit}{end}', flush=True)


def bench_decode(path):
    """Decodes and analyzes a trace in a new process. Returns {name: [number, …]} of the
    lines that it prints, or None if the file cannot be read."""
    p = subprocess.run([f'{BENCH_BIN}/bench_decode', path], check=False,
                       capture_output=True, text=True)
    if p.returncode:
        return None
    return {w[0]: [int(x) for x in w[1:]] for w in map(str.split, p.stdout.splitlines())}


def median(values):
    v = sorted(values)
    n = len(v)
    return v[n // 2] if n % 2 else (v[n // 2 - 1] + v[n // 2]) / 2


def traces(folder):
    """Returns the three traces as (name, path of the .json.gz)."""
    if os.path.isdir(REAL):
        return [(n, f'{REAL}/{n}.json.gz') for n, _ in TRACES]
    print('the real traces are not here; generated traces replace them',
          flush=True)
    out = []
    for name, options in TRACES:
        path = f'{folder}/{name}.json.gz'
        subprocess.run([f'{SRC}/tests/gen/gen_trace.py', *options, path],
                       check=True)
        out.append((f'generated-for-{name}', path))
    return out


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


@contextmanager
def server(folder, *options):
    """Starts a kernsiftd with its own cluster; yields (port, process)."""
    port = free_port()
    with open(f'{folder}/server.log', 'ab') as log:
        p = subprocess.Popen(
            [f'{BIN}/kernsiftd', 'serve', '--listen', f'127.0.0.1:{port}',
             '--data', f'{folder}/data', *options], stdout=log, stderr=log)
    try:
        wait_ready(port, p, f'{folder}/server.log')
        yield port, p
    finally:
        p.terminate()
        try:
            p.wait(60)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()


def wait_ready(port, process, log):
    for _ in range(600):
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f'http://127.0.0.1:{port}/readyz') as r:
                if r.status == 200:
                    return
        except OSError:
            pass
        time.sleep(0.1)
    with open(log, errors='replace') as f:
        sys.exit('the server did not start:\n' + ''.join(f.readlines()[-10:]))


def upload(port, path, *options):
    subprocess.run([f'{BIN}/kernsift', 'upload', '--server',
                    f'http://127.0.0.1:{port}', '--wait', *options, path],
                   check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def processes(word, parent):
    """Returns the pids of `kernsiftd WORD…` below the process `parent`."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cmdline', 'rb') as f:
                argv = f.read().split(b'\0')
            with open(f'/proc/{pid}/stat') as f:
                up = int(f.read().rsplit(')', 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        if up == parent and len(argv) > 1 and argv[1].startswith(word.encode()):
            found.append(int(pid))
    return found


def busy_share(seconds):
    """Returns the share of the machine's CPU time that all processes use: 0 to 1."""
    def read():
        with open('/proc/stat') as f:
            ticks = [int(x) for x in f.readline().split()[1:9]]
        return sum(ticks), ticks[3] + ticks[4]  # all; idle and waiting

    all0, idle0 = read()
    time.sleep(seconds)
    all1, idle1 = read()
    return 1 - (idle1 - idle0) / (all1 - all0)
