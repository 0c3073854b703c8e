// run_columns.js - what the tables of a run share: a column of times with the
// exact nanoseconds behind it, a share with its bar, the links to the same
// table as a file.

import * as api from '../api.js';
import {h} from '../dom.js';
import * as f from '../format.js';
import {showFailure} from '../news.js';

// `key` is the word in the address and the API's field without its _ns.
export function timeColumn(label, key, unit) {
	const value = (r) => r[`${key}_ns`];
	return {label, unit, num: true, down: key, up: `-${key}`, value,
		cell: (r) => f.inUnit(value(r), unit), title: (r) => f.exact(value(r))};
}

export function share(percent) {
	return h('span', {class: 'share', style: {'--share': `${percent}%`}}, f.percent(percent));
}

const NAMES = {csv: 'CSV', md: 'Markdown'};

// A plain link; with a token, which a plain link would not carry, the bytes
// are asked for here and handed over.
export function exportLink(id, table, format, query) {
	const href = api.tableFile(id, table, format, query);
	const name = `run-${id}-${table}${query.by ? `-by-${query.by}` : ''}.${format}`;
	async function fetched(e) {
		if (!api.hasToken())
			return;
		e.preventDefault();
		try {
			const made = URL.createObjectURL(await api.file(href));
			h('a', {href: made, download: name}).click();
			URL.revokeObjectURL(made);
		} catch (error) {
			showFailure(error, () => fetched(e));
		}
	}
	return h('a', {href, download: name, on: {click: fetched}}, NAMES[format]);
}
