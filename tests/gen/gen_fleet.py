#!/usr/bin/python3
"""gen_fleet.py - generates the traces of a fleet, for which ./dev demo shows
importance.

    gen_fleet.py [--runs 1303] [--seed 1] FOLDER

Writes Kineto traces (.json.gz) of serving, training and diffusion on several parts,
with a few processes in each file. FOLDER/list has one line per group of files that are
sent together: `project workload engine part file...`, separated by tabs. The duration
of a launch is its minimum on this part divided by an efficiency, drawn around a typical
one. Shapes, names and batches differ from run to run. The same options give the same
bytes.
"""
import argparse
import gzip
import json
import os
import random

import fleet_work as work

H20, H100, A100, L40S, MI300 = work.PARTS
# (project, kind of work, model, engine, parts, share of the runs)
GROUPS = [
    *(('chat', what, model, 'vllm', part, 3)
      for what in ('prefill', 'decode', 'mixed')
      for model, part in (('qwen3-30b-a3b', H20), ('qwen3-8b', H100),
                          ('llama-3.1-70b', H100), ('llama-3.1-8b', A100))),
    *(('chat', what, model, 'sglang', part, 2)
      for what in ('prefill', 'decode', 'mixed')
      for model, part in (('deepseek-v2-lite', H20), ('qwen3-8b', MI300),
                          ('mixtral-8x7b', MI300), ('gemma-2-9b', L40S))),
    *(('search', what, model, 'vllm', part, 1)
      for what in ('prefill', 'decode', 'mixed')
      for model, part in (('qwen3-8b', H20), ('llama-3.1-8b', L40S),
                          ('qwen2.5-vl-7b', H100))),
    *(('research', 'training', model, 'pytorch', part, 1)
      for model, part in (('llama-3.1-8b', H100), ('llama-3.1-8b', MI300),
                          ('qwen3-8b', A100), ('gemma-2-9b', A100),
                          ('mixtral-8x7b', H100))),
    *(('images', 'diffusion', model, 'diffusers', part, 1)
      for model, part in (('sdxl', A100), ('sdxl', L40S), ('sd3', H100),
                          ('sd3', MI300))),
    *(('ranking', 'embedding', model, 'pytorch', part, 1)
      for model, part in (('two-tower', A100), ('dlrm', L40S), ('dlrm', H20))),
]
PIDS = 4200


def serving(part, group, dice):
    """Yields (annotation, launches) of an engine's steps."""
    _, what, model, engine, _, _ = group
    hidden, heads, kv, dim, wide, count, top, vocab = work.MODELS[model]
    ways = 4 if '70b' in model else 1  # tensor parallel
    heads, kv, wide = heads // ways, max(kv // ways, 1), wide // ways
    for _ in range(2):
        fresh = 0 if what == 'decode' else dice.randrange(1, 5)
        prompts = [dice.choice((512, 1024, 2048)) for _ in range(fresh)]
        going = 0 if what == 'prefill' else dice.choice((16, 32, 64, 128))
        context = going * dice.randrange(900, 6000)
        tokens = sum(prompts) + going
        pairs = sum(n * n // 2 for n in prompts) + context
        square = sum(n * n for n in prompts)
        note = (f'execute_{tokens}_context_{fresh}(sq{sum(prompts)}sk{sum(prompts)}'
                f'sqsq{square}sqsk{square})_generation_{going}(sq{going}sk{context}'
                f'sqsq{going}sqsk{context})')

        def linear(n, k, rows=tokens):
            if engine == 'sglang' and n % 128 == 0:
                yield work.quant(part, rows, k)
                yield work.gemm_fp8(part, rows, n, k)
            else:
                yield work.gemm(part, rows, n, k)

        launches = []
        for layer in range(2):
            launches.append(work.add_rms_norm(part, tokens, hidden) if layer else
                            work.rms_norm(part, tokens, hidden))
            launches += linear((heads + 2 * kv) * dim, hidden)
            launches.append(work.rope(part, tokens, heads, kv, dim))
            launches.append(work.cache(part, tokens, kv, dim))
            launches.append(work.serve_attention(
                part, tokens, heads, kv, dim, pairs, context + sum(prompts)))
            launches += linear(hidden, heads * dim)
            if ways > 1:
                launches.append(work.collective(part, 'c10d::allreduce_',
                                                'AllReduce', tokens * hidden))
            launches.append(work.add_rms_norm(part, tokens, hidden))
            if count:
                launches += work.experts(part, tokens, hidden, wide, count, top)
            else:
                launches += linear(2 * wide, hidden)
                launches.append(work.silu_and_mul(part, tokens, wide))
                launches += linear(hidden, wide)
        last = fresh + going
        launches.append(work.rms_norm(part, last, hidden))
        launches.append(work.gemm(part, last, vocab // 8 * 8 // ways, hidden))
        yield note, launches


def training(part, group, dice):
    hidden, heads, _, dim, wide, _, _, _ = work.MODELS[group[2]]
    batch, length = dice.choice((1, 2)), dice.choice((2048, 4096))
    tokens = batch * length
    for step in range(2):
        launches = []
        for n, k in ((3 * heads * dim, hidden), (hidden, heads * dim),
                     (2 * wide, hidden), (hidden, wide)):
            launches += [work.gemm(part, tokens, n, k),
                         work.gemm(part, tokens, k, n),
                         work.gemm(part, n, k, tokens)]
        launches.append(work.flash(part, batch, length, heads, dim))
        launches.append(work.flash(part, batch, length, heads, dim, True))
        for op, functor in (('aten::add', 'CUDAFunctor_add<c10::BFloat16>'),
                            ('aten::mul', 'BinaryFunctor<c10::BFloat16, c10::BFloat16,'
                             ' c10::BFloat16, at::native::binary_internal::MulFunctor'
                             '<float> >')):
            launches.append(work.elementwise(part, op, functor, [tokens, hidden], 3))
        launches.append(work.collective(part, 'c10d::_reduce_scatter_base_',
                                        'ReduceScatter', hidden * wide))
        launches.append(work.collective(part, 'c10d::_allgather_base_', 'AllGather',
                                        hidden * wide))
        yield f'ProfilerStep#{step + 7}', launches


def diffusion(part, group, dice):
    batch, side = dice.choice((2, 4)), dice.choice((64, 96, 128))
    for step in range(2):
        launches = []
        for channels, scale in ((320, 1), (640, 2), (1280, 4)):
            at = side // scale
            launches.append(work.conv(part, batch, channels, channels, at))
            launches.append(work.elementwise(part, 'aten::silu',
                                             'silu_kernel(at::TensorIteratorBase&)',
                                             [batch, channels, at, at], 2))
            launches.append(work.flash(part, batch, at * at, channels // 64, 64))
            launches.append(work.gemm(part, batch * at * at, channels, channels,
                                      'aten::addmm'))
        yield f'ProfilerStep#{step}', launches


def embedding(part, group, dice):
    rows, width = dice.choice((8192, 16384)), 128
    name = ('void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, '
            'int, long, long, long, long, bool)')
    for step in range(2):
        launches = [('aten::embedding', [[1000000, width], [rows], [], [], []],
                     [work.BF16, work.I64, 'Scalar', '', ''], name, 0,
                     4 * rows * width, 0.25)]
        for n, k in ((1024, 512), (512, 1024), (256, 512)):
            launches.append(work.gemm(part, rows, n, k, 'aten::addmm'))
            launches.append(work.elementwise(part, 'aten::relu',
                                             'launch_clamp_scalar', [rows, n], 2))
        yield f'ProfilerStep#{step}', launches


STEPS = {'prefill': serving, 'decode': serving, 'mixed': serving,
         'training': training, 'diffusion': diffusion, 'embedding': embedding}


def took(part, launch, dice):
    """Returns nanoseconds: the device's bound divided by an efficiency, plus the
    overhead of a launch."""
    bf16, fp8, rate = work.PARTS[part][:3]
    _, _, types, _, flops, size, reach = launch
    peak = fp8 if work.FP8 in types else bf16
    bound = max(flops / peak, size / rate) * 1e9
    reach = min(max(dice.gauss(reach, 0.07), 0.04), 0.85)
    return int(bound / reach + dice.uniform(1800, 3200))


class Process:
    """One process of a file. If the file has several processes, each has a rank."""

    def __init__(self, number, several, part):
        self.pid, self.gpu = PIDS, 0
        self.rank = ''
        self.api = 'hip' if part.startswith('AMD') else 'cuda'
        if several:
            self.pid += number * 100000000
            self.gpu += number * 100000000
            self.rank = f', "rank": {number}'
        self.cpu, self.free = 1000000 + number * 777, 0
        self.id, self.calls = 1, 0
        self.lines = [
            f'{{"name": "process_name", "ph": "M", "ts": 0, "pid": {pid}, "tid": 0, '
            f'"args": {{"name": "{name}"}}}}'
            for pid, name in ((self.pid, 'python3'), (self.gpu, 'python3'))]

    def event(self, cat, name, pid, tid, ts, dur, args):
        self.lines.append(
            f'{{"ph": "X", "cat": "{cat}", "name": {json.dumps(name)}, "pid": {pid}, '
            f'"tid": {tid}, "ts": {ts // 1000}.{ts % 1000:03d}, "dur": {dur // 1000}.'
            f'{dur % 1000:03d}, "args": {{{args}{self.rank}}}}}')

    def launch(self, launch, dur):
        """Adds the kernels of a launch, one after the other, and their host operator if
        there is one."""
        op, dims, types, kernels, *_ = launch
        if isinstance(kernels, str):
            kernels = (kernels,)
        self.id += 1
        id_, pid, dur = self.id, self.pid, dur // len(kernels)
        if op:
            self.event('cpu_op', op, pid, pid, self.cpu, 9000 * len(kernels),
                       f'"External id": {id_}, "Input Dims": {json.dumps(dims)}, '
                       f'"Input type": {json.dumps(types)}')
        for kernel in kernels:
            self.calls += 1
            both = f'"External id": {id_}, "correlation": {self.calls}'
            self.event('cuda_runtime', self.api + 'LaunchKernel', pid, pid,
                       self.cpu + 2000, 5000, both)
            begin = max(self.free, self.cpu + 8500)
            self.event('kernel', kernel, self.gpu, 7, begin, dur,
                       f'{both}, "device": 0, "stream": 7, "grid": '
                       f'[{dur % 997 + 1}, 1, 1], "block": [256, 1, 1]')
            self.free, self.cpu = begin + dur, self.cpu + 9000
        self.cpu += 1000

    def step(self, note, launches, part, dice):
        start = self.cpu = max(self.cpu, self.free) + 3000
        for launch in launches:
            self.launch(launch, took(part, launch, dice))
        self.event('user_annotation', note, self.pid, self.pid, start - 1000,
                   self.cpu - start + 1000, f'"External id": {self.id}')


def process(number, several, group, dice):
    part = group[4]
    p = Process(number, several, part)
    for note, launches in STEPS[group[1]](part, group, dice):
        launches = list(launches)
        if dice.random() < 0.12:  # an operator that no rule of the catalog knows
            launches.insert(2, (None, [], [], dice.choice(work.UNKNOWN),
                                dice.randrange(1, 9) * 10 ** 9, 4 << 20, 0.3))
        p.step(note, launches, part, dice)
    return p.lines


def write(path, group, several, dice):
    part = group[4]
    _, _, _, sms, memory, major, minor = work.PARTS[part]
    head = {'schemaVersion': 1, 'deviceProperties': [{
        'id': 0, 'name': part, 'totalGlobalMem': memory, 'computeMajor': major,
        'computeMinor': minor, 'numSms': sms}],
        'displayTimeUnit': 'ms', 'baseTimeNanoseconds': 1751410836000000000}
    lines = []
    for n in range(several):
        lines += process(n, several > 1, group, dice)
    text = json.dumps(head)[:-1] + ', "traceEvents": [\n' + ',\n'.join(lines) + '\n]}\n'
    with open(path, 'wb') as raw, gzip.GzipFile('', 'wb', 1, raw, mtime=0) as f:
        f.write(text.encode())


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    p.add_argument('--runs', type=int, default=1303)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('folder')
    o = p.parse_args()
    dice = random.Random(o.seed)
    shares = sum(g[5] for g in GROUPS)
    left, lines = o.runs, []
    for at, group in enumerate(GROUPS):
        runs = left if at + 1 == len(GROUPS) else min(
            left, max(1, round(o.runs * group[5] / shares)))
        left -= runs
        files = []
        while runs > 0:
            several = min(runs, 8)
            files.append(f'{group[0]}-{at}-{len(files)}.json.gz')
            write(os.path.join(o.folder, files[-1]), group, several, dice)
            runs -= several
        if files:
            lines.append('\t'.join([group[0], f'{group[3]}-{group[2]}-{group[1]}', group[3],
                                    group[4], *files]))
    with open(os.path.join(o.folder, 'list'), 'w') as f:
        f.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
