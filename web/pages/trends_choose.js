// trends_choose.js - /trends without a workload: which there are.

import * as api from '../api_history.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {table} from '../table.js';
import {pageOf, workloadName} from '../trends.js';

function columns(query, now) {
	return [
		{label: 'Workload', head: true, class: 'wide', cell: (w) => h('a', {href: pageOf(query, {project: w.project, workload: w.workload, q: null, cursor: null})}, workloadName(w))},
		{label: 'Runs', num: true, cell: (w) => f.count(w.runs)},
		{label: 'First', num: true, cell: (w) => h('time', {datetime: w.first_at}, f.age(w.first_at, now)), title: (w) => f.moment(w.first_at)},
		{label: 'Last', num: true, cell: (w) => h('time', {datetime: w.last_at}, f.age(w.last_at, now)), title: (w) => f.moment(w.last_at)},
	];
}

const nothing = () => h('section', {class: 'empty'}, h('h2', {}, 'No runs yet'),
	h('p', {}, 'A trend is one number of every run of a workload, over time: ', h('a', {href: '/uploads'}, 'send some runs'),
		' that say which project and workload they are of, and come back.'));

export async function chooser(view, query, at) {
	const {items, next} = await api.workloads({q: query.get('q'), project: query.get('project'), cursor: query.get('cursor')}, at.signal);
	const searched = ['q', 'project', 'cursor'].some((key) => query.get(key));
	view.append(h('h1', {}, 'Trends'));
	if (!items.length && !searched) {
		view.append(nothing());
		return 'Trends';
	}
	const input = h('input', {type: 'search', name: 'q', value: query.get('q'), 'aria-label': 'Search workloads', placeholder: 'part of a project or workload'});
	const submit = (e) => {
		e.preventDefault();
		at.go(pageOf(query, {q: input.value.trim(), cursor: null, project: null}));
	};
	view.append(h('p', {}, 'One number of every run of a workload over time, and where its level changed. Of which workload?'),
		h('form', {class: 'toolbar', role: 'search', 'aria-label': 'Workloads', on: {submit}}, input, h('button', {type: 'submit'}, 'Search'),
			searched ? h('a', {href: '/trends'}, 'All workloads') : null),
		table({caption: 'Workloads', columns: columns(query, Date.now()), rows: items, empty: 'No workload has this in its name.'}).node,
		next ? h('nav', {class: 'pager', 'aria-label': 'Pages of the list'}, h('a', {href: pageOf(query, {cursor: next}), rel: 'next'}, 'Next page')) : '');
	return 'Trends';
}
