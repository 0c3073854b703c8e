#!/usr/bin/python3
"""devices.py - `kernsift devices` shows GPUs that execute the same work slower than others."""
import json
import subprocess
import sys
import tempfile

from harness import DB, SRC, Server, equal, kernsift, play, says, upload

sys.path.insert(0, f'{SRC}/tests/gen')
from efficiency import made_efficiency  # noqa: E402

GPUS, RUNS, SLOW = 8, 3, 3
NOTHING = '0 GPUs in {}: 0 slow, 0 undecided, 0 not slow, 0 not judged\n{}'


def made(gpu, run):
    """Returns a trace. GPU 3 takes 5 % longer; runs differ by 0.1 %."""
    level = (1.05 if gpu == SLOW else 1 + 0.0003 * gpu) * (1 + 0.001 * run)
    return made_efficiency([(operator, 'bf16', sizes, round(us * level, 3))
                            for operator, sizes, us in (('gemm', (1024, 2048, 512), 600),
                                                        ('softmax', (4096, 4096), 900))
                            for _ in range(3)])


def psql(sql):
    subprocess.run(['psql', '-qd', DB, '-c', sql], check=True)


def unknown(s, d):
    """no run, and runs that do not state their GPU"""
    r = kernsift('devices', server=s)
    equal('none', (r.status, r.out),
          (0, NOTHING.format('0 runs', 'no GPU is judged: no run matches\n')))
    for gpu in range(GPUS):
        for run in range(RUNS):
            path = f'{d}/{gpu}-{run}.json'
            with open(path, 'wb') as f:
                f.write(made(gpu, run))
            r = upload(s, '--project', 'p', '--workload', 'a b', '--label', 'x=1', '--wait', path)
            equal('upload', (r.status, r.err if r.status else ''), (0, ''))
    r = kernsift('devices', server=s)
    equal('unknown', (r.status, r.out), (0, NOTHING.format(
        '24 runs', 'no GPU is judged: no run states which GPU it used: its UUID, or its host '
        'and its PCI address or number\n24 runs without the identity of the GPU\n')))


def pct(value):
    return '-' if value is None else f'{value:+.2f} %'


def lines(row):
    """Returns the lines of a GPU."""
    interval = ('-' if row['low_pct'] is None
                else f"{row['low_pct']:+.2f} to {row['high_pct']:+.2f} %")
    p = '-' if row['p_adjusted'] is None else f"{row['p_adjusted']:.2g}"
    runs = f"{row['comparable_runs']}/{row['runs']}"
    yield (f"{row['verdict']:11} {pct(row['slowdown_pct']):>10} {interval:>20} {p:>8} {runs:>6} "
           f"{row['comparable_shapes']:6}  {row['gpu']} ({row['name']})")
    indent = ' ' * 13
    if row['reason']:
        yield f"{indent}not judged: {row['reason']}"
    if row['by_power_pct'] is not None:
        yield (f"{indent}by clock {pct(row['by_clock_pct'])}, by power or heat "
               f"{pct(row['by_power_pct'])}, by neither {pct(row['by_neither_pct'])}")
    elif row['by_clock_pct'] is not None:
        yield (f"{indent}by clock or power {pct(row['by_clock_pct'])}, by neither "
               f"{pct(row['by_neither_pct'])}")
    if row['operators']:
        yield f'{indent}slowest in ' + ', '.join(
            f"{o['operator']} {pct(o['slowdown_pct'])}" for o in row['operators'])


def table(rows):
    return (f"\n{'verdict':11} {'slowdown':>10} {'95 % interval':>20} {'p':>8} {'runs':>6} "
            f"{'shapes':>6}  GPU\n" + ''.join(line + '\n' for row in rows for line in lines(row)))


def document(s, *options):
    r = kernsift('devices', '--format', 'json', *options, server=s)
    equal('json', (r.status, r.err), (0, ''))
    return json.loads(r.out)


def shows(s, _):
    """a slow GPU, whose clock is lower, and a GPU with too few runs"""
    # Runs are numbered in the order of the uploads.
    psql("UPDATE run_device d SET uuid = 'gpu-' || (d.run_id - 1) / 3, sm_clock_samples = 9, "
         "sm_clock_reason = NULL, sm_clock_mhz = CASE WHEN (d.run_id - 1) / 3 = 3 "
         "THEN 1900 ELSE 1980 END, throttled_pct = 50;"
         "UPDATE run_device SET uuid = 'gpu-new' WHERE run_id = 1")
    doc = document(s)
    equal('GPUs', [row['verdict'] for row in doc['items']].count('slow'), 1)
    first = doc['items'][0]
    equal('slow', (first['gpu'], 4.5 < first['slowdown_pct'] < 5,
                   2 < first['by_power_pct'] < 2.2), ('gpu-3', True, True))
    r = kernsift('devices', server=s)
    undecided = doc['undecided_devices']
    equal('text', (r.status, r.out), (0, (
        f'9 GPUs in 24 runs: 1 slow, {undecided} undecided, {6 - undecided} not slow, '
        '2 not judged\n') + table(doc['items'])))
    says('few runs', r.out, '.*not judged: 1 of its runs is comparable; at least 3 are needed.*')
    psql('UPDATE run_device SET throttled_pct = NULL')
    r = kernsift('devices', '--verdict', 'slow', server=s)
    equal('clock', r.out.split('\n', 1)[1], table(document(s, '--verdict', 'slow')['items']))
    says('clock', r.out, '.* by clock or power [+]4.* %, by neither .*')


def excludes(s, _):
    """runs without a launch and on several GPUs"""
    psql('INSERT INTO run_device (run_id, number, launches, busy_ns) VALUES (24, 1, 1, 1);'
         'UPDATE run_device SET launches = 0, busy_ns = 0 WHERE run_id = 23')
    r = kernsift('devices', '--verdict', 'slow', server=s)
    equal('excluded', r.out.split('\n')[1:3],
          ['1 run on several GPUs, whose times per GPU are unknown', '1 run without a launch'])


def filters(s, _):
    """each filter of the API, and its other formats"""
    for option, yes, no in (('project', 'p', 'q'), ('workload', 'a b', 'b'),
                            ('framework', 'pytorch', 'jax'), ('platform', 'H20', 'H100-SXM'),
                            ('since', '2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z'),
                            ('until', '2100-01-01T00:00:00Z', '2020-01-01T00:00:00Z'),
                            ('label', 'x=1', 'x=2')):
        equal(option, [document(s, f'--{option}', value)['runs'] for value in (yes, no)], [24, 0])
    for form, first in (('csv', 'GPU,Host,'), ('md', '| GPU')):
        r = kernsift('devices', '--format', form, '--verdict', 'slow', server=s)
        equal(form, (r.status, r.out[:len(first)], 'gpu-3' in r.out), (0, first, True))


def refused(s, _):
    """an operand, an unknown verdict and platform, and a server that is not there"""
    for arguments, status, error in (
            (('7',), 64, ".*'7' is one argument too many.*"),
            (('--verdict', 'fast'), 64, ".*--verdict: 'fast'.*"),
            (('--platform', 'H1'), 1, ".*platform: 'H1'.*"),
            (('--server', 'http://127.0.0.1:1', '--retries', '0'), 69,
             'kernsift: cannot reach .*')):
        r = kernsift('devices', *arguments, server=s)
        equal(arguments, (r.status, r.out), (status, ''))
        says(arguments, r.err, error)


def main():
    with Server() as s, tempfile.TemporaryDirectory() as d:
        play([unknown, shows, excludes, filters, refused], s, d)


if __name__ == '__main__':
    main()
