// run_patterns.js - tab: the share of each function in an iteration, and its counters. Comparisons
// use these numbers.

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

// A counter with few samples describes the surroundings of a function, not the function.
function sampling(m) {
	if (m.interpolated === m.iterations) return 'interpolated in every iteration';
	return m.interpolated || m.partly
		? `interpolated in ${f.count(m.interpolated + m.partly)} of ${f.plural(m.iterations, 'iteration')}`
		: 'sampled in every iteration';
}

const COUNTERS = [
	{label: 'Counter', head: true, cell: (m) => m.name},
	{label: 'μ', num: true, cell: (m) => f.number(m.mu)},
	{label: 'σ', num: true, cell: (m) => f.number(m.sigma)},
	{label: 'Iterations', num: true, cell: (m) => f.count(m.iterations)},
	{label: 'Sampling', cell: sampling},
];

function fill(r, place) {
	place.append(
		h('p', {}, h('code', {class: 'full'}, r.function)),
		r.metrics.length
			? table({caption: `Counters of ${r.distinct_name || r.function}`, columns: COUNTERS, rows: r.metrics}).node
			: h('p', {class: 'quiet'}, 'No counters were recorded for this function.'),
	);
}

function columns(rows, iterations) {
	const unit = typicalUnit(rows.map((r) => r.ns_per_iteration));
	const each = typicalUnit(rows.map((r) => r.max_ns));
	return [
		{
			label: 'Function',
			head: true,
			class: 'kernel',
			up: 'name',
			down: '-name',
			title: (r) => r.function,
			cell: (r) => h('code', {}, r.distinct_name || r.function),
			value: (r) => r.distinct_name || r.function,
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
			title: (r) => (r.beta_pct === null ? 'unknown' : `${r.beta_pct} % of the iteration`),
		},
		time('Time per iteration', 'ns_per_iteration', unit),
		{
			label: 'Launches',
			num: true,
			down: 'launches',
			up: '-launches',
			value: (r) => r.launches_per_iteration,
			cell: (r) => f.mean(r.launches_per_iteration),
			title: (r) => `${r.launches_per_iteration ?? 'unknown'} per iteration`,
		},
		time('Minimum', 'min_ns', each),
		time('Maximum', 'max_ns', each),
		{
			label: 'Iterations',
			num: true,
			down: 'iterations',
			up: '-iterations',
			value: (r) => r.iterations,
			cell: (r) => f.count(r.iterations),
			title: (r) => `in ${f.count(r.iterations)} of ${f.plural(iterations, 'iteration')}`,
		},
		{label: 'Counters', num: true, cell: (r) => f.count(r.metrics.length)},
	];
}

export async function patternTab(run, query, at) {
	const {iterations, items} = await api.patterns(
		run.id,
		{},
		{signal: at.signal, onProgress: (n) => announce(`${f.plural(n, 'function')} loaded`)},
	);
	if (!items.length)
		return {
			node: h('p', {class: 'quiet'}, 'This run has no iterations, so the shares of its functions are unknown.'),
		};
	const all = columns(items, iterations);
	const view = {sort: query.get('sort') ?? 'ns_per_iteration', q: query.get('q') ?? ''};
	const found = h('span', {class: 'quiet', role: 'status'});
	const shown = table({
		caption: 'Functions per iteration',
		columns: all,
		rows: [],
		sort: view.sort,
		tall: true,
		empty: 'No function or device matches the search.',
		onsort: (sort) => change({sort}),
		detail: {open: new Set(), fill, changed: () => {}, name: (r) => r.distinct_name || r.function},
	});
	const rows = () =>
		sorted(
			matching(items, view.q, (r) => `${r.function} ${r.device}`),
			all,
			view.sort,
		);
	const save = () => at.keep({sort: view.sort === 'ns_per_iteration' ? '' : view.sort, q: view.q});

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
				`Means over ${f.plural(iterations, 'compared iteration')}. `,
				'β is the share of the iteration time; with several streams it can exceed 100 %.',
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
