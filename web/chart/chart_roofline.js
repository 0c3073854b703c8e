// chart_roofline.js - the roofline chart: attained FLOP/s over arithmetic intensity, both on log
// scales, with the peaks of one platform. The module computes only positions.

import {s} from './chart.js';
import {amount, intensity} from '../lib/operators.js';
import {magnitudes} from './scale.js';

const TOP = 24;
const RIGHT = 12;
const BOTTOM = 40;
const LETTER_PX = 6.1;
const LINE_PX = 13;

const text = (x, y, anchor, content, name) => s('text', {x, y, 'text-anchor': anchor, class: name}, content);
const line = (x1, y1, x2, y2, name) => s('line', {x1, y1, x2, y2, class: name});

// Equal peaks share one line: [{peak, label}], highest first.
export function roofsOf(platform, dtypes) {
	const known = Object.entries(platform.peak_flops ?? {}).filter(
		([dtype, peak]) => peak > 0 && (!dtypes || dtypes.has(dtype)),
	);
	const byPeak = new Map();
	for (const [dtype, peak] of known) byPeak.set(peak, [...(byPeak.get(peak) ?? []), dtype]);
	return [...byPeak]
		.sort((a, b) => b[0] - a[0])
		.map(([peak, names]) => ({peak, label: `${names.join(', ')} ${amount(peak, 'FLOP/s')}`}));
}

// The range of both axes: it contains all points and ridges, with some margin.
function plane(points, roofs, bandwidth, width, height) {
	const ridges = roofs.map((r) => r.peak / bandwidth);
	const xs = [...points.map((p) => p.ai), ...ridges];
	const lowX = Math.min(...xs, Infinity) / 3;
	const highX = Math.max(...xs) * 6;
	const ys = [...points.map((p) => p.flops), ...roofs.map((r) => r.peak)];
	const lowY = Math.min(...ys) / 3;
	const highY = Math.max(...ys) * 3;
	return {
		x: magnitudes(lowX, highX, Math.max(3, Math.floor(width / 70))),
		y: magnitudes(lowY, highY, Math.max(3, Math.floor(height / 40))),
	};
}

// Writes names next to the largest points, if a name overlaps nothing and fits into the drawing.
// `taken` are the boxes that are already used.
function labels(points, taken, maxLabels, right) {
	const out = [];
	const free = (b) => taken.every((t) => b.x2 < t.x1 || b.x1 > t.x2 || b.y2 < t.y1 || b.y1 > t.y2);
	for (const p of points.slice(0, maxLabels)) {
		const wide = p.name.length * LETTER_PX;
		const places = [
			[p.x + p.r + 3, p.y + 4, 'start', 0],
			[p.x - p.r - 3, p.y + 4, 'end', -wide],
			[p.x, p.y - p.r - 4, 'middle', -wide / 2],
			[p.x, p.y + p.r + LINE_PX - 1, 'middle', -wide / 2],
		];
		for (const [x, y, anchor, shift] of places) {
			const box = {x1: x + shift, x2: x + shift + wide, y1: y - LINE_PX + 3, y2: y + 3};
			if (box.x1 < 2 || box.x2 > right || !free(box)) continue;
			taken.push(box);
			out.push(text(x, y, anchor, p.name, 'point-name'));
			break;
		}
	}
	return out;
}

// Memory-bound points are squares, because color alone is not accessible.
function mark(p) {
	const name = `point ${p.regime ?? 'unknown'}`;
	return p.regime === 'memory'
		? s('rect', {x: p.x - p.r * 0.9, y: p.y - p.r * 0.9, width: p.r * 1.8, height: p.r * 1.8, class: name})
		: s('circle', {cx: p.x, cy: p.y, r: p.r, class: name});
}

// Draws the lines of the peaks with their names above, moved apart if they are close. The boxes of
// the names are added to `taken`.
function roofLines(roofs, bandwidth, at, right, taken) {
	const nodes = [];
	let last = -Infinity;
	for (const {peak, label} of roofs) {
		const y = at.y(peak);
		const ridge = at.x(peak / bandwidth);
		last = Math.max(y - 5, last + LINE_PX);
		nodes.push(line(ridge, y, right, y, 'roof'), text(right, last, 'end', label, 'roof-name'));
		taken.push({x1: right - label.length * LETTER_PX, x2: right, y1: last - LINE_PX + 3, y2: last + 3});
	}
	return nodes;
}

// Returns draw(width) for chart.js. Points: {ai, flops, weight, regime, name, text}. `bandwidth` is
// in bytes per second.
export function roofline({points, roofs, bandwidth}) {
	return (width) => {
		const narrow = width < 480;
		const height = narrow ? 300 : 400;
		const left = narrow ? 40 : 52;
		const right = width - RIGHT;
		const p = plane(points, roofs, bandwidth, right - left, height - TOP - BOTTOM);
		const at = {
			x: (v) => left + (right - left) * p.x.at(v),
			y: (v) => TOP + (height - TOP - BOTTOM) * (1 - p.y.at(v)),
		};
		const floor = height - BOTTOM;
		const nodes = [
			text(0, 11, 'start', 'attained, FLOP/s', 'axis'),
			text(right, height - 4, 'end', 'arithmetic intensity, FLOP per byte', 'axis'),
			s('rect', {x: left, y: TOP, width: right - left, height: floor - TOP, class: 'panel-ground'}),
		];
		for (const v of p.y.ticks)
			nodes.push(
				line(left, at.y(v), right, at.y(v), 'grid'),
				text(left - 6, at.y(v) + 4, 'end', amount(v, '').replace(/\.0+ /, ' ').trim(), 'axis'),
			);
		for (const v of p.x.ticks)
			nodes.push(
				line(at.x(v), TOP, at.x(v), floor, 'grid'),
				text(at.x(v), floor + 16, 'middle', v >= 1000 ? intensity(v).replace('.0', '') : String(v), 'axis'),
			);

		const taken = [];
		const top = roofs[0]?.peak ?? p.y.high;
		// Where the slope enters the drawing, from the left or from below.
		const from = Math.max(p.x.low, p.y.low / bandwidth);
		nodes.push(line(at.x(from), at.y(from * bandwidth), at.x(top / bandwidth), at.y(top), 'roof slope'));
		nodes.push(...roofLines(roofs, bandwidth, at, right, taken));
		const slope = amount(bandwidth, 'B/s');
		nodes.push(text(at.x(from) + 6, at.y(from * bandwidth) - 10, 'start', slope, 'roof-name'));
		taken.push({
			x1: at.x(from),
			x2: at.x(from) + 6 + slope.length * LETTER_PX,
			y1: at.y(from * bandwidth) - 22,
			y2: at.y(from * bandwidth) - 6,
		});

		const maxWeight = Math.max(...points.map((d) => d.weight ?? 0), 0);
		const placed = points
			.map((d) => ({
				...d,
				x: at.x(d.ai),
				y: at.y(d.flops),
				r: maxWeight > 0 ? 3.5 + 13 * Math.sqrt((d.weight ?? 0) / maxWeight) : 5,
			}))
			.sort((a, b) => b.r - a.r);
		nodes.push(...placed.map(mark), ...labels(placed, taken, narrow ? 5 : 14, right));
		return {height, nodes, points: placed};
	};
}
