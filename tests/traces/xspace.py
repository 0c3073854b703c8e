"""xspace.py - writes the XSpace of JAX and XLA (xplane.pb), field by field.

A plane's lines come before the tables that name their events and statistics, as
protobuf writes them: fields in the order of their numbers."""
import struct


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def real(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


class Ref(str):
    """A text that is stored as the name of a statistic."""


class Plane:
    def __init__(self, name, number_=0):
        self.name, self.number = name, number_
        self.lines, self.own, self.meta_stats = [], [], {}
        self.events, self.stats = {}, {}

    def id_of(self, table, name):
        return table.setdefault(name, len(table) + 1)

    def stat(self, name, value):
        out = number(1, self.id_of(self.stats, name))
        if isinstance(value, Ref):
            return out + number(7, self.id_of(self.stats, str(value)))
        if isinstance(value, str):
            return out + data(5, value)
        if isinstance(value, bytes):
            return out + data(6, value)
        if isinstance(value, float):
            return out + real(2, value)
        return out + number(3 if value >= 0 else 4, value)

    def about(self, name, value):
        """A statistic of the plane."""
        self.own.append(self.stat(name, value))

    def event(self, name, start_ns, dur_ns, /, **stats):
        """An event of a line; times may have decimals, down to picoseconds."""
        out = number(1, self.id_of(self.events, name))
        out += number(2, round(start_ns * 1000)) + number(3, round(dur_ns * 1000))
        return out + b"".join(data(4, self.stat(k, v)) for k, v in stats.items())

    def line(self, number_, name, start_ns, *events):
        self.lines.append(number(1, number_) + data(2, name) + number(3, start_ns) +
                          b"".join(data(4, e) for e in events))

    def bytes(self):
        out = number(1, self.number) if self.number else b""
        out += data(2, self.name) + b"".join(data(3, line) for line in self.lines)
        for name, i in self.events.items():
            value = number(1, i) + data(2, name)
            value += b"".join(data(5, s) for s in self.meta_stats.get(name, []))
            out += data(4, number(1, i) + data(2, value))
        for name, i in self.stats.items():
            out += data(5, number(1, i) + data(2, number(1, i) + data(2, name)))
        return out + b"".join(data(6, s) for s in self.own)


def space(planes, hostname="node7"):
    return b"".join(data(1, p if isinstance(p, bytes) else p.bytes())
                    for p in planes) + data(4, hostname)


F32, BF16 = 11, 16


def shape(kind, *sizes):
    """An HLO shape: the type's number, then packed sizes."""
    return number(2, kind) + data(3, b"".join(varint(n) for n in sizes))


def instruction(i, name, opcode, result, *operands):
    return data(1, name) + data(2, opcode) + data(3, result) + number(35, i) + \
        data(36, b"".join(varint(o) for o in operands))


def module(name, *instructions):
    """An HloProto with one computation."""
    computation = data(1, "main") + b"".join(data(2, i) for i in instructions)
    return data(1, data(1, name) + data(3, computation))


def modules(**protos):
    """The plane of HLO modules: name → (program, HloProto)."""
    p = Plane("/host:metadata")
    for name, (program, proto) in protos.items():
        event = f"{name}({program})"
        p.events[event] = program
        p.meta_stats[event] = [p.stat("Hlo Proto", proto)]
    return p


def clock(start_ns):
    """The plane of the moment that times count from."""
    p = Plane("Task Environment")
    p.about("profile_start_time", start_ns)
    return p


def cuda(grid, block, regs=32, static=0, dynamic=0):
    return Ref(f"regs:{regs} static_shared:{static} dynamic_shared:{dynamic} "
               f"grid:{grid},1,1 block:{block},1,1 occ_pct:100")
