#!/usr/bin/python3
"""fusions.py - `kernsift fusions` shows operators in sequence that one kernel could execute."""
import json
import os
import subprocess
import sys
import tempfile

from harness import DB, SRC, Server, equal, kernsift, play, says, upload

sys.path.insert(0, f'{SRC}/tests/api')
from talk.bodies import MADE  # noqa: E402

# tests/api/68-fusions.http has the sums.
TEXT = """1 run, 1 GPU-hours

Only the second operator reads the tensor: 2
 GPU-hours    at peak       gaps    pairs   runs  kind         operators
      0.01   0.005008          0        1      1  pointwise    elementwise x=[2048,1024], then \
elementwise x=[2048,1024] y=[2048,1024]
     0.009   0.002504      0.001        1      1  pointwise    elementwise x=[1024,1024] \
y=[1024,1024], then elementwise x=[1024,1024] y=[1024,1024]

Unknown whether the second operator reads the tensor, and who else does: 1
 GPU-hours    at peak       gaps    pairs   runs  kind         operators
         -          -          0        1      1  pointwise    elementwise, then elementwise

Other operators read the tensor, too: 1
 GPU-hours    at peak       gaps    pairs   runs  kind         operators
     0.012   0.005008          0        1      1  norm         elementwise x=[4096,1024] \
y=[4096,1024], then layer_norm x=[4096,1024]
"""
NOTHING = """{runs}, {hours} GPU-hours{unknown}

Only the second operator reads the tensor: 0

Unknown whether the second operator reads the tensor, and who else does: 0

Other operators read the tensor, too: 0
"""


def shows(s, d):
    """the three lists of one project, as text and as the server writes them"""
    path = os.path.join(d, 'both.tar')
    with open(path, 'wb') as f:
        f.write(MADE['fusions-observed']())
    r = upload(s, '--wait', '--project', 'p', '--workload', 'a b', '--label', 'x=1&2',
               '--gpu-hours', '1', path)
    equal('upload', (r.status, r.err if r.status else ''), (0, ''))
    r = kernsift('fusions', '--project', 'p', server=s)
    equal('text', (r.status, r.out), (0, TEXT))
    r = kernsift('fusions', '--format', 'json', '--workload', 'a b', '--label', 'x=1&2', server=s)
    equal('json', json.loads(r.out)['items_count'], 2)
    for form, first in (('csv', 'Kind,First,'), ('md', '| Kind')):
        r = kernsift('fusions', '--format', form, server=s)
        equal(form, (r.status, r.out[:len(first)], r.out.count('\n') > 4), (0, first, True))


def nothing(s, _):
    """no run, and a run that an older server stored"""
    r = kernsift('fusions', '--project', 'other', server=s)
    equal('none', r.out, NOTHING.format(runs='0 runs', hours=0, unknown=''))
    subprocess.run(['psql', '-qd', DB, '-c', 'DELETE FROM run_fusion; '
                    'UPDATE run SET fusions = NULL'], check=True)
    r = kernsift('fusions', server=s)
    equal('older', r.out, NOTHING.format(
        runs='1 run', hours=1, unknown='; the pairs of 1 run are unknown (`kernsiftd rebuild` '
        'finds them)'))


def refused(s, _):
    """an operand, and a server that is not there"""
    r = kernsift('fusions', '7', server=s)
    equal('status', r.status, 64)
    r = kernsift('fusions', '--server', 'http://127.0.0.1:1', '--retries', '0', server=s)
    equal('status', r.status, 69)
    says('gone', r.err, 'kernsift: cannot reach .*')


def main():
    with Server() as s, tempfile.TemporaryDirectory() as d:
        play([shows, nothing, refused], s, d)


if __name__ == '__main__':
    main()
