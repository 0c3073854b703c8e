// gate.js - /gates/7: what one gate says: its outcome and sentence, what the data
// lacked, its rules, and the ways to the runs behind it.

import * as api from '../lib/api.js';
import {fileLink, typicalUnit} from '../lib/columns.js';
import {facts, h, tags} from '../lib/dom.js';
import * as f from '../lib/format.js';
import {
	axisReach,
	barPositions,
	intervalText,
	OUTCOMES,
	percent,
	ruleKind,
	ruleName,
	runsNeededText,
} from '../lib/gate_policy.js';
import {sentence} from '../lib/layers.js';
import {listing} from '../lib/listing.js';

// The rules of a gate as a table, each with its change drawn beside
// its limit; and what it was asked with.

const pct = (part) => `${(part * 100).toFixed(2)}%`;

function bar(rule, most) {
	const {at, from, to, limit} = barPositions(rule, most);
	const part = (name, style) => h('span', {class: name, style});
	return h(
		'span',
		{class: 'limit-bar', 'aria-hidden': 'true'},
		limit === null ? null : part('beyond', {left: pct(limit)}),
		part('zero', {}),
		from === null || to === null ? null : part('reach', {left: pct(from), width: pct(to - from)}),
		at === null ? null : part('at', {left: pct(at)}),
	);
}

function columns(gate) {
	const most = axisReach(gate.rules);
	const unit = typicalUnit(gate.rules.map((r) => r.base_ns));
	const time = (label, key) => ({
		label,
		unit,
		num: true,
		down: key,
		up: `-${key}`,
		value: (r) => r[`${key}_ns`],
		cell: (r) => f.inUnit(r[`${key}_ns`], unit),
		title: (r) => f.exact(r[`${key}_ns`]),
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
					r.sentence ? h('div', {class: 'hint'}, r.sentence) : null,
				].filter(Boolean),
		},
		{label: 'Outcome', cell: (r) => outcome(r.outcome)},
		{
			label: 'Change',
			num: true,
			down: 'change',
			up: '-change',
			value: (r) => r.change_pct,
			cell: (r) => h('span', {class: 'delta'}, percent(r.change_pct)),
		},
		{label: 'Interval beside the limit', class: 'interval', cell: (r) => [intervalText(r), bar(r, most)]},
		{label: 'Limit', num: true, cell: (r) => percent(r.limit_pct)},
		time('Base', 'base'),
		time('Head', 'head'),
		{label: 'p', num: true, down: 'p', up: '-p', value: (r) => r.p, cell: (r) => f.probability(r.p)},
		{
			label: 'Since',
			cell: (r) =>
				r.since_run
					? h(
							'a',
							{href: `/runs/${r.since_run}`, title: 'the baseline itself has been slower since this run'},
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
		usual: '',
		what: 'rule',
		at,
		text: (r) => [ruleKind(r), ruleName(r), r.outcome, r.sentence].join(' '),
		empty: 'No rule was looked at.',
	}).node;
	const out = gate.rules_left_out;
	return h(
		'div',
		{class: 'part'},
		list,
		out
			? h(
					'p',
					{class: 'hint'},
					`${f.plural(out, 'function')} that pass${out === 1 ? 'es' : ''} ${out === 1 ? 'is' : 'are'} not kept.`,
				)
			: null,
	);
}

const list = (items) => (items?.length ? items.join(', ') : null);
const ofPercent = (n) => (n === null || n === undefined ? null : `${n} %`);

function policyFacts(p) {
	return h(
		'details',
		{class: 'more'},
		h('summary', {}, 'What it was asked with'),
		facts([
			['Cycle', ofPercent(p.cycle_pct)],
			['Operators', list(p.operators?.map((o) => `${o.operator} ${o.pct} %`))],
			['Headroom', p.headroom_pct === null ? null : `${p.headroom_pct} points`],
			['Functions fail on', list(p.fail_on)],
			['Functions from', ofPercent(p.share_pct)],
			['Least runs', p.least_runs],
			['Least cycles', p.least_cycles],
			['Least coverage', ofPercent(p.least_coverage_pct)],
			['Least attributed', ofPercent(p.least_attributed_pct)],
			['Refuse', list(p.refuse)],
			['Alpha', p.alpha],
			['Floor', p.floor === null ? 'learnt' : p.floor],
			['Range', p.range],
			['Seed', p.seed],
		]),
	);
}

// What the list of gates and one of them share: an outcome as a
// mark and a word; a side with its runs.

export function outcome(word) {
	const {mark, text, what} = OUTCOMES[word] ?? {mark: '', text: word, what: null};
	return h(
		'span',
		{class: `class outcome ${word}`, title: what},
		h('span', {class: 'class-mark', 'aria-hidden': 'true'}, mark),
		text,
	);
}

// More than these are behind a word.
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

const SEVERITIES = {refuse: 'Refused', warn: 'Warning', info: 'Info'};

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

function side(label, word, {asked, runs, units, cycles, labels}) {
	return h(
		'section',
		{class: `side-card ${word}`},
		h('h2', {}, label),
		h('p', {}, h('code', {}, asked)),
		runLinks(runs),
		h('p', {class: 'quiet'}, `${f.plural(units, 'unit')}, ${f.plural(cycles, 'cycle')}`),
		tags(labels),
	);
}

const lacking = (gate) =>
	gate.shortfalls.length > 0 &&
	h(
		'div',
		{class: 'banner'},
		h('h2', {}, 'What the data lack'),
		h(
			'ul',
			{},
			gate.shortfalls.map(({message}) => h('li', {}, sentence(message))),
		),
	);

const findings = (gate) =>
	gate.findings.length > 0 &&
	h(
		'section',
		{class: 'notes', 'aria-labelledby': 'found'},
		h('h2', {id: 'found'}, 'What differs around the numbers'),
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

// The newest gate of the same work, as a picture for a README.
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
	const again = new URLSearchParams({base: gate.base.asked, head: gate.head.asked});
	view.append(
		h('p', {class: 'crumbs'}, h('a', {href: '/gates'}, 'Gates'), ` / ${title}`),
		h('div', {class: 'title'}, outcome(gate.outcome), h('h1', {class: 'headline'}, sentence(gate.sentence))),
		lacking(gate) || '',
		facts([
			['Project', gate.project],
			['Workload', gate.workload],
			['Asked by', gate.who],
			['Asked', h('time', {datetime: gate.created_at}, f.moment(gate.created_at))],
			[
				'Would decide',
				gate.runs_needed > 0
					? `${runsNeededText(gate.runs_needed)} of the head, in all`
					: gate.runs_needed
						? `no number of runs; ${runsNeededText(gate.runs_needed)}`
						: null,
			],
		]),
		h(
			'div',
			{class: 'side-cards gate-sides'},
			side('Baseline', 'base', gate.base),
			side('Head', 'head', gate.head),
		),
		h(
			'div',
			{class: 'line'},
			h('a', {class: 'button', href: gate.compare}, 'Compare both sides'),
			h('a', {class: 'button plain', href: `/gates?${f.query(again)}`}, 'Ask again'),
		),
		downloads(gate),
		rulesList(gate, query, at),
		findings(gate) || '',
		policyFacts(gate.policy),
		badgeLine(gate),
	);
	return title;
}
