// breakdown_compare.js - reads the runs of a breakdown comparison from an address, and arranges its
// rows in sections and blocks. Pure.

import * as f from './format.js';
import {joinAnd} from './layers.js';

export const MAX_RUNS = 8;

// "7, 8,job:3" -> ['7', '8', 'job:3']. The server rejects entries that are not runs, and too many
// runs.
export const runsOf = (text) =>
	(text ?? '')
		.split(',')
		.map((word) => word.trim())
		.filter(Boolean);

export const isRun = (word) => /^[1-9]\d*$/.test(word);

// Whether there are fewer than two runs, all of them valid for the server.
export const tooFew = (runs) => runs.length < 2 && runs.every(isRun);

export function breakdownUrl(runs, params = {}) {
	const q = new URLSearchParams(Object.entries({runs: runs.join(','), ...params}).filter(([, value]) => value));
	return q.size ? `/breakdown?${f.query(q)}` : '/breakdown';
}

// The newest of `items` on each other GPU: [name, run]. The list begins with the newest run. A run on
// several GPUs has the names of all of them.
export function onOtherGpus(run, items) {
	const gpu = ({device_names: names}) => [...new Set(names)].sort().join(', ');
	const newest = new Map();
	for (const r of items) if (gpu(r) && gpu(r) !== gpu(run) && !newest.has(gpu(r))) newest.set(gpu(r), r);
	return [...newest];
}

// For the newest run of a workload on each GPU: the newest runs of the same workload on other GPUs, by
// its id. Only runs with single launches have layers.
export function gpuCounterparts(items) {
	const comparable = items
		.filter((r) => r.project && r.workload && r.content === 'launches')
		.sort((a, b) => b.id - a.id);
	const out = new Map();
	for (const run of comparable) {
		const same = comparable.filter((r) => r.project === run.project && r.workload === run.workload);
		const others = onOtherGpus(run, same);
		const newest = others.length && onOtherGpus(others[0][1], same).some(([, r]) => r === run);
		if (newest) out.set(run.id, others.map(([, r]) => r).slice(0, MAX_RUNS - 1));
	}
	return out;
}

// The parameters of the request, from the page's address.
export function breakdownParams(query) {
	const realign = query.get('realign');
	return {runs: runsOf(query.get('runs')).join(','), ...(realign ? {realign} : {})};
}

// The difference of a time to that of the first run; null if either time is unknown.
export function difference(ns, first) {
	if (ns === null || first === null || ns === undefined || first === undefined) return {ns: null, pct: null};
	return {ns: ns - first, pct: first > 0 ? ((ns - first) * 100) / first : null};
}

export const percentOf = (pct) => f.changeOf(pct === null || pct === undefined ? null : 1 + pct / 100);

const textOf = (line) =>
	[
		line.module,
		...line.roles,
		...line.cells.flatMap((cell) =>
			(cell ? cell.rows : []).flatMap((r) => [r.kernel?.name, r.operation, r.operator, r.module]),
		),
	]
		.filter(Boolean)
		.join(' ');

// The number of runs that have a row. A row that some runs lack is marked.
export const sidesWith = (line) => line.cells.filter(Boolean).length;

// Whether few layers have this row, in every run that has it.
export const isExtra = (line) => line.cells.every((cell) => !cell || cell.rows.every((r) => r.extra));

// Sections, their blocks and their rows. Only rows that contain `q` are included. `unmatchedOnly`
// keeps only rows that some run lacks; `hideExtras` removes rows that few layers have.
export function treeOf(doc, {q = '', unmatchedOnly = false, hideExtras = false} = {}) {
	const want = q.toLowerCase();
	const matches = (line) =>
		textOf(line).toLowerCase().includes(want) &&
		(!unmatchedOnly || sidesWith(line) < doc.runs.length) &&
		!(hideExtras && isExtra(line));
	const blocks = doc.blocks.map((block, index) => ({
		block,
		lines: doc.items.filter((line) => line.block === index && matches(line)),
	}));
	return doc.sections
		.map((section, index) => ({section, blocks: blocks.filter((b) => b.block.section === index && b.lines.length)}))
		.filter((s) => s.blocks.length);
}

// A sentence that says how many rows of a layer all runs have. Without layers, it counts all rows.
export function matchedText(doc) {
	const counts = [...new Set(doc.runs.map((r) => r.layers))];
	const layers =
		counts.length === 1
			? f.plural(counts[0], 'layer')
			: `${joinAnd(doc.runs.map((r) => f.count(r.layers)))} layers`;
	const inLayers = doc.items.filter((line) => doc.sections[doc.blocks[line.block].section].position === 'layer');
	const lines = inLayers.length ? inLayers : doc.items;
	const regular = lines.filter((line) => !isExtra(line));
	const extra = lines.length - regular.length;
	const common = regular.filter((line) => sidesWith(line) === doc.runs.length).length;
	const rows = `${f.plural(regular.length, 'row')}${inLayers.length ? ' of a layer' : ''}`;
	return (
		`${layers} of ${f.plural(doc.runs.length, 'run')} compared: ` +
		`${common === regular.length ? `all ${rows}` : `${f.count(common)} of ${rows}`} are in every run` +
		`${extra ? `, ${f.count(extra)} more ${extra === 1 ? 'is' : 'are'} only in few layers` : ''}.`
	);
}

// Rows with less of every run's time than this, in percent, are folded.
export const SMALL_PCT = 1;

// The run whose time differs most from the first run's, and the difference: {run, ns, pct}. A run
// without the row has no time in it. An unknown time has no difference.
function largestDifference(times, present) {
	let largest = {run: null, ns: null, pct: null};
	for (let i = 1; i < times.length; i++) {
		const [first, other] = [0, i].map((at) => (present[at] ? times[at] : 0));
		if (first === null || other === null) continue;
		const {ns, pct} = difference(other, first);
		if (largest.ns === null || Math.abs(ns) > Math.abs(largest.ns)) largest = {run: i, ns, pct};
	}
	return largest;
}

// The rows by the size of their difference, the largest first. Times are per iteration, so that the
// rows of different sections can be compared: the time per layer times the number of layers.
export function changesOf(doc) {
	const rows = doc.items.map((line) => {
		const {block, section: at} = doc.blocks[line.block];
		const section = doc.sections[at];
		const present = line.cells.map(Boolean);
		const times = line.cells.map((cell, i) =>
			cell && cell.mean_ns !== null ? cell.mean_ns * (section.per_iteration[i] ?? 1) : null,
		);
		return {line, block, section, present, times, change: largestDifference(times, present), extra: isExtra(line)};
	});
	const totals = doc.runs.map((_, i) => rows.reduce((sum, r) => sum + (r.times[i] ?? 0), 0));
	for (const r of rows) r.shares = r.times.map((ns, i) => (totals[i] > 0 ? ((ns ?? 0) * 100) / totals[i] : 0));
	for (const r of rows) r.small = r.shares.every((pct) => pct < SMALL_PCT);
	return rows
		.map((r, i) => ({r, i, size: r.change.ns === null ? -1 : Math.abs(r.change.ns)}))
		.sort((x, y) => y.size - x.size || x.i - y.i)
		.map(({r}) => r);
}

// The time per iteration of each operator in each run, by operator. Rows without an operator are one
// of their role or module.
function operatorTimes(doc) {
	const all = new Map();
	for (const line of doc.items) {
		const {per_iteration: times} = doc.sections[doc.blocks[line.block].section];
		line.cells.forEach((cell, i) => {
			for (const r of cell?.rows ?? []) {
				const name = r.operator ?? line.module ?? (line.roles.join(' + ') || 'unattributed kernels');
				if (!all.has(name)) all.set(name, doc.runs.map(() => 0));
				all.get(name)[i] += (r.mean_ns ?? 0) * (times[i] ?? 1);
			}
		});
	}
	return all;
}

const runText = (run) => `${run.name || `run ${run.run}`} #${run.run}${run.platform ? ` on ${run.platform}` : ''}`;

// The operator whose time differs most in the direction of the whole difference, as text. Rows of a run
// without layers do not match those of a run with layers, so then there is none.
function largestPart(doc, i, ns) {
	if (Boolean(doc.runs[0].layers) !== Boolean(doc.runs[i].layers)) return '';
	const [name, by] = [...operatorTimes(doc)]
		.map(([operator, sums]) => [operator, sums[i] - sums[0]])
		.reduce((most, one) => (one[1] * Math.sign(ns) > most[1] * Math.sign(ns) ? one : most), [null, 0]);
	return name === null ? '' : `; the largest part is ${name} (${f.signedDuration(by)})`;
}

// The result: which of two runs is faster and by how much. Of more runs, the one that differs most from
// the first. Null if the times are unknown.
export function result(doc) {
	const times = doc.runs.map((r) => r.end_to_end_ns);
	const {run: i, ns, pct} = largestDifference(times, times.map((t) => t !== null));
	if (i === null || pct === null || times[i] === null) return null;
	const size = f.percent(Math.abs(pct));
	const first = `${runText(doc.runs[0])} (${f.duration(times[0])})`;
	const start = `${runText(doc.runs[i])} ${doc.runs.length > 2 ? 'differs most: it ' : ''}`;
	if (size === f.percent(0)) return `${start}takes as long per iteration as ${first}.`;
	return (
		`${start}is ${ns > 0 ? 'slower' : 'faster'}: ${f.duration(times[i])} per iteration, ` +
		`${size} % ${ns > 0 ? 'more' : 'less'} than ${first}${largestPart(doc, i, ns)}.`
	);
}

// The result, or without known times, which rows are compared.
export const headline = (doc) => result(doc) ?? matchedText(doc);

// The largest share of a run's time that rows have together, in percent.
export const shareOfRows = (rows) =>
	rows.length ? Math.max(...rows[0].shares.map((_, i) => rows.reduce((sum, r) => sum + r.shares[i], 0))) : 0;
