#!/usr/bin/python3
"""test_run.py - `run` executes a program under the collector and reads the capture.

A program with the fake driver replaces a program on a GPU.
"""
import importlib.machinery
import importlib.util
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.environ['KERNSIFT_BIN']
sys.path.insert(0, HERE)
import judge  # noqa: E402

HOST = """#!/bin/sh
{bin}/guest_host init ${{RECORDING-recording:1}} launch:100 graph:4:25 sync >&2 &&
echo '{{"kernels": {{"first_kernel_0": {n}}}}}'
"""


def loaded(path):
    loader = importlib.machinery.SourceFileLoader('gpu_run', path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader('gpu_run', loader))
    loader.exec_module(module)
    return module


def main():
    run = loaded(f'{HERE}/run')
    os.environ.update(LD_LIBRARY_PATH=f'{BIN}/fakes',
                      KERNSIFT_TRACE_CUPTI=f'{BIN}/fakes/libcupti.so.13',
                      KERNSIFT_TRACE_NVML='/none',
                      ASAN_OPTIONS='detect_leaks=0')
    with tempfile.TemporaryDirectory() as d:
        for name in ('libkernsift_cupti.so', 'captured'):
            os.symlink(f'{BIN}/{name}', f'{d}/{name}')
        os.environ['FAKE_LEDGER'] = f'{d}/ledger'
        b = run.Bench(d)
        path = f'{d}/loop'
        with open(path, 'w') as f:
            f.write(HOST.format(bin=BIN, n=0))
        os.chmod(path, 0o755)
        _, got, rows = b.captured(b.argv('loop'))
        assert got['kernels'] == 200 and len(rows) == 200, got
        assert sum(v['with_range'] for v in got['by_kernel'].values()) == 100
        n = judge.called(got['by_kernel'], 'first_kernel_0')['n']
        assert n > 0
        checks = judge.counts({'kernels': {'first_kernel_0': n}}, got)
        assert all(c['ok'] for c in checks), checks
        # If no window opens, the collector leaves no capture.
        os.environ['RECORDING'] = ''
        try:
            b.captured(b.argv('loop'), window=run.NEVER)
        except SystemExit as e:
            assert str(e).startswith('no capture in '), e
        else:
            raise AssertionError('a capture though no window opened')


if __name__ == '__main__':
    main()
