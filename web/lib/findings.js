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

const SEVERITY = [
	['error', 'Error'],
	['loss', 'Loss'],
	['warn', 'Warning'],
	['info', 'Info'],
];

const order = (x) => SEVERITY.findIndex(([code]) => code === x.severity);
const severityName = (x) => SEVERITY[order(x)]?.[1] ?? x.severity;

export const worstSeverity = (items) => [...items].sort((a, b) => order(a) - order(b))[0]?.severity;

// The worst severity of folded findings, and their number: ['warn', 'Warning', '3 findings'].
// `items` must not be empty.
export function foldedSummary(items, word = 'finding') {
	const severity = worstSeverity(items);
	return [severity, severityName({severity}), f.plural(items.length, word)];
}

// The summary of a fold with these findings.
function foldSummary(items, about) {
	const [severity, name, count] = foldedSummary(items);
	return h('summary', {}, h('span', {class: `severity ${severity}`}, name), ` ${count} ${about}`);
}

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
					foldSummary(infos, 'about this comparison'),
					h('ul', {}, infos.map(item)),
				)
			: null,
	);
}

// Errors stay visible; null if there are none.
export function errorNotes(items) {
	const errors = items.filter((n) => n.severity === 'error');
	return errors.length ? noteList(errors, f.plural(errors.length, 'error') + ' in this run', 'Errors') : null;
}

// The list of a badge. The badge has their number already, so the list has no heading.
function badgeList(items) {
	const list = noteList(items);
	list.querySelector('h2').remove();
	return list;
}

// `count` notes that are no errors as a badge: their number and the worst severity. load() returns
// them when the badge is first opened; if it fails, the next opening tries again.
export function noteBadge(worst, count, load) {
	if (!count) return null;
	const place = h('div', {role: 'status'}, h('p', {class: 'quiet'}, 'Loading…'));
	let loaded = false;

	async function fill() {
		if (loaded || !badge.open) return;
		loaded = true;
		try {
			place.replaceChildren(badgeList(await load()));
		} catch (error) {
			loaded = false;
			if (error.name !== 'AbortError')
				place.replaceChildren(h('p', {class: 'wrong'}, `The notes of this run are missing: ${error.message}.`));
		}
	}

	const badge = h(
		'details',
		{class: 'note-badge', on: {toggle: fill}},
		h(
			'summary',
			{},
			h('span', {class: `severity ${worst}`}, severityName({severity: worst})),
			` ${f.plural(count, 'note')}`,
		),
		place,
	);
	return badge;
}

export function noteList(items, title = `${f.plural(items.length, 'note')} on this run`, label = 'Notes') {
	if (!items.length) return null;
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
					h('span', {class: `severity ${n.severity}`}, severityName(n)),
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
