// chart.js - the frame of every chart: what it shows, the drawing, what the
// pointer is at, and the numbers it was drawn from as a table.

import {h} from './dom.js';
import {announce} from './notices.js';
import {table} from './table.js';

// Elements of a drawing, and a frame that draws anew whenever its
// width changes.

const SVG = 'http://www.w3.org/2000/svg';

// s('line', {x1: 0}): as h() of dom.js, of a drawing.
export function s(tag, props, ...children) {
	const node = document.createElementNS(SVG, tag);
	for (const [key, value] of Object.entries(props ?? {}))
		if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
	node.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
	return node;
}

// Dots as one path: a line of no length with a round end each, so that
// thousands are one element.
export const dots = (points) => points.map(({x, y}) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join('');

const STEPS = {ArrowRight: (i) => i + 1, ArrowLeft: (i) => i - 1, Home: () => 0, End: () => Infinity};

// A drawing named `label`. draw(width) answers {height, nodes, points, find};
// points {x, y, text} are what the pointer can ask after: the one that find(x, y)
// answers, or else the nearest, is told to `told`, null on leaving. Where `steps`,
// keys go from point to point, and told hears that it was one.
function drawing(label, draw, told, {steps = false} = {}) {
	const node = s('svg', {role: 'img', 'aria-label': label, class: 'drawing', tabindex: steps ? 0 : null});
	const ring = s('circle', {r: 5, class: 'ring', visibility: 'hidden'});
	let points = [];
	let width = 0;
	let made;
	let stood = -1;

	function redraw() {
		made = draw(width);
		points = made.points;
		node.setAttribute('viewBox', `0 0 ${width} ${made.height}`);
		node.setAttribute('height', made.height);
		ring.setAttribute('visibility', 'hidden');
		node.replaceChildren(...made.nodes, ring);
	}

	function nearest(e) {
		const box = node.getBoundingClientRect();
		const [x, y] = [e.clientX - box.left, e.clientY - box.top];
		if (made?.find) return made.find(x, y);
		let best = null;
		let least = Infinity;
		for (const point of points) {
			const d = (point.x - x) ** 2 + (point.y - y) ** 2;
			if (d < least) [best, least] = [point, d];
		}
		return least < 40 ** 2 ? best : null;
	}

	function mark(point, byKey) {
		ring.setAttribute('visibility', point ? 'visible' : 'hidden');
		if (point) {
			ring.setAttribute('cx', point.x);
			ring.setAttribute('cy', point.y);
		}
		told(point?.text ?? null, byKey);
	}

	const ask = (e) => mark(nearest(e), false);

	function step(e) {
		const to = STEPS[e.key]?.(stood);
		if (to === undefined || !points.length) return;
		e.preventDefault();
		stood = Math.max(0, Math.min(points.length - 1, to));
		mark(points[stood], true);
	}

	function left() {
		ring.setAttribute('visibility', 'hidden');
		told(null, false);
	}

	node.addEventListener('pointermove', ask);
	node.addEventListener('pointerdown', ask);
	node.addEventListener('pointerleave', left);
	if (steps) {
		node.addEventListener('keydown', step);
		node.addEventListener('blur', left);
	}
	new ResizeObserver(([{contentRect}]) => {
		const next = Math.floor(contentRect.width);
		if (next > 0 && next !== width) {
			width = next;
			redraw();
		}
	}).observe(node);
	return node;
}

// `draw` and `steps` as in svg.js; `columns` and `rows` make the table, when it is
// opened.
export function chart({caption, label, hint, draw, columns, rows, steps}) {
	const at = h('p', {class: 'readout', 'aria-hidden': 'true'}, hint);
	const told = (text, byKey) => {
		at.textContent = text ?? hint;
		if (byKey) announce(text);
		at.classList.toggle('told', text !== null);
	};
	const numbers = h(
		'details',
		{
			class: 'numbers',
			on: {
				toggle: () => {
					if (numbers.open && numbers.childElementCount === 1)
						numbers.append(table({caption: `${caption}, numbers`, columns, rows, tall: true}).node);
				},
			},
		},
		h('summary', {}, 'The numbers'),
	);
	return h(
		'figure',
		{class: 'chart'},
		h('figcaption', {}, caption),
		drawing(label, draw, told, {steps}),
		h('div', {class: 'under'}, at, numbers),
	);
}
