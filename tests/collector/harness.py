"""harness.py - runs a process with the collector loaded, and collects its results.

host() runs one guest_host. The result has its exit status, its output, the counts of
the fakes (the ledger) and the content of the captures.
"""
import glob
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

BIN = os.environ['KERNSIFT_BIN']
FAKES = f'{BIN}/fakes'
HOST = f'{BIN}/guest_host'
COLLECTOR = f'{BIN}/libkernsift_cupti.so'
CLEAN = {k: v for k, v in os.environ.items()
         if not k.startswith(('KERNSIFT_', 'FAKE_', 'CUDA_', 'NVTX_'))}
VERSIONS = (18, 24, 28, 130001, 130400)


def built_with(sanitizer):
    """Whether the host is built with a sanitizer: "asan" or "tsan"."""
    with open(HOST, 'rb') as f:
        return f'__{sanitizer}_init'.encode() in f.read()


def libcupti(version):
    soname = '11.8' if version < 19 else '12' if version < 130000 else '13'
    return f'{FAKES}/libcupti.so.{soname}'


def environment(folder, faults, options, injected=True):
    """For a host that writes to `folder`: faults become FAKE_*, options KERNSIFT_TRACE_*."""
    version = faults.get('CUPTI_VERSION', 130001)
    env = {**CLEAN, 'LD_LIBRARY_PATH': FAKES, 'HOME': folder,
           'FAKE_LEDGER': f'{folder}/ledger', 'KERNSIFT_TRACE_DIR': f'{folder}/spool',
           'KERNSIFT_TRACE_CUPTI': libcupti(version), 'FAKE_DRIVER_VERSION': '13040',
           # A busy machine must not lose what was recorded.
           'KERNSIFT_TRACE_EXIT_MS': '60000'}
    if injected:
        env['CUDA_INJECTION64_PATH'] = env['NVTX_INJECTION64_PATH'] = COLLECTOR
    env.update({f'FAKE_{k}': str(v) for k, v in faults.items()})
    env.update({f'KERNSIFT_TRACE_{k}': str(v) for k, v in options.items()})
    return {k: v for k, v in env.items() if v != 'None'}


def read_ledger(path):
    with open(path, 'rb') as f:
        data = f.read()
    return {data[i:i + 24].rstrip(b'\0').decode(): struct.unpack_from('<q', data, i + 24)[0]
            for i in range(0, len(data), 32)}


def ledgers(folder, pid='*'):
    """The counts of the fakes, summed over the processes."""
    total = {}
    for path in glob.glob(f'{folder}/ledger.{pid}.*'):
        for field, count in read_ledger(path).items():
            total[field] = max(total.get(field, 0), count) if field.endswith('_ns') \
                else total.get(field, 0) + count
    return total


def captures(folder, files=None):
    """The captures in the spool folder, or in `files`, as `captured --each` prints them."""
    files = sorted(glob.glob(f'{folder}/spool/*.kst')) if files is None else files
    if not files:
        return []
    out = subprocess.run([f'{BIN}/captured', '--each', *files], stdout=subprocess.PIPE,
                         check=True, env=CLEAN).stdout
    return [json.loads(line) for line in out.splitlines()]


def total(shown, *path):
    """The sum of a number over captures: total(shown, 'drops', 'pool')."""
    result = 0
    for one in shown:
        for key in path:
            one = one.get(key, {})
        result += one if isinstance(one, int) else sum(one.values()) if one else 0
    return result


class Played:
    """A host that has ended."""

    def __init__(self, folder, words, p, out, err):
        self.folder, self.words, self.status, self.pid = folder, words, p.returncode, p.pid
        self.out, self.err = out.decode('utf-8', 'replace'), err.decode('utf-8', 'replace')
        self.ledger = ledgers(folder)
        self.captures = captures(folder)

    def log(self):
        try:
            with open(f'{self.folder}/spool/collector.log', encoding='utf-8') as f:
                return f.read()
        except OSError:
            return ''

    def made(self):
        """Records that libcupti made in a window, of the kinds that the collector keeps."""
        return sum(self.ledger.get(f'made_{k}', 0)
                   for k in ('kernel', 'copy', 'set', 'graph', 'launch', 'overhead'))

    def kept(self):
        return sum(total(self.captures, k)
                   for k in ('kernels', 'copies', 'sets', 'graphs', 'calls', 'overheads'))

    def dropped(self):
        """Dropped records of CUPTI. Ranges, nodes and counters have their own counts."""
        return sum(total(self.captures, 'drops', where)
                   for where in ('cupti', 'pool', 'shed', 'unreadable', 'disk'))

    def print_all(self):
        """Prints everything that helps to understand a failed case."""
        print('words:', ' '.join(self.words), '\nstatus:', self.status, '\nout:', self.out,
              '\nerr:', self.err[-4000:], '\nledger:',
              {k: v for k, v in self.ledger.items() if v}, '\nlog:', self.log())
        for c in self.captures:
            print({k: v for k, v in c.items() if v and k != 'node_rows'})


def host(words, faults=None, options=None, injected=True, folder=None, limit=240, **more):
    """Runs guest_host until it exits, in its own folder, which the caller deletes."""
    folder = folder or tempfile.mkdtemp(prefix='ks-guest-')
    env = environment(folder, faults or {}, options or {}, injected)
    env.update(more.pop('env', {}))
    words = [w.replace('@', folder) for w in words]
    with subprocess.Popen([HOST, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=env, cwd=folder, **more) as p:
        try:
            out, err = p.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            p.kill()
            try:
                out, err = p.communicate(timeout=10)
            except subprocess.TimeoutExpired as e:
                # A child of the host, which was not killed, holds the pipes open.
                out, err = e.stdout or b'', (e.stderr or b'') + b'\n(a child did not end)'
            err += b'\n(did not end)'
    return Played(folder, words, p, out, err)


def gone(played):
    shutil.rmtree(played.folder, ignore_errors=True)


class Failed(Exception):
    """A check of a case failed."""


class Skipped(Exception):
    """The machine lacks something that the case needs."""


def equal(got, want, what):
    if got != want:
        raise Failed(f'{what}: {got!r}, expected {want!r}')


def true(what, good):
    if not good:
        raise Failed(what)


def cases_main(cases, argv):
    """Runs all cases, or those that are named."""
    wanted = argv[1:] or [c.__name__ for c in cases]
    bad = skipped = 0
    for c in cases:
        if c.__name__ not in wanted:
            continue
        try:
            c()
            print('ok', c.__name__, flush=True)
        except Failed as e:
            bad += 1
            print('FAILED', c.__name__, '-', e, flush=True)
        except Skipped as e:
            skipped += 1
            print('skipped', c.__name__, '-', e, flush=True)
    sys.exit(1 if bad else 77 if skipped == len(wanted) else 0)
