// run_layers.js - tab: the layers of the model in a run, and where a layer's time
// goes: how they were found, what of the wall it was, a bar a layer, a row a place.

import * as api from '../api.js';
import {h} from '../dom.js';
import * as l from '../layers.js';
import {answered, told} from './answered.js';
import {boundaries, closed} from './run_layers_form.js';
import {barChart, summary, wallTable} from './run_layers_head.js';
import {rowSection} from './run_layers_table.js';

const LAG = 'names_lag';

export async function layerTab(run, query, at) {
	const words = l.asked(query);
	const [{doc, refusal}, {items: notes}, strata] = await Promise.all([answered(api.breakdown(run.id, words, at.signal)), api.notes(run.id, at.signal),
		api.strata(run.id, at.signal).catch((error) => (at.signal.aborted ? Promise.reject(error) : []))]);
	const lags = notes.some((n) => n.code === LAG);
	const form = boundaries(run, words, {strata, lags, realigned: doc?.realigned ?? false}, at);
	const others = h('a', {class: 'button plain', href: `/breakdown?runs=${run.id}`}, 'Beside another run…');
	if (refusal)
		return {save: () => at.keep(words), node: h('div', {class: 'part'}, told(refusal, l.tabOf(run.id, words)),
			Object.keys(words).length ? form : '')};
	const table = rowSection(run, doc, words, query, at);
	return {save: table.save, node: h('div', {class: 'part'},
		h('p', {class: 'headline'}, l.headline(doc)),
		lags && !doc.realigned ? h('p', {class: 'lacking'}, 'The kernels\' names lag behind their durations in this run: what stands beside a name below is not to be trusted. ',
			h('a', {href: l.tabOf(run.id, {...words, realign: 'yes'})}, 'Put the names back to their durations'), '.') : '',
		doc.realigned ? h('p', {class: 'lacking'}, 'Names were put back to the durations they lag behind, as asked: a guess by the period at which durations repeat. ',
			h('a', {href: l.tabOf(run.id, {...words, realign: ''})}, 'As recorded'), '.') : '',
		doc.layers.count && doc.why ? h('p', {class: 'lacking'}, l.sentence(doc.why)) : '',
		summary(doc), h('div', {class: 'line'}, others), closed(form, words), barChart(doc) ?? '', wallTable(doc), table.node)};
}
