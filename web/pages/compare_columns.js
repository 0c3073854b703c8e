// compare_columns.js - columns that all tables of a comparison share: classes as badges,
// differences with their intervals, the times of both sides, and probabilities.

import {CLASSES, classText, INCOMPARABLE, intervalTitle, outcomeOf} from '../lib/comparison.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';

// A row has no class if nothing is judged, or if there is no evidence for its own time.
const NOT_JUDGED =
	'no evidence: the time includes waiting for other ranks, only one side has the device, ' +
	'or too few iterations measured a time that is not of kernels';

// `comparable`: other rows have classes.
export function badge(word, comparable = false) {
	if (!word)
		return comparable
			? h('span', {class: 'quiet', title: NOT_JUDGED}, 'not judged')
			: h('span', {class: 'quiet', title: 'no verdict'}, f.NONE);
	return h(
		'span',
		{class: `class ${word}`, title: CLASSES[word]?.description},
		h('span', {class: 'class-mark', 'aria-hidden': 'true'}, CLASSES[word]?.mark ?? ''),
		classText(word),
	);
}

// The mark and the word of the whole comparison.
export function outcomeBadge(doc) {
	const word = outcomeOf(doc);
	const {mark, text = word, description} = CLASSES[word] ?? INCOMPARABLE;
	return h(
		'span',
		{class: `class outcome ${word}`, title: description},
		h('span', {class: 'class-mark', 'aria-hidden': 'true'}, mark),
		text,
	);
}

// Estimates are rounded; the title contains the exact value.
const digits = (unit) => ({µs: 1, ms: 2})[unit] ?? 3;

// The difference, shown if its column is hidden on a narrow screen.
export const narrowDelta = (r) => h('div', {class: 'narrow-only'}, f.signedDuration(r.delta_ns_per_iteration));

// One side's mean time per iteration.
export const sideColumn = (label, key, unit) => ({
	label,
	unit,
	num: true,
	down: key,
	up: `-${key}`,
	value: (r) => r[`${key}_ns_per_iteration`],
	cell: (r) => f.inUnit(r[`${key}_ns_per_iteration`], unit, digits(unit)),
	title: (r) => f.exact(r[`${key}_ns_per_iteration`]),
});

export const deltaColumn = (unit) => ({
	label: 'Δ per iteration',
	unit,
	num: true,
	down: 'delta',
	up: '-delta',
	class: 'delta',
	value: (r) => r.delta_ns_per_iteration,
	cell: (r) => f.signed(r.delta_ns_per_iteration, unit, digits(unit)),
	title: (r) => `${f.exact(r.delta_ns_per_iteration)}, ${f.changeOf(r.ratio)}`,
});

// Draws the interval on an axis around zero, which all rows use.
function whisker(r, reach) {
	const [low, high] = [r.low_ns_per_iteration / reach, r.high_ns_per_iteration / reach].map((x) =>
		Math.max(-1, Math.min(1, x)),
	);
	const at = Math.max(-1, Math.min(1, r.shift_ns_per_iteration / reach));
	return h('span', {
		class: 'whisker',
		'aria-hidden': 'true',
		style: {'--from': `${50 + 50 * low}%`, '--wide': `${50 * (high - low)}%`, '--at': `${50 + 50 * at}%`},
	});
}

export function intervalColumn(rows, unit) {
	const known = rows.filter((r) => r.low_ns_per_iteration !== null);
	const reach =
		known.reduce((n, r) => Math.max(n, Math.abs(r.low_ns_per_iteration), Math.abs(r.high_ns_per_iteration)), 0) || 1;
	return {
		label: '95 % interval',
		unit,
		num: true,
		class: 'interval',
		cell: (r) =>
			r.low_ns_per_iteration === null
				? f.NONE
				: [
						`${f.signed(r.low_ns_per_iteration, unit, digits(unit))} … ` +
							f.signed(r.high_ns_per_iteration, unit, digits(unit)),
						whisker(r, reach),
					],
		title: (r) => intervalTitle(r),
	};
}

export function probabilityColumn(label, key, description) {
	return {
		label,
		num: true,
		up: key,
		down: `-${key}`,
		value: (r) => r[key],
		cell: (r) => f.probability(r[key]),
		title: (r) => (r[key] === null ? 'unknown' : `${description}: ${r[key]}`),
	};
}
