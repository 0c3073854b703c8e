#!/usr/bin/python3
"""unannotated_layers.py - checks the layers found in traces without annotations.

The first trace is of a language model that launches one operator at a time, with its
softmax in several kernels. The time reported for attention must be that of all kernels
from the product that computes the scores to the product that uses them. The expected
time is computed from the file alone. No product of attention may be called a
feed-forward one.

The other traces are of convolutional networks. Nothing in their layers, nor in the
backward pass of a training step, may be called attention, an mlp or an embedding.
"""
import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
PROGRAM = os.path.join(os.environ.get('KERNSIFT_BIN',
                                      f'{SOURCE}/build/dev/bin'), 'kernsiftd')
FOLDER = os.environ.get('KERNSIFT_TRACES', f'{SOURCE}/../shared/traces/kineto')
EAGER = f'{FOLDER}/../nsys/gpt-2.7b_a100_eager.sqlite'
CONVOLUTIONS = (('resnet18-ddp_mi300x.json.gz', 'batch_norm'),
                ('resnet50_v100_2020-format.json.gz', 'bn_fw'))
SCORES, TAKES = 'ampere_sgemm_128x128_tn', 'ampere_sgemm_128x128_nn'


def printed(path, *options):
    """Returns the sections of the first run, and its items with their block."""
    out = subprocess.run([PROGRAM, 'inspect', '--by', 'layers', '--format',
                          'json', *options, path],
                         check=True, capture_output=True)
    b = json.loads(out.stdout)['runs'][0]['breakdown']
    for i in b['items']:
        block = b['blocks'][i['block']]
        i['block'] = block['block']
        i['position'] = b['sections'][block['section']]['position']
    return b['sections'], b['items']


def attention_spans():
    """Returns the time of each section from the scores to the kernel that uses them."""
    with sqlite3.connect(f'file:{EAGER}?mode=ro', uri=True) as db:
        rows = db.execute(
            'SELECT s.value, k.end - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k'
            ' JOIN StringIds s ON s.id = k.demangledName ORDER BY k.start')
        spans, open_ns = [], None
        for name, ns in rows:
            if name == SCORES:
                open_ns = 0
            if open_ns is not None:
                open_ns += ns
            if name == TAKES and open_ns is not None:
                spans.append(open_ns)
                open_ns = None
    return spans


def eager():
    """Yields errors for the model without a fused softmax kernel."""
    sections, items = printed(EAGER)
    layers = next(s for s in sections if s['position'] == 'layer')
    items = [i for i in items if i['position'] == 'layer']
    spans = attention_spans()[-layers['instances']:]
    ns = sum(i['mean_ns'] * i['launches'] for i in items
             if i['roles'] == ['attention'])
    products = Counter(i['roles'][0] for i in items if i['operator'] == 'gemm'
                       and i['roles'])
    if len(spans) != layers['instances'] or abs(ns - sum(spans)) > len(spans):
        yield f'attention takes {sum(spans)} ns in {len(spans)}, not {ns:.0f}'
    if products != {'qkv': 3, 'attention': 2, 'o_proj': 1, 'gate_up': 2,
                    'down': 1}:
        yield f'products are {dict(products)}'
    if items[0]['roles'] != ['input_norm']:
        yield f'the first norm is {items[0]["roles"]}'
    if {i['block'] for i in items} != {'attention', 'mlp'}:
        yield f'blocks are { {i["block"] for i in items} }'


def convolutions(path, start):
    """Yields errors for convolutional models."""
    items = printed(path, '--layer_start', start)[1]
    if not any(i['roles'] == ['convolution'] for i in items):
        yield 'nothing is a convolution'
    for i in items:
        known = {'convolution', 'all_reduce', 'collective'}
        if i['block'] not in ('other', 'head', 'communication') or \
                not known.issuperset(i['roles']):
            yield f'{i["operator"]} is {i["roles"]} in {i["block"]}'


def main():
    """Returns 0 if there is no error, 77 if the recorded traces are absent."""
    if not os.path.exists(EAGER):
        print(f"skipped: there is no '{EAGER}'")
        return 77
    faults = [f'{os.path.basename(EAGER)}: {f}' for f in eager()]
    for name, start in CONVOLUTIONS:
        faults += [f'{name}: {f}'
                   for f in convolutions(f'{FOLDER}/{name}', start)]
    print('\n'.join(faults) or f'{1 + len(CONVOLUTIONS)} traces hold')
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
