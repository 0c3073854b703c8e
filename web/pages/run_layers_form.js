// run_layers_form.js - where layers begin, on which device and of which work, when
// it is not to be as found; all of it is in the address.

import {field, h} from '../dom.js';
import * as f from '../format.js';
import {tabOf} from '../layers.js';

const choice = (name, value, first, options) => h('select', {name}, h('option', {value: ''}, first),
	options.map(([word, text]) => h('option', {value: word, selected: String(word) === value}, text)));

const stratumText = (s, i) => `${s.text || `kind ${i + 1}`}, ${f.plural(s.cycles, 'cycle')}`;

export function boundaries(run, words, {strata, lags, realigned}, at) {
	const text = (name) => h('input', {type: 'text', name, value: words[name], autocomplete: 'off', spellcheck: 'false'});
	const range = text('range');
	const start = text('start');
	const every = h('input', {type: 'number', name: 'every', value: words.every, min: 1, step: 1, placeholder: '1'});
	const device = run.devices.length > 1 || words.device ? choice('device', words.device, 'the busiest one', run.devices.map((d) => [d.number, `${d.number}${d.name ? `, ${d.name}` : ''}`])) : null;
	const stratum = strata.length > 1 || words.stratum ? choice('stratum', words.stratum, 'that of most time', strata.map((s, i) => [i, stratumText(s, i)])) : null;
	const realign = lags || realigned || words.realign ? h('input', {type: 'checkbox', name: 'realign', checked: words.realign === 'yes'}) : null;
	const submit = (e) => {
		e.preventDefault();
		at.go(tabOf(run.id, {range: range.value.trim(), start: start.value.trim(), every: start.value.trim() ? every.value : '', device: device?.value, stratum: stratum?.value,
			realign: realign?.checked ? 'yes' : ''}));
	};
	return h('form', {class: 'bar', 'aria-label': 'Where layers begin', on: {submit}},
		field('Layers are the ranges', range, 'a module\'s class, or a range\'s name'),
		field('A layer begins at kernels with', start, 'a part of the kernel\'s name'),
		field('Begin at every', every, '2: at every second such kernel'),
		device ? field('On device', device) : null,
		stratum ? field('Kind of work', stratum) : null,
		realign ? h('label', {class: 'check'}, realign, 'Put names back to their durations') : null,
		h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Show'),
			Object.keys(words).length ? h('a', {href: tabOf(run.id, {})}, 'As found') : null));
}

// Folded away until somebody asks, or has asked.
export const closed = (form, words) => h('details', {class: 'formats options', open: Object.keys(words).length > 0},
	h('summary', {}, Object.keys(words).length ? `Not as found: ${Object.entries(words).map(([key, value]) => `${key} ${value}`).join(', ')}` : 'Layers begin elsewhere, or another device or work…'), form);
