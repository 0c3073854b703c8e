// compare_split.js - where a cycle's time goes, on both sides: two bars of the
// same scale, and the table they are drawn from.

import {PARTS, WHOLE} from '../compared.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {table} from '../table.js';
import {badge, deltaColumn, intervalColumn, narrowDelta, sideColumn} from './compare_columns.js';
import {largestUnit} from './run_columns.js';

const swatch = (part) => (WHOLE.includes(part)
	? h('span', {class: `swatch ${part}`, 'aria-hidden': 'true'}) : h('span', {class: 'swatch-none'}));

function bar(name, parts, key, most) {
	const whole = parts.reduce((n, r) => n + r[key], 0);
	const said = parts.map((r) => `${PARTS[r.part]} ${f.duration(r[key])}`).join(', ');
	return h('div', {class: 'stack-row'}, h('span', {class: 'stack-name'}, name),
		h('div', {class: 'stack', role: 'img', 'aria-label': `${name}: ${said}`}, parts.map((r) =>
			h('span', {class: `stack-part ${r.part}`, title: `${PARTS[r.part]}: ${f.duration(r[key])}`,
				style: {width: `${r[key] * 100 / most}%`}},
			h('span', {}, f.duration(r[key]))))),
		h('span', {class: 'stack-sum'}, f.duration(whole)));
}

function bars(doc) {
	const parts = WHOLE.map((part) => doc.split.find((r) => r.part === part)).filter(Boolean)
		.filter((r) => r.base_ns_per_cycle !== null && r.head_ns_per_cycle !== null);
	if (parts.length < WHOLE.length)
		return null;
	const sum = (key) => parts.reduce((n, r) => n + r[key], 0);
	const most = Math.max(sum('base_ns_per_cycle'), sum('head_ns_per_cycle')) || 1;
	return h('div', {class: 'stacks'}, bar('Base', parts, 'base_ns_per_cycle', most), bar('Head', parts, 'head_ns_per_cycle', most));
}

export function splitSection(doc) {
	if (!doc.split.length)
		return null;
	const unit = largestUnit(doc.split.map((r) => Math.max(r.base_ns_per_cycle ?? 0, r.head_ns_per_cycle ?? 0)));
	const plain = ({up, down, ...column}) => column;
	const columns = [
		{label: 'Part', head: true, class: 'part-name', cell: (r) => [swatch(r.part), PARTS[r.part] ?? r.part, narrowDelta(r)],
			title: (r) => r.what},
		sideColumn('Base', 'base', unit), sideColumn('Head', 'head', unit), {...deltaColumn(unit), label: 'Δ'},
		{label: 'Change', num: true, cell: (r) => f.changeOf(r.ratio)},
		{label: 'Class', cell: (r) => badge(r.verdict)},
		intervalColumn(doc.split, unit),
	].map(plain);
	return h('section', {'aria-labelledby': 'split'}, h('h2', {id: 'split'}, 'Where the cycle\'s time goes'),
		bars(doc) ?? '', table({caption: 'Time of a cycle', columns, rows: doc.split}).node);
}
