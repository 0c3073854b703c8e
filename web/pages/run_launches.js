// run_launches.js - tab: launch latency: the time from the launch call on the host to the end of
// the kernel. It is shown per thread, device, API call and kernel, as in nsys' cuda_kern_exec_sum.

import * as api from '../lib/api.js';
import {exportLink, timeColumn, typicalUnit} from '../lib/columns.js';
import {h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {announce} from '../lib/notices.js';
import {missingDetail} from '../lib/run_content.js';
import {matching, sorted, table} from '../lib/table.js';

const PARTS = [
	['Total', 'total'],
	['Call', 'api'],
	['Queue', 'queue'],
	['Kernel time', 'kernel'],
];
const STATS = [
	['Average', 'mean'],
	['Median', 'median'],
	['Min', 'min'],
	['Max', 'max'],
	['StdDev', 'stddev'],
];
const NOT_QUEUED = 'unknown: no kernel started after its call returned';

// The shown times: one statistic of each part, or all.
export function timeColumns(show, unit) {
	const some = STATS.filter(([, stat]) => show === 'all' || show === stat);
	return PARTS.flatMap(([part, of]) =>
		some.map(([label, stat]) =>
			timeColumn(show === 'all' ? `${part} ${label.toLowerCase()}` : part, `${of}_${stat}`, unit, NOT_QUEUED),
		),
	);
}

const text = (label, key) => ({label, up: key, down: `-${key}`, cell: (r) => r[key] || f.NONE, value: (r) => r[key]});
const whole = (label, key, title) => ({
	label,
	num: true,
	down: key,
	up: `-${key}`,
	cell: (r) => f.count(r[key]),
	value: (r) => r[key],
	title,
});

function columns(run, rows, {show, ns}) {
	const unit = ns ? 'ns' : typicalUnit(rows.map((r) => r.total_mean_ns));
	return [
		{
			label: 'Kernel',
			head: true,
			class: 'kernel',
			up: 'name',
			down: '-name',
			title: (r) => r.name,
			cell: (r) => h('a', {href: `/runs/${run.id}?kernel=${r.kernel}`}, h('code', {}, r.distinct_name || r.name)),
			value: (r) => r.name,
		},
		text('API', 'api'),
		whole('Count', 'instances'),
		...timeColumns(show, unit),
		whole(
			'Queued',
			'queued',
			(r) => `${f.count(r.queued)} of ${f.count(r.instances)} started after their call returned`,
		),
		whole('Device', 'device'),
		text('Thread', 'thread'),
	];
}

function explanation() {
	return h(
		'div',
		{class: 'stages'},
		h(
			'ol',
			{},
			[
				['Call', 'the launch on the host, from its start to its return'],
				['Queue', "from the call's return to the kernel's start, for kernels that started after the return"],
				['Kernel time', 'running on the GPU'],
			].map(([name, description]) =>
				h('li', {}, h('strong', {}, name), ' ', h('span', {class: 'quiet'}, description)),
			),
		),
		h('p', {class: 'quiet'}, h('strong', {}, 'Total'), " is from the call's start to the kernel's end."),
	);
}

function choice(show, change) {
	return h(
		'fieldset',
		{class: 'choice'},
		h('legend', {}, 'Statistic'),
		[...STATS, ['All', 'all']].map(([label, value]) =>
			h(
				'label',
				{},
				h('input', {
					type: 'radio',
					name: 'show',
					value,
					checked: value === show,
					on: {change: () => change(value)},
				}),
				h('span', {}, label),
			),
		),
	);
}

export async function launchTab(run, query, at) {
	if (missingDetail(run))
		return {node: h('p', {class: 'quiet'}, missingDetail(run).latency)};
	const all = await api.launches(
		run.id,
		{},
		{signal: at.signal, onProgress: (n) => announce(`${f.plural(n, 'row')} loaded`)},
	);
	if (!all.length)
		return {
			node: h(
				'div',
				{class: 'part'},
				explanation(),
				h(
					'p',
					{class: 'quiet'},
					'Launch latency is unknown, because no launch of this trace could be matched to its kernel. ',
					'The notes above may give the reason.',
				),
			),
		};
	const view = {
		show: query.get('show') ?? 'mean',
		sort: query.get('sort') ?? 'total_mean',
		q: query.get('q') ?? '',
		ns: query.get('unit') === 'ns',
	};
	const place = h('div');
	const links = h('span', {class: 'links'});
	const found = h('span', {class: 'quiet', role: 'status'});
	let shown;

	const rows = () =>
		sorted(
			matching(all, view.q, (r) => `${r.name} ${r.api}`),
			columns(run, all, view),
			view.sort,
		);

	function save() {
		at.keep({
			show: view.show === 'mean' ? '' : view.show,
			sort: view.sort === 'total_mean' ? '' : view.sort,
			q: view.q,
			unit: view.ns ? 'ns' : '',
		});
		links.replaceChildren(...['csv', 'md'].map((format) => exportLink(run.id, 'launches', format, {q: view.q})));
	}

	function change(next) {
		Object.assign(view, next);
		const list = rows();
		shown.update({rows: list, sort: view.sort});
		found.textContent =
			list.length === all.length
				? f.plural(all.length, 'row')
				: `${f.count(list.length)} of ${f.plural(all.length, 'row')}`;
		save();
	}

	function rebuild(next) {
		Object.assign(view, next);
		shown = table({
			caption: 'Launch latency',
			columns: columns(run, all, view),
			rows: [],
			sort: view.sort,
			tall: true,
			empty: 'No kernel or call matches the search.',
			onsort: (sort) => change({sort}),
		});
		place.replaceChildren(shown.node);
		change({});
	}

	rebuild({});
	const filter = h('input', {
		type: 'search',
		'aria-label': 'Filter launches by kernel or call',
		value: view.q,
		placeholder: 'Filter by kernel or call',
		on: {input: (e) => change({q: e.target.value.trim()})},
	});
	return {
		save,
		node: h(
			'div',
			{class: 'part'},
			explanation(),
			h(
				'div',
				{class: 'toolbar'},
				filter,
				choice(view.show, (show) => rebuild({show})),
				h(
					'label',
					{class: 'check'},
					h('input', {
						type: 'checkbox',
						checked: view.ns,
						on: {change: (e) => rebuild({ns: e.target.checked})},
					}),
					'Nanoseconds',
				),
				found,
				links,
			),
			place,
		),
	};
}
