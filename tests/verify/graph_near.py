#!/usr/bin/python3
"""graph_near.py - replays that differ from their capture at random, in uploads of their
own.

Each case has kernels of its own names, a few names repeated many times as the layers of a
model do, and a replay that lacks or adds some kernels. Capture and replay are uploaded in
either order. A plain program computes the longest common subsequence and, from all of
them, which kernels of the replay have one partner only: those must be attributed, if at
most 5 % of the capture's kernels are unmatched, and no others.
"""
import random
import sys

import running

sys.path.insert(0, f'{running.HERE}/../gen')
import captured_graphs as made  # noqa: E402

CASES, NAMES = 24, 6


def lengths(a, b):
    """Returns the table of the lengths of longest common subsequences of a[i:], b[j:]."""
    t = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            t[i][j] = t[i + 1][j + 1] + 1 if a[i] == b[j] else max(t[i + 1][j], t[i][j + 1])
    return t


def expected(replay, capture):
    """Returns the length of the longest common subsequence, and how many kernels of the
    replay have a partner in every one."""
    if sorted(replay) == sorted(capture):  # streams may overtake each other
        return len(replay), len(replay)
    after = lengths(replay, capture)
    before = lengths(replay[::-1], capture[::-1])
    n, m, most = len(replay), len(capture), after[0][0]

    def to(i, j):  # of replay[:i], capture[:j]
        return before[n - i][m - j]
    certain = 0
    for i in range(n):
        extra = any(to(i, j) + after[i + 1][j] == most for j in range(m + 1))
        match = any(replay[i] == capture[j] and to(i, j) + 1 + after[i + 1][j + 1] == most
                    for j in range(m))
        certain += match and not extra
    return most, certain


def capture(names):
    yield made.event('cuda_runtime', 'hipStreamBeginCapture', 100, 1, correlation=1)
    for i, name in enumerate(names):
        at = 200 + 100 * i
        yield made.event('cpu_op', 'aten::mm', at, 50, **{
            'External id': 100 + i, 'Input type': ['c10::BFloat16'] * 2,
            'Input Dims': [[32, 64], [64, 128]]})
        yield made.event('cuda_runtime', 'hipExtModuleLaunchKernel', at + 10, 5,
                         correlation=i + 2, kernel=name, **{'External id': 100 + i})
    end = 200 + 100 * len(names)
    yield made.event('cuda_runtime', 'hipStreamEndCapture', end, 1,
                     correlation=len(names) + 2)


def replay(names):
    yield made.event('cuda_runtime', 'hipGraphLaunch', 1000000, 3, correlation=9000)
    for i, name in enumerate(names):
        yield made.event('kernel', name, 1000010 + 5 * i, 5, 0, 0, device=0, stream=0,
                         correlation=9000)


def change(rng, names, lost, added):
    out = list(names)
    for _ in range(lost):
        del out[rng.randrange(len(out))]
    for _ in range(added):
        out.insert(rng.randrange(len(out) + 1), rng.choice(names))
    return out


def check(server, number, rng):
    n = rng.choice((8, 20, 60, 200))
    most = max(n // 20, 1)
    captured = [f'case{number}_{rng.randrange(NAMES)}' for _ in range(n)]
    replayed = change(rng, captured, rng.randint(0, most), rng.choice((0, 0, 1, most)))
    bodies = [made.trace(list(capture(captured)), 0), made.trace(list(replay(replayed)), 0)]
    late = rng.random() < 0.5
    for name in ((1, 0) if late else (0, 1)):
        upload = server.upload(f'name={"replay" if name else "capture"}', bodies[name])
        assert server.ended(upload)['state'] == 'done'
    run = 2 * number + (1 if late else 2)
    length, certain = expected(replayed, captured)
    distance = n + len(replayed) - 2 * length
    near = distance <= most

    def row():
        (is_,) = server.get(f'/runs/{run}/replayed-graphs')['items']
        return is_ if is_['captures'] or not near else None
    got = running.until('the run is analyzed with its capture', row)
    want = (length, n, certain, 'other') if near else (None, None, 0, None)
    assert (got['matched'], got['captured'], got['attributed'], got['source']) == want, \
        f'case {number}: {got}, not {want} (distance {distance})'
    return near, late


def main():
    running.skip_without_postgres()
    rng = random.Random(14)
    with running.Server(['--workers', '1']) as server:
        found = [check(server, i, rng) for i in range(CASES)]
    near = sum(n for n, _ in found)
    print(f'{CASES} replays, {sum(late for _, late in found)} before their capture: '
          f'{near} match as computed, {CASES - near} are too far away')
    assert 0 < near < CASES


if __name__ == '__main__':
    main()
