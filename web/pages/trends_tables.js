// trends_tables.js - beside the chart of a trend: its changes of level, its groups,
// the points in sight; each leads to its runs and to a comparison.

import {pageOf as compareOf} from '../compared.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {listing} from '../listing.js';
import * as t from '../trends.js';

// So many runs a side are compared.
const MOST = 8;

const moment = (ms) => h('time', {datetime: new Date(ms).toISOString()}, f.moment(new Date(ms).toISOString()));
const runLink = (id) => h('a', {href: `/runs/${id}`}, `run ${id}`);
const compareLink = ({base, head}, text) => h('a', {href: compareOf({base: base.join(','), head: head.join(',')})}, text);
const groupColumn = (doc, value) => ({label: doc.group || 'Group', class: 'wraps', up: 'group', down: '-group', value,
	cell: (r) => (value(r) ? t.short(value(r)) : f.NONE), title: value});
const byNumber = (label, key, value, cell, title) => ({label, num: true, down: key, up: `-${key}`, value, cell, title});

export function changesList(doc, query, at) {
	const value = (label, key) => byNumber(label, key, (c) => c[key], (c) => t.valueText(doc, c[key]), (c) => t.exactText(doc, c[key]));
	const columns = [
		{label: 'From', head: true, up: 'at', down: '-at', value: (c) => c.index, cell: (c) => runLink(c.run)},
		{label: 'Stored', cell: (c) => moment(doc.points.at_ms[c.index])},
		groupColumn(doc, (c) => c.group),
		value('Before', 'before'), value('After', 'after'),
		byNumber('Change', 'change', (c) => c.change_pct, (c) => h('span', {class: 'delta'}, t.change(c.change_pct))),
		{label: '95 % interval', num: true, cell: (c) => t.interval(c.low_pct, c.high_pct)},
		byNumber('p', 'p', (c) => c.p, (c) => f.probability(c.p)),
		{label: 'Runs beside it', cell: (c) => {
			const sides = t.sidesOf(doc, doc.change_points.indexOf(c), MOST);
			return compareLink(sides, `Compare ${sides.base.length} with ${sides.head.length}`);
		}},
	];
	return listing({caption: 'Changes of level', columns, rows: doc.change_points, query, usual: 'at', what: 'change', at,
		text: (c) => [c.group, `run ${c.run}`].filter(Boolean).join(' '), empty: 'No change of level is shown in these runs.'});
}

function groupRows(doc, range) {
	const {run, value} = doc.points;
	const all = t.groups(doc, ...range);
	return all.map((g, i) => {
		const own = value.slice(g.from, g.to);
		const before = all[i - 1];
		return {...g, runs: run.slice(g.from, g.to), at: doc.points.at_ms[g.from], least: Math.min(...own), most: Math.max(...own),
			before: before ? run.slice(before.from, before.to).slice(-MOST) : []};
	});
}

const range = ([from, to]) => [from, to + 1];

export function groupsList(doc, sight, query, at) {
	const columns = [
		{label: doc.group || 'Group', head: true, class: 'wide', up: 'group', down: '-group', value: (g) => g.group, cell: (g) => t.short(g.group), title: (g) => g.group},
		{label: 'First stored', up: 'at', down: '-at', value: (g) => g.from, cell: (g) => moment(g.at)},
		byNumber('Runs', 'runs', (g) => g.runs.length, (g) => f.count(g.runs.length)),
		{label: 'First run', cell: (g) => runLink(g.runs[0])},
		...[['Least', 'least'], ['Greatest', 'most']].map(([label, key]) => byNumber(label, key, (g) => g[key], (g) => t.valueText(doc, g[key]), (g) => t.exactText(doc, g[key]))),
		{label: 'Against the one before', cell: (g) => (g.before.length
			? compareLink({base: g.before, head: g.runs.slice(0, MOST)}, `Compare ${g.before.length} with ${Math.min(g.runs.length, MOST)}`) : f.NONE)},
	];
	const list = listing({caption: 'Groups of runs', columns, rows: groupRows(doc, range(sight)), query, usual: '-at', what: 'group', at, tall: true,
		text: (g) => g.group, empty: 'None of these runs has a label to go by; name another under “Which runs”.'});
	return {...list, sight: (next) => list.update(groupRows(doc, range(next)))};
}

function pointRows(doc, [from, to]) {
	const {run, at_ms: at, value, group} = doc.points;
	return Array.from({length: to - from + 1}, (_, k) => ({i: from + k, id: run[from + k], at: at[from + k], value: value[from + k], group: group[from + k] ?? null}));
}

export function pointsList(doc, sight, picks, query, at) {
	const columns = [...picks.columns,
		{label: 'Run', head: true, num: true, down: 'run', up: '-run', value: (p) => p.i, cell: (p) => runLink(p.id)},
		{label: 'Stored', cell: (p) => moment(p.at)},
		groupColumn(doc, (p) => p.group),
		byNumber(t.METRICS[doc.metric].label, 'value', (p) => p.value, (p) => t.valueText(doc, p.value), (p) => t.exactText(doc, p.value)),
	];
	const list = listing({caption: 'Points in sight', columns, rows: pointRows(doc, sight), query, usual: 'run', what: 'point', at, tall: true,
		text: (p) => `run ${p.id} ${p.group ?? ''}`, empty: 'No point is in sight.'});
	return {...list, sight: (next) => list.update(pointRows(doc, next))};
}
