// chart_trend.js - the chart of a trend with up to 50,000 points, drawn by uPlot (kept/).
// Dragging, keys and buttons zoom and move it; each point can be read and clicked.

import {imageButton} from './chart_image.js';
import {h} from '../lib/dom.js';
import {plural, UNITS} from '../lib/format.js';
import {announce} from '../lib/notices.js';
import {axisUnit, tickTexts} from './scale.js';
import * as view from '../lib/trends.js';
import {
	changeText,
	firstIndex,
	groups,
	indicesWithin,
	levelSegments,
	pointText,
	seriesName,
	shortCommit,
	spaced,
} from '../lib/trends.js';

// The contents of the frame: points, levels between change points with their intervals, starts
// of groups, ticked runs.

// Up to this many visible points are drawn as circles, large enough to click.
const FEW = 1500;
const NAME_PX = 84;
const CHANGE_PX = 64;

const COLORS = ['dot', 'level', 'band', 'more', 'less', 'group', 'base', 'head', 'ground', 'ink'];

// The colors of a figure in the reader's current color scheme.
function colorsOf(node) {
	const style = getComputedStyle(node);
	return Object.fromEntries(COLORS.map((name) => [name, style.getPropertyValue(`--trend-${name}`).trim()]));
}

// Positions of values on the canvas of a uPlot frame.
function frameOf(u) {
	const {left, top, width, height} = u.bbox;
	const {x, y} = u.scales;
	const [kx, ky] = [width / (x.max - x.min), height / (y.max - y.min)];
	return {
		left,
		top,
		width,
		height,
		right: left + width,
		foot: top + height,
		px: u.pxRatio ?? devicePixelRatio,
		x: (v) => left + (v - x.min) * kx,
		y: (v) => top + height - (v - y.min) * ky,
	};
}

// One pixel of a color, as an ImageData stores it.
function pixelOf(ctx, color) {
	ctx.fillStyle = color;
	ctx.fillRect(0, 0, 1, 1);
	return new Uint32Array(ctx.getImageData(0, 0, 1, 1).data.buffer)[0];
}

// With many points, draws small squares as pixels of one image. A separate shape for each of tens
// of thousands of points would need one drawing call each.
let layer = null;
function paintPixels(ctx, f, xs, values, [from, to], colors) {
	const [left, top] = [Math.floor(f.left), Math.floor(f.top)];
	const [wide, high] = [Math.ceil(f.width) + 1, Math.ceil(f.height) + 1];
	const size = Math.max(1, Math.round(2 * f.px));
	layer ??= document.createElement('canvas').getContext('2d', {willReadFrequently: true});
	if (layer.canvas.width !== wide || layer.canvas.height !== high)
		[layer.canvas.width, layer.canvas.height] = [wide, high];
	const pixel = pixelOf(layer, colors.dot);
	const image = layer.createImageData(wide, high);
	const set = new Uint32Array(image.data.buffer);
	for (let i = from; i < to; i++) {
		const x = Math.round(f.x(xs[i])) - left - (size >> 1);
		const y = Math.round(f.y(values[i])) - top - (size >> 1);
		for (let row = Math.max(0, y); row < Math.min(high, y + size); row++)
			set.fill(pixel, row * wide + Math.max(0, x), row * wide + Math.max(0, Math.min(wide, x + size)));
	}
	layer.putImageData(image, 0, 0);
	ctx.drawImage(layer.canvas, left, top);
}

function dot(ctx, x, y, r) {
	ctx.moveTo(x + r, y);
	ctx.arc(x, y, r, 0, 2 * Math.PI);
}

function paintDots(ctx, f, xs, values, [from, to], colors) {
	ctx.fillStyle = colors.dot;
	ctx.beginPath();
	for (let i = from; i < to; i++) dot(ctx, f.x(xs[i]), f.y(values[i]), (to - from > 300 ? 2 : 3) * f.px);
	ctx.fill();
}

// The start and end of each level on the canvas.
const spans = (f, doc, xs) =>
	levelSegments(doc).map((s) => ({...s, a: f.x(xs[s.from]), b: f.x(xs[Math.min(s.to, xs.length - 1)])}));

// Intervals are drawn below the points, levels above them.
function paintIntervals(ctx, f, doc, xs, colors) {
	ctx.fillStyle = colors.band;
	for (const {a, b, low, high} of spans(f, doc, xs))
		if (low !== null) ctx.fillRect(a, f.y(high), Math.max(b - a, f.px), Math.max(f.y(low) - f.y(high), f.px));
}

// With many points a level has an outline, to stay visible.
function paintLevels(ctx, f, doc, xs, colors, seam) {
	for (const [color, wide] of [...(seam ? [[colors.ground, 5 * f.px]] : []), [colors.level, 2 * f.px]]) {
		ctx.fillStyle = color;
		for (const {a, b, level} of spans(f, doc, xs))
			ctx.fillRect(a, f.y(level) - wide / 2, Math.max(b - a, 2 * f.px), wide);
	}
}

// A change of the work is neither better nor worse.
const changeColor = (c, colors) => (c.other_work ? colors.group : c.worse ? colors.more : colors.less);

function paintChanges(ctx, f, doc, xs, colors) {
	const seen = doc.change_points
		.map((c) => ({...c, x: f.x(xs[c.index])}))
		.filter(({x}) => x >= f.left && x <= f.right);
	ctx.setLineDash([4 * f.px, 3 * f.px]);
	ctx.lineWidth = 1.5 * f.px;
	for (const c of seen) {
		ctx.strokeStyle = changeColor(c, colors);
		ctx.beginPath();
		ctx.moveTo(c.x, f.top);
		ctx.lineTo(c.x, f.foot);
		ctx.stroke();
	}
	ctx.setLineDash([]);
	ctx.font = `600 ${12 * f.px}px system-ui, sans-serif`;
	ctx.textBaseline = 'top';
	for (const c of spaced(seen, ({x}) => x, CHANGE_PX * f.px)) {
		const text = `${c.change_pct > 0 ? '▲' : '▼'} ${changeText(c.change_pct)}`;
		const left = c.x + CHANGE_PX * f.px > f.right;
		ctx.textAlign = left ? 'right' : 'left';
		const x = c.x + (left ? -4 : 4) * f.px;
		ctx.lineWidth = 3 * f.px;
		ctx.strokeStyle = colors.ground;
		ctx.strokeText(text, x, f.top + 2 * f.px);
		ctx.fillStyle = changeColor(c, colors);
		ctx.fillText(text, x, f.top + 2 * f.px);
	}
}

// Draws a tick at the start of each group, if there is room for all ticks, and its name if it fits.
function paintGroups(ctx, f, xs, all, range, colors) {
	const starts = firstIndex(all, range[0], (g) => g.from);
	const ends = firstIndex(all, range[1], (g) => g.from);
	const ticks = (ends - starts) * 4 * f.px <= f.width ? all.slice(starts, ends) : [];
	ctx.fillStyle = colors.group;
	for (const {from} of ticks) ctx.fillRect(Math.round(f.x(xs[from])), f.foot - 7 * f.px, f.px, 7 * f.px);
	ctx.font = `${11 * f.px}px system-ui, sans-serif`;
	ctx.textAlign = 'left';
	ctx.textBaseline = 'bottom';
	for (const {from, group} of spaced(ticks, (g) => f.x(xs[g.from]), NAME_PX * f.px))
		if (f.x(xs[from]) + (NAME_PX - 8) * f.px < f.right)
			ctx.fillText(shortCommit(group).slice(0, 10), f.x(xs[from]), f.foot - 8 * f.px);
}

function paintPicks(ctx, f, xs, values, sides, colors) {
	for (const side of ['base', 'head'])
		for (const i of sides[side]) {
			const [x, y] = [f.x(xs[i]), f.y(values[i])];
			ctx.fillStyle = colors.ground;
			ctx.strokeStyle = colors[side];
			ctx.lineWidth = 2.5 * f.px;
			ctx.beginPath();
			dot(ctx, x, y, 5 * f.px);
			ctx.fill();
			ctx.stroke();
		}
}

// Draws the whole frame: `all` are the groups of the series, `sides` indices {base, head}.
function paint(u, doc, xs, all, sides, colors) {
	const f = frameOf(u);
	const {ctx} = u;
	const {value} = doc.points;
	const range = indicesWithin(xs, [u.scales.x.min, u.scales.x.max]);
	ctx.save();
	ctx.beginPath();
	ctx.rect(f.left, f.top, f.width, f.height);
	ctx.clip();
	paintIntervals(ctx, f, doc, xs, colors);
	const many = range[1] - range[0] > FEW;
	(many ? paintPixels : paintDots)(ctx, f, xs, value, range, colors);
	paintLevels(ctx, f, doc, xs, colors, many);
	paintGroups(ctx, f, xs, all, range, colors);
	paintChanges(ctx, f, doc, xs, colors);
	paintPicks(ctx, f, xs, value, sides, colors);
	ctx.restore();
}

const LIBRARY_URL = '/kept/uplot/';
const SINGLE_POINT_ROOM = {time: 60000, order: 1};
// The smallest visible range.
const MIN_ZOOM = {time: 1000, order: 2};
const NEAR_PX = 12;
const SETTLED_MS = 150;

function unitOf(doc) {
	if (!['1', 'ns'].includes(doc.unit)) return doc.unit;
	return doc.unit === '1' ? '%' : axisUnit(doc.points.value.reduce((a, b) => Math.max(a, b), 0));
}
const scaleOf = (doc) => {
	const unit = unitOf(doc);
	return doc.unit === '1' ? 0.01 : doc.unit === 'ns' ? UNITS[unit] : 1;
};

// Loads the library and its style sheet; null if this build has none.
async function library() {
	if (!document.querySelector(`link[href^="${LIBRARY_URL}"]`))
		document.head.append(h('link', {rel: 'stylesheet', href: `${LIBRARY_URL}uPlot.min.css`}));
	try {
		return (await import(`${LIBRARY_URL}uPlot.esm.js`)).default;
	} catch {
		return null;
	}
}

// In a range below 15 s, times have milliseconds and need more room.
const FINE_MS = 15000;
const FINE_PX = 110;

function axesOf(doc, xs, by, color) {
	const font = '12px system-ui, sans-serif';
	const line = {
		stroke: () => color('group'),
		font,
		grid: {stroke: () => color('band'), width: 1},
		ticks: {stroke: () => color('band'), width: 1},
	};
	const {run} = doc.points;
	return [
		{
			...line,
			size: by === 'time' ? 44 : 30,
			space: (u, axis, low, high) => (by === 'time' && high - low < FINE_MS ? FINE_PX : 70),
			...(by === 'time'
				? {values: (u, splits, axis, space, step) => view.timeTexts(splits, step)}
				: {
						incrs: [1, 2, 5]
							.flatMap((n) => [1, 10, 100, 1000, 10000].map((p) => n * p))
							.sort((a, b) => a - b),
						values: (u, splits) => splits.map((i) => (run[i] === undefined ? '' : `#${run[i]}`)),
					}),
		},
		{
			...line,
			space: 36,
			size: (u, values) => 16 + 7.2 * Math.max(2, ...(values ?? []).map((text) => text.length)),
			values: (u, splits) => tickTexts(splits, scaleOf(doc)),
		},
	];
}

const KEYS =
	'Arrow keys move between points; Home and End go to the first and last visible point. ' +
	'+ and − zoom, Page Up and Page Down move, 0 shows the whole series. ' +
	'Enter does what a click on the point does; B and H tick it as base or head.';

// `range`: visible indices [from, to], or null for all. sides() returns the ticked indices.
// clicked(i, side): side is null, 'base' or 'head'. moved(range) is called when the visible range
// changes. Returns {node, buttons, repaint()}, or null if the uPlot library is missing.
export async function trendChart(doc, {by, range, sides, clicked, moved, signal}) {
	const UPlot = await library();
	if (!UPlot) return null;
	const xs = view.positions(doc, by);
	const {value} = doc.points;
	const grouped = groups(doc);
	const all = view.rangeAround(xs, 0, xs.length - 1, SINGLE_POINT_ROOM[by]);
	const place = h('div', {
		class: 'trend-frame',
		role: 'img',
		tabindex: 0,
		'aria-describedby': 'trend-keys',
		'aria-label': `${seriesName(doc)}: ${xs.length} points, ${plural(doc.change_points.length, 'change point')}`,
	});
	const readout = h('p', {class: 'readout', 'aria-hidden': 'true'});
	const hint = 'Drag across the chart to zoom.';
	const figure = h(
		'figure',
		{class: 'chart trend'},
		h('figcaption', {}, `${seriesName(doc)} (${unitOf(doc)})`),
		place,
		readout,
		imageButton(() => place.querySelector('canvas'), seriesName(doc)),
		h('p', {class: 'hint', id: 'trend-keys'}, KEYS),
	);
	let u = null;
	let colors = {};
	let current = null;
	let timer = 0;

	const color = (name) => colors[name];
	const visible = () => [u.scales.x.min, u.scales.x.max];
	const show = ([min, max]) => u.setScale('x', {min, max});
	const showReadout = (i) => {
		readout.textContent = i === null ? hint : pointText(doc, i);
		readout.classList.toggle('active', i !== null);
	};

	// The point nearest to the pointer, among those near it on the x axis.
	function nearestIndex(self, series, near) {
		const {left, top} = self.cursor;
		if (near === null || left < 0) return near;
		const f = frameOf(self);
		const x = (i) => (f.x(xs[i]) - f.left) / f.px;
		const y = (i) => (f.y(value[i]) - f.top) / f.px;
		const list = view.indicesWithin(xs, [self.posToVal(left - NEAR_PX, 'x'), self.posToVal(left + NEAR_PX, 'x')]);
		return view.nearest(list, x, y, left, top) ?? near;
	}

	function settled() {
		clearTimeout(timer);
		timer = setTimeout(() => {
			const [from, to] = view.indicesWithin(xs, visible());
			moved(to - from === xs.length || to - from < 1 ? null : [from, to - 1]);
		}, SETTLED_MS);
	}

	function options(width) {
		return {
			width,
			height: Math.max(220, Math.min(360, Math.round(width * 0.42))),
			ms: 1,
			legend: {show: false},
			tzDate: (ms) => UPlot.tzDate(new Date(ms), 'Etc/UTC'),
			scales: {
				x: {time: by === 'time', range: (self, a, b) => view.clampRange([a, b], all)},
				y: {range: (self, a, b) => view.valueRange(a, b)},
			},
			axes: axesOf(doc, xs, by, color),
			cursor: {
				y: false,
				drag: {x: true, y: false, dist: 6},
				dataIdx: nearestIndex,
				bind: {dblclick: () => null},
				points: {size: 11, width: 2, stroke: () => color('ink'), fill: () => 'transparent'},
			},
			series: [{}, {paths: () => null, points: {show: false}}],
			hooks: {
				draw: [(self) => paint(self, doc, xs, grouped, sides(), colors)],
				setScale: [(self, key) => key === 'x' && u && settled()],
				setCursor: [
					(self) =>
						current === null && showReadout(self.cursor.left < 0 ? null : (self.cursor.idxs[1] ?? null)),
				],
			},
		};
	}

	function goTo(i) {
		current = i;
		show(view.rangeShowing(visible(), all, xs[i]));
		requestAnimationFrame(() => {
			u.setCursor({left: u.valToPos(xs[i], 'x'), top: u.valToPos(value[i], 'y')});
			showReadout(i);
		});
		announce(pointText(doc, i));
	}

	const zoom = (factor) => {
		const [low, high] = visible();
		show(
			view.zoomRange(
				[low, high],
				all,
				factor,
				current === null || xs[current] < low || xs[current] > high ? (low + high) / 2 : xs[current],
				MIN_ZOOM[by],
			),
		);
	};
	const pan = (part) => show(view.panRange(visible(), all, part));
	const ends = () => view.indicesWithin(xs, visible());
	const step = (by_) =>
		goTo(
			Math.max(
				0,
				Math.min(
					xs.length - 1,
					current === null ? ends()[by_ > 0 ? 0 : 1] + (by_ > 0 ? 0 : -1) : current + by_,
				),
			),
		);
	const MOVES = {
		ArrowRight: () => step(1),
		ArrowLeft: () => step(-1),
		Home: () => goTo(Math.min(ends()[0], xs.length - 1)),
		End: () => goTo(Math.max(0, ends()[1] - 1)),
		'+': () => zoom(0.5),
		'=': () => zoom(0.5),
		'-': () => zoom(2),
		PageDown: () => pan(0.5),
		PageUp: () => pan(-0.5),
		0: () => show(all),
		Enter: () => current !== null && clicked(current, null),
		b: () => current !== null && clicked(current, 'base'),
		h: () => current !== null && clicked(current, 'head'),
	};

	function keydown(e) {
		const move = MOVES[e.key];
		if (!move || e.ctrlKey || e.metaKey || e.altKey) return;
		e.preventDefault();
		move();
	}

	function wheel(e) {
		const aside = e.shiftKey ? e.deltaY || e.deltaX : e.deltaX;
		const zooms = e.ctrlKey || e.metaKey;
		if (!zooms && Math.abs(aside) <= (e.shiftKey ? 0 : Math.abs(e.deltaY))) return;
		e.preventDefault();
		if (zooms)
			show(
				view.zoomRange(
					visible(),
					all,
					1.002 ** Math.max(-300, Math.min(300, e.deltaY)),
					u.posToVal(e.clientX - u.over.getBoundingClientRect().left, 'x'),
					MIN_ZOOM[by],
				),
			);
		else pan(Math.max(-1, Math.min(1, aside / 600)));
	}

	function begin(width) {
		colors = colorsOf(figure);
		u = new UPlot(options(width), [xs, value], place);
		show(range ? view.rangeAround(xs, ...range, SINGLE_POINT_ROOM[by]) : all);
		u.over.addEventListener(
			'click',
			() => u.cursor.idxs[1] !== null && u.cursor.idxs[1] !== undefined && clicked(u.cursor.idxs[1], null),
		);
		u.over.addEventListener('wheel', wheel, {passive: false});
		u.over.addEventListener('mousemove', () => {
			current = null;
		});
	}

	function repaint() {
		colors = colorsOf(figure);
		u?.redraw(false, true);
	}

	showReadout(null);
	place.addEventListener('keydown', keydown);
	place.addEventListener('blur', () => {
		current = null;
		u?.setCursor({left: -10, top: -10});
	});
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint, {signal});
	new ResizeObserver(([{contentRect}]) => {
		const width = Math.floor(contentRect.width);
		if (width > 0 && !u) begin(width);
		else if (width > 0 && width !== u.width) u.setSize({width, height: options(width).height});
	}).observe(place);
	const button = (text, onClick) => h('button', {type: 'button', on: {click: onClick}}, text);
	return {
		node: figure,
		repaint,
		buttons: [
			button('Zoom in', () => zoom(0.5)),
			button('Zoom out', () => zoom(2)),
			button('Earlier', () => pan(-0.5)),
			button('Later', () => pan(0.5)),
			button('Whole series', () => show(all)),
		],
	};
}
