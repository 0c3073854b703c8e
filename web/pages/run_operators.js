// run_operators.js - tab: what a run's GPU time was spent on, how we know, and
// how near to the least it could take; on its own platform or against another.
// A row opens to its shapes, the unattributed one to its kernels.

import * as api from '../lib/api.js';
import {exportLink, largestUnit, share, timeColumn, typicalUnit} from '../lib/columns.js';
import {facts, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {listing} from '../lib/listing.js';
import {showFailure} from '../lib/notices.js';
import {
	aiColumn,
	countColumn,
	kernelList,
	operatorColumn,
	regimeColumn,
	sColumns,
	sourceColumn,
	sourceList,
	textColumn,
} from '../lib/operator_columns.js';
import * as o from '../lib/operators.js';
import {sorted, table} from '../lib/table.js';
import {findings} from '../lib/findings.js';

// What opens beneath an operator of a run: what its time was
// known from, and its shapes; beneath the unattributed one, its kernels.

const LIMIT = 500;
const PAGE_LIMIT = 5000;
const LONG = 60;
const SHAPE_SPREAD = [
	['Avg', 'avg'],
	['Med', 'med'],
	['Min', 'min'],
	['Max', 'max'],
	['p90', 'p90'],
	['p99', 'p99'],
];

function shapeColumns(rows) {
	const each = typicalUnit(rows.map((r) => r.med_ns ?? r.avg_ns));
	const why = (r) => r.why ?? 'unknown';
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
			title: (r) => (r.sol_ns === null ? why(r) : `the least a call can take: ${f.exact(r.sol_ns)}`),
		},
		...sColumns(),
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
					: why(r),
		},
		{
			label: 'Q',
			num: true,
			down: 'q',
			up: '-q',
			value: o.bytesOf,
			cell: (r) => o.amount(o.bytesOf(r), 'B'),
			title: (r) =>
				o.bytesOf(r) === null
					? why(r)
					: `reads ${f.count(r.read_bytes)}, writes ${f.count(r.write_bytes)} bytes`,
		},
		{...textColumn('Known from', 'known'), title: (r) => o.SOURCES[r.known] ?? null},
		...SHAPE_SPREAD.slice(2).map(([label, key]) => timeColumn(label, key, each)),
	];
}

// Sentences about shapes whose cost is not known, each once.
function reasons(rows) {
	const list = [...new Set(rows.map((r) => r.why).filter(Boolean))];
	return list.length
		? h(
				'ul',
				{class: 'alone quiet'},
				list.slice(0, 5).map((why) => h('li', {}, `No bound: ${why}.`)),
			)
		: null;
}

function operatorFacts(row) {
	return facts([
		['What', row.what],
		['Group', row.group],
		['Known from', sourceList(row)],
		['Waits for ranks', row.collective ? 'yes: its time includes waiting, so it has no headroom' : null],
		[
			'S above 1',
			row.over_ns
				? `${f.duration(row.over_ns)} of its time: the cost model is wrong there, or data was in a cache`
				: null,
		],
		[
			'Compute-bound',
			row.compute_pct === null || row.compute_pct === undefined
				? null
				: `${o.shareOfPercent(row.compute_pct)} of the time with a bound`,
		],
	]);
}

// A row's shapes, and whether there may be more. What has no type or phase
// cannot be asked for alone: pages of all are read until LIMIT are its own.
export async function shapesOf(row, ask) {
	const items = [];
	const limit = row.dtype && row.phase ? LIMIT : PAGE_LIMIT;
	let cursor = null;
	do {
		const page = await ask({dtype: row.dtype, phase: row.phase, limit, cursor});
		items.push(...page.items.filter((r) => r.dtype === row.dtype && r.phase === row.phase));
		cursor = page.next;
	} while (cursor !== null && items.length < LIMIT);
	return {items: items.slice(0, LIMIT).map(o.againstRow), more: cursor !== null || items.length > LIMIT};
}

function shapeDetail(run, doc, against, opened, at, changed) {
	// A row is an operator, a type and a phase.
	const word = (r) => [o.operatorName(r), r.dtype, r.phase].filter(Boolean).join(':');
	const open = new Set(doc.items.filter((r) => opened.includes(word(r))));
	const loaded = new Map();

	async function load(row, place) {
		try {
			if (row.operator === null) {
				place.replaceChildren(kernelList((await api.runUnattributed(run.id, {limit: LIMIT}, at.signal)).items));
				return;
			}
			const {items, more} = await shapesOf(row, (words) =>
				api.runShapes(run.id, row.operator, {against, ...words}, at.signal),
			);
			const all = shapeColumns(items);
			const shown = table({
				caption: `Shapes of ${row.operator}`,
				columns: all,
				rows: items,
				tall: items.length > LONG,
				empty: 'No shape of it is stored.',
				onsort: (sort) => shown.update({rows: sorted(items, all, sort), sort}),
			});
			place.replaceChildren(
				shown.node,
				reasons(items) ?? '',
				h(
					'p',
					{class: 'links'},
					more ? `The ${LIMIT} shapes with most time; all of them as ` : 'As ',
					...['csv', 'md'].flatMap((format) => [
						exportLink(run.id, `operators/${encodeURIComponent(row.operator)}/shapes`, format, {against}),
						' ',
					]),
				),
			);
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

const sizedPct = (r) => (r.total_ns > 0 && r.sized_ns !== null ? (r.sized_ns * 100) / r.total_ns : null);

const noHeadroom = (r) =>
	r.collective ? 'not reckoned: its time includes waiting for other ranks' : 'unknown: no bound is known';

// What is said of bounds on the run's own platform.
const OWN_PLATFORM_FINDINGS = ['over', 'peak', 'platform', 'unbound'];

// The document as its table shows it.
const shownOf = (doc) =>
	doc.against
		? {
				...doc,
				items: doc.items.map(o.againstRow),
				findings: doc.findings.filter(({code}) => !OWN_PLATFORM_FINDINGS.includes(code)),
			}
		: doc;

function columns({items: rows, against}) {
	const sum = largestUnit(rows.map((r) => r.total_ns));
	const each = typicalUnit(rows.map((r) => r.avg_call_ns));
	return [
		operatorColumn(),
		textColumn('dtype', 'dtype'),
		textColumn('Phase', 'phase', 'not told'),
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
		timeColumn('Avg call', 'avg_call', each),
		countColumn('Shapes', 'shapes', 'no sizes are known'),
		sourceColumn(),
		{
			label: 'Sized',
			num: true,
			down: 'sized',
			up: '-sized',
			cell: (r) => o.shareOfPercent(sizedPct(r)),
			value: sizedPct,
			title: (r) => `${f.exact(r.sized_ns)} of ${f.exact(r.total_ns)} have known sizes`,
		},
		...sColumns(),
		regimeColumn(),
		...(against
			? []
			: [
					{
						...timeColumn('Headroom', 'headroom', sum),
						title: (r) =>
							r.headroom_ns === null
								? noHeadroom(r)
								: `${f.exact(r.headroom_ns)}, ${f.percent(r.headroom_pct)} % of the run's GPU time`,
					},
				]),
	];
}

const total = (label, text, title) => h('div', {class: 'total', title}, h('dt', {}, label), h('dd', {}, text));
const part = (label, pct, what) => total(label, o.shareOfPercent(pct), pct === null ? 'unknown' : what);

function summary(doc) {
	const replays =
		doc.replayed > 0
			? total(
					'In graph replays',
					`${f.count(doc.replayed_known)} of ${f.count(doc.replayed)} known`,
					'kernels of CUDA graph replays, and those whose operator is known: by the ranges recorded with their nodes, or learnt from a capture of the same graph',
				)
			: null;
	return h(
		'dl',
		{class: 'totals'},
		total('GPU time', f.duration(doc.gpu_ns), f.exact(doc.gpu_ns)),
		part('Attributed', doc.attributed_pct, 'GPU time whose operator is known'),
		part('Specific', doc.specific_pct, 'GPU time whose operator says what it does'),
		part('Sized', doc.sized_pct, 'GPU time whose sizes are known'),
		replays,
		total(
			'Catalogue',
			doc.catalog ?? f.NONE,
			"the version it was attributed with: the program's, and after the + the edits of its own",
		),
	);
}

// Its own platform, or any other of the catalogue to hold the run against.
function platformChoice(doc, platforms, change) {
	const select = h(
		'select',
		{'aria-label': 'Platform', on: {change: (e) => change(e.target.value)}},
		h('option', {value: ''}, doc.platform ? `its own: ${doc.platform}` : 'its own, unknown'),
		platforms
			.filter((p) => p.name !== doc.platform)
			.map((p) => h('option', {value: p.name, selected: p.name === doc.against?.name}, `against ${p.name}`)),
	);
	return h('label', {class: 'check'}, h('span', {'aria-hidden': 'true'}, 'Platform'), select);
}

function platformLine(doc) {
	const {platform: own, platform_source: ownSource, against} = doc;
	const source = against ? against.source : ownSource;
	if (!own && !against)
		return h(
			'p',
			{class: 'lacking'},
			'The platform of this run is not known, so no bound is: ',
			h('a', {href: '/catalogue?tab=platforms'}, 'the catalogue has these'),
			'; choose one to hold the run against, or add its own.',
		);
	return h(
		'p',
		{class: 'hint'},
		`Bounds are those of ${against?.name ?? own}${against ? `, not of its own platform${own ? ` ${own}` : ''}` : ''}${source ? `; figures from ${source}` : ''}. `,
		against
			? 'S = T_SOL / T: the least there over the time here.'
			: 'S = T_SOL / T; headroom is the time above the least, of calls longer than a launch takes.',
	);
}

export async function operatorTab(run, query, at) {
	let against = query.get('against') ?? '';
	const [first, {items: platforms}] = await Promise.all([
		api.operators(run.id, {against}, at.signal),
		api.catalog('platforms', at.signal),
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
			usual: 'total',
			what: 'operator',
			detail,
			at,
			text: (r) => [o.operatorName(r), r.dtype, r.phase, r.group].filter(Boolean).join(' '),
			empty: doc.gpu_ns === null ? 'It was analysed before operators were known.' : 'This run has no GPU time.',
			links: h(
				'span',
				{class: 'links'},
				platformChoice(doc, platforms, change),
				...['csv', 'md'].map((format) => exportLink(run.id, 'operators', format, {against})),
			),
			keep: () => ({against, open: detail.chosen()}),
		});
		place.replaceChildren(
			findings(doc, 'What these numbers rest on') ?? '',
			summary(doc),
			platformLine(doc),
			shown.node,
		);
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
