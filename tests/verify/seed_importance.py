#!/usr/bin/python3
"""seed_importance.py - importing a published catalog gives the published tables.

seed_importance.py [CATALOG SEED]

Imports the operator catalog next to the checkout with `kernsift import`. Then compares
every cell of the three tables of seed 004 (importance, roofline, shapes with their S),
and their order, in two ways: computed here from the unrounded figures of
GET /importance and of its shapes, and as printed by `format=md`.

The catalog is then exported with `format=bench`, and imported under another name. The
figures of both must be equal. Skipped if there is no catalog.
"""
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse

import running

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
SHARED = os.environ.get('KERNSIFT_REFERENCE', f'{SOURCE}/../shared/reference')
CATALOG = f'{SHARED}/operators/production_operators.json'
SEED = f'{SHARED}/seeds/004_operator_importance_page.md'
CLIENT = os.path.join(os.path.dirname(running.BIN), 'kernsift')
LETTER = {'compute': 'C', 'memory': 'M', 'indexing': 'I'}


def rows(text):
    """Returns the cells of every row of every table, without headings."""
    found = []
    for line in text.split('\n'):
        if '|' not in line:
            continue
        cells = [c.strip() for c in line.split('|')]
        cells = [c for c in cells if c not in ('', '▶')]
        if len(cells) > 1 and not cells[0].startswith(('Operator', '---', ':-')):
            found.append(cells)
    return found


def parts(found):
    """Returns importance, the roofline, and the shapes by operator, in their order."""
    importance = [r for r in found if len(r) == 4]
    roofline = [r for r in found if len(r) == 6]
    shapes = [r for r in found if len(r) in (2, 3)]
    assert len(found) == len(importance) + len(roofline) + len(shapes), found[:3]
    return importance, roofline, shapes


def ai(v):
    return f'{v / 1000:.1f}k' if v >= 1000 else f'{v:.1f}'


def bound(us):
    return f'{us / 1000:.2f} ms' if us >= 1000 else f'{us:.2f} us'


def took(us):
    return f'{us / 1000:.1f} ms' if us >= 1000 else f'{us:.0f} us'


def from_json(server, name):
    """Returns the three tables, in order, computed from the figures in the JSON
    answers."""
    page = server.get(f'/importance?reference_set={name}')
    items = page['items']
    importance = [[f'{i["operator"]} {i["id"]}', i['dtype'], str(i['shapes']),
                   f'{100 * i["importance"]:.1f}%'] for i in items]
    roofline = [[i['operator'], LETTER[i['regime']], ai(i['ai']),
                 bound(i['t_sol_us']['H20']), bound(i['t_sol_us']['XPU-A']),
                 took(i['t_prod_us']['XPU-A'])] for i in items]
    shapes = {}
    for i in items:
        listed = server.get(f'/importance/{urllib.parse.quote(i["operator"])}/shapes'
                            f'?reference_set={name}')
        assert listed['next'] is None, i['operator']
        shapes[i['operator']] = [
            [i['operator'], str(i['shapes']), f'{100 * i["s_median"]:.1f}%'],
            *([f'#{s["shape_id"]} {s["description"]}', f'{100 * s["s"]:.1f}%']
              for s in listed['items'])]
    order = sorted(items, key=lambda i: i['s_median'])
    return page, (importance, roofline,
                  [r for i in order for r in shapes[i['operator']]])


def grouped(shapes):
    """Returns {operator: its rows}. Operators with equal medians may be in any
    order."""
    made, at = {}, None
    for row in shapes:
        if len(row) == 3:
            at = made.setdefault(row[0], [])
        at.append(row)
    return made


def medians(shapes):
    return [r[2] for r in shapes if len(r) == 3]


def differences(who, got, want):
    for what, g, w in zip(('importance', 'roofline'), got, want):
        if len(g) != len(w):
            yield f'{who}: {what} has {len(g)} rows, not {len(w)}'
        for i, (a, b) in enumerate(zip(g, w)):
            if a != b:
                yield f'{who}: {what}, row {i + 1}: {a}, not {b}'
    g, w = grouped(got[2]), grouped(want[2])
    if g.keys() != w.keys() or medians(got[2]) != medians(want[2]):
        yield f'{who}: the operators of the shapes, or their order'
    for op in g.keys() & w.keys():
        for a, b in zip(g[op], w[op]):
            if a != b:
                yield f'{who}: {op}: {a}, not {b}'
        if len(g[op]) != len(w[op]):
            yield f'{who}: {op} has {len(g[op])} rows, not {len(w[op])}'


def imported(server, path, name):
    done = subprocess.run([CLIENT, 'import', '--server',
                           f'http://127.0.0.1:{server.port}', '--name', name, path],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def answered(server, path):
    status, _, body = server.ask('GET', path)
    assert status == 200, f'GET {path}: {status} {body[:300]!r}'
    return body


def round_trip(server, name, page, want):
    """Yields sentences about figures that differ in the exported set."""
    with tempfile.NamedTemporaryFile(suffix='.json') as f:
        f.write(answered(server, f'/importance?reference_set={name}&format=bench'))
        f.flush()
        imported(server, f.name, 'again')
    again, got = from_json(server, 'again')
    yield from differences('exported and imported again', got, want)
    for a, b in zip(again['items'], page['items']):
        for key in ('importance', 'runs', 'phase', 'ai', 's_median', 't_sol_us'):
            if a[key] != b[key]:
                yield f'again: {a["operator"]}: {key} is {a[key]}, not {b[key]}'


def main():
    catalog, seed = sys.argv[1:3] if len(sys.argv) > 2 else (CATALOG, SEED)
    if not os.path.exists(catalog):
        print(f'skipped: there is no operator catalog at {catalog}')
        return 77
    running.skip_without_postgres()
    with open(seed, encoding='utf-8') as f:
        want = parts(rows(f.read()))
    with open(catalog, 'rb') as f:
        profiles = json.load(f)['num_profiles']
    wrong = []
    with running.Server(['--workers=1']) as s:
        printed = imported(s, catalog, 'seed')
        url = f'http://127.0.0.1:{s.port}/importance?reference_set=seed'
        if printed != f'set seed: 30 operators, 440 shapes, {url}\n':
            wrong.append(f'import says {printed!r}')
        page, got = from_json(s, 'seed')
        wrong += differences('JSON', got, want)
        if page['runs'] != profiles:
            wrong.append(f'{page["runs"]} profiles, not {profiles}')
        text = answered(s, '/importance?reference_set=seed&format=md').decode()
        wrong += differences('md', parts(rows(text)), want)
        wrong += round_trip(s, 'seed', page, got)
    for w in wrong[:20]:
        print(w)
    counts = [len(want[0]), len(want[1]), sum(len(r) == 2 for r in want[2])]
    print(f'{counts[0]} importance rows, {counts[1]} roofline rows, {counts[2]} '
          f'shapes of seed 004: {len(wrong)} differences')
    assert counts == [30, 30, 440], counts
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
