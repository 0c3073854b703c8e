"""bodies.py - bodies that are made and not kept: packed, cut, bombs, forms."""
import gzip
import os
import zlib

from talk.server import HERE

TRACE = os.path.join(HERE, "data", "two-kernels.json")
OPEN = b'{"traceEvents": ['


def trace():
    with open(TRACE, "rb") as f:
        return f.read()


def deep(n):
    """n nested brackets where an event should be."""
    return OPEN + b"[" * n


def bomb():
    """64 MiB of blanks in a trace's frame: 64 KiB packed, 1000 to one."""
    return OPEN + b" " * (64 << 20) + b"]}"


def zstd_blanks(n):
    """A zstd frame of n blanks, as run-length blocks (RFC 8878, 3.1.1)."""
    out = b"\x28\xb5\x2f\xfd" + b"\x00\x58"  # no checksum; window of 2 MiB
    raw = OPEN
    out += ((len(raw) << 3)).to_bytes(3, "little") + raw
    step = 128 << 10
    for i in range(0, n, step):
        size = min(step, n - i)
        last = i + step >= n
        out += (int(last) | 1 << 1 | size << 3).to_bytes(3, "little") + b" "
    return out


def member(data):
    """A gzip member without a time in it, so that it is always the same."""
    return gzip.compress(data, mtime=0)


MADE = {
    "empty": lambda: b"",
    "gzip": lambda: member(trace()),
    "two-members": lambda: member(trace()[:900]) + member(trace()[900:]),
    "gzip-garbage": lambda: member(trace()) + b"\x00garbage",
    "gzip-cut": lambda: member(trace())[:-20],
    "zlib": lambda: zlib.compress(trace()),
    "gzip-bomb": lambda: member(bomb()),
    "zstd-bomb": lambda: zstd_blanks(64 << 20),
    "blanks-1.5-mib": lambda: OPEN + b" " * 1572848,
    "truncated": lambda: trace()[:-120],
    "deep": lambda: deep(1_000_000),
    "png": lambda: b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(200),
    "lfs": lambda: (b"version https://git-lfs.github.com/spec/v1\n"
                    b"oid sha256:" + b"4d" * 32 + b"\nsize 12345\n"),
    "html": lambda: b"<!DOCTYPE html><html><body>404</body></html>",
    "words": lambda: b"hello, this is no trace\n",
    "nul": lambda: bytes(5000),
    "elf": lambda: b"\x7fELF\x02\x01\x01" + bytes(100),
    "sqlite": lambda: b"SQLite format 3\x00" + bytes(100),
    "cut-form": lambda: b'--cut\r\nContent-Disposition: form-data; name="f"; '
                        b'filename="x"\r\n\r\n' + trace()[:50],
    "field-form": lambda: b'--cut\r\nContent-Disposition: form-data; name="project"'
                          b"\r\n\r\ndemo\r\n--cut--\r\n",
}


def form(data, name):
    """A form with one file in it, as a page posts it."""
    head = ('--cut\r\nContent-Disposition: form-data; name="file"; '
            f'filename="{name}"\r\nContent-Type: application/json\r\n\r\n')
    return head.encode() + data + b"\r\n--cut--\r\n"
