// job.test.mjs - tests which cells the heatmaps of a job have.

import assert from 'node:assert/strict';
import test from 'node:test';
import {awaited, excess, MAX_OPERATORS, shownOperators} from '../../web/pages/job_ranks.js';

// [case, what each rank waits for each, columns]
const WAITS = [
	['nobody waits', [[0, 0], [0, 0]], []],
	['all wait for one', [[0, 5], [0, 0]], [1]],
	['1 % of the waiting is too little', [[0, 1, 0], [99, 0, 0], [0, 0, 0]], [0]],
	['more than 1 % is not', [[0, 2, 0], [98, 0, 0], [0, 0, 0]], [0, 1]],
];
for (const [what, rows, want] of WAITS)
	test(`awaited: ${what}`, () => assert.deepEqual(awaited(rows.map((waits_for_ns) => ({waits_for_ns}))), want));

// [case, time on the rank, on the median rank, excess]
const EXCESS = [
	['twice', 20, 10, 1],
	['less', 5, 10, -0.5],
	['unknown on this rank', null, 10, null],
	['the median rank does not have it', 5, 0, null],
	['unknown everywhere', null, null, null],
];
for (const [what, ns, median_ns, want] of EXCESS)
	test(`excess: ${what}`, () => assert.equal(excess({total_ns: [ns], median_ns}, 0), want));

test('operators that are slow come first, also beyond the maximum', () => {
	const all = Array.from({length: MAX_OPERATORS + 2}, (_, i) => ({operator: `o${i}`, slow_runs: i > MAX_OPERATORS ? [1] : []}));
	const shown = shownOperators(all);
	assert.equal(shown.length, MAX_OPERATORS);
	assert.equal(shown[0].operator, `o${MAX_OPERATORS + 1}`);
	assert.equal(shown[1].operator, 'o0');
	assert.equal(shown.at(-1).operator, `o${MAX_OPERATORS - 2}`);
});
