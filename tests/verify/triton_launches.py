#!/usr/bin/python3
"""triton_launches.py - checks the bytes of Triton kernels, which kernsiftd computes from
the arguments of their launches.

triton_launches.py [--seed N]

Makes a trace of random kernels. Of each kernel the script knows what the trace does not
state: which tensors it reads and writes, and how many numbers of each. It passes the
tensors as TorchInductor does (changed in place, inputs, outputs), with the numbers of one
of three versions of PyTorch. `kernsiftd inspect` must show at most the bytes that the
kernel moves, and at least half of them. If the arguments decide the question, it must
show exactly these bytes.
"""
import argparse
import csv
import json
import os
import random
import sys
import tempfile

import commands

BYTES = {'c10::BFloat16': 2, 'float': 4, 'long int': 8, 'int': 4, 'bool': 1,
         'c10::Float8_e4m3fn': 1}
FLOATS = ['c10::BFloat16', 'float', 'c10::Half']
BYTES['c10::Half'] = 2


def product(dims):
    n = 1
    for d in dims:
        n *= d
    return n


class Kernel:
    """`numbers`: the points of the kernel, as xnumel, r0_numel and so on. `exact`: the
    arguments decide which bytes are moved."""

    def __init__(self, name, numbers, exact=True):
        self.name, self.numbers, self.exact = name, numbers, exact
        self.tensors = {'in_out': [], 'in': [], 'out': []}
        self.moved = 0

    def tensor(self, role, dims, dtype, used=None):
        """`used`: how many numbers are read, or written; all by default."""
        used = product(dims) if used is None else used
        self.tensors[role].append((dims, dtype))
        self.moved += used * BYTES[dtype] * (2 if role == 'in_out' else 1)
        return self

    def arguments(self, rng):
        """Input Dims, Input type, Concrete Inputs."""
        args = [t for role in self.tensors.values() for t in role]
        numbers = list(self.numbers)
        version = rng.randrange(3)
        if numbers and version > 0:
            numbers = [rng.choice((1, 17, 2049))] + numbers  # a size that changes
        if numbers and version > 1:
            numbers += [rng.choice((1, 2, 64)), rng.choice((128, 256))]  # block sizes
        return ([d for d, _ in args] + [[]] * len(numbers),
                [t for _, t in args] + ['Scalar'] * len(numbers),
                [''] * len(args) + [str(n) for n in numbers])


def pointwise(rng, rows):
    cols, dtype = rng.randint(257, 900), rng.choice(FLOATS)
    k = Kernel('triton_poi_fused_add_mul_relu_4', [rows * cols])
    for _ in range(rng.randint(1, 4)):
        k.tensor('in', rng.choice(([rows, cols], [cols], [1, rows, cols], [rows, 1])),
                 rng.choice(FLOATS))
    return k.tensor('out', [rows, cols], dtype)


def bias_in_place(rng, rows):
    cols, dtype = rng.randint(257, 900), rng.choice(FLOATS)
    k = Kernel('triton_poi_fused_addmm_gelu_view_17', [rows * cols])
    k.tensor('in_out', [1, rows, cols], dtype)
    if rng.random() < 0.5:
        k.tensor('in', [rows, cols], dtype)
    return k.tensor('in', [cols], dtype)


def sum_in_place(rng, rows):
    """With an output instead, the arguments were the same."""
    cols, dtype = rng.randint(257, 900), rng.choice(FLOATS)
    k = Kernel('triton_poi_fused_add_3', [rows * cols], exact=False)
    k.tensor('in_out', [rows, cols], dtype)
    return k.tensor('in', [rows, cols], dtype)


def products_in_place(rng, rows):
    cols, dtype = rng.randint(257, 900), rng.choice(FLOATS)
    k = Kernel('triton_poi_fused__unsafe_view_add_3', [4 * rows * cols])
    k.tensor('in_out', [4, rows, cols], dtype)
    k.tensor('in', [4, rows, cols], dtype)
    return k.tensor('in', [4 * rows, cols], dtype)


def copied_product(rng, rows):
    """Looks like products_in_place, but the tensor of two dimensions is an output."""
    cols, dtype = rng.randint(257, 900), rng.choice(FLOATS)
    k = Kernel('triton_poi_fused__unsafe_view_add_clone_5', [4 * rows * cols])
    k.tensor('in', [4, rows, cols], dtype)
    k.tensor('in', [4, rows, cols], dtype)
    return k.tensor('out', [4 * rows, cols], dtype)


def gate(rng, rows):
    cols, dtype = rng.randint(257, 900), rng.choice(FLOATS)
    word = rng.choice(('silu', 'gelu'))
    k = Kernel(f'triton_poi_fused_mul_{word}_2', [rows * cols])
    way = rng.randrange(3)
    if way == 0:
        return k.tensor('in', [rows, 2 * cols], dtype).tensor('out', [rows, cols], dtype)
    if way == 1:
        return k.tensor('in_out', [rows, cols], dtype).tensor('in', [rows, cols], dtype)
    k.tensor('in', [rows, cols], dtype).tensor('in', [rows, cols], dtype)
    return k.tensor('out', [rows, cols], dtype)


def gather(rng, rows):
    """The kernel reads one row of the table for each index."""
    cols, dtype = rng.randint(257, 900), rng.choice(FLOATS)
    numbers = rng.choice(([rows * cols], []))
    k = Kernel('triton_poi_fused_embedding_0', numbers)
    k.tensor('in', [rows], rng.choice(('int', 'long int')))
    k.tensor('in', [rng.randint(50000, 90000), cols], dtype, rows * cols)
    return k.tensor('out', [rows, cols], dtype)


def part(rng, rows):
    cols, dtype = rng.randint(257, 900), rng.choice(FLOATS)
    k = Kernel('triton_poi_fused_clone_slice_transpose_13', [rows * cols])
    k.tensor('in', [rng.randint(2, 9), rows, cols], dtype, rows * cols)
    return k.tensor('out', [rows, cols], dtype)


def into_part(rng, rows):
    """Writes one part of a larger tensor."""
    cols, dtype = rng.randint(257, 900), rng.choice(FLOATS)
    k = Kernel('triton_poi_fused_cat_2', [rows * cols])
    k.tensor('in', [rows, cols], dtype)
    return k.tensor('out', [rng.randint(2, 5) * rows, cols], dtype, rows * cols)


def scatter(rng, rows):
    """The gradient of each of 7 rows is added up from many."""
    cols, dtype = rng.randint(257, 900), rng.choice(FLOATS)
    k = Kernel('triton_poi_fused_embedding_dense_backward_1', [rows * cols])
    k.tensor('in', [rows], 'long int').tensor('in', [rows, cols], dtype)
    return k.tensor('out', [7, cols], 'float', min(rows, 7) * cols)


def flags(rng, rows):
    cols = rng.randint(257, 900)
    k = Kernel('triton_poi_fused_ge_lt_1', [rows, cols])
    k.tensor('in', [rows, cols], 'long int')
    return k.tensor('out', [rows, cols], 'bool')


def norm(rng, rows):
    cols, dtype = rng.randint(257, 900), rng.choice(FLOATS)
    name = rng.choice(('native_layer_norm_4', 'add_mean_mul_pow_rsqrt_0'))
    k = Kernel(f'triton_{rng.choice(("red", "per"))}_fused_{name}', [rows, cols])
    for _ in range(rng.randint(1, 3)):
        k.tensor('in', rng.choice(([rows, cols], [1, rows, cols])), dtype)
    for _ in range(rng.randint(0, 2)):
        k.tensor('in', [cols], rng.choice(FLOATS))
    return k.tensor('out', [rows, cols],
                    rng.choice((dtype, 'c10::Float8_e4m3fn')))


def norm_of_residual(rng, rows):
    """The residual is changed in place."""
    cols, dtype = rng.randint(257, 900), rng.choice(FLOATS)
    k = Kernel('triton_red_fused_add_mul_native_layer_norm_18', [rows, cols], False)
    k.tensor('in_out', [1, rows, cols], dtype).tensor('in', [rows, cols], dtype)
    return k.tensor('in', [cols], dtype).tensor('out', [rows, cols], dtype)


def sums(rng, rows):
    cols, dtype = rng.randint(257, 900), rng.choice(FLOATS)
    k = Kernel(f'triton_{rng.choice(("red", "per"))}_fused_sum_1', [rows, cols])
    return k.tensor('in', [rows, cols], dtype).tensor('out', [rows], 'float')


def partial_sums(rng, rows):
    """Each of three numbers multiplies the points."""
    dtype = rng.choice(FLOATS)
    k = Kernel('triton_red_fused_var_mean_4', [rows, 19, 128])
    k.tensor('in', [rows, 19 * 128], dtype)
    return k.tensor('out', [rows, 19], 'float')


FAMILIES = [pointwise, bias_in_place, sum_in_place, products_in_place, copied_product,
            gate, gather, part, into_part, scatter, flags, norm, norm_of_residual, sums,
            partial_sums]


def trace(kernels, rng):
    """The nth kernel takes n + 1 microseconds."""
    events = [{'ph': 'M', 'name': 'process_name', 'pid': 77, 'tid': 0,
               'args': {'name': 'python'}}]
    at = 1000
    for i, k in enumerate(kernels):
        dims, types, values = k.arguments(rng)
        events += [
            {'ph': 'X', 'cat': 'cpu_op', 'name': k.name, 'pid': 77, 'tid': 77, 'ts': at,
             'dur': 9, 'args': {'External id': i + 1, 'Input Dims': dims,
                                'Input type': types, 'Concrete Inputs': values,
                                'kernel_backend': 'triton'}},
            {'ph': 'X', 'cat': 'cuda_driver', 'name': 'cuLaunchKernel', 'pid': 77,
             'tid': 77, 'ts': at + 2, 'dur': 2,
             'args': {'External id': i + 1, 'correlation': i + 1}},
            {'ph': 'X', 'cat': 'kernel', 'name': k.name, 'pid': 0, 'tid': 7,
             'ts': at + 10, 'dur': i + 1,
             'args': {'External id': i + 1, 'device': 0, 'stream': 7,
                      'correlation': i + 1, 'grid': [8, 1, 1], 'block': [128, 1, 1]}}]
        at += i + 20
    return {'schemaVersion': 1, 'deviceProperties': [
        {'id': 0, 'name': 'NVIDIA H100 80GB HBM3', 'computeMajor': 9,
         'computeMinor': 0}], 'traceEvents': events}


def shown(path):
    """Returns {ns of the row: (bytes, shape)}."""
    code, output, error = commands.run('inspect', '--by', 'shapes', path)
    assert code == 0, error
    rows, columns = {}, None
    for line in csv.reader(output.splitlines()):
        if line[:1] == ['Total Time (ns)']:
            columns = line
        elif columns and len(line) == len(columns):
            row = dict(zip(columns, line))
            assert row['Read (bytes)'] and row['Write (bytes)'], row
            rows[int(row['Total Time (ns)'])] = (
                int(row['Read (bytes)']) + int(row['Write (bytes)']), row['Shape'])
    return rows


def main():
    args = argparse.ArgumentParser()
    args.add_argument('--seed', type=int, default=1)
    rng = random.Random(args.parse_args().seed)
    kernels, seen = [], set()
    while len(kernels) < 20 * len(FAMILIES):
        # decode steps have few rows
        rows = rng.choice((rng.randint(2, 16), rng.randint(300, 3000)))
        k = FAMILIES[len(kernels) % len(FAMILIES)](rng, rows)
        if k.moved not in seen:  # kernels of one shape share a row
            kernels.append(k)
        seen.add(k.moved)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'trace.json')
        with open(path, 'w') as f:
            json.dump(trace(kernels, rng), f)
        rows = shown(path)
    faults, exact = 0, 0
    for i, k in enumerate(kernels):
        got, shape = rows.get((i + 1) * 1000, (None, None))
        exact += k.exact
        if got is None or got > k.moved or 2 * got < k.moved or \
                (k.exact and got != k.moved):
            faults += 1
            print(f'{k.name} {k.numbers} {k.tensors}: moved {k.moved}, shown {got}: '
                  f'{shape}')
    print(f'{len(kernels)} kernels, {exact} whose bytes are decided, {faults} differ')
    return 1 if faults or len(rows) != len(kernels) else 0


if __name__ == '__main__':
    sys.exit(main())
