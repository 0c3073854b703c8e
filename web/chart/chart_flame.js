// chart_flame.js - draws a flame graph with the root at the top. Each bar is an element, so that its
// text is real text and the keyboard reaches it; at most a few thousand bars are wide enough.

import {h} from '../lib/dom.js';
import {barText, change, changeLook, exactTitle, figure, KINDS, placed, sentence} from '../lib/flame.js';

// Narrower bars could be neither seen nor clicked.
const MIN_PX = 2;
// Bars with less space have no sign.
const SIGN_PX = 28;
// The sign and the space around the text.
const AROUND_PX = 32;
const ROW_PX = 24;

// The sign is drawn by the style sheet, because the accessible name begins with the text.
function textOf({bar, above, width}, px, root, basis, measure) {
	const of = barText(bar, above ? '' : figure(bar.node, root, basis), width * px - AROUND_PX, measure);
	if (!of) return [];
	return [
		h('bdi', {class: bar.main.user_frame ? 'user' : null}, of.name),
		...(of.user ? [' · ', h('bdi', {class: 'user'}, of.user)] : []),
		of.figure ? ` ${of.figure}` : null,
	];
}

// Widths of texts in bold, the widest that a bar has. Each character is measured once.
function measuring(node) {
	const context = document.createElement('canvas').getContext('2d');
	const known = new Map();
	const {fontSize, fontFamily} = getComputedStyle(node);
	context.font = `700 ${fontSize} ${fontFamily}`;
	return (text) => {
		let px = 0;
		for (const c of text) {
			if (!known.has(c)) known.set(c, context.measureText(c).width);
			px += known.get(c);
		}
		return px;
	};
}

// A tree of bars. onFocus(bar) is called when a bar gets the focus or the pointer, onZoom(bar) when it
// is zoomed. update({bars, top, hits, basis}) draws; `hits` is the Set of found bars or null.
export function flameChart({label, onFocus, onZoom}) {
	const node = h('div', {class: 'flame', role: 'tree', 'aria-label': label});
	let view = null;
	let shown = [];
	let current = null;
	let width = 0;
	let measure = null;

	const elementOf = (bar) => shown.find((s) => s.at.bar === bar)?.element;

	function element(at) {
		const {bar} = at;
		const root = view.bars[0].node;
		const diff = change(bar.node, root, view.basis);
		const look = diff ? changeLook(diff) : KINDS[bar.main.kind].look;
		const classes = ['bar', look, at.width * width >= SIGN_PX ? 'named' : '', at.above ? 'above' : '', view.hits ? (view.hits.has(bar.id) ? 'hit' : 'miss') : ''];
		return h(
			'div',
			{
				role: 'treeitem',
				class: classes.filter(Boolean).join(' '),
				'aria-level': bar.depth + 1,
				'aria-label': sentence(bar, root, view.basis),
				'aria-expanded': bar.children.length ? 'true' : null,
				tabindex: -1,
				title: `${bar.main.whole}${bar.main.inside ? `\nin ${bar.main.inside}` : ''}\n${exactTitle(bar.node)}`,
				'data-sign': KINDS[bar.main.kind].sign,
				style: {
					left: `${at.x * 100}%`,
					width: `${at.width * 100}%`,
					top: `${at.row * ROW_PX}px`,
				},
				on: {
					click: () => onZoom(bar),
					focus: () => focused(bar),
					pointerenter: () => onFocus(bar),
				},
			},
			...textOf(at, width, root, view.basis, measure),
		);
	}

	function focused(bar) {
		if (current) elementOf(current)?.setAttribute('tabindex', -1);
		current = bar;
		elementOf(bar)?.setAttribute('tabindex', 0);
		onFocus(bar);
	}

	function draw() {
		if (!view || !width) return;
		const keep = node.contains(document.activeElement);
		const places = placed(view.top, MIN_PX / width);
		shown = places.map((at) => ({at, element: element(at)}));
		node.style.setProperty('height', `${(Math.max(...places.map((p) => p.row)) + 1) * ROW_PX}px`);
		node.replaceChildren(...shown.map((s) => s.element));
		if (!current || !elementOf(current)) current = view.top;
		elementOf(current).setAttribute('tabindex', 0);
		if (keep) elementOf(current).focus({preventScroll: true});
	}

	// The visible bars of a row, from left to right.
	const rowOf = (bar) =>
		shown
			.filter((s) => s.at.row === bar.depth)
			.sort((a, b) => a.at.x - b.at.x)
			.map((s) => s.at.bar);

	const visibleChild = (bar) => bar.children.find((child) => elementOf(child));

	const MOVES = {
		ArrowDown: visibleChild,
		ArrowUp: (bar) => bar.up,
		ArrowRight: (bar) => rowOf(bar)[rowOf(bar).indexOf(bar) + 1],
		ArrowLeft: (bar) => rowOf(bar)[rowOf(bar).indexOf(bar) - 1],
		Home: () => view.top,
	};

	function keydown(e) {
		if (e.ctrlKey || e.metaKey || e.altKey || !current) return;
		if (e.key in MOVES) elementOf(MOVES[e.key](current) ?? current)?.focus();
		else if (e.key === 'Enter' || e.key === ' ') onZoom(current);
		else if (e.key === 'Escape' || e.key === 'Backspace') onZoom(view.top.up ?? view.top);
		else return;
		e.preventDefault();
	}

	node.addEventListener('keydown', keydown);
	new ResizeObserver(([{contentRect}]) => {
		const next = Math.floor(contentRect.width);
		if (next > 0 && next !== width) {
			measure ??= measuring(node);
			width = next;
			draw();
		}
	}).observe(node);

	return {
		node: h('div', {class: 'flame-frame'}, node),
		update(next) {
			view = next;
			draw();
		},
		focus(bar) {
			focused(bar);
			elementOf(bar)?.focus();
		},
	};
}

// What signs and colors mean; in a comparison, what the colors mean.
export function flameLegend(compared) {
	const kinds = ['python', 'annotation', 'module', 'op', 'kernel', 'other'].map((kind) => [
		compared ? 'same' : KINDS[kind].look,
		`${KINDS[kind].sign} ${KINDS[kind].name}`,
	]);
	const changes = [
		['more-3', '+ 30 % and more'],
		['more-2', '+ 10 to 30 %'],
		['more-1', '+ 2 to 10 %'],
		['same', '± less than 2 %'],
		['less-1', '− 2 to 10 %'],
		['less-2', '− 10 to 30 %'],
		['less-3', '− 30 % and more'],
	];
	const line = (list, label) =>
		h(
			'ul',
			{class: 'flame-legend', 'aria-label': label},
			list.map(([look, text]) => h('li', {}, h('span', {class: `swatch ${look}`, 'aria-hidden': 'true'}), text)),
		);
	return h(
		'div',
		{},
		line(kinds, 'Kinds'),
		compared ? line(changes, 'Changes') : null,
		h('p', {class: 'hint'}, h('strong', {}, 'Bold'), ': the nearest user frame.'),
	);
}
