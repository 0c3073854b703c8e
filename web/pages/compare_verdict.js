// compare_verdict.js - tab: where the time goes, the factor that all kernels
// share, the cycles, what is new and what is gone, and the functions.

import {shownClasses} from '../compared.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {cycleSection} from './compare_cycles.js';
import {splitSection} from './compare_split.js';
import {functionSection} from './compare_table.js';

const MOST = 5;

function commonLine(common) {
	if (!common)
		return null;
	return h('p', {class: 'common'}, h('strong', {}, `All kernels together: ${f.changeOf(common.ratio)}`),
		` (95 % ${f.changeOf(common.low)} to ${f.changeOf(common.high)}), `,
		h('span', {title: f.exact(common.ns_per_cycle)}, `${f.signedDuration(common.ns_per_cycle)} per cycle`),
		`. ${f.plural(common.kernels, 'kernel')} moved alike, as with a change of clocks or power; `
		+ 'the classes below are of what goes beyond it.');
}

// What is on one side alone; a press leads to its row.
function alone(doc, word, title, key, show) {
	const list = doc.items.filter((r) => r.verdict === word);
	if (!list.length)
		return null;
	const line = (r) => h('li', {}, h('button', {type: 'button', class: 'open-row', title: r.function, on: {click: () => show(r)}},
		h('code', {}, r.short_name || r.function)), ' ',
	h('span', {class: 'quiet'}, [r.device, `${f.duration(r[key])} per cycle`].filter(Boolean).join(', ')));
	return h('section', {'aria-label': title}, h('h3', {}, title, ' ', h('span', {class: 'quiet'}, f.count(list.length))),
		h('ul', {class: 'alone'}, list.slice(0, MOST).map(line)),
		list.length > MOST ? h('details', {class: 'more'}, h('summary', {}, `${f.count(list.length - MOST)} more`),
			h('ul', {class: 'alone'}, list.slice(MOST).map(line))) : null);
}

export async function verdictTab(doc, words, query, at) {
	const view = {shown: shownClasses(query.get('show')), q: query.get('q') ?? '', sort: query.get('sort') ?? '',
		cycles: query.get('cycles') ?? '', full: query.get('names') === 'full',
		function: query.get('function') ?? '', device: query.get('device') ?? ''};
	const functions = functionSection(doc, words, view, at);
	const cycles = cycleSection(doc, view, functions.save);
	const lists = [alone(doc, 'appeared', 'Appeared', 'head_ns_per_cycle', functions.show),
		alone(doc, 'vanished', 'Vanished', 'base_ns_per_cycle', functions.show)].filter(Boolean);
	return {save: functions.save, node: h('div', {class: 'part verdict'},
		h('div', {class: 'beside'}, splitSection(doc) ?? '', cycles ?? ''),
		commonLine(doc.common) ?? '',
		lists.length ? h('div', {class: 'lists'}, lists) : '',
		functions.node)};
}
