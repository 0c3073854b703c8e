// importance.js - importance of operators across the fleet or in a reference set: summary,
// caveats, filters and three tables. Filters, order, search and open rows are in the address.

import * as api from '../lib/api.js';
import {Failure} from '../lib/api.js';
import {fileLink} from '../lib/columns.js';
import {facts, field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {listing} from '../lib/listing.js';
import {showFailure} from '../lib/notices.js';
import * as o from '../lib/operators.js';
import {WEIGHTS} from '../lib/operators.js';
import {scopeText} from '../lib/scope.js';
import {tabs} from '../lib/tabs.js';
import {generalColumns, operatorDetails, rooflineColumns, rooflinePlot, shapesColumns} from './importance_tables.js';
import {fusionsPart} from './importance_fusions.js';
import {findings} from '../lib/findings.js';
import {share as shareControl} from '../lib/share.js';

// Above the tables: the number of runs, caveats, and how much of their GPU time is attributed.

const MAX_NAMED = 4;

const platformList = (names) =>
	names.length > MAX_NAMED
		? `${names.length} platforms`
		: names.length > 1
			? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
			: names[0];

// "30 operators with 440 shapes, importance from 1,303 runs (all projects), …"
function headline(doc, query) {
	const named = doc.items.filter((r) => r.operator !== null);
	const shapes = named.reduce((n, r) => n + (r.shapes ?? 0), 0);
	const from = doc.reference_set
		? f.plural(doc.runs, 'production profile')
		: `${f.plural(doc.runs, 'run')} (${scopeText(Object.fromEntries(query), filters(query))}) and ${o.gpuTime(doc.gpu_s)} of GPU time`;
	const names = doc.platforms.filter((p) => p.bytes_per_s !== null).map((p) => p.name);
	return (
		`${f.plural(named.length, 'operator')}${shapes ? ` with ${f.plural(shapes, 'shape')}` : ''}, ` +
		`importance from ${from}` +
		`${names.length ? `, roofline bounds on ${platformList(names)}` : ''}.` +
		// With a filter the server would have to read the sums of many days.
		(named.length && named.every((r) => r.shapes === null)
			? ' Shapes are not counted for a selection of runs: open an operator to count its shapes.'
			: '')
	);
}

// The operator with the largest headroom, without collectives, whose headroom includes waiting.
export function firstToOptimize(items) {
	const rows = items.filter((r) => r.operator !== null && r.headroom_hours > 0);
	const most = (list) => list.reduce((best, r) => (best && best.headroom_hours >= r.headroom_hours ? best : r), null);
	const row = most(rows.filter((r) => !r.collective));
	return {row, passed: most(rows) !== row};
}

// What to optimize first, in a sentence: the operator, its share, and its shape with the largest
// headroom, which is loaded separately. Null for reference sets, which have no GPU-hours.
function firstLine(doc, params, query, at) {
	if (doc.reference_set || !doc.items.length) return null;
	const {row, passed} = firstToOptimize(doc.items);
	if (!row)
		return h(
			'p',
			{class: 'first-line'},
			passed
				? 'Only collectives have a known headroom, which includes waiting for other ranks.'
				: 'No operator has a known headroom, so none can be named to optimize first.',
		);
	const href = importanceUrl(query, {open: o.operatorName(row), tab: '', q: '', sort: ''});
	const shape = h('span', {});
	api.importanceShapes(row.operator, {...params, weight: null, limit: 1, sort: 'headroom'}, at.signal).then(
		({items: [r]}) =>
			shape.replaceChildren(
				...(r?.headroom_hours > 0
					? [
							'Its shape with the largest headroom is ',
							h('a', {href}, h('bdi', {}, [o.shapeName(r), r.dtype, r.phase].filter(Boolean).join(' '))),
							` on ${r.platform}: ${o.hours(r.headroom_hours)} GPU-hours. `,
						]
					: ['None of its shapes has a known headroom. ']),
			),
		() => {}, // the row of the operator shows the failure
	);
	return h(
		'p',
		{class: 'first-line'},
		'Optimize first: ',
		h('a', {href}, h('code', {}, row.operator)),
		` has the largest headroom, ${o.hours(row.headroom_hours)} of ${o.hours(doc.hours)} GPU-hours ` +
			`(${o.share(row.headroom)} of all GPU time). `,
		shape,
		passed ? 'Collectives are not considered, because their headroom includes waiting for other ranks.' : '',
	);
}

const waitsIn = (doc) => doc.items.some((r) => r.collective && r.headroom > 0);
const waitingText = (doc) =>
	`; ${o.share(doc.items.reduce((sum, r) => sum + (r.collective ? (r.headroom ?? 0) : 0), 0))} is that of collectives, ` +
	'which includes waiting for other ranks';

const total = (label, text, title) => h('div', {class: 'total', title}, h('dt', {}, label), h('dd', {}, text));

// How much of all GPU time is attributed, and in which detail.
function coverage(doc) {
	if (doc.reference_set)
		return facts([
			['Reference set', doc.reference_set],
			['Source', doc.source],
		]);
	const part = (label, pct, description) =>
		total(label, o.shareOfPercent(pct), pct === null ? 'unknown' : description);
	return h(
		'dl',
		{class: 'totals'},
		total('Runs', f.count(doc.runs)),
		total('GPU time', o.gpuTime(doc.gpu_s), doc.gpu_s === null ? null : `${doc.gpu_s} s`),
		total(
			'Total weight',
			doc.hours === null ? f.NONE : `${f.count(doc.hours, doc.hours < 100 ? 1 : 0)} GPU h`,
			'sum of the run weights: the GPU-hours of each run, 1 if none was given',
		),
		...(doc.energy_kwh === null
			? []
			: [
					total(
						'Energy',
						o.energy(doc.energy_kwh),
						`GPU-hours of each run times the mean power of a GPU in it: ${doc.energy_kwh} kWh`,
					),
				]),
		part('Attributed', doc.attributed_pct, 'GPU time with an operator'),
		part('Operator known', doc.operator_known_pct, 'GPU time with a specific operator'),
		part('Shape known', doc.shape_known_pct, 'GPU time with a known shape'),
		part('Roofline known', doc.roofline_known_pct, 'GPU time with a roofline bound'),
		total(
			'Headroom',
			o.upTo(o.share(doc.headroom), waitsIn(doc)),
			doc.headroom === null
				? 'unknown'
				: `share of all GPU time above the roofline bound${waitsIn(doc) ? waitingText(doc) : ''}`,
		),
		total(
			'Reachable headroom',
			o.share(doc.reachable_headroom),
			doc.reachable_headroom === null ? 'unknown: no fleet-best' : 'share of all GPU time that would be saved at the fleet-best',
		),
	);
}

// The filters and the weight: the parameters of the request, and the form that changes them.

// The parameter, its label, an example, and the field of the answer with the existing values.
const TEXTS = [
	['project', 'Project', 'whole name', 'projects'],
	['workload', 'Workload', 'whole name', 'workloads'],
	['framework', 'Framework', 'vllm', 'frameworks'],
	['platform', 'Platform', 'H20', 'platforms'],
	['phase', 'Phase', 'decode', 'phases'],
	['dtype', 'dtype', 'bf16', 'dtypes'],
	['label', 'Labels', 'branch=main', null],
];
const DAYS = [
	['since', 'Since'],
	['until', 'Until'],
];
// Parameters that are valid for reference sets too. The other parameters are valid only for runs.
// Only reference sets have the phase 'both' and published scores.
const OF_SETS = ['phase', 'dtype'];
const OF_RUNS = ['weight', ...[...TEXTS, ...DAYS].map(([word]) => word).filter((word) => !OF_SETS.includes(word))];
const RUN_WEIGHTS = Object.keys(WEIGHTS).filter((word) => word !== 'published');
const INPUTS_IN_FRONT = 4;
const PARAMS = ['reference_set', 'weight', ...TEXTS.map(([word]) => word), ...DAYS.map(([word]) => word)];

// The parameters of the request; throws a Failure if the labels are invalid. A day means its
// start in UTC.
export function importanceParams(query) {
	const out = {};
	for (const word of PARAMS) if (query.get(word)) out[word] = query.get(word);
	for (const [word] of DAYS) if (/^\d{4}-\d\d-\d\d$/.test(out[word] ?? '')) out[word] += 'T00:00:00Z';
	for (const [key, value] of Object.entries(labels(out.label ?? ''))) out[`label.${key}`] = value;
	delete out.label;
	return out;
}

// Invalid labels are shown like an error of the server.
function labels(text) {
	try {
		return f.labels(text);
	} catch (error) {
		throw new Failure(400, 'bad_request', error.message);
	}
}

// The filters of the address that are no part of the scope, [name, value].
const filters = (query) =>
	TEXTS.filter(([word]) => !['project', 'workload'].includes(word)).map(([word, label]) => [
		word === 'label' ? 'label' : label === 'dtype' ? label : label.toLowerCase(),
		query.get(word),
	]);

// The values of the form when there is no answer.
export function emptyAnswer(query) {
	const set = query.get('reference_set');
	const weight = RUN_WEIGHTS.find((word) => word === query.get('weight')) ?? 'time';
	return {reference_set: set, weight: set ? 'published' : weight, choices: {}};
}

const filtered = (query) => PARAMS.some((word) => word !== 'weight' && query.get(word));

// The address with changed parameters. If the reference set changes, the open rows and the weight
// are removed, because its operators differ. Parameters that the server would reject are removed
// too.
export function importanceUrl(query, changes) {
	const q = new URLSearchParams(query);
	for (const [key, value] of Object.entries(changes))
		if (value) q.set(key, value);
		else q.delete(key);
	const refused = q.get('reference_set')
		? OF_RUNS
		: [
				...(q.get('phase') === 'both' ? ['phase'] : []),
				...(RUN_WEIGHTS.includes(q.get('weight')) ? [] : ['weight']),
			];
	for (const word of [...refused, ...(q.get('reference_set') !== query.get('reference_set') ? ['open', 'on', 'weight'] : [])])
		q.delete(word);
	return q.size ? `/importance?${f.query(q)}` : '/importance';
}

const choice = (name, options, chosen, change) =>
	h(
		'select',
		{name, on: {change: (e) => change(e.target.value)}},
		options.map(([value, text]) => h('option', {value, selected: value === chosen}, text)),
	);

// A change of set or weight takes effect immediately; text fields on submit.
function filterForm(doc, sets, query, at) {
	const set = query.get('reference_set') ?? '';
	const names = sets.map((s) => s.name);
	const setChoice = choice(
		'reference_set',
		[
			['', 'stored runs'],
			...(set && !names.includes(set) ? [[set, set]] : []),
			...names.map((n) => [n, `reference set ${n}`]),
		],
		set,
		(value) => at.go(importanceUrl(query, {reference_set: value})),
	);
	const weights =
		doc.weight === 'published' ? [['published', 'published']] : RUN_WEIGHTS.map((word) => [word, `w_${word}`]);
	const weightChoice = choice('weight', weights, doc.weight, (value) =>
		at.go(importanceUrl(query, {weight: value === 'time' ? '' : value})),
	);
	const here = ([word]) => !doc.reference_set || OF_SETS.includes(word);
	const inputs = TEXTS.filter(here).map(([name, label, example, values]) => [
		label,
		h('input', {
			type: 'text',
			name,
			value: query.get(name),
			placeholder: example,
			autocomplete: 'off',
			list: doc.choices[values]?.length ? `offered-${name}` : null,
		}),
		doc.choices[values] ?? [],
	]);
	const days = DAYS.filter(here).map(([name, label]) => [
		label,
		h('input', {type: 'date', name, value: (query.get(name) ?? '').slice(0, 10)}),
	]);
	const rest = [...inputs.slice(INPUTS_IN_FRONT), ...days];
	const submit = (e) => {
		e.preventDefault();
		at.go(
			importanceUrl(
				query,
				Object.fromEntries([...inputs, ...days].map(([, input]) => [input.name, input.value.trim()])),
			),
		);
	};
	const more =
		rest.length > 0 &&
		h(
			'details',
			{class: 'more-filters', open: rest.some(([, input]) => query.get(input.name))},
			h('summary', {}, 'More filters'),
			h(
				'div',
				{class: 'bar'},
				rest.map(([label, input]) => field(label, input)),
			),
		);
	return h(
		'form',
		{role: 'search', 'aria-label': 'Filters', class: 'filter-form', on: {submit}},
		h(
			'div',
			{class: 'bar'},
			field('Source', setChoice),
			field('Weight', weightChoice, WEIGHTS[doc.weight]),
			inputs.slice(0, INPUTS_IN_FRONT).map(([label, input]) => field(label, input)),
			h(
				'div',
				{class: 'actions'},
				h('button', {type: 'submit', class: 'main'}, 'Filter'),
				filtered(query) ? h('a', {href: '/importance'}, 'Clear') : null,
			),
		),
		more,
		inputs
			.filter(([, , offered]) => offered.length)
			.map(([, input, offered]) =>
				h(
					'datalist',
					{id: `offered-${input.name}`},
					offered.map((value) => h('option', {value})),
				),
			),
	);
}

const FILES = [
	['CSV', 'csv', 'csv'],
	['Markdown', 'md', 'md'],
	['Benchmark JSON', 'bench', 'json'],
];
const REGIMES =
	'C: compute-bound, M: memory-bound, L: link-bound (collectives), I: indexing (almost no arithmetic). ' +
	'T_SOL is the roofline bound, max(W / peak, Q / bandwidth), of collectives bus bytes / link. T_prod is ';

function exportLinks(params) {
	return h(
		'span',
		{class: 'links'},
		FILES.map(([text, format, end]) =>
			fileLink(
				text,
				api.importanceFile(format, params),
				(format === 'bench' ? 'benchmark' : 'importance') +
					(params.reference_set ? `-${params.reference_set.replace(/[^\w-]+/g, '_')}` : '') +
					`.${end}`,
			),
		),
	);
}

const setHint =
	`${REGIMES}the measured median. ` +
	'The times are those of the median shape of each operator. ' +
	'The regime is that of the median AI: compute above 10 FLOP per byte, indexing below 0.01.';
const headroomHint =
	'Headroom is the GPU time above the roofline bound, in GPU-hours of those that the runs represent. ' +
	'Operators without a roofline bound follow the others, by importance; the title of the cell has the reason.';
const fleetHint = `${REGIMES}the measured mean per call.`;

// The three tables of operators share their open rows. Fusions are known only of stored runs.
function parts(doc, params, query, at) {
	const built = new Map();
	let front;
	const detail = operatorDetails(doc, params, (query.get('open') ?? '').split(','), at, () => {
		built.get(front)?.changed?.();
		built.get(front)?.save();
	});
	const text = (r) => [r.operator, r.id, r.dtype, r.phase, r.description, r.group].filter(Boolean).join(' ');

	function build(id, caption, columns, defaultSort, q, more = {}) {
		const list = listing({
			caption,
			columns,
			rows: doc.items,
			query: q,
			defaultSort,
			rowName: 'operator',
			counted: (r) => r.operator !== null,
			text,
			detail,
			at,
			empty: filtered(query) ? 'No operators match these filters.' : 'No run has operators yet.',
			keep: () => ({open: detail.chosen(), ...more.keep?.()}),
			linked: q === query,
		});
		const node = h(
			'div',
			{class: 'part'},
			more.above?.(list) ?? '',
			list.node,
			more.hint ? h('p', {class: 'hint wide-text'}, more.hint) : '',
		);
		const part = {
			node,
			changed: more.changed,
			save: () => {
				front = id;
				list.save();
			},
			front: () => {
				list.redraw();
				more.changed?.();
			},
		};
		built.set(id, part);
		return {
			node,
			save: () => {
				part.save();
				part.front();
			},
		};
	}

	function rooflinePart(q) {
		let drawn = null;
		let redraw;
		const last = () => [...detail.open].filter((r) => detail.shapes(r)?.length).at(-1);
		const closeAll = () => {
			detail.open.clear();
			redraw();
			drawn.draw();
			detail.changed();
		};
		return build('roofline', 'Roofline of operators', rooflineColumns(doc), 'importance', q, {
			hint: doc.reference_set ? setHint : fleetHint,
			keep: () => ({on: q.get('on') || drawn?.changed ? drawn.name() : ''}),
			above: (list) => {
				redraw = list.redraw;
				drawn = rooflinePlot(doc, {
					selected: q.get('on'),
					one: last,
					shapes: detail.shapes,
					all: closeAll,
					changed: () => {
						drawn.changed = true;
						list.save();
					},
				});
				return drawn.node;
			},
			changed: () => drawn.draw(),
		});
	}

	return [
		[
			'general',
			'Importance',
			(q) =>
				build(
					'general',
					'Importance of operators',
					generalColumns(doc),
					doc.reference_set ? 'importance' : 'headroom',
					q,
					{hint: doc.reference_set ? null : `${headroomHint}${waitsIn(doc) ? ` ${o.WAITS}` : ''}`},
				),
		],
		['roofline', 'Roofline', rooflinePart],
		[
			'shapes',
			'Shapes',
			(q) =>
				build('shapes', 'Shapes of operators', shapesColumns(doc), '-s', q, {
					hint:
						'Open an operator to see its shapes. S = T_SOL / T_prod: 100 % is the roofline bound.' +
						(doc.reference_set
							? ''
							: ' S of all time is that of the sum of all calls, as in the headroom; S of the median call ignores ' +
								'calls that take much longer.'),
				}),
		],
		...(doc.reference_set ? [] : [['fusions', 'Fusions', () => fusionsPart(params, at.signal)]]),
	];
}

function nothing() {
	return h(
		'section',
		{class: 'empty'},
		h('h2', {}, 'No runs yet'),
		h(
			'p',
			{},
			'Importance is computed over all stored runs: ',
			h('a', {href: '/uploads'}, 'upload some'),
			' first.',
		),
		h(
			'p',
			{},
			'Or ',
			h('a', {href: '/catalog?tab=reference-sets'}, 'import a reference set'),
			': published figures of operators and shapes.',
		),
	);
}

// The answer of the server. If it is an error, only the form is shown.
async function answerOf(query, at) {
	try {
		const params = importanceParams(query);
		return {params, doc: await api.importance(params, at.signal)};
	} catch (refusal) {
		if (![400, 404].includes(refusal.status)) throw refusal;
		return {refusal};
	}
}

export async function page(view, query, at) {
	const [{params, doc, refusal}, {items: sets}] = await Promise.all([
		answerOf(query, at),
		api.referenceSets(at.signal),
	]);
	view.append(h('h1', {}, 'Importance'));
	if (refusal) {
		view.append(filterForm(emptyAnswer(query), sets, query, at));
		showFailure(refusal, () => at.go(location.pathname + location.search));
		return 'Importance';
	}
	if (!doc.items.length && !filtered(query)) {
		view.append(
			((doc.excluded_runs || doc.lagging_runs) && findings(doc)) || '',
			sets.length ? filterForm(doc, sets, query, at) : '',
			nothing(),
		);
		return 'Importance';
	}
	const list = parts(doc, params, query, at);
	const chosen = list.some(([id]) => id === query.get('tab')) ? query.get('tab') : list[0][0];
	const href = (id) => {
		const q = new URLSearchParams(query);
		for (const word of ['sort', 'q', 'on', 'tab']) q.delete(word);
		if (id !== list[0][0]) q.set('tab', id);
		return q.size ? `/importance?${q}` : '/importance';
	};
	const shown = await tabs({
		label: 'Tables of importance',
		chosen,
		leave: (tab) => at.keep({tab: tab === list[0][0] ? '' : tab, sort: '', q: '', on: ''}),
		failed: (error, again) => at.signal.aborted || showFailure(error, again),
		parts: list.map(([id, label, build]) => ({
			id,
			label,
			href: href(id),
			load: async () => build(id === chosen ? query : new URLSearchParams({open: query.get('open') ?? ''})),
		})),
	});
	view.append(
		h('p', {class: 'headline'}, headline(doc, query)),
		firstLine(doc, params, query, at) ?? '',
		findings(doc) ?? '',
		filterForm(doc, sets, query, at),
		coverage(doc),
		h('div', {class: 'toolbar'}, h('h2', {class: 'visually-hidden'}, 'Tables'), shareControl(api.importanceFile('md', params)), exportLinks(params)),
		...shown,
	);
	return 'Importance';
}
