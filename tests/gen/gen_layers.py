#!/usr/bin/python3
"""gen_layers.py - a trace of a decode step: dense layers, layers with experts.

gen_layers.py [--times FILE] [--again] [--passes N] [--end-ns N --layers-ns N] OUT

The experts' exchange is on a communication stream, parallel to the shared expert.
--again adds multi-token prediction, one more layer after the head. Modules are ranges
on the host: classes for layers, annotations for their parts. FILE is JSON with
nanoseconds by key of layered.py, null for a row that is not launched. The same options
give the same bytes.
"""
import argparse
import gzip
import json
import sys

import layered
import layered_time

PID, THREAD, BEGIN_NS = 4711, 4712, 1419116000000000
CALL_NS, RANGE_NS, HEAD_START_NS = 1200, 200, 150000


class Host:
    """Writes events of the host's thread and of the device, as Kineto writes them."""

    def __init__(self):
        self.events, self.now, self.ids, self.python = [], BEGIN_NS, 0, 0

    def event(self, cat, name, pid, tid, ts, dur, **args):
        self.events.append((ts, {
            'ph': 'X', 'cat': cat, 'name': name, 'pid': pid, 'tid': tid,
            'ts': us(ts), 'dur': us(dur), 'args': args}))

    def range(self, cat, name, ts, **args):
        self.event(cat, name, PID, THREAD, ts, self.now - ts, **args)

    def call(self, launches, base):
        """Adds one operator of the host, and its launches."""
        self.ids += 1
        external, begin = self.ids, self.now
        for launch in launches:
            self.now += RANGE_NS
            self.ids += 1
            start = base + launch.start
            assert self.now < start, 'a kernel before its call'
            self.event('cuda_runtime', 'cudaLaunchKernelExC', PID, THREAD,
                       self.now, CALL_NS, **{'External id': external,
                                             'cbid': 430,
                                             'correlation': self.ids})
            self.event('kernel', launch.kernel, 0, launch.stream, start,
                       launch.ns, **{
                           'External id': external, 'device': 0, 'context': 1,
                           'stream': launch.stream, 'correlation': self.ids,
                           'grid': [148, 1, 1], 'block': [256, 1, 1]})
            self.now += CALL_NS + RANGE_NS
        self.range('cpu_op', launches[0].row[2], begin,
                   **{'External id': external})
        self.now += RANGE_NS


def us(ns):
    return f'{ns // 1000}.{ns % 1000:03d}'


def runs_of(items, key):
    """Groups consecutive items that have equal keys."""
    out = []
    for x in items:
        if out and key(out[-1][-1]) == key(x):
            out[-1].append(x)
        else:
            out.append([x])
    return out


def module(host, name, body, parent=None):
    host.python += 1
    own, begin = host.python, host.now
    host.now += RANGE_NS
    body(own)
    host.now += RANGE_NS
    args = {'Python id': own, 'Python module id': 0}
    if parent:
        args['Python parent id'] = parent
    host.range('python_function', f'nn.Module: {name}', begin, **args)


def calls(host, launches, base):
    """Adds the launches, grouped by module and then by call."""
    for part in runs_of(launches, lambda x: x.row[1]):
        begin = host.now
        host.now += RANGE_NS
        for call in runs_of(part, lambda x: x.call):
            host.call(call, base)
        if part[0].row[1]:
            host.range('user_annotation', part[0].row[1], begin)


def one_pass(host, number, p, base):
    begin = host.now
    host.now += RANGE_NS
    for stack in runs_of(p.launches, lambda x: x.above):
        def model(own, stack=stack):
            def body(inner):
                for layer in runs_of(stack, lambda x: x.layer):
                    n = layer[0].layer
                    if n is None:
                        calls(host, layer, base)
                    else:
                        module(host, f'{layered_time.LAYER}_{n}',
                               lambda _, x=layer: calls(host, x, base), inner)
            module(host, stack[0].above[1], body, own)
        module(host, stack[0].above[0], model)
    host.now = max(host.now, base + p.now - HEAD_START_NS)
    host.range('user_annotation', f'ProfilerStep#{number}', begin)


def trace(times, again=False, passes=4, gap=3000, layers=None, end=None):
    p = layered_time.Pass(times, again, gap, layers, end).fitted()
    host = Host()
    base = BEGIN_NS + HEAD_START_NS
    for i in range(passes):
        one_pass(host, i, p, base)
        base += p.now
    host.events.sort(key=lambda x: (x[0], -float(x[1]['dur'])))
    return {
        'schemaVersion': 1,
        'deviceProperties': [{'id': 0, 'name': 'Kernsift Demo GPU',
                              'totalGlobalMem': 191516442624, 'computeMajor':
                              10, 'computeMinor': 0, 'warpSize': 32,
                              'numSms': 148}],
        'displayTimeUnit': 'ms', 'baseTimeNanoseconds': 1751410836000000000,
        'distributedInfo': {'backend': 'nccl', 'rank': 0, 'world_size': 32},
        'traceEvents': [e for _, e in host.events],
    }


def text(t):
    """Returns JSON in which times are numbers with all nanoseconds."""
    events = t['traceEvents']
    head = json.dumps({k: v for k, v in t.items() if k != 'traceEvents'})
    lines = []
    for e in events:
        rest = {k: v for k, v in e.items() if k not in ('ts', 'dur')}
        lines.append(f'{json.dumps(rest)[:-1]}, "ts": {e["ts"]}, "dur": '
                     f'{e["dur"]}}}')
    return f'{head[:-1]}, "traceEvents": [\n' + ',\n'.join(lines) + '\n]}\n'


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('--times', metavar='FILE')
    p.add_argument('--again', action='store_true')
    p.add_argument('--passes', type=int, default=4)
    p.add_argument('--end-ns', type=int)
    p.add_argument('--layers-ns', type=int)
    p.add_argument('out', help='FILE, FILE.gz, or - for stdout')
    o = p.parse_args()
    times = dict(layered.TIMES)
    if o.times:
        with open(o.times, encoding='utf-8') as f:
            times |= json.load(f)
    body = text(trace(times, o.again, o.passes, layers=o.layers_ns,
                      end=o.end_ns)).encode()
    if o.out.endswith('.gz'):
        body = gzip.compress(body, 6, mtime=0)
    if o.out == '-':
        sys.stdout.buffer.write(body)
    else:
        with open(o.out, 'wb') as f:
            f.write(body)


if __name__ == '__main__':
    main()
