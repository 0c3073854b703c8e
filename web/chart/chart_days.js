// chart_days.js - GPU-hours per day as stacked bars. Each series has a color and a hatching, because
// color alone is not accessible.

import {s} from './chart.js';
import {filled, swatch} from './chart_layers.js';
import {h} from '../lib/dom.js';
import {count, NONE, plural} from '../lib/format.js';
import {axis, tickTexts} from './scale.js';

const LEFT = 46;
const RIGHT = 4;
const TOP = 22;
const PLOT = 150;
const BOTTOM = 20;

// The looks of the blocks of a layer, which are distinct in light, in dark and without color.
const LOOKS = ['attention', 'mlp', 'moe', 'norm', 'communication', 'sampling'];

// The series of the chart, the one with the most hours first: {name, look, hours(day)}.
export function daySeries(doc) {
	const series = doc.operators.map((name, i) => ({name, look: LOOKS[i], hours: (day) => day.operator_hours[i]}));
	const rest = [
		{name: 'other operators', look: 'shared', hours: (day) => day.other_hours},
		{name: 'unattributed', look: 'other', hours: (day) => day.unattributed_hours},
	];
	return [...series, ...rest.filter(({hours}) => doc.days.some((day) => hours(day) > 0))];
}

// Hours with as many digits as say something.
export const hoursText = (hours) => count(hours, hours === 0 || hours >= 100 ? 0 : hours >= 1 ? 1 : 3);

const dayText = (day, series) =>
	day.runs
		? `${day.day}: ${hoursText(day.hours)} GPU-hours of ${plural(day.runs, 'run')}` +
			series
				.filter(({hours}) => hours(day) > 0)
				.map(({name, hours}) => `, ${name} ${hoursText(hours(day))}`)
				.join('')
		: `${day.day}: no runs`;

const text = (x, y, anchor, content) => s('text', {x, y, 'text-anchor': anchor, class: 'axis'}, content);
const line = (x1, y1, x2, y2, name) => s('line', {x1, y1, x2, y2, class: name});

// Returns draw(width) for chart.js.
export function dayBars(doc) {
	const series = daySeries(doc);
	return (width) => {
		const {days} = doc;
		const a = axis(
			days.map((day) => day.hours),
			{maxTicks: 4, zero: true},
		);
		const texts = tickTexts(a.ticks);
		const y = (hours) => TOP + PLOT * (1 - a.at(hours));
		const step = (width - LEFT - RIGHT) / days.length;
		const wide = Math.min(48, step - (step > 12 ? 3 : step > 4 ? 1 : 0.25));
		const x = (i) => LEFT + step * i + (step - wide) / 2;
		const nodes = [text(0, 11, 'start', 'GPU-hours')];
		a.ticks.forEach((v, i) =>
			nodes.push(line(LEFT, y(v), width - RIGHT, y(v), 'grid'), text(LEFT - 6, y(v) + 4, 'end', texts[i])),
		);
		const paths = new Map(series.map(({look}) => [look, '']));
		const points = days.map((day, i) => {
			let from = 0;
			for (const {look, hours} of series) {
				const [low, high] = [y(from), y(from + hours(day))];
				if (low - high > 0)
					paths.set(
						look,
						`${paths.get(look)}M${x(i).toFixed(2)} ${low.toFixed(2)}h${wide.toFixed(2)}` +
							`V${high.toFixed(2)}h${(-wide).toFixed(2)}z`,
					);
				from += hours(day);
			}
			return {x: x(i) + wide / 2, y: y(day.hours), text: dayText(day, series)};
		});
		for (const [look, d] of paths) nodes.push(...filled(look, d));
		const every = Math.ceil(78 / step);
		days.forEach((day, i) => {
			if (i % every === 0 && x(i) + 70 < width) nodes.push(text(x(i), TOP + PLOT + 15, 'start', day.day));
		});
		nodes.push(line(LEFT, TOP + PLOT, width - RIGHT, TOP + PLOT, 'floor'));
		return {
			height: TOP + PLOT + BOTTOM,
			nodes,
			points,
			find: (px) => points[Math.floor((px - LEFT) / step)] ?? null,
		};
	};
}

export const dayLegend = (doc) =>
	h(
		'ul',
		{class: 'block-legend', 'aria-label': 'Series'},
		daySeries(doc).map(({name, look}) => h('li', {}, swatch(look), h('bdi', {}, name))),
	);

// The data of the chart as columns of a table.
export function dayColumns(doc) {
	return [
		{label: 'Day', head: true, cell: (day) => day.day},
		{label: 'Runs', num: true, cell: (day) => count(day.runs)},
		{
			label: 'Total',
			unit: 'GPU-hours',
			num: true,
			cell: (day) => hoursText(day.hours),
			title: (day) => String(day.hours),
		},
		...daySeries(doc).map(({name, hours}) => ({
			label: name,
			num: true,
			cell: (day) => (day.runs ? hoursText(hours(day)) : NONE),
			title: (day) => (day.runs ? String(hours(day)) : 'no runs'),
		})),
	];
}
