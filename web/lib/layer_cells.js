// layer_cells.js - what the rows of one breakdown and of several beside each other
// share: what a row is for, which kernel it is, its times in microseconds.

import {h} from './dom.js';
import * as f from './format.js';
import {kernelName} from './layers.js';

export const CONCURRENT = 'it runs beside this block, on another stream, for most of its time';

const NO_ROLE = 'what it is for is not known';
const ROLE_SOURCES = {module: 'by its module', sequence: 'by its place among the others'};

export const rolesOf = (roles) => roles.map((role, i) => [i ? ' + ' : '', h('code', {}, role)]).flat();

// The marks of a row: had by few, on a stream of its own.
export const marksOf = (r) =>
	[
		r.extra ? h('span', {class: 'mark', title: 'fewer than half of the layers have it'}, 'extra') : null,
		r.lane > 0
			? h(
					'span',
					{class: 'tag', title: 'counted by the time on them: the first is the main one'},
					`stream ${r.lane + 1}`,
				)
			: null,
	].filter(Boolean);

// The head of a row: its module, else its roles; `lead` puts what opens it around.
export function roleCell(r, lead = (content) => content) {
	const name = r.module ? [h('code', {}, r.module)] : r.roles.length ? rolesOf(r.roles) : [f.NONE];
	const title = r.roles.length
		? `${r.roles.join(', ')}${ROLE_SOURCES[r.role_by] ? `: known ${ROLE_SOURCES[r.role_by]}` : ''}`
		: NO_ROLE;
	return h(
		'th',
		{scope: 'row', class: 'role', title},
		lead(name),
		r.module && r.roles.length ? h('div', {class: 'quiet'}, rolesOf(r.roles)) : null,
		...marksOf(r),
		h('div', {class: 'narrow-only'}, f.duration(r.mean_ns)),
	);
}

export const kernelCell = (r, full) =>
	h(
		'td',
		{class: full ? 'kernel full' : 'kernel', title: full ? null : kernelName(r, true)},
		h('code', {}, kernelName(r, full)),
	);

// Microseconds, with the exact nanoseconds behind them or why they are not known.
export const timeCell = (ns, why = 'unknown', title = f.exact(ns)) =>
	h('td', {class: 'num', title: ns === null || ns === undefined ? why : title}, f.inUnit(ns, 'µs'));
