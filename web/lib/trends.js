// trends.js - the words of trends: what a series can be of, in an address and in
// sentences; its levels, its groups, the runs beside a change. Pure.

import * as f from './format.js';

const ITERATION_STATS = ['med', 'avg', 'min', 'max', 'p90', 'p99'];
const MEAN_STATS = ['avg', 'med', 'min', 'max', 'p90', 'p99'];
// What each can be asked for, the usual one first.
export const METRICS = {
	cycle: {label: 'Cycle', what: 'duration of a cycle', stats: ITERATION_STATS},
	busy: {label: 'Busy', what: 'time of a cycle in which a kernel or a copy runs', stats: MEAN_STATS},
	idle: {label: 'Idle', what: 'time of a cycle in which the device waits for the host', stats: MEAN_STATS},
	exposed_comm: {
		label: 'Exposed communication',
		what: 'time of a cycle in which only communication runs',
		stats: MEAN_STATS,
	},
	operator: {
		label: 'Operator',
		what: 'GPU time of an operator, of a cycle where it is an average',
		stats: ['avg', 'total', 'share'],
		of: 'operator',
	},
	kernel: {
		label: 'Kernel',
		what: "durations of a kernel's launches",
		stats: [...MEAN_STATS, 'total', 'share'],
		of: 'kernel',
	},
	coverage: {label: 'Attributed share', what: 'share of GPU time that belongs to an operator', stats: ['share']},
	headroom: {label: 'Headroom', what: 'share of GPU time above what the hardware could do', stats: ['share']},
};
export const STATS = {
	avg: 'average',
	med: 'median',
	min: 'least',
	max: 'greatest',
	p90: 'p90',
	p99: 'p99',
	total: 'total',
	share: 'share of GPU time',
};

export const metricOf = (query) => (query.get('metric') in METRICS ? query.get('metric') : 'cycle');

// What the server is asked with, of all that the page's address holds. A day
// stands for its beginning; the labels are f.labels' or throw its sentence.
const PARAMS = [
	'project',
	'workload',
	'metric',
	'stat',
	'of',
	'device',
	'framework',
	'since',
	'until',
	'group',
	'alpha',
];
export function trendParams(query) {
	const out = Object.fromEntries(PARAMS.map((key) => [key, query.get(key)]).filter(([, value]) => value));
	out.metric = query.get('metric') || 'cycle';
	for (const day of ['since', 'until']) if (/^\d{4}-\d\d-\d\d$/.test(out[day] ?? '')) out[day] += 'T00:00:00Z';
	for (const [key, value] of Object.entries(f.labels(query.get('label') ?? ''))) out[`label.${key}`] = value;
	return out;
}

// The page of a series with other words; null takes one away. What is in sight
// and what is ticked is of one workload; how it is sorted, of one table.
export function trendsUrl(query, changes = {}) {
	const q = new URLSearchParams(query);
	for (const [key, value] of Object.entries(changes))
		if (value === null || (value === '' && key !== 'project' && key !== 'workload')) q.delete(key);
		else q.set(key, value);
	if (['project', 'workload'].some((key) => q.get(key) !== query.get(key)))
		for (const key of ['from', 'to', 'base', 'head', 'of']) q.delete(key);
	const now = METRICS[metricOf(q)];
	if (q.get('metric') !== query.get('metric')) q.delete('of');
	if (!now.stats.includes(q.get('stat'))) q.delete('stat');
	return q.size ? `/trends?${f.query(q)}` : '/trends';
}

// A value of the series: a duration, or a share.
export const valueText = (doc, value) => (doc.unit === '1' ? `${f.count(value * 100, 2)} %` : f.duration(value));
export const exactText = (doc, value) => (doc.unit === '1' ? `${value * 100} %` : f.exact(value));

const signedPercent = (pct) => `${pct < 0 ? '−' : '+'}${f.count(Math.abs(pct), 1)} %`;
export const changeText = (pct) => (pct === null ? f.NONE : signedPercent(pct));
export const intervalText = (low, high) =>
	low === null || high === null ? f.NONE : `${signedPercent(low)} to ${signedPercent(high)}`;

export const seriesName = (doc) => `${METRICS[doc.metric].label}${doc.of ? ` “${doc.of}”` : ''}, ${STATS[doc.stat]}`;
export const workloadName = ({project, workload}) =>
	[project, workload || 'the workload without a name'].filter(Boolean).join(' / ');

// A commit's hash as it is usually written.
export const shortCommit = (group) => (/^[0-9a-f]{16,64}$/i.test(group) ? group.slice(0, 10) : group);

const changePlace = (c) => (c.group ? `${shortCommit(c.group)} (run ${c.run})` : `run ${c.run}`);

// The sentence on top.
export function headline(doc) {
	const {n, change_points: list} = doc;
	if (!n) return `${seriesName(doc)}: nothing to show`;
	const of = `${seriesName(doc)}, in ${f.plural(n, 'run')}`;
	if (!list.length) return `${of}: no change of level is shown`;
	const last = list.at(-1);
	return `${of}: ${f.plural(list.length, 'change')} of level, ${list.length > 1 ? 'the last ' : ''}${changeText(last.change_pct)} at ${changePlace(last)}`;
}

// Stretches between changes: {from, to (not of it), level, low, high}; what the
// change before a stretch tells of its level, else the change behind it.
export function levelSegments(doc) {
	const {n, change_points: list} = doc;
	if (!list.length) return [];
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
export function sidesAround(doc, i, most = 8) {
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
		if (group[i] === null || group[i] === undefined) continue;
		const last = out.at(-1);
		if (last && last.to === i && last.group === group[i]) last.to = i + 1;
		else out.push({group: group[i], from: i, to: i + 1});
	}
	return out;
}

// What is said of a point.
export function pointText(doc, i) {
	const {run, at_ms: when, value, group} = doc.points;
	const c = doc.change_points.find((one) => one.index === i);
	return [
		`Run ${run[i]}: ${valueText(doc, value[i])}`,
		f.moment(new Date(when[i]).toISOString()),
		group[i] ? `${doc.group} ${shortCommit(group[i])}` : '',
		c ? `the level changes here, ${changeText(c.change_pct)}` : '',
	]
		.filter(Boolean)
		.join(', ');
}

// Which points, by the runs at the ends of what is in sight; null where that is all.
export function visibleRange(doc, from, to) {
	const {run} = doc.points;
	const [a, b] = [run.indexOf(Number(from)), run.lastIndexOf(Number(to))];
	return from && to && a >= 0 && b > a ? [a, b] : null;
}

// What of a long series is in sight, and where moves lead: ranges
// of its axis, [low, high], and the points within them. Pure.

// Where points stand: by their time, or by their order.
export const positions = (doc, by) => (by === 'order' ? doc.points.run.map((_, i) => i) : doc.points.at_ms);

// The first index whose place is not below x; places ascend.
export function firstIndex(list, x, place = (v) => v) {
	let [low, high] = [0, list.length];
	while (low < high) {
		const mid = (low + high) >> 1;
		if (place(list[mid]) < x) low = mid + 1;
		else high = mid;
	}
	return low;
}

// The indices [from, to) of the points within a range.
export function indicesWithin(list, [low, high]) {
	const from = firstIndex(list, low);
	let to = firstIndex(list, high);
	while (to < list.length && list[to] === high) to++;
	return [from, to];
}

// A range that holds points from..to with a little room beside them, `lone` where
// they stand at one place.
export function rangeAround(list, from, to, lone) {
	const [low, high] = [list[from], list[to]];
	const room = (high - low) * 0.015 || lone;
	return [low - room, high + room];
}

// The range within the whole one, as wide as it is where that is possible.
export function clampRange([low, high], [least, most]) {
	const wide = Math.min(high - low, most - least);
	const from = Math.min(Math.max(low, least), most - wide);
	return [from, from + wide];
}

// Narrower (factor < 1) or wider around a place, which stays where it is seen;
// never so narrow that less than `least` of the axis is left.
export function zoomRange([low, high], all, factor, place, least) {
	const wide = Math.max((high - low) * factor, least);
	const part = high > low ? (place - low) / (high - low) : 0.5;
	const from = place - part * wide;
	return clampRange([from, from + wide], all);
}

// Aside by a part of its width.
export function panRange([low, high], all, part) {
	const by = (high - low) * part;
	return clampRange([low + by, high + by], all);
}

// A point brought into sight: the range as it is, or moved to have it in the middle.
export function rangeShowing([low, high], all, place) {
	if (place >= low && place <= high) return [low, high];
	const half = (high - low) / 2;
	return clampRange([place - half, place + half], all);
}

// Of those near a place of the screen, the point nearest to it, or null. `xs` and
// `ys` answer where a point is seen; indices [from, to) are those looked at.
export function nearest([from, to], xs, ys, x, y) {
	let best = null;
	let least = Infinity;
	for (let i = from; i < to; i++) {
		const d = (xs(i) - x) ** 2 + (ys(i) - y) ** 2;
		if (d < least) [best, least] = [i, d];
	}
	return best;
}

// Of marks at such places, those that are at least `gap` behind the one before.
export function spaced(list, place, gap) {
	let last = -Infinity;
	return list.filter((mark) => {
		const x = place(mark);
		if (x - last < gap) return false;
		last = x;
		return true;
	});
}

// The axis of values between these: from zero where they come near it.
export function valueRange(low, high) {
	if (!(high >= low)) return [0, 1];
	const room = (high - low) * 0.1 || Math.abs(high) * 0.05 || 1;
	return low >= 0 && low < 0.35 * high ? [0, high + room] : [low - room, high + room];
}

const pad = (n) => String(n).padStart(2, '0');

// Moments along an axis, `step` ms apart, each as short as it can be; where
// another day or year begins, a second line says which.
export function timeTexts(list, step) {
	let before = null;
	return list.map((ms) => {
		const d = new Date(ms);
		const year = String(d.getUTCFullYear());
		const day = `${pad(d.getUTCMonth() + 1)}-${pad(d.getUTCDate())}`;
		const [text, under] =
			step >= 300 * 86400000
				? [year, '']
				: step >= 86400000
					? [day, year]
					: [
							`${pad(d.getUTCHours())}:${pad(d.getUTCMinutes())}${step < 60000 ? `:${pad(d.getUTCSeconds())}` : ''}${step < 1000 ? `.${String(d.getUTCMilliseconds()).padStart(3, '0')}` : ''}`,
							`${year}-${day}`,
						];
		const line = under && under !== before ? `${text}\n${under}` : text;
		before = under;
		return line;
	});
}
