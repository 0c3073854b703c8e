// importance_head.js - what is said before the tables: of how many runs, what
// they do not tell, how much of their time is known.

import {facts, h} from '../dom.js';
import * as f from '../format.js';
import * as o from '../operators.js';
import {noteList} from './run_head.js';

const MANY = 4;

const listed = (names) => (names.length > MANY ? `${names.length} platforms` : names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names[0]);

// "30 operators with 440 shapes, importance from 1,303 profiles, …"
export function headline(doc) {
	const named = doc.items.filter((r) => r.operator !== null);
	const shapes = named.reduce((n, r) => n + (r.shapes ?? 0), 0);
	const from = doc.set ? f.plural(doc.runs, 'production profile') : `${f.plural(doc.runs, 'run')} and ${o.gpuTime(doc.gpu_s)} of GPU time`;
	const names = doc.platforms.filter((p) => p.bytes_per_s !== null).map((p) => p.name);
	return `${f.plural(named.length, 'operator')}${shapes ? ` with ${f.plural(shapes, 'shape')}` : ''}, importance from ${from}`
		+ `${names.length ? `, roofline bounds on ${listed(names)}` : ''}.`;
}

const LOUD = {refuse: 'error'};
export function findings(doc, title = 'What these numbers do not tell') {
	const list = doc.findings.map(({severity, text}) => ({severity: LOUD[severity] ?? severity,
		message: /[.!?]$/.test(text) ? text : `${text[0].toUpperCase()}${text.slice(1)}.`}));
	return list.length ? noteList(list, title, title) : null;
}

const total = (label, text, title) => h('div', {class: 'total', title}, h('dt', {}, label), h('dd', {}, text));

// How much of all GPU time is known, and how well.
export function coverage(doc) {
	if (doc.set)
		return facts([['Set', doc.set], ['Source', doc.source]]);
	const part = (label, pct, what) => total(label, o.shareOfPercent(pct), pct === null ? 'unknown' : what);
	return h('dl', {class: 'totals'},
		total('Runs', f.count(doc.runs)), total('GPU time', o.gpuTime(doc.gpu_s), doc.gpu_s === null ? null : `${doc.gpu_s} s`),
		total('Stands for', doc.hours === null ? f.NONE : `${f.count(doc.hours, doc.hours < 100 ? 1 : 0)} GPU h`,
			'the sum of the runs\' weights: the GPU-hours each stands for, 1 where none was told'),
		part('Attributed', doc.attributed_pct, 'GPU time whose operator is known'),
		part('Specific', doc.specific_pct, 'GPU time whose operator says what it does'),
		part('Sized', doc.sized_pct, 'GPU time whose sizes are known'),
		part('Bound', doc.bound_pct, 'GPU time whose least time is known'),
		total('Headroom', o.share(doc.headroom), doc.headroom === null ? 'unknown' : 'the share of all GPU time that perfect kernels would free'));
}
