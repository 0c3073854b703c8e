#!/usr/bin/python3
"""reference.py - compares the answers of two builds for equal traces, number by number.

reference.py keep BIN OUT FOLDER...    starts a server, uploads every trace of the
                                       folders, and writes to OUT: all answers to
                                       GET, the output of `kernsift` for pairs of
                                       runs, the output of `inspect` for each file,
                                       and a backup
reference.py restore BIN OUT BACKUP    writes the answers of a server that restored
                                       the backup
reference.py compare A B [--names MAP] [--show N]
                                       prints the differences and exits with 1 if
                                       there are any
                                       --only / leaves out the output of commands,
                                       which restore does not record
reference.py check                     compares small recordings made by hand

BIN is the folder of a build's binaries. Both builds get the same files in the
same order, one after the other, so that their ids agree. Times at which the two
recordings were made are not compared.

MAP is JSON and translates the names of A to those of B:
  {"addresses": [["REGEX", "TEXT"], ...],  replaced in A's addresses, in order
   "fields": {"NAME": "NEW"},              NAME is a field; or the end of its path,
                                           such as "items.avg_ns"; or its full path
                                           with the kind of address, such as
                                           "/runs/{id}/kernels.items.avg_ns".
                                           null: B does not have the field
   "values": {"NAME": {"OLD": "NEW"}},     replaced values of a field
   "prose": true}                          texts are equal if their numbers are
"""
import argparse
import calendar
import hashlib
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse

import everything
import running

# A number in a text. Digits after a letter are part of a name and do not match.
NUMBER = re.compile(r'(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?')
MOMENT = re.compile(r'\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?')
# For an answer longer than this, only a hash of its numbers is kept.
WHOLE_BYTES = 4 << 20
# Parameters that change only the order of a list. Their values are not tried.
ORDERS = {'sort'}
LIMIT = 500
# One worker ingests the uploads in their order, so that ids are equal.
OPTIONS = ['--workers', '1', '--worker_nice', '0']
# Sums over a fleet are floating-point numbers. The order of their terms depends on
# when the server folded the sums over runs. Therefore the last digits may differ.
SUM_ORDER = 1e-13
FULL = re.compile(r'-?\d+\.\d{12,}(?:e[-+]?\d+)?')
# The interval of importance comes from random draws of workloads, whose order is not
# defined. Therefore one server may return another interval for a repeated request.
INTERVAL = ('/importance', {'low', 'high'})
# This field depends on the clock: attempts are counted again after an upload
# progresses.
CLOCK = {'tries'}
GATE = {'workload': None, 'name': 'reference'}
PAIRS_NAMED = [('qwen1.5-0.5b_h100', 'qwen1.5-0.5b_mi300x'),
               ('owlv2-large_h100', 'owlv2-large_mi300x'),
               ('deepseek-r1-decode_sglang_b300_tp0',
                'deepseek-r1-decode_sglang_mi300x_tp0'),
               ('sam-fast_a1', 'sam-fast_b'),
               ('gpt-2.7b_a100_eager', 'gpt-2.7b_a100_compiled-graphs'),
               ('normal_perf', 'abnormal_perf')]


# ---- requests

def traces(folders):
    """Returns [(path below its folder, path)], sorted."""
    found = []
    for folder in folders:
        for at, _, names in os.walk(folder):
            found += [(os.path.relpath(f'{at}/{n}', os.path.dirname(folder)),
                       f'{at}/{n}') for n in names if not n.endswith('.md')]
    return sorted(found)


def stem(name):
    return re.sub(r'(\.(json|gz|sqlite|csv|rpd|kst|zst))+$', '',
                  os.path.basename(name))


def labels(i, name):
    """Returns the parameters of an upload: repeats have one workload, ranks one job."""
    workload = re.sub(r'_?([a-z]{0,4}\d+|[ab]\d?)$', '', stem(name))
    query = {'project': os.path.dirname(name), 'workload': workload,
             'name': stem(name), 'file': os.path.basename(name),
             'label.branch': 'main', 'label.commit': f'c{i}'}
    if '_rank' in name:
        query['job'] = workload
    return urllib.parse.urlencode(query)


def fill(server, files):
    """Uploads all files; returns {stem: ids of its runs}."""
    made, seen = {}, set()
    for i, (name, path) in enumerate(files):
        with open(path, 'rb') as f:
            status, _, body = server.ask(
                'POST', f'/uploads?{labels(i, name)}', f.read())
        runs = made.setdefault(stem(name), [])
        if status not in (200, 202):
            continue
        server.ended(json.loads(body)['id'])
        there = {r['id'] for r in paged(server, '/runs')}
        runs += sorted(there - seen)
        seen = there
    return made


def paged(server, path):
    items, cursor = [], ''
    while True:
        got = server.get(f'{path}?limit={LIMIT}{cursor}')
        items += got['items']
        if not got['next']:
            return items
        cursor = f'&cursor={urllib.parse.quote(str(got["next"]))}'


def pairs(made):
    """Returns the sides of comparisons: adjacent runs, and runs whose files belong
    together."""
    runs = sorted(itertools.chain.from_iterable(made.values()))
    yield from ((str(a), str(b)) for a, b in zip(runs, runs[1:]))
    for a, b in PAIRS_NAMED:
        if made.get(a) and made.get(b):
            yield str(made[a][0]), str(made[b][0])
            yield str(made[b][0]), str(made[a][0])
    groups = {}
    for name, ids in made.items():
        groups.setdefault(re.sub(r'_?[a-z]*\d+$', '', name), []).extend(ids)
    for ids in groups.values():
        for cut in {len(ids) // 2, len(ids) - 1} if len(ids) > 2 else ():
            yield (','.join(map(str, sorted(ids)[:cut][:8])),
                   ','.join(map(str, sorted(ids)[cut:][:8])))


def gates(server, made):
    """Requests a gate of each pair; its result is read with GET."""
    for base, head in pairs(made):
        for more in ({}, {'operators': [{'operator': 'gemm', 'pct': 3}],
                          'headroom_pct': 5}):
            server.ask('POST', '/gates', json.dumps(
                {'base': base, 'head': head, **GATE, **more}).encode())


def ask(server, path):
    """Returns (status, body) of a GET."""
    return server.ask('GET', path)[::2]


def choices(document, path):
    """Returns queries for every variant of a route: each parameter that has a list of
    values, with one value at a time."""
    found = ['']
    for p in document['paths'][path]['get'].get('parameters', []):
        if p['in'] == 'query' and p['name'] not in ORDERS:
            found += [f'{p["name"]}={urllib.parse.quote(str(v))}'
                      for v in p['schema'].get('enum', [])]
    if 'limit' in [p['name'] for p in
                   document['paths'][path]['get'].get('parameters', [])]:
        found = [f'{q}&limit={LIMIT}'.lstrip('&') for q in found]
    return found


def by_openapi(server, document):
    """Returns the addresses of all routes that need no parameters other than ids."""
    def answered(path):
        return ask(server, path)
    for full in sorted(document['paths']):
        path = full.removeprefix('/api/v1')
        if 'get' not in document['paths'][full] or (
                path in everything.PASSING or path == '/openapi.json'):
            continue
        queries = choices(document, full)
        for filled in everything.fillings(answered, path):
            for q in queries:
                yield f'{filled}?{q}'.rstrip('?')


def of_pairs(server, document, made):
    queries = choices(document, '/api/v1/compare')
    breakdowns = choices(document, '/api/v1/breakdown')
    for n, (base, head) in enumerate(pairs(made)):
        sides = f'base={base}&head={head}'
        for q in queries if n % 4 == 0 or ',' in base else queries[:1]:
            yield f'/compare?{sides}&{q}'.rstrip('&')
        status, body = ask(server, f'/compare?{sides}')
        for item in json.loads(body).get('items', [])[:2]:
            function = urllib.parse.quote(item['function'])
            yield f'/compare/series?{sides}&function={function}'
        if ',' not in base:
            for q in breakdowns:
                yield f'/breakdown?runs={base},{head}&{q}'.rstrip('&')
    for job in paged(server, '/jobs'):
        yield f'/compare?base=job:{job["id"]}&head={max(map(max, filter(None, made.values())))}'


def of_runs(server, made):
    """Returns requests with parameters that have no list of values: ranges, starts,
    platforms."""
    platforms = [p['name'] for p in server.get('/platforms')['items']][:3]
    for ids in made.values():
        for run in ids:
            kernels = server.get(f'/runs/{run}/kernels?limit=3')['items']
            yield f'/runs/{run}/iterations?range=ProfilerStep'
            yield f'/runs/{run}/breakdown?range=DecoderLayer'
            for k in kernels:
                start = urllib.parse.quote(k['name'][:60])
                yield f'/runs/{run}/breakdown?start={start}'
                yield f'/runs/{run}/breakdown?start={start}&every=2&format=rows'
            for p in platforms:
                yield f'/runs/{run}/operators?against={urllib.parse.quote(p)}'


def of_fleet(server, document):
    parameters = {p['name']: p['schema'] for p in
                  document['paths']['/api/v1/trends']['get']['parameters']}
    stats = parameters['stat'].get('enum', [])
    operators = [i['operator'] for i in server.get('/importance')['items']
                 if i['operator']][:6]
    for w in paged(server, '/workloads'):
        which = urllib.parse.urlencode(
            {k: w[k] for k in ('project', 'workload') if w[k]})
        newest = server.get(f'/runs?{which}&limit=1')['items']
        kernels = newest and server.get(
            f'/runs/{newest[0]["id"]}/kernels?limit=2')['items'] or []
        for metric in parameters['metric'].get('enum', []):
            of = {'operator': operators,
                  'kernel': [k['name'] for k in kernels]}.get(metric, [''])
            for one in of:
                more = f'&of={urllib.parse.quote(one)}' if one else ''
                for stat in [''] + [f'&stat={s}' for s in stats]:
                    yield f'/trends?{which}&metric={metric}{more}{stat}'
        yield f'/badge?{which}'
        for p in ('time', 'mean'):
            yield f'/importance?{which}&weight={p}'
        yield (f'/compare?base=last%3D3&head=latest%20'
               f'{urllib.parse.quote(" ".join(f"{k}={w[k]}" for k in ("project", "workload") if w[k] and " " not in w[k]))}')


# ---- recordings

def kept(kind, body):
    """Returns an answer as JSON: its document, its text, or the hash of a long one."""
    if len(body) > WHOLE_BYTES and b'json' in kind.encode():
        found = re.findall(rb'-?\d+(?:\.\d+)?', body)
        return {'numbers': len(found),
                'sha256': hashlib.sha256(b' '.join(found)).hexdigest()}
    if 'json' in kind:
        return json.loads(body)
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return {'bytes': len(body), 'sha256': hashlib.sha256(body).hexdigest()}
    return text if len(body) <= WHOLE_BYTES else {
        'bytes': len(body), 'sha256': hashlib.sha256(body).hexdigest()}


def say(out, address, status, body):
    out.write(json.dumps([address, status, body]) + '\n')


def answers(server, made, out):
    document = server.get('/openapi.json')
    sent = set()
    for address in itertools.chain(
            by_openapi(server, document), of_pairs(server, document, made),
            of_runs(server, made), of_fleet(server, document)):
        if address in sent:
            continue
        sent.add(address)
        status, headers, body = server.ask('GET', address)
        say(out, address, status, kept(headers.get('Content-Type', ''), body))
    return len(sent)


def client(server, made, program, out, with_gates):
    """Returns the output of `kernsift` for the pairs. The commands create gates, so
    they run last."""
    url = f'http://127.0.0.1:{server.port}'
    n = 0
    for base, head in pairs(made):
        commands = [['compare'], ['compare', '--score', 'published']]
        for words in commands + [['gate']] * with_gates:
            command = [f'{os.path.dirname(program)}/kernsift', words[0],
                       '--server', url, *words[1:], base, head]
            got = subprocess.run(command, capture_output=True, check=False)
            text = (got.stdout + got.stderr).replace(url.encode(), b'SERVER')
            say(out, f'kernsift {" ".join(words)} {base} {head}', got.returncode,
                kept('', text))
            n += 1
    return n


def words_of_by(program):
    """Returns the words of `inspect --by`: its help lists them after a colon."""
    text = subprocess.run([program, 'inspect', '--help'], capture_output=True, text=True,
                          check=True).stdout
    words = re.search(r'^  --by .*?:\n(.*?)\n  --', text, re.S | re.M)[1]
    return re.findall(r'\w+', words)


def inspected(program, files, out):
    by = words_of_by(program)
    n = 0
    for name, path in files:
        for options in [['--by', ','.join(by)], ['--realign', 'yes', '--by', 'layers'],
                        *(['--by', w, '--format', 'json'] for w in by)]:
            got = subprocess.run([program, 'inspect', path, *options],
                                 capture_output=True, check=False)
            text = (got.stdout + got.stderr).replace(path.encode(), name.encode())
            json_too = 'json' in options and not got.returncode
            say(out, f'inspect {name} {" ".join(options)}', got.returncode,
                kept('json' if json_too else 'text',
                     text if not json_too else got.stdout))
            n += 1
        target = f'/tmp/ks-reference-{os.getpid()}.kst'
        got = subprocess.run([program, 'convert', path, target],
                             capture_output=True, check=False)
        body = b''
        if not got.returncode:
            with open(target, 'rb') as f:
                body = f.read()
            os.unlink(target)
        say(out, f'convert {name}', got.returncode, kept('', body))
        n += 1
    return n


def recording(out, program):
    os.makedirs(out, exist_ok=True)
    running.BIN = program
    running.skip_without_postgres()


def finish(out, began, made):
    with open(f'{out}/about.json', 'w') as f:
        json.dump({'began': began, 'runs': made}, f)


def a_minute_ago():
    return time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(time.time() - 60))


def keep(args):
    program = os.path.abspath(f'{args.bin}/kernsiftd')
    recording(args.out, program)
    began = a_minute_ago()
    files = traces([os.path.abspath(f) for f in args.folder])
    with open(f'{args.out}/answers.jsonl', 'w') as out:
        with running.Server(OPTIONS) as server:
            made = fill(server, files)
            runs = sum(map(len, made.values()))
            print(f'{len(files)} files, {runs} runs', flush=True)
            gates(server, made)
            finish(args.out, began, made)
            subprocess.run([program, 'backup', '--data', server.data,
                            f'{server.data}/b'], check=True)
            with open(f'{server.data}/b', 'rb') as a, \
                    open(f'{args.out}/backup', 'wb') as b:
                b.write(a.read())
            print(f'{answers(server, made, out)} answers', flush=True)
            print(f'{client(server, made, program, out, True)} of the client',
                  flush=True)
        print(f'{inspected(program, files, out)} of commands')


def restore(args):
    program = os.path.abspath(f'{args.bin}/kernsiftd')
    recording(args.out, program)
    with open(f'{os.path.dirname(os.path.abspath(args.backup))}/about.json') as f:
        about = json.load(f)
    server = running.Server(OPTIONS)
    subprocess.run([program, 'restore', '--data', server.data, args.backup],
                   check=True)
    with server, open(f'{args.out}/answers.jsonl', 'w') as out:
        print(f'{answers(server, about["runs"], out)} answers', flush=True)
        print(f'{client(server, about["runs"], program, out, False)} of the client')
    finish(args.out, about['began'], about['runs'])


# ---- comparison

def index(folder):
    """Returns {address: offset of its line}."""
    found, at = {}, 0
    with open(f'{folder}/answers.jsonl', 'rb') as f:
        for line in f:
            found[json.loads(line[1:line.index(b'", ') + 1])] = at
            at += len(line)
    return found


class Names:
    """Translates the names of A to those of B."""

    def __init__(self, path):
        names = {}
        if path:
            with open(path) as f:
                names = json.load(f)
        self.addresses = [(re.compile(a), b) for a, b in names.get('addresses', [])]
        self.fields, self.values = names.get('fields', {}), names.get('values', {})
        self.prose = names.get('prose', False)

    @staticmethod
    def _of(table, path):
        """Finds the entry of a table for the longest end of the path."""
        for i in range(len(path)):
            end = '.'.join(path[i:])
            if end in table:
                return True, table[end]
        return False, None

    def address(self, text):
        for pattern, new in self.addresses:
            text = pattern.sub(new, text)
        return text

    def field(self, path):
        there, new = self._of(self.fields, path)
        return new if there else path[-1]

    def value(self, path, text):
        there, words = self._of(self.values, path)
        return words.get(text, text) if there else text


class Difference:
    def __init__(self, names, began):
        self.names, self.began = names, began
        self.began_ms = 1000 * calendar.timegm(
            time.strptime(began, '%Y-%m-%dT%H:%M:%S'))
        self.numbers = self.words = self.near = self.skipped = 0
        self.new = {}
        self.found = []

    def then(self, text):
        """Replaces times that are not older than the start of the recordings."""
        return MOMENT.sub(
            lambda m: 'THEN' if m[0].replace(' ', 'T') >= self.began[:len(m[0])]
            else m[0], text)

    def of_now(self, number):
        """Whether a number is a time of the recordings in milliseconds."""
        return (isinstance(number, int) and
                0 <= number - self.began_ms < 10 * 86_400_000)

    def unlike(self, path, a, b):
        self.found.append((''.join(
            f'[{p}]' if isinstance(p, int) else f'.{p}' for p in path[1:]), a, b))

    def close(self, a, b):
        """Whether two numbers may differ only by the order of the terms of a sum."""
        if (isinstance(a, float) or isinstance(b, float)) and math.isclose(
                a, b, rel_tol=SUM_ORDER):
            self.near += 1
            return True
        return False

    def close_texts(self, a, b):
        """Like close(), for texts whose numbers have all digits."""
        return FULL.sub('', a) == FULL.sub('', b) and all(
            x == y or self.close(float(x), float(y))
            for x, y in zip(FULL.findall(a), FULL.findall(b)))

    def text(self, path, a, b):
        self.words += 1
        if a == b:
            return
        a, b = self.then(a), self.then(b)
        names = [p for p in path if isinstance(p, str)]
        if self.names.value(names, a) == b:
            return
        if self.close_texts(a, b):
            return
        if self.names.prose and NUMBER.findall(a) == NUMBER.findall(b):
            return
        for x, y in itertools.zip_longest(a.splitlines(), b.splitlines()):
            if x != y:
                self.unlike(path, x, y)
                return

    def by_chance(self, path):
        """Whether a value is an interval, or a table with a column of intervals. The
        other columns of such a table are also in the JSON of the same answer."""
        route, fields = INTERVAL
        return path[0].split('?')[0] == route and (
            path[-1] in fields or path[1:] == (1,))

    def node(self, path, a, b):
        if self.by_chance(path) and not isinstance(a, dict):
            self.skipped += 1
        elif isinstance(a, dict) and isinstance(b, dict):
            self.record(path, a, b)
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                self.unlike(path, f'{len(a)} entries', f'{len(b)} entries')
            for i, (x, y) in enumerate(zip(a, b)):
                self.node((*path, i), x, y)
        elif isinstance(a, str) and isinstance(b, str):
            self.text(path, a, b)
        else:
            self.numbers += isinstance(a, (int, float))
            if path[-1:] and path[-1] in CLOCK:
                return
            if a == b and isinstance(a, bool) == isinstance(b, bool):
                return
            if {type(a), type(b)} <= {int, float} and (
                    self.close(a, b) or self.of_now(a) and self.of_now(b)):
                return
            self.unlike(path, a, b)

    def record(self, path, a, b):
        left = set(b)
        for key, value in a.items():
            names = [p for p in (*path, key) if isinstance(p, str)]
            new = self.names.field(names)
            if new is None:
                continue
            left.discard(new)
            if new in b:
                self.node((*path, key), value, b[new])
            else:
                self.unlike((*path, key), value, 'no such field')
        for key in left:
            at = '.'.join([p for p in path if isinstance(p, str)] + [key])
            self.new[at] = self.new.get(at, 0) + 1


def route(address):
    """Returns an address without ids and values."""
    if address[0] != '/':
        words = address.split(' ')
        return ' '.join(words[:-2] if words[0] == 'kernsift' else
                        [words[0], *words[2:]])
    path, _, query = address.partition('?')
    path = re.sub(r'/\d+', '/{id}', path)
    path = re.sub(r'/(operators|importance)/[^/]+/', r'/\1/{op}/', path)
    return path + ('?' + ' '.join(sorted(q.split('=')[0] for q in query.split('&')))
                   if query else '')


def compare(args):
    a, b = index(args.a), index(args.b)
    began = []
    for folder in (args.a, args.b):
        with open(f'{folder}/about.json') as f:
            began.append(json.load(f)['began'])
    names = Names(args.names)
    d = Difference(names, min(began))
    counts, differing, shown = {}, {}, {}
    with open(f'{args.a}/answers.jsonl', 'rb') as fa, \
            open(f'{args.b}/answers.jsonl', 'rb') as fb:
        for address, at in a.items():
            if args.only and not address.startswith(args.only):
                continue
            there = route(address)
            counts[there] = counts.get(there, 0) + 1
            new = names.address(address)
            d.found = []
            if new not in b:
                d.unlike((), 'an answer', f'nothing was requested at {new}')
            else:
                fa.seek(at)
                fb.seek(b.pop(new))
                x, y = json.loads(fa.readline()), json.loads(fb.readline())
                d.node((there.split('?')[0],), x[1:], y[1:])
            if d.found:
                differing[there] = differing.get(there, 0) + 1
                for path, x, y in d.found[:2]:
                    lines = shown.setdefault(there, [])
                    if len(lines) < args.show:
                        lines.append(f'    {address[:150]} {path[-80:]}: '
                                     f'{str(x)[:160]!r} | {str(y)[:160]!r}')
    for there in sorted(counts):
        if there in differing:
            print(f'{differing[there]:6} of {counts[there]:6} differ: {there}')
            print('\n'.join(shown[there]))
    for at, n in sorted(d.new.items()):
        print(f'new in B, {n} times: {at}')
    total = sum(differing.values())
    print(f'{sum(counts.values())} answers on {len(counts)} kinds of address, '
          f'{d.numbers} numbers ({d.near} of them equal to 13 digits) and '
          f'{d.words} texts compared, {d.skipped} left out: '
          f'{total} answers differ; {len(b) if not args.only else 0} of B '
          'have no counterpart')
    return 1 if total else 0


# ---- check

def written(folder, rows):
    os.makedirs(folder, exist_ok=True)
    with open(f'{folder}/about.json', 'w') as f:
        json.dump({'began': '2026-01-01T00:00:00', 'runs': {}}, f)
    with open(f'{folder}/answers.jsonl', 'w') as f:
        for address, body in rows.items():
            say(f, address, 200, body)


# (case, changed fields of B, names, removed field of B, whether they differ)
A = {'/a/1?x=y': {'items': [{'avg_ns': 1.5, 'is': 'odd', 'at': '2026-01-02'}]}}
CHECKS = [
    ('equal', {}, {}, None, 0),
    ('a number', {'avg_ns': 1.25}, {}, None, 1),
    ('a word', {'is': 'even'}, {}, None, 1),
    ('a sum in another order', {'avg_ns': 1.5000000000000002}, {}, None, 0),
    ('another sum', {'avg_ns': 1.50000000001}, {}, None, 1),
    ('a moment of the recording', {'at': '2026-03-04'}, {}, None, 0),
    ('an older moment', {'at': '2025-12-31'}, {}, None, 1),
    ('true is not 1', {'avg_ns': True}, {}, None, 1),
    ('a field is gone', {'avg_ns': None}, {'fields': {'items.avg_ns': None}},
     'avg_ns', 0),
    ('a field without a name in B', {}, {}, 'avg_ns', 1),
    ('a new field in B', {'more': 1}, {}, None, 0),
    ('a renamed field', {'mean_ns': 1.5}, {'fields': {'avg_ns': 'mean_ns'}},
     'avg_ns', 0),
    ('a field renamed at its address only', {'mean_ns': 1.5},
     {'fields': {'/a/{id}.items.avg_ns': 'mean_ns'}}, 'avg_ns', 0),
    ('a field renamed at another address', {'mean_ns': 1.5},
     {'fields': {'/b/{id}.items.avg_ns': 'mean_ns'}}, 'avg_ns', 1),
    ('a renamed word', {'is': 'uneven'}, {'values': {'is': {'odd': 'uneven'}}},
     None, 0),
    ('other words', {'is': 'odd 7'}, {'prose': True}, None, 1),
    ('other words, the same numbers', {'is': 'even'}, {'prose': True}, None, 0),
    ('a renamed address', {}, {'addresses': [['^/a/', '/b/']]}, None, 0),
]


def check(args):
    failed = 0
    with tempfile.TemporaryDirectory() as at:
        for what, change, names, gone, differs in CHECKS:
            row = {**A['/a/1?x=y']['items'][0], **change}
            row.pop(gone, None)
            address = '/b/1?x=y' if 'addresses' in names else '/a/1?x=y'
            written(f'{at}/a', A)
            written(f'{at}/b', {address: {'items': [row]}})
            with open(f'{at}/names', 'w') as f:
                json.dump(names, f)
            args.a, args.b, args.names = f'{at}/a', f'{at}/b', f'{at}/names'
            if compare(args) != differs:
                print(f'FAILED: {what}')
                failed = 1
        written(f'{at}/b', {})
        failed |= not compare(args)
    return failed


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    sub = p.add_subparsers(dest='what', required=True)
    one = sub.add_parser('keep')
    one.add_argument('bin')
    one.add_argument('out')
    one.add_argument('folder', nargs='+')
    one = sub.add_parser('restore')
    one.add_argument('bin')
    one.add_argument('out')
    one.add_argument('backup')
    one = sub.add_parser('compare')
    one.add_argument('a')
    one.add_argument('b')
    one.add_argument('--names')
    for one in (one, sub.add_parser('check')):
        one.add_argument('--only', default='', help='addresses that begin so')
        one.add_argument('--show', type=int, default=3, metavar='N',
                         help='differences shown of each kind of address')
    args = p.parse_args()
    return {'keep': keep, 'restore': restore, 'compare': compare,
            'check': check}[args.what](args)


if __name__ == '__main__':
    sys.exit(main())
