// catalogue_own.js - the own part of the catalogue as text that is edited and
// put back whole; what the server refuses is said beside it.

import * as api from '../api.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {tell} from '../news.js';
import {tokenForm} from '../session.js';

// A list of JSON objects, each on lines of its own; throws with a sentence.
export function parsed(text) {
	let list;
	try {
		list = JSON.parse(text.trim() || '[]');
	} catch (error) {
		throw new Error(`this is not JSON: ${error.message}`);
	}
	if (!Array.isArray(list) || list.some((item) => item === null || typeof item !== 'object' || Array.isArray(item)))
		throw new Error('this is not a list of objects: it begins with [ and holds one { … } for each');
	return list;
}

export const written = (list) => (list.length ? `[\n${list.map((item) => `\t${JSON.stringify(item)}`).join(',\n')}\n]` : '[]');

// The editor of one kind ('rules', …) made from its document; `example` is what
// the button adds, saved(doc) is told the kind's new document.
export function ownEditor(what, doc, example, saved, refresh) {
	let {version} = doc;
	const area = h('textarea', {class: 'own', spellcheck: 'false', 'aria-label': `Own ${what}, a JSON list`, rows: Math.min(24, 4 + (doc.own ?? []).length)});
	const refused = h('div', {class: 'refused', role: 'alert'});
	const said = h('span', {class: 'quiet', role: 'status'});
	const counted = h('span', {}, f.plural((doc.own ?? []).length, `own ${what.slice(0, -1)}`));
	area.value = written(doc.own ?? []);

	function refuse(error) {
		refused.replaceChildren(h('p', {class: 'sentence'}, h('strong', {}, 'Not saved: '), error.message),
			error.status === 401 || error.status === 403 ? tokenForm(save, 'token-own') : '',
			error.status === 409 ? h('button', {type: 'button', on: {click: reload}}, 'Show what is saved there now') : '');
		said.textContent = '';
	}

	function taken(next, sentence) {
		({version} = next);
		area.value = written(next.own ?? []);
		counted.textContent = f.plural((next.own ?? []).length, `own ${what.slice(0, -1)}`);
		said.textContent = sentence;
		refused.replaceChildren();
		saved(next);
	}

	async function reload() {
		try {
			taken(await refresh(), 'What is saved is shown.');
		} catch (error) {
			refuse(error);
		}
	}

	async function save() {
		refused.replaceChildren();
		said.textContent = 'Saving…';
		try {
			const answer = await api.replace(what, version, parsed(area.value));
			taken(await refresh(), `Saved as version ${answer.version}. ${answer.message ?? ''}`);
			tell(`own ${what} saved`);
		} catch (error) {
			refuse(error);
		}
	}

	function add() {
		let list;
		try {
			list = parsed(area.value);
		} catch (error) {
			refuse(error);
			return;
		}
		area.value = written([...list, example]);
		area.focus();
	}

	return {draft: () => parsed(area.value), node: h('details', {class: 'editor formats', open: (doc.own ?? []).length > 0},
		h('summary', {}, 'Edit what is added here: ', counted),
		area, h('div', {class: 'line'}, h('button', {type: 'button', class: 'main', on: {click: save}}, 'Save'),
			h('button', {type: 'button', on: {click: add}}, 'Add an example'), h('span', {class: 'hint'}, 'Saving needs an admin token.'), said), refused)};
}
