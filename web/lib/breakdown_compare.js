// breakdown_compare.js - runs beside each other in an address, and their lines as sections
// with blocks. Pure.

import * as f from './format.js';
import {joinAnd} from './layers.js';

export const MAX_RUNS = 8;

// "7, 8,job:3" -> ['7', '8', 'job:3']: the words between commas as they are. What
// names no run, or one too many, the server refuses with a sentence.
export const runsOf = (text) =>
	(text ?? '')
		.split(',')
		.map((word) => word.trim())
		.filter(Boolean);

export const isRun = (word) => /^[1-9]\d*$/.test(word);

// Not yet two, and nothing that is to be told to be no run.
export const tooFew = (runs) => runs.length < 2 && runs.every(isRun);

export function breakdownUrl(runs, words = {}) {
	const q = new URLSearchParams(Object.entries({runs: runs.join(','), ...words}).filter(([, value]) => value));
	return q.size ? `/breakdown?${f.query(q)}` : '/breakdown';
}

// What the server is asked, of all that the address holds.
export function breakdownParams(query) {
	const realign = query.get('realign');
	return {runs: runsOf(query.get('runs')).join(','), ...(realign ? {realign} : {})};
}

// A time against the first side's; null where either is unknown.
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

// How many sides have a line; fewer than all: it is marked.
export const sidesWith = (line) => line.cells.filter(Boolean).length;

// Whether a line is in few layers of every side that has it.
export const isExtra = (line) => line.cells.every((cell) => !cell || cell.rows.every((r) => r.extra));

// Sections with their blocks with their lines, of those that have the text in
// them and, where asked, are not on every side, or are in most layers.
export function treeOf(doc, {q = '', apart = false, usual = false} = {}) {
	const want = q.toLowerCase();
	const kept = (line) =>
		textOf(line).toLowerCase().includes(want) &&
		(!apart || sidesWith(line) < doc.runs.length) &&
		!(usual && isExtra(line));
	const blocks = doc.blocks.map((block, index) => ({
		block,
		lines: doc.items.filter((line) => line.block === index && kept(line)),
	}));
	return doc.sections
		.map((section, index) => ({section, blocks: blocks.filter((b) => b.block.section === index && b.lines.length)}))
		.filter((s) => s.blocks.length);
}

// How many of a layer's rows all sides have, as a sentence; of all rows where there
// are no layers.
export function headline(doc) {
	const counts = [...new Set(doc.runs.map((r) => r.layers))];
	const layers =
		counts.length === 1
			? f.plural(counts[0], 'layer')
			: `${joinAnd(doc.runs.map((r) => f.count(r.layers)))} layers`;
	const inside = doc.items.filter((line) => doc.sections[doc.blocks[line.block].section].place === 'layer');
	const lines = inside.length ? inside : doc.items;
	const usual = lines.filter((line) => !isExtra(line));
	const rest = lines.length - usual.length;
	const all = usual.filter((line) => sidesWith(line) === doc.runs.length).length;
	const rows = `${f.plural(usual.length, 'row')}${inside.length ? ' of a layer' : ''}`;
	return (
		`${layers} of ${f.plural(doc.runs.length, 'run')} side by side: ${all === usual.length ? `all ${rows}` : `${f.count(all)} of ${rows}`} are on every side` +
		`${rest ? `, ${f.count(rest)} more ${rest === 1 ? 'is' : 'are'} in few layers` : ''}.`
	);
}
