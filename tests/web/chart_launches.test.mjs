// chart_launches.test.mjs - tests the axis and the texts of the charts of launches.

import assert from 'node:assert/strict';
import test from 'node:test';
import {binPlace, binText, boundTexts, sliceText} from '../../web/chart/chart_launches.js';

const TEXTS = [[[2000, 14700, 2100000], ['2.00 µs', '14.7', '2.10 ms']], [[86850, 108000, 305000], ['86.8 µs', '108', '305']],
	[[100000, 100100, 100200], ['100.0 µs', '100.1', '100.2']], [[5000, 5001], ['5.000 µs', '5.001']], [[0, 1, 3.6e12], ['0 ns', '1', '3,600 s']]];
for (const [bounds, texts] of TEXTS)
	test(`bounds of bins ${bounds}: neighbors differ, units where they change`, () => assert.deepEqual(boundTexts(bounds), texts));

test('bins have places on a logarithmic axis; one bin alone is in the middle third', () => {
	const at = binPlace([{from_ns: 1000, to_ns: 10000}, {from_ns: 10000, to_ns: 100000}]);
	assert.deepEqual([1000, 10000, 100000, 1, 1e9].map((ns) => Number(at(ns).toFixed(9))), [0, 0.5, 1, 0, 1]);
	const one = binPlace([{from_ns: 5000, to_ns: 5001}]);
	assert.deepEqual([5000, 5001].map((ns) => Number(one(ns).toFixed(6))), [0.333333, 0.666667]);
	const zero = binPlace([{from_ns: 0, to_ns: 1}]);
	assert.deepEqual([0, 1].map(zero), [0.5, 0.5]);
});

test('texts of a bin and of a slice', () => {
	assert.equal(binText({from_ns: 999, to_ns: 2000, launches: 1}, 3), '999 ns to 2.000 µs: 1 launch, 33.3 %');
	assert.equal(sliceText({from_ns: 1500, launches: 2, median_ns: 10, max_ns: 12}), 'at 1.500 µs: 2 launches, median 10 ns, longest 12 ns');
	assert.equal(sliceText({from_ns: 1500, launches: 0, median_ns: null, max_ns: null}), 'at 1.500 µs: no launch');
});
