// gate_rules.js - the rules of a gate as a table, each with its change drawn beside
// its limit; and what it was asked with.

import {facts, h} from '../dom.js';
import * as f from '../format.js';
import {between, needed, percent, placed, reach, ruleKind, ruleName} from '../gates.js';
import {listing} from '../listing.js';
import {outcome} from './gate_parts.js';
import {typicalUnit} from './run_columns.js';

const pct = (part) => `${(part * 100).toFixed(2)}%`;

function bar(rule, most) {
	const {at, from, to, limit} = placed(rule, most);
	const part = (name, style) => h('span', {class: name, style});
	return h('span', {class: 'limit-bar', 'aria-hidden': 'true'},
		limit === null ? null : part('beyond', {left: pct(limit)}),
		part('zero', {}),
		from === null || to === null ? null : part('reach', {left: pct(from), width: pct(to - from)}),
		at === null ? null : part('at', {left: pct(at)}));
}

function columns(gate) {
	const most = reach(gate.rules);
	const unit = typicalUnit(gate.rules.map((r) => r.base_ns));
	const time = (label, key) => ({label, unit, num: true, down: key, up: `-${key}`, value: (r) => r[`${key}_ns`], cell: (r) => f.inUnit(r[`${key}_ns`], unit), title: (r) => f.exact(r[`${key}_ns`])});
	return [
		{label: 'Rule', head: true, class: 'kernel', up: 'of', down: '-of', value: ruleName, cell: (r) => [r.rule === 'function' ? h('code', {}, ruleName(r)) : ruleName(r),
			r.of ? h('span', {class: 'quiet'}, ` ${ruleKind(r).toLowerCase()}`) : null, r.sentence ? h('div', {class: 'hint'}, r.sentence) : null].filter(Boolean)},
		{label: 'Outcome', cell: (r) => outcome(r.outcome)},
		{label: 'Change', num: true, down: 'change', up: '-change', value: (r) => r.change_pct, cell: (r) => h('span', {class: 'delta'}, percent(r.change_pct))},
		{label: 'Interval beside the limit', class: 'interval', cell: (r) => [between(r), bar(r, most)]},
		{label: 'Limit', num: true, cell: (r) => percent(r.limit_pct)},
		time('Base', 'base'), time('Head', 'head'),
		{label: 'p', num: true, down: 'p', up: '-p', value: (r) => r.p, cell: (r) => f.probability(r.p)},
		{label: 'Since', cell: (r) => (r.since_run ? h('a', {href: `/runs/${r.since_run}`, title: 'the baseline itself has been slower since this run'}, `run ${r.since_run}`) : f.NONE)},
		{label: 'Runs needed', class: 'wraps', cell: (r) => needed(r.runs_needed)},
	];
}

export function rulesList(gate, query, at) {
	const list = listing({caption: 'Rules of the gate', columns: columns(gate), rows: gate.rules, query, usual: '', what: 'rule', at,
		text: (r) => [ruleKind(r), ruleName(r), r.outcome, r.sentence].join(' '), empty: 'No rule was looked at.'}).node;
	const out = gate.rules_left_out;
	return h('div', {class: 'part'}, list, out ? h('p', {class: 'hint'}, `${f.plural(out, 'function')} that pass${out === 1 ? 'es' : ''} ${out === 1 ? 'is' : 'are'} not kept.`) : null);
}

const list = (items) => (items?.length ? items.join(', ') : null);
const ofPercent = (n) => (n === null || n === undefined ? null : `${n} %`);

export function policyFacts(p) {
	return h('details', {class: 'more'}, h('summary', {}, 'What it was asked with'), facts([
		['Cycle', ofPercent(p.cycle_pct)], ['Operators', list(p.operators?.map((o) => `${o.operator} ${o.pct} %`))], ['Headroom', p.headroom_pct === null ? null : `${p.headroom_pct} points`],
		['Functions fail on', list(p.fail_on)], ['Functions from', ofPercent(p.share_pct)], ['Least runs', p.least_runs], ['Least cycles', p.least_cycles],
		['Least coverage', ofPercent(p.least_coverage_pct)], ['Least attributed', ofPercent(p.least_attributed_pct)], ['Refuse', list(p.refuse)],
		['Alpha', p.alpha], ['Floor', p.floor === null ? 'learnt' : p.floor], ['Range', p.range], ['Seed', p.seed]]));
}
