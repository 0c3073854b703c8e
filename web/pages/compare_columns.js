// compare_columns.js - what the tables of a comparison share: classes as badges,
// differences with their interval.

import {CLASSES, intervalTitle} from '../compared.js';
import {h} from '../dom.js';
import * as f from '../format.js';

export function badge(word) {
	if (!word)
		return h('span', {class: 'quiet', title: 'not judged'}, f.NONE);
	return h('span', {class: `class ${word}`, title: CLASSES[word]?.what},
		h('span', {class: 'class-mark', 'aria-hidden': 'true'}, CLASSES[word]?.mark ?? ''), word);
}

// What is estimated has no nanoseconds: they are in the title.
const digits = (unit) => ({'µs': 1, ms: 2}[unit] ?? 3);

// The difference where its column is out of sight.
export const narrowDelta = (r) => h('div', {class: 'narrow-only'}, f.signedDuration(r.delta_ns_per_cycle));

// One side's mean time per cycle.
export const sideColumn = (label, key, unit) => ({label, unit, num: true, down: key, up: `-${key}`,
	value: (r) => r[`${key}_ns_per_cycle`], cell: (r) => f.inUnit(r[`${key}_ns_per_cycle`], unit, digits(unit)),
	title: (r) => f.exact(r[`${key}_ns_per_cycle`])});

export const deltaColumn = (unit) => ({label: 'Δ per cycle', unit, num: true, down: 'delta', up: '-delta',
	class: 'delta', value: (r) => r.delta_ns_per_cycle, cell: (r) => f.signed(r.delta_ns_per_cycle, unit, digits(unit)),
	title: (r) => `${f.exact(r.delta_ns_per_cycle)}, ${f.changeOf(r.ratio)}`});

// Where the interval lies on an axis around zero that all rows share.
function whisker(r, most) {
	const [low, high] = [r.low_ns_per_cycle / most, r.high_ns_per_cycle / most].map((x) => Math.max(-1, Math.min(1, x)));
	const at = Math.max(-1, Math.min(1, r.shift_ns_per_cycle / most));
	return h('span', {class: 'whisker', 'aria-hidden': 'true', style: {'--from': `${50 + 50 * low}%`,
		'--wide': `${50 * (high - low)}%`, '--at': `${50 + 50 * at}%`}});
}

export function intervalColumn(rows, unit) {
	const known = rows.filter((r) => r.low_ns_per_cycle !== null);
	const most = known.reduce((n, r) => Math.max(n, Math.abs(r.low_ns_per_cycle), Math.abs(r.high_ns_per_cycle)), 0) || 1;
	return {label: '95 % interval', unit, num: true, class: 'interval',
		cell: (r) => (r.low_ns_per_cycle === null ? f.NONE : [
			`${f.signed(r.low_ns_per_cycle, unit, digits(unit))} … ${f.signed(r.high_ns_per_cycle, unit, digits(unit))}`, whisker(r, most)]),
		title: (r) => intervalTitle(r)};
}
