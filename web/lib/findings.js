// compare_head.js - what a comparison says before its numbers: what forbids to
// judge by them, loudly; what else there is to know.

import {isQuery} from '../compared.js';
import {h} from '../dom.js';
import * as f from '../format.js';

const MOST = 6;

const named = (word) => (isQuery(word) ? word : word.startsWith('job:') ? `job ${word.slice(4)}` : `#${word}`);

// "#1, #2 with job 3", short enough for a title.
export function titleOf({base, head}) {
	const side = (words) => {
		const first = words.slice(0, MOST).map(named);
		return first.join(', ') + (words.length > MOST ? ` and ${words.length - MOST} more` : '');
	};
	return `${side(base)} with ${side(head)}`;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// The sentence that says it all; a function's name keeps its own letters.
export function headline(doc) {
	const named = doc.items.some((r) => [r.function, r.short_name].some((name) => name && doc.headline.startsWith(name)));
	return named ? doc.headline : capital(doc.headline);
}

export function refusal(doc) {
	const list = doc.findings.filter((x) => x.severity === 'refuse');
	if (!list.length)
		return null;
	return h('section', {class: 'banner', 'aria-labelledby': 'refused'},
		h('h2', {id: 'refused'}, 'Do not judge by these numbers'),
		list.length === 1 ? h('p', {}, `${capital(list[0].text)}.`)
			: h('ul', {}, list.map((x) => h('li', {}, `${capital(x.text)}.`))));
}

const item = (x) => h('li', {}, h('span', {class: `severity ${x.severity}`}, x.severity === 'warn' ? 'Warning' : 'Info'),
	h('span', {}, `${capital(x.text)}.`));

// Warnings are seen; what is good to know opens.
export function remarks(doc, label = 'What to know first') {
	const warnings = doc.findings.filter((x) => x.severity === 'warn');
	const infos = doc.findings.filter((x) => x.severity === 'info');
	if (!warnings.length && !infos.length)
		return null;
	return h('section', {class: 'notes', 'aria-label': label},
		warnings.length ? h('ul', {}, warnings.map(item)) : null,
		infos.length ? h('details', {class: 'more'}, h('summary', {},
			`${f.plural(infos.length, 'remark')} on how this was compared`), h('ul', {}, infos.map(item))) : null);
}
