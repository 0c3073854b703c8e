// chart_iterations.js - draws values of single iterations as charts: in their order, and by value.
// Each iteration is a dot. The module computes no statistics; the caller gives the lines to draw.
//
// A side: {label, class, points: [{value, run, number, use}], lines: [{value, label}]}. Points
// without a value are omitted.

import {dots, s} from './chart.js';
import {plural, UNITS} from '../lib/format.js';
import {axis, axisUnit, dotStacks, tickTexts} from './scale.js';

const LEFT = 52;
const RIGHT = 10;
const TOP = 22;
const BOTTOM = 30;
const GAP = 14;
const PLOT = 150;
const STRIP = 72;

const known = (side) => side.points.filter((p) => p.value !== null && Number.isFinite(p.value));
const text = (x, y, anchor, content, name) => s('text', {x, y, 'text-anchor': anchor, class: name}, content);
const line = (x1, y1, x2, y2, name) => s('line', {x1, y1, x2, y2, class: name});

// The values of all sides on one axis, in `unit` or, if it is not given, in a unit of time.
// Excluded iterations do not stretch the axis.
function scaleOf(sides, unit, maxTicks) {
	const all = sides.flatMap(known);
	const kept = all.filter((p) => (p.use ?? 'kept') === 'kept');
	const values = [
		...(kept.length ? kept : all).map((p) => p.value),
		...sides.flatMap((side) => (side.lines ?? []).map((l) => l.value)),
	];
	const a = axis(values, {maxTicks});
	const named = unit ?? axisUnit(Math.max(...a.ticks.map(Math.abs)));
	return {...a, unit: named, texts: tickTexts(a.ticks, UNITS[named] ?? 1)};
}

const LOG_SCALE = 'log scale';

// Draws dots as one path. They are larger if there are few, and hollow if the iteration is
// excluded.
function dotPaths(points, name, few) {
	const excluded = points.filter((p) => (p.use ?? 'kept') !== 'kept');
	const kept = dots(points.filter((p) => (p.use ?? 'kept') === 'kept'));
	return [
		s('path', {class: `dots ${name}${few ? ' few' : ''}`, d: kept}),
		excluded.length ? s('path', {class: 'dots excluded', d: dots(excluded)}) : null,
		excluded.length ? s('path', {class: 'dots hole', d: dots(excluded)}) : null,
	].filter(Boolean);
}

// Lines where one run ends and the next begins.
function runBoundaries(points, to, y1, y2) {
	const out = [];
	points.forEach((p, i) => {
		if (i && p.run !== points[i - 1].run) out.push(line(to(i - 0.5), y1, to(i - 0.5), y2, 'seam'));
	});
	return out;
}

// Iterations in their order: one panel per side, all on one axis.
export function inOrder(sides, {unit, describe}) {
	return (width) => {
		const a = scaleOf(sides, unit, 5);
		// Values beyond the axis are drawn at its edge.
		const y = (v) => TOP + PLOT * (1 - Math.max(0, Math.min(1, a.at(v))));
		const total = sides.reduce((n, side) => n + Math.max(known(side).length, 1), 0);
		const room = width - LEFT - RIGHT - GAP * (sides.length - 1);
		const nodes = [
			text(0, 11, 'start', a.unit, 'axis'),
			a.log ? text(0, TOP + PLOT + 16, 'start', LOG_SCALE, 'axis') : null,
		].filter(Boolean);
		const points = [];
		a.ticks.forEach((v, i) =>
			nodes.push(
				line(LEFT, y(v), width - RIGHT, y(v), 'grid'),
				text(LEFT - 6, y(v) + 4, 'end', a.texts[i], 'axis'),
			),
		);
		let from = LEFT;
		for (const side of sides) {
			const list = known(side);
			// A side's width depends on its number of points, with a minimum.
			const share = Math.max(0.25, Math.min(0.75, list.length / total));
			const wide = sides.length === 1 ? room : room * share;
			const step = wide / Math.max(list.length, 1);
			const to = (i) => from + step * (i + 0.5);
			nodes.push(
				s('rect', {x: from, y: TOP, width: wide, height: PLOT, class: 'panel-ground'}),
				text(from, 11, 'start', side.label, `side ${side.class}`),
			);
			nodes.push(...runBoundaries(list, to, TOP, TOP + PLOT));
			for (const l of side.lines ?? [])
				if (Number.isFinite(l.value))
					nodes.push(line(from, y(l.value), from + wide, y(l.value), `mean ${side.class}`));
			const placed = list.map((p, i) => ({...p, x: to(i), y: y(p.value), text: describe(side, p)}));
			nodes.push(...dotPaths(placed, side.class, step > 9));
			nodes.push(
				text(
					from + wide,
					TOP + PLOT + 16,
					'end',
					list.length === 1 ? '1 iteration' : `${plural(list.length, 'iteration')} →`,
					'axis',
				),
			);
			points.push(...placed);
			from += wide + GAP;
		}
		return {height: TOP + PLOT + BOTTOM - 8, nodes, points};
	};
}

// Iterations by value: one strip per side, with equal values stacked. All strips have one axis.
export function byValue(sides, {unit, describe}) {
	return (width) => {
		const a = scaleOf(sides, unit, Math.max(3, Math.floor(width / 110)));
		const x = (v) => LEFT / 4 + (width - LEFT / 4 - RIGHT) * a.at(v);
		const bottom = TOP + sides.length * (STRIP + GAP) - GAP;
		const nodes = [];
		const points = [];
		a.ticks.forEach((v, i) =>
			nodes.push(
				line(x(v), TOP - 6, x(v), bottom, 'grid'),
				text(
					x(v),
					bottom + 16,
					'middle',
					i === a.ticks.length - 1 ? `${a.texts[i]} ${a.unit}` : a.texts[i],
					'axis',
				),
			),
		);
		if (a.log) nodes.push(text(width - RIGHT, 11, 'end', LOG_SCALE, 'axis'));
		sides.forEach((side, strip) => {
			const floor = TOP + (strip + 1) * STRIP + strip * GAP;
			const list = known(side);
			const stacked = dotStacks(
				list.map((p) => x(p.value)),
				5,
			);
			const tallest = stacked.reduce((n, d) => Math.max(n, d.n), 0);
			const step = Math.min(5.5, (STRIP - 22) / Math.max(tallest, 1));
			const placed = list.map((p, i) => ({
				...p,
				x: stacked[i].x,
				y: floor - 4 - stacked[i].n * step,
				text: describe(side, p),
			}));
			nodes.push(
				line(0, floor, width - RIGHT, floor, 'floor'),
				text(
					0,
					floor - STRIP + 12,
					'start',
					`${side.label}, ${plural(list.length, 'iteration')}`,
					`side ${side.class}`,
				),
			);
			nodes.push(...dotPaths(placed, side.class));
			for (const l of side.lines ?? [])
				if (Number.isFinite(l.value))
					nodes.push(line(x(l.value), floor - STRIP + 16, x(l.value), floor + 4, `mean ${side.class}`));
			points.push(...placed);
		});
		return {height: bottom + 24, nodes, points};
	};
}
