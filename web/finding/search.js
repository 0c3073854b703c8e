// search.js - the search over all pages, in a dialog. The field is a combobox whose list has the
// matches in groups. Each match is a link.

import * as api from '../lib/api.js';
import {h} from '../lib/dom.js';
import {foundGroups, foundSentence} from './found.js';

// A request is sent when the user pauses this long, so that a word is one request.
const PAUSE_MS = 200;
// The number of matches of each group, at first and on request.
const FEW = 5;
const MANY = 50;

const option = ({name, about, href}, id) =>
	h(
		'a',
		{role: 'option', id, href, tabindex: '-1', 'aria-selected': 'false'},
		h('bdi', {class: 'name', title: name.length > 200 ? name : null}, name),
		about ? h('span', {class: 'quiet about'}, about) : null,
	);

// The field and its list, in `dialog`.
function searchBox(dialog, showKeys) {
	const field = h('input', {
		type: 'search',
		role: 'combobox',
		'aria-label': 'Search runs, kernels, operators, workloads, commits and jobs',
		'aria-expanded': 'false',
		'aria-controls': 'found',
		'aria-autocomplete': 'list',
		autocomplete: 'off',
		placeholder: 'Runs, kernels, operators, workloads, commits, jobs',
		maxlength: '200',
		on: {input: () => later(FEW), keydown},
	});
	const list = h('div', {role: 'listbox', id: 'found', 'aria-label': 'Matches', tabindex: '-1'});
	const status = h('p', {class: 'quiet', role: 'status'});
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const more = h('button', {type: 'button', hidden: true, on: {click: () => search(MANY)}}, `Show up to ${MANY} of each`);
	let options = [];
	let chosen = -1;
	let timer = null;
	let request = new AbortController();

	function choose(to) {
		options[chosen]?.setAttribute('aria-selected', 'false');
		chosen = options.length ? (to + options.length) % options.length : -1;
		const now = options[chosen];
		if (!now) return field.removeAttribute('aria-activedescendant');
		now.setAttribute('aria-selected', 'true');
		field.setAttribute('aria-activedescendant', now.id);
		now.scrollIntoView({block: 'nearest'});
	}

	function keydown(e) {
		if (e.isComposing) return;
		const to = {ArrowDown: chosen + 1, ArrowUp: chosen < 0 ? -1 : chosen - 1}[e.key];
		if (to !== undefined) {
			e.preventDefault();
			choose(to);
		} else if (e.key === 'Escape') {
			// Chromium would only clear the field.
			e.preventDefault();
			dialog.close();
		} else if (e.key === 'Enter') {
			e.preventDefault();
			options[Math.max(chosen, 0)]?.click();
		}
	}

	function fill(groups) {
		let number = 0;
		const sections = groups.map(({name, count, items}, i) =>
			h(
				'div',
				{role: 'group', 'aria-labelledby': `found-group-${i}`},
				h('div', {role: 'presentation', class: 'heading', id: `found-group-${i}`}, name, ' ', h('span', {class: 'quiet'}, count)),
				items.map((item) => option(item, `found-${++number}`)),
			),
		);
		list.replaceChildren(...sections);
		options = [...list.querySelectorAll('[role=option]')];
		field.setAttribute('aria-expanded', options.length > 0);
		chosen = -1;
		choose(0);
	}

	function clear() {
		fill([]);
		more.hidden = true;
		wrong.replaceChildren();
	}

	async function search(limit) {
		const q = field.value.trim();
		request.abort();
		request = new AbortController();
		const {signal} = request;
		if (!q) {
			clear();
			status.textContent = 'Each word must be part of a match. Case is ignored. A number finds the run or job with this id.';
			return;
		}
		status.textContent = 'Searching…';
		list.setAttribute('aria-busy', 'true');
		try {
			const doc = await api.search({q, limit}, signal);
			if (signal.aborted) return;
			const groups = foundGroups(doc);
			clear();
			fill(groups);
			status.textContent = foundSentence(doc);
			more.hidden = limit === MANY || groups.every((g) => g.all);
		} catch (error) {
			if (signal.aborted) return;
			clear();
			status.textContent = '';
			wrong.replaceChildren(
				`The search failed: ${error.message} `,
				h('button', {type: 'button', on: {click: () => search(limit)}}, 'Try again'),
			);
		} finally {
			if (!signal.aborted) list.removeAttribute('aria-busy');
		}
	}

	function later(limit) {
		clearTimeout(timer);
		request.abort();
		timer = setTimeout(() => search(limit), PAUSE_MS);
	}

	dialog.append(
		h('div', {class: 'toolbar'}, field, h('button', {type: 'button', on: {click: () => dialog.close()}}, 'Close')),
		status,
		wrong,
		list,
		h('div', {class: 'toolbar'}, more, h('button', {type: 'button', class: 'keys', on: {click: showKeys}}, 'Keys')),
	);
	dialog.addEventListener('close', () => {
		clearTimeout(timer);
		request.abort();
	});
	return {
		open() {
			field.select();
			search(FEW);
		},
	};
}

let dialog = null;
let box = null;

// Opens the dialog with the text of the last search. showKeys() lists the keys instead.
export function openSearch(showKeys) {
	if (!dialog) {
		dialog = h('dialog', {class: 'search', 'aria-label': 'Search'});
		box = searchBox(dialog, () => {
			dialog.close();
			showKeys();
		});
		// The page of a match is opened by app.js, which follows links.
		dialog.addEventListener('click', (e) => {
			if (e.target === dialog || e.target.closest('a')) dialog.close();
		});
		document.body.append(dialog);
	}
	if (dialog.open) return;
	dialog.showModal();
	box.open();
}
