// settings_tokens.js - tab: tokens, made and revoked. What opens is told once.

import * as api from '../api_team.js';
import {field, h} from '../dom.js';
import * as f from '../format.js';
import {showFailure, tell} from '../news.js';
import {sureButton} from '../sure.js';
import {table} from '../table.js';

const SCOPES = [['read', 'read'], ['upload', 'read and upload'], ['admin', 'everything']];
const DAYS = [['30', '30 days'], ['90', '90 days'], ['365', 'a year'], ['', 'it is revoked']];

const when = (iso, none) => (iso ? h('time', {datetime: iso}, f.age(iso, Date.now())) : none);
const select = (options, value) => {
	const node = h('select', {}, options.map(([word, text]) => h('option', {value: word}, text)));
	node.value = value;
	return node;
};

const columns = (revoke) => [
	{label: 'Token', head: true, cell: (t) => t.name, title: (t) => `token ${t.id}`},
	{label: 'May', cell: (t) => SCOPES.find(([word]) => word === t.scope)[1]},
	{label: 'Project', cell: (t) => t.project ?? 'all'},
	{label: 'Made', num: true, cell: (t) => when(t.created_at), title: (t) => `${f.moment(t.created_at)}, by ${t.made_by}`},
	{label: 'Last used', num: true, cell: (t) => when(t.used_at, 'never'), title: (t) => (t.used_at ? f.moment(t.used_at) : null)},
	{label: 'Ends', cell: (t) => (t.expired ? h('span', {class: 'state failed'}, 'ended') : t.expires_at ? f.moment(t.expires_at) : 'never')},
	{label: 'Revoke', cell: (t) => sureButton('Revoke', 'Really revoke?', `Revoke ${t.name}`, () => revoke(t))},
];

// The one time that the text is seen.
function made(token) {
	const text = h('input', {type: 'text', readonly: true, value: token.token, 'aria-label': `Text of the token ${token.name}`, class: 'secret'});
	const copied = h('span', {role: 'status', class: 'quiet'});
	const copy = async () => {
		text.select();
		await navigator.clipboard?.writeText(token.token);
		copied.textContent = navigator.clipboard ? 'Copied.' : 'Selected: copy it with the keyboard.';
	};
	return h('div', {class: 'made'}, h('p', {}, h('strong', {}, `The token ${token.name} is made. `),
		'It is told this once: keep it now. Only its hash is stored here.'),
	h('div', {class: 'token'}, text, h('button', {type: 'button', on: {click: copy}}, 'Copy'), copied));
}

function maker(done) {
	const name = h('input', {type: 'text', required: true, autocomplete: 'off', maxlength: 200});
	const project = h('input', {type: 'text', autocomplete: 'off', maxlength: 200, placeholder: 'all projects'});
	const scope = select(SCOPES, 'upload'), days = select(DAYS, '90');
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const place = h('div');

	async function make(e) {
		e.preventDefault();
		wrong.textContent = '';
		try {
			const token = await api.makeToken({name: name.value.trim(), scope: scope.value,
				project: project.value.trim() || null, expires_days: days.value ? Number(days.value) : null});
			place.replaceChildren(made(token));
			name.value = '';
			tell(`token ${token.name} made`);
			await done();
		} catch (error) {
			wrong.textContent = error.message;
		}
	}

	return h('section', {'aria-label': 'Make a token'}, h('form', {class: 'bar', on: {submit: make}},
		field('Who or what it is for', name), field('It may', scope), field('In project', project), field('Until', days),
		h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Make a token'))), wrong, place);
}

export async function tokensTab(query, at) {
	const place = h('div', {class: 'part'});

	async function draw() {
		const cursor = query.get('cursor');
		const {items, next} = await api.tokens({cursor, limit: 100}, at.signal);
		place.replaceChildren(table({caption: 'Tokens', columns: columns(revoke), rows: items, empty: 'No token is there.'}).node,
			h('nav', {class: 'pager', 'aria-label': 'Pages of the tokens'},
				cursor ? h('a', {href: '/settings?tab=tokens'}, 'First page') : null,
				next ? h('a', {href: `/settings?${new URLSearchParams({tab: 'tokens', cursor: next})}`, rel: 'next'}, 'Next page') : null));
	}

	async function revoke(token) {
		try {
			await api.dropToken(token.id);
			tell(`token ${token.name} revoked`);
			await draw();
		} catch (error) {
			if (!at.signal.aborted)
				showFailure(error, () => revoke(token));
		}
	}

	await draw();
	return {node: h('div', {class: 'part'}, maker(draw), place)};
}
