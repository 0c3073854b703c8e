"""cost_loops.py - computes operators with plain loops, for cost_counts.py.

The loops count each multiplication and addition, and remember which numbers they read
and wrote.
"""


BYTES = {'bf16': 2, 'fp32': 4, 'fp8_e4m3': 1, 'fp16': 2}


class Count:
    """Counts operations, and the numbers that were read and written. Intermediate
    numbers are not counted, because they stay in registers."""

    def __init__(self, dtype):
        self.b = BYTES[dtype]
        self.flops = 0
        self.sets = {'read': {}, 'write': {}}

    def _touch(self, way, b, place):
        self.sets[way][place] = self.b if b is None else b

    def read(self, *place, b=None):
        self._touch('read', b, place)

    def write(self, *place, b=None):
        self._touch('write', b, place)

    def bytes(self, way):
        return sum(self.sets[way].values())


def product(c, a, b, n):
    """A dot product of n numbers: one multiplication and one addition for each."""
    for i in range(n):
        a(i)
        b(i)
        c.flops += 2


def gemm(c, batch, m, n, k):
    for x in range(batch):
        for i in range(m):
            for j in range(n):
                product(c, lambda p: c.read('a', x, i, p),
                        lambda p: c.read('b', x, p, j), k)
                c.write('c', x, i, j)


def grouped_gemm(c, groups, m, n, k):
    for i in range(m):
        for j in range(n):
            product(c, lambda p: c.read('a', i, p),
                    lambda p: c.read('b', i % groups, p, j), k)
            c.write('c', i, j)


def block_scaled_mm(c, m, n, k, group_n, group_k):
    for i in range(m):
        for j in range(n):
            def right(p):
                c.read('b', p, j)
                c.read('sa', i, p // group_k, b=4)
                c.read('sb', p // group_k, j // group_n, b=4)
            product(c, lambda p: c.read('a', i, p), right, k)
            c.write('c', i, j, b=2)


def seen(i, queries, keys, causal, top_left=0, window_left=None, window_right=None):
    """Returns the keys that query i sees. Its own key is aligned at the last key, or
    at the first one."""
    own = i if top_left else keys - queries + i
    first = 0 if window_left is None else max(0, own - window_left)
    last = keys if window_right is None else own + window_right + 1
    return range(first, min(keys, own + 1 if causal else last))


def attend(c, who, heads, kv_heads, dim, v_dim, queries, keys, causal, **mask):
    for h in range(heads):
        g = h * kv_heads // heads
        for i in range(queries):
            for j in seen(i, queries, keys, causal, **mask):
                product(c, lambda p: c.read('q', who, h, i, p),
                        lambda p: c.read('k', who, g, j, p), dim)
                product(c, lambda p: None,
                        lambda p: c.read('v', who, g, j, p), v_dim)
            for p in range(v_dim):
                c.write('o', who, h, i, p)


def attention_forward(c, heads, kv_heads, head_dim, v_dim, q_lens, seq_lens,
                      causal, **mask):
    for who, (q, s) in enumerate(zip(q_lens, seq_lens)):
        attend(c, who, heads, kv_heads, head_dim, v_dim, q, s, causal, **mask)


def unified_attention(c, heads, kv_heads, head_dim, q_lens, seq_lens):
    for who, (q, s) in enumerate(zip(q_lens, seq_lens)):
        attend(c, who, heads, kv_heads, head_dim, head_dim, q, s, True)


def paged_lens(c, heads, kv_heads, head_dim, seq_lens):
    unified_attention(c, heads, kv_heads, head_dim, [1] * len(seq_lens), seq_lens)


def paged_attention_decode(c, seqs, context, heads, kv_heads, head_dim):
    paged_lens(c, heads, kv_heads, head_dim, [context] * seqs)


def decode_total(c, seqs, tokens, heads, kv_heads, head_dim, kv_tokens):
    assert tokens == seqs
    paged_lens(c, heads, kv_heads, head_dim,
               [kv_tokens // seqs + (i < kv_tokens % seqs) for i in range(seqs)])


def mla_decode_attention(c, seqs, context, heads, lora_rank, rope_dim):
    for who in range(seqs):
        for h in range(heads):
            for j in range(context):
                product(c, lambda p: c.read('q', who, h, p),
                        lambda p: c.read('kv', who, j, p), lora_rank + rope_dim)
                product(c, lambda p: None,
                        lambda p: c.read('kv', who, j, p), lora_rank)
            for p in range(lora_rank):
                c.write('o', who, h, p)


def convolution(c, x, w, out, stride=(1, 1), grads=0):
    """No border; also used for the gradients of weights and of the input."""
    images, channels, _, _ = x
    filters, _, rows, cols = w
    for _ in range(max(grads, 1)):
        for n in range(images):
            for f in range(filters):
                for i in range(out[2]):
                    for j in range(out[3]):
                        for a in range(channels):
                            for r in range(rows):
                                for s in range(cols):
                                    c.flops += 2
                                    c.read('x', n, a, i * stride[0] + r,
                                           j * stride[1] + s)
                                    c.read('w', f, a, r, s)
                                    if grads:
                                        c.write('dx', n, a, i + r, j + s)
                                        c.write('dw', f, a, r, s)
                        (c.read if grads else c.write)('y', n, f, i, j)


def transposed_convolution(c, x, w, out, stride, transposed):
    """Each number of the input is multiplied with each weight of its channel."""
    images, channels, height, width = x
    _, filters, rows, cols = w
    assert transposed
    for n in range(images):
        for a in range(channels):
            for i in range(height):
                for j in range(width):
                    for f in range(filters):
                        for r in range(rows):
                            for s in range(cols):
                                at = i * stride[0] + r, j * stride[1] + s
                                assert at[0] < out[2] and at[1] < out[3]
                                c.flops += 2
                                c.read('x', n, a, i, j)
                                c.read('w', a, f, r, s)
                                c.write('y', n, f, *at)


def causal_conv1d(c, tokens, dim, width):
    """One sequence; the numbers before it are its state."""
    for t in range(tokens):
        for d in range(dim):
            for i in range(width):
                at = t - i
                c.flops += 2
                c.read('x' if at >= 0 else 'state', at, d)
                c.read('w', d, i)
            c.read('bias', d)
            c.write('y', t, d)
    for d in range(dim):
        for i in range(width - 1):
            c.read('state', -1 - i, d)
            c.write('state', -1 - i, d)


def fused_moe(c, tokens, hidden, intermediate, experts, top_k, rng=None):
    reached = set()
    for t in range(tokens):
        for slot, e in enumerate(rng.sample(range(experts), top_k)):
            reached.add(e)
            c.read('weight', t, slot, b=4)
            c.read('id', t, slot, b=4)
            for j in range(2 * intermediate):
                product(c, lambda p: c.read('x', t, p),
                        lambda p: c.read('w1', e, j, p), hidden)
            for j in range(hidden):
                product(c, lambda p: None,
                        lambda p: c.read('w2', e, j, p), intermediate)
                c.write('y', t, j)
    return len(reached)


def rms_norm(c, tokens, hidden):
    for t in range(tokens):
        for i in range(hidden):
            c.read('x', t, i)
            c.flops += 1 + (i > 0)  # square, add to the sum
        c.flops += 3  # mean, epsilon, inverse root
        for i in range(hidden):
            c.read('w', i)
            c.flops += 2
            c.write('y', t, i)


def layer_norm(c, x, residual=0, to_bits=None):
    """Adds the residual first and writes the sum, if there is one."""
    rows, width = x
    for t in range(rows):
        for i in range(width):
            c.read('x', t, i)
            if residual:
                c.read('residual', t, i)
                c.write('residual', t, i)
                c.flops += 1
            c.flops += (i > 0)  # add to the sum
        c.flops += 1  # mean
        for i in range(width):
            c.flops += 2 + (i > 0)  # subtract, square, add to the sum
        c.flops += 3  # mean, epsilon, inverse root
        for i in range(width):
            c.read('w', i)
            c.read('bias', i)
            c.flops += 3
            c.write('y', t, i, b=to_bits and to_bits // 8)


def fused_rmsnorm_quant(c, tokens, hidden, residual=1):
    for t in range(tokens):
        for i in range(hidden):
            c.read('x', t, i)
            if residual:
                c.read('residual', t, i)
                c.write('residual', t, i)
                c.flops += 1
            c.flops += 1 + (i > 0)  # square, add to the sum
        c.flops += 3  # mean, epsilon, inverse root
        c.flops += 1  # inverse of the scale
        c.write('scale', t, b=4)
        for i in range(hidden):
            c.read('w', i)
            c.flops += 3  # root, weight, scale
            c.write('y', t, i, b=1)


def silu_and_mul(c, x):
    rows, width = x
    for t in range(rows):
        for i in range(width // 2):
            c.read('x', t, i)
            c.read('x', t, width // 2 + i)
            c.flops += 5  # exp, add, divide, and two products
            c.write('y', t, i)


def softmax(c, x):
    rows, width = x
    for t in range(rows):
        for i in range(width):
            c.read('x', t, i)
            c.flops += 2 + (i > 0) + 1  # less the maximum, exp, sum, divide
            c.write('y', t, i)
        c.flops += 1  # the inverse of the sum


def rope(c, tokens, heads, kv_heads, head_dim, rope_dim):
    for t in range(tokens):
        c.read('position', t)
        for h in range(heads + kv_heads):
            for i in range(rope_dim // 2):
                for half in (0, 1):
                    c.read('x', t, h, i, half)
                    c.read('table', t, i, half)
                    c.flops += 3  # two products and their sum
                    c.write('x', t, h, i, half)
    c.sets['read'] = {k: v for k, v in c.sets['read'].items()
                      if k[0] != 'position'}


def chunk_delta_rule_output(c, batch, tokens, q_heads, v_heads, key_dim,
                            value_dim, chunk):
    for x in range(batch):
        for t in range(tokens):
            first = t - t % chunk
            for h in range(v_heads):
                g = h * q_heads // v_heads
                c.read('g', x, t, h, b=4)
                for v in range(value_dim):
                    product(c, lambda p: c.read('q', x, t, g, p),
                            lambda p: c.read('h', x, t // chunk, h, p, v),
                            key_dim)
                    product(c, lambda p: None,
                            lambda p: c.read('v', x, first + p, h, v),
                            t - first + 1)
                    c.write('o', x, t, h, v)
            for g in range(q_heads):
                for s in range(first, t + 1):
                    product(c, lambda p: c.read('q', x, t, g, p),
                            lambda p: c.read('k', x, s, g, p), key_dim)


def moe_sum_reduce(c, tokens, top_k, hidden):
    for t in range(tokens):
        for i in range(hidden):
            for e in range(top_k):
                c.read('x', t, e, i)
                c.flops += e > 0
            c.write('y', t, i)


def reshape_and_cache(c, x, block_size):
    for t in range(x[0]):
        c.read('slot', t, b=8)
        for h in range(x[1]):
            for d in range(x[2]):
                for kv in 'kv':
                    c.read(kv, t, h, d)
                    c.write('cache', kv, t // block_size, t % block_size, h, d)


def attention_backward(c, heads, kv_heads, head_dim, v_dim, q_lens, seq_lens,
                       causal, **mask):
    """Counts Q·K a second time, then the gradients of P, V, Q and K."""
    for who, (queries, keys) in enumerate(zip(q_lens, seq_lens)):
        for h in range(heads):
            g = h * kv_heads // heads
            for i in range(queries):
                c.read('lse', who, h, i, b=4)
                for j in seen(i, queries, keys, causal, **mask):
                    for p in range(head_dim):
                        c.flops += 6
                        for way in (c.read, c.write):
                            way('q', who, h, i, p)
                            way('k', who, g, j, p)
                    for p in range(v_dim):
                        c.flops += 4
                        c.read('o', who, h, i, p)
                        c.read('do', who, h, i, p)
                        c.read('v', who, g, j, p)
                        c.write('v', who, g, j, p)


def gated_delta_rule_update(c, batch, tokens, q_heads, v_heads, key_dim,
                            value_dim):
    """Counts decay, k·S, adding the outer product, and S·q, but no work per single key
    or value."""
    for x in range(batch):
        c.read('index', x, b=4)
        for t in range(tokens):
            for h in range(v_heads):
                c.read('log', h, b=4)
                c.read('bias', h)
                c.read('a', x, t, h)
                c.read('b', x, t, h)
                for i in range(key_dim):
                    c.read('q', x, t, h * q_heads // v_heads, i)
                    c.read('k', x, t, h * q_heads // v_heads, i)
                    for j in range(value_dim):
                        c.read('v', x, t, h, j)
                        c.read('state', x, h, i, j, b=4)
                        c.flops += 1 + 2 + 2 + 2
                        c.write('state', x, h, i, j, b=4)
                        c.write('o', x, t, h, j)
