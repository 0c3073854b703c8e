// gates.js - /gates: what gates have said, newest first, and the form that asks one.

import {Failure} from '../api.js';
import * as api from '../api_history.js';
import {field, h} from '../dom.js';
import * as f from '../format.js';
import {OUTCOMES} from '../gates.js';
import {table} from '../table.js';
import {outcome} from './gate_parts.js';
import {askForm} from './gates_ask.js';

const TEXTS = [['project', 'Project', 'whole name'], ['workload', 'Workload', 'whole name'], ['name', 'Name', 'whole name'], ['label', 'Head\'s labels', 'branch=main']];
const DAYS = [['since', 'Since'], ['until', 'Until']];
const FILTERS = [...TEXTS, ...DAYS].map(([word]) => word).concat('outcome', 'cursor');

function labelsOf(text) {
	try {
		return f.labels(text);
	} catch (error) {
		throw new Failure(400, 'bad_request', error.message);
	}
}

// What the server is asked with; throws in its way where labels are none.
export function asked(query) {
	const out = Object.fromEntries(FILTERS.map((key) => [key, query.get(key)]).filter(([, value]) => value));
	for (const [day] of DAYS)
		if (/^\d{4}-\d\d-\d\d$/.test(out[day] ?? ''))
			out[day] += 'T00:00:00Z';
	for (const [key, value] of Object.entries(labelsOf(out.label ?? '')))
		out[`label.${key}`] = value;
	delete out.label;
	return out;
}

function columns(now) {
	const side = (label, key) => ({label, class: 'wraps', cell: (g) => h('span', {title: `${f.plural(g[key].runs.length, 'run')}`}, g[key].asked)});
	return [
		{label: 'Gate', head: true, class: 'wide', cell: (g) => h('a', {href: `/gates/${g.id}`}, g.name || `gate ${g.id}`)},
		{label: 'Outcome', cell: (g) => outcome(g.outcome)},
		{label: 'It says', class: 'wide', cell: (g) => g.sentence},
		{label: 'Project', cell: (g) => g.project || f.NONE},
		{label: 'Workload', cell: (g) => g.workload || f.NONE},
		side('Base', 'base'), side('Head', 'head'),
		{label: 'Asked by', cell: (g) => g.who || f.NONE},
		{label: 'Asked', num: true, cell: (g) => h('time', {datetime: g.created_at}, f.age(g.created_at, now)), title: (g) => f.moment(g.created_at)},
	];
}

function listed(query, changes) {
	const q = new URLSearchParams(query);
	q.delete('cursor');
	for (const [key, value] of Object.entries(changes))
		if (value)
			q.set(key, value);
		else
			q.delete(key);
	return q.size ? `/gates?${f.query(q)}` : '/gates';
}

function filterForm(query, items, at) {
	const texts = TEXTS.map(([name, label, example]) => [label, h('input', {type: 'text', name, value: query.get(name), placeholder: example, autocomplete: 'off', list: name === 'label' ? null : `offered-gate-${name}`})]);
	const days = DAYS.map(([name, label]) => [label, h('input', {type: 'date', name, value: (query.get(name) ?? '').slice(0, 10)})]);
	const which = h('select', {name: 'outcome', on: {change: (e) => at.go(listed(query, {outcome: e.target.value}))}},
		[['', 'any'], ...Object.entries(OUTCOMES).map(([word, {text}]) => [word, text])].map(([value, text]) => h('option', {value, selected: value === (query.get('outcome') ?? '')}, text)));
	const submit = (e) => {
		e.preventDefault();
		at.go(listed(query, Object.fromEntries([...texts, ...days].map(([, input]) => [input.name, input.value.trim()]))));
	};
	return h('form', {class: 'bar', role: 'search', 'aria-label': 'Filter gates', on: {submit}},
		field('Outcome', which), [...texts, ...days].map(([label, input]) => field(label, input)),
		TEXTS.filter(([name]) => name !== 'label').map(([name]) => h('datalist', {id: `offered-gate-${name}`}, [...new Set(items.map((g) => g[name]))].filter(Boolean).map((value) => h('option', {value})))),
		h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Filter'),
			FILTERS.some((key) => query.get(key)) ? h('a', {href: '/gates'}, 'Clear') : null));
}

const nothing = () => h('section', {class: 'empty'}, h('h2', {}, 'No gates yet'),
	h('p', {}, 'A gate holds the runs of a head against those of a baseline and says whether they may pass. A pipeline asks with'),
	h('pre', {tabindex: '0', 'aria-label': 'Command to ask a gate'}, h('code', {}, 'kernsift gate --base \'label.branch=main last=20\' --head 12,13,14')),
	h('p', {}, 'or ask one above.'));

export async function page(view, query, at) {
	const {items, next} = await api.gates(asked(query), at.signal);
	const filtered = FILTERS.some((key) => query.get(key));
	view.append(h('h1', {}, 'Gates'), askForm(query, at));
	if (!items.length && !filtered) {
		view.append(nothing());
		return 'Gates';
	}
	view.append(filterForm(query, items, at),
		table({caption: 'Gates', columns: columns(Date.now()), rows: items, empty: 'No gate matches; take a word away, or clear the filter.'}).node,
		h('nav', {class: 'pager', 'aria-label': 'Pages of the list'}, query.get('cursor') ? h('a', {href: listed(query, {})}, 'First page') : null,
			next ? h('a', {href: listed(query, {cursor: next}), rel: 'next'}, 'Next page') : null));
	return 'Gates';
}
