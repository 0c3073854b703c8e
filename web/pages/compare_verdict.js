// compare_verdict.js - tab: the verdict. It shows the time of an iteration by part, the factor
// common to all kernels, the iterations, appeared and vanished functions, and all functions.

import * as api from '../lib/api.js';
import {chart} from '../chart/chart.js';
import {byValue, inOrder} from '../chart/chart_iterations.js';
import {fileLink, largestUnit, typicalUnit} from '../lib/columns.js';
import {
	baseHeadText,
	CLASSES,
	classesParam,
	classText,
	compareUrl,
	EVIDENCE,
	intervalTitle,
	ITERATION_PARTS,
	MATCHES,
	PARTS,
	shownClasses,
} from '../lib/comparison.js';
import {CAUSES} from '../lib/diagnosis.js';
import {explainFacts} from '../finding/term.js';
import {facts, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {showFailure} from '../lib/notices.js';
import {axisUnit} from '../chart/scale.js';
import {matching, sorted, table} from '../lib/table.js';
import {badge, deltaColumn, intervalColumn, narrowDelta, probabilityColumn, sideColumn} from './compare_columns.js';
import {folded, operatorSection, rankTable} from './compare_operators.js';

// The time of an iteration on both sides: two bars with one scale, and a table with the numbers of
// the bars.

const swatch = (part) =>
	ITERATION_PARTS.includes(part)
		? h('span', {class: `swatch ${part}`, 'aria-hidden': 'true'})
		: h('span', {class: 'swatch-none'});

function bar(name, parts, key, scale) {
	const whole = parts.reduce((n, r) => n + r[key], 0);
	const texts = parts.map((r) => `${PARTS[r.part]} ${f.duration(r[key])}`).join(', ');
	return h(
		'div',
		{class: 'stack-row'},
		h('span', {class: 'stack-name'}, name),
		h(
			'div',
			{class: 'stack', role: 'img', 'aria-label': `${name}: ${texts}`},
			parts.map((r) =>
				h(
					'span',
					{
						class: `stack-part ${r.part}`,
						title: `${PARTS[r.part]}: ${f.duration(r[key])}`,
						style: {width: `${(r[key] * 100) / scale}%`},
					},
					h('span', {}, f.duration(r[key])),
				),
			),
		),
		h('span', {class: 'stack-sum'}, f.duration(whole)),
	);
}

function bars(doc) {
	const parts = ITERATION_PARTS.map((part) => doc.split.find((r) => r.part === part))
		.filter(Boolean)
		.filter((r) => r.base_ns_per_iteration !== null && r.head_ns_per_iteration !== null);
	if (parts.length < ITERATION_PARTS.length) return null;
	const sum = (key) => parts.reduce((n, r) => n + r[key], 0);
	const scale = Math.max(sum('base_ns_per_iteration'), sum('head_ns_per_iteration')) || 1;
	return h(
		'div',
		{class: 'stacks'},
		bar('Base', parts, 'base_ns_per_iteration', scale),
		bar('Head', parts, 'head_ns_per_iteration', scale),
	);
}

// The parts; the idle part is followed by its causes.
const splitRows = (doc) => doc.split.flatMap((r) => (r.part === 'idle' ? [r, ...(doc.idle_causes ?? [])] : [r]));
const partName = (r) => (r.cause ? (CAUSES[r.cause]?.label ?? r.cause) : (PARTS[r.part] ?? r.part));

function splitSection(doc) {
	if (!doc.split.length) return null;
	const unit = largestUnit(doc.split.map((r) => Math.max(r.base_ns_per_iteration ?? 0, r.head_ns_per_iteration ?? 0)));
	const plain = ({up, down, ...column}) => column;
	const columns = [
		{
			label: 'Part',
			head: true,
			class: 'part-name wraps',
			cell: (r) => [swatch(r.part), partName(r), narrowDelta(r)],
			title: (r) => CAUSES[r.cause]?.description ?? r.description,
		},
		sideColumn('Base', 'base', unit),
		sideColumn('Head', 'head', unit),
		{...deltaColumn(unit), label: 'Δ'},
		{label: 'Change', num: true, cell: (r) => f.changeOf(r.ratio)},
		{label: 'Class', cell: (r) => badge(r.verdict, doc.comparable)},
		intervalColumn(splitRows(doc), unit),
	].map(plain);
	return h(
		'section',
		{'aria-labelledby': 'split'},
		h('h2', {id: 'split'}, 'Time of an iteration'),
		bars(doc) ?? '',
		table({caption: 'Time of an iteration', columns, rows: splitRows(doc)}).node,
	);
}

// The terms of the mean time per output token; of the mean iteration if its tokens are not known.
// Whole nanoseconds are shown in full, so that the terms add up as they are read.

const TERMS_OF = {iteration: 'iteration', output_token: 'time per output token'};
const TERMS_UNIT = 'µs';
const us = (key) => (t) => f.inUnit(t[key], TERMS_UNIT);

function termNotes(d, reason) {
	const texts = [
		`Median: ${f.duration(d.base_median_ns)} in the base, ${f.duration(d.head_median_ns)} in the head.`,
		d.base_tokens === d.head_tokens
			? null
			: `Accepted tokens per step: ${f.number(d.base_tokens)} in the base, ${f.number(d.head_tokens)} in the ` +
				`head; their change makes ${f.signed(d.by_tokens_ns, TERMS_UNIT)} ${TERMS_UNIT} of the change.`,
		reason === null ? null : `This is the time per step, not per output token: ${reason}.`,
	].filter(Boolean);
	return h('p', {class: 'quiet'}, texts.join(' '));
}

function termSection(doc) {
	const d = doc.decompositions?.at(-1);
	if (!d) return null;
	const columns = [
		{label: 'Term', head: true, cell: (t) => t.description},
		{label: 'Base', unit: TERMS_UNIT, num: true, cell: us('base_ns')},
		{label: 'Head', unit: TERMS_UNIT, num: true, cell: us('head_ns')},
		{label: 'Δ', unit: TERMS_UNIT, num: true, cell: (t) => f.signed(t.delta_ns, TERMS_UNIT)},
		{
			label: '95 % interval',
			unit: TERMS_UNIT,
			num: true,
			cell: (t) =>
				t.low_ns === null ? f.NONE : `${f.signed(t.low_ns, TERMS_UNIT)} to ${f.signed(t.high_ns, TERMS_UNIT)}`,
		},
	];
	const rows = [{...d, description: `mean ${TERMS_OF[d.of]}`}, ...d.terms];
	const title = `Terms of the mean ${TERMS_OF[d.of]}`;
	const content = [table({caption: title, columns, rows}).node, termNotes(d, doc.tokens_reason)];
	// Of other work than decoding, the table of parts has the same times, rounded.
	if (d.of === 'iteration' && doc.tokens_reason === null) return h('details', {}, h('summary', {}, title), content);
	return h(
		'section',
		{'aria-labelledby': 'terms'},
		h('h2', {id: 'terms'}, title),
		content,
	);
}

// The kinds of work of the iterations. Each that both sides have is a comparison of its own; a link
// shows it. Nothing is shown if all iterations do the same.

const groupSide = (g) => g.base ?? g.head;
const shareText = (side) => (side ? `${f.percent(side.share * 100)} %` : f.NONE);

function groupName(doc, params, g) {
	const at = doc.groups.indexOf(g);
	const texts = [groupSide(g).work, g.head && g.base && g.head.work !== g.base.work ? g.head.work : null];
	const name = texts.filter(Boolean).join(' → ');
	const query = {...params, group: at ? String(at) : ''};
	return at === doc.group || g.match === 'alone'
		? [name, at === doc.group ? h('div', {class: 'quiet'}, 'shown below') : null]
		: h('a', {href: compareUrl(query)}, name);
}

function groupSection(doc, params) {
	if (doc.groups.length < 2) return null;
	const unit = largestUnit(
		doc.groups.map((g) => Math.max(g.base_ns_per_iteration ?? 0, g.head_ns_per_iteration ?? 0)),
	);
	const plain = ({up, down, ...column}) => column;
	// If nothing is judged, a difference is descriptive, and only the parts below show it.
	const judged = (column) => (doc.comparable ? column : {...column, class: null, cell: (g) => (g.verdict ? column.cell(g) : f.NONE)});
	const columns = [
		{label: 'Work', head: true, cell: (g) => groupName(doc, params, g), title: (g) => f.sentence(g.headline ?? '')},
		{label: 'Paired by', cell: (g) => g.match, title: (g) => MATCHES[g.match]},
		{
			label: 'Iterations',
			num: true,
			cell: (g) => baseHeadText(g.base?.iterations ?? 0, g.head?.iterations ?? 0, f.count),
		},
		{label: 'Share of time', num: true, cell: (g) => baseHeadText(g.base, g.head, shareText)},
		sideColumn('Base', 'base', unit),
		sideColumn('Head', 'head', unit),
		judged({...deltaColumn(unit), label: 'Δ'}),
		judged({label: 'Change', num: true, cell: (g) => f.changeOf(g.ratio)}),
		{label: 'Class', cell: (g) => badge(g.verdict)},
	].map(plain);
	return h(
		'section',
		{'aria-labelledby': 'groups'},
		h('h2', {id: 'groups'}, 'Kinds of work'),
		table({caption: 'Kinds of work', columns, rows: doc.groups}).node,
	);
}

// The durations of all iterations of both sides.

const iterationPoints = (side) =>
	(side.iteration_durs_ns ?? []).map((value, i) => ({value, run: side.iteration_runs?.[i] ?? null, i}));
const pointText = (side, p) =>
	[
		side.label,
		p.run === null ? null : `run #${p.run}`,
		`iteration ${p.i + 1} of ${side.points.length}: ${f.duration(p.value)}`,
	]
		.filter(Boolean)
		.join(', ');

const LAYOUTS = [
	['', 'By duration'],
	['order', 'In order'],
];

function layoutChoice(shape, change) {
	return h(
		'fieldset',
		{class: 'choice'},
		h('legend', {}, 'Layout of the iterations'),
		LAYOUTS.map(([value, label]) =>
			h(
				'label',
				{},
				h('input', {
					type: 'radio',
					name: 'iterations',
					value,
					checked: value === shape,
					on: {change: () => change(value)},
				}),
				h('span', {}, label),
			),
		),
	);
}

function iterationSection(doc, view, save) {
	const sides = [
		['base', 'Base'],
		['head', 'Head'],
	].map(([key, label]) => ({
		label,
		class: key,
		points: iterationPoints(doc[key]),
		lines: [{value: doc[key].iteration_median_ns, label: 'median'}],
	}));
	if (!sides.some((side) => side.points.length)) return null;
	const rows = sides.flatMap((side) => side.points.map((p) => ({...p, side: side.label})));
	const unit = axisUnit(rows.reduce((n, r) => Math.max(n, r.value), 0));
	const columns = [
		{label: 'Side', head: true, cell: (r) => r.side},
		{label: 'Run', num: true, cell: (r) => (r.run === null ? f.NONE : `#${r.run}`)},
		{label: 'Iteration', num: true, cell: (r) => f.count(r.i + 1)},
		{label: 'Duration', unit, num: true, cell: (r) => f.inUnit(r.value, unit), title: (r) => f.exact(r.value)},
	];
	const place = h('div');
	function show() {
		const draw =
			view.layout === 'order' ? inOrder(sides, {describe: pointText}) : byValue(sides, {describe: pointText});
		place.replaceChildren(
			chart({
				caption: 'Duration of each compared iteration',
				columns,
				rows,
				draw,
				hint: 'Each dot is an iteration; the line is the median.',
				label:
					`Durations of ${f.plural(sides[0].points.length, 'iteration')} of the base, ` +
					`median ${f.duration(doc.base.iteration_median_ns)}, ` +
					`and ${sides[1].points.length} of the head, median ${f.duration(doc.head.iteration_median_ns)}`,
			}),
		);
	}
	show();
	return h(
		'section',
		{'aria-labelledby': 'iterations'},
		h(
			'div',
			{class: 'toolbar'},
			h('h2', {id: 'iterations'}, 'Iterations'),
			layoutChoice(view.layout, (layout) => {
				view.layout = layout;
				show();
				save();
			}),
		),
		place,
	);
}

// The details of a function: its full name, the parts of its change, the evidence, and its
// iterations on both sides as charts.

const SIDES = [
	['base', 'Base'],
	['head', 'Head'],
];

const floorText = (r) =>
	r.noise_floor === null
		? null
		: `${f.count(r.noise_floor * 100, 1)} % between runs, ${
				{default: 'default', estimated: 'estimated from stored repeats', given: 'as given'}[r.noise_floor_source] ??
				r.noise_floor_source
			}` + (r.noise_floor_df === null ? '' : `, ${f.count(r.noise_floor_df, 1)} degrees of freedom`);

// How a function was found on both sides, if not by its name.
const IDENTITIES = {
	renamed: 'renamed (inferred)',
	variant: 'another variant',
	several: 'several kernels, compared as their sum (inferred)',
};

const baseName = (r) => r.distinct_name || r.function;
const shownName = (r) => r.head_distinct_name || baseName(r);

// The function's name; under it, the name in the base if it differs.
function functionCell(r, full) {
	if (!r.head_function) return h('code', {}, full ? r.function : baseName(r));
	return [
		h('code', {}, full ? r.head_function : shownName(r)),
		h(
			'span',
			{class: 'quiet', title: r.identity_reason},
			`${IDENTITIES[r.identity] ?? r.identity}; in the base `,
			h('code', {}, full ? r.function : baseName(r)),
		),
	];
}

// A function's names on one side.
const nameList = (names) => names.map((name) => h('code', {class: 'full'}, name)).flatMap((e, i) => (i ? [', ', e] : [e]));

function nameFacts(r) {
	if (!r.head_function) return [['Name', h('code', {class: 'full'}, r.function)]];
	return [
		['Name in the head', nameList(r.head_functions)],
		['Name in the base', nameList(r.base_functions)],
		['Identity', r.identity_reason],
	];
}

// Facts whose words are terms.
const TERMS = {Class: 'Class', Evidence: 'Evidence', Interval: '95 % interval', 'p of this row': 'p of this row', 'Noise floor': 'Noise floor'};

function numbers(r) {
	const beyond = r.beyond_common_ns_per_iteration;
	const parts =
		r.by_count_ns_per_iteration === null || r.by_duration_ns_per_iteration === null
			? null
			: `${f.signedDuration(r.by_count_ns_per_iteration)} by the number of launches, ` +
				`${f.signedDuration(r.by_duration_ns_per_iteration)} by the duration of each launch`;
	const list = facts([
		...nameFacts(r),
		['Kind', r.type],
		['Class', r.verdict && `${classText(r.verdict)}: ${CLASSES[r.verdict]?.description}`],
		['Evidence', EVIDENCE[r.evidence]],
		[
			'Change',
			`${f.signedDuration(r.delta_ns_per_iteration)} per iteration` +
				(r.ratio === null ? '' : `, ${f.changeOf(r.ratio)}`),
		],
		['Parts of the change', parts],
		[
			'Beyond the common factor',
			beyond === null || beyond === r.delta_ns_per_iteration ? null : f.signedDuration(beyond),
		],
		['Interval', r.low_ns_per_iteration === null ? null : intervalTitle(r)],
		['p of this row', r.p === null ? null : f.probability(r.p)],
		['Noise floor', floorText(r)],
	]);
	list.classList.add('in-columns');
	return explainFacts(list, TERMS);
}

function resources(r) {
	if (!r.resources?.length) return null;
	const columns = [
		{label: 'Counter', head: true, cell: (x) => x.name},
		{label: 'Base', num: true, cell: (x) => f.number(x.base_mu)},
		{label: 'Head', num: true, cell: (x) => f.number(x.head_mu)},
	];
	return h(
		'div',
		{class: 'callers'},
		h('h3', {}, 'Counters'),
		table({caption: `Counters of ${shownName(r)}`, columns, rows: r.resources}).node,
	);
}

const seriesPoints = (side, key) =>
	side[key].map((value, i) => ({value, run: side.runs[i], number: side.numbers[i], i}));
const seriesText = (text) => (side, p) => `${side.label}, run #${p.run}, iteration ${p.number}: ${text(p.value)}`;
const percent = (p) => `${f.count(p, 3)} %`;

function charts(r, answer) {
	const name = shownName(r);
	const sides = (key, mean) =>
		SIDES.map(([side, label]) => ({
			label,
			class: side,
			points: seriesPoints(answer[side], key),
			lines: [{value: r[`${side}_${mean}`] ?? NaN}],
		}));
	const rows = SIDES.flatMap(([side, label]) =>
		seriesPoints(answer[side], 'ns').map((p) => ({
			...p,
			side: label,
			launches: answer[side].launches[p.i],
			beta: answer[side].beta_pct[p.i],
			iteration: answer[side].iteration_ns[p.i],
		})),
	);
	const unit = axisUnit(rows.reduce((n, p) => Math.max(n, p.value ?? 0), 0));
	const columns = [
		{label: 'Side', head: true, cell: (p) => p.side},
		{label: 'Run', num: true, cell: (p) => `#${p.run}`},
		{label: 'Iteration', num: true, cell: (p) => f.plain(p.number)},
		{label: 'Time', unit, num: true, cell: (p) => f.inUnit(p.value, unit), title: (p) => f.exact(p.value)},
		{label: 'β', unit: '%', num: true, cell: (p) => (p.beta === null ? f.NONE : f.count(p.beta, 3))},
		{label: 'Launches', num: true, cell: (p) => f.number(p.launches)},
		{label: 'Iteration time', num: true, cell: (p) => f.duration(p.iteration), title: (p) => f.exact(p.iteration)},
	];
	const one = (caption, draw) =>
		chart({
			caption,
			columns,
			rows,
			draw,
			hint: 'Each dot is an iteration; the line is the mean.',
			label:
				`${caption}, ${name}: ` +
				SIDES.map(([side]) => `${f.plural(answer[side].ns.length, 'iteration')} of the ${side}`).join(', '),
		});
	return h(
		'div',
		{class: 'side-by-side'},
		one('Time per iteration', inOrder(sides('ns', 'ns_per_iteration'), {describe: seriesText(f.duration)})),
		one(
			'β, share of the iteration',
			inOrder(sides('beta_pct', 'beta_pct'), {unit: '%', describe: seriesText(percent)}),
		),
	);
}

// The details of the table of functions. `view` names the function whose details the address opens;
// chosen() returns the function that was opened last.
function rowDetail(rows, comparable, params, view, at, changed) {
	const open = new Set();
	const loaded = new Map();
	const isLinked = (r) => r.function === view.function && (r.device ?? '') === view.device;
	const linked = () => rows.find((r) => isLinked(r) || r.ranks?.some(isLinked));

	async function load(r, place) {
		place.replaceChildren(h('p', {class: 'loading'}, 'Loading iterations…'));
		try {
			const {range, group} = params;
			const answer = await api.series(
				{
					base: params.base,
					head: params.head,
					range,
					group,
					function: r.function,
					side: r.base_functions.length || !r.head_functions.length ? null : 'head',
					device: r.device,
				},
				at.signal,
			);
			place.replaceChildren(charts(r, answer));
		} catch (error) {
			loaded.delete(r);
			if (at.signal.aborted) return;
			place.replaceChildren(h('p', {class: 'quiet'}, 'The iterations could not be loaded.'));
			showFailure(error, () => load(r, place));
		}
	}

	function fill(r, place) {
		if (r.ranks) {
			const ranks = new Set(r.ranks.filter(isLinked));
			place.append(rankTable(r, comparable, {open: ranks, fill, changed: () => {}, name: (x) => `${shownName(x)} on ${x.device}`}));
			return;
		}
		if (!loaded.has(r)) {
			const charted = h('div');
			loaded.set(r, charted);
			load(r, charted);
		}
		place.append(numbers(r), resources(r) ?? '', loaded.get(r));
	}

	const chosen = () => {
		const r = [...open].at(-1);
		return {function: r?.function ?? '', device: r?.device ?? ''};
	};
	if (linked()) open.add(linked());
	return {open, fill, changed, chosen, linked, name: shownName};
}

// The functions of a comparison, filtered by class and text, and sorted. The address contains the
// filters and the order. Unchanged functions are folded.

const ORDER = Object.keys(CLASSES);

function pairColumn(label, unit, key, text, exact) {
	const [base, head] = [`base_${key}`, `head_${key}`];
	return {
		label,
		unit,
		num: true,
		down: key,
		up: `-${key}`,
		value: (r) => r[head] ?? r[base],
		cell: (r) => baseHeadText(r[base], r[head], text),
		title: (r) => `base ${exact(r[base])}, head ${exact(r[head])}`,
	};
}

const device = (r) =>
	r.head_device && r.head_device !== r.device ? `${r.device} → ${r.head_device}` : (r.device ?? f.NONE);

function columns(rows, full, comparable) {
	const unit = typicalUnit(rows.map((r) => Math.max(r.base_ns_per_iteration ?? 0, r.head_ns_per_iteration ?? 0)));
	const each = typicalUnit(rows.map((r) => r.head_mean_ns ?? r.base_mean_ns));
	return [
		{
			label: 'Class',
			up: 'class',
			down: '-class',
			cell: (r) => [badge(r.verdict, comparable), narrowDelta(r)],
			value: (r) => (r.verdict ? ORDER.indexOf(r.verdict) : null),
		},
		{
			label: 'Function',
			head: true,
			class: full ? 'kernel full' : 'kernel',
			up: 'name',
			down: '-name',
			title: (r) => (full ? null : (r.head_function ?? r.function)),
			value: (r) => r.function,
			cell: (r) => functionCell(r, full),
		},
		{label: 'Device', up: 'on', down: '-on', cell: device, value: (r) => r.device},
		deltaColumn(unit),
		intervalColumn(rows, unit),
		sideColumn('Base', 'base', unit),
		sideColumn('Head', 'head', unit),
		pairColumn('Launches', null, 'launches_per_iteration', f.mean, f.plain),
		pairColumn('Mean launch', each, 'mean_ns', (ns) => f.inUnit(ns, each), f.exact),
		pairColumn(
			'β',
			'%',
			'beta_pct',
			(p) => (p === null ? f.NONE : f.count(p, 2)),
			(p) => (p === null ? 'unknown' : `${p} %`),
		),
		{
			label: 'Evidence',
			up: 'evidence',
			down: '-evidence',
			cell: (r) => (r.evidence === 'none' ? f.NONE : r.evidence),
			title: (r) => EVIDENCE[r.evidence],
			value: (r) => r.evidence,
		},
		probabilityColumn('p family', 'p_family', 'probability that chance alone changes at least one row by this much'),
		probabilityColumn('q', 'q', 'false discovery rate'),
	];
}

function classFilter(counts, view, change) {
	const chips = ORDER.map((word) =>
		h(
			'label',
			{class: `chip ${word}`, title: CLASSES[word].description},
			h('input', {
				type: 'checkbox',
				checked: view.shown.has(word),
				disabled: !counts[word],
				on: {
					change: (e) => {
						view.shown[e.target.checked ? 'add' : 'delete'](word);
						change();
					},
				},
			}),
			badge(word),
			' ',
			f.count(counts[word] ?? 0),
		),
	);
	return {
		node: h('fieldset', {class: 'chips'}, h('legend', {class: 'visually-hidden'}, 'Classes shown'), chips),
		redraw: () =>
			chips.forEach((chip, i) => {
				chip.firstChild.checked = view.shown.has(ORDER[i]);
			}),
	};
}

function downloads(params) {
	const name = `compare-${params.base}-${params.head}`.replace(/[^\w-]+/g, '_');
	return h(
		'span',
		{class: 'links'},
		['json', 'csv', 'md'].map((format) =>
			fileLink(
				{json: 'JSON', csv: 'CSV', md: 'Markdown'}[format],
				api.compareFile(format, params),
				`${name}.${format}`,
			),
		),
	);
}

const countsOf = (rows) =>
	Object.fromEntries(ORDER.map((word) => [word, rows.filter((r) => r.verdict === word).length]));

function functionSection(doc, params, view, at) {
	const items = folded(doc);
	const counts = items.length === doc.items.length ? doc.counts : countsOf(items);
	const columnsFor = (full) => columns(items, full, doc.comparable);
	let all = columnsFor(view.full);
	let shown;
	// If there are no verdicts, no class hides a row.
	const seen = (r) => r.verdict === null || view.shown.has(r.verdict);
	const rows = () =>
		sorted(
			matching(items.filter(seen), view.q, (r) => `${r.function} ${r.head_function ?? ''} ${r.device ?? ''} ${r.head_device ?? ''}`),
			all,
			view.sort || 'class',
		);
	const place = h('div');
	const found = h('span', {class: 'quiet', role: 'status'});
	const detail = rowDetail(items, doc.comparable, params, view, at, () => save());
	const fold = h('button', {
		type: 'button',
		class: 'fold-line',
		on: {
			click: () => {
				view.shown[view.shown.has('unchanged') ? 'delete' : 'add']('unchanged');
				redraw();
			},
		},
	});
	const filter = h('input', {
		type: 'search',
		'aria-label': 'Filter functions by name or device',
		value: view.q,
		placeholder: 'Filter by name or device',
		on: {
			input: (e) => {
				view.q = e.target.value.trim();
				redraw();
			},
		},
	});
	const names = h(
		'label',
		{class: 'check'},
		h('input', {
			type: 'checkbox',
			checked: view.full,
			on: {
				change: (e) => {
					view.full = e.target.checked;
					rebuild();
				},
			},
		}),
		'Full names',
	);
	const classes = classFilter(counts, view, () => redraw());

	function save() {
		at.keep({
			show: classesParam(view.shown),
			q: view.q,
			sort: view.sort === 'class' ? '' : view.sort,
			iterations: view.layout,
			names: view.full ? 'full' : '',
			...detail.chosen(),
		});
	}

	function redraw() {
		const list = rows();
		shown.update({rows: list, sort: view.sort || 'class'});
		found.textContent =
			list.length === items.length
				? f.plural(list.length, 'function')
				: `${f.count(list.length)} of ${f.plural(items.length, 'function')}`;
		classes.redraw();
		fold.hidden = !doc.comparable || !counts.unchanged;
		fold.textContent = view.shown.has('unchanged')
			? 'Hide unchanged functions'
			: `Show ${f.plural(counts.unchanged, 'unchanged function')}`;
		save();
	}

	function rebuild() {
		all = columnsFor(view.full);
		shown = table({
			caption: 'Functions',
			columns: all,
			rows: [],
			sort: view.sort || 'class',
			tall: true,
			detail,
			empty: items.length ? 'No function of these classes matches the search.' : 'No functions to compare.',
			onsort: (sort) => {
				view.sort = sort;
				redraw();
			},
		});
		place.replaceChildren(shown.node);
		redraw();
	}

	// Scrolls to a row and opens it, even if a filter or the search hides it.
	function show(row) {
		if (!seen(row) || !rows().includes(row)) {
			view.shown.add(row.verdict);
			filter.value = view.q = '';
		}
		detail.open.add(row);
		redraw();
		shown.reveal(row).querySelector('.open').focus();
	}

	rebuild();
	const linked = detail.linked();
	if (linked) setTimeout(() => at.signal.aborted || show(linked));
	return {
		save,
		show,
		items,
		node: h(
			'section',
			{'aria-labelledby': 'functions'},
			h(
				'div',
				{class: 'toolbar'},
				h('h2', {id: 'functions'}, 'Functions'),
				filter,
				names,
				found,
				downloads(params),
			),
			doc.comparable ? classes.node : '',
			place,
			fold,
		),
	};
}

const MAX_LISTED = 5;

function commonLine(common) {
	if (!common) return null;
	return h(
		'p',
		{class: 'common'},
		h('strong', {}, `Uniform change: ${f.changeOf(common.ratio)}`),
		` (95 % ${f.changeOf(common.low)} to ${f.changeOf(common.high)}), `,
		h('span', {title: f.exact(common.ns_per_iteration)}, `${f.signedDuration(common.ns_per_iteration)} per iteration`),
		`. ${f.plural(common.kernels, 'kernel')} changed by the same factor, as with a change of clocks or power; ` +
			'the classes below describe the change beyond it.',
	);
}

// Functions that only one side has; a click leads to the row. If operators are known, functions
// that were replaced within one are listed there.
function oneSided(items, word, title, key, show) {
	const list = items.filter((r) => r.verdict === word);
	if (!list.length) return null;
	const line = (r) =>
		h(
			'li',
			{},
			h(
				'button',
				{type: 'button', class: 'open-row', title: r.function, on: {click: () => show(r)}},
				h('code', {}, baseName(r)),
			),
			' ',
			h('span', {class: 'quiet'}, [r.device, `${f.duration(r[key])} per iteration`].filter(Boolean).join(', ')),
		);
	return h(
		'section',
		{'aria-label': title},
		h('h3', {}, title, ' ', h('span', {class: 'quiet'}, f.count(list.length))),
		h('ul', {class: 'plain-list'}, list.slice(0, MAX_LISTED).map(line)),
		list.length > MAX_LISTED
			? h(
					'details',
					{class: 'more'},
					h('summary', {}, `and ${f.count(list.length - MAX_LISTED)} more`),
					h('ul', {class: 'plain-list'}, list.slice(MAX_LISTED).map(line)),
				)
			: null,
	);
}

// If the sides are not comparable, their differences are descriptive, and the user opens them.
function unjudged(open, parts) {
	return h(
		'details',
		{class: 'more anyway', open},
		h('summary', {}, 'Show the differences anyway'),
		h(
			'div',
			{class: 'part verdict'},
			h('p', {class: 'notice'}, 'Descriptive only: the sides are not comparable, so no difference below is judged.'),
			parts,
		),
	);
}

export async function verdictTab(doc, params, query, at) {
	const view = {
		shown: shownClasses(query.get('show')),
		q: query.get('q') ?? '',
		sort: query.get('sort') ?? '',
		layout: query.get('iterations') ?? '',
		full: query.get('names') === 'full',
		function: query.get('function') ?? '',
		device: query.get('device') ?? '',
	};
	const functions = functionSection(doc, params, view, at);
	const iterations = iterationSection(doc, view, functions.save);
	const alone = functions.items.filter((r) => !doc.by_operator || r.operator === null);
	const lists = [
		oneSided(alone, 'appeared', 'Appeared', 'head_ns_per_iteration', functions.show),
		oneSided(alone, 'vanished', 'Vanished', 'base_ns_per_iteration', functions.show),
	].filter(Boolean);
	const others = [
		termSection(doc) ?? '',
		commonLine(doc.common) ?? '',
		operatorSection(doc, functions) ?? '',
		lists.length ? h('div', {class: 'lists'}, lists) : '',
		functions.node,
	];
	// The address has the state of the parts only if they were open.
	const used = ['q', 'sort', 'names', 'function'].some((key) => query.get(key));
	const split = splitSection(doc) ?? '';
	// The durations of the iterations are no differences, so they are always shown.
	const parts = doc.comparable
		? [h('div', {class: 'side-by-side'}, split, iterations ?? ''), ...others]
		: [iterations ?? '', unjudged(used, [split, ...others])];
	return {
		save: functions.save,
		node: h('div', {class: 'part verdict'}, groupSection(doc, params) ?? '', parts),
	};
}
