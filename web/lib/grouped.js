// grouped.js - a table with sections in a scrolling region: headings across all columns, rows,
// sums. Rows keep the given order.

import {h} from './dom.js';
import {explainRows} from '../finding/term.js';

const LONG = 150;

// A heading across all columns; `span` is their number.
export const heading = (name, span, ...content) =>
	h('tr', {class: name}, h('th', {scope: 'rowgroup', colspan: span}, h('div', {class: 'stays'}, ...content)));

// `heads` are the heading rows; `bodies` are lists of rows. The rows of a long table scroll below
// its headings.
export function grouped({caption, heads, bodies, empty, span}) {
	const none = h('tbody', {}, h('tr', {}, h('td', {colspan: span, class: 'none'}, empty)));
	const tall = bodies.reduce((n, rows) => n + rows.length, 0) > LONG;
	return h(
		'div',
		{class: tall ? 'scroll tall' : 'scroll', role: 'region', 'aria-label': `${caption}, table`, tabindex: '0'},
		h(
			'table',
			{class: 'grouped'},
			h('caption', {class: 'visually-hidden'}, caption),
			h('thead', {}, explainRows([heads].flat())),
			bodies.length ? bodies.map((rows) => h('tbody', {}, rows)) : none,
		),
	);
}
