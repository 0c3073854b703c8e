#!/usr/bin/python3
"""check_fleet.py - checks the generated fleet.

It must have the requested number of runs and consistent traces. Generated again, it
must have the same bytes.
"""
import filecmp
import gzip
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = 110


def made(folder, seed):
    os.mkdir(folder)
    subprocess.run([f'{HERE}/gen_fleet.py', '--runs', str(RUNS), '--seed', seed, folder],
                   check=True)
    with open(f'{folder}/list') as f:
        return [line.rstrip('\n').split('\t') for line in f]


def check_file(path, part):
    """Checks a file and returns the number of processes in its trace."""
    with gzip.open(path) as f:
        trace = json.load(f)
    assert trace['deviceProperties'][0]['name'] == part, path
    by = {}
    for e in trace['traceEvents']:
        by.setdefault(e.get('cat'), []).append(e)
    calls = {(e['args'].get('rank'), e['args']['correlation']): e
             for e in by['cuda_runtime']}
    assert len(calls) == len(by['cuda_runtime']) == len(by['kernel']), path
    ends = {}
    for k in by['kernel']:
        rank = k['args'].get('rank')
        call = calls[rank, k['args']['correlation']]
        assert k['ts'] > call['ts'] + call['dur'], (path, k)
        assert k['ts'] >= ends.get(rank, 0) - 0.002, (path, 'two at once', k)
        assert k['dur'] >= 0.5, (path, k)
        ends[rank] = k['ts'] + k['dur']
    for op in by['cpu_op']:
        assert len(op['args']['Input Dims']) == len(op['args']['Input type']), op
    return len({e['pid'] for e in by['cuda_runtime']})


def main():
    with tempfile.TemporaryDirectory() as d:
        rows = made(f'{d}/a', '1')
        assert rows == made(f'{d}/b', '1'), 'the lists differ'
        files = [f for row in rows for f in row[4:]]
        assert sorted([*files, 'list']) == sorted(os.listdir(f'{d}/a'))
        same = filecmp.cmpfiles(f'{d}/a', f'{d}/b', files, shallow=False)
        assert not same[1] and not same[2], same
        rows_other = made(f'{d}/c', '2')
        assert filecmp.cmpfiles(f'{d}/a', f'{d}/c',
                                [rows_other[0][4]], shallow=False)[1]
        runs = sum(check_file(f'{d}/a/{f}', row[3]) for row in rows for f in row[4:])
        assert runs == RUNS, runs
        workloads = {(row[0], row[1]) for row in rows}
        assert len(workloads) >= 40, len(workloads)
    print(f'{runs} runs of {len(workloads)} workloads in {len(files)} files')


if __name__ == '__main__':
    sys.exit(main())
