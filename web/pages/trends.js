// trends.js - /trends: one value per run of a workload over time, as a chart with change points
// and as tables. The series, the visible range and the ticked runs are in the address.

import {answerOrRefusal, refusalLine} from '../lib/answer.js';
import * as api from '../lib/api.js';
import {Failure} from '../lib/api.js';
import {trendChart} from '../chart/chart_trend.js';
import {fileLink} from '../lib/columns.js';
import {compareUrl} from '../lib/comparison.js';
import {field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {listing} from '../lib/listing.js';
import {showFailure} from '../lib/notices.js';
import {runPicker} from '../lib/run_picker.js';
import {rangeText, runsUrl} from '../lib/scope.js';
import {table} from '../lib/table.js';
import {tabs} from '../lib/tabs.js';
import * as t from '../lib/trends.js';
import {headline, metricOf, METRICS, STATS, trendParams, trendsUrl, visibleRange, workloadName} from '../lib/trends.js';

// /trends without a workload: the list of workloads.

function columns(query, now) {
	return [
		{
			label: 'Workload',
			head: true,
			class: 'wide',
			cell: (w) =>
				h(
					'a',
					{href: trendsUrl(query, {project: w.project, workload: w.workload, q: null, cursor: null})},
					workloadName(w),
				),
		},
		{
			label: 'Runs',
			num: true,
			cell: (w) => (runsUrl(w, {}) ? h('a', {href: runsUrl(w, {})}, f.count(w.runs)) : f.count(w.runs)),
		},
		{
			label: 'First',
			num: true,
			cell: (w) => h('time', {datetime: w.first_at}, f.age(w.first_at, now)),
			title: (w) => f.moment(w.first_at),
		},
		{
			label: 'Last',
			num: true,
			cell: (w) => h('time', {datetime: w.last_at}, f.age(w.last_at, now)),
			title: (w) => f.moment(w.last_at),
		},
	];
}

const nothing = () =>
	h(
		'section',
		{class: 'empty'},
		h('h2', {}, 'No runs yet'),
		h(
			'p',
			{},
			'A trend is one value per run of a workload over time. To see one, ',
			h('a', {href: '/uploads'}, 'upload some runs'),
			' with a project and a workload.',
		),
	);

async function trendsChooser(view, query, at) {
	const {items, next} = await api.workloads(
		{q: query.get('q'), project: query.get('project'), cursor: query.get('cursor')},
		at.signal,
	);
	const searched = ['q', 'project', 'cursor'].some((key) => query.get(key));
	view.append(h('h1', {}, 'Trends'));
	if (!items.length && !searched) {
		view.append(nothing());
		return 'Trends';
	}
	const input = h('input', {
		type: 'search',
		name: 'q',
		value: query.get('q'),
		'aria-label': 'Search workloads',
		placeholder: 'part of a project or workload',
	});
	const submit = (e) => {
		e.preventDefault();
		at.go(trendsUrl(query, {q: input.value.trim(), cursor: null, project: null}));
	};
	view.append(
		h(
			'p',
			{},
			`Shows one value per run of a workload over time, and its change points. Select a workload of ` +
				`${query.get('project') ? `project ${query.get('project')}` : 'any project'}.`,
		),
		h(
			'form',
			{class: 'toolbar', role: 'search', 'aria-label': 'Workloads', on: {submit}},
			input,
			h('button', {type: 'submit'}, 'Search'),
			searched ? h('a', {href: '/trends'}, 'All workloads') : null,
		),
		table({
			caption: 'Workloads',
			columns: columns(query, Date.now()),
			rows: items,
			empty: 'No workload matches the search.',
		}).node,
		next
			? h(
					'nav',
					{class: 'pager', 'aria-label': 'Pages of the list'},
					h('a', {href: trendsUrl(query, {cursor: next}), rel: 'next'}, 'Next page'),
				)
			: '',
	);
	return 'Trends';
}

// The parameters of a trend and the form that changes them.

const MORE = [
	['device', 'Device', 'whole name'],
	['framework', 'Framework', 'vllm'],
	['label', 'Labels', 'branch=main'],
	['group', 'Group by label', 'commit'],
	['alpha', 'Alpha', '0.01'],
];
const DAYS = [
	['since', 'Since'],
	['until', 'Until'],
];

const select = (name, options, chosen, change) =>
	h(
		'select',
		{name, on: {change: (e) => change(e.target.value)}},
		options.map(([value, text]) => h('option', {value, selected: value === chosen}, text)),
	);

const OF_LABELS = {operator: 'Operator', kernel: 'Kernel', kind: 'Kind of collective', measure: 'Measure'};

// The form that chooses a series. `names` are operators or kernels to suggest. A selection takes
// effect immediately, a text field on submit.
function trendForm(query, names, at) {
	const metric = metricOf(query);
	const {stats, of, description} = METRICS[metric];
	const needsOf = of && of !== 'kind';
	const go = (changes) => at.go(trendsUrl(query, changes));
	const text = ([name, label, example]) => [
		label,
		h('input', {type: 'text', name, value: query.get(name), placeholder: example, autocomplete: 'off'}),
	];
	const ofInput =
		of &&
		h('input', {
			type: 'text',
			name: 'of',
			value: query.get('of'),
			list: needsOf ? 'offered-of' : null,
			required: needsOf,
			autocomplete: 'off',
			placeholder: needsOf ? 'whole name' : 'all_reduce',
		});
	const more = [
		...MORE.map(text),
		...DAYS.map(([name, label]) => [
			label,
			h('input', {type: 'date', name, value: (query.get(name) ?? '').slice(0, 10)}),
		]),
	];
	const submit = (e) => {
		e.preventDefault();
		go(
			Object.fromEntries(
				[...more.map(([, input]) => input), ...(of ? [ofInput] : [])].map((input) => [
					input.name,
					input.value.trim(),
				]),
			),
		);
	};
	return h(
		'form',
		{role: 'search', 'aria-label': 'Metric and filters', class: 'filter-form', on: {submit}},
		h(
			'div',
			{class: 'bar'},
			field(
				'Metric',
				select(
					'metric',
					Object.entries(METRICS).map(([word, {label}]) => [word, label]),
					metric,
					(value) => go({metric: value === 'iteration' ? '' : value}),
				),
				description,
			),
			field(
				'Statistic',
				select(
					'stat',
					stats.map((word) => [word, STATS[word]]),
					query.get('stat') ?? stats[0],
					(value) => go({stat: value === stats[0] ? '' : value}),
				),
			),
			of ? field(OF_LABELS[of], ofInput) : null,
			field(
				'X axis',
				select(
					'x',
					[
						['', 'time'],
						['order', 'order of runs'],
					],
					query.get('x') ?? '',
					(value) => go({x: value}),
				),
			),
			h(
				'div',
				{class: 'actions'},
				h('button', {type: 'submit', class: 'main'}, 'Show'),
				h('a', {href: '/trends'}, 'Other workloads'),
			),
		),
		h(
			'details',
			{class: 'more-filters', open: more.some(([, input]) => query.get(input.name))},
			h('summary', {}, 'Filters'),
			h(
				'div',
				{class: 'bar'},
				more.map(([label, input]) => field(label, input)),
			),
		),
		needsOf
			? h(
					'datalist',
					{id: 'offered-of'},
					names.map((value) => h('option', {value})),
				)
			: null,
	);
}

// The tables below the chart: change points, groups and visible points. They contain links to their
// runs and to comparisons.

// Runs per side of a comparison.
const MAX_COMPARED = 8;

const moment = (ms) => h('time', {datetime: new Date(ms).toISOString()}, f.moment(new Date(ms).toISOString()));
const runLink = (id) => h('a', {href: `/runs/${id}`}, `run ${id}`);
const compareLink = ({base, head}, text) =>
	h('a', {href: compareUrl({base: base.join(','), head: head.join(',')})}, text);
const groupColumn = (doc, value) => ({
	label: doc.group || 'Group',
	class: 'wraps',
	up: 'group',
	down: '-group',
	value,
	cell: (r) => (value(r) ? t.shortCommit(value(r)) : f.NONE),
	title: value,
});
const byNumber = (label, key, value, cell, title) => ({label, num: true, down: key, up: `-${key}`, value, cell, title});

const alphaOf = (query) => Number(query.get('alpha')) || t.CHANGE_ALPHA;

function changesList(doc, query, at) {
	const few = t.tooShort(doc, alphaOf(query));
	const value = (label, key) =>
		byNumber(
			label,
			key,
			(c) => c[key],
			(c) => t.valueText(doc, c[key]),
			(c) => t.exactText(doc, c[key]),
		);
	const columns = [
		{label: 'First run', head: true, up: 'at', down: '-at', value: (c) => c.index, cell: (c) => runLink(c.run)},
		{label: 'Stored', cell: (c) => moment(doc.points.at_ms[c.index])},
		groupColumn(doc, (c) => c.group),
		value('Before', 'before'),
		value('After', 'after'),
		byNumber(
			'Change',
			'change',
			(c) => c.change_pct,
			(c) => h('span', {class: 'delta'}, t.changeText(c.change_pct)),
		),
		{label: '95 % interval', num: true, cell: (c) => t.intervalText(c.low_pct, c.high_pct)},
		byNumber(
			'p',
			'p',
			(c) => c.p,
			(c) => f.probability(c.p),
		),
		...(doc.change_points.some((c) => c.other_work)
			? [{label: 'Work', class: 'wraps', cell: (c) => c.other_work ?? 'the same, or unknown'}]
			: []),
		{
			label: 'Compare runs',
			cell: (c) => {
				const sides = t.sidesAround(doc, doc.change_points.indexOf(c), MAX_COMPARED);
				return compareLink(sides, `Compare ${sides.base.length} with ${sides.head.length}`);
			},
		},
	];
	return listing({
		caption: 'Change points',
		columns,
		rows: doc.change_points,
		query,
		defaultSort: 'at',
		rowName: 'change point',
		at,
		text: (c) => [c.group, `run ${c.run}`].filter(Boolean).join(' '),
		empty: few ? `${f.capital(few.short)}: ${few.reason}.` : 'No change points in these runs.',
	});
}

function groupRows(doc, range) {
	const {run, value} = doc.points;
	const all = t.groups(doc, ...range);
	return all.map((g, i) => {
		const own = value.slice(g.from, g.to);
		const before = all[i - 1];
		return {
			...g,
			runs: run.slice(g.from, g.to),
			at: doc.points.at_ms[g.from],
			min: Math.min(...own),
			max: Math.max(...own),
			before: before ? run.slice(before.from, before.to).slice(-MAX_COMPARED) : [],
		};
	});
}

const range = ([from, to]) => [from, to + 1];

function groupsList(doc, visible, query, at) {
	const columns = [
		{
			label: doc.group || 'Group',
			head: true,
			class: 'wide',
			up: 'group',
			down: '-group',
			value: (g) => g.group,
			cell: (g) => t.shortCommit(g.group),
			title: (g) => g.group,
		},
		{label: 'First stored', up: 'at', down: '-at', value: (g) => g.from, cell: (g) => moment(g.at)},
		byNumber(
			'Runs',
			'runs',
			(g) => g.runs.length,
			(g) => f.count(g.runs.length),
		),
		{label: 'First run', cell: (g) => runLink(g.runs[0])},
		...[
			['Minimum', 'min'],
			['Maximum', 'max'],
		].map(([label, key]) =>
			byNumber(
				label,
				key,
				(g) => g[key],
				(g) => t.valueText(doc, g[key]),
				(g) => t.exactText(doc, g[key]),
			),
		),
		{
			label: 'Compare with previous group',
			cell: (g) =>
				g.before.length
					? compareLink(
							{base: g.before, head: g.runs.slice(0, MAX_COMPARED)},
							`Compare ${g.before.length} with ${Math.min(g.runs.length, MAX_COMPARED)}`,
						)
					: f.NONE,
		},
	];
	const list = listing({
		caption: 'Groups of runs',
		columns,
		rows: groupRows(doc, range(visible)),
		query,
		defaultSort: '-at',
		rowName: 'group',
		at,
		tall: true,
		text: (g) => g.group,
		empty: 'None of these runs has the label of the groups. Enter another label under “Filters”.',
	});
	return {...list, visible: (next) => list.update(groupRows(doc, range(next)))};
}

function pointRows(doc, [from, to]) {
	const {run, at_ms: at, value, group} = doc.points;
	return Array.from({length: to - from + 1}, (_, k) => ({
		i: from + k,
		id: run[from + k],
		at: at[from + k],
		value: value[from + k],
		group: group[from + k] ?? null,
	}));
}

function pointsList(doc, visible, picks, query, at) {
	const columns = [
		...picks.columns,
		{label: 'Run', head: true, num: true, down: 'run', up: '-run', value: (p) => p.i, cell: (p) => runLink(p.id)},
		{label: 'Stored', cell: (p) => moment(p.at)},
		groupColumn(doc, (p) => p.group),
		byNumber(
			t.METRICS[doc.metric].label,
			'value',
			(p) => p.value,
			(p) => t.valueText(doc, p.value),
			(p) => t.exactText(doc, p.value),
		),
	];
	const list = listing({
		caption: 'Visible points',
		columns,
		rows: pointRows(doc, visible),
		query,
		defaultSort: 'run',
		rowName: 'point',
		at,
		tall: true,
		text: (p) => `run ${p.id} ${p.group ?? ''}`,
		empty: 'No visible points.',
	});
	return {...list, visible: (next) => list.update(pointRows(doc, next))};
}

const CLICK_ACTIONS = [
	['', 'opens the run'],
	['base', 'ticks the run as base'],
	['head', 'ticks the run as head'],
];

// Invalid labels are rejected like an error of the server.
function paramsOf(query) {
	try {
		return trendParams(query);
	} catch (error) {
		throw new Failure(400, 'bad_request', error.message);
	}
}

const loadTrend = async (query, at) => api.trend(paramsOf(query), at.signal);

function missingLine(doc) {
	return [
		doc.more ? 'Only the newest 50,000 runs are shown.' : '',
		doc.inferred
			? 'A compiler numbers this kernel; in each run it is found by its grids, shapes and order (inferred).'
			: '',
		doc.excluded
			? `${f.plural(doc.excluded, 'run')} without this value ${doc.excluded === 1 ? 'is' : 'are'} excluded.`
			: '',
	]
		.filter(Boolean)
		.join(' ');
}

// The choice of what a click on a point does, next to the chart. The address contains the choice.
function clickChoice(query, at) {
	let current = CLICK_ACTIONS.some(([word]) => word === query.get('click')) ? (query.get('click') ?? '') : '';
	const choose = (word) => {
		current = word;
		at.keep({click: word});
	};
	const node = h(
		'fieldset',
		{class: 'choice'},
		h('legend', {}, 'A click on a point'),
		CLICK_ACTIONS.map(([word, text]) =>
			h(
				'label',
				{},
				h('input', {
					type: 'radio',
					name: 'click',
					value: word,
					checked: word === current,
					on: {change: () => choose(word)},
				}),
				h('span', {}, text),
			),
		),
	);
	return {
		node: h(
			'div',
			{class: 'line click-choice'},
			h('span', {class: 'quiet', 'aria-hidden': 'true'}, 'A click on a point'),
			node,
		),
		current: () => current,
	};
}

const noChart = () =>
	h(
		'p',
		{class: 'notice'},
		'This build has no chart library, because it could not be downloaded. The tables list every point.',
	);

async function series(doc, query, at) {
	const {points} = doc;
	const index = new Map(points.run.map((id, i) => [String(id), i]));
	let visible = visibleRange(doc, query.get('from'), query.get('to'));
	let chart = null;
	const context = {
		...at,
		keep: (changes) => {
			at.keep(changes);
			if ('base' in changes || 'head' in changes) chart?.repaint();
		},
	};
	const picks = runPicker(query, new Map(), context);
	const click = clickChoice(query, at);
	const built = new Map();
	const whole = [0, points.run.length - 1];

	function clicked(i, how) {
		const side = how ?? click.current();
		if (!side) at.go(`/runs/${points.run[i]}`);
		else picks.tick(side, String(points.run[i]), !picks.sides()[side].includes(String(points.run[i])));
	}

	function moved(range) {
		visible = range;
		at.keep({from: range && points.run[range[0]], to: range && points.run[range[1]]});
		for (const part of built.values()) part.visible?.(visible ?? whole);
	}

	const sides = () =>
		Object.fromEntries(
			['base', 'head'].map((side) => [
				side,
				picks
					.sides()
					[side].map((word) => index.get(word))
					.filter((i) => i !== undefined),
			]),
		);
	chart = await trendChart(doc, {
		by: query.get('x') === 'order' ? 'order' : 'time',
		range: visible,
		sides,
		clicked,
		moved,
		signal: at.signal,
	});
	const part = (id, build) => (q) => {
		built.set(id, build(q));
		return built.get(id);
	};
	const parts = [
		['changes', 'Change points', part('changes', (q) => changesList(doc, q, at))],
		[
			'groups',
			doc.group ? `By ${doc.group}` : 'By group',
			part('groups', (q) => groupsList(doc, visible ?? whole, q, at)),
		],
		['points', 'Visible points', part('points', (q) => pointsList(doc, visible ?? whole, picks, q, at))],
	];
	const chosen = parts.some(([id]) => id === query.get('tab')) ? query.get('tab') : parts[0][0];
	const shown = await tabs({
		label: 'Tables of the trend',
		chosen,
		leave: (tab) => at.keep({tab: tab === parts[0][0] ? '' : tab, sort: '', q: ''}),
		failed: (error, again) => at.signal.aborted || showFailure(error, again),
		parts: parts.map(([id, label, load]) => ({
			id,
			label,
			href: trendsUrl(query, {tab: id === parts[0][0] ? '' : id, sort: '', q: ''}),
			load: async () => load(id === chosen ? query : new URLSearchParams()),
		})),
	});
	const csv = fileLink(
		'CSV',
		api.trendFile(trendParams(query)),
		`trend-${(doc.workload || 'unnamed').replace(/[^\w.-]+/g, '_')}-${doc.metric}.csv`,
	);
	return [
		chart?.node ?? noChart(),
		h(
			'div',
			{class: 'toolbar'},
			chart ? [h('div', {class: 'line'}, chart.buttons), click.node] : '',
			h('span', {class: 'links'}, csv),
		),
		h('h2', {class: 'visually-hidden'}, 'Tables'),
		...shown,
		picks.tray,
	];
}

export async function page(view, query, at) {
	if (!query.has('workload')) return trendsChooser(view, query, at);
	const where = {project: query.get('project') ?? '', workload: query.get('workload')};
	const {of} = METRICS[metricOf(query)];
	const needsOf = of && of !== 'kind';
	const missingOf = needsOf && !query.get('of');
	const [{doc, refusal}, {doc: names}] = await Promise.all([
		missingOf ? {} : answerOrRefusal(loadTrend(query, at)),
		needsOf ? answerOrRefusal(api.recentNames(of, where, at.signal)) : {},
	]);
	const title = `Trends of ${workloadName(where)}`;
	view.append(
		h('p', {class: 'crumbs'}, h('a', {href: '/trends'}, 'Trends'), ` / ${workloadName(where)}`),
		h(
			'h1',
			{class: doc ? 'headline' : null},
			doc ? headline(doc, {range: rangeText(Object.fromEntries(query)), alpha: alphaOf(query)}) : title,
		),
		trendForm(query, names ?? [], at),
	);
	if (missingOf)
		view.append(
			h(
				'p',
				{class: 'notice'},
				`Enter the name of ${of === 'operator' ? 'an operator' : `a ${of}`}; ` +
					'the names of the newest run are suggested.',
			),
		);
	if (refusal) view.append(refusalLine(refusal, trendsUrl(query)));
	if (!doc) return title;
	const short = missingLine(doc);
	view.append(short ? h('p', {class: 'notice'}, short) : '');
	if (doc.points.run.length) view.append(...(await series(doc, query, at)));
	else view.append(h('p', {class: 'empty'}, 'No run has this value. Change the filters or the metric.'));
	return title;
}
