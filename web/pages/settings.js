// settings.js - who asks, who may do what and did what, whom to tell, and what is
// kept how long.

import * as api from '../lib/api.js';
import {confirmButton, facts, field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {announce, showFailure} from '../lib/notices.js';
import {currentSession, SCOPE_TEXTS, signOut, tokenForm} from '../lib/session.js';
import {table} from '../lib/table.js';
import {tabs} from '../lib/tabs.js';

// Tab: who the server takes the reader for; signing in and out.

const SIGN_IN_STATES = {
	none: 'Nobody is signed in. A token is made by whoever looks after this server: here under Tokens, or with `kernsiftd token`.',
	loopback:
		'Nobody is signed in. On the machine that the server runs on, reading and uploading need no token; deleting, changing and these settings do.',
	cookie: 'The token is kept in a cookie that no script can read, for this server and this browser alone.',
	token: 'Something between here and the server sends a token of its own.',
};

async function youTab(query, at) {
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
				['Signed in as', me.by === 'cookie' || me.by === 'token' ? me.name : 'nobody'],
				['May', SCOPE_TEXTS[me.scope]],
				['In', me.scope === 'none' ? null : (me.project ?? 'all projects')],
				[
					'Until',
					me.expires_at
						? h('time', {datetime: me.expires_at}, f.moment(me.expires_at))
						: me.by === 'cookie'
							? 'revoked'
							: null,
				],
			]),
			h('p', {class: 'hint wide-text'}, SIGN_IN_STATES[me.by]),
			me.by === 'cookie'
				? h('p', {}, h('button', {type: 'button', on: {click: out}}, 'Sign out'))
				: tokenForm((next) => {
						draw(next);
						announce(`signed in as ${next.name}`);
					}, 'token-you'),
		);
	}

	draw(await currentSession(at.signal));
	return {node: place};
}

// Tab: tokens, made and revoked. What opens is told once.

const SCOPES = [
	['read', 'read'],
	['upload', 'read and upload'],
	['admin', 'everything'],
];
const DAYS = [
	['30', '30 days'],
	['90', '90 days'],
	['365', 'a year'],
	['', 'it is revoked'],
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
	{label: 'May', cell: (t) => SCOPES.find(([word]) => word === t.scope)[1]},
	{label: 'Project', cell: (t) => t.project ?? 'all'},
	{
		label: 'Made',
		num: true,
		cell: (t) => when(t.created_at),
		title: (t) => `${f.moment(t.created_at)}, by ${t.made_by}`,
	},
	{
		label: 'Last used',
		num: true,
		cell: (t) => when(t.used_at, 'never'),
		title: (t) => (t.used_at ? f.moment(t.used_at) : null),
	},
	{
		label: 'Ends',
		cell: (t) =>
			t.expired ? h('span', {class: 'state failed'}, 'ended') : t.expires_at ? f.moment(t.expires_at) : 'never',
	},
	{label: 'Revoke', cell: (t) => confirmButton('Revoke', 'Really revoke?', `Revoke ${t.name}`, () => revoke(t))},
];

// The one time that the text is seen.
function createdToken(token) {
	const text = h('input', {
		type: 'text',
		readonly: true,
		value: token.token,
		'aria-label': `Text of the token ${token.name}`,
		class: 'secret',
	});
	const copied = h('span', {role: 'status', class: 'quiet'});
	const copy = async () => {
		text.select();
		await navigator.clipboard?.writeText(token.token);
		copied.textContent = navigator.clipboard ? 'Copied.' : 'Selected: copy it with the keyboard.';
	};
	return h(
		'div',
		{class: 'made'},
		h(
			'p',
			{},
			h('strong', {}, `The token ${token.name} is made. `),
			'It is told this once: keep it now. Only its hash is stored here.',
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

	async function make(e) {
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
			announce(`token ${token.name} made`);
			await done();
		} catch (error) {
			wrong.textContent = error.message;
		}
	}

	return h(
		'section',
		{'aria-label': 'Make a token'},
		h(
			'form',
			{class: 'bar', on: {submit: make}},
			field('Who or what it is for', name),
			field('It may', scope),
			field('In project', project),
			field('Until', days),
			h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Make a token')),
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
			table({caption: 'Tokens', columns: tokenColumns(revoke), rows: items, empty: 'No token is there.'}).node,
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

// Tab: whom to tell of gates that fail and series that
// change, and how the last deliveries went.

const EVENTS = [
	['gate', 'a gate that does not pass'],
	['change_point', 'a series that changed its level'],
];

function deliveryState(d) {
	if (d.delivered_at) return h('span', {class: 'state done'}, `delivered ${f.age(d.delivered_at, Date.now())}`);
	return d.next_at
		? h('span', {class: 'state working'}, `tried again ${f.moment(d.next_at)}`)
		: h('span', {class: 'state failed'}, 'given up');
}

const DELIVERIES = [
	{label: 'Delivery', head: true, cell: (d) => `${d.id}`},
	{label: 'Event', cell: (d) => d.event},
	{label: 'Made', num: true, cell: (d) => h('time', {datetime: d.created_at}, f.moment(d.created_at))},
	{label: 'Tries', num: true, cell: (d) => f.count(d.tries)},
	{
		label: 'Answer',
		num: true,
		cell: (d) => d.status ?? f.NONE,
		title: (d) => (d.status === null ? 'there was none' : null),
	},
	{label: 'How it went', cell: deliveryState},
	{label: 'Why', class: 'wide', cell: (d) => d.error ?? f.NONE},
];

async function deliveries(hook, place, at) {
	try {
		const {items} = await api.deliveries(hook.id, at.signal);
		place.replaceChildren(
			table({
				caption: `Deliveries to ${hook.url}`,
				columns: DELIVERIES,
				rows: items,
				empty: 'Nothing was sent yet.',
			}).node,
		);
	} catch (error) {
		if (!at.signal.aborted) showFailure(error, () => deliveries(hook, place, at));
	}
}

function createdWebhook(hook) {
	return h(
		'div',
		{class: 'made'},
		h(
			'p',
			{},
			h('strong', {}, 'The webhook is made. '),
			'Its key is told this once; what is sent is signed with it (README, Webhooks).',
		),
		h('input', {
			type: 'text',
			readonly: true,
			value: hook.secret,
			'aria-label': `Key of the webhook to ${hook.url}`,
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

	async function make(e) {
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
			announce('webhook made');
			await done();
		} catch (error) {
			wrong.textContent = error.message;
		}
	}

	return h(
		'section',
		{'aria-label': 'Make a webhook'},
		h(
			'form',
			{class: 'part', on: {submit: make}},
			h('div', {class: 'bar'}, field('Address', url), field('Of project', project)),
			h(
				'fieldset',
				{class: 'checks'},
				h('legend', {}, 'Told of'),
				boxes.map(([, box, text]) => h('label', {class: 'check'}, box, text)),
			),
			h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Make a webhook')),
		),
		wrong,
		place,
	);
}

async function webhooksTab(query, at) {
	const place = h('div');
	const open = new Set();

	const columns = [
		{label: 'Address', head: true, class: 'wide', cell: (w) => w.url},
		{label: 'Told of', cell: (w) => w.events.join(', ')},
		{label: 'Project', cell: (w) => w.project ?? 'all'},
		{
			label: 'Made',
			num: true,
			cell: (w) => h('time', {datetime: w.created_at}, f.age(w.created_at, Date.now())),
			title: (w) => `${f.moment(w.created_at)}, by ${w.made_by}`,
		},
		{
			label: 'Try it',
			cell: (w) =>
				h(
					'button',
					{
						type: 'button',
						'aria-label': `Send a test to ${w.url}`,
						on: {click: () => act(w, api.testWebhook, 'a test is on its way')},
					},
					'Send a test',
				),
		},
		{
			label: 'Remove',
			cell: (w) =>
				confirmButton('Remove', 'Really remove?', `Remove ${w.url}`, () =>
					act(w, api.deleteWebhook, 'webhook removed'),
				),
		},
	];

	async function draw() {
		const cursor = query.get('cursor');
		const {items, next} = await api.webhooks({cursor, limit: 50}, at.signal);
		const were = new Set([...open].map((w) => w.id)); // opened meanwhile, too
		open.clear();
		items.filter((w) => were.has(w.id)).forEach((w) => open.add(w));
		place.replaceChildren(
			table({
				caption: 'Webhooks',
				columns,
				rows: items,
				empty: 'Nobody is told of anything yet.',
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

	async function act(hook, what, sentence) {
		try {
			await what(hook.id);
			await draw();
			announce(sentence);
		} catch (error) {
			if (!at.signal.aborted) showFailure(error, () => act(hook, what, sentence));
		}
	}

	await draw();
	return {node: h('div', {class: 'part'}, webhookCreator(draw), place)};
}

// Tab: how long what is kept. The rows are edited as they
// stand and kept together.

const FIELDS = [
	['raw_days', 'Uploads, days', 'for ever'],
	['run_days', 'Runs, days', 'for ever'],
	['quota_mib', 'Quota, MiB', 'none'],
];

const whole = (text) => (text.trim() === '' ? null : Number(text));

// One project's line: its inputs, and what they say. A stored name is told as it
// is: it may be empty, for what is of no project, or have spaces around it.
function projectLine(item, stored, gone) {
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
							'aria-label': `Remove the line of ${item.project || (stored ? '(none)' : 'the new project')}`,
							on: {
								click: () => {
									row.remove();
									gone(self);
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
		said: () => ({
			project: rest ? null : name(),
			...Object.fromEntries(FIELDS.map(([key], i) => [key, whole(numbers[i].value)])),
		}),
	};
	return self;
}

const EMPTY = {project: null, raw_days: null, run_days: null, quota_mib: null};

async function retentionTab(query, at) {
	const said = h('span', {class: 'quiet', role: 'status'});
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const body = h('tbody');
	let lines = [];

	const gone = (which) => {
		lines = lines.filter((l) => l !== which);
	};

	function add(item, stored) {
		const made = projectLine(item, stored, gone);
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
			const {items} = await api.saveRetention(lines.map((l) => l.said()));
			draw(items);
			said.textContent = 'Kept.';
			announce('retention kept');
		} catch (error) {
			said.textContent = '';
			wrong.textContent = error.message;
		}
	}

	draw((await api.retention(at.signal)).items);
	return {
		node: h(
			'form',
			{class: 'part', on: {submit: keep}},
			h(
				'p',
				{class: 'hint wide-text'},
				'An upload is the file as it came; its runs and their tables may outlive it, but can then not be made anew. ',
				'Past its quota a project loses its oldest uploads first, then its oldest runs. Runs with the label keep=true stay. ',
				h('code', {}, 'kernsiftd vacuum --dry-run'),
				' tells what would go.',
			),
			h(
				'div',
				{class: 'scroll', role: 'region', 'aria-label': 'Retention, table', tabindex: '0'},
				h(
					'table',
					{class: 'inputs'},
					h('caption', {class: 'unseen'}, 'Retention'),
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
				h('button', {type: 'submit', class: 'main'}, 'Keep it so'),
				said,
			),
			wrong,
		),
	};
}

// Tab: who changed what, newest first.

const SENDER_GONE = 499;

function requestState(r) {
	if (r.status === null)
		return h('span', {class: 'quiet', title: 'it is under way, or the server ended before it did'}, 'not known');
	if (r.status === SENDER_GONE) return h('span', {title: 'the sender went away'}, 'broken off');
	return r.status < 400
		? h('span', {class: 'state done', title: `answered ${r.status}`}, 'done')
		: h('span', {class: 'state failed', title: `answered ${r.status}`}, 'refused');
}

const auditColumns = [
	{label: 'When', head: true, cell: (r) => h('time', {datetime: r.at}, f.moment(r.at))},
	{label: 'Who', cell: (r) => r.who, title: (r) => (r.token_id === null ? null : `token ${r.token_id}`)},
	{label: 'What', class: 'wide', cell: (r) => h('code', {}, `${r.method} ${r.path}`)},
	{label: 'Project', cell: (r) => r.project ?? f.NONE},
	{label: 'More', class: 'wide', cell: (r) => r.detail ?? f.NONE},
	{label: 'How it ended', cell: requestState},
];

const auditUrl = (words) =>
	`/settings?${new URLSearchParams(Object.entries({tab: 'audit', ...words}).filter(([, value]) => value))}`;

async function auditTab(query, at) {
	const asked = Object.fromEntries(['who', 'project', 'cursor'].map((word) => [word, query.get(word) ?? '']));
	const {items, next} = await api.audit({...asked, limit: 100}, at.signal);
	const who = h('input', {type: 'search', value: asked.who, placeholder: 'anybody'});
	const project = h('input', {type: 'search', value: asked.project, placeholder: 'any'});
	const go = (e) => {
		e.preventDefault();
		at.go(auditUrl({who: who.value.trim(), project: project.value.trim()}));
	};
	return {
		save: () => at.keep(asked),
		node: h(
			'div',
			{class: 'part'},
			h(
				'p',
				{class: 'hint wide-text'},
				'Every request that changes something is written down before it is tried, and how it ended after.',
			),
			h(
				'form',
				{class: 'bar', on: {submit: go}},
				field('By', who),
				field('To project', project),
				h('div', {class: 'actions'}, h('button', {type: 'submit'}, 'Show')),
			),
			table({
				caption: 'Changes',
				columns: auditColumns,
				rows: items,
				empty: asked.who || asked.project ? 'Nothing matches.' : 'Nothing was changed yet.',
			}).node,
			h(
				'nav',
				{class: 'pager', 'aria-label': 'Pages of the changes'},
				asked.cursor ? h('a', {href: auditUrl({...asked, cursor: ''})}, 'First page') : null,
				next ? h('a', {href: auditUrl({...asked, cursor: next}), rel: 'next'}, 'Next page') : null,
			),
		),
	};
}

const PARTS = [
	['you', 'You', youTab],
	['tokens', 'Tokens', tokensTab],
	['webhooks', 'Webhooks', webhooksTab],
	['retention', 'Retention', retentionTab],
	['audit', 'Changes', auditTab],
];

const WORDS = ['who', 'project', 'cursor'];

export async function page(view, query, at) {
	const chosen = query.get('tab') ?? PARTS[0][0];
	const clear = (tab) =>
		at.keep({...Object.fromEntries(WORDS.map((word) => [word, ''])), tab: tab === PARTS[0][0] ? '' : tab});
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
