// table.test.mjs - tests sorting and filtering in table.js.
//
// The functions return the sort direction, the sort key after a click, the order of rows, and
// the rows that match a filter.

import assert from 'node:assert/strict';
import test from 'node:test';
import {direction, matching, nextSort, sorted} from '../../web/lib/table.js';

const name = {up: 'name', down: '-name', value: (r) => r.name};
const total = {num: true, down: 'total', up: '-total', value: (r) => r.total};
const busiest = {num: true, down: 'busy'};
const plain = {};
const COLUMNS = [name, total, plain];

// [case, column, sort key, direction, sort key after a click]
const PRESSES = [
	['text starts with A', name, 'total', null, 'name'],
	['text: the other direction', name, 'name', 'ascending', '-name'],
	['text: back again', name, '-name', 'descending', 'name'],
	['numbers start with the largest', total, 'name', null, 'total'],
	['numbers: the other direction', total, 'total', 'descending', '-total'],
	['no sort key yet', total, '', null, 'total'],
	['a column with one direction keeps it', busiest, 'busy', 'descending', 'busy'],
	['a column that does not sort', plain, 'total', null, undefined],
	['a column that does not sort, no sort key', plain, undefined, null, undefined],
];
for (const [what, column, sort, way, next] of PRESSES)
	test(`press: ${what}`, () => {
		assert.equal(direction(column, sort), way);
		assert.equal(nextSort(column, sort), next);
	});

const ROWS = [
	{id: 1, name: 'b', total: 5},
	{id: 2, name: 'a', total: null},
	{id: 3, name: 'B', total: 7},
	{id: 4, name: 'a', total: 5},
	{id: 5, name: 'c', total: 0},
];
// [case, sort key, ids in order]
const ORDERS = [
	['equal ones keep their order, unknown last', 'total', [3, 1, 4, 5, 2]],
	['descending too', '-total', [5, 1, 4, 3, 2]],
	['names by their bytes: capitals first', 'name', [3, 2, 4, 1, 5]],
	['names descending', '-name', [5, 1, 2, 4, 3]],
	['an unknown column changes nothing', 'color', [1, 2, 3, 4, 5]],
];
for (const [what, sort, ids] of ORDERS)
	test(`order: ${what}`, () => {
		const before = JSON.stringify(ROWS);
		assert.deepEqual(sorted(ROWS, COLUMNS, sort).map((r) => r.id), ids);
		assert.equal(JSON.stringify(ROWS), before, 'the rows given are left alone');
	});

const FILTERS = [
	['', [1, 2, 3, 4, 5]], ['B', [1, 3]], ['b', [1, 3]], ['.', []], ['ab', []],
];
for (const [q, ids] of FILTERS)
	test(`filter: '${q}'`, () =>
		assert.deepEqual(matching(ROWS, q, (r) => r.name).map((r) => r.id), ids));

test('order: a hundred thousand rows within a second', () => {
	const rows = Array.from({length: 100000}, (_, i) => ({total: (i * 7919) % 100003}));
	const start = performance.now();
	const out = sorted(rows, COLUMNS, 'total');
	assert.ok(performance.now() - start < 1000);
	assert.ok(out.every((r, i) => i === 0 || out[i - 1].total >= r.total));
});
