#!/usr/bin/python3
"""concrete_inputs.py - checks the sizes that Concrete Inputs give, and the work that
follows from them: attention, convolutions and index_select.

concrete_inputs.py [FOLDER or FILE]...

For every recorded Kineto trace: reads, from the JSON, the operators that launched
attention or a convolution directly, and computes from their Input Dims and Concrete
Inputs whether attention is causal, the output of the convolution and the number of
operations. The positions of arguments are a table of this script. `kernsiftd inspect`
must show the same sizes and operations and no others, with at least the time of these
kernels. Folders default to KERNSIFT_TRACES, else the shared traces next to the checkout.
Without traces the case is skipped.
"""
import ast
import csv
import re
import sys
from collections import defaultdict

import commands
import host_figures
import kernel_stats

# heads at dimension 2; the position of is_causal
ATTENTION = {'aten::_flash_attention_forward': 8, 'aiter::fmha_v3_fwd': 5,
             'aiter::mha_fwd': 5, 'flash_attn::_flash_attn_forward': 5}
# positions of stride, padding and dilation
CONVOLUTION = {'aten::cudnn_convolution': (3, 2, 4), 'aten::miopen_convolution': (4, 3, 5),
               'aten::_slow_conv2d_forward': (4, 5, None)}
# positions of padding, output padding, stride, dilation and groups
TRANSPOSED = {'aten::cudnn_convolution_transpose': (2, 3, 4, 5, 6)}
BACKWARD = {'aten::convolution_backward': 10}
# the position of the dimension that the indices replace
SELECT = {'aten::index_select': 1}


def attention(dims, values, at):
    """Returns the sizes and the number of operations."""
    (batch, queries, heads, dim), (_, keys, kv_heads, _), (_, _, _, v_dim) = dims[:3]
    causal = {'True': True, 'False': False}[values[at]]
    pairs = 0
    for i in range(queries):
        pairs += max(0, min(keys, keys - queries + i + 1)) if causal else keys
    return {'heads': heads, 'kv_heads': kv_heads, 'head_dim': dim, 'v_dim': v_dim,
            'q_lens': [queries] * batch, 'seq_lens': [keys] * batch,
            'causal': int(causal)}, 2 * batch * heads * (dim + v_dim) * pairs


def convolution(dims, values, at):
    """Returns the sizes and the number of operations. The output is counted: one number
    for each place where the kernel fits."""
    x, w = dims[:2]
    n = len(x) - 2
    stride, padding, dilation = (
        [1] * n if i is None else ast.literal_eval(values[i]) for i in at)
    out = [x[0], w[0]]
    for i in range(n):
        reach = dilation[i] * (w[2 + i] - 1) + 1
        starts = range(-padding[i], x[2 + i] + padding[i] - reach + 1, stride[i])
        out.append(len(starts))
    work = 2
    for v in out + w[1:]:
        work *= v
    return {'x': x, 'w': w, 'out': out}, work


def transposed(dims, values, at):
    """Returns the sizes and the number of operations. The output reaches from the first
    to the last number that a weight of the kernel adds to, without the border."""
    x, w = dims[:2]
    padding, extra, stride, dilation, groups = (ast.literal_eval(values[i]) for i in at)
    out = [x[0], w[1] * groups]
    for i in range(len(x) - 2):
        last = max(a * stride[i] + k * dilation[i]
                   for a in range(x[2 + i]) for k in range(w[2 + i]))
        out.append(last + 1 - 2 * padding[i] + extra[i])
    work = 2
    for v in x + w[1:]:
        work *= v
    return {'x': x, 'w': w, 'out': out, 'transposed': 1}, work


def backward(dims, values, at):
    """Returns the sizes and the number of operations of the wanted gradients."""
    out, x, w = dims[:3]
    grads = ast.literal_eval(values[at])[:2].count(True)
    assert values[7] == 'False', 'no trace transposed when this was written'
    work = 2 * grads
    for v in out + w[1:]:
        work *= v
    return {'x': x, 'w': w, 'out': out, 'grads': grads}, work


def select(dims, values, at):
    """Returns the sizes; no operations."""
    x, indices = dims[0], dims[2]
    if len(x) < 2:
        return None  # gather has the same sizes then, without Concrete Inputs
    out = list(x)
    out[int(values[at])] = 1
    for v in indices:
        out[int(values[at])] *= v
    return {'x': x, 'indices': indices, 'out': out}, None


def expected(name, args):
    dims, values = args.get('Input Dims'), args.get('Concrete Inputs')
    if not values:
        return None
    dims = [[int(v) for v in d] if not d or not isinstance(d[0], list) else d
            for d in dims]
    for table, count in ((ATTENTION, attention), (CONVOLUTION, convolution),
                         (TRANSPOSED, transposed), (BACKWARD, backward),
                         (SELECT, select)):
        if name in table and (count is not attention or len(dims[0]) == 4):
            return count(dims, values, table[name])
    return None


def key(sizes):
    return tuple(sorted((k, tuple(v) if isinstance(v, list) else v)
                        for k, v in sizes.items()))


def computed(path):
    """Returns {(name, start, thread) of a host operator: (sizes, operations)}."""
    rows = {}
    args = {}
    for e in host_figures.events(path):
        if 'args' in e and 'Concrete Inputs' in e['args'] and e.get('ph') == 'X':
            args[e['name'], str(e['args'].get('Input Dims')),
                 e.get('ts'), e.get('tid')] = e['args']
    for name, dims, ts, tid in args:
        want = expected(name, args[name, dims, ts, tid])
        if want:
            rows.setdefault((name, ts, tid), (key(want[0]), want[1]))
    return rows


def by_kernel(path, rows):
    """Returns {sizes: [operations, ns of kernels launched directly]}."""
    kernels, calls, ops, _ = host_figures.read(path)
    starts = {}
    for (name, ts, tid), want in rows.items():
        starts[name, host_figures.trace_figures.nanoseconds(ts), tid] = want
    total = defaultdict(lambda: [0, 0])
    for kernel, stack in host_figures.joined(kernels, calls, ops):
        inner = stack[-1] if stack else None
        want = inner and starts.get((inner['name'], inner['start'], inner['thread'][1]))
        if want:
            total[want[0]][0] = want[1]
            total[want[0]][1] += kernel['dur']
    return total


def sizes_of(shape):
    """Reads "x=[2,3*4] m=5"."""
    found = {}
    for name, text in re.findall(r'(\w+)=(\[[^\]]*\]|\d+)', shape):
        if text[0] != '[':
            found[name] = int(text)
            continue
        found[name] = []
        for part in filter(None, text[1:-1].split(',')):
            value, _, times = part.partition('*')
            found[name] += [int(value)] * int(times or 1)
    return found


def shown(path):
    """Returns {sizes: [operations, ns]} of attention and convolutions whose sizes
    Concrete Inputs gave."""
    _, output, _ = commands.run('inspect', '--by', 'shapes', path)
    total = defaultdict(lambda: [0, 0])
    columns = None
    for line in csv.reader(output.splitlines()):
        if line[:1] == ['Total Time (ns)']:
            columns = line
        elif columns and len(line) == len(columns):
            row = dict(zip(columns, line))
            sizes = sizes_of(row['Shape'])
            if row['Operator'] == 'attention_forward' and 'causal' in sizes:
                # the script's operators have no other sizes
                keep = sizes
            elif row['Operator'] == 'convolution' and 'out' in sizes:
                keep = {k: sizes[k] for k in ('x', 'w', 'out', 'transposed', 'grads')
                        if k in sizes}
            elif row['Operator'] == 'index' and 'out' in sizes and \
                    len(sizes.get('indices', [])) == 1 < len(sizes['x']):
                keep = sizes
            else:
                continue
            work = sum(int(f.split('=')[1]) for f in row['FLOP'].split()) \
                if row['FLOP'] else None
            total[key(keep)][0] = work
            total[key(keep)][1] += int(row['Total Time (ns)'])
    return total


def check(path):
    rows = computed(path)
    if not rows:
        return 0, 0
    want = by_kernel(path, rows)
    got = shown(path)
    faults = 0
    for k in sorted(set(want) | set(got), key=str):
        w, g = want.get(k), got.get(k)
        if not w or not g or g[0] != w[0] or g[1] < w[1]:
            faults += 1
            print(f'  {dict(k)}: computed {w}, shown {g}')
    if want or got:
        print(f'{path.rsplit("/", 1)[-1]}: {len(want)} shapes, '
              f'{sum(w[1] for w in want.values()) / 1e6:.3f} ms, {faults} differ')
    return len(want), faults


def main():
    files = list(kernel_stats.traces(sys.argv[1:] or [kernel_stats.FOLDER]))
    if not files:
        print('no recorded Kineto traces')
        return 77
    shapes = faults = 0
    for path in files:
        n, wrong = check(path)
        shapes += n
        faults += wrong
    print(f'{shapes} shapes from Concrete Inputs, {faults} differ')
    return 1 if faults or not shapes else 0


if __name__ == '__main__':
    sys.exit(main())
