// trends.js - /trends: one number of every run of a workload over time: its
// sentence, its chart, and the same as tables. What is shown, what is in sight and
// what is ticked is in the address.

import {answerOrRefusal, refusalLine} from '../lib/answer.js';
import * as api from '../lib/api.js';
import {Failure} from '../lib/api.js';
import {trendChart} from '../lib/chart_trend.js';
import {fileLink} from '../lib/columns.js';
import {compareUrl} from '../lib/comparison.js';
import {field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {listing} from '../lib/listing.js';
import {showFailure} from '../lib/notices.js';
import {runPicker} from '../lib/run_picker.js';
import {table} from '../lib/table.js';
import {tabs} from '../lib/tabs.js';
import * as t from '../lib/trends.js';
import {headline, metricOf, METRICS, STATS, trendParams, trendsUrl, visibleRange, workloadName} from '../lib/trends.js';

// /trends without a workload: which there are.

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
		{label: 'Runs', num: true, cell: (w) => f.count(w.runs)},
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
			'A trend is one number of every run of a workload, over time: ',
			h('a', {href: '/uploads'}, 'send some runs'),
			' that say which project and workload they are of, and come back.',
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
		h('p', {}, 'One number of every run of a workload over time, and where its level changed. Of which workload?'),
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
			empty: 'No workload has this in its name.',
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

// Of which workload, what, how: the words of a trend and the form
// that changes them.

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

// `names`: what is offered for an operator or a kernel. What is chosen acts at once,
// what is typed when it is sent.
function trendForm(query, names, at) {
	const metric = metricOf(query);
	const {stats, of, what} = METRICS[metric];
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
			list: 'offered-of',
			required: true,
			autocomplete: 'off',
			placeholder: 'whole name',
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
		{role: 'search', 'aria-label': 'What is shown', class: 'weighed', on: {submit}},
		h(
			'div',
			{class: 'bar'},
			field(
				'Of',
				select(
					'metric',
					Object.entries(METRICS).map(([word, {label}]) => [word, label]),
					metric,
					(value) => go({metric: value === 'cycle' ? '' : value}),
				),
				what,
			),
			field(
				'As',
				select(
					'stat',
					stats.map((word) => [word, STATS[word]]),
					query.get('stat') ?? stats[0],
					(value) => go({stat: value === stats[0] ? '' : value}),
				),
			),
			of ? field(of === 'kernel' ? 'Kernel' : 'Operator', ofInput) : null,
			field(
				'Across',
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
				h('a', {href: '/trends'}, 'Other workload'),
			),
		),
		h(
			'details',
			{class: 'more-filters', open: more.some(([, input]) => query.get(input.name))},
			h('summary', {}, 'Which runs'),
			h(
				'div',
				{class: 'bar'},
				more.map(([label, input]) => field(label, input)),
			),
		),
		of
			? h(
					'datalist',
					{id: 'offered-of'},
					names.map((value) => h('option', {value})),
				)
			: null,
	);
}

// Beside the chart of a trend: its changes of level, its groups,
// the points in sight; each leads to its runs and to a comparison.

// So many runs a side are compared.
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

function changesList(doc, query, at) {
	const value = (label, key) =>
		byNumber(
			label,
			key,
			(c) => c[key],
			(c) => t.valueText(doc, c[key]),
			(c) => t.exactText(doc, c[key]),
		);
	const columns = [
		{label: 'From', head: true, up: 'at', down: '-at', value: (c) => c.index, cell: (c) => runLink(c.run)},
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
		{
			label: 'Runs beside it',
			cell: (c) => {
				const sides = t.sidesAround(doc, doc.change_points.indexOf(c), MAX_COMPARED);
				return compareLink(sides, `Compare ${sides.base.length} with ${sides.head.length}`);
			},
		},
	];
	return listing({
		caption: 'Changes of level',
		columns,
		rows: doc.change_points,
		query,
		usual: 'at',
		what: 'change',
		at,
		text: (c) => [c.group, `run ${c.run}`].filter(Boolean).join(' '),
		empty: 'No change of level is shown in these runs.',
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
			least: Math.min(...own),
			most: Math.max(...own),
			before: before ? run.slice(before.from, before.to).slice(-MAX_COMPARED) : [],
		};
	});
}

const range = ([from, to]) => [from, to + 1];

function groupsList(doc, sight, query, at) {
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
			['Least', 'least'],
			['Greatest', 'most'],
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
			label: 'Against the one before',
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
		rows: groupRows(doc, range(sight)),
		query,
		usual: '-at',
		what: 'group',
		at,
		tall: true,
		text: (g) => g.group,
		empty: 'None of these runs has a label to go by; name another under “Which runs”.',
	});
	return {...list, sight: (next) => list.update(groupRows(doc, range(next)))};
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

function pointsList(doc, sight, picks, query, at) {
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
		caption: 'Points in sight',
		columns,
		rows: pointRows(doc, sight),
		query,
		usual: 'run',
		what: 'point',
		at,
		tall: true,
		text: (p) => `run ${p.id} ${p.group ?? ''}`,
		empty: 'No point is in sight.',
	});
	return {...list, sight: (next) => list.update(pointRows(doc, next))};
}

const CLICK_ACTIONS = [
	['', 'opens the run'],
	['base', 'ticks it as base'],
	['head', 'ticks it as head'],
];

// Refused in the server's way where the labels are none.
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
		doc.more ? 'There are older runs; the newest 50,000 are shown.' : '',
		doc.left_out
			? `${f.plural(doc.left_out, 'run')} ${doc.left_out === 1 ? 'has' : 'have'} no such number and ${doc.left_out === 1 ? 'is' : 'are'} left out.`
			: '',
	]
		.filter(Boolean)
		.join(' ');
}

// What a press on a point does: chosen beside the chart, kept in the address.
function clickChoice(query, at) {
	let now = CLICK_ACTIONS.some(([word]) => word === query.get('press')) ? (query.get('press') ?? '') : '';
	const choose = (word) => {
		now = word;
		at.keep({press: word});
	};
	const node = h(
		'fieldset',
		{class: 'choice'},
		h('legend', {}, 'A press on a point'),
		CLICK_ACTIONS.map(([word, text]) =>
			h(
				'label',
				{},
				h('input', {
					type: 'radio',
					name: 'press',
					value: word,
					checked: word === now,
					on: {change: () => choose(word)},
				}),
				h('span', {}, text),
			),
		),
	);
	return {
		node: h(
			'div',
			{class: 'line pressing'},
			h('span', {class: 'quiet', 'aria-hidden': 'true'}, 'A press on a point'),
			node,
		),
		now: () => now,
	};
}

const noChart = () =>
	h(
		'p',
		{class: 'lacking'},
		'This build has no chart: its library could not be fetched when it was made. The tables have every point.',
	);

async function series(doc, query, at) {
	const {points} = doc;
	const index = new Map(points.run.map((id, i) => [String(id), i]));
	let sight = visibleRange(doc, query.get('from'), query.get('to'));
	let chart = null;
	const keeping = {
		...at,
		keep: (changes) => {
			at.keep(changes);
			if ('base' in changes || 'head' in changes) chart?.repaint();
		},
	};
	const picks = runPicker(query, new Map(), keeping);
	const press = clickChoice(query, at);
	const made = new Map();
	const whole = [0, points.run.length - 1];

	function pressed(i, how) {
		const side = how ?? press.now();
		if (!side) at.go(`/runs/${points.run[i]}`);
		else picks.tick(side, String(points.run[i]), !picks.sides()[side].includes(String(points.run[i])));
	}

	function moved(range) {
		sight = range;
		at.keep({from: range && points.run[range[0]], to: range && points.run[range[1]]});
		for (const part of made.values()) part.sight?.(sight ?? whole);
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
		range: sight,
		sides,
		pressed,
		moved,
		signal: at.signal,
	});
	const part = (id, build) => (q) => {
		made.set(id, build(q));
		return made.get(id);
	};
	const parts = [
		['changes', 'Changes of level', part('changes', (q) => changesList(doc, q, at))],
		[
			'groups',
			doc.group ? `By ${doc.group}` : 'By group',
			part('groups', (q) => groupsList(doc, sight ?? whole, q, at)),
		],
		['points', 'Points in sight', part('points', (q) => pointsList(doc, sight ?? whole, picks, q, at))],
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
			chart ? [h('div', {class: 'line'}, chart.buttons), press.node] : '',
			h('span', {class: 'links'}, csv),
		),
		h('h2', {class: 'unseen'}, 'Tables'),
		...shown,
		picks.tray,
	];
}

export async function page(view, query, at) {
	if (!query.has('workload')) return trendsChooser(view, query, at);
	const where = {project: query.get('project') ?? '', workload: query.get('workload')};
	const {of} = METRICS[metricOf(query)];
	const wanting = of && !query.get('of');
	const [{doc, refusal}, {doc: names}] = await Promise.all([
		wanting ? {} : answerOrRefusal(loadTrend(query, at)),
		of ? answerOrRefusal(api.recentNames(of, where, at.signal)) : {},
	]);
	const title = `Trends of ${workloadName(where)}`;
	view.append(
		h('p', {class: 'crumbs'}, h('a', {href: '/trends'}, 'Trends'), ` / ${workloadName(where)}`),
		h('h1', {class: doc ? 'headline' : null}, doc ? headline(doc) : title),
		trendForm(query, names ?? [], at),
	);
	if (wanting) view.append(h('p', {class: 'lacking'}, `Which ${of}? Those of the newest run are offered.`));
	if (refusal) view.append(refusalLine(refusal, trendsUrl(query)));
	if (!doc) return title;
	const short = missingLine(doc);
	view.append(short ? h('p', {class: 'lacking'}, short) : '');
	if (doc.points.run.length) view.append(...(await series(doc, query, at)));
	else view.append(h('p', {class: 'empty'}, 'No run has this number; take a filter away, or ask for another.'));
	return title;
}
