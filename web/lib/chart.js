// chart.js - the frame of every chart: what it shows, the drawing, what the
// pointer is at, and the numbers it was drawn from as a table.

import {h} from './dom.js';
import {tell} from './news.js';
import {drawing} from './svg.js';
import {table} from './table.js';

// `draw` and `steps` as in svg.js; `columns` and `rows` make the table, when it is
// opened.
export function chart({caption, label, hint, draw, columns, rows, steps}) {
	const at = h('p', {class: 'readout', 'aria-hidden': 'true'}, hint);
	const told = (text, byKey) => {
		at.textContent = text ?? hint;
		if (byKey)
			tell(text);
		at.classList.toggle('told', text !== null);
	};
	const numbers = h('details', {class: 'numbers', on: {toggle: () => {
		if (numbers.open && numbers.childElementCount === 1)
			numbers.append(table({caption: `${caption}, numbers`, columns, rows, tall: true}).node);
	}}}, h('summary', {}, 'The numbers'));
	return h('figure', {class: 'chart'}, h('figcaption', {}, caption), drawing(label, draw, told, {steps}),
		h('div', {class: 'under'}, at, numbers));
}
