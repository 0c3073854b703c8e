// importance_fusions.js - the tab of /importance with operators in sequence that one kernel could
// execute: three tables, by who reads the tensor between them.

import * as api from '../lib/api.js';
import {fileLink} from '../lib/columns.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {sorted, table} from '../lib/table.js';

const side = (operator, dtype, shape) =>
	h(
		'span',
		{class: 'fusion-side'},
		h('code', {}, operator),
		dtype ? ` ${dtype}` : '',
		h('span', {class: 'quiet'}, ` ${shape ?? 'shape unknown'}`),
	);

const runLinks = (row) => [
	f.count(row.runs),
	...row.run_ids.flatMap((id) => [' ', h('a', {href: `/runs/${id}`, 'aria-label': `Run ${id}`}, `#${id}`)]),
];

const UNKNOWN = 'unknown: the size of the tensor or the cost of an operator is not known';
const passes = (row) =>
	row.passes === null
		? 'saved twice or once, depending on the run'
		: row.passes === 2
			? 'neither written nor read'
			: 'one of writing and reading is saved';

const figure = (label, key, title) => ({
	label,
	unit: 'GPU h',
	num: true,
	class: 'two-lines',
	down: key,
	up: `-${key}`,
	value: (r) => r[key],
	cell: (r) => f.mean(r[key]),
	title,
});

const exact = (key, text) => (r) => (r[key] === null ? UNKNOWN : `${r[key]} GPU-hours${text ? `: ${text(r)}` : ''}`);

const COLUMNS = [
	{
		label: 'Operators',
		head: true,
		class: 'fusion',
		cell: (r) => [
			side(r.first_operator, r.first_dtype, r.first_shape),
			side(r.second_operator, r.second_dtype, r.second_shape),
			r.overlaps.length
				? h(
						'span',
						{class: 'fusion-side quiet', title: r.overlaps.join('; ')},
						`overlaps ${f.plural(r.overlaps.length, 'row')}`,
					)
				: null,
		],
	},
	figure('Saved', 'saved_hours', exact('saved_hours', (r) => `${f.duration(r.saved_s * 1e9)} of the ${f.duration(r.time_s * 1e9)} of both in the recordings`)),
	figure('Traffic', 'traffic_hours', exact('traffic_hours', passes)),
	figure('At peak bandwidth', 'traffic_at_peak_hours', exact('traffic_at_peak_hours', () => 'the saved traffic at the DRAM peak bandwidth; a tensor in a cache can take less')),
	figure('Launch gaps', 'gap_hours', exact('gap_hours')),
	{label: 'Kind', up: 'kind', down: '-kind', value: (r) => r.kind, cell: (r) => r.kind},
	{
		label: 'Tensor',
		num: true,
		down: 'tensor',
		up: '-tensor',
		value: (r) => r.tensor_bytes,
		cell: (r) => f.bytes(r.tensor_bytes),
		title: (r) => (r.tensor_bytes === null ? 'unknown' : passes(r)),
	},
	{
		label: 'Pairs',
		num: true,
		down: 'pairs',
		up: '-pairs',
		value: (r) => r.pairs,
		cell: (r) => f.count(r.pairs),
		title: (r) => `${f.count(r.replayed_pairs)} in CUDA graphs, which have no launch gap`,
	},
	{label: 'Platforms', value: (r) => r.platforms, cell: (r) => r.platforms ?? f.NONE},
	{label: 'Runs', class: 'fusion-runs', value: (r) => r.runs, cell: runLinks},
];

function ranking(caption, rows) {
	const shown = table({
		caption,
		columns: COLUMNS,
		rows,
		sort: 'saved_hours',
		onsort: (sort) => shown.update({rows: sorted(rows, COLUMNS, sort), sort}),
	});
	return shown.node;
}

const PARTS = [
	['items', 'Only the second operator reads the tensor', 'An execution trace of PyTorch shows that nothing else reads it, so that it need not be written.'],
	[
		'consumers_unknown',
		'Unknown whether the second operator reads the tensor, and who else does',
		'No execution trace of PyTorch shows it. In a run with a backward pass, which may need the tensor, it counts as written. So it does if the trace has no host operators, which would show a backward pass.',
	],
	['read_by_others', 'Other operators read the tensor, too', 'It must still be written; only one read is saved.'],
];

function part(doc, [key, title, hint]) {
	const rows = doc[key];
	const all = doc[`${key}_count`];
	return h(
		'section',
		{class: 'fusions'},
		h('h3', {}, title, h('span', {class: 'quiet'}, ` ${f.count(all)}`)),
		h('p', {class: 'hint wide-text'}, hint, rows.length < all ? ` The ${rows.length} with the most GPU-hours are shown.` : ''),
		rows.length ? ranking(title, rows) : h('p', {class: 'quiet'}, 'None.'),
	);
}

const FILES = [
	['CSV', 'csv', 'csv'],
	['Markdown', 'md', 'md'],
	['Benchmark JSON', 'bench', 'json'],
];

// The tab. `params` are the filters of the page; the weight does not apply.
export async function fusionsPart(params, signal) {
	const filters = {...params, weight: null};
	const doc = await api.fusions(filters, signal);
	const node = h(
		'div',
		{class: 'part'},
		h(
			'div',
			{class: 'toolbar'},
			h(
				'span',
				{class: 'quiet', role: 'status'},
				`${f.plural(doc.runs, 'run')} of ${f.mean(doc.hours)} GPU-hours` +
					(doc.unknown_runs ? `, ${f.count(doc.unknown_runs)} without known pairs` : ''),
			),
			h(
				'span',
				{class: 'links'},
				FILES.map(([text, format, end]) =>
					fileLink(text, api.fusionsFile(format, filters), `fusions.${end}`),
				),
			),
		),
		h(
			'p',
			{class: 'hint wide-text'},
			'Operators that run one after the other and that one kernel could execute, with the GPU-hours that this ' +
				'would save: the traffic of the tensor between them, at the bandwidth that the pair achieved, and launch ' +
				'gaps.',
		),
		PARTS.map((p) => part(doc, p)),
	);
	return {node};
}
