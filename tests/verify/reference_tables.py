#!/usr/bin/python3
"""reference_tables.py - computes the published page from the published reference set.

reference_tables.py [SET PAGE]

Computes the three tables of seed 004 from the reference set, as the program reads it:
importance (30 rows), the roofline (30 rows), and 440 shapes of 30 operators. The order
of rows and the text of every cell must equal those of the page. By default it reads the
files next to the checkout, and is skipped if they are missing.
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
BIN = os.environ.get('KERNSIFT_BIN', f'{SOURCE}/build/dev/bin')
REFERENCE = f'{SOURCE}/../shared/reference'
SET = f'{REFERENCE}/operators/production_operators.json'
PAGE = f'{REFERENCE}/seeds/004_operator_importance_page.md'
REGIME = {'compute': 'C', 'memory': 'M', 'indexing': 'I'}


# The number formats of the page, as in reference.h.
def share(x):
    return f'{100 * x:.1f}%'


def intensity(x):
    return f'{x / 1000:.1f}k' if x >= 1000 else f'{x:.1f}'


def bound(us):
    return f'{us / 1000:.2f} ms' if us >= 1000 else f'{us:.2f} us'


def measured(us):
    return f'{us / 1000:.1f} ms' if us >= 1000 else f'{us:.0f} us'


def importance_rows(operators):
    return [f'{o["name"]} {o["id"]} | {o["dtype"]} | {len(o["shapes"])} | '
            f'{share(o["importance"])} |' for o in operators]


def roofline_rows(operators):
    rows = []
    for o in operators:
        s = o['shapes'][o['median']]
        rows.append(f'{o["name"]} | {REGIME[o["regime"]]} | '
                    f'{intensity(o["ai"])} | {bound(s["sol_us"]["H20"])} | '
                    f'{bound(s["sol_us"]["XPU-A"])} | '
                    f'{measured(s["prod_us"]["XPU-A"])} |')
    return rows


def shape_rows(operators):
    rows = []
    for o in sorted(operators, key=lambda o: o['s_median']):
        rows.append(f'| ▶ | {o["name"]} | {len(o["shapes"])} | '
                    f'{share(o["s_median"])} | ||')
        rows += [f'| #{s["id"]} {s["description"]} | {share(s["s"])} | ||||'
                 for s in o['shapes']]
    return rows


def printed(page):
    """Returns the rows of each table of the page, in order."""
    lines = [line.rstrip() for line in open(page, encoding='utf-8')]
    first = lines.index('| Operator | Regime | AI | TSOL(H20) | TSOL(XPU-A) '
                        '| TProd |') + 2
    last = next(i for i in range(first, len(lines))
                if lines[i].startswith('C = '))
    shapes = next(i for i in range(last, len(lines)) if '▶' in lines[i])
    return ([x for x in lines if re.match(r'\w+ atrex_\d+ \|', x)],
            lines[first:last], [x for x in lines[shapes:] if x])


def main():
    args = sys.argv[1:] or [SET, PAGE]
    for path in args:
        if not os.path.exists(path):
            print(f'skipped: no {path}')
            return 77
    run = subprocess.run([f'{BIN}/reference_file', args[0]], text=True,
                         capture_output=True, timeout=120, check=True)
    operators = json.loads(run.stdout)['operators']
    made = importance_rows(operators), roofline_rows(operators), \
        shape_rows(operators)
    faults = 0
    for name, ours, theirs in zip(('importance', 'roofline', 'shapes'), made,
                                  printed(args[1])):
        wrong = [(a, b) for a, b in zip(ours, theirs) if a != b]
        for a, b in wrong[:10]:
            print(f'{name}: made {a!r}\n{" " * len(name)}  page {b!r}')
        if len(ours) != len(theirs) or not theirs:
            print(f'{name}: made {len(ours)} rows, the page has {len(theirs)}')
            faults += 1
        faults += len(wrong)
        print(f'{name}: {len(theirs) - len(wrong)} of {len(theirs)} rows to '
              'the letter')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
