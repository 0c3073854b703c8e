// settings_webhooks.js - tab: whom to tell of gates that fail and series that
// change, and how the last deliveries went.

import * as api from '../api_team.js';
import {field, h} from '../dom.js';
import * as f from '../format.js';
import {showFailure, tell} from '../news.js';
import {sureButton} from '../sure.js';
import {table} from '../table.js';

const EVENTS = [['gate', 'a gate that does not pass'], ['change_point', 'a series that changed its level']];

function ended(d) {
	if (d.delivered_at)
		return h('span', {class: 'state done'}, `delivered ${f.age(d.delivered_at, Date.now())}`);
	return d.next_at ? h('span', {class: 'state working'}, `tried again ${f.moment(d.next_at)}`) : h('span', {class: 'state failed'}, 'given up');
}

const DELIVERIES = [
	{label: 'Delivery', head: true, cell: (d) => `${d.id}`},
	{label: 'Event', cell: (d) => d.event},
	{label: 'Made', num: true, cell: (d) => h('time', {datetime: d.created_at}, f.moment(d.created_at))},
	{label: 'Tries', num: true, cell: (d) => f.count(d.tries)},
	{label: 'Answer', num: true, cell: (d) => d.status ?? f.NONE, title: (d) => (d.status === null ? 'there was none' : null)},
	{label: 'How it went', cell: ended},
	{label: 'Why', class: 'wide', cell: (d) => d.error ?? f.NONE},
];

async function deliveries(hook, place, at) {
	try {
		const {items} = await api.deliveries(hook.id, at.signal);
		place.replaceChildren(table({caption: `Deliveries to ${hook.url}`, columns: DELIVERIES, rows: items, empty: 'Nothing was sent yet.'}).node);
	} catch (error) {
		if (!at.signal.aborted)
			showFailure(error, () => deliveries(hook, place, at));
	}
}

function made(hook) {
	return h('div', {class: 'made'}, h('p', {}, h('strong', {}, 'The webhook is made. '),
		'Its key is told this once; what is sent is signed with it (README, Webhooks).'),
	h('input', {type: 'text', readonly: true, value: hook.secret, 'aria-label': `Key of the webhook to ${hook.url}`, class: 'secret'}));
}

function maker(done) {
	const url = h('input', {type: 'url', required: true, autocomplete: 'off', placeholder: 'https://…', maxlength: 2000});
	const project = h('input', {type: 'text', autocomplete: 'off', maxlength: 200, placeholder: 'all projects'});
	const boxes = EVENTS.map(([word, text]) => [word, h('input', {type: 'checkbox', checked: true}), text]);
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const place = h('div');

	async function make(e) {
		e.preventDefault();
		wrong.textContent = '';
		try {
			const hook = await api.makeWebhook({url: url.value.trim(), project: project.value.trim() || null,
				events: boxes.filter(([, box]) => box.checked).map(([word]) => word)});
			place.replaceChildren(made(hook));
			url.value = '';
			tell('webhook made');
			await done();
		} catch (error) {
			wrong.textContent = error.message;
		}
	}

	return h('section', {'aria-label': 'Make a webhook'}, h('form', {class: 'part', on: {submit: make}},
		h('div', {class: 'bar'}, field('Address', url), field('Of project', project)),
		h('fieldset', {class: 'checks'}, h('legend', {}, 'Told of'), boxes.map(([, box, text]) => h('label', {class: 'check'}, box, text))),
		h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Make a webhook'))), wrong, place);
}

export async function webhooksTab(query, at) {
	const place = h('div');
	const open = new Set();

	const columns = [
		{label: 'Address', head: true, class: 'wide', cell: (w) => w.url},
		{label: 'Told of', cell: (w) => w.events.join(', ')},
		{label: 'Project', cell: (w) => w.project ?? 'all'},
		{label: 'Made', num: true, cell: (w) => h('time', {datetime: w.created_at}, f.age(w.created_at, Date.now())), title: (w) => `${f.moment(w.created_at)}, by ${w.made_by}`},
		{label: 'Try it', cell: (w) => h('button', {type: 'button', 'aria-label': `Send a test to ${w.url}`, on: {click: () => act(w, api.testWebhook, 'a test is on its way')}}, 'Send a test')},
		{label: 'Remove', cell: (w) => sureButton('Remove', 'Really remove?', `Remove ${w.url}`, () => act(w, api.dropWebhook, 'webhook removed'))},
	];

	async function draw() {
		const cursor = query.get('cursor');
		const {items, next} = await api.webhooks({cursor, limit: 50}, at.signal);
		const were = new Set([...open].map((w) => w.id)); // opened meanwhile, too
		open.clear();
		items.filter((w) => were.has(w.id)).forEach((w) => open.add(w));
		place.replaceChildren(table({caption: 'Webhooks', columns, rows: items, empty: 'Nobody is told of anything yet.',
			detail: {open, name: (w) => w.url, fill: (w, inside) => deliveries(w, inside, at), changed: () => {}}}).node,
		h('nav', {class: 'pager', 'aria-label': 'Pages of the webhooks'},
			cursor ? h('a', {href: '/settings?tab=webhooks'}, 'First page') : null,
			next ? h('a', {href: `/settings?${new URLSearchParams({tab: 'webhooks', cursor: next})}`, rel: 'next'}, 'Next page') : null));
	}

	async function act(hook, what, sentence) {
		try {
			await what(hook.id);
			await draw();
			tell(sentence);
		} catch (error) {
			if (!at.signal.aborted)
				showFailure(error, () => act(hook, what, sentence));
		}
	}

	await draw();
	return {node: h('div', {class: 'part'}, maker(draw), place)};
}
