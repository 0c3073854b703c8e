// trend_paint.js - what stands in the frame of a trend: its points, the levels
// between changes with their intervals, where a group begins, what is ticked.

import {change, short, stretches} from './trends.js';
import {apart, first, within} from './trend_view.js';

// Fewer points in sight than this are round and large enough to be hit.
const FEW = 1500;
const NAME_PX = 84;
const CHANGE_PX = 64;

const COLOURS = ['dot', 'level', 'band', 'more', 'less', 'group', 'base', 'head', 'ground', 'ink'];

// The colours of a figure as the reader's system has them now.
export function coloursOf(node) {
	const style = getComputedStyle(node);
	return Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--trend-${name}`).trim()]));
}

// Of a frame of uPlot: where places and values are on its canvas.
export function frameOf(u) {
	const {left, top, width, height} = u.bbox;
	const {x, y} = u.scales;
	const [kx, ky] = [width / (x.max - x.min), height / (y.max - y.min)];
	return {left, top, width, height, right: left + width, foot: top + height, px: u.pxRatio ?? devicePixelRatio,
		x: (v) => left + (v - x.min) * kx, y: (v) => top + height - (v - y.min) * ky};
}

// One pixel of a colour, as an ImageData holds it.
function pixelOf(ctx, colour) {
	ctx.fillStyle = colour;
	ctx.fillRect(0, 0, 1, 1);
	return new Uint32Array(ctx.getImageData(0, 0, 1, 1).data.buffer)[0];
}

// Many points: small squares, set as pixels and laid over the frame at once; tens of
// thousands of shapes would each cost a call.
let layer = null;
function crowd(ctx, f, xs, values, [from, to], colours) {
	const [left, top] = [Math.floor(f.left), Math.floor(f.top)];
	const [wide, high] = [Math.ceil(f.width) + 1, Math.ceil(f.height) + 1];
	const size = Math.max(1, Math.round(2 * f.px));
	layer ??= document.createElement('canvas').getContext('2d', {willReadFrequently: true});
	if (layer.canvas.width !== wide || layer.canvas.height !== high)
		[layer.canvas.width, layer.canvas.height] = [wide, high];
	const pixel = pixelOf(layer, colours.dot);
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

function few(ctx, f, xs, values, [from, to], colours) {
	ctx.fillStyle = colours.dot;
	ctx.beginPath();
	for (let i = from; i < to; i++)
		dot(ctx, f.x(xs[i]), f.y(values[i]), (to - from > 300 ? 2 : 3) * f.px);
	ctx.fill();
}

// From where to where on the canvas each stretch lies.
const spans = (f, doc, xs) => stretches(doc).map((s) => ({...s, a: f.x(xs[s.from]), b: f.x(xs[Math.min(s.to, xs.length - 1)])}));

// The intervals lie beneath the points, the levels above them.
function bands(ctx, f, doc, xs, colours) {
	ctx.fillStyle = colours.band;
	for (const {a, b, low, high} of spans(f, doc, xs))
		if (low !== null)
			ctx.fillRect(a, f.y(high), Math.max(b - a, f.px), Math.max(f.y(low) - f.y(high), f.px));
}

// Amid a crowd a level has a seam, to be seen.
function levels(ctx, f, doc, xs, colours, seam) {
	for (const [colour, wide] of [...(seam ? [[colours.ground, 5 * f.px]] : []), [colours.level, 2 * f.px]]) {
		ctx.fillStyle = colour;
		for (const {a, b, level} of spans(f, doc, xs))
			ctx.fillRect(a, f.y(level) - wide / 2, Math.max(b - a, 2 * f.px), wide);
	}
}

function changes(ctx, f, doc, xs, colours) {
	const seen = doc.change_points.map((c) => ({...c, x: f.x(xs[c.index])})).filter(({x}) => x >= f.left && x <= f.right);
	ctx.setLineDash([4 * f.px, 3 * f.px]);
	ctx.lineWidth = 1.5 * f.px;
	const worse = ({change_pct: pct}) => (pct > 0) !== (doc.metric === 'coverage');
	for (const c of seen) {
		ctx.strokeStyle = worse(c) ? colours.more : colours.less;
		ctx.beginPath();
		ctx.moveTo(c.x, f.top);
		ctx.lineTo(c.x, f.foot);
		ctx.stroke();
	}
	ctx.setLineDash([]);
	ctx.font = `600 ${12 * f.px}px system-ui, sans-serif`;
	ctx.textBaseline = 'top';
	for (const c of apart(seen, ({x}) => x, CHANGE_PX * f.px)) {
		const text = `${c.change_pct > 0 ? '▲' : '▼'} ${change(c.change_pct)}`;
		const left = c.x + CHANGE_PX * f.px > f.right;
		ctx.textAlign = left ? 'right' : 'left';
		const x = c.x + (left ? -4 : 4) * f.px;
		ctx.lineWidth = 3 * f.px;
		ctx.strokeStyle = colours.ground;
		ctx.strokeText(text, x, f.top + 2 * f.px);
		ctx.fillStyle = worse(c) ? colours.more : colours.less;
		ctx.fillText(text, x, f.top + 2 * f.px);
	}
}

// A tick where a group begins, where each has room for one; a name where that fits.
function commits(ctx, f, xs, all, range, colours) {
	const starts = first(all, range[0], (g) => g.from);
	const ends = first(all, range[1], (g) => g.from);
	const ticks = (ends - starts) * 4 * f.px <= f.width ? all.slice(starts, ends) : [];
	ctx.fillStyle = colours.group;
	for (const {from} of ticks)
		ctx.fillRect(Math.round(f.x(xs[from])), f.foot - 7 * f.px, f.px, 7 * f.px);
	ctx.font = `${11 * f.px}px system-ui, sans-serif`;
	ctx.textAlign = 'left';
	ctx.textBaseline = 'bottom';
	for (const {from, group} of apart(ticks, (g) => f.x(xs[g.from]), NAME_PX * f.px))
		if (f.x(xs[from]) + (NAME_PX - 8) * f.px < f.right)
			ctx.fillText(short(group).slice(0, 10), f.x(xs[from]), f.foot - 8 * f.px);
}

function ticked(ctx, f, xs, values, sides, colours) {
	for (const side of ['base', 'head'])
		for (const i of sides[side]) {
			const [x, y] = [f.x(xs[i]), f.y(values[i])];
			ctx.fillStyle = colours.ground;
			ctx.strokeStyle = colours[side];
			ctx.lineWidth = 2.5 * f.px;
			ctx.beginPath();
			dot(ctx, x, y, 5 * f.px);
			ctx.fill();
			ctx.stroke();
		}
}

// Everything that stands in the frame: `all` are the series' groups, sides are
// indices {base, head}.
export function paint(u, doc, xs, all, sides, colours) {
	const f = frameOf(u);
	const {ctx} = u;
	const {value} = doc.points;
	const range = within(xs, [u.scales.x.min, u.scales.x.max]);
	ctx.save();
	ctx.beginPath();
	ctx.rect(f.left, f.top, f.width, f.height);
	ctx.clip();
	bands(ctx, f, doc, xs, colours);
	const many = range[1] - range[0] > FEW;
	(many ? crowd : few)(ctx, f, xs, value, range, colours);
	levels(ctx, f, doc, xs, colours, many);
	commits(ctx, f, xs, all, range, colours);
	changes(ctx, f, doc, xs, colours);
	ticked(ctx, f, xs, value, sides, colours);
	ctx.restore();
}
