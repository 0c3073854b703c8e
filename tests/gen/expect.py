"""expect.py - computes the exact statistics that a trace must give.

The input is the durations that the simulation kept; the trace is not read. All
computations use integers and fractions. Results are rounded half away from zero to one
decimal. They are texts ("12.5"), so that no reader rounds them again.
"""
from array import array
from fractions import Fraction
from math import isqrt

import model_work as work


def tenths(x):
    """Rounds a non-negative fraction to one decimal, halves up."""
    n = (20 * x.numerator + x.denominator) // (2 * x.denominator)
    return f'{n // 10}.{n % 10}'


def root_tenths(x):
    """Rounds the square root of a fraction to one decimal, halves up."""
    y = 100 * x
    k = isqrt(y.numerator // y.denominator)
    if 4 * y >= (2 * k + 1) ** 2:
        k += 1
    return f'{k // 10}.{k % 10}'


def quantile(d, p):
    """Interpolates linearly between the closest ranks (quantile type 7)."""
    h = (len(d) - 1) * p
    i = h.numerator // h.denominator
    if i + 1 >= len(d):
        return Fraction(d[i])
    return d[i] + (h - i) * (d[i + 1] - d[i])


def statistics(durations, of_ns):
    d = sorted(durations)
    n, total = len(d), sum(d)
    variance = Fraction(0)
    if n > 1:
        variance = Fraction(n * sum(x * x for x in d) - total * total,
                            n * (n - 1))
    return {
        'instances': n, 'time_pct': tenths(Fraction(100 * total, of_ns)),
        'total_ns': total, 'mean_ns': tenths(Fraction(total, n)),
        'median_ns': tenths(Fraction(d[(n - 1) // 2] + d[n // 2], 2)),
        'min_ns': d[0], 'max_ns': d[-1], 'stddev_ns': root_tenths(variance),
        'p90_ns': tenths(quantile(d, Fraction(9, 10))),
        'p99_ns': tenths(quantile(d, Fraction(99, 100))),
        'iqr_ns': tenths(quantile(d, Fraction(3, 4)) - quantile(d, Fraction(1, 4))),
    }


def table(rank, kind, group):
    """Returns the rows of a table. group: (key, device, launch) -> the identifying
    fields of a row, as a dict."""
    rows, by = {}, {}
    for (k, key, device, launch), d in rank.durations.items():
        if k == kind:
            row = group(key, device, launch)
            id_ = tuple(str(v) for v in row.values())
            by[id_] = row
            rows.setdefault(id_, array('q')).extend(d)
    of_ns = sum(sum(d) for d in rows.values())
    out = [{**by[i], **statistics(d, of_ns)} for i, d in rows.items()]
    return sorted(out, key=lambda r: (-r['total_ns'], r['instances'],
                                      r.get('name', '').encode(), str(r)))


def run(rank, writer):
    """Returns the expected result for one process of the trace."""
    def name(key):
        return {'name': writer.shown_name(key)}

    def operation(key):
        return {'operation': work.COPIES[key][2]}

    kernels = [(k, d) for k, d in rank.durations.items() if k[0] == 'kernel']
    copies = [(k, d) for k, d in rank.durations.items() if k[0] == 'copy']
    return {
        'pid': writer.pid(rank), 'rank': writer.rank_of(rank),
        'span_ns': rank.last - rank.first, 'busy_ns': rank.busy,
        'launches': sum(len(d) for _, d in kernels),
        'kernel_ns': sum(sum(d) for _, d in kernels),
        'copies': sum(len(d) for _, d in copies),
        'copy_ns': sum(sum(d) for _, d in copies),
        'devices': [{'number': n, 'busy_ns': rank.device_busy[n],
                     'launches': sum(len(d) for k, d in kernels
                                     if k[2] == n)}
                    for n in rank.devices],
        'kernels': table(rank, 'kernel', lambda k, d, g: name(k)),
        'kernels_by_device': table(
            rank, 'kernel', lambda k, d, g: {**name(k), 'device': d}),
        'kernels_by_grid': table(
            rank, 'kernel',
            lambda k, d, g: {**name(k), **writer.launch_shape(g)}),
        'copies_by_operation': table(
            rank, 'copy', lambda k, d, g: operation(k)),
        'copies_by_device': table(
            rank, 'copy', lambda k, d, g: {**operation(k), 'device': d}),
    }
