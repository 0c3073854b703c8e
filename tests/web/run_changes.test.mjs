// run_changes.test.mjs - which values a form changes, and the sentences about a change of many runs.

import assert from 'node:assert/strict';
import test from 'node:test';
import {changeOf, forEachRun, keysOf, labelsOf, mergedLabels, outcome, requestOf, undoOf} from '../../web/lib/run_changes.js';

const RUN = {id: 7, name: ' a ', project: 'p', workload: '', labels: {b: '2', a: '1'}};

test('label rows: spaces at the ends and empty rows do not count', () => {
	const rows = [[[], {}], [[['a', '1'], ['', '']], {a: '1'}], [[[' a ', ' 1 2 ']], {a: '1 2'}], [[['a', '']], {a: ''}],
		[[['a=b', 'c,d']], {'a=b': 'c,d'}]];
	for (const [given, labels] of rows)
		assert.deepEqual(labelsOf(given), labels);
	assert.deepEqual(Object.keys(labelsOf([['__proto__', 'x']])), ['__proto__']);
});

test('label rows that are not labels: a sentence', () => {
	assert.throws(() => labelsOf([['', '1']]), {message: "the label with the value '1' has no key"});
	assert.throws(() => labelsOf([['a', '1'], [' a', '2']]), {message: "the label 'a' occurs twice"});
});

test('keys in a text', () => {
	for (const [text, keys] of [['', []], [' , ', []], ['a', ['a']], [' a b ,c,', ['a b', 'c']]])
		assert.deepEqual(keysOf(text), keys);
});

test('labels are removed first, so that a key can be replaced', () => {
	assert.deepEqual(mergedLabels({a: '1', b: '2'}, {c: '3'}, ['a', 'z']), {b: '2', c: '3'});
	assert.deepEqual(mergedLabels({a: '1'}, {a: '2'}, ['a']), {a: '2'});
	assert.deepEqual(mergedLabels({a: '1'}, {}, []), {a: '1'});
});

test('only differences are a change, and the order of labels is none', () => {
	const rows = [
		[{}, null],
		[{name: ' a ', project: 'p', workload: '', labels: {a: '1', b: '2'}}, null],
		[{name: 'a'}, {id: 7, before: {name: ' a '}, after: {name: 'a'}}],
		[{workload: 'w', labels: {a: '1'}}, {id: 7, before: {workload: '', labels: {b: '2', a: '1'}}, after: {workload: 'w', labels: {a: '1'}}}],
		[{labels: {a: '1', c: '2'}}, {id: 7, before: {labels: {b: '2', a: '1'}}, after: {labels: {a: '1', c: '2'}}}],
	];
	for (const [wanted, change] of rows)
		assert.deepEqual(changeOf(RUN, wanted), change);
});

test('the request expects the values from before, its undo those from after', () => {
	const change = changeOf(RUN, {name: 'x', labels: {}});
	assert.deepEqual(requestOf(change), {name: 'x', labels: {}, expected: {name: ' a ', labels: {b: '2', a: '1'}}});
	assert.deepEqual(undoOf([change]).map(requestOf), [{name: ' a ', labels: {b: '2', a: '1'}, expected: {name: 'x', labels: {}}}]);
});

const failure = (status, message) => Object.assign(new Error(message), {status});

test('a run that fails does not stop the others, a server that cannot answer does', async () => {
	const acts = {1: () => 1, 2: () => null, 3: () => { throw failure(409, 'run 3 was changed'); }, 4: () => { throw failure(503, 'busy'); }};
	const progress = [];
	const result = await forEachRun([1, 2, 3, 1, 4, 1, 1], async (n) => acts[n](), {onProgress: (n) => progress.push(n)});
	assert.deepEqual([result.done, result.failed.map(({item}) => item), result.unchanged, result.left, progress],
		[[1, 1], [3, 4], 1, 2, [1, 2, 3, 4]]);
	for (const status of [0, 401, 403, 500])
		assert.equal((await forEachRun([1, 2], async () => { throw failure(status, 'x'); })).left, 1);
	assert.equal((await forEachRun([1, 2], async () => { throw failure(404, 'x'); })).left, 0);
});

test('when the page is left, the rest is not tried', async () => {
	const leave = new AbortController();
	const result = await forEachRun([1, 2, 3], async (n) => { if (n === 2) leave.abort(); return n; }, {signal: leave.signal});
	assert.deepEqual([result.done, result.left], [[1, 2], 1]);
});

test('what a change did', () => {
	const failed = (...sentences) => sentences.map((text) => ({error: failure(404, text)}));
	const rows = [
		[{done: [1], failed: [], unchanged: 0, left: 0}, '1 run changed.'],
		[{done: [], failed: [], unchanged: 2, left: 0}, '0 runs changed. 2 runs had these values already.'],
		[{done: [1, 2], failed: failed('no run 3'), unchanged: 0, left: 1},
			'2 runs changed. 1 run could not be changed. No run 3. 1 run was not tried.'],
		[{done: [], failed: failed('a', 'b', 'c', 'd', 'e'), unchanged: 0, left: 0},
			'0 runs changed. 5 runs could not be changed. A. B. C. 2 more failed.'],
	];
	for (const [result, sentence] of rows)
		assert.equal(outcome(result, 'changed'), sentence);
});
