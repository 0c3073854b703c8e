// diagnosis.test.mjs - tests the words of the card that shows why a run is slow, and the order of
// its causes.

import assert from 'node:assert/strict';
import test from 'node:test';
import {causeText, headline, idleText, linkLabel, noCauseText, withTime} from '../../web/lib/diagnosis.js';

const TABS = {kernels: 'Kernels', launches: 'Launch latency'};

// [link, text]
const LINKS = [
	['/runs/8?tab=launches#panel', 'Launch latency'],
	['/runs/8?tab=kernels', 'Kernels'],
	['/jobs/3', 'Ranks of the job'],
	['/runs/8?tab=of-a-newer-server#panel', 'Show'],
	['/runs/8', 'Show'],
];
LINKS.forEach(([link, text], i) => test(`link ${i}: ${text}`, () => assert.equal(linkLabel(link, TABS), text)));

// [document, headline]
const HEADLINES = [
	[{iterations: 1, busy_ns: 351000, idle_ns: 739000}, '1 iteration of 1.090 ms: the GPU is busy 32.2 % and idle 67.8 % of the time.'],
	[{iterations: 12, busy_ns: 12e9, idle_ns: 0}, '12 iterations, mean 1.000 s: the GPU is busy 100.0 % and idle 0.0 % of the time.'],
	[{iterations: 2, busy_ns: 0, idle_ns: 0}, '2 iterations, mean 0 ns: the GPU is busy – % and idle – % of the time.'],
];
HEADLINES.forEach(([doc, text], i) => test(`headline ${i}`, () => assert.equal(headline(doc), text)));

test('causes: those with time, most time first; equal ones keep their order', () => {
	const causes = [['a', 1], ['b', 0], ['c', 5], ['d', 1]].map(([cause, time_ns]) => ({cause, time_ns}));
	assert.deepEqual(withTime(causes).map((c) => c.cause), ['c', 'a', 'd']);
	assert.deepEqual(causes.map((c) => c.cause), ['a', 'b', 'c', 'd']);
});

// [idle causes by time in ns, iterations, text]
const IDLE = [
	[{host_gap: 2e6, unknown: 998e6}, 1, 'The trace records no cause for 99.8 % of the idle time (998.000 ms). The largest cause that it records (2.000 ms) is host gap: before the ' +
		'next launch begins, the host does other work.'],
	[{host_gap: 600, unknown: 400}, 1, 'The trace records the cause of 60.0 % of the idle time. The largest (600 ns) is host gap: before the next launch begins, the host does ' +
		'other work. It records none for 40.0 % of the idle time (400 ns).'],
	[{host_gap: 10, synchronization: 40}, 2, 'The trace records the cause of 100.0 % of the idle time. The largest (20 ns per iteration) is synchronization: before the next launch ' +
		'begins, the host waits for the GPU in a synchronizing call.'],
	[{unknown: 500}, 1, 'The trace records no cause for 100.0 % of the idle time (500 ns).'],
	[{of_a_newer_server: 500}, 1, 'The trace records the cause of 100.0 % of the idle time. The largest (500 ns) is of_a_newer_server.'],
	[{}, 1, null],
];
IDLE.forEach(([times, iterations, text], i) => test(`causes of idle time ${i}`, () => {
	const causes = Object.entries(times).map(([cause, time_ns]) => ({kind: 'idle', cause, time_ns}));
	const doc = {iterations, reason: null, idle_ns: causes.reduce((all, c) => all + c.time_ns, 0), causes: [{kind: 'busy', cause: 'copies', time_ns: 1e9}, ...causes]};
	assert.equal(idleText(doc), text);
	assert.equal(idleText({...doc, reason: 'the run is old'}), null);
}));

test('why no cause of a gap is recorded', () => {
	assert.match(noCauseText({after: {}, call: 'cudaLaunchKernel'}), /had returned, and the trace does not record what the GPU waited for$/);
	assert.equal(noCauseText({after: {}, call: null}), 'the trace has no API call that launched the next work');
	assert.equal(noCauseText({after: null, call: null}), 'no recorded work follows it');
	assert.equal(causeText('copy_wait'), 'copy wait: before the next launch begins, the host is inside a blocking copy.');
});
