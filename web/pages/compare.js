// compare.js - the comparison of two sides: summary, findings, settings, and two tabs for the
// verdict and the published score.

import {answerOrRefusal, refusalLine} from '../lib/answer.js';
import * as api from '../lib/api.js';
import {breakdownUrl} from '../lib/breakdown_compare.js';
import {
	compareParams,
	compareUrl,
	DETECTORS,
	fewRunsText,
	headline,
	isQuery,
	MAIN_LAST,
	MAX_LAST,
	parseSide,
	sideQuery,
	titleOf,
} from '../lib/comparison.js';
import {termText} from '../finding/term.js';
import {field, h} from '../lib/dom.js';
import {findingList, refusalBanner} from '../lib/findings.js';
import * as f from '../lib/format.js';
import {showFailure} from '../lib/notices.js';
import {share as shareControl} from '../lib/share.js';
import {tabs} from '../lib/tabs.js';
import {outcomeBadge} from './compare_columns.js';
import {publishedTab} from './compare_published.js';
import {verdictTab} from './compare_verdict.js';

// The form for both sides, and a link to the list of runs. It is shown if a side is missing, or if the
// server rejects the comparison, so that the user can correct it.

const KIND_LABELS = {base: 'Base', head: 'Head'};
const OTHER_SIDE = {base: 'head', head: 'base'};

const textInput = (name, value, more) => h('input', {type: 'text', name, value, autocomplete: 'off', ...more});

// The fields of a query. changed(text) gets the query that they make.
function queryBuilder(side, start, open, changed) {
	const inputs = {
		project: textInput('project', start.project, {list: 'offered-project'}),
		workload: textInput('workload', start.workload, {list: 'offered-workload'}),
		key: textInput('key', 'branch', {list: 'offered-key'}),
		value: textInput('value', side === 'base' ? 'main' : ''),
		last: h('input', {type: 'number', name: 'last', value: MAIN_LAST, min: 1, max: MAX_LAST}),
	};
	const labels = {project: 'Project', workload: 'Workload', key: 'Label', value: 'Value of the label', last: 'Newest'};
	const build = () =>
		changed(sideQuery(Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value]))));
	return h(
		'details',
		{class: 'more', open},
		h('summary', {}, `Build a query for the ${side}`),
		h(
			'div',
			{class: 'bar builder', on: {input: build}},
			Object.entries(inputs).map(([name, input]) => {
				input.setAttribute('aria-label', `${labels[name]} of the ${side}`);
				return h('label', {class: 'field'}, h('span', {'aria-hidden': 'true'}, labels[name]), input);
			}),
			h('div', {class: 'actions'}, h('button', {type: 'button', on: {click: build}}, 'Use this query')),
		),
	);
}

// A side is written as numbers without spaces, or as a query.
const sideText = (text) => (isQuery(text) ? text.trim() : text.replace(/\s/g, ''));

// The settings in the address, and a link without them: the server can
// reject a setting, too.
const SETTINGS = {range: 'range', group: 'kind of work', noise_floor: 'noise floor', margin: 'margin', seed: 'seed'};
function keptSettings(query) {
	const list = Object.entries(SETTINGS).filter(([key]) => query.get(key));
	if (!list.length) return null;
	const sides = {base: query.get('base'), head: query.get('head')};
	return h(
		'p',
		{class: 'hint'},
		`Settings: ${list.map(([key, label]) => `${label} ${query.get(key)}`).join(', ')}. `,
		h('a', {href: compareUrl(sides)}, 'Compare without these settings'),
	);
}

// `rejected` is the server's message about these sides; null if they were not compared.
function sidesForm(query, rejected, at) {
	const start = {project: query.get('project') ?? '', workload: query.get('workload') ?? ''};
	const input = (name) =>
		textInput(name, query.get(name), {required: true, spellcheck: 'false', class: 'side-input'});
	const sides = {base: input('base'), head: input('head')};
	const submit = (e) => {
		e.preventDefault();
		const {project, workload, ...rest} = Object.fromEntries(query);
		at.go(compareUrl({...rest, base: sideText(sides.base.value), head: sideText(sides.head.value)}));
	};
	const swap = () => {
		[sides.base.value, sides.head.value] = [sides.head.value, sides.base.value];
	};
	// The builder of the one side that is missing is open.
	const lacks = (side) => !query.get(side) && Boolean(query.get(OTHER_SIDE[side]));
	const part = (side, hint) => [
		field(KIND_LABELS[side], sides[side], hint),
		queryBuilder(side, start, lacks(side), (text) => {
			sides[side].value = text;
		}),
	];
	return h(
		'form',
		{class: 'sides-form', 'aria-label': 'Sides', on: {submit}},
		h('div', {class: 'part'}, part('base', 'for example 1,2,3,4 or job:7 or label.branch=main last=5')),
		h('button', {type: 'button', class: 'swap', 'aria-label': 'Swap base and head', title: 'Swap base and head', on: {click: swap}}, '⇄'),
		h('div', {class: 'part'}, part('head', 'for example 5,6,7,8 or job:8 or project=ci workload=steps label.commit=3f2a91c last=5')),
		rejected ? h('div', {class: 'rejected'}, rejected, keptSettings(query)) : null,
		h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Compare')),
	);
}

// Offers the projects, workloads and usual labels; the form works without them.
async function offers(place, at) {
	const list = (name, values) =>
		h('datalist', {id: `offered-${name}`}, [...new Set(values)].filter(Boolean).map((value) => h('option', {value})));
	place.append(list('key', ['branch', 'commit']));
	try {
		const {items} = await api.workloads({}, at.signal);
		place.append(...['project', 'workload'].map((name) => list(name, items.map((w) => w[name]))));
	} catch {
		// the names are typed
	}
}

async function compareChooser(view, query, rejected, at) {
	const picked = new URLSearchParams(
		[...query].filter(([key, value]) => (key === 'base' || key === 'head') && value),
	);
	const offered = h('div', {hidden: true});
	offers(offered, at);
	view.append(
		h('h1', {}, 'Compare'),
		h(
			'p',
			{},
			'Shows what changed between two sides: the breakdown of the iteration time, which functions changed, ',
			'by how much, and whether the change is significant. ',
			'Each side is one run, several repeats, or the ranks of a job. Use at least four runs per side.',
		),
		h(
			'section',
			{'aria-labelledby': 'numbers'},
			h('h2', {id: 'numbers'}, 'By number or query'),
			h(
				'p',
				{class: 'hint'},
				'A query selects the newest runs or jobs. The base has the project and workload of the head unless its ',
				'query names others.',
			),
			sidesForm(query, rejected, at),
			offered,
		),
		h(
			'section',
			{'aria-labelledby': 'tick'},
			h('h2', {id: 'tick'}, 'From the list of runs'),
			h(
				'p',
				{},
				'Tick the runs in question as head, and what they are compared with as base, in the ',
				h('a', {href: picked.size ? `/runs?${picked}` : '/runs'}, 'list of runs'),
				'. Jobs are compared from their ',
				h('a', {href: '/jobs'}, 'job pages'),
				'. For two to eight runs layer by layer, see the ',
				h('a', {href: '/breakdown'}, 'breakdown comparison'),
				'.',
			),
		),
	);
	return 'Compare';
}

// The settings of a comparison, and a form to change them.

const hundredfold = (text) => (text ? String(Number((Number(text) * 100).toPrecision(12))) : '');
const hundredth = (text) => (text ? String(Number((Number(text) / 100).toPrecision(12))) : '');

const floorText = ({source, runs, before_run: before}, query) => {
	if (query.get('noise_floor')) return 'given';
	return runs ? `${source} from ${f.plural(runs, 'run')} before run ${before}` : source;
};

function summary(doc, query) {
	const blocks = doc.block ? ` of blocks of ${f.plural(doc.block, 'iteration')}` : '';
	return (
		`Noise floor ${f.percent(doc.noise_floor * 100)} % (${floorText(doc.noise_prior, query)}), ` +
		`margin ${f.percent(doc.margin * 100)} %, ` +
		`alpha ${doc.alpha}, ${f.plural(doc.permutations, 'permutation')}${blocks}, seed ${doc.seed}`
	);
}

// What the settings and the tables below are made of.
const TERMS = ['Noise floor', 'Margin', 'Alpha', 'p family', 'q', 'β', 'Evidence', '95 % interval'];

function options(doc, query, at) {
	const number = (name, value, rest) =>
		h('input', {type: 'number', name, value, step: 'any', min: 0, inputmode: 'decimal', ...rest});
	const range = h('input', {
		type: 'text',
		name: 'range',
		value: query.get('range'),
		autocomplete: 'off',
		spellcheck: 'false',
	});
	const floor = number('floor', hundredfold(query.get('noise_floor')), {max: 100, placeholder: 'estimated, else 3'});
	const margin = number('margin', hundredfold(query.get('margin')), {max: 100, placeholder: '5'});
	const seed = number('seed', query.get('seed'), {step: 1, placeholder: '1'});
	const submit = (e) => {
		e.preventDefault();
		at.go(
			compareUrl({
				...Object.fromEntries(query),
				function: '',
				device: '',
				range: range.value.trim(),
				noise_floor: hundredth(floor.value),
				margin: hundredth(margin.value),
				seed: seed.value,
			}),
		);
	};
	return h(
		'details',
		{class: 'formats options'},
		h('summary', {}, summary(doc, query)),
		h(
			'form',
			{class: 'bar', 'aria-label': 'Settings of the comparison', on: {submit}},
			field('Range of an iteration', range, 'name of a range; empty: as detected per run'),
			field('Noise floor, %', floor, 'relative deviation between repeats'),
			field('Margin, %', margin, 'smaller changes count as unchanged'),
			field('Seed', seed, 'the same seed gives the same result'),
			h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Compare again')),
		),
		h(
			'p',
			{class: 'hint'},
			'Terms of this page: ',
			TERMS.flatMap((term, i) => [i ? ', ' : '', termText(term)]),
			'.',
		),
	);
}

// A card for each side, and a link that swaps them.

const MAX_MEMBERS = 4;

const runLink = (run) =>
	h(
		'li',
		{},
		h('a', {href: `/runs/${run.id}`}, run.name || `run ${run.id}`),
		' ',
		h(
			'span',
			{class: 'quiet'},
			run.rank === null || run.rank === undefined ? `#${run.id}` : `#${run.id}, rank ${run.rank}`,
		),
	);

// A link by number, if the document does not name the runs.
const numberLink = (word) =>
	h(
		'li',
		{},
		word.startsWith('job:')
			? h('a', {href: `/jobs/${word.slice(4)}`}, `Job ${word.slice(4)}`)
			: h('a', {href: `/runs/${word}`}, `Run #${word}`),
	);

// The query of a side; the runs it found are listed below it.
const queryLine = (params) => (params.some(isQuery) ? h('p', {}, h('code', {}, params[0])) : null);

function members(side, params) {
	const all = Array.isArray(side.runs) ? side.runs.map(runLink) : params.map(numberLink);
	const jobs = Array.isArray(side.runs)
		? params.filter((word) => word.startsWith('job:') && !isQuery(word)).map(numberLink)
		: [];
	const rest = all.slice(MAX_MEMBERS);
	return [
		h('ul', {class: 'members'}, jobs, all.slice(0, MAX_MEMBERS)),
		rest.length
			? h('details', {class: 'more'}, h('summary', {}, `${rest.length} more`), h('ul', {class: 'members'}, rest))
			: null,
	];
}

function card(name, side, params) {
	const runs = Array.isArray(side.runs) ? side.runs.length : side.runs;
	const used =
		side.iterations === side.iterations_used
			? f.plural(side.iterations, 'iteration')
			: `${f.count(side.iterations_used)} of ${f.plural(side.iterations, 'iteration')} used`;
	return h(
		'section',
		{class: `side-card ${name}`, 'aria-label': name === 'base' ? 'Base' : 'Head'},
		h('h2', {}, name === 'base' ? 'Base' : 'Head'),
		queryLine(params),
		...members(side, params),
		h(
			'p',
			{class: 'quiet'},
			[
				runs > 1
					? `${f.plural(runs, 'run')}${side.units === runs ? '' : ` in ${f.plural(side.units, 'unit')}`}`
					: null,
				used,
				DETECTORS[side.detector] ?? side.detector,
			]
				.filter(Boolean)
				.join(' · '),
		),
		h(
			'p',
			{class: 'mean', title: f.exact(side.iteration_ns)},
			f.duration(side.iteration_ns),
			h('span', {class: 'quiet'}, ' mean iteration, median '),
			h('span', {title: f.exact(side.iteration_median_ns)}, f.duration(side.iteration_median_ns)),
		),
	);
}

function sideCards(doc, params) {
	const swapped = compareUrl({...params, base: params.head, head: params.base});
	return h(
		'div',
		{class: 'side-cards'},
		card('base', doc.base, parseSide(params.base)),
		h('a', {href: swapped, class: 'swap', 'aria-label': 'Swap base and head', title: 'Swap base and head'}, '⇄'),
		card('head', doc.head, parseSide(params.head)),
	);
}

const PARTS = [
	['verdict', 'Verdict', verdictTab],
	['published', 'Published score', publishedTab],
];

// Removes the state of other tabs from the address. It contains only the request and the state of
// the visible tab.
function clear(at, query, part) {
	const kept = compareParams(query);
	const removed = [...new URLSearchParams(location.search).keys()].filter((key) => !(key in kept));
	at.keep({...Object.fromEntries(removed.map((key) => [key, ''])), score: part === PARTS[0][0] ? '' : part});
}

// The address of the comparison with the numbers of its runs, because a query such as the last five
// runs of a branch finds others later. Null if no side is a query or the answer names no runs.
function lastingUrl(doc, params) {
	const queries = ['base', 'head'].filter((side) => isQuery(params[side]));
	if (!queries.length || !queries.every((side) => Array.isArray(doc[side].runs))) return null;
	const ids = queries.map((side) => [side, doc[side].runs.map((r) => r.id).join(',')]);
	return compareUrl({...params, ...Object.fromEntries(ids)});
}

// Links to two other comparisons of each side's first run: by layer, and as flame graph.
function otherComparisons(doc, sides) {
	const first = ['base', 'head'].map((side) =>
		Array.isArray(doc[side].runs) ? String(doc[side].runs[0]?.id) : sides[side].find((word) => /^\d+$/.test(word)),
	);
	return first.every(Boolean) && first[0] !== first[1]
		? h(
				'p',
				{class: 'line'},
				h('a', {href: breakdownUrl(first)}, `Compare #${first[0]} and #${first[1]} layer by layer`),
				h('a', {href: `/runs/${first[1]}?tab=flame&against=${first[0]}`}, 'Flame graph of the difference'),
			)
		: '';
}

export async function page(view, query, at) {
	const sides = {base: parseSide(query.get('base')), head: parseSide(query.get('head'))};
	if (!sides.base.length || !sides.head.length) return compareChooser(view, query, null, at);
	const params = compareParams(query);
	const {doc, refusal} = await answerOrRefusal(api.compare(params, at.signal));
	if (refusal) return compareChooser(view, query, refusalLine(refusal, compareUrl(params)), at);
	const chosen = query.get('score') ?? PARTS[0][0];
	const parts = await tabs({
		label: 'Scores',
		chosen,
		leave: (part) => clear(at, query, part),
		failed: (error, again) => at.signal.aborted || showFailure(error, again),
		parts: PARTS.map(([id, label, load]) => ({
			id,
			label,
			href: compareUrl({...params, score: id === PARTS[0][0] ? '' : id}),
			load: () => load(doc, params, id === chosen ? query : new URLSearchParams(), at),
		})),
	});

	view.append(
		h('p', {class: 'crumbs'}, h('a', {href: '/compare'}, 'Compare'), ` / ${titleOf(sides)}`),
		h(
			'div',
			{class: 'title answer'},
			outcomeBadge(doc),
			h('h1', {class: 'headline'}, headline(doc)),
			shareControl(api.compareFile('md', params), lastingUrl(doc, params)),
		),
		refusalBanner(doc) ?? '',
		sideCards(doc, params),
		doc.comparable && fewRunsText(doc) ? h('p', {class: 'hint'}, fewRunsText(doc)) : '',
		otherComparisons(doc, sides),
		findingList(doc) ?? '',
		options(doc, query, at),
		...parts,
	);
	return titleOf(sides);
}
