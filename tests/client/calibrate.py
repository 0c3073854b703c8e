#!/usr/bin/python3
"""calibrate.py - `kernsift calibrate` with fake libraries: rates worked out by hand, and
what it says if a library, a GPU or memory is missing.

fake_gpu.c says how fast the fake GPUs are.
"""
import datetime
import json
import os
import tempfile
import urllib.error
import urllib.request

from harness import BIN, Server, equal, kernsift, play, says

ALL = ('cuda', 'blas', 'nccl', 'nvml')
# rate, SM MHz, memory MHz; the best size is 4096
GEMMS = {'fp64': 6e13, 'fp32': 5e13, 'tf32': 4e14, 'fp16': 8e14, 'bf16': 7e14,
         'fp8_e4m3': 1.5e15, 'fp8_e5m2': 1.4e15}
NO_INT8 = 'kernsift: gemm int8: cuBLASLt has no such product for this GPU\n'
MISSING = ' on the library path (LD_LIBRARY_PATH can name its folder)\n'


def calibrate(folder, *argv, libraries=ALL, fake='', server=None):
    """Runs it with these fakes. Empty files hide libraries of this machine."""
    hidden = f'{folder}/hidden'
    os.makedirs(hidden, exist_ok=True)
    names = ['libcuda.so.1', 'libnccl.so.2', 'libnccl.so', 'libnvidia-ml.so.1',
             'libcublasLt.so', *(f'libcublasLt.so.{n}' for n in (11, 12, 13))]
    for name in names:
        open(f'{hidden}/{name}', 'w').close()
    path = ':'.join([*(f'{BIN}/fake_gpu/{l}' for l in libraries), hidden])
    return kernsift('calibrate', *argv, server=server,
                    env={'LD_LIBRARY_PATH': path, 'FAKE_GPU': fake})


def rates(folder, *argv, **more):
    """Returns the result and the rows of --json by measurement and dtype."""
    path = f'{folder}/rates.json'
    r = calibrate(folder, '--json', path, *argv, **more)
    with open(path) as f:
        document = json.load(f)
    return r, document, {(i['measurement'], i['dtype']): i for i in document['items']}


def near(what, got, wanted):
    """Events have a resolution of 2^-24 of their value."""
    equal(f'{what}: {got} is near {wanted}', abs(got / wanted - 1) < 1e-6, True)


def one_gpu(folder, _):
    """one GPU: the rates of the fake, the clocks, the versions"""
    r, document, items = rates(folder)
    equal('status', r.status, 0)
    equal('messages', r.err, NO_INT8)
    equal('device', [document[k] for k in ('device', 'driver', 'cuda', 'platform')],
          ['NVIDIA H20', '580.65.06', '13.0', None])
    equal('rows', list(items),
          [*(('gemm', d) for d in GEMMS), ('copy', None), ('triad', None)])
    for dtype, rate in GEMMS.items():
        near(dtype, items['gemm', dtype]['value'], rate)
    near('copy', items['copy', None]['value'], 4e12)
    near('triad', items['triad', None]['value'], 3.5e12)
    equal('clocks', {(i['sm_clock_mhz'], i['memory_clock_mhz']) for i in items.values()},
          {(1980, 2619)})
    equal('units', {k[0]: i['unit'] for k, i in items.items()},
          {'gemm': 'flop_per_s', 'copy': 'bytes_per_s', 'triad': 'bytes_per_s'})
    equal('methods', [items[k]['method'] for k in
                      (('gemm', 'bf16'), ('gemm', 'fp8_e5m2'), ('copy', None), ('triad', None))],
          ['cublasLtMatmul, 4096 x 4096 x 4096, best of 5 batches',
           'cublasLtMatmul with fp8_e4m3, 4096 x 4096 x 4096, best of 5 batches',
           'cuMemcpyDtoDAsync of 512 MiB, best of 5 batches',
           'a = b + s * c in fp32, each of 512 MiB, best of 5 batches'])
    says('table', r.out,
         r'NVIDIA H20, driver 580\.65\.06, CUDA 13\.0\n\nmeasurement .*'
         r'\ngemm +bf16 +700\.00 TFLOP/s +1980 +2619  cublasLtMatmul, 4096.*'
         r'\ncopy +4000\.00 GB/s +1980 +2619  cuMemcpy.*\ntriad +3500\.00 GB/s .*')


def four_gpus(folder, _):
    """four GPUs, and four of which one is another kind"""
    r, _, items = rates(folder, '--device', '2', fake='gpus=4')
    equal('status', (r.status, r.err), (0, NO_INT8))
    ring = items['all_reduce', None]
    near('all-reduce', ring['value'], 4.5e11)
    equal('all-reduce', (ring['devices'], ring['method'], ring['unit']),
          (4, 'ncclAllReduce of 512 MiB in fp32 over 4 GPUs, bus bandwidth, best of 5 batches',
           'bytes_per_s'))
    _, _, items = rates(folder, fake='gpus=4 mixed=1')
    equal('of one kind', items['all_reduce', None]['devices'], 3)
    r, _, items = rates(folder, fake='gpus=4', libraries=('cuda', 'blas', 'nvml'))
    equal('no NCCL', (r.status, ('all_reduce', None) in items), (0, False))
    equal('no NCCL', r.err,
          NO_INT8 + 'kernsift: all_reduce: NCCL was not found: no libnccl.so.2' + MISSING)


def refused(folder, status, sentence, *argv, **more):
    r = calibrate(folder, *argv, **more)
    equal(sentence, (r.status, r.out, r.err), (status, '', f'kernsift: {sentence}\n'))


def missing(folder, _):
    """no driver, no GPU, no such GPU, no memory, no cuBLASLt, no NVML"""
    refused(folder, 1, "NVIDIA's driver was not found: no libcuda.so.1" + MISSING.strip('\n'),
            libraries=())
    for fake in ('init=100', 'gpus=0'):
        refused(folder, 1, 'this machine has no GPU that CUDA can use', fake=fake)
    refused(folder, 1, 'cuInit: the driver returns 999', fake='init=999')
    refused(folder, 1, '--device: there is no GPU 2; the machine has 2, counted from 0',
            '--device', '2', fake='gpus=2')
    refused(folder, 1, 'GPU 0 has not enough free memory: 80 MiB are needed at least '
            '(CUDA_ERROR_OUT_OF_MEMORY)', fake='memory=79')
    refused(folder, 1, 'cuMemAlloc: the driver returns CUDA_ERROR_ILLEGAL_ADDRESS',
            fake='fail=cuMemAlloc_v2:700')
    refused(folder, 1, 'cuModuleLoadData: the driver returns 218',
            fake='fail=cuModuleLoadData:218')
    other = f'{folder}/other'
    os.makedirs(other)
    os.symlink(f'{BIN}/fake_gpu/nvml/libnvidia-ml.so.1', f'{other}/libcuda.so.1')
    refused(folder, 1, "NVIDIA's driver has no cuInit; is it older than CUDA 11?",
            libraries=('../' * 40 + other,))
    r, _, items = rates(folder, libraries=('cuda', 'nvml'))
    equal('no cuBLASLt', (r.status, list(items)), (1, [('copy', None), ('triad', None)]))
    equal('no cuBLASLt', r.err,
          'kernsift: gemm: cuBLASLt was not found: no libcublasLt.so.13' + MISSING)
    r, document, items = rates(folder, libraries=('cuda', 'blas'))
    equal('no NVML', (r.status, document['driver'], items['copy', None]['sm_clock_mhz']),
          (0, None, None))
    equal('no NVML', r.err,
          'kernsift: clocks: NVML was not found: no libnvidia-ml.so.1' + MISSING + NO_INT8)
    equal('no NVML', 'driver unknown' in r.out and ' unknown  unknown  ' in r.out, True)


def failing(folder, _):
    """little memory, and calls that fail"""
    r, _, items = rates(folder, fake='memory=500')
    equal('little', (r.status, list(items)), (1, [('gemm', d) for d in GEMMS]))
    equal('little', r.err, NO_INT8 + 'kernsift: copy, triad: the free memory allows 128 MiB '
          'per array, and the L2 cache of 50 MiB would hold too much of it\n')
    r, _, items = rates(folder, fake='memory=80')
    near('2048 only', items['gemm', 'bf16']['value'], 3.5e14)
    equal('no fp64', ('gemm', 'fp64') in items, False)
    r, _, items = rates(folder, fake='fail=cublasLtMatmul:13')
    equal('product', (r.status, len(items)), (1, 2))
    equal('product', 'kernsift: gemm bf16: cublasLtMatmul returns status 13\n' in r.err, True)
    r, _, items = rates(folder, fake='gpus=2 fail=ncclAllReduce:5')
    equal('ring', (r.status, r.err), (1, NO_INT8 + 'kernsift: all_reduce: ncclAllReduce returns '
                                     '5 (NCCL_DEBUG=WARN says why)\n'))
    r, _, items = rates(folder, fake='fail=cuEventQuery:700')
    equal('event', (r.status, items), (1, {}))
    equal('event', 'kernsift: copy: cuEventQuery: the driver returns '
          'CUDA_ERROR_ILLEGAL_ADDRESS\n' in r.err, True)


def sent(folder, s):
    """the rates become the ceilings of the platform; failed ones are not sent"""
    r = calibrate(folder, '--upload', server=s, fake='gpus=4')
    equal('sent', (r.status, r.out.splitlines()[-1]), (0, 'ceilings H20: 10 rates'))
    # H20: 148e12 in bf16, 4e12 bytes/s; the fake reaches 700e12 and 4e12
    equal('notes', "kernsift: gemm bf16 is 373.0 % above the data sheet's peak: the device is "
          'not the one of the data sheet, its clocks are higher, or the measurement is wrong\n'
          in r.err, True)
    stored = s.get('/api/v1/ceilings')['items']
    equal('stored', [(c['platform'], c['device'], c['driver'], len(c['items']))
                     for c in stored], [('H20', 'NVIDIA H20', '580.65.06', 10)])
    r = calibrate(folder, '--upload', '--platform', 'H20', server=s)
    equal('named', (r.status, r.out.splitlines()[-1]), (0, 'ceilings H20: 9 rates'))
    r = calibrate(folder, '--upload', '--platform', 'A10', server=s)
    equal('another', (r.status, r.err.splitlines()[-1]),
          (1, "kernsift: platform: 'NVIDIA H20' is of the platform 'H20', not 'A10'"))
    r = calibrate(folder, '--upload', server=s, fake='mixed=1')
    equal('A10', (r.status, r.out.splitlines()[-1]), (0, 'ceilings A10: 9 rates'))
    r = calibrate(folder, '--upload', server=s, libraries=('cuda', 'nvml'))
    equal('failed', (r.status, r.err.splitlines()[-1]),
          (1, 'kernsift: nothing is sent, because a measurement failed'))
    r = calibrate(folder, '--upload', '--platform', 'H1', server=s)
    equal('unknown', (r.status, r.err.splitlines()[-1]),
          (1, "kernsift: platform: the catalog has no platform 'H1'"))
    r = calibrate(folder, '--json', f'{folder}/no/such')
    equal('file', (r.status, r.err.splitlines()[-1]),
          (74, f"kernsift: --json: cannot write '{folder}/no/such': No such file or directory"))
    equal('stored', len(s.get('/api/v1/ceilings')['items']), 2)


def ahead(_, s):
    """a measurement may be 5 minutes ahead of the server, not more"""
    items = [{'measurement': 'copy', 'value': 1e12, 'unit': 'bytes_per_s', 'method': 'x'}]
    for minutes, wanted in ((10, 400), (4, 200)):
        at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
        body = {'device': 'NVIDIA H20', 'measured_at': f'{at:%Y-%m-%dT%H:%M:%SZ}', 'items': items}
        request = urllib.request.Request(f'{s.url}/api/v1/ceilings', json.dumps(body).encode(),
                                         {'Content-Type': 'application/json'})
        try:
            with urllib.request.urlopen(request) as r:
                status = r.status
        except urllib.error.HTTPError as e:
            status = e.code
        equal(f'{minutes} minutes ahead', status, wanted)


def main():
    with tempfile.TemporaryDirectory(prefix='ks-calibrate-') as folder, Server() as s:
        play([one_gpu, four_gpus, missing, failing, sent, ahead], folder, s)


if __name__ == '__main__':
    main()
