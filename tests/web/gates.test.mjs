// gates.test.mjs - tests gate texts, positions of changes and limits, and the form's request.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as g from '../../web/lib/gate_policy.js';
import {gateListParams} from '../../web/pages/gates.js';

// [typed text, parsed side]
const SIDES = [
	['12', {ids: ['12']}], [' 12, 13,job:4 ', {ids: ['12', '13', 'job:4']}], ['latest', {params: {}, last: 1}], ['last=20', {params: {}, last: 20}],
	['label.branch=main last=5', {params: {'label.branch': 'main'}, last: 5}], ['project=p workload="a b" ', {params: {project: 'p', workload: 'a b'}, last: 1}],
	['label.who="a \\"b\\"" last=x', {params: {'label.who': 'a "b"'}, last: NaN}], ['', {}], ['12,', {}], ['=', {}], ['workload="a', {}], ['"', {}],
];
for (const [text, want] of SIDES)
	test(`parseSide: '${text}'`, () => assert.deepEqual(g.parseSide(text), want));

const DEFAULTS = {iteration_pct: 2, headroom_pct: null, busbw_pct: null, anchor_pct: 3, fail_on: ['appeared', 'regressed'], share_pct: 1, min_runs: 1, min_iterations: 4, min_coverage_pct: 0, min_attributed_pct: 0, alpha: 0.01, noise_floor: null, seed: 1, unit: 'commit', range: null, reject_on: [], operators: [], measures: []};
const usual = {base: 'latest', head: '3', fail_on: ['regressed', 'appeared'], ...Object.fromEntries(g.NUMBERS.map(([key]) => [key, DEFAULTS[key] === null ? '' : String(DEFAULTS[key])]))};
// [case, changes to the default form, request]
const QUESTIONS = [
	['only defaults', {}, {base: 'latest', head: '3'}],
	['named', {name: 'n', project: 'p'}, {base: 'latest', head: '3', name: 'n', project: 'p'}],
	['without the iteration\'s rule', {iteration_pct: ''}, {base: 'latest', head: '3', iteration_pct: null}],
	['an empty number is left to the server', {alpha: '', min_runs: ''}, {base: 'latest', head: '3'}],
	['limits', {iteration_pct: '0', headroom_pct: '1.5', operators: 'gemm=3, attention=5', measures: 'ttft_p99=7'},
		{base: 'latest', head: '3', iteration_pct: 0, headroom_pct: 1.5, operators: [{operator: 'gemm', pct: 3}, {operator: 'attention', pct: 5}], measures: [{measure: 'ttft_p99', pct: 7}]}],
	['functions', {fail_on: ['likely', 'regressed']}, {base: 'latest', head: '3', fail_on: ['regressed', 'likely']}],
	['without the class that fails by default', {fail_on: ['regressed']}, {base: 'latest', head: '3', fail_on: ['regressed']}],
	['settings', {unit: 'sha', range: 'step', noise_floor: '0.02', seed: '7', reject_on: 'few_iterations, records_dropped,'},
		{base: 'latest', head: '3', noise_floor: 0.02, seed: 7, reject_on: ['few_iterations', 'records_dropped'], unit: 'sha', range: 'step'}],
	['the label of the commit is the default', {unit: 'commit'}, {base: 'latest', head: '3'}],
	['no functions', {fail_on: []}, {base: 'latest', head: '3', fail_on: []}],
];
for (const [what, more, want] of QUESTIONS)
	test(`gateRequest: ${what}`, () => assert.deepEqual(g.gateRequest({...usual, ...more}, DEFAULTS), want));
// [form, message]
const WRONG = [[{alpha: 'x'}, 'Alpha: \'x\' is not a number'], [{operators: 'gemm=-1'}, 'the limit \'-1\' of operator \'gemm\' is not a number (use OPERATOR=PERCENT)'],
	[{measures: 'loss=x'}, 'the limit \'x\' of measure \'loss\' is not a number (use MEASURE=PERCENT)'], [{operators: 'gemm='}, 'the limit \'\' of operator \'gemm\' is not a number (use OPERATOR=PERCENT)'], [{operators: 'gemm'}, 'label \'gemm\' is not of the form key=value'], [{min_runs: 'Infinity'}, 'Min. runs: \'Infinity\' is not a number']];
for (const [more, message] of WRONG)
	test(`gateRequest: ${message}`, () => assert.throws(() => g.gateRequest({...usual, ...more}, DEFAULTS), {message}));

const rule = (change_pct, low_pct, high_pct, limit_pct) => ({change_pct, low_pct, high_pct, limit_pct});
test('barPositions: zero is in the middle, values beyond the axis at its edge', () => {
	const rules = [rule(2, -2, 10, 5), rule(500, 400, 600, null), rule(null, null, null, 2)];
	const most = g.axisReach(rules);
	assert.equal(most, 50);
	assert.deepEqual(rules.map((r) => g.barPositions(r, most)), [{at: 0.52, from: 0.48, to: 0.6, limit: 0.55}, {at: 1, from: 1, to: 1, limit: null}, {at: null, from: null, to: null, limit: 0.52}]);
	assert.deepEqual([g.axisReach([]), g.axisReach([rule(0.1, 0, 0.2, 2)])], [1, 3]);
});

test('barPositions: headroom and functions are measured on the iteration', () => {
	const share = {...rule(34, 28, 41, null), iteration_limit_pct: 1, iteration_change_pct: 6, iteration_low_pct: 5, iteration_high_pct: 7};
	assert.equal(g.axisReach([share]), 7);
	assert.deepEqual(g.barPositions(share, 10), {at: 0.8, from: 0.75, to: 0.85, limit: 0.55});
	assert.deepEqual([g.intervalText(share), g.iterationChangeText(share)], ['+5.0 % to +7.0 % of the iteration', '+6.0 % of the iteration']);
	// stored by an earlier release
	const old = {...share, iteration_change_pct: null, iteration_low_pct: null, iteration_high_pct: null};
	assert.deepEqual([g.limited(old).limit, g.intervalText(old), g.iterationChangeText(old)], [1, '–', null]);
	assert.equal(g.iterationChangeText(rule(1, 0, 2, 5)), null);
});

test('earlierText: runs before the baseline', () => assert.deepEqual([1, 1400].map((n) => g.earlierText({earlier_units: n})), ['noise estimated also from 1 run stored before the baseline', 'noise estimated also from 1,400 runs stored before the baseline']));

test('probabilityText: comparable with a small alpha', () => assert.deepEqual([null, 0, 0.5, 0.000123, 3.68e-12].map(g.probabilityText), ['–', '0', '0.5', '0.00012', '3.7e-12']));

test('barPositions: the limit of bus bandwidth is a fall', () => {
	const fall = {...rule(-20, -25, -15, 5), rule: 'busbw', fall: true};
	assert.equal(g.limited(fall).limit, -5);
	assert.equal(g.limited({...fall, limit_pct: null}).limit, null);
	assert.deepEqual(g.barPositions(fall, 50), {at: 0.3, from: 0.25, to: 0.35, limit: 0.45});
	assert.equal(g.axisReach([fall]), 25);
	assert.equal(g.ruleName({rule: 'busbw', of: null, device: null}), 'Bus bandwidth');
	assert.equal(g.measuresText(null), '');
});

test('texts of a gate', () => assert.deepEqual([g.runsNeededText(0), g.runsNeededText(1), g.runsNeededText(7), g.runsNeededText(-1), g.percent(-2), g.percent(null), g.intervalText(rule(1, -1, 2)), g.intervalText(rule(1, null, 2)),
	g.ruleName({rule: 'iteration', of: null, device: null}), g.ruleName({rule: 'function', of: 'k', device: 'H200'}), g.runsText([1, 2, 3], 2)],
['–', '1 run', '7 runs', 'the baseline is too small', '−2.0 %', '–', '−1.0 % to +2.0 %', '–', 'Iteration', 'k on H200', '#1, #2 and 1 more']));

test('gateListParams: the parameters of the list', () => assert.deepEqual(gateListParams(new URLSearchParams('project=p&outcome=pass&since=2026-03-01&base=1&head=2&cursor=c&workload=&label=branch=main')),
	{project: 'p', outcome: 'pass', since: '2026-03-01T00:00:00Z', cursor: 'c', 'label.branch': 'main'}));
test('gateListParams: a label without a value', () => assert.throws(() => gateListParams(new URLSearchParams('label=main')), {status: 400, message: 'label \'main\' is not of the form key=value'}));
