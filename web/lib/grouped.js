// grouped.js - a table in parts, in a region of its own that scrolls: headings
// that span it, rows, sums. It keeps the order it is given.

import {h} from './dom.js';

const LONG = 150;

// A heading over all `span` columns, as a body of its own part.
export const heading = (name, span, ...content) =>
	h('tr', {class: name}, h('th', {scope: 'rowgroup', colspan: span}, h('div', {class: 'stays'}, ...content)));

// `heads` are the rows of the head, `bodies` lists of rows. Long
// ones scroll under their heads.
export function grouped({caption, heads, bodies, empty, span}) {
	const none = h('tbody', {}, h('tr', {}, h('td', {colspan: span, class: 'none'}, empty)));
	const tall = bodies.reduce((n, rows) => n + rows.length, 0) > LONG;
	return h(
		'div',
		{class: tall ? 'scroll tall' : 'scroll', role: 'region', 'aria-label': `${caption}, table`, tabindex: '0'},
		h(
			'table',
			{class: 'grouped'},
			h('caption', {class: 'unseen'}, caption),
			h('thead', {}, heads),
			bodies.length ? bodies.map((rows) => h('tbody', {}, rows)) : none,
		),
	);
}
