// chart_image.js - copies a chart as a PNG image. The drawing is painted on a canvas element by
// element, because the content policy allows no images that a script makes.

import {h} from '../lib/dom.js';
import {announce} from '../lib/notices.js';

const MARGIN = 12;
const CAPTION_HEIGHT = 28;
const SCALE = 2; // pixels per CSS pixel, for screens of high density

const number = (node, name) => Number.parseFloat(node.getAttribute(name) ?? 0);

// The outline of an element; null if it has none.
function outline(node) {
	const path = new Path2D();
	switch (node.tagName) {
		case 'path':
			// dots are lines of length 0 (chart.js), which a canvas does not paint
			return new Path2D((node.getAttribute('d') ?? '').replaceAll('h0M', 'h.01M').replace(/h0$/, 'h.01'));
		case 'line':
			path.moveTo(number(node, 'x1'), number(node, 'y1'));
			path.lineTo(number(node, 'x2'), number(node, 'y2'));
			return path;
		case 'rect':
			path.rect(number(node, 'x'), number(node, 'y'), number(node, 'width'), number(node, 'height'));
			return path;
		case 'circle':
			path.arc(number(node, 'cx'), number(node, 'cy'), number(node, 'r'), 0, 2 * Math.PI);
			return path;
		case 'polyline':
		case 'polygon':
			for (const point of node.points) path.lineTo(point.x, point.y);
			if (node.tagName === 'polygon') path.closePath();
			return path;
		default:
			return null;
	}
}

// The color of a fill or a stroke; null if nothing is painted. The color of a hatch is that of the
// element below it, so the hatch is omitted.
const paintOf = (value) => (value === 'none' || value.startsWith('url(') ? null : value);

function paintText(ctx, node, style) {
	ctx.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
	ctx.textAlign = {middle: 'center', end: 'right'}[style.textAnchor] ?? 'left';
	ctx.textBaseline = ['middle', 'central'].includes(style.dominantBaseline) ? 'middle' : 'alphabetic';
	ctx.fillText(node.textContent, number(node, 'x') + number(node, 'dx'), number(node, 'y') + number(node, 'dy'));
}

function paintNode(ctx, node, origin) {
	const style = getComputedStyle(node);
	if (style.visibility === 'hidden' || style.display === 'none') return;
	const m = node.getCTM?.();
	ctx.save();
	ctx.translate(origin.x, origin.y);
	if (m) ctx.transform(m.a, m.b, m.c, m.d, m.e, m.f);
	ctx.globalAlpha = Number(style.opacity);
	const fill = paintOf(style.fill);
	ctx.fillStyle = fill ?? 'transparent';
	if (node.tagName === 'text') {
		paintText(ctx, node, style);
	} else {
		const path = outline(node);
		const stroke = paintOf(style.stroke);
		if (path && fill) {
			ctx.globalAlpha = Number(style.opacity) * Number(style.fillOpacity);
			ctx.fill(path);
		}
		if (path && stroke) {
			ctx.globalAlpha = Number(style.opacity) * Number(style.strokeOpacity);
			ctx.strokeStyle = stroke;
			ctx.lineWidth = Number.parseFloat(style.strokeWidth);
			ctx.lineCap = style.strokeLinecap;
			ctx.setLineDash(style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(/[ ,]+/).map(Number.parseFloat));
			ctx.stroke(path);
		}
	}
	ctx.restore();
}

const PAINTED = 'path, line, rect, circle, polyline, polygon, text';

// The drawing (an SVG or a canvas) with its caption above, on the background of the page.
export function chartCanvas(drawing, caption) {
	const {width, height} = drawing.getBoundingClientRect();
	const canvas = h('canvas', {
		width: Math.ceil((width + 2 * MARGIN) * SCALE),
		height: Math.ceil((height + 2 * MARGIN + CAPTION_HEIGHT) * SCALE),
	});
	const ctx = canvas.getContext('2d');
	const page = getComputedStyle(document.body);
	ctx.scale(SCALE, SCALE);
	ctx.fillStyle = page.backgroundColor;
	ctx.fillRect(0, 0, canvas.width, canvas.height);
	ctx.fillStyle = page.color;
	ctx.font = `600 14px ${page.fontFamily}`;
	ctx.fillText(caption, MARGIN, MARGIN + 14, width);
	const origin = {x: MARGIN, y: MARGIN + CAPTION_HEIGHT};
	if (drawing instanceof HTMLCanvasElement) ctx.drawImage(drawing, origin.x, origin.y, width, height);
	else
		for (const node of drawing.querySelectorAll(PAINTED))
			if (!node.closest('defs')) paintNode(ctx, node, origin);
	return canvas;
}

const pngOf = (canvas) => new Promise((done) => canvas.toBlob(done, 'image/png'));

function download(blob, caption) {
	const href = URL.createObjectURL(blob);
	const name = caption.replace(/[^\w-]+/g, '_').slice(0, 80);
	h('a', {href, download: `${name || 'chart'}.png`}).click();
	setTimeout(() => URL.revokeObjectURL(href), 10000);
}

// A button that copies the drawing that `find` returns. A browser that copies no images, or has no
// permission, downloads it.
export function imageButton(find, caption) {
	const result = h('span', {class: 'hint'});
	async function click() {
		const blob = await pngOf(chartCanvas(find(), caption));
		let what = 'Image copied.';
		try {
			await navigator.clipboard.write([new ClipboardItem({'image/png': blob})]);
		} catch {
			download(blob, caption);
			what = 'Image downloaded.';
		}
		result.textContent = what;
		announce(what);
	}
	return h(
		'span',
		{class: 'share-controls'},
		h('button', {type: 'button', 'aria-label': `Copy image: ${caption}`, on: {click}}, 'Copy image'),
		result,
	);
}
