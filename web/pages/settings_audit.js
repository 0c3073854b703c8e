// settings_audit.js - tab: who changed what, newest first.

import * as api from '../api_team.js';
import {field, h} from '../dom.js';
import * as f from '../format.js';
import {table} from '../table.js';

const SENDER_GONE = 499;

function ended(r) {
	if (r.status === null)
		return h('span', {class: 'quiet', title: 'it is under way, or the server ended before it did'}, 'not known');
	if (r.status === SENDER_GONE)
		return h('span', {title: 'the sender went away'}, 'broken off');
	return r.status < 400 ? h('span', {class: 'state done', title: `answered ${r.status}`}, 'done')
		: h('span', {class: 'state failed', title: `answered ${r.status}`}, 'refused');
}

const columns = [
	{label: 'When', head: true, cell: (r) => h('time', {datetime: r.at}, f.moment(r.at))},
	{label: 'Who', cell: (r) => r.who, title: (r) => (r.token_id === null ? null : `token ${r.token_id}`)},
	{label: 'What', class: 'wide', cell: (r) => h('code', {}, `${r.method} ${r.path}`)},
	{label: 'Project', cell: (r) => r.project ?? f.NONE},
	{label: 'More', class: 'wide', cell: (r) => r.detail ?? f.NONE},
	{label: 'How it ended', cell: ended},
];

const here = (words) => `/settings?${new URLSearchParams(Object.entries({tab: 'audit', ...words}).filter(([, value]) => value))}`;

export async function auditTab(query, at) {
	const asked = Object.fromEntries(['who', 'project', 'cursor'].map((word) => [word, query.get(word) ?? '']));
	const {items, next} = await api.audit({...asked, limit: 100}, at.signal);
	const who = h('input', {type: 'search', value: asked.who, placeholder: 'anybody'});
	const project = h('input', {type: 'search', value: asked.project, placeholder: 'any'});
	const go = (e) => {
		e.preventDefault();
		at.go(here({who: who.value.trim(), project: project.value.trim()}));
	};
	return {save: () => at.keep(asked), node: h('div', {class: 'part'},
		h('p', {class: 'hint wide-text'}, 'Every request that changes something is written down before it is tried, and how it ended after.'),
		h('form', {class: 'bar', on: {submit: go}}, field('By', who), field('To project', project),
			h('div', {class: 'actions'}, h('button', {type: 'submit'}, 'Show'))),
		table({caption: 'Changes', columns, rows: items, empty: asked.who || asked.project ? 'Nothing matches.' : 'Nothing was changed yet.'}).node,
		h('nav', {class: 'pager', 'aria-label': 'Pages of the changes'},
			asked.cursor ? h('a', {href: here({...asked, cursor: ''})}, 'First page') : null,
			next ? h('a', {href: here({...asked, cursor: next}), rel: 'next'}, 'Next page') : null))};
}
