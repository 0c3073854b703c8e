// compare_options.js - what a comparison was computed with, and a form to have
// it computed otherwise.

import {pageOf} from '../compared.js';
import {field, h} from '../dom.js';
import * as f from '../format.js';

const hundredfold = (text) => (text ? String(Number((Number(text) * 100).toPrecision(12))) : '');
const hundredth = (text) => (text ? String(Number((Number(text) / 100).toPrecision(12))) : '');

const floorText = (doc, query) => (query.get('floor') ? 'given'
	: doc.repeats ? `learnt from ${f.plural(doc.repeats, 'stored run')} where they can be` : 'the default');

function summary(doc, query) {
	const blocks = doc.block ? ` of blocks of ${f.plural(doc.block, 'cycle')}` : '';
	return `Run floor ${f.percent(doc.floor * 100)} % (${floorText(doc, query)}), margin ${f.percent(doc.margin * 100)} %, `
		+ `α ${doc.alpha}, ${f.plural(doc.permutations, 'permutation')}${blocks}, seed ${doc.seed}`;
}

export function options(doc, query, at) {
	const number = (name, value, rest) => h('input', {type: 'number', name, value, step: 'any', min: 0, inputmode: 'decimal', ...rest});
	const range = h('input', {type: 'text', name: 'range', value: query.get('range'), autocomplete: 'off', spellcheck: 'false'});
	const floor = number('floor', hundredfold(query.get('floor')), {max: 100, placeholder: 'learnt, else 3'});
	const margin = number('margin', hundredfold(query.get('margin')), {max: 100, placeholder: '5'});
	const seed = number('seed', query.get('seed'), {step: 1, placeholder: '1'});
	const submit = (e) => {
		e.preventDefault();
		at.go(pageOf({...Object.fromEntries(query), function: '', device: '', range: range.value.trim(),
			floor: hundredth(floor.value), margin: hundredth(margin.value), seed: seed.value}));
	};
	return h('details', {class: 'formats options'}, h('summary', {}, summary(doc, query)),
		h('form', {class: 'bar', 'aria-label': 'How it is compared', on: {submit}},
			field('Cycles are the ranges named', range, 'empty: as found in each run'),
			field('Floor between runs, %', floor, 'relative deviation of runs of the same'),
			field('Margin, %', margin, 'within it a function is unchanged'),
			field('Seed', seed, 'the same gives the same bytes'),
			h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Compare again'))));
}
