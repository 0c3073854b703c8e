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
import {matching, sorted, table} from '../lib/table.js';

// The details of an operator: facts, weights and shapes. For the unattributed row, a list of its
// kernels.

const PAGE = 500;
// Reference sets are read completely, because the server neither searches nor orders their shapes.
const SET_PAGE = 5000;
const KERNELS = 100;
const LONG = 60;
const SEARCHED = 10;
const TYPING_MS = 250;
// The orders that the server has. Other columns order the rows that are loaded.
const SERVER_SORTS = ['headroom', '-headroom', 'time', '-time', 'calls', '-calls'];

function summary(row, doc) {
	const range = row.low === null || row.low === undefined ? null : `${o.share(row.low)} to ${o.share(row.high)}`;
	const node = facts([
		['Description', row.description],
		['Group', row.group],
		['dtype', row.dtype],
		['Phase', row.phase],
		[doc.reference_set ? 'Profiles' : 'Runs', `${f.count(row.runs)} of ${f.count(doc.runs)}`],
		['95 % interval', range ?? doc.interval_reason],
		['Waits for ranks', row.collective ? 'yes: the time and the headroom include waiting' : null],
		['S above 1', row.above_bound_pct ? `${o.shareOfPercent(row.above_bound_pct)} of its time` : null],
	]);
	node.classList.add('in-line');
	return node;
}

// The shapes of an operator that are loaded, and which are: {q, sort, order, items, next, count,
// unknown, platforms}. `sort` is the order of the table, `order` that of the server's pages. For the
// unattributed row: {kernels}.
const noShapes = (params) => ({
	q: '',
	sort: params.reference_set ? '' : 'headroom',
	order: 'headroom',
	items: [],
	next: null,
	count: 0,
	latest: 0,
});

async function readShapes(row, state, params, more, signal) {
	if (row.operator === null) return {kernels: await api.unattributed({limit: KERNELS}, signal)};
	const order = params.reference_set
		? {limit: SET_PAGE}
		: {limit: PAGE, sort: state.order, ...(state.q ? {q: state.q} : {})};
	const answer = await api.importanceShapes(
		row.operator,
		{...params, weight: null, ...order, ...(more ? {cursor: state.next} : {})},
		signal,
	);
	const items = answer.items.map((r) => ({...r, collective: row.collective}));
	return {
		items: more ? [...state.items, ...items] : items,
		next: answer.next,
		count: answer.items_count,
		unknown: answer.unknown_shapes,
		platforms: answer.platforms,
	};
}

const shapeText = (r) => [o.shapeName(r), r.dtype, r.phase, r.platform].filter(Boolean).join(' ');

// Rows without sizes are added up below the others.
const hasSizes = (r) => r.shape !== null || r.description !== null;

function unknownRow(columns, unknown) {
	const name = (c) =>
		h(
			'th',
			{scope: 'row', class: c.class, title: 'the sizes of these calls are unknown, so they have no roofline bound'},
			'Shapes unknown',
		);
	return h(
		'tfoot',
		{},
		h(
			'tr',
			{class: 'sum'},
			columns.map((c) => (c.head ? name(c) : h('td', {class: c.num ? 'num' : null}, c.foot?.(unknown) ?? ''))),
		),
	);
}

// How many shapes there are, and which are shown. A shape of runs has a row per platform, dtype and
// phase, so it can have several.
export function shapesText(state, rows, all) {
	const found = state.q ? ` with “${state.q}”` : '';
	if (state.next) return `${f.count(rows.length)} of ${f.plural(state.count, 'row')}${found} loaded`;
	if (rows.length < all) return `${f.count(rows.length)} of ${f.plural(all, 'shape')}`;
	const shapes = new Set(rows.map((r) => r.shape_id)).size;
	return shapes < rows.length
		? `${f.plural(shapes, 'shape')}${found} in ${f.plural(rows.length, 'row')}, one per platform, dtype and phase`
		: `${f.plural(shapes, 'shape')}${found}`;
}

// Shows the shapes of one row in `place`. load(more) reads them again, or reads the next ones.
// Returns draw().
function shapesView(row, state, params, place, load) {
	const found = h('span', {class: 'quiet', role: 'status'});
	const list = h('div', {class: 'shapes'});
	let typing;
	const search = h('input', {
		type: 'search',
		value: state.q,
		placeholder: 'Search shapes',
		'aria-label': `Search shapes of ${row.operator}`,
		on: {
			input: (e) => {
				state.q = e.target.value.trim();
				clearTimeout(typing);
				if (params.reference_set) draw();
				else typing = setTimeout(() => load(false), TYPING_MS);
			},
		},
	});
	const toolbar = h('div', {class: 'toolbar'}, search, found);

	// The pages that are loaded next have the order of the first ones.
	function sort(key) {
		const again = state.next && key !== state.order;
		state.sort = key;
		if (!params.reference_set && SERVER_SORTS.includes(key)) {
			state.order = key;
			if (again) {
				load(false);
				return;
			}
		}
		draw();
	}

	function columnsOf() {
		const platforms = state.platforms.map((p) => p.name);
		return [
			...quoted(params.reference_set, shapeColumns(state.items, platforms, row.collective)),
			...(state.items.some((r) => r.pytorch) ? [scriptColumn(row.operator, {...params, weight: null})] : []),
		];
	}

	function more() {
		if (!state.next) return '';
		return h(
			'p',
			{class: 'line'},
			h('button', {type: 'button', on: {click: () => load(true)}}, 'Load more shapes'),
			state.sort === state.order
				? ''
				: h('span', {class: 'hint'}, 'This is the order of the loaded shapes only.'),
		);
	}

	// The table is made again, because its columns depend on the rows. The control that had the focus
	// gets it back.
	function refocus(change) {
		const controls = () => [...list.querySelectorAll('button')];
		const [at, left] = [controls().indexOf(document.activeElement), list.querySelector('.scroll')?.scrollLeft];
		change();
		if (at >= 0) controls()[at]?.focus();
		if (left) list.querySelector('.scroll').scrollLeft = left;
	}

	function draw() {
		const all = state.items.filter(hasSizes);
		const rows = params.reference_set ? matching(all, state.q, shapeText) : all;
		const columns = columnsOf();
		const shown = table({
			caption: `Shapes of ${row.operator}`,
			columns,
			rows: sorted(rows, columns, state.sort),
			sort: state.sort,
			tall: rows.length > LONG,
			empty: state.q ? 'No shape matches the search.' : 'No launch of this operator has a known shape.',
			onsort: sort,
		});
		if (state.unknown?.rows) shown.node.querySelector('table').append(unknownRow(columns, state.unknown));
		found.textContent = shapesText(state, rows, all.length);
		if (state.count <= SEARCHED && !state.q) toolbar.remove();
		else if (!toolbar.isConnected) place.prepend(toolbar);
		refocus(() => list.replaceChildren(shown.node, more()));
	}

	place.replaceChildren(list);
	draw();
	return draw;
}

const unattributedList = (items) =>
	kernelList(items, [
		'All stored runs, ignoring the filters above. ',
		items.length < KERNELS ? '' : `These are the ${KERNELS} kernels with the most GPU time. `,
		items.length < KERNELS ? '' : h('a', {href: '/catalog?tab=unattributed'}, 'All unattributed kernels'),
	]);

// The details that all three tables use: a row that is open in one table is open in all. changed()
// is called when the set of open rows changes, or when shapes have been loaded.
export function operatorDetails(doc, params, opened, at, changed) {
	const open = new Set(doc.items.filter((r) => opened.includes(o.operatorName(r))));
	const known = new Map();

	// An answer that arrives after a later request is not shown. `state.place` is where the details
	// were drawn last, and state.draw() draws them there again.
	async function load(row, more) {
		const state = known.get(row);
		const mine = ++state.latest;
		state.pending = true;
		state.place.setAttribute('aria-busy', 'true');
		try {
			const answer = await readShapes(row, state, params, more, at.signal);
			if (mine !== state.latest) return;
			Object.assign(state, answer, {loaded: true});
			if (state.draw) state.draw();
			else show(row);
			changed();
		} catch (error) {
			if (at.signal.aborted || mine !== state.latest) return;
			if (!state.loaded) state.place.replaceChildren(h('p', {class: 'sentence'}, error.message));
			showFailure(error, () => load(row, more));
		}
		state.pending = false;
		state.place.removeAttribute('aria-busy');
	}

	function show(row) {
		const state = known.get(row);
		if (state.kernels) state.place.replaceChildren(unattributedList(state.kernels.items));
		else state.draw = shapesView(row, state, params, state.place, (more) => load(row, more));
	}

	function fill(row, place) {
		if (!known.has(row)) known.set(row, noShapes(params));
		const state = known.get(row);
		state.place = h('div', {class: 'shapes'}, h('p', {class: 'loading'}, 'Loading…'));
		place.append(summary(row, doc), state.place);
		if (state.loaded) show(row);
		else if (!state.pending) load(row, false);
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
				columns: quoted(doc.reference_set, [
					...COLUMNS,
					{
						label: rows ? 'Share' : f.capital(weightName),
						num: true,
						cell: (p) => (rows ? weight(p) : o.share(p.weight)),
					},
				]),
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

// The figures of a reference set are quoted as they were published: "39.5%", "27.18 us".
export const publishedText = (text) =>
	typeof text === 'string' ? text.replace(/ %$/, '%').replace(/ µs$/, ' us') : text;
const quoted = (isSet, columns) =>
	isSet ? columns.map((c) => ({...c, cell: (r, ...more) => publishedText(c.cell(r, ...more))})) : columns;

// Bars of importance on a scale that all rows share.
function importanceColumn(max, weight, isSet) {
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
				isSet ? publishedText(o.share(r.importance)) : o.share(r.importance),
			),
	};
}

// The interval as numbers, and as a line on the scale of the bars.
function intervalColumn(max, reason) {
	return {
		label: '95 % interval',
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

// Why an operator has no headroom.
function noHeadroom(r) {
	if (r.operator === null) return 'unknown: unattributed time has no roofline bound';
	return r.shape_known_pct
		? 'unknown: none of its shapes has a roofline bound; the table of its shapes has the reasons'
		: 'unknown: none of its calls has a known shape';
}

const hoursColumn = (label, key, title, waits = () => false) => ({
	label,
	unit: 'GPU h',
	num: true,
	class: 'two-lines',
	down: key.replace('_hours', ''),
	up: `-${key.replace('_hours', '')}`,
	value: (r) => r[key],
	cell: (r) => o.upTo(o.hours(r[key]), waits(r)),
	title,
});
// The share that an operator has of all GPU time; a shape has none.
const ofAll = (share) => (unknown(share) ? '' : `, ${o.share(share)} of all GPU time`);
const headroomColumn = (reason, waits) =>
	hoursColumn('Headroom', 'headroom_hours', (r) =>
		unknown(r.headroom_hours)
			? reason(r)
			: `GPU time above the roofline bound: ${r.headroom_hours} of the GPU-hours that the runs represent` +
				`${ofAll(r.headroom)}${waits(r) ? ', waiting for other ranks included: an upper bound' : ''}`,
		waits,
	);
const bestShare = (pct) => (unknown(pct) ? '' : `; ${o.shareOfPercent(pct)} of its time has a fleet-best`);
const reachableColumn = () =>
	hoursColumn('Reachable headroom', 'reachable_headroom_hours', (r) =>
		unknown(r.reachable_headroom_hours)
			? noFleetBest(r)
			: `saved at the fleet-best: ${r.reachable_headroom_hours} GPU-hours${ofAll(r.reachable_headroom)}` +
				bestShare(r.reachable_known_pct),
	);

// With a filter the server would have to read the sums of many days to count the different shapes.
const shapesColumn = () => ({
	...countColumn('Shapes', 'shapes'),
	title: (r) =>
		!unknown(r.shapes)
			? null
			: r.operator === null
				? 'unknown: unattributed time has no shapes'
				: 'not counted for a selection of runs, such as a time range or a project; open the operator to count them',
});

// Several dtypes may wrap to the next line, but only between names.
const dtypeNames = (r) =>
	r.dtype ? r.dtype.split('/').flatMap((name, i) => (i ? ['/', h('wbr'), name] : [name])) : f.NONE;
// Reference sets use 'both'; fleets list both phases.
const phaseNames = (r) => (r.phase === 'both' ? 'prefill/decode' : (r.phase ?? f.NONE));

export function generalColumns(doc) {
	const max = doc.items.reduce((n, r) => Math.max(n, r.importance ?? 0, r.high ?? 0), 0) || 1;
	const kind = [
		{...textColumn('dtype', 'dtype'), class: 'wraps', cell: dtypeNames},
		{...textColumn('Phase', 'phase'), cell: phaseNames},
		shapesColumn(),
	];
	return quoted(doc.reference_set, [
		operatorColumn(),
		// A reference set has the columns in the order in which they were published.
		...(doc.reference_set ? kind : []),
		...[headroomColumn(noHeadroom, (row) => row.collective), reachableColumn()].filter(hasValues(doc)),
		importanceColumn(max, doc.weight, doc.reference_set),
		...(doc.items.some((r) => !unknown(r.low)) ? [intervalColumn(max, doc.interval_reason)] : []),
		...(doc.items.some((r) => !unknown(r.energy_kwh)) ? [energyColumn()] : []),
		...(doc.reference_set ? [] : kind),
		...[
			shareColumn('w_time', 'w_time', o.WEIGHTS.time),
			shareColumn('w_mean', 'w_mean', o.WEIGHTS.mean),
			shareColumn('w_present', 'w_present', o.WEIGHTS.present),
			{
				...shareColumn('Prevalence', 'prevalence'),
				title: (r) => `${f.count(r.runs)} of ${f.plural(doc.runs, doc.reference_set ? 'profile' : 'run')}`,
			},
			bestColumn(),
			percentColumn('Shape known', 'shape_known_pct', 'share of its time with a known shape'),
			percentColumn('Roofline known', 'roofline_known_pct', 'share of its time with a roofline bound'),
		].filter(hasValues(doc)),
	]);
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
			: `${description}: ${r[key][r.platform]} µs on ${r.platform}`,
});

const timeColumn = (label, key, platform, text, description) => ({
	label,
	unit: platform,
	num: true,
	down: `${key}.${platform}`,
	up: `-${key}.${platform}`,
	cell: (r) => text(r[key]?.[platform]),
	value: (r) => r[key]?.[platform] ?? null,
	title: (r) => (unknown(r[key]?.[platform]) ? 'unknown' : `${description}: ${r[key][platform]} µs`),
});

const solColumns = (platforms) => platforms.map((p) => timeColumn('T_SOL', 't_sol_us', p, o.boundText, BOUND));
const prodColumns = (platforms, description = MEDIAN) =>
	platforms.map((p) => timeColumn('T_prod', 't_prod_us', p, o.measuredText, description));

// The platforms on which any of these rows has a time.
const timed = (rows, platforms, key) => platforms.filter((p) => rows.some((r) => !unknown(r[key]?.[p])));

const namesOf = (doc) => doc.platforms.map((p) => p.name);

export function rooflineColumns(doc) {
	const names = namesOf(doc);
	return quoted(doc.reference_set, [
		operatorColumn(),
		regimeColumn(),
		aiColumn(),
		...(doc.reference_set ? sColumns().filter(hasValues(doc)) : fleetS()),
		...solColumns(timed(doc.items, names, 't_sol_us')),
		...prodColumns(timed(doc.items, names, 't_prod_us'), doc.reference_set ? MEDIAN : MEAN),
	]);
}

// S over all time with a roofline bound. Of a shape it is the T_SOL of its calls divided by their
// time, unlike the S of its median call.
const allTimeColumn = (key) => ({
	...sColumns(key, 'S of all time')[0],
	class: 'two-lines',
	down: key,
	up: `-${key}`,
	title: (r) =>
		unknown(r[key])
			? (r.reason ?? 'unknown: no roofline bound of some of the calls')
			: `T_SOL of all calls / their time = ${r[key]}` +
				(r.collective ? '; the time includes waiting for other ranks' : ''),
});
const fleetS = () => [allTimeColumn('s'), sColumns()[1]];

// For a reference set the median S of the shapes, for a fleet the S of all time.
export function shapesColumns(doc) {
	return quoted(doc.reference_set, [
		operatorColumn(),
		shapesColumn(),
		...(doc.reference_set ? sColumns('s_median', 'S (median)') : fleetS()),
	]);
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
		...(has('platform')
			? [
					headroomColumn(
						(r) => r.reason ?? 'unknown: no roofline bound',
						() => collective,
					),
					reachableColumn(),
				]
			: []),
		// A shape of runs has one platform.
		...(has('platform') ? sColumns('s', 'S of the median call') : sColumns()),
		...(has('s_mean') ? [allTimeColumn('s_mean')] : []),
		...(has('platform') ? [textColumn('Platform', 'platform')] : []),
		...(varied('dtype') ? [textColumn('dtype', 'dtype')] : []),
		...(varied('phase') ? [textColumn('Phase', 'phase')] : []),
		...(has('share')
			? [
					{
						...shareColumn(
							'Share',
							'share',
							collective ? "share of the operator's time, waiting included" : "share of the operator's time",
						),
						down: 'time',
						up: '-time',
						foot: (u) => o.share(u.share),
					},
				]
			: []),
		{...countColumn('Calls', 'calls'), foot: (u) => f.count(u.calls)},
		...(has('platform') ? [bestColumn()] : []),
		...(has('runs') ? [countColumn('Runs', 'runs')] : []),
		...(has('platform')
			? [
					{...platformTime('T_prod', 't_prod_us', o.measuredText, MEDIAN), unit: 'median'},
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
