// comparison.js - the words of a comparison: its sides in an address, its classes,
// what a row's class rests on. Pure.

import * as f from './format.js';

// In the order in which they matter; a mark beside each word, since nothing is
// told by colour alone.
export const CLASSES = {
	regressed: {mark: '▲', what: 'slower, and proved'},
	appeared: {mark: '+', what: 'in the head alone'},
	improved: {mark: '▼', what: 'faster, and proved'},
	vanished: {mark: '−', what: 'in the base alone'},
	likely: {mark: '≈', what: 'beyond what runs differ by, but too few runs or cycles to prove it'},
	undecided: {mark: '?', what: 'neither shown to have changed nor shown not to have'},
	unchanged: {mark: '=', what: 'shown to be within the margin'},
};

export const EVIDENCE = {
	runs: 'permutation of runs, four or more a side',
	cycles: 'permutation of blocks of cycles, with what runs differ by',
	launches: 'too few cycles; the launches of all of them moved',
	none: 'nothing to compare',
};

export const DETECTORS = {
	annotation: 'ranges that repeat',
	period: "the outermost period of the kernels' names",
	window: 'none found: the whole recording is one',
	told: 'told by a table',
	named: 'ranges of a name that was given',
	none: 'none found',
};

export const PARTS = {
	cycle: 'The cycle',
	compute: 'Compute',
	communication: 'Communication',
	copies: 'Copies',
	idle: 'Idle (host)',
	waiting: 'Waiting for ranks',
	sync: 'Host waits for device',
	oncpu: 'Threads on a CPU',
	runq: 'Threads waiting for a CPU',
};
// These sum up to the cycle.
export const ITERATION_PARTS = ['compute', 'communication', 'copies', 'idle'];

// Whether a side is a query ("label.branch=main last=5"), which the server reads.
export const isQuery = (text) => /=|(^| )latest( |$)/.test(text);

// "1, 2,job:3" -> ['1', '2', 'job:3'], each once; a query is one word, as it is.
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

// What the server is asked with, of all that the page's address holds.
const PARAMS = ['base', 'head', 'range', 'floor', 'margin', 'seed'];
export function compareParams(query) {
	return Object.fromEntries(PARAMS.map((key) => [key, query.get(key)]).filter(([, value]) => value));
}

// The page for a comparison; empty values are left out, commas stay readable.
export function compareUrl(words) {
	const q = new URLSearchParams(Object.entries(words).filter(([, v]) => v !== null && v !== undefined && v !== ''));
	return q.size ? `/compare?${f.query(q)}` : '/compare';
}

// The classes shown, and their word in the address: all but the unchanged ones
// where it has none.
export function shownClasses(text) {
	const list = (text ?? '').split(',').filter((word) => word in CLASSES);
	if (text === 'none') return new Set();
	return new Set(list.length ? list : Object.keys(CLASSES).filter((word) => word !== 'unchanged'));
}
export function classesParam(shown) {
	const list = Object.keys(CLASSES).filter((word) => shown.has(word));
	const usual = list.length === Object.keys(CLASSES).length - 1 && !shown.has('unchanged');
	return usual ? '' : list.join(',') || 'none';
}

// "12" where both are alike, else "12 → 14".
export function baseHeadText(base, head, text) {
	const [a, b] = [text(base), text(head)];
	return a === b ? a : `${a} → ${b}`;
}

// What a cell's interval is of, to the nanosecond.
export function intervalTitle(row) {
	if (row.low_ns_per_cycle === null) return 'unknown';
	return (
		`Hodges–Lehmann shift ${f.exact(row.shift_ns_per_cycle)}, 95 % interval ` +
		`${f.exact(row.low_ns_per_cycle)} to ${f.exact(row.high_ns_per_cycle)}`
	);
}

const MAX_SHOWN = 6;

const sideName = (word) => (isQuery(word) ? word : word.startsWith('job:') ? `job ${word.slice(4)}` : `#${word}`);

// "#1, #2 with job 3", short enough for a title.
export function titleOf({base, head}) {
	const side = (words) => {
		const first = words.slice(0, MAX_SHOWN).map(sideName);
		return first.join(', ') + (words.length > MAX_SHOWN ? ` and ${words.length - MAX_SHOWN} more` : '');
	};
	return `${side(base)} with ${side(head)}`;
}

// The sentence that says it all; a function's name keeps its own letters.
export function headline(doc) {
	const named = doc.items.some((r) =>
		[r.function, r.short_name].some((name) => name && doc.headline.startsWith(name)),
	);
	return named ? doc.headline : doc.headline.charAt(0).toUpperCase() + doc.headline.slice(1);
}
