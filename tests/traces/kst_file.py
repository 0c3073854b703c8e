"""kst_file.py - captures built byte by byte, for cases that a script makes.

Shares nothing with include/kernsift but what its README.md says. quiet() is the
capture of a trace about which there is nothing to say: two kernels named
`relu`, 2 and 4 us at 10 and 20 us, with their calls, device and process. Its
chunks are a list, in which a case breaks one."""
import struct

MAGIC = b'\x89KST\r\n\x1a\n'
ABOUT, TEXT, LAUNCH, PROCESS, DEVICE, CLOCK, DROP, NOTE = range(1, 9)
KERNEL, CALL, END = 16, 18, 63
BASE_NS = 1_700_000_000_000_000_000


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def varint(v):
    out = bytearray()
    while v >= 0x80:
        out.append(v & 0x7f | 0x80)
        v >>= 7
    return bytes(out) + bytes([v])


def zigzag(v):
    return varint((v << 1 ^ v >> 63) & 0xffffffffffffffff)


def opening(major=1, minor=0):
    head = MAGIC + struct.pack('<HH', major, minor)
    return head + struct.pack('<I', crc32c(head))


def rows(columns):
    """A payload of rows: {column: cells}, each cell alone, as varints."""
    places, body = bytes([len(columns)]), b''
    for column, cells in columns.items():
        packed = b''.join(zigzag(c) for c in cells)
        places += bytes([column, 0, 0, 0]) + varint(len(packed))
        body += packed
    return places + body


def texts(first, words):
    return (varint(first) + b''.join(varint(len(w)) for w in words) +
            b''.join(words))


def about(fields):
    return b''.join(varint(n) + varint(len(v)) + v for n, v in fields)


class Chunk:
    def __init__(self, kind, payload, n=1, seq=None):
        self.kind, self.payload, self.n, self.seq = kind, payload, n, seq

    def bytes(self, seq, capture):
        seq = self.seq if self.seq is not None else seq
        rest = struct.pack('<IIIIIIBBHqq', crc32c(self.payload), capture, seq,
                           len(self.payload), len(self.payload), self.n,
                           self.kind, 0, 0, 0, 0)
        return b'\xabKST' + struct.pack('<I', crc32c(rest)) + rest + \
            self.payload


def file(chunks, major=1, minor=0):
    """The bytes of a capture; what is not a Chunk stands in it as it is."""
    out, seq = opening(major, minor), 0
    for c in chunks:
        if isinstance(c, bytes):
            out += c
            continue
        out += c.bytes(seq, 77)
        seq = (c.seq if c.seq is not None else seq) + 1
    return out


WORDS = [b'relu', b'cudaLaunchKernel', b'7', b'python', b'Tesla V100']


def quiet():
    """{what it holds: chunk}, in order."""
    return {
        'about': Chunk(ABOUT, about([(1, b'a script'), (2, b'kineto'),
                                     (4, zigzag(BASE_NS)),
                                     (5, zigzag(1))]), 0),
        'text': Chunk(TEXT, texts(1, WORDS), len(WORDS)),
        'launch': Chunk(LAUNCH, rows({0: [1], 1: [1], 2: [8], 3: [1], 4: [1],
                                      5: [128], 6: [1], 7: [1]})),
        'process': Chunk(PROCESS, rows({0: [0], 1: [77], 2: [4]})),
        'device': Chunk(DEVICE, rows({1: [0], 2: [5], 3: [80], 4: [7], 5: [0],
                                      6: [34089730048]})),
        'kernel': Chunk(KERNEL, rows({1: [10000, 20000], 2: [2000, 4000],
                                      4: [0, 0], 5: [7, 7], 6: [1, 2],
                                      10: [1, 1]}), 2),
        'call': Chunk(CALL, rows({1: [5000, 6000], 2: [1000, 1000],
                                  3: [2, 2], 4: [3, 3], 5: [1, 2]}), 2),
        'end': Chunk(END, b'', 0),
    }
