// run_operators.js - tab: the operators of a run: their GPU time, attribution sources and roofline
// bounds, on the run's own platform or another one. An operator's row opens to its shapes, the
// unattributed row to its kernels.

import * as api from '../lib/api.js';
import {exportLink, largestUnit, share, timeColumn, typicalUnit} from '../lib/columns.js';
import {facts, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {profileColumns} from '../lib/kernel_profiles.js';
import {moreButton} from '../lib/list_pages.js';
import {listing} from '../lib/listing.js';
import {showFailure} from '../lib/notices.js';
import {
	aiColumn,
	bestColumn,
	countColumn,
	kernelList,
	noFleetBest,
	operatorColumn,
	regimeColumn,
	sColumns,
	sourceColumn,
	sourceList,
	textColumn,
} from '../lib/operator_columns.js';
import * as o from '../lib/operators.js';
import {replayedGraphs} from './run_graphs.js';
import {sorted, table} from '../lib/table.js';
import {findings} from '../lib/findings.js';

// The details of an operator: attribution sources and shapes. For the unattributed row, its
// kernels.

const LIMIT = 500;
const PAGE_LIMIT = 5000;
const LONG = 60;
const SHAPE_SPREAD = [
	['Mean', 'mean'],
	['Median', 'median'],
	['Min', 'min'],
	['Max', 'max'],
	['p90', 'p90'],
	['p99', 'p99'],
];

function shapeColumns(rows) {
	const each = typicalUnit(rows.map((r) => r.median_ns ?? r.mean_ns));
	const sum = largestUnit(rows.map((r) => r.total_ns));
	const reason = (r) => r.reason ?? 'unknown';
	return [
		{
			label: 'Shape',
			head: true,
			class: 'shape',
			up: 'name',
			down: '-name',
			cell: (r) => o.shapeName(r),
			value: (r) => o.shapeName(r),
		},
		{
			label: 'Time',
			unit: '%',
			num: true,
			class: 'time',
			down: 'time',
			up: '-time',
			cell: (r) => share(r.time_pct),
			value: (r) => r.time_pct,
		},
		countColumn('Calls', 'calls'),
		countColumn('Launches', 'launches'),
		...SHAPE_SPREAD.slice(0, 2).map(([label, key]) => timeColumn(label, key, each)),
		{
			...timeColumn('T_SOL', 'sol', each),
			title: (r) => (r.sol_ns === null ? reason(r) : `roofline bound per call: ${f.exact(r.sol_ns)}`),
		},
		...sColumns(),
		...profileColumns(rows),
		regimeColumn(),
		aiColumn(),
		{
			label: 'W',
			num: true,
			down: 'w',
			up: '-w',
			value: o.flopsOf,
			cell: (r) => o.amount(o.flopsOf(r), 'FLOP'),
			title: (r) =>
				r.flops
					? Object.entries(r.flops)
							.map(([d, n]) => `${d} ${f.count(n)}`)
							.join(', ') || 'no floating-point work'
					: reason(r),
		},
		{
			label: 'Q',
			num: true,
			down: 'q',
			up: '-q',
			value: o.bytesOf,
			cell: (r) => o.amount(o.bytesOf(r), 'B'),
			title: (r) => o.bytesText(r) ?? reason(r),
		},
		{
			...timeColumn('Reachable headroom', 'reachable_headroom', sum),
			class: 'two-lines',
			title: (r) =>
				r.reachable_headroom_ns === null
					? noFleetBest(r)
					: `${f.exact(r.reachable_headroom_ns)} of ${f.exact(r.total_ns)} would be saved at the fleet-best`,
		},
		bestColumn(),
		{...textColumn('Attribution source', 'attribution_source'), class: 'two-lines', title: (r) => o.SOURCES[r.attribution_source] ?? null},
		...SHAPE_SPREAD.slice(2).map(([label, key]) => timeColumn(label, key, each)),
	];
}

// The reasons for missing roofline bounds, each once.
function reasons(rows) {
	const list = [...new Set(rows.map((r) => r.reason).filter(Boolean))];
	return list.length
		? h(
				'ul',
				{class: 'plain-list quiet'},
				list.slice(0, 5).map((reason) => h('li', {}, `No roofline bound: ${reason}.`)),
			)
		: null;
}

function operatorFacts(row) {
	return facts([
		['Description', row.description],
		['Group', row.group],
		['Attribution source', sourceList(row)],
		['Waits for ranks', row.collective ? 'yes: the time and the headroom include waiting' : null],
		[
			'S above 1',
			row.above_bound_ns
				? `${f.duration(row.above_bound_ns)} of its time: the cost model is wrong, or the data was in a cache`
				: null,
		],
		[
			'Compute-bound',
			row.compute_pct === null || row.compute_pct === undefined
				? null
				: `${o.shareOfPercent(row.compute_pct)} of the time with a roofline bound`,
		],
	]);
}

// A page of the shapes of a row: {items, from}, where `from` is what the next call needs, or null. The
// API cannot select shapes without a dtype or phase. In this case, pages of all shapes are read until
// LIMIT of them match.
export async function shapesOf(row, loadPage, from = {cursor: null, rest: []}) {
	const items = [...from.rest];
	const limit = row.dtype && row.phase ? LIMIT : PAGE_LIMIT;
	let {cursor} = from;
	let last = from.last ?? false;
	while (!last && items.length < LIMIT) {
		const page = await loadPage({dtype: row.dtype, phase: row.phase, limit, cursor});
		items.push(...page.items.filter((r) => r.dtype === row.dtype && r.phase === row.phase).map(o.againstRow));
		cursor = page.next;
		last = cursor === null;
	}
	const rest = items.splice(LIMIT);
	return {items, from: last && !rest.length ? null : {cursor, rest, last}};
}

function shapeDetail(run, doc, against, opened, at, changed) {
	// A row is an operator, a dtype and a phase. A link that names only the operator opens its row with
	// the most time.
	const word = (r) => [o.operatorName(r), r.dtype, r.phase].filter(Boolean).join(':');
	const most = (name) =>
		doc.items
			.filter((r) => o.operatorName(r) === name)
			.reduce((best, r) => (best && best.total_ns >= r.total_ns ? best : r), null);
	const open = new Set(
		opened.flatMap((name) => doc.items.find((r) => word(r) === name) ?? most(name) ?? []),
	);
	const loaded = new Map();

	// The unattributed kernels of the run, page by page.
	async function loadKernels(place) {
		let items = [];
		let next = null;
		const add = async () => {
			const page = await api.runUnattributed(run.id, {limit: LIMIT, cursor: next}, at.signal);
			items = [...items, ...page.items];
			({next} = page);
			place.replaceChildren(kernelList(items, null, next === null ? null : more));
			return next !== null;
		};
		const more = moreButton('kernels', add, at.signal);
		await add();
	}

	async function loadShapes(row, place) {
		const read = (params) => api.runShapes(run.id, row.operator, {against, ...params}, at.signal);
		let items = [];
		let from;
		let order = null;
		const draw = () => {
			const all = shapeColumns(items);
			const shown = table({
				caption: `Shapes of ${row.operator}`,
				columns: all,
				rows: sorted(items, all, order),
				sort: order,
				tall: items.length > LONG,
				empty: 'No shapes are stored.',
				onsort: (sort) => {
					order = sort;
					shown.update({rows: sorted(items, all, sort), sort});
				},
			});
			place.replaceChildren(
				shown.node,
				...(from ? [h('p', {class: 'hint'}, `The ${f.count(items.length)} shapes with the most GPU time.`), more] : []),
				reasons(items) ?? '',
				h(
					'p',
					{class: 'links'},
					'Download all: ',
					...['csv', 'md'].flatMap((format) => [
						exportLink(run.id, `operators/${encodeURIComponent(row.operator)}/shapes`, format, {against}),
						' ',
					]),
				),
			);
		};
		const add = async () => {
			const page = await shapesOf(row, read, from);
			items = [...items, ...page.items];
			({from} = page);
			draw();
			return from !== null;
		};
		const more = moreButton('shapes', add, at.signal);
		await add();
	}

	async function load(row, place) {
		try {
			await (row.operator === null ? loadKernels(place) : loadShapes(row, place));
		} catch (error) {
			if (at.signal.aborted) return;
			place.replaceChildren(h('p', {class: 'sentence'}, error.message));
			showFailure(error, () => load(row, place));
		}
	}

	function fill(row, place) {
		if (!loaded.has(row)) {
			const list = h('div', {class: 'shapes part'}, h('p', {class: 'loading'}, 'Loading…'));
			loaded.set(row, list);
			load(row, list);
		}
		place.append(operatorFacts(row), loaded.get(row));
	}

	return {open, fill, changed, name: o.operatorName, chosen: () => [...open].map(word).join(',')};
}

const sizedPct = (r) => (r.total_ns > 0 && r.shape_known_ns !== null ? (r.shape_known_ns * 100) / r.total_ns : null);

const waiting = (r) => (r.collective ? ', waiting for other ranks included' : '');

// Columns by the measured ceilings of the run's platform; none if no calibration is stored.
export function measuredColumns(doc, sum) {
	if (doc.against || !doc.measured_ceilings) return [];
	const unknown = () => 'unknown: a rate that it needs was not measured';
	return [
		{
			label: 'S measured',
			num: true,
			down: 's_measured',
			up: '-s_measured',
			cell: (r) => o.share(r.s_measured),
			value: (r) => r.s_measured,
			title: (r) =>
				r.s_measured === null
					? unknown(r)
					: `bound by the measured ceilings / T = ${r.s_measured}, of ${f.exact(r.measured_known_ns)}`,
		},
		{
			...timeColumn('Headroom measured', 'headroom_measured', sum),
			title: (r) =>
				r.headroom_measured_ns === null
					? unknown(r)
					: `${f.exact(r.headroom_measured_ns)} above the bound by the measured ceilings${waiting(r)}`,
		},
	];
}

// Columns by the data sheet's peaks; none if S and headroom are by them.
export function dataSheetColumns(doc, sum) {
	if (doc.against || !doc.peaks) return [];
	const unknown = 'unknown: no roofline bound';
	return [
		{
			label: 'S data sheet',
			num: true,
			down: 's_data_sheet',
			up: '-s_data_sheet',
			cell: (r) => o.share(r.s_data_sheet),
			value: (r) => r.s_data_sheet,
			title: (r) => (r.s_data_sheet === null ? unknown : `bound by the data sheet's peaks / T = ${r.s_data_sheet}`),
		},
		{
			...timeColumn('Headroom data sheet', 'headroom_data_sheet', sum),
			title: (r) =>
				r.headroom_data_sheet_ns === null
					? unknown
					: `${f.exact(r.headroom_data_sheet_ns)} above the bound by the data sheet's peaks${waiting(r)}`,
		},
	];
}

const UTILIZATION = [
	['MFU', 'mfu', 'operations / peak'],
	['HFU', 'hfu', 'operations / peak'],
	['MBU', 'mbu', 'minimum traffic / bandwidth'],
];
const coveredText = ({utilization_covered: covered}) => `${o.share(covered)} of its GPU time has known work`;
// How repeated operations, as of activation checkpointing, are counted.
const repeatedText = (r, key) => {
	if (key === 'mbu') return '';
	if (r.hfu === null) return '. Repeated operations count: which they are is unknown';
	const known = r.recompute_covered === null ? '' : ` (known for ${o.share(r.recompute_covered)} of the time with operations)`;
	return `. Repeated operations ${key === 'hfu' ? 'count' : 'do not count'}${known}`;
};
const utilizationTitle = (r, [, key, description]) =>
	r[key] === null
		? `unknown: ${(key === 'hfu' ? r.hfu_reason : r.utilization_reason)}`
		: `sum over calls of ${description}, divided by time: ${r[key]}; ${coveredText(r)}, and the rest counts as time without work` +
			repeatedText(r, key);

// The utilization of the platform's peaks, and the share of the time whose work is known.
export function utilizationColumns(doc) {
	if (doc.against) return [];
	return [
		...UTILIZATION.map((of) => ({
			label: of[0],
			num: true,
			down: of[1],
			up: `-${of[1]}`,
			cell: (r) => o.share(r[of[1]]),
			value: (r) => r[of[1]],
			title: (r) => utilizationTitle(r, of),
		})),
		{
			label: 'Utilization covered',
			class: 'two-lines',
			num: true,
			down: 'covered',
			up: '-covered',
			cell: (r) => o.share(r.utilization_covered),
			value: (r) => r.utilization_covered,
			title: coveredText,
		},
	];
}

// The utilization of a section of layers in one line, and its explanation.
export const utilizationLine = (section) => ({
	text:
		UTILIZATION.map(([label, key]) => `${label} ${section[key] === null ? 'unknown' : o.share(section[key])}`).join(', ') +
		(section.mfu === null ? '' : ` (${o.share(section.utilization_covered)} covered)`),
	title:
		section.mfu === null
			? `unknown: ${section.utilization_reason}`
			: `${UTILIZATION.map((of) => `${of[0]}: ${utilizationTitle(section, of)}`).join('. ')}. Time: start to end of its instances`,
});

// MFU, HFU and MBU of the run, each with its coverage: [label, text, title].
export const utilizationTotals = (doc) =>
	UTILIZATION.map((of) => [
		of[0],
		doc[of[1]] === null ? f.NONE : `${o.share(doc[of[1]])} (${o.share(doc.utilization_covered)} covered)`,
		`${utilizationTitle(doc, of)}` +
			(doc[of[1]] === null
				? ''
				: `. Time: ${doc.utilization_period === 'span' ? 'the span' : 'the kept iterations'} on all devices, ${f.exact(doc.utilization_time_ns)}`),
	]);

// Findings that hold only for the run's own platform.
const OWN_PLATFORM_FINDINGS = ['above_bound', 'peak', 'platform', 'unbound'];

// The document as the table shows it. `clock` is the finding that clockLine() shows.
const shownOf = (doc) => ({
	...doc,
	items: doc.against ? doc.items.map(o.againstRow) : doc.items,
	clock: doc.findings.find(({code}) => code === 'peaks_at_clock')?.text ?? doc.peaks,
	findings: doc.findings.filter(
		({code}) => code !== 'peaks_at_clock' && !(doc.against && OWN_PLATFORM_FINDINGS.includes(code)),
	),
});

function columns(doc) {
	const {items: rows, against} = doc;
	const sum = largestUnit(rows.map((r) => r.total_ns));
	const each = typicalUnit(rows.map((r) => r.mean_call_ns));
	return [
		operatorColumn(),
		textColumn('dtype', 'dtype'),
		textColumn('Phase', 'phase'),
		{
			label: 'Time',
			unit: '%',
			num: true,
			class: 'time',
			cell: (r) => share(r.time_pct),
			title: (r) => (r.time_pct === null ? 'unknown' : null),
		},
		timeColumn('Total', 'total', sum),
		countColumn('Calls', 'calls'),
		countColumn('Launches', 'launches'),
		timeColumn('Mean call', 'mean_call', each),
		countColumn('Shapes', 'shapes', 'no shape is known'),
		sourceColumn(),
		{
			label: 'Shape known',
			class: 'two-lines',
			num: true,
			down: 'sized',
			up: '-sized',
			cell: (r) => o.shareOfPercent(sizedPct(r)),
			value: sizedPct,
			title: (r) => `${f.exact(r.shape_known_ns)} of ${f.exact(r.total_ns)} have a known shape`,
		},
		...sColumns(),
		regimeColumn(),
		...(against
			? []
			: [
					{
						...timeColumn('Headroom', 'headroom', sum),
						cell: (r) => o.upTo(f.inUnit(r.headroom_ns, sum), r.collective),
						title: (r) =>
							r.headroom_ns === null
								? 'unknown: no roofline bound'
								: `${f.exact(r.headroom_ns)}, ${f.percent(r.headroom_pct)} % of the run's GPU time${waiting(r)}`,
					},
					{
						...timeColumn('Reachable headroom', 'reachable_headroom', sum),
						class: 'two-lines',
						title: (r) =>
							r.reachable_headroom_ns === null
								? noFleetBest(r)
								: `${f.exact(r.reachable_headroom_ns)} would be saved at the fleet-best, of ` +
									`${f.exact(r.reachable_known_ns)} with a fleet-best`,
					},
					bestColumn(),
				]),
		...dataSheetColumns(doc, sum),
		...measuredColumns(doc, sum),
		...utilizationColumns(doc),
	];
}

// At which clock the compute peaks are.
function clockLine({against, platform, clock, sm_clock_reason: reason}) {
	if (against || !platform || !(clock || reason)) return '';
	return h(
		'p',
		{class: 'hint'},
		clock
			? `Roofline bounds use ${clock}. S data sheet and headroom data sheet use the data sheet's peaks instead.`
			: `Compute peaks are the data sheet's, whatever clock the device had: ${reason}.`,
	);
}

// What the measured ceilings are: where they come from, and which are above the data sheet.
function ceilingsLine({against, measured_ceilings: is}) {
	if (against || !is) return '';
	const notes = is.items.filter((r) => r.note).map((r) => `${[r.measurement, r.dtype].filter(Boolean).join(' ')} is ${r.note}`);
	return h(
		'p',
		{class: 'hint'},
		`Measured ceilings: kernsift calibrate on ${is.device}, ${is.measured_at.slice(0, 10)}` +
			`${is.driver ? `, driver ${is.driver}` : ''}. S measured and headroom measured compare with these rates ` +
			'instead of the data sheet.',
		notes.map((note) => ` ${note}.`),
	);
}

const total = (label, text, title) => h('div', {class: 'total', title}, h('dt', {}, label), h('dd', {}, text));
const part = (label, pct, description) => total(label, o.shareOfPercent(pct), pct === null ? 'unknown' : description);

function summary(doc) {
	const replays =
		doc.replayed > 0
			? total(
					'In graph replays',
					`${f.count(doc.replayed_known)} of ${f.count(doc.replayed)} known`,
					'kernels of CUDA graph replays, and how many have a known operator: from the ranges of their ' +
						'graph nodes, or from a recorded capture of the same graph',
				)
			: null;
	return h(
		'dl',
		{class: 'totals'},
		total('GPU time', f.duration(doc.gpu_ns), f.exact(doc.gpu_ns)),
		part('Attributed', doc.attributed_pct, 'GPU time with an operator'),
		part('Operator known', doc.operator_known_pct, 'GPU time with a specific operator'),
		part('Shape known', doc.shape_known_pct, 'GPU time with a known shape'),
		doc.against ? null : utilizationTotals(doc).map((of) => total(...of)),
		replays,
		total(
			'Catalog version',
			doc.catalog ?? f.NONE,
			'version used for attribution: that of the built-in catalog, then + and that of the site overrides',
		),
	);
}

// The run's own platform, or any other platform of the catalog.
function platformChoice(doc, platforms, change) {
	const select = h(
		'select',
		{'aria-label': 'Platform', on: {change: (e) => change(e.target.value)}},
		h('option', {value: ''}, `this run's GPU: ${doc.platform ?? 'unknown'}`),
		platforms
			.filter((p) => p.name !== doc.platform)
			.map((p) => h('option', {value: p.name, selected: p.name === doc.against?.name}, `compare with ${p.name}`)),
	);
	return h('label', {class: 'check'}, h('span', {'aria-hidden': 'true'}, 'Platform'), select);
}

function platformLine(run, doc) {
	const {platform: own, platform_source: ownSource, against} = doc;
	const source = against ? against.source : ownSource;
	if (!own && !against)
		return h(
			'p',
			{class: 'notice'},
			`This run has no roofline bounds, because ${o.noPlatformReason(run.devices)}. Select a platform of the `,
			h('a', {href: '/catalog?tab=platforms'}, 'catalog'),
			' for comparison, or add one.',
		);
	return h(
		'p',
		{class: 'hint'},
		`Roofline bounds are those of ${against?.name ?? own}` +
			(against ? `, not of the run's own platform${own ? ` ${own}` : ''}` : '') +
			`${source ? `; source: ${source}` : ''}. `,
		against
			? 'S = T_SOL / T: the roofline bound of that platform divided by the time of this run.'
			: 'S = T_SOL / T. Headroom is the time above the roofline bound, for calls longer than the launch floor.' +
				(doc.items.some((r) => r.collective && r.headroom_ns > 0) ? ` ${o.WAITS}` : ''),
	);
}

export async function operatorTab(run, query, at) {
	let against = query.get('against') ?? '';
	const [first, {items: platforms}, graphs] = await Promise.all([
		api.operators(run.id, {against}, at.signal),
		api.catalog('platforms', at.signal),
		replayedGraphs(run, at),
	]);
	const place = h('div', {class: 'part'});
	let shown;

	function build(answer, q) {
		const doc = shownOf(answer);
		const detail = shapeDetail(run, doc, against, (q.get('open') ?? '').split(','), at, () => shown.save());
		shown = listing({
			caption: 'Operators',
			columns: columns(doc),
			rows: doc.items,
			query: q,
			defaultSort: 'total',
			rowName: 'operator',
			counted: (r) => r.operator !== null,
			detail,
			at,
			text: (r) => [o.operatorName(r), r.dtype, r.phase, r.group].filter(Boolean).join(' '),
			empty:
				doc.gpu_ns === null
					? 'This run was analyzed by a version without operators.'
					: 'This run has no GPU time.',
			links: h(
				'span',
				{class: 'links'},
				platformChoice(doc, platforms, change),
				...['csv', 'md'].map((format) => exportLink(run.id, 'operators', format, {against})),
			),
			keep: () => ({against, open: detail.chosen()}),
			linked: q === query,
		});
		place.replaceChildren(findings(doc, 'Caveats') ?? '', summary(doc), platformLine(run, doc), clockLine(doc), ceilingsLine(doc), shown.node, graphs ?? '');
	}

	async function change(to) {
		const before = against;
		place.setAttribute('aria-busy', 'true');
		against = to;
		try {
			const doc = await api.operators(run.id, {against}, at.signal);
			build(doc, new URLSearchParams(location.search));
			shown.save();
			place.querySelector('select').focus();
		} catch (error) {
			against = before;
			if (!at.signal.aborted) showFailure(error, () => change(to));
		}
		place.removeAttribute('aria-busy');
	}

	build(first, query);
	return {node: place, save: () => shown.save()};
}
