// compare_sides.js - who is compared with whom: a card for each side, and the
// way to turn them round.

import {DETECTORS, isQuery, pageOf, sideOf} from '../compared.js';
import {h} from '../dom.js';
import * as f from '../format.js';

const MOST = 4;

const runLink = (run) => h('li', {}, h('a', {href: `/runs/${run.id}`}, run.name || `run ${run.id}`), ' ',
	h('span', {class: 'quiet'}, run.rank === null || run.rank === undefined ? `#${run.id}` : `#${run.id}, rank ${run.rank}`));

// By its words, where the document does not name the runs.
const wordLink = (word) => h('li', {}, word.startsWith('job:')
	? h('a', {href: `/jobs/${word.slice(4)}`}, `Job ${word.slice(4)}`)
	: h('a', {href: `/runs/${word}`}, `Run #${word}`));

// What a query found is listed below it.
const asked = (words) => (words.some(isQuery) ? h('p', {}, h('code', {}, words[0])) : null);

function members(side, words) {
	const all = Array.isArray(side.runs) ? side.runs.map(runLink) : words.map(wordLink);
	const jobs = Array.isArray(side.runs) ? words.filter((word) => word.startsWith('job:') && !isQuery(word)).map(wordLink) : [];
	const rest = all.slice(MOST);
	return [h('ul', {class: 'members'}, jobs, all.slice(0, MOST)),
		rest.length ? h('details', {class: 'more'}, h('summary', {}, `${rest.length} more`),
			h('ul', {class: 'members'}, rest)) : null];
}

function card(name, side, words) {
	const runs = Array.isArray(side.runs) ? side.runs.length : side.runs;
	const used = side.cycles === side.cycles_used ? f.plural(side.cycles, 'cycle')
		: `${f.count(side.cycles_used)} of ${f.plural(side.cycles, 'cycle')} used`;
	return h('section', {class: `side-card ${name}`, 'aria-label': name === 'base' ? 'Base' : 'Head'},
		h('h2', {}, name === 'base' ? 'Base' : 'Head'),
		asked(words),
		...members(side, words),
		h('p', {class: 'quiet'}, [
			runs > 1 ? `${f.plural(runs, 'run')}${side.units === runs ? '' : ` in ${f.plural(side.units, 'unit')}`}` : null,
			used, DETECTORS[side.detector] ?? side.detector].filter(Boolean).join(' · ')),
		h('p', {class: 'mean', title: f.exact(side.cycle_ns)}, f.duration(side.cycle_ns),
			h('span', {class: 'quiet'}, ' mean cycle, median '),
			h('span', {title: f.exact(side.cycle_median_ns)}, f.duration(side.cycle_median_ns))));
}

export function sideCards(doc, words) {
	const turned = pageOf({...words, base: words.head, head: words.base});
	return h('div', {class: 'side-cards'},
		card('base', doc.base, sideOf(words.base)),
		h('a', {href: turned, class: 'swap', 'aria-label': 'Swap base and head', title: 'Swap base and head'}, '⇄'),
		card('head', doc.head, sideOf(words.head)));
}
