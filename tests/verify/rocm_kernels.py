#!/usr/bin/python3
"""rocm_kernels.py - computes every number of the recorded ROCm traces independently.

rocm_kernels.py [FOLDER or FILE]...

Reads rocprofv3's JSON with Python's json and rocmProfileData's databases with SQL.
Computes the statistics of every kernel and copy as trace_figures.py does. Compares
them, digit by digit, row by row and in order, with `kernsiftd inspect`: in total, by
device, and by grid and block. Folders default to KERNSIFT_ROCM, else the shared traces
next to the checkout. Without traces the case is skipped.
"""
import gzip
import json
import os
import sqlite3
import sys

import kernel_stats
import trace_figures
import trace_reports

FOLDER = os.environ.get(
    'KERNSIFT_ROCM', f'{kernel_stats.SOURCE}/../shared/traces/rocm')
ITEMS = ('hipExtModuleLaunchKernel', 'hipHccModuleLaunchKernel')


def blocks(items, group):
    """Converts a grid in work-items to a grid in blocks."""
    return tuple(-(-i // g) for i, g in zip(items, group))


def row(name, operation, start, end, device, grid=None, block=None, size=None):
    return {'name': name, 'operation': operation, 'start': start,
            'dur': end - start, 'device': device, 'grid': grid,
            'block': block, 'bytes': size}


def of_tool(tool):
    """Returns the kernels and copies of one process in rocprofv3's JSON."""
    gpus = sorted(a['id']['handle'] for a in tool['agents']
                  if a['type'] == 2)
    number = {handle: i for i, handle in enumerate(gpus)}
    names = {s['kernel_id']: s['formatted_kernel_name']
             for s in tool['kernel_symbols']}
    operations = tool['strings']['buffer_records']
    kernels, copies = [], []
    for k in tool['buffer_records']['kernel_dispatch']:
        dispatch = k['dispatch_info']
        group = tuple(dispatch['workgroup_size'][x] for x in 'xyz')
        kernels.append(row(
            names[dispatch['kernel_id']], '', k['start_timestamp'],
            k['end_timestamp'], number[dispatch['agent_id']['handle']],
            blocks([dispatch['grid_size'][x] for x in 'xyz'], group), group))
    for c in tool['buffer_records']['memory_copy']:
        way = operations[c['kind']]['operations'][c['operation']]
        a, b = way.removeprefix('MEMORY_COPY_').title().split('_To_')
        ends = [number.get(c[f'{e}_agent_id']['handle'], -1)
                for e in ('dst', 'src')]
        copies.append(row('', f'[CUDA memcpy {a}-to-{b}]',
                          c['start_timestamp'], c['end_timestamp'],
                          ends[0] if ends[0] >= 0 else ends[1],
                          size=c['bytes']))
    return kernels, copies


def of_json(path):
    with gzip.open(path) if path.endswith('.gz') else open(path, 'rb') as f:
        return [of_tool(t) for t in json.load(f)['rocprofiler-sdk-tool']]


def of_rpd(path):
    """Returns the kernels and copies of a database's only process; databases of several
    processes are not compared here."""
    db = sqlite3.connect(f'file:{path}?mode=ro&immutable=1', uri=True)
    assert db.execute('SELECT COUNT(DISTINCT pid) FROM rocpd_api'
                      ).fetchone() == (1,)
    kernels = [
        row(name, '', start, end, gpu,
            blocks(size[:3], size[3:]) if call in ITEMS else tuple(size[:3]),
            tuple(size[3:]))
        for start, end, gpu, name, call, *size in db.execute(
            '''SELECT o.start, o."end", o.gpuId, d.string, n.string, k.gridX,
                      k.gridY, k.gridZ, k.workgroupX, k.workgroupY,
                      k.workgroupZ
               FROM rocpd_op o
               JOIN rocpd_string t ON t.id = o.opType_id
               JOIN rocpd_string d ON d.id = o.description_id
               JOIN rocpd_api_ops x ON x.op_id = o.id
               JOIN rocpd_api a ON a.id = x.api_id
               JOIN rocpd_string n ON n.id = a.apiName_id
               JOIN rocpd_kernelapi k ON k.api_ptr_id = a.id
               WHERE t.string = 'KernelExecution' ''')]
    copies = []
    for start, end, gpu, kind, size in db.execute(
            '''SELECT o.start, o."end", o.gpuId, t.string, c.size
               FROM rocpd_op o
               JOIN rocpd_string t ON t.id = o.opType_id
               LEFT JOIN rocpd_api_ops x ON x.op_id = o.id
               LEFT JOIN rocpd_copyapi c ON c.api_ptr_id = x.api_id
               WHERE t.string <> 'KernelExecution' '''):
        way = kind.removeprefix('Copy').replace('To', '-to-')
        copies.append(row(
            '', '[CUDA memset]' if kind == 'FillBuffer'
            else f'[CUDA memcpy {way}]', start, end, gpu, size=size))
    return [(kernels, copies)]


def bytes_reported(path):
    """Returns the bytes of all copies of each run."""
    found = []
    for _, parts in trace_reports.inspected(kernel_stats.PROGRAM, path):
        tables = [p.strip().split('\n') for p in parts]
        found.append(sum(int(line.split(',')[10]) for t in tables
                         if ',Sized,' in t[0] for line in t[1:]))
    return found


def check(path):
    """Returns (kernels, launches, differences) of one file."""
    runs = of_rpd(path) if path.endswith('.rpd') else of_json(path)
    printed, names = trace_reports.by_inspect(kernel_stats.PROGRAM, path)
    want = {None: trace_figures.figures(runs[0], lambda n: names.get(n, n))}
    wrong = [f'{len(runs)} processes, 1 can be compared'] * (len(runs) != 1)
    wrong += kernel_stats.compare(printed, want, 10, 'inspect')
    if bytes_reported(path) != [want[None]['bytes']]:
        wrong.append(f'{bytes_reported(path)} bytes, not {want[None]["bytes"]}')
    totals = want[None]['totals']
    return totals['kernels'], totals['launches'], totals['copies'], wrong


def traces(places):
    for place in places:
        if os.path.isfile(place):
            yield place
        for top, _, files in os.walk(place):
            for name in sorted(files):
                if name.endswith(('.rpd', '.json', '.json.gz')):
                    yield os.path.join(top, name)


def main():
    files = list(traces(sys.argv[1:] or [FOLDER]))
    if not files:
        print(f'skipped: no traces of ROCm at {FOLDER}')
        return 77
    bad = 0
    print(f'{"kernels":>8} {"launches":>9} {"copies":>7} equal  file')
    for path in files:
        kernels, launches, copies, wrong = check(path)
        bad += bool(wrong)
        print(f'{kernels:8} {launches:9} {copies:7} '
              f'{"no" if wrong else "yes":5}  {os.path.basename(path)}')
        for w in wrong[:5]:
            print(f'    {w[:400]}')
    print(f'{len(files) - bad} of {len(files)} files equal to the digit')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
