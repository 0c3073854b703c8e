// importance_filters.js - what is weighed, and how: the words of the address as
// the server wants them, and the form that changes them.

import {Failure} from '../api.js';
import {field, h} from '../dom.js';
import * as f from '../format.js';
import {WEIGHTS} from '../operators.js';

// The word in the address and the server's, the label, an example, and where
// the answer tells which there are.
const TEXTS = [
	['project', 'Project', 'whole name', 'projects'],
	['workload', 'Workload', 'whole name', 'workloads'],
	['framework', 'Framework', 'vllm', 'frameworks'],
	['platform', 'Platform', 'H20', 'platforms'],
	['phase', 'Phase', 'decode', 'phases'],
	['dtype', 'dtype', 'bf16', 'dtypes'],
	['label', 'Labels', 'branch=main', null],
];
const DAYS = [['since', 'Since'], ['until', 'Until']];
// What sets know too; runs alone know the rest of these words, and sets alone
// the phase 'both' and what was published.
const OF_SETS = ['phase', 'dtype'];
const OF_RUNS = ['weight', ...[...TEXTS, ...DAYS].map(([word]) => word).filter((word) => !OF_SETS.includes(word))];
const RUN_WEIGHTS = Object.keys(WEIGHTS).filter((word) => word !== 'published');
const FEW = 4;
const WORDS = ['set', 'weight', ...TEXTS.map(([word]) => word), ...DAYS.map(([word]) => word)];

// What the server is asked with; throws with a sentence where labels are none.
// A day stands for its beginning.
export function asked(query) {
	const out = {};
	for (const word of WORDS)
		if (query.get(word))
			out[word] = query.get(word);
	for (const [word] of DAYS)
		if (/^\d{4}-\d\d-\d\d$/.test(out[word] ?? ''))
			out[word] += 'T00:00:00Z';
	for (const [key, value] of Object.entries(labels(out.label ?? '')))
		out[`label.${key}`] = value;
	delete out.label;
	return out;
}

// Refused in the server's way.
function labels(text) {
	try {
		return f.labels(text);
	} catch (error) {
		throw new Failure(400, 'bad_request', error.message);
	}
}

// What the form stands on where nothing was answered.
export function unanswered(query) {
	const set = query.get('set');
	const weight = RUN_WEIGHTS.find((word) => word === query.get('weight')) ?? 'time';
	return {set, weight: set ? 'published' : weight, choices: {}};
}

export const filtered = (query) => WORDS.some((word) => word !== 'weight' && query.get(word));

// The page with other words; what is sorted, searched and opened stays, except
// across sets, whose operators are others, and what the server refuses there.
export function pageOf(query, changes) {
	const q = new URLSearchParams(query);
	for (const [key, value] of Object.entries(changes))
		if (value)
			q.set(key, value);
		else
			q.delete(key);
	const refused = q.get('set') ? OF_RUNS
		: [...(q.get('phase') === 'both' ? ['phase'] : []), ...(RUN_WEIGHTS.includes(q.get('weight')) ? [] : ['weight'])];
	for (const word of [...refused, ...(q.get('set') !== query.get('set') ? ['open', 'on', 'weight'] : [])])
		q.delete(word);
	return q.size ? `/importance?${f.query(q)}` : '/importance';
}

const choice = (name, options, chosen, change) => h('select', {name, on: {change: (e) => change(e.target.value)}},
	options.map(([value, text]) => h('option', {value, selected: value === chosen}, text)));

// Sets and weights act at once, what is typed when it is sent.
export function filterForm(doc, sets, query, at) {
	const set = query.get('set') ?? '';
	const names = sets.map((s) => s.name);
	const setChoice = choice('set', [['', 'runs stored here'], ...(set && !names.includes(set) ? [[set, set]] : []), ...names.map((n) => [n, `set: ${n}`])], set,
		(value) => at.go(pageOf(query, {set: value})));
	const weights = doc.weight === 'published' ? [['published', 'published']] : RUN_WEIGHTS.map((word) => [word, `w_${word}`]);
	const weightChoice = choice('weight', weights, doc.weight,
		(value) => at.go(pageOf(query, {weight: value === 'time' ? '' : value})));
	const here = ([word]) => !doc.set || OF_SETS.includes(word);
	const inputs = TEXTS.filter(here).map(([name, label, example, told]) => [label, h('input', {type: 'text', name, value: query.get(name), placeholder: example,
		autocomplete: 'off', list: doc.choices[told]?.length ? `offered-${name}` : null}), doc.choices[told] ?? []]);
	const days = DAYS.filter(here).map(([name, label]) => [label, h('input', {type: 'date', name, value: (query.get(name) ?? '').slice(0, 10)})]);
	const rest = [...inputs.slice(FEW), ...days];
	const submit = (e) => {
		e.preventDefault();
		at.go(pageOf(query, Object.fromEntries([...inputs, ...days].map(([, input]) => [input.name, input.value.trim()]))));
	};
	const more = rest.length > 0 && h('details', {class: 'more-filters', open: rest.some(([, input]) => query.get(input.name))},
		h('summary', {}, 'More filters'), h('div', {class: 'bar'}, rest.map(([label, input]) => field(label, input))));
	return h('form', {role: 'search', 'aria-label': 'What is weighed', class: 'weighed', on: {submit}},
		h('div', {class: 'bar'}, field('Set', setChoice), field('Weight', weightChoice, WEIGHTS[doc.weight]),
			inputs.slice(0, FEW).map(([label, input]) => field(label, input)),
			h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Filter'),
				filtered(query) ? h('a', {href: '/importance'}, 'Clear') : null)),
		more, inputs.filter(([, , offered]) => offered.length).map(([, input, offered]) =>
			h('datalist', {id: `offered-${input.name}`}, offered.map((value) => h('option', {value})))));
}
