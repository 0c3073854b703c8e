"""modes_cupti.py - libcupti as it fails: refusals, thieves, hangs, odd records, floods."""
import signal
import tempfile
import time

from harness import Skipped, VERSIONS, equal, gone, total, true
from modes_life import says, well


def every_version():
    """Each libcupti's records, node by node, with the ranges the nodes were made in."""
    for version in VERSIONS:
        p = well(['init', 'recording:1', 'nvtx:1', 'threads:2:50', 'graph:6:4', 'copies:5',
                  'sets:3', 'sync'], faults={'CUPTI_VERSION': version})
        equal(total(p.captures, 'kernels'), 124, f'kernels of version {version}')
        equal((total(p.captures, 'copies'), total(p.captures, 'sets')), (9, 7), 'copies and sets')
        nodes = {}
        for c in p.captures:
            for node, depth, name, _ in c['node_rows']:
                nodes.setdefault(node, {})[depth] = name
        with_range = sum(k['with_range'] for c in p.captures for k in c['by_kernel'].values())
        equal(with_range, 24, 'replayed kernels with ranges')
        true(f'nested ranges {nodes}', list(nodes.values()).count({0: 'layer', 1: 'captured'}) >= 6)
        gone(p)


def replays_whole():
    """Graph mode: a replay is one record."""
    p = well(['init', 'recording:1', 'graph:6:4', 'launch:10', 'sync'], options={'GRAPH': 'graph'})
    equal((total(p.captures, 'kernels'), total(p.captures, 'graphs')), (10, 4), 'kernels, replays')
    gone(p)


def other_subscriber():
    """Another tool holds CUPTI: named, never disturbed; ranges and counters are kept."""
    p = well(['hold:1', 'init', 'nvtx:1', 'launch:50', 'sync', 'sleep:300'],
             options={'HOST_HZ': 20})
    equal(p.ledger['sessions'], 0, 'sessions')
    true('ranges', total(p.captures, 'ranges') >= 1)
    true('host counters', total(p.captures, 'counters') > 0)
    true(f'reported: {p.log()}', 'holds CUPTI' in p.log())
    gone(p)


def other_subscriber_of_a_name():
    p = well(['init', 'launch:50', 'sync', 'sleep:200'], faults={'CUPTI_SUBSCRIBE': 39})
    says(p, "'Nsight Systems' holds CUPTI")
    gone(p)


def refused_at_all():
    """What a driver without a GPU, or one too old, answers."""
    for result in (15, 999):
        p = well(['init', 'launch:50', 'sync', 'sleep:200'], faults={'CUPTI_SUBSCRIBE': result})
        equal(p.ledger['sessions'], 0, 'sessions')
        true('it was tried once or twice', 1 <= p.ledger['refused'] <= 2)
        gone(p)


def kineto():
    """Another profiler takes the buffers over: our window ends, the gap is reported."""
    p = well(['init', 'recording:1', 'launch:100', 'steal:1', 'rate:8000', 'launch:48000',
              'steal:0', 'rate:0', 'launch:10', 'sync'], exact=False)
    true(f'stolen {p.ledger["stolen"]}', p.ledger['stolen'] > 0)
    true('no more than launched', p.kept() + p.dropped() <= p.made())
    true(f'reported: {p.log()}', p.log() != '')
    gone(p)


def refusals_by_kind():
    """Each kind can be refused alone; the others continue, and the log reports it."""
    for kind, result, lacks in ((1, 27, 'copies'), (2, 33, 'sets'), (17, 41, 'overheads')):
        p = well(['init', 'recording:1', 'launch:20', 'copies:5', 'sets:5', 'sync'],
                 faults={'CUPTI_REFUSE': f'{kind}:{result}'})
        equal(total(p.captures, 'kernels'), 20, 'kernels')
        equal(total(p.captures, lacks), 0, lacks)
        equal(total(p.captures, 'notes', 'cupti_refused'), 1, 'notes')
        gone(p)


def unknown_kinds():
    p = well(['init', 'recording:1', 'launch:200', 'sync'], faults={'CUPTI_STRANGE': 3})
    equal(total(p.captures, 'kernels'), 200, 'kernels')
    true('strange records were made', p.ledger['made_strange'] >= 60)
    gone(p)


def pool_exhausted():
    """The GPU is never done, so buffers stay with CUPTI: the newest are dropped and counted."""
    before = well(['init', 'launch:60000', 'state:@/state'], injected=False)
    p = well(['init', 'recording:1', 'launch:60000', 'state:@/state'],
             faults={'KERNEL_NS': 10**9}, options={'MEMORY_MIB': 8})
    true(f'dropped {p.dropped()}', p.dropped() > 0)
    true(f'kept {p.kept()}', p.kept() > 0)
    grown = peak_mib(p) - peak_mib(before)
    true(f'{grown} MiB more than without', grown < 8 + 40)
    gone(before)
    gone(p)


def peak_mib(p):
    with open(f'{p.folder}/state', encoding='utf-8') as f:
        return next(int(line.split()[1]) for line in f if line.startswith('peak')) // 1024


def many_threads():
    """64 threads, each with a buffer of its own."""
    for deliver in (0, 1):
        p = well(['init', 'recording:1', 'nvtx:1', 'threads:64:100', 'sync'],
                 faults={'CUPTI_PER_THREAD': 1, 'CUPTI_FILL': 7, 'CUPTI_DELIVER': deliver})
        equal(p.kept() + p.dropped(), p.made(), 'recorded + dropped')
        gone(p)


def flush_hangs():
    """cuptiActivityFlushAll does not return: the process ends all the same."""
    began = time.monotonic()
    p = well(['init', 'recording:1', 'launch:100', 'sync', 'sleep:7500'], exact=False,
             faults={'CUPTI_BLOCK_AFTER': 1, 'CUPTI_BLOCK_MS': 100000},
             options={'EXIT_MS': 5000})
    equal(total(p.captures, 'notes', 'cupti_stuck'), 1, 'notes')
    true(f'{time.monotonic() - began} s', time.monotonic() - began < 90)
    gone(p)


def fatal_state():
    """CUPTI gives up: the collector does too, and the host continues."""
    p = well(['init', 'recording:1', 'launch:100', 'sleep:1300', 'launch:100', 'sync', 'say:x'],
             faults={'CUPTI_FATAL_AFTER': 50}, exact=False, out='x\n')
    says(p, 'a window was closed: CUPTI failed')
    true('no more than launched', p.kept() <= p.made())
    gone(p)


def flushes_fail():
    """Three flushes fail: the collector leaves CUPTI as it found it, and loses nothing."""
    p = well(['init', 'recording:1', 'launch:100', 'sync', 'recording:0', 'launch:50', 'sync'],
             faults={'CUPTI_FLUSH': 999})
    says(p, 'a window was closed: CUPTI failed')
    equal(total(p.captures, 'kernels'), 100, 'kernels')
    equal((p.ledger['sessions'], p.ledger['outstanding']), (1, 0), 'sessions, outstanding buffers')
    gone(p)


def module_unloaded():
    """Names are freed with their module; the next one's, equal except for a letter, have the
    same addresses."""
    same = 'the_same_for_forty_characters_and_more_'
    p = well(['init', 'recording:1', f'reload:{same}A', 'launch:40', f'reload:{same}B',
              'launch:40', f'reload:{same}C', 'launch:40', 'sync'],
             faults={'CUPTI_FILL': 10, 'CUPTI_DELIVER': 1, 'KERNEL_NS': 100})
    names = {}
    for c in p.captures:
        for name, k in c['by_kernel'].items():
            names[name] = names.get(name, 0) + k['n']
    equal(names, {f'{same}{m}_kernel_{i}': 5 for m in 'ABC' for i in range(8)},
          'kernels by name')
    gone(p)


def no_names():
    """Names that are NULL, or no text at all: the launches are kept."""
    for how in (1, 2):
        p = well(['init', 'recording:1', 'launch:40', 'sync'], faults={'CUPTI_NAME': how})
        equal(total(p.captures, 'kernels'), 40, 'kernels')
        gone(p)


def odd_times():
    """Ends before starts and times that lack: kept, flagged, counted."""
    p = well(['init', 'recording:1', 'launch:100', 'sync'],
             faults={'CUPTI_REVERSED': 10, 'CUPTI_TIMELESS': 4})
    equal(total(p.captures, 'kernels'), 100, 'kernels')
    true(f'{total(p.captures, "odd")} are odd', 10 + 25 - 5 <= total(p.captures, 'odd') <= 10 + 25)
    gone(p)


def clock_set_back():
    p = well(['init', 'recording:1', 'launch:100', 'sync'],
             faults={'CLOCK_BACK_AFTER': 50, 'CLOCK_BACK_MS': 60000})
    equal(total(p.captures, 'kernels'), 100, 'kernels')
    true('clock rows', total(p.captures, 'clocks') > 0)
    gone(p)


def flood():
    """More is dropped than kept: the window closes early, and the capture says so.

    Below 100,000 dropped records a second nothing is a flood, and a machine that
    cannot even make twice as many has none to show."""
    began = time.monotonic()
    p = well(['init', 'recording:1', 'flood:2'], faults={'KERNEL_NS': 100},
             options={'MEMORY_MIB': 8})
    a_second = p.made() / (time.monotonic() - began)
    if a_second < 200000 and 'a window was closed' not in p.log():
        raise Skipped(f'this machine makes {a_second:.0f} records a second')
    true(f'dropped {p.dropped()} of {p.made()}', p.dropped() > p.kept())
    says(p, 'a window was closed: records came faster than they could be kept')
    gone(p)


# ---- windows

def armed():
    """Before its window the collector does not exist: not one call of libcupti."""
    p = well(['init', 'nvtx:1', 'launch:500', 'sync'], options={'WINDOW': '10m+1s'})
    for field in ('sessions', 'requested', 'flushes', 'unarmed_calls', 'made_kernel'):
        equal(p.ledger.get(field, 0), 0, field)
    gone(p)


def one_window():
    """After its window nothing stays mapped, so that core dumps are as they were."""
    p = well(['init', 'recording:1', 'launch:50', 'recording:0', 'launch:500', 'sync'],
             options={'WINDOW': '1ms+3s'})
    equal(p.ledger['sessions'], 1, 'sessions')
    equal(p.ledger['outstanding'], 0, 'outstanding buffers')
    true('a window', 50 <= total(p.captures, 'kernels') <= 550)
    gone(p)


def every_so_often():
    p = well(['init', 'recording:1', 'launch:10', 'recording:0', 'launch:10', 'recording:1',
              'launch:10', 'recording:0'], options={'EVERY': '1s:300ms'})
    true(f'{p.ledger["sessions"]} windows', p.ledger['sessions'] >= 2)
    equal(total(p.captures, 'kernels'), p.ledger['made_kernel'], 'kernels')
    gone(p)


def by_profiler_calls():
    p = well(['init', 'launch:30', 'profiler:1', 'recording:1', 'launch:40', 'sync', 'profiler:0',
              'recording:0', 'launch:50'], options={'CAPTURE': 1})
    equal(total(p.captures, 'kernels'), p.ledger['made_kernel'], 'kernels')
    true('those in between', 40 <= p.ledger['made_kernel'] < 120)
    gone(p)


def by_file():
    folder = tempfile.mkdtemp(prefix='ks-guest-')
    p = well(['init', 'launch:30', 'sleep:300', 'touch:@/go', 'recording:1', 'launch:40',
              'recording:0', 'launch:5'], folder=folder,
             options={'TRIGGER': f'file:{folder}/go', 'LENGTH': '3s'})
    equal(total(p.captures, 'kernels'), p.ledger['made_kernel'], 'kernels')
    true('those in the window', p.ledger['made_kernel'] >= 40)
    gone(p)


def by_signal():
    p = well(['init', 'launch:30', 'sleep:500', f'raise:{int(signal.SIGUSR2)}', 'recording:1',
              'launch:40', 'recording:0', 'launch:5'],
             options={'TRIGGER': 'signal:USR2', 'LENGTH': '3s'})
    true('those in the window', p.ledger['made_kernel'] >= 40)
    gone(p)


def graph_from_between():
    """A graph that is captured between windows has ranges if the option is set."""
    for nodes, with_range in ((0, 0), (1, 24)):
        folder = tempfile.mkdtemp(prefix='ks-guest-')
        p = well(['init', f'graph:6:4:{folder}/go', 'sync', 'recording:0'], folder=folder,
                 options={'TRIGGER': f'file:{folder}/go', 'LENGTH': '6s', 'NODES': nodes})
        equal(total(p.captures, 'kernels'), 24, 'kernels')
        equal(sum(k['with_range'] for c in p.captures for k in c['by_kernel'].values()),
              with_range, f'kernels with ranges where NODES={nodes}')
        gone(p)


CASES = [every_version, replays_whole, other_subscriber, other_subscriber_of_a_name, refused_at_all,
         kineto, refusals_by_kind, unknown_kinds, pool_exhausted, many_threads, flush_hangs,
         fatal_state, flushes_fail, module_unloaded, no_names, odd_times, clock_set_back, flood, armed,
         one_window, every_so_often, by_profiler_calls, graph_from_between,
         by_file, by_signal]
