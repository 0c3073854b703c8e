// operators.test.mjs - tests texts and figures of operators in the format of published pages.
//
// Each expected text is computed by hand.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as o from '../../web/lib/operators.js';
import {figuresText, profileColumns, profileList, stallsText} from '../../web/lib/kernel_profiles.js';
import {dataSheetColumns, measuredColumns, shapesOf, utilizationColumns, utilizationLine, utilizationTotals} from '../../web/pages/run_operators.js';
import {profile} from './importance/documents.mjs';
import {roofsOf} from '../../web/chart/chart_roofline.js';

// [function, value, text]
const TEXTS = [
	['share', 0.394972, '39.5 %'], ['share', 0, '0.0 %'], ['share', 1.0478, '104.8 %'], ['share', null, '–'], ['share', undefined, '–'],
	['shareOfPercent', 97.04, '97.0 %'], ['shareOfPercent', null, '–'],
	['intensity', 102.797, '102.8'], ['intensity', 15432.1, '15.4k'], ['intensity', 999.96, '1000.0'], ['intensity', 1000, '1.0k'],
	['intensity', 0, '0.0'], ['intensity', null, '–'], ['intensity', Infinity, '–'],
	['boundText', 27.1834, '27.18 µs'], ['boundText', 3426.8172, '3.43 ms'], ['boundText', 0.0049, '0.00 µs'], ['boundText', 999.994, '999.99 µs'],
	['boundText', 1000, '1.00 ms'], ['boundText', 1234567, '1.23 s'], ['boundText', undefined, '–'],
	['measuredText', 118.4, '118 µs'], ['measuredText', 29361.38, '29.4 ms'], ['measuredText', 7.5, '8 µs'], ['measuredText', 2.5e6, '2.5 s'], ['measuredText', null, '–'],
	['gpuTime', 48211.7, '13.4 h'], ['gpuTime', 8100000, '2,250 h'], ['gpuTime', 7199, '7,199.0 s'], ['gpuTime', 0.5, '500.0 ms'],
	['gpuTime', 6.905, '6.9 s'], ['gpuTime', 0.001, '1.0 ms'], ['gpuTime', 0.000104, '104.0 µs'], ['gpuTime', null, '–'],
];
for (const [name, value, text] of TEXTS)
	test(`${name}: ${value} is '${text}'`, () => assert.equal(o[name](value), text));

// [amount, unit, text]
const AMOUNTS = [
	[1.48e14, 'FLOP/s', '148 TFLOP/s'], [5.3e12, 'B/s', '5.30 TB/s'], [0, 'FLOP', '0 FLOP'], [7, 'B', '7 B'], [999.7, 'B', '1.00 kB'],
	[2.5, 'FLOP', '2.50 FLOP'], [2 ** 64, 'B', '18.4 EB'], [null, 'B', '–'],
];
for (const [n, unit, text] of AMOUNTS)
	test(`amount: ${n} is '${text}'`, () => assert.equal(o.amount(n, unit), text));

// [S, word]; a limit belongs to the better grade, and S = 1 is not flagged.
const GRADES = [[1.0000001, 'above 1'], [1, 'good'], [0.33, 'good'], [0.3299, 'fair'], [0.125, 'fair'], [0.1249, 'low'], [0, 'low']];
for (const [s, word] of GRADES)
	test(`grade: ${s} is ${word}`, () => assert.equal(o.grade(s).word, word));
test('grade: none if S is unknown', () => assert.deepEqual([o.grade(null), o.grade(undefined), o.grade(NaN)], [null, null, null]));

// [case, shape, its name]
const SHAPES = [
	['the description of its set', {shape_id: 0, description: '(vLLM), tokens=1', shape: 'tokens=1'}, '#0 (vLLM), tokens=1'],
	['of a collective: its kind', {shape_id: null, description: null, shape: 'bytes=8 ranks=2', collective_kind: 'all_gather'}, 'all_gather bytes=8 ranks=2'],
	['without a description: its sizes', {shape_id: null, description: null, shape: 'm=1 n=2', grid: '1x1x1'}, 'm=1 n=2'],
	['without sizes: its grid', {shape: null, grid: '128x1x1 / 256x1x1'}, 'shape unknown, grid 128x1x1 / 256x1x1'],
	['nothing', {shape: null, grid: null}, 'shape unknown'],
];
for (const [what, shape, name] of SHAPES)
	test(`shapeName: ${what}`, () => assert.equal(o.shapeName(shape), name));

test('flopsOf: work of several dtypes is added; no work is 0; unknown stays unknown', () =>
	assert.deepEqual([{flops: {bf16: 5, fp32: 2}}, {flops: {}}, {flops: null}].map(o.flopsOf), [7, 0, null]));
test('bytesOf: bytes read plus bytes written, unknown if one of them is; of a collective its bus bytes', () =>
	assert.deepEqual([{read_bytes: 3, write_bytes: 0}, {read_bytes: 3, write_bytes: null}, {read_bytes: null, write_bytes: null, bus_bytes: 7.5}].map(o.bytesOf), [3, null, 7.5]));
test('bytesText: what is moved, in words', () =>
	assert.deepEqual([{read_bytes: 3, write_bytes: 1}, {bus_bytes: 1750, read_bytes: null, write_bytes: null}, {read_bytes: null, write_bytes: 1}].map(o.bytesText),
		['reads 3, writes 1 bytes', '1,750 bytes over the link of each rank', null]));

const OWN = {s: 0.6, sol_ns: 6, regime: 'compute', reason: 'own', headroom_ns: 4, headroom_pct: 1, reachable_headroom_ns: 3, best_efficiency: 0.9, best_run: 7, compute_pct: 100, above_bound_ns: 2};
const NONE = {headroom_ns: null, headroom_pct: null, reachable_headroom_ns: null, best_efficiency: null, best_run: null, compute_pct: null, above_bound_ns: null};
// [case, row, shown figures]
const AGAINST = [
	['no other platform: its own', {...OWN, roofline_known_ns: 10, against: null}, OWN],
	['an operator, by its calls with a bound there', {...OWN, roofline_known_ns: 10, against: {sol_ns: 5, roofline_known_ns: 20, regime: 'memory'}},
		{s: 0.25, sol_ns: 5, regime: 'memory', reason: undefined, ...NONE}],
	['a shape, by its mean call', {...OWN, mean_ns: 40, against: {sol_ns: 5, regime: 'memory', reason: null}}, {s: 0.125, sol_ns: 5, regime: 'memory', reason: null, ...NONE}],
	['no bound there', {...OWN, against: {sol_ns: null, roofline_known_ns: 0, regime: null}}, {s: null, sol_ns: null, regime: null, reason: undefined, ...NONE}],
];
for (const [what, row, want] of AGAINST)
	test(`againstRow: ${what}`, () => {
		const shown = o.againstRow(row);
		assert.deepEqual(Object.fromEntries(Object.keys(want).map((key) => [key, shown[key]])), want);
	});

// [case, names of the devices, reason]
const NO_PLATFORM = [
	['no devices', [], 'the trace does not name its GPU'],
	['no names', [null, null], 'the trace does not name its GPU'],
	['one name of two', ['MyGPU', null], 'the trace does not name all GPUs of the run'],
	['one GPU twice', ['MyGPU', 'MyGPU'], 'no platform of the catalog matches its GPU MyGPU'],
	['two GPUs', ['MyGPU', 'H200'], 'its GPUs MyGPU, H200 have no common platform in the catalog'],
];
for (const [what, names, reason] of NO_PLATFORM)
	test(`noPlatformReason: ${what}`, () => assert.equal(o.noPlatformReason(names.map((name) => ({name}))), reason));

const rows = (n, dtype) => Array.from({length: n}, () => ({dtype, phase: null, against: null}));
const PAGED = [rows(5000, 'bf16'), [...rows(499, null), ...rows(2, 'bf16')], rows(2, null), rows(1, null)];
// [case, row, pages, items of each call, requested pages]
const SHAPES_OF = [
	['without a dtype: pages until there are enough', {dtype: null, phase: null}, PAGED, [500, 2], 4],
	['to the last page', {dtype: null, phase: null}, PAGED.slice(0, 2), [499], 2],
	['what is over is of the next call', {dtype: null, phase: null}, [rows(1100, null)], [500, 500, 100], 1],
	['with both: a page for each call', {dtype: 'bf16', phase: 'decode'}, [500, 500, 20].map((n) => Array(n).fill({dtype: 'bf16', phase: 'decode', against: null})), [500, 500, 20], 3],
	['none', {dtype: null, phase: null}, [[]], [0], 1],
];
for (const [what, row, pages, calls, n] of SHAPES_OF)
	test(`shapesOf: ${what}`, async () => {
		const requests = [];
		const got = [];
		for (let from; from !== null;) {
			const page = await shapesOf(row, async (words) => {
				requests.push(words);
				return {items: pages[requests.length - 1], next: requests.length < pages.length ? `c${requests.length}` : null};
			}, from);
			got.push(page.items.length);
			({from} = page);
		}
		assert.deepEqual([got, requests.length], [calls, n]);
		assert.deepEqual(requests.map((words) => words.cursor), [null, 'c1', 'c2', 'c3'].slice(0, n));
	});

test('sourceParts: the largest first, without those that have no time', () =>
	assert.deepEqual(o.sourceParts({attribution_source_ns: {sizes: 0, op_sizes: 10, graph: 30, not: 0}}), [['graph', 30, 75], ['op_sizes', 10, 25]]));
test('sourceParts: a row without attribution sources', () => assert.deepEqual(o.sourceParts({}), []));

test('roofsOf: equal peaks share one, unused dtypes have none', () => {
	const peak_flops = {bf16: 2e12, fp16: 2e12, fp8_e4m3: 4e12, fp32: null, fp64: 1e12};
	assert.deepEqual(roofsOf({peak_flops}, new Set(['bf16', 'fp16', 'fp8_e4m3', 'fp32'])),
		[{peak: 4e12, label: 'fp8_e4m3 4.00 TFLOP/s'}, {peak: 2e12, label: 'bf16, fp16 2.00 TFLOP/s'}]);
	assert.equal(roofsOf({peak_flops}).length, 3);
	assert.deepEqual(roofsOf({peak_flops: null}), []);
});

test('columns by the measured ceilings are there only with a calibration', () => {
	const doc = {against: null, measured_ceilings: {platform: 'H20'}};
	assert.deepEqual(measuredColumns({...doc, measured_ceilings: null}, 'us'), []);
	assert.deepEqual(measuredColumns({...doc, against: {name: 'A10'}}, 'us'), []);
	const [s, headroom] = measuredColumns(doc, 'us');
	assert.deepEqual([s.label, headroom.label], ['S measured', 'Headroom measured']);
	const row = {s_measured: 0.4, measured_known_ns: 100000, headroom_measured_ns: 60000};
	assert.equal(s.value(row), 0.4);
	assert.match(s.title(row), /^bound by the measured ceilings \/ T = 0\.4, of /);
	const none = {s_measured: null, headroom_measured_ns: null};
	assert.equal(s.title(none), 'unknown: a rate that it needs was not measured');
	assert.equal(headroom.title({...none, collective: true}), 'unknown: a rate that it needs was not measured');
});

test('a kernel profile: figures that were recorded, and the most frequent stall reasons', () => {
	assert.equal(figuresText(profile), 'SM 72.0 %, memory 38.3 %, occupancy 23.4 %');
	assert.equal(stallsText(profile), 'long_scoreboard 60.0 %, wait 25.0 %, barrier 4.5 %');
	assert.deepEqual([profileList([]), profileList(undefined)], [null, null]);
});

test('the column of kernel profiles is there only if a row has one', () => {
	assert.deepEqual(profileColumns([{kernel_profiles: []}, {}]), []);
	const [column] = profileColumns([{kernel_profiles: [profile]}]);
	assert.equal(column.cell({kernel_profiles: [profile]}), 'SM 72.0 %, memory 38.3 %, occupancy 23.4 %; stalls: long_scoreboard 60.0 %');
	assert.equal(column.title({kernel_profiles: [profile]}),
		'gemm_kernel: SM 72.0 %, memory 38.3 %, occupancy 23.4 %; stalls: long_scoreboard 60.0 %, wait 25.0 %, barrier 4.5 %');
	assert.deepEqual([column.cell({kernel_profiles: []}), column.cell({})], ['–', '–']);
});

test('MFU, HFU and MBU have their coverage next to them, and a reason if they are unknown', () => {
	assert.deepEqual(utilizationColumns({against: {name: 'A10'}}), []);
	const [mfu, hfu, mbu, covered] = utilizationColumns({against: null});
	assert.deepEqual([mfu, hfu, mbu, covered].map((c) => c.label), ['MFU', 'HFU', 'MBU', 'Utilization covered']);
	const row = {mfu: 0.25, hfu: 0.3125, mbu: 0.0625, utilization_covered: 0.75, recompute_covered: 0.9, utilization_reason: null, hfu_reason: null};
	assert.deepEqual([mfu, hfu, mbu, covered].map((c) => [c.cell(row), c.value(row)]),
		[['25.0 %', 0.25], ['31.3 %', 0.3125], ['6.3 %', 0.0625], ['75.0 %', 0.75]]);
	const rest = '75.0 % of its GPU time has known work, and the rest counts as time without work';
	assert.equal(mbu.title(row), `sum over calls of minimum traffic / bandwidth, divided by time: 0.0625; ${rest}`);
	assert.equal(mfu.title(row), `sum over calls of operations / peak, divided by time: 0.25; ${rest}. ` +
		'Repeated operations do not count (known for 90.0 % of the time with operations)');
	assert.equal(hfu.title(row), `sum over calls of operations / peak, divided by time: 0.3125; ${rest}. ` +
		'Repeated operations count (known for 90.0 % of the time with operations)');
	const none = {mfu: null, hfu: null, mbu: null, utilization_covered: 0, recompute_covered: null, utilization_reason: 'the work of none of its calls is known', hfu_reason: 'the work of none of its calls is known'};
	assert.deepEqual([mfu.cell(none), mfu.title(none), covered.cell(none)], ['–', 'unknown: the work of none of its calls is known', '0.0 %']);
	assert.deepEqual(utilizationTotals({...none, utilization_time_ns: 5, utilization_period: 'span'})[2],
		['MBU', '–', 'unknown: the work of none of its calls is known']);
	const [label, text, title] = utilizationTotals({...row, utilization_time_ns: 4000, utilization_period: 'iterations'})[0];
	assert.deepEqual([label, text], ['MFU', '25.0 % (75.0 % covered)']);
	assert.match(title, /Time: the kept iterations on all devices, 4,000 ns$/);
	assert.match(utilizationTotals({...row, utilization_time_ns: 4000, utilization_period: 'span'})[1][2], /Time: the span on all devices/);
});

test('MFU says that repeated operations count if nothing shows which they are', () => {
	const [mfu, hfu] = utilizationColumns({against: null});
	const row = {mfu: 0.25, hfu: null, mbu: 0.0625, utilization_covered: 0.75, recompute_covered: 0, utilization_reason: null, hfu_reason: 'nothing recorded shows it'};
	assert.match(mfu.title(row), /\. Repeated operations count: which they are is unknown$/);
	assert.deepEqual([hfu.cell(row), hfu.title(row)], ['–', 'unknown: nothing recorded shows it']);
});

test('a layer has its utilization in one line', () => {
	const layer = {mfu: 0.25, hfu: 0.25, mbu: 0, utilization_covered: 0.75, recompute_covered: null, utilization_reason: null, hfu_reason: null};
	assert.equal(utilizationLine(layer).text, 'MFU 25.0 %, HFU 25.0 %, MBU 0.0 % (75.0 % covered)');
	assert.match(utilizationLine(layer).title, /^MFU: sum over .* Repeated operations do not count\. HFU: .* Time: start to end of its instances$/);
	const none = {...layer, mfu: null, hfu: null, mbu: null, utilization_reason: 'it took no time', hfu_reason: 'it took no time'};
	assert.deepEqual(utilizationLine(none), {text: 'MFU unknown, HFU unknown, MBU unknown', title: 'unknown: it took no time'});
});

test('columns by the data sheet are there only if the peaks are at a recorded clock', () => {
	const doc = {against: null, peaks: 'compute peaks at the recorded SM clock of 1647 MHz'};
	assert.deepEqual(dataSheetColumns({...doc, peaks: null}, 'us'), []);
	assert.deepEqual(dataSheetColumns({...doc, against: {name: 'A10'}}, 'us'), []);
	const [s, headroom] = dataSheetColumns(doc, 'us');
	assert.deepEqual([s.label, headroom.label], ['S data sheet', 'Headroom data sheet']);
	assert.match(s.title({s_data_sheet: 0.5556}), /^bound by the data sheet's peaks \/ T = 0\.5556$/);
	const none = {s_data_sheet: null, headroom_data_sheet_ns: null};
	assert.equal(s.title(none), 'unknown: no roofline bound');
	assert.equal(headroom.title({...none, collective: true}), 'unknown: no roofline bound');
	assert.match(headroom.title({...none, headroom_data_sheet_ns: 9, collective: true}),
		/ above the bound by the data sheet's peaks, waiting for other ranks included$/);
});

test('gradeText: the scale of the grade, and what is above the bound', () => {
	assert.equal(o.gradeText(0.346), 'S of 33 % or more, on the scale of Atrex-Bench for production kernels, the same for every operator; 65.4 % of the time is above the roofline bound');
	assert.match(o.gradeText(1.2), /^faster than the roofline bound: /);
});
test('upTo: a headroom that includes waiting is an upper bound; unknown and 0 are not', () =>
	assert.deepEqual([['43.3', true], ['43.3', false], ['–', true], ['0', true]].map(([text, waits]) => o.upTo(text, waits)), ['≤ 43.3', '43.3', '–', '0']));
