// run_copies.js - tab: copies and memory sets of a run, by operation, or by operation and device.

import * as api from '../lib/api.js';
import {exportLink, largestUnit, share, SPREAD, timeColumn, typicalUnit} from '../lib/columns.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {missingDetail, unknownTitle} from '../lib/run_content.js';
import {sorted, table} from '../lib/table.js';

function columns(rows, reason) {
	const sum = largestUnit(rows.map((r) => r.total_ns));
	const each = typicalUnit(rows.map((r) => r.median_ns ?? r.mean_ns));
	const several = rows.some((r) => r.device !== null);
	return [
		{
			label: 'Operation',
			head: true,
			up: 'operation',
			down: '-operation',
			cell: (r) => h('code', {}, r.operation),
			value: (r) => r.operation,
		},
		...(several
			? [
					{
						label: 'Device',
						num: true,
						up: 'device',
						down: '-device',
						cell: (r) => f.count(r.device),
						value: (r) => r.device,
					},
				]
			: []),
		{label: 'Time', unit: '%', num: true, class: 'time', cell: (r) => share(r.time_pct)},
		timeColumn('Total', 'total', sum, reason),
		{
			label: 'Count',
			num: true,
			down: 'instances',
			up: '-instances',
			cell: (r) => f.count(r.instances),
			value: (r) => r.instances,
		},
		...SPREAD.map(([label, key]) => timeColumn(label, key, each, reason)),
		{
			label: 'Size',
			num: true,
			down: 'bytes',
			up: '-bytes',
			value: (r) => r.bytes,
			cell: (r) => (r.sized ? f.bytes(r.bytes) : f.NONE),
			title: (r) =>
				`${f.count(r.bytes)} bytes; the size is known for ${f.count(r.sized)} of ${f.count(r.instances)}`,
		},
	];
}

export async function copyTab(run, query, at) {
	const {items} = await api.copies(run.id, {}, at.signal);
	if (!items.length)
		return {
			node: h(
				'p',
				{class: 'quiet'},
				missingDetail(run)
					? 'Copies are unknown, because this run has no single copies.'
					: 'No copies and no memory sets were recorded.',
			),
		};
	const all = columns(items, unknownTitle(run));
	let sort = query.get('sort') ?? 'total';
	const save = () => at.keep({sort: sort === 'total' ? '' : sort});
	const shown = table({
		caption: 'Copies and sets',
		columns: all,
		rows: sorted(items, all, sort),
		sort,
		onsort: (word) => {
			sort = word;
			shown.update({rows: sorted(items, all, sort), sort});
			save();
		},
	});
	return {
		save,
		node: h(
			'div',
			{class: 'part'},
			h(
				'div',
				{class: 'toolbar'},
				h('span', {class: 'quiet'}, f.plural(items.length, 'operation')),
				h(
					'span',
					{class: 'links'},
					['csv', 'md'].map((format) => exportLink(run.id, 'copies', format, {})),
				),
			),
			shown.node,
		),
	};
}
