// run_content.test.mjs - tests the texts and columns of a run's kernels and launches.
//
// The cases are runs without single launches, folded frames of a call path, and the columns
// of launch latency.

import assert from 'node:assert/strict';
import test from 'node:test';
import {missingDetail, launchCount, opaqueShare, unknownTitle} from '../../web/lib/run_content.js';
import {shareOf} from '../../web/lib/format.js';
import {visibleFrames} from '../../web/pages/run_kernels.js';
import {timeColumns} from '../../web/pages/run_launches.js';

// [case, run, mark, title of a dash]
const CONTENTS = [
	['launches', {content: 'launches'}, undefined, 'unknown'],
	['a table', {content: 'statistics'}, 'statistics only', 'unknown: statistics only'],
	['patterns', {content: 'patterns'}, 'patterns only', 'unknown: patterns only'],
	['calls without starts', {content: 'durations'}, 'durations only', 'unknown: durations only'],
];
for (const [what, run, mark, title] of CONTENTS)
	test(`content: ${what}`, () => {
		assert.equal(missingDetail(run)?.mark, mark);
		assert.equal(unknownTitle(run), title);
	});

// Figures of the shared trace of compiled graphs: 30 kernels of 80.123 µs in total, and 7,811
// ms in replays. 7811000 / (7811000 + 80.123) = 99.99897 %.
const OPAQUE = {launches: 30, graphs: 10, kernel_ns: 80123, graph_ns: 7811000000};
// [case, run, launches, share in a sentence]
const GRAPHS = [
	['nearly all in replays', OPAQUE, '30 + 10 graph replays', 'More than 99.9 %'],
	['all in replays', {...OPAQUE, launches: 0, kernel_ns: 0}, '0 + 10 graph replays', '100.0 %'],
	['half', {launches: 1, graphs: 1, kernel_ns: 5, graph_ns: 5}, '1 + 1 graph replay', '50.0 %'],
	['hardly any', {launches: 1, graphs: 1, kernel_ns: 1e6, graph_ns: 1}, '1 + 1 graph replay', 'Less than 0.1 %'],
	['no replays', {launches: 1234, graphs: 0, kernel_ns: 5, graph_ns: 0}, '1,234', null],
	['an older answer without the field', {launches: 3, kernel_ns: 5}, '3', null],
	['how many is unknown', {launches: null, graphs: 0}, '–', null],
];
for (const [what, run, text, share] of GRAPHS)
	test(`graphs: ${what}`, () => {
		assert.equal(launchCount(run), text);
		assert.equal(opaqueShare(run) === null ? null : shareOf(opaqueShare(run)), share);
	});

// [case, kinds of the frames (m module, a range, p Python, o operator), visible indices]
const KIND = {m: 'module', a: 'annotation', p: 'python', o: 'op'};
const PATHS = [
	['nothing', '', []],
	['four', 'pppo', [0, 1, 2, 3]],
	['a single frame is not folded', 'ppppo', [0, 1, 2, 3, 4]],
	['two frames fold', 'pppppo', [2, 3, 4, 5]],
	['outer modules and ranges stay', 'pappmppppo', [1, 4, 6, 7, 8, 9]],
	['the four nearest of many', 'mmmmmmmmpppo', [4, 5, 6, 7, 8, 9, 10, 11]],
	['two hidden in all, among modules', 'mpmppppo', [0, 2, 4, 5, 6, 7]],
	['outer operators fold', 'oooooo', [2, 3, 4, 5]],
];
for (const [what, kinds, seen] of PATHS)
	test(`visibleFrames: ${what}`, () =>
		assert.deepEqual(visibleFrames([...kinds].map((k) => ({kind: KIND[k], name: k}))), seen));

const spread = (of, n) => Object.fromEntries(['mean', 'median', 'min', 'max', 'stddev'].map((stat, i) =>
	[`${of}_${stat}_ns`, n === null ? null : n + i]));
const ROW = {...spread('total', 1000), ...spread('api', 200), ...spread('queue', null), ...spread('kernel', 800)};

test('latency: one statistic of each part', () => {
	const columns = timeColumns('max', 'ns');
	assert.deepEqual(columns.map((c) => [c.label, c.down, c.cell(ROW)]), [['Total', 'total_max', '1,003'],
		['Call', 'api_max', '203'], ['Queue', 'queue_max', '–'], ['Kernel time', 'kernel_max', '803']]);
	assert.equal(columns[2].title(ROW), 'unknown: no kernel started after its call returned');
});

test('latency: all twenty columns, each with its own label', () => {
	const columns = timeColumns('all', 'ns');
	assert.equal(columns.length, 20);
	assert.equal(new Set(columns.map((c) => c.down)).size, 20);
	assert.equal(new Set(columns.map((c) => c.label)).size, 20);
	assert.equal(columns[6].label, 'Call median');
	assert.equal(columns[6].cell(ROW), '201');
});
