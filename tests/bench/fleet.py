#!/usr/bin/python3
"""fleet.py - plays the uploads of N GPUs at their rhythm, and reports what a run costs.

Each GPU sends one window of 5 s every ten minutes, so N GPUs send N / 600 uploads per
second, evenly. A window is a generated trace of about 42,000 launches (3.8 MB as gzip);
there are eight, sent again and again under other names, so the server also finds that
they repeat. Sending uses the CPU of this machine, too; its share is not counted.

For each N the script reports how long uploads wait (the age of the oldest one, read
once per second), CPU time per run of server, workers and PostgreSQL, and how much the
database and its log grow per run. Before, it sends as fast as the server answers, and
reports how many GPUs that is. docker/SCALE.md has the results.

    KERNSIFT_BENCH_GPUS       numbers of GPUs (default: 500,1500,3000)
    KERNSIFT_BENCH_FLEET_S    seconds per number (default: 60)
    KERNSIFT_BENCH_SERVER     more options of the server, such as --bytes
"""
import concurrent.futures
import http.client
import os
import shlex
import subprocess
import sys
import tempfile
import time

import common
from common import tell

GPUS = [int(n) for n in os.environ.get('KERNSIFT_BENCH_GPUS', '500,1500,3000').split(',')]
PHASE_S = float(os.environ.get('KERNSIFT_BENCH_FLEET_S', '60'))
OPTIONS = shlex.split(os.environ.get('KERNSIFT_BENCH_SERVER', ''))
EVERY_S = 600
WINDOWS = 8
# The most uploads in progress at a time; further ones wait here.
SENDERS = 16
# An upload that waits longer than this is late for a user who looks at the newest runs.
AGE_GOAL_S = 10
TICK_S = 1 / os.sysconf('SC_CLK_TCK')


class Fleet:
    def __init__(self, folder, port, process):
        self.folder, self.port, self.process = folder, port, process
        self.sent = 0
        self.windows = []
        for n in range(WINDOWS):
            path = f'{folder}/{n}.json.gz'
            subprocess.run([f'{common.SRC}/tests/gen/gen_trace.py', '--events', '150000',
                            '--seed', str(n), path], check=True)
            with open(path, 'rb') as f:
                self.windows.append(f.read())

    def sql(self, text):
        run = subprocess.run(
            ['psql', '-XAtq', '-h', f'{self.folder}/data/run', '-U', 'kernsift', '-d',
             'postgres', '-c', text], capture_output=True, text=True, check=True)
        return run.stdout.strip()

    def send(self, n):
        c = http.client.HTTPConnection('127.0.0.1', self.port, timeout=120)
        try:
            c.request('POST', f'/api/v1/uploads?project=fleet&workload=w{n % 20}'
                      f'&name=window-{n}', self.windows[n % WINDOWS])
            answer = c.getresponse()
            answer.read()
            assert answer.status == 202, answer.status
        finally:
            c.close()

    def oldest_s(self):
        return float(self.sql(
            "SELECT coalesce(extract(epoch FROM max(now() - queued_at)), 0) "
            "FROM upload WHERE state IN ('queued', 'working')"))

    def drained(self):
        while self.sql("SELECT 1 FROM upload WHERE state <> 'done' LIMIT 1"):
            time.sleep(0.1)

    def cpu_s(self):
        """Returns CPU seconds so far, by kind of process."""
        spent = {'server': 0, 'worker': 0, 'postgres': 0}
        parents, times, names = {}, {}, {}
        for pid in map(int, filter(str.isdigit, os.listdir('/proc'))):
            try:
                with open(f'/proc/{pid}/stat') as f:
                    words = f.read().rsplit(')', 1)[1].split()
                with open(f'/proc/{pid}/cmdline', 'rb') as f:
                    names[pid] = f.read().replace(b'\0', b' ').decode()
            except OSError:
                continue
            parents[pid] = int(words[1])
            own, waited = sum(map(int, words[11:13])), sum(map(int, words[13:15]))
            times[pid] = (own, waited)
        for pid, (own, waited) in times.items():
            up = pid
            while up in parents and up != self.process.pid:
                up = parents[up]
            if up != self.process.pid:
                continue
            kind = ('server' if pid == self.process.pid else
                    'worker' if names[pid].startswith('kernsiftd worker') else 'postgres')
            # Ended children of PostgreSQL count with their parent; the server's are
            # workers, which do not end here.
            spent[kind] += (own + (waited if kind == 'postgres' else 0)) * TICK_S
        return spent

    def state(self):
        """Returns CPU seconds, and bytes by kind, both so far."""
        self.sql('CHECKPOINT')
        uploads, captures, all_bytes, wal = map(float, self.sql(
            "SELECT pg_total_relation_size('upload_chunk'), "
            "pg_total_relation_size('run_capture'), "
            "pg_database_size(current_database()), "
            "pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')").split('|'))
        return self.cpu_s(), {'uploads': uploads, 'captures': captures,
                              'tables': all_bytes - uploads - captures, 'wal': wal}

    def phase(self, name, rate, count):
        """Sends `count` windows, `rate` per second (None: as fast as possible), and
        reports."""
        before = self.state()
        begun = time.monotonic()
        ages, futures = [0.0], []
        with concurrent.futures.ThreadPoolExecutor(SENDERS) as pool:
            for n in range(count):
                if rate:
                    wait = begun + n / rate - time.monotonic()
                    if wait > 0:
                        time.sleep(wait)
                futures.append(pool.submit(self.send, self.sent))
                self.sent += 1
                if rate and time.monotonic() - begun > len(ages):
                    ages.append(self.oldest_s())
            for f in futures:
                f.result()
        self.drained()
        took = time.monotonic() - begun
        after = self.state()
        tell(f'{name}.runs', count, 'runs')
        if rate:
            ages.sort()
            late = ages[-1]
            tell(f'{name}.oldest_wait', late, 's', f'<= {AGE_GOAL_S}', late <= AGE_GOAL_S)
        else:
            tell(f'{name}.rate', count / took, 'runs/s')
            tell(f'{name}.gpus', count / took * EVERY_S, 'GPUs')
        for kind, spent in after[0].items():
            tell(f'{name}.{kind}_cpu', (spent - before[0][kind]) / count, 's/run')
        for kind, size in after[1].items():
            tell(f'{name}.{kind}', (size - before[1][kind]) / count / 1e6, 'MB/run')


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        with common.server(folder, *OPTIONS) as (port, process):
            fleet = Fleet(folder, port, process)
            tell('window', len(fleet.windows[0]) / 1e6, 'MB')
            tell('cores', os.cpu_count(), '')
            fleet.phase('warm', None, 8)
            fleet.phase('fastest', None, 60)
            for n in GPUS:
                rate = n / EVERY_S
                fleet.phase(f'gpus_{n}', rate, max(1, int(rate * PHASE_S)))


if __name__ == '__main__':
    sys.exit(main())
