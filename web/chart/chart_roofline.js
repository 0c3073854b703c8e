// chart_roofline.js - the roofline chart: attained FLOP/s over arithmetic intensity, both on log
// scales, with the peaks of one platform. The module computes only positions.

import {s} from './chart.js';
import {amount, intensity} from '../lib/operators.js';
import {magnitudes} from './scale.js';

const TOP = 24;
const RIGHT = 12;
const BOTTOM = 40;
const LETTER_PX = 6.3;
const LINE_PX = 13;
// From the baseline of a text down to the end of its box.
const DESCENT_PX = 3;
const SPACE_PX = 3;
const Y_AXIS = 'attained, FLOP/s';

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

// The box of a text whose anchor is at (x, y).
function boxOf(name, x, y, anchor) {
	const wide = name.length * LETTER_PX;
	const x1 = x - {start: 0, middle: wide / 2, end: wide}[anchor];
	return {x1, x2: x1 + wide, y1: y - LINE_PX + DESCENT_PX, y2: y + DESCENT_PX};
}

const overlap = (a, b) => a.x1 < b.x2 && a.x2 > b.x1 && a.y1 < b.y2 && a.y2 > b.y1;

// Whether a line from (x1, y1) to (x2, y2) passes through a box.
export function crosses({x1, y1, x2, y2}, box) {
	let [from, to] = [0, 1];
	for (const [start, delta, low, high] of [
		[x1, x2 - x1, box.x1, box.x2],
		[y1, y2 - y1, box.y1, box.y2],
	]) {
		if (!delta) {
			if (start < low || start > high) return false;
			continue;
		}
		const ends = [(low - start) / delta, (high - start) / delta];
		from = Math.max(from, Math.min(...ends));
		to = Math.min(to, Math.max(...ends));
	}
	return from <= to;
}

// Writes rows of text ([content, x, y, anchor]) at the first of `places` at which all of them are inside
// `bounds` and meet neither a box of `taken` nor a line; an empty list if there is none. The boxes become
// taken.
function placeRows(name, places, {taken, lines, bounds}) {
	for (const rows of places) {
		const boxes = rows.map(([content, ...at]) => boxOf(content, ...at));
		const free = (box) =>
			box.x1 >= bounds.x1 &&
			box.x2 <= bounds.x2 &&
			box.y1 >= bounds.y1 &&
			box.y2 <= bounds.y2 &&
			!taken.some((t) => overlap(t, box)) &&
			!lines.some((l) => crosses(l, box));
		if (!boxes.every(free)) continue;
		taken.push(...boxes);
		return rows.map(([content, x, y, anchor], i) => ({content, x, y, anchor, name, box: boxes[i]}));
	}
	return [];
}

// A name is right of its point, or left, above, below, or at a corner.
function pointPlaces({x, y, r, name}) {
	const [away, corner] = [r + SPACE_PX, r * 0.7 + SPACE_PX];
	return [
		[x + away, y + 4, 'start'],
		[x - away, y + 4, 'end'],
		[x, y - away - 1, 'middle'],
		[x, y + away + LINE_PX - DESCENT_PX, 'middle'],
		[x + corner, y - corner, 'start'],
		[x + corner, y + corner + LINE_PX - DESCENT_PX, 'start'],
		[x - corner, y - corner, 'end'],
		[x - corner, y + corner + LINE_PX - DESCENT_PX, 'end'],
	].map((at) => [[name, ...at]]);
}

// Peaks whose lines are too close for a name between them: lists of {y1, …}, highest first.
function closePeaks(peaks) {
	const groups = [];
	for (const roof of peaks) {
		const last = groups.at(-1);
		if (last && roof.y1 - last.at(-1).y1 < LINE_PX + DESCENT_PX) last.push(roof);
		else groups.push([roof]);
	}
	return groups;
}

// The names of close peaks are above their lines at the right end, or below, or further left.
function roofPlaces(group) {
	const {y1: top, x1, x2} = group[0];
	const low = group.at(-1).y1;
	const step = 5 * LETTER_PX;
	const ends = [...Array(8).keys()].map((i) => x2 - i * step).filter((x) => x === x2 || x > x1);
	const rows = (x, y) => group.map(({label}, i) => [label, x, y + i * LINE_PX, 'end']);
	return ends.flatMap((x) => [
		rows(x, top - DESCENT_PX - 2 - (group.length - 1) * LINE_PX),
		rows(x, low + LINE_PX),
	]);
}

// The bandwidth is written beside the slope, below or above it.
const slopePlaces = ({x1, y1, x2, y2}, text) =>
	[0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 0].flatMap((at) => {
		const [x, y] = [x1 + (x2 - x1) * at, y1 + (y2 - y1) * at];
		return [[[text, x - 6, y - 6, 'end']], [[text, x + 8, y + LINE_PX, 'start']]];
	});

// Memory-bound points are squares, because color alone is not accessible.
function mark(p) {
	const name = `point ${p.regime ?? 'unknown'}`;
	return p.regime === 'memory'
		? s('rect', {x: p.x - p.r * 0.9, y: p.y - p.r * 0.9, width: p.r * 1.8, height: p.r * 1.8, class: name})
		: s('circle', {cx: p.x, cy: p.y, r: p.r, class: name});
}

// The slope and the lines of the peaks: {x1, y1, x2, y2, peak}.
function roofLines(roofs, bandwidth, p, at, right) {
	const top = roofs[0]?.peak ?? p.y.high;
	// Where the slope enters the drawing, from the left or from below.
	const from = Math.max(p.x.low, p.y.low / bandwidth);
	const slope = {x1: at.x(from), y1: at.y(from * bandwidth), x2: at.x(top / bandwidth), y2: at.y(top)};
	const peaks = roofs.map(({peak, label}) => ({
		x1: at.x(peak / bandwidth),
		y1: at.y(peak),
		x2: right,
		y2: at.y(peak),
		label,
	}));
	return {slope, peaks};
}

// The names of the lines, then those of the largest points. A name that fits nowhere is left out; the
// data table has it.
function namesOf({slope, peaks}, bandwidth, points, maxNames, bounds) {
	const lines = [slope, ...peaks];
	const taken = points.map(({x, y, r}) => ({x1: x - r, x2: x + r, y1: y - r, y2: y + r}));
	taken.push(boxOf(Y_AXIS, 0, 11, 'start'));
	const around = {taken, lines, bounds};
	// Names of peaks may be above the drawing, beside the name of the axis.
	const above = {...around, bounds: {...bounds, y1: 0}};
	return [
		...closePeaks(peaks).flatMap((group) => placeRows('roof-name', roofPlaces(group), above)),
		...placeRows('roof-name', slopePlaces(slope, amount(bandwidth, 'B/s')), around),
		...points.slice(0, maxNames).flatMap((p) => placeRows('point-name', pointPlaces(p), around)),
	];
}

// Positions of everything that is drawn; `names` have their boxes.
export function layout({points, roofs, bandwidth}, width) {
	const narrow = width < 480;
	const height = narrow ? 300 : 400;
	const left = narrow ? 40 : 52;
	const right = width - RIGHT;
	const floor = height - BOTTOM;
	const p = plane(points, roofs, bandwidth, right - left, floor - TOP);
	const at = {
		x: (v) => left + (right - left) * p.x.at(v),
		y: (v) => TOP + (floor - TOP) * (1 - p.y.at(v)),
	};
	const maxWeight = Math.max(...points.map((d) => d.weight ?? 0), 0);
	const placed = points
		.map((d) => ({
			...d,
			x: at.x(d.ai),
			y: at.y(d.flops),
			r: maxWeight > 0 ? 3.5 + 13 * Math.sqrt((d.weight ?? 0) / maxWeight) : 5,
		}))
		.sort((a, b) => b.r - a.r);
	const lines = roofLines(roofs, bandwidth, p, at, right);
	const bounds = {x1: left + 2, x2: right, y1: TOP, y2: floor - 1};
	return {
		plane: p, at, left, right, floor, height, lines, points: placed,
		names: namesOf(lines, bandwidth, placed, narrow ? 5 : 14, bounds),
	};
}

// Returns draw(width) for chart.js. Points: {ai, flops, weight, regime, name, text}. `bandwidth` is
// in bytes per second.
export function roofline({points, roofs, bandwidth}) {
	return (width) => {
		const of = layout({points, roofs, bandwidth}, width);
		const {at, left, right, floor, height} = of;
		const nodes = [
			text(0, 11, 'start', Y_AXIS, 'axis'),
			text(right, height - 4, 'end', 'arithmetic intensity, FLOP per byte', 'axis'),
			s('rect', {x: left, y: TOP, width: right - left, height: floor - TOP, class: 'panel-ground'}),
		];
		for (const v of of.plane.y.ticks)
			nodes.push(
				line(left, at.y(v), right, at.y(v), 'grid'),
				text(left - 6, at.y(v) + 4, 'end', amount(v, '').replace(/\.0+ /, ' ').trim(), 'axis'),
			);
		for (const v of of.plane.x.ticks)
			nodes.push(
				line(at.x(v), TOP, at.x(v), floor, 'grid'),
				text(at.x(v), floor + 16, 'middle', v >= 1000 ? intensity(v).replace('.0', '') : String(v), 'axis'),
			);
		const drawn = ({x1, y1, x2, y2}, name) => line(x1, y1, x2, y2, name);
		nodes.push(
			drawn(of.lines.slope, 'roof slope'),
			...of.lines.peaks.map((roof) => drawn(roof, 'roof')),
			...of.points.map(mark),
			...of.names.map(({x, y, anchor, content, name}) => text(x, y, anchor, content, name)),
		);
		return {height, nodes, points: of.points};
	};
}
