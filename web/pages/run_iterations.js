// run_iterations.js - tab: the repetitions of a run's work: how they were found, how
// long each took and what on, where its time went; by ranges of another name.

import * as api from '../lib/api.js';
import {chart} from '../lib/chart.js';
import {inOrder} from '../lib/chart_iterations.js';
import {exportLink, typicalUnit} from '../lib/columns.js';
import {DETECTORS} from '../lib/comparison.js';
import {facts, field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {announce} from '../lib/notices.js';
import {sorted, table} from '../lib/table.js';

const USES = {kept: 'compared', warmup: 'warm-up', partial: 'cut off'};
const use = (c) => USES[c.use] ?? c.use;

function columns(items) {
	const unit = typicalUnit(items.map((c) => c.dur_ns));
	const time = (label, key) => ({
		label,
		unit,
		num: true,
		down: key,
		up: `-${key}`,
		value: (c) => c[`${key}_ns`],
		cell: (c) => f.inUnit(c[`${key}_ns`], unit),
		title: (c) => f.exact(c[`${key}_ns`]),
	});
	return [
		{
			label: 'Cycle',
			head: true,
			num: true,
			up: 'number',
			down: '-number',
			value: (c) => c.number,
			cell: (c) => f.plain(c.number),
		},
		{label: 'Range', class: 'wide', cell: (c) => c.label ?? f.NONE},
		{
			label: 'Use',
			up: 'use',
			down: '-use',
			value: (c) => c.use,
			title: (c) => (c.open ? 'idle time at its end may be missing' : null),
			cell: (c) => (c.use === 'kept' ? use(c) : h('span', {class: 'mark'}, use(c))),
		},
		{
			label: 'Kind of work',
			num: true,
			up: 'stratum',
			down: '-stratum',
			value: (c) => c.stratum,
			cell: (c) => f.count(c.stratum + 1),
		},
		{...time('Duration', 'dur'), class: 'delta'},
		time('Compute', 'compute'),
		time('Communication', 'comm'),
		time('Copies', 'copy'),
		time('Idle', 'idle'),
		time('Host waits', 'sync'),
		{...time('Start', 'start'), down: '-start', up: 'start'},
		{
			label: 'Launches',
			num: true,
			down: 'launches',
			up: '-launches',
			value: (c) => c.launches,
			cell: (c) => f.count(c.launches),
		},
	];
}

const SIGNATURE_COLUMNS = [
	{label: 'Kind', cell: (w) => ({op: 'operator', grid: 'grid'})[w.kind] ?? w.kind},
	{label: 'Name', head: true, class: 'wide', cell: (w) => h('code', {}, w.name)},
	{label: 'Size', class: 'wide', cell: (w) => h('code', {}, w.size)},
	{label: 'Per cycle', num: true, cell: (w) => f.number(w.per_cycle)},
];

function strataSection(list) {
	return h(
		'section',
		{'aria-labelledby': 'strata'},
		h('h2', {id: 'strata'}, 'Kinds of work'),
		h('p', {class: 'hint'}, 'Only cycles of the same kind are compared with each other.'),
		h(
			'ol',
			{class: 'strata'},
			list.map((s) =>
				h(
					'li',
					{},
					h('strong', {}, s.text || 'nothing is told of its sizes'),
					' ',
					h(
						'span',
						{class: 'quiet'},
						[
							f.plural(s.cycles, 'cycle'),
							s.phase,
							s.sequences !== null && `${f.count(s.sequences)} sequences`,
							s.tokens !== null && `${f.count(s.tokens)} tokens`,
							s.kv_tokens !== null && `${f.count(s.kv_tokens)} in the cache`,
						]
							.filter(Boolean)
							.join(' · '),
					),
					s.works.length
						? h(
								'details',
								{class: 'more'},
								h('summary', {}, `${f.plural(s.works_total ?? s.works.length, 'size')} worked on`),
								table({caption: `Sizes, ${s.text}`, columns: SIGNATURE_COLUMNS, rows: s.works}).node,
								s.works_total > s.works.length
									? h(
											'p',
											{class: 'hint'},
											`The ${s.works.length} most frequent of ${f.count(s.works_total)}.`,
										)
									: null,
							)
						: null,
				),
			),
		),
	);
}

function durations(doc) {
	const points = doc.items.map((c) => ({value: c.dur_ns, run: 0, number: c.number, use: c.use, label: c.label}));
	const side = {label: 'Cycles', class: 'one', points, lines: [{value: doc.median_ns}]};
	const all = columns(doc.items);
	return chart({
		caption: 'Duration of each cycle',
		rows: doc.items,
		columns: [all[0], all[4], all[2]].map(({up, down, ...c}) => c),
		hint:
			'Each dot is a cycle; hollow ones are left out of comparisons, on the edge where they lie beyond it. ' +
			'The line is the median of the others.',
		label: `Durations of ${f.plural(points.length, 'cycle')}, median ${f.duration(doc.median_ns)}`,
		draw: inOrder([side], {
			tell: (_, p) =>
				`cycle ${p.number}${p.label ? ` (${p.label})` : ''}: ${f.duration(p.value)}` +
				(p.use === 'kept' ? '' : `, ${USES[p.use] ?? p.use}`),
		}),
	});
}

function rangeForm(range, at, run) {
	const input = h('input', {type: 'text', name: 'range', value: range, autocomplete: 'off', spellcheck: 'false'});
	const to = (name) => `/runs/${run.id}?${new URLSearchParams({tab: 'cycles', ...(name ? {range: name} : {})})}`;
	return h(
		'form',
		{
			class: 'bar',
			'aria-label': 'Which ranges are the cycles',
			on: {
				submit: (e) => {
					e.preventDefault();
					at.go(to(input.value.trim()));
				},
			},
		},
		field('Cycles are the ranges named', input, 'empty: as found'),
		h(
			'div',
			{class: 'actions'},
			h('button', {type: 'submit'}, 'Show'),
			range ? h('a', {href: to('')}, 'As found') : null,
		),
	);
}

const nothing = (problem) => h('p', {class: 'lacking'}, problem);

export async function iterationTab(run, query, at) {
	const range = query.get('range') ?? '';
	let doc;
	try {
		doc = await api.iterations(
			run.id,
			{range},
			{signal: at.signal, told: (n) => announce(`${f.plural(n, 'cycle')} loaded`)},
		);
	} catch (error) {
		// A name that no range has is an answer, not a page that failed.
		if (!range || (error.status !== 404 && error.status !== 400)) throw error;
		return {
			save: () => at.keep({range}),
			node: h('div', {class: 'part'}, rangeForm(range, at, run), nothing(`${error.message}.`)),
		};
	}
	if (!doc.items.length)
		return {
			save: () => at.keep({range}),
			node: h(
				'div',
				{class: 'part'},
				rangeForm(range, at, run),
				h(
					'p',
					{class: 'quiet'},
					'No cycles were found: nothing in this run repeats, or it tells no single launches.',
				),
			),
		};
	const all = columns(doc.items);
	let sort = query.get('sort') ?? 'number';
	const save = () => at.keep({range, sort: sort === 'number' ? '' : sort});
	const shown = table({
		caption: 'Cycles',
		columns: all,
		rows: sorted(doc.items, all, sort),
		sort,
		tall: true,
		onsort: (word) => {
			sort = word;
			shown.update({rows: sorted(doc.items, all, sort), sort});
			save();
		},
	});
	return {
		save,
		node: h(
			'div',
			{class: 'part'},
			facts([
				['Cycles', `${f.count(doc.kept)} of ${f.count(doc.count)} compared`],
				['Found by', DETECTORS[doc.detector] ?? doc.detector],
				['Range', doc.range && h('code', {}, doc.range)],
				[
					'Alike',
					h(
						'span',
						{title: 'share of the GPU time in cycles that are alike'},
						`${f.percent(doc.confidence * 100)} %`,
					),
				],
				['Median', h('span', {title: f.exact(doc.median_ns)}, f.duration(doc.median_ns))],
			]),
			durations(doc),
			strataSection(doc.strata),
			rangeForm(range, at, run),
			h(
				'div',
				{class: 'toolbar'},
				h('h2', {}, 'Every cycle'),
				h(
					'span',
					{class: 'links'},
					['csv', 'md'].map((format) => exportLink(run.id, 'cycles', format, {range})),
				),
			),
			shown.node,
		),
	};
}
