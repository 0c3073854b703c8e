// importance_plot.js - the roofline of the operators, or of one operator's
// shapes, on one platform: who is drawn, who cannot be and why.

import {chart} from '../chart.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import * as o from '../operators.js';
import {roofline, roofsOf} from '../roofline_chart.js';
import {namesOf} from './importance_columns.js';
import {regimeMark} from './operator_columns.js';

const positive = (n) => Number.isFinite(n) && n > 0;

function operatorPoint(row, platform) {
	return {row, name: o.nameOf(row), ai: row.ai, flops: row.attained_flops?.[platform], weight: row.importance, regime: row.regime, s: row.s,
		dtypes: row.dtype ? row.dtype.split('/') : []};
}

function shapePoint(row, platform) {
	const us = row.t_prod_us?.[platform];
	const flops = o.flopsOf(row);
	return {row, name: row.description ? `#${row.shape_id}` : row.shape ?? 'sizes unknown', ai: row.ai, flops: positive(us) && flops !== null ? flops * 1e6 / us : null,
		weight: row.share ?? row.calls, regime: row.regime, s: row.s, dtypes: Object.keys(row.flops ?? {}).filter((d) => row.flops[d] > 0), full: o.shapeName(row)};
}

const told = (p, weight) => `${p.full ?? p.name}: ${o.intensity(p.ai)} FLOP per byte, attained ${o.amount(p.flops, 'FLOP/s')}`
	+ `${p.s === null || p.s === undefined ? '' : `, S ${o.share(p.s)}`}, ${weight(p)}`;

const COLUMNS = [
	{label: 'Name', head: true, class: 'shape', cell: (p) => p.full ?? p.name},
	{label: 'Regime', cell: (p) => regimeMark(p.regime)},
	{label: 'AI', num: true, cell: (p) => o.intensity(p.ai), title: (p) => `${p.ai} FLOP per byte`},
	{label: 'Attained', num: true, cell: (p) => o.amount(p.flops, 'FLOP/s'), title: (p) => `${p.flops} FLOP/s`},
	{label: 'S', num: true, cell: (p) => o.share(p.s)},
];

// Who is not in the drawing, in a sentence.
function absent(all, platform, what) {
	const still = all.filter((p) => p.ai === 0);
	const others = all.filter((p) => p.ai !== 0 && !(positive(p.ai) && positive(p.flops)));
	const names = (list) => `${list.slice(0, 6).map((p) => p.name).join(', ')}${list.length > 6 ? ', …' : ''}`;
	return [still.length ? `${f.plural(still.length, what)} without floating-point work ${still.length === 1 ? 'has' : 'have'} no place in it: ${names(still)}. ` : '',
		others.length ? `${f.plural(others.length, what)} ${others.length === 1 ? 'is' : 'are'} not drawn, for want of a known cost or of a time on ${platform}: ${names(others)}.` : ''].join('');
}

const legend = () => h('p', {class: 'hint legend'}, h('span', {class: 'dot compute', 'aria-hidden': 'true'}), 'compute-bound ',
	h('span', {class: 'dot memory', 'aria-hidden': 'true'}), 'memory-bound. The larger, the more important. Lines are what the platform can do at most.');

// On which platform: the one asked for, else the one with most rows timed.
function platformOf(doc, asked) {
	const timed = (p) => doc.items.filter((r) => positive(r.attained_flops?.[p])).length;
	const names = namesOf(doc);
	return names.includes(asked) ? asked : names.reduce((best, p) => (best === undefined || timed(p) > timed(best) ? p : best), undefined);
}

// `one` answers the row whose shapes are drawn, or nothing; draw() draws anew.
export function plot(doc, {asked, one, shapes, all, changed}) {
	let name = platformOf(doc, asked);
	const place = h('div', {class: 'part'});
	const select = h('select', {'aria-label': 'Platform of the roofline', on: {change: (e) => { name = e.target.value; changed(); draw(); }}},
		namesOf(doc).map((p) => h('option', {value: p, selected: p === name}, p)));
	const back = h('button', {type: 'button', on: {click: all}}, 'All operators');
	const head = h('h2', {id: 'roofline'});

	function draw() {
		const row = one();
		const rows = row && shapes(row);
		const platform = doc.platforms.find((p) => p.name === name);
		const points = (rows ?? doc.items.filter((r) => r.operator !== null)).map((r) => (rows ? shapePoint : operatorPoint)(r, name));
		const drawn = points.filter((p) => positive(p.ai) && positive(p.flops));
		const what = rows ? 'shape' : 'operator';
		head.textContent = rows ? `Roofline of the shapes of ${row.operator}` : 'Roofline';
		back.hidden = !rows;
		const weight = rows ? (p) => (p.row.share === null || p.row.share === undefined ? f.plural(p.row.calls ?? 0, 'call') : `${o.share(p.row.share)} of its time`)
			: (p) => `importance ${o.share(p.weight)}`;
		if (!drawn.length || !positive(platform?.bytes_per_s)) {
			place.replaceChildren(h('p', {class: 'quiet'}, doc.platforms.length ? `Nothing to draw on ${name}: ` : 'Nothing to draw: ', drawn.length ? 'its bandwidth is not known.'
				: 'no cost and time of one platform are known together.'));
			return;
		}
		const dtypes = new Set(drawn.flatMap((p) => p.dtypes));
		const some = roofsOf(platform, dtypes);
		place.replaceChildren(chart({
			caption: `${name}: ${o.amount(platform.bytes_per_s, 'B/s')}${platform.source ? `, figures from ${platform.source}` : ''}`,
			label: `Roofline on ${name}: ${f.plural(drawn.length, what)} by arithmetic intensity and attained FLOP per second; the table The numbers has them all`,
			hint: `Each mark is one ${what}; point at it, or open the numbers.`,
			draw: roofline({points: drawn.map((p) => ({...p, text: told(p, weight)})), roofs: some.length ? some : roofsOf(platform), bandwidth: platform.bytes_per_s}),
			columns: [...COLUMNS, {label: rows ? 'Share' : 'Importance', num: true, cell: (p) => (rows ? weight(p) : o.share(p.weight))}], rows: drawn}),
		legend(), h('p', {class: 'hint'}, absent(points, name, what)));
	}

	draw();
	return {draw, name: () => name, node: h('section', {'aria-labelledby': 'roofline', class: 'roofline'},
		h('div', {class: 'toolbar'}, head, back, name === undefined ? '' : h('label', {class: 'check'}, h('span', {'aria-hidden': 'true'}, 'Platform'), select)), place)};
}
