// listing.js - a table with a search field, a row count and an order. The page's address contains
// all three.

import {h} from './dom.js';
import * as f from './format.js';
import {matching, sorted, table} from './table.js';

// Tables with fewer rows do not scroll, so that details do not scroll inside a scrolling table.
const LONG = 150;

// `defaultSort` is the order if the address contains none. text(row) is the text to search in.
// `rowName` is the name of a row in messages ("operator"). counted(row): whether it is one, and not,
// for example, the time without an operator. keep() returns further parameters of the
// address. tabs.js calls save(), details call redraw(), and update(rows) replaces the rows. `linked`:
// the address of the page opens rows, so that the first of them is scrolled to after the page is shown.
export function listing({
	caption,
	columns,
	rows,
	query,
	defaultSort,
	rowName,
	counted = () => true,
	text,
	detail,
	empty,
	links,
	at,
	keep,
	drawn,
	linked = false,
	tall = rows.length > LONG,
}) {
	const view = {sort: query.get('sort') ?? defaultSort, q: query.get('q') ?? ''};
	const found = h('span', {class: 'quiet', role: 'status'});
	const list = () => sorted(matching(rows, view.q, text), columns, view.sort);
	const shown = table({
		caption,
		columns,
		rows: [],
		sort: view.sort,
		tall,
		detail,
		empty: rows.length ? `No ${rowName} matches the search.` : empty,
		onsort: (sort) => change({sort}),
	});
	const filter = h('input', {
		type: 'search',
		'aria-label': `Search ${f.plural(2, rowName).slice(2)}`,
		value: view.q,
		placeholder: `Search ${f.plural(2, rowName).slice(2)}`,
		on: {input: (e) => change({q: e.target.value.trim()})},
	});

	function save() {
		at.keep({sort: view.sort === defaultSort ? '' : view.sort, q: view.q, ...keep?.()});
	}

	function redraw() {
		const current = list();
		const all = f.plural(rows.filter(counted).length, rowName);
		shown.update({rows: current, sort: view.sort});
		found.textContent =
			current.length === rows.length ? all : `${f.count(current.filter(counted).length)} of ${all}`;
		drawn?.(current);
	}

	function change(next) {
		Object.assign(view, next);
		redraw();
		save();
	}

	function update(next) {
		rows = next;
		redraw();
	}

	redraw();
	const target = linked && list().find((row) => detail?.open.has(row));
	if (target) setTimeout(() => at.signal.aborted || shown.reveal(target));
	return {
		save,
		redraw,
		update,
		reveal: shown.reveal,
		node: h('div', {class: 'part'}, h('div', {class: 'toolbar'}, filter, found, links), shown.node),
	};
}
