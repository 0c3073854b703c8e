// gate_parts.js - what the list of gates and one of them share: an outcome as a
// mark and a word; a side with its runs.

import {h} from '../dom.js';
import * as f from '../format.js';
import {OUTCOMES} from '../gates.js';

export function outcome(word) {
	const {mark, text, what} = OUTCOMES[word] ?? {mark: '', text: word, what: null};
	return h('span', {class: `class outcome ${word}`, title: what}, h('span', {class: 'class-mark', 'aria-hidden': 'true'}, mark), text);
}

// More than these are behind a word.
const MOST = 12;

export function runLinks(ids) {
	const links = ids.map((id) => h('li', {}, h('a', {href: `/runs/${id}`}, `#${id}`)));
	const list = (part) => h('ul', {class: 'members'}, part);
	return ids.length <= MOST ? list(links)
		: h('details', {class: 'more'}, h('summary', {}, `${f.count(ids.length)} runs, #${ids[0]} to #${ids.at(-1)}`), list(links));
}
