// layers.js - breakdowns: how layers were found, the rows of a breakdown (kernels that are launched
// together are folded into one row), and the parameters of a request. Pure.

import * as f from './format.js';

// In stacking order. Each has a color and a hatching.
export const BLOCKS = [
	'embedding',
	'attention',
	'norm',
	'gate',
	'moe',
	'shared',
	'mlp',
	'communication',
	'head',
	'sampling',
	'other',
];

export const DETECTORS = {
	modules: 'found from the modules around the launches',
	ranges: 'found from numbered ranges',
	period: 'found from the repeating sequence of kernels',
	given: 'boundaries as given',
	none: 'not found',
};

const PLACES = {
	before: 'Before the layers',
	between: 'Between layers',
	after: 'After the layers',
	flat: 'Whole iteration',
};

export const placeName = (section, per = section.per_iteration) =>
	section.position === 'layer'
		? `${per === null ? 'Layers' : f.plural(per, 'layer')}${section.name ? ` of “${section.name}”` : ''}`
		: (PLACES[section.position] ?? section.position);

const dotted = (text) => `${text}${/[.!?]$/.test(text) ? '' : '.'}`;
export const sentence = (text) => (text ? dotted(f.capital(text)) : '');

export const joinAnd = (parts) =>
	parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : parts[0];

// "61 layers, 3 of “attention + mlp” and 58 of “attention + moe”, found from …"
export function headline(doc) {
	if (!doc.layers.count) return `No layers: ${dotted(doc.reason ?? 'nothing repeats in this run')}`;
	const kinds = doc.sections.filter((s) => s.position === 'layer');
	const named = (s) => `of ${s.name ? `“${s.name}”` : 'an unnamed kind'}`;
	const all = f.plural(doc.layers.count, 'layer');
	const summary =
		kinds.length === 1
			? `${all}${kinds[0].name ? ` ${named(kinds[0])}` : ''}`
			: `${all}, ${joinAnd(kinds.map((s) => `${f.count(s.per_iteration)} ${named(s)}`))}`;
	return `${summary}, ${DETECTORS[doc.detector] ?? doc.detector}.`;
}

// The parts of the wall time, and whether they add up to it.
export function wallTimeParts(doc) {
	const parts = [
		{
			name: 'Exclusive',
			ns: doc.exclusive_ns,
			description: 'only one record of these rows was running',
		},
		{
			name: 'Other, exclusive',
			ns: doc.other_ns,
			description: 'only a record outside the counted iterations was running',
		},
		{name: 'Overlapped', ns: doc.overlap_ns, description: 'more than one record was running'},
		{name: 'Idle', ns: doc.idle_ns, description: 'nothing was running on this device'},
	];
	const known = parts.every((p) => p.ns !== null) && doc.wall_ns !== null;
	const sum = known ? parts.reduce((n, p) => n + p.ns, 0) : null;
	return {parts, sum, closes: sum !== null && sum === doc.wall_ns};
}

const sumOf = (rows, key) => rows.reduce((n, r) => n + r[key], 0);
const commonValue = (rows, key) => (rows.every((r) => r[key] === rows[0][key]) ? rows[0][key] : null);

// Folds kernels that are launched together into one row. Its time is their total per launch. Fields
// that cannot be derived are null.
export function folded(rows) {
	const launches = rows.reduce((n, r) => Math.max(n, r.launches), 0);
	const spent = sumOf(
		rows.map((r) => ({ns: r.mean_ns * r.launches})),
		'ns',
	);
	const bounded = rows.every((r) => r.sol_ns !== null && r.sol_ns !== undefined);
	const bound = bounded
		? sumOf(
				rows.map((r) => ({ns: r.sol_ns * r.launches})),
				'ns',
			)
		: null;
	return {
		...rows[0],
		kernel: null,
		operation: null,
		rows,
		launches,
		operator: commonValue(rows, 'operator'),
		module: commonValue(rows, 'module'),
		roles: [...new Set(rows.flatMap((r) => r.roles))],
		stream: commonValue(rows, 'stream'),
		instances: rows.reduce((n, r) => Math.max(n, r.instances), 0),
		extra: rows.every((r) => r.extra),
		mean_ns: launches ? spent / launches : null,
		median_ns: null,
		stddev_ns: null,
		min_ns: null,
		max_ns: null,
		exclusive_ns: sumOf(rows, 'exclusive_ns'),
		overlapped_ns: sumOf(rows, 'overlapped_ns'),
		sol_ns: bounded && launches ? bound / launches : null,
		s: bounded && spent > 0 ? bound / spent : null,
	};
}

// The time of all launches of a row: its exclusive plus its overlapped time. If two of its launches
// overlapped each other, this sum differs from the mean (rounded to tenths) times the number of
// launches, and this product is used instead.
const totalOf = (r) => {
	if (r.rows) return r.rows.reduce((n, one) => n + totalOf(one), 0);
	const fromMean = Math.round(r.mean_ns * r.launches);
	const fromParts = r.exclusive_ns + r.overlapped_ns;
	return Math.abs(fromParts - fromMean) <= 0.05 * r.launches + 1 ? fromParts : fromMean;
};

// The time of a row per instance of its section, in tenths of a nanosecond, as in the server's
// tables.
export const perInstance = (r, section) =>
	section.instances && r.mean_ns !== null ? Math.round((totalOf(r) * 10) / section.instances) / 10 : null;

// The rows as lines: all rows of a group are one line, at the position of the first one. `at` is
// the index of a line's first row.
function linesOf(rows) {
	const lines = [];
	const groups = new Map();
	for (const {row, at} of rows) {
		if (groups.has(row.group)) {
			groups.get(row.group).push(row);
			continue;
		}
		const line = {at, rows: [row]};
		lines.push(line);
		if (row.group !== null) groups.set(row.group, line.rows);
	}
	return lines.map((line) => ({...(line.rows.length > 1 ? folded(line.rows) : line.rows[0]), at: line.at}));
}

export const kernelName = (r, full) =>
	r.rows
		? r.rows.map((one) => kernelName(one, full)).join(' + ')
		: r.kernel
			? full
				? r.kernel.name
				: r.kernel.distinct_name || r.kernel.name
			: (r.operation ?? f.NONE);

const textOf = (r) =>
	[...(r.rows ?? [r]).flatMap((one) => [one.kernel?.name, one.operation, one.operator, one.module]), ...r.roles]
		.filter(Boolean)
		.join(' ');

// Sections, their blocks and their lines. Only lines that contain `q` are included. `hideExtras`
// keeps only lines that most layers have.
export function treeOf(doc, {q = '', hideExtras = false} = {}) {
	const want = q.toLowerCase();
	const rowsByBlock = new Map();
	for (const [at, row] of doc.items.entries()) {
		if (!rowsByBlock.has(row.block)) rowsByBlock.set(row.block, []);
		rowsByBlock.get(row.block).push({row, at});
	}
	const blocks = doc.blocks.map((block, index) => ({
		block,
		index,
		lines: linesOf(rowsByBlock.get(index) ?? []).filter(
			(r) => textOf(r).toLowerCase().includes(want) && !(hideExtras && r.extra),
		),
	}));
	return doc.sections
		.map((section, index) => ({
			section,
			blocks: blocks.filter((b) => b.block.section === index && (b.lines.length || !want)),
		}))
		.filter((s) => s.blocks.length);
}

// The layers of an iteration, each with its blocks in order, for the bar chart.
export function barsOf(doc) {
	const layers = new Map();
	for (const {layer, block, mean_ns} of doc.bars)
		layers.set(layer, [
			...(layers.get(layer) ?? []),
			{kind: doc.blocks[block].block, section: doc.blocks[block].section, ns: mean_ns ?? 0},
		]);
	return [...layers]
		.sort((a, b) => a[0] - b[0])
		.map(([layer, all]) => {
			const parts = BLOCKS.map((kind) => ({
				kind,
				ns: sumOf(
					all.filter((p) => p.kind === kind),
					'ns',
				),
			})).filter((p) => p.ns > 0);
			return {layer, parts, ns: sumOf(parts, 'ns'), name: doc.sections[all[0].section].name};
		});
}

// The parameters of the request, from the page's address.
const PARAMS = ['range', 'start', 'every', 'device', 'stratum', 'realign'];
export const layerParams = (query) =>
	Object.fromEntries(PARAMS.map((key) => [key, query.get(key)]).filter(([, value]) => value));

export const layersTabUrl = (run, params) => {
	const q = new URLSearchParams({
		tab: 'layers',
		...Object.fromEntries(Object.entries(params).filter(([, value]) => value)),
	});
	return `/runs/${run}?${f.query(q)}`;
};
