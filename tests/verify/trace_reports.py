"""trace_reports.py - reads the figures of a trace from `inspect` and from a server.

For each run, both return tables like those of trace_figures.figures(): (key…, line…),
with every number as printed.
"""
import collections
import csv
import io
import json
import re
import subprocess
import time
import urllib.parse
import urllib.request

TOTALS = ('span_ns', 'busy_ns', 'kernel_ns', 'launches', 'kernels', 'copy_ns',
          'copies')
LINE = ('time_pct', 'total_ns', 'instances', 'mean_ns', 'median_ns', 'min_ns',
        'max_ns', 'stddev_ns', 'p90_ns', 'p99_ns')


def three(cell):
    return tuple(int(x) for x in cell.split()) if cell else None


def typed(keys):
    """Converts a table's key columns: device, or grid and block, then the name."""
    if len(keys) == 3:
        return three(keys[0]), three(keys[1]), keys[2]
    return (int(keys[0]), keys[1]) if len(keys) == 2 else (keys[0],)


def tables(section):
    """Returns {'Instances' or 'Count': [(key, line)]} of one run's CSV tables."""
    made = {'Instances': [], 'Count': []}
    for part in section:
        rows = list(csv.reader(io.StringIO(part, newline='')))
        head = rows[0]
        if head[2] not in made:
            continue
        skip = 12 if 'Sized' in head else 10
        for row in rows[1:]:
            assert len(row) == len(head), row
            made[head[2]].append((typed(row[skip:]), tuple(row[:10])))
    return made


def inspected(program, path, by=None):
    """Returns [(header lines as a dictionary, its CSV parts)], one for each run. If
    `by` has several words, there is one for each run and word."""
    words = [program, 'inspect', path] + (['--by', by] if by else [])
    out = subprocess.run(words, check=True, capture_output=True).stdout
    runs = []
    for part in out.decode().split('\n\n')[1:]:
        if part.startswith('run '):
            lines = (x.split(' ', 1) for x in part.strip().split('\n'))
            runs.append(({k: v for k, v in lines}, []))
        else:
            runs[-1][1].append(part)
    return runs


def hold_distinct(rows):
    """The distinct names of different kernels differ. Each is the short name, with an
    addition if and only if another kernel has the same short name."""
    names = {row['Name']: row for row in rows}
    shared = collections.Counter(row['Short Name'] for row in names.values())
    assert len({row['Distinct Name'] for row in names.values()}) == len(names)
    for row in names.values():
        short, distinct = row['Short Name'], row['Distinct Name']
        if shared[short] == 1:
            assert distinct == short, row
        else:
            assert re.fullmatch(r'( \[[^][]+\])?( #\d+)?', distinct.removeprefix(short)), row


def by_inspect(program, path, key='rank'):
    """Returns ({rank or None: figures}, {name in the trace: name shown}). With `key`,
    another number of the run replaces the rank: 'process'."""
    every = inspected(program, path, 'kernels,device,grid,source')
    runs, names = {}, {}
    for (head, parts), (_, dev), (_, grd), (_, src) in zip(
            *(every[i::4] for i in range(4))):
        p, d, g = tables(parts), tables(dev), tables(grd)
        rank = head[key].split()[0]
        runs[None if rank == 'unknown' else int(rank)] = {
            'totals': {k: int(head[k]) for k in TOTALS},
            'kernels': p['Instances'], 'kernels by device': d['Instances'],
            'kernels by grid': g['Instances'], 'copies': p['Count'],
            'copies by device': d['Count'],
        }
        rows = list(csv.DictReader(io.StringIO(''.join(src), newline='')))
        hold_distinct(rows)
        for row in rows:
            if row['Mangled']:
                names[row['Mangled']] = row['Name']
    return runs, names


class Api:
    def __init__(self, server, token=None):
        self.base = server.rstrip('/') + '/api/v1'
        self.headers = {'Authorization': f'Bearer {token}'} if token else {}

    def ask(self, path, body=None):
        r = urllib.request.Request(self.base + path, body, self.headers)
        with urllib.request.urlopen(r, timeout=120) as answer:
            return answer.read()

    def get(self, path):
        return json.loads(self.ask(path), parse_float=str)

    def items(self, path):
        items, at = [], path
        while True:
            page = self.get(at)
            items += page['items']
            if not page['next']:
                return items
            at = path + ('&' if '?' in path else '?') + 'cursor=' + \
                urllib.parse.quote(page['next'])

    def upload(self, path, name):
        query = urllib.parse.urlencode({'project': 'verify', 'name': name,
                                        'file': name})
        with open(path, 'rb') as f:
            up = json.loads(self.ask(f'/uploads?{query}', f.read()))
        end = time.monotonic() + 300
        while True:
            up = self.get(f'/uploads/{up["id"]}')
            if up['state'] in ('done', 'failed'):
                assert up['state'] == 'done', up['error']
                return up['runs']
            assert time.monotonic() < end, f'upload {up["id"]} takes too long'
            time.sleep(0.05)

    def json_table(self, path, keys):
        return [(tuple(tuple(r[k]) if isinstance(r[k], list) else r[k]
                       for k in keys), tuple(str(r[k]) for k in LINE))
                for r in self.items(path)]

    def csv_table(self, path):
        rows = csv.reader(io.StringIO(self.ask(path).decode(), newline=''))
        return [(typed(r[8:]), tuple(r[:8])) for r in list(rows)[1:]]


def decimals(rows):
    """JSON has no trailing zeros: 12.0 and 12 are the same number."""
    return [(k, tuple(x if '.' in x or i in (1, 2, 5, 6) else x + '.0'
                      for i, x in enumerate(v))) for k, v in rows]


def by_server(api, path, name, key='rank', ids=None):
    """Returns {rank or None: figures}, once from JSON and once from CSV. With `key`,
    another number of the run replaces the rank: 'pid'. Stores the run's id in `ids`."""
    from_json, from_csv = {}, {}
    ids = {} if ids is None else ids
    for run in api.upload(path, name):
        head = api.get(f'/runs/{run}')
        at = f'/runs/{run}'
        shapes = (('kernels', '/kernels', ('name',)),
                  ('kernels by device', '/kernels?by=device',
                   ('device', 'name')),
                  ('kernels by grid', '/kernels?by=grid',
                   ('grid', 'block', 'name')),
                  ('copies', '/copies', ('operation',)),
                  ('copies by device', '/copies?by=device',
                   ('device', 'operation')))
        tables = {'totals': {k: int(head[k]) for k in TOTALS}}
        flat = {'totals': tables['totals']}
        for what, query, keys in shapes:
            tables[what] = decimals(api.json_table(at + query, keys))
            mark = '&' if '?' in query else '?'
            flat[what] = api.csv_table(f'{at}{query}{mark}format=csv')
        from_json[head[key]] = tables
        from_csv[head[key]] = flat
        ids[head[key]] = run
    return from_json, from_csv
