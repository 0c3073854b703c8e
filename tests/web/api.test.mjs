// api.test.mjs - tests functions of api.js that need no server: addresses, and errors.

import assert from 'node:assert/strict';
import test from 'node:test';
import {address, failure, tableFile} from '../../web/lib/api.js';
import {runListParams} from '../../web/pages/runs.js';

const ADDRESSES = [
	['no query', ['/runs'], '/api/v1/runs'],
	['empty values are left out', ['/runs', {q: '', project: null, cursor: undefined}], '/api/v1/runs'],
	['zero is a value', ['/runs', {limit: 0}], '/api/v1/runs?limit=0'],
	['reserved characters are escaped', ['/runs', {q: 'a&b=c #é<>'}],
		'/api/v1/runs?q=a%26b%3Dc+%23%C3%A9%3C%3E'],
	['a list repeats its key', ['/runs', {label: ['a', 'b']}], '/api/v1/runs?label=a&label=b'],
	['a label\'s key keeps its dot', ['/uploads', {'label.branch': 'main'}],
		'/api/v1/uploads?label.branch=main'],
];
for (const [what, args, text] of ADDRESSES)
	test(`address: ${what}`, () => assert.equal(address(...args), text));

test('tableFile: the view that is shown', () => assert.equal(
	tableFile(7, 'kernels', 'csv', {by: 'grid', sort: '', q: 'gemm'}),
	'/api/v1/runs/7/kernels?by=grid&q=gemm&format=csv'));

// [case, status, body, code, message]
const REFUSALS = [
	['the server\'s message', 404, '{"error":{"code":"not_found","message":"no run 8"}}', 'not_found', 'no run 8'],
	['an HTML page of a proxy', 502, '<html>', 'unknown', 'the server returned status 502 without a reason'],
	['an empty body', 500, '', 'unknown', 'the server returned status 500 without a reason'],
	['JSON of another kind', 500, 'null', 'unknown', 'the server returned status 500 without a reason'],
	['a message that is not a string', 500, '{"error":{"message":{}}}', 'unknown',
		'the server returned status 500 without a reason'],
];
for (const [what, status, body, code, message] of REFUSALS)
	test(`failure: ${what}`, () => {
		const e = failure(status, body);
		assert.deepEqual([e.status, e.code, e.message], [status, code, message]);
	});

// The address of the runs page has the query of the API request, except for its label field.
const QUERIES = [
	['', {}],
	['project=a&sort=busy', {project: 'a', sort: 'busy'}],
	['label=branch%3Dmain', {'label.branch': 'main'}],
	['label=expr%3Dx%3Dy&q=z', {'label.expr': 'x=y', q: 'z'}],
	['label.branch=main', {'label.branch': 'main'}],
	['label=main', {label: 'main'}],
	['label=branch%3Dmain&label=gpu%3Dh100&label=&group=commit', {'label.branch': 'main', 'label.gpu': 'h100'}],
];
for (const [text, query] of QUERIES)
	test(`runListParams: '${text}'`, () => assert.deepEqual(runListParams(new URLSearchParams(text)), query));
