#!/usr/bin/python3
"""trends.py - measures the cost of a series of 50,000 runs among 100,000.

tests/bench/run starts it. It uses a private PostgreSQL with its own kernsiftd. SQL
makes the rows: 100,000 runs, each with 40 kernels, 12 operators and 30 iterations. Half
of the runs are of the requested workload. It has three runs per commit, and five change
points.

One client without a cache requests GET /trends of each metric, GET /trends of the
newest day, and GET /workloads. Prints p50 and the slowest of the rounds.
"""
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time

import common
from common import BIN, SRC, tell

ROUNDS = int(os.environ.get('KERNSIFT_BENCH_ROUNDS', '7'))
RUNS = int(os.environ.get('KERNSIFT_BENCH_RUNS', '100000'))
KERNELS, OPERATORS, ITERATIONS = 40, 12, 30
GOAL = {'iteration': 300, 'kernel_p99': 300}


def psql(script):
    out = subprocess.run(['psql', '-XqAt', '-v', 'ON_ERROR_STOP=1'],
                         input=script, check=True, stdout=subprocess.PIPE,
                         text=True)
    return out.stdout


def make():
    """Inserts rows as saving runs does; every second run is of another workload."""
    psql(f"""
        SET session_replication_role = replica; -- keys are right by making
        SELECT setseed(0.5);
        CREATE TEMP TABLE made AS SELECT i AS run, i / 2 AS nth,
            1 + 0.02 * sqrt(-2 * ln(1 - random())) * cos(6.2831853 * random())
            + 0.05 * (i * 6 / {RUNS}) AS level
            FROM generate_series(1, {RUNS}) i;
        INSERT INTO run (run_id, upload_id, ordinal, name, project, workload,
            labels, job, created_at, format, framework, span_ns, busy_ns,
            kernel_ns, launches, kernels, copy_ns, copies, device_names, notes,
            analysis_version, iteration_detector, iteration_confidence, iterations,
            iterations_kept, iteration_ns, catalog, gpu_ns, weight_uh, replayed,
            replayed_known)
            SELECT run, run, 0, 'nightly ' || run, 'serving',
            CASE run % 2 WHEN 0 THEN 'decode' ELSE 'other ' || run % 40 END,
            jsonb_build_object('branch', 'main', 'commit',
                encode(sha256((nth / 3)::text::bytea), 'hex')), '',
            now() - make_interval(mins => {RUNS} - run), 'kineto', 'vllm', 1e9,
            8e8, 8e8, 4000, {KERNELS}, 0, 0, '{{NVIDIA H200}}', 0, 4,
            'annotation', 1, {ITERATIONS}, {ITERATIONS - 2}, 1e7 * level, '1',
            (8e8 * level)::bigint, 1000000, 0, 0 FROM made;
        INSERT INTO kernel (sha256, name, short_name)
            SELECT sha256(convert_to(n, 'UTF8')), n, n
            FROM (SELECT 'kernel_' || k AS n FROM
            generate_series(1, {KERNELS}) k) t;
        INSERT INTO run_kernel (run_id, split, rank, kernel_id, instances,
            total_ns, min_ns, max_ns, mean_ns, median_ns, stddev_ns, p90_ns,
            p99_ns, time_pct)
            SELECT run, 0, k.rank, k.id, 100, 2e7, 1e5, 3e5, 2e5, 2e5, 10,
            2.5e5, 2.9e5 * level, 2.5
            FROM made, (SELECT id, id - min(id) OVER () AS rank FROM kernel) k
            ORDER BY run, k.rank;
        INSERT INTO run_operator (run_id, rank, operator, collective, launches,
            calls, total_ns, source_sizes_ns, source_op_sizes_ns, source_op_ns,
            source_range_ns, source_graph_ns, source_rule_ns, source_record_ns,
            source_not_ns, shape_known_ns, roofline_known_calls, roofline_known_ns,
            sol_ps, compute_ns, headroom_ns, above_bound_ns, shapes, flops, bytes)
            SELECT run, k, 'operator_' || k, false, 10, 10, (6e7 * level)::bigint,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 1000, 0, 0, 500, 0, 1, 0, 0
            FROM made, generate_series(0, {OPERATORS - 1}) k ORDER BY run, k;
        INSERT INTO run_iteration (run_id, iteration, number, dur_ns, use, open,
            stratum, compute_ns, comm_ns, copy_ns, idle_ns, launches)
            SELECT run, c, c, 10000000, CASE WHEN c < 2 THEN 'warmup' ELSE 'kept'
            END, false, 0, 6000000, 1000000, 0, 3000000, 130
            FROM made, generate_series(0, {ITERATIONS - 1}) c
            WHERE run % 2 = 0 ORDER BY run, c;""")
    psql('VACUUM ANALYZE;')


def ask(connection, address):
    """Returns (milliseconds, answer)."""
    began = time.monotonic()
    connection.request('GET', f'/api/v1/{address}')
    r = connection.getresponse()
    body = r.read()
    if r.status != 200:
        sys.exit(f'GET /{address}: {r.status} {body[:300]}')
    return (time.monotonic() - began) * 1e3, body


def measure(connection, name, address, n):
    times = []
    for i in range(ROUNDS + 1):
        ms, body = ask(connection, address)
        if i:
            times.append(ms)
    answer = json.loads(body)
    if len(answer.get('items', answer.get('points', {}).get('run'))) != n:
        sys.exit(f'GET /{address}: not {n} of them')
    p50 = common.median(times)
    goal = GOAL.get(name)
    tell(f'trends.{name}_p50', p50, 'ms',
         *((f'<= {goal}', p50 <= goal) if goal else ()))
    tell(f'trends.{name}_max', max(times), 'ms')
    return answer


def main():
    psql("ALTER SYSTEM SET max_wal_size = '8GB';")
    psql('SELECT pg_reload_conf();')
    port = common.free_port()
    with tempfile.TemporaryDirectory() as folder, \
            open(f'{folder}/log', 'ab') as log:
        db = (f'host={os.environ["PGHOST"]} user={os.environ["PGUSER"]} '
              f'dbname={os.environ["PGDATABASE"]}')
        subprocess.run([f'{BIN}/kernsiftd', 'migrate', '--db', db], check=True,
                       stdout=log, stderr=log)
        make()
        p = subprocess.Popen(
            [f'{BIN}/kernsiftd', 'serve', '--listen', f'127.0.0.1:{port}',
             '--db', db, '--data', f'{folder}/data', '--workers', '1'],
            stdout=log, stderr=log)
        try:
            common.wait_ready(port, p, f'{folder}/log')
            c = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
            of = 'trends?project=serving&workload=decode'
            n = RUNS // 2
            full = measure(c, 'iteration', of, n)
            tell('trends.change_points', len(full['change_points']), '')
            for name, more in (
                    ('kernel_p99', '&metric=kernel&stat=p99&of=kernel_7'),
                    ('operator', '&metric=operator&of=operator_5'),
                    ('coverage', '&metric=coverage'),
                    ('headroom', '&metric=headroom'),
                    ('idle', '&metric=idle'),
                    ('idle_p90', '&metric=idle&stat=p90')):
                measure(c, name, of + more, n)
            day = time.strftime('%Y-%m-%dT%H:%M:%SZ',
                                time.gmtime(time.time() - 86400))
            measure(c, 'day', f'{of}&since={day}', int(ask_n(c, of, day)))
            measure(c, 'workloads', 'workloads', 21)
        finally:
            p.terminate()
            p.wait()


def ask_n(connection, of, day):
    return json.loads(ask(connection, f'{of}&since={day}')[1])['n']


if __name__ == '__main__':
    if 'PGHOST' not in os.environ:
        here = f'{SRC}/tests/with-postgres'
        os.execv(here, [here, os.path.abspath(__file__)])
    sys.exit(main())
