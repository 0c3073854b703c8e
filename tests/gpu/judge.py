"""judge.py - compares what a program prints about itself with its capture.

The functions take and return dictionaries, so their tests need no GPU. A check is
{"what", "expected", "got", "ok"}.
"""
import re
import statistics


def check(what, expected, got, ok):
    return {'what': what, 'expected': expected, 'got': got, 'ok': bool(ok)}


def called(by_kernel, name):
    """Adds up the kernels with this name, whether it is plain, in a signature, or
    mangled."""
    mangled = f'_Z{len(name)}{name}'
    found = [v for k, v in by_kernel.items()
             if k == name or k.startswith((f'{name}(', mangled))]
    return {key: sum(v[key] for v in found)
            for key in ('n', 'total_ns', 'with_node', 'with_range')}


def counts(printed, captured):
    """Each kernel that the program launched is in the capture, or is counted as
    dropped."""
    drops = sum(captured['drops'].values())
    out = []
    missing = 0
    for name, n in printed['kernels'].items():
        got = called(captured['by_kernel'], name)['n']
        missing += n - got
        out.append(check(f'launches of {name}', n, got, got <= n))
    out.append(check('launched and in no row are dropped', missing, drops,
                     missing <= drops and (missing == 0) == (drops == 0)))
    return out


def ceilings(document, platforms):
    """The rates of `kernsift calibrate` are between a fifth of the data sheet's peak and a
    tenth above it. Below, a GEMM has not used the units of its dtype; above, something
    counts too much. Rates without a peak are only listed."""
    found = [p for p in platforms
             if any(re.fullmatch(d, document['device']) for d in p['devices'])]
    out = []
    for row in document['items']:
        name = ' '.join(filter(None, (row['measurement'], row['dtype'])))
        peak = {'gemm': lambda p: p['peak_flops'].get(row['dtype']),
                'all_reduce': lambda p: None}.get(
                    row['measurement'], lambda p: p.get('bytes_per_s'))
        peak = peak(found[0]) if found else None
        out.append(check(f'ceiling of {name}', peak, row['value'],
                         row['value'] > 0 and
                         (not peak or 0.2 * peak <= row['value'] <= 1.1 * peak)))
    return out


def durations(printed, kernels, tick_ns=1000):
    """Checks kernels of a known length. None may be shorter than requested, or longer
    than the time between its events, by more than a tick of the GPU's timer."""
    pairs = list(zip(kernels, printed['requested_ns'], printed['event_ns']))
    short = [requested - got for got, requested, _ in pairs if got < requested - tick_ns]
    long = [got - event for got, _, event in pairs if got > event + tick_ns]
    over = [got - requested for got, requested, _ in pairs]
    return [
        check('kernels with both events', len(printed['event_ns']), len(kernels),
              len(kernels) == len(printed['event_ns'])),
        check('shorter than requested', 0, len(short), not short),
        check('longer than between their events', 0, len(long), not long),
        check('nanoseconds above the requested time, median', None,
              statistics.median(over) if over else None, True)]


def nodes(printed, captured):
    """Every replayed kernel belongs to a graph node whose ranges are known."""
    out = []
    for name, n in printed['kernels'].items():
        got = called(captured['by_kernel'], name)
        out.append(check(f'kernels of {name} with a graph node', n,
                         got['with_node'], got['with_node'] == n))
        out.append(check(f'kernels of {name} whose node has ranges', n,
                         got['with_range'], got['with_range'] == n))
    return out


def same_as_profiler(profiled, steps, captured, runs, apart=0.05):
    """In each step the capture has as many launches of each kernel as torch.profiler
    counted for the program. Their mean duration differs by at most the fraction
    `apart`."""
    out = []
    for name, (n, ns) in sorted(profiled.items()):
        got = captured['by_kernel'].get(name, {'n': 0, 'total_ns': 0})
        out.append(check(f'per step: {name[:80]}', n / steps, got['n'] / runs,
                         n * runs == got['n'] * steps))
        if got['n']:
            a, b = ns / n, got['total_ns'] / got['n']
            out.append(check(f'mean ns: {name[:80]}', round(a, 1), round(b, 1),
                             abs(a - b) <= apart * max(a, b)))
    return out


def overhead(rounds):
    """Returns, for each mode, its median and the median of its ratios to 'plain', round
    by round. `rounds` is {mode: [figure of each round]} and contains 'plain'."""
    plain = rounds['plain']
    return {mode: {
        'median': statistics.median(v),
        'ratio': round(statistics.median(a / b for a, b in zip(v, plain)), 4)}
        for mode, v in rounds.items()}
