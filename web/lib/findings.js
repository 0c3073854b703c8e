// findings.js - shows findings above the numbers of a comparison, and the notes of a run. Findings
// that make the numbers unusable are first.

import {h} from './dom.js';
import * as f from './format.js';

export function refusalBanner(doc) {
	const list = doc.findings.filter((x) => x.severity === 'refuse');
	if (!list.length) return null;
	return h(
		'section',
		{class: 'banner', 'aria-labelledby': 'refused'},
		h('h2', {id: 'refused'}, 'These numbers are not comparable'),
		list.length === 1
			? h('p', {}, `${f.capital(list[0].text)}.`)
			: h(
					'ul',
					{},
					list.map((x) => h('li', {}, `${f.capital(x.text)}.`)),
				),
	);
}

const item = (x) =>
	h(
		'li',
		{},
		h('span', {class: `severity ${x.severity}`}, x.severity === 'warn' ? 'Warning' : 'Info'),
		h('span', {}, `${f.capital(x.text)}.`),
	);

// Warnings are always visible; findings of the level info are folded.
export function findingList(doc, label = 'Findings') {
	const warnings = doc.findings.filter((x) => x.severity === 'warn');
	const infos = doc.findings.filter((x) => x.severity === 'info');
	if (!warnings.length && !infos.length) return null;
	return h(
		'section',
		{class: 'notes', 'aria-label': label},
		warnings.length ? h('ul', {}, warnings.map(item)) : null,
		infos.length
			? h(
					'details',
					{class: 'more'},
					h('summary', {}, `${f.plural(infos.length, 'finding')} about this comparison`),
					h('ul', {}, infos.map(item)),
				)
			: null,
	);
}

const SEVERITY = [
	['error', 'Error'],
	['loss', 'Loss'],
	['warn', 'Warning'],
	['info', 'Info'],
];

export function noteList(items, title = `${f.plural(items.length, 'note')} on this run`, label = 'Notes') {
	if (!items.length) return null;
	const order = (n) => SEVERITY.findIndex(([code]) => code === n.severity);
	const rows = [...items].sort((a, b) => order(a) - order(b));
	return h(
		'section',
		{class: 'notes', 'aria-label': label},
		h('h2', {}, title),
		h(
			'ul',
			{},
			rows.map((n) =>
				h(
					'li',
					{},
					h('span', {class: `severity ${n.severity}`}, SEVERITY[order(n)]?.[1] ?? n.severity),
					h('span', {}, n.message),
				),
			),
		),
	);
}

const SHOWN_SEVERITY = {refuse: 'error'};
export function findings(doc, title = 'Caveats') {
	const list = doc.findings.map(({severity, text}) => ({
		severity: SHOWN_SEVERITY[severity] ?? severity,
		message: /[.!?]$/.test(text) ? text : `${f.capital(text)}.`,
	}));
	return list.length ? noteList(list, title, title) : null;
}
