// gates.js - /gates: the list of gates, newest first, and the form that creates one.

import * as api from '../lib/api.js';
import {Failure} from '../lib/api.js';
import {field, h} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {FAIL_ON, formParam, gateRequest, measuresText, NUMBERS, operatorsText, OUTCOMES, parseSide, runsText, SETTINGS} from '../lib/gate_policy.js';
import {sentence} from '../lib/layers.js';
import {listCount, pager, pageUrl} from '../lib/list_pages.js';
import {showFailure} from '../lib/notices.js';
import {table} from '../lib/table.js';
import {outcome} from './gate.js';

// The form that creates a gate: both sides as runs or queries, a preview of the runs that they
// select, and the limits.

const WAIT_MS = 400;

// The runs that a side selects now. As on the server, a query for the base selects only runs of the
// head's project and workload that were stored before the head.
async function previewSide(text, head, signal) {
	const {ids, params, last} = parseSide(text);
	if (ids) {
		const withJobs = ids.some((id) => id.startsWith('job:'));
		return {
			text: `${withJobs ? f.plural(ids.length, 'run or job', 'runs and jobs') : f.plural(ids.length, 'run')}.`,
			ids: ids.filter((id) => /^\d+$/.test(id)).map(Number),
		};
	}
	if (!params || !(last >= 1)) return {text: text ? 'Not a list of runs and not a query.' : ''};
	const given = head
		? {project: head.project || undefined, workload: head.workload || undefined, until: head.created_at}
		: {};
	const {items} = await api.findRuns({...given, ...params, limit: Math.min(last + 8, 500)}, signal);
	const jobs = items.some((r) => r.job);
	const runs = items.filter((r) => !head || r.id !== head.id).slice(0, jobs ? items.length : last);
	return {
		text: runs.length
			? `Matches ${jobs ? 'jobs with the runs' : f.plural(runs.length, 'run')}: ` +
				`${runsText(runs.map((r) => r.id).reverse())}.`
			: 'Matches no runs.',
		first: runs.at(-1) ?? null,
		ids: runs.map((r) => r.id),
	};
}

function preview(base, head, at) {
	const status = {base: h('p', {class: 'hint', role: 'status'}), head: h('p', {class: 'hint', role: 'status'})};
	let timer = 0;
	let turn = 0;

	async function update() {
		const current = ++turn;
		const showText = (side, text) => {
			if (current === turn) status[side].textContent = text;
		};
		let first = null;
		try {
			const found = await previewSide(head.value, null, at.signal);
			showText('head', found.text);
			first = found.first ?? (found.ids?.length ? await api.run(found.ids[0], at.signal) : null);
		} catch (error) {
			showText('head', error.name === 'AbortError' ? '' : sentence(error.message));
		}
		try {
			showText('base', (await previewSide(base.value, first, at.signal)).text);
		} catch (error) {
			showText('base', error.name === 'AbortError' ? '' : sentence(error.message));
		}
	}

	const soon = () => {
		clearTimeout(timer);
		timer = setTimeout(update, WAIT_MS);
	};
	for (const input of [base, head]) input.addEventListener('input', soon);
	if (base.value || head.value) soon();
	return status;
}

// The form has the values of the address, as after "Repeat this gate", or else the defaults.
function gateForm(query, defaults, at) {
	const usual = {...defaults, operators: operatorsText(defaults.operators), measures: measuresText(defaults.measures)};
	const initial = (key) => query.get(formParam(key)) ?? String(usual[key] ?? '');
	const text = (key, more) =>
		h('input', {type: 'text', name: formParam(key), value: initial(key), autocomplete: 'off', ...more});
	const base = text('base', {required: true, placeholder: 'label.branch=main last=20'});
	const head = text('head', {required: true, placeholder: '12,13,14'});
	const name = text('name', {placeholder: 'for example pull request 7'});
	const anchor = text('anchor', {placeholder: 'label.release=v2'});
	const operators = text('operators', {placeholder: 'attention=5, gemm=3'});
	const measures = text('measures', {placeholder: 'ttft_p99=5'});
	const numbers = NUMBERS.map((row) => [row, text(row[0], {inputmode: 'decimal'})]);
	const settings = SETTINGS.map((row) => [row, text(row[0])]);
	const failing = initial('fail_on').split(',');
	const classes = FAIL_ON.map((word) =>
		h(
			'label',
			{class: 'check'},
			h('input', {type: 'checkbox', name: 'fail_on', value: word, checked: failing.includes(word)}),
			word,
		),
	);
	const wrong = h('p', {class: 'wrong', role: 'alert'});
	const button = h('button', {type: 'submit', class: 'main'}, 'Create gate');
	const status = preview(base, head, at);

	async function submit(e) {
		e.preventDefault();
		if (button.disabled) return;
		wrong.textContent = '';
		let request;
		try {
			request = gateRequest(
				{
					base: base.value.trim(),
					head: head.value.trim(),
					name: name.value.trim(),
					anchor: anchor.value.trim(),
					operators: operators.value,
					measures: measures.value,
					...Object.fromEntries([...numbers, ...settings].map(([[key], input]) => [key, input.value.trim()])),
					fail_on: classes
						.map((label) => label.firstChild)
						.filter((box) => box.checked)
						.map((box) => box.value),
				},
				defaults,
			);
		} catch (error) {
			wrong.textContent = sentence(error.message);
			return;
		}
		button.disabled = true;
		try {
			const {id} = await api.createGate(request);
			at.go(`/gates/${id}`);
		} catch (error) {
			if ([400, 404, 409, 413, 422, 503].includes(error.status)) wrong.textContent = sentence(error.message);
			else showFailure(error, () => submit(e));
		} finally {
			button.disabled = false;
		}
	}

	const side = (label, input, place) =>
		h('div', {class: 'side-field'}, field(label, input, 'runs, jobs or a query'), place);
	return h(
		'details',
		{class: 'gate-form', open: Boolean(query.get('base') || query.get('head'))},
		h('summary', {}, 'Create a gate'),
		h(
			'form',
			{'aria-label': 'Create a gate', class: 'part', on: {submit}},
			h(
				'div',
				{class: 'bar'},
				side('Baseline', base, status.base),
				side('Head', head, status.head),
				field('Name', name),
			),
			h(
				'div',
				{class: 'bar'},
				numbers.map(([[, label, hint], input]) => field(label, input, hint)),
				field('Anchor', anchor, 'runs of the level that creep is tested against; empty: the lowest of 90 days'),
				field('Operators, %', operators, 'one limit per operator'),
				field('Measures, %', measures, 'one limit per measure: of a rise of latencies, of a fall of throughput'),
			),
			h('fieldset', {class: 'chips'}, h('legend', {}, 'Fail on function classes'), classes),
			h(
				'details',
				{class: 'more', open: settings.some(([[key]]) => query.get(formParam(key)))},
				h('summary', {}, 'More settings'),
				h(
					'div',
					{class: 'bar'},
					settings.map(([[, label, hint], input]) => field(label, input, hint)),
				),
			),
			wrong,
			h('div', {class: 'actions'}, button),
		),
	);
}

const TEXTS = [
	['project', 'Project', 'whole name'],
	['workload', 'Workload', 'whole name'],
	['name', 'Name', 'whole name'],
	['label', 'Head labels', 'branch=main'],
];
const DAYS = [
	['since', 'Since'],
	['until', 'Until'],
];
const FILTERS = [...TEXTS, ...DAYS].map(([word]) => word).concat('outcome', 'cursor');

function labelsOf(text) {
	try {
		return f.labels(text);
	} catch (error) {
		throw new Failure(400, 'bad_request', error.message);
	}
}

// The parameters of the request; throws a Failure if the labels are invalid.
export function gateListParams(query) {
	const out = Object.fromEntries(FILTERS.map((key) => [key, query.get(key)]).filter(([, value]) => value));
	for (const [day] of DAYS) if (/^\d{4}-\d\d-\d\d$/.test(out[day] ?? '')) out[day] += 'T00:00:00Z';
	for (const [key, value] of Object.entries(labelsOf(out.label ?? ''))) out[`label.${key}`] = value;
	delete out.label;
	return out;
}

function columns(now) {
	const side = (label, key) => ({
		label,
		class: 'wraps',
		cell: (g) => h('span', {title: `${f.plural(g[key].runs.length, 'run')}`}, g[key].query),
	});
	return [
		{
			label: 'Gate',
			head: true,
			class: 'wide',
			cell: (g) => h('a', {href: `/gates/${g.id}`}, g.name || `gate ${g.id}`),
		},
		{label: 'Outcome', cell: (g) => outcome(g.outcome)},
		{label: 'Result', class: 'wide', cell: (g) => f.sentence(g.summary)},
		{label: 'Project', cell: (g) => g.project || f.NONE},
		{label: 'Workload', cell: (g) => g.workload || f.NONE},
		side('Base', 'base'),
		side('Head', 'head'),
		{label: 'Created by', cell: (g) => g.created_by || f.NONE},
		{
			label: 'Created',
			num: true,
			cell: (g) => h('time', {datetime: g.created_at}, f.age(g.created_at, now)),
			title: (g) => f.moment(g.created_at),
		},
	];
}

function gatesUrl(query, changes) {
	const q = new URLSearchParams(query);
	q.delete('cursor');
	for (const [key, value] of Object.entries(changes))
		if (value) q.set(key, value);
		else q.delete(key);
	return q.size ? `/gates?${f.query(q)}` : '/gates';
}

function filterForm(query, items, at) {
	const texts = TEXTS.map(([name, label, example]) => [
		label,
		h('input', {
			type: 'text',
			name,
			value: query.get(name),
			placeholder: example,
			autocomplete: 'off',
			list: name === 'label' ? null : `offered-gate-${name}`,
		}),
	]);
	const days = DAYS.map(([name, label]) => [
		label,
		h('input', {type: 'date', name, value: (query.get(name) ?? '').slice(0, 10)}),
	]);
	const which = h(
		'select',
		{name: 'outcome', on: {change: (e) => at.go(gatesUrl(query, {outcome: e.target.value}))}},
		[['', 'any'], ...Object.entries(OUTCOMES).map(([word, {text}]) => [word, text])].map(([value, text]) =>
			h('option', {value, selected: value === (query.get('outcome') ?? '')}, text),
		),
	);
	const submit = (e) => {
		e.preventDefault();
		at.go(
			gatesUrl(
				query,
				Object.fromEntries([...texts, ...days].map(([, input]) => [input.name, input.value.trim()])),
			),
		);
	};
	return h(
		'form',
		{class: 'bar', role: 'search', 'aria-label': 'Filter gates', on: {submit}},
		field('Outcome', which),
		[...texts, ...days].map(([label, input]) => field(label, input)),
		TEXTS.filter(([name]) => name !== 'label').map(([name]) =>
			h(
				'datalist',
				{id: `offered-gate-${name}`},
				[...new Set(items.map((g) => g[name]))].filter(Boolean).map((value) => h('option', {value})),
			),
		),
		h(
			'div',
			{class: 'actions'},
			h('button', {type: 'submit', class: 'main'}, 'Filter'),
			FILTERS.some((key) => query.get(key)) ? h('a', {href: '/gates'}, 'Clear') : null,
		),
	);
}

const nothing = () =>
	h(
		'section',
		{class: 'empty'},
		h('h2', {}, 'No gates yet'),
		h(
			'p',
			{},
			'A gate compares the runs of a head with a baseline and decides whether the head passes. ',
			'In a pipeline, run',
		),
		h(
			'pre',
			{tabindex: '0', 'aria-label': 'Command to create a gate'},
			h('code', {}, "kernsift gate 'label.branch=main last=20' 12,13,14"),
		),
		h('p', {}, 'or create one above.'),
	);

export async function page(view, query, at) {
	const [list, defaults] = await Promise.all([
		api.gates({...gateListParams(query), total: 'yes'}, at.signal),
		api.gateDefaults(at.signal),
	]);
	const {items, next} = list;
	const filtered = FILTERS.some((key) => query.get(key));
	view.append(h('h1', {}, 'Gates'), gateForm(query, defaults, at));
	if (!items.length && !filtered) {
		view.append(nothing());
		return 'Gates';
	}
	view.append(
		filterForm(query, items, at),
		listCount(list, 'gate'),
		table({
			caption: 'Gates',
			columns: columns(Date.now()),
			rows: items,
			empty: 'No gate matches. Change or clear the filter.',
		}).node,
		pager((to) => pageUrl('/gates', query, to), query.get('cursor'), next),
	);
	return 'Gates';
}
