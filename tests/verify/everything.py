"""everything.py - requests every GET answer of a server, by address.

The addresses come from /openapi.json. Each {id} is replaced by the ids of the server's
objects. NEEDS lists the required parameters (two sides, a workload). The script reports
a route for which it has no address, and a parameter that the server does not know: both
are errors in NEEDS.
"""
import json
import urllib.parse

# Answers that depend on the time or on the server itself.
PASSING = {'/healthz', '/readyz', '/metrics', '/session', '/audit'}

# Queries that a route requires, or that select another part of its data.
NEEDS = {
    '/runs/{id}/kernels': ['', 'by=device', 'by=grid&format=csv'],
    '/runs/{id}/copies': ['by=device'],
    '/runs/{id}/operators': ['', 'format=csv'],
    '/runs/{id}/iterations': ['', 'format=csv'],
    '/runs/{id}/patterns': ['', 'format=csv'],
    '/runs/{id}/breakdown': ['', 'format=md'],
    '/runs/{id}/timeline/strips': ['', 'to_ns=1000&pixels=10'],
    '/compare': ['base=1&head=2', 'base=1,2&head=3&score=published',
                 'base=job:1&head=3&format=md'],
    '/compare/series': ['base=1&head=2&function={function}'],
    '/breakdown': ['runs=1,2'],
    '/importance': ['', 'weight=mean', 'weight=energy', 'label.branch=main', 'reference_set=hand',
                    'format=csv'],
    '/importance/fusions': ['', 'format=csv', 'format=bench', 'consumers=unknown&limit=1'],
    '/devices': ['', 'format=csv'],
    '/search': ['q=a', 'q=1&project=p&limit=50'],
    '/values': ['of=project', 'of=label&q=a'],
    '/home': ['', 'project=p&workload=w&since=2000-01-01'],
    '/importance/{op}/shapes': ['', 'reference_set=hand', 'sort=headroom&q=a'],
    '/importance/{op}/shapes/{id}': ['', 'format=pytorch'],
    '/trends': ['project=p&workload=w&metric=iteration&since=2000-01-01T00:00:00Z',
                'project=p&workload=w&metric=busy'],
    '/gates/{id}': ['', 'format=md', 'format=junit', 'format=svg'],
    '/badge': ['project=p&workload=w'],
}


def items(ask, path):
    status, body = ask(path)
    return json.loads(body)['items'] if status == 200 else []


def fillings(ask, path):
    """Returns the path with each of its names replaced, in all combinations."""
    if '{op}' in path and path.endswith('/{id}'):
        for shapes in fillings(ask, path.removesuffix('/{id}')):
            for one in items(ask, shapes):
                if one['shape_id']:
                    yield f'{shapes}/{one["shape_id"]}'
    elif '{id}' in path:
        kind = path.split('/')[1]
        for one in items(ask, f'/{kind}'):
            yield from fillings(ask, path.replace('{id}', str(one['id'])))
    elif '{k}' in path:
        for one in items(ask, path.split('/{k}')[0]):
            yield path.replace('{k}', str(one['id']))
    elif '{op}' in path:
        for one in items(ask, path.split('/{op}')[0]):
            if one['operator']:
                yield path.replace('{op}', urllib.parse.quote(one['operator']))
    elif '{set}' in path:
        for one in items(ask, '/reference-sets'):
            yield path.replace('{set}', one['name'])
    else:
        yield path


def function_of(ask):
    comparison = json.loads(ask('/compare?base=1&head=2')[1])
    return urllib.parse.quote(comparison['items'][0]['function'])


def everything(ask):
    """Returns {address: (status, bytes)}. The argument is a function that requests an
    address below /api/v1."""
    document = json.loads(ask('/openapi.json')[1])
    function = function_of(ask)
    answers, unanswered = {}, []
    for full, methods in sorted(document['paths'].items()):
        path = full.removeprefix('/api/v1')
        if 'get' not in methods or path in PASSING:
            continue
        answered = False
        for filled in fillings(ask, path):
            for query in NEEDS.get(path, ['']):
                query = query.replace('{function}', function)
                address = filled + ('?' + query if query else '')
                answers[address] = ask(address)
                assert answers[address][0] != 400, (address, answers[address])
                answered |= answers[address][0] == 200
        if not answered:
            unanswered.append(path)
    return answers, unanswered
