// run_graphs.js - the CUDA graphs whose replays were recorded whole.

import * as api from '../api.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {sorted, table} from '../table.js';
import {largestUnit, SPREAD, timeColumn, typicalUnit} from './run_columns.js';

const number = (label, key, title) => ({label, num: true, up: key, down: `-${key}`,
	cell: (r) => f.count(r[key]), value: (r) => r[key], title});

function columns(rows) {
	const each = typicalUnit(rows.map((r) => r.med_ns));
	return [
		{label: 'Graph', head: true, num: true, up: 'graph', down: '-graph', value: (r) => r.graph_id,
			cell: (r) => f.plain(r.graph_id)},
		{label: 'Instance', num: true, up: 'exec', down: '-exec', value: (r) => r.graph_exec,
			cell: (r) => f.plain(r.graph_exec), title: () => 'the executable graph made from it'},
		number('Device', 'device'),
		timeColumn('Total', 'total', largestUnit(rows.map((r) => r.total_ns))),
		{label: 'Replays', num: true, down: 'instances', up: '-instances',
			cell: (r) => f.count(r.instances), value: (r) => r.instances},
		...SPREAD.map(([label, key]) => timeColumn(label, key, each)),
	];
}

export async function graphSection(run, at) {
	if (!run.graphs)
		return null;
	const {items} = await api.graphs(run.id, at.signal);
	const all = columns(items);
	const shown = table({caption: 'Graph replays', columns: all, rows: items, sort: 'total',
		onsort: (sort) => shown.update({rows: sorted(items, all, sort), sort})});
	return h('section', {'aria-labelledby': 'graphs'}, h('h2', {id: 'graphs'}, 'Graph replays'),
		h('p', {class: 'quiet'}, 'Each replay is one record; what ran inside is unknown.'), shown.node);
}
