// comparison.js - comparisons: reads their sides from an address; their classes, and the evidence
// for a class. Pure.

import * as f from './format.js';

// Ordered by importance. Each class has a mark, because color alone is not accessible.
export const CLASSES = {
	regressed: {mark: '▲', description: 'slower, statistically significant'},
	appeared: {mark: '+', description: 'only in the head'},
	improved: {mark: '▼', description: 'faster, statistically significant'},
	vanished: {mark: '−', description: 'only in the base'},
	likely: {
		mark: '≈',
		description: 'larger than the variance between runs, but too few runs or iterations for significance',
	},
	within_margin: {
		mark: '±',
		text: 'within margin',
		description: 'statistically significant, but too small to act on',
	},
	undecided: {mark: '?', description: 'neither a change nor its absence is significant'},
	unchanged: {mark: '=', description: 'any change is within the margin, and none is significant'},
};

// The keys are the words of the server, the address and the style sheet.
export const classText = (word) => CLASSES[word]?.text ?? word;

export const EVIDENCE = {
	runs: 'permutation test over runs, at least four per side',
	iterations: 'permutation test over blocks of iterations, including the variance between runs',
	launches: 'too few iterations; the launches of all of them moved',
	none: 'nothing to compare',
};

export const DETECTORS = {
	annotation: 'repeated ranges',
	period: 'the outermost period of the kernel names',
	window: 'none found: the whole recording is one iteration',
	given: 'given by a table',
	named: 'ranges with the given name',
	none: 'none found',
};

// How the iterations of both sides were found to do the same work.
export const MATCHES = {
	label: 'phase, sequences and tokens are equal',
	sizes: 'most sizes of operators or grids agree',
	exclusion: 'nothing is known of the work, and no other iterations are left',
	alone: 'the other side has no such iterations',
};

export const PARTS = {
	iteration: 'Iteration',
	compute: 'Compute',
	communication: 'Communication',
	copies: 'Copies',
	idle: 'Idle (host)',
	waiting: 'Waiting for ranks',
	sync: 'Host waits for device',
	oncpu: 'Threads on a CPU',
	runq: 'Threads waiting for a CPU',
};
// The sum of these parts is the time of the iteration.
export const ITERATION_PARTS = ['compute', 'communication', 'copies', 'idle'];

// Whether a side is a query ("label.branch=main last=5"); the server parses it.
export const isQuery = (text) => /=|(^| )latest( |$)/.test(text);

// "1, 2,job:3" -> ['1', '2', 'job:3'] without duplicates; a query stays one item.
export function parseSide(text) {
	if (isQuery(text ?? '')) return [text.trim()];
	return [
		...new Set(
			(text ?? '')
				.split(',')
				.map((part) => part.trim())
				.filter(Boolean),
		),
	];
}

// A word of a query: project=demo, or label.branch="a b" if the value has other characters than
// these. Empty if there is no value.
export function queryWord(key, value) {
	const text = String(value ?? '').trim();
	if (!text) return '';
	const plain = /^[\w.,:/+-]+$/.test(text);
	return `${key}=${plain ? text : `"${text.replace(/["\\]/g, '\\$&')}"`}`;
}

// The newest N units are a side; a gate has as many at most.
export const MAX_LAST = 64;
// The fewest runs per side of a test over runs: with 3, at least 2 of 20 orders are as clear, so no p is
// below 0.1; with 4, 2 of 70.
export const MIN_RUNS = 4;
// One more may be excluded.
export const MAIN_LAST = 5;

// What a comparison of too few runs needs; null if it has enough.
export function fewRunsText({base, head}) {
	if (base.units >= MIN_RUNS && head.units >= MIN_RUNS) return null;
	return (
		`A test over runs needs at least ${MIN_RUNS} per side (base ${f.count(base.units)}, head ${f.count(head.units)}). ` +
		'With fewer, iterations or launches are the evidence.'
	);
}

// A query from the fields of a form: {project, workload, key, value, last}.
export function sideQuery({project, workload, key, value, last}) {
	return [
		queryWord('project', project),
		queryWord('workload', workload),
		key?.trim() ? queryWord(`label.${key.trim()}`, value) : '',
		last ? `last=${last}` : '',
	]
		.filter(Boolean)
		.join(' ');
}

// The head of a comparison that begins at a run: all runs of its commit, or the run alone if its
// commit, project or workload is unknown.
export function headSide(run) {
	if (!run.git_commit || !run.project || !run.workload) return String(run.id);
	return sideQuery({
		project: run.project,
		workload: run.workload,
		key: 'commit',
		value: run.git_commit,
		last: MAX_LAST,
	});
}

// The parameters of the request, from the page's address.
const PARAMS = ['base', 'head', 'range', 'group', 'noise_floor', 'margin', 'seed'];
export function compareParams(query) {
	return Object.fromEntries(PARAMS.map((key) => [key, query.get(key)]).filter(([, value]) => value));
}

// The address of a comparison. Empty values are omitted, and commas are not encoded.
export function compareUrl(params) {
	const q = new URLSearchParams(Object.entries(params).filter(([, v]) => v !== null && v !== undefined && v !== ''));
	return q.size ? `/compare?${f.query(q)}` : '/compare';
}

// The classes that are shown, and their value in the address. Without a value, all classes except
// `unchanged` are shown.
export function shownClasses(text) {
	const list = (text ?? '').split(',').filter((word) => word in CLASSES);
	if (text === 'none') return new Set();
	return new Set(list.length ? list : Object.keys(CLASSES).filter((word) => word !== 'unchanged'));
}
export function classesParam(shown) {
	const list = Object.keys(CLASSES).filter((word) => shown.has(word));
	const isDefault = list.length === Object.keys(CLASSES).length - 1 && !shown.has('unchanged');
	return isDefault ? '' : list.join(',') || 'none';
}

// "12" if both are equal, otherwise "12 → 14".
export function baseHeadText(base, head, text) {
	const [a, b] = [text(base), text(head)];
	return a === b ? a : `${a} → ${b}`;
}

// The interval of a row, to the nanosecond.
export function intervalTitle(row) {
	if (row.low_ns_per_iteration === null) return 'unknown';
	return (
		`Hodges–Lehmann shift ${f.exact(row.shift_ns_per_iteration)}, 95 % interval ` +
		`${f.exact(row.low_ns_per_iteration)} to ${f.exact(row.high_ns_per_iteration)}`
	);
}

const MAX_SHOWN = 6;

const sideName = (word) => (isQuery(word) ? word : word.startsWith('job:') ? `job ${word.slice(4)}` : `#${word}`);

// "#1, #2 with job 3", short enough for a title.
export function titleOf({base, head}) {
	const side = (items) => {
		const first = items.slice(0, MAX_SHOWN).map(sideName);
		return first.join(', ') + (items.length > MAX_SHOWN ? ` and ${items.length - MAX_SHOWN} more` : '');
	};
	return `${side(base)} with ${side(head)}`;
}

// The outcome of the whole comparison: a class, or `incomparable`. It follows the mark of the Markdown
// (server/api/views/view_compare.c): the iteration decides; of windows, whose length is random, the
// compute part. If that did not change or is unknown, the functions decide.
export const INCOMPARABLE = {mark: '!', text: 'not comparable', description: 'nothing is judged; the differences are descriptive'};
export function outcomeOf(doc) {
	if (!doc.comparable) return 'incomparable';
	const part = (word) => doc.split.find((r) => r.part === word);
	const windows = doc.base.detector === 'window' && doc.head.detector === 'window';
	const row = (windows ? null : part('iteration')) ?? part('compute');
	const whole = row && (row.verdict ?? 'undecided'); // without evidence, a row has no verdict
	const slower = doc.counts.regressed || doc.counts.appeared;
	const faster = doc.counts.improved || doc.counts.vanished;
	if (whole === 'appeared') return 'regressed';
	if (whole === 'vanished') return 'improved';
	if (['regressed', 'improved', 'likely'].includes(whole)) return whole;
	if (whole === 'undecided' && (slower || faster)) return whole;
	return slower ? 'regressed' : faster ? 'improved' : 'unchanged';
}

// The server's summary sentence. It starts with a capital letter, unless it begins with the name
// of a function or an operator.
export function headline(doc) {
	const names = doc.items.flatMap((r) => [r.function, r.short_name]);
	return f.capital(f.sentence(doc.headline), [...names, ...(doc.operators ?? []).map((o) => o.operator)]);
}
