#!/usr/bin/python3
"""cost_counts.py - checks the physical costs by counting operations one by one.

cost_counts.py [--seed N]

Draws small shapes at random and computes each operator with plain loops. The loops
count every multiplication and addition, and remember which numbers they read and
wrote. The formulas must give the same number of operations. They must also give the
same bytes, with each number counted once however often it is used. If routing is
drawn, only draws that reach the expected number of experts are compared.
"""
import argparse
import json
import os
import random
import subprocess
import sys

import cost_loops as loops

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
BIN = os.environ.get('KERNSIFT_BIN', f'{SOURCE}/build/dev/bin')


def decode_lens(c, tokens, seq_lens, **heads):
    assert tokens == len(seq_lens)
    loops.paged_lens(c, seq_lens=seq_lens, **heads)


def prefill_lens(c, tokens, seq_lens, **heads):
    assert tokens == sum(seq_lens)
    loops.unified_attention(c, q_lens=seq_lens, seq_lens=seq_lens, **heads)


def cases(rng):
    def r(a, b):
        return rng.randint(a, b)
    q = [r(1, 4) for _ in range(3)]
    s = [n + r(0, 5) for n in q]
    kv = r(1, 3)
    group = kv * r(1, 3)
    x = [r(1, 2), r(1, 3), r(3, 5), r(3, 5)]
    w = [r(1, 3), x[1], r(1, 3), r(1, 3)]
    out = [x[0], w[0], x[2] - w[2] + 1, x[3] - w[3] + 1]
    yield 'gemm', 'bf16', loops.gemm, dict(batch=r(1, 3), m=r(1, 6), n=r(1, 6),
                                     k=r(1, 6))
    groups = r(1, 4)
    yield 'grouped_gemm', 'bf16', loops.grouped_gemm, dict(
        groups=groups, m=groups * r(1, 3), n=r(1, 5), k=r(1, 5))
    yield 'block_scaled_mm', 'fp8_e4m3', loops.block_scaled_mm, dict(
        m=r(1, 5), n=r(1, 9), k=r(1, 9), group_n=r(1, 4), group_k=r(1, 4))
    for causal in (0, 1):
        yield 'attention_forward', 'fp16', loops.attention_forward, dict(
            heads=group, kv_heads=kv, head_dim=r(1, 5), v_dim=r(1, 5), q_lens=q,
            seq_lens=s, causal=causal)
        yield 'attention_backward', 'bf16', loops.attention_backward, dict(
            heads=group, kv_heads=kv, head_dim=r(1, 5), v_dim=r(1, 5), q_lens=q,
            seq_lens=s, causal=causal)
    window = {'window_left': r(0, 6), 'window_right': r(0, 6)}
    for mask in (dict(causal=1, top_left=1), dict(causal=0, top_left=1),
                 dict(causal=1, window_left=r(0, 6)), dict(causal=0, **window),
                 dict(causal=1, **window), dict(causal=0, window_left=r(0, 6)),
                 dict(causal=0, window_right=r(0, 6))):
        # aligned at the first key, there may also be more queries than keys
        keys = [r(1, 6) for _ in q] if mask.get('top_left') and mask['causal'] else s
        sizes = dict(heads=group, kv_heads=kv, head_dim=r(1, 5), v_dim=r(1, 5), q_lens=q,
                     seq_lens=keys, **mask)
        yield 'attention_forward', 'fp16', loops.attention_forward, sizes
        yield 'attention_backward', 'bf16', loops.attention_backward, sizes
    yield 'unified_attention', 'bf16', loops.unified_attention, dict(
        heads=group, kv_heads=kv, head_dim=r(1, 5), q_lens=q, seq_lens=s)
    seqs = r(1, 4)
    yield 'unified_attention', 'bf16', loops.decode_total, dict(
        seqs=seqs, tokens=seqs, heads=group, kv_heads=kv, head_dim=r(1, 5),
        kv_tokens=seqs * 2 + r(0, 5))
    for count, tokens in ((decode_lens, len(s)), (prefill_lens, sum(s))):
        yield 'unified_attention', 'bf16', count, dict(
            tokens=tokens, heads=group, kv_heads=kv, head_dim=r(1, 5), seq_lens=s)
    yield 'paged_attention_decode', 'bf16', loops.paged_attention_decode, dict(
        seqs=seqs, context=r(1, 9), heads=group, kv_heads=kv, head_dim=r(1, 5))
    yield 'paged_attention_decode', 'bf16', loops.paged_lens, dict(
        heads=group, kv_heads=kv, head_dim=r(1, 5), seq_lens=s)
    yield 'mla_decode_attention', 'bf16', loops.mla_decode_attention, dict(
        seqs=seqs, context=r(1, 6), heads=r(1, 4), lora_rank=r(1, 5),
        rope_dim=r(1, 3))
    yield 'convolution', 'fp32', loops.convolution, dict(x=x, w=w, out=out)
    yield 'convolution', 'fp32', loops.convolution, dict(x=x, w=w, out=out, grads=2)
    # windows that leave gaps, and windows that cover the whole image
    k, step, rows, cols = r(1, 3), r(1, 3), r(1, 3), r(1, 3)
    gaps = r(0, step - 1) if step >= k else 0
    image = [x[0], x[1], (rows - 1) * step + k + gaps, (cols - 1) * step + k + gaps]
    yield 'convolution', 'fp32', loops.convolution, dict(
        x=image, w=[w[0], x[1], k, k], out=[x[0], w[0], rows, cols], stride=[step, step])
    step = r(1, k)
    yield 'convolution', 'fp32', loops.transposed_convolution, dict(
        x=[x[0], x[1], rows, cols], w=[x[1], w[0], k, k],
        out=[x[0], w[0], (rows - 1) * step + k, (cols - 1) * step + k],
        stride=[step, step], transposed=1)
    yield 'causal_conv1d', 'bf16', loops.causal_conv1d, dict(
        tokens=r(1, 9), dim=r(1, 4), width=r(1, 4))
    yield 'fused_moe', 'bf16', loops.fused_moe, dict(
        tokens=1, hidden=r(1, 5), intermediate=r(1, 5), experts=r(4, 6),
        top_k=r(1, 4))
    yield 'fused_moe', 'bf16', loops.fused_moe, dict(
        tokens=r(20, 30), hidden=r(1, 3), intermediate=r(1, 3), experts=3,
        top_k=r(1, 3))
    yield 'rms_norm', 'bf16', loops.rms_norm, dict(tokens=r(1, 5), hidden=r(1, 9))
    yield 'layer_norm', 'bf16', loops.layer_norm, dict(x=[r(1, 5), r(1, 9)])
    yield 'layer_norm', 'fp16', loops.layer_norm, dict(
        x=[r(1, 5), r(1, 9)], residual=1)
    yield 'layer_norm', 'fp16', loops.layer_norm, dict(
        x=[r(1, 5), r(1, 9)], residual=r(0, 1), to_bits=8)
    yield 'fused_rmsnorm_quant', 'bf16', loops.fused_rmsnorm_quant, dict(
        tokens=r(1, 5), hidden=r(1, 9))
    yield 'fused_rmsnorm_quant', 'bf16', loops.fused_rmsnorm_quant, dict(
        tokens=r(1, 5), hidden=r(1, 9), residual=r(0, 1))
    yield 'silu_and_mul', 'bf16', loops.silu_and_mul, dict(x=[r(1, 5), 2 * r(1, 5)])
    yield 'softmax', 'fp32', loops.softmax, dict(x=[r(1, 5), r(1, 9)])
    yield 'rope', 'bf16', loops.rope, dict(
        tokens=r(1, 5), heads=group, kv_heads=kv, head_dim=8,
        rope_dim=2 * r(1, 4))
    value_heads = r(1, 2)
    yield 'chunk_delta_rule_output', 'bf16', loops.chunk_delta_rule_output, dict(
        batch=r(1, 2), tokens=r(1, 9), q_heads=value_heads,
        v_heads=value_heads * r(1, 2), key_dim=r(1, 4), value_dim=r(1, 4),
        chunk=r(1, 4))
    yield 'gated_delta_rule_update', 'bf16', loops.gated_delta_rule_update, dict(
        batch=r(1, 3), tokens=r(1, 4), q_heads=value_heads,
        v_heads=value_heads * r(1, 2), key_dim=r(1, 4), value_dim=r(1, 4))
    yield 'moe_sum_reduce', 'bf16', loops.moe_sum_reduce, dict(
        tokens=r(1, 5), top_k=r(1, 4), hidden=r(1, 5))
    yield 'reshape_and_cache', 'bf16', loops.reshape_and_cache, dict(
        x=[r(1, 9), r(1, 3), r(1, 3)], block_size=r(1, 4))


def text(sizes):
    def one(v):
        return '[' + ','.join(map(str, v)) + ']' if isinstance(v, list) else v
    return ' '.join(f'{k}={one(v)}' for k, v in sizes.items())


def counted(rng, dtype, count, sizes):
    """Returns the counts; None if the drawn routing misses the expected number of
    experts."""
    c = loops.Count(dtype)
    if count is loops.fused_moe:
        reached = count(c, rng=rng, **sizes)
        if reached != min(sizes['experts'], sizes['tokens'] * sizes['top_k']):
            return None
    else:
        count(c, **sizes)
    return c.flops, c.bytes('read'), c.bytes('write')


def main():
    args = argparse.ArgumentParser()
    args.add_argument('--seed', type=int, default=5)
    rng = random.Random(args.parse_args().seed)
    rows = []
    for _ in range(20):
        for name, dtype, count, sizes in cases(rng):
            want = counted(rng, dtype, count, sizes)
            if want:
                rows.append((name, dtype, sizes, want))
    requests = ''.join(f'physical {n} {d} {text(s)}\n' for n, d, s, _ in rows)
    run = subprocess.run([f'{BIN}/reference_file'], input=requests, text=True,
                         capture_output=True, timeout=60, check=True)
    faults = 0
    for (name, dtype, sizes, want), line in zip(rows, run.stdout.splitlines()):
        got = json.loads(line)
        if 'why' not in got:
            got = (sum(got['flops'].values()), got['read'], got['write'])
        if got != want:
            faults += 1
            print(f'{name} {dtype} {text(sizes)}: {got}, counted {want}')
    print(f'{len(rows)} shapes of {len({r[0] for r in rows})} operators '
          f'counted, {faults} differ')
    return 1 if faults or len(rows) < 300 else 0


if __name__ == '__main__':
    sys.exit(main())
