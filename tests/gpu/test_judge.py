#!/usr/bin/python3
"""test_judge.py - the checks of judge.py on unusual captures."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import judge  # noqa: E402


def capture(drops=0, **kernels):
    return {'drops': {'pool': drops} if drops else {}, 'by_kernel': {
        name: dict(zip(('n', 'total_ns', 'with_node', 'with_range'), v))
        for name, v in kernels.items()}}


def failed(checks):
    return [c['what'] for c in checks if not c['ok']]


class Judge(unittest.TestCase):
    printed = {'kernels': {'nothing': 10}}

    def test_names_as_they_are_signed_or_mangled(self):
        got = capture(**{'nothing': (1, 2, 3, 4), 'nothing(int *)': (1, 2, 3, 4),
                         '_Z7nothingPi': (1, 2, 3, 4),
                         'nothingness': (9, 9, 9, 9)})
        self.assertEqual(judge.called(got['by_kernel'], 'nothing'), {
            'n': 3, 'total_ns': 6, 'with_node': 9, 'with_range': 12})

    def test_all_there(self):
        self.assertEqual(failed(judge.counts(
            self.printed, capture(nothing=(10, 1, 0, 0)))), [])

    def test_lost_silently(self):
        self.assertEqual(failed(judge.counts(
            self.printed, capture(nothing=(9, 1, 0, 0)))),
            ['launched and in no row are dropped'])

    def test_lost_and_counted(self):
        self.assertEqual(failed(judge.counts(
            self.printed, capture(drops=1, nothing=(9, 1, 0, 0)))), [])

    def test_a_drop_of_nothing(self):
        self.assertEqual(failed(judge.counts(
            self.printed, capture(drops=1, nothing=(10, 1, 0, 0)))),
            ['launched and in no row are dropped'])

    def test_more_than_launched(self):
        self.assertIn('launches of nothing', failed(judge.counts(
            self.printed, capture(nothing=(11, 1, 0, 0)))))

    def test_durations(self):
        printed = {'requested_ns': [20000, 21000], 'event_ns': [22000, 23000]}
        self.assertEqual(failed(judge.durations(printed, [20010, 21500])), [])
        self.assertEqual(failed(judge.durations(printed, [18000, 21500])),
                         ['shorter than requested'])
        self.assertEqual(failed(judge.durations(printed, [20010, 25000])),
                         ['longer than between their events'])
        self.assertEqual(failed(judge.durations(printed, [20010])),
                         ['kernels with both events'])

    def test_ceilings(self):
        platforms = [{'devices': ['(?:NVIDIA )?H20'], 'bytes_per_s': 4e12,
                      'peak_flops': {'bf16': 148e12}}]

        def of(device, bf16):
            return {'device': device, 'items': [
                {'measurement': 'gemm', 'dtype': 'bf16', 'value': bf16},
                {'measurement': 'copy', 'dtype': None, 'value': 3.6e12},
                {'measurement': 'all_reduce', 'dtype': None, 'value': 3e11}]}
        self.assertEqual(failed(judge.ceilings(of('NVIDIA H20', 140e12), platforms)), [])
        for wrong in (29e12, 163e12):
            self.assertEqual(failed(judge.ceilings(of('NVIDIA H20', wrong), platforms)),
                             ['ceiling of gemm bf16'])
        self.assertEqual(failed(judge.ceilings(of('board', 1), platforms)), [])

    def test_nodes(self):
        self.assertEqual(failed(judge.nodes(
            self.printed, capture(nothing=(10, 1, 10, 10)))), [])
        self.assertEqual(failed(judge.nodes(
            self.printed, capture(nothing=(10, 1, 10, 9)))),
            ['kernels of nothing whose node has ranges'])

    def test_compared_with_the_profiler(self):
        profiled = {'a': (10, 1000), 'b': (20, 4000)}
        self.assertEqual(failed(judge.same_as_profiler(
            profiled, 10, capture(a=(11, 1100, 0, 0), b=(22, 4500, 0, 0)), 11)),
            [])
        self.assertEqual(failed(judge.same_as_profiler(
            profiled, 10, capture(a=(12, 1200, 0, 0), b=(22, 8800, 0, 0)), 11)),
            ['per step: a', 'mean ns: b'])

    def test_overhead_is_relative_to_the_same_round(self):
        got = judge.overhead({'plain': [100, 200, 300], 'all': [101, 202, 303]})
        self.assertEqual(got['all'], {'median': 202, 'ratio': 1.01})


if __name__ == '__main__':
    unittest.main()
