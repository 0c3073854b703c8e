// compare_choose.js - /compare without both sides: which runs, by their numbers
// or ticked in the list of runs, or which jobs.

import {pageOf} from '../compared.js';
import {field, h} from '../dom.js';

const SIDE = '\\s*(job:)?[1-9][0-9]*(\\s*,\\s*(job:)?[1-9][0-9]*)*\\s*';

export async function chooser(view, query, at) {
	const input = (name) => h('input', {type: 'text', name, value: query.get(name), required: true, pattern: SIDE,
		title: 'numbers of runs with commas between, or job: and the number of a job', autocomplete: 'off'});
	const [base, head] = [input('base'), input('head')];
	const submit = (e) => {
		e.preventDefault();
		at.go(pageOf({...Object.fromEntries(query), base: base.value.replace(/\s/g, ''), head: head.value.replace(/\s/g, '')}));
	};
	const picked = new URLSearchParams([...query].filter(([key, value]) => (key === 'base' || key === 'head') && value));
	view.append(h('h1', {}, 'Compare'),
		h('p', {}, 'What changed between two sides: where the time of a cycle goes, which functions, by how much, and whether it is real. ',
			'Each side is one run, several repeats of the same, or the ranks of a job. Four runs a side prove most.'),
		h('section', {'aria-labelledby': 'tick'}, h('h2', {id: 'tick'}, 'From the list of runs'),
			h('p', {}, 'Tick runs as base and as head in the ',
				h('a', {href: picked.size ? `/runs?${picked}` : '/runs'}, 'list of runs'), '. Jobs are compared from their ',
				h('a', {href: '/jobs'}, 'own pages'), '. Of two to eight runs, ', h('a', {href: '/breakdown'}, 'layers stand side by side'), '.')),
		h('section', {'aria-labelledby': 'numbers'}, h('h2', {id: 'numbers'}, 'By number'),
			h('form', {class: 'bar', 'aria-label': 'Sides', on: {submit}},
				field('Base', base, 'such as 1,2,3,4 or job:7'), field('Head', head, 'likewise'),
				h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Compare')))));
	return 'Compare';
}
