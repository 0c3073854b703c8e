#!/usr/bin/python3
"""iterations.py - compares the iterations of recorded traces with known figures.

iterations.py [FOLDER]

Reads `kernsiftd inspect --by iterations` of the traces listed below. The known figures
are the detector, the number of iterations, the launches in most of them, and the number
of iterations that are kept. In every trace, iterations must be in order and disjoint,
and must have no more launches than the run. The folder defaults to KERNSIFT_TRACES,
else the shared traces next to the checkout. Without traces the case is skipped.
"""
import csv
import glob
import io
import os
import sys

import kernel_stats
import trace_reports

# file: detector, iterations, kept iterations, launches of most iterations, range
KNOWN = {
    # ten training steps without an annotation; the inner period of a layer is 57
    'nsys/gpt-2.7b_a100_eager.sqlite': ('period', 10, 9, 1832, None),
    # ten training steps whose graph replays are recorded as one launch each
    'nsys/gpt-2.7b_a100_compiled-graphs.sqlite':
        ('period', 10, None, 3, None),
    # 25 complete iterations and the last one, which is not kept; the inner period is 6
    'nsys/gtls_23k-kernels.sqlite': ('period', 26, 25, 909, None),
    # ranges of FSDP's layers, which are not iterations
    'nsys/h100-2gpu-1s.sqlite': ('window', 1, 1, 1721, None),
    'kineto/deepseek-r1-decode_sglang_b300_tp0.json.gz':
        ('annotation', 1, 1, 393, 'execute_*_context_*(*)_generation_*(*)'),
    'kineto/deepseek-r1-decode_sglang_mi300x_tp0.json.gz':
        ('annotation', 1, 1, 386, 'execute_*_context_*(*)_generation_*(*)'),
    'kineto/qwen3-8b-prefilldecode_sglang.json.gz':
        ('annotation', 1, 1, 527, 'execute_*_context_*(*)_generation_*(*)'),
    'kineto/ns-resolution.json.gz':
        ('annotation', 5, None, 870, 'ProfilerStep#*'),
    'kineto/resnet-ddp_v100_54mb.json.gz':
        ('annotation', 5, None, 3874, 'ProfilerStep#*'),
    'kineto/resnet18-ddp_mi300x.json.gz': ('period', 5, 5, 472, None),
    # ProfilerStep#5 to #10, which the format of 2020 writes as operators
    'kineto/resnet50_v100_2020-format.json.gz':
        ('annotation', 6, None, 1467, 'ProfilerStep#*'),
    'kineto/megatron-tp8_rank0.json.gz':
        ('annotation', 1, 1, 690, 'ProfilerStep#*'),
    'kineto/vllm-piecewise_graph-capture.json.gz':
        ('window', 1, 1, 99, None),
    'kineto/sam-fast_a1.json.gz': ('window', 1, 1, 2330, None),
    'kineto/repeats/particle-bs64_2.json.gz': ('window', 1, 1, 543, None),
    'kineto/repeats/nano-vllm-decode_step10.json.gz':
        ('window', 1, 1, 17, None),
    # 50 training steps after a long start-up
    'rocm/rocprofv3_908.json.gz': ('period', 50, 49, 822, None),
    'odd/cpu-only.json.gz': ('none', 0, 0, 0, None),
}


def tables(parts):
    """Returns {first heading: rows as dicts} of a run's tables."""
    made = {}
    for part in parts:
        rows = list(csv.DictReader(io.StringIO(part, newline='')))
        if rows:
            made[next(iter(rows[0]))] = rows
    return made


def sound(head, iterations):
    """Returns the errors of a list of iterations, by rules that apply to any trace."""
    end = launches = 0
    for c in iterations:
        if int(c['Start (ns)']) < end:
            yield f'iteration {c["Number"]} begins within the one before'
        end = int(c['Start (ns)']) + int(c['Duration (ns)'])
        launches += int(c['Launches'])
    if launches > int(head['launches']):
        yield f'{launches} launches in iterations, {head["launches"]} in the run'


def known(name, found, iterations):
    """Yields sentences about differences from the expectation."""
    detector, n, kept, launches, of = KNOWN[name]
    if found['Detector'] != detector:
        yield f'found by {found["Detector"]}, not {detector}'
    if int(found['Iterations']) != n:
        yield f'{found["Iterations"]} iterations, not {n}'
    if kept is not None and int(found['Kept']) != kept:
        yield f'{found["Kept"]} kept, not {kept}'
    if of and found['Range'] != of:
        yield f'ranges {found["Range"]}, not {of}'
    same = sum(int(c['Launches']) == launches for c in iterations)
    if same * 2 < len(iterations):
        yield f'{same} of {len(iterations)} iterations have {launches} launches'


def check(folder, path):
    name = os.path.relpath(path, folder)
    wrong, lines = [], []
    for head, parts in trace_reports.inspected(kernel_stats.PROGRAM, path,
                                            'iterations'):
        printed = tables(parts)
        found = printed['Detector'][0]
        iterations = printed.get('Number', [])
        lines.append((found['Detector'], len(iterations)))
        wrong += sound(head, iterations)
        if name in KNOWN:
            wrong += known(name, found, iterations)
    return lines, wrong


def main():
    folder = sys.argv[1] if sys.argv[1:] else \
        os.path.dirname(kernel_stats.FOLDER)
    files = sorted(
        f for kind in ('*.json.gz', '*.sqlite', '*.rpd')
        for f in glob.glob(os.path.join(glob.escape(folder), '**', kind),
                           recursive=True)
        if os.path.relpath(f, folder) in KNOWN or '/odd/' not in f)
    if not files:
        print(f'skipped: no traces at {folder}')
        return 77
    missing = sorted(set(KNOWN) - {os.path.relpath(f, folder) for f in files})
    bad = 0
    for path in files:
        lines, wrong = check(folder, path)
        bad += bool(wrong)
        fine = 'as known' if os.path.relpath(path, folder) in KNOWN \
            else 'sound'
        print(f'{"wrong" if wrong else fine:8} '
              f'{lines[0][0]:10} {"+".join(str(n) for _, n in lines):9} '
              f'{os.path.relpath(path, folder)}', flush=True)
        for w in wrong[:5]:
            print(f'    {w}')
    for name in missing:
        print(f'not there: {name}')
    print(f'{len(files) - bad} of {len(files)} files as they should be')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
