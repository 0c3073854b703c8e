// chart.js - the frame of every SVG chart: a caption, the drawing, a line of text for the selected
// point, and a table with the same numbers.

import {imageButton} from './chart_image.js';
import {h} from '../lib/dom.js';
import {announce} from '../lib/notices.js';
import {table} from '../lib/table.js';

// The elements of a drawing, and a frame that draws again when its width changes.

const SVG = 'http://www.w3.org/2000/svg';

// s('line', {x1: 0}) is like h() of dom.js, for SVG.
export function s(tag, props, ...children) {
	const node = document.createElementNS(SVG, tag);
	for (const [key, value] of Object.entries(props ?? {}))
		if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
	node.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
	return node;
}

// Draws dots as one path, so that thousands of dots are one element. Each dot is a line of length 0
// with a round end.
export const dots = (points) => points.map(({x, y}) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join('');

const STEPS = {ArrowRight: (i) => i + 1, ArrowLeft: (i) => i - 1, Home: () => 0, End: () => Infinity};

// A drawing with the accessible name `label`. draw(width) returns {height, nodes, points, find}.
// `points` {x, y, text} are the points that the pointer can select. find(x, y) returns the selected
// point; if there is no find, the nearest point is selected. onPoint(text, byKey) gets the text of
// the selected point, or null when the pointer leaves. With `steps`, arrow keys move between
// points.
function drawing(label, draw, onPoint, {steps = false} = {}) {
	const node = s('svg', {role: 'img', 'aria-label': label, class: 'drawing', tabindex: steps ? 0 : null});
	const ring = s('circle', {r: 5, class: 'ring', visibility: 'hidden'});
	let points = [];
	let width = 0;
	let drawn;
	let current = -1;

	function redraw() {
		drawn = draw(width);
		points = drawn.points;
		node.setAttribute('viewBox', `0 0 ${width} ${drawn.height}`);
		node.setAttribute('height', drawn.height);
		ring.setAttribute('visibility', 'hidden');
		node.replaceChildren(...drawn.nodes, ring);
	}

	function nearest(e) {
		const box = node.getBoundingClientRect();
		const [x, y] = [e.clientX - box.left, e.clientY - box.top];
		if (drawn?.find) return drawn.find(x, y);
		let best = null;
		let minDistance = Infinity;
		for (const candidate of points) {
			const d = (candidate.x - x) ** 2 + (candidate.y - y) ** 2;
			if (d < minDistance) [best, minDistance] = [candidate, d];
		}
		return minDistance < 40 ** 2 ? best : null;
	}

	function select(point, byKey) {
		ring.setAttribute('visibility', point ? 'visible' : 'hidden');
		if (point) {
			ring.setAttribute('cx', point.x);
			ring.setAttribute('cy', point.y);
		}
		onPoint(point?.text ?? null, byKey);
	}

	const hover = (e) => select(nearest(e), false);

	function step(e) {
		const to = STEPS[e.key]?.(current);
		if (to === undefined || !points.length) return;
		e.preventDefault();
		current = Math.max(0, Math.min(points.length - 1, to));
		select(points[current], true);
	}

	function left() {
		ring.setAttribute('visibility', 'hidden');
		onPoint(null, false);
	}

	node.addEventListener('pointermove', hover);
	node.addEventListener('pointerdown', hover);
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

// `draw` and `steps` as in drawing(); `columns` and `rows` make the table when it is opened.
export function chart({caption, label, hint, draw, columns, rows, steps}) {
	const readout = h('p', {class: 'readout', 'aria-hidden': 'true'}, hint);
	const onPoint = (text, byKey) => {
		readout.textContent = text ?? hint;
		if (byKey) announce(text);
		readout.classList.toggle('active', text !== null);
	};
	const numbers = h(
		'details',
		{
			class: 'numbers',
			on: {
				toggle: () => {
					if (numbers.open && numbers.childElementCount === 1)
						numbers.append(table({caption: `${caption}, data`, columns, rows, tall: true}).node);
				},
			},
		},
		h('summary', {}, 'Data table'),
	);
	const picture = drawing(label, draw, onPoint, {steps});
	return h(
		'figure',
		{class: 'chart'},
		h('figcaption', {}, caption),
		picture,
		h('div', {class: 'under'}, readout, imageButton(() => picture, caption), numbers),
	);
}
