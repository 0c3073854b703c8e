#!/usr/bin/python3
"""graph_captures.py - an execution trace and its capture traces, read as one upload.

The traces are generated (tests/gen/captured_graphs.py), so the shape of each replayed
kernel is known without kernsift. `inspect` reads them as several files and as tar
archives of several formats. Archives that are damaged or hostile, and files that do not
belong together, must be rejected with one sentence each.
"""
import gzip
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

SOURCE = os.environ.get('KERNSIFT_SRC', f'{os.path.dirname(os.path.abspath(__file__))}/../..')
sys.path.insert(0, f'{SOURCE}/tests/gen')
import captured_graphs as made  # noqa: E402

BIN = os.environ.get('KERNSIFT_BIN', f'{SOURCE}/build/dev/bin')
EXECUTION = ('graph_execution.json.gz', gzip.compress(made.execution(1)))
OTHER = ('other.json', made.execution(2))
PLAIN = ('capture_rank_1.json', made.capture(1))


def inspect(*paths):
    return subprocess.run([f'{BIN}/kernsiftd', 'inspect', '--format', 'json', *paths],
                          capture_output=True, text=True, timeout=120, check=False)


def inspected(folder, body, suffix='.tar'):
    path = f'{folder}/in{suffix}'
    with open(path, 'wb') as f:
        f.write(body)
    return inspect(path)


def shapes(run):
    found = []
    for s in run['operators']['shapes']:
        if s['shape'] is None:
            continue
        sizes = dict(x.split('=') for x in s['shape'].split() if '=' in x)
        found += [tuple(int(sizes[k]) for k in 'mnk')] * s['launches']
    return sorted(found)


def right(what, result, rank, lacks=()):
    if result.returncode:
        sys.exit(f'{what}: {result.stderr}')
    (run,) = json.loads(result.stdout)['runs']
    o = run['operators']
    want = made.LAYERS - len(lacks)
    if (o['replayed'], o['replayed_known']) != (want, want):
        sys.exit(f"{what}: {o['replayed_known']} of {o['replayed']} kernels are known, not {want}")
    if shapes(run) != made.shapes(rank, lacks):
        sys.exit(f'{what}: other shapes:\n{shapes(run)}\n{made.shapes(rank, lacks)}')


def refused(what, result, sentence):
    if result.returncode != 1 or not re.fullmatch(f'kernsiftd: {sentence}\n', result.stderr):
        sys.exit(f'{what}:\n     got {result.returncode} {result.stderr!r}\n  wanted {sentence!r}')


def good_archives(d):
    """each rank's replays have the shapes of its captures, in every kind of archive"""
    ranks = made.folder((0, 1, 2))
    for suffix, mode in (('.tar', 'w'), ('.tar.gz', 'w:gz')):
        for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
            for members in ([EXECUTION, *ranks], [*ranks, EXECUTION]):
                right(f'{suffix} {form}', inspected(d, made.packed(members, mode, form), suffix), 1)
    right('by name', inspected(d, made.packed([EXECUTION, *made.folder((0, 1, 2), False)])), 1)
    right('another rank', inspected(d, made.packed([EXECUTION, *made.folder((4,))])), 4)
    deep = '/'.join(['a folder with a long name'] * 6)
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        right('long names', inspected(d, made.packed(
            [(f'{deep}/{n}', b) for n, b in (EXECUTION, *ranks)], form=form)), 1)
    right('capture with replays', inspected(d, made.packed(
        [('c.json', made.capture(1, replayed=True)), EXECUTION])), 1)
    right('capture with replays, behind', inspected(d, made.packed(
        [EXECUTION, ('c.json', made.capture(1, replayed=True))])), 1)
    hidden = tarfile.TarInfo('capture_traces')
    hidden.type = tarfile.DIRTYPE
    right('folders and hidden files', inspected(d, made.packed(
        [hidden, ('capture_traces/._x.json', b'\0\5\26\7'), EXECUTION, PLAIN])), 1)


def good_files(d):
    """the same files, one by one"""
    paths = []
    for name, body in (EXECUTION, *made.folder((0, 1))):
        paths.append(f'{d}/{os.path.basename(name)}')
        with open(paths[-1], 'wb') as f:
            f.write(body)
    right('files', inspect(*paths), 1)
    right('files in another order', inspect(*paths[::-1]), 1)


def member(name, kind=tarfile.REGTYPE, **more):
    info = tarfile.TarInfo(name)
    info.type = kind
    for k, v in more.items():
        setattr(info, k, v)
    return info


def summed(header):
    """The header with the right checksum."""
    blank = header[:148] + b' ' * 8 + header[156:]
    return blank[:148] + b'%06o\0 ' % sum(blank) + blank[156:]


def sized(field):
    """An archive whose first header has this size."""
    good = made.packed([PLAIN])
    return summed(good[:124] + field + good[136:512]) + good[512:]


def hostile(d):
    """archives that are damaged, or that could harm a program that unpacks them"""
    whole = made.packed([EXECUTION, PLAIN])
    link = r"'evil' in the tar archive is a link; pack regular files only \(`tar -h` follows links\)"
    cut = r"('.*': )?the tar archive breaks off in or after '.*'; send it again"
    spaces = b'{"traceEvents":[' + b' ' * (64 << 20)
    bomb = gzip.compress(spaces)
    huge = r"'capture_rank_1.json' in the tar archive has \d+ MiB; the maximum is 16384, " \
        'see --max-uncompressed-mib'
    damaged = r"the tar archive is damaged: the header after '.*' is invalid; send it again"
    sparse = 'the tar archive has an extended header that cannot be read .*'
    for what, body, sentence in (
            ('symbolic link', made.packed(
                [EXECUTION, member('evil', tarfile.SYMTYPE, linkname='/etc/passwd')]), link),
            ('hard link', made.packed(
                [EXECUTION, member('evil', tarfile.LNKTYPE, linkname='x')]), link),
            ('device', made.packed([member('evil', tarfile.CHRTYPE)]),
             "'evil' in the tar archive is a device or pipe; .*"),
            ('pipe', made.packed([member('evil', tarfile.FIFOTYPE)]),
             "'evil' in the tar archive is a device or pipe; .*"),
            ('sparse', made.packed([member('evil', b'S')]),
             "'evil' in the tar archive is a sparse file; .*"),
            ('unknown type', made.packed([member('evil', b'Z')]),
             "'evil' in the tar archive is of an unknown kind; .*"),
            ('continuation of nothing', made.packed([member('evil', b'M')]),
             "'evil' in the tar archive is of an unknown kind; .*"),
            ('absolute', made.packed([('/etc/trace.json', made.execution())]),
             "'/etc/trace.json' in the tar archive is an absolute path; .*"),
            ('dot dot', made.packed([('a/../../trace.json', made.execution())]),
             r"'a/\.\./\.\./trace.json' in the tar archive leads out of its folder; .*"),
            ('dot dot in a pax header', made.packed(
                [('../' + 'x' * 120, made.execution())], form=tarfile.PAX_FORMAT),
             r"'\.\./x+' in the tar archive leads out of its folder; .*"),
            ('thousand files', made.packed(
                [(f'{i}/execution_details.json', b'[]') for i in range(1000)]),
             'the tar archive has more than 512 members; .*'),
            ('thousand folders', made.packed(
                [member(f'{i}', tarfile.DIRTYPE) for i in range(1000)]),
             'the tar archive has more than 512 members; .*'),
            ('gzip bomb inside', made.packed([EXECUTION, ('bomb.json', bomb)]),
             "'bomb.json': the gzip data is more than 200 times as large when unpacked, .*"),
            ('gzip bomb outside', gzip.compress(made.packed([('bomb.json', spaces)])),
             '.*the gzip data is more than 200 times as large when unpacked, .*'),
            ('octal size', sized(b'77777777777\0'), cut),
            ('huge binary size', sized(b'\x80\0\0\0\x7f' + b'\xff' * 7), huge),
            ('more than 63 bits', sized(b'\x80' + b'\xff' * 11), damaged),
            ('negative size', sized(b'\xff' * 12), damaged),
            ('size that is no number', sized(b'12x45678901\0'), damaged),
            ('wrong checksum', whole[:148] + b'000000\0 ' + whole[156:], damaged),
            ('cut in a header', whole[:100 + len(whole) // 1024 * 512], cut),
            ('cut in a file', whole[:3 * 512], ".*'graph_execution.json.gz'.*"),
            ('no end mark', whole[:whole.rindex(b'}') + 1], cut),
            ('half a gzip', gzip.compress(whole)[:-200], cut),
            ('sparse by pax', made.packed(
                [member('evil', pax_headers={'GNU.sparse.size': '9'})], form=tarfile.PAX_FORMAT),
             sparse),
            ('long pax header', made.packed(
                [member('evil', pax_headers={'comment': 'x' * 9000})], form=tarfile.PAX_FORMAT),
             r'the tar archive has an extended header of \d+ bytes; the maximum is 8192'),
    ):
        refused(what, inspected(d, body), sentence)


def unrelated(d):
    """files that are no traces, or no execution trace with its captures"""
    for what, members, sentence in (
            ('no trace', [EXECUTION, ('readme.png', b'\x89PNG\r\n\x1a\n')],
             "'readme.png': this is a PNG image; upload the trace it was made from"),
            ('empty file', [EXECUTION, ('empty.json', b'')], "'empty.json': the file is empty"),
            ('an archive in it', [EXECUTION, ('in.tar', made.packed([PLAIN]))],
             "'in.tar': this is a tar archive; .*"),
            ('two executions', [EXECUTION, OTHER, PLAIN],
             "'other.json': it can be the execution trace, but so can "
             "'graph_execution.json.gz'; send each in an upload of its own, with the capture "
             'traces of its rank'),
            ('no execution', [PLAIN], 'all 1 traces of the upload are traces of stream captures; '
             'add the trace that replays the graphs'),
            ('nothing', [('execution_details.json', made.details())],
             'the upload has no trace; add the trace that replays the graphs'),
            ('no names', [EXECUTION, ('unnamed.json', made.capture(1, named=False))],
             "'unnamed.json': it has stream captures, but none that is complete and names its "
             'kernels; send the execution trace without it'),
    ):
        refused(what, inspected(d, made.packed(members)), sentence)


def main():
    with tempfile.TemporaryDirectory() as d:
        for case in (good_archives, good_files, hostile, unrelated):
            case(d)
            print(case.__doc__)


if __name__ == '__main__':
    main()
