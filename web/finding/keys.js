// keys.js - the keys of all pages: search, help on keys, moving through the rows of a table. They
// do nothing while the user types in a field, and can be turned off.

import {h} from '../lib/dom.js';
import {openSearch} from './search.js';

const STORED = 'kernsift.keys';

// [keys, what they do], as the dialog and the help page list them.
export const KEYS = [
	['/', 'Search runs, kernels, operators, workloads, commits and jobs'],
	['?', 'List the keys'],
	['j, k', 'Move to the next or the previous row of the table'],
	['Enter', 'Open the row, or the match of a search'],
	['x', 'Tick the row, or untick it'],
	['Shift + click', 'Tick all rows from the one that was ticked last'],
	['Escape', 'Close a dialog or a tooltip'],
	['↓', 'On a column heading, move to the link of its tooltip'],
	['← →', 'Move between the tabs of a page'],
];

// The row to move to from row `at` (-1: none yet) of `n` rows by `step`; null: there is none.
export function nextRow(at, n, step) {
	const to = at < 0 ? (step > 0 ? 0 : n - 1) : at + step;
	return to >= 0 && to < n ? to : null;
}

// Elements with keys of their own.
const OWN_KEYS =
	'input:not([type=checkbox], [type=radio], [type=button]), select, textarea, [contenteditable], canvas, [role=application], [role=img], dialog';

const enabled = () => localStorage.getItem(STORED) !== 'off';

const rowsOf = (table) =>
	[...table.tBodies].flatMap((body) => [...body.rows]).filter((tr) => !tr.matches('.gap, .detail') && tr.querySelector('td'));

// The table with the focus; otherwise the first table of the page whose rows open something.
function mainTable() {
	const here = document.activeElement?.closest('main table');
	if (here) return here;
	const all = [...document.querySelectorAll('main table')].filter((t) => t.checkVisibility?.() ?? true);
	return all.find((t) => t.querySelector('tbody :is(a, button, input)')) ?? all[0] ?? null;
}

function move(step) {
	const table = mainTable();
	if (!table) return false;
	const rows = rowsOf(table);
	const to = nextRow(rows.indexOf(document.activeElement.closest('tbody tr')), rows.length, step);
	if (to === null) return rows.length > 0;
	const row = rows[to];
	const name = row.querySelector('th') ?? row.cells[0];
	const place = name.querySelector('a, button') ?? row.querySelector('a, button') ?? name;
	if (place === name) name.setAttribute('tabindex', '-1');
	place.focus();
	place.scrollIntoView({block: 'nearest'});
	return true;
}

function tick() {
	const box = document.activeElement?.closest('tbody tr')?.querySelector('input[type=checkbox]');
	box?.click();
	return Boolean(box);
}

let list = null;

// Opens the list of keys.
export function openKeys() {
	if (!list) {
		const on = h('input', {
			type: 'checkbox',
			on: {change: () => (on.checked ? localStorage.removeItem(STORED) : localStorage.setItem(STORED, 'off'))},
		});
		list = h(
			'dialog',
			{class: 'keys', 'aria-labelledby': 'keys-title'},
			h('h2', {id: 'keys-title'}, 'Keys'),
			h(
				'dl',
				{class: 'terms'},
				KEYS.map(([keys, does]) => h('div', {}, h('dt', {}, h('kbd', {}, keys)), h('dd', {}, does))),
			),
			h('label', {class: 'check'}, on, 'Single keys are on'),
			h('div', {class: 'toolbar'}, h('button', {type: 'button', on: {click: () => list.close()}}, 'Close')),
		);
		on.checked = enabled();
		document.body.append(list);
	}
	if (!list.open) list.showModal();
}

const ACTIONS = {
	'/': () => {
		openSearch(openKeys);
		return true;
	},
	'?': () => {
		openKeys();
		return true;
	},
	j: () => move(1),
	k: () => move(-1),
	x: tick,
};

export function listenForKeys() {
	document.getElementById('find').addEventListener('click', () => openSearch(openKeys));
	document.addEventListener('keydown', (e) => {
		const action = Object.hasOwn(ACTIONS, e.key) ? ACTIONS[e.key] : null;
		const free = !e.defaultPrevented && !e.ctrlKey && !e.metaKey && !e.altKey && !e.isComposing;
		if (!action || !free || !enabled() || e.target.closest?.(OWN_KEYS) || document.querySelector('dialog[open]')) return;
		if (action()) e.preventDefault();
	});
}
