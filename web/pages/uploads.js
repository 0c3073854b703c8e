// uploads.js - files come in by drop or by button, several at once; below,
// everything that was ever sent, with its state.

import * as api from '../api.js';
import {field, h} from '../dom.js';
import * as f from '../format.js';
import {showFailure} from '../news.js';
import {deliver, deliveries} from '../sending.js';
import {table} from '../table.js';
import {card} from './upload_card.js';
import {counterForm, formats} from './upload_formats.js';

const STATES = ['receiving', 'queued', 'working', 'done', 'failed'];
const REFRESH_MS = 2000;

function sender(began) {
	const project = h('input', {type: 'text', name: 'project', autocomplete: 'off'});
	const workload = h('input', {type: 'text', name: 'workload', autocomplete: 'off'});
	const labels = h('input', {type: 'text', name: 'labels', autocomplete: 'off'});
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const input = h('input', {type: 'file', multiple: true, hidden: true, id: 'files',
		on: {change: () => { take(input.files); input.value = ''; }}});

	// Whether they are on their way.
	function take(files) {
		wrong.textContent = '';
		const query = {project: project.value.trim(), workload: workload.value.trim()};
		try {
			for (const [k, v] of Object.entries(f.labels(labels.value)))
				query[`label.${k}`] = v;
		} catch (error) {
			wrong.textContent = `Nothing was sent: ${error.message}.`;
			labels.focus();
			return false;
		}
		for (const file of files)
			began(deliver(file, query));
		return true;
	}

	const zone = h('div', {class: 'drop', on: {
		dragover: (e) => { e.preventDefault(); zone.classList.add('over'); },
		dragleave: (e) => zone.contains(e.relatedTarget) || zone.classList.remove('over'),
		drop: (e) => {
			e.preventDefault();
			zone.classList.remove('over');
			take(e.dataTransfer.files);
		},
	}}, input, h('button', {type: 'button', class: 'main', on: {click: () => input.click()}}, 'Choose files'),
	h('p', {}, 'or drop them here. They are sent at once.'),
	h('p', {class: 'hint'}, 'Traces of the PyTorch profiler, Nsight Systems or ROCm, tables of nsys stats or of patterns, captures (.kst)'));

	return h('section', {class: 'sender', 'aria-label': 'Send files'},
		h('div', {class: 'bar'}, field('Project', project), field('Workload', workload),
			field('Labels', labels, 'key=value, separated by commas')),
		wrong, zone, formats(), counterForm(take));
}

const stateText = (u) => {
	const share = u.progress && f.progress(u.progress.done_bytes, u.progress.total_bytes);
	return u.state === 'working' && share !== null ? `working, ${share} %` : u.state;
};

function columns(retry, now) {
	return [
		{label: 'Upload', head: true, class: 'wide', cell: (u) => [
			h('span', {class: 'file'}, u.file_name || u.name || 'unnamed'), ' ',
			h('span', {class: 'quiet'}, `#${u.id}`)]},
		{label: 'State', class: 'wide', cell: (u) => [
			h('span', {class: `state ${u.state}`}, stateText(u)),
			u.error ? h('p', {class: 'sentence'}, u.error) : null,
			u.state === 'failed' ? h('button', {type: 'button', 'data-key': `retry-${u.id}`,
				'aria-label': `Retry upload ${u.id}`, on: {click: () => retry(u.id)}}, 'Retry') : null]},
		{label: 'Runs', cell: (u) => (u.runs.length ? u.runs.slice(0, 8).map((id) =>
			[h('a', {href: `/runs/${id}`}, `#${id}`), ' ']).flat().concat(u.runs.length > 8
			? h('a', {href: `/runs?upload=${u.id}`}, `all ${u.runs.length}`) : []) : f.NONE)},
		{label: 'Project', cell: (u) => u.project || f.NONE},
		{label: 'Workload', cell: (u) => u.workload || f.NONE},
		{label: 'Size', num: true, cell: (u) => f.bytes(u.bytes), title: (u) => `${f.count(u.bytes)} bytes`},
		{label: 'Added', num: true, cell: (u) => h('time', {datetime: u.created_at}, f.age(u.created_at, now)),
			title: (u) => f.moment(u.created_at)},
	];
}

// Replaces the list by what is true now; whoever stood on one of its buttons
// stands there again.
async function past(place, query, at) {
	let timer = null;
	let last = '';

	async function draw() {
		clearTimeout(timer);
		const answer = await api.uploads(Object.fromEntries(query), at.signal);
		const text = JSON.stringify(answer) + Math.floor(Date.now() / 60000);
		if (text !== last) {
			const key = place.contains(document.activeElement) && document.activeElement.dataset.key;
			place.replaceChildren(...list(answer));
			if (key)
				place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
			last = text;
		}
		if (answer.items.some((u) => u.state !== 'done' && u.state !== 'failed'))
			timer = setTimeout(quietly, REFRESH_MS);
	}

	// A refresh nobody asked for does not interrupt when it fails.
	const quietly = () => draw().catch(() => at.signal.aborted || (timer = setTimeout(quietly, REFRESH_MS)));

	async function retry(id) {
		try {
			await api.retry(id, at.signal);
			await draw();
		} catch (error) {
			if (!at.signal.aborted)
				showFailure(error, () => retry(id));
		}
	}

	function list({items, next}) {
		const to = (cursor) => `/uploads?${new URLSearchParams({...Object.fromEntries(query), cursor})}`;
		return [table({caption: 'Uploads', columns: columns(retry, Date.now()), rows: items,
			empty: query.size ? 'No upload matches.' : 'Nothing was sent yet.'}).node,
		h('nav', {class: 'pager', 'aria-label': 'Pages of the list'},
			query.get('cursor') ? h('a', {href: '/uploads'}, 'First page') : null,
			next ? h('a', {href: to(next), rel: 'next'}, 'Next page') : null)];
	}

	await draw();
	at.signal.addEventListener('abort', () => clearTimeout(timer));
	return quietly;
}

function stateFilter(query, at) {
	const select = h('select', {on: {change: () =>
		at.go(select.value ? `/uploads?state=${select.value}` : '/uploads')}},
	h('option', {value: ''}, 'any'),
	STATES.map((s) => h('option', {value: s, selected: query.get('state') === s}, s)));
	return field('State', select);
}

export async function page(view, query, at) {
	const place = h('div');
	const refresh = await past(place, query, at);
	const cards = h('ul', {class: 'cards', 'aria-label': 'Files of this visit'});
	const add = (delivery) => cards.prepend(card(delivery, refresh, at.signal));

	for (const delivery of [...deliveries].reverse())
		add(delivery);
	view.append(h('h1', {}, 'Uploads'), sender(add), cards,
		h('section', {'aria-labelledby': 'past'},
			h('div', {class: 'toolbar'}, h('h2', {id: 'past'}, 'All uploads'), stateFilter(query, at)), place));
	return 'Uploads';
}
