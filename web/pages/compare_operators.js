// compare_operators.js - the operators of a comparison with their functions, and functions folded
// over devices and ranks.

import {EVIDENCE} from '../lib/comparison.js';
import {typicalUnit} from '../lib/columns.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {table} from '../lib/table.js';
import {badge, deltaColumn, intervalColumn, narrowDelta, probabilityColumn, sideColumn} from './compare_columns.js';

const unitOf = (rows) =>
	typicalUnit(rows.map((r) => Math.max(r.base_ns_per_iteration ?? 0, r.head_ns_per_iteration ?? 0)));
const plain = ({up, down, ...column}) => column;

// "3.91 to 4.52 ms, slowest rank 2, GPU 0"
const spread = (s) =>
	s.slowest === null
		? f.NONE
		: `${f.duration(s.min_ns_per_iteration)} to ${f.duration(s.max_ns_per_iteration)}, slowest ${s.slowest}`;

// The rows of the table of functions: one for each function. `ranks` of a function on several
// devices or ranks are its items.
export const folded = (doc) =>
	doc.functions.map((fn) => {
		const items = fn.items.map((i) => doc.items[i]);
		const first = {...items[0], operator: fn.operator, operator_name: fn.operator_name};
		if (items.length === 1) return first;
		return {
			...first,
			...fn,
			head_device: null,
			base_mean_ns: null,
			head_mean_ns: null,
			base_beta_pct: null,
			head_beta_pct: null,
			resources: [],
			ranks: items,
		};
	});

// The items of a folded function. `detail` opens one of them.
export function rankTable(r, comparable, detail) {
	const unit = unitOf(r.ranks);
	const columns = [
		{label: 'Class', cell: (x) => [badge(x.verdict, comparable), narrowDelta(x)]},
		{label: 'Device', head: true, cell: (x) => x.device ?? f.NONE},
		deltaColumn(unit),
		intervalColumn(r.ranks, unit),
		sideColumn('Base', 'base', unit),
		sideColumn('Head', 'head', unit),
		probabilityColumn('p family', 'p_family', 'probability that chance alone changes at least one row by this much'),
	].map(plain);
	return h(
		'div',
		{class: 'callers'},
		h(
			'p',
			{class: 'quiet'},
			`The mean of the ranks, or the sum of the devices of one process. Base: ${spread(r.base_ranks)}. Head: ${spread(r.head_ranks)}.`,
		),
		table({caption: `Devices and ranks of ${r.distinct_name}`, columns, rows: r.ranks, detail}).node,
	);
}

// The functions of an operator, or of the operators of a group. A click shows a function in the
// table of functions.
function functionsOf(o, items, comparable, show) {
	const rows = o.functions.map((i) => items[i]);
	const unit = unitOf(rows);
	const columns = [
		{label: 'Class', cell: (r) => [badge(r.verdict, comparable), narrowDelta(r)]},
		{
			label: 'Function',
			head: true,
			class: 'kernel',
			title: (r) => r.head_function ?? r.function,
			cell: (r) =>
				h(
					'button',
					{type: 'button', class: 'open-row', on: {click: () => show(r)}},
					h('code', {}, r.head_distinct_name || r.distinct_name || r.function),
				),
		},
		o.inferred === null ? null : {label: 'Operator', cell: (r) => r.operator_name},
		{label: 'Device', cell: (r) => r.device ?? f.NONE},
		deltaColumn(unit),
		intervalColumn(rows, unit),
		sideColumn('Base', 'base', unit),
		sideColumn('Head', 'head', unit),
		{
			label: 'Ranks',
			cell: (r) => (r.ranks ? spread(r.head_ranks) : f.NONE),
			title: (r) => (r.ranks ? `base ${spread(r.base_ranks)}` : null),
		},
	]
		.filter(Boolean)
		.map(plain);
	return table({caption: `Functions of ${o.operator}`, columns, rows}).node;
}

const kernels = (o) =>
	o.base_kernels === null && o.head_kernels === null
		? null
		: h(
				'span',
				{class: 'quiet'},
				h('code', {}, o.base_kernels ?? 'none'),
				' → ',
				h('code', {}, o.head_kernels ?? 'none'),
			);

// "attention", and which operator of the group each side ran.
const groupCell = (o) => [
	`${o.operator} `,
	h(
		'span',
		{class: 'quiet', title: o.inferred},
		`inferred: ${o.base_operators.join(' + ')} → ${o.head_operators.join(' + ')}`,
	),
	' ',
	kernels(o),
];

function nameCell(o) {
	if (o.inferred !== null) return groupCell(o);
	return [
		o.shape === null ? o.operator : `${o.operator} `,
		o.shape === null ? '' : h('span', {class: 'quiet'}, o.shape),
		kernels(o) ? [' ', kernels(o)] : '',
	].flat();
}

// All operators; each opens to its functions. Null if no operator is known.
export function operatorSection(doc, functions) {
	if (!doc.operators.length) return null;
	const unit = unitOf(doc.operators);
	const columns = [
		{label: 'Class', cell: (o) => [badge(o.verdict, doc.comparable), narrowDelta(o)]},
		{label: 'Operator', head: true, class: 'kernel', cell: nameCell},
		deltaColumn(unit),
		intervalColumn(doc.operators, unit),
		sideColumn('Base', 'base', unit),
		sideColumn('Head', 'head', unit),
		{
			label: 'Evidence',
			cell: (o) => (o.evidence === 'none' ? f.NONE : o.evidence),
			title: (o) => EVIDENCE[o.evidence],
		},
		probabilityColumn(
			'p family',
			'p_family',
			'probability that chance alone changes at least one operator by this much',
		),
		probabilityColumn('q', 'q', 'false discovery rate over the operators'),
	].map(plain);
	const detail = {
		open: new Set(),
		name: (o) => o.operator,
		changed: () => {},
		fill: (o, place) =>
			place.append(
				o.inferred === null ? '' : h('p', {class: 'quiet'}, `${f.capital(o.inferred)}.`),
				o.also === null
					? ''
					: h('p', {class: 'quiet'}, `Its kernels also ran ${o.also}; their time is included.`),
				functionsOf(o, functions.items, doc.comparable, functions.show),
			),
	};
	return h(
		'section',
		{'aria-labelledby': 'operators'},
		h('h2', {id: 'operators'}, 'Operators'),
		table({caption: 'Operators', columns, rows: doc.operators, detail}).node,
	);
}
