// settings_retention.js - tab: how long what is kept. The rows are edited as they
// stand and kept together.

import * as api from '../api_team.js';
import {h} from '../dom.js';
import {tell} from '../news.js';

const FIELDS = [
	['raw_days', 'Uploads, days', 'for ever'],
	['run_days', 'Runs, days', 'for ever'],
	['quota_mib', 'Quota, MiB', 'none'],
];

const whole = (text) => (text.trim() === '' ? null : Number(text));

// One project's line: its inputs, and what they say. A stored name is told as it
// is: it may be empty, for what is of no project, or have spaces around it.
function line(item, stored, gone) {
	const rest = item.project === null;
	const project = rest ? null : h('input', {type: 'text', value: item.project, 'aria-label': 'Project', required: !stored, placeholder: stored ? '(none)' : null, maxlength: 200});
	const numbers = FIELDS.map(([key, label, none]) => h('input', {type: 'number', min: 0, step: 1, placeholder: none,
		value: item[key] ?? '', 'aria-label': `${label}, ${rest ? 'all others' : item.project || (stored ? '(none)' : 'new project')}`}));
	const row = h('tr', {}, h('th', {scope: 'row'}, rest ? 'All others' : project), numbers.map((input) => h('td', {class: 'num'}, input)),
		h('td', {}, rest ? null : h('button', {type: 'button', 'aria-label': `Remove the line of ${item.project || (stored ? '(none)' : 'the new project')}`, on: {click: () => { row.remove(); gone(self); }}}, 'Remove')));
	const name = () => (stored && project.value === item.project ? item.project : project.value.trim());
	const self = {row, said: () => ({project: rest ? null : name(), ...Object.fromEntries(FIELDS.map(([key], i) => [key, whole(numbers[i].value)]))})};
	return self;
}

const EMPTY = {project: null, raw_days: null, run_days: null, quota_mib: null};

export async function retentionTab(query, at) {
	const said = h('span', {class: 'quiet', role: 'status'});
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const body = h('tbody');
	let lines = [];

	const gone = (which) => { lines = lines.filter((l) => l !== which); };

	function add(item, stored) {
		const made = line(item, stored, gone);
		lines.push(made);
		body.append(made.row);
		return made;
	}

	function draw(items) {
		lines = [];
		body.replaceChildren();
		add(items.find((i) => i.project === null) ?? EMPTY, true);
		items.filter((i) => i.project !== null).forEach((i) => add(i, true));
	}

	async function keep(e) {
		e.preventDefault();
		wrong.textContent = '';
		try {
			const {items} = await api.keepRetention(lines.map((l) => l.said()));
			draw(items);
			said.textContent = 'Kept.';
			tell('retention kept');
		} catch (error) {
			said.textContent = '';
			wrong.textContent = error.message;
		}
	}

	draw((await api.retention(at.signal)).items);
	return {node: h('form', {class: 'part', on: {submit: keep}},
		h('p', {class: 'hint wide-text'}, 'An upload is the file as it came; its runs and their tables may outlive it, but can then not be made anew. ',
			'Past its quota a project loses its oldest uploads first, then its oldest runs. Runs with the label keep=true stay. ',
			h('code', {}, 'kernsiftd vacuum --dry-run'), ' tells what would go.'),
		h('div', {class: 'scroll', role: 'region', 'aria-label': 'Retention, table', tabindex: '0'},
			h('table', {class: 'inputs'}, h('caption', {class: 'unseen'}, 'Retention'),
				h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Project'), FIELDS.map(([, label]) => h('th', {scope: 'col', class: 'num'}, label)), h('th', {scope: 'col'}, 'Remove'))), body)),
		h('div', {class: 'actions'}, h('button', {type: 'button', on: {click: () => add({...EMPTY, project: ''}, false).row.querySelector('input').focus()}}, 'Add a project'),
			h('button', {type: 'submit', class: 'main'}, 'Keep it so'), said), wrong)};
}
