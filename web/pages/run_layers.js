// run_layers.js - tab: the layers of the model in a run, and where a layer's time
// goes: how they were found, what of the wall it was, a bar a layer, a row a place.

import {answerOrRefusal, refusalLine} from '../lib/answer.js';
import * as api from '../lib/api.js';
import {chart} from '../lib/chart.js';
import {layerBars, layerColumns, swatch} from '../lib/chart_layers.js';
import {exportLink, largestUnit} from '../lib/columns.js';
import {facts, field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {grouped, heading} from '../lib/grouped.js';
import {CONCURRENT, kernelCell, roleCell, timeCell} from '../lib/layer_cells.js';
import * as l from '../lib/layers.js';
import {layersTabUrl} from '../lib/layers.js';
import * as o from '../lib/operators.js';
import {table} from '../lib/table.js';

// Where layers begin, on which device and of which work, when
// it is not to be as found; all of it is in the address.

const choice = (name, value, first, options) =>
	h(
		'select',
		{name},
		h('option', {value: ''}, first),
		options.map(([word, text]) => h('option', {value: word, selected: String(word) === value}, text)),
	);

const stratumText = (s, i) => `${s.text || `kind ${i + 1}`}, ${f.plural(s.cycles, 'cycle')}`;

function boundaries(run, words, {strata, lags, realigned}, at) {
	const text = (name) =>
		h('input', {type: 'text', name, value: words[name], autocomplete: 'off', spellcheck: 'false'});
	const range = text('range');
	const start = text('start');
	const every = h('input', {type: 'number', name: 'every', value: words.every, min: 1, step: 1, placeholder: '1'});
	const device =
		run.devices.length > 1 || words.device
			? choice(
					'device',
					words.device,
					'the busiest one',
					run.devices.map((d) => [d.number, `${d.number}${d.name ? `, ${d.name}` : ''}`]),
				)
			: null;
	const stratum =
		strata.length > 1 || words.stratum
			? choice(
					'stratum',
					words.stratum,
					'that of most time',
					strata.map((s, i) => [i, stratumText(s, i)]),
				)
			: null;
	const realign =
		lags || realigned || words.realign
			? h('input', {type: 'checkbox', name: 'realign', checked: words.realign === 'yes'})
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
		{class: 'bar', 'aria-label': 'Where layers begin', on: {submit}},
		field('Layers are the ranges', range, "a module's class, or a range's name"),
		field('A layer begins at kernels with', start, "a part of the kernel's name"),
		field('Begin at every', every, '2: at every second such kernel'),
		device ? field('On device', device) : null,
		stratum ? field('Kind of work', stratum) : null,
		realign ? h('label', {class: 'check'}, realign, 'Put names back to their durations') : null,
		h(
			'div',
			{class: 'actions'},
			h('button', {type: 'submit', class: 'main'}, 'Show'),
			Object.keys(words).length ? h('a', {href: layersTabUrl(run.id, {})}, 'As found') : null,
		),
	);
}

// Folded away until somebody asks, or has asked.
const foldedForm = (form, words) =>
	h(
		'details',
		{class: 'formats options', open: Object.keys(words).length > 0},
		h(
			'summary',
			{},
			Object.keys(words).length
				? `Not as found: ${Object.entries(words)
						.map(([key, value]) => `${key} ${value}`)
						.join(', ')}`
				: 'Layers begin elsewhere, or another device or work…',
		),
		form,
	);

// Above the rows of a breakdown: its times in short, a bar a
// layer, and what the wall was made of.

const total = (label, text, title) => h('div', {class: 'total', title}, h('dt', {}, label), h('dd', {}, text));

// A mean, and the rest of what is known of its spread in the title.
const spread = (label, times, of) =>
	total(
		label,
		f.duration(times.mean_ns),
		times.instances
			? `mean ${f.exact(times.mean_ns)}, median ${f.exact(times.med_ns)}, ` +
					`${f.exact(times.min_ns)} to ${f.exact(times.max_ns)}, standard deviation ${f.exact(times.stddev_ns)}; of ${of(times.instances)}`
			: 'unknown',
	);

function summary(doc) {
	const passes = (n) => f.plural(n, 'pass', 'passes');
	const kinds = doc.sections.filter((s) => s.place === 'layer');
	return h(
		'div',
		{class: 'part'},
		h(
			'dl',
			{class: 'totals'},
			spread('End to end', doc.end_to_end, passes),
			doc.layers.count ? spread(f.plural(doc.layers.count, 'layer'), doc.layers.time, passes) : null,
			kinds.map((s) =>
				spread(kinds.length > 1 ? `A layer of ${s.name ?? 'a kind without a name'}` : 'A layer', s.time, (n) =>
					f.plural(n, 'layer'),
				),
			),
			total(
				'Passes',
				f.count(doc.passes),
				'repetitions of the work that count; the whole recording where nothing repeats',
			),
			doc.layers.count
				? total(
						'Alike',
						doc.confidence === null ? f.NONE : `${f.percent(doc.confidence * 100)} %`,
						'confidence: the share of launches in layers that are where most layers have them',
					)
				: null,
		),
		facts([
			['A layer begins at', doc.anchor && h('code', {}, doc.anchor)],
			['Work', doc.stratum],
			['Device', doc.device === null || doc.device < 0 ? null : f.plain(doc.device)],
		]),
	);
}

function barChart(doc) {
	const bars = l.barsOf(doc);
	if (!bars.length) return null;
	const kinds = l.BLOCKS.filter((kind) => bars.some((bar) => bar.parts.some((p) => p.kind === kind)));
	const caption = 'Each layer of a pass';
	const drawn = chart({
		caption,
		steps: true,
		rows: bars,
		columns: layerColumns(bars, kinds),
		draw: layerBars(bars, kinds),
		hint: "Durations of a layer's launches, mean over the passes; a bar is a layer. Arrow keys go from bar to bar.",
		label: `${caption}: ${f.plural(bars.length, 'layer')} as bars, stacked of ${kinds.join(', ')}; arrow keys tell them one by one`,
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

// The parts of the wall with their sum beneath them: nothing is left over.
function wallTable(doc) {
	const {parts, sum, closes} = l.wallOf(doc);
	const unit = largestUnit([doc.wall_ns]);
	const per = (ns) => (ns === null || !doc.passes ? null : ns / doc.passes);
	const each = largestUnit([per(doc.wall_ns)]);
	const rows = [
		...parts,
		{
			name: closes ? 'Sum = wall' : 'Wall',
			ns: doc.wall_ns,
			sum: true,
			what: `the windows of ${f.plural(doc.passes, 'pass', 'passes')} that count`,
		},
		{
			name: 'Exposed communication',
			ns: doc.exposed_comm_ns,
			within: true,
			what: 'collectives with no computing beside them; part of what is above',
		},
	];
	const columns = [
		{
			label: 'Of the wall',
			head: true,
			title: (r) => r.what,
			cell: (r) =>
				r.sum
					? h('strong', {}, r.name)
					: r.within
						? h('span', {class: 'quiet'}, `of it: ${r.name.toLowerCase()}`)
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
			label: 'A pass',
			unit: each,
			num: true,
			cell: (r) => f.inUnit(per(r.ns), each),
			title: (r) => f.exact(per(r.ns)),
		},
		{label: 'All passes', unit, num: true, cell: (r) => f.inUnit(r.ns, unit), title: (r) => f.exact(r.ns)},
		{label: 'What it is', cell: (r) => h('span', {class: 'quiet'}, r.what)},
	];
	return h(
		'section',
		{'aria-labelledby': 'wall'},
		h('h2', {id: 'wall'}, 'Where the wall went'),
		table({caption: 'Where the wall went', columns, rows}).node,
		sum === null || closes
			? ''
			: h('p', {class: 'lacking'}, `These add up to ${f.exact(sum)}, and the wall is ${f.exact(doc.wall_ns)}.`),
	);
}

// The rows of a breakdown by section and block, with the sum
// of each block; kernels launched together are a line that opens to them.

const HEADS = [
	['Module or role'],
	['Kernel'],
	['Operator'],
	['Mean', 'µs'],
	['Per layer'],
	['A layer', 'µs'],
	['S'],
	['Alone', 'µs'],
	['Overlapped', 'µs'],
	['Median', 'µs'],
	['Std dev', 'µs'],
];
const NUMBERS_FROM = 3;
const MAX_LINES = 400;

const WHY = 'no single figure of several kernels: open the line';
const S_TITLE = (r) =>
	r.s === null || r.s === undefined
		? 'unknown: no bound is known'
		: `T_SOL / T = ${r.s}${r.sol_ns ? `; ${f.exact(r.sol_ns)} at least` : ''}`;

// What a section's instance has of a time over all of them.
const each = (ns, section) => (ns === null || !section.instances ? null : ns / section.instances);

function numbers(r, section) {
	const per = section.instances ? r.launches / section.instances : null;
	const own = (ns) => timeCell(ns, r.rows ? WHY : 'unknown');
	const part = (ns, what) =>
		timeCell(
			each(ns, section),
			'unknown',
			`a mean of ${f.exact(each(ns, section))}; ${f.exact(ns)} ${what} over all passes`,
		);
	return [
		timeCell(r.mean_ns),
		h(
			'td',
			{
				class: 'num',
				title: `${f.plural(r.launches, 'launch', 'launches')}; ${f.count(r.instances)} of ${f.count(section.instances)} have it`,
			},
			f.mean(per),
		),
		timeCell(
			l.perInstance(r, section),
			'unknown',
			`mean time of a layer in it, of all layers of this kind: ${f.exact(l.perInstance(r, section))}`,
		),
		h('td', {class: 'num', title: S_TITLE(r)}, o.share(r.s)),
		part(r.exclusive_ns, 'alone'),
		part(r.overlapped_ns, 'beside others'),
		own(r.med_ns),
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

// A line of several kernels, and what it opens to.
function foldedRows(line, section, view, changed) {
	const made = () => line.rows.map((r) => row(r, section, view, undefined, true));
	let members = view.open.has(line.at) ? made() : [];
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
					members = open ? made() : [];
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
		time(block.sum_ns, `the rows add up to it: ${f.exact(block.sum_ns)}`),
		h('td'),
		time(each(block.exclusive_ns, section), `${f.exact(block.exclusive_ns)} over all passes`),
		time(each(block.overlapped_ns, section), `${f.exact(block.overlapped_ns)} over all passes`),
		h('td'),
		h('td'),
	);
}

function sectionHead(section) {
	const {time} = section;
	return heading(
		'section-head',
		HEADS.length,
		h('strong', {}, l.placeName(section)),
		' ',
		h(
			'span',
			{class: 'quiet'},
			`${section.place === 'layer' ? `the first is layer ${section.first} · ` : ''}rows add up to ${f.duration(section.sum_ns)}, from start to end ${f.duration(time.mean_ns)} · ` +
				`${f.plural(section.instances, 'time', 'times')} seen, ${section.alike === null ? 'how alike is unknown' : `${f.percent(section.alike * 100)} % alike`}`,
		),
	);
}

function blockHead(block, blocks) {
	const beside = block.beside === null ? null : blocks[block.beside];
	return heading(
		'block-head',
		HEADS.length,
		swatch(block.block),
		h('span', {}, block.block),
		beside ? h('span', {class: 'mark', title: CONCURRENT}, `beside ${beside.block}`) : null,
	);
}

function rowSection(run, doc, words, query, at) {
	const view = {
		q: query.get('q') ?? '',
		full: query.get('names') === 'full',
		usual: query.get('extras') === 'no',
		most: MAX_LINES,
		open: new Set((query.get('open') ?? '').split(',').filter(Boolean).map(Number)),
	};
	const place = h('div', {class: 'part layer-rows'});
	const found = h('span', {class: 'quiet', role: 'status'});
	const save = () =>
		at.keep({
			...words,
			q: view.q,
			names: view.full ? 'full' : '',
			extras: view.usual ? 'no' : '',
			open: [...view.open].join(','),
		});

	// Lines up to so many, in parts as they come; the rest is a press away.
	function draw() {
		const tree = l.treeOf(doc, view);
		const all = tree.reduce((n, s) => n + s.blocks.reduce((m, b) => m + b.lines.length, 0), 0);
		let left = view.most;
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
				empty: doc.items.length ? 'No row has this in it.' : 'This run has no launches.',
			}),
			left < 0
				? h(
						'button',
						{
							type: 'button',
							class: 'fold-line',
							on: {
								click: () => {
									view.most = Infinity;
									draw();
								},
							},
						},
						`Show the other ${f.plural(-left, 'line')}`,
					)
				: '',
		);
		found.textContent = f.plural(all, 'line');
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
				h('h2', {id: 'rows'}, 'Row by row'),
				filter,
				check('Full names', 'full'),
				doc.items.some((r) => r.extra) ? check('Without extras', 'usual') : '',
				found,
				h(
					'span',
					{class: 'links'},
					['csv', 'md'].map((format) => exportLink(run.id, 'breakdown', format, words)),
				),
			),
			place,
			h(
				'p',
				{class: 'hint wide-text'},
				'A row is a place in its layer, not a kernel: one kernel may stand in several. Mean, median and deviation are of its launches; ' +
					"a layer's time, alone and overlapped are means over all layers of the kind (or, of what is no layer, over the passes), and the first adds up to the sum, extras included. S = T_SOL / T, of what is bound.",
			),
		),
	};
}

const LAG = 'names_lag';

export async function layerTab(run, query, at) {
	const words = l.layerParams(query);
	const [{doc, refusal}, {items: notes}, strata] = await Promise.all([
		answerOrRefusal(api.breakdown(run.id, words, at.signal)),
		api.notes(run.id, at.signal),
		api.strata(run.id, at.signal).catch((error) => (at.signal.aborted ? Promise.reject(error) : [])),
	]);
	const lags = notes.some((n) => n.code === LAG);
	const form = boundaries(run, words, {strata, lags, realigned: doc?.realigned ?? false}, at);
	const others = h('a', {class: 'button plain', href: `/breakdown?runs=${run.id}`}, 'Beside another run…');
	if (refusal)
		return {
			save: () => at.keep(words),
			node: h(
				'div',
				{class: 'part'},
				refusalLine(refusal, l.layersTabUrl(run.id, words)),
				Object.keys(words).length ? form : '',
			),
		};
	const table = rowSection(run, doc, words, query, at);
	return {
		save: table.save,
		node: h(
			'div',
			{class: 'part'},
			h('p', {class: 'headline'}, l.headline(doc)),
			lags && !doc.realigned
				? h(
						'p',
						{class: 'lacking'},
						"The kernels' names lag behind their durations in this run: what stands beside a name below is not to be trusted. ",
						h(
							'a',
							{href: l.layersTabUrl(run.id, {...words, realign: 'yes'})},
							'Put the names back to their durations',
						),
						'.',
					)
				: '',
			doc.realigned
				? h(
						'p',
						{class: 'lacking'},
						'Names were put back to the durations they lag behind, as asked: a guess by the period at which durations repeat. ',
						h('a', {href: l.layersTabUrl(run.id, {...words, realign: ''})}, 'As recorded'),
						'.',
					)
				: '',
			doc.layers.count && doc.why ? h('p', {class: 'lacking'}, l.sentence(doc.why)) : '',
			summary(doc),
			h('div', {class: 'line'}, others),
			foldedForm(form, words),
			barChart(doc) ?? '',
			wallTable(doc),
			table.node,
		),
	};
}
