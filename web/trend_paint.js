// trend_paint.js - what stands in the frame of a trend: its points, the levels
// between changes with their intervals, where a group begins, what is ticked.

import {change, groups, short, stretches} from './trends.js';
import {apart, within} from './trend_view.js';

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

// Many points: small squares, one of those that would cover each other.
function crowd(ctx, f, xs, values, [from, to]) {
	const size = Math.round(2 * f.px);
	const [wide, high] = [Math.ceil(f.width) + 1, Math.ceil(f.height) + 1];
	const there = new Uint8Array(wide * high);
	for (let i = from; i < to; i++) {
		const [x, y] = [Math.round(f.x(xs[i])), Math.round(f.y(values[i]))];
		const at = (y - Math.floor(f.top)) * wide + x - Math.floor(f.left);
		if (there[at])
			continue;
		there[at] = 1;
		ctx.fillRect(x - (size >> 1), y - (size >> 1), size, size);
	}
}

function dot(ctx, x, y, r) {
	ctx.moveTo(x + r, y);
	ctx.arc(x, y, r, 0, 2 * Math.PI);
}

function few(ctx, f, xs, values, [from, to]) {
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

function levels(ctx, f, doc, xs, colours) {
	for (const [colour, wide] of [[colours.ground, 5 * f.px], [colours.level, 2 * f.px]]) {
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
function commits(ctx, f, doc, xs, range, colours) {
	const all = groups(doc, ...range);
	const ticks = all.length * 4 * f.px <= f.width ? all : [];
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

// Everything that stands in the frame; sides are indices {base, head}.
export function paint(u, doc, xs, sides, colours) {
	const f = frameOf(u);
	const {ctx} = u;
	const {value} = doc.points;
	const range = within(xs, [u.scales.x.min, u.scales.x.max]);
	ctx.save();
	ctx.beginPath();
	ctx.rect(f.left, f.top, f.width, f.height);
	ctx.clip();
	bands(ctx, f, doc, xs, colours);
	ctx.fillStyle = colours.dot;
	(range[1] - range[0] > FEW ? crowd : few)(ctx, f, xs, value, range);
	levels(ctx, f, doc, xs, colours);
	commits(ctx, f, doc, xs, range, colours);
	changes(ctx, f, doc, xs, colours);
	ticked(ctx, f, xs, value, sides, colours);
	ctx.restore();
}
