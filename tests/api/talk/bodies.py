"""bodies.py - generated request bodies: compressed, cut, bombs, forms."""
import gzip
import json
import os
import sys
import tempfile
import zlib

from talk.made_collectives import made_all_to_all, made_collectives
from talk.made_layers import (made_grouped, made_lagging, made_layers, made_other,
                              made_other_lagging)
from talk.made_steps import (CHANGED, DECODER, PAGED, RANKS, WORK, made_decoder, made_divided,
                             made_halfway, made_powered, made_rank, made_serving,
                             made_steps)
from talk.server import HERE

TRACE = os.path.join(HERE, "data", "two-kernels.json")
OPEN = b'{"traceEvents": ['


def trace():
    with open(TRACE, "rb") as f:
        return f.read()


def importance(old, new):
    """Returns data/importance.json with one change."""
    with open(os.path.join(HERE, "data", "importance.json"), "rb") as f:
        return f.read().replace(old, new)


def deep(n):
    """Returns n nested brackets in the position of an event."""
    return OPEN + b"[" * n


def bomb():
    """Returns 64 MiB of blanks in a trace's frame: 64 KiB compressed, a ratio of
    1000."""
    return OPEN + b" " * (64 << 20) + b"]}"


def zstd_blanks(n):
    """Returns a zstd frame of n blanks, as run-length blocks (RFC 8878, 3.1.1)."""
    out = b"\x28\xb5\x2f\xfd" + b"\x00\x58"  # no checksum; window of 2 MiB
    raw = OPEN
    out += ((len(raw) << 3)).to_bytes(3, "little") + raw
    step = 128 << 10
    for i in range(0, n, step):
        size = min(step, n - i)
        last = i + step >= n
        out += (int(last) | 1 << 1 | size << 3).to_bytes(3, "little") + b" "
    return out


def trials(names, rules):
    """Returns a request that tries draft rules. The last rule fails on every name; the
    other rules almost do. For all names together the rules need far more than 2 s."""
    draft = [{"match": f"^a*a*a*c{i}", "operator": "gemm"} for i in range(rules - 1)]
    draft.append({"match": "^(?:a|a?)+b", "operator": "gemm"})
    return json.dumps({"names": ["a" * 100] * names, "rules": draft}).encode()


def member(data):
    """Returns a gzip member without a time stamp, so that its bytes never change."""
    return gzip.compress(data, mtime=0)


def compiled(form, numbers="first", new=False, **options):
    """Returns a trace of a compiled program (tests/gen/compiled.py). `new` adds a kernel
    of a stem that the program has, with another grid at another place."""
    sys.path.append(os.path.join(HERE, "..", "gen"))
    from compiled import GELU, made_compiled, triton
    more = [("mm2", triton("extra", GELU.format(11), 90, 96, 98304))] if new else []
    return made_compiled(form, numbers, new=more, **options)


SMALL, LARGE, WIDE, ODD = (1024, 2048, 512), (2048, 2048, 512), (4096, 4096), (4096, 4095)


def efficient(number):
    """Returns run `number` of 66-fleet-best.http. Runs 1 to 5 have what that case
    counts; run 6 has slow calls of what has a fleet-best; run 7 is on another device."""
    sys.path.append(os.path.join(HERE, "..", "gen"))
    from efficiency import made_efficiency
    gemm = ("gemm", "bf16", SMALL)
    if number == 6:
        return made_efficiency([(*gemm, 40)] * 4)
    if number == 7:
        return made_efficiency([(*gemm, 40)] * 4, "NVIDIA A100-SXM4-80GB")
    calls = [(*gemm, 19 + number)] * 4
    calls += [("gemm", "fp16", SMALL, 19 + number)] * (3 if number == 1 else 4)
    calls += [("elementwise", "fp32", WIDE, 99 + number)] * 4
    calls += [("softmax", "fp32", WIDE, 99 + number)] * 4
    if number < 5:
        calls += [("gemm", "fp32", SMALL, 200)] * 10
    if number == 1:
        calls += [("gemm", "bf16", LARGE, 60)] * 4
        calls += [("elementwise", "fp32", ODD, 10)] * 40
    return made_efficiency(calls)


def provenance(form, numbers="first", files=None, named=(), seed=1, **options):
    """Returns a form with a trace of a compiled program and provenance files: those of
    `named`, a list of (numbers, layout), and the bytes in `files`."""
    trace_bytes = compiled(form, numbers, seed=seed, **options)
    from compiled import made_provenance
    parts = [("file", trace_bytes)]
    parts += [("provenance", made_provenance(form, *name)) for name in named]
    parts += [("provenance", data) for data in files or []]
    return b"".join(
        f'--cut\r\nContent-Disposition: form-data; name="{name}"; '
        f'filename="{name}.json"\r\n\r\n'.encode() + data + b"\r\n"
        for name, data in parts) + b"--cut--\r\n"


def graph_export():
    """Returns an export of Nsight Systems: two kernels, replays of two CUDA graphs that
    are recorded as one unit, and a range that overlaps another. data/README.md has the
    details."""
    sys.path.append(os.path.join(HERE, "..", "gen"))
    from nsys_db import Export, PROCESS, US
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "in.sqlite")
        with Export(path) as x:
            x.quiet()
            x.range(8 * US, 20 * US, "step")
            x.range(12 * US, 30 * US, "crossing", 60, rangeId=5)
            for i, (graph, dur) in enumerate([(4, 80 * US), (4, 80 * US), (4, 83 * US), (9, 100)]):
                start = (i + 1) * 100 * US
                x.call(start - 10 * US, start - 9 * US, i + 10, "cudaGraphLaunch_v10000")
                x.add("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", start=start, end=start + dur, deviceId=0,
                      contextId=1, streamId=7, correlationId=i + 10, globalPid=PROCESS,
                      graphId=graph, graphExecId=graph + 1)
        with open(path, "rb") as f:
            return f.read()


def identified(uuid, bus):
    """Returns an export of Nsight Systems with two kernels on a GPU with this UUID and PCI
    address; None: it has none."""
    sys.path.append(os.path.join(HERE, "..", "gen"))
    from nsys_db import Export
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "in.sqlite")
        with Export(path) as x:
            x.quiet()
            x.identify(uuid, bus)
        with open(path, "rb") as f:
            return f.read()


def numbered(gpus, **members):
    """Returns a trace of PyTorch with matrix products on the GPUs 0 and 1 of so many that the
    process sees. It has no UUID and no PCI address. `members`: such as its host."""
    sys.path.append(os.path.join(HERE, "..", "gen"))
    from efficiency import made_efficiency
    return made_efficiency([("gemm", "bf16", (64, 64, 64), 10, gpu) for gpu in (0, 1, 1)],
                           gpus=gpus, **members)


def captured():
    """Returns the module that makes traces of captured graphs."""
    sys.path.append(os.path.join(HERE, "..", "gen"))
    import captured_graphs
    return captured_graphs


def captured_files(rank, ranks, blanks=2 << 20):
    """Returns an execution trace of this rank, by default of more than two chunks, and
    the folder with the captures of these ranks."""
    made = captured()
    return [("graph_execution.json", made.execution(rank) + b" " * blanks),
            *made.folder(ranks)]


def fusions(observed, **options):
    """Returns a trace of operators that one kernel could execute (tests/gen/fusion_pairs.py),
    alone or in an archive with the execution trace of PyTorch; None: that one alone."""
    made = captured()
    from fusion_pairs import planted
    trace_bytes, tensors = planted(**options)
    if observed is None:
        return tensors
    return made.packed([("trace.json", trace_bytes), ("et.json", tensors)]) if observed \
        else trace_bytes


MADE = {
    "fusions": lambda: fusions(False),
    "fusions-observed": lambda: fusions(True),
    "fusions-alone": lambda: fusions(None),
    "fusions-trained": lambda: fusions(True, trains=True),
    **{f"efficient-{n}": (lambda n=n: efficient(n)) for n in range(1, 8)},
    "captures-form": lambda: forms(captured_files(1, (0, 1))),
    "captures-form-small": lambda: forms(
        [("a.json", captured().capture(3)), ("b.json", captured().execution(3))]),
    "captures-form-other": lambda: forms(captured_files(1, (0,)), "trace"),
    "captures-form-empty": lambda: forms([("a.json", captured().capture(3)), ("b.json", b"")]),
    "captures-form-empty-first": lambda: forms([("a.json", b""), ("b.json", b"{}")]),
    "captures-form-only": lambda: forms([("a.json", captured().capture(3))]),
    "captures-tar": lambda: captured().packed(captured_files(1, (0, 1))),
    "captures-tar-gz": lambda: member(captured().packed(captured_files(2, (0, 2), 0))),
    "captures-tar-cut": lambda: captured().packed(captured_files(1, (0, 1)))[:2 << 20],
    "captures-execution": lambda: captured().execution(3),
    "graph-lacks-17": lambda: captured().execution(0, (17,), "one_"),
    "graph-lacks-20": lambda: captured().execution(0, (20,), "one_"),
    "graph-lacks-3": lambda: captured().execution(0, (3,), "one_"),
    "graph-lacks-3-5-7": lambda: captured().execution(0, (3, 5, 7), "one_"),
    "graph-captured": lambda: captured().capture(0, prefix="one_"),
    "graph-of-another-model": lambda: captured().execution(0, (9,), "model_"),
    "captured-with-six-others": lambda: captured().capture(0, prefix="model_", others=range(0, 36, 6)),
    "graph-of-two": lambda: captured().execution(0, (5,), "two_"),
    "captured-plain": lambda: captured().capture(0, prefix="two_"),
    "captured-added": lambda: captured().capture(0, prefix="two_", added=(20,)),
    "inductor": lambda: compiled("inductor"),
    "inductor-again": lambda: compiled("inductor", "again", seed=2),
    "inductor-slow": lambda: compiled("inductor", "again", times={"down": 1.6}, seed=3),
    "inductor-slow-first": lambda: compiled("inductor", times={"down": 1.6}, seed=4),
    "inductor-new": lambda: compiled("inductor", "again", new=True, seed=5),
    "inductor-new-first": lambda: compiled("inductor", new=True, seed=6),
    "moved": lambda: compiled("moved"),
    "moved-again": lambda: compiled("moved", "again", seed=2),
    "moved-known": lambda: provenance("moved", named=[("first", "mappings")]),
    "moved-again-known": lambda: provenance("moved", "again", seed=2, named=[
        ("again", "information")]),
    "moved-slow-known": lambda: provenance("moved", "again", seed=3, times={"left": 1.6},
                                           named=[("again", "mappings"),
                                                  ("again", "stacks")]),
    "provenance-other": lambda: provenance("inductor", "again", named=[("first", "mappings")]),
    "provenance-xla": lambda: provenance("xla", files=[b'{"cppCodeToPost": {"a": ["b"]}}']),
    "provenance-text": lambda: provenance("moved", files=[b"hello"]),
    "provenance-cut": lambda: provenance("moved", files=[b'{"cppCodeToPost": {"a": ["b"']),
    "provenance-twice": lambda: provenance("moved", files=[
        b'{"cppCodeToPost": {"a": ["b"],\n "a": ["c"]}}']),
    "provenance-deep": lambda: provenance("moved", files=[b"[" * 100_000]),
    "provenance-number": lambda: provenance("moved", files=[b'{"version": 2}']),
    "provenance-list": lambda: provenance("moved", files=[b'{"cppCodeToPost": {"a": [["b"]]}}']),
    "provenance-no-nodes": lambda: provenance("moved", files=[b'{"a": {"stack_traces": []}}']),
    "provenance-mapped": lambda: provenance("moved", files=[b'{"cppCodeToPost": ["a"]}']),
    "provenance-empty": lambda: provenance("moved", files=[b"{}"]),
    "provenance-huge": lambda: provenance("moved", files=[
        b'{"a": ["' + b"x" * (16 << 20) + b'"]}']),
    "provenance-second": lambda: provenance("moved", named=[("first", "mappings")],
                                            files=[b"[1]"]),
    "provenance-only": lambda: (
        b'--cut\r\nContent-Disposition: form-data; name="provenance"; filename="p"\r\n\r\n'
        b'{"cppCodeToPost": {"a": ["b"]}}\r\n--cut--\r\n'),
    "powered": lambda: made_powered(300),
    "powered-read": lambda: made_powered(300, "gpu_power"),
    "powered-negative": lambda: made_powered(-300),
    "powered-divided": made_divided,
    **{f"powered-{watts}": lambda watts=watts: made_powered(watts)
       for watts in (298, 299, 301, 390, 391)},
    "powered-short": lambda: made_powered(300, seconds=4),
    "xla": lambda: compiled("xla"),
    "xla-again": lambda: compiled("xla", "again", seed=2),
    "xla-slow": lambda: compiled("xla", "again", times={"out": 1.6}, seed=3),
    "xla-slow-first": lambda: compiled("xla", times={"out": 1.6}, seed=4),
    "variants": lambda: compiled("variants"),
    "variants-again": lambda: compiled("variants", "again", seed=2),
    "variants-slow": lambda: compiled("variants", "again", times={"down": 1.6}, seed=3),
    "variants-slow-again": lambda: compiled("variants", "again", times={"down": 1.6}, seed=4),
    "graph-export": graph_export,
    "layers": made_layers,
    "layers-grouped": made_grouped,
    "layers-lagging": made_lagging,
    "layers-other": made_other,
    "layers-other-lagging": made_other_lagging,
    "steps": lambda: made_steps(WORK),
    "steps-again": lambda: made_steps(WORK, seed=2),
    "steps-third": lambda: made_steps(WORK, seed=4),
    "steps-fourth": lambda: made_steps(WORK, seed=5),
    "steps-changed": lambda: made_steps(CHANGED, seed=3),
    "serving-16": lambda: made_serving(16),
    "serving-8": lambda: made_serving(8),
    "serving-mostly-16": lambda: made_serving(16, 16, 16, 8),
    "serving-mostly-8": lambda: made_serving(16, 8, 8, 8, 8, 8, 8),
    "steps-changed-again": lambda: made_steps(CHANGED, seed=6),
    "decoder-0": lambda: made_decoder(DECODER, 0),
    "decoder-1": lambda: made_decoder(DECODER, 1),
    "paged-0": lambda: made_decoder(PAGED, 0),
    "paged-1": lambda: made_decoder(PAGED, 1, gemm_us=1500),
    "rank-0-of-2": lambda: made_rank(0, 2),
    "halfway-0": lambda: made_halfway(0),
    "halfway-1": lambda: made_halfway(1),
    "halfway-2": lambda: made_halfway(2),
    "halfway-3-later": lambda: made_halfway(3, later=1),
    "rank-unknown": lambda: made_steps(RANKS[0], pid=100, uneven=0),
    "rank-1-of-2": lambda: made_rank(1, 2),
    "rank-0-of-4": lambda: made_rank(0, 4),
    "rank-0-again": lambda: made_rank(1, 4, as_rank=0),
    "calls-5-to-7": lambda: made_collectives(
        0, [(5, 1000, 70), (6, 1000, 10), (7, 1000, 50)], host="a"),
    "calls-6-to-8": lambda: made_collectives(
        1, [(6, 1000, 40), (7, 1000, 30), (8, 1000, 5)], host="a"),
    "calls-of-a-node": lambda: made_collectives(
        0, [(1, 1125000, 10), (2, 1125000, 50), (3, 1125000, 4, "barrier")], devices=2),
    "calls-that-wait": lambda: made_collectives(
        0, [(1, 1125000, 10), (2, 1125000, 10), (3, 1125000, 100)], devices=2),
    "calls-of-a-device": lambda: made_collectives(1, [(1, 1125000, 20)], devices=2),
    "calls-odd-0": lambda: made_collectives(0, [(1, 1000, 10), (2, 1000, 10)]),
    "calls-odd-1": lambda: made_collectives(
        1, [(1, 500, 30), (2, 1000, 10, "allgather")]),
    "calls-again-0": lambda: made_collectives(
        0, [(3, 1000, 10), (4, 1000, 20), (1, 1000, 30), (3, 1000, 40)]),
    "calls-again-1": lambda: made_collectives(
        1, [(3, 1000, 40), (4, 1000, 30), (1, 1000, 20), (3, 1000, 10)]),
    "calls-once-0": lambda: made_collectives(
        0, [(3, 1000, 11), (4, 1000, 20), (1, 1000, 30), (3, 1000, 40)]),
    "calls-once-1": lambda: made_collectives(
        1, [(3, 1000, 40), (4, 1000, 30), (5, 1000, 20), (6, 1000, 10)]),
    "calls-other-0": lambda: made_collectives(0, [(3, 1000, 40)]),
    "calls-other-2": lambda: made_collectives(2, [(3, 1000, 40)], ranks="[2, 3]"),
    "calls-of-four": lambda: made_collectives(0, [(1, 1000, 10)], ranks="[0, 1, 2, 3]"),
    "calls-of-four-1": lambda: made_collectives(1, [(1, 1000, 30)], ranks="[0, 1, 2, 3]"),
    "calls-of-four-again": lambda: made_collectives(0, [(1, 1000, 20)],
                                                    ranks="[0, 1, 2, 3]"),
    "calls-overtaken-0": lambda: made_collectives(
        0, [(6, 1000, 10), (5, 1000, 20), (7, 1000, 30)]),
    "calls-overtaken-1": lambda: made_collectives(
        1, [(5, 1000, 10), (6, 1000, 20), (7, 1000, 30)]),
    "all-to-all-0": lambda: made_all_to_all(
        0, 2, [([1, 2], [1, 5], 50), ([], [], 60)]),
    "all-to-all-1": lambda: made_all_to_all(
        1, 2, [([5, 3], [2, 3], 70), ([], [], 55)]),
    "all-to-all-odd-0": lambda: made_all_to_all(
        0, 2, [([1, 2], [1, 0], 50), ("[1, ...]", "[1, ...]", 60), ("[1, -2]", "[3]", 70)]),
    "all-to-all-odd-1": lambda: made_all_to_all(
        1, 2, [([0, 3], [1, 3], 70), ("[1, 2, 3]", "[1, 2]", 55), ("[]", "[", 30)]),
    "all-to-all-plain-0": lambda: made_all_to_all(0, 2, [(None, None, 50), (None, None, 60)]),
    "all-to-all-plain-1": lambda: made_all_to_all(1, 2, [(None, None, 70), (None, None, 55)]),
    "calls-fast": lambda: made_collectives(
        0, [(1, 1000, 20), (2, 1000, 30), (3, 1000, 900, "send")]),
    "calls-slow": lambda: made_collectives(
        0, [(1, 1000, 40), (2, 1000, 60), (3, 1000, 900, "send")]),
    "importance-other-platform": lambda: importance(b"NVIDIA H20", b"Card X9"),
    "importance-without-shapes": lambda: importance(b"Input Dims", b"Dims"),
    "slow-trials": lambda: trials(100, 500),
    "many-names": lambda: trials(101, 1),
    "many-rules": lambda: trials(1, 501),
    "empty": lambda: b"",
    "gzip": lambda: member(trace()),
    "two-members": lambda: member(trace()[:900]) + member(trace()[900:]),
    "gzip-garbage": lambda: member(trace()) + b"\x00garbage",
    "gzip-cut": lambda: member(trace())[:-20],
    "zlib": lambda: zlib.compress(trace()),
    "gzip-bomb": lambda: member(bomb()),
    "gpu-uuid": lambda: identified("6161e0f3-67ae-555b-f069-dbe4b0f787e2", "0000:57:00.0"),
    "gpu-numbers": lambda: numbered(8, host_name="node7"),
    "gpu-numbers-without-host": lambda: numbered(8),
    "gpu-bus": lambda: identified(None, "0000:58:00.0"),
    "zstd-bomb": lambda: zstd_blanks(64 << 20),
    "blanks-1.5-mib": lambda: OPEN + b" " * 1572848,
    "truncated": lambda: trace()[:-120],
    "deep": lambda: deep(1_000_000),
    "png": lambda: b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(200),
    "lfs": lambda: (b"version https://git-lfs.github.com/spec/v1\n"
                    b"oid sha256:" + b"4d" * 32 + b"\nsize 12345\n"),
    "html": lambda: b"<!DOCTYPE html><html><body>404</body></html>",
    "words": lambda: b"hello, this is no trace\n",
    "nul": lambda: bytes(5000),
    "elf": lambda: b"\x7fELF\x02\x01\x01" + bytes(100),
    "sqlite": lambda: b"SQLite format 3\x00" + bytes(100),
    "cut-form": lambda: b'--cut\r\nContent-Disposition: form-data; name="f"; '
                        b'filename="x"\r\n\r\n' + trace()[:50],
    "field-form": lambda: b'--cut\r\nContent-Disposition: form-data; name="project"'
                          b"\r\n\r\ndemo\r\n--cut--\r\n",
}


def forms(files, field="files"):
    """Returns a form with these (name, bytes), as a web page posts it."""
    parts = [f'--cut\r\nContent-Disposition: form-data; name="{field}"; '
             f'filename="{name}"\r\nContent-Type: application/json\r\n\r\n'.encode() +
             data + b"\r\n" for name, data in files]
    return b"".join(parts) + b"--cut--\r\n"


def form(data, name):
    """Returns a form with one file in it, as a web page posts it."""
    return forms([(name, data)], "file")
