// rank_steps.js - terms of the map of a job's ranks over time: its values, shades and sentences; pure.

import {rankName} from './exchange_map.js';
import * as f from './format.js';

// Cells are darkest at the largest value, and at least at this one, so that noise is not dark: the
// share from which on a rank computes longer or waits.
const MIN_SCALE = 0.05;

// The number of shades above none; more would be hard to distinguish in neighboring cells.
export const SHADES = 5;

// Ranks that a sentence lists.
const LISTED = 3;

// What a cell shows, as a share; null if it is unknown.
export const KINDS = {
	compute: {
		name: 'Compute time, above the median rank',
		value: (rank, step, i) => (step.median_ns > 0 ? rank.compute_ns[i] / step.median_ns - 1 : null),
	},
	waiting: {
		name: 'Waiting, share of the iteration',
		value: (rank, step, i) => {
			const [ns, whole] = [rank.waiting_ns[i], rank.dur_ns[i]];
			return ns === null || !(whole > 0) ? null : ns / whole;
		},
	},
};

export const shownRanks = (doc) => doc.ranks.filter((r) => r.excluded === null);

// "iteration 3", "iterations 3 to 5"; people count from 1.
export const stepName = ({from, n}) =>
	n === 1 ? `iteration ${from + 1}` : `iterations ${f.plain(from + 1)} to ${f.plain(from + n)}`;

// The cells of a map, by rank, then by step: {value, shade, longer}. `shade` is 0 to SHADES.
export function stepCells(doc, kind) {
	const ranks = shownRanks(doc);
	const values = ranks.map((r) => doc.steps.map((step, i) => KINDS[kind].value(r, step, i)));
	const most = values.flat().reduce((max, v) => Math.max(max, v ?? 0), MIN_SCALE);
	const shade = (v) => (v === null || v <= 0 ? 0 : Math.min(SHADES, Math.ceil((v / most) * SHADES)));
	const cells = ranks.map((r, k) =>
		values[k].map((value, i) => ({value, shade: shade(value), longer: r.longer.includes(i)})),
	);
	return {cells, most};
}

const signedPercent = (v) => f.signedPercent(100 * v);

export function cellText(doc, kind, rank, i) {
	const step = doc.steps[i];
	const label = step.label ? ` (${step.label})` : '';
	const more = KINDS.compute.value(rank, step, i);
	const waits = KINDS.waiting.value(rank, step, i);
	return (
		`${f.capital(rankName(rank))}, ${stepName(step)}${label}: computes ${f.duration(rank.compute_ns[i])}` +
		`${more === null ? '' : `, ${signedPercent(more)} against the median rank`}; ` +
		(waits === null ? 'waiting is unknown' : `waits ${f.duration(rank.waiting_ns[i])}, ${f.percent(100 * waits)} %`)
	);
}

// Steps that follow each other, as one: [2, 3, 7] are two ranges.
export function ranges(list) {
	const out = [];
	for (const i of list)
		if (out.length && out.at(-1)[1] === i - 1) out.at(-1)[1] = i;
		else out.push([i, i]);
	return out;
}

// "Rank 2 computes longer than the median rank in iterations 7 to 12, by up to 100 %." The ranks
// with the most steps are first.
export function longerSentences(doc) {
	const ranks = shownRanks(doc).filter((r) => r.longer.length);
	ranks.sort((a, b) => b.longer.length - a.longer.length);
	const out = ranks.slice(0, LISTED).map((r) => {
		const parts = ranges(r.longer);
		const [from, to] = [doc.steps[r.longer[0]], doc.steps[r.longer.at(-1)]];
		const whole = stepName({from: from.from, n: to.from + to.n - from.from});
		const most = r.longer.reduce((max, i) => Math.max(max, KINDS.compute.value(r, doc.steps[i], i) ?? 0), 0);
		const where = parts.length === 1 ? `in ${whole}` : `in ${f.count(r.longer.length)} columns of ${whole}`;
		return `${f.capital(rankName(r))} computes longer than the median rank ${where}, by up to ${f.percent(100 * most)} %.`;
	});
	if (ranks.length > LISTED)
		out.push(`${f.plural(ranks.length - LISTED, 'more rank')} computed longer in some iterations.`);
	if (!ranks.length) out.push('In no iteration does a rank compute clearly longer than the median rank.');
	return out;
}

// Why ranks are missing, one sentence per reason.
export function excludedSentences(doc) {
	const reasons = new Map();
	for (const r of doc.ranks.filter(({excluded}) => excluded !== null))
		reasons.set(r.excluded, [...(reasons.get(r.excluded) ?? []), rankName(r)]);
	return [...reasons].map(([reason, names]) => {
		const more = names.length - LISTED;
		const list = names.slice(0, LISTED).join(', ') + (more > 0 ? ` and ${f.count(more)} more` : '');
		return `Not shown: ${list}, because ${reason}.`;
	});
}
