// trend_chart.js - the chart of a series of up to 50,000 points, drawn by uPlot
// (kept/): dragged over or moved by keys and buttons, each point to be asked and
// pressed. What stands in its frame is trend_paint.js.

import {h} from './dom.js';
import {tell} from './news.js';
import {axisUnit, tickTexts} from './scale.js';
import {UNITS} from './format.js';
import {coloursOf, frameOf, paint} from './trend_paint.js';
import {groups, named, pointText} from './trends.js';
import * as view from './trend_view.js';

const KEPT = '/kept/uplot/';
const LONE = {time: 60000, order: 1};
// The narrowest that can be zoomed to.
const LEAST = {time: 1000, order: 2};
const NEAR_PX = 12;
const SETTLED_MS = 150;

export const unitOf = (doc) => (doc.unit === '1' ? '%' : axisUnit(doc.points.value.reduce((a, b) => Math.max(a, b), 0)));
const scaleOf = (unit) => (unit === '%' ? 0.01 : UNITS[unit]);

// The library, and its style beside ours; null where it is not in this build.
async function library() {
	if (!document.querySelector(`link[href^="${KEPT}"]`))
		document.head.append(h('link', {rel: 'stylesheet', href: `${KEPT}uPlot.min.css`}));
	try {
		return (await import(`${KEPT}uPlot.esm.js`)).default;
	} catch {
		return null;
	}
}

function axesOf(doc, xs, by, colour) {
	const unit = unitOf(doc);
	const font = '12px system-ui, sans-serif';
	const line = {stroke: () => colour('group'), font, grid: {stroke: () => colour('band'), width: 1}, ticks: {stroke: () => colour('band'), width: 1}};
	const {run} = doc.points;
	return [
		{...line, size: by === 'time' ? 44 : 30, space: 70, ...(by === 'time'
			? {values: (u, splits, axis, space, step) => view.timeTexts(splits, step)}
			: {incrs: [1, 2, 5].flatMap((n) => [1, 10, 100, 1000, 10000].map((p) => n * p)).sort((a, b) => a - b),
				values: (u, splits) => splits.map((i) => (run[i] === undefined ? '' : `#${run[i]}`))})},
		{...line, space: 36, size: (u, values) => 16 + 7.2 * Math.max(2, ...(values ?? []).map((text) => text.length)),
			values: (u, splits) => tickTexts(splits, scaleOf(unit))},
	];
}

const KEYS = 'Arrow keys go from point to point, Home and End to the ends of what is in sight, + and − zoom, Page Up and Page Down move, 0 shows all; '
	+ 'Enter does what a press on the point does, B and H tick it as base and as head.';

// `range`: indices [from, to] in sight, null all; `sides()`: indices ticked; pressed(i,
// how): null, 'base' or 'head'; moved(range). Answers {node, buttons, repaint()}, null
// where the library is not there.
export async function trendChart(doc, {by, range, sides, pressed, moved, signal}) {
	const UPlot = await library();
	if (!UPlot)
		return null;
	const xs = view.places(doc, by);
	const {value} = doc.points;
	const grouped = groups(doc);
	const all = view.around(xs, 0, xs.length - 1, LONE[by]);
	const place = h('div', {class: 'trend-frame', role: 'img', tabindex: 0, 'aria-describedby': 'trend-keys',
		'aria-label': `${named(doc)}: ${xs.length} points, ${doc.change_points.length} changes of level`});
	const readout = h('p', {class: 'readout', 'aria-hidden': 'true'});
	const hint = 'Drag over a stretch to zoom.';
	const figure = h('figure', {class: 'chart trend'}, h('figcaption', {}, `${named(doc)} (${unitOf(doc)})`), place, readout,
		h('p', {class: 'hint', id: 'trend-keys'}, KEYS));
	let u = null;
	let colours = {};
	let stood = null;
	let timer = 0;

	const colour = (name) => colours[name];
	const inSight = () => [u.scales.x.min, u.scales.x.max];
	const show = ([min, max]) => u.setScale('x', {min, max});
	const say = (i) => {
		readout.textContent = i === null ? hint : pointText(doc, i);
		readout.classList.toggle('told', i !== null);
	};

	// The point nearest to the pointer, of those near it in the axis.
	function pointed(self, series, near) {
		const {left, top} = self.cursor;
		if (near === null || left < 0)
			return near;
		const f = frameOf(self);
		const x = (i) => (f.x(xs[i]) - f.left) / f.px;
		const y = (i) => (f.y(value[i]) - f.top) / f.px;
		const list = view.within(xs, [self.posToVal(left - NEAR_PX, 'x'), self.posToVal(left + NEAR_PX, 'x')]);
		return view.nearest(list, x, y, left, top) ?? near;
	}

	function settled() {
		clearTimeout(timer);
		timer = setTimeout(() => {
			const [from, to] = view.within(xs, inSight());
			moved(to - from === xs.length || to - from < 1 ? null : [from, to - 1]);
		}, SETTLED_MS);
	}

	function options(width) {
		return {width, height: Math.max(220, Math.min(360, Math.round(width * 0.42))), ms: 1, legend: {show: false},
			tzDate: (ms) => UPlot.tzDate(new Date(ms), 'Etc/UTC'),
			scales: {x: {time: by === 'time', range: (self, a, b) => view.held([a, b], all)}, y: {range: (self, a, b) => view.span(a, b)}},
			axes: axesOf(doc, xs, by, colour),
			cursor: {y: false, drag: {x: true, y: false, dist: 6}, dataIdx: pointed, bind: {dblclick: () => null},
				points: {size: 11, width: 2, stroke: () => colour('ink'), fill: () => 'transparent'}},
			series: [{}, {paths: () => null, points: {show: false}}],
			hooks: {draw: [(self) => paint(self, doc, xs, grouped, sides(), colours)],
				setScale: [(self, key) => key === 'x' && u && settled()],
				setCursor: [(self) => stood === null && say(self.cursor.left < 0 ? null : self.cursor.idxs[1] ?? null)]}};
	}

	function stand(i) {
		stood = i;
		show(view.showing(inSight(), all, xs[i]));
		requestAnimationFrame(() => {
			u.setCursor({left: u.valToPos(xs[i], 'x'), top: u.valToPos(value[i], 'y')});
			say(i);
		});
		tell(pointText(doc, i));
	}

	const zoom = (factor) => {
		const [low, high] = inSight();
		show(view.zoomed([low, high], all, factor, stood === null || xs[stood] < low || xs[stood] > high ? (low + high) / 2 : xs[stood], LEAST[by]));
	};
	const pan = (part) => show(view.panned(inSight(), all, part));
	const ends = () => view.within(xs, inSight());
	const step = (by_) => stand(Math.max(0, Math.min(xs.length - 1, stood === null ? ends()[by_ > 0 ? 0 : 1] + (by_ > 0 ? 0 : -1) : stood + by_)));
	const MOVES = {ArrowRight: () => step(1), ArrowLeft: () => step(-1), Home: () => stand(Math.min(ends()[0], xs.length - 1)), End: () => stand(Math.max(0, ends()[1] - 1)),
		'+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2), PageDown: () => pan(0.5), PageUp: () => pan(-0.5), 0: () => show(all),
		Enter: () => stood !== null && pressed(stood, null), b: () => stood !== null && pressed(stood, 'base'), h: () => stood !== null && pressed(stood, 'head')};

	function keydown(e) {
		const move = MOVES[e.key];
		if (!move || e.ctrlKey || e.metaKey || e.altKey)
			return;
		e.preventDefault();
		move();
	}

	function wheel(e) {
		const aside = e.shiftKey ? e.deltaY || e.deltaX : e.deltaX;
		const zooms = e.ctrlKey || e.metaKey;
		if (!zooms && Math.abs(aside) <= (e.shiftKey ? 0 : Math.abs(e.deltaY)))
			return;
		e.preventDefault();
		if (zooms)
			show(view.zoomed(inSight(), all, 1.002 ** Math.max(-300, Math.min(300, e.deltaY)), u.posToVal(e.clientX - u.over.getBoundingClientRect().left, 'x'), LEAST[by]));
		else
			pan(Math.max(-1, Math.min(1, aside / 600)));
	}

	function begin(width) {
		colours = coloursOf(figure);
		u = new UPlot(options(width), [xs, value], place);
		show(range ? view.around(xs, ...range, LONE[by]) : all);
		u.over.addEventListener('click', () => u.cursor.idxs[1] !== null && u.cursor.idxs[1] !== undefined && pressed(u.cursor.idxs[1], null));
		u.over.addEventListener('wheel', wheel, {passive: false});
		u.over.addEventListener('mousemove', () => { stood = null; });
	}

	function repaint() {
		colours = coloursOf(figure);
		u?.redraw(false, true);
	}

	say(null);
	place.addEventListener('keydown', keydown);
	place.addEventListener('blur', () => {
		stood = null;
		u?.setCursor({left: -10, top: -10});
	});
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint, {signal});
	new ResizeObserver(([{contentRect}]) => {
		const width = Math.floor(contentRect.width);
		if (width > 0 && !u)
			begin(width);
		else if (width > 0 && width !== u.width)
			u.setSize({width, height: options(width).height});
	}).observe(place);
	const button = (text, press) => h('button', {type: 'button', on: {click: press}}, text);
	return {node: figure, repaint, buttons: [button('Zoom in', () => zoom(0.5)), button('Zoom out', () => zoom(2)),
		button('Earlier', () => pan(-0.5)), button('Later', () => pan(0.5)), button('Whole series', () => show(all))]};
}
