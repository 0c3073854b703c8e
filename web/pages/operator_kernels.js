// operator_kernels.js - kernels that no rule knows, most time first, each with
// the way to ask the rules about its name.

import {h} from '../dom.js';
import * as f from '../format.js';
import {table} from '../table.js';
import {largestUnit} from './run_columns.js';

export const testLink = (name) => `/catalogue?${new URLSearchParams({tab: 'rules', test: name})}`;

export function kernelColumns(rows) {
	const unit = largestUnit(rows.map((r) => r.total_ns));
	return [
		{label: 'Kernel', head: true, class: 'kernel full', up: 'name', down: '-name', cell: (r) => h('code', {}, r.name), value: (r) => r.name},
		{label: 'Family', class: 'family', cell: (r) => r.family ?? f.NONE, title: (r) => (r.family ? null : 'no rule knows this name')},
		{label: 'Total', unit, num: true, down: 'total', up: '-total', cell: (r) => f.inUnit(r.total_ns, unit), title: (r) => f.exact(r.total_ns), value: (r) => r.total_ns},
		{label: 'Launches', num: true, down: 'launches', up: '-launches', cell: (r) => f.count(r.launches), value: (r) => r.launches},
		...(rows.some((r) => r.runs > 1) ? [{label: 'Runs', num: true, down: 'runs', up: '-runs', cell: (r) => f.count(r.runs), value: (r) => r.runs}] : []),
		{label: 'Rules', cell: (r) => h('a', {href: testLink(r.name), 'aria-label': `which rule? for ${r.name}`}, 'which rule?')},
	];
}

export function kernelList(rows, hint) {
	if (!rows.length)
		return h('p', {class: 'quiet'}, 'No kernel is without an operator.');
	return h('div', {class: 'part'}, h('p', {class: 'hint'}, 'No annotation, operator or rule tells what these kernels do. ', hint ?? ''),
		table({caption: 'Unattributed kernels', columns: kernelColumns(rows), rows, tall: true}).node);
}
