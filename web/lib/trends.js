// trends.js - the words of trends: what a series can be of, in an address and in
// sentences; its levels, its groups, the runs beside a change. Pure.

import * as f from './format.js';

const CYCLES = ['med', 'avg', 'min', 'max', 'p90', 'p99'];
const MEANS = ['avg', 'med', 'min', 'max', 'p90', 'p99'];
// What each can be asked for, the usual one first.
export const METRICS = {
	cycle: {label: 'Cycle', what: 'duration of a cycle', stats: CYCLES},
	busy: {label: 'Busy', what: 'time of a cycle in which a kernel or a copy runs', stats: MEANS},
	idle: {label: 'Idle', what: 'time of a cycle in which the device waits for the host', stats: MEANS},
	exposed_comm: {label: 'Exposed communication', what: 'time of a cycle in which only communication runs', stats: MEANS},
	operator: {label: 'Operator', what: 'GPU time of an operator, of a cycle where it is an average', stats: ['avg', 'total', 'share'], of: 'operator'},
	kernel: {label: 'Kernel', what: 'durations of a kernel\'s launches', stats: [...MEANS, 'total', 'share'], of: 'kernel'},
	coverage: {label: 'Attributed share', what: 'share of GPU time that belongs to an operator', stats: ['share']},
	headroom: {label: 'Headroom', what: 'share of GPU time above what the hardware could do', stats: ['share']},
};
export const STATS = {avg: 'average', med: 'median', min: 'least', max: 'greatest', p90: 'p90', p99: 'p99', total: 'total', share: 'share of GPU time'};

export const metricOf = (query) => (query.get('metric') in METRICS ? query.get('metric') : 'cycle');

// What the server is asked with, of all that the page's address holds. A day
// stands for its beginning; the labels are f.labels' or throw its sentence.
const ASKED = ['project', 'workload', 'metric', 'stat', 'of', 'device', 'framework', 'since', 'until', 'group', 'alpha'];
export function asked(query) {
	const out = Object.fromEntries(ASKED.map((key) => [key, query.get(key)]).filter(([, value]) => value));
	out.metric = query.get('metric') || 'cycle';
	for (const day of ['since', 'until'])
		if (/^\d{4}-\d\d-\d\d$/.test(out[day] ?? ''))
			out[day] += 'T00:00:00Z';
	for (const [key, value] of Object.entries(f.labels(query.get('label') ?? '')))
		out[`label.${key}`] = value;
	return out;
}

// The page of a series with other words; null takes one away. What is in sight
// and what is ticked is of one workload; how it is sorted, of one table.
export function pageOf(query, changes = {}) {
	const q = new URLSearchParams(query);
	for (const [key, value] of Object.entries(changes))
		if (value === null || (value === '' && key !== 'project' && key !== 'workload'))
			q.delete(key);
		else
			q.set(key, value);
	if (['project', 'workload'].some((key) => q.get(key) !== query.get(key)))
		for (const key of ['from', 'to', 'base', 'head', 'of'])
			q.delete(key);
	const now = METRICS[metricOf(q)];
	if (q.get('metric') !== query.get('metric'))
		q.delete('of');
	if (!now.stats.includes(q.get('stat')))
		q.delete('stat');
	return q.size ? `/trends?${f.query(q)}` : '/trends';
}

// A value of the series: a duration, or a share.
export const valueText = (doc, value) => (doc.unit === '1' ? `${f.count(value * 100, 2)} %` : f.duration(value));
export const exactText = (doc, value) => (doc.unit === '1' ? `${value * 100} %` : f.exact(value));

const signedPercent = (pct) => `${pct < 0 ? '−' : '+'}${f.count(Math.abs(pct), 1)} %`;
export const change = (pct) => (pct === null ? f.NONE : signedPercent(pct));
export const interval = (low, high) => (low === null || high === null ? f.NONE : `${signedPercent(low)} to ${signedPercent(high)}`);

export const named = (doc) => `${METRICS[doc.metric].label}${doc.of ? ` “${doc.of}”` : ''}, ${STATS[doc.stat]}`;
export const workloadName = ({project, workload}) => [project, workload || 'the workload without a name'].filter(Boolean).join(' / ');

// A commit's hash as it is usually written.
export const short = (group) => (/^[0-9a-f]{16,64}$/i.test(group) ? group.slice(0, 10) : group);

const at = (c) => (c.group ? `${short(c.group)} (run ${c.run})` : `run ${c.run}`);

// The sentence on top.
export function headline(doc) {
	const {n, change_points: list} = doc;
	if (!n)
		return `${named(doc)}: nothing to show`;
	const of = `${named(doc)}, in ${f.plural(n, 'run')}`;
	if (!list.length)
		return `${of}: no change of level is shown`;
	const last = list.at(-1);
	return `${of}: ${f.plural(list.length, 'change')} of level, ${list.length > 1 ? 'the last ' : ''}${change(last.change_pct)} at ${at(last)}`;
}

// Stretches between changes: {from, to (not of it), level, low, high}; what the
// change before a stretch tells of its level, else the change behind it.
export function stretches(doc) {
	const {n, change_points: list} = doc;
	if (!list.length)
		return [];
	return [null, ...list].map((c, i) => ({
		from: c ? c.index : 0,
		to: i < list.length ? list[i].index : n,
		level: c ? c.after : list[0].before,
		low: c && c.low_pct !== null ? c.before * (1 + c.low_pct / 100) : null,
		high: c && c.high_pct !== null ? c.before * (1 + c.high_pct / 100) : null,
	}));
}

// Runs of a comparison of the levels beside a change: the last before it and the
// first behind, so many at most.
export function sidesOf(doc, i, most = 8) {
	const list = doc.change_points;
	const {run} = doc.points;
	const here = list[i].index;
	const from = i ? list[i - 1].index : 0;
	const to = i + 1 < list.length ? list[i + 1].index : run.length;
	return {base: run.slice(Math.max(from, here - most), here), head: run.slice(here, Math.min(to, here + most))};
}

// Neighbours of one group within [from, to): {group, from, to}; those of none
// are left out.
export function groups(doc, from = 0, to = doc.n) {
	const {group} = doc.points;
	const out = [];
	for (let i = from; i < to; i++) {
		if (group[i] === null || group[i] === undefined)
			continue;
		const last = out.at(-1);
		if (last && last.to === i && last.group === group[i])
			last.to = i + 1;
		else
			out.push({group: group[i], from: i, to: i + 1});
	}
	return out;
}

// What is said of a point.
export function pointText(doc, i) {
	const {run, at_ms: when, value, group} = doc.points;
	const c = doc.change_points.find((one) => one.index === i);
	return [`Run ${run[i]}: ${valueText(doc, value[i])}`, f.moment(new Date(when[i]).toISOString()), group[i] ? `${doc.group} ${short(group[i])}` : '',
		c ? `the level changes here, ${change(c.change_pct)}` : ''].filter(Boolean).join(', ');
}

// Which points, by the runs at the ends of what is in sight; null where that is all.
export function inSight(doc, from, to) {
	const {run} = doc.points;
	const [a, b] = [run.indexOf(Number(from)), run.lastIndexOf(Number(to))];
	return from && to && a >= 0 && b > a ? [a, b] : null;
}
