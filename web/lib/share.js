// share.js - buttons that copy the address of the page or its Markdown. Without permission to use
// the clipboard, the text is shown and selected.

import * as api from './api.js';
import {h} from './dom.js';
import {announce} from './notices.js';

function showSelected(place, text, what) {
	const box = h('textarea', {readonly: true, rows: Math.min(8, text.split('\n').length), 'aria-label': what}, text);
	place.replaceChildren(h('span', {class: 'hint'}, 'Copy the selected text with the keyboard.'), box);
	box.focus();
	box.select();
	announce(`${what} is selected. Copy it with the keyboard.`);
}

async function copy(place, text, what) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		// no clipboard without https, or no permission
		showSelected(place, text, what);
		return;
	}
	place.replaceChildren(h('span', {class: 'hint'}, `${what} copied.`));
	announce(`${what} copied.`);
}

// `markdown` is the API's address of the page as Markdown; without it only the link can be copied.
// `link` is an address whose page will show the same later; by default that of the page.
export function share(markdown, link) {
	const place = h('span', {class: 'shared'});

	async function copyMarkdown() {
		try {
			await copy(place, await api.text(markdown), 'Markdown');
		} catch (failure) {
			place.replaceChildren(
				h('span', {class: 'hint', role: 'alert'}, `The Markdown is unavailable: ${failure.message}.`),
			);
		}
	}

	return h(
		'span',
		{class: 'share-controls', role: 'group', 'aria-label': 'Share'},
		h('button', {type: 'button', on: {click: () => copy(place, link ? new URL(link, location.href).href : location.href, 'Link')}}, 'Copy link'),
		markdown ? h('button', {type: 'button', on: {click: copyMarkdown}}, 'Copy as Markdown') : null,
		place,
	);
}
