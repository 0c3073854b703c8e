#!/usr/bin/python3
"""poison.py - checks the final state of uploads that end their ingest process.

The ends are real: a CPU limit of one second, too little memory for the trace, a process
that the script kills, and one that it stops for longer than its lease. The server
continues and ingests other uploads. The bad upload gets a sentence with the reason.
"""
import gzip
import os
import signal
import sys
import tempfile
import time

import figures
import running

MEMORY = ('the trace needs more than 2 MiB of memory; record a shorter window, or raise '
          '--ingest-mib')
CPU = ('the ingest took more than 1 s of CPU time and was ended; see '
       '--ingest-cpu-s')
KILLED = ('the ingest was ended by SIGKILL, as the system does where memory '
          'runs out; see --ingest-mib')


def small_is_read(server, small):
    body, want = small
    name = f'project=small&name={time.monotonic_ns()}'
    upload = server.ended(server.upload(name, body))
    assert upload['state'] == 'done', upload
    run = server.get(f'/runs/{upload["runs"][0]}')
    figures.check_run(server, run, want['runs'][0])


def failed_with(server, upload, sentence, tries=None):
    got = server.ended(upload)
    result = (got['state'], got['error'], got['runs'])
    assert result == ('failed', sentence, []), got
    assert tries in (None, got['attempts']), got


def memory(small, big):
    """If the trace needs more memory than the arena may have, the upload gets an error
    and no process dies."""
    with running.Server(['--workers=1', '--ingest-mib=2']) as s:
        before = running.until('its process', s.workers)
        failed_with(s, s.upload('name=big', big[0]), MEMORY)
        assert s.workers() == before, 'a process died'
        small_is_read(s, small)


def endless():
    """Returns a trace of a few megabytes that takes minutes to read: it has forty
    gigabytes of blanks between its brackets."""
    blank = gzip.compress(b' ' * (64 << 20), 9)
    return (gzip.compress(b'{"traceEvents": [') + blank * 640
            + gzip.compress(b']}'))


def cpu(small, big):
    """The process dies once. There is no retry, because the upload used all its CPU
    time."""
    with running.Server(['--workers=1', '--ingest-cpu-s=1',
                         '--max-compression-ratio=2000',
                         '--max-uncompressed-mib=100000']) as s:
        upload = s.upload('name=endless', endless())
        failed_with(s, upload, CPU)
        assert s.logged().count(f'died: {CPU}') == 1, 'not one process'
        small_is_read(s, small)


def working(server, upload):
    """Waits until a process reads the upload, and returns it; None if the upload has
    ended."""
    def ask():
        row = server.sql('SELECT state, split_part(worker, $$:$$, 2) FROM '
                         f'upload WHERE id = {upload}')[0]
        return row if row[0] in ('working', 'failed', 'done') else None
    state, pid = running.until('a process at work', ask)
    return int(pid) if state == 'working' else None


def killed(small, big):
    with running.Server(['--workers=2']) as s:
        upload = s.upload('name=big', big[0])
        deaths = 0
        while pid := working(s, upload):
            os.kill(pid, signal.SIGKILL)
            deaths += 1
            running.until('its end', lambda p=pid: p not in s.workers())
            running.until('the end is recorded', lambda p=pid: not s.sql(
                f"SELECT 1 FROM upload WHERE worker LIKE '%:{p}:%'"))
        # There are more than three deaths if an attempt got further than those before
        # it.
        assert deaths >= 3, deaths
        failed_with(s, upload, KILLED, 3)
        small_is_read(s, small)


def decoding(server, upload):
    """Returns the process that decodes the upload; None if there is none."""
    rows = server.sql('SELECT split_part(worker, $$:$$, 2) FROM upload WHERE '
                      f"id = {upload} AND state = 'working' AND "
                      "stage = 'decode'")
    return int(rows[0][0]) if rows else None


def stop_one(server, body):
    """Stops a process while it decodes, because it has no open transaction then.
    Returns (upload, pid, number of uploads that were read before a process was
    stopped)."""
    for n in range(20):
        upload = server.upload(f'name=stop-{n}', body)
        while server.get(f'/uploads/{upload}')['state'] != 'done':
            pid = decoding(server, upload)
            if not pid:
                continue
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.2)  # its earlier statements have ended
            if decoding(server, upload) == pid:
                return upload, pid, n
            os.kill(pid, signal.SIGCONT)
    raise AssertionError('none of 20 could be stopped while it was read')


def stopped(small, big):
    """A process that is stopped for longer than its lease loses the upload to another
    process. After it continues, it does not disturb the other process and stores
    nothing."""
    body, want = big
    with running.Server(['--workers=2', '--lease_s=2']) as s:
        upload, pid, before = stop_one(s, body)
        # The process is stopped for longer than PostgreSQL allows a transaction to be
        # idle.
        got = s.ended(upload)
        assert got['state'] == 'done', got
        os.kill(pid, signal.SIGCONT)
        # It may have been stopped in the middle of a statement. If the other process
        # needs longer than 30 s, PostgreSQL has canceled this statement.
        reasons = (f'upload={upload} put off: the lease on upload {upload} was lost',
                   f'upload={upload} put off: the database took too long')
        running.until('its finding out',
                      lambda: any(reason in s.logged() for reason in reasons))
        small_is_read(s, small)
        runs = figures.whole(s, f'/runs?upload={upload}')
        assert [r['id'] for r in runs] == got['runs'], runs
        figures.check_run(s, runs[0], want['runs'][0])
        assert s.sql('SELECT count(*) FROM run') == [[str(before + 2)]]


def main():
    running.skip_without_postgres()
    with tempfile.TemporaryDirectory() as folder:
        small = running.generate(folder, 'small', '--steps', '1')
        big = running.generate(folder, 'big', '--events', '200000')
    for case in (memory, cpu, killed, stopped):
        if sys.argv[1:] and case.__name__ not in sys.argv[1:]:
            continue
        began = time.monotonic()
        case(small, big)
        print(f'ok {case.__name__} {time.monotonic() - began:.1f} s',
              flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
