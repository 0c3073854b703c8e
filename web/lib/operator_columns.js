// operator_columns.js - what the tables of operators share, of a run and of a
// fleet: letters of regimes, grades of S, how a row's operator is known.

import {largestUnit} from './columns.js';
import {h} from './dom.js';
import * as f from './format.js';
import * as o from './operators.js';
import {table} from './table.js';

export function regimeMark(word) {
	if (!word) return h('span', {class: 'quiet', title: 'unknown: no bound is known'}, f.NONE);
	const {letter, what} = o.REGIMES[word];
	return h(
		'span',
		{class: `regime by-${word}`, title: what},
		h('b', {}, letter),
		' ',
		h('span', {class: 'word'}, word),
	);
}

export const regimeColumn = () => ({
	label: 'Regime',
	up: 'regime',
	down: '-regime',
	cell: (r) => regimeMark(r.regime),
	value: (r) => r.regime,
});

function gradeMark(s, why = 'unknown: no bound is known') {
	const g = o.grade(s);
	if (!g) return h('span', {class: 'quiet', title: why}, f.NONE);
	return h(
		'span',
		{class: `grade ${g.class}`, title: g.what},
		h('span', {class: 'class-mark', 'aria-hidden': 'true'}, g.mark),
		g.word,
	);
}

// Whoever waits for others is not slow, and who beats another platform's bound
// breaks none of its own.
function gradeOf(row, s) {
	if (row.collective) return gradeMark(null, 'not graded: its time includes waiting for other ranks');
	return row.against && s > 1
		? gradeMark(null, 'not graded: faster here than the other platform could be')
		: gradeMark(s, row.why ?? undefined);
}

// S, and in a column of its own the word for it.
export const sColumns = (key = 's', label = 'S') => [
	{
		label,
		num: true,
		down: 's',
		up: '-s',
		cell: (r) => o.share(r[key]),
		value: (r) => r[key],
		title: (r) =>
			r[key] === null || r[key] === undefined ? (r.why ?? 'unknown: no bound is known') : `T_SOL / T = ${r[key]}`,
	},
	{label: 'Grade', cell: (r) => gradeOf(r, r[key]), value: (r) => r[key]},
];

export const aiColumn = () => ({
	label: 'AI',
	num: true,
	down: 'ai',
	up: '-ai',
	cell: (r) => o.intensity(r.ai),
	value: (r) => r.ai,
	title: (r) => (r.ai === null || r.ai === undefined ? 'unknown: cost is not known' : `${r.ai} FLOP per byte`),
});

// The name of an operator; the one without is what nobody knows.
export const operatorColumn = () => ({
	label: 'Operator',
	head: true,
	class: 'operator',
	up: 'name',
	down: '-name',
	title: (r) => r.what || null,
	cell: (r) =>
		r.operator === null
			? h('em', {}, o.UNATTRIBUTED)
			: [h('code', {}, r.operator), r.id ? h('span', {class: 'quiet'}, ` ${r.id}`) : null].filter(Boolean),
	value: (r) => r.operator,
});

export const textColumn = (label, key, unknown = 'unknown') => ({
	label,
	up: key,
	down: `-${key}`,
	cell: (r) => r[key] || f.NONE,
	title: (r) => (r[key] ? null : unknown),
	value: (r) => r[key],
});

export const countColumn = (label, key, why = 'unknown') => ({
	label,
	num: true,
	down: key,
	up: `-${key}`,
	cell: (r) => f.count(r[key]),
	title: (r) => (r[key] === null || r[key] === undefined ? why : null),
	value: (r) => r[key],
});

// What the time was known from: the two largest parts; all of them as a list
// where the row is opened.
export const sourceColumn = () => ({
	label: 'Known from',
	class: 'known',
	up: 'known',
	down: '-known',
	value: (r) => o.sourceParts(r)[0]?.[0] ?? null,
	cell: (r) => {
		const parts = o.sourceParts(r);
		const words = parts
			.slice(0, 2)
			.map(([word, , pct]) =>
				parts.length === 1 ? (word === 'not' ? 'nothing' : word) : `${word} ${o.shareOfPercent(pct)}`,
			);
		return words.length ? words.join(', ') + (parts.length > 2 ? ', …' : '') : f.NONE;
	},
	title: (r) =>
		o
			.sourceParts(r)
			.map(([word, , pct]) => `${o.shareOfPercent(pct)} ${o.SOURCES[word]}`)
			.join('; '),
});

export function sourceList(row) {
	const parts = o.sourceParts(row);
	return parts.length
		? h(
				'ul',
				{class: 'known-list'},
				parts.map(([word, ns, pct]) =>
					h(
						'li',
						{title: f.exact(ns)},
						h('span', {class: 'num'}, o.shareOfPercent(pct)),
						' ',
						o.SOURCES[word],
						' ',
						h('code', {class: 'quiet'}, word),
					),
				),
			)
		: null;
}

// Kernels that no rule knows, most time first, each with
// the way to ask the rules about its name.

const testLink = (name) => `/catalogue?${new URLSearchParams({tab: 'rules', test: name})}`;

export function kernelColumns(rows) {
	const unit = largestUnit(rows.map((r) => r.total_ns));
	return [
		{
			label: 'Kernel',
			head: true,
			class: 'kernel full',
			up: 'name',
			down: '-name',
			cell: (r) => h('code', {}, r.name),
			value: (r) => r.name,
		},
		{
			label: 'Family',
			class: 'family',
			cell: (r) => r.family ?? f.NONE,
			title: (r) => (r.family ? null : 'no rule knows this name'),
		},
		{
			label: 'Total',
			unit,
			num: true,
			down: 'total',
			up: '-total',
			cell: (r) => f.inUnit(r.total_ns, unit),
			title: (r) => f.exact(r.total_ns),
			value: (r) => r.total_ns,
		},
		{
			label: 'Launches',
			num: true,
			down: 'launches',
			up: '-launches',
			cell: (r) => f.count(r.launches),
			value: (r) => r.launches,
		},
		...(rows.some((r) => r.runs > 1)
			? [
					{
						label: 'Runs',
						num: true,
						down: 'runs',
						up: '-runs',
						cell: (r) => f.count(r.runs),
						value: (r) => r.runs,
					},
				]
			: []),
		{
			label: 'Rules',
			cell: (r) => h('a', {href: testLink(r.name), 'aria-label': `which rule? for ${r.name}`}, 'which rule?'),
		},
	];
}

export function kernelList(rows, hint) {
	if (!rows.length) return h('p', {class: 'quiet'}, 'No kernel is without an operator.');
	return h(
		'div',
		{class: 'part'},
		h('p', {class: 'hint'}, 'No annotation, operator or rule tells what these kernels do. ', hint ?? ''),
		table({caption: 'Unattributed kernels', columns: kernelColumns(rows), rows, tall: true}).node,
	);
}
