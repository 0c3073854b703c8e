// scale.js - where a value lies on an axis, and which values are written beside
// it. Pure.

import {UNITS} from './format.js';

// Marks of 1, 2 or 5 times a power of ten within [low, high], at most so many.
export function ticks(low, high, most) {
	if (!(high > low) || most < 1) return [low];
	const rough = (high - low) / most;
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= rough * (1 - 1e-9));
	const out = [];
	for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-12); i++)
		out.push(Number((i * step).toPrecision(12)));
	return out;
}

// Marks of an axis by magnitude: powers of ten, with 2 and 5 where there is room.
function powers(low, high, most) {
	const all = (digits) => {
		const out = [];
		for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
			out.push(...digits.map((d) => Number((d * 10 ** e).toPrecision(12))));
		return out.filter((v) => v >= low && v <= high);
	};
	const tens = all([1]);
	const step = Math.ceil(tens.length / Math.max(1, most));
	return (
		[[1, 2, 5], [1, 3], [1]].map(all).find((list) => list.length <= most) ??
		tens.filter((v) => Math.round(Math.log10(v)) % step === 0)
	);
}

// An axis by magnitude from one value to another, both above zero.
export function magnitudes(low, high, most) {
	const [from, to] = [Math.log10(low), Math.log10(high)];
	return {log: true, low, high, ticks: powers(low, high, most), at: (v) => (Math.log10(v) - from) / (to - from)};
}

// An axis for such values: at(value) is 0 to 1. Where the largest is more than
// twenty times the smallest it goes by magnitude, so that the small ones are
// seen as well; `log` tells. From zero where the values come near it, or `zero`.
export function axis(values, {most = 5, zero = false} = {}) {
	const known = values.filter((v) => Number.isFinite(v));
	let low = known.reduce((a, b) => Math.min(a, b), Infinity);
	let high = known.reduce((a, b) => Math.max(a, b), -Infinity);
	if (!known.length) [low, high] = [0, 1];
	if (!zero && low > 0 && high > 20 * low) return magnitudes(low / 1.15, high * 1.15, most);
	const pad = (high - low) * 0.06 || Math.abs(high) * 0.05 || 1;
	const near = zero || (low >= 0 && low < 0.35 * high);
	[low, high] = [near ? Math.min(0, low) : low - pad, high + pad];
	return {log: false, low, high, ticks: ticks(low, high, most), at: (v) => (v - low) / (high - low)};
}

// The unit that an axis up to `ns` is written in.
export function axisUnit(ns) {
	return ['s', 'ms', 'µs'].find((unit) => Math.abs(ns) >= UNITS[unit]) ?? 'ns';
}

// Ticks as text, all with as many digits behind the point as the finest needs.
export function tickTexts(list, scale = 1) {
	const plain = list.map((v) => String(Number((v / scale).toPrecision(10))));
	const digits = Math.max(0, ...plain.map((text) => (text.split('.')[1] ?? '').length));
	return list.map((v) => (v / scale).toFixed(digits));
}

// Where dots go that must not hide each other: of each, how many lie beneath it
// among those as near as `width`, in the order of their places.
export function dotStacks(places, width) {
	const stacks = new Map();
	return places.map((x) => {
		const column = Math.round(x / width);
		const n = stacks.get(column) ?? 0;
		stacks.set(column, n + 1);
		return {x: column * width, n};
	});
}
