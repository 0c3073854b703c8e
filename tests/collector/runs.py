#!/usr/bin/env python3
"""runs.py - randomized whole processes: recorded + dropped = launched, to the record.

runs.py [--runs N] [--seconds S] [--seed S] [--only I] [--keep]: each run is a host whose
threads, libcupti, faults, windows and options are drawn at random from (seed,
number). A failure prints the arguments that repeat it. No run starts after S seconds:
if processes start slowly, there are fewer runs, and the last line has their number.
Fewer than a fifth of N is a failure.
"""
import argparse
import concurrent.futures
import os
import random
import sys
import time

from harness import Failed, VERSIONS, built_with, equal, gone, host, true

ASAN = built_with('asan')

# Additional faults: half of the runs have one or two of them.
FAULTS = (
    lambda d: {'CUPTI_LOSE': d.randint(2, 50)},
    lambda d: {'CUPTI_STRANGE': d.randint(2, 50)},
    lambda d: {'CUPTI_NAME': d.randint(1, 2)},
    lambda d: {'CUPTI_REVERSED': d.randint(1, 20)},
    lambda d: {'CUPTI_TIMELESS': d.randint(1, 20)},
    lambda d: {'CLOCK_BACK_AFTER': d.randint(1, 100), 'CLOCK_BACK_MS': d.choice((10, 5000))},
    lambda d: {'CUPTI_CUT': d.randint(1, 5)},
    lambda d: {'CUPTI_REFUSE': d.choice(('1:27', '2:33', '17:41', '1:35,2:35', '51:10'))},
)


class Plan:
    """One run: the acts of the host, the faults of the fakes, the options of the user."""

    def __init__(self, seed, number):
        d = random.Random(f'{seed}/{number}')
        self.version = d.choice(VERSIONS)
        self.faults = {'SEED': d.randint(1, 10**6), 'CUPTI_VERSION': self.version,
                       'CUPTI_PER_THREAD': d.choice((-1, 0, 1)),
                       'CUPTI_FILL': d.choice((0, 0, 0, 3, 17, 200)),
                       'CUPTI_DELIVER': d.choice((0, 0, 1, 2)),
                       'KERNEL_NS': d.choice((100, 2000, 20000))}
        if d.random() < 0.5:
            for fault in d.sample(FAULTS, d.choice((1, 1, 2))):
                self.faults.update(fault(d))
        self.options = {'HOST_HZ': 0, 'NVML_HZ': 0, 'GRAPH': d.choice(('node', 'node', 'graph')),
                        'MEMORY_MIB': d.choice((8, 16, 64, 64))}
        if d.random() < 0.3:
            self.options['KINDS'] = d.choice(('kernel', 'kernel,copy', 'kernel,launch,nvtx',
                                              'kernel,copy,launch'))
        self.words = ['init', 'recording:1']
        self.window(d)
        self.work(d)
        self.certain &= any(w.startswith(('launch', 'threads', 'graph')) for w in self.words)
        self.end(d)

    def window(self, d):
        kind = d.choice(('always', 'always', 'always', 'once', 'kernels', 'profiler'))
        self.kind = kind
        if kind == 'once':
            self.options['WINDOW'] = f'1ms+{d.randint(20, 120)}ms'
            self.words = ['init', 'rate:1000', 'launch:60', 'rate:0']
        elif kind == 'kernels':
            self.options['KERNELS'] = d.randint(10, 300)
        elif kind == 'profiler':
            self.options['CAPTURE'] = 1
            self.words = ['init', 'profiler:1', 'recording:1']
        self.profiler = kind == 'profiler'
        self.certain = kind in ('always', 'profiler')
        self.always = kind == 'always'

    def work(self, d):
        words = self.words
        words += d.choice(([], ['nvtx:1'], ['nvtx:3']))
        words += d.choice(([], ['runtime:1']))
        # AddressSanitizer's exit handler takes a lock that another thread may hold in dlopen
        # at the fork; the child then waits for it forever. A window that opens at a time is
        # opened by a thread, which loads libraries during the fork.
        forks = [] if ASAN and self.kind == 'once' else ['fork:say:child,exit:4']
        acts = [f'threads:{d.choice((1, 2, 3, 8))}:{d.randint(1, 150)}',
                f'launch:{d.randint(1, 300)}', f'graph:{d.randint(1, 20)}:{d.randint(1, 10)}',
                f'copies:{d.randint(1, 30)}', f'sets:{d.randint(1, 30)}', 'reload:third',
                'sync', *forks]
        words += d.sample(acts, d.randint(1, 5))
        if d.random() < 0.15:
            words += ['rate:2000', 'launch:100', 'rate:0']
        if d.random() < 0.05:
            words.append('threads:64:5')

    def end(self, d):
        if d.random() < 0.7:
            self.words.append('sync')
        if self.profiler:
            self.words += ['profiler:0', 'recording:0', 'launch:9']
        self.words += ['state:@/state', 'say:the end']
        self.status = d.choice((0, 0, 3))
        if self.status:
            self.words.append(f'exit:{self.status}')

    def ranges(self):
        """The number of ranges that open and close in a window; None if that is not certain."""
        if not self.always or 'nvtx' not in self.options.get('KINDS', 'nvtx'):
            return None
        around = made = 0
        for word in self.words:
            name, *n = word.split(':')
            if name == 'nvtx':
                around = int(n[0])
            made += {'launch': lambda n: around * int(n[0]), 'graph': lambda n: 2,
                     'threads': lambda n: around * int(n[0]) * int(n[1])}.get(
                         name, lambda n: 0)(n)
        return made

    def text(self):
        return ' '.join([*(f'FAKE_{k}={v}' for k, v in self.faults.items()),
                         *(f'KERNSIFT_TRACE_{k}={v}' for k, v in self.options.items()),
                         *self.words])


def check(plan, p):
    """The checks of every run."""
    want = ''.join(line + '\n' for w in plan.words for line in
                   (('child', 'child: 1024') if w.startswith('fork') else
                    ('the end',) if w == 'say:the end' else ()))
    equal(p.err, '', 'standard error')
    equal(p.out, want, 'standard output')
    equal(p.status, plan.status, 'exit status')
    for c in p.captures:
        equal(c['ends'], ['end'], c['file'])
    every_record(p)
    equal(sum(1 for n in os.listdir(f'{p.folder}/spool') if n.endswith(('.part', '.tail')))
          if os.path.isdir(f'{p.folder}/spool') else 0, 0, 'unfinished files')
    if plan.certain:
        true('something was recorded', p.ledger['made_kernel'] + p.ledger['made_graph'] > 0)
    every_range(plan, p)
    left_over(p)


def every_range(plan, p):
    """Every range is recorded, unless the ring of its thread was full."""
    want, got = plan.ranges(), sum(c['ranges'] for c in p.captures)
    lost = sum(c['drops'].get('ring', 0) for c in p.captures)
    if want is not None:
        true(f'{got} ranges, {lost} events lost, of {want}',
             got == want if not lost else got < want <= got + lost)


def every_record(p):
    """Recorded + dropped = launched. Exception: some dropped records may be of kinds that are
    never kept (waiting calls, which libcupti cannot exclude before CUDA 12.5, and unknown
    kinds); their number is unknown."""
    unwanted = p.ledger.get('made_call', 0) + p.ledger.get('made_strange', 0)
    more = p.kept() + p.dropped() - p.made()
    true(f'recorded {p.kept()} + dropped {p.dropped()} = launched {p.made()}',
         0 <= more <= min(p.dropped(), unwanted))


# What the collector and the fake libcupti may add to the host.
# KILL and STOP cannot be blocked; 32 and 33 are the C library's.
KEPT = 1 << 8 | 1 << 18 | 1 << 31 | 1 << 32
THREADS = {'guest_host', 'ks-ctl', 'ks-io', 'fake-cupti'}


def left_over(p):
    """Threads and files at the end of main()."""
    with open(f'{p.folder}/state', encoding='utf-8') as f:
        lines = [line.rstrip('\n').split(' ', 2) for line in f]
    threads = [name.split()[0] for kind, _, name in lines if kind == 'thread']
    for mask in (name.split()[1] for kind, _, name in lines
                 if kind == 'thread' and name.startswith('ks-')):
        equal(int(mask, 16) | KEPT, (1 << 64) - 1, 'signals that a thread of the collector blocks')
    equal(set(threads) - THREADS, set(), 'other threads')
    # Counted, because a new thread has the name of its creator. TSan adds one.
    true(f'threads: {threads}', len(threads) <= (5 if built_with('tsan') else 4))
    for kind, number, path in lines:
        if kind == 'file' and int(number) > 2:
            # A library may be loading at this moment.
            true(f'file {number} is {path}', '.so' in path or path.startswith(
                (f'{p.folder}/', '/proc/', '/sys/', 'anon_inode:')))


def play(seed, number, keep):
    plan = Plan(seed, number)
    p = host(plan.words, plan.faults, plan.options)
    try:
        check(plan, p)
    except Failed as e:
        print(f'FAILED run {number} (--seed {seed} --only {number}): {e}\n{plan.text()}', flush=True)
        p.print_all()
        return None
    finally:
        if not keep:
            gone(p)
    return p.made(), p.kept(), p.dropped()


def cancel(waiting):
    for w in waiting:
        w.cancel()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--runs', type=int, default=1000)
    parser.add_argument('--seconds', type=int, default=500)
    parser.add_argument('--seed', type=int, default=int(os.environ.get('RUNS_SEED', '6')))
    parser.add_argument('--only', type=int)
    parser.add_argument('--keep', action='store_true')
    parser.add_argument('--failures', type=int, default=5)
    a = parser.parse_args()
    numbers = [a.only] if a.only is not None else range(a.runs)
    print('seed', a.seed, flush=True)
    done, sums, failed = 0, [0, 0, 0], 0
    until = time.monotonic() + a.seconds
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(play, a.seed, n, a.keep) for n in numbers]
        for result in concurrent.futures.as_completed(waiting):
            if time.monotonic() > until:
                cancel(waiting)
            if result.cancelled():
                continue
            got = result.result()
            if got:
                done += 1
                sums = [x + y for x, y in zip(sums, got)]
                continue
            failed += 1
            if failed == a.failures:
                cancel(waiting)
    print(f'{done} runs: {sums[0]} records made, {sums[1]} recorded, {sums[2]} counted as dropped')
    sys.exit(1 if failed or done < len(numbers) / 5 else 0)


if __name__ == '__main__':
    main()
