#!/usr/bin/python3
"""counters.py - a pattern file and its counters are sent as one upload.

The notes of the run prove that the counters arrived: one sample is unreadable, and one
is of a host on which nothing ran.
"""
import gzip
import tempfile

from harness import Server, equal, ids, play, upload

# The file does not end with a newline, as some tools leave it.
PATTERNS = """\
cycle,pid,function_name,metric_name,device,func_type,duration,instances_count
1,4711,relu,gpu_usage,GPU 7,gpu_compute,300.1,3
1,4711,relu,gpu_sm_util,GPU 7,gpu_compute,300.1,3
2,4711,relu,N/A,GPU 7,gpu_compute,%d.0,2"""
COUNTERS = """\
counter_name,timestamp,value,hostname
gpu_usage,1763013921000000.5,25.5,
gpu_usage,1763013921000100.5,2.5.5,
gpu_usage,1763013921000200.5,25.5,elsewhere
"""


def files(d, word, first_packed, second_packed, micros):
    paths = []
    for name, text, packed in (('patterns', PATTERNS % micros, first_packed),
                               ('counters', COUNTERS, second_packed)):
        path = f'{d}/{word}-{name}.csv' + ('.gz' if packed else '')
        with open(path, 'wb') as f:
            f.write(gzip.compress(text.encode()) if packed else text.encode())
        paths.append(path)
    return paths


def arrives(s, d, word, micros, *options, packed=(False, False)):
    patterns, counters = files(d, word, *packed, micros)
    r = upload(s, '--wait', *options, '--counters', counters, patterns)
    equal('stderr', [x for x in r.err.splitlines() if 'kernsift:' in x], [])
    equal('status', r.status, 0)
    (run,) = ids(r.out, 'run')
    stored = s.get(f'/api/v1/runs/{run}')
    equal('content', stored['content'], 'patterns')
    equal('launches', stored['launches'], 5)
    equal('kernel_ns', stored['kernel_ns'], 300100 + micros * 1000)
    notes = {n['code']: n['count']
             for n in s.get(f'/api/v1/runs/{run}/notes')['items']}
    equal('notes', notes, {'no_device_name': 1, 'patterns_only': 2,
                           'pattern_row': 1, 'counter_host': 1})


def both_plain(s, d):
    """two plain files are sent as one, whatever the compression"""
    arrives(s, d, 'zstd', 201)
    arrives(s, d, 'gzip', 202, '--compress', 'gzip')
    arrives(s, d, 'none', 203, '--compress', 'none')


def packed(s, d):
    """one or both are gzip already: the other is compressed the same way"""
    arrives(s, d, 'first', 204, packed=(True, False))
    arrives(s, d, 'second', 205, packed=(False, True))
    arrives(s, d, 'both', 206, packed=(True, True))
    arrives(s, d, 'plain', 207, '--compress', 'none', packed=(True, False))


def refused(s, d):
    """counters alone, counters of two files, other compression: an error message"""
    patterns, counters = files(d, 'refused', True, False, 208)
    r = upload(s, counters)
    equal('status', r.status, 1)
    equal('alone', r.err, f"kernsift: {counters}: this is a file of counters, "
          "which belongs behind its pattern file; upload both as one (`cat "
          "patterns.csv counters.csv`, or `kernsift upload --counters "
          "counters.csv patterns.csv`)\n")
    r = upload(s, '--counters', counters, patterns, patterns)
    equal('status', r.status, 64)
    equal('two', r.err, 'kernsift: --counters: belongs to one pattern file, and '
          '2 files are given (send them one by one)\n')
    with open(counters, 'wb') as f:
        f.write(b'\x28\xb5\x2f\xfd')
    r = upload(s, '--counters', counters, patterns)
    equal('status', r.status, 1)
    equal('mixed', r.err, f"kernsift: the compressions of '{patterns}' and "
          f"'{counters}' cannot be sent as one; decompress them, or compress "
          'both with gzip or zstd\n')


def main():
    with Server() as s, tempfile.TemporaryDirectory() as d:
        play([both_plain, packed, refused], s, d)


if __name__ == '__main__':
    main()
