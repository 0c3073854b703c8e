// catalogue_sets.js - tab: reference sets, operators and figures that somebody
// published: imported from a file, looked at, taken away.

import * as api from '../api.js';
import {field, h} from '../dom.js';
import * as f from '../format.js';
import {showFailure} from '../news.js';
import {sureButton} from '../sure.js';
import {table} from '../table.js';

const columns = (drop) => [
	{label: 'Set', head: true, cell: (r) => h('a', {href: `/importance?${new URLSearchParams({set: r.name})}`}, r.name)},
	{label: 'Operators', num: true, cell: (r) => f.count(r.operators)},
	{label: 'Shapes', num: true, cell: (r) => f.count(r.shapes)},
	{label: 'Profiles', num: true, cell: (r) => f.count(r.runs)},
	{label: 'Size', num: true, cell: (r) => f.bytes(r.bytes), title: (r) => `${f.count(r.bytes)} bytes`},
	{label: 'Imported', num: true, cell: (r) => h('time', {datetime: r.created_at}, f.age(r.created_at, Date.now())), title: (r) => f.moment(r.created_at)},
	{label: 'Source', class: 'wide', cell: (r) => r.source || f.NONE},
	{label: 'Remove', cell: (r) => sureButton('Remove', 'Really remove?', `Remove ${r.name}`, () => drop(r))},
];

// "operators.json" -> "operators"
export const setName = (file) => file.replace(/\.[^.]*$/, '');

function importer(done) {
	const name = h('input', {type: 'text', autocomplete: 'off', placeholder: 'the file\'s own'});
	const said = h('p', {role: 'status', class: 'quiet'});
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const input = h('input', {type: 'file', accept: '.json,application/json', hidden: true, id: 'set-file', on: {change: () => { take(input.files[0]); input.value = ''; }}});

	async function take(file) {
		if (!file)
			return;
		const called = name.value.trim() || setName(file.name);
		wrong.textContent = '';
		said.textContent = `Importing ${file.name}…`;
		try {
			const {existing} = await api.keepSet(called, file);
			said.textContent = existing ? `${called} was here already.` : `${called} is here.`;
			await done();
		} catch (error) {
			said.textContent = '';
			wrong.textContent = `${file.name}: ${error.message}`;
			if (error.status === 401 || error.status === 403)
				showFailure(error, () => take(file));
		}
	}

	const zone = h('div', {class: 'drop', on: {
		dragover: (e) => { e.preventDefault(); zone.classList.add('over'); },
		dragleave: (e) => zone.contains(e.relatedTarget) || zone.classList.remove('over'),
		drop: (e) => {
			e.preventDefault();
			zone.classList.remove('over');
			take(e.dataTransfer.files[0]);
		},
	}}, input, h('button', {type: 'button', class: 'main', on: {click: () => input.click()}}, 'Choose a file'),
	h('p', {}, 'or drop it here.'),
	h('p', {class: 'hint'}, 'A catalogue of production operators as Atrex-Bench publishes it, as JSON: platforms, operators, shapes, figures.'));
	return h('section', {'aria-label': 'Import a reference set', class: 'sender'}, h('div', {class: 'bar'}, field('Name of the set', name)), zone, said, wrong);
}

export async function setsTab(query, at) {
	const place = h('div');

	async function draw() {
		const {items} = await api.sets(at.signal);
		place.replaceChildren(table({caption: 'Reference sets', columns: columns(drop), rows: items, empty: 'No set is imported yet.'}).node);
	}

	async function drop(row) {
		try {
			await api.dropSet(row.name);
			await draw();
		} catch (error) {
			if (!at.signal.aborted)
				showFailure(error, () => drop(row));
		}
	}

	await draw();
	return {node: h('div', {class: 'part'}, importer(draw), h('h2', {}, 'Sets that are here'), place)};
}
