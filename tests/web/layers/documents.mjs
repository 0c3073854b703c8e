// documents.mjs - generates breakdown answers that cover all kinds of rows.
//
// A breakdown has two kinds of layer, kernels launched together, a concurrent block, an extra
// row and an unknown row. A breakdown comparison has three runs, one with fused kernels.

const times = (n, mean) => ({instances: n, mean_ns: mean, median_ns: mean && mean - 500, stddev_ns: mean && 210.5, min_ns: mean && mean - 3000, max_ns: mean && mean + 9000});

let kernels = 0;
const kernel = (short) => ({id: 100 + ++kernels, name: `void <b>${short}</b><float, 128>(Params)`, short_name: short, distinct_name: short});

// [block, kernel or null, operator, roles, mean µs, more fields]; the row is in `n` instances.
function row(n, [block, short, operator, roles, us, more]) {
	return {block, kernel: short && kernel(short), operation: null, operator, module: null, roles, role_source: roles.length ? 'sequence' : null, stream: 0, group: null, launches: n,
		instances: n, extra: false, mean_ns: us * 1000, median_ns: us * 1000 - 100, stddev_ns: 120.25, min_ns: us * 900, max_ns: us * 1200, offset_ns: 0,
		exclusive_ns: us * 1000 * n, overlapped_ns: 0, sol_ns: null, s: null, sol_data_sheet_ns: null, s_data_sheet: null, ...more};
}

const DENSE = [[1, 'fused_add_rmsnorm', 'rms_norm', ['input_norm'], 4, {sol_ns: 1000, s: 0.25}],
	[1, 'nvjet_qkv', 'gemm', ['qkv'], 13, {module: 'self_attn.qkv_proj', role_source: 'module', group: 3}], [1, 'splitKreduce', 'gemm', ['qkv'], 2, {group: 3}],
	[1, 'fmha', 'unified_attention', ['attention'], 41.5, {sol_ns: 30000, s: 0.723}], [1, 'mystery_<b>', null, [], 1.5, {launches: 1, instances: 1, extra: true, exclusive_ns: 1500}],
	[2, 'nvjet_mlp', 'gemm', ['gate_up'], 30], [2, 'silu_and_mul', 'silu_and_mul', ['activation'], 8], [2, 'nvjet_down', 'gemm', ['down'], 22]];
const SPARSE = [[3, 'fused_add_rmsnorm', 'rms_norm', ['input_norm'], 4], [3, 'fused_qkv_rope', null, ['qkv', 'rope', 'kv_store'], 17], [3, 'fmha', 'unified_attention', ['attention'], 41.5],
	[4, 'router', 'gemm', ['router'], 6], [4, 'topk', 'topk', ['topk'], 8],
	[5, 'dispatch', 'moe_dispatch', ['dispatch'], 48], [5, 'grouped_gemm', 'fused_moe', ['gate_up', 'activation', 'down'], 120], [5, 'combine', 'moe_combine', ['combine'], 52],
	[6, 'shared_up', 'gemm', ['gate_up'], 17, {stream: 1, exclusive_ns: 0, overlapped_ns: 102000}], [6, 'shared_down', 'gemm', ['down'], 10, {stream: 1, exclusive_ns: 0, overlapped_ns: 60000}]];

function block(section, name, items, index, n, parallelTo = null) {
	const own = items.filter((r) => r.block === index);
	const sum = (key) => own.reduce((all, r) => all + r[key], 0);
	return {section, block: name, parallel_to: parallelTo, sum_ns: own.reduce((all, r) => all + r.mean_ns * r.launches, 0) / n, exclusive_ns: sum('exclusive_ns'), overlapped_ns: sum('overlapped_ns')};
}

// The utilization of a section; that of the first one is unknown.
const used = (i) => (i ? {mfu: 0.31, hfu: 0.36, mbu: 0.42, utilization_covered: 0.9, recompute_covered: 1, utilization_reason: null, hfu_reason: null}
	: {mfu: null, hfu: null, mbu: null, utilization_covered: 0, recompute_covered: null, utilization_reason: 'it took no time', hfu_reason: 'it took no time'});

// Returns a breakdown of two iterations of five layers.
export function breakdown(query = new URLSearchParams()) {
	kernels = 0;
	const realigned = query.get('realign') === 'yes';
	const items = [...[[0, 'embedding_gather', 'embedding', ['embed'], 9]].map((r) => row(2, r)), ...DENSE.map((r) => row(4, r)), ...SPARSE.map((r) => row(6, r)),
		...[[7, 'nvjet_lm_head', 'gemm', ['lm_head'], 88], [8, 'argmax', 'sampling', ['sample'], 11]].map((r) => row(2, r)),
		row(2, [8, null, 'copy', [], 2, {operation: 'copy device to host'}])];
	const blocks = [['embedding', 0, 2], ['attention', 1, 4], ['mlp', 1, 4], ['attention', 2, 6], ['gate', 2, 6], ['moe', 2, 6], ['shared', 2, 6, 5], ['head', 3, 2], ['sampling', 3, 2]]
		.map(([name, section, n, parallelTo], i) => block(section, name, items, i, n, parallelTo));
	const sum = (section) => blocks.filter((b) => b.section === section).reduce((n, b) => n + b.sum_ns, 0);
	const exclusive = items.reduce((n, r) => n + r.exclusive_ns, 0);
	const bars = [0, 1, 2, 3, 4].flatMap((layer) => (layer < 2 ? [1, 2] : [3, 4, 5, 6]).map((at) => ({layer, block: at, mean_ns: blocks[at].sum_ns + 100 * layer})));
	return {run: 7, detector: query.get('start') ? 'given' : 'period', confidence: 0.982, anchor: query.get('start') ?? 'fused_add_rmsnorm', reason: null, device: 0, realigned, iterations: 2,
		stratum: 'decode, 16 sequences', end_to_end: times(2, 1540000), layers: {count: 5, time: times(2, 1402000)},
		wall_ns: exclusive + 180000 + 41777 + 3223, exclusive_ns: exclusive, overlap_ns: 180000, idle_ns: 41777, other_ns: 3223, exposed_comm_ns: 52000,
		sections: [['before', null, 2, 1, 0], ['layer', 'attention + mlp', 4, 2, 0], ['layer', 'attention + gate + moe', 6, 3, 2], ['after', null, 2, 1, 0]]
			.map(([place, name, instances, per_iteration, first], i) => ({position: place, name, instances, per_iteration, first, time: times(instances, sum(i) + 1000), sum_ns: sum(i), similarity: i === 1 ? 0.964 : 1, ...used(i)})),
		blocks, items, bars};
}

// Returns a breakdown of `n` rows without layers.
export function flat(n = 1) {
	kernels = 0;
	const items = Array.from({length: n}, () => row(3, [0, 'one_kernel', null, [], 5]));
	return {...breakdown(), detector: 'none', confidence: 0, anchor: null, reason: 'no sequence of kernels repeats on the busiest stream', iterations: 1, stratum: null,
		end_to_end: times(1, 20000), layers: {count: 0, time: times(0, null)}, wall_ns: 20000, exclusive_ns: 15000, overlap_ns: 0, idle_ns: 5000, other_ns: 0, exposed_comm_ns: 0,
		sections: [{position: 'flat', name: null, instances: 1, per_iteration: 1, first: 0, time: times(1, 20000), sum_ns: 15000, similarity: 1, ...used(0)}], blocks: [block(0, 'other', items, 0, 1)], items, bars: []};
}

export const groups = () => ({run: 7, items: [
	{kernels: [kernel('nvjet_qkv'), kernel('splitKreduce')], operator: 'gemm', evidence: 'call', support: 64, confidence: 1, total_ns: 9600, alone: 3},
	{kernels: [kernel('prepare_varlen_num_blocks'), kernel('FlashAttnFwdSm90'), kernel('FlashAttnFwdCombine')], operator: null, evidence: 'sequence', support: 32, confidence: 0.969,
		total_ns: 24000, alone: 0}], next: null});

const piece = (short, us, more) => ({kernel: kernel(short), operation: null, operator: null, module: null, mean_ns: us * 1000, group: null, extra: false, stream: 0, overlapped_ns: 0, ...more});
const cell = (rows, s = null) => rows && {mean_ns: rows.reduce((n, r) => n + r.mean_ns, 0), diff_ns: null, diff_pct: null, s, rows};
function line(block, match, roles, cells, module = null) {
	const [first] = cells;
	return {block, match, identity: 'name', identity_reason: null, roles, module, cells: cells.map((c, i) => c && i && first ? {...c, diff_ns: c.mean_ns - first.mean_ns, diff_pct: (c.mean_ns - first.mean_ns) * 100 / first.mean_ns} : c)};
}

// The second run fuses kernels that the first run launches separately, and its names are
// misaligned. The third run has no layers.
export function breakdownComparison(query = new URLSearchParams('runs=7,8')) {
	kernels = 0;
	const ids = query.get('runs').split(',').map(Number);
	const realigned = query.get('realign') === 'yes';
	const cut = (list) => ids.map((_, i) => list[i] ?? null);
	const lines = [[0, 'role', ['input_norm'], [cell([piece('fused_add_rmsnorm', 4)], 0.25), cell([piece('rmsnorm_hip', 5)], 0.4)]],
		[0, 'role', ['qkv', 'rope', 'kv_store'], [cell([piece('nvjet_qkv', 13), piece('rotary', 3), piece('cache_store', 2)]), cell([piece('fused_qkv_rope', 17.5)])]],
		[0, 'module', ['attention'], [cell([piece('fmha', 41.5)], 0.723), cell([piece('pa_decode', 62)])], 'self_attn.attn'],
		[1, 'kernel', [], [cell([piece('elementwise', 8)]), cell([piece('elementwise', 8)])]], [1, 'alone', ['all_reduce'], [null, cell([piece('rccl_all_reduce', 22, {stream: 1, extra: true})])]],
		[2, 'alone', ['gate_up'], [cell([piece('shared_up', 17)]), null]]].map(([block, match, roles, cells, module]) => line(block, match, roles, cut(cells), module));
	const sum = (i, at) => {
		const own = lines.filter((l) => l.block === i && l.cells[at]);
		return own.length ? own.reduce((n, l) => n + l.cells[at].mean_ns, 0) : null;
	};
	const blocks = [['attention', null], ['mlp', null], ['shared', 1]].map(([block, along], i) => ({section: 0, block, parallel_to: along, sum_ns: ids.map((_, at) => sum(i, at))}));
	const total = (at) => (blocks.some((b) => b.sum_ns[at] !== null) ? blocks.reduce((n, b) => n + b.sum_ns[at], 0) : null);
	const run = (id, i) => ({run: id, name: `decode_${'abcdefgh'[i]}`, platform: ['B300', 'MI300X'][i] ?? null, device_name: ['NVIDIA B300 SXM6 AC', 'AMD Instinct MI300X'][i] ?? null,
		detector: i < 2 ? 'period' : 'none', confidence: i < 2 ? 0.98 : 0, reason: i < 2 ? null : 'no sequence of kernels repeats', realigned: realigned && i === 1, names_lag: i === 1,
		layers: i < 2 ? 32 : 0, end_to_end_ns: 3000000 * (i + 1), layered_ns: i < 2 ? 2800000 * (i + 1) : null, iterations: 1});
	return {runs: ids.map(run), sections: [{position: 'layer', name: 'attention + mlp', per_iteration: ids.map((_, i) => (i < 2 ? 32 : null)), sum_ns: ids.map((_, i) => total(i))}], blocks, items: lines};
}

// Returns a breakdown comparison of `runs` runs with `n` rows, of which 20 are large. Names are long, contain markup, or
// are written from right to left.
export function manyRows(runs, n) {
	kernels = 0;
	const base = breakdownComparison(new URLSearchParams('runs=7,8'));
	const name = (i) => [`k${i}_${'x'.repeat(6400)}`, `<b>k${i}</b><img src=x>`, `נוירון_${i}`, `kernel_${i}`][i < 3 ? i : 3];
	const us = (i, at) => (i < 20 ? 1000 : 0.1) * (1 + (at * (i + 1)) / n);
	const items = Array.from({length: n}, (_, i) => line(0, 'kernel', [], Array.from({length: runs}, (__, at) => cell([piece(name(i), us(i, at))])), null));
	const of = (value) => Array.from({length: runs}, (_, i) => value(i));
	return {...base, items, runs: of((i) => ({...base.runs[i % 2], run: i + 1, name: `run ${i}`, names_lag: false})),
		sections: [{...base.sections[0], per_iteration: of(() => 32), sum_ns: of(() => 20000000)}], blocks: [{...base.blocks[0], sum_ns: of(() => 20000000)}]};
}
