// grouped.js - a table with sections, in a region that scrolls: headings across all columns,
// rows, sums. It keeps the given order.

import {h} from './dom.js';

const LONG = 150;

// A heading across all `span` columns.
export const heading = (name, span, ...content) =>
	h('tr', {class: name}, h('th', {scope: 'rowgroup', colspan: span}, h('div', {class: 'stays'}, ...content)));

// `heads` are the heading rows, `bodies` lists of rows. Long tables scroll below their
// headings.
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
			h('thead', {}, heads),
			bodies.length ? bodies.map((rows) => h('tbody', {}, rows)) : none,
		),
	);
}
