// gates_ask.js - the form that asks a gate: both sides as runs or as queries, which
// runs they find by now, and the limits.

import * as api from '../api_history.js';
import {field, h} from '../dom.js';
import * as f from '../format.js';
import {FAIL_ON, NUMBERS, questionOf, runsText, sideOf} from '../gates.js';
import {showFailure} from '../news.js';
import {sentence} from '../layers.js';

const WAIT_MS = 400;
const CLASS_WORDS = ['regressed', 'appeared'];

// What a side finds by now. A base's query is of the head's work, and of what was
// stored before it, as the server has it.
async function finds(text, head, signal) {
	const {ids, words, last} = sideOf(text);
	if (ids)
		return {text: `Names ${f.plural(ids.length, ids.some((id) => id.startsWith('job:')) ? 'run or job' : 'run', ids.some((id) => id.startsWith('job:')) ? 'runs and jobs' : 'runs')}.`, ids: ids.filter((id) => /^\d+$/.test(id)).map(Number)};
	if (!words || !(last >= 1))
		return {text: text ? 'Neither runs nor a query; the server will say more.' : ''};
	const given = head ? {project: head.project || undefined, workload: head.workload || undefined, until: head.created_at} : {};
	const {items} = await api.found({...given, ...words, limit: Math.min(last + 8, 500)}, signal);
	const jobs = items.some((r) => r.job);
	const runs = items.filter((r) => !head || r.id !== head.id).slice(0, jobs ? items.length : last);
	return {text: runs.length ? `Finds ${jobs ? 'jobs, by runs' : f.plural(runs.length, 'run')}: ${runsText(runs.map((r) => r.id).reverse())}.` : 'Finds no run by now.',
		first: runs.at(-1) ?? null, ids: runs.map((r) => r.id)};
}

function preview(base, head, at) {
	const said = {base: h('p', {class: 'hint', role: 'status'}), head: h('p', {class: 'hint', role: 'status'})};
	let timer = 0;
	let turn = 0;

	async function look() {
		const mine = ++turn;
		const tell = (side, text) => {
			if (mine === turn)
				said[side].textContent = text;
		};
		let first = null;
		try {
			const found = await finds(head.value, null, at.signal);
			tell('head', found.text);
			first = found.first ?? (found.ids?.length ? await api.run(found.ids[0], at.signal) : null);
		} catch (error) {
			tell('head', error.name === 'AbortError' ? '' : sentence(error.message));
		}
		try {
			tell('base', (await finds(base.value, first, at.signal)).text);
		} catch (error) {
			tell('base', error.name === 'AbortError' ? '' : sentence(error.message));
		}
	}

	const soon = () => {
		clearTimeout(timer);
		timer = setTimeout(look, WAIT_MS);
	};
	for (const input of [base, head])
		input.addEventListener('input', soon);
	if (base.value || head.value)
		soon();
	return said;
}

const shown = ([, , usual]) => (usual === null ? '' : String(usual));

export function askForm(query, at) {
	const text = (name, more) => h('input', {type: 'text', name, value: query.get(name), autocomplete: 'off', ...more});
	const base = text('base', {required: true, placeholder: 'label.branch=main last=20'});
	const head = text('head', {required: true, placeholder: '12,13,14'});
	const name = text('title', {placeholder: 'such as pull request 7'});
	const operators = text('operators', {placeholder: 'attention=5, gemm=3'});
	const numbers = NUMBERS.map((row) => [row, h('input', {type: 'text', inputmode: 'decimal', name: row[0], value: shown(row), autocomplete: 'off'})]);
	const classes = FAIL_ON.map((word) => h('label', {class: 'check'}, h('input', {type: 'checkbox', name: 'fail_on', value: word, checked: CLASS_WORDS.includes(word)}), word));
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const button = h('button', {type: 'submit', class: 'main'}, 'Ask');
	const said = preview(base, head, at);

	async function submit(e) {
		e.preventDefault();
		if (button.disabled)
			return;
		wrong.textContent = '';
		let question;
		try {
			question = questionOf({base: base.value.trim(), head: head.value.trim(), name: name.value.trim(), operators: operators.value,
				...Object.fromEntries(numbers.map(([[key], input]) => [key, input.value.trim()])),
				fail_on: classes.map((label) => label.firstChild).filter((box) => box.checked).map((box) => box.value)});
		} catch (error) {
			wrong.textContent = sentence(error.message);
			return;
		}
		button.disabled = true;
		try {
			const {id} = await api.askGate(question);
			at.go(`/gates/${id}`);
		} catch (error) {
			if ([400, 404, 409, 413, 422, 503].includes(error.status))
				wrong.textContent = sentence(error.message);
			else
				showFailure(error, () => submit(e));
		} finally {
			button.disabled = false;
		}
	}

	const side = (label, input, place) => h('div', {class: 'asking'}, field(label, input, 'runs, jobs or a query'), place);
	return h('details', {class: 'ask', open: Boolean(query.get('base') || query.get('head'))}, h('summary', {}, 'Ask a gate'),
		h('form', {'aria-label': 'Ask a gate', class: 'part', on: {submit}},
			h('div', {class: 'bar'}, side('Baseline', base, said.base), side('Head', head, said.head), field('Name', name)),
			h('div', {class: 'bar'}, numbers.map(([[, label, , hint], input]) => field(label, input, hint)), field('Operators, %', operators, 'a limit each')),
			h('fieldset', {class: 'chips'}, h('legend', {}, 'Functions that do not pass'), classes),
			wrong, h('div', {class: 'actions'}, button)));
}
