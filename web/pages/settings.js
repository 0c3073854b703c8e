// settings.js - the settings: account, tokens, webhooks, retention and audit log.

import * as api from '../lib/api.js';
import {confirmButton, facts, field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {announce, showFailure} from '../lib/notices.js';
import {currentSession, SCOPE_TEXTS, signOut, tokenForm} from '../lib/session.js';
import {table} from '../lib/table.js';
import {tabs} from '../lib/tabs.js';

// Tab: the account; signing in and out.

const SIGN_IN_STATES = {
	none:
		'You are not signed in. An administrator of this server can create a token under Tokens, ' +
		'or with `kernsiftd token`.',
	loopback:
		'You are not signed in. On the machine of the server, reading and uploading require no token; ' +
		'deleting, changing and these settings do.',
	cookie: 'The token is stored in a cookie of this browser that scripts cannot read.',
	token: 'A proxy between this browser and the server sends its own token.',
};

async function accountTab(query, at) {
	const place = h('div', {class: 'part'});

	async function out() {
		try {
			draw(await signOut());
			announce('signed out');
		} catch (error) {
			if (!at.signal.aborted) showFailure(error, out);
		}
	}

	function draw(me) {
		place.replaceChildren(
			facts([
				['Account', me.by === 'cookie' || me.by === 'token' ? me.name : 'not signed in'],
				['Scope', SCOPE_TEXTS[me.scope]],
				['Project', me.scope === 'none' ? null : (me.project ?? 'all projects')],
				[
					'Expires',
					me.expires_at
						? h('time', {datetime: me.expires_at}, f.moment(me.expires_at))
						: me.by === 'cookie'
							? 'when revoked'
							: null,
				],
			]),
			h('p', {class: 'hint wide-text'}, SIGN_IN_STATES[me.by]),
			me.by === 'cookie'
				? h('p', {}, h('button', {type: 'button', on: {click: out}}, 'Sign out'))
				: tokenForm((next) => {
						draw(next);
						announce(`signed in as ${next.name}`);
					}, 'token-account'),
		);
	}

	draw(await currentSession(at.signal));
	return {node: place};
}

// Tab: tokens. The secret of a token is shown once.

const SCOPES = [
	['read', 'read'],
	['upload', 'read and upload'],
	['admin', 'everything'],
];
const DAYS = [
	['30', '30 days'],
	['90', '90 days'],
	['365', '1 year'],
	['', 'never'],
];

const when = (iso, none) => (iso ? h('time', {datetime: iso}, f.age(iso, Date.now())) : none);
const select = (options, value) => {
	const node = h(
		'select',
		{},
		options.map(([word, text]) => h('option', {value: word}, text)),
	);
	node.value = value;
	return node;
};

const tokenColumns = (revoke) => [
	{label: 'Token', head: true, cell: (t) => t.name, title: (t) => `token ${t.id}`},
	{label: 'Scope', cell: (t) => SCOPES.find(([word]) => word === t.scope)[1]},
	{label: 'Project', cell: (t) => t.project ?? 'all'},
	{
		label: 'Created',
		num: true,
		cell: (t) => when(t.created_at),
		title: (t) => `${f.moment(t.created_at)}, by ${t.created_by}`,
	},
	{
		label: 'Last used',
		num: true,
		cell: (t) => when(t.last_used_at, 'never'),
		title: (t) => (t.last_used_at ? f.moment(t.last_used_at) : null),
	},
	{
		label: 'Expires',
		cell: (t) =>
			t.expired ? h('span', {class: 'state failed'}, 'expired') : t.expires_at ? f.moment(t.expires_at) : 'never',
	},
	{label: 'Revoke', cell: (t) => confirmButton('Revoke', 'Confirm revoke', `Revoke ${t.name}`, () => revoke(t))},
];

// The secret of a new token.
function createdToken(token) {
	const text = h('input', {
		type: 'text',
		readonly: true,
		value: token.token,
		'aria-label': `Secret of the token ${token.name}`,
		class: 'secret',
	});
	const copied = h('span', {role: 'status', class: 'quiet'});
	const copy = async () => {
		text.select();
		await navigator.clipboard?.writeText(token.token);
		copied.textContent = navigator.clipboard ? 'Copied.' : 'Selected. Copy it with the keyboard.';
	};
	return h(
		'div',
		{class: 'created-secret'},
		h(
			'p',
			{},
			h('strong', {}, `The token ${token.name} is created. `),
			'Copy the secret now: it is shown only once. The server stores only its hash.',
		),
		h('div', {class: 'token'}, text, h('button', {type: 'button', on: {click: copy}}, 'Copy'), copied),
	);
}

function tokenCreator(done) {
	const name = h('input', {type: 'text', required: true, autocomplete: 'off', maxlength: 200});
	const project = h('input', {type: 'text', autocomplete: 'off', maxlength: 200, placeholder: 'all projects'});
	const scope = select(SCOPES, 'upload'),
		days = select(DAYS, '90');
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const place = h('div');

	async function create(e) {
		e.preventDefault();
		wrong.textContent = '';
		try {
			const token = await api.createToken({
				name: name.value.trim(),
				scope: scope.value,
				project: project.value.trim() || null,
				expires_days: days.value ? Number(days.value) : null,
			});
			place.replaceChildren(createdToken(token));
			name.value = '';
			announce(`token ${token.name} created`);
			await done();
		} catch (error) {
			wrong.textContent = error.message;
		}
	}

	return h(
		'section',
		{'aria-label': 'Create a token'},
		h(
			'form',
			{class: 'bar', on: {submit: create}},
			field('Name', name),
			field('Scope', scope),
			field('Project', project),
			field('Expires after', days),
			h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Create a token')),
		),
		wrong,
		place,
	);
}

async function tokensTab(query, at) {
	const place = h('div', {class: 'part'});

	async function draw() {
		const cursor = query.get('cursor');
		const {items, next} = await api.tokens({cursor, limit: 100}, at.signal);
		place.replaceChildren(
			table({caption: 'Tokens', columns: tokenColumns(revoke), rows: items, empty: 'No tokens.'}).node,
			h(
				'nav',
				{class: 'pager', 'aria-label': 'Pages of the tokens'},
				cursor ? h('a', {href: '/settings?tab=tokens'}, 'First page') : null,
				next
					? h(
							'a',
							{href: `/settings?${new URLSearchParams({tab: 'tokens', cursor: next})}`, rel: 'next'},
							'Next page',
						)
					: null,
			),
		);
	}

	async function revoke(token) {
		try {
			await api.revokeToken(token.id);
			announce(`token ${token.name} revoked`);
			await draw();
		} catch (error) {
			if (!at.signal.aborted) showFailure(error, () => revoke(token));
		}
	}

	await draw();
	return {node: h('div', {class: 'part'}, tokenCreator(draw), place)};
}

// Tab: webhooks for failed gates and change points, with their last deliveries.

const EVENTS = [
	['gate', 'a gate does not pass'],
	['change_point', 'a trend has a change point'],
	['slow_device', 'a GPU is found to be slow'],
];

function deliveryState(d) {
	if (d.delivered_at) return h('span', {class: 'state done'}, `delivered ${f.age(d.delivered_at, Date.now())}`);
	return d.next_attempt_at
		? h('span', {class: 'state working'}, `retry ${f.moment(d.next_attempt_at)}`)
		: h('span', {class: 'state failed'}, 'failed');
}

const DELIVERIES = [
	{label: 'Delivery', head: true, cell: (d) => `${d.id}`},
	{label: 'Event', cell: (d) => d.event},
	{label: 'Created', num: true, cell: (d) => h('time', {datetime: d.created_at}, f.moment(d.created_at))},
	{label: 'Attempts', num: true, cell: (d) => f.count(d.attempts)},
	{
		label: 'HTTP status',
		num: true,
		cell: (d) => d.status ?? f.NONE,
		title: (d) => (d.status === null ? 'no answer' : null),
	},
	{label: 'State', cell: deliveryState},
	{label: 'Error', class: 'wide', cell: (d) => d.error ?? f.NONE},
];

async function deliveries(hook, place, at) {
	try {
		const {items} = await api.deliveries(hook.id, at.signal);
		place.replaceChildren(
			table({
				caption: `Deliveries to ${hook.url}`,
				columns: DELIVERIES,
				rows: items,
				empty: 'No deliveries yet.',
			}).node,
		);
	} catch (error) {
		if (!at.signal.aborted) showFailure(error, () => deliveries(hook, place, at));
	}
}

function createdWebhook(hook) {
	return h(
		'div',
		{class: 'created-secret'},
		h(
			'p',
			{},
			h('strong', {}, 'The webhook is created. '),
			'Copy its secret now: it is shown only once. Deliveries are signed with it; see the ',
			h('a', {href: '/help#webhooks'}, 'help'),
			'.',
		),
		h('input', {
			type: 'text',
			readonly: true,
			value: hook.secret,
			'aria-label': `Secret of the webhook to ${hook.url}`,
			class: 'secret',
		}),
	);
}

function webhookCreator(done) {
	const url = h('input', {
		type: 'url',
		required: true,
		autocomplete: 'off',
		placeholder: 'https://…',
		maxlength: 2000,
	});
	const project = h('input', {type: 'text', autocomplete: 'off', maxlength: 200, placeholder: 'all projects'});
	const boxes = EVENTS.map(([word, text]) => [word, h('input', {type: 'checkbox', checked: true}), text]);
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const place = h('div');

	async function create(e) {
		e.preventDefault();
		wrong.textContent = '';
		try {
			const hook = await api.createWebhook({
				url: url.value.trim(),
				project: project.value.trim() || null,
				events: boxes.filter(([, box]) => box.checked).map(([word]) => word),
			});
			place.replaceChildren(createdWebhook(hook));
			url.value = '';
			announce('webhook created');
			await done();
		} catch (error) {
			wrong.textContent = error.message;
		}
	}

	return h(
		'section',
		{'aria-label': 'Create a webhook'},
		h(
			'form',
			{class: 'part', on: {submit: create}},
			h('div', {class: 'bar'}, field('URL', url), field('Project', project)),
			h(
				'fieldset',
				{class: 'checks'},
				h('legend', {}, 'Events'),
				boxes.map(([, box, text]) => h('label', {class: 'check'}, box, text)),
			),
			h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Create a webhook')),
		),
		wrong,
		place,
	);
}

async function webhooksTab(query, at) {
	const place = h('div');
	const open = new Set();

	const columns = [
		{label: 'URL', head: true, class: 'wide', cell: (w) => w.url},
		{label: 'Events', cell: (w) => w.events.join(', ')},
		{label: 'Project', cell: (w) => w.project ?? 'all'},
		{
			label: 'Created',
			num: true,
			cell: (w) => h('time', {datetime: w.created_at}, f.age(w.created_at, Date.now())),
			title: (w) => `${f.moment(w.created_at)}, by ${w.created_by}`,
		},
		{
			label: 'Test',
			cell: (w) =>
				h(
					'button',
					{
						type: 'button',
						'aria-label': `Send a test event to ${w.url}`,
						on: {click: () => act(w, api.testWebhook, 'test event sent')},
					},
					'Send test event',
				),
		},
		{
			label: 'Remove',
			cell: (w) =>
				confirmButton('Remove', 'Confirm removal', `Remove ${w.url}`, () =>
					act(w, api.deleteWebhook, 'webhook removed'),
				),
		},
	];

	async function draw() {
		const cursor = query.get('cursor');
		const {items, next} = await api.webhooks({cursor, limit: 50}, at.signal);
		const openIds = new Set([...open].map((w) => w.id)); // including rows opened during the request
		open.clear();
		items.filter((w) => openIds.has(w.id)).forEach((w) => open.add(w));
		place.replaceChildren(
			table({
				caption: 'Webhooks',
				columns,
				rows: items,
				empty: 'No webhooks yet.',
				detail: {open, name: (w) => w.url, fill: (w, inside) => deliveries(w, inside, at), changed: () => {}},
			}).node,
			h(
				'nav',
				{class: 'pager', 'aria-label': 'Pages of the webhooks'},
				cursor ? h('a', {href: '/settings?tab=webhooks'}, 'First page') : null,
				next
					? h(
							'a',
							{href: `/settings?${new URLSearchParams({tab: 'webhooks', cursor: next})}`, rel: 'next'},
							'Next page',
						)
					: null,
			),
		);
	}

	async function act(hook, action, message) {
		try {
			await action(hook.id);
			await draw();
			announce(message);
		} catch (error) {
			if (!at.signal.aborted) showFailure(error, () => act(hook, action, message));
		}
	}

	await draw();
	return {node: h('div', {class: 'part'}, webhookCreator(draw), place)};
}

// Tab: retention. All rows are edited and saved together.

const FIELDS = [
	['raw_days', 'Uploads, days', 'unlimited'],
	['run_days', 'Runs, days', 'unlimited'],
	['quota_mib', 'Quota, MiB', 'none'],
];

const whole = (text) => (text.trim() === '' ? null : Number(text));

// The row of one project with its inputs. A stored project name is not trimmed: it can be empty
// (runs without a project) or have spaces at its ends.
function projectLine(item, stored, onRemove) {
	const rest = item.project === null;
	const project = rest
		? null
		: h('input', {
				type: 'text',
				value: item.project,
				'aria-label': 'Project',
				required: !stored,
				placeholder: stored ? '(none)' : null,
				maxlength: 200,
			});
	const numbers = FIELDS.map(([key, label, none]) =>
		h('input', {
			type: 'number',
			min: 0,
			step: 1,
			placeholder: none,
			value: item[key] ?? '',
			'aria-label': `${label}, ${rest ? 'all others' : item.project || (stored ? '(none)' : 'new project')}`,
		}),
	);
	const row = h(
		'tr',
		{},
		h('th', {scope: 'row'}, rest ? 'All others' : project),
		numbers.map((input) => h('td', {class: 'num'}, input)),
		h(
			'td',
			{},
			rest
				? null
				: h(
						'button',
						{
							type: 'button',
							'aria-label': `Remove the row of ${item.project || (stored ? '(none)' : 'a new project')}`,
							on: {
								click: () => {
									row.remove();
									onRemove(self);
								},
							},
						},
						'Remove',
					),
		),
	);
	const name = () => (stored && project.value === item.project ? item.project : project.value.trim());
	const self = {
		row,
		value: () => ({
			project: rest ? null : name(),
			...Object.fromEntries(FIELDS.map(([key], i) => [key, whole(numbers[i].value)])),
		}),
	};
	return self;
}

const EMPTY = {project: null, raw_days: null, run_days: null, quota_mib: null};

async function retentionTab(query, at) {
	const status = h('span', {class: 'quiet', role: 'status'});
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const body = h('tbody');
	let lines = [];

	const remove = (which) => {
		lines = lines.filter((l) => l !== which);
	};

	function add(item, stored) {
		const line = projectLine(item, stored, remove);
		lines.push(line);
		body.append(line.row);
		return line;
	}

	function draw(items) {
		lines = [];
		body.replaceChildren();
		add(items.find((i) => i.project === null) ?? EMPTY, true);
		items.filter((i) => i.project !== null).forEach((i) => add(i, true));
	}

	async function save(e) {
		e.preventDefault();
		wrong.textContent = '';
		try {
			const {items} = await api.saveRetention(lines.map((l) => l.value()));
			draw(items);
			status.textContent = 'Saved.';
			announce('retention saved');
		} catch (error) {
			status.textContent = '';
			wrong.textContent = error.message;
		}
	}

	draw((await api.retention(at.signal)).items);
	return {
		node: h(
			'form',
			{class: 'part', on: {submit: save}},
			h(
				'p',
				{class: 'hint wide-text'},
				'An upload is the original file. Runs can be kept longer than their upload, ',
				'but then they cannot be reanalyzed. ',
				'If a project exceeds its quota, its oldest uploads are deleted first, then its oldest runs. ',
				'Runs with the label keep=true are never deleted. ',
				h('code', {}, 'kernsiftd vacuum --dry-run'),
				' lists what would be deleted.',
			),
			h(
				'div',
				{class: 'scroll', role: 'region', 'aria-label': 'Retention, table', tabindex: '0'},
				h(
					'table',
					{class: 'inputs'},
					h('caption', {class: 'visually-hidden'}, 'Retention'),
					h(
						'thead',
						{},
						h(
							'tr',
							{},
							h('th', {scope: 'col'}, 'Project'),
							FIELDS.map(([, label]) => h('th', {scope: 'col', class: 'num'}, label)),
							h('th', {scope: 'col'}, 'Remove'),
						),
					),
					body,
				),
			),
			h(
				'div',
				{class: 'actions'},
				h(
					'button',
					{
						type: 'button',
						on: {
							click: () =>
								add({...EMPTY, project: ''}, false)
									.row.querySelector('input')
									.focus(),
						},
					},
					'Add a project',
				),
				h('button', {type: 'submit', class: 'main'}, 'Save'),
				status,
			),
			wrong,
		),
	};
}

// Tab: the audit log, newest first.

const CLIENT_CLOSED = 499;

function requestState(r) {
	if (r.status === null)
		return h('span', {class: 'quiet', title: 'still running, or the server stopped before the end'}, 'unknown');
	if (r.status === CLIENT_CLOSED) return h('span', {title: 'the client closed the connection'}, 'canceled');
	return r.status < 400
		? h('span', {class: 'state done', title: `status ${r.status}`}, 'done')
		: h('span', {class: 'state failed', title: `status ${r.status}`}, 'rejected');
}

const auditColumns = [
	{label: 'Time', head: true, cell: (r) => h('time', {datetime: r.at}, f.moment(r.at))},
	{label: 'User', cell: (r) => r.actor, title: (r) => (r.token_id === null ? null : `token ${r.token_id}`)},
	{label: 'Request', class: 'wide', cell: (r) => h('code', {}, `${r.method} ${r.path}`)},
	{label: 'Project', cell: (r) => r.project ?? f.NONE},
	{label: 'Detail', class: 'wide', cell: (r) => r.detail ?? f.NONE},
	{label: 'Result', cell: requestState},
];

const auditUrl = (params) =>
	`/settings?${new URLSearchParams(Object.entries({tab: 'audit', ...params}).filter(([, value]) => value))}`;

async function auditTab(query, at) {
	const filter = Object.fromEntries(['actor', 'project', 'cursor'].map((word) => [word, query.get(word) ?? '']));
	const {items, next} = await api.audit({...filter, limit: 100}, at.signal);
	const who = h('input', {type: 'search', value: filter.actor, placeholder: 'any'});
	const project = h('input', {type: 'search', value: filter.project, placeholder: 'any'});
	const go = (e) => {
		e.preventDefault();
		at.go(auditUrl({actor: who.value.trim(), project: project.value.trim()}));
	};
	return {
		save: () => at.keep(filter),
		node: h(
			'div',
			{class: 'part'},
			h(
				'p',
				{class: 'hint wide-text'},
				'Every change request is recorded before it is executed, and its result afterwards.',
			),
			h(
				'form',
				{class: 'bar', on: {submit: go}},
				field('User', who),
				field('Project', project),
				h('div', {class: 'actions'}, h('button', {type: 'submit'}, 'Show')),
			),
			table({
				caption: 'Audit log',
				columns: auditColumns,
				rows: items,
				empty: filter.actor || filter.project ? 'No entry matches.' : 'No changes yet.',
			}).node,
			h(
				'nav',
				{class: 'pager', 'aria-label': 'Pages of the audit log'},
				filter.cursor ? h('a', {href: auditUrl({...filter, cursor: ''})}, 'First page') : null,
				next ? h('a', {href: auditUrl({...filter, cursor: next}), rel: 'next'}, 'Next page') : null,
			),
		),
	};
}

const PARTS = [
	['account', 'Account', accountTab],
	['tokens', 'Tokens', tokensTab],
	['webhooks', 'Webhooks', webhooksTab],
	['retention', 'Retention', retentionTab],
	['audit', 'Audit log', auditTab],
];

const AUDIT_PARAMS = ['actor', 'project', 'cursor'];

export async function page(view, query, at) {
	const chosen = query.get('tab') ?? PARTS[0][0];
	const clear = (tab) =>
		at.keep({...Object.fromEntries(AUDIT_PARAMS.map((word) => [word, ''])), tab: tab === PARTS[0][0] ? '' : tab});
	const parts = await tabs({
		label: 'Parts of the settings',
		chosen,
		leave: clear,
		failed: (error, again) => at.signal.aborted || showFailure(error, again),
		parts: PARTS.map(([id, label, load]) => ({
			id,
			label,
			href: id === PARTS[0][0] ? '/settings' : `/settings?tab=${id}`,
			load: () => load(id === chosen ? query : new URLSearchParams(), at),
		})),
	});
	view.append(h('h1', {}, 'Settings'), ...parts);
	return 'Settings';
}
