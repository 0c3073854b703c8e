#!/usr/bin/python3
"""xplane_kernels.py - computes every number of XSpace files independently.

xplane_kernels.py [FILE]...

Reads the protobuf of each file with plain Python, and computes the statistics of its
kernels and copies as trace_figures.py does. Compares them, digit by digit, row by row
and in order, with `kernsiftd inspect`: in total, by device, and by grid and block.
Without files it compares one that it makes: random kernels and copies on two devices.
"""
import os
import random
import re
import struct
import sys
import tempfile

import kernel_stats
import trace_figures
import trace_reports

sys.path.insert(0, f'{kernel_stats.SOURCE}/tests/traces')
import xspace  # noqa: E402

SIDES = {'H': 'Host', 'D': 'Device', 'P': 'Peer'}


def varint(message, at):
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(message):
    """Yields (number, value) of each field; a varint is a signed 64-bit number."""
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        if key & 7 == 0:
            value, at = varint(message, at)
            value -= (value >> 63) << 64
        else:
            length = {1: 8, 5: 4}.get(key & 7)
            if length is None:
                assert key & 7 == 2, f'wire type {key & 7}'
                length, at = varint(message, at)
            value = message[at:at + length]
            at += length
        yield key >> 3, value


def first(message, number, default=0):
    return next((v for n, v in fields(message) if n == number), default)


def every(message, number):
    return [v for n, v in fields(message) if n == number]


def table(plane, number):
    """Returns id → name of a plane's table of events or statistics."""
    return {first(entry, 1): first(first(entry, 2, b''), 2, b'').decode()
            for entry in every(plane, number)}


def stats_of(message, number, words):
    """Returns name → value of the statistics in a message's field."""
    out = {}
    for stat in every(message, number):
        for kind, value in fields(stat):
            if kind == 2:
                value = struct.unpack('<d', value)[0]
            elif kind == 5:
                value = value.decode()
            elif kind == 7:
                value = words[value]
            if kind > 1:
                out[words[first(stat, 1)]] = value
    return out


def triple(details, key):
    found = re.search(rf'(?:^|\s){key}:(\d+),(\d+),(\d+)', details)
    return tuple(map(int, found.groups())) if found else None


def operation(name, stats):
    if 'memset_details' in stats:
        return '[CUDA memset]'
    way = re.fullmatch(r'Memcpy([HDP])2([HDP])', name)
    if way:
        return '[CUDA memcpy {}-to-{}]'.format(*(SIDES[s] for s in way.groups()))
    way = re.fullmatch(r'Copy(\w+)To(\w+)', name)
    return '[CUDA memcpy {}-to-{}]'.format(*way.groups()) if way else name


def nanoseconds(picoseconds):
    return (picoseconds + 500) // 1000


def rows_of(path):
    """Returns the kernels and copies of a file's devices."""
    with open(path, 'rb') as f:
        space = f.read()
    kernels, copies = [], []
    for plane in every(space, 1):
        name = re.match(r'/device:GPU:(\d+)', first(plane, 2, b'').decode())
        names, words = table(plane, 4), table(plane, 5)
        for line in every(plane, 3) if name else []:
            for event in every(line, 4):
                stats = stats_of(event, 4, words)
                what = names[first(event, 1)]
                row = {'name': re.sub(r'( \[clone \.kd\]|\.kd)$', '', what),
                       'operation': operation(what, stats),
                       'start': first(line, 3) + nanoseconds(first(event, 2)),
                       'dur': nanoseconds(first(event, 3)),
                       'device': int(name[1]), 'grid': None, 'block': None,
                       'bytes': None}
                details = stats.get('kernel_details')
                copy = stats.get('memcpy_details', stats.get('memset_details'))
                if details:
                    row['grid'] = triple(details, 'grid')
                    row['block'] = triple(details, 'block')
                    kernels.append(row)
                elif copy:
                    row['bytes'] = int(re.search(r'\bsize:(\d+)', copy)[1])
                    copies.append(row)
    return kernels, copies


def check(path):
    kernels, copies = rows_of(path)
    printed, names = trace_reports.by_inspect(kernel_stats.PROGRAM, path)
    want = {None: trace_figures.figures((kernels, copies),
                                        lambda n: names.get(n, n))}
    return want[None]['totals'], list(
        kernel_stats.compare(printed, want, 10, 'inspect'))


def made(path, seed):
    """Writes kernels and copies whose numbers nobody chose."""
    rng = random.Random(seed)
    planes = []
    for device in 0, 1:
        plane = xspace.Plane(f'/device:GPU:{device}', device)
        at = 0
        for stream in range(3):
            events = []
            for _ in range(rng.randint(200, 400)):
                at += rng.randint(0, 5_000_000) / 1000
                dur = rng.randint(1, 90_000_000) / 1000
                if rng.random() < 0.1:
                    event = plane.event(
                        rng.choice(('MemcpyH2D', 'MemcpyD2H', 'CopyDeviceToDevice')),
                        at, dur, memcpy_details=xspace.Ref(
                            f'kind:pinned size:{rng.randint(1, 1 << 30)} dest:0 async:1'))
                else:
                    event = plane.event(
                        f'fusion_{rng.randint(1, 30)}' + rng.choice(('', '.kd')), at, dur,
                        kernel_details=xspace.cuda(rng.randint(1, 4),
                                                   rng.choice((128, 256))),
                        correlation_id=rng.randint(1, 10_000))
                events.append(event)
                at += dur
            plane.line(stream, f'Stream #{stream}(Compute)', rng.randint(0, 10**6),
                       *events)
        planes.append(plane)
    with open(path, 'wb') as f:
        f.write(xspace.space(planes + [xspace.clock(1_700_000_000_000_000_000)]))


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        files = sys.argv[1:]
        for seed in () if files else (1, 2, 3):
            files.append(os.path.join(folder, f'made-{seed}.xplane.pb'))
            made(files[-1], seed)
        print(f'{"kernels":>8} {"launches":>9} {"copies":>7} equal  file')
        for path in files:
            totals, wrong = check(path)
            bad += bool(wrong)
            print(f'{totals["kernels"]:8} {totals["launches"]:9} '
                  f'{totals["copies"]:7} {"no" if wrong else "yes":5}  '
                  f'{os.path.basename(path)}')
            for w in wrong[:5]:
                print(f'    {w[:400]}')
    print(f'{len(files) - bad} of {len(files)} files equal to the digit')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
