// operator_columns.js - columns that several tables of operators use, for a run and for the fleet:
// regimes, grades of S, attribution sources.

import {largestUnit} from './columns.js';
import {h} from './dom.js';
import * as f from './format.js';
import * as o from './operators.js';
import {table} from './table.js';

export function regimeMark(word) {
	if (!word) return h('span', {class: 'quiet', title: 'unknown: no roofline bound'}, f.NONE);
	const {letter, description} = o.REGIMES[word];
	return h(
		'span',
		{class: `regime by-${word}`, title: description},
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

function gradeMark(s, reason = 'unknown: no roofline bound') {
	const g = o.grade(s);
	if (!g) return h('span', {class: 'quiet', title: reason}, f.NONE);
	return h(
		'span',
		{class: `grade ${g.class}`, title: o.gradeText(s)},
		h('span', {class: 'class-mark', 'aria-hidden': 'true'}, g.mark),
		g.word,
	);
}

// The grade of a row. Collectives are not graded because they wait for other ranks. For a platform
// other than the run's own, S above 1 is possible and does not mean that the cost model is wrong.
function gradeOf(row, s) {
	if (row.collective) return gradeMark(null, 'not graded: the time includes waiting for other ranks');
	return row.against && s > 1
		? gradeMark(null, 'not graded: faster than the roofline bound of the other platform')
		: gradeMark(s, row.reason ?? undefined);
}

// S, and its grade in a column of its own.
export const sColumns = (key = 's', label = 'S') => [
	{
		label,
		num: true,
		down: 's',
		up: '-s',
		cell: (r) => o.share(r[key]),
		value: (r) => r[key],
		title: (r) =>
			r[key] === null || r[key] === undefined
				? (r.reason ?? 'unknown: no roofline bound')
				: `T_SOL / T = ${r[key]}${r.reason ? `; ${r.reason}` : ''}`,
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
	title: (r) => (r.ai === null || r.ai === undefined ? 'unknown: no cost model' : `${r.ai} FLOP per byte`),
});

// Why a row has no fleet-best.
export const noFleetBest = () =>
	'unknown: fewer than 20 calls, or of fewer than five runs, have this platform, operator, dtype, regime and size class';

// The fleet-best S, with a link to a run that reached it.
export const bestColumn = () => ({
	label: 'Fleet-best S',
	num: true,
	class: 'two-lines',
	down: 'best_efficiency',
	up: '-best_efficiency',
	value: (r) => r.best_efficiency,
	cell: (r) =>
		r.best_run
			? h(
					'a',
					{href: `/runs/${r.best_run}`, 'aria-label': `Run ${r.best_run} reached ${o.share(r.best_efficiency)}`},
					o.share(r.best_efficiency),
				)
			: o.share(r.best_efficiency),
	title: (r) =>
		r.best_efficiency === null || r.best_efficiency === undefined
			? noFleetBest(r)
			: `95th percentile of S over the fleet: ${r.best_efficiency}; ` +
				(r.best_run ? `reached by run ${r.best_run}` : 'the run that reached it was deleted'),
});

// The name of an operator; launches without an operator are unattributed.
export const operatorColumn = () => ({
	label: 'Operator',
	head: true,
	class: 'operator',
	up: 'name',
	down: '-name',
	title: (r) => r.description || null,
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

export const countColumn = (label, key, reason = 'unknown') => ({
	label,
	num: true,
	down: key,
	up: `-${key}`,
	cell: (r) => f.count(r[key]),
	title: (r) => (r[key] === null || r[key] === undefined ? reason : null),
	value: (r) => r[key],
});

// Attribution sources: the two largest parts; the details of a row list all of them.
export const sourceColumn = () => ({
	label: 'Attribution source',
	class: 'attribution',
	up: 'known',
	down: '-known',
	value: (r) => o.sourceParts(r)[0]?.[0] ?? null,
	cell: (r) => {
		const parts = o.sourceParts(r);
		const words = parts
			.slice(0, 2)
			.map(([source, , pct]) =>
				parts.length === 1 ? (source === 'not' ? 'none' : source) : `${source} ${o.shareOfPercent(pct)}`,
			);
		return words.length ? words.join(', ') + (parts.length > 2 ? ', …' : '') : f.NONE;
	},
	title: (r) =>
		o
			.sourceParts(r)
			.map(([source, , pct]) => `${o.shareOfPercent(pct)} ${o.SOURCES[source]}`)
			.join('; '),
});

export function sourceList(row) {
	const parts = o.sourceParts(row);
	return parts.length
		? h(
				'ul',
				{class: 'source-list'},
				parts.map(([source, ns, pct]) =>
					h(
						'li',
						{title: f.exact(ns)},
						h('span', {class: 'num'}, o.shareOfPercent(pct)),
						' ',
						o.SOURCES[source],
						' ',
						h('code', {class: 'quiet'}, source),
					),
				),
			)
		: null;
}

// The table of unattributed kernels, most GPU time first. Each kernel has a link that tests the
// rules with its name.

const testLink = (name) => `/catalog?${new URLSearchParams({tab: 'rules', test: name})}`;

export function kernelColumns(rows) {
	const unit = largestUnit(rows.map((r) => r.total_ns));
	return [
		{
			label: 'Kernel',
			head: true,
			class: 'kernel full',
			up: 'name',
			down: '-name',
			cell: (r) => [
				h('code', {}, r.name),
				r.names > 1
					? h('span', {class: 'quiet'}, ` and ${f.count(r.names - 1)} more with another number`)
					: null,
			],
			value: (r) => r.name,
		},
		{
			label: 'Family',
			class: 'family wide-only',
			cell: (r) => r.family ?? f.NONE,
			title: (r) => (r.family ? null : 'no naming rule matches this name'),
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
			cell: (r) => h('a', {href: testLink(r.name), 'aria-label': `Test rules for ${r.name}`}, 'Test rules'),
		},
	];
}

export function kernelList(rows, hint, more) {
	if (!rows.length) return h('p', {class: 'quiet'}, 'All kernels have an operator.');
	return h(
		'div',
		{class: 'part'},
		h('p', {class: 'hint'}, 'No annotation, host operator or naming rule identifies these kernels. ', hint ?? ''),
		table({caption: 'Unattributed kernels', columns: kernelColumns(rows), rows, tall: true}).node,
		more ?? '',
	);
}
