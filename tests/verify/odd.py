#!/usr/bin/python3
"""odd.py - checks the error or the notes of each unusual recorded file.

odd.py [FOLDER]

The folder defaults to `odd` next to the shared traces; without it the case is skipped.
A file that is not listed here is a failure.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('KERNSIFT_SRC', f'{HERE}/../..')
PROGRAM = os.path.join(os.environ.get('KERNSIFT_BIN',
                                      f'{SOURCE}/build/dev/bin'), 'kernsiftd')
FOLDER = os.environ.get('KERNSIFT_ODD', f'{SOURCE}/../shared/traces/odd')

# file -> (exit status, the sentence on stderr or the notes of the run)
EXPECTED = {
    'cpu-only.json.gz': (0, [
        'note warn no_kernels 7479: the trace holds no GPU kernels (7479 '
        'events read)']),
    'no-kernels-no-rank.json.gz': (0, [
        'note warn no_kernels 2467: the trace holds no GPU kernels (2467 '
        'events read)']),
    'lfs-pointer.sqlite': (1, [
        'kernsiftd: this is a Git LFS pointer, not the file it refers to; run '
        '`git lfs pull` and upload that']),
    'not-a-trace-json-list.json.gz': (1, [
        'kernsiftd: this is a JSON list, but not of events ({…}); upload a '
        'trace of torch.profiler']),
    'partial-nsys.sqlite': (1, [
        'kernsiftd: this export of Nsight Systems holds no CUDA event and no '
        'NVTX range; record with --trace=cuda,nvtx, and see that `nsys export` '
        'comes to its end']),
}


def printed(path):
    done = subprocess.run([PROGRAM, 'inspect', path], capture_output=True,
                          text=True)
    if done.returncode:
        return done.returncode, done.stderr.splitlines()
    return 0, [line for line in done.stdout.splitlines()
               if line.startswith('note ')]


def main():
    folder = sys.argv[1] if sys.argv[1:] else FOLDER
    if not os.path.isdir(folder):
        print(f"skipped: there are no odd files in '{folder}'")
        sys.exit(77)
    files = sorted(os.listdir(folder))
    bad = 0
    for name in files:
        due = EXPECTED.get(name, (None, ['a sentence written down here']))
        got = printed(os.path.join(folder, name))
        if got != due:
            bad += 1
            print(f'{name}: {got[0]} {got[1]}, not {due[0]} {due[1]}')
    print(f'{len(files) - bad} of {len(files)} files get their sentences')
    sys.exit(bad != 0)


main()
