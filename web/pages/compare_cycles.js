// compare_cycles.js - how long the cycles took, every one of both sides.

import {chart} from '../chart.js';
import {byValue, inOrder} from '../chart_cycles.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {axisUnit} from '../scale.js';

const pointsOf = (side) => (side.cycle_durs_ns ?? []).map((value, i) => ({value, run: side.cycle_runs?.[i] ?? null, i}));
const tell = (side, p) => [side.label, p.run === null ? null : `run #${p.run}`,
	`cycle ${p.i + 1} of ${side.points.length}: ${f.duration(p.value)}`].filter(Boolean).join(', ');

const SHAPES = [['', 'By duration'], ['order', 'In order']];

function choice(shape, change) {
	return h('fieldset', {class: 'choice'}, h('legend', {}, 'How cycles are laid out'), SHAPES.map(([value, label]) =>
		h('label', {}, h('input', {type: 'radio', name: 'cycles', value, checked: value === shape,
			on: {change: () => change(value)}}), h('span', {}, label))));
}

export function cycleSection(doc, view, save) {
	const sides = [['base', 'Base'], ['head', 'Head']].map(([key, label]) => ({label, class: key, points: pointsOf(doc[key]),
		lines: [{value: doc[key].cycle_median_ns, label: 'median'}]}));
	if (!sides.some((side) => side.points.length))
		return null;
	const rows = sides.flatMap((side) => side.points.map((p) => ({...p, side: side.label})));
	const unit = axisUnit(rows.reduce((n, r) => Math.max(n, r.value), 0));
	const columns = [
		{label: 'Side', head: true, cell: (r) => r.side},
		{label: 'Run', num: true, cell: (r) => (r.run === null ? f.NONE : `#${r.run}`)},
		{label: 'Cycle', num: true, cell: (r) => f.count(r.i + 1)},
		{label: 'Duration', unit, num: true, cell: (r) => f.inUnit(r.value, unit), title: (r) => f.exact(r.value)},
	];
	const place = h('div');
	function show() {
		const draw = view.cycles === 'order' ? inOrder(sides, {tell}) : byValue(sides, {tell});
		place.replaceChildren(chart({caption: 'Duration of each compared cycle', columns, rows, draw,
			hint: 'Each dot is a cycle, the line is the median.',
			label: `Durations of ${f.plural(sides[0].points.length, 'cycle')} of the base, median ${f.duration(doc.base.cycle_median_ns)}, `
				+ `and ${sides[1].points.length} of the head, median ${f.duration(doc.head.cycle_median_ns)}`}));
	}
	show();
	return h('section', {'aria-labelledby': 'cycles'}, h('div', {class: 'toolbar'}, h('h2', {id: 'cycles'}, 'Cycles'),
		choice(view.cycles, (cycles) => { view.cycles = cycles; show(); save(); })), place);
}
