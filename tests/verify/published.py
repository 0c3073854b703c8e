#!/usr/bin/python3
"""published.py - compares /compare with published comparisons.

published.py [FOLDER]...

A folder contains {normal,abnormal}_perf.csv.gz, their counters, and the published
result, expected_*.csv. Its name selects processes: `n1_a2` has those of the normal and
of the abnormal side, `pid1` has one process number for both. The script uploads each
side as one file. /compare must return exactly the published rows, ordered by score, as
CSV and as JSON. A score may differ by a factor of 5e-3, and the p-values of both tests
by 2e-3.

If the report was published, too (seed 002), the Markdown must have the same headings,
tables with equal text, and the same figures in its findings. Skipped if there is no
published comparison next to the checkout.
"""
import collections
import csv
import glob
import gzip
import io
import json
import os
import re
import sys
import urllib.parse

from running import API, Server, skip_without_postgres

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
REFERENCE = f'{SOURCE}/../shared/reference'
# Folders with a published report: the report, and the name of its workload.
REPORTS = {'sglang_cpu_frequency_reduction':
           (f'{REFERENCE}/seeds/002_cross_performance_comparison.md',
            'Processed\\SGLang\\cpu_frequency_reduction')}
FIELDS = ['function', 'metric', 'device', 'score', 'base_beta_pct',
          'head_beta_pct', 'delta_beta_pct', 'z_beta', 'p_beta', 'u_p_beta',
          'base_mu', 'head_mu', 'delta_mu', 'z_mu', 'z_log_mu', 'p_mu',
          'u_p_mu']


def check(what, condition, detail=''):
    if not condition:
        raise AssertionError(f'{what} {detail}')


def number(text):
    return float(text) if text else None


def close(got, want, relative, absolute):
    if got is None or want is None:
        return got is want
    return abs(got - want) <= absolute + relative * abs(want)


def row_close(got, want):
    """Compares scores to a factor of 5e-3, probabilities to 2e-3, others to 1e-6."""
    for field, a, b in zip(FIELDS[3:], got, want):
        a, b = number(a), number(b)
        if field == 'score':
            ok = close(a, b, 5e-3, 1e-6)
        elif field in ('p_beta', 'u_p_beta', 'p_mu', 'u_p_mu'):
            ok = close(a, b, 0, 2e-3)
        else:
            ok = close(a, b, 1e-6, 2e-6)
        if not ok:
            return f'{field}: {a}, not {b}'
    return ''


def rows(text):
    lines = list(csv.reader(io.StringIO(text)))
    return lines[0], {tuple(r[:3]): r[3:] for r in lines[1:]}, lines[1:]


def table_holds(got, want):
    """Compares rows, figures and order; counts the cells whose text is equal."""
    head, mine, lines = rows(got)
    headings, theirs, published = rows(want)
    check('columns', head == headings, f'{head} in place of {headings}')
    check('rows', len(lines) == len(published) and set(mine) == set(theirs),
          f'{len(lines)}: {sorted(set(mine) ^ set(theirs))[:3]}')
    same = 0
    for key, cells in theirs.items():
        odd = row_close(mine[key], cells)
        check('row', not odd, f'{key}: {odd}')
        same += sum(a == b for a, b in zip(mine[key], cells))
    place = {tuple(r[:3]): i for i, r in enumerate(lines)}
    for a, b in zip(published, published[1:]):
        if float(a[3]) > float(b[3]):
            check('order', place[tuple(a[:3])] < place[tuple(b[:3])],
                  f'{a[:4]} comes after {b[:4]}')
    return same, len(theirs) * (len(headings) - 3)


def json_holds(document, text):
    """Compares JSON with CSV before rounding: rows and order must be equal."""
    _, _, lines = rows(text)
    items = document['items']
    check('items', len(items) == len(lines), len(items))
    for item, line in zip(items, lines):
        cells = [item[f] for f in FIELDS]
        check('item', set(item) == set(FIELDS) and cells[:3] == line[:3], line)
        for a, b in zip(cells[3:], line[3:]):
            check('item', close(a, number(b), 1e-14, 6e-7), f'{a}, {b}')


def parts(text):
    """Returns headings, rows of tables, and the bold words and figures of the
    findings."""
    tables, headings, findings = [[]], [], []
    for line in text.splitlines():
        if line.startswith('|'):
            tables[-1].append(line)
            continue
        if tables[-1]:
            tables.append([])
        if line.startswith('#'):
            headings.append(line)
        elif re.match(' *- ', line) and headings[-1].startswith('### Key'):
            spaces = len(line) - len(line.lstrip())
            line = re.sub(r'`[^`]*`', '', line) if spaces else line
            findings.append((spaces, re.findall(r'\*\*(.*?)\*\*', line),
                             re.findall(r'[-+]?\d[\d,]*(?:\.\d+)?', line),
                             'not be statistically significant' in line))
    return headings, [t for t in tables if t], findings


def report_holds(got, want):
    mine, theirs = parts(got), parts(want)
    check('headings', mine[0] == theirs[0], f'{mine[0]}, not {theirs[0]}')
    check('tables', len(mine[1]) == len(theirs[1]))
    for a, b in zip(mine[1], theirs[1]):
        check('table', a[:2] == b[:2], f'{a[:2]}, not {b[:2]}')
        # Rows with equal scores may be in any order.
        check('lines of a table', collections.Counter(a) ==
              collections.Counter(b))
    check('findings', mine[2] == theirs[2], f'{mine[2]}, not {theirs[2]}')


def packed(folder, side):
    """Joins both files of a side into one."""
    out = b''
    for what in ('perf', 'counters'):
        path = f'{folder}/{side}_{what}.csv.gz'
        if os.path.exists(path):
            with gzip.open(path) as f:
                text = f.read()
            out += text if text.endswith(b'\n') else text + b'\n'
    return gzip.compress(out, 1)


def upload(s, folder, side, workload, pid):
    query = urllib.parse.urlencode({'project': 'published', 'name': side,
                                    'workload': workload})
    done = s.ended(s.upload(query, packed(folder, side)))
    check('upload', done['state'] == 'done', done)
    for run in done['runs']:
        if s.get(f'/runs/{run}')['pid'] == pid:
            return run
    raise AssertionError(f'{folder}: no run of {side} has pid {pid}')


def text_of(s, query, form):
    status, _, body = s.ask('GET', f'/compare?{query}&format={form}')
    check('compare', status == 200, body[:400])
    return body.decode()


def folder_holds(s, folder):
    name = os.path.basename(folder.rstrip('/'))
    (path,) = glob.glob(f'{folder}/expected_*.csv')
    numbers = re.search(r'_n(\d+)_a(\d+)\.csv$', path)
    pids = numbers.groups() if numbers else (re.search(r'_pid(\d+)\.csv$', path)[1],) * 2
    report, workload = REPORTS.get(name, (None, name))
    base = upload(s, folder, 'normal', workload, int(pids[0]))
    head = upload(s, folder, 'abnormal', workload, int(pids[1]))
    query = f'base={base}&head={head}&score=published'
    got = text_of(s, query, 'csv')
    with open(path, encoding='utf-8', newline='') as f:
        same, all_cells = table_holds(got, f.read())
    json_holds(json.loads(text_of(s, query, 'json')), got)
    words = f'{name}: {same} of {all_cells} figures to the letter'
    markdown = text_of(s, query, 'md')
    if report:
        with open(report, encoding='utf-8') as f:
            report_holds(markdown, f.read())
        words += '; its report too'
    print(words)


def main():
    folders = sys.argv[1:] or sorted(glob.glob(f'{REFERENCE}/comparison/*/'))
    if not folders:
        print('skipped: there is no published comparison next to the checkout')
        sys.exit(77)
    skip_without_postgres()
    with Server() as s:
        for folder in folders:
            folder_holds(s, folder)


if __name__ == '__main__':
    main()
