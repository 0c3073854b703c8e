#!/usr/bin/python3
"""importance.py - the cost of a fleet of 100,000 runs, compared with one of 1,000.

tests/bench/run starts it and sets KERNSIFT_BENCH_BIN, where it builds bench_importance.
It uses a private PostgreSQL that syncs its log to disk. First it saves 1,000 runs with
20 operators each, of 200 workloads over 90 days, with the usual functions. It folds
their deltas and queries them. Then SQL copies each run 99 times to other days, with its
deltas. These are folded and queried, too.

  fleet   query_fleet() with these filters in turn: none, the last days, between any
          two days, a project, a phase on a platform, a workload's last month
  http    GET /importance with these filters, from its own kernsiftd on this
          database; one client, no cache (ETags are not sent)
  shapes  query_fleet_shapes() of one operator
  save    one more run, from upload_begin() to the commit that shows it

p99 is over all rounds. The ratio compares the p99s of the two sizes.
"""
import http.client
import os
import random
import subprocess
import sys
import tempfile
import time

import common
from common import BENCH_BIN, BIN, SRC, tell

ROUNDS = int(os.environ.get('KERNSIFT_BENCH_ASKS', '1200'))
SAVES = int(os.environ.get('KERNSIFT_BENCH_SAVES', '300'))
RUNS, TIMES, WORKLOADS, DAYS = 1000, 100, 200, 90
TODAY = int(time.time() // 86400)


def psql(script):
    out = subprocess.run(['psql', '-XqAt', '-v', 'ON_ERROR_STOP=1'],
                         input=script, check=True, stdout=subprocess.PIPE,
                         text=True)
    return out.stdout


def bench(*args):
    """Returns (name, milliseconds) of each line that bench_importance prints."""
    out = subprocess.run([f'{BENCH_BIN}/bench_importance', '',
                          *map(str, args)], check=True,
                         stdout=subprocess.PIPE, text=True)
    return [(w[0], int(w[2]) / 1e6)
            for w in map(str.split, out.stdout.splitlines())]


def quantile(values, q):
    v = sorted(values)
    return v[min(len(v) - 1, int(q * len(v)))]


def spread_days():
    """Spreads runs that were all saved today over the last 90 days."""
    psql(f"""
        UPDATE run SET created_at = to_timestamp(86400.0 *
            ({TODAY} - (run_id * 7919 % {DAYS})) + 3600);
        UPDATE run_identity i SET created_at = r.created_at
            FROM run r WHERE r.run_id = i.id;
        UPDATE rollup_delta d SET day = {TODAY} - (run_id * 7919 % {DAYS});""")


def columns(table, but):
    return psql(f"""
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum)
        FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0
        AND NOT attisdropped AND attname NOT IN ({but});""").strip()


def multiply():
    """Copies each run and its upload 99 times, to other days of the 90 days."""
    day = f'{TODAY} - ((o.run_id * 7919 + k * 13) % {DAYS})::int'
    copies = f'generate_series(1, {TIMES - 1}) k'
    run = columns('run', "'run_id', 'upload_id', 'created_at'")
    upload = columns('upload', "'id', 'identity'")
    identity = columns('run_identity', "'id', 'upload_id'")
    psql(f"""
        CREATE TEMP TABLE d AS TABLE rollup_delta_kept;
        INSERT INTO upload (id, identity, {upload}) OVERRIDING SYSTEM VALUE
            SELECT o.id + k * 1000000::bigint,
            sha256((o.id + k * 1000000::bigint)::text::bytea), {upload}
            FROM upload o, {copies} WHERE o.id <= {RUNS};
        INSERT INTO run_identity (id, upload_id, {identity})
            OVERRIDING SYSTEM VALUE
            SELECT o.id + k * 1000000::bigint,
            o.upload_id + k * 1000000::bigint, {identity}
            FROM run_identity o, {copies} WHERE o.id <= {RUNS};
        INSERT INTO run (run_id, upload_id, created_at, {run})
            SELECT o.run_id + k * 1000000::bigint,
            o.upload_id + k * 1000000::bigint,
            to_timestamp(86400.0 * ({day}) + 3600), {run}
            FROM run o, {copies} WHERE o.run_id <= {RUNS};
        INSERT INTO rollup_delta (run_id, day, cell, project, workload,
            platform, framework, sums, shapes)
            SELECT o.run_id + k * 1000000::bigint, {day}, cell, project,
            workload, platform, framework, sums, shapes FROM d o, {copies};""")
    for table in ('run_operator', 'run_shape'):
        rest = columns(table, "'run_id'")
        psql(f"""INSERT INTO {table} (run_id, {rest})
            SELECT o.run_id + k * 1000000::bigint, {rest}
            FROM {table} o, {copies} WHERE o.run_id <= {RUNS};""")


def addresses():
    dice = random.Random(1)

    def day(n):
        return time.strftime('%Y-%m-%dT00:00:00Z',
                             time.gmtime((TODAY - n) * 86400))
    while True:
        until = dice.randrange(DAYS // 2)
        yield from (
            '', f'since={day(dice.randrange(1, DAYS))}', 'project=project-3',
            'phase=decode&platform=H20', f'workload=workload-7&since={day(30)}',
            f'since={day(until + dice.randrange(1, DAYS // 2))}'
            f'&until={day(until)}')


def ask_http(folder):
    """Returns the milliseconds of each GET; None if the route does not exist yet."""
    port = common.free_port()
    with open(f'{folder}/log', 'ab') as log:
        p = subprocess.Popen(
            [f'{BIN}/kernsiftd', 'serve', '--listen', f'127.0.0.1:{port}',
             '--db', f'host={os.environ["PGHOST"]} user='
             f'{os.environ["PGUSER"]} dbname={os.environ["PGDATABASE"]}',
             '--data', f'{folder}/data', '--workers', '1'], stdout=log,
            stderr=log)
    try:
        common.wait_ready(port, p, f'{folder}/log')
        c = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
        took_ms, at = [], addresses()
        for i in range(ROUNDS + 60):
            began = time.monotonic()
            c.request('GET', f'/api/v1/importance?{next(at)}')
            r = c.getresponse()
            body = r.read()
            if r.status == 404:
                return None
            if r.status != 200:
                sys.exit(f'GET /importance: {r.status} {body[:300]}')
            if i >= 60:
                took_ms.append((time.monotonic() - began) * 1e3)
        return took_ms
    finally:
        p.terminate()
        p.wait()


def measure(runs, folder):
    psql('VACUUM ANALYZE;')
    out = {}
    counted = int(bench('count', 0)[0][1] * 1e6)
    if counted != int(psql('SELECT count(*) FROM run;')):
        sys.exit(f'the sums are of {counted} runs')
    measured = bench('fleet', ROUNDS, TODAY)
    for name in sorted({n for n, _ in measured}):
        tell(f'importance.{runs}.fleet_{name}_p50',
             quantile([ms for n, ms in measured if n == name], 0.5), 'ms')
    out['fleet'] = quantile([ms for _, ms in measured], 0.99)
    out['shapes'] = quantile(
        [ms for _, ms in bench('shapes', ROUNDS // 4, TODAY)], 0.99)
    over_http = ask_http(folder)
    if over_http:
        out['http'] = quantile(over_http, 0.99)
        tell(f'importance.{runs}.http_p50', quantile(over_http, 0.5), 'ms')
    else:
        print('GET /importance is missing; query_fleet() is measured in its place')
    saved = [ms for _, ms in bench('save', SAVES, 10_000_000 + runs)]
    out['save'] = quantile(saved, 0.5)
    for what, ms in out.items():
        q = 'p50' if what == 'save' else 'p99'
        met = (20,) if what in ('fleet', 'http') else ()
        tell(f'importance.{runs}.{what}_{q}', ms, 'ms',
             *(('<= 20', ms <= 20) if met else ()))
    bench('fold', 1000)
    return out


def main():
    subprocess.run(['cmake', '--build', os.path.dirname(BENCH_BIN), '--target',
                    'bench_importance'], check=True, stdout=subprocess.DEVNULL)
    psql('ALTER SYSTEM SET fsync = on;')
    psql('ALTER SYSTEM SET max_wal_size = $$8GB$$;')
    psql('SELECT pg_reload_conf();')
    bench('make', RUNS, WORKLOADS)
    spread_days()
    psql('CREATE TABLE rollup_delta_kept AS TABLE rollup_delta;')
    folded = bench('fold', 1000)
    tell('importance.fold', sum(ms for _, ms in folded) / RUNS, 'ms a run')
    with tempfile.TemporaryDirectory() as folder:
        few = measure(RUNS, folder)
        multiply()
        psql('VACUUM ANALYZE;')
        folded = bench('fold', 5000)
        tell('importance.fold_many',
             sum(ms for _, ms in folded) / RUNS / TIMES, 'ms a run')
        many = measure(RUNS * TIMES, folder)
    for what in many:
        x = many[what] / few[what]
        tell(f'importance.{what}_ratio', x, 'x', '<= 1.5', x <= 1.5)


if __name__ == '__main__':
    if 'PGHOST' not in os.environ:
        here = f'{SRC}/tests/with-postgres'
        os.execv(here, [here, os.path.abspath(__file__)])
    sys.exit(main())
