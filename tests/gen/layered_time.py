"""layered_time.py - computes when the launches of layered.py run, in whole nanoseconds.

A pass is a list of launches in the order of their calls. The caller chooses the gaps
between launches: a fixed gap, or the gaps with which the layers and the pass have the
requested lengths, to the nanosecond.
"""
import layered

LAYER = 'DeepseekV2DecoderLayer'
MODEL = ('DeepseekV3ForCausalLM_0', 'DeepseekV2Model_0')
NEXT = ('DeepseekV3ForCausalLMNextN_0', 'DeepseekModelNextN_0')


class Launch:
    def __init__(self, row, call, layer, above, kernel, ns, stream):
        self.row, self.call, self.layer, self.above = row, call, layer, above
        self.kernel, self.ns, self.stream = kernel, ns, stream
        self.start = 0


class Pass:
    """The launches of a pass, from time 0; `end` is the end of the last one."""

    def __init__(self, times, again, gap, layered, end):
        self.times = times
        self.launches, self.now, self.calls = [], 0, 0
        self.gap = {'in': (gap, 0), 'out': (gap, 0)}
        self.slots = {'in': 0, 'out': 0}
        self.fit = layered, end
        self.from_, self.to = 0, 0
        self.again = again

    def wait(self, where):
        """Adds the gap before a launch. The first gaps of a pass are 1 ns longer than
        the others, if the requested length cannot be divided into equal gaps."""
        if not self.launches:
            return
        base, more = self.gap[where]
        self.now += base + (self.slots[where] < more)
        self.slots[where] += 1

    def put(self, row, call, layer, above, kernel, ns, stream, start):
        launch = Launch(row, call, layer, above, kernel, ns, stream)
        launch.start = start
        self.launches.append(launch)
        return start + ns

    def rows(self, rows, where, layer=None, above=MODEL):
        for row in rows:
            self.calls += 1
            for kernel, ns in layered.durations(row, self.times):
                if layer is not None and not self.begun(layer):
                    self.wait('out' if layer in (0, 'again') else 'in')
                else:
                    self.wait(where)
                self.now = self.put(row, self.calls, layer, above, kernel, ns,
                                    layered.MAIN, self.now)

    def begun(self, layer):
        return any(x.layer == layer for x in self.launches[-40:])

    def combine(self, layer, above):
        """Adds the two halves of the combine, which are one call, on their own stream.
        The shared expert runs on the main stream, parallel to the end of the first half
        and to the start of the second half. Without a combine, the shared expert runs
        afterwards."""
        shared = [(row, *x) for row in layered.SHARED
                  for x in layered.durations(row, self.times)]
        total = self.times.get('combine')
        if total is None:
            self.rows(layered.SHARED, 'in', layer, above)
            return
        self.wait('in')
        begin = at = self.now
        self.calls += 1
        call = self.calls
        first, second = layered.COMBINED[3]
        half = total // 6
        times = []
        for row, kernel, ns in shared:
            at += 2000
            times.append((row, kernel, ns, at))
            half = at + ns // 2 - begin
            at += ns
        assert half + 1000 < total, 'the shared expert outlasts the combine'
        self.put(layered.COMBINED, call, layer, above, first, half,
                 layered.COMM, begin)
        self.now = self.put(layered.COMBINED, call, layer, above, second,
                            total - half, layered.COMM, begin + half + 1000)
        for row, kernel, ns, start in times:
            self.calls += 1
            self.put(row, self.calls, layer, above, kernel, ns, layered.MAIN,
                     start)

    def layer(self, number, dense, above):
        self.rows(layered.ATTENTION, 'in', number, above)
        if dense:
            self.rows(layered.DENSE, 'in', number, above)
            return
        self.rows(layered.GATE + layered.EXPERTS, 'in', number, above)
        self.combine(number, above)

    def run(self):
        self.launches, self.now, self.calls = [], 0, 0
        self.slots = {'in': 0, 'out': 0}
        self.rows(layered.BEFORE, 'out')
        n = layered.DENSE_LAYERS + layered.EXPERT_LAYERS
        for i in range(n):
            self.layer(i, i < layered.DENSE_LAYERS, MODEL)
        self.from_ = min(x.start for x in self.launches if x.layer == 0)
        self.to = self.now
        self.rows(layered.AFTER, 'out')
        if self.again:
            self.rows(layered.AGAIN, 'out', above=NEXT)
            self.layer(n, False, NEXT)
            self.rows(layered.AFTER, 'out', above=NEXT)
        return self

    def fitted(self):
        """Returns a pass whose gaps give the layers and the pass the requested
        lengths."""
        layers, end = self.fit
        for where, want, is_ in (('in', layers, lambda: self.to - self.from_),
                                 ('out', end, lambda: self.now)):
            if want is None:
                continue
            self.gap[where] = 0, 0
            self.run()
            rest, slots = want - is_(), self.slots[where]
            assert rest >= 0, f'{-rest} ns too long'
            self.gap[where] = divmod(rest, slots)
        return self.run()
