// trends_form.js - of which workload, what, how: the words of a trend and the form
// that changes them.

import {field, h} from '../dom.js';
import {METRICS, STATS, metricOf, pageOf} from '../trends.js';

const MORE = [
	['device', 'Device', 'whole name'],
	['framework', 'Framework', 'vllm'],
	['label', 'Labels', 'branch=main'],
	['group', 'Group by label', 'commit'],
	['alpha', 'Alpha', '0.01'],
];
const DAYS = [['since', 'Since'], ['until', 'Until']];

const select = (name, options, chosen, change) => h('select', {name, on: {change: (e) => change(e.target.value)}},
	options.map(([value, text]) => h('option', {value, selected: value === chosen}, text)));

// `names`: what is offered for an operator or a kernel. What is chosen acts at once,
// what is typed when it is sent.
export function trendForm(query, names, at) {
	const metric = metricOf(query);
	const {stats, of, what} = METRICS[metric];
	const go = (changes) => at.go(pageOf(query, changes));
	const text = ([name, label, example]) => [label, h('input', {type: 'text', name, value: query.get(name), placeholder: example, autocomplete: 'off'})];
	const ofInput = of && h('input', {type: 'text', name: 'of', value: query.get('of'), list: 'offered-of', required: true, autocomplete: 'off', placeholder: 'whole name'});
	const more = [...MORE.map(text), ...DAYS.map(([name, label]) => [label, h('input', {type: 'date', name, value: (query.get(name) ?? '').slice(0, 10)})])];
	const submit = (e) => {
		e.preventDefault();
		go(Object.fromEntries([...more.map(([, input]) => input), ...(of ? [ofInput] : [])].map((input) => [input.name, input.value.trim()])));
	};
	return h('form', {role: 'search', 'aria-label': 'What is shown', class: 'weighed', on: {submit}},
		h('div', {class: 'bar'},
			field('Of', select('metric', Object.entries(METRICS).map(([word, {label}]) => [word, label]), metric, (value) => go({metric: value === 'cycle' ? '' : value})), what),
			field('As', select('stat', stats.map((word) => [word, STATS[word]]), query.get('stat') ?? stats[0], (value) => go({stat: value === stats[0] ? '' : value}))),
			of ? field(of === 'kernel' ? 'Kernel' : 'Operator', ofInput) : null,
			field('Across', select('x', [['', 'time'], ['order', 'order of runs']], query.get('x') ?? '', (value) => go({x: value}))),
			h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Show'), h('a', {href: '/trends'}, 'Other workload'))),
		h('details', {class: 'more-filters', open: more.some(([, input]) => query.get(input.name))}, h('summary', {}, 'Which runs'),
			h('div', {class: 'bar'}, more.map(([label, input]) => field(label, input)))),
		of ? h('datalist', {id: 'offered-of'}, names.map((value) => h('option', {value}))) : null);
}
