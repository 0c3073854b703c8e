// diagnosis.test.mjs - tests the words of the card that shows why a run is slow, and the order of
// its causes.

import assert from 'node:assert/strict';
import test from 'node:test';
import {headline, linkLabel, withTime} from '../../web/lib/diagnosis.js';

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
