"""modes_life.py - processes that start, fork and end with the collector loaded."""
import glob
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from harness import (COLLECTOR, FAKES, HOST, Failed, Skipped, built_with, captures, environment,
                     equal, gone, host, ledgers, total, true)

QUIET = {'HOST_HZ': 0, 'NVML_HZ': 0}


def well(words, status=0, out='', exact=True, **more):
    """Runs a host whose output and status must not change; exact: no record is missing."""
    p = host(words, more.pop('faults', None), {**QUIET, **more.pop('options', {})}, **more)
    try:
        equal(p.err, '', 'standard error')
        equal(p.out, out, 'standard output')
        equal(p.status, status, 'exit status')
        if exact:
            equal(p.kept() + p.dropped(), p.made(), 'recorded + dropped = launched')
    except Failed:
        p.print_all()
        raise
    return p


def says(p, text):
    true(f'{text!r} is not in the log {p.log()!r}', text in p.log())


def no_driver():
    """Without a driver the collector makes no file, no thread and no output."""
    # A sanitizer must be the first library.
    preload = '' if built_with('asan') or built_with('tsan') else COLLECTOR
    p = well(['try', 'state:@/state', 'say:x'], out='no driver\nx\n',
             env={'LD_LIBRARY_PATH': '', 'LD_PRELOAD': preload})
    true('no spool folder', not os.path.exists(f'{p.folder}/spool'))
    gone(p)


def no_gpu():
    """cuInit fails: one line in the log, and counters are still recorded."""
    p = well(['try', 'sleep:300', 'say:x'], out='cuInit: 100\nx\n', faults={'CUDA_INIT': 100},
             options={'HOST_HZ': 20})
    equal(p.ledger['made_kernel'], 0, 'kernels')
    true('host counters', total(p.captures, 'counters') > 0)
    gone(p)


def no_cupti():
    """libcupti is missing: host counters and ranges are still recorded."""
    p = well(['init', 'nvtx:1', 'launch:50', 'sleep:300'], env={'KERNSIFT_TRACE_CUPTI': '/no/such'},
             options={'HOST_HZ': 20})
    says(p, 'KERNSIFT_TRACE_CUPTI cannot be loaded')
    true('host counters', total(p.captures, 'counters') > 0)
    gone(p)


def cupti_too_new():
    p = well(['init', 'launch:50', 'sleep:100'], faults={'DRIVER_VERSION': 12020})
    says(p, 'too new for the driver, which is of CUDA 12.2')
    equal(p.ledger.get('sessions', 0), 0, 'sessions')
    gone(p)


def forks():
    """In a forked child the collector does nothing; the parent continues."""
    p = well(['init', 'recording:1', 'launch:20',
              'fork:ranges:9,state:@/child,say:child,exit:7', 'ranges:3', 'launch:20', 'sync'],
             out='child\nchild: 1792\n')
    with open(f'{p.folder}/child', encoding='utf-8') as f:
        threads = [line for line in f if line.startswith('thread')]
    equal(len(threads), 1, f'threads of the child {threads}')
    equal(p.ledger['made_kernel'], 40, 'kernels made')
    equal(total(p.captures, 'kernels'), 40, 'kernels')
    equal(total(p.captures, 'by_range', 'nothing'), 3, 'ranges')
    equal(len({pid for c in p.captures for pid in c['pids']}), 1, 'processes')
    gone(p)


def forked_child_exits():
    """The child calls exit(), with the handlers of the parent, while a window is open."""
    for end in ('exit:0', '_exit:0', 'abort'):
        p = well(['init', 'recording:1', 'launch:20', f'fork:sleep:50,{end}', 'launch:5', 'sync'],
                 out='child: 6\n' if end == 'abort' else 'child: 0\n')
        equal(total(p.captures, 'kernels'), 25, end)
        gone(p)


def execs():
    """exec and spawn: each program has its own captures."""
    p = well(['init', 'recording:1', 'launch:10', 'sync', 'spawn:init,recording:1,launch:30,sync',
              'sleep:1200', 'exec', 'init', 'recording:1', 'launch:50', 'sync'], exact=False,
             out='child: 0\n')
    left = captures(p.folder)
    equal(sorted(c['kernels'] for c in left if c['kernels']) [-2:], [30, 50], 'kernels of each')
    gone(p)


def daemon_after_cuda():
    """A process becomes a daemon after cuInit: the daemon is not recorded, and continues."""
    p = well(['init', 'recording:1', 'launch:10', 'sync', 'daemon', 'sleep:50', 'touch:@/done'],
             exact=False)
    for _ in range(600):
        if os.path.exists(f'{p.folder}/done'):
            break
        time.sleep(0.1)
    true('the daemon continues', os.path.exists(f'{p.folder}/done'))
    gone(p)


def daemon_before_cuda():
    """A process becomes a daemon before cuInit: it is recorded."""
    p = well(['daemon', 'init', 'recording:1', 'launch:10', 'sync', 'touch:@/done'], exact=False)
    for _ in range(600):
        if os.path.exists(f'{p.folder}/done') and captures(p.folder):
            break
        time.sleep(0.1)
    equal(total(captures(p.folder), 'kernels'), 10, 'kernels')
    gone(p)


def exit_paths():
    """exit(), _exit(), abort(), SIGTERM: the host's own status, and no record is lost."""
    for end, status, whole in (('exit:5', 5, True), ('_exit:6', 6, False),
                               ('abort', -signal.SIGABRT, False), ('raise:15', -15, False)):
        p = well(['init', 'recording:1', 'launch:200', 'sync', 'sleep:1500', end], status,
                 exact=whole)
        shown = captures(p.folder) + left_behind(p.folder)
        equal(total(shown, 'kernels'), 200, f'kernels after {end}')
        gone(p)


def left_behind(folder):
    """Unfinished captures, as the uploader sees them."""
    return captures(folder, sorted(glob.glob(f'{folder}/spool/*.part')))


def killed():
    """SIGKILL loses at most the records of the last second."""
    for wait in (0.2, 3.1, 4.6):
        folder = tempfile.mkdtemp(prefix='ks-guest-')
        env = environment(folder, {}, QUIET)
        with subprocess.Popen([HOST, 'init', 'recording:1', f'touch:{folder}/ready', 'rate:500',
                               'launch:100000'], env=env, stdin=subprocess.DEVNULL) as p:
            while not os.path.exists(f'{folder}/ready') and p.poll() is None:
                time.sleep(0.01)
            time.sleep(wait)
            killed_ns = time.time_ns()
            p.kill()
        shown = captures(folder) + left_behind(folder)
        made = ledgers(folder)
        kept = total(shown, 'kernels')
        last = max([c.get('last_kernel_ns', 0) for c in shown] or [0])
        lost = made['made_kernel'] - kept
        # 500 per second; twice that, because the machine may be busy.
        true(f'{lost} of {made["made_kernel"]} lost, the last {(killed_ns - last) / 1e9} s before',
             lost <= 1000)
        shutil.rmtree(folder)


def context_destroyed():
    p = well(['init', 'recording:1', 'launch:20', 'sync', 'reset'])
    equal(total(p.captures, 'kernels'), 20, 'kernels')
    gone(p)


def driver_library_closed():
    """dlclose of the driver library: the collector stays loaded and ends normally."""
    p = well(['init', 'recording:1', 'launch:20', 'sync', 'dlclose', 'sleep:50'])
    equal(total(p.captures, 'kernels'), 20, 'kernels')
    gone(p)


def processes_without_cuda():
    """A hundred processes that never call cuInit: the collector does nothing."""
    p = well([f'spawn:say:{i}' for i in range(100)],
             out=''.join(f'{i}\nchild: 0\n' for i in range(100)))
    true('no spool folder', not os.path.exists(f'{p.folder}/spool'))
    gone(p)


def set_user_id_program():
    """A program with more rights than its caller is not recorded."""
    if os.geteuid() != 0:
        raise Skipped('only root can make a set-user-id program')
    folder = tempfile.mkdtemp(prefix='ks-guest-')
    os.chmod(folder, 0o777)
    program = f'{folder}/guest_host'
    shutil.copy(HOST, program)
    os.chown(program, 65534, 65534)
    os.chmod(program, 0o4755)
    env = environment(folder, {}, {**QUIET, 'DIR': f'{folder}/spool'})
    r = subprocess.run([program, f'init:{FAKES}/libcuda.so.1', 'launch:20', 'sync', 'sleep:200'],
                       env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    equal((r.returncode, r.stdout, r.stderr), (0, b'', b''), 'the program')
    true('no spool folder', not os.path.exists(f'{folder}/spool'))
    shutil.rmtree(folder)


def unwritable_spool_folder():
    """The spool folder cannot be created: a folder in /tmp is used."""
    p = well(['init', 'recording:1', 'launch:20', 'sync'], exact=False,
             env={'KERNSIFT_TRACE_DIR': '/proc/none'})
    elsewhere = f'/tmp/kernsift-{os.geteuid()}'
    mine = glob.glob(f'{elsewhere}/*-{p.pid}-*.kst')
    p.captures = captures(p.folder, mine)
    for file in mine:
        os.unlink(file)
    equal(total(p.captures, 'kernels'), 20, 'kernels')
    gone(p)


def file_size_limit():
    """Files reach the size limit: writing ends, losses are counted, the host continues."""
    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (12 << 10, 12 << 10))
    p = well(['init', 'recording:1', 'threads:4:4000', 'sync', 'say:x'], out='x\n', exact=False,
             preexec_fn=small)
    whole = p.captures
    p.captures = captures(p.folder, glob.glob(f'{p.folder}/spool/*.kst')
                          + glob.glob(f'{p.folder}/spool/*.part'))
    true(f'{total(whole, "drops", "disk")} lost', total(whole, 'drops', 'disk') > 0)
    equal(p.kept() + p.dropped(), p.made(), 'recorded + dropped = launched')
    gone(p)


def wrong_option():
    """An invalid value: reported once in the log and in the capture; the default is used."""
    p = well(['init', 'recording:1', 'launch:20', 'sync'], options={'KERNELS': 'many'})
    equal(total(p.captures, 'kernels'), 20, 'kernels')
    equal(total(p.captures, 'notes', 'option_default'), 1, 'notes')
    says(p, "'many'")
    gone(p)


def disk_full():
    """A full disk: what fits is stored, and the error is reported."""
    if subprocess.run(['unshare', '-m', 'true'], check=False, capture_output=True).returncode:
        raise Skipped('no right to mount')
    folder = tempfile.mkdtemp(prefix='ks-guest-')
    os.mkdir(f'{folder}/disk')
    env = environment(folder, {}, {**QUIET, 'DIR': f'{folder}/disk', 'LOG': f'{folder}/log'})
    script = ('mount -t tmpfs -o size=256k none disk && "$@"; s=$?; mkdir spool; '
              'cp disk/*.kst spool; exit $s')
    r = subprocess.run(['unshare', '-m', 'sh', '-c', script, 'sh', HOST, 'init', 'recording:1',
                        'threads:4:4000', 'sync', 'say:x'], env=env, cwd=folder,
                       stdin=subprocess.DEVNULL, capture_output=True, check=False)
    equal((r.returncode, r.stdout, r.stderr), (0, b'x\n', b''), 'the host')
    shown, made = captures(folder), ledgers(folder)
    kept, dropped = total(shown, 'kernels') + total(shown, 'calls'), total(shown, 'drops')
    true(f'{kept} kept, {dropped} dropped of {made}',
         kept + dropped <= made['made_kernel'] + made['made_launch'] + made['made_overhead'])
    with open(f'{folder}/log', encoding='utf-8') as f:
        log = f.read()
    true(f'reported: {log!r}', 'No space left on device' in log)
    shutil.rmtree(folder)


def excluded_program():
    """Switched off, or an excluded program: no file and no thread."""
    for name, value in (('TRACE', '0'), ('TRACE_EXCLUDE', 'guest_h')):
        p = well(['init', 'nvtx:1', 'launch:20', 'sync', 'state:@/state'],
                 env={f'KERNSIFT_{name}': value})
        true('no spool folder', not os.path.exists(f'{p.folder}/spool'))
        with open(f'{p.folder}/state', encoding='utf-8') as f:
            equal([line for line in f if ' ks-' in line], [], 'threads')
        gone(p)


def cupti_already_loaded():
    """A libcupti that is already loaded is used instead of any other."""
    p = well(['hold:0', 'init', 'recording:1', 'launch:20', 'sync'],
             env={'KERNSIFT_TRACE_CUPTI': ''})
    equal(total(p.captures, 'kernels'), 20, 'kernels')
    gone(p)


CASES = [disk_full, excluded_program, cupti_already_loaded, wrong_option, no_driver, no_gpu,
         no_cupti, cupti_too_new, forks, forked_child_exits, execs, daemon_after_cuda,
         daemon_before_cuda, exit_paths, killed, context_destroyed, driver_library_closed,
         processes_without_cuda, set_user_id_program, unwritable_spool_folder, file_size_limit]
