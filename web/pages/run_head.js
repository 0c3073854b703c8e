// run_head.js - the upper part of a run's page: what its numbers do not tell,
// loudly; who it is; its totals; its devices.

import {lacking, launches, opaqueShare, unknown} from '../content.js';
import {facts, h, tags} from '../dom.js';
import * as f from '../format.js';
import {table} from '../table.js';
import {largestUnit} from './run_columns.js';

const SEVERITY = [['error', 'Error'], ['loss', 'Loss'], ['warn', 'Warning'], ['info', 'Info']];

export function noteList(items, title = `${f.plural(items.length, 'note')} on this run`, label = 'Notes') {
	if (!items.length)
		return null;
	const order = (n) => SEVERITY.findIndex(([code]) => code === n.severity);
	const rows = [...items].sort((a, b) => order(a) - order(b));
	return h('section', {class: 'notes', 'aria-label': label},
		h('h2', {}, title),
		h('ul', {}, rows.map((n) => h('li', {},
			h('span', {class: `severity ${n.severity}`}, SEVERITY[order(n)]?.[1] ?? n.severity),
			h('span', {}, n.message)))));
}

// Short, beside a name or above a table.
export const mark = (run) => (lacking(run) ? h('span', {class: 'mark'}, lacking(run).mark) : null);

// Above each table of a run without launches.
export function lackingLine(run) {
	const kind = lacking(run);
	return kind ? h('p', {class: 'lacking'}, mark(run), ' ', kind.sentence) : null;
}

// Where time was recorded without the kernels it was spent in, nothing below
// reads as if the kernels were all.
export function graphBanner(run) {
	const share = opaqueShare(run);
	if (share === null)
		return null;
	return h('section', {class: 'banner', 'aria-labelledby': 'opaque'},
		h('h2', {id: 'opaque'}, `${f.shareOf(share)} of this run's GPU time is not in its kernel table`),
		h('p', {}, `${f.plural(run.graphs, 'replay')} of CUDA graphs, ${f.duration(run.graph_ns)} in all, `,
			`${run.graphs === 1 ? 'was' : 'were'} recorded whole: which kernels ran in them is unknown. `,
			`What the table of kernels shows is the other ${f.duration(run.kernel_ns)}.`),
		h('p', {}, 'To see the kernels inside, record with ',
			h('code', {}, 'nsys profile --cuda-graph-trace=node'), '.'));
}

const total = (label, text, title) =>
	h('div', {class: 'total', title}, h('dt', {}, label), h('dd', {}, text));

const time = (run, label, ns) => total(label, f.duration(ns), ns === null ? unknown(run) : f.exact(ns));

// A table without copies does not say that there were none.
function copies(run) {
	const told = !lacking(run) || run.copies > 0;
	return [time(run, 'Copy time', told ? run.copy_ns : null),
		total('Copies', told ? f.count(run.copies) : f.NONE, told ? null : unknown(run))];
}

export function totals(run) {
	const graphs = run.graphs > 0;
	return h('dl', {class: 'totals'},
		time(run, graphs ? 'GPU busy, graphs included' : 'GPU busy', run.busy_ns),
		time(run, 'Span', run.span_ns),
		graphs ? time(run, 'Graph replay time', run.graph_ns) : null,
		time(run, graphs ? 'Kernel time outside graphs' : 'Kernel time', run.kernel_ns),
		total('Launches', launches(run)),
		total(graphs ? 'Kernels outside graphs' : 'Kernels', f.count(run.kernels)),
		...copies(run));
}

export function identity(run) {
	const process = [run.process_name, run.pid === null ? null : `pid ${run.pid}`].filter(Boolean).join(', ');
	return facts([
		['Project', run.project],
		['Workload', run.workload],
		['Labels', Object.keys(run.labels).length ? tags(run.labels) : null],
		['Job', run.job_id ? h('a', {href: `/jobs/${run.job_id}`}, run.job || `#${run.job_id}`) : run.job],
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

// The list of runs of the same work, with this one ticked.
export function compareBar(run) {
	const q = new URLSearchParams(Object.entries({project: run.project, workload: run.workload, base: run.id})
		.filter(([, value]) => value));
	const {cycles} = run;
	return h('div', {class: 'line compare-line'}, h('a', {class: 'button plain', href: `/runs?${q}`}, 'Compare with…'),
		run.job_id ? h('a', {href: `/jobs/${run.job_id}`}, 'Ranks of its job') : null,
		cycles?.count ? h('a', {href: `/runs/${run.id}?tab=cycles`},
			`${f.count(cycles.kept)} of ${f.plural(cycles.count, 'cycle')} compared`,
			cycles.median_ns === null ? '' : `, median ${f.duration(cycles.median_ns)}`) : null,
		run.layers?.count ? h('a', {href: `/runs/${run.id}?tab=layers`}, f.plural(run.layers.count, 'layer')) : null);
}

export function deviceTable(run) {
	const {devices} = run;
	if (!devices.length)
		return h('p', {class: 'quiet'}, 'The file names no device.');
	const busy = largestUnit(devices.map((d) => d.busy_ns));
	const columns = [
		{label: 'Device', num: true, cell: (d) => f.count(d.number)},
		{label: 'Name', head: true, cell: (d) => d.name ?? f.NONE},
		{label: 'SMs', num: true, cell: (d) => f.count(d.sm_count)},
		{label: 'Compute', num: true, cell: (d) => d.compute ?? f.NONE},
		{label: 'Memory', num: true, cell: (d) => f.bytes(d.memory_bytes)},
		{label: 'Launches', num: true, cell: (d) => f.count(d.launches)},
		{label: 'Busy', unit: busy, num: true, cell: (d) => f.inUnit(d.busy_ns, busy),
			title: (d) => (d.busy_ns === null ? unknown(run) : f.exact(d.busy_ns))},
	];
	return table({caption: 'Devices', columns, rows: devices}).node;
}
