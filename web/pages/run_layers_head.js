// run_layers_head.js - above the rows of a breakdown: its times in short, a bar a
// layer, and what the wall was made of.

import {chart} from '../chart.js';
import {layerBars, layerColumns, swatch} from '../chart_layers.js';
import {facts, h} from '../dom.js';
import * as f from '../format.js';
import * as l from '../layers.js';
import {table} from '../table.js';
import {largestUnit} from './run_columns.js';

const total = (label, text, title) => h('div', {class: 'total', title}, h('dt', {}, label), h('dd', {}, text));

// A mean, and the rest of what is known of its spread in the title.
const spread = (label, times, of) => total(label, f.duration(times.mean_ns), times.instances ? `mean ${f.exact(times.mean_ns)}, median ${f.exact(times.med_ns)}, `
	+ `${f.exact(times.min_ns)} to ${f.exact(times.max_ns)}, standard deviation ${f.exact(times.stddev_ns)}; of ${of(times.instances)}` : 'unknown');

export function summary(doc) {
	const passes = (n) => f.plural(n, 'pass', 'passes');
	const kinds = doc.sections.filter((s) => s.place === 'layer');
	return h('div', {class: 'part'}, h('dl', {class: 'totals'},
		spread('End to end', doc.end_to_end, passes),
		doc.layers.count ? spread(f.plural(doc.layers.count, 'layer'), doc.layers.time, passes) : null,
		kinds.map((s) => spread(kinds.length > 1 ? `A layer of ${s.name ?? 'a kind without a name'}` : 'A layer', s.time, (n) => f.plural(n, 'layer'))),
		total('Passes', f.count(doc.passes), 'repetitions of the work that count; the whole recording where nothing repeats'),
		doc.layers.count ? total('Alike', doc.confidence === null ? f.NONE : `${f.percent(doc.confidence * 100)} %`,
			'confidence: the share of launches in layers that are where most layers have them') : null),
	facts([['A layer begins at', doc.anchor && h('code', {}, doc.anchor)], ['Work', doc.stratum],
		['Device', doc.device === null || doc.device < 0 ? null : f.plain(doc.device)]]));
}

export function barChart(doc) {
	const bars = l.barsOf(doc);
	if (!bars.length)
		return null;
	const kinds = l.BLOCKS.filter((kind) => bars.some((bar) => bar.parts.some((p) => p.kind === kind)));
	const caption = 'Each layer of a pass';
	const drawn = chart({caption, steps: true, rows: bars, columns: layerColumns(bars, kinds), draw: layerBars(bars, kinds),
		hint: 'Durations of a layer\'s launches, mean over the passes; a bar is a layer. Arrow keys go from bar to bar.',
		label: `${caption}: ${f.plural(bars.length, 'layer')} as bars, stacked of ${kinds.join(', ')}; arrow keys tell them one by one`});
	drawn.querySelector('figcaption').after(h('ul', {class: 'block-legend'}, kinds.map((kind) => h('li', {}, swatch(kind), kind))));
	return drawn;
}

// The parts of the wall with their sum beneath them: nothing is left over.
export function wallTable(doc) {
	const {parts, sum, closes} = l.wallOf(doc);
	const unit = largestUnit([doc.wall_ns]);
	const per = (ns) => (ns === null || !doc.passes ? null : ns / doc.passes);
	const each = largestUnit([per(doc.wall_ns)]);
	const rows = [...parts, {name: closes ? 'Sum = wall' : 'Wall', ns: doc.wall_ns, sum: true, what: `the windows of ${f.plural(doc.passes, 'pass', 'passes')} that count`},
		{name: 'Exposed communication', ns: doc.exposed_comm_ns, within: true, what: 'collectives with no computing beside them; part of what is above'}];
	const columns = [
		{label: 'Of the wall', head: true, title: (r) => r.what, cell: (r) => (r.sum ? h('strong', {}, r.name) : r.within ? h('span', {class: 'quiet'}, `of it: ${r.name.toLowerCase()}`) : r.name)},
		{label: 'Share', unit: '%', num: true, cell: (r) => (r.ns === null || !doc.wall_ns ? f.NONE : h('span', {class: 'share', style: {'--share': `${r.sum ? 0 : r.ns * 100 / doc.wall_ns}%`}},
			f.percent(r.ns * 100 / doc.wall_ns)))},
		{label: 'A pass', unit: each, num: true, cell: (r) => f.inUnit(per(r.ns), each), title: (r) => f.exact(per(r.ns))},
		{label: 'All passes', unit, num: true, cell: (r) => f.inUnit(r.ns, unit), title: (r) => f.exact(r.ns)},
		{label: 'What it is', cell: (r) => h('span', {class: 'quiet'}, r.what)},
	];
	return h('section', {'aria-labelledby': 'wall'}, h('h2', {id: 'wall'}, 'Where the wall went'),
		table({caption: 'Where the wall went', columns, rows}).node,
		sum === null || closes ? '' : h('p', {class: 'lacking'}, `These add up to ${f.exact(sum)}, and the wall is ${f.exact(doc.wall_ns)}.`));
}
