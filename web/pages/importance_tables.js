// importance_tables.js - the columns of the three tables of what matters, each
// cell written as the published pages write it.

import * as api from '../lib/api.js';
import {chart} from '../lib/chart.js';
import {roofline, roofsOf} from '../lib/chart_roofline.js';
import {facts, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {showFailure} from '../lib/notices.js';
import {
	aiColumn,
	countColumn,
	kernelList,
	operatorColumn,
	regimeColumn,
	regimeMark,
	sColumns,
	textColumn,
} from '../lib/operator_columns.js';
import * as o from '../lib/operators.js';
import {sorted, table} from '../lib/table.js';

// What opens beneath an operator: what it is, its weights,
// and its shapes; beneath the one without a name, the kernels that nobody knows.

const LIMIT = 500;
const LONG = 60;

// A table that keeps its own order; nothing of it is in the address.
function sortable(caption, columns, rows) {
	const shown = table({
		caption,
		columns,
		rows,
		tall: rows.length > LONG,
		onsort: (sort) => shown.update({rows: sorted(rows, columns, sort), sort}),
	});
	return shown.node;
}

function summary(row, doc) {
	const range = row.low === null || row.low === undefined ? null : `${o.share(row.low)} to ${o.share(row.high)}`;
	const node = facts([
		['What', row.what],
		['Group', row.group],
		['dtype', row.dtype],
		['Phase', row.phase],
		[doc.set ? 'Profiles' : 'Runs', `${f.count(row.runs)} of ${f.count(doc.runs)}`],
		['95% interval', range ?? doc.interval_why],
		['Waits for ranks', row.collective ? 'yes: its time includes waiting, so it has no headroom' : null],
		['S above 1', row.over_pct ? `${o.shareOfPercent(row.over_pct)} of its time` : null],
	]);
	node.classList.add('in-line');
	return node;
}

// Shared by the three tables: what is open in one is open in all. `changed` is
// told whenever the set of open rows is another, or shapes have come.
export function operatorDetails(doc, words, opened, at, changed) {
	const open = new Set(doc.items.filter((r) => opened.includes(o.operatorName(r))));
	const known = new Map();

	async function load(row, place) {
		place.setAttribute('aria-busy', 'true');
		try {
			if (row.operator === null) known.set(row, {kernels: await api.unattributed({limit: 100}, at.signal)});
			else
				known.set(
					row,
					await api.importanceShapes(row.operator, {...words, weight: null, limit: LIMIT}, at.signal),
				);
			draw(row, place);
			changed();
		} catch (error) {
			if (at.signal.aborted) return;
			place.replaceChildren(h('p', {class: 'sentence'}, error.message));
			showFailure(error, () => load(row, place));
		}
		place.removeAttribute('aria-busy');
	}

	function draw(row, place) {
		const {items, kernels, platforms, next} = known.get(row);
		if (kernels) {
			place.replaceChildren(kernelList(kernels.items, 'Of all runs stored here, whatever is filtered above.'));
			return;
		}
		const columns = shapeColumns(
			items,
			platforms.map((p) => p.name),
			row.collective,
		);
		place.replaceChildren(
			items.length
				? sortable(`Shapes of ${row.operator}`, columns, items)
				: h('p', {class: 'quiet'}, 'None of its time has known sizes.'),
			next ? h('p', {class: 'hint'}, `The ${LIMIT} shapes with most time; there are more.`) : '',
		);
	}

	function fill(row, place) {
		const list = h('div', {class: 'shapes'}, h('p', {class: 'loading'}, 'Loading…'));
		place.append(summary(row, doc), list);
		if (known.has(row)) draw(row, list);
		else load(row, list);
	}

	return {
		open,
		fill,
		changed,
		name: o.operatorName,
		shapes: (row) => known.get(row)?.items,
		chosen: () => [...open].map(o.operatorName).join(','),
	};
}

// The roofline of the operators, or of one operator's
// shapes, on one platform: who is drawn, who cannot be and why.

const positive = (n) => Number.isFinite(n) && n > 0;

function operatorPoint(row, platform) {
	return {
		row,
		name: o.operatorName(row),
		ai: row.ai,
		flops: row.attained_flops?.[platform],
		weight: row.importance,
		regime: row.regime,
		s: row.s,
		dtypes: row.dtype ? row.dtype.split('/') : [],
	};
}

function shapePoint(row, platform) {
	const us = row.t_prod_us?.[platform];
	const flops = o.flopsOf(row);
	return {
		row,
		name: row.description ? `#${row.shape_id}` : (row.shape ?? 'sizes unknown'),
		ai: row.ai,
		flops: positive(us) && flops !== null ? (flops * 1e6) / us : null,
		weight: row.share ?? row.calls,
		regime: row.regime,
		s: row.s,
		dtypes: Object.keys(row.flops ?? {}).filter((d) => row.flops[d] > 0),
		full: o.shapeName(row),
	};
}

const pointText = (p, weight) =>
	`${p.full ?? p.name}: ${o.intensity(p.ai)} FLOP per byte, attained ${o.amount(p.flops, 'FLOP/s')}` +
	`${p.s === null || p.s === undefined ? '' : `, S ${o.share(p.s)}`}, ${weight(p)}`;

const COLUMNS = [
	{label: 'Name', head: true, class: 'shape', cell: (p) => p.full ?? p.name},
	{label: 'Regime', cell: (p) => regimeMark(p.regime)},
	{label: 'AI', num: true, cell: (p) => o.intensity(p.ai), title: (p) => `${p.ai} FLOP per byte`},
	{label: 'Attained', num: true, cell: (p) => o.amount(p.flops, 'FLOP/s'), title: (p) => `${p.flops} FLOP/s`},
	{label: 'S', num: true, cell: (p) => o.share(p.s)},
];

// Who is not in the drawing, in a sentence.
function notDrawn(all, platform, what) {
	const still = all.filter((p) => p.ai === 0);
	const others = all.filter((p) => p.ai !== 0 && !(positive(p.ai) && positive(p.flops)));
	const names = (list) =>
		`${list
			.slice(0, 6)
			.map((p) => p.name)
			.join(', ')}${list.length > 6 ? ', …' : ''}`;
	return [
		still.length
			? `${f.plural(still.length, what)} without floating-point work ${still.length === 1 ? 'has' : 'have'} no place in it: ${names(still)}. `
			: '',
		others.length
			? `${f.plural(others.length, what)} ${others.length === 1 ? 'is' : 'are'} not drawn, for want of a known cost or of a time on ${platform}: ${names(others)}.`
			: '',
	].join('');
}

const legend = () =>
	h(
		'p',
		{class: 'hint legend'},
		h('span', {class: 'dot compute', 'aria-hidden': 'true'}),
		'compute-bound ',
		h('span', {class: 'dot memory', 'aria-hidden': 'true'}),
		'memory-bound. The larger, the more important. Lines are what the platform can do at most.',
	);

// On which platform: the one asked for, else the one with most rows timed.
function platformOf(doc, asked) {
	const timed = (p) => doc.items.filter((r) => positive(r.attained_flops?.[p])).length;
	const names = namesOf(doc);
	return names.includes(asked)
		? asked
		: names.reduce((best, p) => (best === undefined || timed(p) > timed(best) ? p : best), undefined);
}

// `one` answers the row whose shapes are drawn, or nothing; draw() draws anew.
export function rooflinePlot(doc, {asked, one, shapes, all, changed}) {
	let name = platformOf(doc, asked);
	const place = h('div', {class: 'part'});
	const select = h(
		'select',
		{
			'aria-label': 'Platform of the roofline',
			on: {
				change: (e) => {
					name = e.target.value;
					changed();
					draw();
				},
			},
		},
		namesOf(doc).map((p) => h('option', {value: p, selected: p === name}, p)),
	);
	const back = h('button', {type: 'button', on: {click: all}}, 'All operators');
	const head = h('h2', {id: 'roofline'});

	function draw() {
		const row = one();
		const rows = row && shapes(row);
		const platform = doc.platforms.find((p) => p.name === name);
		const points = (rows ?? doc.items.filter((r) => r.operator !== null)).map((r) =>
			(rows ? shapePoint : operatorPoint)(r, name),
		);
		const drawn = points.filter((p) => positive(p.ai) && positive(p.flops));
		const what = rows ? 'shape' : 'operator';
		head.textContent = rows ? `Roofline of the shapes of ${row.operator}` : 'Roofline';
		back.hidden = !rows;
		const weight = rows
			? (p) =>
					p.row.share === null || p.row.share === undefined
						? f.plural(p.row.calls ?? 0, 'call')
						: `${o.share(p.row.share)} of its time`
			: (p) => `importance ${o.share(p.weight)}`;
		if (!drawn.length || !positive(platform?.bytes_per_s)) {
			place.replaceChildren(
				h(
					'p',
					{class: 'quiet'},
					doc.platforms.length ? `Nothing to draw on ${name}: ` : 'Nothing to draw: ',
					drawn.length
						? 'its bandwidth is not known.'
						: 'no cost and time of one platform are known together.',
				),
			);
			return;
		}
		const dtypes = new Set(drawn.flatMap((p) => p.dtypes));
		const some = roofsOf(platform, dtypes);
		place.replaceChildren(
			chart({
				caption: `${name}: ${o.amount(platform.bytes_per_s, 'B/s')}${platform.source ? `, figures from ${platform.source}` : ''}`,
				label: `Roofline on ${name}: ${f.plural(drawn.length, what)} by arithmetic intensity and attained FLOP per second; the table The numbers has them all`,
				hint: `Each mark is one ${what}; point at it, or open the numbers.`,
				draw: roofline({
					points: drawn.map((p) => ({...p, text: pointText(p, weight)})),
					roofs: some.length ? some : roofsOf(platform),
					bandwidth: platform.bytes_per_s,
				}),
				columns: [
					...COLUMNS,
					{
						label: rows ? 'Share' : 'Importance',
						num: true,
						cell: (p) => (rows ? weight(p) : o.share(p.weight)),
					},
				],
				rows: drawn,
			}),
			legend(),
			h('p', {class: 'hint'}, notDrawn(points, name, what)),
		);
	}

	draw();
	return {
		draw,
		name: () => name,
		node: h(
			'section',
			{'aria-labelledby': 'roofline', class: 'roofline'},
			h(
				'div',
				{class: 'toolbar'},
				head,
				back,
				name === undefined
					? ''
					: h('label', {class: 'check'}, h('span', {'aria-hidden': 'true'}, 'Platform'), select),
			),
			place,
		),
	};
}

const LEAST = 'the least time it can take';
const MEDIAN = 'median of what was measured';
const MEAN = 'mean call of what was measured';

const unknown = (x) => x === null || x === undefined;

const shareColumn = (label, key, what, unit) => ({
	label,
	unit,
	num: true,
	down: key,
	up: `-${key}`,
	value: (r) => r[key],
	cell: (r) => o.share(r[key]),
	title: (r) => (unknown(r[key]) ? 'unknown' : `${what}: ${r[key]}`),
});

const percentColumn = (label, key, what) => ({
	label,
	num: true,
	down: key,
	up: `-${key}`,
	value: (r) => r[key],
	cell: (r) => o.shareOfPercent(r[key]),
	title: (r) => (unknown(r[key]) ? 'unknown' : `${what}: ${r[key]} %`),
});

// A bar as long as the importance, on a scale that all rows share.
function importanceColumn(most, weight) {
	return {
		label: 'Importance',
		num: true,
		down: 'importance',
		up: '-importance',
		class: 'importance',
		value: (r) => r.importance,
		title: (r) => (unknown(r.importance) ? 'unknown' : `${o.WEIGHTS[weight] ?? ''}: ${r.importance}`),
		cell: (r) =>
			h(
				'span',
				{class: 'share', style: {'--share': `${(100 * (r.importance ?? 0)) / most}%`}},
				o.share(r.importance),
			),
	};
}

// The interval in figures, and as a whisker on the scale of the bars.
function intervalColumn(most, why) {
	return {
		label: '95% interval',
		num: true,
		class: 'interval',
		cell: (r) =>
			unknown(r.low)
				? f.NONE
				: [
						`${o.share(r.low)} … ${o.share(r.high)}`,
						h('span', {
							class: 'spread',
							'aria-hidden': 'true',
							style: {
								'--from': `${(100 * r.low) / most}%`,
								'--wide': `${(100 * (r.high - r.low)) / most}%`,
								'--at': `${(100 * r.importance) / most}%`,
							},
						}),
					],
		title: (r) => (unknown(r.low) ? (why ?? 'unknown') : `${r.low} to ${r.high}`),
	};
}

// A column that no row has a value in is left out of what was published:
// nobody measured it there.
const measured = (doc) => (column) => !doc.set || !column.value || doc.items.some((r) => !unknown(column.value(r)));

// Several types may go on in the next line, but none is broken.
const typeNames = (r) =>
	r.dtype ? r.dtype.split('/').flatMap((name, i) => (i ? ['/', h('wbr'), name] : [name])) : f.NONE;
// A set's word for what serves both, written as a fleet's phases are.
const phaseNames = (r) => (r.phase === 'both' ? 'prefill/decode' : (r.phase ?? f.NONE));

export function generalColumns(doc) {
	const most = doc.items.reduce((n, r) => Math.max(n, r.importance ?? 0, r.high ?? 0), 0) || 1;
	return [
		operatorColumn(),
		{...textColumn('dtype', 'dtype'), class: 'wraps', cell: typeNames},
		{...textColumn('Phase', 'phase'), cell: phaseNames},
		countColumn('Shapes', 'shapes'),
		importanceColumn(most, doc.weight),
		...(doc.items.some((r) => !unknown(r.low)) ? [intervalColumn(most, doc.interval_why)] : []),
		...[
			shareColumn('w_time', 'w_time', o.WEIGHTS.time),
			shareColumn('w_mean', 'w_mean', o.WEIGHTS.mean),
			shareColumn('w_present', 'w_present', o.WEIGHTS.present),
			{
				...shareColumn('Prevalence', 'prevalence'),
				title: (r) => `${f.count(r.runs)} of ${f.plural(doc.runs, doc.set ? 'profile' : 'run')}`,
			},
			{
				...shareColumn('Headroom', 'headroom', "share of the fleet's GPU time that perfect kernels would free"),
				title: (r) =>
					unknown(r.headroom)
						? r.collective
							? 'not reckoned: its time includes waiting for other ranks'
							: 'unknown: no bound is known'
						: `share of all GPU time that perfect kernels would free: ${r.headroom}`,
			},
			percentColumn('Sized', 'sized_pct', 'share of its time whose sizes are known'),
			percentColumn('Bound', 'bound_pct', 'share of its time whose least time is known'),
		].filter(measured(doc)),
	];
}

// A shape that runs had is of one platform, and its times are of that.
const platformTime = (label, key, text, what) => ({
	label,
	num: true,
	down: key,
	up: `-${key}`,
	cell: (r) => text(r[key]?.[r.platform]),
	value: (r) => r[key]?.[r.platform] ?? null,
	title: (r) =>
		unknown(r[key]?.[r.platform]) ? (r.why ?? 'unknown') : `${what}: ${r[key][r.platform]} us on ${r.platform}`,
});

const timeColumn = (label, key, platform, text, what) => ({
	label,
	unit: platform,
	num: true,
	down: `${key}.${platform}`,
	up: `-${key}.${platform}`,
	cell: (r) => text(r[key]?.[platform]),
	value: (r) => r[key]?.[platform] ?? null,
	title: (r) => (unknown(r[key]?.[platform]) ? 'unknown' : `${what}: ${r[key][platform]} us`),
});

const solColumns = (platforms) => platforms.map((p) => timeColumn('T_SOL', 't_sol_us', p, o.bound, LEAST));
const prodColumns = (platforms, what = MEDIAN) =>
	platforms.map((p) => timeColumn('T_prod', 't_prod_us', p, o.measured, what));

// Of all platforms those that any of these rows has a time on.
const timed = (rows, platforms, key) => platforms.filter((p) => rows.some((r) => !unknown(r[key]?.[p])));

const namesOf = (doc) => doc.platforms.map((p) => p.name);

export function rooflineColumns(doc) {
	const names = namesOf(doc);
	return [
		operatorColumn(),
		regimeColumn(),
		aiColumn(),
		...sColumns().filter(measured(doc)),
		...solColumns(timed(doc.items, names, 't_sol_us')),
		...prodColumns(timed(doc.items, names, 't_prod_us'), doc.set ? MEDIAN : MEAN),
	];
}

// Of a set the median of its shapes' S, of a fleet the S of all their time.
export function shapesColumns(doc) {
	return [
		operatorColumn(),
		countColumn('Shapes', 'shapes'),
		...(doc.set ? sColumns('s_median', 'S (median)') : sColumns()),
	];
}

function shapeColumns(rows, names, collective) {
	const has = (key) => rows.some((r) => !unknown(r[key]));
	// What all of them share is told above the table.
	const varied = (key) => new Set(rows.map((r) => r[key])).size > 1;
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
		...sColumns(),
		...(has('platform') ? [textColumn('Platform', 'platform')] : []),
		...(varied('dtype') ? [textColumn('dtype', 'dtype')] : []),
		...(varied('phase') ? [textColumn('Phase', 'phase')] : []),
		...(has('share')
			? [
					shareColumn(
						'Share',
						'share',
						collective ? "share of the operator's time, waiting included" : "share of the operator's time",
					),
				]
			: []),
		countColumn('Calls', 'calls'),
		...(has('runs') ? [countColumn('Runs', 'runs')] : []),
		...(has('platform')
			? [
					platformTime('T_prod', 't_prod_us', o.measured, MEDIAN),
					platformTime('T_SOL', 't_sol_us', o.bound, LEAST),
				]
			: [...prodColumns(timed(rows, names, 't_prod_us')), ...solColumns(timed(rows, names, 't_sol_us'))]),
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
					: 'unknown',
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
					? 'unknown'
					: `reads ${f.count(r.read_bytes)}, writes ${f.count(r.write_bytes)} bytes`,
		},
	];
}
