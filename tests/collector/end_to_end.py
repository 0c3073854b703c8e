#!/usr/bin/python3
"""end_to_end.py - from a command's launches to the tables of the server.

A server, `kernsift run` or an agent, the collector, a fake driver and a fake libcupti.
Guests sleep before they end: the records of the last second must not depend on how fast
a busy machine lets a process end."""
import collections
import glob
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

SRC, BIN = os.environ['KERNSIFT_SRC'], os.environ['KERNSIFT_BIN']
FAKES, HOST = f'{BIN}/fakes', f'{BIN}/guest_host'
CUPTI = f'{FAKES}/libcupti.so.13'
KERNEL_NS = 2000


def client_harness():
    spec = importlib.util.spec_from_file_location('client_harness',
                                                  f'{SRC}/tests/client/harness.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


client = client_harness()
Server, equal, says = client.Server, client.equal, client.says


def environment(d, **more):
    return {**client.CLEAN, 'XDG_STATE_HOME': d, 'FAKE_DRIVER_VERSION': '13040',
            # gcc 12's leak checker crashes if threads are not joined
            'ASAN_OPTIONS': 'detect_leaks=0', 'FAKE_LEDGER': f'{d}/ledger',
            'FAKE_KERNEL_NS': str(KERNEL_NS), **more}


def guest(*words):
    """The command of a guest, which alone loads the fakes."""
    return ('env', f'LD_LIBRARY_PATH={FAKES}', HOST, *words)


def start(d, s, options, command, **more):
    return subprocess.Popen(
        [f'{BIN}/kernsift', 'run', '--cupti', CUPTI, *options, '--', *command],
        env=environment(d, KERNSIFT_SERVER=s.url, **more), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(d, s, options, command, **more):
    with start(d, s, options, command, **more) as p:
        out, err = p.communicate(timeout=240)
    return client.Result(p.returncode, out, err)


def kernels(*parts):
    """{name: launches} of parts (times, n): n launches, repeated so many times, that
    alternate between eight kernels."""
    count = collections.Counter()
    for times, n in parts:
        for i in range(n):
            count[f'first_kernel_{i % 8}'] += times
    return dict(count)


def table(s, ids):
    """The kernels of runs: {name: launches}; their times must be the driver's."""
    count = collections.Counter()
    for run_id in ids:
        for k in s.get(f'/api/v1/runs/{run_id}/kernels?limit=100')['items']:
            equal('durations', (k['total_ns'], k['min_ns'], k['max_ns']),
                  (k['instances'] * KERNEL_NS, KERNEL_NS, KERNEL_NS))
            count[k['name']] += k['instances']
    return dict(count)


def runs(s, project):
    return [r for r in s.get('/api/v1/runs?limit=100')['items'] if r['project'] == project]


def ids(err):
    return client.ids(err.replace('kernsift: run ', 'run '), 'run')


def capture(d, s, run_id):
    """The capture that the server returns for the run, as JSON."""
    path = f'{d}/back.kst'
    urllib.request.urlretrieve(f'{s.url}/api/v1/runs/{run_id}/capture', path)
    out = subprocess.run([f'{BIN}/captured', path], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(out)


def all_of_it(d):
    """launches, graphs, copies and counters equal those of the driver"""
    with Server() as s:
        r = run(d, s, ['--wait', '--host-hz', '50', '--nvml-hz', '50'],
                guest('init', 'recording:1', 'launch:800', 'threads:2:400', 'graph:4:25',
                      'copies:5', 'sets:3', 'sync', 'sleep:1500', 'exit:7'))
        equal('status', (r.status, r.out), (7, ''))
        (run_id,) = ids(r.err)
        equal('kernels', table(s, [run_id]), kernels((1, 800), (2, 400), (25, 4)))
        stored = s.get(f'/api/v1/runs/{run_id}')
        equal('program', (stored['process_name'], stored['format']), ('guest_host', 'cupti'))
        copies = s.get(f'/api/v1/runs/{run_id}/copies')['items']
        equal('copies', sorted(c['instances'] for c in copies), [28, 30])
        counters = capture(d, s, run_id)['counters']
        for name in ('gpu_usage', 'gpu_power', 'gpu_sm_frequency', 'process_cpu_usage'):
            equal(f'{name} was sampled', counters.get(name, 0) > 0, True)
        equal('left', glob.glob(f'{d}/kernsift/run/*'), [])


def graphs(d):
    """kernels of replayed graphs have the operators and shapes of their capture"""
    with Server() as s:
        r = run(d, s, ['--wait'], guest('init', 'recording:1', 'emit:1', 'graph:4:25',
                                        'sync', 'sleep:1500'))
        (run_id,) = ids(r.err)
        equal('kernels', table(s, [run_id]), kernels((25, 4)))
        operators = s.get(f'/api/v1/runs/{run_id}/operators')
        gemm = [o for o in operators['items'] if o['operator'] == 'gemm']
        equal('gemm', [(o['launches'], o['calls'], o['attribution_source_ns']['node']) for o in gemm],
              [(100, 100, 100 * KERNEL_NS)])
        shapes = s.get(f'/api/v1/runs/{run_id}/operators/gemm/shapes')['items']
        equal('shapes', [(x['shape'], x['attribution_source'], x['launches']) for x in shapes],
              [('m=4 n=2 k=8', 'node', 100)])
        equal('replayed', (operators['replayed'], operators['replayed_known']), (100, 100))


def statuses(d):
    """every exit status is passed on, and the recorded kernels are stored"""
    with Server() as s:
        for words, status in ((['exit:0'], 0), (['_exit:3'], 3), (['abort'], 134),
                              (['raise:9'], 137), (['raise:15'], 143)):
            r = run(d, s, ['--wait'], guest('init', 'recording:1', 'launch:80', 'sync',
                                            'sleep:1500', *words))
            equal(f'status of {words}', r.status, status)
            equal('kernels', table(s, ids(r.err)), kernels((1, 80)))
        equal('left', glob.glob(f'{d}/kernsift/run/*'), [])


def ended_by_signal(d):
    """a signal to `kernsift run` ends the command; its captures are sent"""
    with Server() as s:
        with start(d, s, ['--wait'], guest('init', 'recording:1', 'launch:80', 'sync',
                                           'sleep:1500', 'say:ready', 'sleep:60000')) as p:
            equal('ready', p.stdout.readline().strip(), 'ready')
            p.send_signal(signal.SIGTERM)
            _, err = p.communicate(timeout=60)
        equal('status', p.returncode, 143)
        equal('kernels', table(s, ids(err)), kernels((1, 80)))


def two_ranks(d):
    """two ranks of one command are one job, each a run"""
    one = ' '.join(guest('init', 'recording:1', 'launch:16', 'sync', 'sleep:1500'))
    with Server() as s:
        r = run(d, s, ['--wait', '--project', 'two'],
                ('sh', '-c', f'RANK=0 WORLD_SIZE=2 {one} & RANK=1 WORLD_SIZE=2 {one}; wait'))
        equal('status', r.status, 0)
        both = runs(s, 'two')
        equal('ranks', sorted((x['rank'], x['world_size']) for x in both), [(0, 2), (1, 2)])
        equal('one job', (len({x['job_id'] for x in both}), both[0]['job_id'] is None), (1, False))
        equal('kernels', table(s, ids(r.err)), kernels((2, 16)))


def nothing(d):
    """no GPU work, or the collector switched off: one message"""
    with Server() as s:
        r = run(d, s, [], ('true',))
        says('stderr', r.err, r'kernsift: nothing was recorded: [^\n]*\n')
        r = run(d, s, ['--trace=0'], guest('init', 'launch:8', 'sync'))
        equal('status', r.status, 0)
        says('stderr', r.err, r'(kernsift: [^\n]*\n){1,2}')
        equal('uploads', s.get('/api/v1/uploads')['items'], [])


def wrong_option(d):
    """an error that only the collector can detect is reported afterwards"""
    with Server() as s:
        r = run(d, s, ['--wait', '--length', 'long'],
                guest('init', 'recording:1', 'launch:8', 'sync', 'sleep:1500'))
        equal('kernels', table(s, ids(r.err)), kernels((1, 8)))
        says('stderr', r.err, r'.*kernsift: collector: [^\n]*KERNSIFT_TRACE_LENGTH[^\n]*\n.*')


def dropped(s, ids_):
    """The losses while recording, as the runs report them."""
    return sum(n['count'] for i in ids_ for n in s.get(f'/api/v1/runs/{i}/notes')['items']
               if n['code'] == 'records_dropped')


def watched(d):
    """an agent next to running processes, killed repeatedly: each kernel once"""
    spool, guests, n = f'{d}/spool', 3, 40000
    os.mkdir(spool)
    env = environment(d, LD_LIBRARY_PATH=FAKES, KERNSIFT_TRACE_DIR=spool, KERNSIFT_TRACE_CUPTI=CUPTI,
                      KERNSIFT_TRACE_KINDS='kernel', KERNSIFT_TRACE_NVML_HZ='0',
                      KERNSIFT_TRACE_HOST_HZ='0',
                      CUDA_INJECTION64_PATH=f'{BIN}/libkernsift_cupti.so')
    argv = [f'{BIN}/kernsift', 'agent', '--project', 'watched', spool]
    with Server() as s:
        agent_env = {**client.CLEAN, 'KERNSIFT_SERVER': s.url}
        for _ in range(guests):
            with subprocess.Popen([HOST, 'init', 'recording:1', 'rate:20000', f'threads:4:{n}',
                                   'sync', 'sleep:1500'], env=env) as host:
                while host.poll() is None:
                    agent = subprocess.Popen(argv, env=agent_env, stderr=subprocess.DEVNULL)
                    time.sleep(0.7)
                    agent.kill()
                    agent.wait()
                equal('status', host.returncode, 0)
        last = subprocess.run(argv[:2] + ['--once'] + argv[2:], env=agent_env, check=False)
        equal('status', last.returncode, 0)
        equal('left', [f for f in os.listdir(spool) if '.kst' in f], [])
        wait_done(s)
        of = [r['id'] for r in runs(s, 'watched')]
        equal('captures', len(of) >= guests, True)
        equal('kernels', sum(table(s, of).values()) + dropped(s, of), guests * 4 * n)


def wait_done(s):
    for _ in range(1200):
        if all(u['state'] in ('done', 'failed') for u in s.get('/api/v1/uploads?limit=500')['items']):
            return
        time.sleep(0.1)
    sys.exit('the server is not done')


def main():
    cases = [nothing, all_of_it, graphs, statuses, ended_by_signal, two_ranks, wrong_option, watched]
    for case in cases:
        with tempfile.TemporaryDirectory() as d:
            client.play([case], d)


if __name__ == '__main__':
    main()
