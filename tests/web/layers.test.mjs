// layers.test.mjs - tests the rows, texts and bars of a breakdown and a breakdown comparison.
//
// The expected numbers are computed by hand.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as b from '../../web/lib/breakdown_compare.js';
import {inUnit} from '../../web/lib/format.js';
import * as l from '../../web/lib/layers.js';
import {breakdownRuns} from '../../web/lib/run_picker.js';
import * as doc from './layers/documents.mjs';

const section = (place, name, per_iteration) => ({position: place, name, per_iteration});
// [case, document, sentence]
const HEADS = [
	['one kind', {layers: {count: 32}, detector: 'period', sections: [section('before', null, 1), section('layer', 'attention + mlp', 32)]},
		'32 layers of “attention + mlp”, found from the repeating sequence of kernels.'],
	['two kinds', {layers: {count: 61}, detector: 'modules', sections: [section('layer', 'attention + mlp', 3), section('layer', 'attention + moe', 58)]},
		'61 layers, 3 of “attention + mlp” and 58 of “attention + moe”, found from the modules around the launches.'],
	['three, one without a name', {layers: {count: 3}, detector: 'ranges', sections: [section('layer', 'a', 1), section('layer', null, 1), section('layer', 'b', 1)]},
		'3 layers, 1 of “a”, 1 of an unnamed kind and 1 of “b”, found from numbered ranges.'],
	['one layer, boundaries given', {layers: {count: 1}, detector: 'given', sections: [section('layer', 'x', 1)]}, '1 layer of “x”, boundaries as given.'],
	['one kind without a name', {layers: {count: 32}, detector: 'period', sections: [section('layer', null, 32)]}, '32 layers, found from the repeating sequence of kernels.'],
	['none', {layers: {count: 0}, reason: 'nothing repeats', sections: []}, 'No layers: nothing repeats.'],
	['none, and a whole sentence', {layers: {count: 0}, reason: 'It has one kernel.', sections: []}, 'No layers: It has one kernel.'],
];
for (const [what, made, text] of HEADS)
	test(`headline: ${what}`, () => assert.equal(l.headline(made), text));

test('the parts of the wall time add up to it, or `closes` is false', () => {
	const wall = {exclusive_ns: 5, other_ns: 1, overlap_ns: 3, idle_ns: 2, wall_ns: 11};
	assert.deepEqual([l.wallTimeParts(wall).sum, l.wallTimeParts(wall).closes], [11, true]);
	assert.deepEqual([l.wallTimeParts({...wall, idle_ns: 3}).sum, l.wallTimeParts({...wall, idle_ns: 3}).closes], [12, false]);
	assert.deepEqual([l.wallTimeParts({...wall, idle_ns: null}).sum, l.wallTimeParts({...wall, idle_ns: null}).closes], [null, false]);
});

const made = (at, more) => ({block: 0, kernel: {id: at, name: `long ${at}`, distinct_name: `k${at}`}, operation: null, operator: 'gemm', module: null, roles: ['qkv'], stream: 0, group: null,
	launches: 10, instances: 10, extra: false, mean_ns: 100 * at, exclusive_ns: 5, overlapped_ns: 1, sol_ns: null, s: null, ...more});
const tree = (items) => l.treeOf({sections: [{position: 'layer'}], blocks: [{section: 0, block: 'attention'}], items})[0].blocks[0].lines;
// [case, rows, the kernels of each line]
const LINES = [
	['no group', [made(1), made(2)], ['k1', 'k2']],
	['a group', [made(1, {group: 4}), made(2, {group: 4}), made(3)], ['k1 + k2', 'k3']],
	['a group of which one row is here', [made(1, {group: 4}), made(2)], ['k1', 'k2']],
	['a kernel twice in a group', [made(1, {group: 4}), made(1, {group: 4}), made(2)], ['k1 + k1', 'k2']],
	['two groups', [made(1, {group: 4}), made(2, {group: 4}), made(3, {group: 5}), made(4, {group: 5})], ['k1 + k2', 'k3 + k4']],
	['another row between', [made(1, {group: 4}), made(2), made(3, {group: 4})], ['k1 + k3', 'k2']],
	['a copy', [made(1, {kernel: null, operation: 'copy'}), made(2, {kernel: null, operation: null})], ['copy', '–']],
];
for (const [what, rows, want] of LINES)
	test(`kernelName: ${what}`, () => assert.deepEqual(tree(rows).map((r) => l.kernelName(r)), want));

test('folded: times are per launch of all rows; figures that cannot be added are unknown', () => {
	const r = l.folded([made(1, {sol_ns: 60, roles: ['qkv']}), made(2, {sol_ns: 30, roles: ['rope'], operator: 'rope', launches: 5, instances: 5})]);
	assert.deepEqual([r.mean_ns, r.launches, r.s, r.sol_ns, r.median_ns, r.stddev_ns, r.exclusive_ns, r.overlapped_ns, r.roles, r.operator, r.instances],
		[200, 10, 750 / 2000, 75, null, null, 10, 2, ['qkv', 'rope'], null, 10]);
	assert.deepEqual([l.folded([made(1, {sol_ns: 60}), made(2)]).s, l.folded([made(1), made(2)]).operator], [null, 'gemm']);
});

// [case, row, instances of its section, ns, in µs]
const OF_INSTANCE = [
	['in all of them', made(1, {mean_ns: 1234.5, exclusive_ns: 12000, overlapped_ns: 345}), 10, 1234.5, '1.235'],
	['its total, not its mean in tenths: 1000 / 33', made(1, {mean_ns: 30.3, launches: 33, exclusive_ns: 1000, overlapped_ns: 0}), 2, 500, '0.500'],
	['in one of 32, as a table shows it: 112.46875 is 112.5 is 113', made(1, {mean_ns: 3599, launches: 1, exclusive_ns: 3599, overlapped_ns: 0}), 32, 112.5, '0.113'],
	['two of its launches at once', made(1, {mean_ns: 100, exclusive_ns: 600, overlapped_ns: 0}), 10, 100, '0.100'],
	['no instance', made(1), 0, null, '–'],
	['its mean is unknown', made(1, {mean_ns: null}), 10, null, '–'],
	['of several, the totals together', l.folded([made(1, {mean_ns: 0.3, exclusive_ns: 3, overlapped_ns: 0}), made(1, {mean_ns: 0.2, exclusive_ns: 1, overlapped_ns: 1})]), 20, 0.3, '0.000'],
];
for (const [what, row, instances, ns, us] of OF_INSTANCE)
	test(`perInstance: ${what}`, () => assert.deepEqual([l.perInstance(row, {instances}), inUnit(l.perInstance(row, {instances}), 'µs')], [ns, us]));

test('treeOf: every row once, or only matching rows and no empty block', () => {
	const whole = doc.breakdown();
	const rows = l.treeOf(whole).flatMap((s) => s.blocks.flatMap((x) => x.lines.flatMap((line) => line.rows ?? [line])));
	assert.equal(rows.length, whole.items.length);
	const found = l.treeOf(whole, {q: 'LM_HEAD'});
	assert.deepEqual(found.map((s) => [s.section.position, s.blocks.map((x) => [x.block.block, x.lines.map((r) => l.kernelName(r))])]), [['after', [['head', ['nvjet_lm_head']]]]]);
	const rare = (tree) => tree.flatMap((s) => s.blocks.flatMap((x) => x.lines.filter((r) => r.extra))).length;
	assert.deepEqual([rare(l.treeOf(whole)), rare(l.treeOf(whole, {hideExtras: true}))], [1, 0]);
	assert.deepEqual(l.treeOf(whole, {q: 'nothing has this'}), []);
});

test('barsOf: one bar per layer, with the blocks of all bars in one order', () => {
	const bars = l.barsOf(doc.breakdown());
	assert.deepEqual(bars.map((bar) => [bar.layer, bar.name, bar.parts.map((p) => p.kind)]), [0, 1].map((i) => [i, 'attention + mlp', ['attention', 'mlp']])
		.concat([2, 3, 4].map((i) => [i, 'attention + gate + moe', ['attention', 'gate', 'moe', 'shared']])));
	assert.equal(bars[0].ns, 60500 + 375 + 60000);
	assert.deepEqual(l.barsOf(doc.flat()), []);
});

test('the address: parameters for the server, and back', () => {
	const words = l.layerParams(new URLSearchParams('tab=layers&start=norm&every=2&q=gemm&device='));
	assert.deepEqual(words, {start: 'norm', every: '2'});
	assert.equal(l.layersTabUrl(7, {...words, range: ''}), '/runs/7?tab=layers&start=norm&every=2');
});

// [text, runs]
const RUNS = [['1,2', ['1', '2']], [' 1, 2 ,1,job:3,x,0,-1', ['1', '2', '1', 'job:3', 'x', '0', '-1']], ['', []], [null, []], [',,1,', ['1']],
	['1,2,3,4,5,6,7,8,9', ['1', '2', '3', '4', '5', '6', '7', '8', '9']]];
for (const [text, want] of RUNS)
	test(`runsOf: '${text}'`, () => assert.deepEqual(b.runsOf(text), want));
test('breakdown comparison: fewer than two possible runs', () => assert.deepEqual([[], ['1'], ['x'], ['0'], ['1', '2'], ['1', 'x']].map(b.tooFew), [true, true, false, false, false, false]));
test('breakdown comparison: the address, and its parameters for the server', () => {
	assert.equal(b.breakdownUrl(['1', '2'], {realign: 'yes', q: ''}), '/breakdown?runs=1,2&realign=yes');
	assert.equal(b.breakdownUrl([]), '/breakdown');
	assert.deepEqual(b.breakdownParams(new URLSearchParams('runs=1, 2,x&q=a')), {runs: '1,2,x'});
	assert.deepEqual(b.breakdownParams(new URLSearchParams('runs=1,2&realign=yes')), {runs: '1,2', realign: 'yes'});
});

// [time, first, ns, %]
const DIFFERENCES = [[150, 100, 50, 50], [50, 100, -50, -50], [100, 100, 0, 0], [5, 0, 5, null], [null, 100, null, null], [100, null, null, null]];
for (const [ns, first, diff, pct] of DIFFERENCES)
	test(`difference: ${ns} to ${first}`, () => assert.deepEqual(b.difference(ns, first), {ns: diff, pct}));
test('percentOf: as comparisons write it', () => assert.deepEqual([50, -50, 0, null, 1900].map(b.percentOf), ['+50.0 %', '−50.0 %', '±0.0 %', '–', '× 20.0']));

test('breakdown comparison: rows that not every run has, alone', () => {
	const two = doc.breakdownComparison();
	assert.equal(b.matchedText(two), '32 layers of 2 runs compared: 4 of 5 rows of a layer are in every run, 1 more is only in few layers.');
	assert.deepEqual(b.treeOf(two, {unmatchedOnly: true}).flatMap((s) => s.blocks.map((x) => [x.block.block, x.lines.length])), [['mlp', 1], ['shared', 1]]);
	assert.deepEqual([two.items.filter(b.isExtra).map((line) => line.roles), b.treeOf(two, {unmatchedOnly: true, hideExtras: true}).flatMap((s) => s.blocks.map((x) => x.block.block))], [[['all_reduce']], ['shared']]);
	assert.deepEqual(b.treeOf(two, {q: 'PA_dec'}).flatMap((s) => s.blocks.flatMap((x) => x.lines.map((line) => line.module))), ['self_attn.attn']);
	assert.equal(b.matchedText({...two, runs: two.runs.map((r, i) => ({...r, layers: 32 + i})), items: two.items.slice(0, 4)}), '32 and 33 layers of 2 runs compared: all 4 rows of a layer are in every run.');
});

// Runs by their end to end times, with the row of the fixture that changes most in that direction.
const ends = (times, more = {}) => {
	const made = doc.breakdownComparison(new URLSearchParams(`runs=${times.map((_, i) => 7 + i)}`));
	return {...made, runs: made.runs.map((r, i) => ({...r, name: '', platform: null, end_to_end_ns: times[i], ...more}))};
};
const FIRST = 'run 7 #7 (4.000 ms)';
const RESULTS = [
	['slower', ends([4e6, 5e6]), `run 8 #8 is slower: 5.000 ms per iteration, 25.0 % more than ${FIRST}; the largest part is all_reduce (+704.000 µs).`],
	['faster', ends([4e6, 3e6]), `run 8 #8 is faster: 3.000 ms per iteration, 25.0 % less than ${FIRST}; the largest part is gate_up (−544.000 µs).`],
	['the same', ends([4e6, 4000100]), `run 8 #8 takes as long per iteration as ${FIRST}.`],
	['of three, one without layers', ends([4e6, 5e6, 2e6]), `run 9 #9 differs most: it is faster: 2.000 ms per iteration, 50.0 % less than ${FIRST}.`],
	['unknown', ends([null, 5e6]), null],
];
for (const [what, made, text] of RESULTS) test(`result of a breakdown comparison: ${what}`, () => assert.equal(b.result(made), text));

const listed = (id, gpu, more) => ({id, project: 'p', workload: 'w', content: 'launches', device_names: [gpu], ...more});
// [case, runs of a list, {id: ids of its counterparts}]
const COUNTERPARTS = [
	['two GPUs', [listed(2, 'B'), listed(1, 'A')], {2: [1], 1: [2]}],
	['only the newest run on each GPU, in any order', [listed(1, 'A'), listed(3, 'A'), listed(2, 'B')], {3: [2], 2: [3]}],
	['three GPUs', [listed(3, 'C'), listed(2, 'B'), listed(1, 'A')], {3: [2, 1], 2: [3, 1], 1: [3, 2]}],
	['one GPU, or none', [listed(2, 'A'), listed(1, 'A'), listed(3, 'B', {device_names: []})], {}],
	['other workloads, or none', [listed(2, 'B', {workload: 'v'}), listed(1, 'A'), listed(4, 'B', {workload: ''}), listed(3, 'A', {workload: ''})], {}],
	['statistics have no layers', [listed(2, 'B', {content: 'statistics'}), listed(1, 'A')], {}],
];
for (const [what, items, want] of COUNTERPARTS)
	test(`gpuCounterparts: ${what}`, () =>
		assert.deepEqual(Object.fromEntries([...b.gpuCounterparts(items)].map(([id, runs]) => [id, runs.map((r) => r.id)])), want));

// [base, head, runs]
const PICKED = [[['1'], ['2'], ['1', '2']], [['1', '2'], [], ['1', '2']], [['1'], ['job:2'], []], [['1'], [], []], [['1', '2', '3', '4', '5'], ['6', '7', '8', '9'], []]];
for (const [base, head, want] of PICKED)
	test(`breakdownRuns: ${base} and ${head}`, () => assert.deepEqual(breakdownRuns({base, head}), want));

// Two runs of 10 and 20 layers. Times are per layer, in ns.
const cellOf = (mean_ns, more) => (mean_ns === undefined ? null : {mean_ns, rows: [{extra: false, kernel: null, ...more}]});
const compared = (...lines) => ({runs: [{}, {}], sections: [{position: 'before', per_iteration: [1, 1]}, {position: 'layer', per_iteration: [10, 20]}],
	blocks: [{section: 0, block: 'embedding'}, {section: 1, block: 'mlp'}],
	items: lines.map(([block, base, head, more]) => ({block, cells: [cellOf(base, more), cellOf(head, more)], roles: [], module: null}))});

test('changesOf: per iteration, the largest first; a row that a run lacks counts, an unknown time does not', () => {
	const rows = b.changesOf(compared([0, 5000, 4000], [1, 100, 100], [1, null, 100], [1, undefined, 30], [0, 4, 3, {extra: true}]));
	assert.deepEqual(rows.map((r) => [r.times, r.change.ns, r.change.pct, r.small, r.extra]), [
		[[5000, 4000], -1000, -20, false, false], [[1000, 2000], 1000, 100, false, false], [[null, 600], 600, null, false, false],
		[[4, 3], -1, -25, true, true], [[null, 2000], null, null, false, false]]);
	assert.equal(rows[3].shares[0], 400 / 6004);
	assert.equal(b.shareOfRows(rows.slice(3, 4)), Math.max(400 / 6004, 300 / 8603));
	assert.equal(b.shareOfRows([]), 0);
});

test('changesOf: of several runs, the one that differs most; a row has 1 % if it has that in any run', () => {
	const doc = {runs: [{}, {}, {}], sections: [{position: 'none', per_iteration: [null, null, null]}], blocks: [{section: 0, block: 'other'}],
		items: [[100, 90, 130], [9900, 9900, 9900], [0.5, 0.5, 200]].map((of) => ({block: 0, cells: of.map((ns) => cellOf(ns)), roles: [], module: null}))};
	assert.deepEqual(b.changesOf(doc).map((r) => [r.change.run, r.change.ns, r.small]), [[2, 199.5, false], [2, 30, false], [1, 0, false]]);
	assert.deepEqual(b.changesOf({...doc, items: []}), []);
});

test('other GPUs: the newest run of each; neither the same GPUs in another order nor a run without names', () => {
	const run = (id, ...device_names) => ({id, device_names});
	const list = [run(9, 'MI300X'), run(8, 'H100', 'A100'), run(7), run(6, 'H100'), run(5, 'MI300X'), run(4, 'A100', 'H100')];
	const found = (of) => b.onOtherGpus(of, list).map(([name, {id}]) => [name, id]);
	assert.deepEqual(found(run(6, 'H100')), [['MI300X', 9], ['A100, H100', 8]]);
	assert.deepEqual(found(run(1, 'A100', 'H100')), [['MI300X', 9], ['H100', 6]]);
});
