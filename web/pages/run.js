// run.js - one run: what it fell short of first, then who it is, its totals,
// and the tables of its kernels and copies.

import * as api from '../api.js';
import {facts, h, tags} from '../dom.js';
import * as f from '../format.js';
import {table} from '../table.js';
import {copySection} from './run_copies.js';
import {kernelTable} from './run_kernels.js';

const SEVERITY = [['error', 'Error'], ['loss', 'Loss'], ['warn', 'Warning'], ['info', 'Info']];

function noteList(items) {
	if (!items.length)
		return null;
	const order = (n) => SEVERITY.findIndex(([code]) => code === n.severity);
	const rows = [...items].sort((a, b) => order(a) - order(b));
	return h('section', {class: 'notes', 'aria-label': 'Notes'},
		h('h2', {}, f.plural(items.length, 'note'), ' on this run'),
		h('ul', {}, rows.map((n) => h('li', {},
			h('span', {class: `severity ${n.severity}`}, SEVERITY[order(n)]?.[1] ?? n.severity),
			h('span', {}, n.message)))));
}

const total = (label, text, title) =>
	h('div', {class: 'total', title}, h('dt', {}, label), h('dd', {}, text));

const totalTime = (label, ns) => total(label, f.duration(ns), f.exact(ns));

function totals(run) {
	return h('dl', {class: 'totals'},
		totalTime('GPU busy', run.busy_ns),
		totalTime('Span', run.span_ns),
		totalTime('Kernel time', run.kernel_ns),
		total('Launches', f.count(run.launches)),
		total('Kernels', f.count(run.kernels)),
		totalTime('Copy time', run.copy_ns),
		total('Copies', f.count(run.copies)));
}

function identity(run) {
	const process = [run.process_name, run.pid === null ? null : `pid ${run.pid}`].filter(Boolean).join(', ');
	return facts([
		['Project', run.project],
		['Workload', run.workload],
		['Labels', Object.keys(run.labels).length ? tags(run.labels) : null],
		['Job', run.job],
		['Rank', f.rank(run.rank, run.world_size)],
		['Process', process],
		['Host', run.host],
		['Framework', run.framework],
		['Format', run.format],
		['Started', run.started_at && f.moment(run.started_at)],
		['Added', f.moment(run.created_at)],
		['Upload', h('a', {href: `/runs?upload=${run.upload}`}, `#${run.upload}, all its runs`)],
	]);
}

function deviceTable(devices) {
	const busy = f.columnUnit(Math.max(0, ...devices.map((d) => d.busy_ns)));
	const columns = [
		{label: 'Device', num: true, cell: (d) => f.count(d.number)},
		{label: 'Name', head: true, cell: (d) => d.name ?? f.NONE},
		{label: 'SMs', num: true, cell: (d) => f.count(d.sm_count)},
		{label: 'Compute', num: true, cell: (d) => d.compute ?? f.NONE},
		{label: 'Memory', num: true, cell: (d) => f.bytes(d.memory_bytes)},
		{label: 'Launches', num: true, cell: (d) => f.count(d.launches)},
		{label: 'Busy', unit: busy, num: true, cell: (d) => f.inUnit(d.busy_ns, busy),
			title: (d) => f.exact(d.busy_ns)},
	];
	return table({caption: 'Devices', columns, rows: devices}).node;
}

export async function page(view, query, at) {
	const [run, notes, kernels, copies] = await Promise.all([
		api.run(at.id, at.signal),
		api.notes(at.id, at.signal),
		kernelTable(at.id, query, at),
		copySection(at.id, at),
	]);
	const name = run.name || `run ${run.id}`;

	view.append(
		h('p', {class: 'crumbs'}, h('a', {href: '/runs'}, 'Runs'), ` / #${run.id}`),
		h('h1', {}, name),
		noteList(notes.items) ?? '',
		identity(run),
		totals(run),
		h('section', {'aria-labelledby': 'kernels'}, h('h2', {id: 'kernels'}, 'Kernels'), kernels),
		copies,
		h('section', {'aria-labelledby': 'devices'}, h('h2', {id: 'devices'}, 'Devices'),
			deviceTable(run.devices)));
	return name;
}
