// run_layers.js - tab: the layers of a run: how they were found, their share of wall time, one bar
// per layer, and the rows with their times.

import {answerOrRefusal, refusalLine} from '../lib/answer.js';
import * as api from '../lib/api.js';
import {chart} from '../chart/chart.js';
import {layerBars, layerColumns, swatch} from '../chart/chart_layers.js';
import {breakdownUrl} from '../lib/breakdown_compare.js';
import {exportLink, largestUnit} from '../lib/columns.js';
import {facts, field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {grouped, heading} from '../lib/grouped.js';
import {CONCURRENT, kernelCell, otherGpuLinks, roleCell, timeCell} from '../lib/layer_cells.js';
import * as l from '../lib/layers.js';
import {layersTabUrl} from '../lib/layers.js';
import * as o from '../lib/operators.js';
import {table} from '../lib/table.js';
import {utilizationLine} from './run_operators.js';

// The settings: where layers begin, the device and the stratum; all of them are in the address.

const choice = (name, value, first, options) =>
	h(
		'select',
		{name},
		h('option', {value: ''}, first),
		options.map(([word, text]) => h('option', {value: word, selected: String(word) === value}, text)),
	);

const stratumText = (s, i) => `${s.text || `stratum ${i + 1}`}, ${f.plural(s.iterations, 'iteration')}`;

function boundaries(run, params, {strata, lags, realigned}, at) {
	const text = (name) =>
		h('input', {type: 'text', name, value: params[name], autocomplete: 'off', spellcheck: 'false'});
	const range = text('range');
	const start = text('start');
	const every = h('input', {type: 'number', name: 'every', value: params.every, min: 1, step: 1, placeholder: '1'});
	const device =
		run.devices.length > 1 || params.device
			? choice(
					'device',
					params.device,
					'the busiest device',
					run.devices.map((d) => [d.number, `${d.number}${d.name ? `, ${d.name}` : ''}`]),
				)
			: null;
	const stratum =
		strata.length > 1 || params.stratum
			? choice(
					'stratum',
					params.stratum,
					'the stratum with the most time',
					strata.map((s, i) => [i, stratumText(s, i)]),
				)
			: null;
	const realign =
		lags || realigned || params.realign
			? h('input', {type: 'checkbox', name: 'realign', checked: params.realign === 'yes'})
			: null;
	const submit = (e) => {
		e.preventDefault();
		at.go(
			layersTabUrl(run.id, {
				range: range.value.trim(),
				start: start.value.trim(),
				every: start.value.trim() ? every.value : '',
				device: device?.value,
				stratum: stratum?.value,
				realign: realign?.checked ? 'yes' : '',
			}),
		);
	};
	return h(
		'form',
		{class: 'bar', 'aria-label': 'Layer boundaries', on: {submit}},
		field('Range of a layer', range, 'class of a module or name of a range'),
		field('First kernel of a layer', start, "part of the kernel's name"),
		field('Every', every, '2: a layer begins at every second match'),
		device ? field('Device', device) : null,
		stratum ? field('Stratum', stratum) : null,
		realign ? h('label', {class: 'check'}, realign, 'Realign names with durations') : null,
		h(
			'div',
			{class: 'actions'},
			h('button', {type: 'submit', class: 'main'}, 'Show'),
			Object.keys(params).length ? h('a', {href: layersTabUrl(run.id, {})}, 'As detected') : null,
		),
	);
}

// The form is folded unless a setting is given.
const foldedForm = (form, params) =>
	h(
		'details',
		{class: 'formats options', open: Object.keys(params).length > 0},
		h(
			'summary',
			{},
			Object.keys(params).length
				? `Settings: ${Object.entries(params)
						.map(([key, value]) => `${key} ${value}`)
						.join(', ')}`
				: 'Change layer boundaries, device or stratum…',
		),
		form,
	);

// The parts above the rows of a breakdown: its main times, a bar per layer, and the parts of the
// wall time.

const total = (label, text, title) => h('div', {class: 'total', title}, h('dt', {}, label), h('dd', {}, text));

// A mean, with its spread in the title.
const spread = (label, times, of) =>
	total(
		label,
		f.duration(times.mean_ns),
		times.instances
			? `mean ${f.exact(times.mean_ns)}, median ${f.exact(times.median_ns)}, ` +
					`${f.exact(times.min_ns)} to ${f.exact(times.max_ns)}, ` +
					`standard deviation ${f.exact(times.stddev_ns)}; of ${of(times.instances)}`
			: 'unknown',
	);

function summary(doc) {
	const iterations = (n) => f.plural(n, 'iteration');
	const kinds = doc.sections.filter((s) => s.position === 'layer');
	return h(
		'div',
		{class: 'part'},
		h(
			'dl',
			{class: 'totals'},
			spread('End to end', doc.end_to_end, iterations),
			doc.layers.count ? spread(f.plural(doc.layers.count, 'layer'), doc.layers.time, iterations) : null,
			kinds.map((s) =>
				spread(kinds.length > 1 ? `A layer of ${s.name ?? 'an unnamed kind'}` : 'A layer', s.time, (n) =>
					f.plural(n, 'layer'),
				),
			),
			total('Iterations', f.count(doc.iterations), 'counted iterations; the whole recording if nothing repeats'),
			doc.layers.count
				? total(
						'Similarity',
						doc.confidence === null ? f.NONE : `${f.percent(doc.confidence * 100)} %`,
						'confidence: share of launches at the position that most layers have',
					)
				: null,
		),
		facts([
			['First kernel of a layer', doc.anchor && h('code', {}, doc.anchor)],
			['Stratum', doc.stratum],
			['Device', doc.device === null || doc.device < 0 ? null : f.plain(doc.device)],
		]),
	);
}

function barChart(doc) {
	const bars = l.barsOf(doc);
	if (!bars.length) return null;
	const kinds = l.BLOCKS.filter((kind) => bars.some((bar) => bar.parts.some((p) => p.kind === kind)));
	const caption = 'Layers of an iteration';
	const drawn = chart({
		caption,
		steps: true,
		rows: bars,
		columns: layerColumns(bars, kinds),
		draw: layerBars(bars, kinds),
		hint:
			'Each bar is a layer: the durations of its launches, mean over the iterations. ' +
			'Arrow keys move between bars.',
		label:
			`${caption}: ${f.plural(bars.length, 'layer')} as bars, stacked by ${kinds.join(', ')}; ` +
			'arrow keys read them one by one',
	});
	drawn.querySelector('figcaption').after(
		h(
			'ul',
			{class: 'block-legend'},
			kinds.map((kind) => h('li', {}, swatch(kind), kind)),
		),
	);
	return drawn;
}

// The parts of the wall time and their sum.
function wallTable(doc) {
	const {parts, sum, closes} = l.wallTimeParts(doc);
	const unit = largestUnit([doc.wall_ns]);
	const per = (ns) => (ns === null || !doc.iterations ? null : ns / doc.iterations);
	const each = largestUnit([per(doc.wall_ns)]);
	const rows = [
		...parts,
		{
			name: closes ? 'Sum = wall time' : 'Wall time',
			ns: doc.wall_ns,
			sum: true,
			description: `time from start to end of ${f.plural(doc.iterations, 'counted iteration')}`,
		},
		{
			name: 'Exposed communication',
			ns: doc.exposed_comm_ns,
			within: true,
			description: 'collectives without concurrent compute; part of the rows above',
		},
	];
	const columns = [
		{
			label: 'Share of wall time',
			head: true,
			title: (r) => r.description,
			cell: (r) =>
				r.sum
					? h('strong', {}, r.name)
					: r.within
						? h('span', {class: 'quiet'}, `of which ${r.name.toLowerCase()}`)
						: r.name,
		},
		{
			label: 'Share',
			unit: '%',
			num: true,
			cell: (r) =>
				r.ns === null || !doc.wall_ns
					? f.NONE
					: h(
							'span',
							{class: 'share', style: {'--share': `${r.sum ? 0 : (r.ns * 100) / doc.wall_ns}%`}},
							f.percent((r.ns * 100) / doc.wall_ns),
						),
		},
		{
			label: 'Per iteration',
			unit: each,
			num: true,
			cell: (r) => f.inUnit(per(r.ns), each),
			title: (r) => f.exact(per(r.ns)),
		},
		{label: 'All iterations', unit, num: true, cell: (r) => f.inUnit(r.ns, unit), title: (r) => f.exact(r.ns)},
		{label: 'Description', cell: (r) => h('span', {class: 'quiet'}, r.description)},
	];
	return h(
		'section',
		{'aria-labelledby': 'wall'},
		h('h2', {id: 'wall'}, 'Wall time'),
		table({caption: 'Wall time', columns, rows}).node,
		sum === null || closes
			? ''
			: h(
					'p',
					{class: 'notice'},
					`These add up to ${f.exact(sum)}, but the wall time is ${f.exact(doc.wall_ns)}.`,
				),
	);
}

// The rows of a breakdown by section and block, with the sum of each block. Kernels that are
// launched together are one row, which can be opened.

const HEADS = [
	['Module or role'],
	['Kernel'],
	['Operator'],
	['Mean', 'µs'],
	['Launches per layer'],
	['Time per layer', 'µs'],
	['S'],
	['Exclusive', 'µs'],
	['Overlapped', 'µs'],
	['Median', 'µs'],
	['Std dev', 'µs'],
];
const NUMBERS_FROM = 3;
const MAX_LINES = 400;

const OPEN_ROW = 'not available for several kernels: open the row';
const S_TITLE = (r) =>
	r.s === null || r.s === undefined
		? 'unknown: no roofline bound'
		: `T_SOL / T = ${r.s}${r.sol_ns ? `; roofline bound ${f.exact(r.sol_ns)}` : ''}`;

// A total time per instance of its section.
const each = (ns, section) => (ns === null || !section.instances ? null : ns / section.instances);

function numbers(r, section) {
	const per = section.instances ? r.launches / section.instances : null;
	const own = (ns) => timeCell(ns, r.rows ? OPEN_ROW : 'unknown');
	const part = (ns, kind) =>
		timeCell(
			each(ns, section),
			'unknown',
			`mean ${f.exact(each(ns, section))}; ${f.exact(ns)} ${kind} over all iterations`,
		);
	return [
		timeCell(r.mean_ns),
		h(
			'td',
			{
				class: 'num',
				title:
					`${f.plural(r.launches, 'launch', 'launches')}; ` +
					`in ${f.count(r.instances)} of ${f.count(section.instances)} layers`,
			},
			f.mean(per),
		),
		timeCell(
			l.perInstance(r, section),
			'unknown',
			`mean over all layers of this kind: ${f.exact(l.perInstance(r, section))}`,
		),
		h('td', {class: 'num', title: S_TITLE(r)}, o.share(r.s)),
		part(r.exclusive_ns, 'exclusive'),
		part(r.overlapped_ns, 'overlapped'),
		own(r.median_ns),
		own(r.stddev_ns),
	];
}

function row(r, section, view, lead, member) {
	return h(
		'tr',
		{class: member ? 'member' : r.extra ? 'extra' : null},
		roleCell(r, lead),
		kernelCell(r, view.full),
		h(
			'td',
			{class: 'operator', title: r.operator ? null : 'unknown'},
			r.operator ? h('code', {}, r.operator) : f.NONE,
		),
		numbers(r, section),
	);
}

// A row of several kernels, and the rows that it opens to.
function foldedRows(line, section, view, changed) {
	const memberRows = () => line.rows.map((r) => row(r, section, view, undefined, true));
	let members = view.open.has(line.at) ? memberRows() : [];
	const button = h(
		'button',
		{
			type: 'button',
			class: 'open',
			'aria-expanded': String(members.length > 0),
			on: {
				click: () => {
					const open = !members.length;
					for (const tr of members) tr.remove();
					members = open ? memberRows() : [];
					first.after(...members);
					view.open[open ? 'add' : 'delete'](line.at);
					button.setAttribute('aria-expanded', String(open));
					changed();
				},
			},
		},
		h('span', {class: 'twist', 'aria-hidden': 'true'}),
	);
	const first = row(line, section, view, (content) => {
		button.append(...content);
		return [button, h('div', {class: 'quiet'}, `${line.rows.length} kernels launched together`)];
	});
	return [first, ...members];
}

function sumRow(block, section) {
	const time = (ns, title) => timeCell(ns, 'unknown', title);
	return h(
		'tr',
		{class: 'sum'},
		h('th', {scope: 'row'}, `Sum of ${block.block}`, h('div', {class: 'narrow-only'}, f.duration(block.sum_ns))),
		h('td'),
		h('td'),
		h('td'),
		h('td'),
		time(block.sum_ns, `sum of the rows: ${f.exact(block.sum_ns)}`),
		h('td'),
		time(each(block.exclusive_ns, section), `${f.exact(block.exclusive_ns)} over all iterations`),
		time(each(block.overlapped_ns, section), `${f.exact(block.overlapped_ns)} over all iterations`),
		h('td'),
		h('td'),
	);
}

function sectionHead(section) {
	const {time} = section;
	const used = utilizationLine(section);
	return heading(
		'section-head',
		HEADS.length,
		h('strong', {}, l.placeName(section)),
		' ',
		h(
			'span',
			{class: 'quiet'},
			`${section.position === 'layer' ? `first: layer ${section.first} · ` : ''}` +
				`sum of rows ${f.duration(section.sum_ns)}, start to end ${f.duration(time.mean_ns)} · ` +
				`${f.plural(section.instances, 'instance')}, ` +
				(section.similarity === null ? 'similarity unknown' : `similarity ${f.percent(section.similarity * 100)} %`),
			' · ',
			h('span', {title: used.title}, used.text),
		),
	);
}

function blockHead(block, blocks) {
	const concurrent = block.parallel_to === null ? null : blocks[block.parallel_to];
	return heading(
		'block-head',
		HEADS.length,
		swatch(block.block),
		h('span', {}, block.block),
		concurrent ? h('span', {class: 'mark', title: CONCURRENT}, `concurrent with ${concurrent.block}`) : null,
	);
}

function rowSection(run, doc, params, query, at) {
	const view = {
		q: query.get('q') ?? '',
		full: query.get('names') === 'full',
		hideExtras: query.get('extras') === 'no',
		maxLines: MAX_LINES,
		open: new Set((query.get('open') ?? '').split(',').filter(Boolean).map(Number)),
	};
	const place = h('div', {class: 'part layer-rows'});
	const found = h('span', {class: 'quiet', role: 'status'});
	const save = () =>
		at.keep({
			...params,
			q: view.q,
			names: view.full ? 'full' : '',
			extras: view.hideExtras ? 'no' : '',
			open: [...view.open].join(','),
		});

	// Draws at most `maxLines` lines; a button shows the rest.
	function draw() {
		const tree = l.treeOf(doc, view);
		const all = tree.reduce((n, s) => n + s.blocks.reduce((m, b) => m + b.lines.length, 0), 0);
		let left = view.maxLines;
		const bodies = [];
		for (const {section, blocks} of tree)
			blocks.forEach(({block, lines}, i) => {
				const shown = lines.slice(0, Math.max(0, left));
				left -= lines.length;
				if (shown.length || !lines.length)
					bodies.push(
						[
							i ? null : sectionHead(section),
							blockHead(block, doc.blocks),
							...shown.flatMap((line) =>
								line.rows ? foldedRows(line, section, view, save) : [row(line, section, view)],
							),
							view.q ? null : sumRow(block, section),
						].filter(Boolean),
					);
			});
		const heads = [
			h(
				'tr',
				{},
				HEADS.map(([label, unit], i) =>
					h(
						'th',
						{scope: 'col', class: i >= NUMBERS_FROM ? 'num' : null},
						label,
						unit ? h('span', {class: 'unit'}, ` (${unit})`) : null,
					),
				),
			),
		];
		place.replaceChildren(
			grouped({
				caption: 'Rows of the layers',
				heads,
				bodies,
				span: HEADS.length,
				empty: doc.items.length ? 'No row matches the search.' : 'This run has no launches.',
			}),
			left < 0
				? h(
						'button',
						{
							type: 'button',
							class: 'fold-line',
							on: {
								click: () => {
									view.maxLines = Infinity;
									draw();
								},
							},
						},
						`Show ${f.plural(-left, 'more row')}`,
					)
				: '',
		);
		found.textContent = f.plural(all, 'row');
	}

	function change(next) {
		Object.assign(view, next);
		draw();
		save();
	}

	draw();
	const filter = h('input', {
		type: 'search',
		'aria-label': 'Search rows',
		placeholder: 'Search rows',
		value: view.q,
		on: {input: (e) => change({q: e.target.value.trim()})},
	});
	const check = (label, key) =>
		h(
			'label',
			{class: 'check'},
			h('input', {type: 'checkbox', checked: view[key], on: {change: (e) => change({[key]: e.target.checked})}}),
			label,
		);
	return {
		save,
		node: h(
			'section',
			{'aria-labelledby': 'rows', class: 'part'},
			h(
				'div',
				{class: 'toolbar'},
				h('h2', {id: 'rows'}, 'Rows'),
				filter,
				check('Full names', 'full'),
				doc.items.some((r) => r.extra) ? check('Hide extras', 'hideExtras') : '',
				found,
				h(
					'span',
					{class: 'links'},
					['csv', 'md'].map((format) => exportLink(run.id, 'breakdown', format, params)),
				),
			),
			place,
			h(
				'p',
				{class: 'hint wide-text'},
				'A row is one role in a layer; the same kernel can have several rows. ' +
					'Mean, median and standard deviation are those of its launches. ' +
					'Time per layer, exclusive and overlapped time are means over all layers of the kind; ' +
					'outside layers, means over the iterations. ' +
					'The times per layer, extras included, add up to the sum. S = T_SOL / T.',
			),
		),
	};
}

// Links to the breakdown comparison: with the newest run of the same workload on each other GPU, and
// with a run that is chosen by hand.
const otherRuns = async (run, at) =>
	h(
		'div',
		{class: 'line'},
		await otherGpuLinks(run, at),
		h('a', {class: 'button plain', href: breakdownUrl([run.id])}, 'Compare with another run…'),
	);

const LAG = 'names_lag';

export async function layerTab(run, query, at) {
	const params = l.layerParams(query);
	const [{doc, refusal}, {items: notes}, others, strata] = await Promise.all([
		answerOrRefusal(api.breakdown(run.id, params, at.signal)),
		api.notes(run.id, at.signal),
		otherRuns(run, at),
		api.strata(run.id, at.signal).catch((error) => (at.signal.aborted ? Promise.reject(error) : [])),
	]);
	const lags = notes.some((n) => n.code === LAG);
	const form = boundaries(run, params, {strata, lags, realigned: doc?.realigned ?? false}, at);
	if (refusal)
		return {
			save: () => at.keep(params),
			node: h(
				'div',
				{class: 'part'},
				refusalLine(refusal, l.layersTabUrl(run.id, params)),
				Object.keys(params).length ? form : '',
			),
		};
	const table = rowSection(run, doc, params, query, at);
	return {
		save: table.save,
		node: h(
			'div',
			{class: 'part'},
			h('p', {class: 'headline'}, l.headline(doc)),
			lags && !doc.realigned
				? h(
						'p',
						{class: 'notice'},
						'Kernel names are shifted against their durations in this run, ',
						'so the times below are not reliable. ',
						h(
							'a',
							{href: l.layersTabUrl(run.id, {...params, realign: 'yes'})},
							'Realign names with durations',
						),
						'.',
					)
				: '',
			doc.realigned
				? h(
						'p',
						{class: 'notice'},
						'Kernel names were realigned with their durations. ',
						'This is an estimate from the period of the durations. ',
						h('a', {href: l.layersTabUrl(run.id, {...params, realign: ''})}, 'As recorded'),
						'.',
					)
				: '',
			doc.layers.count && doc.reason ? h('p', {class: 'notice'}, l.sentence(doc.reason)) : '',
			summary(doc),
			others,
			foldedForm(form, params),
			barChart(doc) ?? '',
			wallTable(doc),
			table.node,
		),
	};
}
