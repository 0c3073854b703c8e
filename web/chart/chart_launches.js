// chart_launches.js - draws the launches of one kernel: a histogram of their durations, and their
// durations over time. The server counts and computes the statistics. Pure.

import {dots, s} from './chart.js';
import {count, duration, NONE, percent, plural, UNITS} from '../lib/format.js';
import {axis, axisUnit, tickTexts, ticks} from './scale.js';

const LEFT = 52;
const RIGHT = 12;
const TOP = 42;
const PLOT = 130;
const BOTTOM = 22;
// Room for the text of a tick.
const TICK_PX = 80;

const text = (x, y, anchor, content, name = 'axis') => s('text', {x, y, 'text-anchor': anchor, class: name}, content);
const line = (x1, y1, x2, y2, name) => s('line', {x1, y1, x2, y2, class: name});

export const binText = (bin, all) =>
	`${duration(bin.from_ns)} to ${duration(bin.to_ns)}: ${plural(bin.launches, 'launch', 'launches')}, ` +
	`${percent((bin.launches * 100) / all)} %`;

export const sliceText = (slice) =>
	slice.launches
		? `at ${duration(slice.from_ns)}: ${plural(slice.launches, 'launch', 'launches')}, median ` +
			`${duration(slice.median_ns)}, longest ${duration(slice.max_ns)}`
		: `at ${duration(slice.from_ns)}: no launch`;

// The position of a duration on the axis of the bins, from 0 to 1. A bin that begins at 0 ns has no
// logarithm: it is as wide as if it began at 1 ns. One bin alone is in the middle third.
export function binPlace(bins) {
	const log = (ns) => Math.log(Math.max(ns, 1));
	const margin = bins.length === 1 ? log(bins[0].to_ns) - log(bins[0].from_ns) : 0;
	const [low, high] = [log(bins[0].from_ns) - margin, log(bins.at(-1).to_ns) + margin];
	return (ns) => (high > low ? Math.min(1, Math.max(0, (log(ns) - low) / (high - low))) : 0.5);
}

// Bounds of bins as text: three digits, or more if bounds would be equal. A bound has a unit if it
// differs from the one before.
export function boundTexts(list) {
	const texts = (digits) =>
		list.map((ns) => {
			const n = ns / UNITS[axisUnit(ns)];
			return count(n, axisUnit(ns) === 'ns' ? 0 : Math.max(0, digits - String(Math.floor(n)).length));
		});
	const units = list.map(axisUnit);
	const named = (all) => all.map((text, i) => (units[i] === units[i - 1] ? text : `${text} ${units[i]}`));
	const distinct = (all) => all.every((text, i) => i === 0 || text !== all[i - 1] || units[i] !== units[i - 1]);
	for (let digits = 3; digits < 9; digits++) if (distinct(texts(digits))) return named(texts(digits));
	return named(texts(9));
}

const PERCENTILES = [
	['p50', 'median_ns'],
	['p99', 'p99_ns'],
];

// Returns draw(width) for chart.js.
export function launchHistogram({bins, times}) {
	return (width) => {
		const at = binPlace(bins);
		const wide = width - LEFT - RIGHT;
		const x = (ns) => LEFT + wide * at(ns);
		const most = Math.max(...bins.map((b) => b.launches));
		const y = (n) => TOP + PLOT * (1 - n / most);
		const counts = ticks(0, most, 4).filter(Number.isInteger);
		const nodes = [text(0, 11, 'start', 'launches')];
		for (const n of counts) nodes.push(line(LEFT, y(n), width - RIGHT, y(n), 'grid'), text(LEFT - 6, y(n) + 4, 'end', count(n)));
		const points = bins.map((bin) => {
			const [from, to] = [x(bin.from_ns), x(bin.to_ns)];
			if (bin.launches)
				nodes.push(
					s('rect', {
						x: from,
						y: y(bin.launches),
						width: Math.max(1, to - from - 1),
						height: TOP + PLOT - y(bin.launches),
						class: 'bin',
					}),
				);
			return {x: (from + to) / 2, y: y(bin.launches), text: binText(bin, times.instances)};
		});
		const places = [bins[0].from_ns, bins.at(-1).to_ns];
		const shown = Math.max(0, Math.floor(wide / TICK_PX) - 1);
		// Bounds of bins, because decimal numbers are rare on a narrow logarithmic axis.
		const between = bins
			.slice(1)
			.map((b) => b.from_ns)
			.filter((_, i, list) => shown > 1 && (i + 1) % Math.ceil((list.length + 1) / shown) === 0);
		const labels = [places[0], ...between.filter((ns) => x(places[1]) - x(ns) > TICK_PX / 2), places[1]];
		const texts = boundTexts(labels);
		labels.forEach((ns, i) =>
			nodes.push(text(x(ns), TOP + PLOT + 16, i === 0 ? 'start' : i === labels.length - 1 ? 'end' : 'middle', texts[i])),
		);
		let row = 0;
		for (const [name, key] of PERCENTILES) {
			const ns = times[key];
			if (ns === null) continue;
			const left = at(ns) > 0.7;
			nodes.push(
				line(x(ns), TOP - 6, x(ns), TOP + PLOT, `percentile ${name}`),
				text(x(ns) + (left ? -4 : 4), 24 + 12 * row++, left ? 'end' : 'start', `${name} ${duration(ns)}`, 'percentile-name'),
			);
		}
		return {height: TOP + PLOT + BOTTOM, nodes, points, find: (px) => nearest(points, px)};
	};
}

const nearest = (points, px) =>
	points.reduce((best, p) => (best === null || Math.abs(p.x - px) < Math.abs(best.x - px) ? p : best), null);

// The medians as a line, which ends where the kernel was not launched, and the longest launches as
// dots. Returns draw(width) for chart.js.
export function launchesOverTime({slices}) {
	return (width) => {
		const used = slices.filter((slice) => slice.launches);
		const a = axis(used.flatMap((slice) => [slice.median_ns, slice.max_ns]), {maxTicks: 4});
		const unit = axisUnit(Math.max(...a.ticks.map(Math.abs)));
		const texts = tickTexts(a.ticks, UNITS[unit]);
		const [first, last] = [slices[0].from_ns, slices.at(-1).to_ns];
		const x = (slice) => LEFT + ((width - LEFT - RIGHT) * ((slice.from_ns + slice.to_ns) / 2 - first)) / (last - first);
		const y = (ns) => TOP + PLOT * (1 - a.at(ns));
		const nodes = [text(0, 11, 'start', a.log ? `${unit}, log scale` : unit)];
		a.ticks.forEach((v, i) => nodes.push(line(LEFT, y(v), width - RIGHT, y(v), 'grid'), text(LEFT - 6, y(v) + 4, 'end', texts[i])));
		let open = false;
		const path = slices
			.map((slice) => {
				const command = slice.launches ? `${open ? 'L' : 'M'}${x(slice).toFixed(1)} ${y(slice.median_ns).toFixed(1)}` : '';
				open = slice.launches > 0;
				return command;
			})
			.join('');
		const medians = used.map((slice) => ({x: x(slice), y: y(slice.median_ns), text: sliceText(slice)}));
		const longest = used.filter((slice) => slice.max_ns > slice.median_ns);
		nodes.push(
			s('path', {class: 'dots head', d: dots(longest.map((slice) => ({x: x(slice), y: y(slice.max_ns)})))}),
			s('path', {class: 'median-line', d: path}),
			s('path', {class: 'dots base', d: dots(medians)}),
			text(LEFT, TOP + PLOT + 16, 'start', duration(first)),
			text(width - RIGHT, TOP + PLOT + 16, 'end', duration(last)),
		);
		return {height: TOP + PLOT + BOTTOM, nodes, points: medians, find: (px) => nearest(medians, px)};
	};
}

const whole = (label, key) => ({label, num: true, cell: (r) => count(r[key])});
const time = (label, key) => ({label, num: true, cell: (r) => duration(r[key]), title: (r) => (r[key] === null ? NONE : `${r[key]} ns`)});

export const BIN_COLUMNS = [
	{...time('From', 'from_ns'), head: true},
	time('To', 'to_ns'),
	whole('Launches', 'launches'),
];
export const SLICE_COLUMNS = [
	{...time('From', 'from_ns'), head: true},
	whole('Launches', 'launches'),
	time('Median', 'median_ns'),
	time('Longest', 'max_ns'),
];
