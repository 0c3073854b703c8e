// run_copies.js - the copies and memory sets of a run, by operation or by
// operation and device.

import * as api from '../api.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {sorted, table} from '../table.js';
import {exportLink, share, timeColumn} from './run_columns.js';

function columns(rows) {
	const sum = f.columnUnit(rows.reduce((most, r) => Math.max(most, r.total_ns), 0));
	const middle = rows.map((r) => r.med_ns).sort((a, b) => a - b)[rows.length >> 1] ?? 0;
	const each = f.columnUnit(middle);
	const several = rows.some((r) => r.device !== null);
	return [
		{label: 'Operation', head: true, up: 'operation', down: '-operation',
			cell: (r) => h('code', {}, r.operation), value: (r) => r.operation},
		...(several ? [{label: 'Device', num: true, up: 'device', down: '-device',
			cell: (r) => f.count(r.device), value: (r) => r.device}] : []),
		{label: 'Time', unit: '%', num: true, class: 'time', cell: (r) => share(r.time_pct)},
		timeColumn('Total', 'total', sum),
		{label: 'Count', num: true, down: 'instances', up: '-instances',
			cell: (r) => f.count(r.instances), value: (r) => r.instances},
		...[['Avg', 'avg'], ['Med', 'med'], ['Min', 'min'], ['Max', 'max'], ['StdDev', 'stddev'],
			['p90', 'p90'], ['p99', 'p99']].map(([label, key]) => timeColumn(label, key, each)),
		{label: 'Size', num: true, down: 'bytes', up: '-bytes', value: (r) => r.bytes,
			cell: (r) => (r.sized ? f.bytes(r.bytes) : f.NONE),
			title: (r) => `${f.count(r.bytes)} bytes in the ${f.count(r.sized)} of ${f.count(r.instances)} whose size is known`},
	];
}

export async function copySection(id, at) {
	const {items} = await api.copies(id, {}, at.signal);
	const heading = h('h2', {id: 'copies'}, 'Copies and sets');
	const section = (...parts) => h('section', {'aria-labelledby': 'copies'}, parts);
	if (!items.length)
		return section(heading, h('p', {class: 'quiet'}, 'No copies and no memory sets were recorded.'));
	const all = columns(items);
	const shown = table({caption: 'Copies and sets', columns: all, rows: items, sort: 'total',
		onsort: (sort) => shown.update({rows: sorted(items, all, sort), sort})});
	return section(h('div', {class: 'toolbar'}, heading, h('span', {class: 'links'},
		['csv', 'md'].map((format) => exportLink(id, 'copies', format, {})))), shown.node);
}
