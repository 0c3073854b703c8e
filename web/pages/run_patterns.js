// run_patterns.js - tab: what each function took of a cycle, and the counters
// beside it; for comparisons these are the numbers of one side.

import * as api from '../lib/api.js';
import {exportLink, share, typicalUnit} from '../lib/columns.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {announce} from '../lib/notices.js';
import {matching, sorted, table} from '../lib/table.js';

function time(label, key, unit) {
	return {
		label,
		unit,
		num: true,
		down: key,
		up: `-${key}`,
		value: (r) => r[key],
		cell: (r) => f.inUnit(r[key], unit),
		title: (r) => f.exact(r[key]),
	};
}

// A counter read too seldom for a function tells of its surroundings, not of it.
function sampling(m) {
	if (m.interpolated === m.cycles) return 'interpolated in every cycle';
	return m.interpolated || m.partly
		? `interpolated in ${f.count(m.interpolated + m.partly)} of ${f.plural(m.cycles, 'cycle')}`
		: 'sampled in every cycle';
}

const COUNTERS = [
	{label: 'Counter', head: true, cell: (m) => m.name},
	{label: 'μ', num: true, cell: (m) => f.number(m.mu)},
	{label: 'σ', num: true, cell: (m) => f.number(m.sigma)},
	{label: 'Cycles', num: true, cell: (m) => f.count(m.cycles)},
	{label: 'Sampling', cell: sampling},
];

function fill(r, place) {
	place.append(
		h('p', {}, h('code', {class: 'full'}, r.function)),
		r.metrics.length
			? table({caption: `Counters beside ${r.short_name || r.function}`, columns: COUNTERS, rows: r.metrics}).node
			: h('p', {class: 'quiet'}, 'No counter was recorded beside it.'),
	);
}

function columns(rows, cycles) {
	const unit = typicalUnit(rows.map((r) => r.ns_per_cycle));
	const each = typicalUnit(rows.map((r) => r.max_ns));
	return [
		{
			label: 'Function',
			head: true,
			class: 'kernel',
			up: 'name',
			down: '-name',
			title: (r) => r.function,
			cell: (r) => h('code', {}, r.short_name || r.function),
			value: (r) => r.short_name || r.function,
		},
		{label: 'Kind', up: 'kind', down: '-kind', cell: (r) => r.type, value: (r) => r.type},
		{label: 'Device', up: 'on', down: '-on', cell: (r) => r.device, value: (r) => r.device},
		{
			label: 'β',
			unit: '%',
			num: true,
			class: 'time',
			down: 'beta',
			up: '-beta',
			value: (r) => r.beta_pct,
			cell: (r) => share(r.beta_pct),
			title: (r) => (r.beta_pct === null ? 'unknown' : `${r.beta_pct} % of the cycle`),
		},
		time('Time per cycle', 'ns_per_cycle', unit),
		{
			label: 'Launches',
			num: true,
			down: 'launches',
			up: '-launches',
			value: (r) => r.launches_per_cycle,
			cell: (r) => f.mean(r.launches_per_cycle),
			title: (r) => `${r.launches_per_cycle ?? 'unknown'} per cycle`,
		},
		time('Shortest', 'min_ns', each),
		time('Longest', 'max_ns', each),
		{
			label: 'Cycles',
			num: true,
			down: 'cycles',
			up: '-cycles',
			value: (r) => r.cycles,
			cell: (r) => f.count(r.cycles),
			title: (r) => `it ran in ${f.count(r.cycles)} of ${f.plural(cycles, 'cycle')}`,
		},
		{label: 'Counters', num: true, cell: (r) => f.count(r.metrics.length)},
	];
}

export async function patternTab(run, query, at) {
	const {cycles, items} = await api.patterns(
		run.id,
		{},
		{signal: at.signal, told: (n) => announce(`${f.plural(n, 'function')} loaded`)},
	);
	if (!items.length)
		return {node: h('p', {class: 'quiet'}, "There are no cycles here to tell the functions' shares of.")};
	const all = columns(items, cycles);
	const view = {sort: query.get('sort') ?? 'ns_per_cycle', q: query.get('q') ?? ''};
	const found = h('span', {class: 'quiet', role: 'status'});
	const shown = table({
		caption: 'Functions in a cycle',
		columns: all,
		rows: [],
		sort: view.sort,
		tall: true,
		empty: 'No function has this in its name or device.',
		onsort: (sort) => change({sort}),
		detail: {open: new Set(), fill, changed: () => {}, name: (r) => r.short_name || r.function},
	});
	const rows = () =>
		sorted(
			matching(items, view.q, (r) => `${r.function} ${r.device}`),
			all,
			view.sort,
		);
	const save = () => at.keep({sort: view.sort === 'ns_per_cycle' ? '' : view.sort, q: view.q});

	function change(next) {
		Object.assign(view, next);
		const list = rows();
		shown.update({rows: list, sort: view.sort});
		found.textContent =
			list.length === items.length
				? f.plural(items.length, 'function')
				: `${f.count(list.length)} of ${f.plural(items.length, 'function')}`;
		save();
	}

	change({});
	const filter = h('input', {
		type: 'search',
		'aria-label': 'Filter functions by name or device',
		value: view.q,
		placeholder: 'Filter by name or device',
		on: {input: (e) => change({q: e.target.value.trim()})},
	});
	return {
		save,
		node: h(
			'div',
			{class: 'part'},
			h(
				'p',
				{class: 'hint'},
				`Means over ${f.plural(cycles, 'compared cycle')}. `,
				"β is a share of the cycle's time; several streams may pass 100 %.",
			),
			h(
				'div',
				{class: 'toolbar'},
				filter,
				found,
				h(
					'span',
					{class: 'links'},
					['csv', 'md'].map((format) => exportLink(run.id, 'patterns', format, {})),
				),
			),
			shown.node,
		),
	};
}
