#!/usr/bin/python3
"""reproducers.py - the PyTorch script of each operator runs, and reads what its sizes say.

reproducers.py

Imports a reference set with small shapes, among them one for each function of
server/catalog/data/pytorch_operators.py, and fetches the script of each shape. The
sizes in a script must be those of the shape. If python3 (or KERNSIFT_TORCH_PYTHON) can
import torch, each script runs on the CPU, and the numbers that it generates are
counted: there must be as many as the expression beside the shape says. Otherwise the
scripts are only compiled.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import running

HERE = os.path.dirname(os.path.abspath(__file__))
OPERATORS = f'{HERE}/../../server/catalog/data/pytorch_operators.py'
PYTHON = os.environ.get('KERNSIFT_TORCH_PYTHON', sys.executable)
HEADS = 'heads=4 kv_heads=2 head_dim=8'
# (operator, shape, count of the numbers that are drawn). What is drawn is what the
# operator reads, and caches that it writes.
SHAPES = [
    ('gemm', 'm=3 n=4 k=5', 3 * 5 + 5 * 4),
    ('gemm', 'batch=2 m=3 n=4 k=5', 2 * (3 * 5 + 5 * 4)),
    ('grouped_gemm', 'groups=3 m=7 n=4 k=5', 7 * 5 + 3 * 5 * 4),
    ('attention_forward', f'{HEADS} q_lens=[3*4,5] seq_lens=[7*4,5] causal=1',
     (17 * 4 + 2 * 33 * 2) * 8),
    ('attention_forward', f'{HEADS} v_dim=6 q_lens=[3,5] seq_lens=[4,5] causal=1 '
     'top_left=1 window_left=2 window_right=1', 8 * 4 * 8 + 9 * 2 * (8 + 6)),
    ('attention_forward', f'tokens=7 seqs=2 {HEADS} causal=1', (7 * 4 + 2 * 7 * 2) * 8),
    ('unified_attention', f'{HEADS} q_lens=[1,5,2] seq_lens=[9,5,7]',
     (8 * 4 + 2 * 21 * 2) * 8),
    ('unified_attention', f'tokens=2 {HEADS} seq_lens=[9,5]', (2 * 4 + 2 * 14 * 2) * 8),
    ('unified_attention', f'seqs=2 tokens=2 {HEADS} kv_tokens=11',
     (2 * 4 + 2 * 11 * 2) * 8),
    ('paged_attention_decode', f'{HEADS} seq_lens=[4,4,9]', (3 * 4 + 2 * 17 * 2) * 8),
    ('paged_attention_decode', f'seqs=3 context=9 {HEADS}', (3 * 4 + 2 * 27 * 2) * 8),
    ('paged_attention_decode', f'seqs=3 {HEADS} kv_tokens=11',
     (3 * 4 + 2 * 11 * 2) * 8),
    ('mla_decode_attention', 'heads=4 lora_rank=16 rope_dim=8 seq_lens=[4,5]',
     (2 * 4 + 9) * 24),
    ('mla_decode_attention', 'seqs=2 context=7 heads=4 lora_rank=16 rope_dim=8',
     (2 * 4 + 14) * 24),
    ('mla_decode_attention', 'seqs=2 heads=4 lora_rank=16 rope_dim=8 kv_tokens=7',
     (2 * 4 + 7) * 24),
    ('reshape_and_cache', 'x=[5,2,8] block_size=4', 2 * (5 + 16) * 16),
    ('convolution', 'x=[2,4,9,9] w=[6,2,3,3] out=[2,6,5,5] stride=[2,2] padding=[1,1] '
     'groups=2', 2 * 4 * 81 + 6 * 2 * 9),
    ('convolution', 'x=[2,4,5,5] w=[4,6,3,3] out=[2,6,10,10] stride=[2,2] padding=[1,1] '
     'transposed=1', 2 * 4 * 25 + 4 * 6 * 9),
    ('convolution', 'x=[2,4,9,9] w=[6,4,3,3] grads=1', 2 * 4 * 81 + 6 * 4 * 9),
    ('rms_norm', 'tokens=6 hidden=16', 7 * 16),
    ('fused_add_rms_norm', 'tokens=6 hidden=16', 13 * 16),
    ('fused_qk_rmsnorm', f'tokens=6 {HEADS}', (6 * 6 + 2) * 8),
    ('layer_norm', 'x=[3,16]', 5 * 16),
    ('layer_norm', 'x=[3,16] residual=1 to_bits=8', 8 * 16),
    ('group_norm', 'x=[2,4,5,5] groups=2', 2 * 4 * 25 + 2 * 4),
    ('group_norm', 'x=[2,4,5,5] groups=2 grads=1', 2 * 4 * 25 + 2 * 4),
    ('batch_norm', 'x=[2,4,5,5]', 2 * 4 * 25 + 2 * 4),
    ('silu_and_mul', 'x=[3,16]', 3 * 16),
    ('rope', f'tokens=6 {HEADS} rope_dim=4', 6 * 6 * 8),
    ('fused_moe', 'tokens=6 hidden=16 intermediate=8 experts=4 top_k=2',
     6 * 16 + 3 * 4 * 16 * 8),
    ('moe_topk_gating_softmax', 'tokens=6 experts=4 top_k=2', 6 * 4),
    ('moe_sum_reduce', 'tokens=6 top_k=2 hidden=16', 6 * 2 * 16),
    ('softmax', 'x=[3,16]', 3 * 16),
    ('softmax', 'x=[3,16] grads=1', 3 * 16),
    ('elementwise', 'x=[3,4]', 12),
    ('elementwise', 'x=[3,4] y=[4]', 16),
    ('elementwise', 'x=[4] y=[3,4] z=[3,1] out=[3,4]', 4 + 12 + 3),
    ('copy', 'x=[3,4] from_bits=32 to_bits=16', 0),
    ('copy', 'bytes=100', 0),
    ('cat', 'x=[7,4] parts=3', 28),
    ('index', 'x=[9,4] indices=[5] out=[5,4]', 36),
    ('index', 'x=[9,4] indices=[9,2] out=[9,2]', 36),
    ('embedding', 'tokens=6 hidden=8 vocab=20', 160),
    ('reduce', 'x=[3,4,5] out=[3,5]', 60),
    ('sort', 'x=[3,9]', 27),
    ('sort', 'x=[3,9] k=2', 27),
    ('topk_filter', 'tokens=3 vocab=20 top_k=4', 60),
    ('sampling', 'tokens=3 vocab=20', 60),
    ('dropout', 'x=[3,16]', 48),
    ('loss', 'x=[3,9] grads=1', 27),
    ('optimizer', 'elements=96 lists=4', 24),
    ('fp8_dynamic_per_token_quant', 'tokens=3 hidden=16', 48),
    ('per_token_group_quant_fp8', 'tokens=3 hidden=16 group_size=8', 48),
    ('linear_sigmoid_mul', 'tokens=4 hidden=5 out=6', 4 * 5 + 5 * 6 + 6 + 4 * 6),
]
NO_DTYPE = re.compile(r'torch \S+ has no dtype for fp8_e4m3')
PRINTED = re.compile(r'(\w+) fp32 on cpu: median \d+\.\d{3} us, minimum \d+\.\d{3} us, '
                     r'3 runs\n')
# Runs scripts, and then their functions alone, to count the numbers that they draw. One
# process for all, because importing torch takes seconds.
RUN = '''
import contextlib, io, json, re, runpy, sys, torch

def drawn(path):
    with open(path) as f:
        made = re.search(r"^    main\\(lambda device: (\\w+)\\(", f.read(), re.M)[1]
    script = runpy.run_path(path, run_name="script")
    numbers, normal = [], script.get("normal")
    def counted(device, *dims):
        x = normal(device, *dims)
        numbers.append(x.numel())
        return x
    script[made].__globals__["normal"] = counted
    script[made](torch.device("cpu"), **script["SIZES"])()
    return sum(numbers)

for path in sys.argv[1:]:
    sys.argv[:] = [path, "--device", "cpu", "--warmup", "1", "--repeat", "3"]
    printed, error, count = io.StringIO(), None, None
    with contextlib.redirect_stdout(printed):
        try:
            runpy.run_path(path, run_name="__main__")
            count = drawn(path)
        except SystemExit as e:
            error = str(e.code)
        except Exception as e:
            error = repr(e)
    print(json.dumps([printed.getvalue(), error, count]))
'''


def values(text):
    """The sizes of a shape's text."""
    sizes = {}
    for word in text.split():
        name, value = word.split('=')
        if value[0] != '[':
            sizes[name] = int(value)
            continue
        sizes[name] = []
        for part in filter(None, value[1:-1].split(',')):
            number, _, times = part.partition('*')
            sizes[name] += [int(number)] * int(times or 1)
    return sizes


def check_sizes(script, text, problems):
    """SIZES has the shape's sizes; the comment lists those that the script lacks."""
    listed = re.search(r'^Not reproduced: (.*)$', script, re.M)
    left_out = set(listed[1].split(', ')) if listed else set()
    written = re.search(r'^SIZES = (\{.*?^\})$', script, re.M | re.S)[1]
    want = {k: v for k, v in values(text).items() if k not in left_out}
    if eval(written, {'__builtins__': {}}) != want:
        problems.append(f'{text}: SIZES are {written}')


def check_runs(paths, problems):
    """Runs the scripts; returns how many ended in which way."""
    run = subprocess.run([PYTHON, '-c', RUN, *paths], capture_output=True, text=True)
    lines = run.stdout.splitlines()
    if run.returncode or len(lines) != len(paths):
        problems.append(f'{len(lines)} of {len(paths)} scripts ended: {run.stderr}')
    ended = {}
    for (operator, text, want), line in zip(SHAPES, lines):
        printed, error, count = json.loads(line)
        found = PRINTED.fullmatch(printed)
        if error and NO_DTYPE.fullmatch(error):
            how = 'have no dtype'
        elif error or not found or found[1] != operator or count != want:
            problems.append(f'{operator} {text}: {error} {printed!r}, draws {count} '
                            f'numbers in place of {want}')
            how = 'failed'
        else:
            how = 'ran'
        ended[how] = ended.get(how, 0) + 1
    return ended


def document():
    operators = {}
    for i, (name, text, _) in enumerate(SHAPES):
        operators.setdefault(name, []).append({'id': i + 1, 'shape': text})
    return {'source': 'made', 'num_profiles': 1,
            'platforms': {'P': {'p_peak_flops': {'fp32': 1e12}, 'b_peak_bytes_per_s': 1e9}},
            'operators': [{'name': name, 'dtype': 'fp32', 'phase': 'both',
                           'num_profiles': 1, 'importance_score': 1, 'shapes': shapes}
                          for name, shapes in operators.items()]}


def functions():
    """The functions of operators: those behind the first section."""
    with open(OPERATORS) as f:
        text = f.read()
    return set(re.findall(r'^def (\w+)\(', text[text.index('\n# ---- '):], re.M))


def fetch(server, folder, problems):
    """Writes the script of each shape; returns their paths and their functions."""
    paths, used = [], set()
    for i, (operator, text, _) in enumerate(SHAPES):
        name = f'{operator}-{i + 1}.py'
        status, headers, body = server.ask(
            'GET', f'/importance/{operator}/shapes/{i + 1}?reference_set=made'
            '&format=pytorch')
        assert status == 200, f'{operator} {text}: {status} {body}'
        assert headers['Content-Type'] == 'text/x-python; charset=utf-8'
        assert headers['Content-Disposition'] == f'attachment; filename="{name}"'
        script = body.decode('ascii', 'replace')
        compile(script, name, 'exec')
        check_sizes(script, text, problems)
        used |= set(re.findall(r'^def (\w+)\(', script, re.M))
        paths.append(f'{folder}/{name}')
        with open(paths[-1], 'wb') as f:
            f.write(body)
    return paths, used


def main():
    running.skip_without_postgres()
    torch = subprocess.run([PYTHON, '-c', 'import torch'], capture_output=True)
    problems = []
    with running.Server() as server, tempfile.TemporaryDirectory() as folder:
        status, _, body = server.ask('POST', '/reference-sets?name=made',
                                     json.dumps(document()))
        assert status == 201, body
        paths, used = fetch(server, folder, problems)
        ended = {'are compiled': len(paths)}
        if not torch.returncode:
            ended = check_runs(paths, problems)
    for name in sorted(functions() - used):
        problems.append(f'no shape here needs {name}()')
    for problem in problems:
        print(problem)
    print(', '.join(f'{n} scripts {how}' for how, n in sorted(ended.items())))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
