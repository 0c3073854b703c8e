// documents.mjs - generates importance answers that a few small traces cannot produce.
//
// The answers follow the server's schemas: a fleet of runs, and a run with every attribution
// source.

const GPU = {name: 'H200', vendor: 'NVIDIA', source: 'a datasheet', bytes_per_s: 4.8e12, link_bytes_per_s: 4.5e11, link_topology: 'switch', link_devices: 8, link_across_hosts: false, network_bytes_per_s: null, link_source: 'a datasheet', compute_units: 132, peak_clock_mhz: {bf16: 1830, fp16: 1830, fp8_e4m3: 1830, fp32: 1980}, peak_clock_source: 'a datasheet', launch_floor_ns: 2500, site_override: false,
	peak_flops: {bf16: 9.895e14, fp16: 9.895e14, fp8_e4m3: 1.979e15, fp32: 6.7e13}};
const OLD = {...GPU, name: 'H20', source: 'a table', bytes_per_s: 4e12, peak_flops: {bf16: 1.48e14, fp8_e4m3: 2.96e14, fp32: 4.4e13}};

// A fleet: [operator, dtype, importance, regime, AI, S]
const ROWS = [['unified_attention', 'bf16', 0.361, 'memory', 63.1, 0.48], ['fused_moe', 'bf16/fp8_e4m3', 0.172, 'compute', 310.2, 0.61],
	['all_reduce', 'bf16', 0.12, 'link', null, 0.25], ['reshape_and_cache', 'bf16', 0.051, 'indexing', 0, 0.22], ['rms_norm', 'bf16', 0.048, 'memory', 0.8, 1.07],
	[null, null, 0.069, null, null, null]];

// One operator has a fleet-best of a run that is there, one of a run that was deleted.
const NO_BEST = {reachable_headroom: null, reachable_headroom_hours: null, reachable_known_pct: 0, best_efficiency: null, best_run: null};
const REACHABLE = {unified_attention: {reachable_headroom: 0.0722, reachable_headroom_hours: 188.1532, reachable_known_pct: 91.2, best_efficiency: 0.6, best_run: 4711},
	fused_moe: {reachable_headroom: 0, reachable_headroom_hours: 0, reachable_known_pct: 100, best_efficiency: 0.55, best_run: null}};

function weighed([operator, dtype, importance, regime, ai, s], kwh, counted) {
	const bound = s !== null;
	return {operator, id: null, description: operator && `what ${operator} does`, group: operator && 'group', dtype, phase: operator && 'decode/prefill', shapes: counted && operator ? (bound ? 12 : 0) : null,
		importance, w_time: importance, w_mean: importance * 0.9, w_present: importance * 1.4, low: importance * 0.8, high: importance * 1.2, runs: 940,
		prevalence: 940 / 1303, total_s: importance * 48211.7, energy_kwh: kwh && importance * kwh, regime, ai, s, s_median: null,
		t_sol_us: bound ? {H20: 390.2, H200: 180.016} : {H20: null, H200: null}, t_prod_us: {H20: 812.3, H200: 4021.4},
		attained_flops: ai ? {H20: 1.893e13, H200: ai * 4.8e12 * s * 0.8} : {}, shape_known_pct: bound ? 97.2 : 0, roofline_known_pct: bound ? 95.5 : 0,
		headroom: !bound ? null : importance * (1 - Math.min(s, 1)), headroom_hours: !bound ? null : 2606 * importance * (1 - Math.min(s, 1)), ...REACHABLE[operator] ?? NO_BEST, above_bound_pct: s > 1 ? 2.1 : 0, collective: operator === 'all_reduce'};
}

export function fleet(query, {none = false} = {}) {
	const kwh = query.get('weight') === 'energy' ? 1420.5 : null;
	return {reference_set: null, source: null, weight: query.get('weight') ?? 'time', runs: none ? 0 : 1303, excluded_runs: 12, lagging_runs: 0, energy_unknown_runs: kwh && 40, energy_by_time_runs: kwh && 7, energy_kwh: kwh, gpu_s: 48211.7, hours: 2606,
		attributed_pct: 93.1, operator_known_pct: 91.4, shape_known_pct: 81.2, roofline_known_pct: 74.9, headroom: 0.412, reachable_headroom: 0.0722, clusters: 41, interval_reason: null, platforms: [OLD, GPU],
		choices: {projects: ['serving', 'training'], workloads: [], frameworks: ['sglang', 'vllm'], platforms: ['H20', 'H200'], dtypes: ['bf16'], phases: ['decode', 'prefill']},
		findings: none ? [] : [{code: 'coverage', severity: 'warn', text: '6.9 % of GPU time is unattributed; /unattributed lists its kernels'},
			{code: 'above_bound', severity: 'info', text: 'shapes of rms_norm are faster than their roofline bound (S > 1)'}],
		items: none ? [] : ROWS.map((row) => weighed(row, kwh, !query.has('since'))), next: null};
}

const shape = (text, platform, s) => ({shape_id: text ? 7 : null, description: null, shape: text, sizes: text && {tokens: 16}, kwargs: null, dtype: 'bf16', phase: 'decode', platform,
	calls: 118200, runs: 210, total_s: 31.2, share: text ? 0.44 : 0.02, t_prod_us: {[platform]: 264.1}, t_sol_us: {[platform]: text ? 198.2 : null}, s, s_mean: s && 0.7 * s,
	ai: text ? 2.9 : null, regime: text ? 'memory' : null, flops: text ? {bf16: 2415919104} : null, read_bytes: text ? 831000000 : null,
	write_bytes: text ? 65536 : null, collective_kind: null, bus_bytes: null, above_bound: false, pytorch: text !== null, reason: text ? null : 'its shape is unknown',
	headroom_hours: text ? 90 * (1 - s) : null, reachable_headroom_hours: text && s < 0.5 ? 12.25 : null, best_efficiency: text && s < 0.5 ? 0.55 : null, best_run: text && s < 0.5 ? 4711 : null});
const NO_SIZES = {rows: 1, calls: 118200, total_s: 31.2, share: 0.02};
// 1,200 shapes with sizes, of which a page has 500; in the order of the request, and those that match it.
const MANY = Array.from({length: 1200}, (_, i) => ({...shape(`tokens=${i + 1} hidden=2048`, 'H200', 0.5), shape_id: i + 1, headroom_hours: 1200 - i, calls: 1000 + i}));
export function manyShapes(query) {
	const from = Number(query.get('cursor') ?? 0);
	const found = MANY.filter((r) => r.shape.includes(query.get('q') ?? '')).sort((a, b) => query.get('sort') === 'calls' ? b.calls - a.calls : b.headroom_hours - a.headroom_hours);
	const items = found.slice(from, from + 500);
	return {...fleetShapes('fused_moe'), items, items_count: found.length, next: from + 500 < found.length ? String(from + 500) : null};
}
export const fleetShapes = (operator) => ({items_count: 3, unknown_shapes: NO_SIZES, reference_set: null, operator, id: null, description: null, s_median: 0.55, platforms: [OLD, GPU], findings: [],
	items: [shape('tokens=16 hidden=2048 inter=768', 'H200', 0.75), shape('tokens=32 hidden=2048 inter=768', 'H20', 0.1), shape(null, 'H20', null)], next: null});

// A fleet's pairs: of two platforms, of unknown size in CUDA graphs, and one whose passes differ.
const pair = (more) => ({kind: 'pointwise', first_operator: 'elementwise', first_dtype: 'bf16', first_shape: 'x=[4096,14336]', second_operator: 'elementwise',
	second_dtype: 'bf16', second_shape: 'x=[4096,14336] y=[4096,14336]', phase: 'decode', platforms: 'H200, H20', consumers: 'second', tensor_bytes: 117440512, passes: 2,
	pairs: 118200, replayed_pairs: 0, runs: 940, run_ids: [4711, 12, 13, 14, 15], time_s: 31.2, saved_s: 12.5, saved_hours: 48.25, traffic_hours: 47.5,
	traffic_at_peak_hours: 31.0625, gap_hours: 0.75, overlaps: [], ...more});
const UNSIZED = {first_shape: null, second_shape: null, first_dtype: null, second_dtype: null, tensor_bytes: null, traffic_hours: null, traffic_at_peak_hours: null};
export const fusions = (query, {none = false} = {}) => ({runs: none ? 0 : 1303, unknown_runs: none ? 0 : 12, hours: none ? 0 : 2606,
	items: none ? [] : [pair({overlaps: ['elementwise x=[8], then gemm m=8 n=8 k=8']}), pair({kind: 'norm', second_operator: 'fused_add_rms_norm', platforms: null, runs: 1, run_ids: [12], saved_hours: 0.00123, traffic_hours: 0.00123, gap_hours: 0})],
	consumers_unknown: none ? [] : [pair({kind: 'epilogue', first_operator: 'gemm', first_shape: `m=4096 n=14336 k=${'4096'.repeat(9)}`, consumers: 'unknown', passes: null}),
		pair({...UNSIZED, consumers: 'unknown', replayed_pairs: 118200, saved_s: null, saved_hours: null, gap_hours: 0})],
	read_by_others: none ? [] : [pair({consumers: 'others', passes: 1})], items_count: none ? 0 : 2, consumers_unknown_count: none ? 0 : 340, read_by_others_count: none ? 0 : 1});

export const unattributed = () => ({items: [{id: 7, name: 'void <b>mystery</b><float>(float *)', short_name: 'mystery', family: null, launches: 120,
	total_ns: 9000000, total_s: 0.009, names: 1, runs: 3}], next: null});

const KNOWN = {sizes: 0, op_sizes: 0, op: 0, range: 0, node: 0, graph: 0, rule: 0, record: 0, not: 0};
const NOT_MEASURED = {sol_measured_ns: null, s_measured: null, sol_data_sheet_ns: null, s_data_sheet: null};
const NO_CLOCK = {sm_clock_mhz: null, sm_clock_reason: 'the trace has no samples of its SM clock', peaks: null};
const spent = (operator, ns, known, more) => ({operator, description: operator && 'what it does', group: operator && 'group', specific: true, collective: false,
	dtype: operator && 'bf16', phase: operator && 'decode', time_pct: ns / 1e6, total_ns: ns, calls: 1200, launches: 1380, mean_call_ns: ns / 1200, shapes: 2,
	attribution_source_ns: {...KNOWN, ...known}, shape_known_ns: (known.op_sizes ?? 0) + (known.graph ?? 0), roofline_known_ns: ns, sol_ns: ns / 2, s: 0.5, regime: 'memory', compute_pct: 11,
	headroom_ns: ns / 2, headroom_pct: ns / 2e6, reachable_known_ns: ns, reachable_headroom_ns: ns / 4, reachable_headroom_pct: ns / 4e6, best_efficiency: 0.8, best_run: 12, above_bound_ns: 0, ...NOT_MEASURED, measured_known_ns: null, headroom_measured_ns: null, headroom_data_sheet_ns: null, above_bound_data_sheet_ns: null,
	above_measured_ns: null, mfu: 0.31, hfu: 0.36, mbu: 0.42, utilization_covered: 0.9, recompute_covered: 1, utilization_reason: null, hfu_reason: null, against: null, ...more});
const put = (row, s) => ({...row, against: {sol_ns: s && s * 4e7, roofline_known_ns: s ? 4e7 : 0, regime: s && 'memory'}});
const UNBOUND = {s: null, regime: null, compute_pct: null, headroom_ns: null, headroom_pct: null, reachable_known_ns: 0, reachable_headroom_ns: null, reachable_headroom_pct: null, best_efficiency: null, best_run: null, roofline_known_ns: 0, sol_ns: null, shapes: 0,
	mfu: null, hfu: null, mbu: null, utilization_covered: 0, recompute_covered: null, utilization_reason: 'the work of none of its calls is known', hfu_reason: 'the work of none of its calls is known'};

export function runOperators(query) {
	const against = query.get('against') ? OLD : null;
	const items = [spent('gemm', 52e6, {op_sizes: 41e6, graph: 11e6}, {s: 0.62, regime: 'compute'}), spent('rms_norm', 21e6, {rule: 21e6}),
		spent('all_reduce', 24e6, {op_sizes: 24e6}, {s: 0.25, regime: 'link', headroom_ns: 18e6, headroom_pct: 18, collective: true}), spent(null, 3e6, {not: 3e6}, UNBOUND)];
	return {platform: 'H200', platform_source: 'a datasheet', platform_peaks: GPU, against, catalog: '1', catalog_now: '1+2', gpu_ns: 1e8, attributed_pct: 97, operator_known_pct: 96,
		shape_known_pct: 80, roofline_known_pct: 70, replayed: 361, replayed_known: 361, headroom_pct: 31.2, reachable_known_pct: 73, reachable_headroom_pct: 18.2, headroom_measured_pct: null, headroom_data_sheet_pct: null, ...NO_CLOCK, measured_ceilings: null,
		mfu: 0.22, hfu: 0.26, mbu: 0.31, utilization_covered: 0.7, utilization_time_ns: 13e7, utilization_period: 'iterations', utilization_reason: null, recompute_covered: 0.95, hfu_reason: null,
		findings: [{code: 'older_catalog', severity: 'info', text: 'it was attributed with catalog 1; the current catalog is 1+2, and `kernsiftd rebuild` attributes it again'},
			{code: 'above_bound', severity: 'warn', text: 'S is above 1 at shapes that take 1.0 % of GPU time'}],
		items: against ? items.map((row, i) => put(row, [0.1, 1.25][i] ?? null)) : items, next: null};
}

// A kernel profile of the first shape.
export const profile = {kernel: 3, name: 'gemm_kernel', matched_by: 'name', grid: [64, 1, 1], block: [256, 1, 1], launches: 2, run_launches: 480,
	duration_ns: 48000, sm_throughput_pct: 72, memory_throughput_pct: 38.25, dram_throughput_pct: null, dram_bytes_per_s: null, l1_hit_pct: null, l2_hit_pct: null,
	occupancy_pct: 23.4, registers_per_thread: 168, ipc: null, operator: 'gemm', shape: 'm=237 n=4096 k=4096', shape_reason: null,
	stalls: [['long_scoreboard', 60, 'Warps wait for data.', 'Load earlier.'], ['wait', 25, 'Warps wait a fixed time.', ''], ['barrier', 4.5, 'b', ''], ['drain', 0.5, 'd', '']]
		.map(([reason, pct, text, advice]) => ({reason, pct, text, advice}))};

export function runShapes(query) {
	const against = query.get('against') ? OLD : null;
	const times = {calls: 240, launches: 480, total_ns: 11e6, time_pct: 11, mean_ns: 45833.3, median_ns: 45700, min_ns: 44000, max_ns: 52000, p90_ns: 46000, p99_ns: 51000};
	const one = {dtype: 'bf16', phase: 'decode', ...times, ...NOT_MEASURED, attained_flops: 1.735e14, against: against && {sol_ns: 9166.66, regime: 'memory', reason: null}};
	return {operator: 'gemm', description: 'a matrix product', platform: 'H200', against, ...NO_CLOCK, s_median: 0.61, findings: [], next: null, items: [
		{...one, collective_kind: null, bus_bytes: null, link: null, shape: 'm=237 n=4096 k=4096', sizes: {m: 237, n: 4096, k: 4096}, grid: null, attribution_source: 'op_sizes', flops: {bf16: 7952400384}, read_bytes: 35495936,
			write_bytes: 1941504, ai: 212.4, sol_ns: 8036.8, s: 0.175, regime: 'compute', reason: null, size_class: 32, reachable_headroom_ns: 5500000, best_efficiency: 0.35, best_run: 12, kernel_profiles: [profile]},
		{...one, collective_kind: null, bus_bytes: null, link: null, shape: null, sizes: null, grid: '128x1x1 / 256x1x1', attribution_source: 'rule', flops: null, read_bytes: null, write_bytes: null, ai: null, sol_ns: null, s: null,
			regime: null, reason: 'its shape is unknown', size_class: null, reachable_headroom_ns: null, best_efficiency: null, best_run: null, kernel_profiles: [], against: against && {sol_ns: null, regime: null, reason: 'its shape is unknown there either'}}]};
}

export const platforms = () => ({version: 2, catalog: '1+2', fault: null, items: [OLD, GPU], site_overrides: [], next: null});
export const sets = (...names) => ({items: names.map((name) => ({name, source: null, sha256: 'ab'.repeat(32), runs: 3, operators: 4, shapes: 9, bytes: 4096,
	created_at: '2026-11-01T00:00:00Z'})), next: null});
// Two replayed graphs: one with a capture of another run, one that no capture matches.
const graph = {graph: 'a1b2c3d4'.repeat(8), replays: 12, kernels: 993, total_ns: 48000000, attributed: 11904, match_pct: 99.9, matched: 992, captured: 994,
	captures: 1, source: 'other', source_run: 12, reason: 'unmatched', reason_text: 'the capture lacks some kernels of the replay'};
export const runGraphs = () => ({items: [graph, {...graph, graph: '0f'.repeat(32), replays: 1, kernels: 40, total_ns: 200000, attributed: 0, match_pct: null,
	matched: null, captured: null, captures: 0, source: null, source_run: null, reason: 'no_capture', reason_text: 'no capture that was seen has these kernels, except for a few'}], next: null});

export const runKernels = () => ({items: unattributed().items.map((k) => ({...k, runs: 1})), next: null});

// GPUs: a slow one, two that are not, one of them known by its number, an undecided one, and one with too few runs.
export function devices() {
	const row = (gpu, verdict, more) => ({
		gpu, identified_by: 'uuid', uuid: gpu, bus_id: '0000:57:00.0', host: 'node7', name: 'NVIDIA H20', platform: 'H20', runs: 20, newest_run: 7, comparable_runs: 20, comparable_shapes: 3, peers: 40, verdict, reason: null,
		slowdown_pct: 0.1, low_pct: -0.2, high_pct: 0.4, p: 0.4, p_adjusted: 1, detectable_pct: 1.2, by_clock_pct: null, by_power_pct: null, by_neither_pct: null, clock_deficit_pct: 0, operators: [{operator: 'gemm', samples: 20, slowdown_pct: 0.1}], ...more,
	});
	const unknown = Object.fromEntries(['slowdown_pct', 'low_pct', 'high_pct', 'p', 'p_adjusted', 'detectable_pct', 'clock_deficit_pct'].map((key) => [key, null]));
	return {
		items: [
			row('6161e0f3-67ae-555b-f069-dbe4b0f787e2', 'slow', {slowdown_pct: 6.08, low_pct: 5.71, high_pct: 6.95, p: 1e-8, p_adjusted: 4e-7, by_clock_pct: 1.5, by_power_pct: 1.5, by_neither_pct: 3.08, clock_deficit_pct: 3,
				operators: [{operator: 'gemm', samples: 20, slowdown_pct: 6.2}, {operator: 'softmax', samples: 20, slowdown_pct: 5.9}]}),
			row('9c1b87f3-f06a-5c11-735b-c6df328896d6', 'undecided', {slowdown_pct: 0.9, high_pct: 1.6}),
			row('73532419-2617-0daf-4605-77e1778f3067', 'not_slow'),
			row('node9 GPU 3 of 8 (NVIDIA H20)', 'not_slow', {identified_by: 'number', uuid: null, bus_id: null, host: 'node9'}),
			row('node8 0000:58:00.0', 'not_judged', {identified_by: 'bus_id', uuid: null, bus_id: '0000:58:00.0', host: 'node8', runs: 1, comparable_runs: 1, peers: 0, reason: '1 of its runs is comparable; at least 3 are needed', operators: [], ...unknown}),
		],
		reason: null, margin_pct: 1, alpha: 0.01, devices: 5, slow_devices: 1, undecided_devices: 1, not_judged_devices: 1, runs: 64, more: false, unidentified_runs: 2, several_gpus_runs: 1, table_runs: 0, idle_runs: 0, next: null,
	};
}
