#!/usr/bin/python3
"""costs.py - compares the cost formulas with published figures.

costs.py [-v] [FILE]

FILE is an operator catalog (Atrex-Bench) that has, for each shape, its operations W and
its bytes Q. The default is the set next to the checkout; without one the case is
skipped. The catalog has 440 shapes. For at least 420 of them, the `catalog` convention
must give W per dtype, bytes read and bytes written within 0.1 %. data/costs.json must
have a reason for each shape that misses, and for each shape for which `physical`
differs from `catalog`; otherwise the case fails. No physical figure may be faster than
the roofline bound. -v prints every shape that differs.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
BIN = os.environ.get('KERNSIFT_BIN', f'{SOURCE}/build/dev/bin')
SET = f'{SOURCE}/../shared/reference/operators/production_operators.json'
COSTS = f'{SOURCE}/server/catalog/data/costs.json'
WITHIN = 0.001
MINIMUM = 420


def close(got, want):
    return abs(got - want) <= WITHIN * abs(want)


def published(shape):
    work = {d: w for d, w in shape['W_flops'].items() if w}
    return work, shape['Q_read_bytes'], shape['Q_write_bytes']


def part_close(got, want):
    """Returns, for operations, bytes read and bytes written, whether each is within 0.1
    %."""
    if got is None or 'why' in got:
        return [False] * 3
    work = sorted(got['flops']) == sorted(want[0]) and all(
        close(got['flops'][d], w) for d, w in want[0].items())
    return [work, close(got['read'], want[1]), close(got['write'], want[2])]


def as_published(ours):
    got = ours.get('catalog', {})
    return got.get('flops', {}), got.get('read', -1), got.get('write', -1)


def off(got, want):
    """Says how much the operations, bytes read and bytes written differ."""
    if got is None:
        return 'its sizes have no names'
    if 'why' in got:
        return got['reason']

    def one(a, b):
        return '-' if a == b else f'{a} for {b}' + (
            f' ({100 * (a / b - 1):+.3g} %)' if b else '')
    return ', '.join(f'{name} {one(a, b)}' for name, a, b in (
        ('work', sum(got['flops'].values()), sum(want[0].values())),
        ('read', got['read'], want[1]), ('written', got['write'], want[2])))


class Tally:
    def __init__(self, verbose):
        self.verbose = verbose
        self.faults = []
        self.sums = [0] * 5

    def shape(self, name, ours, theirs):
        want = published(theirs)
        if ours['cost'] != dict(flops=want[0], read=want[1], write=want[2]):
            self.faults.append(f'{name} #{ours["id"]}: the document is read '
                               f'as {ours["cost"]}')
        met = part_close(ours.get("catalog"), want)
        same = part_close(ours.get('physical'), as_published(ours))
        if not all(met):
            print(f'    misses #{ours["id"]} {short(ours["sizes"])}: '
                  f'{off(ours.get("catalog"), want)}')
        if self.verbose and not all(same):
            print(f'    physical of #{ours["id"]} {short(ours["sizes"])}: '
                  f'{off(ours.get("physical"), as_published(ours))}')
        for platform, sol in ours.get('physical', {}).get('sol_us', {}).items():
            prod = ours['prod_us'].get(platform)
            if prod and (sol is None or sol > prod):
                self.faults.append(f'{name} #{ours["id"]}: physically {sol} us '
                                   f'at least, measured {prod} on {platform}')
        return met + [all(met), all(same)]

    def operator(self, ours, theirs, expected):
        name = ours['name']
        print(f'{name}')
        rows = [self.shape(name, a, b)
                for a, b in zip(ours['shapes'], theirs['shapes'])]
        sums = [sum(column) for column in zip(*rows)]
        for reason in expected.get('misses', []):
            print(f'    misses because {reason}')
        for reason in expected.get('differs', []):
            print(f'    physical differs: {reason}')
        print('    ' + ', '.join(
            f'{what} {n}' for what, n in zip(
                ('work', 'read', 'written', 'all three', 'physical the same'),
                sums)) + f' of {len(rows)}')
        if (sums[3] < len(rows)) != bool(expected.get('misses')):
            self.faults.append(f'{name}: misses and their reasons do not go '
                               'together')
        if (sums[4] < len(rows)) and not expected.get('differs'):
            self.faults.append(f'{name}: physical differs without a reason')
        self.sums = [a + b for a, b in zip(self.sums, sums)]


def short(sizes):
    return sizes if sizes is None or len(sizes) < 100 else sizes[:97] + '...'


def main():
    args = [a for a in sys.argv[1:] if a != '-v']
    path = args[0] if args else SET
    if not os.path.exists(path):
        print(f'skipped: no {path}')
        return 77
    run = subprocess.run([f'{BIN}/reference_file', path], text=True,
                         capture_output=True, timeout=120)
    if run.returncode:
        print(run.stderr.strip())
        return 1
    expected = {c['name']: c for c in json.load(open(COSTS))['costs']}
    theirs = {o['name']: o for o in json.load(open(path))['operators']}
    tally = Tally('-v' in sys.argv)
    ours = json.loads(run.stdout)['operators']
    for o in ours:
        tally.operator(o, theirs[o['name']], expected[o['name']])
    shapes = sum(len(o['shapes']) for o in ours)
    print(f'{len(ours)} operators, {shapes} shapes: ' + ', '.join(
        f'{what} {n}' for what, n in zip(
            ('work', 'read', 'written', 'all three', 'physical the same'),
            tally.sums)))
    if tally.sums[3] < MINIMUM:
        tally.faults.append(f'{tally.sums[3]} of {shapes} are met; '
                            f'{MINIMUM} are wanted')
    for fault in tally.faults:
        print(f'FAULT: {fault}')
    return 1 if tally.faults else 0


if __name__ == '__main__':
    sys.exit(main())
