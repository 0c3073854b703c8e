"""modes_cupti.py - failures of libcupti: refusals, other tools, hangs, odd records, floods."""
import signal
import tempfile
import time

from harness import Skipped, VERSIONS, equal, gone, total, true
from modes_life import says, well


def every_cupti_version():
    """The records of each version, node by node, with the ranges of each node."""
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


def replays_as_one_record():
    """GRAPH=graph: a replay is one record."""
    p = well(['init', 'recording:1', 'graph:6:4', 'launch:10', 'sync'], options={'GRAPH': 'graph'})
    equal((total(p.captures, 'kernels'), total(p.captures, 'graphs')), (10, 4), 'kernels, replays')
    gone(p)


def other_subscriber():
    """Another tool uses CUPTI: it is not disturbed; ranges and counters are recorded."""
    p = well(['hold:1', 'init', 'nvtx:1', 'launch:50', 'sync', 'sleep:300'],
             options={'HOST_HZ': 20})
    equal(p.ledger['sessions'], 0, 'sessions')
    true('ranges', total(p.captures, 'ranges') >= 1)
    true('host counters', total(p.captures, 'counters') > 0)
    true(f'reported: {p.log()}', 'holds CUPTI' in p.log())
    gone(p)


def named_subscriber():
    p = well(['init', 'launch:50', 'sync', 'sleep:200'], faults={'CUPTI_SUBSCRIBE': 39})
    says(p, "'Nsight Systems' holds CUPTI")
    gone(p)


def subscription_refused():
    """A driver without a GPU, or one that is too old, refuses a subscription."""
    for result in (15, 999):
        p = well(['init', 'launch:50', 'sync', 'sleep:200'], faults={'CUPTI_SUBSCRIBE': result})
        equal(p.ledger['sessions'], 0, 'sessions')
        true('one or two attempts', 1 <= p.ledger['refused'] <= 2)
        gone(p)


def buffers_taken_over():
    """Kineto takes over the buffers: the window ends, and the gap is reported."""
    p = well(['init', 'recording:1', 'launch:100', 'steal:1', 'rate:8000', 'launch:48000',
              'steal:0', 'rate:0', 'launch:10', 'sync'], exact=False)
    true(f'stolen {p.ledger["stolen"]}', p.ledger['stolen'] > 0)
    true('no more than launched', p.kept() + p.dropped() <= p.made())
    true(f'reported: {p.log()}', p.log() != '')
    gone(p)


def kinds_refused():
    """One kind of records is refused: the others are recorded, and a note reports it."""
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
    """Kernels do not end, so CUPTI keeps its buffers: new records are dropped and counted."""
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
    """64 threads, each with its own buffer."""
    for deliver in (0, 1):
        p = well(['init', 'recording:1', 'nvtx:1', 'threads:64:100', 'sync'],
                 faults={'CUPTI_PER_THREAD': 1, 'CUPTI_FILL': 7, 'CUPTI_DELIVER': deliver})
        equal(p.kept() + p.dropped(), p.made(), 'recorded + dropped')
        gone(p)


def flush_hangs():
    """cuptiActivityFlushAll does not return: the process still ends."""
    began = time.monotonic()
    p = well(['init', 'recording:1', 'launch:100', 'sync', 'sleep:7500'], exact=False,
             faults={'CUPTI_BLOCK_AFTER': 1, 'CUPTI_BLOCK_MS': 100000},
             options={'EXIT_MS': 5000})
    equal(total(p.captures, 'notes', 'cupti_stuck'), 1, 'notes')
    true(f'{time.monotonic() - began} s', time.monotonic() - began < 90)
    gone(p)


def fatal_state():
    """CUPTI reports a fatal state: the collector stops, and the host continues."""
    p = well(['init', 'recording:1', 'launch:100', 'sleep:1300', 'launch:100', 'sync', 'say:x'],
             faults={'CUPTI_FATAL_AFTER': 50}, exact=False, out='x\n')
    says(p, 'a window was closed: CUPTI failed')
    true('no more than launched', p.kept() <= p.made())
    gone(p)


def flushes_fail():
    """Three flushes fail: the collector restores CUPTI's settings, and loses nothing."""
    p = well(['init', 'recording:1', 'launch:100', 'sync', 'recording:0', 'launch:50', 'sync'],
             faults={'CUPTI_FLUSH': 999})
    says(p, 'a window was closed: CUPTI failed')
    equal(total(p.captures, 'kernels'), 100, 'kernels')
    equal((p.ledger['sessions'], p.ledger['outstanding']), (1, 0), 'sessions, outstanding buffers')
    gone(p)


def module_unloaded():
    """Names are freed with their module. The names of the next module differ in one letter
    and have the same addresses."""
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


def missing_names():
    """Kernel names that are NULL or no valid text: the launches are recorded."""
    for how in (1, 2):
        p = well(['init', 'recording:1', 'launch:40', 'sync'], faults={'CUPTI_NAME': how})
        equal(total(p.captures, 'kernels'), 40, 'kernels')
        gone(p)


def reversed_times():
    """Ends before starts, and missing times: recorded, flagged, counted."""
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
    """In one second more records are dropped than kept: the window closes early, with a
    line in the log.

    A flood is more than 100,000 dropped records in one second, so a machine must make twice
    as many to test it. In the other seconds a busy machine may keep more than it drops."""
    began = time.monotonic()
    p = well(['init', 'recording:1', 'flood:2'], faults={'KERNEL_NS': 100},
             options={'MEMORY_MIB': 8})
    a_second = p.made() / (time.monotonic() - began)
    if a_second < 200000 and 'a window was closed' not in p.log():
        raise Skipped(f'this machine makes only {a_second:.0f} records per second')
    true(f'dropped {p.dropped()} of {p.made()}', p.dropped() > 100000)
    says(p, 'a window was closed: records came faster than they could be kept')
    gone(p)


# ---- windows

def before_the_window():
    """Before its window the collector makes no call of libcupti."""
    p = well(['init', 'nvtx:1', 'launch:500', 'sync'], options={'WINDOW': '10m+1s'})
    for field in ('sessions', 'requested', 'flushes', 'unarmed_calls', 'made_kernel'):
        equal(p.ledger.get(field, 0), 0, field)
    gone(p)


def after_the_window():
    """After its window nothing stays mapped, so that core dumps are as they were."""
    p = well(['init', 'recording:1', 'launch:50', 'recording:0', 'launch:500', 'sync'],
             options={'WINDOW': '1ms+3s'})
    equal(p.ledger['sessions'], 1, 'sessions')
    equal(p.ledger['outstanding'], 0, 'outstanding buffers')
    true('a window', 50 <= total(p.captures, 'kernels') <= 550)
    gone(p)


def periodic_windows():
    p = well(['init', 'recording:1', 'launch:10', 'recording:0', 'launch:10', 'recording:1',
              'launch:10', 'recording:0'], options={'EVERY': '1s:300ms'})
    true(f'{p.ledger["sessions"]} windows', p.ledger['sessions'] >= 2)
    equal(total(p.captures, 'kernels'), p.ledger['made_kernel'], 'kernels')
    gone(p)


def window_by_profiler_calls():
    p = well(['init', 'launch:30', 'profiler:1', 'recording:1', 'launch:40', 'sync', 'profiler:0',
              'recording:0', 'launch:50'], options={'CAPTURE': 1})
    equal(total(p.captures, 'kernels'), p.ledger['made_kernel'], 'kernels')
    true('kernels in the window', 40 <= p.ledger['made_kernel'] < 120)
    gone(p)


def window_by_file():
    folder = tempfile.mkdtemp(prefix='ks-guest-')
    p = well(['init', 'launch:30', 'sleep:300', 'touch:@/go', 'recording:1', 'launch:40',
              'recording:0', 'launch:5'], folder=folder,
             options={'TRIGGER': f'file:{folder}/go', 'LENGTH': '3s'})
    equal(total(p.captures, 'kernels'), p.ledger['made_kernel'], 'kernels')
    true('kernels in the window', p.ledger['made_kernel'] >= 40)
    gone(p)


def window_by_signal():
    p = well(['init', 'launch:30', 'sleep:500', f'raise:{int(signal.SIGUSR2)}', 'recording:1',
              'launch:40', 'recording:0', 'launch:5'],
             options={'TRIGGER': 'signal:USR2', 'LENGTH': '3s'})
    true('kernels in the window', p.ledger['made_kernel'] >= 40)
    gone(p)


def graph_captured_between_windows():
    """A graph that is captured between windows has ranges if the option is set."""
    for nodes, with_range in ((0, 0), (1, 24)):
        folder = tempfile.mkdtemp(prefix='ks-guest-')
        p = well(['init', f'graph:6:4:{folder}/go', 'sync', 'recording:0'], folder=folder,
                 options={'TRIGGER': f'file:{folder}/go', 'LENGTH': '6s', 'NODES': nodes})
        equal(total(p.captures, 'kernels'), 24, 'kernels')
        equal(sum(k['with_range'] for c in p.captures for k in c['by_kernel'].values()),
              with_range, f'kernels with ranges with NODES={nodes}')
        gone(p)


CASES = [every_cupti_version, replays_as_one_record, other_subscriber, named_subscriber,
         subscription_refused, buffers_taken_over, kinds_refused, unknown_kinds, pool_exhausted,
         many_threads, flush_hangs, fatal_state, flushes_fail, module_unloaded, missing_names,
         reversed_times, clock_set_back, flood, before_the_window, after_the_window,
         periodic_windows, window_by_profiler_calls, graph_captured_between_windows,
         window_by_file, window_by_signal]
