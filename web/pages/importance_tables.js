// importance_tables.js - the tables of the importance page: their columns, the details of an
// operator, and the roofline. Cells use the format of published operator benchmarks.

import * as api from '../lib/api.js';
import {chart} from '../chart/chart.js';
import {roofline, roofsOf} from '../chart/chart_roofline.js';
import {fileLink} from '../lib/columns.js';
import {facts, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {showFailure} from '../lib/notices.js';
import {
	aiColumn,
	bestColumn,
	countColumn,
	kernelList,
	noFleetBest,
	operatorColumn,
	regimeColumn,
	regimeMark,
	sColumns,
	textColumn,
} from '../lib/operator_columns.js';
import * as o from '../lib/operators.js';
import {sorted, table} from '../lib/table.js';

// The details of an operator: facts, weights and shapes. For the unattributed row, a list of its
// kernels.

const LIMIT = 500;
const LONG = 60;

// A table with its own order, which the address does not contain.
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
		['Description', row.description],
		['Group', row.group],
		['dtype', row.dtype],
		['Phase', row.phase],
		[doc.reference_set ? 'Profiles' : 'Runs', `${f.count(row.runs)} of ${f.count(doc.runs)}`],
		['95% interval', range ?? doc.interval_reason],
		['Waits for ranks', row.collective ? 'yes: the time and the headroom include waiting' : null],
		['S above 1', row.above_bound_pct ? `${o.shareOfPercent(row.above_bound_pct)} of its time` : null],
	]);
	node.classList.add('in-line');
	return node;
}

// The details that all three tables use: a row that is open in one table is open in all. changed()
// is called when the set of open rows changes, or when shapes have been loaded.
export function operatorDetails(doc, params, opened, at, changed) {
	const open = new Set(doc.items.filter((r) => opened.includes(o.operatorName(r))));
	const known = new Map();

	async function load(row, place) {
		place.setAttribute('aria-busy', 'true');
		try {
			if (row.operator === null) known.set(row, {kernels: await api.unattributed({limit: 100}, at.signal)});
			else
				known.set(
					row,
					await api.importanceShapes(row.operator, {...params, weight: null, limit: LIMIT}, at.signal),
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
			place.replaceChildren(kernelList(kernels.items, 'All stored runs, ignoring the filters above.'));
			return;
		}
		const columns = [
			...shapeColumns(
				items,
				platforms.map((p) => p.name),
				row.collective,
			),
			...(items.some((r) => r.pytorch) ? [scriptColumn(row.operator, {...params, weight: null})] : []),
		];
		place.replaceChildren(
			items.length
				? sortable(`Shapes of ${row.operator}`, columns, items)
				: h('p', {class: 'quiet'}, 'No launch of this operator has a known shape.'),
			next ? h('p', {class: 'hint'}, `The ${LIMIT} shapes with the most GPU time; there are more.`) : '',
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

// The roofline of the operators, or of one operator's shapes, on one platform; and the names of
// those that cannot be drawn.

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
		name: row.description ? `#${row.shape_id}` : (row.shape ?? 'shape unknown'),
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

// A sentence about the rows that are not drawn.
function notDrawn(all, platform, rowName) {
	const linked = all.filter((p) => p.regime === 'link');
	const withoutFlops = all.filter((p) => p.ai === 0);
	const others = all.filter((p) => p.regime !== 'link' && p.ai !== 0 && !(positive(p.ai) && positive(p.flops)));
	const names = (list) =>
		`${list
			.slice(0, 6)
			.map((p) => p.name)
			.join(', ')}${list.length > 6 ? ', …' : ''}`;
	return [
		withoutFlops.length
			? `Not drawn: ${f.plural(withoutFlops.length, rowName)} without floating-point work: ` +
				`${names(withoutFlops)}. `
			: '',
		linked.length
			? `Not drawn: ${f.plural(linked.length, rowName)} bound by the link, without an arithmetic intensity: ` +
				`${names(linked)}. `
			: '',
		others.length
			? `Not drawn: ${f.plural(others.length, rowName)} without a known cost or without a time on ${platform}: ` +
				`${names(others)}.`
			: '',
	].join('');
}

const legend = (weightName) =>
	h(
		'p',
		{class: 'hint legend'},
		h('span', {class: 'dot compute', 'aria-hidden': 'true'}),
		'compute-bound ',
		h('span', {class: 'dot memory', 'aria-hidden': 'true'}),
		`memory-bound. Size shows ${weightName}. Lines are the peaks of the platform.`,
	);

// The selected platform, otherwise the platform with the most timed rows.
function platformOf(doc, selected) {
	const timed = (p) => doc.items.filter((r) => positive(r.attained_flops?.[p])).length;
	const names = namesOf(doc);
	return names.includes(selected)
		? selected
		: names.reduce((best, p) => (best === undefined || timed(p) > timed(best) ? p : best), undefined);
}

// `one` returns the row whose shapes are drawn, or nothing; draw() redraws.
// `weightName` is what the size of a mark shows.
export function rooflinePlot(doc, {selected, one, shapes, all, changed, weightName = 'importance'}) {
	let name = platformOf(doc, selected);
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
		const rowName = rows ? 'shape' : 'operator';
		head.textContent = rows ? `Roofline of the shapes of ${row.operator}` : 'Roofline';
		back.hidden = !rows;
		const weight = rows
			? (p) =>
					p.row.share === null || p.row.share === undefined
						? f.plural(p.row.calls ?? 0, 'call')
						: `${o.share(p.row.share)} of its time`
			: (p) => `${weightName} ${o.share(p.weight)}`;
		if (!drawn.length || !positive(platform?.bytes_per_s)) {
			place.replaceChildren(
				h(
					'p',
					{class: 'quiet'},
					doc.platforms.length ? `Nothing to draw on ${name}: ` : 'Nothing to draw: ',
					drawn.length ? 'its bandwidth is unknown.' : 'no row has both a cost and a time on one platform.',
				),
			);
			return;
		}
		const dtypes = new Set(drawn.flatMap((p) => p.dtypes));
		const usedRoofs = roofsOf(platform, dtypes);
		place.replaceChildren(
			chart({
				caption:
					`${name}: ${o.amount(platform.bytes_per_s, 'B/s')}` +
					(platform.source ? `, source: ${platform.source}` : ''),
				label:
					`Roofline on ${name}: ${f.plural(drawn.length, rowName)} by arithmetic intensity and attained ` +
					'FLOP per second; the data table below lists all of them',
				hint: `Each mark is one ${rowName}; point at it, or open the data table.`,
				draw: roofline({
					points: drawn.map((p) => ({...p, text: pointText(p, weight)})),
					roofs: usedRoofs.length ? usedRoofs : roofsOf(platform),
					bandwidth: platform.bytes_per_s,
				}),
				columns: [
					...COLUMNS,
					{
						label: rows ? 'Share' : f.capital(weightName),
						num: true,
						cell: (p) => (rows ? weight(p) : o.share(p.weight)),
					},
				],
				rows: drawn,
			}),
			legend(weightName),
			h('p', {class: 'hint'}, notDrawn(points, name, rowName)),
		);
	}

	draw();
	return {
		draw,
		name: () => name,
		body: place, // without the heading and the choice of a platform
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

const BOUND = 'roofline bound';
const MEDIAN = 'measured median';
const MEAN = 'measured mean per call';

const unknown = (x) => x === null || x === undefined;

const shareColumn = (label, key, description, unit) => ({
	label,
	unit,
	num: true,
	down: key,
	up: `-${key}`,
	value: (r) => r[key],
	cell: (r) => o.share(r[key]),
	title: (r) => (unknown(r[key]) ? 'unknown' : `${description}: ${r[key]}`),
});

const percentColumn = (label, key, description) => ({
	label,
	num: true,
	class: 'two-lines',
	down: key,
	up: `-${key}`,
	value: (r) => r[key],
	cell: (r) => o.shareOfPercent(r[key]),
	title: (r) => (unknown(r[key]) ? 'unknown' : `${description}: ${r[key]} %`),
});

// Bars of importance on a scale that all rows share.
function importanceColumn(max, weight) {
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
				{class: 'share', style: {'--share': `${(100 * (r.importance ?? 0)) / max}%`}},
				o.share(r.importance),
			),
	};
}

// The interval as numbers, and as a line on the scale of the bars.
function intervalColumn(max, reason) {
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
								'--from': `${(100 * r.low) / max}%`,
								'--wide': `${(100 * (r.high - r.low)) / max}%`,
								'--at': `${(100 * r.importance) / max}%`,
							},
						}),
					],
		title: (r) => (unknown(r.low) ? (reason ?? 'unknown') : `${r.low} to ${r.high}`),
	};
}

const energyColumn = () => ({
	label: 'Energy',
	num: true,
	down: 'energy_kwh',
	up: '-energy_kwh',
	value: (r) => r.energy_kwh,
	cell: (r) => o.energy(r.energy_kwh),
	title: (r) => `${r.energy_kwh} kWh, of all runs, each multiplied by its GPU-hours`,
});

// A column without any value is omitted for reference sets, because it was not published.
const hasValues = (doc) => (column) => !doc.reference_set || !column.value || doc.items.some((r) => !unknown(column.value(r)));

// Several dtypes may wrap to the next line, but only between names.
const dtypeNames = (r) =>
	r.dtype ? r.dtype.split('/').flatMap((name, i) => (i ? ['/', h('wbr'), name] : [name])) : f.NONE;
// Reference sets use 'both'; fleets list both phases.
const phaseNames = (r) => (r.phase === 'both' ? 'prefill/decode' : (r.phase ?? f.NONE));

export function generalColumns(doc) {
	const max = doc.items.reduce((n, r) => Math.max(n, r.importance ?? 0, r.high ?? 0), 0) || 1;
	return [
		operatorColumn(),
		{...textColumn('dtype', 'dtype'), class: 'wraps', cell: dtypeNames},
		{...textColumn('Phase', 'phase'), cell: phaseNames},
		countColumn('Shapes', 'shapes'),
		importanceColumn(max, doc.weight),
		...(doc.items.some((r) => !unknown(r.low)) ? [intervalColumn(max, doc.interval_reason)] : []),
		...(doc.items.some((r) => !unknown(r.energy_kwh)) ? [energyColumn()] : []),
		...[
			shareColumn('w_time', 'w_time', o.WEIGHTS.time),
			shareColumn('w_mean', 'w_mean', o.WEIGHTS.mean),
			shareColumn('w_present', 'w_present', o.WEIGHTS.present),
			{
				...shareColumn('Prevalence', 'prevalence'),
				title: (r) => `${f.count(r.runs)} of ${f.plural(doc.runs, doc.reference_set ? 'profile' : 'run')}`,
			},
			{
				...shareColumn('Headroom', 'headroom', "share of the fleet's GPU time above the roofline bound"),
				title: (r) =>
					unknown(r.headroom)
						? 'unknown: no roofline bound'
						: `share of all GPU time above the roofline bound: ${r.headroom}` +
							(r.collective ? ', waiting for other ranks included' : ''),
			},
			{
				...shareColumn('Reachable headroom', 'reachable_headroom'),
				class: 'two-lines',
				title: (r) =>
					unknown(r.reachable_headroom)
						? noFleetBest(r)
						: `share of all GPU time that would be saved at the fleet-best: ${r.reachable_headroom}; ` +
							`${o.shareOfPercent(r.reachable_known_pct)} of its time has a fleet-best`,
			},
			bestColumn(),
			percentColumn('Shape known', 'shape_known_pct', 'share of its time with a known shape'),
			percentColumn('Roofline known', 'roofline_known_pct', 'share of its time with a roofline bound'),
		].filter(hasValues(doc)),
	];
}

// A shape of runs has only one platform, on which its times were measured.
const platformTime = (label, key, text, description) => ({
	label,
	num: true,
	down: key,
	up: `-${key}`,
	cell: (r) => text(r[key]?.[r.platform]),
	value: (r) => r[key]?.[r.platform] ?? null,
	title: (r) =>
		unknown(r[key]?.[r.platform])
			? (r.reason ?? 'unknown')
			: `${description}: ${r[key][r.platform]} us on ${r.platform}`,
});

const timeColumn = (label, key, platform, text, description) => ({
	label,
	unit: platform,
	num: true,
	down: `${key}.${platform}`,
	up: `-${key}.${platform}`,
	cell: (r) => text(r[key]?.[platform]),
	value: (r) => r[key]?.[platform] ?? null,
	title: (r) => (unknown(r[key]?.[platform]) ? 'unknown' : `${description}: ${r[key][platform]} us`),
});

const solColumns = (platforms) => platforms.map((p) => timeColumn('T_SOL', 't_sol_us', p, o.boundText, BOUND));
const prodColumns = (platforms, description = MEDIAN) =>
	platforms.map((p) => timeColumn('T_prod', 't_prod_us', p, o.measuredText, description));

// The platforms on which any of these rows has a time.
const timed = (rows, platforms, key) => platforms.filter((p) => rows.some((r) => !unknown(r[key]?.[p])));

const namesOf = (doc) => doc.platforms.map((p) => p.name);

export function rooflineColumns(doc) {
	const names = namesOf(doc);
	return [
		operatorColumn(),
		regimeColumn(),
		aiColumn(),
		...sColumns().filter(hasValues(doc)),
		...solColumns(timed(doc.items, names, 't_sol_us')),
		...prodColumns(timed(doc.items, names, 't_prod_us'), doc.reference_set ? MEDIAN : MEAN),
	];
}

// For a reference set the median S of the shapes, for a fleet the S of all time.
export function shapesColumns(doc) {
	return [
		operatorColumn(),
		countColumn('Shapes', 'shapes'),
		...(doc.reference_set ? sColumns('s_median', 'S (median)') : sColumns()),
	];
}

// A shape has one row per platform, dtype and phase. The script is that of the row.
function scriptColumn(operator, params) {
	const of = (r) =>
		params.reference_set ? params : {...params, platform: r.platform, dtype: r.dtype, phase: r.phase};
	return {
		label: 'Script',
		cell: (r) =>
			r.pytorch
				? fileLink('PyTorch', api.shapeScript(operator, r.shape_id, of(r)), `${operator}-${r.shape_id}.py`)
				: f.NONE,
		title: (r) => (r.pytorch ? 'runs the operator with these sizes and measures it' : 'there is none for these sizes'),
	};
}

function shapeColumns(rows, names, collective) {
	const has = (key) => rows.some((r) => !unknown(r[key]));
	// Values that all rows share are above the table.
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
					platformTime('T_prod', 't_prod_us', o.measuredText, MEDIAN),
					platformTime('T_SOL', 't_sol_us', o.boundText, BOUND),
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
			title: (r) => o.bytesText(r) ?? 'unknown',
		},
	];
}
