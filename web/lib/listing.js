// listing.js - a table with its search, its count and its order, as a part of a
// page that keeps all of it in the address.

import {h} from './dom.js';
import * as f from './format.js';
import {matching, sorted, table} from './table.js';

// Shorter ones are whole on the page, so that what opens in them need not scroll
// within what scrolls.
const LONG = 150;

// `usual` is the order without a word in the address; text(row) is what is
// searched; `what` names rows ("operator"); `keep()` answers what else belongs
// in the address. save() and redraw() are for tabs.js and for whoever opens a row,
// update(rows) for whom has others.
export function listing({
	caption,
	columns,
	rows,
	query,
	usual,
	what,
	text,
	detail,
	empty,
	links,
	at,
	keep,
	drawn,
	tall = rows.length > LONG,
}) {
	const view = {sort: query.get('sort') ?? usual, q: query.get('q') ?? ''};
	const found = h('span', {class: 'quiet', role: 'status'});
	const list = () => sorted(matching(rows, view.q, text), columns, view.sort);
	const shown = table({
		caption,
		columns,
		rows: [],
		sort: view.sort,
		tall,
		detail,
		empty: rows.length ? `No ${what} has this in it.` : empty,
		onsort: (sort) => change({sort}),
	});
	const filter = h('input', {
		type: 'search',
		'aria-label': `Search ${f.plural(2, what).slice(2)}`,
		value: view.q,
		placeholder: `Search ${f.plural(2, what).slice(2)}`,
		on: {input: (e) => change({q: e.target.value.trim()})},
	});

	function save() {
		at.keep({sort: view.sort === usual ? '' : view.sort, q: view.q, ...keep?.()});
	}

	function redraw() {
		const now = list();
		shown.update({rows: now, sort: view.sort});
		found.textContent =
			now.length === rows.length
				? f.plural(rows.length, what)
				: `${f.count(now.length)} of ${f.plural(rows.length, what)}`;
		drawn?.(now);
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
	return {
		save,
		redraw,
		update,
		reveal: shown.reveal,
		node: h('div', {class: 'part'}, h('div', {class: 'toolbar'}, filter, found, links), shown.node),
	};
}
