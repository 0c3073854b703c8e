#!/usr/bin/python3
"""seed_layers.py - compares breakdowns with a handmade layer-by-layer table.

seed_layers.py [SEED]

Reads the table of seed 003: layer, module, kernel, microseconds on two machines,
sums, an overlap block, the end-to-end time, the time of 61 layers. Makes a trace of
each column (tests/gen/layered.py): 3 dense layers and 58 layers with experts; the
second column also has multi-token prediction. Uploads both to its own server. The
layer with experts must have the same rows, times, blanks, order and sums as the seed,
with the overlap block and the two totals, in the breakdown of each run and in the
breakdown comparison. Skipped if the seed is not next to the checkout.

The seed is not always explicit. The script reads it as follows:

* Cells move to the left if the module or the kernel is empty. `combine | 394` is the
  module combine, whose kernel is in the overlap block. Other single names are kernels.
* The second column has a time for six kernels only. That variant does not launch the
  other kernels, so their cells are blank.
* A row that is blank in both columns belongs to the same call on the CPU as a row next
  to it, which has the time of both. That row is of the same module, or else the next
  one (distribution_elementwise before topk). The breakdown, too, has the total once,
  in the row with the longest time.
* `combine | 394` are the first and the last launch of the overlap block. They are one
  call on the communication stream. The shared expert runs in parallel with the end of
  the first launch and the start of the second. The breakdown has a row per launch, so
  this line has two rows in the moe block: a blank and the total.
* The seed has no sum for the moe block, and no sums in the second column. There, the
  sum must be that of the column. For the overlap block, the sum must be that of the
  rows of the shared expert, because only these have a time there.
* The seed cuts off names. A name in the breakdown must begin with the last part of the
  name in the seed. `mhaSm100fKernel_Qkv` lost its first letter, an f.
* The seed lists rmsnorm_split_col_kernel and the norm of the gate in the module
  self.input_layernorm, like the first norm, and the trace does the same. Their roles
  are the norm of latent vectors and the norm after attention, which is in the gate.
* The end-to-end time and the time of 61 layers are those of the first column. The seed
  has no launches outside of these layers, and only attention of the dense layers; the
  trace invents the others. The second column has 62 layers, with the one that predicts
  one more token; the breakdown comparison has a separate line for it.
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
    """Formats a time as kernsift's tables print it."""
    text = f'{decimal.Decimal(ns) / 1000:.3f}'
    return text.rstrip('0').rstrip('.')


class Seed:
    """The table of the seed: lines by block as (module, kernel, cells), the sums, and
    the totals of the first column."""

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
    """Returns (row, kernel) for each line of a block in the seed, in order."""
    if block == 'overlap':
        first, second = layered.COMBINED[3]
        return [(layered.COMBINED, first),
                *((r, r[3][0]) for r in layered.SHARED),
                (layered.COMBINED, second)]
    out = [(r, k) for r in ROWS[block] for k in r[3]]
    return out[:-1] if block == 'moe' else out


def seed_rows(seed, block):
    """Groups the lines of a block by the rows of layered.py: [(row, its lines)]."""
    out = []
    pairs = list(zip(launches(block), seed.blocks[block], strict=True))
    for (row, kernel), line in pairs:
        assert not line[1] or same_name(line[1], kernel), (line, kernel)
        if not out or out[-1][0] is not row:
            out.append((row, []))
        out[-1][1].append(line)
    return out


def times_of(seed, side):
    """Returns nanoseconds by key of layered.py; None if the seed has no time."""
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
    """Returns the cell of each column for kernel number `at` of a row."""
    return ['' if t[row[0]] is None or at != row[4] else
            microseconds(t[row[0]]) for t in times]


def lines_of(seed, block, times):
    """Returns the expected lines of a block, [(module or None, kernel, cells)], and its
    sum."""
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
    """Returns the expected lines of the layer for some columns of the seed."""
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
    """Returns the lines of a Markdown table as lists of cells, without the heading."""
    lines = [re.split(r'(?<!\\)\|', x.strip())[1:-1]
             for x in md.splitlines() if x.startswith('|')]
    return [[c.strip() for c in x] for x in lines[2:]]


def section(lines, name):
    """Returns the lines of a section: those after the line that begins with `name`, up to
    the next line without a module and a kernel."""
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
        yield 'there is no section of 58 layers'
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
    """Compares the totals of the first column."""
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
    """Compares the layer with experts, and the totals, for some columns."""
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
