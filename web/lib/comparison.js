// compared.js - the words of a comparison: its sides in an address, its classes,
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
	period: 'the outermost period of the kernels\' names',
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
export const WHOLE = ['compute', 'communication', 'copies', 'idle'];

// Whether a side is a query ("label.branch=main last=5"), which the server reads.
export const isQuery = (text) => /=|(^| )latest( |$)/.test(text);

// "1, 2,job:3" -> ['1', '2', 'job:3'], each once; a query is one word, as it is.
export function sideOf(text) {
	if (isQuery(text ?? ''))
		return [text.trim()];
	return [...new Set((text ?? '').split(',').map((part) => part.trim()).filter(Boolean))];
}

// What the server is asked with, of all that the page's address holds.
const ASKED = ['base', 'head', 'range', 'floor', 'margin', 'seed'];
export function asked(query) {
	return Object.fromEntries(ASKED.map((key) => [key, query.get(key)]).filter(([, value]) => value));
}

// The page for a comparison; empty values are left out, commas stay readable.
export function pageOf(words) {
	const q = new URLSearchParams(Object.entries(words).filter(([, v]) => v !== null && v !== undefined && v !== ''));
	return q.size ? `/compare?${f.query(q)}` : '/compare';
}

// The classes shown, and their word in the address: all but the unchanged ones
// where it has none.
export function shownClasses(text) {
	const list = (text ?? '').split(',').filter((word) => word in CLASSES);
	if (text === 'none')
		return new Set();
	return new Set(list.length ? list : Object.keys(CLASSES).filter((word) => word !== 'unchanged'));
}
export function wordOf(shown) {
	const list = Object.keys(CLASSES).filter((word) => shown.has(word));
	const usual = list.length === Object.keys(CLASSES).length - 1 && !shown.has('unchanged');
	return usual ? '' : list.join(',') || 'none';
}

// "12" where both are alike, else "12 → 14".
export function both(base, head, text) {
	const [a, b] = [text(base), text(head)];
	return a === b ? a : `${a} → ${b}`;
}

// What a cell's interval is of, to the nanosecond.
export function intervalTitle(row) {
	if (row.low_ns_per_cycle === null)
		return 'unknown';
	return `Hodges–Lehmann shift ${f.exact(row.shift_ns_per_cycle)}, 95 % interval `
		+ `${f.exact(row.low_ns_per_cycle)} to ${f.exact(row.high_ns_per_cycle)}`;
}
