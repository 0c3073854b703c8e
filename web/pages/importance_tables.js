// importance_columns.js - the columns of the three tables of what matters, each
// cell written as the published pages write it.

import {h} from '../dom.js';
import * as f from '../format.js';
import * as o from '../operators.js';
import {aiColumn, countColumn, operatorColumn, regimeColumn, sColumns, textColumn} from './operator_columns.js';

const LEAST = 'the least time it can take';
const MEDIAN = 'median of what was measured';
const MEAN = 'mean call of what was measured';

const unknown = (x) => x === null || x === undefined;

const shareColumn = (label, key, what, unit) => ({label, unit, num: true, down: key, up: `-${key}`, value: (r) => r[key], cell: (r) => o.share(r[key]),
	title: (r) => (unknown(r[key]) ? 'unknown' : `${what}: ${r[key]}`)});

const percentColumn = (label, key, what) => ({label, num: true, down: key, up: `-${key}`, value: (r) => r[key], cell: (r) => o.shareOfPercent(r[key]),
	title: (r) => (unknown(r[key]) ? 'unknown' : `${what}: ${r[key]} %`)});

// A bar as long as the importance, on a scale that all rows share.
function importanceColumn(most, weight) {
	return {label: 'Importance', num: true, down: 'importance', up: '-importance', class: 'importance', value: (r) => r.importance,
		title: (r) => (unknown(r.importance) ? 'unknown' : `${o.WEIGHTS[weight] ?? ''}: ${r.importance}`),
		cell: (r) => h('span', {class: 'share', style: {'--share': `${100 * (r.importance ?? 0) / most}%`}}, o.share(r.importance))};
}

// The interval in figures, and as a whisker on the scale of the bars.
function intervalColumn(most, why) {
	return {label: '95% interval', num: true, class: 'interval', cell: (r) => (unknown(r.low) ? f.NONE : [`${o.share(r.low)} … ${o.share(r.high)}`,
		h('span', {class: 'spread', 'aria-hidden': 'true', style: {'--from': `${100 * r.low / most}%`,
			'--wide': `${100 * (r.high - r.low) / most}%`, '--at': `${100 * r.importance / most}%`}})]),
	title: (r) => (unknown(r.low) ? why ?? 'unknown' : `${r.low} to ${r.high}`)};
}

// A column that no row has a value in is left out of what was published:
// nobody measured it there.
const told = (doc) => (column) => !doc.set || !column.value || doc.items.some((r) => !unknown(column.value(r)));

// Several types may go on in the next line, but none is broken.
const typeNames = (r) => (r.dtype ? r.dtype.split('/').flatMap((name, i) => (i ? ['/', h('wbr'), name] : [name])) : f.NONE);
// A set's word for what serves both, written as a fleet's phases are.
const phaseNames = (r) => (r.phase === 'both' ? 'prefill/decode' : r.phase ?? f.NONE);

export function generalColumns(doc) {
	const most = doc.items.reduce((n, r) => Math.max(n, r.importance ?? 0, r.high ?? 0), 0) || 1;
	return [
		operatorColumn(), {...textColumn('dtype', 'dtype'), class: 'wraps', cell: typeNames}, {...textColumn('Phase', 'phase'), cell: phaseNames}, countColumn('Shapes', 'shapes'),
		importanceColumn(most, doc.weight),
		...(doc.items.some((r) => !unknown(r.low)) ? [intervalColumn(most, doc.interval_why)] : []),
		...[shareColumn('w_time', 'w_time', o.WEIGHTS.time), shareColumn('w_mean', 'w_mean', o.WEIGHTS.mean),
			shareColumn('w_present', 'w_present', o.WEIGHTS.present), {...shareColumn('Prevalence', 'prevalence'), title: (r) => `${f.count(r.runs)} of ${f.plural(doc.runs, doc.set ? 'profile' : 'run')}`},
			{...shareColumn('Headroom', 'headroom', 'share of the fleet\'s GPU time that perfect kernels would free'),
				title: (r) => (unknown(r.headroom) ? (r.collective ? 'not reckoned: its time includes waiting for other ranks' : 'unknown: no bound is known')
					: `share of all GPU time that perfect kernels would free: ${r.headroom}`)},
			percentColumn('Sized', 'sized_pct', 'share of its time whose sizes are known'),
			percentColumn('Bound', 'bound_pct', 'share of its time whose least time is known')].filter(told(doc)),
	];
}

// A shape that runs had is of one platform, and its times are of that.
const ownTime = (label, key, text, what) => ({label, num: true, down: key, up: `-${key}`, cell: (r) => text(r[key]?.[r.platform]),
	value: (r) => r[key]?.[r.platform] ?? null, title: (r) => (unknown(r[key]?.[r.platform]) ? r.why ?? 'unknown' : `${what}: ${r[key][r.platform]} us on ${r.platform}`)});

const timeColumn = (label, key, platform, text, what) => ({label, unit: platform, num: true, down: `${key}.${platform}`, up: `-${key}.${platform}`,
	cell: (r) => text(r[key]?.[platform]), value: (r) => r[key]?.[platform] ?? null,
	title: (r) => (unknown(r[key]?.[platform]) ? 'unknown' : `${what}: ${r[key][platform]} us`)});

export const solColumns = (platforms) => platforms.map((p) => timeColumn('T_SOL', 't_sol_us', p, o.bound, LEAST));
export const prodColumns = (platforms, what = MEDIAN) => platforms.map((p) => timeColumn('T_prod', 't_prod_us', p, o.measured, what));

// Of all platforms those that any of these rows has a time on.
export const timed = (rows, platforms, key) => platforms.filter((p) => rows.some((r) => !unknown(r[key]?.[p])));

export const namesOf = (doc) => doc.platforms.map((p) => p.name);

export function rooflineColumns(doc) {
	const names = namesOf(doc);
	return [operatorColumn(), regimeColumn(), aiColumn(), ...sColumns().filter(told(doc)), ...solColumns(timed(doc.items, names, 't_sol_us')),
		...prodColumns(timed(doc.items, names, 't_prod_us'), doc.set ? MEDIAN : MEAN)];
}

// Of a set the median of its shapes' S, of a fleet the S of all their time.
export function shapesColumns(doc) {
	return [operatorColumn(), countColumn('Shapes', 'shapes'), ...(doc.set ? sColumns('s_median', 'S (median)') : sColumns())];
}

export function shapeColumns(rows, names, collective) {
	const has = (key) => rows.some((r) => !unknown(r[key]));
	// What all of them share is told above the table.
	const varied = (key) => new Set(rows.map((r) => r[key])).size > 1;
	return [
		{label: 'Shape', head: true, class: 'shape', up: 'name', down: '-name', cell: (r) => o.shapeName(r), value: (r) => o.shapeName(r)},
		...sColumns(),
		...(has('platform') ? [textColumn('Platform', 'platform')] : []),
		...(varied('dtype') ? [textColumn('dtype', 'dtype')] : []), ...(varied('phase') ? [textColumn('Phase', 'phase')] : []),
		...(has('share') ? [shareColumn('Share', 'share', collective ? 'share of the operator\'s time, waiting included' : 'share of the operator\'s time')] : []),
		countColumn('Calls', 'calls'), ...(has('runs') ? [countColumn('Runs', 'runs')] : []),
		...(has('platform') ? [ownTime('T_prod', 't_prod_us', o.measured, MEDIAN), ownTime('T_SOL', 't_sol_us', o.bound, LEAST)]
			: [...prodColumns(timed(rows, names, 't_prod_us')), ...solColumns(timed(rows, names, 't_sol_us'))]),
		regimeColumn(), aiColumn(),
		{label: 'W', num: true, down: 'w', up: '-w', value: o.flopsOf, cell: (r) => o.amount(o.flopsOf(r), 'FLOP'),
			title: (r) => (r.flops ? Object.entries(r.flops).map(([d, n]) => `${d} ${f.count(n)}`).join(', ') || 'no floating-point work' : 'unknown')},
		{label: 'Q', num: true, down: 'q', up: '-q', value: o.bytesOf, cell: (r) => o.amount(o.bytesOf(r), 'B'),
			title: (r) => (o.bytesOf(r) === null ? 'unknown' : `reads ${f.count(r.read_bytes)}, writes ${f.count(r.write_bytes)} bytes`)},
	];
}
