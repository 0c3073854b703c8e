// timeline.test.mjs - tests the terms and positions of a run's timeline.

import assert from 'node:assert/strict';
import test from 'node:test';
import {layerOf, looksOf, nameText, RANKED, segmentAt, segmentText, stripLabel, timeTicks, within, zoomed} from '../../web/timeline/timeline_terms.js';

const NAMES = Array.from({length: RANKED + 2}, (_, i) => ({kind: 'kernel', id: i + 1, name: `k${i + 1}`, count: 1, time_ns: 10}));
const DOC = {
	from_ns: 0,
	to_ns: 1000,
	names: [...NAMES, {kind: 'cause', id: null, name: 'host_gap'}, {kind: 'iteration', id: null, name: 'step 3'}, {kind: 'iteration', id: null, name: 'step 4'}],
	strips: [{kind: 'stream', device: 0, stream: 7, thread: null, depth: 0,
		start_ns: [100, 200, 300], dur_ns: [50, 100, 0], busy_ns: [50, 40, 0], count: [1, 4, 1], name: [0, 1, RANKED]}],
};
const layer = layerOf(DOC, looksOf(DOC));
const [strip] = layer.strips.values();

test('starts are relative to the segment before', () => {
	assert.deepEqual([...strip.start], [100, 300, 600]);
});

test('the kernels with the most time have colors of their own', () => {
	assert.deepEqual(layer.look.slice(0, 2), ['kernel-1', 'kernel-2']);
	assert.deepEqual(layer.look.slice(RANKED, RANKED + 3), ['other', 'other', 'host_gap']);
	assert.notEqual(layer.look.at(-1), layer.look.at(-2), 'neighboring iterations differ');
});

// [what, time, slack, index]
for (const [what, ns, slack, want] of [
	['inside', 120, 0, 0], ['in a gap', 200, 0, -1], ['near the end of one', 152, 5, 0], ['near the start of one', 297, 5, 1],
	['without duration', 600, 0, 2], ['after all', 900, 10, -1],
])
	test(`the segment at a time: ${what}`, () => assert.equal(segmentAt(strip, ns, slack), want));

test('a segment as a sentence', () => {
	assert.equal(segmentText(layer, strip, 0), 'k1: 50 ns, at 100 ns');
	assert.equal(segmentText(layer, strip, 1), '4 launches, 40 ns within 100 ns at 300 ns, mostly k2; zoom in to see each');
});

// [what, view, window]
for (const [what, view, want] of [
	['before the start', {from: -100, to: 400}, {from: 0, to: 500}],
	['after the end', {from: 800, to: 1200}, {from: 600, to: 1000}],
	['longer than the run', {from: -500, to: 5000}, {from: 0, to: 1000}],
	['too short', {from: 500, to: 501}, {from: 490.5, to: 510.5}],
])
	test(`a window ${what}`, () => assert.deepEqual(within(view, 1000, 20), want));

test('zooming keeps the time under the pointer', () => {
	const view = zoomed({from: 100, to: 300}, 0.5, 0.25);
	assert.deepEqual(view, {from: 125, to: 225});
	assert.deepEqual(zoomed(view, 2, 0.25), {from: 100, to: 300});
});

test('ticks far from the start count from the first of them', () => {
	const {origin, texts} = timeTicks({from: 5e9, to: 5e9 + 1000}, 5);
	assert.equal(origin, 5e9);
	assert.equal(texts[0], '5.000 s');
	assert.match(texts[1], /^\+0\.2 µs$/);
	assert.deepEqual(timeTicks({from: 0, to: 1e6}, 2).texts, ['0.0 ms', '0.5 ms', '1.0 ms']);
});

test('names that the server added up, and causes that this page does not know', () => {
	const doc = {...DOC, names: [{kind: 'kernel', id: null, name: null}, {kind: 'set', id: null, name: null}, {kind: 'cause', id: null, name: 'new_cause'}]};
	assert.equal(nameText(doc.names[0]), 'further kernels');
	assert.equal(nameText(doc.names[1]), 'further memory sets');
	assert.deepEqual(layerOf(doc, looksOf(doc)).look.slice(1), ['set', 'unknown']);
});

test('labels of strips', () => {
	assert.equal(stripLabel(strip), 'GPU 0, stream 7');
	assert.equal(stripLabel({kind: 'ranges', thread: 'main', depth: 0}), 'Ranges, thread main');
	assert.equal(stripLabel({kind: 'ranges', thread: 'main', depth: 1}), '');
	assert.equal(stripLabel({kind: 'stream', device: null, stream: null}), 'GPU ?, stream ?');
});
