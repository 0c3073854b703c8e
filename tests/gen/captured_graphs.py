"""captured_graphs.py - an execution trace of graph replays, and the traces of the stream
captures of its graphs, as vLLM and SGLang write them with TraceLens' patches.

The graph has LAYERS matrix products. Product i of rank r is (TOKENS × WIDTH) by
(WIDTH × columns(r, i)), so that each rank has its own sizes but the same kernels.

`prefix` begins the kernels' names: graphs of another prefix have no kernel in common.
"""
import gzip
import io
import json
import tarfile

LAYERS, TOKENS, WIDTH, KERNEL_US = 40, 32, 64, 5
PREFIX = 'Cijk_Ailk_Bljk_BBS_BH_MT64x'
DEVICE = {'id': 0, 'name': 'AMD Instinct MI300X', 'totalGlobalMem': 206141652992,
          'computeMajor': 9, 'computeMinor': 4, 'numSms': 304}


def columns(rank, layer):
    return 128 * (rank + 1) + 16 * layer


def kernel(layer, prefix=PREFIX):
    return f'{prefix}{layer}'


def event(category, name, ts, dur, pid=851, tid=851, **args):
    return {'ph': 'X', 'cat': category, 'name': name, 'pid': pid, 'tid': tid, 'ts': ts,
            'dur': dur, 'args': args}


def trace(events, rank):
    head = {'schemaVersion': 1, 'deviceProperties': [DEVICE]}
    if rank is not None:
        head['distributedInfo'] = {'backend': 'nccl', 'rank': rank, 'world_size': 8}
    return json.dumps({**head, 'traceEvents': events}).encode()


def replays(at, lacks=(), prefix=PREFIX):
    """A graph launch and its kernels, except those of the layers `lacks`."""
    yield event('cuda_runtime', 'hipGraphLaunch', at, 3, correlation=9000)
    for i in range(LAYERS):
        if i not in lacks:
            yield event('kernel', kernel(i, prefix), at + 10 + KERNEL_US * i, KERNEL_US, 0, 0,
                        device=0, stream=0, correlation=9000)


def captured(rank, named=True, prefix=PREFIX, added=(), others=()):
    """A stream capture. The layers `added` are sums, and the layers `others` have a
    kernel of their own."""
    yield event('cuda_runtime', 'hipStreamBeginCapture', 100, 1, correlation=1)
    for i in range(LAYERS):
        at = 200 + 100 * i
        name = kernel(i, prefix) + ('_other' if i in others else '')
        dims = [[TOKENS, WIDTH], [WIDTH, columns(rank, i)]]
        if i in added:
            dims[1] = dims[0]
        yield event('cpu_op', 'aten::add' if i in added else 'aten::mm', at, 50, **{
            'External id': 100 + i, 'Input type': ['c10::BFloat16'] * 2,
            'Input Dims': dims})
        yield event('cuda_runtime', 'hipExtModuleLaunchKernel', at + 10, 5, correlation=i + 2,
                    **{'External id': 100 + i, **({'kernel': name} if named else {})})
    yield event('cuda_runtime', 'hipStreamEndCapture', 200 + 100 * LAYERS, 1,
                correlation=LAYERS + 2)


def execution(rank=0, lacks=(), prefix=PREFIX):
    return trace(list(replays(1000000, lacks, prefix)), rank)


def capture(rank=0, known=True, named=True, replayed=False, **more):
    """`known`: the trace states its rank. `replayed`: the graph is launched once after
    its capture."""
    after = list(replays(20000)) if replayed else []
    return trace(list(captured(rank, named, **more)) + after, rank if known else None)


def shapes(rank, lacks=()):
    """The (M, N, K) of each replayed kernel, sorted."""
    return sorted((TOKENS, columns(rank, i), WIDTH)
                  for i in range(LAYERS) if i not in lacks)


def details(*files):
    """The file that engines write next to the captures."""
    return json.dumps([{'file': f, 'batch_size': TOKENS, 'mode': 'FULL'}
                       for f in files]).encode()


def packed(members, mode='w', form=tarfile.GNU_FORMAT):
    """A tar archive of (name, bytes) or of tarfile.TarInfo."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=form) as tar:
        for m in members:
            info, body = (m, b'') if isinstance(m, tarfile.TarInfo) else \
                (tarfile.TarInfo(m[0]), m[1])
            if body:
                info.size = len(body)
            tar.addfile(info, io.BytesIO(body))
    return out.getvalue()


def folder(ranks, known=True):
    """The members of a capture folder."""
    names = [f'capture_traces/graph_capture_rank_{r}.1773709742.pt.trace.json.gz'
             for r in ranks]
    return [(n, gzip.compress(capture(r, known), mtime=0)) for n, r in zip(names, ranks)] + \
        [('capture_traces/execution_details.json', details(*names))]
