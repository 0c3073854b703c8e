// timeline_chart.js - the timeline of a run on a canvas: a strip per stream, per level of ranges,
// for iterations and for idle time. Wheel, drag, buttons and keys zoom and move it.
//
// Two answers of the server are drawn: that of the whole run, and above it the newest one of a
// window. So a new view is drawn at once from what is there, and again when finer data arrives.

import {h} from '../lib/dom.js';
import {duration, plural} from '../lib/format.js';
import {announce} from '../lib/notices.js';
import {
	CAUSES, keyOf, layerOf, looksOf, nameText, RANKED, segmentAt, segmentText, stripLabel, timeTicks, within, zoomed,
} from './timeline_terms.js';

// The drawing. Colors are read from the style sheet; pixels are written as an image, because a
// rectangle per segment would be tens of thousands of drawing calls per frame.

const HEIGHTS = {idle: 14, iterations: 16, ranges: 15, gpu_ranges: 15, stream: 22};
const AXIS = 20;
const GAP = 3;
const LABEL = 14;
const NARROW = 640;
const GUTTER = 148;
const TEXT_PX = 44;
const LETTER_PX = 6.4;
const LOOKS = [
	...Array.from({length: RANKED}, (_, i) => `kernel-${i + 1}`),
	'other', 'copy', 'set', 'graph', 'range', 'module', 'iteration', 'iteration-next', 'excluded',
	...Object.keys(CAUSES),
];

// Hatchings of idle causes, so that they differ without color: whether a pixel is of the paler shade.
const HATCHES = {
	synchronization: () => false,
	copy_wait: (x, y) => (x + y) % 6 < 2,
	host_gap: (x, y) => (x - y + 6000) % 6 < 2,
	launch_bound: (x) => x % 4 < 1,
	graph_launch: (x, y) => y % 4 < 1,
	stream_dependency: (x, y) => (x + y) % 4 < 1 || (x - y + 4000) % 4 < 1,
	unknown: (x, y) => x % 3 === 0 && y % 3 === 0,
};

// A color of the style sheet as {pixel, r, g, b}.
function colorReader() {
	const ctx = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
	return (text) => {
		ctx.fillStyle = text;
		ctx.fillRect(0, 0, 1, 1);
		return [...ctx.getImageData(0, 0, 1, 1).data.slice(0, 3)];
	};
}

const pixelOf = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
const mixed = (a, b, share) => a.map((v, i) => Math.round(v * share + b[i] * (1 - share)));
// The black or white that has more contrast with a color: by WCAG's relative luminance, at which both
// are equal at 0.179.
const light = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
const inkOn = ([r, g, b]) => (0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b) > 0.179 ? '#000' : '#fff');

const SHADES = 16;

function colorsOf(node) {
	const style = getComputedStyle(node);
	const read = colorReader();
	const get = (name) => read(style.getPropertyValue(`--timeline-${name}`).trim());
	const ground = get('ground');
	const looks = Object.fromEntries(
		LOOKS.map((name) => {
			const rgb = get(name);
			// By how much of a segment is busy: a sparse one is paler.
			const shades = Uint32Array.from({length: SHADES + 1}, (_, i) =>
				pixelOf(mixed(rgb, ground, 0.3 + (0.7 * i) / SHADES)),
			);
			const [faint, pale] = [0.18, 0.35].map((part) => pixelOf(mixed(rgb, ground, part)));
			return [name, {shades, faint, pale, ink: inkOn(rgb)}];
		}),
	);
	return {
		looks,
		empty: pixelOf(get('empty')),
		ground: pixelOf(ground),
		page: style.getPropertyValue('--timeline-ground').trim(),
		ink: style.getPropertyValue('--timeline-ink').trim(),
		quiet: style.getPropertyValue('--timeline-quiet').trim(),
		line: style.getPropertyValue('--timeline-line').trim(),
		mark: style.getPropertyValue('--timeline-mark').trim(),
	};
}

// Fills a row of pixels with the segments of a strip that are in the window of its layer.
function fillRow(row, looks, strip, layer, {colors, view, chosen}) {
	const scale = row.length / (view.to - view.from);
	const [first, last] = [
		Math.max(0, Math.round((layer.from - view.from) * scale)),
		Math.min(row.length, Math.round((layer.to - view.from) * scale)),
	];
	if (first >= last) return;
	row.fill(colors.empty, first, last);
	looks?.fill(null, first, last);
	const {start, dur_ns: dur, busy_ns: busy, name} = strip;
	for (let i = 0; i < start.length; i++) {
		const x1 = Math.max(first, Math.round((start[i] - view.from) * scale));
		if (x1 >= last) break;
		const end = Math.round((start[i] + dur[i] - view.from) * scale);
		if (end < first) continue;
		const x2 = Math.min(last, Math.max(x1 + 1, end));
		const look = colors.looks[layer.look[name[i]]];
		const dim = chosen !== null && layer.keys[name[i]] !== chosen;
		const share = dur[i] > 0 ? Math.min(1, busy[i] / dur[i]) : 1;
		row.fill(dim ? look.faint : look.shades[Math.round(share * SHADES)], x1, x2);
		looks?.fill(layer.look[name[i]], x1, x2);
		// The edge between neighbors of one color.
		if (x2 - x1 > 3) row[x2 - 1] = colors.ground;
	}
}

const cut = (text, px) => {
	const letters = Math.floor(px / LETTER_PX);
	if (text.length <= letters) return text;
	return `${text.slice(0, Math.max(0, letters - 1)).replace(/[\ud800-\udbff]$/, '')}…`;
};

// Paints the strips of a view on a canvas. `rows` is the layout: [{strip key, y, height}].
function painter(canvas) {
	const ctx = canvas.getContext('2d', {alpha: false});
	let image = null;

	function strips(rows, {layers, view, chosen, colors, ratio, left, wide}) {
		const [px, top] = [Math.round(wide * ratio), Math.round(AXIS * ratio)];
		const high = canvas.height - top;
		if (!image || image.width !== px || image.height !== high) image = ctx.createImageData(px, high);
		const out = new Uint32Array(image.data.buffer);
		out.fill(colors.ground);
		const row = new Uint32Array(px);
		for (const {key, y, height} of rows) {
			const looks = key.startsWith('idle') ? new Array(px).fill(null) : null;
			row.fill(colors.empty);
			for (const layer of layers) {
				const strip = layer.strips.get(key) ?? {start: []};
				fillRow(row, looks, strip, layer, {colors, view, chosen});
			}
			const [from, to] = [Math.round(y * ratio) - top, Math.round((y + height) * ratio) - top];
			for (let line = from; line < to; line++) out.set(row, line * px);
			if (looks) hatch(out, looks, from, to, px, colors);
		}
		ctx.putImageData(image, Math.round(left * ratio), top);
	}

	function hatch(out, looks, from, to, px, colors) {
		for (let x = 0; x < px; x++) {
			const is = looks[x] && HATCHES[looks[x]];
			if (!is) continue;
			const {pale} = colors.looks[looks[x]];
			for (let y = from; y < to; y++) if (is(x, y)) out[y * px + x] = pale;
		}
	}

	// Names inside segments that are wide enough.
	function names(rows, {layers, view, colors, left, wide, chosen}) {
		const scale = wide / (view.to - view.from);
		ctx.textBaseline = 'middle';
		ctx.textAlign = 'left';
		for (const {key, y, height} of rows) {
			if (key.startsWith('idle')) continue;
			const layer = layers.findLast((l) => l.strips.has(key) && l.from < view.to && l.to > view.from);
			const strip = layer?.strips.get(key);
			if (!strip) continue;
			for (let i = 0; i < strip.start.length; i++) {
				const x1 = Math.max(0, (strip.start[i] - view.from) * scale);
				const x2 = Math.min(wide, (strip.start[i] + strip.dur_ns[i] - view.from) * scale);
				if (x1 > wide) break;
				if (x2 - x1 < TEXT_PX) continue;
				const dim = chosen !== null && layer.keys[strip.name[i]] !== chosen;
				const text = cut(nameText(layer.names[strip.name[i]]), x2 - x1 - 8);
				ctx.fillStyle = dim ? colors.quiet : colors.looks[layer.look[strip.name[i]]].ink;
				ctx.fillText(text, left + x1 + 4, y + height / 2 + 0.5, x2 - x1 - 6);
			}
		}
	}

	function axis({view, colors, left, wide}) {
		const {list, texts} = timeTicks(view, Math.max(2, Math.floor(wide / 120)));
		ctx.textBaseline = 'top';
		ctx.textAlign = 'left';
		list.forEach((ns, i) => {
			const x = left + ((ns - view.from) * wide) / (view.to - view.from);
			if (x < left || x > left + wide) return;
			ctx.fillStyle = colors.line;
			ctx.fillRect(x, 0, 1, AXIS);
			ctx.fillStyle = colors.quiet;
			if (x + 40 < left + wide) ctx.fillText(texts[i], x + 4, 3);
		});
	}

	function labels(rows, {colors, left}) {
		ctx.textBaseline = 'middle';
		ctx.textAlign = 'left';
		ctx.fillStyle = colors.ink;
		for (const {label, y, height} of rows) {
			if (!label) continue;
			if (left) ctx.fillText(cut(label, left - 12), 6, y + height / 2);
			else ctx.fillText(cut(label, 240), 2, y - LABEL / 2);
		}
	}

	function marks({view, colors, left, wide, range, selected, rows}) {
		const x = (ns) => left + ((ns - view.from) * wide) / (view.to - view.from);
		const bottom = canvas.clientHeight;
		ctx.fillStyle = colors.mark;
		if (range) {
			const [x1, x2] = [Math.max(left, x(range.from)), Math.min(left + wide, x(range.to))];
			ctx.globalAlpha = 0.18;
			if (x2 > x1) ctx.fillRect(x1, 0, x2 - x1, bottom);
			ctx.globalAlpha = 1;
			for (const at of [x(range.from), x(range.to)])
				if (at >= left && at <= left + wide) ctx.fillRect(at - 1, 0, 2, bottom);
		}
		const row = selected && rows.find(({key}) => key === selected.key);
		if (!row) return;
		const ends = [x(selected.start), x(selected.start + selected.dur)];
		if (ends[1] < left || ends[0] > left + wide) return;
		const [x1, x2] = [Math.max(left, ends[0]), Math.min(left + wide, ends[1])];
		ctx.lineWidth = 2;
		ctx.strokeStyle = colors.mark;
		ctx.strokeRect(x1 - 1, row.y - 1, Math.max(4, x2 - x1) + 2, row.height + 2);
	}

	return (rows, state) => {
		const {ratio} = state;
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.fillStyle = state.colors.page;
		ctx.fillRect(0, 0, canvas.width, canvas.height);
		strips(rows, state);
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		ctx.font = '11px system-ui, sans-serif';
		ctx.direction = 'ltr';
		axis(state);
		names(rows, state);
		labels(rows, state);
		marks({...state, rows});
	};
}

// The layout: strips from top to bottom.
function layoutOf(layer, left) {
	let y = AXIS;
	const rows = [...layer.strips.values()].map((strip) => {
		const label = stripLabel(strip);
		if (!left && label) y += LABEL;
		const row = {key: strip.key, label, y, height: HEIGHTS[strip.kind]};
		y += row.height + GAP;
		return row;
	});
	return {rows, height: y};
}

// Views: what wheel, pointers and keys do.

const WHEEL = 0.0016;
const STEP = 0.15;
const KEY_ZOOM = 0.6;
// The window of a request waits this long for further movement.
const SETTLE_MS = 120;
const CLICK_PX = 4;
// A view may be this short: a request has bins of at least 1 ns.
const MIN_NS = 200;

const share = (x, wide) => Math.max(0, Math.min(1, x / wide));

function listenKeys(canvas, {zoom, move, step, showAll, clear}) {
	const keys = {
		'+': () => zoom(KEY_ZOOM), '=': () => zoom(KEY_ZOOM), w: () => zoom(KEY_ZOOM),
		'-': () => zoom(1 / KEY_ZOOM), s: () => zoom(1 / KEY_ZOOM),
		ArrowLeft: () => move(-STEP), a: () => move(-STEP),
		ArrowRight: () => move(STEP), d: () => move(STEP),
		Home: showAll,
		ArrowDown: () => step(0, 1), ArrowUp: () => step(0, -1),
		',': () => step(-1, 0), '.': () => step(1, 0),
		Escape: clear,
	};
	canvas.addEventListener('keydown', (e) => {
		const act = keys[e.key];
		if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
		e.preventDefault();
		e.stopPropagation();
		act();
	});
}

// The wheel zooms at the pointer; sideways or with Shift it moves.
function listenWheel(canvas, state, {zoom, move, place, isWhole}) {
	canvas.addEventListener('wheel', (e) => {
		const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey;
		// The page scrolls if there is nothing to zoom or to move.
		if (isWhole() && (sideways || e.deltaY > 0)) return;
		e.preventDefault();
		const px = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1;
		const by = Math.max(-600, Math.min(600, e.deltaY * px));
		if (sideways) move(((e.deltaX || e.deltaY) * px) / state.wide);
		else zoom(Math.exp(by * WHEEL), share(place(e).x, state.wide));
	}, {passive: false});
}

// One pointer moves the view, selects a range with Shift, or selects a segment with a click; two
// zoom. `over` gets what the pointer is on.
function listenPointers(canvas, state, {zoom, show, place, timeAt, hit, select, setRange, redraw, over}) {
	const pointers = new Map();
	let drag = null;

	function pinch(before, now) {
		const gap = ([a, b]) => Math.max(8, Math.abs(a.x - b.x));
		zoom(gap(before) / gap(now), share((now[0].x + now[1].x) / 2, state.wide));
		drag = null;
	}

	function dragTo(at) {
		drag.moved ||= Math.abs(at.x - drag.at.x) > CLICK_PX;
		if (!drag.moved) return;
		if (drag.select) {
			const [from, to] = [timeAt(drag.at.x), timeAt(at.x)].sort((a, b) => a - b);
			state.range = {from: Math.floor(from), to: Math.max(Math.floor(from) + 1, Math.ceil(to))};
			redraw();
		} else {
			const by = ((drag.at.x - at.x) * (drag.view.to - drag.view.from)) / state.wide;
			show({from: drag.view.from + by, to: drag.view.to + by});
		}
	}

	function release(e) {
		if (!pointers.delete(e.pointerId) || !drag) return;
		if (drag.moved && drag.select) setRange(state.range);
		else if (!drag.moved && e.type === 'pointerup') select(hit(place(e)), false);
		drag = null;
	}

	canvas.addEventListener('pointerdown', (e) => {
		if (e.button !== 0) return;
		const at = place(e);
		pointers.set(e.pointerId, at);
		canvas.setPointerCapture(e.pointerId);
		drag = {at, view: state.view, moved: false, select: e.shiftKey};
	});
	canvas.addEventListener('pointermove', (e) => {
		const at = place(e);
		if (!pointers.has(e.pointerId)) {
			over(hit(at));
			return;
		}
		const before = [...pointers.values()];
		pointers.set(e.pointerId, at);
		const now = [...pointers.values()];
		if (now.length === 2) pinch(before, now);
		else if (drag) dragTo(at);
	});
	canvas.addEventListener('pointerup', release);
	canvas.addEventListener('pointercancel', release);
	canvas.addEventListener('pointerleave', () => over(null));
}

// The buttons above the drawing, and how to use it without them.
function tools({zoom, move, showAll}) {
	const button = (text, label, click) => h('button', {type: 'button', 'aria-label': label, title: label, on: {click}}, text);
	return h(
		'div',
		{class: 'toolbar timeline-tools'},
		button('+', 'Zoom in', () => zoom(KEY_ZOOM)),
		button('−', 'Zoom out', () => zoom(1 / KEY_ZOOM)),
		button('←', 'Earlier', () => move(-STEP)),
		button('→', 'Later', () => move(STEP)),
		button('Whole run', 'Show the whole run', showAll),
		h(
			'span',
			{class: 'hint', id: 'timeline-keys'},
			'Wheel or + − zoom, drag or ← → move, Home shows the whole run. ',
			'Shift and drag selects a range. Click, or ↑ ↓ and , . select a segment.',
		),
	);
}

// `overview` is the answer of the whole run. load(from, to, pixels, signal) requests a window.
// onView(doc) gets each answer that is shown; onMove({from, to}) each settled view; onSelect(key,
// name) the name that was clicked, or null; onRange(range or null) a selected range; onFail(error,
// again) a request that failed. `chosen` is the key of the kernel that is highlighted first, or null.
export function timeline({overview, start, chosen, load, onView, onMove, onSelect, onRange, onFail, signal}) {
	const end = overview.end_ns;
	const min = Math.min(MIN_NS, end);
	const looks = looksOf(overview);
	const whole = layerOf(overview, looks);
	const view = within(start ?? {from: 0, to: end}, end, min);
	const state = {layers: [whole], view, chosen, range: null, selected: null};
	const readout = h('p', {class: 'readout', 'aria-hidden': 'true'});
	const canvas = h('canvas', {
		class: 'timeline-canvas',
		role: 'img',
		tabindex: 0,
		'aria-label': `Timeline of ${plural(overview.strips.length, 'strip')} over ${duration(end)}`,
		'aria-describedby': 'timeline-keys',
	});
	const paint = painter(canvas);
	const isWhole = () => state.view.to - state.view.from >= end;
	let [rows, frame, timer, request, width] = [[], 0, 0, null, 0];

	function draw() {
		frame = 0;
		if (width) paint(rows, state);
	}
	function redraw() {
		frame ||= requestAnimationFrame(draw);
	}

	function resize() {
		const [ratio, left] = [Math.min(2, devicePixelRatio || 1), width < NARROW ? 0 : GUTTER];
		const layout = layoutOf(whole, left);
		rows = layout.rows;
		Object.assign(state, {ratio, left, wide: width - left, colors: colorsOf(canvas)});
		canvas.style.height = `${layout.height}px`;
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(layout.height * ratio);
		draw();
	}

	async function fetchView() {
		const {from, to} = state.view;
		request?.abort();
		request = new AbortController();
		const mine = request;
		try {
			const pixels = Math.max(1, Math.min(4096, Math.floor(to - from), Math.round(state.wide)));
			const doc = await load(Math.floor(from), Math.ceil(to), pixels, mine.signal);
			if (mine.signal.aborted || signal.aborted) return;
			state.layers = [whole, layerOf(doc, looks)];
			redraw();
			onView(doc);
		} catch (error) {
			if (!mine.signal.aborted && !signal.aborted) onFail(error, fetchView);
		}
	}

	function settle() {
		clearTimeout(timer);
		timer = setTimeout(() => {
			onMove(state.view, isWhole());
			fetchView();
		}, SETTLE_MS);
	}

	// Shows another view at once, and requests its data when it stays.
	function show(view) {
		state.view = within(view, end, min);
		redraw();
		settle();
	}

	const place = (e) => {
		const box = canvas.getBoundingClientRect();
		return {x: e.clientX - box.left - state.left, y: e.clientY - box.top};
	};
	const timeAt = (x) => state.view.from + share(x, state.wide) * (state.view.to - state.view.from);

	// The segment at a point: {layer, strip, i}, or null.
	function hit({x, y}) {
		const row = rows.find((r) => y >= r.y - 1 && y < r.y + r.height + 2);
		if (!row || x < 0) return null;
		const ns = timeAt(x);
		const layer = state.layers.findLast((l) => l.strips.has(row.key) && l.from <= ns && l.to >= ns);
		const strip = layer?.strips.get(row.key);
		const i = strip ? segmentAt(strip, ns, (3 * (state.view.to - state.view.from)) / state.wide) : -1;
		return i < 0 ? null : {layer, strip, i};
	}

	function select(at, byKey) {
		const name = at ? at.layer.names[at.strip.name[at.i]] : null;
		state.selected = at && {key: at.strip.key, start: at.strip.start[at.i], dur: at.strip.dur_ns[at.i]};
		state.chosen = name?.kind === 'kernel' ? keyOf(name) : null;
		const text = at ? segmentText(at.layer, at.strip, at.i) : '';
		if (byKey && text) announce(text);
		onSelect(name, text);
		redraw();
	}

	// Moves the selection by `dx` segments, or to the strip `dy` below.
	function step(dx, dy) {
		const seen = rows.filter(({key}) => state.layers.some((l) => l.strips.get(key)?.start.length));
		if (!seen.length) return;
		const {from, to} = state.view;
		const now = seen.findIndex(({key}) => key === state.selected?.key);
		const {key} = seen[now < 0 ? 0 : Math.max(0, Math.min(seen.length - 1, now + dy))];
		const layer = state.layers.findLast((l) => l.strips.has(key));
		const strip = layer.strips.get(key);
		const {start, dur_ns: dur} = strip;
		const inView = [...start.keys()].filter((i) => start[i] < to && start[i] + dur[i] >= from);
		if (!inView.length) return select(null, true);
		const at = state.selected && !dy ? inView.findIndex((i) => start[i] === state.selected.start) : -1;
		const i = inView[at < 0 ? 0 : Math.max(0, Math.min(inView.length - 1, at + dx))];
		select({layer, strip, i}, true);
	}

	const zoom = (factor, at = 0.5) => show(zoomed(state.view, factor, at));
	const move = (share) => {
		const by = (state.view.to - state.view.from) * share;
		show({from: state.view.from + by, to: state.view.to + by});
	};
	function setRange(range) {
		state.range = range;
		onRange(range);
		redraw();
	}

	new ResizeObserver(([{contentRect}]) => {
		const next = Math.floor(contentRect.width);
		if (next > 0 && next !== width) {
			const first = !width;
			width = next;
			resize();
			if (first && !isWhole()) fetchView();
		}
	}).observe(canvas);
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => width && resize(), {signal});
	signal.addEventListener('abort', () => {
		clearTimeout(timer);
		request?.abort();
	});

	const acts = {
		zoom, move, step, show, place, timeAt, hit, select, setRange, redraw,
		isWhole,
		showAll: () => show({from: 0, to: end}),
		clear: () => {
			setRange(null);
			select(null, false);
		},
		over: (at) => { readout.textContent = at ? segmentText(at.layer, at.strip, at.i) : ''; },
	};
	listenKeys(canvas, acts);
	listenWheel(canvas, state, acts);
	listenPointers(canvas, state, acts);
	return {
		node: h('div', {class: 'timeline-frame'}, tools(acts), canvas, readout),
		looks,
		// Highlights a kernel in all strips; null: none.
		choose: (key) => {
			state.chosen = key;
			redraw();
		},
		clearRange: () => setRange(null),
		show,
	};
}

