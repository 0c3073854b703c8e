// importance.js - what matters across the fleet, or in a reference set: its
// sentence, what it does not tell, what is weighed, and its three tables. What
// is filtered, sorted, searched and opened is in the address.

import * as api from '../lib/api.js';
import {Failure} from '../lib/api.js';
import {fileLink} from '../lib/columns.js';
import {facts, field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {listing} from '../lib/listing.js';
import {showFailure} from '../lib/notices.js';
import * as o from '../lib/operators.js';
import {WEIGHTS} from '../lib/operators.js';
import {tabs} from '../lib/tabs.js';
import {generalColumns, operatorDetails, rooflineColumns, rooflinePlot, shapesColumns} from './importance_tables.js';
import {findings} from '../lib/findings.js';

// What is said before the tables: of how many runs, what
// they do not tell, how much of their time is known.

const MAX_NAMED = 4;

const platformList = (names) =>
	names.length > MAX_NAMED
		? `${names.length} platforms`
		: names.length > 1
			? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
			: names[0];

// "30 operators with 440 shapes, importance from 1,303 profiles, …"
function headline(doc) {
	const named = doc.items.filter((r) => r.operator !== null);
	const shapes = named.reduce((n, r) => n + (r.shapes ?? 0), 0);
	const from = doc.set
		? f.plural(doc.runs, 'production profile')
		: `${f.plural(doc.runs, 'run')} and ${o.gpuTime(doc.gpu_s)} of GPU time`;
	const names = doc.platforms.filter((p) => p.bytes_per_s !== null).map((p) => p.name);
	return (
		`${f.plural(named.length, 'operator')}${shapes ? ` with ${f.plural(shapes, 'shape')}` : ''}, importance from ${from}` +
		`${names.length ? `, roofline bounds on ${platformList(names)}` : ''}.`
	);
}

const total = (label, text, title) => h('div', {class: 'total', title}, h('dt', {}, label), h('dd', {}, text));

// How much of all GPU time is known, and how well.
function coverage(doc) {
	if (doc.set)
		return facts([
			['Set', doc.set],
			['Source', doc.source],
		]);
	const part = (label, pct, what) => total(label, o.shareOfPercent(pct), pct === null ? 'unknown' : what);
	return h(
		'dl',
		{class: 'totals'},
		total('Runs', f.count(doc.runs)),
		total('GPU time', o.gpuTime(doc.gpu_s), doc.gpu_s === null ? null : `${doc.gpu_s} s`),
		total(
			'Stands for',
			doc.hours === null ? f.NONE : `${f.count(doc.hours, doc.hours < 100 ? 1 : 0)} GPU h`,
			"the sum of the runs' weights: the GPU-hours each stands for, 1 where none was told",
		),
		part('Attributed', doc.attributed_pct, 'GPU time whose operator is known'),
		part('Specific', doc.specific_pct, 'GPU time whose operator says what it does'),
		part('Sized', doc.sized_pct, 'GPU time whose sizes are known'),
		part('Bound', doc.bound_pct, 'GPU time whose least time is known'),
		total(
			'Headroom',
			o.share(doc.headroom),
			doc.headroom === null ? 'unknown' : 'the share of all GPU time that perfect kernels would free',
		),
	);
}

// What is weighed, and how: the words of the address as
// the server wants them, and the form that changes them.

// The word in the address and the server's, the label, an example, and where
// the answer tells which there are.
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
// What sets know too; runs alone know the rest of these words, and sets alone
// the phase 'both' and what was published.
const OF_SETS = ['phase', 'dtype'];
const OF_RUNS = ['weight', ...[...TEXTS, ...DAYS].map(([word]) => word).filter((word) => !OF_SETS.includes(word))];
const RUN_WEIGHTS = Object.keys(WEIGHTS).filter((word) => word !== 'published');
const INPUTS_IN_FRONT = 4;
const PARAMS = ['set', 'weight', ...TEXTS.map(([word]) => word), ...DAYS.map(([word]) => word)];

// What the server is asked with; throws with a sentence where labels are none.
// A day stands for its beginning.
export function importanceParams(query) {
	const out = {};
	for (const word of PARAMS) if (query.get(word)) out[word] = query.get(word);
	for (const [word] of DAYS) if (/^\d{4}-\d\d-\d\d$/.test(out[word] ?? '')) out[word] += 'T00:00:00Z';
	for (const [key, value] of Object.entries(labels(out.label ?? ''))) out[`label.${key}`] = value;
	delete out.label;
	return out;
}

// Refused in the server's way.
function labels(text) {
	try {
		return f.labels(text);
	} catch (error) {
		throw new Failure(400, 'bad_request', error.message);
	}
}

// What the form stands on where nothing was answered.
export function emptyAnswer(query) {
	const set = query.get('set');
	const weight = RUN_WEIGHTS.find((word) => word === query.get('weight')) ?? 'time';
	return {set, weight: set ? 'published' : weight, choices: {}};
}

const filtered = (query) => PARAMS.some((word) => word !== 'weight' && query.get(word));

// The page with other words; what is sorted, searched and opened stays, except
// across sets, whose operators are others, and what the server refuses there.
export function importanceUrl(query, changes) {
	const q = new URLSearchParams(query);
	for (const [key, value] of Object.entries(changes))
		if (value) q.set(key, value);
		else q.delete(key);
	const refused = q.get('set')
		? OF_RUNS
		: [
				...(q.get('phase') === 'both' ? ['phase'] : []),
				...(RUN_WEIGHTS.includes(q.get('weight')) ? [] : ['weight']),
			];
	for (const word of [...refused, ...(q.get('set') !== query.get('set') ? ['open', 'on', 'weight'] : [])])
		q.delete(word);
	return q.size ? `/importance?${f.query(q)}` : '/importance';
}

const choice = (name, options, chosen, change) =>
	h(
		'select',
		{name, on: {change: (e) => change(e.target.value)}},
		options.map(([value, text]) => h('option', {value, selected: value === chosen}, text)),
	);

// Sets and weights act at once, what is typed when it is sent.
function filterForm(doc, sets, query, at) {
	const set = query.get('set') ?? '';
	const names = sets.map((s) => s.name);
	const setChoice = choice(
		'set',
		[
			['', 'runs stored here'],
			...(set && !names.includes(set) ? [[set, set]] : []),
			...names.map((n) => [n, `set: ${n}`]),
		],
		set,
		(value) => at.go(importanceUrl(query, {set: value})),
	);
	const weights =
		doc.weight === 'published' ? [['published', 'published']] : RUN_WEIGHTS.map((word) => [word, `w_${word}`]);
	const weightChoice = choice('weight', weights, doc.weight, (value) =>
		at.go(importanceUrl(query, {weight: value === 'time' ? '' : value})),
	);
	const here = ([word]) => !doc.set || OF_SETS.includes(word);
	const inputs = TEXTS.filter(here).map(([name, label, example, told]) => [
		label,
		h('input', {
			type: 'text',
			name,
			value: query.get(name),
			placeholder: example,
			autocomplete: 'off',
			list: doc.choices[told]?.length ? `offered-${name}` : null,
		}),
		doc.choices[told] ?? [],
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
		{role: 'search', 'aria-label': 'What is weighed', class: 'weighed', on: {submit}},
		h(
			'div',
			{class: 'bar'},
			field('Set', setChoice),
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
	'C: the arithmetic takes longer than moving the bytes, M: moving the bytes does, I: indexing, next to no arithmetic. ' +
	'T_SOL is the least time it can take, max(W / peak, Q / bandwidth); T_prod ';

function exportLinks(words) {
	return h(
		'span',
		{class: 'links'},
		FILES.map(([text, format, end]) =>
			fileLink(
				text,
				api.importanceFile(format, words),
				`${format === 'bench' ? 'benchmark' : 'importance'}${words.set ? `-${words.set.replace(/[^\w-]+/g, '_')}` : ''}.${end}`,
			),
		),
	);
}

const setHint =
	`${REGIMES}the median that was measured. ` +
	'The times are of the median shape of each operator, and the regime is that of the median AI: compute above 10 FLOP a byte, indexing below 0.01.';
const fleetHint = `${REGIMES}the mean of the calls that were measured.`;

// The three tables: what is open in one is open in all.
function parts(doc, words, query, at) {
	const made = new Map();
	let front;
	const detail = operatorDetails(doc, words, (query.get('open') ?? '').split(','), at, () => {
		made.get(front)?.changed?.();
		made.get(front)?.save();
	});
	const text = (r) => [r.operator, r.id, r.dtype, r.phase, r.what, r.group].filter(Boolean).join(' ');

	function build(id, caption, columns, usual, q, more = {}) {
		const list = listing({
			caption,
			columns,
			rows: doc.items,
			query: q,
			usual,
			what: 'operator',
			text,
			detail,
			at,
			empty: filtered(query) ? 'Nothing here matches these filters.' : 'No run here has operators yet.',
			keep: () => ({open: detail.chosen(), ...more.keep?.()}),
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
		made.set(id, part);
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
			hint: doc.set ? setHint : fleetHint,
			keep: () => ({on: q.get('on') || drawn?.asked ? drawn.name() : ''}),
			above: (list) => {
				redraw = list.redraw;
				drawn = rooflinePlot(doc, {
					asked: q.get('on'),
					one: last,
					shapes: detail.shapes,
					all: closeAll,
					changed: () => {
						drawn.asked = true;
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
			(q) => build('general', 'Importance of operators', generalColumns(doc), 'importance', q),
		],
		['roofline', 'Roofline', rooflinePart],
		[
			'shapes',
			'Shapes',
			(q) =>
				build('shapes', 'Shapes of operators', shapesColumns(doc), '-s', q, {
					hint: 'Open an operator to see its shapes. S = T_SOL / T_prod: 100% is the limit of the hardware.',
				}),
		],
	];
}

function nothing() {
	return h(
		'section',
		{class: 'empty'},
		h('h2', {}, 'Nothing to weigh yet'),
		h(
			'p',
			{},
			'What matters is weighed over all runs that are stored here: ',
			h('a', {href: '/uploads'}, 'send some'),
			' and come back.',
		),
		h(
			'p',
			{},
			'Or ',
			h('a', {href: '/catalogue?tab=sets'}, 'import a reference set'),
			': operators, shapes and figures that somebody published.',
		),
	);
}

// What is weighed; or why it is refused, and then the form alone is left.
async function answerOf(query, at) {
	try {
		const words = importanceParams(query);
		return {words, doc: await api.importance(words, at.signal)};
	} catch (refusal) {
		if (![400, 404].includes(refusal.status)) throw refusal;
		return {refusal};
	}
}

export async function page(view, query, at) {
	const [{words, doc, refusal}, {items: sets}] = await Promise.all([
		answerOf(query, at),
		api.referenceSets(at.signal),
	]);
	view.append(h('h1', {}, 'What matters'));
	if (refusal) {
		view.append(filterForm(emptyAnswer(query), sets, query, at));
		showFailure(refusal, () => at.go(location.pathname + location.search));
		return 'What matters';
	}
	if (!doc.items.length && !filtered(query)) {
		view.append(
			((doc.uncounted_runs || doc.left_out_runs) && findings(doc)) || '',
			sets.length ? filterForm(doc, sets, query, at) : '',
			nothing(),
		);
		return 'What matters';
	}
	const list = parts(doc, words, query, at);
	const chosen = list.some(([id]) => id === query.get('tab')) ? query.get('tab') : list[0][0];
	const href = (id) => {
		const q = new URLSearchParams(query);
		for (const word of ['sort', 'q', 'on', 'tab']) q.delete(word);
		if (id !== list[0][0]) q.set('tab', id);
		return q.size ? `/importance?${q}` : '/importance';
	};
	const shown = await tabs({
		label: 'Tables of what matters',
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
		h('p', {class: 'headline'}, headline(doc)),
		findings(doc) ?? '',
		filterForm(doc, sets, query, at),
		coverage(doc),
		h('div', {class: 'toolbar'}, h('h2', {class: 'unseen'}, 'Tables'), exportLinks(words)),
		...shown,
	);
	return 'What matters';
}
