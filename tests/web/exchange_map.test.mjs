// exchange_map.test.mjs - tests the texts, units and shades of the heatmaps of all-to-alls.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as x from '../../web/lib/exchange_map.js';
import {exchanges} from './compare/documents.mjs';

const [bytes, partly, waiting] = exchanges().items;
const map = (cells, unit = 'bytes') => ({unit, cells});

// [cells, unit, its name and scale]
const UNITS = [
	[map([[0, 1023]]), 'bytes', 1], [map([[1024, null]]), 'KiB', 1024], [map([[5, 3 * 2 ** 30]]), 'GiB', 2 ** 30], [map([[2 ** 60]]), 'TiB', 2 ** 40], [map([]), 'bytes', 1], [map([[null]]), 'bytes', 1],
	[map([[999]], 'ns'), 'ns', 1], [map([[2500]], 'ns'), '\u00b5s', 1e3], [map([[3e9]], 'ns'), 's', 1e9],
];
UNITS.forEach(([made, name, scale], i) => test(`cellUnit ${i}: ${name}`, () => assert.deepEqual(x.cellUnit(made), {name, scale})));

test('shade: from 0 to 1, of the largest cell', () =>
	assert.deepEqual([[0, 8], [2, 8], [8, 8], [null, 8], [0, 0]].map(([v, most]) => x.shade(v, most)), [0, 0.25, 1, 0, 0]));

test('cellText: a value in the unit of all cells', () => {
	const unit = {name: 'MiB', scale: 2 ** 20};
	assert.deepEqual([0, 2 ** 20, 1.5 * 2 ** 20, null].map((v) => x.cellText(v, unit)), ['0', '1.00', '1.50', '–']);
	assert.equal(x.cellText(1023, {name: 'bytes', scale: 1}), '1,023');
});

test('columns: ranks, positions of unknown ranks, collectives', () => {
	assert.deepEqual([bytes.columns[2], partly.columns[2]].map((c) => x.columnName(bytes, c)), ['2', '#2']);
	assert.deepEqual([{from: 0, n: 1}, {from: 12, n: 12}].map((c) => x.columnName(waiting, c)), ['1', '13–24']);
});

test('cellTitle: what one rank sends to another, how long a rank waits', () => {
	const row = {rank: 3, run: 33};
	assert.equal(x.cellTitle(bytes, row, bytes.columns[2], 1234567), 'rank 3 sends 1,234,567 bytes to rank 2');
	assert.equal(x.cellTitle(bytes, {rank: null, run: 33}, partly.columns[2], null), 'what run 33 sends is unknown');
	assert.equal(x.cellTitle(bytes, row, partly.columns[2], 5), 'rank 3 sends 5 bytes to the rank at position 2');
	assert.equal(x.cellTitle(waiting, row, {from: 0, n: 1}, 2500), 'rank 3, collective 1: 2,500 ns above the shortest rank');
	assert.equal(x.cellTitle(waiting, row, {from: 12, n: 12}, null), 'rank 3, collectives 13 to 24, mean: unknown');
});

test('mapName: the group, or the kernel without one', () =>
	assert.deepEqual([bytes, waiting].map(x.mapName), ['group 5, all_to_all', 'ncclDevKernel_SendRecv, dispatch']));

test('mapSentences: the imbalance, what is missing and why', () => {
	assert.deepEqual(x.mapSentences(bytes), ['Imbalance 2.00: rank 2 receives 720.0 MiB, 2.00 times the mean of the 4 ranks with known bytes of 8.', '4 of 8 ranks of the group are in the job.']);
	assert.deepEqual(x.mapSentences(partly), ['Imbalance unknown: the ranks have known bytes of different numbers of calls.',
		'The cells cover 96 of 100 calls: PyTorch shortened the lists of split sizes.', '1 pair of ranks states different bytes for what one sends and the other receives.',
		'Shown are the 4 ranks and 8 columns that deviate most from the mean; 60 ranks and 120 columns are not shown.']);
	assert.deepEqual(x.mapSentences(waiting), ['Bytes per rank are unknown: the trace does not record split sizes.']);
});
