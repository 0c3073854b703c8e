"""pytorch_operators.py - runs operators of the catalog with public functions of PyTorch.

A function has the name of an operator, or that name and "_of_" with the sizes that it
needs instead. After `device`, its parameters are sizes of the operator; a shape must
have those without a default. It makes the inputs and returns a function that runs the
operator once. A script contains the function that fits a shape and those that it calls,
which are in front of the first section.
"""
import torch

DTYPE = "fp32"  # of a script: that of the shape


def torch_dtype(word):
    """Returns the type of torch for a dtype of kernsift, or ends the program."""
    names = {
        "fp64": "float64",
        "fp32": "float32",
        "tf32": "float32",
        "bf16": "bfloat16",
        "fp16": "float16",
        "fp8_e4m3": "float8_e4m3fn",
        "fp8_e5m2": "float8_e5m2",
    }
    found = getattr(torch, names.get(word, word), None)
    if not isinstance(found, torch.dtype):
        raise SystemExit(f"torch {torch.__version__} has no dtype for {word}")
    return found


def normal(device, *dims):
    """Returns numbers of the normal distribution; small whole ones for integers."""
    dtype = torch_dtype(DTYPE)
    if not dtype.is_floating_point and not dtype.is_complex:
        return torch.randint(0, 2, dims, dtype=dtype, device=device)
    if dtype.is_floating_point and torch.finfo(dtype).bits < 16:
        return torch.randn(dims, device=device).to(dtype)
    return torch.randn(dims, dtype=dtype, device=device)


def spread(total, parts):
    """Splits a total into parts that differ by at most one."""
    return [total // parts + (i < total % parts) for i in range(parts)]


def forward_or_gradients(forward, inputs, grads):
    """Returns a function that runs forward, or that computes the gradients of inputs."""
    if not grads:
        return lambda: forward(*inputs)
    for x in inputs:
        x.requires_grad_()
    out = forward(*inputs)
    gradient = torch.randn_like(out)
    return lambda: torch.autograd.grad(out, inputs, gradient, retain_graph=True)


def divide_rows(x, weight):
    """Returns x / sqrt(mean(x²)) * weight, over the last dimension."""
    norm = getattr(torch.nn.functional, "rms_norm", None)
    if norm:
        return norm(x, x.shape[-1:], weight, 1e-6)
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight


def attend(q, k, v, mask, causal):
    """Returns softmax(Q·Kᵀ)·V. Several heads of queries may share a head of keys.

    `causal`: there are as many keys as queries, and none sees a later one. Otherwise the
    mask is true where a query sees a key; None if each sees all.
    """
    shared = q.shape[1] // k.shape[1]
    sdpa = getattr(torch.nn.functional, "scaled_dot_product_attention", None)
    version = tuple(int(n) for n in torch.__version__.split(".")[:2])
    if sdpa and shared == 1:
        return sdpa(q, k, v, attn_mask=mask, is_causal=causal)
    if sdpa and version >= (2, 5):
        return sdpa(q, k, v, attn_mask=mask, is_causal=causal, enable_gqa=True)
    if causal:
        mask = torch.ones(q.shape[2], k.shape[2], device=q.device).tril().bool()
    by_key = q.unflatten(1, (k.shape[1], shared))
    scores = by_key @ k.unsqueeze(2).transpose(-1, -2) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return (torch.softmax(scores, -1) @ v.unsqueeze(2)).flatten(1, 2)


def attend_sequences(device, q_lens, seq_lens, heads, dims, see):
    """Returns a function that runs attention of sequences of these lengths.

    Sequences of the same lengths run as one batch. `heads` are those of queries and of
    keys, `dims` those of keys and of values. see(q, k) returns the mask and the flag
    `causal` of attend().
    """
    counts = {}
    for lens in zip(q_lens, seq_lens):
        counts[lens] = counts.get(lens, 0) + 1
    calls = []
    for (q, k), n in counts.items():
        calls.append((
            normal(device, n, heads[0], q, dims[0]),
            normal(device, n, heads[1], k, dims[0]),
            normal(device, n, heads[1], k, dims[1]),
            *see(q, k),
        ))
    return lambda: [attend(*call) for call in calls]


def sees_earlier_keys(device):
    """Returns the function `see` of queries at the end of the keys, without later ones."""
    def see(q, k):
        if q == 1:
            return None, False
        if q == k:
            return None, True
        return torch.ones(q, k, device=device).tril(k - q).bool(), False
    return see


def attend_latents(device, seq_lens, heads, lora_rank, rope_dim):
    """Returns a function that runs attention of one token per sequence over latents.

    Values are the first lora_rank numbers of each latent, so they are read once.
    """
    counts = {}
    for n in seq_lens:
        counts[n] = counts.get(n, 0) + 1
    calls = []
    for k, n in counts.items():
        latents = normal(device, n, 1, k, lora_rank + rope_dim)
        calls.append((normal(device, n, heads, 1, lora_rank + rope_dim), latents,
                      latents[..., :lora_rank], None, False))
    return lambda: [attend(*call) for call in calls]


def of_width(device, dims, bits):
    """Returns zeros of a type of this width: that of the shape if it has this width."""
    names = {8: torch.uint8, 16: torch.bfloat16, 32: torch.float32, 64: torch.float64}
    own = torch.zeros(dims, dtype=torch_dtype(DTYPE), device=device)
    if bits in (None, 8 * own.element_size()):
        return own
    return torch.zeros(dims, dtype=names[bits], device=device)


def wide(x):
    """Returns x with at least 16 bits per number."""
    return x if x.element_size() > 1 else x.to(torch.bfloat16)


# ---- attention


def attention_forward(device, heads, head_dim, q_lens, kv_heads=None, v_dim=None,
                      seq_lens=None, causal=0, top_left=0, window_left=None,
                      window_right=None):
    """Attention of whole sequences."""
    def see(q, k):
        whole = window_left is None and window_right is None
        if whole and not causal:
            return None, False
        if whole and q == k:
            return None, True
        i = torch.arange(q, device=device).unsqueeze(1) + (0 if top_left else k - q)
        j = torch.arange(k, device=device)
        mask = torch.ones(q, k, dtype=torch.bool, device=device)
        if causal:
            mask &= j <= i
        if window_left is not None:
            mask &= j >= i - window_left
        if window_right is not None:
            mask &= j <= i + window_right
        return mask, False
    return attend_sequences(device, q_lens, seq_lens or q_lens, (heads, kv_heads or heads),
                            (head_dim, v_dim or head_dim), see)


def attention_forward_of_totals(device, tokens, seqs, heads, head_dim, causal,
                                kv_heads=None, v_dim=None, kv_tokens=None):
    """Attention of whole sequences. Their lengths are unknown; equal ones are used."""
    see = sees_earlier_keys(device) if causal else lambda q, k: (None, False)
    return attend_sequences(device, spread(tokens, seqs), spread(kv_tokens or tokens, seqs),
                            (heads, kv_heads or heads), (head_dim, v_dim or head_dim), see)


def unified_attention(device, heads, kv_heads, head_dim, q_lens, seq_lens, v_dim=None):
    """Causal attention of prefill and decode. Keys and values are not in pages."""
    return attend_sequences(device, q_lens, seq_lens, (heads, kv_heads),
                            (head_dim, v_dim or head_dim), sees_earlier_keys(device))


def unified_attention_of_tokens(device, tokens, heads, kv_heads, head_dim, seq_lens,
                                v_dim=None):
    """Causal attention. Keys and values are not in pages. If not all tokens are queries,
    each sequence has as many as the others."""
    q_lens = seq_lens if tokens == sum(seq_lens) else spread(tokens, len(seq_lens))
    return attend_sequences(device, q_lens, seq_lens, (heads, kv_heads),
                            (head_dim, v_dim or head_dim), sees_earlier_keys(device))


def unified_attention_of_totals(device, tokens, seqs, heads, kv_heads, head_dim, kv_tokens,
                                v_dim=None):
    """Causal attention. Keys and values are not in pages. The lengths of the sequences
    are unknown; equal ones are used."""
    return attend_sequences(device, spread(tokens, seqs), spread(kv_tokens, seqs),
                            (heads, kv_heads), (head_dim, v_dim or head_dim),
                            sees_earlier_keys(device))


def paged_attention_decode(device, heads, kv_heads, head_dim, seq_lens, v_dim=None):
    """Attention of one new token per sequence. Keys and values are not in pages."""
    return attend_sequences(device, [1] * len(seq_lens), seq_lens, (heads, kv_heads),
                            (head_dim, v_dim or head_dim), sees_earlier_keys(device))


def paged_attention_decode_of_context(device, seqs, context, heads, kv_heads, head_dim,
                                      v_dim=None):
    """Attention of one new token per sequence. Keys and values are not in pages."""
    return attend_sequences(device, [1] * seqs, [context] * seqs, (heads, kv_heads),
                            (head_dim, v_dim or head_dim), sees_earlier_keys(device))


def paged_attention_decode_of_totals(device, seqs, heads, kv_heads, head_dim, kv_tokens,
                                     v_dim=None):
    """Attention of one new token per sequence. Keys and values are not in pages. The
    lengths of the sequences are unknown; equal ones are used."""
    return attend_sequences(device, [1] * seqs, spread(kv_tokens, seqs), (heads, kv_heads),
                            (head_dim, v_dim or head_dim), sees_earlier_keys(device))


def mla_decode_attention(device, heads, lora_rank, rope_dim, seq_lens):
    """Attention of one new token per sequence over latents, which are not in pages."""
    return attend_latents(device, seq_lens, heads, lora_rank, rope_dim)


def mla_decode_attention_of_context(device, seqs, context, heads, lora_rank, rope_dim):
    """Attention of one new token per sequence over latents, which are not in pages."""
    return attend_latents(device, [context] * seqs, heads, lora_rank, rope_dim)


def mla_decode_attention_of_totals(device, seqs, heads, lora_rank, rope_dim, kv_tokens):
    """Attention of one new token per sequence over latents, which are not in pages. The
    lengths of the sequences are unknown; equal ones are used."""
    return attend_latents(device, spread(kv_tokens, seqs), heads, lora_rank, rope_dim)


def reshape_and_cache(device, x, block_size=16):
    """Writes keys and values to slots of a cache that are drawn at random."""
    slots = 2 * block_size * (x[0] // block_size + 1)
    keys, values = normal(device, *x), normal(device, *x)
    key_cache, value_cache = normal(device, slots, *x[1:]), normal(device, slots, *x[1:])
    at = torch.randperm(slots, device=device)[:x[0]]

    def run():
        key_cache.index_copy_(0, at, keys)
        value_cache.index_copy_(0, at, values)
    return run


def rope(device, tokens, heads, kv_heads, head_dim, rope_dim=None):
    """Rotates the first half of each head against the second, by position."""
    dim = rope_dim or head_dim
    angles = torch.arange(tokens, device=device).unsqueeze(1) / 10000 ** (
        torch.arange(0, dim, 2, device=device) / dim)
    cos = angles.cos().unsqueeze(1).to(torch_dtype(DTYPE))
    sin = angles.sin().unsqueeze(1).to(torch_dtype(DTYPE))
    queries = normal(device, tokens, heads, head_dim)
    keys = normal(device, tokens, kv_heads, head_dim)

    def rotate(x):
        first, second = x[..., :dim // 2], x[..., dim // 2:dim]
        return torch.cat((first * cos - second * sin, second * cos + first * sin,
                          x[..., dim:]), -1)
    return lambda: (rotate(queries), rotate(keys))


# ---- matrix products


def gemm(device, m, n, k, batch=None):
    """C = A·B. B is stored by columns, as weights of linear layers are."""
    lead = [] if batch is None else [batch]
    a = normal(device, *lead, m, k)
    b = normal(device, *lead, n, k).transpose(-1, -2)
    return lambda: torch.matmul(a, b)


def grouped_gemm(device, groups, m, n, k):
    """A GEMM per group. The rows of groups are unknown; equal numbers are used."""
    a = normal(device, m, k).split(spread(m, groups))
    b = normal(device, groups, k, n)
    return lambda: [torch.matmul(rows, b[i]) for i, rows in enumerate(a) if len(rows)]


def linear_sigmoid_mul(device, tokens, hidden, out):
    """sigmoid(X·W + b) times another matrix."""
    x = normal(device, tokens, hidden)
    weight, bias = normal(device, out, hidden), normal(device, out)
    other = normal(device, tokens, out)
    linear = torch.nn.functional.linear
    return lambda: torch.sigmoid(linear(x, weight, bias)) * other


def convolution(device, x, w, out=None, stride=1, padding=0, dilation=1, transposed=0,
                groups=1, grads=0):
    """Convolution, or its gradients: with one gradient, that of the weights."""
    images = len(x) - 2

    def each(size):
        sizes = size if isinstance(size, list) else [size]
        return sizes if len(sizes) == images else sizes[:1] * images
    stride, padding, dilation = each(stride), each(padding), each(dilation)
    options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    name = f"conv{'_transpose' if transposed else ''}{images}d"
    if transposed and out:
        options["output_padding"] = [
            out[i + 2] - ((x[i + 2] - 1) * stride[i] - 2 * padding[i]
                          + dilation[i] * (w[i + 2] - 1) + 1)
            for i in range(images)]
    run = getattr(torch.nn.functional, name)
    data, weights = normal(device, *x), normal(device, *w)
    if grads == 1:
        return forward_or_gradients(lambda b: run(data, b, **options), [weights], 1)
    return forward_or_gradients(lambda a, b: run(a, b, **options), [data, weights], grads)


# ---- mixture of experts


def fused_moe(device, tokens, hidden, intermediate, experts, top_k):
    """Gate, up and down projections of tokens, whose experts are drawn at random."""
    x = normal(device, tokens, hidden)
    up = normal(device, experts, 2 * intermediate, hidden) / hidden ** 0.5
    down = normal(device, experts, hidden, intermediate) / intermediate ** 0.5
    chosen = torch.rand(tokens, experts, device=device).topk(top_k).indices
    weights = torch.softmax(torch.randn(tokens, top_k, device=device), -1).to(x.dtype)
    work = []
    for expert in chosen.unique().tolist():
        rows, places = (chosen == expert).nonzero(as_tuple=True)
        work.append((expert, rows, weights[rows, places].unsqueeze(1)))
    linear = torch.nn.functional.linear

    def run():
        out = torch.zeros_like(x)
        for expert, rows, weight in work:
            gate, value = linear(x[rows], up[expert]).chunk(2, -1)
            part = linear(torch.nn.functional.silu(gate) * value, down[expert])
            out.index_add_(0, rows, part * weight)
        return out
    return run


def moe_topk_gating_softmax(device, tokens, experts, top_k):
    """Softmax over experts and the best of them, per token."""
    logits = normal(device, tokens, experts)
    return lambda: torch.softmax(logits, -1, dtype=torch.float32).topk(top_k)


def moe_sum_reduce(device, tokens, top_k, hidden):
    """Sums the outputs of a token's experts."""
    x = normal(device, tokens, top_k, hidden)
    return lambda: x.sum(1)


# ---- norms and activations


def rms_norm(device, tokens, hidden):
    """Divides rows by their root mean square."""
    x, weight = normal(device, tokens, hidden), normal(device, hidden)
    return lambda: divide_rows(x, weight)


def fused_add_rms_norm(device, tokens, hidden):
    """Adds the residual, which is written, too, and divides rows by their root mean
    square."""
    x, residual = normal(device, tokens, hidden), normal(device, tokens, hidden)
    weight = normal(device, hidden)

    def run():
        total = x + residual
        return divide_rows(total, weight), total
    return run


def fused_qk_rmsnorm(device, tokens, heads, kv_heads, head_dim):
    """Divides the heads of queries and keys by their root mean square."""
    queries = normal(device, tokens, heads, head_dim)
    keys = normal(device, tokens, kv_heads, head_dim)
    of_queries, of_keys = normal(device, head_dim), normal(device, head_dim)
    return lambda: (divide_rows(queries, of_queries), divide_rows(keys, of_keys))


def layer_norm(device, x, residual=0):
    """Subtracts the mean of each row and divides by its deviation."""
    data, weight, bias = normal(device, *x), normal(device, x[-1]), normal(device, x[-1])
    other = normal(device, *x) if residual else None

    def run():
        total = data if other is None else data + other
        return torch.nn.functional.layer_norm(total, x[-1:], weight, bias), total
    return run


def group_norm(device, x, groups, grads=0):
    """Normalizes each group of channels."""
    weight, bias = normal(device, x[1]), normal(device, x[1])
    norm = torch.nn.functional.group_norm
    return forward_or_gradients(lambda a: norm(a, groups, weight, bias), [normal(device, *x)],
                                grads)


def batch_norm(device, x, grads=0):
    """Normalizes each channel over the batch."""
    weight, bias = normal(device, x[1]), normal(device, x[1])
    norm = torch.nn.functional.batch_norm
    return forward_or_gradients(lambda a: norm(a, None, None, weight, bias, training=True),
                                [normal(device, *x)], grads)


def silu_and_mul(device, x):
    """SiLU of one half of each row times the other."""
    gate, value = normal(device, *x).chunk(2, -1)
    return lambda: torch.nn.functional.silu(gate) * value


def softmax(device, x, grads=0):
    """Softmax of rows. Masks are not reproduced."""
    return forward_or_gradients(lambda a: torch.softmax(a, -1), [normal(device, *x)], grads)


def dropout(device, x):
    """Sets every second number to zero, on average."""
    data = normal(device, *x)
    return lambda: torch.nn.functional.dropout(data, 0.5)


# ---- one operation per number


def elementwise(device, x, y=None, z=None, out=None):
    """The operation is unknown: one input is negated, two are added, and of three the
    product of the last two is added to the first."""
    inputs = [normal(device, *dims) for dims in (x, y, z) if dims is not None]
    if out is not None:
        inputs[0] = torch.broadcast_to(inputs[0], out)
    run = (torch.neg, torch.add, torch.addcmul)[len(inputs) - 1]
    return lambda: run(*inputs)


def copy(device, x, from_bits=None, to_bits=None):
    """Copies within the device. A type that is known only by its width is assumed."""
    source, target = of_width(device, x, from_bits), of_width(device, x, to_bits)
    return lambda: target.copy_(source)


def copy_of_bytes(device, bytes):  # the name of the size
    """Copies bytes within the device."""
    source = torch.zeros(bytes, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def cat(device, x, parts):
    """Concatenates tensors. Their sizes are unknown; equal ones along the first
    dimension are used."""
    tensors = [normal(device, n, *x[1:]) for n in spread(x[0], parts)]
    return lambda: torch.cat(tensors)


# ---- rows, sums and order


def index(device, x, indices, out):
    """Picks numbers or rows by indices that are drawn at random."""
    data = normal(device, *x)
    if len(indices) == len(x) and indices == out:
        differs = [i for i, (a, b) in enumerate(zip(x, out)) if a != b]
        dim = differs[0] if differs else len(x) - 1
        at = torch.randint(0, x[dim], indices, device=device)
        return lambda: torch.gather(data, dim, at)
    dim = next((i for i, (a, b) in enumerate(zip(x, out)) if a != b), 0)
    at = torch.randint(0, x[dim], (out[dim],), device=device)
    return lambda: torch.index_select(data, dim, at)


def embedding(device, tokens, hidden, vocab):
    """Reads the rows of tokens that are drawn at random."""
    table = normal(device, vocab, hidden)
    at = torch.randint(0, vocab, (tokens,), device=device)
    return lambda: torch.nn.functional.embedding(at, table)


def reduce(device, x, out):
    """Sums over the dimensions that the result lacks."""
    data = normal(device, *x)
    dims, left = [], list(out)
    for i, n in enumerate(x):
        if left and left[0] == n:
            left.pop(0)
        else:
            dims.append(i)
    return lambda: data.sum(dims)


def sort(device, x, k=None):
    """Sorts rows, or finds the k largest numbers of each."""
    data = normal(device, *x)
    return lambda: torch.sort(data) if k is None else torch.topk(data, k)


def topk_filter(device, tokens, vocab, top_k):
    """Masks all but the top_k logits of a row."""
    logits = normal(device, tokens, vocab)

    def run():
        bound = torch.topk(logits, top_k).values[:, -1:]
        return logits.masked_fill(logits < bound, float("-inf"))
    return run


def sampling(device, tokens, vocab):
    """Draws a token from the logits of each row."""
    logits = normal(device, tokens, vocab)
    return lambda: torch.multinomial(torch.softmax(logits, -1, dtype=torch.float32), 1)


# ---- training


def loss(device, x, grads=0):
    """Cross entropy of rows, with targets that are drawn at random."""
    at = torch.randint(0, x[-1], (max(1, torch.Size(x[:-1]).numel()),), device=device)
    entropy = torch.nn.functional.cross_entropy
    return forward_or_gradients(lambda a: entropy(a.reshape(-1, x[-1]), at),
                                [normal(device, *x)], grads)


def optimizer(device, elements, lists):
    """A step of Adam, of SGD with momentum or of SGD: as many lists of tensors as these
    have. The number of tensors is unknown; one is used."""
    weights = normal(device, max(1, elements // lists)).requires_grad_()
    weights.grad = torch.randn_like(weights)
    if lists >= 4:
        return torch.optim.Adam([weights]).step
    return torch.optim.SGD([weights], 1e-3, 0.9 if lists == 3 else 0).step


# ---- quantization


def fp8_dynamic_per_token_quant(device, tokens, hidden):
    """Converts rows to 8-bit numbers with a scale per row."""
    x = wide(normal(device, tokens, hidden))
    narrow = torch_dtype("fp8_e4m3")
    top = torch.finfo(narrow).max

    def run():
        scale = x.abs().amax(-1, keepdim=True).float() / top
        return (x / scale).clamp(-top, top).to(narrow), scale
    return run


def per_token_group_quant_fp8(device, tokens, hidden, group_size):
    """Converts rows to 8-bit numbers with a scale per group of a row."""
    x = wide(normal(device, tokens, hidden))
    narrow = torch_dtype("fp8_e4m3")
    top = torch.finfo(narrow).max

    def run():
        groups = x.unflatten(-1, (-1, group_size))
        scale = groups.abs().amax(-1, keepdim=True).float() / top
        return (groups / scale).clamp(-top, top).to(narrow).flatten(-2), scale
    return run
