// table.js - tables that sort and filter, rows that open to details, and long tables. It
// arranges rows and computes no data.
//
// A column: {label, unit, num, cell(row) -> text or node, title(row), value(row) to sort by,
// down and up: the sort keys of both directions in the address, head: true for the cell that
// names the row}. A column without `down` and `up` does not sort.
//
// A row can open to a detail below it: {open (the Set of open rows), name(row), fill(row,
// place), changed()}. The button that opens it contains the content of the head cell.

import {h} from './dom.js';
import {heading} from './grouped.js';
import {explain} from '../finding/term.js';

// The direction of a column under a sort key: 'ascending', 'descending', or null.
export function direction(column, sort) {
	if (sort && sort === column.down) return 'descending';
	return sort && sort === column.up ? 'ascending' : null;
}

// The sort key after a click on a column's heading: numbers start with the largest, text with
// A; a second click reverses the order.
export function nextSort(column, sort) {
	const [one, two] = column.num ? [column.down, column.up] : [column.up, column.down];
	return (sort === one ? two : one) ?? one ?? two;
}

// The rows in the order of a sort key. Equal rows keep their order in both directions; unknown
// values are last in both.
export function sorted(rows, columns, sort) {
	const column = columns.find((c) => c.value && direction(c, sort));
	if (!column) return rows;
	const sign = direction(column, sort) === 'ascending' ? 1 : -1;
	return rows
		.map((row, i) => ({row, i, key: column.value(row) ?? null}))
		.sort((a, b) => {
			if (a.key === null || b.key === null) return (a.key === null) - (b.key === null) || a.i - b.i;
			return a.key < b.key ? -sign : a.key > b.key ? sign : a.i - b.i;
		})
		.map(({row}) => row);
}

// The rows whose text contains q, ignoring case.
export function matching(rows, q, text) {
	const want = q.toLowerCase();
	return want ? rows.filter((row) => text(row).toLowerCase().includes(want)) : rows;
}

const kind = (column) =>
	[column.num ? 'num' : '', column.class ?? '', column.head ? 'named' : ''].filter(Boolean).join(' ') || null;

function headCell(column, onClick) {
	const label = [column.label, column.unit ? h('span', {class: 'unit'}, ` (${column.unit})`) : null];
	const sorts = column.up || column.down;
	const cell = h(
		'th',
		{scope: 'col', class: kind(column)},
		sorts
			? h(
					'button',
					{type: 'button', class: 'sort', on: {click: () => onClick(column)}},
					...label,
					h('span', {class: 'arrow', 'aria-hidden': 'true'}),
				)
			: label,
	);
	return explain(cell, column.label);
}

function bodyRow(columns, row, lead) {
	return h(
		'tr',
		{},
		columns.map((c) =>
			h(
				c.head ? 'th' : 'td',
				{scope: c.head ? 'row' : null, class: kind(c), title: c.title?.(row)},
				c.head && lead ? lead(c.cell(row)) : c.cell(row),
			),
		),
	);
}

let details = 0;

// A row, and its detail if it is open.
function openRow(columns, row, detail) {
	const id = `detail-${++details}`;
	let under = null;

	function opened() {
		const place = h('div', {class: 'inside', role: 'group', 'aria-label': `More on ${detail.name(row)}`});
		under = h('tr', {class: 'detail', id}, h('td', {colspan: columns.length}, place));
		detail.fill(row, place);
		return under;
	}

	const button = h('button', {
		type: 'button',
		class: 'open',
		on: {
			click: () => {
				const open = !detail.open.has(row);
				if (open) {
					detail.open.add(row);
					tr.after(opened());
				} else {
					detail.open.delete(row);
					under.remove();
				}
				updateExpanded(open);
				detail.changed();
			},
		},
	});
	const updateExpanded = (open) => {
		button.setAttribute('aria-expanded', open);
		if (open) button.setAttribute('aria-controls', id);
		else button.removeAttribute('aria-controls');
	};
	const tr = bodyRow(columns, row, (cell) => {
		button.append(h('span', {class: 'twist', 'aria-hidden': 'true'}), ...[cell].flat());
		return button;
	});
	updateExpanded(detail.open.has(row));
	return detail.open.has(row) ? [tr, opened()] : [tr];
}

// A table in a scrolling region, so that the page does not scroll sideways. `onsort` gets the sort
// key of a clicked heading and calls update(). `empty` is shown if there are no rows. The rows of a
// `tall` table also scroll vertically below its headings.
//
// `groups` are [{head, rows}]: the rows are in this order, below a heading per group.
export function table({caption, columns, rows, sort, onsort, empty, tall, detail, groups}) {
	const heads = columns.map((c) => headCell(c, (column) => onsort(nextSort(column, sort))));
	const inner = h('table', {}, h('caption', {class: 'visually-hidden'}, caption), h('thead', {}, h('tr', {}, heads)));
	const region = h(
		'div',
		{class: tall ? 'scroll tall' : 'scroll', role: 'region', 'aria-label': `${caption}, table`, tabindex: '0'},
		inner,
	);
	const fill = body(region, inner, (row) => (detail ? openRow(columns, row, detail) : [bodyRow(columns, row)]));

	function draw() {
		columns.forEach((c, i) => {
			const way = direction(c, sort);
			if (way) heads[i].setAttribute('aria-sort', way);
			else heads[i].removeAttribute('aria-sort');
		});
		fill(rows, empty, groups);
	}

	draw();
	return {
		node: region,
		reveal: (row) => fill.reveal(row),
		update(next) {
			({rows = rows, sort = sort} = next);
			draw();
		},
	};
}

// The body of a table. If there are at most PLAIN rows, the page contains all of them. Otherwise
// the page contains only the rows near the visible part, in bodies of CHUNK rows; gaps have the
// height of the other rows. Assistive technology gets the number of all rows.

const PLAIN = 400;
const CHUNK = 100;
const GUESS_PX = 29;

// Groups are always on the page as a whole: a list of runs has at most 500 rows.
//
// Fills `table`, which scrolls inside `region`, and returns draw(rows, empty). make(row)
// returns a row and its open detail as a list; `empty` is shown if there are no rows.
// draw.reveal(row) scrolls to a row and returns it.
function body(region, table, make) {
	const heads = () => [...table.tHead.rows[0].cells];
	let chunks = new Map();
	let watch = null;
	let shown = [];

	function gap(height) {
		return h(
			'tr',
			{class: 'gap', 'aria-hidden': 'true'},
			h('td', {colspan: heads().length, style: {height: `${height}px`}}),
		);
	}

	function fill(part, chunk) {
		if (chunk.filled) return;
		part.replaceChildren(
			...chunk.rows.flatMap((row, i) => {
				const trs = make(row);
				trs[0].setAttribute('aria-rowindex', chunk.from + i + 2);
				return trs;
			}),
		);
		chunk.filled = true;
	}

	// Rows with an open detail or the focus stay.
	function clear(part, chunk) {
		if (!chunk.filled || part.contains(document.activeElement) || part.querySelector('tr.detail')) return;
		part.replaceChildren(gap(part.offsetHeight));
		chunk.filled = false;
	}

	// Columns only grow, so that they do not move while rows come and go.
	function steady() {
		const widths = heads().map((cell) => cell.offsetWidth);
		heads().forEach((cell, i) => cell.style.setProperty('min-width', `${widths[i]}px`));
	}

	function moved(entries) {
		for (const {target, isIntersecting} of entries) (isIntersecting ? fill : clear)(target, chunks.get(target));
		steady();
	}

	function windowed(rows) {
		table.setAttribute('aria-rowcount', rows.length + 1);
		for (let from = 0; from < rows.length; from += CHUNK) {
			const chunk = {from, rows: rows.slice(from, from + CHUNK), filled: false};
			const part = h('tbody', {}, gap(chunk.rows.length * GUESS_PX));
			chunks.set(part, chunk);
			if (from === 0) fill(part, chunk);
		}
		table.append(...chunks.keys());
		watch = new IntersectionObserver(moved, {root: region, rootMargin: '1000px 0px'});
		for (const part of chunks.keys()) watch.observe(part);
	}

	const grouped = ({head, rows}) =>
		h('tbody', {}, heading('group', heads().length, head), rows.flatMap(make));

	function draw(rows, empty, groups) {
		shown = rows;
		watch?.disconnect();
		watch = null;
		chunks = new Map();
		for (const part of [...table.tBodies]) part.remove();
		table.removeAttribute('aria-rowcount');
		region.scrollTop = 0;
		if (groups?.length) table.append(...groups.map(grouped));
		else if (rows.length > PLAIN) windowed(rows);
		else
			table.append(
				h(
					'tbody',
					{},
					rows.length || !empty
						? rows.flatMap(make)
						: h('tr', {}, h('td', {colspan: heads().length, class: 'none'}, empty)),
				),
			);
	}

	draw.reveal = (row) => {
		const at = shown.indexOf(row);
		const part = table.tBodies[watch ? Math.floor(at / CHUNK) : 0];
		if (watch) fill(part, chunks.get(part));
		const trs = [...part.rows].filter((tr) => !tr.classList.contains('detail'));
		const tr = trs[watch ? at % CHUNK : at];
		tr.scrollIntoView({block: 'center'});
		return tr;
	};

	return draw;
}
