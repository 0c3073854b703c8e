// layers.js - the words of layers: how they were found and what a row of them is;
// a breakdown as the lines of its table, kernels launched together folded into one;
// and what an address asks of the server. Pure.

import * as f from './format.js';

// In the order in which a bar stacks them; each has a colour and a hatching.
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
	modules: 'found by the modules around the launches',
	ranges: 'found by ranges that are numbered',
	period: 'found by the repeating sequence of kernels',
	given: 'cut where it was asked for',
	none: 'not found',
};

const PLACES = {
	before: 'Before the layers',
	between: 'Between layers',
	after: 'After the layers',
	flat: 'The whole pass',
};

export const placeName = (section, per = section.per_pass) =>
	section.place === 'layer'
		? `${per === null ? 'Layers' : f.plural(per, 'layer')}${section.name ? ` of “${section.name}”` : ''}`
		: (PLACES[section.place] ?? section.place);

const dotted = (text) => `${text}${/[.!?]$/.test(text) ? '' : '.'}`;
export const sentence = (text) => (text ? dotted(text[0].toUpperCase() + text.slice(1)) : '');

export const joinAnd = (parts) =>
	parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : parts[0];

// "61 layers, 3 of “attention + mlp” and 58 of “attention + moe”, found by …"
export function headline(doc) {
	if (!doc.layers.count) return `No layers: ${dotted(doc.why ?? 'nothing repeats here')}`;
	const kinds = doc.sections.filter((s) => s.place === 'layer');
	const named = (s) => `of ${s.name ? `“${s.name}”` : 'a kind without a name'}`;
	const all = f.plural(doc.layers.count, 'layer');
	const what =
		kinds.length === 1
			? `${all}${kinds[0].name ? ` ${named(kinds[0])}` : ''}`
			: `${all}, ${joinAnd(kinds.map((s) => `${f.count(s.per_pass)} ${named(s)}`))}`;
	return `${what}, ${DETECTORS[doc.detector] ?? doc.detector}.`;
}

// The parts that sum up to the wall, and whether they do.
export function wallOf(doc) {
	const parts = [
		{
			name: 'One kernel alone',
			ns: doc.exclusive_ns,
			what: 'exclusive: one record of these rows was under way and nothing else',
		},
		{
			name: 'Others alone',
			ns: doc.other_ns,
			what: 'a record that is of no pass that counts was under way and nothing else',
		},
		{name: 'Overlapped', ns: doc.overlap_ns, what: 'more than one record was under way'},
		{name: 'Idle', ns: doc.idle_ns, what: 'nothing was under way on this device'},
	];
	const known = parts.every((p) => p.ns !== null) && doc.wall_ns !== null;
	const sum = known ? parts.reduce((n, p) => n + p.ns, 0) : null;
	return {parts, sum, closes: sum !== null && sum === doc.wall_ns};
}

const sumOf = (rows, key) => rows.reduce((n, r) => n + r[key], 0);
const commonValue = (rows, key) => (rows.every((r) => r[key] === rows[0][key]) ? rows[0][key] : null);

// Kernels launched together as one row: its time is theirs together, each time they
// are launched; what does not follow from theirs is unknown.
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
		lane: commonValue(rows, 'lane'),
		instances: rows.reduce((n, r) => Math.max(n, r.instances), 0),
		extra: rows.every((r) => r.extra),
		mean_ns: launches ? spent / launches : null,
		med_ns: null,
		stddev_ns: null,
		min_ns: null,
		max_ns: null,
		exclusive_ns: sumOf(rows, 'exclusive_ns'),
		overlapped_ns: sumOf(rows, 'overlapped_ns'),
		sol_ns: bounded && launches ? bound / launches : null,
		s: bounded && spent > 0 ? bound / spent : null,
	};
}

// The time of all launches of a row: alone and beside others, unless that is not
// what its mean, which is in tenths, says (two of its launches at once count twice).
const totalOf = (r) => {
	if (r.rows) return r.rows.reduce((n, one) => n + totalOf(one), 0);
	const said = Math.round(r.mean_ns * r.launches);
	const under = r.exclusive_ns + r.overlapped_ns;
	return Math.abs(under - said) <= 0.05 * r.launches + 1 ? under : said;
};

// What an instance of its section has of a row, in tenths of a nanosecond: as the
// server's tables tell it.
export const perInstance = (r, section) =>
	section.instances && r.mean_ns !== null ? Math.round((totalOf(r) * 10) / section.instances) / 10 : null;

// The rows as lines: those of one group stand as one, where the first does. `at` is
// the place of a line's first row.
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
				: r.kernel.short_name || r.kernel.name
			: (r.operation ?? f.NONE);

const textOf = (r) =>
	[...(r.rows ?? [r]).flatMap((one) => [one.kernel?.name, one.operation, one.operator, one.module]), ...r.roles]
		.filter(Boolean)
		.join(' ');

// Sections with their blocks with their lines, of those that have the text in them
// and, where asked, are in most layers.
export function treeOf(doc, {q = '', usual = false} = {}) {
	const want = q.toLowerCase();
	const places = new Map();
	for (const [at, row] of doc.items.entries()) {
		if (!places.has(row.block)) places.set(row.block, []);
		places.get(row.block).push({row, at});
	}
	const blocks = doc.blocks.map((block, index) => ({
		block,
		index,
		lines: linesOf(places.get(index) ?? []).filter(
			(r) => textOf(r).toLowerCase().includes(want) && !(usual && r.extra),
		),
	}));
	return doc.sections
		.map((section, index) => ({
			section,
			blocks: blocks.filter((b) => b.block.section === index && (b.lines.length || !want)),
		}))
		.filter((s) => s.blocks.length);
}

// The layers of a pass, each with its blocks as they come: for bars.
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

// What the server is asked, of all that the address holds.
const PARAMS = ['range', 'start', 'every', 'device', 'stratum', 'realign'];
export const layerParams = (query) =>
	Object.fromEntries(PARAMS.map((key) => [key, query.get(key)]).filter(([, value]) => value));

export const layersTabUrl = (run, words) => {
	const q = new URLSearchParams({
		tab: 'layers',
		...Object.fromEntries(Object.entries(words).filter(([, value]) => value)),
	});
	return `/runs/${run}?${f.query(q)}`;
};
