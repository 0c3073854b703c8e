// compare_published.js - tab: the published score as a table with its 17 columns.

import * as api from '../lib/api.js';
import {fileLink} from '../lib/columns.js';
import {h} from '../lib/dom.js';
import {findingList, refusalBanner} from '../lib/findings.js';
import * as f from '../lib/format.js';
import {announce} from '../lib/notices.js';
import {matching, sorted, table} from '../lib/table.js';

const six = (n) => (n === null ? f.NONE : f.count(n, 6));

function number(label, key, digits = 3) {
	return {
		label,
		num: true,
		down: key,
		up: `-${key}`,
		value: (r) => r[key],
		cell: (r) => (r[key] === null ? f.NONE : f.count(r[key], digits)),
		title: (r) => six(r[key]),
	};
}

function columns() {
	const named = (column, unit) => ({...column, unit});
	return [
		{
			label: 'Function',
			head: true,
			class: 'kernel',
			up: 'name',
			down: '-name',
			title: (r) => r.function,
			cell: (r) => h('code', {}, r.function),
			value: (r) => r.function,
		},
		{label: 'Metric', up: 'metric', down: '-metric', cell: (r) => r.metric || f.NONE, value: (r) => r.metric},
		{label: 'Device', up: 'on', down: '-on', cell: (r) => r.device, value: (r) => r.device},
		number('Suspicion', 'score', 2),
		named(number('β base', 'base_beta_pct'), '%'),
		named(number('β head', 'head_beta_pct'), '%'),
		named(number('Δβ', 'delta_beta_pct'), '%'),
		number('Z(β)', 'z_beta', 2),
		number('p(β)', 'p_beta', 4),
		number('U-test p(β)', 'u_p_beta', 4),
		number('μ base', 'base_mu'),
		number('μ head', 'head_mu'),
		number('Δμ', 'delta_mu'),
		number('Z(μ)', 'z_mu', 2),
		number('Z(log μ)', 'z_log_mu', 2),
		number('p(μ)', 'p_mu', 4),
		number('U-test p(μ)', 'u_p_mu', 4),
	];
}

function suspectList(doc) {
	if (!doc.suspects.length) return h('p', {class: 'quiet'}, 'No function exceeds the published threshold of 10.');
	return h(
		'ul',
		{class: 'plain-list'},
		doc.suspects.map((x) =>
			h(
				'li',
				{},
				h('code', {}, x.function),
				' ',
				h(
					'span',
					{class: 'quiet'},
					`${x.device}, score ${f.count(x.score, 2)}`,
					x.metrics.length ? `, with ${x.metrics.join(', ')}` : '',
				),
			),
		),
	);
}

// Findings that the page does not already show above its tabs.
const newFindings = (doc, above) => ({
	findings: doc.findings.filter((x) => !above.findings.some((y) => y.text === x.text)),
});

export async function publishedTab(verdict, params, query, at) {
	const request = {base: params.base, head: params.head, range: params.range, score: 'published'};
	const doc = await api.compare(request, at.signal);
	const all = columns();
	const view = {q: query.get('q') ?? '', sort: query.get('sort') ?? 'score'};
	const found = h('span', {class: 'quiet', role: 'status'});
	const name = `compare-${params.base}-${params.head}-published`.replace(/[^\w-]+/g, '_');
	const rows = () =>
		sorted(
			matching(doc.items, view.q, (r) => `${r.function} ${r.metric} ${r.device}`),
			all,
			view.sort,
		);
	const save = () => at.keep({q: view.q, sort: view.sort === 'score' ? '' : view.sort});
	const shown = table({
		caption: 'Published score',
		columns: all,
		rows: [],
		sort: view.sort,
		tall: true,
		empty: doc.items.length ? 'No function, metric or device matches the search.' : 'No functions to score.',
		onsort: (sort) => change({sort}),
	});

	function change(next) {
		Object.assign(view, next);
		const list = rows();
		shown.update({rows: list, sort: view.sort});
		found.textContent =
			list.length === doc.items.length
				? f.plural(list.length, 'row')
				: `${f.count(list.length)} of ${f.plural(doc.items.length, 'row')}`;
		save();
	}

	change({});
	announce(f.plural(doc.items.length, 'row'));
	const filter = h('input', {
		type: 'search',
		'aria-label': 'Filter by function, metric or device',
		value: view.q,
		placeholder: 'Filter by function, metric or device',
		on: {input: (e) => change({q: e.target.value.trim()})},
	});
	return {
		save,
		node: h(
			'div',
			{class: 'part'},
			h(
				'p',
				{class: 'hint wide-text'},
				'Suspicion = |Δβ| · (|Z(β)| + |Z(log μ)|), as published with LatencyPrism; ',
				'use it to compare with results of other tools. ',
				'It has many false positives and ignores new functions; use the verdict for decisions. ',
				`Base is ${doc.base.name}, head is ${doc.head.name}.`,
			),
			verdict.comparable
				? ''
				: h('p', {class: 'notice'}, 'Descriptive only: the sides are not comparable, so no score below is judged.'),
			refusalBanner(newFindings(doc, verdict)),
			findingList(newFindings(doc, verdict), 'Caveats of this score'),
			suspectList(doc),
			h(
				'div',
				{class: 'toolbar'},
				filter,
				found,
				h(
					'span',
					{class: 'links'},
					[
						['JSON', 'json'],
						['CSV', 'csv'],
						['Markdown', 'md'],
					].map(([text, format]) => fileLink(text, api.compareFile(format, request), `${name}.${format}`)),
				),
			),
			shown.node,
		),
	};
}
