// rank_steps.test.mjs - tests the cells and sentences of the map of a job's ranks over time.

import assert from 'node:assert/strict';
import test from 'node:test';
import {cellText, excludedSentences, longerSentences, ranges, SHADES, stepCells, stepName} from '../../web/lib/rank_steps.js';

const step = (from, n, label = null) => ({from, n, label, median_ns: 1000});
const rank = (number, compute_ns, waiting_ns, longer = [], excluded = null) =>
	({run: number + 10, rank: number, compute_ns, waiting_ns, dur_ns: compute_ns.map(() => 4000), longer, excluded});
const DOC = {
	iterations: 6,
	matched: 2,
	steps: [step(0, 2, 'step 1'), step(2, 2), step(4, 2)],
	ranks: [
		rank(0, [1000, 1000, 900], [0, 2000, null]),
		rank(1, [1000, 2000, 1500], [0, 0, 0], [1, 2]),
		rank(2, [], [], [], 'no iterations were found'),
	],
};

test('iterations are counted from 1', () => {
	for (const [from, n, name] of [[0, 1, 'iteration 1'], [0, 2, 'iterations 1 to 2'], [9998, 2, 'iterations 9999 to 10000']])
		assert.equal(stepName({from, n}), name);
});

test('shades: relative to the largest, less than the median is none, unknown is none', () => {
	const shades = (kind) => stepCells(DOC, kind).cells.map((row) => row.map(({shade}) => shade));
	assert.deepEqual(shades('compute'), [[0, 0, 0], [0, SHADES, 3]]);
	assert.deepEqual(shades('waiting'), [[0, SHADES, 0], [0, 0, 0]]);
	assert.deepEqual(stepCells(DOC, 'compute').cells[1].map(({longer}) => longer), [false, true, true]);
});

test('noise is not dark', () => {
	const doc = {...DOC, ranks: [rank(0, [1001, 1000, 999], [0, 0, 0])]};
	assert.equal(stepCells(doc, 'compute').most, 0.05);
	assert.deepEqual(stepCells(doc, 'compute').cells[0].map(({shade}) => shade), [1, 0, 0]);
});

test('a median of 0 has no shares', () => {
	const doc = {...DOC, steps: DOC.steps.map((s) => ({...s, median_ns: 0}))};
	assert.deepEqual(stepCells(doc, 'compute').cells[1].map(({value}) => value), [null, null, null]);
});

test('texts of cells', () => {
	assert.equal(cellText(DOC, 'compute', DOC.ranks[1], 1),
		'Rank 1, iterations 3 to 4: computes 2.000 µs, +100.0 % against the median rank; waits 0 ns, 0.0 %');
	assert.equal(cellText(DOC, 'compute', DOC.ranks[0], 2),
		'Rank 0, iterations 5 to 6: computes 900 ns, −10.0 % against the median rank; waiting is unknown');
});

test('ranges', () => {
	for (const [list, want] of [[[], []], [[3], [[3, 3]]], [[2, 3, 7], [[2, 3], [7, 7]]]])
		assert.deepEqual(ranges(list), want);
});

test('sentences: which rank computes longer, when, and who is missing', () => {
	assert.deepEqual(longerSentences(DOC), ['Rank 1 computes longer than the median rank in iterations 3 to 6, by up to 100.0 %.']);
	const gaps = {...DOC, ranks: [rank(1, [2000, 1000, 1500], [0, 0, 0], [0, 2])]};
	assert.deepEqual(longerSentences(gaps), ['Rank 1 computes longer than the median rank in 2 columns of iterations 1 to 6, by up to 100.0 %.']);
	const many = {...DOC, ranks: [0, 1, 2, 3, 4].map((n) => rank(n, [1100, 1000, 1000], [0, 0, 0], [0]))};
	assert.equal(longerSentences(many).at(-1), '2 more ranks computed longer in some iterations.');
	assert.deepEqual(longerSentences({...DOC, ranks: [rank(0, [1, 1, 1], [0, 0, 0])]}),
		['In no iteration does a rank compute clearly longer than the median rank.']);
	assert.deepEqual(excludedSentences(DOC), ['Not shown: rank 2, because no iterations were found.']);
	const out = {...DOC, ranks: [0, 1, 2, 3, 4].map((n) => rank(n, [], [], [], 'x'))};
	assert.deepEqual(excludedSentences(out), ['Not shown: rank 0, rank 1, rank 2 and 2 more, because x.']);
});
