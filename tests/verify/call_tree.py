#!/usr/bin/python3
"""call_tree.py - the merged call paths of a stored run are those of its trace.

call_tree.py [FILE]...

Uploads a generated trace of a model of 24 layers, and the given files (default: the recorded
Kineto traces of up to 1 MiB and owlv2-large_h100, if there are any). launch_figures.py computes the call paths of each
trace again; this script merges them with regular expressions and adds them up in dictionaries.
Every node of /runs/{id}/call-tree must have the sums of these paths, also against another run and
after small nodes are added up, and /runs/{id}/kernels/{k}/callers must have the merged paths of
the kernels with the most time, in order.

In the generated trace, and in owlv2-large_h100, a softmax is launched by each layer: no single
path has more than 10 % of its time, and one merged path must have at least 90 %.
"""
import collections
import glob
import json
import os
import re
import sys
import tempfile

import callers
import kernel_stats
import launch_figures
import running
import trace_reports

LAYERS = 24
MOST_BYTES = 1 << 20
KERNELS = 3
STEP = re.compile(r' > (?=(?:annotation|module|python|op):)')
PLACE = re.compile(r'(.+?)\((\d+)\): ')
WORD = re.compile(r'((?:layer|block|expert|stage)s?[ _#:\-\[(=]*)\d+(?![A-Za-z0-9])', re.I)
LIBRARY = re.findall(r'^LIBRARY_CODE\("(\w+)"\)', open(
    f'{kernel_stats.SOURCE}/server/analyze/launches/library_code.def').read(), re.M)


def merged(kind, name):
    """The name that the instances of a layer share."""
    if kind not in ('module', 'annotation'):
        return name
    if kind == 'module':
        name = re.sub(r'^(nn\.Module: .*_)\d+$', r'\1*', name)
        name = re.sub(r'(?<=[./])\d+(?=[./]|$)', '*', name)
    else:
        name = re.sub(r'(^|[./ ])([^./\d ]*[A-Za-z][^./\d ]*[./])\d+(?=[./]|$)', r'\1\2*', name)
    return WORD.sub(r'\1*', name)


def without_line(kind, name):
    """Functions of two runs are compared without their lines."""
    at = PLACE.match(name) if kind == 'python' else None
    return f'{at[1]}: {name[at.end():]}' if at else name


def is_user(kind, name):
    at = PLACE.match(name) if kind == 'python' else None
    if not at or name.startswith('<'):
        return False
    path = at[1]
    inside = re.search(r'(?:site|dist)-packages/(.*)', path)
    if not inside and re.search(r'lib/python3\.\d*/', path):
        return False
    first = (inside[1] if inside else path).split('/')
    return first[0] not in LIBRARY and not (len(first) == 1 and first[0][:-3] in LIBRARY)


def due_of(run, shown):
    """Returns {(merged frames…, kernel): [launches, ns, single paths]}."""
    due = collections.defaultdict(lambda: [0, 0, 0])
    single = collections.defaultdict(lambda: [0, 0])
    for (kernel, known, path), (n, ns) in launch_figures.callers(run).items():
        # mangled names with one demangled name are one kernel
        line = single[shown[kernel], known, path]
        line[0] += n
        line[1] += ns
    for (kernel, known, path), (n, ns) in single.items():
        frames = tuple(tuple(part.split(':', 1)) for part in STEP.split(path)) if path else \
            ((known, None),)
        frames = tuple((kind, merged(kind, name)) for kind, name in frames)
        line = due[frames + (('kernel', kernel),)]
        line[0] += n
        line[1] += ns
        line[2] += 1
    return due, single


def nodes_of(doc):
    """Returns {path of merged names: node}; `other` nodes have their parent's path and
    ('other', None)."""
    paths, found = [], {}
    for node in doc['nodes']:
        if node['parent'] is None:
            paths.append(())
        else:
            name = doc['kernels'][node['kernel']]['name'] if node['kind'] == 'kernel' else \
                node['name'] and merged(node['kind'], node['name'])
            if node['kind'] in ('module', 'annotation'):
                assert node['members'] == 1 or node['name'] == name, node
            if doc['against'] and name:
                name = without_line(node['kind'], name)
            paths.append(paths[node['parent']] + ((node['kind'], name),))
        assert paths[-1] not in found, f'a node is listed twice: {paths[-1]}'
        found[paths[-1]] = node
    return found


def sums_of(due, two):
    """The sums of each path and of all paths that it begins."""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for path, line in due.items():
        if two:
            path = tuple((kind, name and without_line(kind, name)) for kind, name in path)
        for depth in range(len(path) + 1):
            for i, value in enumerate(line):
                sums[path[:depth]][i] += value
    return sums


def hold_closed(what, doc):
    """The sums of the children of a node are those of the node."""
    below = collections.defaultdict(collections.Counter)
    fields = ('launches', 'total_ns', 'against_launches', 'against_ns', 'callers')
    for node in doc['nodes'][1:]:
        for field in fields:
            below[node['parent']][field] += node[field] or 0
    for at, sums in below.items():
        for field in fields:
            assert sums[field] == (doc['nodes'][at][field] or 0), f'{what}: {at} {field}'


def hold_tree(what, doc, due, against=None):
    hold_closed(what, doc)
    found, sums = nodes_of(doc), sums_of(due, against)
    other = sums_of(against, True) if against else None
    folded = any(kind == 'other' for path in found for kind, _ in path)
    for path, node in found.items():
        if path and path[-1][0] == 'other':
            continue
        line = sums.get(path, [0, 0, 0])
        got = [node['launches'], node['total_ns'], node['callers']]
        assert got == line, f'{what}: {path}: {got} are not {line}'
        if other:
            got = [node['against_launches'], node['against_ns']]
            assert got == other.get(path, [0, 0])[:2], f'{what}: {path} against'
    if not folded:
        want = set(sums) | set(other or ())
        want.add(())
        assert set(found) == want, f'{what}: {set(found) ^ want}'
    users = set()
    for path in due:
        nearest = [i for i, (kind, name) in enumerate(path) if is_user(kind, name)]
        if nearest:
            users.add(path[:nearest[-1] + 1])
    for path, node in found.items():
        if not folded and not other:
            assert node['user_frame'] == (path in users), f'{what}: {path}: {node}'


def hold_callers(server, what, run, due):
    """Returns the largest share of the path of each of the kernels with the most time."""
    kernels = server.get(f'/runs/{run}/kernels?limit={KERNELS}')['items']
    for k in kernels:
        lines = sorted(([ns, n, paths, path[:-1]] for path, (n, ns, paths) in due.items()
                        if path[-1][1] == k['name']), key=lambda x: -x[0])
        items, cursor = [], ''
        while cursor is not None:
            page = server.get(f"/runs/{run}/kernels/{k['id']}/callers?limit=100&cursor={cursor}")
            items += page['items']
            cursor = page['next']
        got = [[i['total_ns'], i['launches'], i['paths'],
                tuple((f['kind'], merged(f['kind'], f['name'])) for f in i['path']) or ((i['found_by'], None),)]
               for i in items]
        assert [g[0] for g in got] == [x[0] for x in lines], f'{what}: order of {k["name"]}'
        assert sorted(got, key=str) == sorted(lines, key=str), f'{what}: callers of {k["name"]}'
        for i in items:
            last = [j for j, f in enumerate(i['path']) if is_user(f['kind'], f['name'])]
            assert i['user_frame'] == (last[-1] if last else None), f'{what}: {i}'


def softmax(what, due, single):
    """One merged path has at least 90 % of the softmax, no single path more than 10 %."""
    ns = collections.Counter()
    for (kernel, _, _), (_, time) in single.items():
        ns[kernel] += time if 'softmax' in kernel.lower() else 0
    (kernel, total), = ns.most_common(1)
    one = max(v[1] for k, v in single.items() if k[0] == kernel)
    many = max(v[1] for k, v in due.items() if k[-1][1] == kernel)
    assert one <= 0.1 * total and many >= 0.9 * total, \
        f'{what}: {one} and {many} of {total} ns'
    return 100 * many / total


def made(layers, odd, line=88):
    """A trace of `layers` layers, each with a softmax and a gemm. `odd` adds names that a page
    must not interpret, and a call path of 500 frames. `line` is that of a user's function."""
    events, us, number = [], [0], [0]

    def span(cat, name, inside):
        start = us[0]
        us[0] += 1
        inside()
        us[0] += 1
        events.append({'ph': 'X', 'cat': cat, 'name': name, 'pid': 7, 'tid': 7, 'ts': start,
                       'dur': us[0] - start, 'args': {}})
        us[0] += 1

    def launch(kernel, dur):
        number[0] += 1
        ids = {'correlation': number[0]}
        events.append({'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 7,
                       'tid': 7, 'ts': us[0], 'dur': 1, 'args': ids})
        events.append({'ph': 'X', 'cat': 'kernel', 'name': kernel, 'pid': 0, 'tid': 7,
                       'ts': 100000 + 100 * number[0], 'dur': dur,
                       'args': {'device': 0, 'stream': 7, 'grid': [1, 1, 1],
                                'block': [32, 1, 1], **ids}})
        us[0] += 2

    def attention(number):
        span('python_function', f'models/vision.py({line}): softmax_scores', lambda: span(
            'python_function', 'torch/nn/functional.py(2140): softmax', lambda: span(
                'cpu_op', 'aten::_softmax', lambda: launch('softmax_warp_forward', 50 + number))))
        span('python_function', f'nn.Module: Linear_{number}', lambda: span(
            'cpu_op', 'aten::mm', lambda: launch('gemm_128x128', 20)))

    def layer(number):
        span('python_function', f'nn.Module: EncoderLayer_{number}', lambda: span(
            'python_function', 'torch/nn/modules/module.py(1743): _call_impl',
            lambda: attention(number)))

    def deep(left):
        if left:
            span('python_function', f'deep.py({left}): f', lambda: deep(left - 1))
        else:
            launch('<b>bold</b> \u202eabc \U0001f600', 3)

    def model():
        for number in range(layers):
            layer(number)
        span('cpu_op', 'aten::softmax', lambda: launch('softmax_warp_forward', 9))
        if odd:
            span('user_annotation', '<img src=x onerror=alert(1)> \u202elayer 3', lambda: deep(499))

    span('python_function', 'train.py(12): main', model)
    return json.dumps({'traceEvents': events})


def uploaded(server, path):
    """Returns [(run id, merged paths, single paths)]."""
    with open(path, 'rb') as f:
        u = server.ended(server.upload(f'project=p&file={os.path.basename(path)}', f.read()))
    assert u['state'] == 'done', f"{path}: {u['error']}"
    shown = callers.shown_by(trace_reports.inspected(kernel_stats.PROGRAM, path, 'source'))
    runs = launch_figures.read(path)
    ranks = {server.get(f'/runs/{run}')['rank']: run for run in u['runs']}
    if len(runs) == len(ranks) == 1:
        runs = {next(iter(ranks)): next(iter(runs.values()))}
    return [(ranks[rank], *due_of(run, shown)) for rank, run in sorted(
        runs.items(), key=lambda x: -1 if x[0] is None else x[0]) if rank in ranks]


def hold(server, what, run, due):
    exact = server.get(f'/runs/{run}/call-tree?min_share_pct=0')
    hold_tree(what, exact, due)
    root = server.get(f'/runs/{run}')
    assert (exact['nodes'][0]['total_ns'], exact['nodes'][0]['launches']) == \
        (root['kernel_ns'], root['launches']), f'{what}: the totals of the run'
    for share in (0.05, 5):
        doc = server.get(f'/runs/{run}/call-tree?min_share_pct={share}')
        hold_tree(what, doc, due)
        assert len(doc['nodes']) <= len(exact['nodes']) + 1, what
    hold_callers(server, what, run, due)
    return len(exact['nodes'])


def main():
    running.skip_without_postgres()
    sys.setrecursionlimit(10000)  # a call path of 500 frames is made by recursion
    recorded = sys.argv[1:] or sorted(
        p for p in glob.glob(f'{kernel_stats.FOLDER}/*.json.gz')
        if os.path.getsize(p) <= MOST_BYTES or 'owlv2-large_h100' in p)
    with running.Server() as server, tempfile.TemporaryDirectory() as folder:
        runs = []
        for name, text in (('made', made(LAYERS, True)), ('more', made(LAYERS + 8, False, 91))):
            path = f'{folder}/{name}.json'
            with open(path, 'w') as f:
                f.write(text)
            runs.append(uploaded(server, path)[0])
            hold(server, name, *runs[-1][:2])
            print(f'{softmax(name, *runs[-1][1:]):.1f} % of the softmax by one path  {name}')
        (one, due, _), (two, others, _) = runs
        for share in (0, 2):
            hold_tree('two runs', server.get(
                f'/runs/{one}/call-tree?against={two}&min_share_pct={share}'), due, others)
        layer = [n for n in server.get(f'/runs/{one}/call-tree')['nodes']
                 if n['name'] == 'nn.Module: EncoderLayer_*']
        assert [n['members'] for n in layer] == [LAYERS], layer
        for path in recorded:
            what = os.path.basename(path)
            for run, due, single in uploaded(server, path):
                n = hold(server, what, run, due)
                print(f'{n:6} nodes  {what}', flush=True)
                if what.startswith('owlv2-large_h100'):
                    print(f'{softmax(what, due, single):.1f} % of the softmax by one path')


if __name__ == '__main__':
    main()
