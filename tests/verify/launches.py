#!/usr/bin/python3
"""launches.py - computes the launch latency of recorded Nsight Systems exports with
SQL.

launches.py [FILE]...

Queries nsys' cuda_kern_exec_sum from each export with sqlite3: each kernel is joined
with its call by correlationId and process. The statistics are exact fractions. Every
digit must equal the output of `kernsiftd inspect --by launches`. Files default to the
folder `nsys` next to KERNSIFT_TRACES, else the shared traces next to the checkout.
Without them the case is skipped.
"""
import csv
import glob
import io
import os
import re
import sqlite3
import sys

import kernel_stats
import launch_figures
import trace_reports

FOLDER = os.path.join(os.path.dirname(kernel_stats.FOLDER), 'nsys')
QUERY = '''
SELECT r.globalTid >> 24 & 0xFFFFFF, r.globalTid & 0xFFFFFF, k.deviceId,
    a.value, n.value, r.start, r.end, k.start, k.end
FROM CUPTI_ACTIVITY_KIND_KERNEL k
JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId
    AND r.globalTid & 0xFFFFFFFFFF000000 = k.globalPid
JOIN StringIds a ON a.id = r.nameId
JOIN StringIds n ON n.id = k.demangledName'''


def wanted(path):
    """Returns {(pid, thread, device, api, kernel): numbers}."""
    with sqlite3.connect(f'file:{path}?mode=ro', uri=True) as db:
        rows = [(f'{pid}/{tid}', *rest)
                for pid, tid, *rest in db.execute(
                    QUERY.replace('0xFFFFFFFFFF000000', str(-1 << 24)))]
    # The reader cuts the version suffix of a call's name; this comparison cuts all
    # versions.
    rows = [(t, d, re.sub('_v[0-9]+$', '', a), k, *times)
            for t, d, a, k, *times in rows]
    return {(*key[0].split('/'), *key[1:]): v
            for key, v in launch_figures.latency(rows).items()}


def printed(path):
    lines, order = {}, True
    for _, parts in trace_reports.inspected(kernel_stats.PROGRAM, path,
                                         'launches'):
        for part in parts:
            before = None
            for r in list(csv.reader(io.StringIO(part, newline='')))[1:]:
                assert (key := (r[0], r[1], int(r[2]), r[25], r[26])) \
                    not in lines, key
                lines[key] = (r[3], r[4], *r[5:25])
                order &= before is None or float(r[5]) <= before
                before = float(r[5])
    return lines, order


def main():
    files = sys.argv[1:] or sorted(glob.glob(f'{FOLDER}/*.sqlite'))
    if not files:
        print(f'skipped: no exports of Nsight Systems at {FOLDER}')
        return 77
    print(f'{"lines":>6} {"launches":>9} equal  file')
    bad = 0
    for path in files:
        due, (got, order) = wanted(path), printed(path)
        wrong = got != due or not order
        bad += wrong
        print(f'{len(due):6} {sum(int(v[0]) for v in due.values()):9} '
              f'{"no" if wrong else "yes":5}  {os.path.basename(path)}')
        for key in [k for k in {**due, **got} if got.get(k) != due.get(k)][:5]:
            print(f'    {key}: {got.get(key)}, not {due.get(key)}')
    print(f'{len(files) - bad} of {len(files)} files equal to the digit')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
