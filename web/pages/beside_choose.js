// beside_choose.js - which runs stand beside each other: at first, one more, and
// which may go where together they are refused.

import {MOST, isRun, pageOf, runsOf} from '../beside.js';
import {field, h} from '../dom.js';

const NUMBERS = '\\s*[1-9][0-9]*(\\s*,\\s*[1-9][0-9]*)*\\s*';

const listOf = (runs) => h('a', {href: runs.length ? `/runs?base=${runs.join(',')}` : '/runs'}, 'list of runs');

export async function chooser(view, runs, at) {
	const input = h('input', {type: 'text', name: 'runs', value: runs.length ? `${runs.join(', ')}, ` : '', required: true, autocomplete: 'off', pattern: '[0-9,\\s]*',
		title: 'numbers of runs with commas between'});
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const submit = (e) => {
		e.preventDefault();
		const chosen = runsOf(input.value);
		if (chosen.length >= 2)
			at.go(pageOf(chosen));
		else
			wrong.textContent = `Two to ${MOST} runs stand beside each other; these are ${chosen.length || 'none'}.`;
	};
	view.append(h('h1', {}, 'Layers side by side'),
		h('p', {class: 'wide-text'}, 'Where the time of a layer goes in two to eight runs, row by row, whoever made the GPU: rows are put together by what they do in the layer, '
			+ 'and one fused kernel may stand beside three. The first run is what the others are measured against.'),
		h('section', {'aria-labelledby': 'tick'}, h('h2', {id: 'tick'}, 'From the list of runs'),
			h('p', {}, 'Tick runs in the ', listOf(runs), ', those as base first, and follow “Layers side by side” beneath it.')),
		h('section', {'aria-labelledby': 'numbers'}, h('h2', {id: 'numbers'}, 'By number'),
			h('form', {class: 'bar', 'aria-label': 'Runs beside each other', on: {submit}}, field('Runs', input, 'such as 1, 2, 5'),
				h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Show'))), wrong));
	return 'Layers side by side';
}

// Those asked for, where the server told nothing of them: each may go.
export const asked = (runs, words) => h('ul', {class: 'asked', 'aria-label': 'Runs asked for'}, runs.map((id, i) => h('li', {class: 'line'},
	isRun(id) ? h('a', {href: `/runs/${id}?tab=layers`}, `#${id}`) : h('code', {}, id),
	h('a', {href: pageOf(runs.filter((_, k) => k !== i), {realign: words.realign})}, 'Take away', h('span', {class: 'unseen'}, ` ${isRun(id) ? '#' : ''}${id}`)))));

// One run more, or other names; the same view as a link and as files is in the
// table's own bar.
export function others(runs, words, at) {
	const input = h('input', {type: 'text', name: 'more', inputmode: 'numeric', pattern: NUMBERS, autocomplete: 'off', required: true, title: 'the number of a run'});
	const submit = (e) => {
		e.preventDefault();
		at.go(pageOf(runsOf([...runs, input.value].join(',')), {realign: words.realign}));
	};
	return runs.length < MOST ? h('form', {class: 'bar', 'aria-label': 'One run more', on: {submit}}, field('One run more', input, 'its number'),
		h('div', {class: 'actions'}, h('button', {type: 'submit'}, 'Add'), h('span', {class: 'quiet'}, 'or tick them in the ', listOf(runs)))) : h('p', {class: 'hint'}, `${MOST} runs are the most.`);
}
