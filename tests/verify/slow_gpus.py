#!/usr/bin/python3
"""slow_gpus.py - finds a planted slow GPU in /devices, and computes its slowdown again.

Uploads generated runs (tests/gen/efficiency.py) on ten GPUs with five runs each; each GPU
executes two of three operators. One GPU is 6 % slower; half of this is its clock, which
power held down in half of the time. PyTorch's traces do not state which GPU a run used,
so the script writes that into the database. Other runs use all eight GPUs of a host at
once and state the host and the number of each GPU. In some jobs one GPU is slow, in
others one rank on whichever GPU it runs: only the first have a slow GPU. The effects of GPUs and of shapes are then
fitted in plain Python, from the median of each shape in each run, by the rules of
server/analyze/slow_gpus/slow_gpu.h. The middle of each GPU's interval and the slowdown of
each operator must be equal to the fitted ones.
"""
import collections
import json
import math
import random
import re
import statistics
import sys
import os

import running

SOURCE = os.environ.get('KERNSIFT_SRC', f'{running.HERE}/../..')
sys.path.insert(0, f'{SOURCE}/tests/gen')
GPUS, RUNS, SLOW = 10, 5, 7
US = {'gemm': 60, 'elementwise': 90, 'softmax': 150}
SIZES = {'gemm': (1024, 2048, 512), 'elementwise': (4096, 4096), 'softmax': (4096, 4096)}


def median(values):
    return statistics.median(values)


def mad(values):
    middle = median(values)
    return 1.4826 * median(abs(v - middle) for v in values)


def made(dice, gpu):
    """Returns a trace of a GPU's run."""
    from efficiency import made_efficiency
    level = dice.gauss(0, 0.004) + (math.log(1.06) if gpu == SLOW else 0)
    calls = []
    for n, operator in enumerate(US):
        if n != gpu % 3:
            us = US[operator] * math.exp(level)
            calls += [(operator, 'bf16', SIZES[operator], round(us * math.exp(dice.gauss(0, 0.01)), 3))
                      for _ in range(7)]
    return made_efficiency(calls)


class Fit:
    """Cells, runs and GPUs, by alternating medians."""

    def __init__(self, samples):
        """`samples`: {(gpu, run, cell): logarithm}"""
        self.samples = samples
        self.gpu = {g: 0.0 for g, _, _ in samples}
        by_cell = collections.defaultdict(lambda: collections.defaultdict(list))
        for (g, _, c), v in samples.items():
            by_cell[c][g].append(v)
        for n in range(100):
            if n < 3:
                spread = {c: mad([v - self.gpu[g] for g, vs in of.items() for v in vs])
                          for c, of in by_cell.items()}
                typical = median(spread.values())
                weight = {c: 1 / (s * s + typical * typical) for c, s in spread.items()}
            self.cell = {c: median(median(vs) - self.gpu[g] for g, vs in of.items())
                         for c, of in by_cell.items()}
            runs = collections.defaultdict(lambda: [0.0, 0.0])
            for (g, r, c), v in samples.items():
                runs[g, r][0] += weight[c] * (v - self.cell[c])
                runs[g, r][1] += weight[c]
            effects = {g: median(s / w for (h, _), (s, w) in runs.items() if h == g)
                       for g in self.gpu}
            middle = median(effects.values())
            moved = max(abs(effects[g] - middle - self.gpu[g]) for g in effects)
            self.gpu = {g: v - middle for g, v in effects.items()}
            if moved <= 1e-6:
                break

    def operator(self, gpu, cell):
        return math.expm1(median(v - self.cell[c] for (g, _, c), v in self.samples.items()
                                 if g == gpu and c == cell))


def identify(server, runs, nobody):
    """Writes which GPU each run used, and its clock."""
    for run, gpu in runs.items():
        clock = 1800 * (math.exp(-0.5 * math.log(1.06)) if gpu == SLOW else 1)
        server.sql(f"UPDATE run_device SET uuid = 'gpu-{gpu}', bus_id = '0000:{gpu:02}:00.0', "
                   f"sm_clock_mhz = {clock}, sm_clock_samples = 10, sm_clock_reason = NULL, "
                   f"throttled_pct = {50 if gpu == SLOW else 0} WHERE run_id = {run}")
    # two GPUs are known by their host and PCI address, and one run's by neither
    server.sql("UPDATE run_device SET uuid = NULL WHERE uuid IN ('gpu-0', 'gpu-1')")
    server.sql("UPDATE run SET host = 'node7'")
    server.sql(f'UPDATE run_device SET uuid = NULL, bus_id = NULL WHERE run_id = {nobody}')


def name_of(gpu):
    return f'node7 0000:{gpu:02}:00.0' if gpu < 2 else f'gpu-{gpu}'


def samples_of(server, runs):
    found = {}
    for run, gpu in runs.items():
        for operator in US:
            status, _, body = server.ask('GET', f'/runs/{run}/operators/{operator}/shapes')
            for s in json.loads(body)['items'] if status == 200 else []:
                found[gpu, run, operator] = math.log(s['median_ns'])
    return found


def near(got, want, what):
    assert abs(got - want) < 2e-3, (what, got, want)


def check(server, runs):
    fit = Fit(samples_of(server, runs))
    doc = server.get('/devices?project=p')
    rows = {row['gpu']: row for row in doc['items']}
    assert doc['items'][0]['gpu'] == name_of(SLOW), doc['items'][0]
    for gpu in range(GPUS):
        row = rows[name_of(gpu)]
        verdicts = ['slow'] if gpu == SLOW else ['not_slow', 'undecided']
        assert row['verdict'] in verdicts, row
        middle = math.sqrt((1 + row['low_pct'] / 100) * (1 + row['high_pct'] / 100)) - 1
        near(100 * middle, 100 * math.expm1(fit.gpu[gpu]), row)
        for o in row['operators']:
            near(o['slowdown_pct'], 100 * fit.operator(gpu, o['operator']), row)
        assert len(row['operators']) == 2, row
    slow = rows[name_of(SLOW)]
    assert 5 < slow['slowdown_pct'] < 7, slow
    near(slow['clock_deficit_pct'], 100 * math.expm1(0.5 * math.log(1.06)), slow)
    near(slow['by_clock_pct'], slow['by_power_pct'], slow)
    near(slow['by_clock_pct'] + slow['by_power_pct'] + slow['by_neither_pct'],
         slow['slowdown_pct'], slow)
    return slow


HOST_GPUS, HOSTS, HOST_RUNS = 8, ('node1', 'node2'), 5


def seen(host, calls, **members):
    """Returns a trace of a process that sees all GPUs of its host."""
    from efficiency import made_efficiency
    return made_efficiency(calls, gpus=HOST_GPUS, host_name=host, **members)


def made_on_all(dice, host):
    """Returns a run on all GPUs of a host, and {(gpu, operator): log of its median call}.
    GPU 3 of node1 is 5 % slower."""
    calls, medians = [], {}
    together = dice.gauss(0, 0.004)
    for gpu in range(HOST_GPUS):
        level = together + dice.gauss(0, 0.003) + (math.log(1.05) if (host, gpu) == ('node1', 3) else 0)
        for operator in ('gemm', 'softmax'):
            us = [round(US[operator] * math.exp(level + dice.gauss(0, 0.01)), 3) for _ in range(7)]
            calls += [(operator, 'bf16', SIZES[operator], t, gpu) for t in us]
            medians[gpu, operator] = math.log(median(us) * 1000)
    dice.shuffle(calls)
    return seen(host, calls), medians


def check_several(server, dice):
    """Checks runs on several GPUs, each of which is judged."""
    samples = {}
    for n in range(HOST_RUNS):
        for host in HOSTS:
            body, medians = made_on_all(dice, host)
            u = server.upload(f'project=hosts&workload=w&name={host}-{n}', body)
            assert server.ended(u)['state'] == 'done', u
            for (gpu, operator), value in medians.items():
                samples[f'{host} GPU {gpu} of 8 (NVIDIA H20)', (host, n), operator] = value
    fit = Fit(samples)
    doc = server.get('/devices?project=hosts')
    assert (doc['runs'], doc['devices'], doc['slow_devices']) == (10, 16, 1), doc
    assert doc['several_gpus_runs'] == doc['unidentified_runs'] == 0, doc
    assert doc['items'][0]['gpu'] == 'node1 GPU 3 of 8 (NVIDIA H20)', doc['items'][0]
    for row in doc['items']:
        assert (row['identified_by'], row['runs'], len(row['operators'])) == ('number', 5, 2), row
        middle = math.sqrt((1 + row['low_pct'] / 100) * (1 + row['high_pct'] / 100)) - 1
        near(100 * middle, 100 * math.expm1(fit.gpu[row['gpu']]), row)


def made_jobs(server, project, gpu_of, slow):
    """Uploads jobs of eight ranks, one process each, and returns the ids of the jobs.
    `gpu_of(job, rank)`: the GPU of a rank. `slow(gpu, rank)`: whether it takes 5 % longer."""
    for job in range(5):
        for rank in range(HOST_GPUS):
            gpu = gpu_of(job, rank)
            level = (1.05 if slow(gpu, rank) else 1) * (1 + 0.0005 * ((job + 3 * rank) % 5))
            calls = [(operator, 'bf16', SIZES[operator], round(US[operator] * level, 3), gpu)
                     for _ in range(12) for operator in US]
            u = server.upload(f'project={project}&workload=w&job=job{job}',
                              seen('node1', calls, distributedInfo={
                                  'rank': rank, 'world_size': HOST_GPUS, 'backend': 'nccl'}))
            assert server.ended(u)['state'] == 'done', u
    return [j['id'] for j in server.get(f'/jobs?project={project}')['items']]


def findings(server, job):
    return {f['code']: f['text'] for f in server.get(f'/jobs/{job}')['findings']}


def check_jobs(server):
    """Checks that a slow GPU and a slow rank are distinguished."""
    on_gpu = made_jobs(server, 'gpu', lambda job, rank: rank, lambda gpu, rank: gpu == 3)
    moving = made_jobs(server, 'rank', lambda job, rank: (rank + job) % 8,
                       lambda gpu, rank: rank == 3)
    running.until('the search for slow GPUs', lambda: server.sql(
        "SELECT gpu FROM slow_gpu WHERE project = 'gpu'"))
    running.until('the search in the other project', lambda: server.sql(
        "SELECT run_id FROM slow_gpu_seen WHERE project = 'rank' AND runs = 40"))
    assert server.sql("SELECT gpu FROM slow_gpu WHERE project = 'rank'") == [], 'a good GPU'
    for job in on_gpu:
        texts = findings(server, job)
        assert texts['straggler'].endswith('than on the median rank: rank 3'), texts
        assert re.fullmatch(
            r'ranks ran on GPUs that are recorded as slow: rank 3, a straggler, on '
            r'node1 GPU 3 of 8 \(NVIDIA H20\) \(\+(4\.[5-9]|5\.[0-5]) %\)', texts['slow_gpu']), texts
    for job in moving:
        texts = findings(server, job)
        assert texts['straggler'].endswith('than on the median rank: rank 3'), texts
        assert 'slow_gpu' not in texts, texts


def main():
    running.skip_without_postgres()
    dice = random.Random(16)
    with running.Server(['--workers', '2']) as server:
        gpus = [n % GPUS for n in range(GPUS * RUNS)]
        uploads = [server.upload(f'project=p&workload=w&name=run{n}', made(dice, gpu))
                   for n, gpu in enumerate(gpus)]
        uploads += [server.upload('project=p&workload=w&name=nobody', made(dice, 0)),
                    server.upload('project=q&workload=w&name=alone', made(dice, 0))]
        for u in uploads:
            assert server.ended(u)['state'] == 'done', u
        empty = server.get('/devices?project=p')
        assert empty['unidentified_runs'] == GPUS * RUNS + 1, empty
        assert empty['items'] == [] and empty['reason'].startswith('no run states which GPU'), empty

        found = {row['name']: row['id'] for row in server.get('/runs?limit=500')['items']}
        runs = {found[f'run{n}']: gpu for n, gpu in enumerate(gpus)}
        identify(server, runs, found['nobody'])
        slow = check(server, runs)
        doc = server.get('/devices?project=p')
        assert (doc['devices'], doc['slow_devices'], doc['not_judged_devices']) == (GPUS, 1, 0), doc
        assert (doc['runs'], doc['unidentified_runs'], doc['more']) == (GPUS * RUNS + 1, 1, False), doc
        assert doc['reason'] is None, doc

        # a run on several GPUs is of none of them
        run = max(runs)
        server.sql(f'INSERT INTO run_device (run_id, number, launches, busy_ns) VALUES ({run}, 1, 1, 1)')
        doc = server.get('/devices?project=p')
        assert doc['several_gpus_runs'] == 1, doc
        assert sum(row['runs'] for row in doc['items']) == GPUS * RUNS - 1, doc
        check_several(server, dice)
        check_jobs(server)
        print('%d GPUs: the slow one is %.2f %% slower (%.2f to %.2f %%), %.2f by its clock, %.2f by power'
              % (GPUS, slow['slowdown_pct'], slow['low_pct'], slow['high_pct'],
                 slow['by_clock_pct'], slow['by_power_pct']))


if __name__ == '__main__':
    main()
