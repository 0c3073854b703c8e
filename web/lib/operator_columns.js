// operator_columns.js - what the tables of operators share, of a run and of a
// fleet: letters of regimes, grades of S, how a row's operator is known.

import {h} from '../dom.js';
import * as f from '../format.js';
import * as o from '../operators.js';

export function regimeMark(word) {
	if (!word)
		return h('span', {class: 'quiet', title: 'unknown: no bound is known'}, f.NONE);
	const {letter, what} = o.REGIMES[word];
	return h('span', {class: `regime by-${word}`, title: what}, h('b', {}, letter), ' ', h('span', {class: 'word'}, word));
}

export const regimeColumn = () => ({label: 'Regime', up: 'regime', down: '-regime', cell: (r) => regimeMark(r.regime), value: (r) => r.regime});

export function gradeMark(s, why = 'unknown: no bound is known') {
	const g = o.grade(s);
	if (!g)
		return h('span', {class: 'quiet', title: why}, f.NONE);
	return h('span', {class: `grade ${g.class}`, title: g.what}, h('span', {class: 'class-mark', 'aria-hidden': 'true'}, g.mark), g.word);
}

// Whoever waits for others is not slow, and who beats another platform's bound
// breaks none of its own.
function gradeOf(row, s) {
	if (row.collective)
		return gradeMark(null, 'not graded: its time includes waiting for other ranks');
	return row.against && s > 1 ? gradeMark(null, 'not graded: faster here than the other platform could be') : gradeMark(s, row.why ?? undefined);
}

// S, and in a column of its own the word for it.
export const sColumns = (key = 's', label = 'S') => [
	{label, num: true, down: 's', up: '-s', cell: (r) => o.share(r[key]), value: (r) => r[key],
		title: (r) => (r[key] === null || r[key] === undefined ? r.why ?? 'unknown: no bound is known' : `T_SOL / T = ${r[key]}`)},
	{label: 'Grade', cell: (r) => gradeOf(r, r[key]),
		value: (r) => r[key]},
];

export const aiColumn = () => ({label: 'AI', num: true, down: 'ai', up: '-ai', cell: (r) => o.intensity(r.ai), value: (r) => r.ai,
	title: (r) => (r.ai === null || r.ai === undefined ? 'unknown: cost is not known' : `${r.ai} FLOP per byte`)});

// The name of an operator; the one without is what nobody knows.
export const operatorColumn = () => ({label: 'Operator', head: true, class: 'operator', up: 'name', down: '-name', title: (r) => r.what || null,
	cell: (r) => (r.operator === null ? h('em', {}, o.UNATTRIBUTED) : [h('code', {}, r.operator), r.id ? h('span', {class: 'quiet'}, ` ${r.id}`) : null].filter(Boolean)),
	value: (r) => r.operator});

export const textColumn = (label, key, unknown = 'unknown') => ({label, up: key, down: `-${key}`, cell: (r) => r[key] || f.NONE,
	title: (r) => (r[key] ? null : unknown), value: (r) => r[key]});

export const countColumn = (label, key, why = 'unknown') => ({label, num: true, down: key, up: `-${key}`, cell: (r) => f.count(r[key]),
	title: (r) => (r[key] === null || r[key] === undefined ? why : null), value: (r) => r[key]});

// What the time was known from: the two largest parts; all of them as a list
// where the row is opened.
export const knownColumn = () => ({label: 'Known from', class: 'known', up: 'known', down: '-known', value: (r) => o.knownParts(r)[0]?.[0] ?? null,
	cell: (r) => {
		const parts = o.knownParts(r);
		const words = parts.slice(0, 2).map(([word, , pct]) => (parts.length === 1 ? (word === 'not' ? 'nothing' : word) : `${word} ${o.shareOfPercent(pct)}`));
		return words.length ? words.join(', ') + (parts.length > 2 ? ', …' : '') : f.NONE;
	},
	title: (r) => o.knownParts(r).map(([word, , pct]) => `${o.shareOfPercent(pct)} ${o.KNOWN[word]}`).join('; ')});

export function knownList(row) {
	const parts = o.knownParts(row);
	return parts.length ? h('ul', {class: 'known-list'}, parts.map(([word, ns, pct]) => h('li', {title: f.exact(ns)},
		h('span', {class: 'num'}, o.shareOfPercent(pct)), ' ', o.KNOWN[word], ' ', h('code', {class: 'quiet'}, word)))) : null;
}
