// scale.test.mjs - tests axes (ticks, units, positions), and dots that must not overlap.

import assert from 'node:assert/strict';
import test from 'node:test';
import {axis, axisUnit, dotStacks, ticks, tickTexts} from '../../web/chart/scale.js';

const MARKS = [
	['tens', [0, 40, 5], [0, 10, 20, 30, 40]],
	['twos between', [37.9, 45.1, 5], [38, 40, 42, 44]],
	['fractions without noise', [0, 0.3, 3], [0, 0.1, 0.2, 0.3]],
	['below zero', [-3, 3, 3], [-2, 0, 2]],
	['nothing between', [5, 5, 4], [5]],
];
for (const [what, args, list] of MARKS)
	test(`ticks: ${what}`, () => assert.deepEqual(ticks(...args), list));

test('tickTexts: as many digits as the smallest step needs, in another unit', () => {
	assert.deepEqual(tickTexts([0, 0.5, 1]), ['0.0', '0.5', '1.0']);
	assert.deepEqual(tickTexts([38e6, 40e6], 1e6), ['38', '40']);
	assert.deepEqual(tickTexts([38.5e6, 40e6], 1e6), ['38.5', '40.0']);
});

for (const [ns, unit] of [[0, 'ns'], [999, 'ns'], [1000, 'µs'], [2.5e6, 'ms'], [1e9, 's'], [-3e6, 'ms']])
	test(`axisUnit: ${ns}`, () => assert.equal(axisUnit(ns), unit));

test('axis: values far from zero fill the axis', () => {
	const a = axis([40, 44]);
	assert.equal(a.log, false);
	assert.ok(a.low > 39 && a.low < 40 && a.high > 44 && a.high < 45);
	assert.ok(a.at(40) > 0 && a.at(44) < 1 && a.at(42) === 0.5);
});

test('axis: starts at zero for values near zero', () => {
	const a = axis([1, 10]);
	assert.equal(a.low, 0);
	assert.equal(a.at(0), 0);
});

test('axis: a function that did not run in some iterations is at zero, never logarithmic', () => {
	const a = axis([0, 1e6]);
	assert.equal(a.log, false);
	assert.equal(a.at(0), 0);
});

test('axis: logarithmic if the largest value is more than twenty times the smallest', () => {
	const a = axis([38e6, 900e6]);
	assert.equal(a.log, true);
	assert.deepEqual(a.ticks, [50e6, 100e6, 200e6, 500e6, 1e9]);
	assert.ok(Math.abs(a.at(Math.sqrt(38e6 * 900e6)) - 0.5) < 1e-9);
	assert.equal(axis([1, 20]).log, false);
});

test('axis: equal values, one value, and none at all', () => {
	assert.equal(axis([5, 5]).at(5), 0.5);
	assert.ok(Number.isFinite(axis([]).at(0)));
	assert.ok(Number.isFinite(axis([null, NaN, 3]).at(3)));
});

test('dotStacks: dots at one place are stacked', () => assert.deepEqual(
	dotStacks([1, 2, 10, 11, 10], 5), [{x: 0, n: 0}, {x: 0, n: 1}, {x: 10, n: 0}, {x: 10, n: 1}, {x: 10, n: 2}]));
