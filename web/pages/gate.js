// gate.js - /gates/7: one gate with its outcome, data problems, rules and links to its runs.

import * as api from '../lib/api.js';
import {fileLink, typicalUnit} from '../lib/columns.js';
import {explainFacts} from '../finding/term.js';
import {facts, h, tags} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {
	axisReach,
	barPositions,
	earlierText,
	intervalText,
	isFall,
	iterationChangeText,
	limited,
	OUTCOMES,
	percent,
	probabilityText,
	repeatUrl,
	ruleKind,
	ruleName,
	runsNeededText,
} from '../lib/gate_policy.js';
import {sentence} from '../lib/layers.js';
import {listing} from '../lib/listing.js';
import {share as shareControl} from '../lib/share.js';

// The rules of a gate as a table that draws each change relative to its limit, and the gate's
// settings.

const pct = (part) => `${(part * 100).toFixed(2)}%`;

function bar(rule, reach) {
	const {at, from, to, limit} = barPositions(rule, reach);
	const part = (name, style) => h('span', {class: name, style});
	return h(
		'span',
		{class: 'limit-bar', 'aria-hidden': 'true'},
		limit === null ? null : isFall(rule) ? part('beyond fall', {right: pct(1 - limit)}) : part('beyond', {left: pct(limit)}),
		part('zero', {}),
		from === null || to === null ? null : part('reach', {left: pct(from), width: pct(to - from)}),
		at === null ? null : part('at', {left: pct(at)}),
	);
}

const probability = (label, key, description) => ({
	label,
	num: true,
	down: key,
	up: `-${key}`,
	value: (r) => r[key],
	cell: (r) => probabilityText(r[key]),
	title: (r) => (r[key] === null ? null : description),
});

// The value of a side that is no time, as text; null if it is one.
function otherValue(rule, key) {
	const bandwidth = rule[`${key}_gb_s`];
	const measure = rule[`${key}_value`];
	if (typeof bandwidth === 'number') return `${f.count(bandwidth, 2)} GB/s`;
	return typeof measure === 'number' ? `${Number(measure.toPrecision(4))}${rule.unit === '1' ? '' : ` ${rule.unit}`}` : null;
}

function columns(gate) {
	const reach = axisReach(gate.rules);
	const unit = typicalUnit(gate.rules.map((r) => r.base_ns));
	const time = (label, key) => ({
		label,
		unit,
		num: true,
		down: key,
		up: `-${key}`,
		value: (r) => r[`${key}_ns`],
		cell: (r) => otherValue(r, key) ?? f.inUnit(r[`${key}_ns`], unit),
		title: (r) => (otherValue(r, key) === null ? f.exact(r[`${key}_ns`]) : null),
	});
	return [
		{
			label: 'Rule',
			head: true,
			class: 'kernel',
			up: 'of',
			down: '-of',
			value: ruleName,
			cell: (r) =>
				[
					r.rule === 'function' ? h('code', {}, ruleName(r)) : ruleName(r),
					r.of ? h('span', {class: 'quiet'}, ` ${ruleKind(r).toLowerCase()}`) : null,
					r.summary ? h('div', {class: 'hint'}, f.sentence(r.summary)) : null,
					r.earlier_units && r.rule !== 'function' ? h('div', {class: 'hint'}, earlierText(r)) : null,
				].filter(Boolean),
		},
		{label: 'Outcome', cell: (r) => [outcome(r.outcome), h('div', {class: 'narrow-only'}, percent(r.change_pct))]},
		{
			label: 'Change',
			num: true,
			down: 'change',
			up: '-change',
			value: (r) => r.change_pct,
			cell: (r) => {
				const share = iterationChangeText(r);
				return [
					h('span', {class: 'delta'}, percent(r.change_pct)),
					share ? h('div', {class: 'hint'}, share) : '',
				];
			},
		},
		{label: '95 % interval and limit', class: 'interval', cell: (r) => [intervalText(r), bar(r, reach)]},
		{
			label: 'Limit',
			num: true,
			cell: (r) => {
				const {limit, of} = limited(r);
				return [percent(limit), limit !== null && of ? h('div', {class: 'hint'}, of) : ''];
			},
		},
		time('Base', 'base'),
		time('Head', 'head'),
		probability('p, one-sided', 'p', 'probability of so large a rise (of bus bandwidth: a fall) by chance'),
		probability(
			'p family',
			'p_family',
			'of the anchor: p times the number of levels; of a function: probability that chance alone changes at least one function so clearly',
		),
		probability('Alpha', 'alpha', 'the rule\'s part of the gate\'s alpha: the rule fails only if p and p_family are at most this. p_family does not decide whether a function appeared, vanished or is likely to have changed.'),
		{
			label: 'Since',
			cell: (r) =>
				r.since_run
					? h(
							'a',
							{href: `/runs/${r.since_run}`, title: 'the baseline itself is slower since this run'},
							`run ${r.since_run}`,
						)
					: f.NONE,
		},
		{label: 'Runs needed', class: 'wraps', cell: (r) => runsNeededText(r.runs_needed)},
	];
}

function rulesList(gate, query, at) {
	const list = listing({
		caption: 'Rules of the gate',
		columns: columns(gate),
		rows: gate.rules,
		query,
		defaultSort: '',
		rowName: 'rule',
		at,
		text: (r) => [ruleKind(r), ruleName(r), r.outcome, r.summary].join(' '),
		empty: 'No rules.',
	}).node;
	const out = gate.rules_excluded;
	return h(
		'div',
		{class: 'part'},
		list,
		out
			? h(
					'p',
					{class: 'hint'},
					`${f.plural(out, 'function')} within the limits ${out === 1 ? 'is' : 'are'} not stored.`,
				)
			: null,
	);
}

const list = (items) => (items?.length ? items.join(', ') : null);
const ofPercent = (n) => (n === null || n === undefined ? null : `${n} %`);

const ofIteration = (n) => (n === null || n === undefined ? null : `${n} % of the base's iteration`);

function policyFacts(p) {
	return h(
		'details',
		{class: 'more'},
		h('summary', {}, 'Settings of the gate'),
		facts([
			['Iteration', ofPercent(p.iteration_pct)],
			['Operators', list(p.operators?.map((o) => `${o.operator} ${o.pct} %`))],
			['Headroom', ofIteration(p.headroom_pct)],
			['Bus bandwidth', ofPercent(p.busbw_pct)],
			['Measures', list(p.measures?.map((m) => `${m.measure} ${m.pct} %`))],
			['Anchor', ofPercent(p.anchor_pct)],
			['Fail on function classes', list(p.fail_on)],
			['Minimum change of a function', ofIteration(p.share_pct)],
			['Minimum runs', p.min_runs],
			['Minimum iterations', p.min_iterations],
			['Minimum coverage', ofPercent(p.min_coverage_pct)],
			['Minimum attributed', ofPercent(p.min_attributed_pct)],
			['Reject on', list(p.reject_on)],
			['Alpha', p.alpha],
			['Noise floor', p.noise_floor === null ? 'estimated' : p.noise_floor],
			['Range', p.range],
			['Label of the commit', p.unit],
			['Seed', p.seed],
		]),
	);
}

// Also used by the list of gates: an outcome as a mark and a word; a side with its runs.

export function outcome(word) {
	const {mark, text, description} = OUTCOMES[word] ?? {mark: '', text: word, description: null};
	return h(
		'span',
		{class: `class outcome ${word}`, title: description},
		h('span', {class: 'class-mark', 'aria-hidden': 'true'}, mark),
		text,
	);
}

// If there are more links than this, they are folded.
const MAX_LINKS = 12;

function runLinks(ids) {
	const links = ids.map((id) => h('li', {}, h('a', {href: `/runs/${id}`}, `#${id}`)));
	const list = (part) => h('ul', {class: 'members'}, part);
	return ids.length <= MAX_LINKS
		? list(links)
		: h(
				'details',
				{class: 'more'},
				h('summary', {}, `${f.count(ids.length)} runs, #${ids[0]} to #${ids.at(-1)}`),
				list(links),
			);
}

const FILES = [
	['Markdown', 'md', 'md'],
	['JUnit', 'junit', 'xml'],
	['JSON', 'json', 'json'],
	['Badge', 'svg', 'svg'],
];

const SEVERITIES = {refuse: 'Rejected', warn: 'Warning', info: 'Info'};

function downloads(gate) {
	return h(
		'div',
		{class: 'toolbar'},
		h('h2', {}, 'Rules'),
		h(
			'span',
			{class: 'links'},
			FILES.map(([text, format, end]) => fileLink(text, api.gateFile(gate.id, format), `gate-${gate.id}.${end}`)),
		),
	);
}

function side(label, word, {query, runs, units, iterations, labels}) {
	return h(
		'section',
		{class: `side-card ${word}`},
		h('h2', {}, label),
		h('p', {}, h('code', {}, query)),
		runLinks(runs),
		h('p', {class: 'quiet'}, `${f.plural(units, 'unit')}, ${f.plural(iterations, 'iteration')}`),
		tags(labels),
	);
}

// How much of alpha this gate got; null if an earlier version stored the gate.
function budgetText(b, alpha) {
	if (!b) return null;
	return b.gate === null
		? `${b.alpha}: ${b.reason}`
		: `${b.alpha} of ${alpha}: gate ${b.gate} of ${b.gates} of commit ${b.commit}`;
}

// The level that creep is tested against; null if an earlier version stored the gate.
function anchorCard(a) {
	if (!a) return null;
	return h(
		'section',
		{class: 'side-card'},
		h('h2', {}, 'Anchor'),
		h('p', {}, a.query ? h('code', {}, a.query) : 'the lowest level of the last 90 days'),
		a.reason
			? h('p', {class: 'quiet'}, `none: ${a.reason}`)
			: [
					runLinks(a.runs),
					h(
						'p',
						{class: 'quiet'},
						`${f.plural(a.units, 'unit')}${a.commits ? ` of ${f.plural(a.commits, 'commit')}` : ''}, median ${f.duration(a.median_ns)}, stored from `,
						h('time', {datetime: a.since}, f.moment(a.since)),
						' to ',
						h('time', {datetime: a.until}, f.moment(a.until)),
						a.levels > 1 ? `; the lowest of ${a.levels} levels` : '',
					),
				],
		a.excluded_runs ? h('p', {class: 'quiet'}, `${f.plural(a.excluded_runs, 'run')} of other work excluded`) : null,
	);
}

const shortfalls = (gate) =>
	gate.data_problems.length > 0 &&
	h(
		'div',
		{class: 'banner'},
		h('h2', {}, 'Data problems'),
		h(
			'ul',
			{},
			gate.data_problems.map(({message}) => h('li', {}, sentence(message))),
		),
	);

const findings = (gate) =>
	gate.findings.length > 0 &&
	h(
		'section',
		{class: 'notes', 'aria-labelledby': 'found'},
		h('h2', {id: 'found'}, 'Findings'),
		h(
			'ul',
			{},
			gate.findings.map(({severity, message}) =>
				h(
					'li',
					{},
					h('span', {class: `severity ${severity === 'refuse' ? 'error' : severity}`}, SEVERITIES[severity]),
					h('span', {}, sentence(message)),
				),
			),
		),
	);

// The outcome of the newest gate of this workload as an image for a README.
function badgeLine(gate) {
	const where = new URL(
		api.badge({project: gate.project, workload: gate.workload, name: gate.name}),
		location.origin,
	);
	return h(
		'details',
		{class: 'more'},
		h('summary', {}, 'A badge for a README'),
		h('pre', {tabindex: '0', 'aria-label': 'Markdown of the badge'}, h('code', {}, `![kernsift](${where})`)),
	);
}

export async function page(view, query, at) {
	const gate = await api.gate(at.id, at.signal);
	const title = gate.name || `gate ${gate.id}`;
	view.append(
		h('p', {class: 'crumbs'}, h('a', {href: '/gates'}, 'Gates'), ` / ${title}`),
		h(
			'div',
			{class: 'title answer'},
			outcome(gate.outcome),
			h('h1', {class: 'headline'}, sentence(f.sentence(gate.summary))),
			shareControl(api.gateFile(gate.id, 'md')),
		),
		shortfalls(gate) || '',
		explainFacts(facts([
			['Project', gate.project],
			['Workload', gate.workload],
			['Created by', gate.created_by],
			['Alpha of this gate', budgetText(gate.budget, gate.policy.alpha)],
			['Created', h('time', {datetime: gate.created_at}, f.moment(gate.created_at))],
			[
				'Runs needed',
				gate.runs_needed > 0
					? `${runsNeededText(gate.runs_needed)} of the head in total`
					: gate.runs_needed
						? `undecidable: ${runsNeededText(gate.runs_needed)}`
						: null,
			],
		]), {'Alpha of this gate': 'Alpha', 'Runs needed': 'Runs needed'}),
		h(
			'div',
			{class: 'side-cards gate-sides'},
			side('Baseline', 'base', gate.base),
			side('Head', 'head', gate.head),
			anchorCard(gate.anchor) ?? '',
		),
		h(
			'div',
			{class: 'line'},
			h('a', {class: 'button', href: gate.compare}, 'Compare both sides'),
			h('a', {class: 'button plain', href: repeatUrl(gate)}, 'Repeat this gate'),
		),
		downloads(gate),
		rulesList(gate, query, at),
		findings(gate) || '',
		policyFacts(gate.policy),
		badgeLine(gate),
	);
	return title;
}
