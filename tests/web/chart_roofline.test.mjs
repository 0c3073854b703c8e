// chart_roofline.test.mjs - tests that names in the roofline meet neither each other, nor marks, nor lines.

import assert from 'node:assert/strict';
import test from 'node:test';
import {crosses, layout} from '../../web/chart/chart_roofline.js';

const PEAKS = [[1.3074e15, 'bf16 1.31 PFLOP/s'], [1.2e15, 'fp16 1.20 PFLOP/s'], [6.537e14, 'tf32 654 TFLOP/s'], [1.634e14, 'fp32 163 TFLOP/s']]
	.map(([peak, label]) => ({peak, label}));
const BANDWIDTH = 5.3e12;

// Points on the slope, below a peak, and in a heap.
const CROWD = [
	...[0.5, 2, 8, 30, 100].map((ai, i) => ({ai, flops: 0.98 * ai * BANDWIDTH, weight: 0.05 + 0.02 * i, name: `on_the_slope_${i} bf16`})),
	...[400, 800, 2000].map((ai, i) => ({ai, flops: 1.25e15, weight: 0.2 + 0.02 * i, name: `below_the_peak_${i} bf16`})),
	...[5, 5.5, 6, 6.5, 7].map((ai, i) => ({ai, flops: 1e13 * (1 + 0.2 * i), weight: 0.01, name: `in_a_heap_${i} bf16`})),
];

const meet = (a, b) => a.x1 < b.x2 && a.x2 > b.x1 && a.y1 < b.y2 && a.y2 > b.y1;

for (const width of [1230, 700, 340])
	test(`names do not overlap, ${width} pixels`, () => {
		const {names, points, lines} = layout({points: CROWD, roofs: PEAKS, bandwidth: BANDWIDTH}, width);
		const boxes = names.map(({box}) => box);
		const marks = points.map(({x, y, r}) => ({x1: x - r, x2: x + r, y1: y - r, y2: y + r}));
		for (const [i, box] of boxes.entries()) {
			assert.ok(boxes.every((other, k) => k === i || !meet(box, other)), `${names[i].content} meets a name`);
			assert.ok(!marks.some((mark) => meet(box, mark)), `${names[i].content} meets a mark`);
			assert.ok(![lines.slope, ...lines.peaks].some((line) => crosses(line, box)), `${names[i].content} meets a line`);
			assert.ok(box.x1 >= 0 && box.x2 <= width && box.y1 >= 0, `${names[i].content} leaves the drawing`);
		}
		// If there is room, all lines have their names, and the largest points.
		assert.ok(names.filter(({name}) => name === 'roof-name').length >= (width > 480 ? PEAKS.length + 1 : 3));
		assert.ok(names.length >= (width > 480 ? 12 : 4), `${names.length} names`);
	});

// [line, whether it passes through the box from (10, 10) to (20, 20)]
const LINES = [
	[[0, 15, 30, 15], true],
	[[0, 25, 30, 25], false],
	[[15, 0, 15, 30], true],
	[[0, 0, 30, 30], true],
	[[0, 18, 18, 0], false],
	[[0, 22, 22, 0], true],
	[[12, 12, 18, 18], true],
	[[0, 15, 9, 15], false],
	[[20, 20, 30, 30], true],
];
LINES.forEach(([[x1, y1, x2, y2], want], i) =>
	test(`crosses ${i}`, () => assert.equal(crosses({x1, y1, x2, y2}, {x1: 10, x2: 20, y1: 10, y2: 20}), want)));
