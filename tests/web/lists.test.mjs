// lists.test.mjs - tests how the page reads long answers, and joins two files for an upload.
//
// Lists are read in pages, bytes in chunks.

import assert from 'node:assert/strict';
import {File} from 'node:buffer';
import test from 'node:test';
import {gunzipSync, gzipSync} from 'node:zlib';
import * as api from '../../web/lib/api.js';
import {countText} from '../../web/lib/list_pages.js';
import {joinFiles} from '../../web/pages/uploads.js';

globalThis.File ??= File;

// Answers each address once, and records the requested addresses.
function answering(answers) {
	const requests = [];
	globalThis.fetch = async (where) => {
		requests.push(where);
		assert.ok(answers.length, `not expected: ${where}`);
		return new Response(answers.shift());
	};
	return requests;
}

const page = (items, next) => JSON.stringify({items, next});

test('pages: a page below the limit is not the last one; only `next` decides', async () => {
	const requests = answering([page([1, 2], 'a'), page([], 'b'), page([3], null)]);
	const seen = [];
	assert.deepEqual(await api.kernels(7, {by: 'grid'}, {onProgress: (n) => seen.push(n)}), [1, 2, 3]);
	assert.deepEqual(seen, [2, 2, 3]);
	assert.deepEqual(requests, ['', '&cursor=a', '&cursor=b'].map((cursor) =>
		`/api/v1/runs/7/kernels?by=grid&limit=5000${cursor}`));
});

test('pages: launches too', async () => {
	const requests = answering([page([1], 'x'), page([2], null)]);
	assert.deepEqual(await api.launches(7, {}, {}), [1, 2]);
	assert.equal(requests[1], '/api/v1/runs/7/launches?limit=5000&cursor=x');
});

test('iterations: the totals of the first page, with every item', async () => {
	const page = (items, next) => JSON.stringify({detector: 'period', kept: 2, items, next});
	const requests = answering([page([{number: 0}], 'x'), page([{number: 1}], null)]);
	assert.deepEqual(await api.iterations(7, {range: 'step'}, {}), {detector: 'period', kept: 2, next: 'x',
		items: [{number: 0}, {number: 1}]});
	assert.deepEqual(requests, ['', '&cursor=x'].map((cursor) => `/api/v1/runs/7/iterations?range=step&limit=5000${cursor}`));
});

test('bytes: all of them, in order, counted while they arrive', async () => {
	const body = new Uint8Array(100000).map((_, i) => i % 251);
	answering([body]);
	let last = 0;
	const got = await api.bytes('/api/v1/runs/7/timeline', {onProgress: (n) => { last = n; }});
	assert.ok(got instanceof ArrayBuffer);
	assert.deepEqual(Buffer.from(got), Buffer.from(body));
	assert.equal(last, 100000);
});

test('bytes: a lost connection is reported as one', async () => {
	globalThis.fetch = async () => new Response(new ReadableStream({
		pull(c) { c.error(new TypeError('network error')); },
	}));
	await assert.rejects(api.bytes('/x', {onProgress: () => {}}),
		{message: 'the connection was lost while the answer was received', status: 0});
});

// [case, patterns, counters, joined]
const PAIRS = [
	['lines after lines', 'a,b\n1,2\n', 'c\n3\n', 'a,b\n1,2\nc\n3\n'],
	['a last line without a newline', 'a,b\n1,2', 'c\n3', 'a,b\n1,2\nc\n3'],
	// One raw block of one byte, in the format of RFC 8878.
	['zstd after zstd', [0x28, 0xb5, 0x2f, 0xfd], [0x28, 0xb5, 0x2f],
		[0x28, 0xb5, 0x2f, 0xfd, 0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 9, 0, 0, 0x0a, 0x28, 0xb5, 0x2f]],
];
const file = (name, content) => new File([typeof content === 'string' ? content : new Uint8Array(content)], name);
for (const [what, patterns, counters, both] of PAIRS)
	test(`joinFiles: ${what}`, async () => {
		const made = await joinFiles(file('perf.csv', patterns), file('counters.csv', counters));
		assert.equal(made.name, 'perf.csv');
		assert.deepEqual(Buffer.from(await made.arrayBuffer()), Buffer.from(both));
	});

test('joinFiles: gzip after gzip, if the last line has no newline', async () => {
	const made = await joinFiles(file('perf.csv.gz', gzipSync('a,b\n1,2')), file('counters.csv.gz', gzipSync('c\n3\n')));
	assert.equal(gunzipSync(Buffer.from(await made.arrayBuffer())).toString(), 'a,b\n1,2\nc\n3\n');
});

test('joinFiles: one compressed and one plain file are rejected', () => assert.rejects(
	joinFiles(file('perf.csv.gz', [0x1f, 0x8b, 8, 0]), file('counters.csv', 'c\n')),
	{message: '\'perf.csv.gz\' and \'counters.csv\' must have the same compression'}));

test('the number of items of a list', () => {
	const items = [1, 2];
	for (const [total, exact, want] of [
		[2, true, '2 runs'], [1460, true, '1,460 runs, 2 on this page'], [10000, false, 'more than 10,000 runs, 2 on this page'], [null, null, '2 runs']])
		assert.equal(countText({items, total, total_exact: exact}, 'run'), want);
	assert.equal(countText({items: [1], total: 1, total_exact: true}, 'run'), '1 run');
	assert.equal(countText({items: [], total: 0, total_exact: true}, 'gate'), '0 gates');
});
