#!/usr/bin/python3
"""seed_layers.py - a layer-by-layer table that was made by hand, computed again.

seed_layers.py [SEED]

Reads the table of seed 003: layer, module, kernel, microseconds on two machines,
sums, an overlap block, end to end, 61 layers. Each column becomes a trace
(tests/gen/layered.py) of 3 dense layers and 58 with experts, the second with
multi-token prediction; both go to a server of our own, and the layer with experts
must come back as each run's table and as a table of both: every row with its
time and its blanks, in order, sums, the overlap block, end to end, 61 layers.
Skipped if the seed is not next to the checkout.

Where the table leaves things open, this is how it is read:

* Cells move to the left where module or kernel are empty: `combine | 394` is the
  module combine, whose kernel the overlap block names; other single names are
  kernels.
* The second column has a time at six kernels only. The others are kernels that
  this variant does not launch, and their cells are blank.
* Rows that are blank in both columns were launched with a row next to them that
  has a time: one call of the host, whose total that is. Which row that is: of
  the same module, else the one below (distribution_elementwise before topk). In
  our table too, the total is given once, in the row that takes longest.
* `combine | 394` is the two launches that the overlap block begins and ends with,
  one call on the communication stream: the shared expert runs in parallel with the
  end of the first and the beginning of the second. We have a row for each launch, so the
  moe block has two rows for that line: a blank and the total.
* The moe block has no sum in the seed, and no block has one in the second column:
  there it is the sum of the column. The overlap block has none either: ours sums
  the rows of the shared expert, whose time is given there.
* Names are cut off in the seed. Ours must begin as its last part does, apart from
  `mhaSm100fKernel_Qkv`, which lost the f that it begins with.
* rmsnorm_split_col_kernel and the norm of the gate are listed at the module
  self.input_layernorm as the first norm does. They stay there; by their place they
  are a norm of latent vectors and the one behind attention, in the gate.
* End to end and 61 layers are of the first column; what is launched outside these
  layers, and in the dense ones but attention, is not in the seed and is ours. The
  second column's 61 layers become 62 with the one that predicts a token more, and
  in the table of both have a line of their own.
"""
import decimal
import gzip
import os
import re
import sys

import running

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
SEED = f'{SRC}/../shared/reference/seeds/003_layer_breakdown_d4.md'
sys.path.insert(0, f'{HERE}/../gen')

import gen_layers  # noqa: E402
import layered  # noqa: E402

SIDES = 2
BLOCKS = {'attention层': 'attention', 'gate层': 'gate', 'moe层': 'moe',
          'combine/share overlap': 'overlap'}
ROWS = {'attention': layered.ATTENTION, 'gate': layered.GATE,
        'moe': [*layered.EXPERTS, layered.COMBINED],
        'overlap': layered.SHARED}


def number(cell):
    return decimal.Decimal(cell) if re.fullmatch(r'[0-9.]+', cell) else None


def microseconds(ns):
    """As kernsift's tables print it."""
    text = f'{decimal.Decimal(ns) / 1000:.3f}'
    return text.rstrip('0').rstrip('.')


class Seed:
    """Lines by block: (module, kernel, cells); sums; totals of the first column."""

    def __init__(self, path):
        self.blocks = {b: [] for b in BLOCKS.values()}
        self.sums, self.totals = {}, {}
        with open(path, encoding='utf-8') as f:
            for line in f:
                cells = [c.strip() for c in line.strip().strip('|').split('|')]
                if cells[0] in BLOCKS:
                    self.line(BLOCKS[cells[0]], cells[1:])
                elif len(cells) > 1 and cells[1].endswith('ms'):
                    self.totals[cells[0]] = decimal.Decimal(cells[1][:-2])

    def line(self, block, cells):
        names = [c for c in cells if c and number(c) is None]
        at = len(names)
        times = [number(c) for c in (cells[at:] + [''] * SIDES)[:SIDES]]
        if names == ['sum']:
            self.sums[block] = times
            return
        if at == 1:
            names = ['combine', ''] if names == ['combine'] else ['', *names]
        self.blocks[block].append((*names, times))


def same_name(name, full):
    name, full = name.split('::')[-1], full.removeprefix('void ')
    short = full.split('<')[0].split('(')[0].split('::')[-1]
    return short.startswith(name) or short.startswith('f' + name)


def launches(block):
    """(row, kernel) of the block's lines in the seed, in order."""
    if block == 'overlap':
        first, second = layered.COMBINED[3]
        return [(layered.COMBINED, first),
                *((r, r[3][0]) for r in layered.SHARED),
                (layered.COMBINED, second)]
    out = [(r, k) for r in ROWS[block] for k in r[3]]
    return out[:-1] if block == 'moe' else out


def seed_rows(seed, block):
    """The seed's lines of a block by row of layered.py: [(row, its lines)]."""
    out = []
    pairs = list(zip(launches(block), seed.blocks[block], strict=True))
    for (row, kernel), line in pairs:
        assert not line[1] or same_name(line[1], kernel), (line, kernel)
        if not out or out[-1][0] is not row:
            out.append((row, []))
        out[-1][1].append(line)
    return out


def times_of(seed, side):
    """Nanoseconds by key of layered.py; None if the seed has no time."""
    times = dict(layered.TIMES)
    for block in BLOCKS.values():
        for row, lines in seed_rows(seed, block):
            if block == 'overlap' and row is layered.COMBINED:
                continue
            cells = [x[2][side] for x in lines if x[2][side] is not None]
            assert len(cells) < 2, f'{row[0]} has two times'
            times[row[0]] = int(cells[0] * 1000) if cells else None
    return times


def cells_of(times, row, at):
    """What each column shows for a row's kernel number `at`."""
    return ['' if t[row[0]] is None or at != row[4] else
            microseconds(t[row[0]]) for t in times]


def lines_of(seed, block, times):
    """Our lines of a block: [(module or None, kernel, cells)], then the sum."""
    out, sums = [], [0] * len(times)
    rows = ([layered.COMBINED, *layered.SHARED] if block == 'overlap'
            else ROWS[block])
    for row in rows:
        if all(t[row[0]] is None for t in times):
            continue
        for at, kernel in enumerate(row[3]):
            cells = cells_of(times, row, at)
            parallel = block == 'overlap' and row is layered.COMBINED
            out.append((row[1], kernel, [''] * len(times) if parallel else cells))
        if not parallel:
            sums = [s + (t[row[0]] or 0) for s, t in zip(sums, times)]
    if block == 'overlap' and out:
        out.append(out.pop(1))
    if out:
        out.append(('sum', None, [microseconds(s) if s else '' for s in sums]))
    return out


def wanted(seed, sides):
    """The layer's lines as the seed has them, for some of its columns."""
    times = [times_of(seed, s) for s in sides]
    out = []
    for block in BLOCKS.values():
        if block == 'overlap' and all(t['combine'] is None for t in times):
            continue
        lines = lines_of(seed, block, times)
        sums = [seed.sums.get(block, [None] * SIDES)[s] for s in sides]
        for is_, has in zip(lines[-1][2] if lines else [], sums):
            assert has is None or decimal.Decimal(is_) == has, (block, is_, has)
        name = 'moe/shared overlap' if block == 'overlap' else block
        out += [(name, *line) for line in lines]
    return out


def table(md):
    """Lines of a Markdown table, without head and rule: lists of cells."""
    lines = [re.split(r'(?<!\\)\|', x.strip())[1:-1]
             for x in md.splitlines() if x.startswith('|')]
    return [[c.strip() for c in x] for x in lines[2:]]


def section(lines, name):
    """The lines below one whose first cell begins so, to the next of its kind:
    one without module and kernel."""
    begin = [i for i, x in enumerate(lines) if x[0].startswith(name)]
    if len(begin) != 1:
        return None
    for end in range(begin[0] + 1, len(lines)):
        if not lines[end][1] and not lines[end][2]:
            break
    else:
        end = len(lines)
    return lines[begin[0] + 1:end]


def differences(got, want):
    if got is None:
        yield 'there are no 58 layers of their own'
        return
    for i in range(max(len(got), len(want))):
        g = got[i] if i < len(got) else None
        w = want[i] if i < len(want) else None
        if not g or not w:
            yield f'line {i + 1}: {g} in place of {w}'
            continue
        block, module, kernel, cells = w
        same = (g[0] == block and g[3:] == cells and
                (module is None or g[1] == module) and
                (same_name(g[2], kernel) if kernel else not g[2]))
        if not same:
            yield f'line {i + 1}: {g} in place of {w}'


def totals(lines, seed):
    """End to end and 61 layers, of the first column."""
    for what, key in (('end to end', '端到端'), ('61 layers', '61层执行耗时')):
        got = [x for x in lines if x[0] == what]
        want = f'{seed.totals[key].normalize()} ms'
        if len(got) != 1 or got[0][3] != want:
            yield f'{what} is {got}, not {want}'


def trace_of(seed, side):
    first = side == 0
    ms = {k: int(v * 1000000) for k, v in seed.totals.items()}
    trace = gen_layers.trace(
        times_of(seed, side), again=not first,
        layers=ms['61层执行耗时'] if first else None,
        end=ms['端到端'] if first else None)
    return gzip.compress(gen_layers.text(trace).encode(), 6, mtime=0)


def uploaded(server, seed, side):
    upload = server.ended(server.upload(f'name=column{side + 1}.json.gz',
                                        trace_of(seed, side)))
    assert upload['state'] == 'done', upload['error']
    (run,) = upload['runs']
    return run


def check(server, seed, path, sides):
    """A table's layer with experts, and how long all lasts, for some columns."""
    lines, want = table(markdown(server, path)), wanted(seed, sides)
    wrong = list(differences(section(lines, '58 layers'), want))
    if 0 in sides:
        wrong += totals(lines, seed)
    print(f'{len(want)} lines of {path}: {len(wrong)} differences')
    for w in wrong[:20]:
        print(f'      {w}')
    return len(wrong)


def markdown(server, path):
    status, _, body = server.ask('GET', f'{path}format=md')
    assert status == 200, body
    return body.decode()


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else SEED
    if not os.path.exists(path):
        print(f'skipped: no seed at {path}')
        return 77
    running.skip_without_postgres()
    seed = Seed(path)
    with running.Server(['--workers', '1']) as server:
        runs = [uploaded(server, seed, side) for side in range(SIDES)]
        bad = sum(check(server, seed, f'/runs/{run}/breakdown?', [side])
                  for side, run in enumerate(runs))
        both = ','.join(map(str, runs))
        bad += check(server, seed, f'/breakdown?runs={both}&', [0, 1])
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
