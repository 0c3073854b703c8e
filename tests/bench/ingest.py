#!/usr/bin/python3
"""ingest.py - measures the cost of a complete ingest: wall time and the worker's
memory.

It starts a release server with a private cluster. It uploads one trace at a time and
waits until the trace is ingested; there is no other load. The memory is the kernel's
value for the peak of a worker process (VmHWM), reset before each trace.
"""
import gzip
import os
import sys
import tempfile
import time

import common
from common import tell


def reset_peaks(workers):
    for pid in workers:
        with open(f'/proc/{pid}/clear_refs', 'w') as f:
            f.write('5')


def peak_kib(pid):
    with open(f'/proc/{pid}/status') as f:
        for line in f:
            if line.startswith('VmHWM:'):
                return int(line.split()[1])
    return 0


def plain_size(path):
    with gzip.open(path) as f:
        return f.seek(0, os.SEEK_END)


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        with common.server(folder) as (port, process):
            for name, packed in common.traces(folder):
                workers = common.processes('work', process.pid)
                if not workers:
                    sys.exit('the server has no worker processes')
                reset_peaks(workers)
                begun = time.monotonic()
                common.upload(port, packed)
                took = time.monotonic() - begun
                json_bytes = plain_size(packed)
                limit = 64 * 1024 + 0.3 * json_bytes / 1024
                kib = max(peak_kib(p) for p in workers)
                tell(f'{name}.upload_to_done', took, 's')
                tell(f'{name}.ingest_peak', kib / 1024, 'MiB',
                     f'<= {limit / 1024:.0f}', kib <= limit)


if __name__ == '__main__':
    sys.exit(main())
