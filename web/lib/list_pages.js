// list_pages.js - a list that the server returns in pages: how many items it has, links to the other
// pages, and a button that adds the next page.

import {h} from './dom.js';
import * as f from './format.js';
import {showFailure} from './notices.js';

// "1,460 runs, 50 on this page"; "more than 10,000 runs, 50 on this page". An answer without a
// number gives only the number of items on the page.
export function countText({items, total, total_exact: exact}, noun) {
	const shown = items.length;
	if (total === null || (exact && total === shown)) return f.plural(shown, noun);
	return `${exact ? '' : 'more than '}${f.plural(total, noun)}, ${f.count(shown)} on this page`;
}

export const listCount = (answer, noun) => h('p', {class: 'quiet', role: 'status'}, countText(answer, noun));

// `to(cursor)` is the address of the page with this cursor; of the first page, for null.
export function pager(to, cursor, next) {
	return h(
		'nav',
		{class: 'pager', 'aria-label': 'Pages of the list'},
		cursor ? h('a', {href: to(null)}, 'First page') : null,
		next ? h('a', {href: to(next), rel: 'next'}, 'Next page') : null,
	);
}

// The page's address with another cursor and the same filter.
export function pageUrl(path, query, cursor) {
	const q = new URLSearchParams(query);
	q.delete('cursor');
	if (cursor) q.set('cursor', cursor);
	return q.size ? `${path}?${f.query(q)}` : path;
}

// A button that adds the next page below the items that are shown: load() adds it and returns whether
// there is another one. `noun` is in the plural.
export function moreButton(noun, load, signal) {
	const line = h('p', {class: 'line'}, h('button', {type: 'button', on: {click: add}}, `Load more ${noun}`));
	let loading = false;

	async function add() {
		if (loading) return;
		loading = true;
		line.setAttribute('aria-busy', 'true');
		try {
			if (!(await load())) line.remove();
		} catch (error) {
			if (!signal.aborted) showFailure(error, add);
		}
		loading = false;
		line.removeAttribute('aria-busy');
	}

	return line;
}
