// rows.js - the body of a table. A few hundred rows are simply there; of more,
// only those near the eye are, in bodies of a hundred rows each, and the others
// are a gap of their height. Assistive technology is told the true count.

import {h} from './dom.js';

const PLAIN = 400;
const CHUNK = 100;
const GUESS_PX = 29;

// Fills `table`, which scrolls inside `region`, and answers draw(rows, empty).
// make(row) gives a row, and what is open beneath it, as a list; `empty` is said
// where there is none. draw.reveal(row) brings a row into sight and answers it.
export function body(region, table, make) {
	const heads = () => [...table.tHead.rows[0].cells];
	let chunks = new Map();
	let watch = null;
	let shown = [];

	function gap(height) {
		return h('tr', {class: 'gap', 'aria-hidden': 'true'},
			h('td', {colspan: heads().length, style: {height: `${height}px`}}));
	}

	function fill(part, chunk) {
		if (chunk.filled)
			return;
		part.replaceChildren(...chunk.rows.flatMap((row, i) => {
			const made = make(row);
			made[0].setAttribute('aria-rowindex', chunk.from + i + 2);
			return made;
		}));
		chunk.filled = true;
	}

	// What someone opened or stands on stays.
	function clear(part, chunk) {
		if (!chunk.filled || part.contains(document.activeElement) || part.querySelector('tr.detail'))
			return;
		part.replaceChildren(gap(part.offsetHeight));
		chunk.filled = false;
	}

	// Columns only grow, so that they stand still while rows come and go.
	function steady() {
		const widths = heads().map((cell) => cell.offsetWidth);
		heads().forEach((cell, i) => cell.style.setProperty('min-width', `${widths[i]}px`));
	}

	function moved(entries) {
		for (const {target, isIntersecting} of entries)
			(isIntersecting ? fill : clear)(target, chunks.get(target));
		steady();
	}

	function windowed(rows) {
		table.setAttribute('aria-rowcount', rows.length + 1);
		for (let from = 0; from < rows.length; from += CHUNK) {
			const chunk = {from, rows: rows.slice(from, from + CHUNK), filled: false};
			const part = h('tbody', {}, gap(chunk.rows.length * GUESS_PX));
			chunks.set(part, chunk);
			if (from === 0)
				fill(part, chunk);
		}
		table.append(...chunks.keys());
		watch = new IntersectionObserver(moved, {root: region, rootMargin: '1000px 0px'});
		for (const part of chunks.keys())
			watch.observe(part);
	}

	function draw(rows, empty) {
		shown = rows;
		watch?.disconnect();
		watch = null;
		chunks = new Map();
		for (const part of [...table.tBodies])
			part.remove();
		table.removeAttribute('aria-rowcount');
		region.scrollTop = 0;
		if (rows.length > PLAIN)
			windowed(rows);
		else
			table.append(h('tbody', {}, rows.length || !empty ? rows.flatMap(make)
				: h('tr', {}, h('td', {colspan: heads().length, class: 'none'}, empty))));
	}

	draw.reveal = (row) => {
		const at = shown.indexOf(row);
		const part = table.tBodies[watch ? Math.floor(at / CHUNK) : 0];
		if (watch)
			fill(part, chunks.get(part));
		const trs = [...part.rows].filter((tr) => !tr.classList.contains('detail'));
		const tr = trs[watch ? at % CHUNK : at];
		tr.scrollIntoView({block: 'center'});
		return tr;
	};

	return draw;
}
