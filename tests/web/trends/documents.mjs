// documents.mjs - generates answers for trends and gates of all kinds.
//
// One series has two change points, another has 50,000 points. The gates have every outcome.

const HOUR = 3600000;
const BEGIN = Date.UTC(2026, 2, 1);

// Returns reproducible numbers from -1 to 1 (a linear congruential generator).
export function noise(seed) {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state / 2 ** 31 - 1;
	};
}

const commit = (i) => `${(0x9a3f1000 + 7919 * i).toString(16)}${'c0ffee'.repeat(6).slice(0, 32)}`;
const point = (doc, index, before, after, more) => ({index, run: doc.points.run[index], at: new Date(doc.points.at_ms[index]).toISOString(), group: doc.points.group[index],
	before, after, worse: ['coverage', 'busbw'].includes(doc.metric) ? after < before : after > before, change_pct: (after / before - 1) * 100, low_pct: (after / before - 1) * 100 - 1.5, high_pct: (after / before - 1) * 100 + 1.5, p: 0.001, other_work: null, ...more});

const OTHER_WORK = {worse: false, other_work: 'the work differs: decode, 16 sequences, 16 tokens before, decode, 8 sequences, 8 tokens after'};

// Returns a series of `commits` commits with three runs each; the first run has the number
// 1001. The level is 10 ms, from the 20th commit on 10.6 ms, from the 40th on 10.2 ms.
export function trend(query = new URLSearchParams(), commits = 60) {
	const next = noise(1);
	const metric = query.get('metric') ?? 'iteration';
	const share = ['coverage', 'headroom'].includes(metric) || query.get('stat') === 'share';
	const busbw = metric === 'busbw';
	const levels = [10, 10.6, 10.2].map((ms) => (share ? ms / 20 : busbw ? ms * 18 : ms * 1e6));
	const all = Array.from({length: commits * 3}, (_, i) => i);
	const points = {run: all.map((i) => 1001 + i), at_ms: all.map((i) => BEGIN + Math.floor(i / 3) * 6 * HOUR + (i % 3) * 120000),
		value: all.map((i) => levels[i < 60 ? 0 : i < 120 ? 1 : 2] * (1 + 0.012 * next())), group: all.map((i) => (i < 3 ? null : commit(Math.floor(i / 3))))};
	const doc = {metric, stat: query.get('stat') ?? (share ? 'share' : metric === 'iteration' ? 'median' : 'mean'), of: query.get('of'), inferred: false, unit: share ? '1' : busbw ? 'GB/s' : 'ns', project: query.get('project') ?? '',
		workload: query.get('workload') ?? '', group: 'commit', n: all.length, more: false, points, change_points: [], excluded: 2};
	return {...doc, change_points: commits > 40 ? [point(doc, 60, levels[0], levels[1]), point(doc, 120, levels[1], levels[2], {p: 0.004, ...OTHER_WORK})] : []};
}

// The maximum number of points of a series.
export function long(query = new URLSearchParams(), n = 50000) {
	const next = noise(7);
	const at = (i) => Math.floor(i / (n / 5));
	const points = {run: [], at_ms: [], value: [], group: []};
	for (let i = 0; i < n; i++) {
		points.run.push(i + 1);
		points.at_ms.push(BEGIN + i * 300000 + Math.floor(60000 * next()));
		points.value.push(1e7 * (1 + 0.04 * at(i)) * (1 + 0.03 * (next() + next() + next())));
		points.group.push(commit(Math.floor(i / 5)));
	}
	const doc = {...trend(query), n, more: true, points, excluded: 0};
	return {...doc, change_points: [1, 2, 3, 4].map((k) => point(doc, k * n / 5, 1e7 * (1 + 0.04 * (k - 1)), 1e7 * (1 + 0.04 * k)))};
}

export const workloads = () => ({items: [['vllm', 'llama-70b decode, 16 sequences', 180], ['', '', 4], ['vllm', '<b>prefill</b>', 12]]
	.map(([project, workload, runs]) => ({project, workload, runs, first_at: '2026-03-01T00:00:00Z', last_at: '2026-03-15T18:04:00Z'})), next: null});

const SIDES = {base: {query: 'label.branch=main last=20', runs: Array.from({length: 20}, (_, i) => 101 + i), units: 20, iterations: 600, labels: {branch: 'main'}},
	head: {query: '121,122,123', runs: [121, 122, 123], units: 3, iterations: 90, labels: {branch: 'new', commit: '9a463115c0'}}};
const POLICY = {iteration_pct: 2, operators: [{operator: 'attention', pct: 5}], measures: [{measure: 'output_throughput', pct: 5}], headroom_pct: null, busbw_pct: 5, anchor_pct: 3, fail_on: ['regressed', 'appeared'], share_pct: 1, min_runs: 1, min_iterations: 4,
	min_coverage_pct: 0, min_attributed_pct: 0, reject_on: ['records_dropped'], alpha: 0.01, noise_floor: null, range: null, unit: 'commit', seed: 1};
const ANCHOR = {query: null, runs: [11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22], units: 12, commits: 4, levels: 2, since: '2026-03-02T10:00:00Z', until: '2026-03-04T12:00:00Z', median_ns: 9900000, excluded_runs: 0, reason: null};
const NO_ANCHOR = {query: null, runs: [], units: null, commits: null, levels: null, since: null, until: null, median_ns: null, excluded_runs: 0, reason: 'no earlier run of the same work is stored'};

const rule = (kind, of, outcome, [base, head, low, high], p, more) => ({rule: kind, of, device: null, outcome, base_ns: base, head_ns: head, base_gb_s: null, head_gb_s: null, base_value: null, head_value: null, unit: null, fall: false,
	limit_pct: kind === 'operator' ? 5 : 2, change_pct: (head / base - 1) * 100, low_pct: low, high_pct: high, iteration_limit_pct: null, iteration_change_pct: null, iteration_low_pct: null, iteration_high_pct: null,
	p, p_family: null, alpha: 0.0003, noise_floor: 0.03, earlier_units: kind === 'iteration' ? 140 : 0, since_run: null, runs_needed: 0, summary: 'the head is within the limit', ...more});

const RULES = [
	rule('iteration', null, 'regressed', [10000000, 10740000, 4.9, 9.8], 0.0004, {summary: 'an iteration takes 7.4 % longer, the limit is 2 %'}),
	rule('function', 'void flash::<b>fwd</b><128>(Params)', 'regressed', [2000000, 2690000, 28, 41], 0.0002, {device: 'NVIDIA H200', limit_pct: null, iteration_limit_pct: 1, iteration_change_pct: 6.9, iteration_low_pct: 5.6, iteration_high_pct: 8.2, p_family: 0.00025, summary: 'it is slower, and this is 6.9 % of the iteration'}),
	rule('operator', 'attention', 'undecided', [2500000, 2640000, -1.2, 12.4], 0.09, {runs_needed: 7, summary: 'attention may be beyond 5 %; 7 runs of the head would probably decide'}),
	rule('operator', 'gemm', 'pass', [4000000, 4010000, -1, 1.5], 0.4, {since_run: 114, summary: 'slower than most of the baseline, but not than its newest part, from run 114 on'}),
	rule('measure', 'output_throughput', 'pass', [null, null, -3.1, -0.6], 0.3, {base_value: 7251.27, head_value: 7120, unit: 'tokens/s', fall: true, limit_pct: 5, change_pct: -1.8, earlier_units: 0}),
	rule('headroom', null, 'undecided', [null, null, null, null], null, {change_pct: null, limit_pct: null, iteration_limit_pct: 2, runs_needed: -1, summary: 'no time has a T_SOL'}),
];

// [id, outcome, sentence, more]
const GATES = [
	[4, 'regressed', 'an iteration takes 7.4 % longer, and 1 function is slower', {runs_needed: 7, rules: RULES, name: 'pull request 7'}],
	[3, 'pass', 'within every limit', {rules: RULES.slice(3, 4)}],
	[2, 'undecided', 'one rule is undecided; 7 runs of the head would probably decide', {runs_needed: 7, rules: RULES.slice(2, 4)}],
	[1, 'bad_data', 'the head lacks runs and records', {data_problems: [{code: 'runs', message: 'the head has 1 run; 3 are demanded'}, {code: 'records_dropped', message: 'run 121 dropped 12 records'}],
		findings: [{code: 'environment', severity: 'warn', message: 'the driver differs: 550.54 and 560.28'}]}],
];
const NUMBER = {pass: 0, regressed: 1, undecided: 2, bad_data: 3};
export const gate = (id) => GATES.filter(([one]) => one === id).map(([, outcome, sentence, more]) => ({id, created_at: '2026-03-15T18:04:00Z', created_by: 'ci', project: 'vllm', workload: 'decode', name: '',
	outcome, exit_status: NUMBER[outcome], summary: sentence, runs_needed: 0, ...SIDES, policy: POLICY, rules: [], rules_excluded: id === 4 ? 31 : 0, given: id === 4 ? {project: 'vllm', workload: null} : null, budget: id === 4 ? {commit: '9a463115c0', gate: 2, gates: 3, alpha: 0.0015, reason: null} : id === 3 ? null : {commit: null, gate: null, gates: null, alpha: 0.01, reason: 'the head has no commit'}, anchor: id === 4 ? ANCHOR : id === 3 ? null : NO_ANCHOR, data_problems: [], findings: [], noise_prior: null,
	compare: `/compare?base=${SIDES.base.runs.join(',')}&head=121,122,123`, ...more}))[0];
export const gateDefaults = () => POLICY;
export const gates = (query = new URLSearchParams()) => ({items: GATES.map(([id]) => gate(id)).filter((g) => !query.get('outcome') || g.outcome === query.get('outcome'))
	.map(({rules, anchor, findings, noise_prior, ...rest}) => rest), next: null, total: null, total_exact: null});

// The home page: names with markup, right-to-left marks and emoji; more lines than are listed; days
// without runs; a workload without iterations.
export const ODD = 'pr <img src=x onerror=alert(1)> \u202Eevil\u202C 🚀';
const HOME_DAYS = 12;
const homeDay = (i) => {
	const runs = i === 5 ? 0 : 4 + i;
	return {day: new Date(Date.UTC(2026, 10, 17 + i)).toISOString().slice(0, 10), runs, hours: 2 * runs,
		operator_hours: runs ? [runs, runs / 2, runs / 8] : [0, 0, 0], other_hours: runs / 4, unattributed_hours: runs / 8};
};
const HOME_GATE = {id: 4, project: 'ci', workload: 'steps', name: ODD, outcome: 'regressed', summary: 'iteration + 4.2 %, limit 3 %', created_at: '2026-11-28T09:00:00.000000Z'};
const homeWorkload = (project, workload, values, devices = ['NVIDIA H200']) => ({workload: {project, workload, runs: 30, first_at: '2026-11-01T00:00:00.000000Z', last_at: '2026-11-28T08:00:00.000000Z'},
	run: values.map((_, i) => 100 + i), iteration_ns: values, device: values.length ? devices.at(-1) : null, devices: values.length ? devices : []});
export const home = (query = new URLSearchParams()) => ({
	regressed_gates: [HOME_GATE], regressed_gates_total: 3,
	change_points: [
		{project: 'ci', workload: 'steps', metric: 'iteration', of: null, run: 61, at: '2026-11-27T09:00:00.000000Z', change_pct: 8},
		{project: '', workload: 'decode', metric: 'operator', of: 'gemm', run: 151, at: '2026-11-20T09:00:00.000000Z', change_pct: null},
	], change_points_total: 2,
	slower_branches: [{project: 'ci', workload: 'steps', branch: 'fast "norm"', run: 159, at: '2026-11-28T08:00:00.000000Z', runs: 3, main_runs: 5, change_pct: 6.25}], slower_branches_total: 1,
	slow_gpus: [{project: 'ci', gpu: 'node7 0000:57:00.0', slowdown_pct: 6.08, found_at: '2026-11-28T07:00:00.000000Z'}], slow_gpus_total: 1,
	failed_uploads: [{id: 9, project: 'ci', workload: '', name: '', file_name: '<b>cut</b>.json', error: 'the list of events is empty', created_at: '2026-11-28T06:00:00.000000Z'}], failed_uploads_total: 1,
	jobs: [{id: 3, project: 'ci', name: 'train', upload: null, runs: 4, created_at: '2026-11-28T05:00:00.000000Z'}, {id: 2, project: 'ci', name: null, upload: 12, runs: 2, created_at: '2026-11-28T04:00:00.000000Z'}],
	last_gate: {...HOME_GATE, id: 5, name: '', outcome: 'pass', summary: null},
	newest_run: {id: 160, name: 'rank 0', project: query.get('project') ?? 'ci', workload: 'steps', created_at: '2026-11-28T09:30:00.000000Z'},
	workloads: [homeWorkload('ci', 'steps', [10e6, 10.1e6, 9.9e6, 10.8e6]), homeWorkload('', 'table only', []), homeWorkload('ci', 'decode', [8.8e6], ['AMD Instinct MI300X', 'NVIDIA B300'])], workloads_total: 10,
	operators: ['gemm', 'unified_attention', ODD], days: Array.from({length: HOME_DAYS}, (_, i) => homeDay(i)),
});
export const emptyHome = () => ({...home(), regressed_gates: [], regressed_gates_total: 0, change_points: [], change_points_total: 0, slower_branches: [], slower_branches_total: 0, slow_gpus: [], slow_gpus_total: 0,
	failed_uploads: [], failed_uploads_total: 0, jobs: [], last_gate: null, newest_run: null, workloads: [], workloads_total: 0, operators: [], days: []});
