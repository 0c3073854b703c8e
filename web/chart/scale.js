// scale.js - axes: positions of values, and ticks. Pure.

import {UNITS} from '../lib/format.js';

// Ticks at 1, 2 or 5 times a power of ten within [low, high], at most `maxTicks`.
export function ticks(low, high, maxTicks) {
	if (!(high > low) || maxTicks < 1) return [low];
	const rough = (high - low) / maxTicks;
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= rough * (1 - 1e-9));
	const out = [];
	for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-12); i++)
		out.push(Number((i * step).toPrecision(12)));
	return out;
}

// Ticks of a logarithmic axis: powers of ten, with 2 and 5 times if there is room.
function powers(low, high, maxTicks) {
	const all = (digits) => {
		const out = [];
		for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
			out.push(...digits.map((d) => Number((d * 10 ** e).toPrecision(12))));
		return out.filter((v) => v >= low && v <= high);
	};
	const tens = all([1]);
	const step = Math.ceil(tens.length / Math.max(1, maxTicks));
	return (
		[[1, 2, 5], [1, 3], [1]].map(all).find((list) => list.length <= maxTicks) ??
		tens.filter((v) => Math.round(Math.log10(v)) % step === 0)
	);
}

// A logarithmic axis between two values above zero.
export function magnitudes(low, high, maxTicks) {
	const [from, to] = [Math.log10(low), Math.log10(high)];
	return {log: true, low, high, ticks: powers(low, high, maxTicks), at: (v) => (Math.log10(v) - from) / (to - from)};
}

// An axis for `values`: at(value) returns a position from 0 to 1. It is logarithmic (`log`) if the
// largest value is more than twenty times the smallest, so that small values are visible. It starts
// at zero if the values are near zero, or if `zero` is set.
export function axis(values, {maxTicks = 5, zero = false} = {}) {
	const known = values.filter((v) => Number.isFinite(v));
	let low = known.reduce((a, b) => Math.min(a, b), Infinity);
	let high = known.reduce((a, b) => Math.max(a, b), -Infinity);
	if (!known.length) [low, high] = [0, 1];
	if (!zero && low > 0 && high > 20 * low) return magnitudes(low / 1.15, high * 1.15, maxTicks);
	const pad = (high - low) * 0.06 || Math.abs(high) * 0.05 || 1;
	const near = zero || (low >= 0 && low < 0.35 * high);
	[low, high] = [near ? Math.min(0, low) : low - pad, high + pad];
	return {log: false, low, high, ticks: ticks(low, high, maxTicks), at: (v) => (v - low) / (high - low)};
}

// The unit of an axis up to `ns`.
export function axisUnit(ns) {
	return ['s', 'ms', 'µs'].find((unit) => Math.abs(ns) >= UNITS[unit]) ?? 'ns';
}

// Ticks as text, all with as many decimal places as the finest needs.
export function tickTexts(list, scale = 1) {
	const plain = list.map((v) => String(Number((v / scale).toPrecision(10))));
	const digits = Math.max(0, ...plain.map((text) => (text.split('.')[1] ?? '').length));
	return list.map((v) => (v / scale).toFixed(digits));
}

// Positions of dots that must not overlap. Each value gets the position of its column, which is
// `width` wide, and the number of earlier dots in this column.
export function dotStacks(places, width) {
	const stacks = new Map();
	return places.map((x) => {
		const column = Math.round(x / width);
		const n = stacks.get(column) ?? 0;
		stacks.set(column, n + 1);
		return {x: column * width, n};
	});
}
