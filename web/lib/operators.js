// operators.js - the words of operators: what bounds them, how far from the
// bound they are, how we know of them; their numbers as the published pages of
// operator benchmarks write them. Pure.

import {count, NONE, percent} from './format.js';

const known = (n) => n !== null && n !== undefined && Number.isFinite(n);

// What bounds a time, a letter beside each word.
export const REGIMES = {
	compute: {letter: 'C', what: 'compute-bound: the arithmetic takes longer than moving the bytes'},
	memory: {letter: 'M', what: 'memory-bound: moving the bytes takes longer than the arithmetic'},
	indexing: {letter: 'I', what: 'indexing: next to no arithmetic, less than 0.01 FLOP a byte'},
};

// The weights an importance may be, with what each divides by what.
export const WEIGHTS = {
	time: 'its share of all GPU time, every run by the hours it stands for',
	mean: "its mean share of a run's GPU time, 0 where a run does not have it",
	present: 'its mean share in the runs that have it; may add up to more than 100%',
	published: 'the score that the reference set published',
};

// How a launch's operator is known, the surest first.
export const SOURCES = {
	sizes: 'an annotation or NVTX range that tells sizes',
	op_sizes: 'the operator that launched it, with its Input Dims',
	op: 'the operator that launched it, whose dims are not told',
	range: 'an NVTX or module range around its launch',
	node: 'the ranges that were open when its node of a CUDA graph was made',
	graph: 'inferred: its place in a CUDA graph whose capture was seen',
	rule: 'a rule over its name',
	record: 'the kind of its record: a copy or a set',
	not: 'not known',
};

// How near to the speed of light: the first whose `from` S reaches. A word and
// a mark each, since nothing is told by colour alone.
const GRADES = [
	{
		word: 'above 1',
		mark: '⚠',
		class: 'over',
		from: 1,
		beyond: true,
		what: 'faster than the bound allows: the cost model is wrong here, or the data was in a cache',
	},
	{word: 'good', mark: '●', class: 'good', from: 0.33, what: 'S of 33% or more'},
	{word: 'fair', mark: '◐', class: 'fair', from: 0.125, what: 'S of 12.5% or more'},
	{word: 'low', mark: '○', class: 'low', from: -Infinity, what: 'S below 12.5%'},
];
export const grade = (s) => (known(s) ? GRADES.find((g) => (g.beyond ? s > g.from : s >= g.from)) : null);

// 0.395 -> "39.5%"
export const share = (x) => (known(x) ? `${(x * 100).toFixed(1)}%` : NONE);

// The same of what is in percent already.
export const shareOfPercent = (p) => (known(p) ? `${percent(p)}%` : NONE);

// Arithmetic intensity: "102.8", "15.4k".
export function intensity(ai) {
	if (!known(ai)) return NONE;
	return ai >= 1000 ? `${(ai / 1000).toFixed(1)}k` : ai.toFixed(1);
}

// Microseconds of a bound: "27.18 us", "3.43 ms".
export function bound(us) {
	if (!known(us)) return NONE;
	if (us >= 1e6) return `${(us / 1e6).toFixed(2)} s`;
	return us >= 1000 ? `${(us / 1000).toFixed(2)} ms` : `${us.toFixed(2)} us`;
}

// Microseconds that were measured: "118 us", "29.4 ms".
export function measured(us) {
	if (!known(us)) return NONE;
	if (us >= 1e6) return `${(us / 1e6).toFixed(1)} s`;
	return us >= 1000 ? `${(us / 1000).toFixed(1)} ms` : `${us.toFixed(0)} us`;
}

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

// An amount with a prefix: amount(1.48e14, 'FLOP/s') -> "148 TFLOP/s".
export function amount(n, unit) {
	if (!known(n)) return NONE;
	let i = 0;
	for (; Math.abs(n) >= 999.5 && i < PREFIXES.length - 1; i++) n /= 1000;
	const text = n === 0 || n >= 100 || (i === 0 && Number.isInteger(n)) ? n.toFixed(0) : n.toPrecision(3);
	return `${text} ${PREFIXES[i]}${unit}`;
}

// Seconds of GPU time over a fleet.
export function gpuTime(s) {
	if (!known(s)) return NONE;
	if (s >= 7200) return `${count(s / 3600, s >= 360000 ? 0 : 1)} h`;
	return s >= 1 ? `${count(s, 1)} s` : s >= 0.001 ? `${count(s * 1000, 1)} ms` : `${count(s * 1e6, 1)} us`;
}

export const UNATTRIBUTED = 'unattributed';
export const operatorName = (row) => row.operator ?? UNATTRIBUTED;

// What a shape is called: as its set describes it, else its sizes, else the
// grid it was launched with.
export function shapeName(shape) {
	if (shape.description) return `#${shape.shape_id} ${shape.description}`;
	if (shape.shape) return shape.shape;
	return shape.grid ? `sizes unknown, grid ${shape.grid}` : 'sizes unknown';
}

// All floating-point work, and all bytes, of one call; null where unknown.
export const flopsOf = (shape) => (shape.flops ? Object.values(shape.flops).reduce((a, b) => a + b, 0) : null);
export const bytesOf = (shape) =>
	known(shape.read_bytes) && known(shape.write_bytes) ? shape.read_bytes + shape.write_bytes : null;

// The row with its figures on the platform it was held against, if it was: an
// operator's by the calls with a bound there, a shape's by its mean call. What
// is told of the run's own platform alone is unknown there.
export function againstRow(row) {
	const to = row.against;
	if (!to) return row;
	const ns = row.avg_ns ?? to.bound_ns;
	return {
		...row,
		sol_ns: to.sol_ns,
		s: known(to.sol_ns) && ns > 0 ? to.sol_ns / ns : null,
		regime: to.regime,
		why: to.why,
		headroom_ns: null,
		headroom_pct: null,
		compute_pct: null,
		over_ns: null,
	};
}

// What the time was known from, the largest part first: [[word, ns, percent]].
export function sourceParts(row) {
	const parts = Object.keys(SOURCES)
		.map((word) => [word, row.known?.[word] ?? 0])
		.filter(([, ns]) => ns > 0);
	const all = parts.reduce((sum, [, ns]) => sum + ns, 0);
	return parts.sort((a, b) => b[1] - a[1]).map(([word, ns]) => [word, ns, (ns * 100) / all]);
}
