// run_graphs.js - section of the tab Operators: the CUDA graphs whose replays were recorded with
// their kernels, and the stream captures that give their operators.

import * as api from '../lib/api.js';
import {exportLink, largestUnit, timeColumn} from '../lib/columns.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {sorted, table} from '../lib/table.js';

const SOURCE = {run: 'this run', upload: 'a capture trace of this upload', other: 'another upload'};

const number = (label, key, title) => ({
	label,
	num: true,
	down: key,
	up: `-${key}`,
	cell: (r) => (r[key] === null ? f.NONE : f.count(r[key])),
	value: (r) => r[key],
	title: (r) => (r[key] === null ? 'no capture matches' : title),
});

// Whose capture it is, with a link if the run may be read.
export function sourceCell(r) {
	if (!r.source) return f.NONE;
	if (r.source_run === null) return SOURCE[r.source];
	return h('a', {href: `/runs/${r.source_run}`}, `run #${r.source_run}`);
}

function columns(rows) {
	return [
		{
			label: 'Graph',
			head: true,
			up: 'graph',
			down: '-graph',
			cell: (r) => h('code', {}, r.graph.slice(0, 8)),
			value: (r) => r.graph,
			title: (r) => `hash of the kernels' names: ${r.graph}`,
		},
		number('Replays', 'replays'),
		number('Kernels', 'kernels', 'of one replay'),
		timeColumn('Total', 'total', largestUnit(rows.map((r) => r.total_ns))),
		{
			label: 'Match',
			unit: '%',
			num: true,
			down: 'match',
			up: '-match',
			cell: (r) => (r.match_pct === null ? f.NONE : f.percent(r.match_pct)),
			value: (r) => r.match_pct,
			title: (r) =>
				r.match_pct === null
					? 'no capture matches'
					: `${f.count(r.matched)} of ${f.count(r.kernels)} replayed and ${f.count(r.captured)} captured kernels`,
		},
		number('Captures', 'captures', 'captures that match equally well'),
		{
			label: 'Capture of',
			up: 'source',
			down: '-source',
			cell: sourceCell,
			value: (r) => r.source,
			title: (r) => (r.source ? SOURCE[r.source] : 'no capture matches'),
		},
		{
			label: 'Attributed',
			num: true,
			down: 'attributed',
			up: '-attributed',
			cell: (r) => f.count(r.attributed),
			value: (r) => r.attributed,
			title: (r) => `of ${f.count(r.replays * r.kernels)} kernels in all replays`,
		},
		{
			label: 'Why not all',
			class: 'wide',
			cell: (r) => r.reason_text ?? f.NONE,
			title: (r) => (r.reason_text ? null : 'all kernels are attributed'),
		},
	];
}

export async function replayedGraphs(run, at) {
	const {items} = await api.replayedGraphs(run.id, at.signal);
	if (!items.length) return null;
	const all = columns(items);
	const shown = table({
		caption: 'Replayed CUDA graphs',
		columns: all,
		rows: items,
		sort: 'total',
		onsort: (sort) => shown.update({rows: sorted(items, all, sort), sort}),
	});
	return h(
		'section',
		{'aria-labelledby': 'replayed-graphs'},
		h('h2', {id: 'replayed-graphs'}, 'Replayed CUDA graphs'),
		h(
			'p',
			{class: 'hint'},
			'A replay has kernels without operators. A stream capture of the same graph has both; the longest ' +
				'common subsequence of their kernels joins them.',
		),
		shown.node,
		h(
			'p',
			{class: 'links'},
			'Download: ',
			...['csv', 'md'].flatMap((format) => [exportLink(run.id, 'replayed-graphs', format, {}), ' ']),
		),
	);
}
