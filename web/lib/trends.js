// trends.js - trends: writes metrics and statistics of a series in addresses and in sentences;
// computes its levels, its groups, the runs next to a change point and its visible range. Pure.

import * as f from './format.js';

const ITERATION_STATS = ['median', 'mean', 'min', 'max', 'p90', 'p99'];
const MEAN_STATS = ['mean', 'median', 'min', 'max', 'p90', 'p99'];
// The metrics with their statistics, the default one first.
export const METRICS = {
	iteration: {label: 'Iteration', description: 'duration of an iteration', stats: ITERATION_STATS},
	busy: {label: 'Busy', description: 'time per iteration in which a kernel or copy runs', stats: MEAN_STATS},
	idle: {label: 'Idle', description: 'time per iteration in which the device waits for the host', stats: MEAN_STATS},
	exposed_comm: {
		label: 'Exposed communication',
		description: 'time per iteration in which only communication runs',
		stats: MEAN_STATS,
	},
	operator: {
		label: 'Operator',
		description: 'GPU time of an operator; an average is per iteration',
		stats: ['mean', 'total', 'share'],
		of: 'operator',
	},
	kernel: {
		label: 'Kernel',
		description: "duration of a kernel's launches",
		stats: [...MEAN_STATS, 'total', 'share'],
		of: 'kernel',
	},
	coverage: {label: 'Attributed share', description: 'share of GPU time with a known operator', stats: ['share']},
	headroom: {label: 'Headroom', description: 'share of GPU time above the roofline bound', stats: ['share']},
	busbw: {
		label: 'Bus bandwidth',
		description: 'of the collectives with known size; includes the time in which a rank waits for others',
		stats: ['mean'],
		of: 'kind', // optional
	},
	measure: {
		label: 'Measure',
		description: 'result of a benchmark that was attached to the run, or its energy: iteration_energy, token_energy',
		stats: ['mean'],
		of: 'measure',
	},
};
export const STATS = {
	mean: 'average',
	median: 'median',
	min: 'minimum',
	max: 'maximum',
	p90: 'p90',
	p99: 'p99',
	total: 'total',
	share: 'share of GPU time',
};

export const metricOf = (query) => (query.get('metric') in METRICS ? query.get('metric') : 'iteration');

// Makes the parameters of the request from the page's address. A day means its start in UTC. For
// invalid labels, f.labels throws an error.
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
	out.metric = query.get('metric') || 'iteration';
	for (const day of ['since', 'until']) if (/^\d{4}-\d\d-\d\d$/.test(out[day] ?? '')) out[day] += 'T00:00:00Z';
	for (const [key, value] of Object.entries(f.labels(query.get('label') ?? ''))) out[`label.${key}`] = value;
	return out;
}

// The address of a series with changed parameters; the value null removes a parameter. The visible
// range and the ticked runs are valid only for one workload, and the sort order only for one table.
export function trendsUrl(query, changes = {}) {
	const q = new URLSearchParams(query);
	for (const [key, value] of Object.entries(changes))
		if (value === null || (value === '' && key !== 'project' && key !== 'workload')) q.delete(key);
		else q.set(key, value);
	if (['project', 'workload'].some((key) => q.get(key) !== query.get(key)))
		for (const key of ['from', 'to', 'base', 'head', 'of']) q.delete(key);
	const metric = METRICS[metricOf(q)];
	if (q.get('metric') !== query.get('metric')) q.delete('of');
	if (!metric.stats.includes(q.get('stat'))) q.delete('stat');
	return q.size ? `/trends?${f.query(q)}` : '/trends';
}

const withUnit = (text, unit) => (unit === 'number' ? String(text) : `${text} ${unit}`);

// A value of the series: a duration, a share, a bandwidth or a measure.
export function valueText(doc, value) {
	if (doc.unit === 'GB/s') return `${f.count(value, 2)} GB/s`;
	if (!['1', 'ns'].includes(doc.unit)) return withUnit(f.number(value), doc.unit);
	return doc.unit === '1' ? `${f.count(value * 100, 2)} %` : f.duration(value);
}
export function exactText(doc, value) {
	if (!['1', 'ns'].includes(doc.unit)) return withUnit(value, doc.unit);
	return doc.unit === '1' ? `${value * 100} %` : f.exact(value);
}

const {signedPercent} = f;
export const changeText = (pct) => (pct === null ? f.NONE : signedPercent(pct));
export const intervalText = (low, high) =>
	low === null || high === null ? f.NONE : `${signedPercent(low)} to ${signedPercent(high)}`;

export const seriesName = ({metric, of, stat}) => `${METRICS[metric].label}${of ? ` “${of}”` : ''}, ${STATS[stat]}`;
export const workloadName = ({project, workload}) =>
	[project, workload || 'unnamed workload'].filter(Boolean).join(' / ');

// A commit's hash in its usual short form.
export const shortCommit = (group) => (/^[0-9a-f]{16,64}$/i.test(group) ? group.slice(0, 10) : group);

const changePlace = (c) => (c.group ? `${shortCommit(c.group)} (run ${c.run})` : `run ${c.run}`);

// The alpha of a change point, by default as in change_point.h.
export const CHANGE_ALPHA = 0.01;

// The fewest runs, or groups of runs, that can have a change point at this alpha. The test permutes them
// (server/analyze/trend/change_point.h). If n of them are cut in the middle, at least 2 of the
// n! / (n/2)!² orders of both sides have as clear a cut, so no p is below that share: for 9 it is 0.016,
// for 10 it is 0.008. More are needed if neighbors are correlated.
export function minChangeRuns(alpha = CHANGE_ALPHA) {
	let [n, orders] = [6, 20]; // two segments of the three runs that each needs
	while (2 / orders > alpha && n < MAX_TRIED) {
		n++;
		orders = (orders * n) / Math.ceil(n / 2);
	}
	return n;
}
const MAX_TRIED = 64;

// Why a series without change points says nothing: it is too short. Null if it is long enough.
export function tooShort(doc, alpha = CHANGE_ALPHA) {
	const {group} = doc.points;
	const separate = group.filter((g, i) => !i || g === null || g === undefined || g !== group[i - 1]).length;
	const needed = minChangeRuns(alpha);
	if (doc.change_points.length || separate >= needed) return null;
	const units = separate < doc.n ? `${f.plural(separate, 'group')} by ${doc.group}` : f.plural(separate, 'run');
	return {
		short: `${units} ${separate === 1 ? 'is' : 'are'} too few for a change point, which needs at least ${needed}`,
		reason: `with fewer than ${needed}, even the clearest change has a p above ${alpha}`,
	};
}

// The summary sentence.
export function headline(doc, {range = '', alpha = CHANGE_ALPHA} = {}) {
	const {n, change_points: list} = doc;
	const when = range && ` ${range}`;
	if (!n) return `${seriesName(doc)}${when}: no data`;
	const of = `${seriesName(doc)}, in ${f.plural(n, 'run')}${when}`;
	const few = tooShort(doc, alpha);
	if (few) return `${of}: ${few.short}`;
	if (!list.length) return `${of}: no change points`;
	const last = list.at(-1);
	return (
		`${of}: ${f.plural(list.length, 'change point')}, ${list.length > 1 ? 'the last ' : ''}` +
		`${changeText(last.change_pct)} at ${changePlace(last)}` +
		(last.other_work ? `, but ${last.other_work}` : '')
	);
}

// The levels between change points: {from, to (exclusive), level, low, high}. A level has the value
// and the interval of the change point at which it begins. The first level has the value before the
// first change point, and no interval.
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

// The runs for a comparison of both sides of a change point: at most `maxRuns` runs before the
// change point, and at most `maxRuns` from it on.
export function sidesAround(doc, i, maxRuns = 8) {
	const list = doc.change_points;
	const {run} = doc.points;
	const here = list[i].index;
	const from = i ? list[i - 1].index : 0;
	const to = i + 1 < list.length ? list[i + 1].index : run.length;
	return {base: run.slice(Math.max(from, here - maxRuns), here), head: run.slice(here, Math.min(to, here + maxRuns))};
}

// Consecutive runs of one group within [from, to): {group, from, to}; runs without a group are
// omitted.
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

// The text of a point.
export function pointText(doc, i) {
	const {run, at_ms: when, value, group} = doc.points;
	const c = doc.change_points.find((one) => one.index === i);
	return [
		`Run ${run[i]}: ${valueText(doc, value[i])}`,
		f.moment(new Date(when[i]).toISOString()),
		group[i] ? `${doc.group} ${shortCommit(group[i])}` : '',
		c ? `change point, ${changeText(c.change_pct)}` : '',
		c?.other_work ?? '',
	]
		.filter(Boolean)
		.join(', ');
}

// The indices of the visible points, from the runs at both ends; null if all are visible.
export function visibleRange(doc, from, to) {
	const {run} = doc.points;
	const [a, b] = [run.indexOf(Number(from)), run.lastIndexOf(Number(to))];
	return from && to && a >= 0 && b > a ? [a, b] : null;
}

// The visible part of a long series: ranges of its axis, [low, high], and the points within
// them.

// The positions of points: by time, or by order.
export const positions = (doc, by) => (by === 'order' ? doc.points.run.map((_, i) => i) : doc.points.at_ms);

// The first index whose position is not below x; positions are ascending.
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

// A range that contains the points from..to with a margin. If all points have one position, the
// margin is `defaultMargin`.
export function rangeAround(list, from, to, defaultMargin) {
	const [low, high] = [list[from], list[to]];
	const room = (high - low) * 0.015 || defaultMargin;
	return [low - room, high + room];
}

// The range moved into the whole one, with the same width if possible.
export function clampRange([low, high], [min, max]) {
	const wide = Math.min(high - low, max - min);
	const from = Math.min(Math.max(low, min), max - wide);
	return [from, from + wide];
}

// A narrower (factor < 1) or wider range around `place`. This position does not move on the screen.
// The range is at least `minWidth` wide.
export function zoomRange([low, high], all, factor, place, minWidth) {
	const wide = Math.max((high - low) * factor, minWidth);
	const part = high > low ? (place - low) / (high - low) : 0.5;
	const from = place - part * wide;
	return clampRange([from, from + wide], all);
}

// The range moved by a part of its width.
export function panRange([low, high], all, part) {
	const by = (high - low) * part;
	return clampRange([low + by, high + by], all);
}

// The range that shows a point: unchanged, or centered on it.
export function rangeShowing([low, high], all, place) {
	if (place >= low && place <= high) return [low, high];
	const half = (high - low) / 2;
	return clampRange([place - half, place + half], all);
}

// The point nearest to a position on the screen, or null. `xs` and `ys` return the position of
// a point; only indices [from, to) are considered.
export function nearest([from, to], xs, ys, x, y) {
	let best = null;
	let minDistance = Infinity;
	for (let i = from; i < to; i++) {
		const d = (xs(i) - x) ** 2 + (ys(i) - y) ** 2;
		if (d < minDistance) [best, minDistance] = [i, d];
	}
	return best;
}

// The marks whose position is at least `gap` after the previous one.
export function spaced(list, place, gap) {
	let last = -Infinity;
	return list.filter((mark) => {
		const x = place(mark);
		if (x - last < gap) return false;
		last = x;
		return true;
	});
}

// The axis for values between low and high: from zero if they are near zero.
export function valueRange(low, high) {
	if (!(high >= low)) return [0, 1];
	const room = (high - low) * 0.1 || Math.abs(high) * 0.05 || 1;
	return low >= 0 && low < 0.35 * high ? [0, high + room] : [low - room, high + room];
}

const pad = (n) => String(n).padStart(2, '0');

// Dates along an axis, `step` ms apart, as short as possible; a second line names the day or
// year when it changes.
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
							`${pad(d.getUTCHours())}:${pad(d.getUTCMinutes())}` +
								(step < 60000 ? `:${pad(d.getUTCSeconds())}` : '') +
								(step < 1000 ? `.${String(d.getUTCMilliseconds()).padStart(3, '0')}` : ''),
							`${year}-${day}`,
						];
		const line = under && under !== before ? `${text}\n${under}` : text;
		before = under;
		return line;
	});
}
