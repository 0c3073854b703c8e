// compare.js - two sides beside each other: the sentence that says it all and
// what there is to be said before any number; then where the time goes, the
// cycles, the functions; the published score one step away.

import * as api from '../lib/api.js';
import {breakdownUrl} from '../lib/breakdown_compare.js';
import {compareParams, compareUrl, DETECTORS, isQuery, parseSide, headline, titleOf} from '../lib/comparison.js';
import {field, h} from '../lib/dom.js';
import {findingList, refusalBanner} from '../lib/findings.js';
import * as f from '../lib/format.js';
import {showFailure} from '../lib/notices.js';
import {tabs} from '../lib/tabs.js';
import {publishedTab} from './compare_published.js';
import {verdictTab} from './compare_verdict.js';

// /compare without both sides: which runs, by their numbers
// or ticked in the list of runs, or which jobs.

const SIDE = '\\s*(job:)?[1-9][0-9]*(\\s*,\\s*(job:)?[1-9][0-9]*)*\\s*';

async function compareChooser(view, query, at) {
	const input = (name) =>
		h('input', {
			type: 'text',
			name,
			value: query.get(name),
			required: true,
			pattern: SIDE,
			title: 'numbers of runs with commas between, or job: and the number of a job',
			autocomplete: 'off',
		});
	const [base, head] = [input('base'), input('head')];
	const submit = (e) => {
		e.preventDefault();
		at.go(
			compareUrl({
				...Object.fromEntries(query),
				base: base.value.replace(/\s/g, ''),
				head: head.value.replace(/\s/g, ''),
			}),
		);
	};
	const picked = new URLSearchParams(
		[...query].filter(([key, value]) => (key === 'base' || key === 'head') && value),
	);
	view.append(
		h('h1', {}, 'Compare'),
		h(
			'p',
			{},
			'What changed between two sides: where the time of a cycle goes, which functions, by how much, and whether it is real. ',
			'Each side is one run, several repeats of the same, or the ranks of a job. Four runs a side prove most.',
		),
		h(
			'section',
			{'aria-labelledby': 'tick'},
			h('h2', {id: 'tick'}, 'From the list of runs'),
			h(
				'p',
				{},
				'Tick runs as base and as head in the ',
				h('a', {href: picked.size ? `/runs?${picked}` : '/runs'}, 'list of runs'),
				'. Jobs are compared from their ',
				h('a', {href: '/jobs'}, 'own pages'),
				'. Of two to eight runs, ',
				h('a', {href: '/breakdown'}, 'layers stand side by side'),
				'.',
			),
		),
		h(
			'section',
			{'aria-labelledby': 'numbers'},
			h('h2', {id: 'numbers'}, 'By number'),
			h(
				'form',
				{class: 'bar', 'aria-label': 'Sides', on: {submit}},
				field('Base', base, 'such as 1,2,3,4 or job:7'),
				field('Head', head, 'likewise'),
				h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Compare')),
			),
		),
	);
	return 'Compare';
}

// What a comparison was computed with, and a form to have
// it computed otherwise.

const hundredfold = (text) => (text ? String(Number((Number(text) * 100).toPrecision(12))) : '');
const hundredth = (text) => (text ? String(Number((Number(text) / 100).toPrecision(12))) : '');

const floorText = (doc, query) =>
	query.get('floor')
		? 'given'
		: doc.repeats
			? `learnt from ${f.plural(doc.repeats, 'stored run')} where they can be`
			: 'the default';

function summary(doc, query) {
	const blocks = doc.block ? ` of blocks of ${f.plural(doc.block, 'cycle')}` : '';
	return (
		`Run floor ${f.percent(doc.floor * 100)} % (${floorText(doc, query)}), margin ${f.percent(doc.margin * 100)} %, ` +
		`α ${doc.alpha}, ${f.plural(doc.permutations, 'permutation')}${blocks}, seed ${doc.seed}`
	);
}

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
	const floor = number('floor', hundredfold(query.get('floor')), {max: 100, placeholder: 'learnt, else 3'});
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
				floor: hundredth(floor.value),
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
			{class: 'bar', 'aria-label': 'How it is compared', on: {submit}},
			field('Cycles are the ranges named', range, 'empty: as found in each run'),
			field('Floor between runs, %', floor, 'relative deviation of runs of the same'),
			field('Margin, %', margin, 'within it a function is unchanged'),
			field('Seed', seed, 'the same gives the same bytes'),
			h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'main'}, 'Compare again')),
		),
	);
}

// Who is compared with whom: a card for each side, and the
// way to turn them round.

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

// By its words, where the document does not name the runs.
const wordLink = (word) =>
	h(
		'li',
		{},
		word.startsWith('job:')
			? h('a', {href: `/jobs/${word.slice(4)}`}, `Job ${word.slice(4)}`)
			: h('a', {href: `/runs/${word}`}, `Run #${word}`),
	);

// What a query found is listed below it.
const queryLine = (words) => (words.some(isQuery) ? h('p', {}, h('code', {}, words[0])) : null);

function members(side, words) {
	const all = Array.isArray(side.runs) ? side.runs.map(runLink) : words.map(wordLink);
	const jobs = Array.isArray(side.runs)
		? words.filter((word) => word.startsWith('job:') && !isQuery(word)).map(wordLink)
		: [];
	const rest = all.slice(MAX_MEMBERS);
	return [
		h('ul', {class: 'members'}, jobs, all.slice(0, MAX_MEMBERS)),
		rest.length
			? h('details', {class: 'more'}, h('summary', {}, `${rest.length} more`), h('ul', {class: 'members'}, rest))
			: null,
	];
}

function card(name, side, words) {
	const runs = Array.isArray(side.runs) ? side.runs.length : side.runs;
	const used =
		side.cycles === side.cycles_used
			? f.plural(side.cycles, 'cycle')
			: `${f.count(side.cycles_used)} of ${f.plural(side.cycles, 'cycle')} used`;
	return h(
		'section',
		{class: `side-card ${name}`, 'aria-label': name === 'base' ? 'Base' : 'Head'},
		h('h2', {}, name === 'base' ? 'Base' : 'Head'),
		queryLine(words),
		...members(side, words),
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
			{class: 'mean', title: f.exact(side.cycle_ns)},
			f.duration(side.cycle_ns),
			h('span', {class: 'quiet'}, ' mean cycle, median '),
			h('span', {title: f.exact(side.cycle_median_ns)}, f.duration(side.cycle_median_ns)),
		),
	);
}

function sideCards(doc, words) {
	const turned = compareUrl({...words, base: words.head, head: words.base});
	return h(
		'div',
		{class: 'side-cards'},
		card('base', doc.base, parseSide(words.base)),
		h('a', {href: turned, class: 'swap', 'aria-label': 'Swap base and head', title: 'Swap base and head'}, '⇄'),
		card('head', doc.head, parseSide(words.head)),
	);
}

const PARTS = [
	['verdict', 'Verdict', verdictTab],
	['published', 'Published score', publishedTab],
];

// The address holds what was asked, and the view of the part in front.
function clear(at, query, part) {
	const kept = compareParams(query);
	const gone = [...new URLSearchParams(location.search).keys()].filter((key) => !(key in kept));
	at.keep({...Object.fromEntries(gone.map((key) => [key, ''])), score: part === PARTS[0][0] ? '' : part});
}

// The first run of each side, layer by layer.
function breakdownLine(doc, sides) {
	const first = ['base', 'head'].map((side) =>
		Array.isArray(doc[side].runs) ? String(doc[side].runs[0]?.id) : sides[side].find((word) => /^\d+$/.test(word)),
	);
	return first.every(Boolean) && first[0] !== first[1]
		? h(
				'p',
				{class: 'line'},
				h('a', {href: breakdownUrl(first)}, `Layers of #${first[0]} and #${first[1]} side by side`),
			)
		: '';
}

export async function page(view, query, at) {
	const sides = {base: parseSide(query.get('base')), head: parseSide(query.get('head'))};
	if (!sides.base.length || !sides.head.length) return compareChooser(view, query, at);
	const words = compareParams(query);
	const doc = await api.compare(words, at.signal);
	const chosen = query.get('score') ?? PARTS[0][0];
	const parts = await tabs({
		label: 'Scores',
		chosen,
		leave: (part) => clear(at, query, part),
		failed: (error, again) => at.signal.aborted || showFailure(error, again),
		parts: PARTS.map(([id, label, load]) => ({
			id,
			label,
			href: compareUrl({...words, score: id === PARTS[0][0] ? '' : id}),
			load: () => load(doc, words, id === chosen ? query : new URLSearchParams(), at),
		})),
	});

	view.append(
		h('p', {class: 'crumbs'}, h('a', {href: '/compare'}, 'Compare'), ` / ${titleOf(sides)}`),
		h('h1', {class: 'headline'}, headline(doc)),
		refusalBanner(doc) ?? '',
		sideCards(doc, words),
		breakdownLine(doc, sides),
		findingList(doc) ?? '',
		options(doc, query, at),
		...parts,
	);
	return titleOf(sides);
}
