// beside.js - runs beside each other, layer by layer: who they are, what there is
// to be said first, and their rows, put together by what they are for.

import * as api from '../api.js';
import * as b from '../beside.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {answered, told} from './answered.js';
import {asked, chooser, others} from './beside_choose.js';
import {heads, lagging} from './beside_head.js';
import {lineSection} from './beside_table.js';

export async function page(view, query, at) {
	const words = b.asked(query);
	const runs = b.runsOf(words.runs);
	if (b.tooFew(runs))
		return chooser(view, runs, at);
	const names = runs.map((id) => `#${id}`).join(', ');
	const title = `Layers of ${names}`;
	const {doc, refusal} = await answered(api.beside(words, at.signal));
	const crumbs = h('p', {class: 'crumbs'}, h('a', {href: '/breakdown'}, 'Layers side by side'), ` / ${names}`);
	if (refusal) {
		view.append(crumbs, h('h1', {}, title), told(refusal, `/breakdown?${f.query(query)}`), asked(runs, words), others(runs, words, at));
		return title;
	}
	const table = lineSection(doc, words, query, at);
	view.append(crumbs, h('h1', {class: 'headline'}, b.headline(doc)), lagging(doc, runs, words) ?? '', heads(doc, runs, words), others(runs, words, at), table.node);
	table.save();
	return title;
}
