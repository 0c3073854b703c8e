#!/usr/bin/python3
"""seed_tables.py - uploads printed tables of kernels and compares every printed digit.

seed_tables.py [FILE]...

Uploads tables of kernel statistics to its own server. Each returned row, in order, must
equal the row of the table as this script reads it. A value must be exactly the printed
number times its unit. Values that a table does not contain must be null. Tables pasted
with tabs (the product's first two) must have the known number of rows. Tables of `nsys
stats` must be returned as CSV with the printed cells. Skipped if the tables are not
next to the checkout.
"""
import csv
import decimal
import glob
import io
import json
import os
import re
import sys

import running

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.path.join(os.environ.get('KERNSIFT_SRC', f'{HERE}/../..'),
                      '../shared')
KNOWN = {'000_': 66, '001_': 201}
UNIT = {'s': 9, 'ms': 6, 'μs': 3, 'µs': 3, 'us': 3, 'ns': 0}
FIELDS = ('total_ns', 'instances', 'mean_ns', 'median_ns', 'min_ns', 'max_ns',
          'stddev_ns')


def quantity(text):
    number, _, unit = text.partition(' ')
    return decimal.Decimal(number).scaleb(UNIT[unit] if unit else 0)


def pasted(text):
    """Returns the rows of a table with tabs. A row is: the text before the percentage,
    the percentage, seven quantities, the name."""
    rows = []
    for line in text.split('\n'):
        cells = line.split('\t')
        m = re.fullmatch(r'\s*(?:(.*?)\s+)?([0-9.]+)%', cells[0])
        if len(cells) == 9 and m:
            rows.append((m[1] or None, decimal.Decimal(m[2]),
                         [quantity(c) for c in cells[1:8]], cells[8].strip()))
    return rows


def printed(text):
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0][0] == 'Time (%)' and rows[0][8] == 'Name', rows[0]
    return [(None, decimal.Decimal(r[0]), [decimal.Decimal(c) for c in r[1:8]],
             r[8]) for r in rows[1:]]


def is_path(text):
    return text is not None and '/' in text


def lines(server, run):
    """Returns all lines of a run's kernel table, from all pages."""
    found, cursor = [], ''
    while cursor is not None:
        _, _, body = server.ask('GET', f'/runs/{run}/kernels?limit=50'
                                + (cursor and f'&cursor={cursor}'))
        page = json.loads(body, parse_float=decimal.Decimal)
        found += page['items']
        cursor = page['next']
    return found


def differences(got, want):
    if len(got) != len(want):
        yield f'{len(got)} rows, not {len(want)}'
    for i, (g, (before, pct, values, name)) in enumerate(zip(got, want)):
        source = (g['source'] or {}).get('table_path')
        for what, a, b in [('name', g['name'], name),
                           ('time_pct', g['time_pct'], pct),
                           ('table_path', source, before if is_path(before) else None),
                           ('p90_ns', g['p90_ns'], None),
                           ('p99_ns', g['p99_ns'], None),
                           *((f, g[f], v) for f, v in zip(FIELDS, values))]:
            if a != b:
                yield f'row {i + 1}: {what} is {a!r}, not {b!r}'


def check(server, path):
    """Returns (rows, sentences about differences) of one table."""
    name = os.path.basename(path)
    with open(path, 'rb') as f:
        body = f.read()
    text = body.decode('utf-8')
    want = printed(text) if name.endswith('.csv') else pasted(text)
    upload = server.ended(server.upload(f'name={name}', body))
    if upload['state'] != 'done' or len(upload['runs']) != 1:
        return 0, [f'upload {upload["state"]}: {upload["error"]}']
    (run,) = upload['runs']
    wrong = list(differences(lines(server, run), want))
    for start, rows in KNOWN.items():
        if name.startswith(start) and len(want) != rows:
            wrong.append(f'this script finds {len(want)} rows, not {rows}')
    totals = server.get(f'/runs/{run}')
    sums = {'content': 'statistics', 'busy_ns': None, 'span_ns': None,
            'launches': sum(w[2][1] for w in want),
            'kernel_ns': sum(w[2][0] for w in want)}
    wrong += [f'{k} is {totals[k]!r}, not {v!r}' for k, v in sums.items()
              if totals[k] != v]
    notes = {n['code'] for n in server.get(f'/runs/{run}/notes')['items']}
    due = {'statistics_only'}
    if not name.endswith('.csv'):
        due |= {'table_garbage', 'table_rounded'}
    if not due <= notes:
        wrong.append(f'no note {sorted(due - notes)}')
    if 'table_row' in notes:
        wrong.append('a row was skipped')
    if name.endswith('.csv'):
        _, _, out = server.ask('GET', f'/runs/{run}/kernels?format=csv')
        if list(csv.reader(io.StringIO(out.decode()))) != \
                list(csv.reader(io.StringIO(text))):
            wrong.append('the CSV is not the one that was uploaded')
    return len(want), wrong


def main():
    paths = sys.argv[1:] or sorted(
        glob.glob(f'{SHARED}/reference/seeds/00[01]_*.txt')
        + glob.glob(f'{SHARED}/traces/nsys/*_cuda_gpu_kern_sum.csv'))
    if not paths:
        print(f'skipped: no tables of kernels below {SHARED}')
        return 77
    running.skip_without_postgres()
    bad = 0
    with running.Server(['--workers', '1']) as server:
        for path in paths:
            rows, wrong = check(server, path)
            bad += bool(wrong)
            print(f'{rows:5} rows {"no " if wrong else "yes"} '
                  f'{os.path.basename(path)}')
            for w in wrong[:5]:
                print(f'      {w[:300]}')
    print(f'{len(paths) - bad} of {len(paths)} tables equal to the digit')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
