"""kineto.py - writes the simulation's work as events of Kineto's dialects.

There is one writer per trace. An event is one line of JSON; lines() returns the lines
collected so far. The dialects are:

  cuda  the current one
  2020  categories Kernel, Operator and Runtime; times in whole microseconds;
        "external id" only repeats the correlation
  rocm  hip calls, no context; one kernel has no grid and no block

With `fused`, each rank adds an offset to its pids and every event has its rank, as
tools that merge traces write it.
"""
import json

import model_work as work

CATEGORIES = {
    'kernel': 'Kernel', 'cpu_op': 'Operator', 'cuda_runtime': 'Runtime',
    'gpu_memcpy': 'Memcpy', 'gpu_memset': 'Memset',
}
RANK_OFFSET = 100000000
PID, FIRST_US = 4242, 1419116000000
NO_GRID = 'rope'  # in the ROCm dialect


class Writer:
    def __init__(self, dialect, fused, stacks, host):
        self.dialect, self.fused, self.stacks = dialect, fused, stacks
        self.host = host  # also CPU operators and calls
        self.fresh = {}  # key -> name
        self.quoted = {}
        self.shapes = {}  # (grid, block) or None -> id
        self.events = 0
        self.out = []

    # also used by the expectation
    def pid(self, rank):
        return PID + (rank.number * RANK_OFFSET if self.fused else 0)

    def rank_of(self, rank):
        return rank.number if self.fused else None

    def trace_name(self, key):
        if key in self.fresh:
            return self.fresh[key]
        if self.dialect == 'rocm' and key in work.ROCM_NAMES:
            return work.ROCM_NAMES[key]
        return work.KERNELS[key][0]

    def shown_name(self, key):
        if key in work.KERNELS and work.KERNELS[key][1]:
            return work.KERNELS[key][1]
        return self.trace_name(key)

    def grid(self, key, shape):
        if key in self.fresh:
            return (1, 1, 1), (32, 1, 1)
        if self.dialect == 'rocm' and key == NO_GRID:
            return None
        return work.KERNELS[key][2][shape]

    def launch_id(self, key, shape):
        return self.shapes.setdefault(self.grid(key, shape), len(self.shapes))

    def launch_shape(self, id_):
        grid = [g for g, i in self.shapes.items() if i == id_][0]
        return {'grid': grid and list(grid[0]), 'block': grid and list(grid[1])}

    # texts
    def quote(self, text):
        if text not in self.quoted:
            self.quoted[text] = json.dumps(text, ensure_ascii=False)
        return self.quoted[text]

    def us(self, ns):
        if self.dialect == '2020':
            return str(ns // 1000)
        return f'{ns // 1000}.{ns % 1000:03d}'

    def event(self, cat, name, pid, tid, ts, dur, args):
        if self.dialect == '2020':
            cat = CATEGORIES.get(cat, cat)
        self.events += 1
        ts = ts + FIRST_US * 1000
        self.out.append(
            f'{{"ph": "X", "cat": "{cat}", "name": {name}, "pid": {pid}, '
            f'"tid": {tid}, "ts": {self.us(ts)}, "dur": {self.us(dur)}, '
            f'"args": {{{args}}}}}')

    def flow(self, ph, id_, pid, tid, ts):
        ts = ts + FIRST_US * 1000
        end = ', "bp": "e"' if ph == 'f' else ''
        self.out.append(
            f'{{"ph": "{ph}", "id": {id_}, "pid": {pid}, "tid": {tid}, '
            f'"ts": {self.us(ts)}, "cat": "ac2g", "name": "ac2g"{end}}}')

    def tail(self, rank):
        return f', "rank": {rank.number}' if self.fused else ''

    def on_gpu(self, rank, device):
        return device + (rank.number * RANK_OFFSET if self.fused else 0)

    def external(self, rank):
        if self.dialect == '2020':
            return f'"external id": {rank.correlation}'
        return f'"External id": {rank.external}'

    def stream(self, stream):
        return f'"stream {stream}"' if self.dialect == '2020' else str(stream)

    # called by the simulation
    def kernel(self, rank, key, shape, ts, dur, device, stream):
        args = (f'{self.external(rank)}, "device": {device}, '
                f'"stream": {stream}, "correlation": {rank.correlation}')
        if self.dialect == 'rocm':
            args += ', "kind": "Dispatch Kernel"'
        else:
            regs, shared = (work.KERNELS[key][4:] if key in work.KERNELS
                            else (16, 0))
            args += (f', "queued": 0, "context": 1, "registers per thread": '
                     f'{regs}, "shared memory": {shared}')
        grid = self.grid(key, shape)
        if grid:
            args += (f', "grid": {list(grid[0])}, "block": {list(grid[1])}')
        pid = self.on_gpu(rank, device)
        self.event('kernel', self.quote(self.trace_name(key)), pid,
                   self.stream(stream), ts, dur, args + self.tail(rank))
        if self.host:
            self.flow('f', rank.correlation, pid, self.stream(stream), ts)

    def copy(self, rank, key, ts, dur, device, stream):
        name = work.COPIES[key][1 if self.dialect == 'rocm' else 0]
        args = (f'{self.external(rank)}, "device": {device}, '
                f'"stream": {stream}, "correlation": {rank.correlation}, '
                f'"bytes": {work.COPIES[key][3]}')
        cat = 'gpu_memset' if key == 'set' else 'gpu_memcpy'
        self.event(cat, self.quote(name), self.on_gpu(rank, device),
                   self.stream(stream), ts, dur, args + self.tail(rank))

    def call(self, rank, key, ts, dur):
        if not self.host:
            return
        api = 'hip' if self.dialect == 'rocm' else 'cuda'
        what = {'set': 'MemsetAsync'}.get(
            key, 'MemcpyAsync' if key in work.COPIES else 'LaunchKernel')
        id_ = 'cid' if api == 'hip' else 'cbid'
        pid = self.pid(rank)
        self.event('cuda_runtime', f'"{api}{what}"', pid, pid, ts, dur,
                   f'{self.external(rank)}, "{id_}": 211, "correlation": '
                   f'{rank.correlation}' + self.tail(rank))
        self.flow('s', rank.correlation, pid, pid, ts)

    def op(self, rank, op, ts, dur):
        if not self.host:
            return
        if op[0].startswith('Optimizer.'):
            return self.annotation(rank, op[0], ts, dur)
        dims = 'Input dims' if self.dialect == '2020' else 'Input Dims'
        key = 'External id'
        pid = self.pid(rank)
        self.event('cpu_op', self.quote(op[0]), pid, pid, ts, dur,
                   f'"{key}": {rank.external}, "{dims}": {op[1]}, '
                   f'"Input type": {op[2]}, "Ev Idx": {rank.external}'
                   + self.tail(rank))

    def annotation(self, rank, name, ts, dur):
        pid = self.pid(rank)
        self.event('user_annotation', self.quote(name), pid, pid, ts, dur,
                   f'"External id": {rank.external}' + self.tail(rank))

    def step(self, rank, number, ts, dur):
        if self.host:
            self.annotation(rank, f'ProfilerStep#{number}', ts, dur)

    def module(self, rank, layer, ts, dur):
        if not self.host or not self.stacks:
            return
        pid = self.pid(rank)
        parent = rank.python + 1
        names = (f'nn.Module: Block_{layer}', 'model.py(41): forward',
                 'torch/nn/functional.py(2546): layer_norm')
        for depth, name in enumerate(names):
            rank.python += 1
            up = 'null' if depth == 0 else parent + depth - 1
            self.event('python_function', self.quote(name), pid, pid,
                       ts + depth * rank.quantum,
                       max(dur - 2 * depth * rank.quantum, rank.quantum),
                       f'"Python parent id": {up}, "Python id": {rank.python},'
                       f' "Ev Idx": {rank.python}' + self.tail(rank))

    def names_of(self, rank):
        """Adds the M events that name processes."""
        cpu, gpu = 'python3', 'python3'
        if self.fused:
            cpu, gpu = (f'RANK {rank.number} - CPU', f'RANK {rank.number} - GPU')
        pids = [(self.pid(rank), cpu, 'CPU')]
        pids += [(self.on_gpu(rank, d), gpu, f'GPU {d}') for d in rank.devices]
        for pid, name, label in pids:
            for what, key, text in (('process_name', 'name', name),
                                    ('process_labels', 'labels', label)):
                self.out.append(
                    f'{{"name": "{what}", "ph": "M", "ts": {FIRST_US}, "pid": '
                    f'{pid}, "tid": 0, "args": {{"{key}": "{text}"}}}}')

    def lines(self):
        out, self.out = self.out, []
        return out
