// trends.test.mjs - tests the texts of a trend, its levels and groups, and its visible range.
//
// The expected numbers are computed by hand.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as v from '../../web/lib/trends.js';
import * as t from '../../web/lib/trends.js';

const words = (text) => new URLSearchParams(text);
// [case, address, parameters of the request]
const PARAMS = [
	['a workload alone', 'project=p&workload=w', {project: 'p', workload: 'w', metric: 'iteration'}],
	['runs without project and workload', 'project=&workload=', {metric: 'iteration'}],
	['parameters of the view are not sent', 'workload=w&x=order&tab=points&from=3&to=9&base=1&press=base&sort=at&q=1', {workload: 'w', metric: 'iteration'}],
	['a day is its first second', 'workload=w&since=2026-03-01&until=2026-03-02T10:00:00Z', {workload: 'w', metric: 'iteration', since: '2026-03-01T00:00:00Z', until: '2026-03-02T10:00:00Z'}],
	['labels', 'workload=w&label=branch=main,gpu=h100', {workload: 'w', metric: 'iteration', 'label.branch': 'main', 'label.gpu': 'h100'}],
	['a kernel', 'workload=w&metric=kernel&stat=p99&of=void+k()&group=sha&alpha=0.05&device=H200&framework=vllm',
		{workload: 'w', metric: 'kernel', stat: 'p99', of: 'void k()', group: 'sha', alpha: '0.05', device: 'H200', framework: 'vllm'}],
	['an unknown metric is left to the server', 'workload=w&metric=x', {workload: 'w', metric: 'x'}],
];
for (const [what, address, want] of PARAMS)
	test(`trendParams: ${what}`, () => assert.deepEqual(t.trendParams(words(address)), want));
test('trendParams: a label without a value', () => assert.throws(() => t.trendParams(words('label=main')), {message: 'label \'main\' is not of the form key=value'}));

// [case, address, changes, new address]
const PAGES = [
	['a workload without a name', '', {project: '', workload: ''}, '/trends?project=&workload='],
	['another metric clears operator and stat', 'workload=w&metric=kernel&stat=p99&of=k', {metric: 'operator'}, '/trends?workload=w&metric=operator'],
	['a stat that both metrics have stays', 'workload=w&metric=iteration&stat=p99', {metric: 'busy'}, '/trends?workload=w&metric=busy&stat=p99'],
	['another workload clears the chosen runs', 'workload=w&from=1&to=2&base=3&head=4&x=order', {workload: 'v'}, '/trends?workload=v&x=order'],
	['another tab keeps the visible range', 'workload=w&from=1&to=2&base=3,4', {tab: 'points'}, '/trends?workload=w&from=1&to=2&base=3,4&tab=points'],
	['empty parameters are removed', 'workload=w&q=x&device=d', {q: null, device: ''}, '/trends?workload=w'],
];
for (const [what, address, changes, want] of PAGES)
	test(`trendsUrl: ${what}`, () => assert.equal(t.trendsUrl(words(address), changes), want));

const SHA = '0123456789abcdef0123456789abcdef01234567';
const doc = (more) => ({metric: 'iteration', stat: 'median', of: null, unit: 'ns', group: 'commit', n: 6, change_points: [],
	points: {run: [11, 12, 13, 14, 15, 16], at_ms: [0, 1, 2, 3, 4, 5], value: [100, 101, 99, 110, 111, 109], group: [null, 'a', 'a', 'b', 'b', 'a']}, ...more});
const cut = (index, more) => ({index, run: 11 + index, group: SHA, before: 100, after: 110, change_pct: 10, low_pct: 8, high_pct: 12, p: 0.001, ...more});

const ungrouped = (n) => doc({n, group: null, points: {...doc().points, run: Array(n).fill(1), group: Array(n).fill(null)}});

// 2 / C(9, 4) is 0.016 and 2 / C(10, 5) is 0.008; 2 / C(7, 3) is 0.057 and 2 / C(8, 4) is 0.029; three runs on both sides are six.
for (const [alpha, runs] of [[undefined, 10], [0.05, 8], [0.001, 14], [0.5, 6], [-1, 64]])
	test(`minChangeRuns: ${alpha}`, () => assert.equal(t.minChangeRuns(alpha), runs));
test('tooShort: the alpha of the address', () => assert.deepEqual([t.tooShort(ungrouped(8), 0.05), t.tooShort(ungrouped(7), 0.05).reason],
	[null, 'with fewer than 8, even the clearest change has a p above 0.05']));

// [case, document, sentence]
const HEADS = [
	['none', doc({n: 0}), 'Iteration, median: no data'],
	['no change', ungrouped(10), 'Iteration, median, in 10 runs: no change points'],
	['too few runs', ungrouped(9), 'Iteration, median, in 9 runs: 9 runs are too few for a change point, which needs at least 10'],
	['one run', ungrouped(1), 'Iteration, median, in 1 run: 1 run is too few for a change point, which needs at least 10'],
	['too few groups', doc(), 'Iteration, median, in 6 runs: 4 groups by commit are too few for a change point, which needs at least 10'],
	['one', doc({change_points: [cut(3)]}), 'Iteration, median, in 6 runs: 1 change point, +10.0 % at 0123456789 (run 14)'],
	['two, of an operator, down, without a group', doc({metric: 'operator', stat: 'mean', of: 'gemm', change_points: [cut(2), cut(4, {change_pct: -3.25, group: null})]}),
		'Operator “gemm”, average, in 6 runs: 2 change points, the last −3.3 % at run 15'],
	['one, to other work', doc({change_points: [cut(3, {other_work: 'the work differs: a before, b after'})]}),
		'Iteration, median, in 6 runs: 1 change point, +10.0 % at 0123456789 (run 14), but the work differs: a before, b after'],
];
for (const [what, made, text] of HEADS)
	test(`headline: ${what}`, () => assert.equal(t.headline(made), text));
test('headline: with a time range', () => assert.equal(t.headline(ungrouped(10), {range: 'since 2026-11-01'}), 'Iteration, median, in 10 runs since 2026-11-01: no change points'));

test('values: measures', () => assert.deepEqual([['tokens/s', 819.25], ['number', 2.5], ['%', 3]].map(([unit, value]) => [t.valueText(doc({unit}), value), t.exactText(doc({unit}), value)]),
	[['819.25 tokens/s', '819.25 tokens/s'], ['2.5', '2.5'], ['3 %', '3 %']]));
test('values: bandwidths', () => assert.deepEqual([t.valueText(doc({unit: 'GB/s'}), 183.456), t.exactText(doc({unit: 'GB/s'}), 183.456), t.seriesName({metric: 'busbw', of: 'all_reduce', stat: 'mean'})],
	['183.46 GB/s', '183.456 GB/s', 'Bus bandwidth “all_reduce”, average']));
test('values: durations and shares', () => assert.deepEqual([t.valueText(doc(), 1234567), t.valueText(doc({unit: '1'}), 0.12345), t.exactText(doc(), 1234567), t.intervalText(-1, 2.34), t.intervalText(null, 2)],
	['1.235 ms', '12.35 %', '1,234,567 ns', '−1.0 % to +2.3 %', '–']));

test('levelSegments: each has the level after the previous change point', () => {
	assert.deepEqual(t.levelSegments(doc()), []);
	assert.deepEqual(t.levelSegments(doc({change_points: [cut(2), cut(4, {before: 110, after: 99, low_pct: null, high_pct: null})]})), [
		{from: 0, to: 2, level: 100, low: null, high: null}, {from: 2, to: 4, level: 110, low: 108, high: 112.00000000000001}, {from: 4, to: 6, level: 99, low: null, high: null}]);
});

test('sidesAround: no further than the next changes, no more runs than given', () => {
	const made = doc({change_points: [cut(2), cut(4)]});
	assert.deepEqual(t.sidesAround(made, 0), {base: [11, 12], head: [13, 14]});
	assert.deepEqual(t.sidesAround(made, 1, 1), {base: [14], head: [15]});
});

test('groups: consecutive runs of one; none of runs without', () => {
	assert.deepEqual(t.groups(doc()), [{group: 'a', from: 1, to: 3}, {group: 'b', from: 3, to: 5}, {group: 'a', from: 5, to: 6}]);
	assert.deepEqual(t.groups(doc(), 2, 4), [{group: 'a', from: 2, to: 3}, {group: 'b', from: 3, to: 4}]);
});

test('pointText: every field of a point', () => assert.equal(t.pointText(doc({change_points: [cut(3)]}), 3),
	'Run 14: 110 ns, 1970-01-01 00:00 UTC, commit b, change point, +10.0 %'));

// [case, from, to, indices]
const SIGHTS = [['both', '12', '15', [1, 4]], ['none', null, null, null], ['a run that was deleted', '12', '99', null], ['the wrong way round', '15', '12', null], ['one point', '12', '12', null], ['no number', 'x', '15', null]];
for (const [what, from, to, want] of SIGHTS)
	test(`visibleRange: ${what}`, () => assert.deepEqual(t.visibleRange(doc(), from, to), want));

// [case, positions, range, indices]
const WITHIN = [['some', [0, 10, 20, 30], [5, 20], [1, 3]], ['all', [0, 10], [-1, 11], [0, 2]], ['none', [0, 10], [3, 4], [1, 1]], ['of one moment', [5, 5, 5, 6], [5, 5], [0, 3]], ['an empty list', [], [0, 1], [0, 0]]];
for (const [what, list, range, want] of WITHIN)
	test(`indicesWithin: ${what}`, () => assert.deepEqual(v.indicesWithin(list, range), want));

const ALL = [0, 100];
// [case, computed range, expected range]
const RANGES = [
	['within bounds', v.clampRange([10, 20], ALL), [10, 20]], ['moved to the end', v.clampRange([95, 115], ALL), [80, 100]], ['never wider than all', v.clampRange([-50, 200], ALL), [0, 100]],
	['zoomed around a point', v.zoomRange([0, 100], ALL, 0.5, 25, 1), [12.5, 62.5]], ['zoomed out at the edge', v.zoomRange([0, 50], ALL, 2, 0, 1), [0, 100]],
	['not narrower than the minimum', v.zoomRange([40, 42], ALL, 0.1, 41, 2), [40, 42]], ['panned', v.panRange([10, 20], ALL, 0.5), [15, 25]], ['panned against the edge', v.panRange([0, 20], ALL, -1), [0, 20]],
	['shown already', v.rangeShowing([10, 20], ALL, 15), [10, 20]], ['moved to the middle', v.rangeShowing([10, 20], ALL, 60), [55, 65]], ['near the edge', v.rangeShowing([10, 20], ALL, 99), [90, 100]],
	['around two points', v.rangeAround([0, 100, 300], 1, 2, 5), [97, 303]], ['around one', v.rangeAround([7], 0, 0, 5), [2, 12]],
	['an axis from zero', v.valueRange(1, 10), [0, 10.9]], ['an axis about its values', v.valueRange(100, 110), [99, 111]], ['of one value', v.valueRange(100, 100), [95, 105]], ['of none', v.valueRange(null, undefined), [0, 1]],
];
for (const [what, made, want] of RANGES)
	test(`range: ${what}`, () => assert.deepEqual(made, want));

test('nearest: by distance in both directions', () => assert.equal(v.nearest([0, 3], (i) => [10, 11, 30][i], (i) => [90, 20, 20][i], 10, 22), 1));
test('nearest: of none', () => assert.equal(v.nearest([2, 2], () => 0, () => 0, 1, 1), null));
test('spaced: each at least this far after the previous one', () => assert.deepEqual(v.spaced([0, 3, 5, 9, 10], (x) => x, 5), [0, 5, 10]));

const AT = Date.UTC(2026, 2, 1, 23, 30);
// [case, times, step, texts]
const TIMES = [
	['hours over midnight', [AT, AT + 1800000, AT + 3600000], 1800000, ['23:30\n2026-03-01', '00:00\n2026-03-02', '00:30']],
	['seconds', [AT + 1000, AT + 2000], 1000, ['23:30:01\n2026-03-01', '23:30:02']],
	['parts of one', [AT + 1005], 5, ['23:30:01.005\n2026-03-01']],
	['days over a year', [Date.UTC(2025, 11, 31), Date.UTC(2026, 0, 1)], 86400000, ['12-31\n2025', '01-01\n2026']],
	['years', [Date.UTC(2025, 0, 1), Date.UTC(2026, 0, 1)], 366 * 86400000, ['2025', '2026']],
];
for (const [what, list, step, want] of TIMES)
	test(`timeTexts: ${what}`, () => assert.deepEqual(v.timeTexts(list, step), want));
test('positions: by time, by order', () => assert.deepEqual([v.positions(doc(), 'time'), v.positions(doc(), 'order')], [[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]]));
