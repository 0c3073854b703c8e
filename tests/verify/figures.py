"""figures.py - compares a run's numbers over HTTP with the expectation of its trace."""

STATS = ('instances', 'total_ns', 'min_ns', 'max_ns')
TENTHS = ('time_pct', 'mean_ns', 'median_ns', 'stddev_ns', 'p90_ns', 'p99_ns')


def as_text(row, keys):
    """Returns a row as text, each number as it would be printed."""
    out = [str(row[k]) for k in keys]
    out += [str(row[k]) for k in STATS]
    for k in TENTHS:
        v = row[k]
        out.append(v if isinstance(v, str) else f'{v:.1f}')
    return tuple(out)


def same(what, got, want, keys):
    got = sorted(as_text(r, keys) for r in got)
    want = sorted(as_text(r, keys) for r in want)
    assert len(got) == len(want), f'{what}: {len(got)} rows, not {len(want)}'
    for g, w in zip(got, want):
        assert g == w, f'{what}: {g} in place of {w}'


def whole(server, path):
    """Returns all items of a list, from all of its pages."""
    items, cursor = [], None
    mark = '&' if '?' in path else '?'
    while True:
        page = server.get(path + (f'{mark}cursor={cursor}' if cursor else ''))
        items += page['items']
        cursor = page['next']
        if not cursor:
            return items


def check_run(server, run, want):
    """Compares all answers about a run with the expectation of tests/gen."""
    for k in ('pid', 'rank', 'span_ns', 'busy_ns', 'launches', 'kernel_ns',
              'copies', 'copy_ns'):
        assert run[k] == want[k], f'run {run["id"]} {k}: {run[k]}, not {want[k]}'
    at = f'/runs/{run["id"]}'
    same(f'{at}/kernels', whole(server, f'{at}/kernels'),
         want['kernels'], ('name',))
    same(f'{at}/kernels by device', whole(server, f'{at}/kernels?by=device'),
         want['kernels_by_device'], ('name', 'device'))
    same(f'{at}/kernels by grid', whole(server, f'{at}/kernels?by=grid'),
         want['kernels_by_grid'], ('name', 'grid', 'block'))
    same(f'{at}/copies', whole(server, f'{at}/copies'),
         want['copies_by_operation'], ('operation',))
    same(f'{at}/copies by device', whole(server, f'{at}/copies?by=device'),
         want['copies_by_device'], ('operation', 'device'))
