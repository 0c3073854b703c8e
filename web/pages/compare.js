// compare.js - two sides beside each other: the sentence that says it all and
// what there is to be said before any number; then where the time goes, the
// cycles, the functions; the published score one step away.

import * as api from '../api.js';
import {pageOf as besideOf} from '../beside.js';
import {asked, pageOf, sideOf} from '../compared.js';
import {h} from '../dom.js';
import {showFailure} from '../news.js';
import {tabs} from '../tabs.js';
import {chooser} from './compare_choose.js';
import {headline, refusal, remarks, titleOf} from './compare_head.js';
import {options} from './compare_options.js';
import {publishedTab} from './compare_published.js';
import {sideCards} from './compare_sides.js';
import {verdictTab} from './compare_verdict.js';

const PARTS = [['verdict', 'Verdict', verdictTab], ['published', 'Published score', publishedTab]];

// The address holds what was asked, and the view of the part in front.
function clear(at, query, part) {
	const kept = asked(query);
	const gone = [...new URLSearchParams(location.search).keys()].filter((key) => !(key in kept));
	at.keep({...Object.fromEntries(gone.map((key) => [key, ''])), score: part === PARTS[0][0] ? '' : part});
}

// The first run of each side, layer by layer.
function besideLine(doc, sides) {
	const first = ['base', 'head'].map((side) => (Array.isArray(doc[side].runs) ? String(doc[side].runs[0]?.id) : sides[side].find((word) => /^\d+$/.test(word))));
	return first.every(Boolean) && first[0] !== first[1] ? h('p', {class: 'line'}, h('a', {href: besideOf(first)}, `Layers of #${first[0]} and #${first[1]} side by side`)) : '';
}

export async function page(view, query, at) {
	const sides = {base: sideOf(query.get('base')), head: sideOf(query.get('head'))};
	if (!sides.base.length || !sides.head.length)
		return chooser(view, query, at);
	const words = asked(query);
	const doc = await api.compare(words, at.signal);
	const chosen = query.get('score') ?? PARTS[0][0];
	const parts = await tabs({label: 'Scores', chosen,
		leave: (part) => clear(at, query, part),
		failed: (error, again) => at.signal.aborted || showFailure(error, again),
		parts: PARTS.map(([id, label, load]) => ({id, label,
			href: pageOf({...words, score: id === PARTS[0][0] ? '' : id}),
			load: () => load(doc, words, id === chosen ? query : new URLSearchParams(), at)}))});

	view.append(
		h('p', {class: 'crumbs'}, h('a', {href: '/compare'}, 'Compare'), ` / ${titleOf(sides)}`),
		h('h1', {class: 'headline'}, headline(doc)),
		refusal(doc) ?? '',
		sideCards(doc, words),
		besideLine(doc, sides),
		remarks(doc) ?? '',
		options(doc, query, at),
		...parts);
	return titleOf(sides);
}
