// chart_layers.js - the layers of an iteration as bars, one per layer, stacked by block. A
// block has a color and a hatching, because color alone is not accessible.

import {s} from './chart.js';
import {duration, inUnit, NONE, plural, UNITS} from '../lib/format.js';
import {axis, axisUnit, tickTexts} from './scale.js';

const LEFT = 46;
const RIGHT = 4;
const TOP = 22;
const PLOT = 170;
const BOTTOM = 34;
const TILE = 6;

// Hatching lines in a tile of 6 pixels; the first block has none.
const HATCHES = {
	norm: 'M0 3h6',
	gate: 'M1.5 1.5h.01M4.5 4.5h.01',
	moe: 'M0 0l6 6M-1 5l2 2M5 -1l2 2',
	shared: 'M0 0l6 6M6 0l-6 6',
	mlp: 'M0 6l6 -6M-1 1l2 -2M5 7l2 -2',
	communication: 'M3 0v6',
	embedding: 'M0 1.5h6M0 4.5h6',
	head: 'M1.5 0v6M4.5 0v6',
	sampling: 'M0 3h6M3 0v6',
	other: 'M3 3h.01',
};

const text = (x, y, anchor, content, name) => s('text', {x, y, 'text-anchor': anchor, class: name}, content);
const line = (x1, y1, x2, y2, name) => s('line', {x1, y1, x2, y2, class: name});

const tile = (id, kind) =>
	s(
		'pattern',
		{id, width: TILE, height: TILE, patternUnits: 'userSpaceOnUse'},
		s('path', {d: HATCHES[kind], class: 'hatch'}),
	);
let drawn = 0;

// An area in the color of a block, with its hatching on top.
export function filled(kind, d) {
	const id = `hatch-${++drawn}`;
	return [
		s('path', {d, class: `block ${kind}`}),
		...(HATCHES[kind] ? [s('defs', {}, tile(id, kind)), s('path', {d, fill: `url(#${id})`})] : []),
	];
}

// A small square next to a block's name, with the color and the hatching of the block.
export const swatch = (kind) =>
	s('svg', {class: 'block-swatch', viewBox: '0 0 12 12', 'aria-hidden': 'true'}, filled(kind, 'M0 0h12v12h-12z'));

const layerText = (bar) =>
	`layer ${bar.layer}${bar.name ? `, ${bar.name}` : ''}: ${duration(bar.ns)}, ` +
	bar.parts.map((p) => `${p.kind} ${duration(p.ns)}`).join(', ');

// Returns draw(width) for chart.js; layers.js makes the bars.
export function layerBars(bars, kinds) {
	return (width) => {
		const a = axis(
			bars.map((bar) => bar.ns),
			{maxTicks: 4, zero: true},
		);
		const unit = axisUnit(Math.max(...a.ticks));
		const texts = tickTexts(a.ticks, UNITS[unit]);
		const y = (ns) => TOP + PLOT * (1 - a.at(ns));
		const step = (width - LEFT - RIGHT) / bars.length;
		const gap = step > 12 ? 3 : step > 4 ? 1 : 0.25;
		const wide = Math.min(48, step - gap);
		const x = (i) => LEFT + step * i + (step - wide) / 2;
		const nodes = [text(0, 11, 'start', unit, 'axis')];
		a.ticks.forEach((v, i) =>
			nodes.push(
				line(LEFT, y(v), width - RIGHT, y(v), 'grid'),
				text(LEFT - 6, y(v) + 4, 'end', texts[i], 'axis'),
			),
		);
		const paths = new Map(kinds.map((kind) => [kind, '']));
		const points = bars.map((bar, i) => {
			let from = 0;
			for (const {kind, ns} of bar.parts) {
				const [low, high] = [y(from), y(from + ns)];
				// One pixel of background between two blocks.
				const seam = from && low - high > 2 ? 1 : 0;
				paths.set(
					kind,
					paths.get(kind) +
						`M${x(i).toFixed(2)} ${(low - seam).toFixed(2)}h${wide.toFixed(2)}` +
						`V${high.toFixed(2)}h${(-wide).toFixed(2)}z`,
				);
				from += ns;
			}
			return {x: x(i) + wide / 2, y: y(bar.ns), text: layerText(bar)};
		});
		for (const [kind, d] of paths) nodes.push(...filled(kind, d));
		const every = Math.ceil(26 / step);
		bars.forEach(
			(bar, i) =>
				i % every || nodes.push(text(x(i) + wide / 2, TOP + PLOT + 14, 'middle', String(bar.layer), 'axis')),
		);
		nodes.push(
			line(LEFT, TOP + PLOT, width - RIGHT, TOP + PLOT, 'floor'),
			text(width - RIGHT, TOP + PLOT + 30, 'end', `${plural(bars.length, 'layer')} per iteration →`, 'axis'),
		);
		return {
			height: TOP + PLOT + BOTTOM,
			nodes,
			points,
			find: (px) => points[Math.floor((px - LEFT) / step)] ?? null,
		};
	};
}

// The data of the chart as columns of a table.
export function layerColumns(bars, kinds) {
	const unit = axisUnit(Math.max(...bars.map((bar) => bar.ns), 0));
	const of = (bar, kind) => bar.parts.find((p) => p.kind === kind)?.ns ?? null;
	const exact = (ns) => (ns === null ? 'not in this layer' : `${inUnit(ns, 'ns')} ns`);
	return [
		{label: 'Layer', head: true, num: true, cell: (bar) => String(bar.layer)},
		...(bars.some((bar) => bar.name) ? [{label: 'Layer kind', cell: (bar) => bar.name ?? NONE}] : []),
		...kinds.map((kind) => ({
			label: kind,
			unit,
			num: true,
			cell: (bar) => inUnit(of(bar, kind), unit),
			title: (bar) => exact(of(bar, kind)),
		})),
		{label: 'Total', unit, num: true, cell: (bar) => inUnit(bar.ns, unit), title: (bar) => exact(bar.ns)},
	];
}
