// operators.js - operators: their regimes, grades of S and attribution sources; formats their
// numbers like published operator benchmarks. Pure.

import {count, mean, NONE, percent} from './format.js';

const known = (n) => n !== null && n !== undefined && Number.isFinite(n);

// The regimes of the roofline, each with a letter.
export const REGIMES = {
	compute: {letter: 'C', description: 'compute-bound: the arithmetic takes longer than moving the bytes'},
	memory: {letter: 'M', description: 'memory-bound: moving the bytes takes longer than the arithmetic'},
	link: {letter: 'L', description: 'link-bound: a collective, which moves bytes over the links between devices'},
	indexing: {letter: 'I', description: 'indexing: almost no arithmetic, less than 0.01 FLOP per byte'},
};

// The weights of importance: how each is computed.
export const WEIGHTS = {
	time: 'share of all GPU time, each run weighted by its GPU-hours',
	mean: "mean share of a run's GPU time, 0 if a run lacks the operator",
	present: 'mean share in the runs that have the operator; may add up to more than 100 %',
	energy: 'share of the energy of the runs whose energy is known, each multiplied by its GPU-hours',
	published: 'score as published in the reference set',
};

// Attribution sources, the most certain first.
export const SOURCES = {
	sizes: 'an annotation or NVTX range with a shape',
	op_sizes: 'the host operator that launched it, with its Input Dims',
	op: 'the host operator that launched it, without Input Dims',
	range: 'an NVTX or module range around the launch',
	node: 'the ranges around the creation of its CUDA graph node',
	graph: 'inferred: its position in a CUDA graph whose capture was recorded',
	rule: 'a naming rule',
	record: 'the type of its record: a copy or a memory set',
	not: 'unattributed',
};

// Grades of S: the first grade in this list whose limit `from` S reaches. Each grade has a word and
// a mark, because color alone is not accessible.
const GRADES = [
	{
		word: 'above 1',
		mark: '⚠',
		class: 'over',
		from: 1,
		beyond: true,
		description: 'faster than the roofline bound: the cost model is wrong here, or the data was in a cache',
	},
	{word: 'good', mark: '●', class: 'good', from: 0.33, description: 'S of 33 % or more'},
	{word: 'fair', mark: '◐', class: 'fair', from: 0.125, description: 'S of 12.5 % or more'},
	{word: 'low', mark: '○', class: 'low', from: -Infinity, description: 'S below 12.5 %'},
];
export const grade = (s) => (known(s) ? GRADES.find((g) => (g.beyond ? s > g.from : s >= g.from)) : null);

// What a grade means: its limits are those of Atrex-Bench for production kernels, the same for all
// operators. They do not say whether much can be saved.
export function gradeText(s) {
	const {beyond, description} = grade(s);
	return beyond
		? description
		: `${description}, on the scale of Atrex-Bench for production kernels, the same for every operator; ` +
				`${percent(100 * (1 - s))} % of the time is above the roofline bound`;
}

// A headroom that includes waiting for other ranks is an upper bound: "≤ 43.3".
export const upTo = (text, waits) => (waits && text !== NONE && text !== '0' ? `≤ ${text}` : text);
export const WAITS =
	'≤: a collective. Its headroom includes the time in which it waits for other ranks, which no faster kernel and no ' +
	'faster link saves.';

// 0.395 -> "39.5 %"
export const share = (x) => (known(x) ? `${(x * 100).toFixed(1)} %` : NONE);

// The same for a value in percent.
export const shareOfPercent = (p) => (known(p) ? `${percent(p)} %` : NONE);

// Arithmetic intensity: "102.8", "15.4k".
export function intensity(ai) {
	if (!known(ai)) return NONE;
	return ai >= 1000 ? `${(ai / 1000).toFixed(1)}k` : ai.toFixed(1);
}

// Microseconds of a roofline bound: "27.18 µs", "3.43 ms".
export function boundText(us) {
	if (!known(us)) return NONE;
	if (us >= 1e6) return `${(us / 1e6).toFixed(2)} s`;
	return us >= 1000 ? `${(us / 1000).toFixed(2)} ms` : `${us.toFixed(2)} µs`;
}

// Microseconds of a measurement: "118 µs", "29.4 ms".
export function measuredText(us) {
	if (!known(us)) return NONE;
	if (us >= 1e6) return `${(us / 1e6).toFixed(1)} s`;
	return us >= 1000 ? `${(us / 1000).toFixed(1)} ms` : `${us.toFixed(0)} µs`;
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

// Energy of a fleet: "0.6 kWh", "1.2 MWh".
export function energy(kwh) {
	if (!known(kwh)) return NONE;
	if (kwh >= 1000) return `${count(kwh / 1000, 1)} MWh`;
	return kwh >= 1 || kwh === 0 ? `${count(kwh, 1)} kWh` : `${(kwh * 1000).toPrecision(3)} Wh`;
}

// Seconds of GPU time of a fleet.
export function gpuTime(s) {
	if (!known(s)) return NONE;
	if (s >= 7200) return `${count(s / 3600, s >= 360000 ? 0 : 1)} h`;
	return s >= 1 ? `${count(s, 1)} s` : s >= 0.001 ? `${count(s * 1000, 1)} ms` : `${count(s * 1e6, 1)} µs`;
}

// GPU-hours of a fleet: three digits, because a saving can be small.
export const hours = mean;

export const UNATTRIBUTED = 'unattributed';
export const operatorName = (row) => row.operator ?? UNATTRIBUTED;

// The name of a shape: its description in the reference set, otherwise its sizes, otherwise its
// launch grid.
export function shapeName(shape) {
	if (shape.description) return `#${shape.shape_id} ${shape.description}`;
	if (shape.shape) return shape.collective_kind ? `${shape.collective_kind} ${shape.shape}` : shape.shape;
	return shape.grid ? `shape unknown, grid ${shape.grid}` : 'shape unknown';
}

// The floating-point operations and the bytes of one call, of a collective its bus bytes; null if
// unknown.
export const flopsOf = (shape) => (shape.flops ? Object.values(shape.flops).reduce((a, b) => a + b, 0) : null);
export const bytesOf = (shape) =>
	known(shape.bus_bytes)
		? shape.bus_bytes
		: known(shape.read_bytes) && known(shape.write_bytes)
			? shape.read_bytes + shape.write_bytes
			: null;
// The same as a sentence; null if unknown.
export function bytesText(shape) {
	if (bytesOf(shape) === null) return null;
	return known(shape.bus_bytes)
		? `${count(shape.bus_bytes)} bytes over the link of each rank`
		: `reads ${count(shape.read_bytes)}, writes ${count(shape.write_bytes)} bytes`;
}

// Replaces the figures of a row by those on the platform in `against`, if there is one. The figures
// of an operator are computed from the calls with a roofline bound on that platform, those of a
// shape from its mean call. Figures that exist only for the run's own platform become null.
export function againstRow(row) {
	const to = row.against;
	if (!to) return row;
	const ns = row.mean_ns ?? to.roofline_known_ns;
	return {
		...row,
		sol_ns: to.sol_ns,
		s: known(to.sol_ns) && ns > 0 ? to.sol_ns / ns : null,
		regime: to.regime,
		reason: to.reason,
		headroom_ns: null,
		headroom_pct: null,
		reachable_headroom_ns: null,
		best_efficiency: null,
		best_run: null,
		compute_pct: null,
		above_bound_ns: null,
	};
}

// The attribution sources of a row, largest part first: [[source, ns, percent]].
export function sourceParts(row) {
	const parts = Object.keys(SOURCES)
		.map((word) => [word, row.attribution_source_ns?.[word] ?? 0])
		.filter(([, ns]) => ns > 0);
	const all = parts.reduce((sum, [, ns]) => sum + ns, 0);
	return parts.sort((a, b) => b[1] - a[1]).map(([word, ns]) => [word, ns, (ns * 100) / all]);
}

// Why the catalog has no platform for the GPUs of a run.
export function noPlatformReason(devices) {
	const names = [...new Set(devices.map((d) => d.name).filter(Boolean))];
	if (!names.length) return 'the trace does not name its GPU';
	if (devices.some((d) => !d.name)) return 'the trace does not name all GPUs of the run';
	return names.length === 1
		? `no platform of the catalog matches its GPU ${names[0]}`
		: `its GPUs ${names.join(', ')} have no common platform in the catalog`;
}
