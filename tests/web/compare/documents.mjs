// documents.mjs - generates comparison answers that a few small traces cannot produce.
//
// The answers follow the server's schemas. They have a thousand functions, a rejected
// comparison, a common factor, or waiting ranks.

// Reproducible numbers between 0 and 1.
function numbers(seed) {
	let at = seed;
	return () => {
		at = (at * 1103515245 + 12345) % 2147483648;
		return at / 2147483648;
	};
}

const durations = (n, ns, seed) => {
	const next = numbers(seed);
	return Array.from({length: n}, () => Math.round(ns * (0.97 + 0.06 * next())));
};

const member = (id) => ({id, name: `steps-${id}`, project: 'demo', workload: 'steps', job_id: null, rank: null,
	device_names: ['NVIDIA H200'], iterations: 13, iterations_kept: 12});

const side = (ids, n, ns) => ({runs: ids.map(member), units: ids.length, iterations: n + 1, iterations_used: n, detector: 'annotation',
	iteration_ns: ns, iteration_median_ns: ns * 0.998, iteration_durs_ns: durations(n, ns, ids[0]),
	iteration_runs: Array.from({length: n}, (_, i) => ids[Math.floor(i * ids.length / n)])});

// Returns the fields of a difference; without verdicts, `verdict` is null.
const change = (verdict, base, head) => ({verdict, evidence: verdict ? 'iterations' : 'none', base_ns_per_iteration: base,
	head_ns_per_iteration: head, delta_ns_per_iteration: head - base, ratio: base ? head / base : null,
	shift_ns_per_iteration: verdict && (head - base) * 0.99, low_ns_per_iteration: verdict && head - base - 0.02 * (head + base),
	high_ns_per_iteration: verdict && head - base + 0.02 * (head + base), p: verdict && 0.0004997501, p_family: verdict && 0.012, q: verdict && 0.002,
	noise_floor: verdict && 0.03, noise_floor_source: verdict && 'default', noise_floor_df: verdict && 4});

const row = (name, verdict, base, head) => ({function: `void ${name}<float>(float*, int)`, short_name: name, type: 'gpu_compute',
	head_function: null, head_short_name: null, distinct_name: name, head_distinct_name: null, identity: 'name', identity_reason: null, base_functions: [], head_functions: [],
	device: 'GPU 0', head_device: name === 'moved' ? 'GPU 1' : 'GPU 0', ...change(verdict, base, head),
	base_launches_per_iteration: base ? 4 : 0, head_launches_per_iteration: head ? 4 : 0, base_mean_ns: base ? base / 4 : null,
	head_mean_ns: head ? head / 4 : null, by_count_ns_per_iteration: 0, by_duration_ns_per_iteration: head - base,
	base_beta_pct: base / 4e5, head_beta_pct: head / 4.3e5, beyond_common_ns_per_iteration: head - base,
	resources: name === 'slower' ? [{name: 'gpu_sm_frequency', base_mu: 1980, head_mu: 1410.5}] : []});

const CHANGED = [['slower', 'regressed', 4e6, 5e6], ['fresh', 'appeared', 0, 9e5], ['faster', 'improved', 3e6, 2e6],
	['gone', 'vanished', 7e5, 0], ['moved', 'likely', 2e6, 2.1e6], ['slightly', 'within_margin', 9e5, 9.18e5], ['doubtful', 'undecided', 1e6, 1.05e6]];
const SPLIT = [['iteration', 'regressed', 40e6, 43e6], ['compute', 'regressed', 28e6, 30.6e6], ['communication', 'unchanged', 4e6, 4.1e6],
	['copies', 'unchanged', 1e6, 1.02e6], ['idle', 'undecided', 7e6, 7.28e6], ['sync', 'likely', 20e6, 21e6]];
const IDLE_CAUSES = [['host_gap', 'regressed', 5e6, 5.5e6], ['unknown', 'undecided', 2e6, 1.78e6]];

// Terms that add up; those of the output token have 2 and 2.5 accepted tokens per iteration.
const term = ([name, base, head, reach]) => ({term: name, description: name.replace('_', ' '), base_ns: base, head_ns: head, delta_ns: head - base,
	low_ns: reach ? head - base - reach : null, high_ns: reach ? head - base + reach : null});
const decomposition = (of, tokens, median, total, terms, by_tokens_ns) => {
	const {term: _name, description: _text, ...whole} = term(total);
	return {of, ...whole, base_median_ns: median[0], head_median_ns: median[1], base_tokens: tokens[0], head_tokens: tokens[1], by_tokens_ns, terms: terms.map(term)};
};
const ITERATION_TERMS = decomposition('iteration', [1, 1], [40e6, 43e6], ['', 40000000, 43000000, 1e6],
	[['compute', 28e6, 30.6e6, 9e5], ['communication', 4e6, 4.1e6, 1e5], ['copies', 1e6, 1.02e6, 5e4], ['host_gap', 5e6, 5.5e6, 2e5], ['unknown', 2e6, 1.78e6, 2e5]], 0);
const TOKEN_TERMS = decomposition('output_token', [2, 2.5], [20e6, 17.2e6], ['', 21000000, 18500001, 0],
	[['compute', 16500000, 14280001, 5e5], ['host_gap', 3500000, 2920000, 1e5], ['outside_engine', 1000000, 1300000, 6e5]], -4150000);

const FINDINGS = [['fact_differs', 'warn', 'the surroundings differ: GPU driver 550.54.15 in the base, 560.28.03 in the head'],
	['warmup_dropped', 'info', 'the first iterations were left out, as warm-up: 1 of 13 in the base, 1 of 13 in the head']]
	.map(([code, severity, text]) => ({code, severity, text}));

// Two kinds of work that both sides have, and one that only the base has.
const GROUPS = [['label', 'decode', 'decode, 16 sequences, 16 tokens', 'regressed', 40e6, 43e6, 0.8], ['sizes', null, 'unlabeled work of 23 kernels', 'undecided', 90e6, 91e6, 0.15],
	['alone', 'prefill', 'prefill, 1 sequence, 512 tokens', null, 70e6, null, 0.05]];

const group = (judged) => ([match, phase, work, verdict, base, head, share]) => ({match, phase,
	base: {work, iterations: 12, share}, head: head === null ? null : {work, iterations: 12, share: share + 0.02},
	headline: head === null ? null : `${work}: ${verdict}`, ...change(judged(verdict), base, head),
	...(head === null ? {delta_ns_per_iteration: null, ratio: null} : {})});

// One function per item. The first two are one operator, the third is another.
const foldedOf = (items) => items.map((r, i) => ({function: r.function, short_name: r.short_name, head_short_name: r.head_short_name, distinct_name: r.distinct_name, head_distinct_name: r.head_distinct_name, type: r.type,
	device: r.device, items: [i], operator: i < 2 ? 0 : i === 2 ? 1 : null, operator_name: i < 2 ? 'gemm' : i === 2 ? 'softmax' : null,
	...Object.fromEntries(Object.keys(change(null, 1, 1)).map((key) => [key, r[key]])),
	base_launches_per_iteration: r.base_launches_per_iteration, head_launches_per_iteration: r.head_launches_per_iteration,
	base_ranks: ranksOf(r.base_ns_per_iteration), head_ranks: ranksOf(r.head_ns_per_iteration)}));
const ranksOf = (ns) => (ns ? {min_ns_per_iteration: ns, max_ns_per_iteration: ns, slowest: 'GPU 0'}
	: {min_ns_per_iteration: null, max_ns_per_iteration: null, slowest: null});
const operator = (name, functions, kernels, verdict, base, head) => ({operator: name, shape: null, inferred: null, base_operators: [], head_operators: [], base_kernels: kernels?.[0] ?? null, head_kernels: kernels?.[1] ?? null,
	also: name === 'gemm' ? 'reduce' : null, functions, ...change(verdict, base, head), base_launches_per_iteration: 4, head_launches_per_iteration: 8});

// Returns a comparison with `unchanged` functions and the changed ones, and `iterations`
// iterations per side.
export function comparison({unchanged = 6, iterations = 24, refused = false} = {}) {
	const judged = (verdict) => (refused ? null : verdict);
	const items = [...CHANGED.map(([name, verdict, base, head]) => row(name, judged(verdict), base, head)),
		...Array.from({length: unchanged}, (_, i) => row(`steady_${i}`, judged('unchanged'), 5e5 - i * 10, 5.001e5 - i * 10))];
	const count = (word) => items.filter((r) => r.verdict === word).length;
	return {score: 'verdict', headline: refused ? 'not comparable: the work differs'
		: 'the iteration takes 3.00 ms (7.5 %) longer: slower regressed by 1.00 ms', comparable: !refused,
	findings: [...(refused ? [{code: 'other_work', severity: 'refuse',
		text: 'the work differs: 16 sequences in the base, 64 in the head; nothing is judged'}] : []), ...FINDINGS],
	base: side([1, 2], iterations, 40e6), head: side([3, 4], iterations, 43e6),
	groups: GROUPS.map(group(judged)), group: 0,
	split: SPLIT.map(([part, verdict, base, head]) => ({part, description: part, ...change(judged(verdict), base, head)})),
	idle_causes: IDLE_CAUSES.map(([cause, verdict, base, head]) => ({cause, description: cause, ...change(judged(verdict), base, head)})),
	decompositions: [ITERATION_TERMS, TOKEN_TERMS], tokens_reason: null,
	common: refused ? null : {ratio: 1.012, low: 1.004, high: 1.02, ns_per_iteration: 182000, kernels: 31}, by_operator: false,
	operators: [operator('gemm', [0, 1], ['slower', 'slower and 1 more'], judged('regressed'), 4e6, 5.9e6), operator('softmax', [2], null, judged('improved'), 3e6, 2e6)],
	functions: foldedOf(items), items,
	counts: Object.fromEntries(['regressed', 'appeared', 'improved', 'vanished', 'likely', 'within_margin', 'undecided', 'unchanged'].map((w) => [w, count(w)])),
	range: null, seed: 1, permutations: 2000, block: 3, alpha: 0.05, margin: 0.05, noise_floor: 0.03, repeats: 0,
	noise_prior: {source: 'default', sd: 0.03, df: 4, max_df: null, variances: 0, runs: 0, run_ids: [], before_run: 1}};
}

// A comparison of two jobs of three ranks. `slower` ran on all ranks; flash and paged are the only
// kernels of an operator that one side has; `fresh` functions without an operator are new.
export function ofJobs(fresh = 8) {
	const made = comparison({unchanged: 0});
	const alone = (name, verdict, base, head) => ({...row(name, verdict, base, head), device: 'rank 0, GPU 0', head_device: 'rank 0, GPU 0'});
	const ranks = [2, 1, 0].map((rank) => ({...row('slower', rank ? 'regressed' : 'unchanged', 4e6, 4e6 + rank * 5e5), device: `rank ${rank}, GPU 0`, head_device: `rank ${rank}, GPU 0`}));
	const items = [...ranks, alone('flash', 'vanished', 8e5, 0), alone('paged', 'appeared', 0, 5e5),
		...Array.from({length: fresh}, (_, i) => alone(`fresh_${i}`, 'appeared', 0, 3e5 - i * 1e4)), {...alone('nccl', null, 2e6, 3e6), type: 'gpu_comm'}];
	const [first, ...others] = foldedOf(items).slice(2);
	const functions = [{...first, device: '3 ranks', items: [0, 1, 2], operator: 0, operator_name: 'gemm', ...change('regressed', 4e6, 4.5e6),
		base_ranks: {min_ns_per_iteration: 4e6, max_ns_per_iteration: 4e6, slowest: 'rank 2, GPU 0'}, head_ranks: {min_ns_per_iteration: 4e6, max_ns_per_iteration: 5e6, slowest: 'rank 2, GPU 0'}},
	...others.map((r, i) => ({...r, operator: i < 2 ? 1 : null, operator_name: ['attention_forward', 'paged_attention_decode'][i] ?? null}))];
	const gemm = {...operator('gemm', [0], null, 'regressed', 4e6, 4.5e6), also: null};
	const attention = {...operator('attention', [1, 2], ['flash', 'paged'], 'improved', 8e5, 5e5),
		inferred: "inferred: each side has only one of these operators, and both are of the group 'attention'",
		base_operators: ['attention_forward'], head_operators: ['paged_attention_decode']};
	const nothing = {regressed: 0, appeared: 0, improved: 0, vanished: 0, likely: 0, within_margin: 0, undecided: 0, unchanged: 0};
	return {...made, by_operator: true, operators: [gemm, attention], functions, items,
		counts: {...nothing, regressed: 2, appeared: fresh + 1, vanished: 1, unchanged: 1}};
}

export function published() {
	const about = (name, ids, ns) => ({name, runs: ids.map(member), iterations: 24, cycle_mean_us: ns / 1e3, cycle_durs_us: durations(24, ns / 1e3, ids[0])});
	return {score: 'published', findings: FINDINGS, suspects: [{function: 'slower', device: 'GPU 0', score: 234.435354, metrics: ['process_gpu_usage', 'gpu_sm_util']}],
		base: about('normal', [1, 2], 40e6), head: about('abnormal', [3, 4], 43e6), range: null,
		items: ['slower', 'faster', 'oncpu'].map((name, i) => ({function: name, metric: i === 2 ? 'cpu_frequency' : 'gpu_sm_util',
			device: i === 2 ? 'Host' : 'GPU 0', score: 234.435354 / (i + 1), base_beta_pct: 3.207512, head_beta_pct: 0.846786, delta_beta_pct: -2.360727,
			z_beta: -80.777079, p_beta: 0, u_p_beta: 0.000311, base_mu: 7.25, head_mu: 2, delta_mu: -5.25, z_mu: -11.341296,
			z_log_mu: -18.529353, p_mu: 0, u_p_mu: 0.000499}))};
}

export function series(query) {
	const one = (ids, ns) => ({ns: durations(24, ns, ids[0]), launches: Array(24).fill(4), beta_pct: durations(24, ns, ids[0]).map((v) => v / 4e5),
		iteration_ns: durations(24, 40e6, 7), runs: Array.from({length: 24}, (_, i) => ids[i < 12 ? 0 : 1]),
		numbers: Array.from({length: 24}, (_, i) => 1 + i % 12)});
	return {function: query.get('function'), short_name: 'slower', device: query.get('device'), base: one([1, 2], 4e6), head: one([3, 4], 5e6)};
}

export function iterations() {
	const items = durations(13, 21e6, 5).map((ns, i) => ({number: i, label: `ProfilerStep#${i}`, start_ns: i * 22e6, dur_ns: i ? ns : 3 * ns,
		use: i === 0 ? 'warmup' : i === 12 ? 'partial' : 'kept', open: i === 12, stratum: i % 4 === 3 ? 1 : 0, compute_ns: ns - 6e6, comm_ns: 2e6,
		copy_ns: 1e6, idle_ns: i ? 3e6 : 3e6 + 2 * ns, comm_total_ns: 3.5e6, comm_overlapped_ns: 1.5e6, comm_overlapped_pct: 42.857143, sync_ns: 5e5, launches: 412,
		mfu: i === 12 ? null : 0.41, hfu: i === 12 ? null : 0.41, mbu: i === 12 ? null : 0.23, utilization_covered: i === 12 ? 0 : 0.87, recompute_covered: i === 12 ? null : 1,
		utilization_reason: i === 12 ? 'the work of none of its calls is known' : null, hfu_reason: i === 12 ? 'the work of none of its calls is known' : null}));
	const stratum = (text, n, works) => ({text, phase: null, sequences: null, tokens: null, kv_tokens: null, iterations: n, signature: works, signature_total: works.length});
	return {detector: 'annotation', confidence: 0.98, range: 'ProfilerStep#', count: 13, kept: 11, median_ns: 21e6, items, next: null,
		strata: [stratum('64 × 128', 8, [{kind: 'op', name: 'aten::addmm', size: '[[128],[8192,128],[128,128]]', per_iteration: 24}]), stratum('32 × 128', 3, [])]};
}

export function patterns() {
	const one = (name, metrics) => ({function: `void ${name}<float>(float*, int)`, short_name: name, distinct_name: name, type: 'gpu_compute', device: 'GPU 0', device_number: 0,
		ns_per_iteration: 2.1e6, launches_per_iteration: 84, min_ns: 22500, max_ns: 32500, beta_pct: 9.813, iterations: 12, metrics});
	return {iterations: 12, next: null, items: [one('slower', [{name: 'gpu_sm_util', mu: 71.25, sigma: 4.5, iterations: 12, interpolated: 12, partly: 0}]), one('steady', [])]};
}

const RANKS = [0, 1, 2, 3];
export const jobs = () => ({items: [4, 3].map((id) => ({id, project: 'demo', name: id === 3 ? 'tp8' : null, upload: id === 3 ? null : 9,
	created_at: '2026-11-20T09:10:11.123456Z', runs: RANKS.map((r) => 10 * id + r)})), next: null, total: null, total_exact: null});
const collective = (own) => ({function: 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*)', short_name: 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL',
	group: '0', group_ranks: '[0, 1, 2, 3, 4, 5, 6, 7]', group_size: 8, runs: [30, 31, 32, 33], kind: 'all_reduce', dtype: 'bf16', elements: 33554432, bytes: 67108864,
	reason: null, calls: 96, count: 96, transfer_ns: 3.8e8, upper_bound: true, busbw_gb_s: 29.67, link_pct: null, link_gb_s: null, link: null,
	link_reason: 'ranks of its group are missing', skew_ns: 2.1e6, total_ns: RANKS.map((rank) => (rank === 2 ? 4e8 : 6e8)),
	last_calls: RANKS.map((rank) => (rank === 2 ? 60 : 4)), caused_ns: RANKS.map((rank) => (rank === 2 ? 1.4e8 : 3e6)), ...own});
// What four ranks of a group of eight sent to each other: rank 2 has the popular experts.
const PEERS = [0, 1, 2, 3, 4, 5, 6, 7];
const sends = (rank, to) => (to === 2 ? 90 : 30) * 2 ** 20 + rank * 4096;
const exchangeMap = (own) => ({function: 'ncclDevKernel_SendRecv(ncclDevComm*)', short_name: 'ncclDevKernel_SendRecv', group: '5', group_size: 8, kind: 'all_to_all',
	unit: 'bytes', reason: null, calls: 96, known_calls: 96, imbalance: 2, imbalance_ranks: 4, imbalance_reason: null, contradictions: 0,
	ranks: RANKS.map((rank) => ({run: 30 + rank, rank, sent_bytes: 300 * 2 ** 20, received_bytes: (rank === 2 ? 720 : 240) * 2 ** 20, waiting_ns: null})), ranks_excluded: 0,
	columns: PEERS.map((from) => ({from, n: 1, rank: from})), columns_excluded: 0, cells: RANKS.map((rank) => PEERS.map((to) => sends(rank, to))), ...own});
export const exchanges = () => ({job: 3, excluded: 2, items: [exchangeMap({}),
	exchangeMap({group: '6', calls: 100, known_calls: 96, reason: 'PyTorch shortened the lists of split sizes', contradictions: 1, imbalance: null,
		imbalance_reason: 'the ranks have known bytes of different numbers of calls', ranks_excluded: 60, columns_excluded: 120,
		cells: RANKS.map((rank) => PEERS.map((to) => (rank === 3 ? null : sends(rank, to)))), columns: PEERS.map((from) => ({from, n: 1, rank: null}))}),
	exchangeMap({group: null, group_size: null, kind: 'dispatch', unit: 'ns', reason: 'the trace does not record split sizes', imbalance: null, known_calls: 0,
		imbalance_reason: 'the trace does not record split sizes', columns: PEERS.map((i) => ({from: 12 * i, n: 12, rank: null})),
		ranks: RANKS.map((rank) => ({run: 30 + rank, rank, sent_bytes: null, received_bytes: null, waiting_ns: 21000 * rank})),
		cells: RANKS.map((rank) => PEERS.map((i) => 21000 * rank + 100 * i))})]});
// 130 iterations in 60 columns; from column 30 on rank 2 computes twice as long, and the others wait.
const COLUMNS = Array.from({length: 60}, (_, i) => i);
const first = (i) => Math.floor((i * 130) / 60);
const halfway = (rank, before, slow, fast) => COLUMNS.map((i) => (i < 30 ? before : rank === 2 ? slow : fast));
export const jobSteps = () => ({job: 3, iterations: 130, matched: 3,
	steps: COLUMNS.map((i) => ({from: first(i), n: first(i + 1) - first(i), label: `ProfilerStep#${first(i) + 5}`, warmup: i === 0, median_ns: 3e6})),
	ranks: RANKS.map((rank) => (rank === 3
		? {run: 33, rank, excluded: '129 iterations were found, on other ranks 130', dur_ns: [], compute_ns: [], waiting_ns: [], longer: []}
		: {run: 30 + rank, rank, excluded: null, dur_ns: halfway(rank, 4e6, 7e6, 7e6), compute_ns: halfway(rank, 3e6, 6e6, 3e6),
			waiting_ns: halfway(rank, 0, 0, 3e6), longer: rank === 2 ? COLUMNS.slice(30) : []}))});
export const job = () => ({...jobs().items[1], unmatched: 2, collectives_excluded: 3, clocks_agree: true,
	findings: [{code: 'rank_missing', severity: 'warn', text: '4 of 8 ranks are missing (4 to 7): waiting for them is counted as transfer'}],
	ranks: RANKS.map((rank) => ({run: 30 + rank, name: `rank-${rank}.json`, rank, world_size: 8, host: 'node-1', device: 'NVIDIA H200', iterations: 4, iteration_ns: 812e6,
		compute_ns: rank === 2 ? 2.7e9 : 2.4e9, collective_ns: rank === 2 ? 4e8 : 6e8, transfer_ns: 3.8e8, waiting_ns: rank === 2 ? 2e7 : 2.2e8,
		last_share: rank === 2 ? 0.7 : 0.1, late_ns: 21000, matched_calls: 144, last_calls: rank === 2 ? 90 : 6, caused_ns: rank === 2 ? 2e8 : 4e6,
		straggler: rank === 2, recorded_ns: 3.248e9, waiting_share: rank === 2 ? 0.006 : 0.068, waits_for_ns: RANKS.map((last) => (last === 2 && rank !== 2 ? 2e8 : rank === last ? 0 : 5e6))})),
	unbalanced: true,
	headline: 'ranks 0, 1 and 3 wait 7 % of the recorded time, mostly for rank 2, among ranks 0 to 3 of 8; rank 2 computes longer than the median rank; layer_norm takes 2.00 times the time of the median rank on rank 2',
	operators: [['gemm', 1.9e9, 1], ['layer_norm', 2e8, 2], [null, 3e6, 1.02]].map(([operator, ns, times]) => ({operator, median_ns: ns, median_launches: 960,
		total_ns: RANKS.map((rank) => (rank === 2 ? ns * times : ns)), launches: RANKS.map(() => 960), slow_runs: times === 2 ? [32] : []})),
	collectives: [collective({}), collective({bytes: null, elements: null, dtype: null, reason: 'the trace does not state its elements', group: null,
		group_ranks: null, group_size: null, upper_bound: false, busbw_gb_s: null, link_reason: 'its process group is unknown', calls: 48, count: 48}),
	collective({group: '3', group_ranks: '[0, 1]', group_size: 2, runs: [30, 31], upper_bound: false, link: 'intra_node', link_gb_s: 450, link_pct: 62.1,
		busbw_gb_s: 279.5, link_reason: null})]});
