// layer_cells.js - what breakdowns and breakdown comparisons share: cells of a row's role, its kernel
// and its times in microseconds, and links to the comparison with other GPUs.

import * as api from './api.js';
import {breakdownUrl, onOtherGpus} from './breakdown_compare.js';
import {h} from './dom.js';
import * as f from './format.js';
import {kernelName} from './layers.js';

export const CONCURRENT = 'runs concurrently with this block on another stream for most of its time';

const NO_ROLE = 'role unknown';
const ROLE_SOURCES = {module: 'from its module', sequence: 'from its position in the sequence'};

export const rolesOf = (roles) => roles.map((role, i) => [i ? ' + ' : '', h('code', {}, role)]).flat();

// The marks of a row: in few layers, on another stream.
export const marksOf = (r) =>
	[
		r.extra ? h('span', {class: 'mark', title: 'in fewer than half of the layers'}, 'extra') : null,
		r.stream > 0
			? h(
					'span',
					{class: 'tag', title: 'streams are numbered by their GPU time: 1 is the main stream'},
					`stream ${r.stream + 1}`,
				)
			: null,
	].filter(Boolean);

// The first cell of a row: its module, else its roles; `lead` wraps the content.
export function roleCell(r, lead = (content) => content) {
	const name = r.module ? [h('code', {}, r.module)] : r.roles.length ? rolesOf(r.roles) : [f.NONE];
	const title = r.roles.length
		? `${r.roles.join(', ')}${ROLE_SOURCES[r.role_source] ? `: known ${ROLE_SOURCES[r.role_source]}` : ''}`
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

// Microseconds, with exact nanoseconds or the reason for an unknown value in the title.
export const timeCell = (ns, reason = 'unknown', title = f.exact(ns)) =>
	h('td', {class: 'num', title: ns === null || ns === undefined ? reason : title}, f.inUnit(ns, 'µs'));

// Runs whose GPUs are offered for a comparison by layer.
const SEARCHED_RUNS = 200;

// Links to the breakdown comparison with the newest run of the same workload on each other GPU. If the
// list of runs fails, there are none.
export async function otherGpuLinks(run, at) {
	const {project, workload} = run;
	if (!project || !workload) return [];
	const like = {project, workload, content: run.content, limit: SEARCHED_RUNS};
	const {items} = await api.runs(like, at.signal).catch(() => ({items: []}));
	return onOtherGpus(run, items).map(([name, r]) =>
		h(
			'a',
			{
				class: 'button plain',
				href: breakdownUrl([run.id, r.id]),
				title: `run #${r.id}, the newest of this workload on this GPU`,
			},
			h('span', {}, 'By layer with ', h('bdi', {}, name)),
		),
	);
}
