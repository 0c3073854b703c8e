"""rollup_sums.py - compares sums over runs in the rollups with sums over the runs'
rows.

check() compares all sums in one state of the database.
"""
import collections
import fractions
import json
import math
import subprocess

GRAINS = (0, 1, 2, 4, 8, 16, 32, 64)
# The codes of rollup_code.h, in the order of that file.
KEY_W = ('total_ns', 'shape_known_ns', 'roofline_known_ns', 'sol_ps', 'compute_ns',
         'headroom_ns', 'above_bound_ns', 'flops', 'bytes')
KEY_SHARE, KEY_W_TOTAL = 8, 9
SHAPE_FLOPS, SHAPE_HEADROOM, SHAPE_BUCKET = 32, 120, 128
LIMIT = 1 << 110
# The words of dtype.def, in the order of that file.
DTYPES = ('fp64 fp32 tf32 bf16 fp16 fp8_e4m3 fp8_e5m2 fp4 int64 int32 int16 int8 '
          'uint8 int4 bool complex64 complex128').split()

# ---- reading

QUERIES = {
    'run': "SELECT run_id, project, workload, coalesce(platform, '') AS "
           "platform, coalesce(framework, '') AS framework, weight_uh, gpu_ns, "
           "(created_at AT TIME ZONE 'UTC')::date - date '1970-01-01' AS day "
           'FROM run WHERE gpu_ns IS NOT NULL AND counted',
    'operator': 'SELECT o.*, k.id AS key FROM run_operator o '
                'JOIN operator_key k ON k.operator IS NOT DISTINCT FROM '
                'o.operator AND k.dtype IS NOT DISTINCT FROM o.dtype '
                'AND k.phase IS NOT DISTINCT FROM o.phase '
                'ORDER BY run_id, rank',
    'shape': 'SELECT run_id, operator, coalesce(shape_id, 0) AS shape, '
             'launches, instances, total_ns, bucket, bucket_calls, buckets, '
             'flops, read_bytes, write_bytes, sol_ns, leg, headroom_ns FROM run_shape',
    'unattributed': 'SELECT u.* FROM run_unattributed u JOIN run USING (run_id) '
                    'WHERE counted',
    'delta': 'SELECT * FROM rollup_delta',
    'delta_kernel': 'SELECT * FROM rollup_delta_kernel',
    'cell': 'SELECT * FROM rollup_cell',
    'shapes': 'SELECT s.*, c.project, c.workload, c.platform, c.framework '
              'FROM rollup_shape s JOIN rollup_cell c '
              'USING (grain, first, cell)',
    'lone': 'SELECT 1 AS n FROM rollup_shape s LEFT JOIN rollup_cell c '
            'USING (grain, first, cell) WHERE c.cell IS NULL',
    'seen': 'SELECT * FROM rollup_seen',
    'kernel': 'SELECT * FROM rollup_kernel',
}


def psql(script):
    out = subprocess.run(['psql', '-XqAt', '-v', 'ON_ERROR_STOP=1'],
                         input=script, check=True, stdout=subprocess.PIPE,
                         text=True)
    return out.stdout.splitlines()


def read():
    """Reads all tables in one transaction, so that they agree."""
    script = ['BEGIN ISOLATION LEVEL REPEATABLE READ;']
    for name, query in QUERIES.items():
        script += [f'\\echo {name}',
                   f'SELECT row_to_json(t) FROM ({query}) t;']
    tables, rows = {}, None
    for line in psql('\n'.join(script)):
        if line.startswith('{'):
            rows.append(json.loads(line, parse_float=str))
        else:
            rows = tables.setdefault(line, [])
    return tables


def packed(text, n):
    """Reads a packed column of n numbers (sql/README.md)."""
    data = bytes.fromhex(text[2:])
    width, data = data[0], data[1:]
    if not width:
        return [int.from_bytes(data, 'big', signed=True)] * n
    assert len(data) == width * n
    return [int.from_bytes(data[i:i + width], 'big', signed=True)
            for i in range(0, len(data), width)]


class Bytes:
    def __init__(self, text):
        self.data, self.at = bytes.fromhex(text[2:]), 0

    def head(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def number(self):
        value = self.head()
        return value >> 1 if not value & 1 else -(value + 1 >> 1)

    def term(self, code):
        head = self.head()
        self.at += head % 32
        return code + head // 32, int.from_bytes(
            self.data[self.at - head % 32:self.at], 'little', signed=True)

    def ledger(self):
        """Returns {(id, code): sum}."""
        out, row = {}, 0
        for _ in range(self.number()):
            row += self.number()
            code = -1
            for _ in range(self.number()):
                code, n = self.term(code)
                out[row, code] = n
        return out


# ---- recomputation

def times(g, v):
    return g * v if g * v <= LIMIT else 0


def work(shapes):
    """Returns the operations and bytes of the calls whose T_SOL is known."""
    flops = moved = 0
    for s in shapes:
        if s['flops'] is None or s['sol_ns'] is None:
            continue
        flops += sum(s['instances'] * int(f.split('=')[1])
                     for f in s['flops'].split())
        moved += s['instances'] * (s['read_bytes'] + s['write_bytes'])
    return flops, moved


def of_operators(run, operators, shapes):
    """Returns the sums of a run's operators: {(key, code): sum}."""
    out, seen = collections.Counter(), set()
    g, gpu = run['weight_uh'], run['gpu_ns']
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = 1, g, gpu, times(g, gpu)
    for o in operators:
        key, name = o['key'], o['operator']
        for code, what in enumerate(((name,), (name, 'dtype', o['dtype']),
                                     (name, 'phase', o['phase']),
                                     (name, o['dtype'], o['phase'], o['rank']))):
            out[key, code] += what not in seen
            seen.add(what)
        o['flops'], o['bytes'] = work(shapes[run['run_id'], o['rank']])
        for code, what in enumerate(('launches', 'calls', 'roofline_known_calls',
                                     'total_ns'), 4):
            out[key, code] += o[what]
        if gpu:
            out[key, KEY_SHARE] += o['total_ns'] * 10**12 // gpu
        for code, what in enumerate(KEY_W, KEY_W_TOTAL):
            out[key, code] += times(g, o[what])
    return out


def picoseconds(ns):
    """Multiplies ns by 1,000 as a double, and rounds to the nearest whole number, half
    up."""
    return math.floor(fractions.Fraction(float(ns) * 1e3)
                      + fractions.Fraction(1, 2))


def of_shapes(run, shapes):
    """Returns the sums of the shapes of one operator row: {(shape, code): sum}."""
    out = collections.Counter()
    for s in shapes:
        row, calls = s['shape'], s['instances']
        out[row, 0] = 1
        out[row, 1] += s['launches']
        out[row, 2] += calls
        out[row, 3] += s['total_ns']
        out[row, 4] += times(run['weight_uh'], s['total_ns'])
        if s['flops'] is not None:
            out[row, 5] += calls
            out[row, 6] += calls * s['read_bytes']
            out[row, 7] += calls * s['write_bytes']
            for f in s['flops'].split():
                word, n = f.split('=')
                out[row, SHAPE_FLOPS + 1 + DTYPES.index(word)] += calls * int(n)
        if s['sol_ns'] is not None:
            out[row, 8] += calls
            out[row, 9] += calls * picoseconds(str(s['sol_ns']))
            out[row, 10] += calls * (s['leg'] == 'compute')
        if s['headroom_ns'] is not None:
            out[row, SHAPE_HEADROOM] += calls
            out[row, SHAPE_HEADROOM + 1] += times(run['weight_uh'], s['headroom_ns'])
        for b, n in zip(packed(s['bucket'], s['buckets']),
                        packed(s['bucket_calls'], s['buckets'])):
            out[row, SHAPE_BUCKET + b] += n
    return out


def cell(t):
    return t['project'], t['workload'], t['platform'], t['framework']


def places(t):
    for grain in GRAINS:
        day = t['day']
        yield (grain, day - day % grain if grain else 0, *cell(t))


def recomputed(tables):
    """Computes (cells, shapes, runs that had a shape, kernels) from the rows of the
    runs."""
    cells, lists, seen = (collections.Counter() for _ in range(3))
    operators, shapes = (collections.defaultdict(list) for _ in range(2))
    for o in tables['operator']:
        operators[o['run_id']].append(o)
    for s in tables['shape']:
        shapes[s['run_id'], s['operator']].append(s)
    for run in tables['run']:
        mine = operators[run['run_id']]
        add(cells, places(run), of_operators(run, mine, shapes))
        for o in mine:
            add(lists, [(o['key'], *p) for p in places(run)],
                of_shapes(run, shapes[run['run_id'], o['rank']]))
            seen.update((o['key'], shape) for shape in
                        {s['shape'] for s in shapes[run['run_id'], o['rank']]})
    kernels = collections.Counter()
    for u in tables['unattributed']:
        for code, n in enumerate((1, u['launches'], u['total_ns'])):
            kernels[u['kernel_id'], code] += n
    return cells, lists, sized(seen), kernels


def sized(seen):
    return {(key, shape): n for (key, shape), n in seen.items() if shape}


def add(to, where, sums):
    for place in where:
        for (row, code), n in sums.items():
            to[(*place, row, code)] += n


def stored(tables):
    """Returns what recomputed() returns, from the rollups and the deltas not folded
    yet."""
    cells, lists, seen = (collections.Counter() for _ in range(3))
    for c in tables['cell']:
        sums = Bytes(c['sums']).ledger()
        assert sums and all(sums.values()), 'a row of nothing'
        add(cells, [(c['grain'], c['first'], *cell(c))], sums)
    for s in tables['shapes']:
        add(lists, [(s['key_id'], s['grain'], s['first'], *cell(s))],
            Bytes(s['shapes']).ledger())
    for s in tables['seen']:
        runs = Bytes(s['seen']).ledger()
        assert runs and all(runs.values()), 'a row of nothing'
        see(seen, s['key_id'], runs)
    for d in tables['delta']:
        add(cells, places(d), Bytes(d['sums']).ledger())
        b = Bytes(d['shapes'])
        while b.at < len(b.data):
            key, _ = b.number(), b.number()
            sums = b.ledger()
            add(lists, [(key, *p) for p in places(d)], sums)
            see(seen, key, sums)
    kernels = collections.Counter()
    for k in tables['kernel'] + tables['delta_kernel']:
        for code, what in enumerate(('runs', 'launches', 'total_ns')):
            kernels[k['kernel_id'], code] += k[what]
    return cells, lists, sized(seen), kernels


def see(seen, key, sums):
    for (shape, code), n in sums.items():
        if code == 0:
            seen[key, shape] += n


def check():
    """Compares everything; returns the number of numbers and of deltas."""
    tables = read()
    assert not tables['lone'], 'shapes of a cell that is not there'
    n = 0
    for name, want, got in zip(('cells', 'shapes', 'seen', 'kernels'),
                               recomputed(tables), stored(tables)):
        want = {k: v for k, v in want.items() if v}
        got = {k: v for k, v in got.items() if v}
        for k in sorted(want.keys() | got.keys()):
            assert want.get(k, 0) == got.get(k, 0), \
                f'{name} {k}: {got.get(k, 0)}, recomputed {want.get(k, 0)}'
        n += len(want)
    return n, len(tables['delta'])
