#!/usr/bin/python3
"""pattern_files.py - computes the figures of pattern files with counters independently.

pattern_files.py [FOLDER]...

Computes the figures of each process in a pattern file with Python's csv module and
exact fractions: the devices, the copies, and the time and instances of each GPU
function. A function has several rows per iteration and device, one per metric, but its
time counts once. Compares the figures with `kernsiftd inspect`, in total and by device.
The file and its counters are one input, plain and as two gzip members. Skipped if there
are no such files next to the checkout.
"""
import collections
import csv
import datetime
import fractions
import glob
import gzip
import io
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
PROGRAM = os.path.join(os.environ.get('KERNSIFT_BIN',
                                      f'{SOURCE}/build/dev/bin'), 'kernsiftd')
COPIES = {'DtoD': 'Device-to-Device', 'DtoH': 'Device-to-Host',
          'HtoD': 'Host-to-Device'}


def rounded(value, places):
    """Rounds a fraction to that many decimals, half away from zero, and returns it as
    text."""
    n = int(abs(value) * 10 ** places * 2 + 1) // 2
    whole, part = divmod(n, 10 ** places)
    return f'{whole}.{part:0{places}}' if places else str(whole)


def nanoseconds(micros):
    return int(rounded(fractions.Fraction(micros) * 1000, 0))


def operation(name):
    if name.startswith('Memset'):
        return '[CUDA memset]'
    return f'[CUDA memcpy {COPIES[name.split()[1]]}]'


def table(sums):
    """Returns lines as `inspect` prints them: share, total, count, average, name."""
    whole = collections.Counter()
    for (_, device), (total, _) in sums.items():
        whole[device is None] += total
    rows = []
    for (name, device), (total, count) in sums.items():
        share = fractions.Fraction(100 * total, whole[device is None] or 1)
        rows.append((-total, count, name, -1 if device is None else device,
                     [rounded(share, 1), str(total), str(count),
                      rounded(fractions.Fraction(total, count), 1)]))
    return sorted(rows)


def figures(text):
    """Returns the sums of a process's rows."""
    seen, kernels, copies = set(), {}, {}
    devices = collections.Counter()
    pids, iterations, first = set(), set(), None
    for row in csv.DictReader(io.StringIO(text)):
        pids.add(row['pid'])
        iterations.add(row['cycle'])
        start = nanoseconds(row['cycle_start_ts'])
        first = start if first is None else min(first, start)
        key = row['cycle'], row['function_name'], row['device']
        if not row['func_type'].startswith('gpu_') or key in seen:
            continue
        seen.add(key)
        device = int(row['device'].split()[1])
        copy = row['func_type'].startswith('gpu_memcpy')
        name = row['function_name']
        name = operation(name) if copy else name
        devices[device] += 0 if copy else int(row['instances_count'])
        for split in None, device:
            to = (copies if copy else kernels).setdefault((name, split), [0, 0])
            to[0] += nanoseconds(row['duration'])
            to[1] += int(row['instances_count'])
    (pid,) = pids
    return {'process': pid, 'iterations': len(iterations), 'first': first,
            'devices': dict(devices), 'kernels': kernels, 'copies': copies}


def printed(path, by):
    """Runs `kernsiftd inspect` and returns its lines and its tables."""
    out = subprocess.run([PROGRAM, 'inspect', *by, path], check=True,
                         capture_output=True, text=True).stdout
    parts = out.split('\n\n')
    head = parts[1].splitlines()
    tables = [list(csv.reader(io.StringIO(p))) for p in parts[2:]]
    return head, tables


def sentences(want, head, tables, split):
    lines = dict(line.split(' ', 1) for line in head
                 if not line.startswith(('device', 'note')))
    sums = {k: [v for (_, d), v in want[k].items() if d is None]
            for k in ('kernels', 'copies')}
    due = {'process': want['process'], 'span_ns': 'unknown',
           'busy_ns': 'unknown',
           'kernel_ns': str(sum(t for t, _ in sums['kernels'])),
           'launches': str(sum(n for _, n in sums['kernels'])),
           'kernels': str(len(sums['kernels'])),
           'copy_ns': str(sum(t for t, _ in sums['copies'])),
           'copies': str(sum(n for _, n in sums['copies']))}
    for key, value in due.items():
        if lines[key] != value:
            yield f'{key} is {lines[key]}, not {value}'
    devices = [line.split(' name=')[0] for line in head
               if line.startswith('device')]
    due = [f'device {d} launches={n} busy_ns=unknown sms=unknown '
           'compute=unknown memory_bytes=unknown'
           for d, n in sorted(want['devices'].items())]
    if devices != due:
        yield f'devices are {devices}, not {due}'
    if not any(line.startswith(f'note warn patterns_only {want["iterations"]}:')
               for line in head):
        yield f'no note of {want["iterations"]} iterations'
    for what, rows in zip(('kernels', 'copies'), tables):
        due = [r for r in table(want[what]) if (r[3] >= 0) == split]
        due = [[*r[4], '', '', '', '', '', '',
                *(['0', '0'] if what == 'copies' else []),
                *([str(r[3])] if split else []), r[2]] for r in due]
        if rows[1:] == due:
            continue
        yield f'{what}: {len(rows) - 1} rows, not {len(due)}'
        for g, d in zip(rows[1:], due):
            if g != d:
                yield f'{what}: {g}, not {d}'
                break


def started(want, counters):
    """Returns the start of the first iteration or sample, as inspect prints it."""
    first = min([want['first']] + [nanoseconds(r['timestamp']) for r in
                                   csv.DictReader(io.StringIO(counters))])
    moment = datetime.datetime.fromtimestamp(first // 10 ** 9,
                                             datetime.timezone.utc)
    return f'started {moment:%Y-%m-%dT%H:%M:%S}.{first % 10 ** 9:09}Z'


def check(folder, patterns):
    counters = patterns.replace('_perf.', '_counters.')
    with open(patterns, 'rb') as f, open(counters, 'rb') as g:
        packed = f.read(), g.read()
    plain = [gzip.decompress(p).decode() for p in packed]
    want = figures(plain[0])
    wrong = []
    for suffix, body in (('.csv', ''.join(plain).encode()),
                         ('.csv.gz', b''.join(packed))):
        path = f'{folder}/joined{suffix}'
        with open(path, 'wb') as f:
            f.write(body)
        for by in ([], ['--by', 'device']):
            head, tables = printed(path, by)
            wrong += sentences(want, head, tables, bool(by))
            if started(want, plain[1]) not in head:
                wrong.append(f'no line {started(want, plain[1])}')
    return plain[0].count('\n') - 1, want, wrong


def main():
    places = sys.argv[1:] or [f'{SOURCE}/../shared/reference/comparison']
    files = sorted(f for p in places
                   for f in glob.glob(f'{p}/**/*_perf.csv.gz', recursive=True))
    if not files:
        print(f'skipped: no pattern files at {places[0]}')
        return 77
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            rows, want, wrong = check(folder, path)
            bad += bool(wrong)
            print(f'{rows:6} rows {want["iterations"]:4} iterations '
                  f'{"no " if wrong else "yes"} '
                  f'{"/".join(path.split("/")[-2:])}')
            for w in wrong[:5]:
                print(f'       {w[:300]}')
    print(f'{len(files) - bad} of {len(files)} pattern files equal to the digit')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
