#!/usr/bin/python3
"""step_labels.py - attention's cost from a step's label equals one counted per request.

step_labels.py [SEED]

Draws requests at random, each with q new tokens and k tokens in its context, and
writes traces in which one attention kernel runs in a step whose label has only the
requests' sums, in the format of each engine. The operations and bytes that `kernsiftd
inspect` reports must be those that plain loops over the requests count: every new token
attends to the tokens before it and to itself. In a part of the traces the operator that
writes into the cache shows that a number there has 8 bits.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
PROGRAM = os.path.join(os.environ.get('KERNSIFT_BIN',
                                      f'{SOURCE}/build/dev/bin'), 'kernsiftd')
ROUNDS = 12
BYTES = 2  # of bfloat16


def sums(requests):
    return (sum(q for q, k in requests), sum(k for q, k in requests),
            sum(q * q for q, k in requests), sum(q * k for q, k in requests))


def vllm(prefill, decode):
    parts = '_'.join('%s_%d(sq%dsk%dsqsq%dsqsk%d)' % (word, len(of), *sums(of))
                     for word, of in (('context', prefill), ('generation', decode)))
    return f'execute_{sums(prefill + decode)[0]}_{parts}'


def named(prefix, requests):
    return '%ssq=%d %ssk=%d %ssqsq=%d %ssqsk=%d' % sum(
        ((prefix, n) for n in sums(requests)), ())


def sglang(prefill, decode):
    n = len(prefill + decode)
    if not decode:
        return f'step[EXTEND bs={n} toks={sums(prefill)[0]} {named("c_", prefill)}]'
    if not prefill:
        return f'step[DECODE bs={n} {named("g_", decode)}]'
    return (f'step[MIXED bs={n} c={len(prefill)} g={len(decode)} '
            f'{named("c_", prefill)} {named("g_", decode)}]')


def atom(prefill, decode):
    both = prefill + decode
    q, k, qq, qk = sums(both)
    end = f'sqsq={qq} sqsk={qk} sk={k}]'
    if not decode:
        return f'prefill[bs={len(both)} tok={q} ctx=[1, 2] {end}'
    parts = f'p={len(prefill)} ' if prefill else ''
    return f'decode[bs={len(both)} tok={q} {parts}d={len(decode)} {end}'


def trace(label, operator, kernel, cache):
    events = [
        ('cpu_op', '_C_cache_ops::reshape_and_cache_flash', 1, 5, {
            'Input Dims': [[8, 2, 64], [8, 2, 64], [99, 16, 2, 64], [99, 16, 2, 64], [8]],
            'Input type': ['c10::BFloat16', 'c10::BFloat16', cache, cache, 'long int']}),
        ('user_annotation', label, 10, 100, {}),
        ('user_annotation', operator, 11, 90, {}),
        ('cuda_runtime', 'cudaLaunchKernel', 20, 1, {'correlation': 7}),
        ('kernel', kernel, 30, 5, {'correlation': 7, 'device': 0, 'stream': 7})]
    return {'traceEvents': [
        {'ph': 'X', 'cat': cat, 'name': name, 'ts': ts, 'dur': dur, 'pid': 1 if
         cat != 'kernel' else 0, 'tid': 1, 'args': args}
        for cat, name, ts, dur, args in events]}


def inspected(path):
    out = subprocess.run([PROGRAM, 'inspect', '--by', 'shapes', '--format', 'json', path],
                         check=True, stdout=subprocess.PIPE).stdout
    found = []

    def walk(x):
        if isinstance(x, dict):
            if 'cost' in x and 'shape' in x:
                found.append(x)
            for v in x.values():
                walk(v)
        elif isinstance(x, list):
            for v in x:
                walk(v)
    walk(json.loads(out))
    return found[0]


def pairs(requests):
    """Counts token by token: the token before which `before` tokens are."""
    return sum(before + 1 for q, k in requests for before in range(k - q, k))


def expected(cached, requests, heads, kv_heads, d):
    q, k = sum(q for q, _ in requests), sum(k for _, k in requests)
    return (2 * heads * (d + d) * pairs(requests),
            BYTES * q * heads * d + cached * k * kv_heads * (d + d), BYTES * q * heads * d)


def expected_latent(cached, requests, heads, rank, rope):
    q, k = sum(q for q, _ in requests), sum(k for _, k in requests)
    return (2 * heads * (rank + rope + rank) * pairs(requests),
            (cached * k + BYTES * q * heads) * (rank + rope), BYTES * q * heads * rank)


def drawn(d, n, longest):
    out = []
    for _ in range(n):
        q = d.randint(1, longest)
        out.append((q, q + d.choice((0, d.randint(0, 3000)))))
    return out


def cases(d, cached):
    heads, kv_heads, dim = 8 * d.randint(1, 8), d.choice((1, 2, 8)), d.choice((64, 128))
    sizes = f'heads={heads} kv_heads={kv_heads} head_dim={dim}'
    prefill = drawn(d, d.randint(1, 9), 700)
    decode = drawn(d, d.randint(1, 40), d.choice((1, 1, 4)))
    unified = f'unified_attention bf16 {sizes}'
    dims = (heads, kv_heads, dim)
    for now, later in ((prefill, decode), (prefill, []), ([], decode)):
        yield now, later, unified, 'kernel_unified_attention_2d', expected(
            cached, now + later, *dims)
    yield prefill, [], f'attention_forward bf16 {sizes}', \
        'void flash_fwd_kernel<Flash>(int)', expected(cached, prefill, *dims)
    paged = f'paged_attention_decode bf16 {sizes}'
    yield [], decode, paged, 'void vllm::paged_attention_v2_kernel<float>(int)', \
        expected(cached, decode, *dims)
    rank, rope = d.choice(((512, 64), (256, 32)))
    yield [], decode, \
        f'mla_decode_attention bf16 heads={heads} lora_rank={rank} rope_dim={rope}', \
        'flash_mla_kernel', expected_latent(cached, decode, heads, rank, rope)


def main():
    d = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 20261123)
    checked = 0
    with tempfile.NamedTemporaryFile('w', suffix='.json') as f:
        for _ in range(ROUNDS):
            cached = d.choice((1, BYTES))
            cache = {1: 'unsigned char', BYTES: 'c10::BFloat16'}[cached]
            for prefill, decode, operator, kernel, want in cases(d, cached):
                for engine in vllm, sglang, atom:
                    label = engine(prefill, decode)
                    f.seek(0)
                    f.truncate()
                    json.dump(trace(label, operator, kernel, cache), f)
                    f.flush()
                    shape = inspected(f.name)
                    cost = shape['cost'] or {}
                    got = (cost.get('flops', {}).get('bf16'), cost.get('read_bytes'),
                           cost.get('write_bytes'))
                    if got != want:
                        sys.exit(f'step_labels.py: {label}: {operator}: {got} instead of '
                                 f'{want}: {shape}')
                    checked += 1
    print(f'{checked} costs from labels equal those counted per request')


if __name__ == '__main__':
    main()
