"""modes_counters.py - GPU and host counters: recorded, refused, lost, and slow."""
import tempfile

from harness import equal, gone, total, true
from modes_life import says, well

HOST = {'process_cpu_usage', 'host_cpu_usage', 'oncpu', 'runq', 'disk_usage'}
FAST = {'gpu_usage', 'gpu_frequency', 'gpu_sm_frequency', 'gpu_mem_frequency', 'gpu_mem_used',
        'gpu_power', 'gpu_clock_held'}
SLOW = {'gpu_power_mean', 'gpu_temperature', 'gpu_link_transmit', 'gpu_link_receive',
        'gpu_pcie_transmit', 'gpu_pcie_receive'}


BOTH = {'HOST_HZ': 10, 'NVML_HZ': 10}
WORDS = ['init', 'recording:1', 'launch:50', 'sync']


def recorded(nvml, turns, env=None):
    """Runs a host that waits until its first GPU was read `turns` times."""
    folder = tempfile.mkdtemp(prefix='ks-guest-')
    return well(WORDS + ['wait:@/ready'], faults={'NVML': f'{nvml} ready={turns}:{folder}/ready'},
                options=BOTH, folder=folder, env=env or {})


def names(p):
    return {name for c in p.captures for name in c['counters']}


def counters():
    """Every series is recorded, with the GPUs and the facts of the driver."""
    p = recorded('gpus=2 pcie=1', 25)
    equal(sorted((HOST | FAST | SLOW) - names(p)), [], 'missing series')
    equal(total(p.captures, 'rows', 'device'), 2, 'devices')
    facts = p.captures[0]['facts']
    equal((facts['driver'], facts['sm_clock_max_mhz'], facts['power_cap_w']),
          ('580.65.06', '1980', '700'), 'facts')
    gone(p)


def counters_without_nvml():
    """No NVML, or an NVML of another driver version: one line in the log, and host counters."""
    for faults, options, word in (({}, {'NVML': '/nonexistent/nvml.so'}, 'there is no NVML'),
                                  ({'NVML': 'init=18'}, {}, '(18)')):
        p = well(WORDS + ['sleep:300'], faults=faults, options={**BOTH, **options})
        says(p, word)
        equal(p.log().count('NVML'), 1, 'lines about NVML')
        true('totals of threads', {'oncpu', 'runq'} <= names(p))
        equal([n for n in names(p) if n.startswith('gpu_')], [], 'GPU counters')
        gone(p)


def counters_refused():
    """A series that is not supported is left out; the others are recorded."""
    p = recorded('gpus=1 pcie=1 fail=nvmlDeviceGetPowerUsage:3 fail=nvmlDeviceGetFieldValues:999',
                 3)
    equal(sorted(FAST - names(p)), ['gpu_power'], 'missing series')
    says(p, 'gpu_power is not recorded for GPU 0: NVML returns 3')
    gone(p)


def gpu_lost():
    """A GPU falls off the bus: its counters end; the other GPU and kernels are recorded."""
    p = recorded('gpus=2 pcie=1 lost=1:3', 8)
    says(p, 'GPU 1 fell off the bus')
    equal(total(p.captures, 'kernels'), 50, 'kernels')
    true('the other continues', total(p.captures, 'counters', 'gpu_usage') >= 8 + 2)
    gone(p)


def nvml_hangs():
    """An NVML call that takes 20 s delays neither records nor the end of the process."""
    p = well(WORDS + ['sleep:300'], faults={'NVML': 'slow=20000'}, options=BOTH)
    equal(total(p.captures, 'kernels'), 50, 'kernels')
    true('totals of threads', {'oncpu', 'runq'} <= names(p))
    gone(p)


def visible_gpus():
    """With two of four GPUs visible to CUDA, only those two are recorded."""
    p = recorded('gpus=4 pcie=1', 2, {'CUDA_VISIBLE_DEVICES': '2,0'})
    equal(total(p.captures, 'rows', 'device'), 2, 'devices')
    gone(p)


CASES = [counters, counters_without_nvml, counters_refused, gpu_lost, nvml_hangs, visible_gpus]
